//! vim's modes over the draft: keys in, edits out.
//!
//! Owns: the mode, the keys of an unfinished command, registers, what `.` repeats, where a selection
//! began. Pure: it reads lines and caret and changes neither; [`Composer`](super::Composer) carries out
//! the [`Act`]s. In insert mode all keys but esc are the composer's own.

mod change;
mod grammar;
mod motion;
mod object;
mod register;
mod text;

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

pub use self::change::{Act, Then};
use self::{
    change::content,
    grammar::{Command, MAX_KEYS, Operator, Place, REDO, Stop, Target, Verb, command},
    motion::{Find, Goal, Motion, Origin, Reach, goal, to_end_of_word},
    object::{Span, span},
    register::{Content, Registers, is_clipboard},
    text::Text,
};
use super::buffer::Caret;
use crate::ui::keymap::text_of;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// What a draft begins in.
    #[default]
    Insert,
    Normal,
    Visual {
        lines: bool,
    },
}

impl Mode {
    /// As vim names it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Insert => "INSERT",
            Self::Normal => "NORMAL",
            Self::Visual { lines: false } => "VISUAL",
            Self::Visual { lines: true } => "VISUAL LINE",
        }
    }
}

/// What a key is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// Taken: this is to be done, in that order.
    Acts(Vec<Act>),
    /// Not vim's; the composer's or the keymap's.
    Pass,
    /// It is that key: `k` goes up as the arrow does, into the history at the edge.
    As(KeyCode),
    /// `:` opens the palette.
    Palette,
}

/// What a key is to the composer, once vim has seen it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModalKey {
    Taken,
    /// The keymap is to be asked, then the composer; maybe for another key than was pressed.
    Pass(KeyEvent),
    Palette,
}

/// What `.` does again.
#[derive(Clone, Debug)]
struct Change {
    command: Command,
    /// How much was selected.
    extent: Option<Extent>,
    /// What was typed then.
    typed: Option<String>,
}

/// A selection's size.
#[derive(Clone, Copy, Debug)]
struct Extent {
    whole_lines: bool,
    /// Lines below the first.
    lines: usize,
    /// Units on the last line.
    units: usize,
}

/// Since insert mode began or the caret was moved in it.
#[derive(Clone, Debug, Default)]
struct Inserting {
    from: Caret,
    /// How often more it is put in at the end.
    more: usize,
    /// Each of them is a line.
    lines: bool,
    /// By a command that is to be repeated with what is typed.
    repeats: bool,
}

#[derive(Debug, Default)]
pub struct Vim {
    mode: Mode,
    /// Of a command that is not complete.
    keys: Vec<char>,
    /// Where the selection began.
    anchor: Caret,
    registers: Registers,
    find: Option<Find>,
    last: Option<Change>,
    inserting: Inserting,
}

impl Vim {
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// The keys of a command that is not complete.
    pub fn pending(&self) -> String {
        let shown = self.keys.iter().filter(|key| !key.is_control());
        shown.collect()
    }

    /// The other end of the selection.
    pub fn anchor(&self) -> Option<Caret> {
        matches!(self.mode, Mode::Visual { .. }).then_some(self.anchor)
    }

    /// What registers hold may have chips.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let typed = self.last.as_ref().and_then(|last| last.typed.as_deref());
        self.registers.texts().chain(typed)
    }

    /// A draft begins.
    pub fn begin(&mut self) {
        self.insert_from(Caret::default(), Inserting::default());
    }

    /// The text was changed by other means, or the caret moved: what is typed from here on is what `.`
    /// repeats, and nothing is selected.
    pub fn moved_to(&mut self, caret: Caret) {
        self.inserting.from = caret;
        self.inserting.more = 0;
        if self.anchor().is_some() {
            self.mode = Mode::Normal;
        }
    }

    pub fn key(&mut self, key: &KeyEvent, lines: &[String], caret: Caret) -> Reply {
        if key.kind == KeyEventKind::Release {
            return Reply::Pass;
        }
        if is_esc(key) {
            return self.esc(lines, caret);
        }
        if self.mode == Mode::Insert {
            return Reply::Pass;
        }
        let Some(c) = self.sign_of(key) else {
            self.keys.clear();
            return Reply::Pass;
        };
        let alone = self.keys.is_empty();
        let empty = lines.iter().all(String::is_empty) && lines.len() < 2;
        match c {
            ':' if alone => return Reply::Palette,
            '/' if alone && empty => {
                // Commands begin with it.
                self.insert_from(caret, Inserting::default());
                return Reply::Pass;
            }
            // These may be bound there.
            '?' | ' ' if alone && empty => return Reply::Pass,
            'j' if alone && self.mode == Mode::Normal => return Reply::As(KeyCode::Down),
            'k' if alone && self.mode == Mode::Normal => return Reply::As(KeyCode::Up),
            _ => self.keys.push(c),
        }
        let selecting = self.anchor().is_some();
        match command(&self.keys, selecting) {
            Err(Stop::More) if self.keys.len() < MAX_KEYS => Reply::Acts(Vec::new()),
            Err(_) => {
                self.keys.clear();
                Reply::Acts(Vec::new())
            }
            Ok(command) => {
                self.keys.clear();
                let text = Text::of(lines);
                let at = text.index(caret);
                Reply::Acts(self.run(command, &text, at).unwrap_or_default())
            }
        }
    }

    /// The key as vim's grammar has it.
    fn sign_of(&self, key: &KeyEvent) -> Option<char> {
        if let Some(c) = text_of(key) {
            return Some(c);
        }
        let pending = !self.keys.is_empty();
        let selecting = self.anchor().is_some();
        match (key.code, key.modifiers) {
            (KeyCode::Char('r'), KeyModifiers::CONTROL) => Some(REDO),
            (KeyCode::Char('h'), KeyModifiers::CONTROL) => Some('h'),
            (KeyCode::Backspace, KeyModifiers::NONE) => Some('h'),
            (KeyCode::Delete, KeyModifiers::NONE) => Some('x'),
            (KeyCode::Enter, KeyModifiers::NONE) if pending || selecting => Some('\n'),
            (KeyCode::Left, KeyModifiers::NONE) if pending || selecting => Some('h'),
            (KeyCode::Right, KeyModifiers::NONE) if pending || selecting => Some('l'),
            (KeyCode::Home, KeyModifiers::NONE) if pending || selecting => Some('0'),
            (KeyCode::End, KeyModifiers::NONE) if pending || selecting => Some('$'),
            (KeyCode::Up, KeyModifiers::NONE) if pending || selecting => Some('k'),
            (KeyCode::Down, KeyModifiers::NONE) if pending || selecting => Some('j'),
            _ => None,
        }
    }

    fn esc(&mut self, lines: &[String], caret: Caret) -> Reply {
        let pending = !self.keys.is_empty();
        self.keys.clear();
        match self.mode {
            Mode::Insert => Reply::Acts(self.leave_insert(lines, caret)),
            Mode::Visual { .. } => {
                self.mode = Mode::Normal;
                Reply::Acts(Vec::new())
            }
            Mode::Normal if pending => Reply::Acts(Vec::new()),
            Mode::Normal => Reply::Pass,
        }
    }

    fn leave_insert(&mut self, lines: &[String], caret: Caret) -> Vec<Act> {
        self.mode = Mode::Normal;
        let inserting = std::mem::take(&mut self.inserting);
        let text = Text::of(lines);
        let (from, to) = (text.index(inserting.from), text.index(caret));
        let typed = match from < to {
            true => text.slice(from..to),
            false => String::new(),
        };
        let mut acts = Vec::new();
        if inserting.more > 0 && !typed.is_empty() {
            let one = match inserting.lines {
                true => format!("\n{typed}"),
                false => typed.clone(),
            };
            if one.len().saturating_mul(inserting.more) <= super::buffer::LIMIT {
                acts.push(Act::Insert(one.repeat(inserting.more)));
            }
        }
        if acts.is_empty() {
            acts.push(Act::StepBack);
        }
        if let Some(last) = self.last.as_mut().filter(|_| inserting.repeats) {
            last.typed = Some(typed);
        }
        acts
    }

    fn insert_from(&mut self, caret: Caret, inserting: Inserting) {
        self.mode = Mode::Insert;
        self.keys.clear();
        self.inserting = Inserting {
            from: caret,
            ..inserting
        };
    }

    /// Where the caret stands as insert mode begins.
    pub fn inserts_at(&mut self, caret: Caret) {
        self.inserting.from = caret;
    }

    fn run(&mut self, command: Command, text: &Text<'_>, at: usize) -> Option<Vec<Act>> {
        if command.verb == Verb::Repeat {
            return self.repeat(command, text, at);
        }
        let selected = self.anchor().map(|anchor| {
            let whole_lines = self.mode == Mode::Visual { lines: true };
            selection(text, text.index(anchor), at, whole_lines)
        });
        let extent = selected.as_ref().map(|span| extent_of(text, span));
        let acts = self.execute(&command, text, at, selected)?;
        if changes(&command) {
            self.last = Some(Change {
                command,
                extent,
                typed: None,
            });
        }
        Some(acts)
    }

    fn repeat(&mut self, command: Command, text: &Text<'_>, at: usize) -> Option<Vec<Act>> {
        let mut change = self.last.clone()?;
        change.command.count = command.count.or(change.command.count);
        let selected = change.extent.map(|extent| selection_of(text, at, extent));
        let at = selected.as_ref().map_or(at, |span| span.cells.start);
        let acts = self.execute(&change.command, text, at, selected);
        let inserts = self.mode == Mode::Insert;
        let (more, lines) = (self.inserting.more, self.inserting.lines);
        if inserts {
            self.mode = Mode::Normal;
        }
        let mut acts = acts?;
        if inserts {
            let typed = change.typed.clone().unwrap_or_default();
            let next = if lines {
                format!("\n{typed}")
            } else {
                typed.clone()
            };
            let all = typed + &next.repeat(more);
            acts.push(match all.is_empty() {
                true => Act::StepBack,
                false => Act::Insert(all),
            });
        }
        self.last = Some(change);
        Some(acts)
    }

    fn execute(
        &mut self,
        command: &Command,
        text: &Text<'_>,
        at: usize,
        selected: Option<Span>,
    ) -> Option<Vec<Act>> {
        let count = command.count.unwrap_or(1);
        let line = text.line_of(at);
        let act = match command.verb {
            Verb::Go(motion) => return self.go(motion, command.count, text, at),
            Verb::Operate(operator, target) => {
                return self.operate(command, (operator, target), text, at, selected);
            }
            Verb::Put { before } => return self.put(command, before, text, at, selected),
            Verb::Replace(c) => match selected {
                Some(span) => change::overwrite_all(text, &span, c)?,
                None => change::overwrite(text, at, count, c)?,
            },
            Verb::Toggle => change::toggle(text, at, count)?,
            Verb::Join => match selected {
                Some(span) => {
                    let (first, last) = (text.line_of(span.cells.start), last_line(text, &span));
                    change::join(text, first, last.max(first + 1))?
                }
                None => change::join(text, line, line + count.max(2) - 1)?,
            },
            Verb::Insert(place) => return Some(self.insert(place, count, text, at)),
            Verb::Undo => Act::Undo(count),
            Verb::Redo => Act::Redo(count),
            Verb::Repeat => return None,
            Verb::Select { lines } => {
                let same = self.mode == Mode::Visual { lines };
                if self.mode == Mode::Normal {
                    self.anchor = text.caret(at);
                }
                self.mode = if same {
                    Mode::Normal
                } else {
                    Mode::Visual { lines }
                };
                return Some(Vec::new());
            }
            Verb::SelectObject(object) => {
                let found = span(text, object, at, count)?;
                if found.lines {
                    self.mode = Mode::Visual { lines: true };
                }
                self.anchor = text.caret(found.cells.start);
                let last = found.cells.end.saturating_sub(usize::from(!found.lines));
                Act::Caret(text.caret(last.max(found.cells.start)))
            }
            Verb::SwapEnds => {
                let to = self.anchor;
                self.anchor = text.caret(at);
                Act::Caret(to)
            }
        };
        if matches!(command.verb, Verb::Replace(_) | Verb::Join) {
            self.mode = Mode::Normal;
        }
        Some(vec![act])
    }

    fn goal(
        &mut self,
        motion: Motion,
        count: Option<usize>,
        text: &Text<'_>,
        at: usize,
        operator: bool,
    ) -> Option<Goal> {
        if let Motion::Find(find) = motion {
            self.find = Some(find);
        }
        let find = self.find;
        goal(
            text,
            motion,
            Origin {
                at,
                count,
                operator,
                find,
            },
        )
    }

    fn go(
        &mut self,
        motion: Motion,
        count: Option<usize>,
        text: &Text<'_>,
        at: usize,
    ) -> Option<Vec<Act>> {
        if let Motion::Up | Motion::Down = motion {
            return Some(vec![Act::Rows {
                down: motion == Motion::Down,
                count: count.unwrap_or(1),
            }]);
        }
        let goal = self.goal(motion, count, text, at, false)?;
        Some(vec![Act::Caret(text.caret(goal.to))])
    }

    fn operate(
        &mut self,
        command: &Command,
        (operator, target): (Operator, Target),
        text: &Text<'_>,
        at: usize,
        selected: Option<Span>,
    ) -> Option<Vec<Act>> {
        let count = command.count.unwrap_or(1);
        let (span, times) = match target {
            Target::Selection => (selected?, count),
            Target::SelectedLines => {
                let span = selected?;
                let first = text.line_of(span.cells.start);
                (Span::lines(text, first, last_line(text, &span)), 1)
            }
            Target::Line => {
                let first = text.line_of(at);
                let last = (first + count - 1).min(text.last_line());
                (Span::lines(text, first, last), 1)
            }
            Target::Object(object) => (span(text, object, at, count)?, 1),
            Target::Motion(motion) => (self.reached(operator, motion, command, text, at)?, 1),
        };
        let nothing = span.cells.is_empty() && !span.lines;
        if nothing && operator != Operator::Change {
            return None;
        }
        let mut acts = Vec::new();
        if matches!(
            operator,
            Operator::Delete | Operator::Change | Operator::Yank
        ) && !nothing
        {
            let yanked = operator == Operator::Yank;
            let kept = content(text, &span);
            let copied = self.registers.keep(command.register, kept, yanked);
            acts.extend(copied.map(Act::Copy));
        }
        acts.extend(change::operate(text, operator, &span, at, times));
        self.mode = Mode::Normal;
        if operator == Operator::Change {
            let repeats = true;
            self.insert_from(
                text.caret(span.cells.start),
                Inserting {
                    repeats,
                    ..Inserting::default()
                },
            );
        }
        Some(acts)
    }

    /// What lies between the caret and where a motion leads to.
    fn reached(
        &mut self,
        operator: Operator,
        motion: Motion,
        command: &Command,
        text: &Text<'_>,
        at: usize,
    ) -> Option<Span> {
        if let (Operator::Change, Motion::Word { big }) = (operator, motion)
            && text.is_filled(at)
        {
            let count = command.count.unwrap_or(1);
            let last = to_end_of_word(text, at, count, big);
            return Some(Span::chars(at..(last + 1).min(text.last())));
        }
        let Goal { to, reach } = self.goal(motion, command.count, text, at, true)?;
        let (first, last) = (at.min(to), at.max(to));
        // Indenting takes lines whatever the motion.
        let whole = matches!(operator, Operator::Indent | Operator::Dedent);
        Some(match reach {
            _ if whole => Span::lines(text, text.line_of(first), text.line_of(last)),
            Reach::Lines => Span::lines(text, text.line_of(first), text.line_of(last)),
            Reach::Exclusive => Span::chars(first..last),
            Reach::Inclusive => Span::chars(first..(last + 1).min(text.last())),
        })
    }

    fn put(
        &mut self,
        command: &Command,
        before: bool,
        text: &Text<'_>,
        at: usize,
        selected: Option<Span>,
    ) -> Option<Vec<Act>> {
        let count = command.count.unwrap_or(1);
        if command.register.is_some_and(is_clipboard) {
            // It comes later, and goes in at the caret.
            self.mode = Mode::Normal;
            let mut acts = Vec::new();
            match selected {
                Some(span) => acts.extend(change::operate(text, Operator::Change, &span, at, 1)),
                None => {
                    let behind = !before && !text.is_end(at);
                    acts.push(Act::Caret(text.caret(at + usize::from(behind))));
                }
            }
            acts.push(Act::PasteClipboard);
            return Some(acts);
        }
        let content: Content = self.registers.get(command.register)?.clone();
        let act = match &selected {
            Some(span) => {
                let act = change::put_over(text, span, &content, count)?;
                // `P` keeps the register.
                if !before {
                    self.registers
                        .keep(None, change::content(text, span), false);
                }
                act
            }
            None => change::put(text, at, &content, before, count)?,
        };
        self.mode = Mode::Normal;
        Some(vec![act])
    }

    fn insert(&mut self, place: Place, count: usize, text: &Text<'_>, at: usize) -> Vec<Act> {
        let line = text.line_of(at);
        let caret = |index| Act::Caret(text.caret(index));
        let open = |index: usize, then| Act::Replace {
            range: text.carets(index..index),
            text: "\n".into(),
            then,
        };
        let act = match place {
            Place::Here => caret(at),
            Place::Behind => caret(at + usize::from(!text.is_end(at))),
            Place::LineStart => caret(text.first_filled(line)),
            Place::LineEnd => caret(text.end(line)),
            Place::LineBelow => open(text.end(line), Then::End),
            Place::LineAbove => open(text.start(line), Then::Start),
        };
        self.insert_from(
            text.caret(at),
            Inserting {
                more: count - 1,
                lines: matches!(place, Place::LineAbove | Place::LineBelow),
                repeats: true,
                ..Inserting::default()
            },
        );
        vec![act]
    }
}

/// What has the keys for a moment: ctrl-[ is what terminals without a keyboard protocol send for it.
fn is_esc(key: &KeyEvent) -> bool {
    let control = key.modifiers == KeyModifiers::CONTROL;
    (key.code == KeyCode::Esc && key.modifiers.is_empty())
        || (key.code == KeyCode::Char('[') && control)
}

/// Whether `.` does it again.
fn changes(command: &Command) -> bool {
    match command.verb {
        Verb::Operate(operator, _) => operator != Operator::Yank,
        Verb::Put { .. } => !command.register.is_some_and(is_clipboard),
        Verb::Replace(_) | Verb::Toggle | Verb::Join | Verb::Insert(_) => true,
        _ => false,
    }
}

fn selection(text: &Text<'_>, anchor: usize, at: usize, whole_lines: bool) -> Span {
    let (first, last) = (anchor.min(at), anchor.max(at));
    match whole_lines {
        true => Span::lines(text, text.line_of(first), text.line_of(last)),
        false => Span::chars(first..(last + 1).min(text.last())),
    }
}

fn last_line(text: &Text<'_>, span: &Span) -> usize {
    let last = span.cells.end.saturating_sub(usize::from(!span.lines));
    text.line_of(last.max(span.cells.start))
}

fn extent_of(text: &Text<'_>, span: &Span) -> Extent {
    let first = text.line_of(span.cells.start);
    let last = last_line(text, span);
    let from = span.cells.start.max(text.start(last));
    Extent {
        whole_lines: span.lines,
        lines: last - first,
        units: span.cells.end.saturating_sub(from),
    }
}

fn selection_of(text: &Text<'_>, at: usize, extent: Extent) -> Span {
    let first = text.line_of(at);
    let last = (first + extent.lines).min(text.last_line());
    if extent.whole_lines {
        return Span::lines(text, first, last);
    }
    let from = at.max(text.start(last));
    // One more than the line has is its end.
    let end = (from + extent.units).min(text.end(last) + 1);
    Span::chars(at..end.min(text.last()))
}
