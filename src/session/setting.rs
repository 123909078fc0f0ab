//! Which option a setting means, and which of its values: both may be named by id, by name, and an
//! option by its category.

use crate::{
    model::{ConfigKind, ConfigOption, OptionValue, Setting, SettingKey, category},
    text::SafeText,
};

/// Ids that a message lists; the rest is in its detail.
const LISTED: usize = 12;

/// Why a setting cannot be had.
#[derive(Debug)]
pub struct SettingProblem {
    pub text: String,
    /// Everything there is, where the text lists only some.
    pub all: Option<SafeText>,
}

/// By id, else by a name that only one has, else by category.
///
/// # Errors
/// There is none, or there are several.
pub fn find<'a>(
    options: &'a [ConfigOption],
    key: &SettingKey,
) -> Result<&'a ConfigOption, SettingProblem> {
    let of_category = |category: &str| options.iter().find(|option| option.is_of(category));
    let key = match key {
        SettingKey::Mode => match mode(options) {
            Some(option) => return Ok(option),
            None => category::MODE,
        },
        SettingKey::Model => match of_category(category::MODEL) {
            Some(option) => return Ok(option),
            None => category::MODEL,
        },
        SettingKey::Option(key) => key,
    };
    let by_id = options.iter().find(|option| option.id == key);
    let found = match by_id {
        Some(option) => Some(option),
        None => only_named(options, key, |option| &option.name)?.or_else(|| of_category(key)),
    };
    found.ok_or_else(|| {
        let all = options.iter().map(|option| (&*option.id, &option.name));
        SettingProblem::listing(&format!("the agent has no option \"{key}\""), all)
    })
}

/// What says which mode the agent is in.
pub fn mode(options: &[ConfigOption]) -> Option<&ConfigOption> {
    let mut modes = options.iter();
    modes.find(|option| option.is_of(category::MODE) && option.is_select())
}

/// The option's id, and the value that it is to have.
///
/// # Errors
/// The agent does not have it: for people, with what there is.
pub fn resolve(
    options: &[ConfigOption],
    setting: &Setting,
) -> Result<(String, OptionValue), SettingProblem> {
    let option = find(options, &setting.key).map_err(|problem| match setting.key {
        SettingKey::Mode => SettingProblem::from("the agent has no modes"),
        SettingKey::Model => SettingProblem::from("the agent offers no choice of models"),
        SettingKey::Option(_) => problem,
    })?;
    let wanted = &setting.value;
    let value = match &option.kind {
        ConfigKind::Boolean { .. } => match wanted.as_str() {
            "true" => OptionValue::Flag(true),
            "false" => OptionValue::Flag(false),
            _ => {
                let text = format!("{} is true or false, not \"{wanted}\"", option.name);
                return Err(SettingProblem::from(text.as_str()));
            }
        },
        ConfigKind::Select { values, .. } => {
            let by_id = values.iter().find(|value| value.value == *wanted);
            let found = match by_id {
                Some(value) => Some(value),
                None => only_named(values, wanted, |value| &value.name)?,
            };
            let Some(found) = found else {
                let all = values.iter().map(|value| (&*value.value, &value.name));
                let text = format!("{} cannot be \"{wanted}\"", option.name);
                return Err(SettingProblem::listing(&text, all));
            };
            OptionValue::Id(found.value.clone())
        }
    };
    Ok((option.id.clone(), value))
}

impl From<&str> for SettingProblem {
    fn from(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            all: None,
        }
    }
}

impl SettingProblem {
    /// With what there is: ids, and names where these say more.
    fn listing<'a>(what: &str, there: impl Iterator<Item = (&'a str, &'a SafeText)>) -> Self {
        let named = |(id, name): (&str, &SafeText)| {
            if name.to_lowercase() == id.to_lowercase() {
                id.to_owned()
            } else {
                format!("{id} ({name})")
            }
        };
        let all: Vec<String> = there.map(named).collect();
        if all.is_empty() {
            return Self::from(format!("{what}: there are none").as_str());
        }
        let verb = if all.len() == 1 { "is" } else { "are" };
        let (first, rest) = all.split_at(all.len().min(LISTED));
        let mut text = format!("{what}: there {verb} {}", first.join(", "));
        if !rest.is_empty() {
            text.push_str(&format!(" and {} more", rest.len()));
        }
        let whole = (!rest.is_empty()).then(|| SafeText::new(&all.join("\n")));
        Self { text, all: whole }
    }
}

/// The one of that name, in whatever case.
fn only_named<'a, T>(
    items: &'a [T],
    wanted: &str,
    name: impl Fn(&T) -> &SafeText,
) -> Result<Option<&'a T>, SettingProblem> {
    let wanted = wanted.to_lowercase();
    let mut found = items
        .iter()
        .filter(|item| name(item).to_lowercase() == wanted);
    match (found.next(), found.next()) {
        (Some(_), Some(_)) => Err(SettingProblem::from(
            format!("several are called \"{wanted}\": use the id").as_str(),
        )),
        (one, _) => Ok(one),
    }
}
