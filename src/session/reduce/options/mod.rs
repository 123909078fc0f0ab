//! The session's options: the agent's config options, or its modes in their place (V1-SES-05); and
//! changes of them, by the agent and by the person.

pub mod settings;

use std::collections::BTreeSet;

use crate::{
    model::{
        Call, ConfigKind, ConfigOption, ConfigValue, ModeId, ModeState, OptionValue, RpcError,
        SessionId, SetBy, category, code,
    },
    session::{NoticeLevel, Session, setting},
    text::SafeText,
};

use super::{
    Step,
    connection::error_text,
    conversation::bounds::{
        MAX_OPTION_VALUES, MAX_OPTIONS, MAX_OPTIONS_BYTES, MAX_SETS, keep_first,
    },
};

/// Categories whose changes get a notice, if the person did not ask for them.
const TOLD: [&str; 2] = [category::MODE, category::MODEL];

#[derive(Debug, Default)]
pub struct OptionRules {
    /// What was asked for and is not answered: option and value, in the order of the calls.
    open: Vec<(String, OptionValue)>,
    /// Options that we set: a new process gets the same values.
    chosen: BTreeSet<String>,
    /// This connection does not know the method (V1-ERR-03).
    no_set_mode: bool,
    no_set_option: bool,
}

impl Session {
    /// The first option of a category: ties go by the agent's order (V1-CFG-05).
    pub fn option_of(&self, category: &str) -> Option<&ConfigOption> {
        self.config_options
            .iter()
            .find(|option| option.is_of(category))
    }

    /// The option that stands for the mode.
    pub fn mode_option(&self) -> Option<&ConfigOption> {
        setting::mode(&self.config_options)
    }

    pub fn option(&self, id: &str) -> Option<&ConfigOption> {
        self.config_options.iter().find(|option| option.id == id)
    }

    /// The last value asked for, while the agent has not answered.
    pub fn asked_of_option(&self, id: &str) -> Option<&OptionValue> {
        let mut open = self.inner.options.open.iter().rev();
        open.find(|(option, _)| option == id)
            .map(|(_, value)| value)
    }
}

impl Step<'_> {
    /// Takes the options of the answer to a set-up call. What it omits stays as updates before it, or the
    /// process before a restart, had it.
    pub fn options_at_opening(&mut self, modes: Option<ModeState>, options: Vec<ConfigOption>) {
        if !options.is_empty() {
            self.take_options(options);
        }
        // Where there are config options, they alone say what modes there are: those without a
        // mode among them have other things in `modes` (pi: thinking levels).
        if let Some(modes) = modes
            && !self.session.config_options.iter().any(is_agents_own)
        {
            self.session
                .config_options
                .retain(|o| o.set_by != SetBy::Mode);
            self.session.config_options.insert(0, mode_option(modes));
            self.options_changed();
        }
        let has_modes =
            |option: &ConfigOption| is_agents_own(option) || option.set_by == SetBy::Mode;
        if let Some(modes) = self.session.config.modes.clone()
            && !self.session.config_options.iter().any(has_modes)
        {
            // D-24
            self.session.config_options.insert(0, mode_option(modes));
            self.options_changed();
        }
    }

    pub fn forget_options(&mut self) {
        self.session.config_options.clear();
        self.options_changed();
    }

    /// Replaces the whole list (V1-UPD-08).
    pub fn config_options(&mut self, options: Vec<ConfigOption>) {
        let before = self.told_options();
        self.take_options(options);
        self.tell_changes(&before);
    }

    fn take_options(&mut self, mut options: Vec<ConfigOption>) {
        let mut bytes = MAX_OPTIONS_BYTES;
        keep_first(&mut options, MAX_OPTIONS, &mut bytes, |option| {
            let category = option.category.as_ref().map_or(0, String::len);
            option.id.len() + option.name.len() + told(&option.description) + category
        });
        let mut room = MAX_OPTION_VALUES;
        for option in &mut options {
            if let ConfigKind::Select { values, .. } = &mut option.kind {
                keep_first(values, room, &mut bytes, |value| {
                    let about = told(&value.description) + told(&value.group);
                    value.value.len() + value.name.len() + about
                });
                room -= values.len();
            }
        }
        // Modes stand in for options only while there are none.
        if !options.iter().any(is_agents_own) {
            let old = &self.session.config_options;
            let modes = old.iter().find(|option| option.set_by == SetBy::Mode);
            options.splice(0..0, modes.cloned());
        }
        self.session.config_options = options;
        self.options_changed();
    }

    fn options_changed(&mut self) {
        self.session.options_rev += 1;
    }

    /// The agent changed its mode, on our request or not (V1-UPD-07). An id that is not in the list is
    /// taken as well: the screen shows what is.
    pub fn mode_changed(&mut self, mode: &ModeId) {
        let before = self.told_options();
        self.take_mode(mode);
        self.tell_changes(&before);
    }

    /// V1-MODE-03: also where the mode is a config option.
    fn take_mode(&mut self, mode: &ModeId) {
        match self.session.mode_option().map(|option| option.id.clone()) {
            Some(id) => self.take_value(&id, &OptionValue::Id(mode.as_str().to_owned())),
            None if !self.session.config_options.iter().any(is_agents_own) => {
                let modes = ModeState {
                    current: mode.clone(),
                    available: Vec::new(),
                };
                self.session.config_options.insert(0, mode_option(modes));
                self.options_changed();
            }
            None => {}
        }
    }

    fn take_value(&mut self, id: &str, new: &OptionValue) {
        let options = &mut self.session.config_options;
        match (options.iter_mut().find(|option| option.id == id), new) {
            (Some(option), new) => match (&mut option.kind, new) {
                (ConfigKind::Select { current, .. }, OptionValue::Id(id)) => id.clone_into(current),
                (ConfigKind::Boolean { current }, OptionValue::Flag(flag)) => *current = *flag,
                _ => return,
            },
            (None, _) => return,
        }
        self.options_changed();
    }

    /// The values whose changes are told.
    fn told_options(&self) -> Vec<Option<OptionValue>> {
        let current = |category: &&str| self.session.option_of(category).map(ConfigOption::current);
        TOLD.iter().map(current).collect()
    }

    /// Gives a notice for changes that the person did not ask for.
    fn tell_changes(&mut self, before: &[Option<OptionValue>]) {
        if self.is_replaying() {
            return;
        }
        for (category, before) in TOLD.iter().zip(before) {
            let Some(option) = self.session.option_of(category) else {
                continue;
            };
            let current = option.current();
            if before.as_ref().is_none_or(|before| *before == current)
                || self.session.asked_of_option(&option.id) == Some(&current)
            {
                continue;
            }
            let text = format!("{category}: {}", option.name_of(&current));
            self.say(NoticeLevel::Quiet, SafeText::line(&text));
        }
    }

    pub fn cycle_mode(&mut self) {
        let Some(option) = self.session.mode_option().filter(|_| self.is_ready()) else {
            let why = self.modes_to_name();
            self.toast(why.unwrap_or("there are no modes to choose from"));
            return;
        };
        let current = option.current();
        let from = self.session.asked_of_option(&option.id);
        let OptionValue::Id(from) = from.unwrap_or(&current) else {
            return;
        };
        let values = option.values();
        let at = values.iter().position(|mode| mode.value == *from);
        let next = at.map_or(0, |at| (at + 1) % values.len());
        match values.get(next) {
            Some(mode) if mode.value != *from => {
                let (id, mode) = (option.id.clone(), mode.value.clone());
                self.ask_for(&id, OptionValue::Id(mode));
            }
            _ => self.toast("there is no other mode"),
        }
    }

    /// The person changes an option; also while a turn runs (V1-CFG-09).
    pub fn set_option(&mut self, id: &str, value: OptionValue) {
        if !self.is_ready() {
            self.toast("no session is open");
            return;
        }
        // The list may have changed since it was shown.
        let Some(option) = self.session.option(id) else {
            self.toast("the agent no longer has this option");
            return;
        };
        if !option.takes(&value) {
            self.toast("the agent no longer has this value");
            return;
        }
        let current = option.current();
        if *self.session.asked_of_option(id).unwrap_or(&current) != value {
            self.change_no_more(id);
            self.ask_for(id, value);
        }
    }

    /// Asks the agent; nothing is shown as set before it says so. Whether the call was made.
    pub fn ask_for(&mut self, id: &str, value: OptionValue) -> bool {
        let Some(session) = self.session.inner.opening.live().cloned() else {
            return false;
        };
        let Some(option) = self.session.option(id) else {
            return false;
        };
        let rules = &self.session.inner.options;
        let call = match (option.set_by, &value) {
            (SetBy::Mode, _) if rules.no_set_mode => {
                self.toast("the agent cannot change its mode");
                return false;
            }
            (SetBy::Option, _) if rules.no_set_option => {
                self.toast("the agent cannot change its options");
                return false;
            }
            (SetBy::Mode, OptionValue::Id(mode)) => Call::SetMode {
                session,
                mode: ModeId::new(mode),
            },
            (SetBy::Mode, OptionValue::Flag(_)) => return false,
            (SetBy::Option | SetBy::Model, _) => Call::SetConfigOption {
                session,
                option: id.to_owned(),
                value: value.clone(),
            },
        };
        if rules.open.len() >= MAX_SETS {
            self.toast("the agent has not answered the previous changes");
            return false;
        }
        self.note_asked(id, value);
        self.call(call);
        true
    }

    /// A call for it is open from now on.
    pub fn note_asked(&mut self, id: &str, value: OptionValue) {
        let open = &mut self.session.inner.options.open;
        open.push((id.to_owned(), value));
        self.options_changed();
    }

    pub fn mode_set(&mut self, session: &SessionId, mode: &ModeId) {
        if self.session.inner.opening.live() != Some(session) {
            return;
        }
        let id = self.mode_option_id();
        self.take_mode(mode);
        self.option_answered(&id, &OptionValue::Id(mode.as_str().to_owned()), true);
    }

    /// The list in the answer replaces ours (V1-CFG-08); without one the value is as asked.
    pub fn config_set(
        &mut self,
        session: &SessionId,
        id: &str,
        value: &OptionValue,
        options: Vec<ConfigOption>,
    ) {
        if self.session.inner.opening.live() != Some(session) {
            return;
        }
        let before = self.told_options();
        if options.is_empty() {
            self.take_value(id, value);
        } else {
            self.take_options(options);
        }
        self.tell_changes(&before);
        self.option_answered(id, value, true);
    }

    /// The value shown never changed (V1-CFG-09); a notice says why.
    pub fn option_failed(&mut self, call: Call, error: &RpcError) {
        let Some((session, id, value)) = self.asked_by(&call) else {
            return;
        };
        if self.session.inner.opening.live() != Some(session) {
            return;
        }
        let methods = !self.session.agent.auth_methods.is_empty();
        if error_text::wants_sign_in(error, methods) {
            self.close_call(&id, &value);
            self.sign_in_to_set(&call, error);
            return;
        }
        if error.code == code::METHOD_NOT_FOUND {
            let rules = &mut self.session.inner.options;
            match call {
                Call::SetMode { .. } => rules.no_set_mode = true,
                _ => rules.no_set_option = true,
            }
        }
        let option = self.session.option(&id);
        let what = option.map_or_else(
            || format!("{id} could not be set"),
            |option| {
                let (name, value) = (&option.name, option.name_of(&value));
                format!("{name} could not be set to {value}")
            },
        );
        if self.session.config.unattended && self.is_being_set_up() {
            let text = format!("{what}: {}", error_text::readable(error));
            let detail = error_text::detail(error);
            return self.fail_set_up(SafeText::line(&text), Some(detail));
        }
        self.say_error(NoticeLevel::Warning, &SafeText::line(&what), error);
        self.option_answered(&id, &value, false);
    }

    /// Which option a call was to set, and to what.
    pub fn asked_by<'c>(&self, call: &'c Call) -> Option<(&'c SessionId, String, OptionValue)> {
        match call {
            Call::SetMode { session, mode } => {
                let value = OptionValue::Id(mode.as_str().to_owned());
                Some((session, self.mode_option_id(), value))
            }
            Call::SetConfigOption {
                session,
                option,
                value,
            } => Some((session, option.clone(), value.clone())),
            _ => None,
        }
    }

    /// The id of the option that `session/set_mode` sets.
    fn mode_option_id(&self) -> String {
        let mut options = self.session.config_options.iter();
        let option = options.find(|option| option.set_by == SetBy::Mode);
        option.map_or_else(|| category::MODE.to_owned(), |option| option.id.clone())
    }

    fn option_answered(&mut self, id: &str, value: &OptionValue, well: bool) {
        if well {
            self.session.inner.options.chosen.insert(id.to_owned());
            self.signed_in();
        }
        self.close_call(id, value);
        self.setting_answered(id, value, well);
    }

    fn close_call(&mut self, id: &str, value: &OptionValue) {
        let open = &mut self.session.inner.options.open;
        if let Some(at) = open.iter().position(|(o, v)| o == id && v == value) {
            open.remove(at);
        }
        self.options_changed();
    }

    /// No answer will come.
    pub fn abort_options(&mut self) {
        let rules = &mut self.session.inner.options;
        rules.open.clear();
        rules.no_set_mode = false;
        rules.no_set_option = false;
        self.options_changed();
        self.abort_setting();
    }

    /// What the next process gets as this one has it: the mode, and the options that we set.
    pub fn options_to_keep(&self) -> Vec<(String, OptionValue)> {
        let mode = self.session.mode_option().map(|option| option.id.clone());
        let chosen = &self.session.inner.options.chosen;
        let options = self.session.config_options.iter();
        options
            .filter(|option| chosen.contains(&option.id) || Some(&option.id) == mode.as_ref())
            .map(|option| (option.id.clone(), option.current()))
            .collect()
    }
}

fn is_agents_own(option: &ConfigOption) -> bool {
    option.set_by == SetBy::Option
}

/// An option that stands for `modes` (V1-MODE-01).
pub fn mode_option(modes: ModeState) -> ConfigOption {
    let value = |mode: crate::model::SessionMode| ConfigValue {
        value: mode.id.as_str().to_owned(),
        name: mode.name,
        description: mode.description,
        group: None,
    };
    let mut available = modes.available;
    available.truncate(MAX_OPTION_VALUES);
    ConfigOption {
        id: category::MODE.to_owned(),
        name: "Mode".into(),
        description: None,
        category: Some(category::MODE.to_owned()),
        kind: ConfigKind::Select {
            current: modes.current.as_str().to_owned(),
            values: available.into_iter().map(value).collect(),
        },
        set_by: SetBy::Mode,
    }
}

fn told(text: &Option<SafeText>) -> usize {
    text.as_ref().map_or(0, |text| text.len())
}
