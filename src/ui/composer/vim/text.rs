//! The draft as one row of units, so that motions are arithmetic.
//!
//! Each unit that the caret moves over is one cell, and each line ends in one more cell: that is where an
//! insertion at the line's end goes. It is made anew for a command, not for a key of it; the draft is
//! bounded by [`LIMIT`](crate::ui::composer::buffer::LIMIT).

use std::ops::Range;

use crate::ui::composer::buffer::{Caret, is_placeholder, units};

/// What words are made of: neighbours of the same class are one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    Blank,
    /// Behind a line's last unit.
    End,
    Chip,
    /// Letters, digits and `_`; each of the East Asian scripts is apart.
    Word(u8),
    Sign,
}

#[derive(Debug)]
struct Cell {
    at: Caret,
    c: char,
    class: Class,
}

#[derive(Debug)]
pub struct Text<'a> {
    lines: &'a [String],
    cells: Vec<Cell>,
    /// Each line's first cell.
    starts: Vec<usize>,
}

impl<'a> Text<'a> {
    /// There is always a line, as in the buffer.
    pub fn of(lines: &'a [String]) -> Self {
        let mut text = Self {
            lines,
            cells: Vec::new(),
            starts: Vec::new(),
        };
        for (line, content) in lines.iter().enumerate() {
            text.starts.push(text.cells.len());
            for (byte, unit) in units(content) {
                let c = unit.chars().next().unwrap_or(' ');
                text.push(Caret { line, byte }, c, class_of(c));
            }
            let byte = content.len();
            text.push(Caret { line, byte }, '\n', Class::End);
        }
        text
    }

    fn push(&mut self, at: Caret, c: char, class: Class) {
        self.cells.push(Cell { at, c, class });
    }

    /// The cell at `caret`, or the next one.
    pub fn index(&self, caret: Caret) -> usize {
        let index = self.cells.partition_point(|cell| cell.at < caret);
        index.min(self.last())
    }

    pub fn caret(&self, index: usize) -> Caret {
        let cell = self.cells.get(index.min(self.last()));
        cell.map_or_else(Caret::default, |cell| cell.at)
    }

    /// The end of the last line.
    pub fn last(&self) -> usize {
        self.cells.len().saturating_sub(1)
    }

    /// The unit's first character; `\n` at a line's end.
    pub fn char(&self, index: usize) -> char {
        self.cells.get(index).map_or('\n', |cell| cell.c)
    }

    /// `big`: words are what blanks separate.
    pub fn class(&self, index: usize, big: bool) -> Class {
        match self.cells.get(index).map_or(Class::End, |cell| cell.class) {
            Class::Chip | Class::Word(_) | Class::Sign if big => Class::Sign,
            class => class,
        }
    }

    pub fn is_end(&self, index: usize) -> bool {
        self.class(index, false) == Class::End
    }

    /// Neither a blank nor a line's end.
    pub fn is_filled(&self, index: usize) -> bool {
        !matches!(self.class(index, false), Class::Blank | Class::End)
    }

    pub fn line_of(&self, index: usize) -> usize {
        self.caret(index).line
    }

    pub fn last_line(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    pub fn start(&self, line: usize) -> usize {
        self.starts.get(line).copied().unwrap_or(self.last())
    }

    /// The cell behind the line's last unit.
    pub fn end(&self, line: usize) -> usize {
        match self.starts.get(line + 1) {
            Some(next) => next - 1,
            None => self.last(),
        }
    }

    /// The line has nothing at all.
    pub fn is_empty_line(&self, line: usize) -> bool {
        self.start(line) == self.end(line)
    }

    /// The line has nothing but blanks.
    pub fn is_blank_line(&self, line: usize) -> bool {
        !(self.start(line)..self.end(line)).any(|index| self.is_filled(index))
    }

    /// The line's first unit that is no blank; of a blank line its end.
    pub fn first_filled(&self, line: usize) -> usize {
        let mut cells = self.start(line)..self.end(line);
        let found = cells.find(|index| self.is_filled(*index));
        found.unwrap_or(self.end(line))
    }

    pub fn line(&self, line: usize) -> &'a str {
        self.lines.get(line).map_or("", String::as_str)
    }

    pub fn carets(&self, range: Range<usize>) -> Range<Caret> {
        self.caret(range.start)..self.caret(range.end)
    }

    /// What the cells hold.
    pub fn slice(&self, range: Range<usize>) -> String {
        let Range { start, end } = self.carets(range);
        let mut out = String::new();
        for line in start.line..=end.line {
            let content = self.line(line);
            let from = if line == start.line { start.byte } else { 0 };
            let to = if line == end.line {
                end.byte
            } else {
                content.len()
            };
            out.push_str(content.get(from..to).unwrap_or_default());
            out.push_str(if line < end.line { "\n" } else { "" });
        }
        out
    }
}

fn class_of(c: char) -> Class {
    match c {
        c if is_placeholder(c) => Class::Chip,
        c if c.is_whitespace() => Class::Blank,
        '\u{3040}'..='\u{309f}' => Class::Word(1),
        '\u{30a0}'..='\u{30ff}' => Class::Word(2),
        '\u{3400}'..='\u{9fff}' | '\u{20000}'..='\u{3ffff}' => Class::Word(3),
        c if c.is_alphanumeric() || c == '_' => Class::Word(0),
        _ => Class::Sign,
    }
}
