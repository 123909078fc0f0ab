//! A terminal's screen as rows of the transcript or of a whole view.

use ratatui::style::{Color, Modifier, Style};

use super::{
    RenderContext, Row,
    command::{one_line, same_command, shown_command},
    excerpt::ABOVE_FOUND,
    format::count,
    line::{StyledLine, Wrapping, joined},
};
use crate::{
    model::ExitStatus,
    session::TerminalInfo,
    text::SafeText,
    vt::{CellStyle, Color as CellColor, Run, Screen},
};

/// The last `max_rows` rows of what the program printed, after a row that tells how many there are
/// above. Rows wider than the view are wrapped, so that nothing is lost. `found`: the row that find is at;
/// where it is not among them, they end below it.
pub fn render_screen(
    screen: &Screen,
    max_rows: usize,
    found: Option<usize>,
    ctx: &RenderContext<'_>,
) -> Vec<Row> {
    let used = screen.row_count();
    // One row is not hidden for a row that says so.
    let max_rows = if used + screen.dropped_rows() == max_rows + 1 {
        max_rows + 1
    } else {
        max_rows
    };
    let wrapped = |range: std::ops::Range<usize>| -> Vec<Row> {
        let shown = screen.rows(range);
        let rows = shown
            .iter()
            .flat_map(|runs| styled(runs).wrap_as(Wrapping::Words, ctx.width.into()));
        rows.collect()
    };
    let mut from = used.saturating_sub(max_rows);
    let mut end = used;
    let middle = |from: usize| found.map_or(from, |found| found.clamp(from, used));
    let mut rows = wrapped(from..middle(from));
    let mut after = wrapped(middle(from)..used);
    let mut cut = (rows.len() + after.len()).saturating_sub(max_rows);
    if let Some(found) = found.filter(|found| *found < from || cut > rows.len()) {
        let most = max_rows / ABOVE_FOUND;
        from = found.saturating_sub(most);
        end = (found + max_rows - most).min(used);
        rows = wrapped(from..found.min(used));
        after = wrapped(found.min(end)..end);
        cut = rows.len().saturating_sub(most);
    }
    if let Some(first) = after.first_mut().filter(|_| found.is_some()) {
        first.written.found = true;
    }
    rows.append(&mut after);
    rows.drain(..cut);
    let below = used - end;
    let hidden = screen.dropped_rows() + from + cut;
    if hidden > 0 {
        let text = format!("+{} above", count(hidden, "row"));
        let above = StyledLine::styled(&text, ctx.theme.dim);
        rows.insert(0, above.truncate(ctx.width.into(), ""));
    }
    if below > 0 {
        let text = format!("+{}", count(below, "row"));
        let below = StyledLine::styled(&text, ctx.theme.dim);
        rows.push(below.truncate(ctx.width.into(), ""));
    }
    rows
}

/// Rows `range` of a screen, cut at the width: for a view as wide as the terminal itself.
pub fn render_screen_rows(
    screen: &Screen,
    range: std::ops::Range<usize>,
    ctx: &RenderContext<'_>,
) -> Vec<Row> {
    screen
        .rows(range)
        .iter()
        .map(|runs| styled(runs).truncate(usize::from(ctx.width), ""))
        .collect()
}

/// `$ cargo test · exit 101`: the command, left out where the tool call's header says it already,
/// and how it ended where that was not well. `None` where there is nothing to say. `ran`: false where
/// it had no leave to, and printed nothing.
pub fn render_terminal_header(
    info: &TerminalInfo,
    told: &str,
    ran: bool,
    ctx: &RenderContext<'_>,
) -> Option<Row> {
    let theme = ctx.theme;
    let width = usize::from(ctx.width);
    let nothing_known = info
        .exit
        .as_ref()
        .is_none_or(|exit| *exit == ExitStatus::default());
    let ended = info.exit.as_ref().and_then(ending);
    let ended = match ended {
        _ if !ran && nothing_known => StyledLine::styled("not run", theme.dim),
        Some(ended) => StyledLine::styled(&ended, theme.error),
        // V2-STATE-03
        None if info.doubted && info.exit.is_none() => {
            StyledLine::styled("state unknown", theme.dim)
        }
        None if info.cancelling => StyledLine::styled("cancelling", theme.dim),
        None => StyledLine::new(),
    };
    let command = one_line(shown_command(info.command.trim()).trim());
    let told = told.contains(command.as_str()) || same_command(told, &command);
    if command.is_empty() || told {
        return (!ended.is_empty()).then(|| ended.truncate(width, ctx.symbols.ellipsis));
    }
    let line = StyledLine::styled("$ ", theme.dim).with(&command, theme.text);
    if ended.is_empty() {
        return Some(line.truncate(width, ctx.symbols.ellipsis));
    }
    // A long command leaves room for how it ended.
    let mut tail = StyledLine::styled(&format!(" {} ", ctx.symbols.separator), theme.dim);
    tail.extend(&ended);
    let room = width.saturating_sub(tail.width());
    let row = line.truncate(room, ctx.symbols.ellipsis);
    Some(joined(row, tail.truncate(width, ctx.symbols.ellipsis)))
}

/// `exit 3`, `SIGKILL`; `None` where it ended well.
pub fn ending(status: &ExitStatus) -> Option<String> {
    match (&status.signal, status.code) {
        (Some(signal), _) => Some(format!("ended by {}", SafeText::line(signal))),
        (None, Some(0)) => None,
        (None, Some(code)) => Some(format!("exit {code}")),
        (None, None) => Some("ended".to_owned()),
    }
}

fn styled(runs: &[Run]) -> StyledLine {
    let mut line = StyledLine::new();
    for run in runs {
        line.push(&run.text, style(run.style));
    }
    line
}

fn style(cell: CellStyle) -> Style {
    let mut style = Style {
        fg: colour(cell.fg),
        bg: colour(cell.bg),
        ..Style::new()
    };
    for (set, modifier) in [
        (cell.bold, Modifier::BOLD),
        (cell.dim, Modifier::DIM),
        (cell.italic, Modifier::ITALIC),
        (cell.underline, Modifier::UNDERLINED),
        (cell.inverse, Modifier::REVERSED),
    ] {
        if set {
            style = style.add_modifier(modifier);
        }
    }
    style
}

fn colour(colour: CellColor) -> Option<Color> {
    match colour {
        CellColor::Default => None,
        CellColor::Indexed(n) => Some(Color::Indexed(n)),
        CellColor::Rgb(r, g, b) => Some(Color::Rgb(r, g, b)),
    }
}
