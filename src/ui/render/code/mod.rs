//! Source code in colours: fenced blocks, diffs, files that were read.
//!
//! Owns: finding a language, running the highlighter off the UI task, laying tokens over lines.
//! Tokens are by meaning and know no theme. Nothing of the syntax definitions is loaded before the
//! first text in a known language is shown.

mod highlight;
mod language;
mod token;

pub use highlight::{Code, Highlight, Highlighted};
pub use language::Language;
pub use token::Token;

use std::ops::Range;

use crate::ui::{render::line::StyledLine, theme::Theme};

/// One line of code (without its newline) in the theme's colours over `base`.
pub fn styled_line(
    line: &str,
    tokens: &[(Range<usize>, Token)],
    theme: &Theme,
    base: ratatui::style::Style,
) -> StyledLine {
    let mut styled = StyledLine::new();
    let mut at = 0;
    for (range, token) in tokens {
        // Tokens of a text that has changed since may not fit; what does not stays plain.
        let (Some(between), Some(text)) = (line.get(at..range.start), line.get(range.clone()))
        else {
            break;
        };
        styled.push(between, base.patch(theme.syntax.plain));
        styled.push(text, base.patch(token.style(theme)));
        at = range.end;
    }
    styled.push(
        line.get(at..).unwrap_or_default(),
        base.patch(theme.syntax.plain),
    );
    styled
}
