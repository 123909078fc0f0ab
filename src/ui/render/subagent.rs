//! Subagents and what sessions write to each other: the rows that stand in the transcript of the
//! session that they belong to. What a subagent said and did is drawn by the transcript's view.

use std::path::PathBuf;

use ratatui::style::Style;

use super::{
    RenderContext, Row,
    format::{count, elapsed},
    line::{StyledLine, Wrapping, spread},
    tool::{push_verb, shown_path},
};
use crate::{
    model::{SessionId, StopReason, WorkState},
    session::{BlockKind, SessionMessage, Subagent, Subagents},
    text::SafeText,
};

/// Rows of a description.
const DESCRIPTION_ROWS: usize = 4;

/// `⠹ agent  Explore the tests · 3 tools`; with `whole` also what it is for and where it works. `None`
/// for one that is no longer known.
pub fn render_subagent_header(
    subagent: Option<&Subagent>,
    whole: bool,
    spinner: Option<&str>,
    ctx: &RenderContext<'_>,
) -> Vec<Row> {
    let (theme, symbols) = (ctx.theme, ctx.symbols);
    let width = usize::from(ctx.prose_width());
    let mut left = StyledLine::styled("  ", Style::new());
    let Some(subagent) = subagent else {
        left.push(symbols.ended, theme.dim);
        left.push(" ", Style::new());
        push_verb(&mut left, "agent", ctx);
        left.push("[subagent that is no longer known]", theme.dim);
        return vec![left.truncate(width, symbols.ellipsis)];
    };
    let state = Standing::of(subagent, spinner, ctx);
    left.push(state.sign, state.style);
    left.push(" ", Style::new());
    push_verb(&mut left, "agent", ctx);
    let mut rest = StyledLine::new();
    rest.fill_to(left.width(), Style::new());
    let mut about = StyledLine::new();
    let tools = subagent.conversation.transcript.blocks().iter();
    let tools = tools
        .filter(|block| matches!(block.kind, BlockKind::Tool(_)))
        .count();
    if tools > 0 {
        let text = format!(" {} {}", symbols.separator, count(tools, "tool"));
        about.push(&text, theme.dim);
    }
    if let Some(said) = &state.said {
        about.push(&format!(" {} {said}", symbols.separator), state.said_style);
    }
    let time = time(subagent, spinner.is_some(), ctx);
    let taken = left.width() + about.width() + time.width() + usize::from(!time.is_empty()) * 2;
    let room = width.saturating_sub(taken).max(12);
    let name = StyledLine::styled(&subagent.name(), theme.text);
    for span in name.truncate(room, symbols.ellipsis).line.spans {
        left.push(&span.content, span.style);
    }
    left.extend(&about);
    let mut rows = vec![spread(&left, &time, width, symbols.ellipsis)];
    if let Some(error) = &state.error {
        let lines = StyledLine::lines(error.trim(), theme.error);
        let wrapped = lines.flat_map(|line| line.wrap_with(Wrapping::Words, width, &rest, &rest));
        rows.extend(wrapped.take(DESCRIPTION_ROWS));
    }
    if whole && let Some(text) = &subagent.description {
        let lines = StyledLine::lines(text.trim(), theme.dim);
        let wrapped = lines.flat_map(|line| line.wrap_with(Wrapping::Words, width, &rest, &rest));
        rows.extend(wrapped.take(DESCRIPTION_ROWS));
    }
    rows
}

/// `in ../worktree, also docs`: where a subagent works, if not where its session does.
pub fn render_subagent_place(
    subagents: &Subagents,
    id: &SessionId,
    (cwd, directories): (&std::path::Path, &[PathBuf]),
    ctx: &RenderContext<'_>,
) -> Option<Row> {
    let own = subagents.cwd_of(id, cwd);
    let others = subagents.directories_of(id, directories);
    if own == cwd && others == directories {
        return None;
    }
    let mut text = format!("in {}", shown_path(&own.to_string_lossy(), cwd));
    for (n, other) in others.iter().enumerate() {
        let shown = shown_path(&other.to_string_lossy(), cwd);
        text.push_str(if n == 0 { ", also " } else { ", " });
        text.push_str(&shown);
    }
    let mut line = StyledLine::styled("    ", Style::new());
    line.push(&SafeText::line(&text), ctx.theme.dim);
    Some(line.truncate(usize::from(ctx.width), ctx.symbols.ellipsis))
}

/// How a subagent's state reads.
struct Standing<'a> {
    sign: &'a str,
    style: Style,
    /// Beside the sign, for what no sign tells.
    said: Option<SafeText>,
    said_style: Style,
    error: Option<SafeText>,
}

impl<'a> Standing<'a> {
    fn of(subagent: &Subagent, spinner: Option<&'a str>, ctx: &RenderContext<'a>) -> Self {
        let (theme, symbols) = (ctx.theme, ctx.symbols);
        let still = symbols.spinner.first().copied().unwrap_or(symbols.pending);
        let standing = |sign, style| Self {
            sign,
            style,
            said: None,
            said_style: theme.dim,
            error: None,
        };
        let saying = |sign, style, said: &str, said_style| Self {
            said: Some(SafeText::line(said)),
            said_style,
            ..standing(sign, style)
        };
        let warning = |said| saying("!", theme.warning, said, theme.warning);
        match &subagent.state {
            _ if subagent.cancelling => {
                saying(symbols.cancelled, theme.warning, "cancelling", theme.dim)
            }
            Some(WorkState::Running) => standing(spinner.unwrap_or(still), theme.accent),
            Some(WorkState::RequiresAction) => {
                let style = theme.warning.patch(theme.strong);
                saying(symbols.asking, style, "waits for you", theme.warning)
            }
            Some(WorkState::Idle(None | Some(StopReason::EndTurn)))
                if subagent.in_background() > 0 =>
            {
                let text = format!("{} in background", subagent.in_background());
                saying(symbols.done, theme.success, &text, theme.accent)
            }
            Some(WorkState::Idle(reason)) => match reason {
                None => standing(symbols.done, theme.success),
                Some(reason) => match reason {
                    StopReason::EndTurn => standing(symbols.done, theme.success),
                    StopReason::Cancelled => {
                        saying(symbols.cancelled, theme.warning, "cancelled", theme.dim)
                    }
                    StopReason::MaxTokens => warning("token limit"),
                    StopReason::MaxTurnRequests => warning("limit of requests"),
                    StopReason::Refusal => warning("refused"),
                    StopReason::Unknown(reason) => warning(reason),
                    StopReason::Error(error) => Self {
                        error: Some(error.message.clone()).filter(|text| !text.trim().is_empty()),
                        ..saying(symbols.failed, theme.error, "failed", theme.error)
                    },
                },
            },
            // V1-SUB-04: what it did before is no longer shown as what it does.
            Some(WorkState::Unknown) => {
                saying(symbols.pending, theme.dim, "state unknown", theme.dim)
            }
            Some(WorkState::Other(state)) => saying(symbols.pending, theme.dim, state, theme.dim),
            None => standing(symbols.ended, theme.dim),
        }
    }
}

fn time(subagent: &Subagent, moving: bool, ctx: &RenderContext<'_>) -> StyledLine {
    let text = match (subagent.took, &subagent.state) {
        (Some(took), _) if took.as_millis() >= 100 => elapsed(took),
        // Without motion nothing counts up.
        (None, Some(WorkState::Running)) if moving => {
            elapsed(ctx.now.saturating_duration_since(subagent.started))
        }
        _ => return StyledLine::new(),
    };
    StyledLine::styled(&text, ctx.theme.dim)
}

/// What a session is called where it is referred to. `root` is the one that is shown.
pub fn session_name(id: &SessionId, root: Option<&SessionId>, subagents: &Subagents) -> SafeText {
    match subagents.get(id) {
        Some(subagent) => subagent.name(),
        None if root == Some(id) => "the main agent".into(),
        None => SafeText::line(&format!("session {}", id.as_str())),
    }
}

/// `→ agent  Explore the tests`: a link to a session in a tool call (V1-TOOL-11).
pub fn session_link(id: &SessionId, subagents: &Subagents, ctx: &RenderContext<'_>) -> Row {
    let mut line = StyledLine::new();
    match subagents.get(id) {
        Some(subagent) => {
            let standing = Standing::of(subagent, None, ctx);
            line.push(standing.sign, standing.style);
            line.push(" agent ", ctx.theme.strong);
            line.push(&subagent.name(), ctx.theme.text);
        }
        None => {
            let name = SafeText::line(id.as_str());
            line.push(&format!("[session {name}]"), ctx.theme.dim);
        }
    }
    line.truncate(usize::from(ctx.width), ctx.symbols.ellipsis)
}

/// `• to Explore the tests`, above what was written.
pub fn render_message_header(
    message: &SessionMessage,
    here: Option<&SessionId>,
    (root, subagents): (Option<&SessionId>, &Subagents),
    unfolded: bool,
    ctx: &RenderContext<'_>,
) -> Row {
    let theme = ctx.theme;
    let name = |id: &SessionId| session_name(id, root, subagents);
    let from = message.sender.as_ref().filter(|id| Some(*id) != here);
    let to = message.recipient.as_ref().filter(|id| Some(*id) != here);
    let mut line = StyledLine::styled("  ", Style::new());
    line.push(ctx.symbols.bullet, theme.accent);
    line.push(" ", Style::new());
    match (from, to) {
        (None, None) => line.push("message", theme.strong),
        (Some(from), None) => {
            line.push("message from ", theme.strong);
            line.push(&name(from), theme.text);
        }
        (None, Some(to)) => {
            line.push("message to ", theme.strong);
            line.push(&name(to), theme.text);
        }
        (Some(from), Some(to)) => {
            line.push("message from ", theme.strong);
            line.push(&name(from), theme.text);
            line.push(" to ", theme.strong);
            line.push(&name(to), theme.text);
        }
    }
    let fold = match unfolded {
        true => ctx.symbols.unfolded,
        false => ctx.symbols.folded,
    };
    line.push(&format!(" {fold}"), theme.dim);
    line.truncate(usize::from(ctx.width), ctx.symbols.ellipsis)
}
