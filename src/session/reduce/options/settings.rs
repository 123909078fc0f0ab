//! What a session is to open with: modes, models and options of the command line and the profile,
//! and what held before a restart. One after the other, since each may change what the others can
//! be; prompts wait, since one meant for a careful mode or a certain model must not run in another.

use std::{
    collections::VecDeque,
    time::{Duration, Instant},
};

use crate::{
    model::{Call, ConfigOption, OptionValue, Setting, SettingKey, SettingSource, category},
    session::{
        NoticeLevel, Session,
        setting::{find, resolve},
    },
    text::SafeText,
};

use super::super::Step;

/// How long the first prompt waits for each setting.
const PATIENCE: Duration = Duration::from_secs(10);

#[derive(Debug, Default)]
pub struct Settings {
    /// Still to be set; of two for the same option the later one counts.
    pub wanted: VecDeque<Setting>,
    /// The one whose call is open.
    open: Option<Open>,
    /// What was set since there was nothing left to set.
    made: Vec<Open>,
    /// Some of these were set once more, since a later one had changed them.
    repaired: bool,
    /// The agent has said how its options stand; else what we show is from before.
    told: bool,
}

#[derive(Debug)]
struct Open {
    setting: Setting,
    option: String,
    value: OptionValue,
    since: Instant,
}

impl Session {
    pub(in crate::session) fn setting_deadline(&self) -> Option<Instant> {
        Some(self.inner.settings.open.as_ref()?.since + PATIENCE)
    }
}

impl Step<'_> {
    pub fn is_being_set_up(&self) -> bool {
        self.session.inner.settings.open.is_some()
    }

    /// The session is open.
    ///
    /// `told`: the agent has said how its options stand.
    pub fn apply_settings(&mut self, told: bool) {
        self.session.inner.settings.told = told;
        self.apply_next();
    }

    /// Applies settings up to the next one that takes a call. Those that a later one changed are set once
    /// more, else a notice names them: claude's mode may choose another model.
    fn apply_next(&mut self) {
        self.apply_wanted();
        if !self.is_being_set_up() && self.want_what_was_changed() {
            self.apply_wanted();
        }
    }

    /// Whether there is something to set once more.
    fn want_what_was_changed(&mut self) -> bool {
        let made = std::mem::take(&mut self.session.inner.settings.made);
        let holds = |made: &Open| {
            let option = self.session.option(&made.option);
            option.is_none_or(|option| option.current() == made.value)
        };
        let lost: Vec<Setting> = made
            .into_iter()
            .filter(|made| !holds(made))
            .map(|made| made.setting)
            .collect();
        let settings = &mut self.session.inner.settings;
        if lost.is_empty() || std::mem::replace(&mut settings.repaired, true) {
            settings.repaired = false;
            if !lost.is_empty() {
                self.tell_lost(&lost);
            }
            return false;
        }
        settings.wanted.extend(lost);
        true
    }

    fn tell_lost(&mut self, lost: &[Setting]) {
        let names: Vec<String> = lost.iter().map(label).collect();
        let text = format!(
            "the agent did not keep this with the other settings: {}",
            names.join(", ")
        );
        if self.session.config.unattended {
            self.fail_set_up(SafeText::line(&text), None);
        } else {
            self.say(NoticeLevel::Warning, SafeText::line(&text));
        }
    }

    fn apply_wanted(&mut self) {
        while let Some(setting) = self.next_setting() {
            let (option, value) = match resolve(&self.session.config_options, &setting) {
                Ok(resolved) => resolved,
                Err(problem) => {
                    let mut text = format!("{}: {}", label(&setting), problem.text);
                    if setting.key == SettingKey::Mode
                        && let Some(how) = self.modes_to_name()
                    {
                        text.push_str(&format!("; {how}"));
                    }
                    let text = SafeText::line(&text);
                    if self.session.config.unattended {
                        return self.fail_set_up(text, problem.all);
                    }
                    match problem.all {
                        Some(all) => self.notice_with_detail(NoticeLevel::Warning, text, all),
                        None => self.say(NoticeLevel::Warning, text),
                    }
                    continue;
                }
            };
            let current = self.session.option(&option).map(ConfigOption::current);
            if self.session.inner.settings.told && current.as_ref() == Some(&value) {
                continue;
            }
            if self.ask_for(&option, value.clone()) {
                self.session.inner.settings.open = Some(Open {
                    setting,
                    option,
                    value,
                    since: self.now,
                });
                return;
            }
        }
    }

    /// The model comes first: what the other options can be may hang on it. One that a later one
    /// overrides is passed over.
    fn next_setting(&mut self) -> Option<Setting> {
        loop {
            let wanted = &self.session.inner.settings.wanted;
            let names = |setting: &Setting| {
                let option = find(&self.session.config_options, &setting.key).ok()?;
                Some((option.id.clone(), option.is_of(category::MODEL)))
            };
            let named: Vec<Option<(String, bool)>> = wanted.iter().map(names).collect();
            let model = |named: &Option<(String, bool)>| named.as_ref().is_some_and(|n| n.1);
            let at = named.iter().position(model).unwrap_or(0);
            let overridden = match named.get(at) {
                Some(Some((id, _))) => {
                    let mut later = named.iter().skip(at + 1).flatten();
                    later.any(|(other, _)| other == id)
                }
                _ => false,
            };
            let setting = self.session.inner.settings.wanted.remove(at)?;
            if !overridden {
                return Some(setting);
            }
        }
    }

    /// A call that sets an option was answered: the next one, then the prompts.
    pub fn setting_answered(&mut self, option: &str, value: &OptionValue, well: bool) {
        let open = &mut self.session.inner.settings.open;
        let awaited = open.take_if(|open| open.option == option && open.value == *value);
        if let Some(awaited) = awaited {
            if well && awaited.setting.source != SettingSource::Before {
                let made = &mut self.session.inner.settings.made;
                made.retain(|made| made.option != option);
                made.push(awaited);
            }
            self.apply_next();
            self.send_next_unless_held();
        }
    }

    /// After a sign-in: the setting that was refused, and those behind it.
    pub fn go_on_setting(&mut self) {
        if !self.is_being_set_up() {
            self.apply_next();
        }
    }

    /// A call was refused without a sign-in: it is made again after it, here or in the next process.
    pub fn want_again(&mut self, call: &Call) {
        let Some((_, option, value)) = self.asked_by(call) else {
            return;
        };
        let settings = &mut self.session.inner.settings;
        let open = &mut settings.open;
        let awaited = open.take_if(|open| open.option == option && open.value == value);
        match awaited {
            Some(open) => settings.wanted.push_front(open.setting),
            None => {
                self.change_no_more(&option);
                let wanted = &mut self.session.inner.settings.wanted;
                wanted.push_back(before(&option, &value));
            }
        }
    }

    /// The person has changed that option: it is not set again.
    pub fn change_no_more(&mut self, option: &str) {
        let key = SettingKey::Option(option.to_owned());
        let settings = &mut self.session.inner.settings;
        settings.made.retain(|made| made.option != option);
        let wanted = &mut settings.wanted;
        wanted.retain(|setting| setting.source != SettingSource::Before || setting.key != key);
    }

    /// The person gave up the changes that were refused.
    pub fn forget_changes(&mut self) {
        let wanted = &mut self.session.inner.settings.wanted;
        wanted.retain(|setting| setting.source != SettingSource::Before);
    }

    /// No answer will come. What the session was to open with still is to be set.
    pub fn abort_setting(&mut self) {
        let settings = &mut self.session.inner.settings;
        settings.made.clear();
        settings.repaired = false;
        if let Some(open) = settings.open.take() {
            settings.wanted.push_front(open.setting);
        }
    }

    /// Before a restart: the next process gets the mode and the options that were set here.
    pub fn want_current_options(&mut self) {
        let kept = self.options_to_keep();
        let kept = kept.iter().map(|(option, value)| before(option, value));
        // What was wanted before and is not set yet comes later, and so counts.
        let wanted = std::mem::take(&mut self.session.inner.settings.wanted);
        let news = |kept: &Setting| wanted.iter().all(|setting| setting.key != kept.key);
        let kept: Vec<Setting> = kept.filter(news).collect();
        self.session.inner.settings.wanted = kept.into_iter().chain(wanted).collect();
    }

    pub fn tell_slow_setting(&mut self) -> bool {
        if !self.is_due(self.session.setting_deadline()) {
            return false;
        }
        let settings = &mut self.session.inner.settings;
        let left = std::mem::take(&mut settings.wanted).into_iter();
        let open = settings.open.take().into_iter().map(|open| open.setting);
        let names: Vec<String> = open.chain(left).map(|setting| label(&setting)).collect();
        let text = format!(
            "the agent has not confirmed this setting: {}",
            names.join(", ")
        );
        if self.session.config.unattended {
            self.fail_set_up(SafeText::line(&text), None);
            return true;
        }
        let text = format!("{text}. Check it before you continue");
        self.say(NoticeLevel::Warning, SafeText::line(&text));
        self.hold_queue();
        true
    }
}

fn before(option: &str, value: &OptionValue) -> Setting {
    Setting {
        source: SettingSource::Before,
        key: SettingKey::Option(option.to_owned()),
        value: match value {
            OptionValue::Id(id) => id.clone(),
            OptionValue::Flag(flag) => flag.to_string(),
        },
    }
}

/// As it was written.
fn label(setting: &Setting) -> String {
    let value = &setting.value;
    match (setting.source, &setting.key) {
        (SettingSource::CommandLine, SettingKey::Mode) => format!("--mode {value}"),
        (SettingSource::CommandLine, SettingKey::Model) => format!("--model {value}"),
        (SettingSource::CommandLine, SettingKey::Option(key)) => format!("--set {key}={value}"),
        (SettingSource::Profile, SettingKey::Mode) => format!("the profile's mode = \"{value}\""),
        (SettingSource::Profile, SettingKey::Model) => format!("the profile's model = \"{value}\""),
        (SettingSource::Profile, SettingKey::Option(key)) => {
            format!("the profile's config.{key} = \"{value}\"")
        }
        (SettingSource::Before, SettingKey::Mode) => format!("mode {value} as before"),
        (SettingSource::Before, SettingKey::Model) => format!("model {value} as before"),
        (SettingSource::Before, SettingKey::Option(key)) => format!("{key} {value} as before"),
    }
}
