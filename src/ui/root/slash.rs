//! What the client's own slash commands do.

use crate::{
    model::{ConfigKind, ConfigOption, OptionValue, Setting, SettingKey, SettingSource},
    session::{Event, Phase, resolve_setting},
    text::SafeText,
    ui::{
        Draft, DraftPart, SendTo, Ui, UiCommand, UiContext,
        action::Action,
        composer::draft_of,
        overlay::{agent_name, ask_aside},
        own_commands::{Does, OwnCommand, Slash, slash},
    },
};

impl Ui {
    /// Carries out the draft if it is a command of ours; it leaves the composer, unless what is asked
    /// for cannot be had.
    pub(super) fn own_command(&mut self, cx: &UiContext<'_>) -> bool {
        let draft = self.composer.draft_text();
        let Slash::Own(own, argument) = slash(&draft, |name| listed(name, cx)) else {
            return false;
        };
        if own.hint.is_empty() && !argument.is_empty() {
            let text = format!("/{} takes nothing behind it", own.name);
            self.moment.say(SafeText::line(&text));
            return true;
        }
        if let Err(why) = self.check(own, argument, cx) {
            self.moment.say(SafeText::line(&why));
            return true;
        }
        if own.does == Does::Btw {
            let draft = self.composer.take_draft();
            self.ask_aside(draft);
            return true;
        }
        self.composer.take_draft();
        self.composer.push_history(draft.trim_end());
        let draft = draft.trim_end().to_owned();
        self.commands.push(UiCommand::SaveHistory(draft));
        self.run(own, argument, cx);
        true
    }

    /// Whether the draft is `//name`, which is for the agent.
    pub(super) fn is_for_agent(&self, cx: &UiContext<'_>) -> bool {
        let draft = self.composer.draft_text();
        matches!(slash(&draft, |name| listed(name, cx)), Slash::Agents)
    }

    /// What is sent where the draft is one of the person's prompts.
    pub(super) fn expanded(&self, cx: &UiContext<'_>) -> Option<Result<Draft, SafeText>> {
        let draft = self.composer.draft_text();
        let typed = draft.strip_prefix('/')?;
        let (name, arguments) = typed.split_once(char::is_whitespace).unwrap_or((typed, ""));
        let mut prompts = cx.project.prompts.iter();
        let prompt = prompts.find(|prompt| prompt.name == name)?;
        Some(prompt.expand(arguments.trim()).map(|text| draft_of(&text)))
    }

    /// Why it cannot be carried out with that behind it.
    fn check(&self, own: &OwnCommand, argument: &str, cx: &UiContext<'_>) -> Result<(), String> {
        match own.does {
            Does::Btw => self.check_aside(cx),
            _ if argument.is_empty() => Ok(()),
            Does::Model => value_of(SettingKey::Model, argument, cx).map(drop),
            Does::Mode => value_of(SettingKey::Mode, argument, cx).map(drop),
            Does::Agents | Does::HandOver => self.agent_named(argument).map(drop),
            Does::Export | Does::Quit | Does::Worktree | Does::Act(_) => Ok(()),
        }
    }

    fn run(&mut self, own: &OwnCommand, argument: &str, cx: &UiContext<'_>) {
        match own.does {
            Does::Act(action) => {
                self.act(action, cx);
            }
            // It goes no way of the others: nothing of it is kept.
            Does::Btw => {}
            Does::Quit => self.commands.push(UiCommand::Quit),
            Does::Export => {
                let path = (!argument.is_empty()).then(|| argument.to_owned());
                self.commands.push(UiCommand::Export(path));
            }
            Does::Worktree => match (argument.is_empty(), cx.session) {
                (true, Some(session)) if session.config.worktree.is_some() => {
                    self.act(Action::EndWorktree, cx);
                }
                (_, None) => self.say_no_agent(cx),
                (empty, Some(_)) => {
                    let name = (!empty).then(|| argument.to_owned());
                    self.commands.push(UiCommand::NewWorktree(name));
                }
            },
            Does::Model if argument.is_empty() => {
                self.act(Action::Model, cx);
            }
            Does::Mode if argument.is_empty() => {
                self.act(Action::Mode, cx);
            }
            Does::HandOver if argument.is_empty() => {
                self.act(Action::HandOver, cx);
            }
            Does::HandOver => {
                if let Ok(id) = self.agent_named(argument) {
                    self.commands.push(UiCommand::HandOver(id));
                }
            }
            Does::Agents if argument.is_empty() => {
                self.act(Action::ChooseAgent, cx);
            }
            Does::Model => self.set(SettingKey::Model, argument, cx),
            Does::Mode => self.set(SettingKey::Mode, argument, cx),
            Does::Agents => {
                if let Ok(id) = self.agent_named(argument) {
                    self.commands.push(UiCommand::ChooseAgent(id));
                }
            }
        }
    }

    /// Why nothing can be asked beside the conversation, and what can be done instead.
    fn check_aside(&self, cx: &UiContext<'_>) -> Result<(), String> {
        let Some(session) = cx.session else {
            return Err("no agent yet: /agents chooses one".into());
        };
        let opens = self.look.keymap.hint(Action::NewSession);
        match session.phase {
            Phase::Ready if !session.agent.caps.fork => Err(format!(
                "{} cannot fork a session: send it as a prompt, or in a new session ({opens})",
                agent_name(Some(session))
            )),
            Phase::Ready if !session.has_conversation() => {
                Err("nothing was said yet: send it as a prompt".into())
            }
            Phase::Ready => Ok(()),
            _ => Err("no session is open yet".into()),
        }
    }

    /// Asks what stands behind the command's name; for the question, where nothing does.
    fn ask_aside(&mut self, mut draft: Draft) {
        if let Some(DraftPart::Text(text) | DraftPart::MaybeFiles { text, .. }) =
            draft.parts.first_mut()
        {
            let rest = text.split_once(char::is_whitespace);
            let rest = rest.map_or("", |(_, rest)| rest.trim_start()).to_owned();
            draft.parts[0] = DraftPart::Text(rest);
        }
        match draft.written().trim().is_empty() {
            true => self.layers.open(Box::new(ask_aside())),
            false => self.commands.push(UiCommand::Submit {
                draft,
                to: SendTo::Aside,
            }),
        }
    }

    /// The same without the command.
    pub(super) fn ask_for_side_question(&mut self, cx: &UiContext<'_>) {
        match self.check_aside(cx) {
            Ok(()) => self.layers.open(Box::new(ask_aside())),
            Err(why) => self.moment.say(SafeText::line(&why)),
        }
    }

    fn set(&mut self, key: SettingKey, wanted: &str, cx: &UiContext<'_>) {
        if let Ok((option, value, said)) = value_of(key, wanted, cx) {
            self.moment.say(said);
            self.session_event(Event::SetOption { option, value }, cx);
        }
    }

    /// The id of the agent that is meant, by id or name.
    fn agent_named(&self, wanted: &str) -> Result<String, String> {
        let agents = || self.look.agents.iter();
        let found = only(wanted, agents().map(|agent| (&*agent.id, &*agent.name)));
        found.map(str::to_owned).map_err(|several| match several {
            true => format!("several agents match \"{wanted}\""),
            false => format!("no agent is called \"{wanted}\": /agents lists them"),
        })
    }
}

/// Whether the agent lists a command of that name.
fn listed(name: &str, cx: &UiContext<'_>) -> bool {
    let commands = cx.session.map_or(&[][..], |session| &session.commands);
    commands.iter().any(|command| command.name.as_str() == name)
}

/// The option, the value that is meant, and what to say of it; by id, by name, or by a part that only
/// one has.
fn value_of(
    key: SettingKey,
    wanted: &str,
    cx: &UiContext<'_>,
) -> Result<(String, OptionValue, SafeText), String> {
    let Some(session) = cx.session else {
        return Err("no agent yet: /agents chooses one".into());
    };
    let option = match key {
        SettingKey::Mode => session.mode_option(),
        _ => session.option_of(crate::model::category::MODEL),
    };
    let meant = option.and_then(|option| one_of(option, wanted));
    let setting = Setting {
        source: SettingSource::CommandLine,
        key,
        value: meant.unwrap_or_else(|| wanted.to_owned()),
    };
    let (id, value) =
        resolve_setting(&session.config_options, &setting).map_err(|problem| problem.text)?;
    let said = session
        .option(&id)
        .map_or_else(SafeText::default, |option| {
            SafeText::line(&format!("{}: {}", option.name, option.name_of(&value)))
        });
    Ok((id, value, said))
}

/// The id of the value that alone matches.
fn one_of(option: &ConfigOption, wanted: &str) -> Option<String> {
    let ConfigKind::Select { values, .. } = &option.kind else {
        return None;
    };
    let values = values.iter().map(|value| (&*value.value, &*value.name));
    only(wanted, values).ok().map(str::to_owned)
}

/// The id of what is called like that, else of the only one that begins so, else of the only one that
/// has it anywhere. `Err`: none, or (true) several.
fn only<'a>(
    wanted: &str,
    named: impl Iterator<Item = (&'a str, &'a str)>,
) -> Result<&'a str, bool> {
    let wanted = wanted.to_lowercase();
    let named: Vec<(&str, [String; 2])> = named
        .map(|(id, name)| (id, [id.to_lowercase(), name.to_lowercase()]))
        .collect();
    let tests: [fn(&str, &str) -> bool; 3] = [
        |name, wanted| name == wanted,
        |name, wanted| name.starts_with(wanted),
        |name, wanted| name.contains(wanted),
    ];
    for test in tests {
        let mut found = named
            .iter()
            .filter(|(_, names)| names.iter().any(|name| test(name, &wanted)));
        match (found.next(), found.next()) {
            (Some((id, _)), None) => return Ok(id),
            (Some(_), Some(_)) => return Err(true),
            (None, _) => {}
        }
    }
    Err(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_name_is_enough_where_only_one_has_it() {
        let models = [
            ("opus", "Claude Opus 4"),
            ("sonnet", "Claude Sonnet 4"),
            ("sonnet[1m]", "Sonnet, long"),
        ];
        for (wanted, is) in [
            ("opus", Ok("opus")),
            ("OPUS", Ok("opus")),
            ("sonnet", Ok("sonnet")),
            ("son", Err(true)),
            ("long", Ok("sonnet[1m]")),
            ("claude opus", Ok("opus")),
            ("haiku", Err(false)),
        ] {
            assert_eq!(only(wanted, models.into_iter()), is, "{wanted}");
        }
    }
}
