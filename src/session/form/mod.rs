//! A form of the agent being filled in: what each field holds, and whether that may be sent
//! (V1-ELI-05 to V1-ELI-12).
//!
//! Owns: the values and the rules for them. Nothing is sent that breaks a rule of the form; a rule
//! that cannot be read binds nothing. Must not know how a field is drawn or edited.

mod format;
mod pattern;

#[cfg(test)]
mod tests;

use crate::{
    model::{Bounds, Field, FieldKind, FieldOption, Form, FormValue, TextField, TextFormat},
    text::SafeText,
};

use pattern::Pattern;

/// Patterns of one form that are looked at; those of further fields bind nothing. Each may take a
/// while to read.
const MAX_PATTERNS: usize = 16;

/// What a field holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// Of texts and numbers, as typed.
    Text(String),
    Choice(Option<usize>),
    Flag(Option<bool>),
    /// For each option whether it is chosen.
    Choices(Vec<bool>),
    /// A field that this client does not know: it holds nothing (V1-ELI-11).
    Unknown,
}

/// A form with what the person has filled in so far.
#[derive(Debug)]
pub struct FormDraft {
    form: Form,
    inputs: Vec<Input>,
    patterns: Vec<Option<Pattern>>,
}

impl FormDraft {
    /// Filled with the agent's defaults (V1-ELI-12).
    pub fn new(form: Form) -> Self {
        let mut left = MAX_PATTERNS;
        let pattern = |field: &Field| match &field.kind {
            FieldKind::Text(TextField {
                pattern: Some(pattern),
                ..
            }) if left > 0 => {
                left -= 1;
                Pattern::new(pattern)
            }
            _ => None,
        };
        Self {
            inputs: form.fields.iter().map(default).collect(),
            patterns: form.fields.iter().map(pattern).collect(),
            form,
        }
    }

    pub fn form(&self) -> &Form {
        &self.form
    }

    pub fn fields(&self) -> &[Field] {
        &self.form.fields
    }

    pub fn field(&self, at: usize) -> Option<(&Field, &Input)> {
        Some((self.form.fields.get(at)?, self.inputs.get(at)?))
    }

    /// Puts another value of its kind into a field.
    pub fn set(&mut self, at: usize, input: Input) {
        if let Some(held) = self.inputs.get_mut(at)
            && std::mem::discriminant(held) == std::mem::discriminant(&input)
        {
            *held = input;
        }
    }

    /// Whether anything was changed.
    pub fn is_touched(&self) -> bool {
        let fields = self.form.fields.iter().zip(&self.inputs);
        fields
            .into_iter()
            .any(|(field, input)| *input != default(field))
    }

    /// A field that is required and that this client does not know: the form can be declined, not
    /// accepted (V1-ELI-11).
    pub fn cannot_be_sent(&self) -> Option<&Field> {
        let unknown =
            |field: &&Field| field.required && matches!(field.kind, FieldKind::Unknown(_));
        self.form.fields.iter().find(unknown)
    }

    /// The value of a field, `None` if it is not sent.
    ///
    /// # Errors
    /// What is wrong with it, for the person.
    pub fn value(&self, at: usize) -> Result<Option<FormValue>, String> {
        let Some((field, input)) = self.field(at) else {
            return Ok(None);
        };
        match (&field.kind, input) {
            (_, Input::Text(text)) if text.is_empty() => missing(field, "required"),
            (FieldKind::Text(rules), Input::Text(text)) => {
                let pattern = self.patterns.get(at).and_then(Option::as_ref);
                check_text(rules, pattern, text)?;
                Ok(Some(FormValue::Text(text.clone())))
            }
            (FieldKind::Number(bounds), Input::Text(text)) => number(bounds, text).map(Some),
            (FieldKind::Integer(bounds), Input::Text(text)) => integer(bounds, text).map(Some),
            (FieldKind::Select { options, .. }, Input::Choice(Some(at))) => Ok(options
                .get(*at)
                .map(|option| FormValue::Text(option.value.clone()))),
            (FieldKind::Select { .. }, Input::Choice(None)) => missing(field, "choose one"),
            (FieldKind::Boolean { .. }, Input::Flag(Some(yes))) => {
                Ok(Some(FormValue::Boolean(*yes)))
            }
            (FieldKind::Boolean { .. }, Input::Flag(None)) => missing(field, "choose yes or no"),
            (
                FieldKind::MultiSelect {
                    options,
                    min_items,
                    max_items,
                    ..
                },
                Input::Choices(chosen),
            ) => choices(field, options, chosen, *min_items, *max_items),
            (FieldKind::Unknown(kind), _) if field.required => {
                Err(format!("unknown kind of field: {kind}"))
            }
            _ => Ok(None),
        }
    }

    /// All values, in the order of the fields.
    ///
    /// # Errors
    /// The first field that may not be sent like this.
    pub fn values(&self) -> Result<Vec<(String, FormValue)>, usize> {
        let mut values = Vec::new();
        for (at, field) in self.form.fields.iter().enumerate() {
            let value = self.value(at).map_err(|_| at)?;
            values.extend(value.map(|value| (field.key.clone(), value)));
        }
        Ok(values)
    }
}

fn default(field: &Field) -> Input {
    match &field.kind {
        FieldKind::Text(text) => Input::Text(text.default.clone().unwrap_or_default()),
        FieldKind::Number(bounds) => Input::Text(shown(bounds.default)),
        FieldKind::Integer(bounds) => Input::Text(shown(bounds.default)),
        FieldKind::Select { default, .. } => Input::Choice(*default),
        FieldKind::Boolean { default } => Input::Flag(*default),
        FieldKind::MultiSelect {
            options, default, ..
        } => Input::Choices((0..options.len()).map(|at| default.contains(&at)).collect()),
        FieldKind::Unknown(_) => Input::Unknown,
    }
}

fn shown(number: Option<impl ToString>) -> String {
    number.map_or_else(String::new, |number| number.to_string())
}

fn missing(field: &Field, what: &str) -> Result<Option<FormValue>, String> {
    if field.required {
        Err(what.to_owned())
    } else {
        Ok(None)
    }
}

fn check_text(rules: &TextField, pattern: Option<&Pattern>, text: &str) -> Result<(), String> {
    let length = text.chars().count() as u64;
    if let Some(least) = rules.min_length.filter(|least| length < *least) {
        return Err(format!("at least {least} characters, not {length}"));
    }
    if let Some(most) = rules.max_length.filter(|most| length > *most) {
        return Err(format!("at most {most} characters, not {length}"));
    }
    if let Some(format) = rules.format
        && !format::fits(format, text)
    {
        return Err(format!("this is not a valid {}", format_words(format)));
    }
    match pattern {
        Some(pattern) if !pattern.fits(text) => {
            Err(format!("this does not match {}", pattern.source()))
        }
        _ => Ok(()),
    }
}

/// A format as people know it.
fn format_words(format: TextFormat) -> &'static str {
    match format {
        TextFormat::Email => "e-mail address",
        TextFormat::Uri => "address such as https://example.com/",
        TextFormat::Date => "date such as 2026-03-31",
        TextFormat::DateTime => "date and time such as 2026-03-31T14:30:00Z",
    }
}

/// Typed as a whole number it is sent as one: 2^53+1 is no float (V1-ELI-08).
fn number(bounds: &Bounds<f64>, text: &str) -> Result<FormValue, String> {
    let text = text.trim();
    // Rust reads "inf" and "nan" as well.
    let is_number = text.bytes().all(|byte| b"+-.0123456789eE".contains(&byte));
    let value = text.parse::<f64>().ok();
    let Some(value) = value.filter(|value| is_number && value.is_finite()) else {
        return Err("this is not a number".into());
    };
    in_bounds(bounds, value)?;
    Ok(match text.parse() {
        Ok(whole) => FormValue::Integer(whole),
        Err(_) => FormValue::Number(value),
    })
}

fn integer(bounds: &Bounds<i64>, text: &str) -> Result<FormValue, String> {
    let Ok(value) = text.trim().parse() else {
        return Err("this is not a whole number".into());
    };
    in_bounds(bounds, value)?;
    Ok(FormValue::Integer(value))
}

fn in_bounds<T: PartialOrd + ToString>(bounds: &Bounds<T>, value: T) -> Result<(), String> {
    match (&bounds.minimum, &bounds.maximum) {
        (Some(least), _) if value < *least => Err(format!("at least {}", least.to_string())),
        (_, Some(most)) if value > *most => Err(format!("at most {}", most.to_string())),
        _ => Ok(()),
    }
}

fn choices(
    field: &Field,
    options: &[FieldOption],
    chosen: &[bool],
    least: Option<u64>,
    most: Option<u64>,
) -> Result<Option<FormValue>, String> {
    let values = options.iter().zip(chosen).filter(|(_, chosen)| **chosen);
    let values: Vec<String> = values.map(|(option, _)| option.value.clone()).collect();
    let count = values.len() as u64;
    if count == 0 && !field.required {
        return Ok(None);
    }
    if let Some(least) = least.filter(|least| count < *least) {
        return Err(format!("choose at least {least}"));
    }
    if let Some(most) = most.filter(|most| count > *most) {
        return Err(format!("choose at most {most}"));
    }
    Ok(Some(FormValue::Texts(values)))
}

/// The rules of a field in words, before anything is wrong.
pub fn rules(field: &Field) -> Option<SafeText> {
    let text = match &field.kind {
        FieldKind::Text(rules) => {
            let length = match (rules.min_length, rules.max_length) {
                (Some(least), Some(most)) => Some(format!("{least} to {most} characters")),
                (Some(least), None) if least > 1 => Some(format!("at least {least} characters")),
                (None, Some(most)) => Some(format!("at most {most} characters")),
                _ => None,
            };
            let format = rules.format.map(|format| format_words(format).to_owned());
            [format, length]
                .into_iter()
                .flatten()
                .collect::<Vec<_>>()
                .join(", ")
        }
        FieldKind::Number(bounds) => number_words("number", bounds),
        FieldKind::Integer(bounds) => number_words("whole number", bounds),
        FieldKind::MultiSelect {
            min_items,
            max_items,
            ..
        } => match (min_items.filter(|least| *least > 0), max_items) {
            (Some(least), Some(most)) if least == *most => format!("choose {least}"),
            (Some(least), Some(most)) => format!("choose {least} to {most}"),
            (Some(least), None) => format!("choose at least {least}"),
            (None, Some(most)) => format!("choose at most {most}"),
            (None, None) => "choose any".to_owned(),
        },
        FieldKind::Select { .. } | FieldKind::Boolean { .. } | FieldKind::Unknown(_) => {
            String::new()
        }
    };
    (!text.is_empty()).then(|| SafeText::line(&text))
}

fn number_words<T: ToString>(what: &str, bounds: &Bounds<T>) -> String {
    let text = |bound: &Option<T>| bound.as_ref().map(ToString::to_string);
    match (text(&bounds.minimum), text(&bounds.maximum)) {
        (Some(least), Some(most)) => format!("{what} from {least} to {most}"),
        (Some(least), None) => format!("{what}, at least {least}"),
        (None, Some(most)) => format!("{what}, at most {most}"),
        (None, None) => what.to_owned(),
    }
}
