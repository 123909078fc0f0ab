//! How the terminal's cursor looks.

/// By what the next key does to the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CaretShape {
    /// As the person has set the terminal.
    #[default]
    Default,
    /// On a character: normal and visual mode.
    Block,
    /// Between two: insert mode.
    Bar,
}
