//! Registers: what was yanked and deleted.

use std::collections::BTreeMap;

use crate::ui::composer::buffer::LIMIT;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Content {
    pub text: String,
    /// Whole lines; the last one without its end.
    pub lines: bool,
}

/// One without a name, `0` for what was yanked last, `a` to `z`. Each is at most [`LIMIT`] bytes.
#[derive(Debug, Default)]
pub struct Registers {
    named: BTreeMap<char, Content>,
}

const UNNAMED: char = '"';
const YANKED: char = '0';

/// Whether there is a register of that name; `A` to `Z` add to `a` to `z`, `_` keeps nothing.
pub fn is_register(name: char) -> bool {
    name.is_ascii_alphabetic() || matches!(name, UNNAMED | YANKED | '_') || is_clipboard(name)
}

pub fn is_clipboard(name: char) -> bool {
    matches!(name, '+' | '*')
}

impl Registers {
    /// Returns what goes to the clipboard.
    pub fn keep(&mut self, name: Option<char>, content: Content, yanked: bool) -> Option<String> {
        let name = name.unwrap_or(UNNAMED);
        if name == '_' {
            return None;
        }
        if is_clipboard(name) {
            let end = if content.lines { "\n" } else { "" };
            let copied = format!("{}{end}", content.text);
            self.named.insert(UNNAMED, content);
            return Some(copied);
        }
        let lower = name.to_ascii_lowercase();
        let content = match self.named.get(&lower) {
            Some(before) if name.is_ascii_uppercase() => joined(before, &content),
            _ => content,
        };
        if name == UNNAMED && yanked {
            self.named.insert(YANKED, content.clone());
        } else if name != UNNAMED {
            self.named.insert(lower, content.clone());
        }
        self.named.insert(UNNAMED, content);
        None
    }

    pub fn get(&self, name: Option<char>) -> Option<&Content> {
        let name = name.unwrap_or(UNNAMED).to_ascii_lowercase();
        let content = self.named.get(&name)?;
        (!content.text.is_empty() || content.lines).then_some(content)
    }

    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.named.values().map(|content| content.text.as_str())
    }
}

/// The first alone where both together are too long.
fn joined(before: &Content, added: &Content) -> Content {
    let lines = before.lines || added.lines;
    let text = match lines {
        true => format!("{}\n{}", before.text, added.text),
        false => format!("{}{}", before.text, added.text),
    };
    match text.len() <= LIMIT {
        true => Content { text, lines },
        false => before.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chars(text: &str) -> Content {
        Content {
            text: text.into(),
            lines: false,
        }
    }

    #[test]
    fn a_capital_letter_adds_to_a_register() {
        let mut registers = Registers::default();
        registers.keep(Some('a'), chars("one"), true);
        registers.keep(Some('A'), chars("two"), true);
        assert_eq!(registers.get(Some('a')), Some(&chars("onetwo")));
        assert_eq!(registers.get(None), Some(&chars("onetwo")));
        assert_eq!(registers.get(Some('0')), None, "only without a name");
    }

    #[test]
    fn a_register_grows_up_to_what_the_draft_may_be() {
        for (more, grows) in [(LIMIT - 2, true), (LIMIT - 1, true), (LIMIT, false)] {
            let mut registers = Registers::default();
            registers.keep(Some('a'), chars("x"), true);
            registers.keep(Some('A'), chars(&"y".repeat(more)), true);
            let kept = registers.get(Some('a')).map(|content| content.text.len());
            assert_eq!(kept, Some(if grows { more + 1 } else { 1 }));
        }
    }

    #[test]
    fn what_is_deleted_leaves_what_was_yanked() {
        let mut registers = Registers::default();
        registers.keep(None, chars("yanked"), true);
        registers.keep(None, chars("deleted"), false);
        registers.keep(Some('_'), chars("gone"), false);
        assert_eq!(registers.get(Some('0')), Some(&chars("yanked")));
        assert_eq!(registers.get(None), Some(&chars("deleted")));
    }

    #[test]
    fn the_clipboard_gets_whole_lines_with_their_end() {
        let mut registers = Registers::default();
        let line = Content {
            lines: true,
            ..chars("one")
        };
        assert_eq!(registers.keep(Some('+'), line, true), Some("one\n".into()));
        assert_eq!(
            registers.keep(Some('*'), chars("x"), true),
            Some("x".into())
        );
    }
}
