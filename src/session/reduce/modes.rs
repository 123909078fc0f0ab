//! Session modes: from the config option of category `mode`, else from `modes` (V1-SES-05).

use std::time::{Duration, Instant};

use crate::{
    proto::{
        Call, ConfigKind, ConfigOption, ModeId, ModeState, RpcError, SessionId, SessionMode, code,
    },
    session::{Modes, NoticeLevel, Session},
    text::SafeText,
};

use super::{
    Step,
    bounds::{MAX_COMMANDS, MAX_MODES},
    error_text,
};

/// So long the first prompt waits for the mode that it is to run in.
const MODE_PATIENCE: Duration = Duration::from_secs(10);

#[derive(Debug, Default)]
pub(super) struct ModeRules {
    /// To be set when the session opens: id or name.
    wanted: Option<String>,
    /// The call for it is open since then.
    setting_up: Option<Instant>,
    /// What was asked for last and is not answered: the next step of cycling starts there.
    target: Option<ModeId>,
    /// This connection does not know the method that sets modes (V1-ERR-03).
    fixed: bool,
}

impl ModeRules {
    pub(super) fn want(&mut self, mode: Option<String>) {
        self.wanted = mode;
    }
}

impl Session {
    pub(super) fn mode_deadline(&self) -> Option<Instant> {
        Some(self.inner.modes.setting_up? + MODE_PATIENCE)
    }
}

impl Step<'_> {
    /// What the answer to a set-up call says. What it leaves out stays as updates before it, or the
    /// time before a restart, had it.
    pub(super) fn modes_at_opening(
        &mut self,
        modes: Option<ModeState>,
        options: Vec<ConfigOption>,
    ) {
        if !options.is_empty() {
            self.take_options(options);
        }
        if let Some(modes) = modes
            && self.has_no_own_options()
        {
            self.session.modes = Some(Modes {
                current: modes.current,
                available: bounded(modes.available),
                option: None,
            });
        }
    }

    pub(super) fn forget_modes(&mut self) {
        self.session.modes = None;
        self.session.config_options.clear();
    }

    /// Replaces the whole list (V1-UPD-08).
    pub(super) fn config_options(&mut self, options: Vec<ConfigOption>) {
        let before = self.current_mode();
        self.take_options(options);
        self.tell_mode(before);
    }

    /// Where there are config options, they alone say what modes there are: those without a
    /// mode among them have other things in `modes` (pi: thinking levels).
    fn take_options(&mut self, mut options: Vec<ConfigOption>) {
        options.truncate(MAX_COMMANDS);
        self.session.config_options = options;
        let from_options = self.session.config_options.iter().find_map(mode_option);
        if from_options.is_some() || !self.has_no_own_options() {
            self.session.modes = from_options;
        }
    }

    /// Whether the agent has no config options: one made of its `models` says nothing of modes
    /// (D-21).
    fn has_no_own_options(&self) -> bool {
        self.session
            .config_options
            .iter()
            .all(ConfigOption::is_from_models)
    }

    /// The agent changed its mode, by itself or for us (V1-UPD-07). An id that is not in the list
    /// is believed: the screen shows what is.
    pub(super) fn mode_changed(&mut self, mode: ModeId) {
        let before = self.current_mode();
        self.take_mode(mode);
        self.tell_mode(before);
    }

    fn take_mode(&mut self, mode: ModeId) {
        let no_options = self.has_no_own_options();
        match &mut self.session.modes {
            Some(modes) => {
                // V1-MODE-03: both stay in step.
                if let Some(id) = &modes.option {
                    set_option(&mut self.session.config_options, id, mode.as_str());
                }
                modes.current = mode;
            }
            None if no_options => {
                self.session.modes = Some(Modes {
                    current: mode,
                    available: Vec::new(),
                    option: None,
                });
            }
            None => {}
        }
    }

    /// A change that the person did not ask for is worth a line.
    fn tell_mode(&mut self, before: Option<ModeId>) {
        let Some(modes) = &self.session.modes else {
            return;
        };
        let current = &modes.current;
        if before.is_none_or(|before| before == *current)
            || self.session.inner.modes.target.as_ref() == Some(current)
            || self.is_replaying()
        {
            return;
        }
        let text = format!("mode: {}", mode_name(modes, current));
        self.say(NoticeLevel::Quiet, SafeText::line(&text));
    }

    pub(super) fn cycle_mode(&mut self) {
        if self.session.inner.modes.fixed {
            self.toast("the agent cannot change its mode");
            return;
        }
        let Some(modes) = self.session.modes.as_ref().filter(|_| self.is_ready()) else {
            self.toast("there are no modes to choose from");
            return;
        };
        let from = self
            .session
            .inner
            .modes
            .target
            .as_ref()
            .unwrap_or(&modes.current);
        let at = modes.available.iter().position(|mode| mode.id == *from);
        let next = at.map_or(0, |at| (at + 1) % modes.available.len());
        match modes.available.get(next) {
            Some(mode) if mode.id != *from => self.ask_for_mode(mode.id.clone()),
            _ => self.toast("there is no other mode"),
        }
    }

    /// Only modes that the agent lists (V1-MODE-02).
    pub(super) fn set_mode(&mut self, mode: ModeId) {
        if !self.is_ready() {
            self.toast("no session is open");
            return;
        }
        match self.find_mode(mode.as_str()) {
            Some(mode) => self.ask_for_mode(mode),
            None => self.no_such_mode(mode.as_str()),
        }
    }

    /// Not shown as set before the agent says so.
    fn ask_for_mode(&mut self, mode: ModeId) {
        let Some(session) = self.session.inner.opening.live().cloned() else {
            return;
        };
        let option = self
            .session
            .modes
            .as_ref()
            .and_then(|modes| modes.option.clone());
        self.mode_call(match option {
            Some(option) => Call::SetConfigOption {
                session,
                option,
                value: mode.as_str().to_owned(),
            },
            None => Call::SetMode { session, mode },
        });
    }

    fn mode_call(&mut self, call: Call) {
        self.session.inner.modes.target = match &call {
            Call::SetMode { mode, .. } => Some(mode.clone()),
            Call::SetConfigOption { value, .. } => Some(ModeId::new(value)),
            _ => None,
        };
        self.call(call);
    }

    pub(super) fn mode_set(&mut self, session: &SessionId, mode: ModeId) {
        if self.session.inner.opening.live() != Some(session) {
            return;
        }
        self.take_mode(mode.clone());
        self.mode_answered(&mode);
    }

    /// The list in the answer replaces ours (V1-CFG-08); without one the value is as asked.
    pub(super) fn config_set(
        &mut self,
        session: &SessionId,
        option: &str,
        value: String,
        options: Vec<ConfigOption>,
    ) {
        if self.session.inner.opening.live() != Some(session) {
            return;
        }
        let before = self.current_mode();
        let mode = ModeId::new(value);
        if options.is_empty() {
            let modes = &self.session.modes;
            if modes
                .as_ref()
                .is_some_and(|modes| modes.option.as_deref() == Some(option))
            {
                self.take_mode(mode.clone());
            }
        } else {
            self.take_options(options);
        }
        self.tell_mode(before);
        self.mode_answered(&mode);
    }

    /// The mode shown never changed (V1-CFG-09); it is said why.
    pub(super) fn mode_failed(&mut self, call: Call, error: &RpcError) {
        let (session, mode) = match &call {
            Call::SetMode { session, mode } => (session, mode.clone()),
            Call::SetConfigOption { session, value, .. } => (session, ModeId::new(value)),
            _ => return,
        };
        if self.session.inner.opening.live() != Some(session) {
            return;
        }
        let methods = !self.session.agent.auth_methods.is_empty();
        if self.session.turn.is_none() && error_text::wants_sign_in(error, methods) {
            self.abort_mode();
            self.sign_in_to_call(call, error);
            return;
        }
        self.session.inner.modes.fixed |= error.code == code::METHOD_NOT_FOUND;
        let what = format!("mode {} could not be set", SafeText::line(mode.as_str()));
        self.say_error(NoticeLevel::Warning, &what, error);
        self.mode_answered(&mode);
    }

    fn mode_answered(&mut self, mode: &ModeId) {
        let rules = &mut self.session.inner.modes;
        if rules.target.as_ref() == Some(mode) {
            rules.target = None;
        }
        if rules.setting_up.take().is_some() {
            self.send_next_unless_held();
        }
    }

    /// The session is open: the mode of the config, or the one from before a restart. Prompts wait
    /// for the answer, since a prompt meant for a careful mode must not run in another.
    ///
    /// `told`: the agent has said which mode it is in; else ours is from before.
    pub(super) fn set_wanted_mode(&mut self, told: bool) {
        let Some(wanted) = self.session.inner.modes.wanted.take() else {
            return;
        };
        match self.find_mode(&wanted) {
            Some(mode) if told && self.current_mode().as_ref() == Some(&mode) => {}
            Some(mode) => {
                self.session.inner.modes.setting_up = Some(self.now);
                self.ask_for_mode(mode);
            }
            None => self.no_such_mode(&wanted),
        }
    }

    /// The call that a sign-in interrupted, once more; prompts wait for its answer.
    pub(super) fn set_up_mode(&mut self, call: Call) {
        let rules = &mut self.session.inner.modes;
        rules.setting_up = Some(self.now);
        rules.wanted = None;
        self.mode_call(call);
    }

    /// Before a restart: the next process is to be in the mode that this one is in.
    pub(super) fn want_current_mode(&mut self) {
        if self.session.inner.modes.wanted.is_none() {
            self.session.inner.modes.wanted =
                self.current_mode().map(|mode| mode.as_str().to_owned());
        }
    }

    pub(super) fn mode_is_being_set_up(&self) -> bool {
        self.session.inner.modes.setting_up.is_some()
    }

    pub(super) fn tell_slow_mode(&mut self) -> bool {
        if self.session.mode_deadline().is_none_or(|at| self.now < at) {
            return false;
        }
        self.session.inner.modes.setting_up = None;
        let text = "the agent does not answer whether the mode is set: look at it before you go on";
        self.say(NoticeLevel::Warning, text.into());
        self.hold_queue();
        true
    }

    /// No answer will come. The mode that the session was to open in still is to be set.
    pub(super) fn abort_mode(&mut self) {
        let rules = &mut self.session.inner.modes;
        let target = rules.target.take();
        rules.fixed = false;
        if rules.setting_up.take().is_some() {
            rules.wanted = target.map(|mode| mode.as_str().to_owned());
        }
    }

    fn current_mode(&self) -> Option<ModeId> {
        self.session
            .modes
            .as_ref()
            .map(|modes| modes.current.clone())
    }

    /// By id, else by name in any case.
    fn find_mode(&self, wanted: &str) -> Option<ModeId> {
        let available = &self.session.modes.as_ref()?.available;
        let by_id = available.iter().find(|mode| mode.id.as_str() == wanted);
        by_id
            .or_else(|| {
                let name = wanted.to_lowercase();
                available
                    .iter()
                    .find(|mode| mode.name.to_lowercase() == name)
            })
            .map(|mode| mode.id.clone())
    }

    fn no_such_mode(&mut self, wanted: &str) {
        let available = self.session.modes.iter().flat_map(|modes| &modes.available);
        let names: Vec<&str> = available.map(|mode| mode.id.as_str()).collect();
        let there_is = match names.as_slice() {
            [] => "the agent has no modes".to_owned(),
            names => format!("there are {}", names.join(", ")),
        };
        let text = SafeText::line(&format!("no mode \"{wanted}\": {there_is}"));
        self.say(NoticeLevel::Warning, text);
    }
}

fn mode_option(option: &ConfigOption) -> Option<Modes> {
    let ConfigKind::Select { current, values } = &option.kind else {
        return None;
    };
    if option.category.as_deref() != Some("mode") {
        return None;
    }
    let available = values.iter().map(|value| SessionMode {
        id: ModeId::new(&value.value),
        name: value.name.clone(),
        description: value.description.clone(),
    });
    Some(Modes {
        current: ModeId::new(current),
        available: bounded(available.collect()),
        option: Some(option.id.clone()),
    })
}

fn set_option(options: &mut [ConfigOption], id: &str, new: &str) {
    let option = options.iter_mut().find(|option| option.id == id);
    if let Some(ConfigKind::Select { current, .. }) = option.map(|option| &mut option.kind) {
        new.clone_into(current);
    }
}

fn bounded(mut modes: Vec<SessionMode>) -> Vec<SessionMode> {
    modes.truncate(MAX_MODES);
    modes
}

/// For people: the name, else the raw id.
fn mode_name(modes: &Modes, id: &ModeId) -> SafeText {
    let known = modes.available.iter().find(|mode| mode.id == *id);
    known.map_or_else(|| SafeText::line(id.as_str()), |mode| mode.name.clone())
}
