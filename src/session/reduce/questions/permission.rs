//! Permission requests: to the policy, then to the person; what was answered stays with the call
//! (V1-PERM).

use std::sync::Arc;

use crate::{
    model::{
        CommandSubject, HostReply, OptionId, Patch, PermissionKind, PermissionOption,
        PermissionOutcome, PermissionRequest, PermissionSubject, Place, RawJson, RequestKey,
        RpcError, ToolCallId, ToolCallPatch, ToolContent, ToolKind, code,
    },
    session::{
        Answered, BlockId, By, Changed, Effect, PermissionQuestion, Question, QuestionId, Stray,
        Subject, ToolState, Verdict,
    },
    text::SafeText,
};

use super::super::{
    Step,
    conversation::{
        bounds::{MAX_ANSWERS, MAX_OPTIONS_OF_QUESTION, MAX_TITLE, answer_weight, bounded},
        tools::PatchSource,
    },
};

impl Step<'_> {
    pub fn permission(&mut self, key: RequestKey, request: PermissionRequest) {
        // V1-PERM-03: what is asked about is shown, announced or not.
        let title = request.title.map(|title| bounded(&title, MAX_TITLE));
        let description = request.description.map(|text| bounded(&text, MAX_TITLE));
        let (block, about) = match request.subject {
            PermissionSubject::ToolCall(patch) => {
                (self.patch_tool(*patch, PatchSource::Asked), About::Call)
            }
            PermissionSubject::Command(command) => {
                let block = self.call_to_run(key, &command, title.as_ref());
                (block, About::Command(command))
            }
            PermissionSubject::Other { kind: _, raw } => {
                let block = self.asked_by_itself(key, title.as_ref(), Patch::Set(raw));
                (block, About::Unknown)
            }
            PermissionSubject::None => {
                let block = self.asked_by_itself(key, title.as_ref(), Patch::Keep);
                (block, About::Unknown)
            }
        };
        if self.is_cancelling() || self.is_replaying() {
            // V1-PERM-02; and history asks nothing (V1-SES-09).
            self.record(block, cancelled());
            let outcome = HostReply::Permission(PermissionOutcome::Cancelled);
            self.answer_request(key, outcome);
            return;
        }
        let bytes = |option: &PermissionOption| option.id.as_str().len() + option.name.len();
        if self.refuse_if_too_many(key) {
            return;
        }
        if request.options.iter().map(bytes).sum::<usize>() > MAX_OPTIONS_OF_QUESTION {
            return self.refuse_as_too_much(key, "the options of the question are too long");
        }
        if let Some(call) = self.conversation_mut().edit_tool(block)
            && call.raw_input.is_some()
        {
            let before = call.other_input_asked().map_or(0, |raw| raw.0.len());
            call.asked_input = call.raw_input.clone();
            self.conversation_mut().shrink(before);
        }
        let names_command = matches!(about, About::Command(_));
        let Some(subject) = self.subject(block, about) else {
            let error = RpcError::new(code::INTERNAL, "the tool call cannot be shown");
            self.answer_request(key, HostReply::Error(error));
            return;
        };
        let id = self.next_question();
        self.session
            .questions
            .push_back(Question::Permission(PermissionQuestion {
                id,
                key,
                subagent: self.subagent_id().cloned(),
                block,
                title,
                description,
                subject: subject.clone(),
                options: request.options.clone(),
                reason: None,
                strays: Vec::new(),
                since: self.now,
                deciding: true,
                judging: true,
                names_command,
                revision: 0,
                changed: None,
            }));
        self.mark_asking(block);
        self.effects.push(Effect::Decide {
            question: id,
            revision: 0,
            subject: Box::new(subject),
            options: request.options,
        });
    }

    /// `revision`: what the policy looked at; without one what is asked about now.
    pub fn decided(&mut self, id: QuestionId, revision: Option<u64>, verdict: Verdict) {
        let Some(at) = self.position(id) else {
            return;
        };
        let Some(Question::Permission(question)) = self.session.questions.get(at) else {
            return;
        };
        let deciding = question.deciding;
        if !deciding && (revision.is_none() || !question.judging) {
            return;
        }
        if revision.is_some_and(|judged| judged != question.revision) {
            // It was about what the call no longer says.
            return self.judge(at);
        }
        let (picked, reason, strays) = match verdict {
            // What the person has before them already is theirs: it does not go away under their hand.
            Verdict::Allow { .. } if !deciding => (None, None, Vec::new()),
            Verdict::Allow { option, rule } => (Some((option, true, rule)), None, Vec::new()),
            Verdict::Deny { option, rule } => (Some((option, false, rule)), None, Vec::new()),
            Verdict::Ask { reason, strays } => (None, reason, strays),
        };
        // Policy picks among what the agent offers, or not at all.
        let picked = picked.and_then(|(id, allowed, rule)| {
            let option = question.options.iter().find(|option| option.id == id)?;
            Some((option.clone(), allowed, rule))
        });
        let nothing_shown = self.session.shown_question().is_none();
        match picked {
            Some((option, allowed, rule)) => {
                let answered = Answered {
                    answer: option.name.clone(),
                    allowed: Some(allowed),
                    by: By::Rule(rule),
                };
                self.select(at, option.id, answered);
            }
            None => self.leave_to_person(at, reason, strays),
        }
        self.call_person(nothing_shown);
    }

    fn leave_to_person(&mut self, at: usize, reason: Option<SafeText>, strays: Vec<Stray>) {
        if let Some(Question::Permission(question)) = self.session.questions.get_mut(at) {
            question.judging = false;
            if question.deciding {
                question.deciding = false;
                question.since = self.now;
            } else if question.strays != strays || question.reason != reason {
                // Something else to be read before the answer.
                question.revision += 1;
            }
            question.reason = reason;
            question.strays = strays;
        }
        self.refuse_if_unattended(at);
    }

    /// Asks the policy about what a question is about now. Once at a time: an agent may change its call
    /// faster than the disk is looked at.
    fn judge(&mut self, at: usize) {
        if let Some(Question::Permission(question)) = self.session.questions.get_mut(at) {
            question.judging = true;
            self.effects.push(Effect::Decide {
                question: question.id,
                revision: question.revision,
                subject: Box::new(question.subject.clone()),
                options: question.options.clone(),
            });
        }
    }

    /// The person's answer: to this question, with one of its options, once (V1-PERM-10).
    pub fn answer(&mut self, id: QuestionId, option: &OptionId) {
        let Some(at) = self.position(id) else {
            return;
        };
        let Some(Question::Permission(question)) = self.session.questions.get(at) else {
            return;
        };
        if question.deciding {
            return;
        }
        let Some(option) = question
            .options
            .iter()
            .find(|offered| offered.id == *option)
        else {
            return;
        };
        let answered = Answered {
            answer: option.name.clone(),
            allowed: allows(option),
            by: By::Person,
        };
        let option = option.id.clone();
        self.select(at, option, answered);
        self.silence_counts_anew();
    }

    pub fn select(&mut self, at: usize, option: OptionId, answered: Answered) {
        if let Some(Question::Permission(question)) = self.session.questions.remove(at) {
            self.in_conversation_of(question.subagent.as_ref(), |step| {
                step.record(question.block, answered);
            });
            let outcome = PermissionOutcome::Selected(option);
            self.answer_request(question.key, HostReply::Permission(outcome));
        }
    }

    /// What was asked stays in the transcript with its answer. A call that was allowed is under way:
    /// not all agents say so.
    pub fn record(&mut self, block: BlockId, answered: Answered) {
        let now = self.now;
        if answered.by != By::Nobody && answered.allowed == Some(false) {
            self.session.inner.turn.denied = true;
        }
        let (mut gone, mut more) = (0, 0);
        if let Some(call) = self.conversation_mut().edit_tool(block) {
            if call.state.is_open() {
                call.started = now;
            }
            if call.only_asked {
                // Nobody tells what becomes of it.
                call.state = ToolState::Ended;
            } else if answered.allowed == Some(true) && call.state == ToolState::Pending {
                call.state = ToolState::InProgress;
            }
            if call.answers.len() >= MAX_ANSWERS {
                gone = answer_weight(&call.answers.remove(0));
            }
            more = answer_weight(&answered);
            call.answers.push(answered);
        }
        self.conversation_mut().shrink(gone);
        self.conversation_mut().grow(more);
        self.mark_asking(block);
    }

    fn mark_asking(&mut self, block: BlockId) {
        let asking = self.session.questions.iter().any(|question| {
            matches!(question, Question::Permission(question)
                if question.block == block && question.subagent.as_ref() == self.subagent_id())
        });
        if let Some(call) = self.conversation_mut().edit_tool(block) {
            call.asking = asking;
        }
    }

    /// The call that a command is for, if it is known; else a new block for the command.
    fn call_to_run(
        &mut self,
        key: RequestKey,
        command: &CommandSubject,
        title: Option<&SafeText>,
    ) -> BlockId {
        let known = command.tool_call.as_ref();
        let known = known.and_then(|id| self.conversation().tools.find(id));
        if let Some(block) = known.filter(|block| self.conversation().tool(*block).is_some()) {
            return block;
        }
        self.asked_about(ToolCallPatch {
            title: title.cloned().into(),
            kind: Patch::Set(ToolKind::Execute),
            command: Patch::Set(command.command.clone()),
            command_cwd: Patch::Set(command.cwd.clone()),
            ..ToolCallPatch::new(question_call(key))
        })
    }

    fn asked_by_itself(
        &mut self,
        key: RequestKey,
        title: Option<&SafeText>,
        raw: Patch<RawJson>,
    ) -> BlockId {
        self.asked_about(ToolCallPatch {
            title: title.cloned().into(),
            raw_input: raw,
            ..ToolCallPatch::new(question_call(key))
        })
    }

    /// What is asked about stands in the transcript, with its answer, though no call does it.
    fn asked_about(&mut self, patch: ToolCallPatch) -> BlockId {
        let block = self.patch_tool(patch, PatchSource::Asked);
        if let Some(call) = self.conversation_mut().edit_tool(block) {
            call.only_asked = true;
        }
        block
    }

    /// What open questions show of a call, before an update changes it; `None` without questions.
    pub fn asked_of(&self, block: BlockId) -> Option<AskedOf> {
        let inside = self.subagent_id();
        let asks = |question: &Question| matches!(question, Question::Permission(asked) if asked.block == block && asked.subagent.as_ref() == inside);
        if !self.session.questions.iter().any(asks) {
            return None;
        }
        let raw_input = self.conversation().tool(block)?.raw_input.clone();
        Some((self.subject(block, About::Call)?, raw_input))
    }

    /// Takes into the open questions what the agent has changed of their call.
    pub fn change_asked(&mut self, block: BlockId, before: Option<AskedOf>) {
        let Some((_, input)) = before.clone().filter(|_| before != self.asked_of(block)) else {
            return;
        };
        for at in 0..self.session.questions.len() {
            let Some(Question::Permission(question)) = self.session.questions.get(at) else {
                continue;
            };
            if question.block != block || question.subagent.as_ref() != self.subagent_id() {
                continue;
            }
            let about = match &question.subject {
                subject if subject.opaque => About::Unknown,
                subject if question.names_command => About::Command(CommandSubject {
                    command: subject.command.clone().unwrap_or_default(),
                    cwd: subject.command_cwd.clone().unwrap_or_default(),
                    tool_call: None,
                    terminal: None,
                }),
                _ => About::Call,
            };
            let Some(subject) = self.subject(block, about) else {
                continue;
            };
            if let Some(Question::Permission(question)) = self.session.questions.get_mut(at) {
                let before = std::mem::replace(&mut question.subject, subject);
                question.revision += 1;
                // What was asked about first stays there through any number of changes.
                question.changed.get_or_insert(Changed {
                    command: before.command,
                    input: input.clone(),
                });
                if !question.judging {
                    self.judge(at);
                }
            }
        }
    }

    fn subject(&self, block: BlockId, about: About) -> Option<Subject> {
        let call = self.conversation().tool(block)?;
        // Policy counts from the session's directory.
        let cwd = self.subagent_id().map(|_| self.cwd());
        let absolute = |path: &str| match cwd {
            Some(cwd) if Place::of(path).is_relative() => {
                cwd.join(path).to_string_lossy().into_owned()
            }
            _ => path.to_owned(),
        };
        let diffs = call.content.iter().filter_map(|content| match content {
            ToolContent::Diff(diff) => Some(diff.paths()),
            _ => None,
        });
        let mut paths: Vec<String> = Vec::new();
        for path in call
            .locations
            .iter()
            .map(|at| at.path.as_str())
            .chain(diffs.flatten())
        {
            let path = absolute(path);
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
        let mut input = call.input.clone().unwrap_or_default();
        let run = input.run.as_ref();
        let (kind, command, command_cwd, env) = match &about {
            // As a call that runs it (V2-PERM-01).
            About::Command(about) => {
                let command = Some(about.command.clone());
                (
                    ToolKind::Execute,
                    command,
                    Some(about.cwd.clone()),
                    Vec::new(),
                )
            }
            About::Call | About::Unknown => {
                let command = run.map(|run| run.line.clone()).or(call.command.clone());
                let cwd = run.and_then(|run| run.cwd.clone());
                let env = run.map(|run| run.env.clone()).unwrap_or_default();
                (call.kind, command, cwd.or(call.command_cwd.clone()), env)
            }
        };
        if let (About::Command(about), Some(run)) = (&about, run)
            && run.line != about.command
        {
            // The call that the command is for names another one: both count.
            let line = run.line.clone();
            Arc::make_mut(&mut input).scripts.push(line);
        }
        if cwd.is_some() && input.paths.iter().any(|path| Place::of(path).is_relative()) {
            for path in &mut Arc::make_mut(&mut input).paths {
                *path = absolute(path);
            }
        }
        Some(Subject {
            tool_call: call.id.clone(),
            title: call.title.clone(),
            kind,
            name: call.name.clone(),
            command,
            opaque: matches!(about, About::Unknown),
            command_cwd: match command_cwd {
                Some(dir) => Some(absolute(&dir)),
                None => cwd.map(|cwd| cwd.to_string_lossy().into_owned()),
            },
            env,
            input,
            paths,
            content: call.content.clone(),
            locations: call.locations.clone(),
        })
    }
}

/// What a question shows of its call.
pub type AskedOf = (Subject, Option<RawJson>);

/// What a request is about.
enum About {
    Call,
    Command(CommandSubject),
    Unknown,
}

/// Id of the call that stands for what is only asked about; none that an agent would use.
fn question_call(key: RequestKey) -> ToolCallId {
    ToolCallId::new(format!(
        "acp-tui/question/{}/{}",
        key.connection.0, key.number
    ))
}

fn allows(option: &PermissionOption) -> Option<bool> {
    match option.kind {
        PermissionKind::AllowOnce | PermissionKind::AllowAlways => Some(true),
        PermissionKind::RejectOnce | PermissionKind::RejectAlways => Some(false),
        PermissionKind::Unknown => None,
    }
}

pub fn cancelled() -> Answered {
    Answered {
        answer: "cancelled".into(),
        allowed: Some(false),
        by: By::Nobody,
    }
}
