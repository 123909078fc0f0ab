//! Requests of the agent that wait for a decision, and those passed on to be served.
//!
//! The rule above all: each request gets exactly one answer (V1-RPC-13). A question is answered by
//! taking it out of `Session::questions`, and by that alone.

use std::{collections::BTreeSet, path::PathBuf};

use crate::{
    proto::{
        HostReply, HostRequest, OptionId, PermissionKind, PermissionOption, PermissionOutcome,
        PermissionRequest, RequestKey, RpcError, SessionId, ToAgent, ToolContent, code,
    },
    session::{
        Answered, Attention, BlockId, By, CommandQuestion, Consent, Effect, FileAnswer,
        FileQuestion, NoticeLevel, PermissionQuestion, Question, QuestionId, Subject, ToolState,
        Verdict,
    },
    text::SafeText,
};

use super::{
    Step,
    bounds::{MAX_ANSWERS, MAX_QUESTIONS, MAX_WITHDRAWN},
    error_text,
    tools::Told,
};

#[derive(Debug, Default)]
pub(super) struct QuestionRules {
    next_id: u64,
    /// Requests that were withdrawn while they were served: one that comes back as a question is
    /// answered at once.
    withdrawn: BTreeSet<RequestKey>,
}

impl Step<'_> {
    pub(super) fn request(&mut self, key: RequestKey, request: HostRequest) {
        let session = request.session();
        if self.session.has_subagent(session) {
            let id = session.clone();
            self.request_of_subagent(&id, key, request);
            return;
        }
        if !self.session.is(session) {
            // V1-SES-04: never acted on.
            let id = request.session().as_str();
            let error = RpcError {
                data: Some(error_text::session_data(id)),
                ..RpcError::new(code::NOT_FOUND, format!("unknown session {id}"))
            };
            self.answer_request(key, HostReply::Error(error));
            return;
        }
        self.take_request(key, request);
    }

    /// For the session or subagent that is worked on.
    pub(super) fn take_request(&mut self, key: RequestKey, request: HostRequest) {
        if let HostRequest::TerminalKill(on) | HostRequest::TerminalRelease(on) = &request {
            self.settle_terminal(&on.terminal);
        }
        match request {
            HostRequest::Permission(request) => self.permission(key, *request),
            request => self.effects.push(Effect::Serve {
                key,
                request: Box::new(request),
                consent: Consent::None,
            }),
        }
    }

    fn permission(&mut self, key: RequestKey, request: PermissionRequest) {
        // V1-PERM-03: what is asked about is shown, announced or not.
        let block = self.patch_tool(request.tool_call, Told::Asked);
        if self.is_cancelling() || self.is_replaying() {
            // V1-PERM-02; and history asks nothing (V1-SES-09).
            self.record(block, cancelled());
            let outcome = HostReply::Permission(PermissionOutcome::Cancelled);
            self.answer_request(key, outcome);
            return;
        }
        if self.refuse_if_too_many(key) {
            return;
        }
        let Some(subject) = self.subject(block) else {
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
                subagent: self.inside_id().cloned(),
                block,
                subject: subject.clone(),
                options: request.options.clone(),
                reason: None,
                since: self.now,
                deciding: true,
            }));
        self.mark_asking(block);
        self.effects.push(Effect::Decide {
            question: id,
            subject: Box::new(subject),
            options: request.options,
        });
    }

    pub(super) fn decided(&mut self, id: QuestionId, verdict: Verdict) {
        let Some(at) = self.position(id) else {
            return;
        };
        let Some(Question::Permission(question)) = self.session.questions.get(at) else {
            return;
        };
        if !question.deciding {
            return;
        }
        let (picked, reason) = match verdict {
            Verdict::Allow { option, rule } => (Some((option, true, rule)), None),
            Verdict::Deny { option, rule } => (Some((option, false, rule)), None),
            Verdict::Ask { reason } => (None, reason),
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
                    allowed,
                    by: By::Rule(rule),
                };
                self.select(at, option.id, answered);
            }
            None => self.leave_to_person(at, reason),
        }
        self.call_person(nothing_shown);
    }

    fn leave_to_person(&mut self, at: usize, reason: Option<SafeText>) {
        if let Some(Question::Permission(question)) = self.session.questions.get_mut(at) {
            question.deciding = false;
            question.reason = reason;
            question.since = self.now;
        }
        self.refuse_if_unattended(at);
    }

    /// Rings when a dialog comes up where none was.
    fn call_person(&mut self, nothing_shown: bool) {
        if nothing_shown && self.session.shown_question().is_some() {
            self.effects
                .push(Effect::Attention(Attention::PermissionWaiting));
        }
    }

    /// The person's answer: to this question, with one of its options, once (V1-PERM-10).
    pub(super) fn answer(&mut self, id: QuestionId, option: &OptionId) {
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

    pub(super) fn select(&mut self, at: usize, option: OptionId, answered: Answered) {
        if let Some(Question::Permission(question)) = self.session.questions.remove(at) {
            self.at(question.subagent.as_ref(), |step| {
                step.record(question.block, answered);
            });
            let outcome = PermissionOutcome::Selected(option);
            self.answer_request(question.key, HostReply::Permission(outcome));
        }
    }

    pub(super) fn outside_roots(
        &mut self,
        key: RequestKey,
        request: HostRequest,
        resolved: PathBuf,
        write: bool,
    ) {
        if self.session.connection != Some(key.connection) {
            return;
        }
        if !self.may_ask(key) {
            return;
        }
        let asked = match &request {
            HostRequest::ReadTextFile(read) => SafeText::line(&read.path),
            HostRequest::WriteTextFile(write) => SafeText::line(&write.path),
            _ => SafeText::default(),
        };
        let id = self.next_question();
        self.ask(Question::File(FileQuestion {
            id,
            key,
            request,
            asked,
            resolved,
            write,
            since: self.now,
        }));
    }

    /// `question` comes without an id of its own.
    pub(super) fn ask_terminal(&mut self, mut question: CommandQuestion) {
        if self.session.connection == Some(question.key.connection) && self.may_ask(question.key) {
            question.id = self.next_question();
            self.ask(Question::Command(question));
        }
    }

    /// Whether a request that is neither served nor answered may become a question; else it is
    /// answered here.
    fn may_ask(&mut self, key: RequestKey) -> bool {
        if self.session.inner.questions.withdrawn.remove(&key) || self.is_cancelling() {
            self.answer_request(key, HostReply::Error(request_cancelled()));
            return false;
        }
        !self.refuse_if_too_many(key)
    }

    fn ask(&mut self, question: Question) {
        let nothing_shown = self.session.shown_question().is_none();
        self.session.questions.push_back(question);
        self.refuse_if_unattended(self.session.questions.len() - 1);
        self.call_person(nothing_shown);
    }

    pub(super) fn answer_command(&mut self, id: QuestionId, run: bool) {
        let Some(at) = self.position(id) else {
            return;
        };
        if !matches!(self.session.questions.get(at), Some(Question::Command(_))) {
            return;
        }
        let Some(Question::Command(question)) = self.session.questions.remove(at) else {
            return;
        };
        let answer = if run { "allowed once" } else { "not allowed" };
        let text = format!("command {answer}: {}", question.command);
        self.say(NoticeLevel::Info, SafeText::line(&text));
        if run {
            self.effects.push(Effect::Serve {
                key: question.key,
                request: Box::new(question.request),
                consent: Consent::Once,
            });
        } else {
            let error = RpcError::new(code::INTERNAL, "the user did not allow the command");
            self.answer_request(question.key, HostReply::Error(error));
        }
        self.silence_counts_anew();
    }

    pub(super) fn answer_file(&mut self, id: QuestionId, answer: FileAnswer) {
        let Some(at) = self.position(id) else {
            return;
        };
        if !matches!(self.session.questions.get(at), Some(Question::File(_))) {
            return;
        }
        let Some(Question::File(question)) = self.session.questions.remove(at) else {
            return;
        };
        let consent = match answer {
            FileAnswer::Once => Consent::Once,
            FileAnswer::Folder => Consent::Folder,
            FileAnswer::No => Consent::None,
        };
        self.record_file(&question, consent);
        if consent == Consent::None {
            let error = RpcError::new(
                code::INTERNAL,
                format!(
                    "the user did not allow access to {}",
                    question.resolved.display()
                ),
            );
            self.answer_request(question.key, HostReply::Error(error));
        } else {
            self.effects.push(Effect::Serve {
                key: question.key,
                request: Box::new(question.request),
                consent,
            });
        }
        self.silence_counts_anew();
    }

    /// The agent takes a request back; it is answered all the same (V1-CAN-10, V1-PERM-09).
    pub(super) fn withdrawn(&mut self, key: RequestKey) {
        let questions = &self.session.questions;
        if let Some(at) = questions.iter().position(|question| question.key() == key) {
            let nothing_shown = self.session.shown_question().is_none();
            self.close_question(at);
            self.call_person(nothing_shown);
            return;
        }
        let withdrawn = &mut self.session.inner.questions.withdrawn;
        withdrawn.insert(key);
        if withdrawn.len() > MAX_WITHDRAWN {
            // Keys count up: the first is the oldest.
            withdrawn.pop_first();
        }
        self.effects.push(Effect::CancelServe(key));
    }

    /// Answers everything that is open: cancelled.
    pub(super) fn close_questions(&mut self) {
        while !self.session.questions.is_empty() {
            self.close_question(0);
        }
    }

    /// The same for those of the session itself, or of one subagent.
    pub(super) fn close_questions_of(&mut self, subagent: Option<&SessionId>) {
        let mut at = 0;
        while let Some(question) = self.session.questions.get(at) {
            if self.subagent_asking(question).as_ref() == subagent {
                self.close_question(at);
            } else {
                at += 1;
            }
        }
    }

    fn close_question(&mut self, at: usize) {
        let Some(question) = self.session.questions.remove(at) else {
            return;
        };
        if let Question::Permission(question) = &question {
            self.at(question.subagent.as_ref(), |step| {
                step.record(question.block, cancelled());
            });
        }
        self.effects.push(Effect::ToAgent(closed(&question)));
    }

    pub(super) fn refused(&mut self, what: &SafeText, rule: &SafeText) {
        let text = SafeText::line(&format!("refused: {what} ({rule})"));
        self.say(NoticeLevel::Warning, text);
    }

    fn refuse_if_too_many(&mut self, key: RequestKey) -> bool {
        if self.session.questions.len() < MAX_QUESTIONS {
            return false;
        }
        let error = RpcError::new(code::INTERNAL, "too many questions are open");
        self.answer_request(key, HostReply::Error(error));
        let text = "the agent asks too much at once: a request was refused";
        self.say(NoticeLevel::Warning, text.into());
        true
    }

    fn next_question(&mut self) -> QuestionId {
        let next = &mut self.session.inner.questions.next_id;
        *next += 1;
        QuestionId(*next)
    }

    fn position(&self, id: QuestionId) -> Option<usize> {
        let mut questions = self.session.questions.iter();
        questions.position(|question| question.id() == id)
    }

    /// What was asked stays in the transcript with its answer. A call that was allowed is under way:
    /// not all agents say so.
    pub(super) fn record(&mut self, block: BlockId, answered: Answered) {
        let now = self.now;
        if answered.by != By::Nobody && !answered.allowed {
            self.denied_in_turn();
        }
        if let Some(call) = self.edit_tool(block) {
            if call.state.is_open() {
                call.started = now;
            }
            if answered.allowed && call.state == ToolState::Pending {
                call.state = ToolState::InProgress;
            }
            if call.answers.len() >= MAX_ANSWERS {
                call.answers.remove(0);
            }
            call.answers.push(answered);
        }
        self.mark_asking(block);
    }

    fn record_file(&mut self, question: &FileQuestion, consent: Consent) {
        let verb = if question.write { "write" } else { "read" };
        let answer = match consent {
            Consent::None => "not allowed",
            Consent::Once => "allowed once",
            Consent::Folder => "allowed for its folder in this session",
        };
        let text = format!(
            "{verb} outside the workspace {answer}: {}",
            question.resolved.display()
        );
        self.say(NoticeLevel::Info, SafeText::line(&text));
    }

    fn mark_asking(&mut self, block: BlockId) {
        let asking = self.session.questions.iter().any(|question| {
            matches!(question, Question::Permission(question)
                if question.block == block && question.subagent.as_ref() == self.inside_id())
        });
        if let Some(call) = self.edit_tool(block) {
            call.asking = asking;
        }
    }

    fn subject(&self, block: BlockId) -> Option<Subject> {
        let call = self.tool(block)?;
        // Policy counts from the session's directory.
        let cwd = self.inside_cwd();
        let absolute = |path: &str| match cwd {
            Some(cwd) => cwd.join(path).to_string_lossy().into_owned(),
            None => path.to_owned(),
        };
        let diffs = call.content.iter().filter_map(|content| match content {
            ToolContent::Diff(diff) => Some(&diff.path),
            _ => None,
        });
        let mut paths: Vec<String> = Vec::new();
        for path in call.locations.iter().map(|at| &at.path).chain(diffs) {
            let path = absolute(path);
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
        Some(Subject {
            tool_call: call.id.clone(),
            title: call.title.clone(),
            kind: call.kind,
            name: call.name.clone(),
            command: call.command.clone(),
            command_cwd: match &call.command_cwd {
                Some(dir) => Some(absolute(dir)),
                None => cwd.map(|cwd| cwd.to_string_lossy().into_owned()),
            },
            paths,
            content: call.content.clone(),
            locations: call.locations.clone(),
        })
    }
}

/// The answer to a question that nobody answers any more.
pub(super) fn closed(question: &Question) -> ToAgent {
    let reply = match question {
        Question::Permission(_) => HostReply::Permission(PermissionOutcome::Cancelled),
        Question::File(_) | Question::Command(_) => HostReply::Error(request_cancelled()),
    };
    ToAgent::Reply {
        key: question.key(),
        reply,
    }
}

fn allows(option: &PermissionOption) -> bool {
    matches!(
        option.kind,
        PermissionKind::AllowOnce | PermissionKind::AllowAlways
    )
}

fn cancelled() -> Answered {
    Answered {
        answer: "cancelled".into(),
        allowed: false,
        by: By::Nobody,
    }
}

fn request_cancelled() -> RpcError {
    RpcError::new(code::CANCELLED, "the request was cancelled")
}
