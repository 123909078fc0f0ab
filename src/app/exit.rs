//! What stays on the normal screen after the UI has gone (`ui.exit_print`).

use std::{
    collections::HashMap,
    io::{self, Write},
    path::Path,
};

use ratatui::{backend::IntoCrossterm, style::Style};

use crate::{
    text::{SafeText, cell_width},
    ui::render::Row,
};

/// Ids of stored sessions, by the agent and its id.
pub type StoredIds = HashMap<(String, String), String>;

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

/// The command that opens a session in a folder, with a configuration that was named.
pub fn here_command(folder: &Path, config: &[String]) -> String {
    let folder = folder.to_string_lossy();
    let mut words = vec!["acp-tui", "-C", &folder];
    words.extend(config.iter().map(String::as_str));
    shlex::try_join(words.iter().copied()).unwrap_or_else(|_| words.join(" "))
}

/// The commands that lead back, below each other. Those that a terminal of that width would break
/// inside a word stand on lines of their own, broken between words as a shell takes it.
pub fn resume_lines(commands: &[SafeText], width: usize) -> Vec<String> {
    const LABEL: &str = "To resume: ";
    let fits = |command: &SafeText| LABEL.len() + cell_width(command) <= width;
    if commands.iter().all(fits) {
        let label = |at| if at == 0 { LABEL } else { "           " };
        let lines = commands.iter().enumerate();
        return lines
            .map(|(at, command)| format!("{}{command}", label(at)))
            .collect();
    }
    let mut lines = vec![LABEL.trim_end().to_owned()];
    lines.extend(
        commands
            .iter()
            .flat_map(|command| broken(command, width.saturating_sub(2))),
    );
    lines
}

/// Between its words, into lines of at most `width` columns where the words allow it; but for the last
/// they end with the backslash that joins them.
fn broken(command: &str, width: usize) -> Vec<String> {
    let Some(words) = shlex::split(command) else {
        return vec![command.to_owned()];
    };
    let mut lines: Vec<String> = Vec::new();
    for word in &words {
        let Ok(word) = shlex::try_quote(word) else {
            return vec![command.to_owned()];
        };
        match lines.last_mut() {
            Some(line) if cell_width(line) + 1 + cell_width(&word) <= width => {
                line.push(' ');
                line.push_str(&word);
            }
            None => lines.push(word.into_owned()),
            Some(line) => {
                line.push_str(" \\");
                lines.push(format!("  {word}"));
            }
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use ratatui::{
        style::Stylize,
        text::{Line, Span},
    };

    use super::*;

    #[test]
    fn a_way_back_is_broken_between_words_only() {
        let command = |text: &str| SafeText::line(text);
        let short = [command("acp-tui --resume a"), command("acp-tui --resume b")];
        assert_eq!(
            resume_lines(&short, 80),
            [
                "To resume: acp-tui --resume a",
                "           acp-tui --resume b"
            ]
        );
        let long =
            "acp-tui --resume 86ca6177-95b9-4300-943b-d5973d25642d -- '/opt/my tools/agent' --acp";
        for width in [20, 40, 60, 80, 94, 95] {
            let lines = resume_lines(&[command(long)], width);
            let words = shlex::split(&lines.concat().replace("To resume:", "").replace("\\  ", ""));
            assert_eq!(words, shlex::split(long), "{width}: {lines:?}");
            let longest = 36;
            for line in &lines {
                assert!(
                    cell_width(line) <= width.max(longest + 4),
                    "{width}: {line}"
                );
            }
        }
        assert!(resume_lines(&[], 80).is_empty());
    }

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
