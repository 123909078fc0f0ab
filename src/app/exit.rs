//! What stays on the normal screen after the UI has gone (`ui.exit_print`).

use std::io::{self, Write};

use ratatui::{backend::IntoCrossterm, style::Style};

use crate::{text::SafeText, ui::render::Row};

/// Prints rows with their styles, as a shell would show them. `colour` is false where stdout is no
/// terminal. A style is written once for all that it goes on for: rows may come in single letters.
pub fn print_rows(out: &mut impl Write, rows: &[Row], colour: bool) -> io::Result<()> {
    for row in rows {
        let mut text = String::new();
        let mut current = Style::new();
        for span in &row.line.spans {
            let style = match colour {
                true => row.line.style.patch(span.style),
                false => Style::new(),
            };
            if style != current {
                print_styled(out, &text, current)?;
                text.clear();
                current = style;
            }
            text.push_str(&span.content);
        }
        print_styled(out, &text, current)?;
        // The terminal is in its normal mode again: LF alone goes to the line's start.
        writeln!(out)?;
    }
    out.flush()
}

fn print_styled(out: &mut impl Write, text: &str, style: Style) -> io::Result<()> {
    if text.is_empty() || style == Style::new() {
        return write!(out, "{text}");
    }
    let style: crossterm::style::ContentStyle = style.into_crossterm();
    write!(out, "{}", style.apply(text))
}

/// The command that reopens the session, quoted for a shell; `None` where the id holds what cannot
/// be shown as it is, and so not be copied. The id is the agent's word: it must not pass for an
/// option.
pub fn resume_command(agent: &[String], session: &str) -> Option<SafeText> {
    let joined = format!("--resume={session}");
    let mut words = vec!["acp-tui"];
    if session.starts_with('-') {
        words.push(&joined);
    } else {
        words.extend(["--resume", session]);
    }
    words.extend(agent.iter().map(String::as_str));
    let line = shlex::try_join(words).ok()?;
    let shown = SafeText::line(&line);
    (*shown == *line).then_some(shown)
}

#[cfg(test)]
mod tests {
    use ratatui::{
        style::Stylize,
        text::{Line, Span},
    };

    use super::*;

    #[test]
    fn rows_keep_their_styles_on_a_terminal_only() {
        let rows = [Row::from(Line::from(vec!["plain ".into(), "bold".bold()]))];
        let print = |colour| {
            let mut out = Vec::new();
            print_rows(&mut out, &rows, colour).expect("memory takes it");
            String::from_utf8(out).expect("text")
        };
        assert_eq!(print(false), "plain bold\n");
        assert_eq!(print(true), "plain \x1b[1mbold\x1b[0m\n");
    }

    #[test]
    fn what_looks_the_same_is_styled_once() {
        let letters = |text: &str, style: Style| -> Vec<Span<'static>> {
            let letters = text.chars().map(|c| Span::styled(c.to_string(), style));
            letters.collect()
        };
        let bold = Style::new().bold();
        let spans = [letters("see ", Style::new()), letters("the", bold)].concat();
        let ends = [vec!["".bold(), "!".into()], letters("x", bold)].concat();
        let line = Line::from([spans, ends].concat());
        let mut out = Vec::new();
        print_rows(&mut out, &[Row::from(line)], true).expect("memory takes it");
        let out = String::from_utf8(out).expect("text");
        assert_eq!(out, "see \x1b[1mthe\x1b[0m!\x1b[1mx\x1b[0m\n");
    }

    #[test]
    fn the_resume_command_can_be_pasted() {
        let agent = ["--agent".to_owned(), "opencode".to_owned()];
        let command = |agent: &[String], session| {
            resume_command(agent, session).map(|line| line.as_str().to_owned())
        };
        assert_eq!(
            command(&agent, "ses_1").as_deref(),
            Some("acp-tui --resume ses_1 --agent opencode")
        );
        assert_eq!(
            command(&[], "a b").as_deref(),
            Some("acp-tui --resume 'a b'")
        );
        assert_eq!(
            command(&[], "--policy=allow-all").as_deref(),
            Some("acp-tui '--resume=--policy=allow-all'")
        );
        assert_eq!(command(&[], "a\x1b]0;x\x07"), None);
    }
}
