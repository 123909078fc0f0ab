//! `requestedSchema`: an object of plain values, its fields in the agent's order (V1-ELI-12).

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::view::{Member, Misfit, Pass, Text, members, need, need_object};
use crate::{
    model::{Bounds, Field, FieldKind, FieldOption, Form, RpcError, TextField, TextFormat, code},
    rpc::Members,
    text::{SafeText, first_bytes},
};

/// Fields of a form; one with more is refused, because a person could not check them all (V1-ELI-05).
const MAX_FIELDS: usize = 100;
/// Options of one field.
const MAX_OPTIONS: usize = 2_000;
/// Bytes of texts that are only shown.
const MAX_DESCRIPTION: usize = 2 << 10;
const MAX_TITLE: usize = 500;

/// Why there is no elicitation.
pub enum Unusable {
    /// The params are not as the protocol has them.
    Misfit,
    /// They are, but nothing can be done with them.
    Refused(&'static str),
}

impl From<Misfit> for Unusable {
    fn from(_: Misfit) -> Self {
        Self::Misfit
    }
}

impl Unusable {
    pub fn error(&self) -> RpcError {
        let why = match self {
            Self::Misfit => "Invalid params for elicitation/create",
            Self::Refused(why) => why,
        };
        RpcError::new(code::INVALID_PARAMS, why)
    }
}

members!(struct Schema {
    kind = "type",
    title,
    description,
    properties,
    required,
});

members!(struct Property {
    kind = "type",
    title,
    description,
    default,
    min_length,
    max_length,
    pattern,
    format,
    minimum,
    maximum,
    min_items,
    max_items,
    items,
    one_of,
    r#enum,
});

// `items` of a list: names, or names with titles.
members!(struct Items {
    kind = "type",
    r#enum,
    any_of,
});

members!(struct TitledOption {
    value = "const",
    title,
    description,
});

/// The members of an object in the order in which they stand there; of those of one name the last,
/// at the first one's place. One more than [`MAX_FIELDS`] says that there are too many.
fn in_order(object: Members<'_>) -> Vec<(Cow<'_, str>, &RawValue)> {
    let mut members: Vec<(Cow<'_, str>, &RawValue)> = Vec::new();
    for (name, value) in object.members {
        match members.iter_mut().find(|(known, _)| *known == name) {
            Some(member) => member.1 = value,
            None => members.push((name, value)),
        }
        members.truncate(MAX_FIELDS + 1);
    }
    members
}

/// # Errors
/// Strictly, when anything does not fit; loosely, when there is more than a person could check.
pub fn form(pass: Pass, schema: Member<'_>) -> Result<Form, Unusable> {
    let schema: Schema<'_> = need_object(schema)?;
    let is_object = || Ok::<_, Misfit>(need(schema.kind)?.as_str() == "object");
    if pass.is_v2() && (!is_object()? || schema.properties.is_none()) {
        return Err(Unusable::Misfit);
    }
    let mut form = members(pass.exactly(), &schema)?;
    for field in &mut form.fields {
        if let FieldKind::Text(text) = &mut field.kind
            && pass.is_v2()
        {
            // Version 2 has no patterns.
            text.pattern = None;
        }
    }
    Ok(form)
}

fn members(pass: Pass, schema: &Schema<'_>) -> Result<Form, Unusable> {
    let properties = pass.object::<Members<'_>>(schema.properties)?;
    let required = pass
        .list(schema.required, |raw| need(Some(raw)).map(Some))?
        .unwrap_or_default();
    let properties = properties.map_or_else(Vec::new, in_order);
    if properties.len() > MAX_FIELDS {
        return Err(Unusable::Refused("the form has too many fields"));
    }
    let mut fields = Vec::with_capacity(properties.len());
    for (key, raw) in properties {
        let required = required.iter().any(|name| name.as_str() == key);
        fields.push(field(pass, key.into_owned(), required, raw)?);
    }
    Ok(Form {
        title: shown(schema.title, MAX_TITLE),
        description: shown_lines(schema.description),
        fields,
    })
}

fn field(pass: Pass, key: String, required: bool, raw: &RawValue) -> Result<Field, Unusable> {
    let property = pass.object::<Property<'_>>(Some(raw))?;
    let kind = match &property {
        Some(property) => kind(pass, property)?,
        None => FieldKind::Unknown(SafeText::default()),
    };
    let property = property.as_ref();
    Ok(Field {
        key,
        title: property.and_then(|property| shown(property.title, MAX_TITLE)),
        description: property.and_then(|property| shown_lines(property.description)),
        required,
        kind,
    })
}

fn kind(pass: Pass, property: &Property<'_>) -> Result<FieldKind, Unusable> {
    let Some(name) = pass.text(property.kind)? else {
        return Ok(FieldKind::Unknown(SafeText::default()));
    };
    Ok(match name.as_str() {
        "string" if property.one_of.is_some() || property.r#enum.is_some() => {
            let options = options(pass, property.one_of, property.r#enum)?;
            if options.is_empty() {
                return Ok(FieldKind::Unknown("string without any choice".into()));
            }
            let default = default::<Text<'_>>(property);
            let default = default.and_then(|value| position(&options, value.as_str()));
            FieldKind::Select { options, default }
        }
        "string" => FieldKind::Text(TextField {
            min_length: pass.count(property.min_length)?,
            max_length: pass.count(property.max_length)?,
            pattern: pass.text(property.pattern)?.map(Text::into_string),
            format: pass
                .text(property.format)?
                .and_then(|name| text_format(name.as_str())),
            default: default::<Text<'_>>(property).map(Text::into_string),
            secret: false,
        }),
        "number" => FieldKind::Number(Bounds {
            minimum: pass.read(property.minimum)?,
            maximum: pass.read(property.maximum)?,
            default: default(property),
        }),
        "integer" => FieldKind::Integer(Bounds {
            minimum: integer(pass, property.minimum, f64::ceil)?,
            maximum: integer(pass, property.maximum, f64::floor)?,
            default: default(property),
        }),
        "boolean" => FieldKind::Boolean {
            default: default(property),
        },
        "array" => multi_select(pass, property)?,
        other => FieldKind::Unknown(SafeText::line(first_bytes(other, MAX_TITLE))),
    })
}

fn multi_select(pass: Pass, property: &Property<'_>) -> Result<FieldKind, Unusable> {
    let items = pass.object::<Items<'_>>(property.items)?;
    let listed = match &items {
        // V1-ELI-11: items of an unknown type are not drawn as strings.
        Some(items) if items.any_of.is_none() && !is_string(pass, items.kind)? => Vec::new(),
        Some(items) => options(pass, items.any_of, items.r#enum)?,
        None => Vec::new(),
    };
    if listed.is_empty() {
        return Ok(FieldKind::Unknown("list of anything".into()));
    }
    let default = default::<Vec<Text<'_>>>(property).unwrap_or_default();
    let mut default: Vec<usize> = default
        .iter()
        .filter_map(|value| position(&listed, value.as_str()))
        .collect();
    default.sort_unstable();
    default.dedup();
    Ok(FieldKind::MultiSelect {
        options: listed,
        min_items: pass.count(property.min_items)?,
        max_items: pass.count(property.max_items)?,
        default,
    })
}

fn is_string(pass: Pass, kind: Member<'_>) -> Result<bool, Misfit> {
    Ok(pass
        .text(kind)?
        .is_some_and(|kind| kind.as_str() == "string"))
}

/// With titles where there are some, else by their values.
fn options(
    pass: Pass,
    titled: Member<'_>,
    plain: Member<'_>,
) -> Result<Vec<FieldOption>, Unusable> {
    let options = match titled {
        Some(_) => pass.list(titled, |raw| {
            let option: TitledOption<'_> = need_object(Some(raw))?;
            let value = need(option.value)?.into_string();
            Ok(Some(FieldOption {
                title: shown(option.title, MAX_TITLE).unwrap_or_else(|| option_title(&value)),
                description: shown_lines(option.description),
                value,
            }))
        })?,
        None => pass.list(plain, |raw| {
            let value = need(Some(raw))?;
            Ok(Some(FieldOption {
                title: option_title(value.as_str()),
                description: None,
                value: value.into_string(),
            }))
        })?,
    };
    let options = options.unwrap_or_default();
    if options.len() > MAX_OPTIONS {
        return Err(Unusable::Refused("a field has too many options"));
    }
    Ok(options)
}

fn option_title(value: &str) -> SafeText {
    SafeText::line(first_bytes(value, MAX_TITLE))
}

fn position(options: &[FieldOption], value: &str) -> Option<usize> {
    options.iter().position(|option| option.value == value)
}

/// As in the schema, a default that does not fit counts as absent.
fn default<'a, T: Deserialize<'a>>(property: &Property<'a>) -> Option<T> {
    Pass::Loose.read(property.default).ok().flatten()
}

/// A bound of whole numbers; loosely also one with a fraction, `inward`.
fn integer(pass: Pass, member: Member<'_>, inward: fn(f64) -> f64) -> Result<Option<i64>, Misfit> {
    match pass.read::<i64>(member)? {
        // `as` saturates.
        None if pass == Pass::Loose => Ok(pass.read::<f64>(member)?.map(|n| inward(n) as i64)),
        bound => Ok(bound),
    }
}

fn text_format(name: &str) -> Option<TextFormat> {
    Some(match name {
        "email" => TextFormat::Email,
        "uri" => TextFormat::Uri,
        "date" => TextFormat::Date,
        "date-time" => TextFormat::DateTime,
        _ => return None,
    })
}

/// One line that is only shown; as in the schema, one that does not fit counts as absent.
fn shown(member: Member<'_>, most: usize) -> Option<SafeText> {
    let text = Pass::Loose.text(member).ok().flatten()?;
    let text = text.as_str().trim();
    (!text.is_empty()).then(|| SafeText::line(first_bytes(text, most)))
}

fn shown_lines(member: Member<'_>) -> Option<SafeText> {
    let text = Pass::Loose.text(member).ok().flatten()?;
    let text = text.as_str().trim();
    (!text.is_empty()).then(|| SafeText::new(first_bytes(text, MAX_DESCRIPTION)))
}
