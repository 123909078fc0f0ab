//! What stands where nothing was said yet.

use crate::{
    session::Session,
    ui::{
        ProjectInfo,
        action::Action,
        keymap::Keymap,
        overlay::agent_name,
        render::{RenderContext, Row, line::StyledLine},
    },
};

/// Where the content begins, where there is room.
const INDENT: usize = 3;

/// Cells for keys.
const KEYS_WIDTH: usize = 12;

pub fn rows(
    session: Option<&Session>,
    project: &ProjectInfo,
    keymap: &Keymap,
    ctx: &RenderContext<'_>,
) -> Vec<Row> {
    let theme = ctx.theme;
    let mut lines = Vec::new();
    let mut title = indented(ctx);
    title.push("acp-tui", theme.accent.bold());
    if let Some(session) = session {
        title.push("  ", theme.text);
        title.push(&agent_name(Some(session)), theme.strong);
        if let Some(version) = &session.agent.version {
            title.push(&format!(" {version}"), theme.dim);
        }
    }
    lines.push(title);
    let mut place = indented(ctx);
    place.push(&project.cwd, theme.dim);
    if let Some(branch) = &project.git_branch {
        place.push(&format!(" ({branch})"), theme.dim);
    }
    lines.push(place);
    lines.push(StyledLine::new());
    let hint = |action| keymap.hint(action);
    for (keys, what) in [
        ("@".to_owned(), "mention a file"),
        ("/".to_owned(), "commands of the agent"),
        ("!".to_owned(), "run a shell line"),
        (hint(Action::Palette), "find an action"),
        (hint(Action::Help), "all keys"),
    ] {
        if keys.is_empty() {
            continue;
        }
        let mut line = indented(ctx);
        let start = line.width();
        line.push(&keys, theme.key_hint);
        line.fill_to(start + KEYS_WIDTH, theme.text);
        line.push(what, theme.dim);
        lines.push(line);
    }
    let width = usize::from(ctx.width);
    lines
        .iter()
        .map(|line| line.truncate(width, ctx.symbols.ellipsis))
        .collect()
}

fn indented(ctx: &RenderContext<'_>) -> StyledLine {
    let mut line = StyledLine::new();
    line.fill_to(INDENT, ctx.theme.text);
    line
}
