//! What one field is filled in with: a line of text, or choices.

use crossterm::event::KeyCode;

use crate::{
    model::{Field, FieldKind, FieldOption},
    session::Input,
    ui::{keymap::Chord, line_input::LineInput},
};

#[derive(Debug)]
pub enum Control {
    Text(Box<LineInput>),
    /// Of a list of options the one that a key would choose, and whether the person has moved to it.
    Options {
        cursor: usize,
        moved: bool,
    },
    Flag,
    /// Not to be filled in here (V1-ELI-11).
    None,
}

/// Whether a key was the control's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Used {
    Not,
    Taken,
}

impl Control {
    pub fn new(field: &Field, input: &Input) -> Self {
        match (&field.kind, input) {
            (_, Input::Text(text)) => Self::Text(Box::new(LineInput::new(text))),
            (_, Input::Choice(choice)) => Self::Options {
                cursor: choice.unwrap_or(0),
                moved: false,
            },
            (_, Input::Choices(_)) => Self::Options {
                cursor: 0,
                moved: false,
            },
            (_, Input::Flag(_)) => Self::Flag,
            (_, Input::Unknown) => Self::None,
        }
    }

    /// What the key makes of the field's value, if it changes that.
    pub fn handle(&mut self, key: Chord, field: &Field, input: &Input) -> (Used, Option<Input>) {
        match self {
            Self::Text(line) => {
                if line.handle(key) {
                    (Used::Taken, Some(Input::Text(line.text())))
                } else {
                    (Used::Not, None)
                }
            }
            Self::Options { cursor, moved } => {
                let before = *cursor;
                let outcome = option_key(cursor, key, field, input);
                *moved |= *cursor != before;
                outcome
            }
            Self::Flag => flag_key(key, input),
            Self::None => (Used::Not, None),
        }
    }

    /// Enter: of a list of which one is chosen that is the one under the cursor, if the person has
    /// moved there or has to choose.
    pub fn confirm(&mut self, field: &Field, input: &Input) -> Option<Input> {
        match (self, &field.kind, input) {
            (Self::Options { cursor, moved }, FieldKind::Select { .. }, Input::Choice(chosen)) => {
                let has_to = field.required && chosen.is_none();
                let chooses = std::mem::take(moved) || has_to;
                chooses.then_some(Input::Choice(Some(*cursor)))
            }
            _ => None,
        }
    }

    pub fn paste(&mut self, text: &str) -> Option<Input> {
        match self {
            Self::Text(line) => {
                line.paste(text);
                Some(Input::Text(line.text()))
            }
            _ => None,
        }
    }
}

fn options(field: &Field) -> &[FieldOption] {
    match &field.kind {
        FieldKind::Select { options, .. } | FieldKind::MultiSelect { options, .. } => options,
        _ => &[],
    }
}

fn option_key(
    cursor: &mut usize,
    key: Chord,
    field: &Field,
    input: &Input,
) -> (Used, Option<Input>) {
    let options = options(field);
    let last = options.len().saturating_sub(1);
    let plain = key.modifiers().is_empty();
    match key.code() {
        // Over the ends they lead to the field above or below.
        KeyCode::Up if plain && *cursor > 0 => *cursor -= 1,
        KeyCode::Down if plain && *cursor < last => *cursor += 1,
        KeyCode::Home if plain => *cursor = 0,
        KeyCode::End if plain => *cursor = last,
        KeyCode::Char(' ') if key.is_text() => {
            return (Used::Taken, Some(toggled(input, *cursor)));
        }
        KeyCode::Backspace | KeyCode::Delete if plain => {
            let nothing = match input {
                Input::Choices(chosen) => Input::Choices(vec![false; chosen.len()]),
                _ => Input::Choice(None),
            };
            return (Used::Taken, Some(nothing));
        }
        // To the next option that begins so.
        KeyCode::Char(c) if key.is_text() => {
            let begins = |at: &usize| {
                let first = options
                    .get(*at)
                    .and_then(|option| option.title.chars().next());
                first.is_some_and(|first| first.to_lowercase().eq(c.to_lowercase()))
            };
            let mut around = (*cursor + 1..options.len()).chain(0..=*cursor);
            if let Some(at) = around.find(begins) {
                *cursor = at;
            }
        }
        _ => return (Used::Not, None),
    }
    (Used::Taken, None)
}

/// The option under the cursor chosen, or no longer.
fn toggled(input: &Input, at: usize) -> Input {
    match input {
        Input::Choices(chosen) => {
            let mut chosen = chosen.clone();
            if let Some(one) = chosen.get_mut(at) {
                *one = !*one;
            }
            Input::Choices(chosen)
        }
        Input::Choice(Some(chosen)) if *chosen == at => Input::Choice(None),
        _ => Input::Choice(Some(at)),
    }
}

fn flag_key(key: Chord, input: &Input) -> (Used, Option<Input>) {
    let plain = key.modifiers().is_empty();
    let flag = match key.code() {
        KeyCode::Char(' ') if key.is_text() => Some(*input != Input::Flag(Some(true))),
        KeyCode::Char('y' | 'Y') if key.is_text() => Some(true),
        KeyCode::Char('n' | 'N') if key.is_text() => Some(false),
        KeyCode::Left if plain => Some(true),
        KeyCode::Right if plain => Some(false),
        KeyCode::Backspace | KeyCode::Delete if plain => None,
        // Typed all the same: nothing of it belongs into the draft.
        KeyCode::Char(_) if key.is_text() => return (Used::Taken, None),
        _ => return (Used::Not, None),
    };
    (Used::Taken, Some(Input::Flag(flag)))
}
