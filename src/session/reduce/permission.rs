//! Permission requests: to the policy, then to the person; what was answered stays with the call
//! (V1-PERM).

use crate::{
    proto::{
        HostReply, OptionId, PermissionKind, PermissionOption, PermissionOutcome,
        PermissionRequest, RequestKey, RpcError, ToolContent, code,
    },
    session::{
        Answered, BlockId, By, Effect, PermissionQuestion, Question, QuestionId, Subject,
        ToolState, Verdict,
    },
    text::SafeText,
};

use super::{Step, bounds::MAX_ANSWERS, tools::Told};

impl Step<'_> {
    pub(super) fn permission(&mut self, key: RequestKey, request: PermissionRequest) {
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

fn allows(option: &PermissionOption) -> bool {
    matches!(
        option.kind,
        PermissionKind::AllowOnce | PermissionKind::AllowAlways
    )
}

pub(super) fn cancelled() -> Answered {
    Answered {
        answer: "cancelled".into(),
        allowed: false,
        by: By::Nobody,
    }
}
