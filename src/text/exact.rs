//! Text that is to be approved: every character of it is seen, and none looks like another one.
//!
//! [`SafeText::new`] is for reading: what scripts and emoji need stays as it is there. Here blanks
//! that are no space, joiners and tabs become signs as well, and blanks that would be overlooked
//! are counted.

use super::{
    SafeText,
    safe::{is_combining, is_invisible},
};

/// Blanks in a row that are shown as they are between words; of more, their number.
const MAX_BLANKS: usize = 8;

/// And at the beginning of a line behind the first, where they indent.
const MAX_INDENT: usize = 40;

/// More combining marks than this on one character become signs.
const MAX_MARKS: usize = 4;

/// Stands for a newline where there is one line only.
const NEWLINE: char = '⏎';

/// As it is, line by line. `\t` is `␉`, `\r` is `␍`, also before a newline; other controls are their
/// pictures; invisible characters and blanks that are no space are `<U+XXXX>`; blanks at the end of
/// a line, before the first, and many in a row are `<12 blanks>`.
pub fn exact(raw: &str) -> SafeText {
    lines(raw, '\n', MAX_INDENT)
}

/// As [`exact`], on one line: a newline is `⏎`.
pub fn exact_line(raw: &str) -> SafeText {
    lines(raw, NEWLINE, 0)
}

fn lines(raw: &str, newline: char, indent: usize) -> SafeText {
    let mut out = String::with_capacity(raw.len() + 16);
    for (n, line) in raw.split('\n').enumerate() {
        if n > 0 {
            out.push(newline);
        }
        push_line(&mut out, line, if n == 0 { 0 } else { indent });
    }
    SafeText::new(&out)
}

fn push_line(out: &mut String, line: &str, indent: usize) {
    let mut blanks = 0;
    let mut marks = 0;
    let mut begun = false;
    let mut before = '\n';
    for c in line.chars() {
        if c == ' ' {
            blanks += 1;
            continue;
        }
        push_blanks(out, blanks, if begun { MAX_BLANKS } else { indent });
        if blanks > 0 {
            before = ' ';
        }
        (blanks, begun) = (0, true);
        marks = if is_combining(c) { marks + 1 } else { 0 };
        match c {
            '\0'..='\u{1f}' => out.push(char::from_u32(0x2400 + c as u32).unwrap_or('\u{fffd}')),
            '\u{7f}' => out.push('\u{2421}'),
            c if is_unseen(c, before) || marks > MAX_MARKS => {
                out.push_str(&format!("<U+{:04X}>", c as u32));
            }
            c => out.push(c),
        }
        before = c;
    }
    push_blanks(out, blanks, 0);
}

fn push_blanks(out: &mut String, blanks: usize, most: usize) {
    match blanks {
        0 => {}
        1 if most == 0 => out.push_str("<1 blank>"),
        n if n > most => out.push_str(&format!("<{n} blanks>")),
        n => out.extend(std::iter::repeat_n(' ', n)),
    }
}

/// Whether nothing, or a space, would be seen of it; or a sign that stands for something else.
fn is_unseen(c: char, before: char) -> bool {
    is_invisible(c)
        || matches!(c,
            '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200d}' | '\u{202f}' | '\u{205f}'
            | '\u{2800}' | '\u{3000}' | '\u{1d159}' | '\u{180b}'..='\u{180f}'
            | '\u{2400}'..='\u{2421}' | NEWLINE)
        || matches!(c, '\u{fe00}'..='\u{fe0f}') && before.is_ascii()
        // A mark with nothing to stand on.
        || is_combining(c) && matches!(before, ' ' | '\n')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn lines_stay_lines_and_everything_else_is_seen() {
        for (raw, shown) in [
            (
                "# run the tests\ntouch PWNED",
                "# run the tests\ntouch PWNED",
            ),
            ("a\tb", "a␉b"),
            ("a\r\nb\rc", "a␍\nb␍c"),
            ("a\u{1b}[2Jb\0", "a␛[2Jb␀"),
            ("\u{9b}2J\u{7f}", "<U+009B>2J␡"),
            ("rm\u{a0}x", "rm<U+00A0>x"),
            ("rm\u{2800}x\u{3000}", "rm<U+2800>x<U+3000>"),
            ("a\u{200b}b\u{200d}c\u{feff}", "a<U+200B>b<U+200D>c<U+FEFF>"),
            ("x\u{202e}y\u{2066}", "x<U+202E>y<U+2066>"),
            ("\u{e0061}", "<U+E0061>"),
            (
                "\u{115f}\u{1160}\u{3164}\u{ffa0}",
                "<U+115F><U+1160><U+3164><U+FFA0>",
            ),
            ("\u{2003}\u{202f}\u{205f}", "<U+2003><U+202F><U+205F>"),
            ("a␍b", "a<U+240D>b"),
            ("\u{301}x é", "<U+0301>x é"),
            ("a\u{fe0f}", "a<U+FE0F>"),
        ] {
            assert_eq!(exact(raw).as_str(), shown, "{raw:?}");
        }
    }

    #[test]
    fn blanks_that_would_be_overlooked_are_counted() {
        let gap = |n: usize| format!("a{}b", " ".repeat(n));
        assert_eq!(exact(&gap(8)).as_str(), gap(8));
        assert_eq!(exact(&gap(9)).as_str(), "a<9 blanks>b");
        assert_eq!(exact(" a ").as_str(), "<1 blank>a<1 blank>");
        assert_eq!(exact("a\n    b\n  ").as_str(), "a\n    b\n<2 blanks>");
        let indented = |n: usize| format!("a\n{}b", " ".repeat(n));
        assert_eq!(exact(&indented(40)).as_str(), indented(40));
        assert_eq!(exact(&indented(41)).as_str(), "a\n<41 blanks>b");
    }

    #[test]
    fn one_line_tells_where_others_begin() {
        assert_eq!(
            exact_line("# run the tests\ntouch PWNED").as_str(),
            "# run the tests⏎touch PWNED"
        );
        assert_eq!(exact_line("a⏎b").as_str(), "a<U+23CE>b");
    }

    proptest! {
        /// Of any two texts that differ, what is shown differs; and nothing is left that a
        /// terminal or an eye would skip.
        #[test]
        fn nothing_is_hidden(
            a in "[a \t\r\n\u{a0}\u{2800}\u{3000}\u{200b}\u{200d}\u{202e}\u{e0061}\u{fe0f}\u{301}⏎␍]{0,12}",
            b in "[a \t\r\n\u{a0}\u{2800}\u{3000}\u{200b}\u{200d}\u{202e}\u{e0061}\u{fe0f}\u{301}⏎␍]{0,12}",
        ) {
            prop_assert_eq!(exact(&a) == exact(&b), a == b);
            prop_assert_eq!(exact_line(&a) == exact_line(&b), a == b);
            let line = exact_line(&a);
            prop_assert!(!line.chars().any(|c| c.is_control() || c.is_whitespace() && c != ' '));
            prop_assert!(!line.ends_with(' ') && !line.starts_with(' '));
            prop_assert_eq!(SafeText::new(&exact(&a)), exact(&a));
        }
    }
}
