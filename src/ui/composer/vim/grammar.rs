//! Keys as commands: a register, a count, a verb and what that takes.
//!
//! The keys since the last command are read anew with each one: a command is complete, may go on, or is
//! none. What it does is elsewhere.

use super::{
    motion::{Find, Motion, PAIRS},
    object::{Kind, Object},
    register::is_register,
};

/// Counts are cut to this.
pub const MAX_COUNT: usize = 9_999;

/// Keys of one command, at most.
pub const MAX_KEYS: usize = 24;

/// ctrl-r among the keys of a command.
pub const REDO: char = '\u{12}';

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    Delete,
    Change,
    Yank,
    Indent,
    Dedent,
    Lower,
    Upper,
    Toggle,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    Motion(Motion),
    Object(Object),
    /// The caret's line (`dd`).
    Line,
    /// What is selected.
    Selection,
    /// The lines of what is selected.
    SelectedLines,
}

/// Where text is put in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Here,
    Behind,
    LineStart,
    LineEnd,
    LineAbove,
    LineBelow,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    Go(Motion),
    Operate(Operator, Target),
    Put {
        before: bool,
    },
    Replace(char),
    /// `~`: the case of some characters.
    Toggle,
    Join,
    Insert(Place),
    Undo,
    Redo,
    Repeat,
    Select {
        lines: bool,
    },
    SelectObject(Object),
    SwapEnds,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Command {
    pub register: Option<char>,
    pub count: Option<usize>,
    pub verb: Verb,
}

/// Why there is no command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Not yet.
    More,
    Unknown,
}

/// The command of `keys`. `selecting`: something is selected.
pub fn command(keys: &[char], selecting: bool) -> Result<Command, Stop> {
    let mut keys = Keys { rest: keys };
    let mut register = None;
    let mut count = keys.count();
    if keys.take_if('"') {
        let name = keys.next()?;
        if !is_register(name) {
            return Err(Stop::Unknown);
        }
        register = Some(name);
        count = times(count, keys.count());
    }
    let first = keys.next()?;
    let (verb, more) = match selecting {
        true => (selected_verb(first, &mut keys)?, None),
        false => verb(first, &mut keys)?,
    };
    Ok(Command {
        register,
        count: times(count, more),
        verb,
    })
}

fn times(one: Option<usize>, other: Option<usize>) -> Option<usize> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.saturating_mul(other).min(MAX_COUNT)),
        (one, other) => one.or(other),
    }
}

struct Keys<'a> {
    rest: &'a [char],
}

impl Keys<'_> {
    fn next(&mut self) -> Result<char, Stop> {
        let (first, rest) = self.rest.split_first().ok_or(Stop::More)?;
        self.rest = rest;
        Ok(*first)
    }

    fn take_if(&mut self, wanted: char) -> bool {
        match self.rest.split_first() {
            Some((first, rest)) if *first == wanted => {
                self.rest = rest;
                true
            }
            _ => false,
        }
    }

    /// A leading `0` is a motion.
    fn count(&mut self) -> Option<usize> {
        let mut count: Option<usize> = None;
        while let Some((first, rest)) = self.rest.split_first()
            && let Some(digit) = first.to_digit(10)
            && (digit > 0 || count.is_some())
        {
            let more = count.unwrap_or(0) * 10 + usize::try_from(digit).unwrap_or(0);
            count = Some(more.min(MAX_COUNT));
            self.rest = rest;
        }
        count
    }
}

/// With the count behind an operator.
fn verb(first: char, keys: &mut Keys<'_>) -> Result<(Verb, Option<usize>), Stop> {
    use Operator::{Change, Delete, Yank};
    let to_end = Target::Motion(Motion::LineEnd);
    let right = Target::Motion(Motion::Right);
    if let Some(operator) = operator(first, keys)? {
        let count = keys.count();
        let target = target(operator, keys)?;
        return Ok((Verb::Operate(operator, target), count));
    }
    let verb = match first {
        'x' => Verb::Operate(Delete, right),
        'X' => Verb::Operate(Delete, Target::Motion(Motion::Left)),
        's' => Verb::Operate(Change, right),
        'S' => Verb::Operate(Change, Target::Line),
        'D' => Verb::Operate(Delete, to_end),
        'C' => Verb::Operate(Change, to_end),
        'Y' => Verb::Operate(Yank, Target::Line),
        'p' => Verb::Put { before: false },
        'P' => Verb::Put { before: true },
        'r' => Verb::Replace(keys.next()?),
        '~' => Verb::Toggle,
        'J' => Verb::Join,
        'i' => Verb::Insert(Place::Here),
        'a' => Verb::Insert(Place::Behind),
        'I' => Verb::Insert(Place::LineStart),
        'A' => Verb::Insert(Place::LineEnd),
        'o' => Verb::Insert(Place::LineBelow),
        'O' => Verb::Insert(Place::LineAbove),
        'u' => Verb::Undo,
        REDO => Verb::Redo,
        '.' => Verb::Repeat,
        'v' => Verb::Select { lines: false },
        'V' => Verb::Select { lines: true },
        _ => Verb::Go(motion(first, keys)?),
    };
    Ok((verb, None))
}

/// While something is selected.
fn selected_verb(first: char, keys: &mut Keys<'_>) -> Result<Verb, Stop> {
    use Operator::{Change, Delete, Lower, Toggle, Upper, Yank};
    use Target::{SelectedLines, Selection};
    if let Some(operator) = operator(first, keys)? {
        return Ok(Verb::Operate(operator, Selection));
    }
    Ok(match first {
        'x' => Verb::Operate(Delete, Selection),
        's' => Verb::Operate(Change, Selection),
        'X' | 'D' => Verb::Operate(Delete, SelectedLines),
        'S' | 'C' | 'R' => Verb::Operate(Change, SelectedLines),
        'Y' => Verb::Operate(Yank, SelectedLines),
        'u' => Verb::Operate(Lower, Selection),
        'U' => Verb::Operate(Upper, Selection),
        '~' => Verb::Operate(Toggle, Selection),
        'p' => Verb::Put { before: false },
        'P' => Verb::Put { before: true },
        'r' => Verb::Replace(keys.next()?),
        'J' => Verb::Join,
        'o' | 'O' => Verb::SwapEnds,
        'v' => Verb::Select { lines: false },
        'V' => Verb::Select { lines: true },
        'i' | 'a' => Verb::SelectObject(object(first == 'a', keys)?),
        _ => Verb::Go(motion(first, keys)?),
    })
}

/// `g` may begin an operator; where it does not it is left for [`motion`].
fn operator(first: char, keys: &mut Keys<'_>) -> Result<Option<Operator>, Stop> {
    Ok(Some(match first {
        'd' => Operator::Delete,
        'c' => Operator::Change,
        'y' => Operator::Yank,
        '>' => Operator::Indent,
        '<' => Operator::Dedent,
        'g' if keys.take_if('u') => Operator::Lower,
        'g' if keys.take_if('U') => Operator::Upper,
        'g' if keys.take_if('~') => Operator::Toggle,
        _ => return Ok(None),
    }))
}

fn target(operator: Operator, keys: &mut Keys<'_>) -> Result<Target, Stop> {
    let first = keys.next()?;
    let (letter, by_g) = match operator {
        Operator::Delete => ('d', false),
        Operator::Change => ('c', false),
        Operator::Yank => ('y', false),
        Operator::Indent => ('>', false),
        Operator::Dedent => ('<', false),
        Operator::Lower => ('u', true),
        Operator::Upper => ('U', true),
        Operator::Toggle => ('~', true),
    };
    // `dd`, `guu` and `gugu`.
    if first == letter || (by_g && first == 'g' && keys.take_if(letter)) {
        return Ok(Target::Line);
    }
    match first {
        'i' | 'a' => Ok(Target::Object(object(first == 'a', keys)?)),
        _ => Ok(Target::Motion(motion(first, keys)?)),
    }
}

fn motion(first: char, keys: &mut Keys<'_>) -> Result<Motion, Stop> {
    let find = |back, till, keys: &mut Keys<'_>| {
        let c = keys.next()?;
        Ok(Motion::Find(Find { c, back, till }))
    };
    Ok(match first {
        'h' => Motion::Left,
        'l' | ' ' => Motion::Right,
        'j' | '\n' => Motion::Down,
        'k' => Motion::Up,
        'w' => Motion::Word { big: false },
        'W' => Motion::Word { big: true },
        'b' => Motion::Back { big: false },
        'B' => Motion::Back { big: true },
        'e' => Motion::WordEnd { big: false },
        'E' => Motion::WordEnd { big: true },
        '0' => Motion::LineStart,
        '^' => Motion::FirstFilled,
        '$' => Motion::LineEnd,
        'G' => Motion::Bottom,
        'g' => match keys.next()? {
            'g' => Motion::Top,
            'j' => Motion::Down,
            'k' => Motion::Up,
            _ => return Err(Stop::Unknown),
        },
        'f' => find(false, false, keys)?,
        'F' => find(true, false, keys)?,
        't' => find(false, true, keys)?,
        'T' => find(true, true, keys)?,
        ';' => Motion::Again { reverse: false },
        ',' => Motion::Again { reverse: true },
        '%' => Motion::Pair,
        '{' => Motion::Paragraph { back: true },
        '}' => Motion::Paragraph { back: false },
        _ => return Err(Stop::Unknown),
    })
}

fn object(around: bool, keys: &mut Keys<'_>) -> Result<Object, Stop> {
    let kind = match keys.next()? {
        'w' => Kind::Word { big: false },
        'W' => Kind::Word { big: true },
        quote @ ('"' | '\'' | '`') => Kind::Quoted(quote),
        'p' => Kind::Paragraph,
        'b' => Kind::Bracketed('(', ')'),
        'B' => Kind::Bracketed('{', '}'),
        c => {
            let mut pairs = PAIRS.iter();
            let (open, close) = pairs
                .find(|(open, close)| c == *open || c == *close)
                .ok_or(Stop::Unknown)?;
            Kind::Bracketed(*open, *close)
        }
    };
    Ok(Object { kind, around })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(keys: &str) -> Result<Command, Stop> {
        command(&keys.chars().collect::<Vec<_>>(), false)
    }

    #[test]
    fn counts_before_and_behind_an_operator_are_multiplied() {
        assert_eq!(read("2d3w").map(|command| command.count), Ok(Some(6)));
        assert_eq!(read("10x").map(|command| command.count), Ok(Some(10)));
        assert_eq!(read("d").map(|command| command.count), Err(Stop::More));
        let many = read("9999d9999w").map(|command| command.count);
        assert_eq!(many, Ok(Some(MAX_COUNT)));
        let long = read("123456789l").map(|command| command.count);
        assert_eq!(long, Ok(Some(MAX_COUNT)));
    }

    #[test]
    fn a_register_stands_before_or_behind_the_count() {
        for keys in ["\"a2dd", "2\"add"] {
            let command = read(keys).expect("a command");
            assert_eq!((command.register, command.count), (Some('a'), Some(2)));
        }
        assert_eq!(read("\"!"), Err(Stop::Unknown));
    }

    #[test]
    fn a_command_may_go_on_or_is_none() {
        for keys in [
            "", "2", "\"", "\"a", "d", "di", "2d3", "g", "gu", "f", "dt", "r",
        ] {
            assert_eq!(read(keys), Err(Stop::More), "{keys}");
        }
        for keys in ["dz", "gz", "diz", "Q", "dv"] {
            assert_eq!(read(keys), Err(Stop::Unknown), "{keys}");
        }
    }

    #[test]
    fn an_operator_twice_takes_the_line() {
        for keys in [
            "dd", "cc", "yy", ">>", "<<", "guu", "gugu", "gUU", "g~~", "S", "Y",
        ] {
            let verb = read(keys).map(|command| command.verb);
            assert!(
                matches!(verb, Ok(Verb::Operate(_, Target::Line))),
                "{keys}: {verb:?}"
            );
        }
    }
}
