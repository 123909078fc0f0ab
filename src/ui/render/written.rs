//! What of a row was written, and what only frames it: for copying.

/// How a row goes on with the one before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Join {
    /// It begins a line.
    #[default]
    Begins,
    /// The line was wrapped at a blank that is in neither row.
    Blank,
    /// The line was wrapped where nothing is left out.
    Tight,
}

/// Which columns are text, and how a row goes on with the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written {
    /// Before it are margins, bars and line numbers.
    pub from: u16,
    /// Behind it is padding.
    pub to: u16,
    pub join: Join,
    /// The line that find is at begins here; only where rows before it are left out.
    pub found: bool,
}

impl Written {
    /// Nothing of a row: it tells something of the text, and is none.
    pub const NOTHING: Self = Self {
        from: u16::MAX,
        to: u16::MAX,
        join: Join::Begins,
        found: false,
    };

    /// The row has no part in the text, not even a blank line.
    pub fn is_nothing(&self) -> bool {
        self.from == u16::MAX
    }
}

impl Default for Written {
    /// All of a row.
    fn default() -> Self {
        Self {
            from: 0,
            to: u16::MAX,
            join: Join::Begins,
            found: false,
        }
    }
}
