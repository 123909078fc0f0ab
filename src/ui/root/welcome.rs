//! The screen before anything was said.

use crate::{
    session::Session,
    ui::{
        ProjectInfo,
        action::Action,
        keymap::Keymap,
        overlay::agent_name,
        render::{
            RenderContext, Row,
            line::{StyledLine, prefixed},
        },
    },
};

/// Blanks to its left at least.
const MIN_INDENT: usize = 2;

/// Cells for keys.
const KEYS_WIDTH: usize = 10;

/// Agent, directory and first keys, centred.
pub fn rows(
    session: Option<&Session>,
    project: &ProjectInfo,
    keymap: &Keymap,
    ctx: &RenderContext<'_>,
) -> Vec<Row> {
    let theme = ctx.theme;
    let mut title = StyledLine::styled("acp-tui", theme.accent.bold());
    if let Some(session) = session {
        title.push(&format!(" {} ", ctx.symbols.separator), theme.dim);
        title.push(&agent_name(Some(session)), theme.strong);
        if let Some(version) = &session.agent.version {
            title.push(&format!(" {version}"), theme.dim);
        }
    }
    let mut place = StyledLine::styled(&project.cwd, theme.dim);
    let branch = session.and_then(|session| session.branch.as_ref());
    if let Some(branch) = branch.or(project.git_branch.as_ref()) {
        place.push(&format!(" ({branch})"), theme.dim);
    }
    let mut lines = vec![title, place, StyledLine::new()];
    let hint = |action| keymap.hint(action);
    let keys = [
        ("@".to_owned(), "mention a file"),
        ("/".to_owned(), "commands, also the agent's"),
        ("!".to_owned(), "run a shell line"),
        (hint(Action::Palette), "find an action"),
        (hint(Action::Help), "all keys"),
        (hint(Action::Quit), "quit"),
    ];
    // Nothing is written in a replay.
    let written = if project.read_only.is_some() { 3 } else { 0 };
    // Without an agent nothing can be written yet.
    let keys = keys.iter().skip(written);
    let keys = keys.filter(|(keys, _)| !keys.is_empty());
    for (keys, what) in keys.filter(|_| session.is_some()) {
        let mut line = StyledLine::styled(keys, theme.key_hint);
        line.fill_to(KEYS_WIDTH, theme.text);
        line.push(what, theme.dim);
        lines.push(line);
    }
    let width = usize::from(ctx.width);
    let widest = lines.iter().map(StyledLine::width).max().unwrap_or(0);
    let indent = StyledLine::blanks((width.saturating_sub(widest) / 2).max(MIN_INDENT));
    let room = width.saturating_sub(indent.width());
    lines
        .iter()
        .map(|line| prefixed(&indent, line.truncate(room, ctx.symbols.ellipsis), width))
        .collect()
}
