//! Where a motion leads to, and what of the text between an operator takes.

use super::text::{Class, Text};

/// What a motion is named by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Motion {
    Left,
    Right,
    Up,
    Down,
    Word {
        big: bool,
    },
    Back {
        big: bool,
    },
    WordEnd {
        big: bool,
    },
    LineStart,
    FirstFilled,
    LineEnd,
    Top,
    Bottom,
    Find(Find),
    /// The last [`Motion::Find`] once more.
    Again {
        reverse: bool,
    },
    /// To the bracket that belongs to the next one of the line.
    Pair,
    Paragraph {
        back: bool,
    },
}

/// A character of the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Find {
    pub c: char,
    pub back: bool,
    /// Up to it, not onto it.
    pub till: bool,
}

/// How much an operator takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    Exclusive,
    Inclusive,
    Lines,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Goal {
    pub to: usize,
    pub reach: Reach,
}

impl Goal {
    fn new(to: usize, reach: Reach) -> Self {
        Self { to, reach }
    }
}

/// What a motion counts from.
#[derive(Clone, Copy, Debug)]
pub struct Origin {
    pub at: usize,
    /// `None` where none was typed.
    pub count: Option<usize>,
    /// For an operator: it may lead behind a line's last unit.
    pub operator: bool,
    /// The last [`Find`].
    pub find: Option<Find>,
}

/// `None` where it leads nowhere: the whole command does nothing then.
pub fn goal(text: &Text<'_>, motion: Motion, from: Origin) -> Option<Goal> {
    use Reach::{Exclusive, Inclusive, Lines};
    let Origin { at, .. } = from;
    let count = from.count.unwrap_or(1);
    let line = text.line_of(at);
    Some(match motion {
        Motion::Left => Goal::new(at.saturating_sub(count).max(text.start(line)), Exclusive),
        Motion::Right => {
            let end = text.end(line);
            let last = if from.operator { end } else { end.max(1) - 1 };
            Goal::new((at + count).min(last).max(at), Exclusive)
        }
        Motion::Up | Motion::Down => {
            let to = match motion {
                Motion::Up => line.saturating_sub(count),
                _ => (line + count).min(text.last_line()),
            };
            if to == line {
                return None;
            }
            Goal::new(text.first_filled(to), Lines)
        }
        Motion::Word { big } => Goal::new(word(text, from, count, big), Exclusive),
        Motion::Back { big } => Goal::new(repeat(at, count, |i| back(text, i, big)), Exclusive),
        Motion::WordEnd { big } => {
            Goal::new(repeat(at, count, |i| word_end(text, i, big)), Inclusive)
        }
        Motion::LineStart => Goal::new(text.start(line), Exclusive),
        Motion::FirstFilled => Goal::new(text.first_filled(line), Exclusive),
        Motion::LineEnd => {
            let line = (line + count - 1).min(text.last_line());
            Goal::new(text.end(line), Exclusive)
        }
        Motion::Top | Motion::Bottom => {
            let otherwise = match motion {
                Motion::Top => 0,
                _ => text.last_line(),
            };
            let line = from.count.map_or(otherwise, |count| count - 1);
            Goal::new(text.first_filled(line.min(text.last_line())), Lines)
        }
        Motion::Find(find) => found(text, at, find, count, false)?,
        Motion::Again { reverse } => {
            let find = from.find?;
            let back = find.back != reverse;
            found(text, at, Find { back, ..find }, count, true)?
        }
        Motion::Pair => Goal::new(pair(text, at)?, Inclusive),
        Motion::Paragraph { back } => paragraph(text, from, count, back),
    })
}

/// `cw` on a word: to its end, without the blanks behind it.
pub fn to_end_of_word(text: &Text<'_>, at: usize, count: usize, big: bool) -> usize {
    let end = end_of_run(text, at, big);
    repeat(end, count - 1, |i| word_end(text, i, big))
}

fn repeat(at: usize, count: usize, step: impl Fn(usize) -> usize) -> usize {
    let mut at = at;
    for _ in 0..count {
        let next = step(at);
        if next == at {
            break;
        }
        at = next;
    }
    at
}

/// An operator's last word ends with its line.
fn word(text: &Text<'_>, from: Origin, count: usize, big: bool) -> usize {
    let before = repeat(from.at, count - 1, |i| next_word(text, i, big));
    let to = next_word(text, before, big);
    let line = text.line_of(before);
    if from.operator && text.line_of(to) > line && !text.is_empty_line(line) {
        return text.end(line);
    }
    to
}

fn next_word(text: &Text<'_>, from: usize, big: bool) -> usize {
    let class = text.class(from, big);
    let mut at = match class {
        Class::Blank => from,
        Class::End => from + 1,
        _ => end_of_run(text, from, big) + 1,
    };
    while at < text.last() {
        match text.class(at, big) {
            Class::Blank => {}
            // An empty line is a word.
            Class::End if !text.is_empty_line(text.line_of(at)) => {}
            _ => return at,
        }
        at += 1;
    }
    text.last()
}

fn back(text: &Text<'_>, from: usize, big: bool) -> usize {
    let mut at = from;
    while at > 0 {
        at -= 1;
        match text.class(at, big) {
            Class::Blank => {}
            Class::End if !text.is_empty_line(text.line_of(at)) => {}
            Class::End => return at,
            _ => return start_of_run(text, at, big),
        }
    }
    0
}

fn word_end(text: &Text<'_>, from: usize, big: bool) -> usize {
    let filled = (from + 1..text.last()).find(|index| text.is_filled(*index));
    filled.map_or(text.last(), |at| end_of_run(text, at, big))
}

/// The last unit of the same class as that at `at`.
pub fn end_of_run(text: &Text<'_>, at: usize, big: bool) -> usize {
    let class = text.class(at, big);
    let mut at = at;
    while class != Class::End && text.class(at + 1, big) == class {
        at += 1;
    }
    at
}

/// The first unit of the same class as that at `at`.
pub fn start_of_run(text: &Text<'_>, at: usize, big: bool) -> usize {
    let class = text.class(at, big);
    let mut at = at;
    while class != Class::End && at > 0 && text.class(at - 1, big) == class {
        at -= 1;
    }
    at
}

fn found(text: &Text<'_>, at: usize, find: Find, count: usize, again: bool) -> Option<Goal> {
    let line = text.line_of(at);
    let mut cells: Box<dyn Iterator<Item = usize>> = match find.back {
        true => Box::new((text.start(line)..at).rev()),
        false => Box::new(at + 1..text.end(line).max(at + 1)),
    };
    // The one that `t` already stands before.
    let next = if find.back {
        at.checked_sub(1)
    } else {
        Some(at + 1)
    };
    let skips = again && find.till && count == 1;
    let hit = |i: &usize| text.char(*i) == find.c && !(skips && Some(*i) == next);
    let to = cells.by_ref().filter(hit).nth(count - 1)?;
    Some(match (find.back, find.till) {
        (true, till) => Goal::new(to + usize::from(till), Reach::Exclusive),
        (false, till) => Goal::new(to - usize::from(till), Reach::Inclusive),
    })
}

/// The brackets that belong together.
pub const PAIRS: [(char, char); 4] = [('(', ')'), ('[', ']'), ('{', '}'), ('<', '>')];

fn pair(text: &Text<'_>, at: usize) -> Option<usize> {
    let ours = &PAIRS[..3];
    let mut rest = at..text.end(text.line_of(at));
    rest.find_map(|index| {
        let c = text.char(index);
        let (open, close) = *ours
            .iter()
            .find(|(open, close)| c == *open || c == *close)?;
        Some(match c == open {
            true => closing(text, index + 1, open, close),
            false => opening(text, index, open, close, 1),
        })
    })?
}

/// The bracket that closes what is open at `from`.
pub fn closing(text: &Text<'_>, from: usize, open: char, close: char) -> Option<usize> {
    let mut depth = 0_usize;
    for index in from..text.last() {
        match text.char(index) {
            c if c == close && depth == 0 => return Some(index),
            c if c == close => depth -= 1,
            c if c == open => depth += 1,
            _ => {}
        }
    }
    None
}

/// The bracket that opens what `before` is in; `level`: how many from the inside.
pub fn opening(
    text: &Text<'_>,
    before: usize,
    open: char,
    close: char,
    level: usize,
) -> Option<usize> {
    let mut depth = level;
    for index in (0..before).rev() {
        match text.char(index) {
            c if c == close => depth += 1,
            c if c == open => {
                depth -= 1;
                if depth == 0 {
                    return Some(index);
                }
            }
            _ => {}
        }
    }
    None
}

fn paragraph(text: &Text<'_>, from: Origin, count: usize, back: bool) -> Goal {
    let begin = text.line_of(from.at);
    let mut line = begin;
    for _ in 0..count {
        let next = |line: usize| match back {
            true => line.checked_sub(1),
            false => Some(line + 1).filter(|line| *line <= text.last_line()),
        };
        while let Some(beyond) = next(line).filter(|_| text.is_empty_line(line)) {
            line = beyond;
        }
        while let Some(beyond) = next(line).filter(|_| !text.is_empty_line(line)) {
            line = beyond;
        }
    }
    if back {
        let to = if text.is_empty_line(line) {
            text.start(line)
        } else {
            0
        };
        return Goal::new(to, Reach::Exclusive);
    }
    if !text.is_empty_line(line) {
        return Goal::new(text.last(), Reach::Exclusive);
    }
    let to = text.start(line);
    if !from.operator || line == begin {
        return Goal::new(to, Reach::Exclusive);
    }
    // What ends before a line's first column ends with the line before, and takes whole lines where it
    // begins with one.
    let whole = from.at <= text.first_filled(begin);
    let reach = if whole {
        Reach::Lines
    } else {
        Reach::Exclusive
    };
    Goal::new(text.end(line - 1), reach)
}
