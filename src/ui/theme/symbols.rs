//! The signs that the UI draws.

/// All symbols that the UI draws. All are narrow in every locale: none of ambiguous width that
/// East Asian terminals draw wide where it would matter; `ascii` replaces them all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Symbols {
    pub ascii: bool,
    pub prompt: &'static str,
    pub pending: &'static str,
    pub done: &'static str,
    pub failed: &'static str,
    pub cancelled: &'static str,
    pub ended: &'static str,
    pub asking: &'static str,
    pub folded: &'static str,
    pub unfolded: &'static str,
    pub bullet: &'static str,
    /// Of lists inside lists.
    pub bullet_inner: &'static str,
    pub unchecked: &'static str,
    pub checked: &'static str,
    /// Between the columns of a table, and where that crosses a rule.
    pub column: &'static str,
    pub crossing: &'static str,
    pub quote: &'static str,
    /// Left of what the person said.
    pub bar: &'static str,
    /// Before what was said into an open turn.
    pub steered: &'static str,
    /// Before what the person has to say of a line.
    pub comment: &'static str,
    pub rule: &'static str,
    pub more: &'static str,
    pub more_above: &'static str,
    pub minus: &'static str,
    pub ellipsis: &'static str,
    pub separator: &'static str,
    pub spinner: &'static [&'static str],
}

impl Symbols {
    pub const UNICODE: Self = Self {
        ascii: false,
        prompt: "❯",
        pending: "◌",
        done: "✓",
        failed: "✗",
        cancelled: "⊘",
        ended: "◦",
        asking: "?",
        folded: "▸",
        unfolded: "▾",
        bullet: "•",
        bullet_inner: "◦",
        unchecked: "☐",
        checked: "☑",
        column: "│",
        crossing: "┼",
        quote: "▎",
        bar: "▌",
        steered: "↳",
        comment: "✎",
        rule: "─",
        more: "↓",
        more_above: "↑",
        minus: "−",
        ellipsis: "…",
        separator: "·",
        spinner: &["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"],
    };

    pub const ASCII: Self = Self {
        ascii: true,
        prompt: ">",
        pending: ".",
        done: "+",
        failed: "x",
        cancelled: "-",
        ended: "o",
        asking: "?",
        folded: ">",
        unfolded: "v",
        bullet: "*",
        bullet_inner: "-",
        unchecked: "[ ]",
        checked: "[x]",
        column: "|",
        crossing: "+",
        quote: "|",
        bar: ">",
        steered: "+>",
        comment: "#",
        rule: "-",
        more: "v",
        more_above: "^",
        minus: "-",
        ellipsis: "...",
        separator: "|",
        spinner: &["|", "/", "-", "\\"],
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ascii_symbols_are_ascii() {
        let symbols = format!("{:?}", Symbols::ASCII);
        assert!(symbols.is_ascii());
    }
}
