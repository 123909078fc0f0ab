//! Requests of the agent: which wait for the person, which are passed on to be served; asking,
//! withdrawing, closing. Each kind of question has its own file.
//!
//! Each request gets exactly one answer (V1-RPC-13). A question is answered only by taking it out of
//! `Session::questions`.

pub mod elicitation;
mod host_questions;
mod permission;
mod unattended;

use std::collections::BTreeSet;

use crate::{
    model::{
        ElicitationAnswer, HostReply, HostRequest, PermissionOutcome, RequestKey, RpcError,
        SessionId, ToAgent, code,
    },
    session::{Attention, Consent, Effect, NoticeLevel, Question, QuestionId},
    text::SafeText,
};

use self::permission::cancelled;
use super::{
    Step,
    connection::error_text,
    conversation::bounds::{MAX_QUESTIONS, MAX_WITHDRAWN},
};

#[derive(Debug, Default)]
pub struct QuestionRules {
    next_id: u64,
    /// Requests that were withdrawn while they were served: one that comes back as a question is
    /// answered at once.
    withdrawn: BTreeSet<RequestKey>,
}

impl Step<'_> {
    pub fn request(&mut self, key: RequestKey, request: HostRequest) {
        if let Some(id) = request.session()
            && self.session.has_subagent(id)
        {
            let id = id.clone();
            self.request_of_subagent(&id, key, request);
            return;
        }
        if let Some(id) = request.session()
            && self.session.has_side(id)
        {
            let id = id.clone();
            self.request_of_side(&id, key, request);
            return;
        }
        if let Some(session) = request.session()
            && !self.session.is(session)
        {
            // V1-SES-04: never acted on.
            let id = session.as_str();
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
    pub fn take_request(&mut self, key: RequestKey, request: HostRequest) {
        if let HostRequest::TerminalKill(on) | HostRequest::TerminalRelease(on) = &request {
            self.settle_terminal(&on.terminal);
        }
        match request {
            HostRequest::Permission(request) => self.permission(key, *request),
            HostRequest::Elicitation(elicitation) => self.elicit(key, *elicitation),
            HostRequest::DrainQueue { .. } => self.drain_queue(key),
            request => self.serve(key, request, Consent::None),
        }
    }

    pub fn serve(&mut self, key: RequestKey, request: HostRequest, consent: Consent) {
        self.effects.push(Effect::Serve {
            key,
            request: Box::new(request),
            consent,
        });
    }

    /// Takes a question out of the list if it is of the kind that `is_kind` finds.
    pub fn take_question(
        &mut self,
        id: QuestionId,
        is_kind: fn(&Question) -> bool,
    ) -> Option<Question> {
        let at = self.position(id)?;
        self.session
            .questions
            .get(at)
            .filter(|question| is_kind(question))?;
        self.session.questions.remove(at)
    }

    /// Rings when a question is shown and none was before.
    pub fn call_person(&mut self, nothing_shown: bool) {
        if nothing_shown && self.session.shown_question().is_some() {
            self.effects
                .push(Effect::Attention(Attention::PermissionWaiting));
        }
    }

    /// Whether a request that is neither served nor answered may become a question; else it is
    /// answered here.
    pub fn may_ask(&mut self, key: RequestKey) -> bool {
        if self.session.inner.questions.withdrawn.remove(&key) || self.is_cancelling() {
            self.answer_request(key, HostReply::Error(request_cancelled()));
            return false;
        }
        !self.refuse_if_too_many(key)
    }

    pub fn ask(&mut self, question: Question) {
        let nothing_shown = self.session.shown_question().is_none();
        self.session.questions.push_back(question);
        self.refuse_if_unattended(self.session.questions.len() - 1);
        self.call_person(nothing_shown);
    }

    /// The agent takes a request back; it is answered all the same (V1-CAN-10, V1-PERM-09).
    pub fn withdrawn(&mut self, key: RequestKey) {
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
    pub fn close_questions(&mut self) {
        while !self.session.questions.is_empty() {
            self.close_question(0);
        }
    }

    /// All but what belongs to a request of ours (V1-ELI-02).
    pub fn close_questions_beside_requests(&mut self) {
        self.close_questions_where(|_, question| question.request().is_none());
    }

    /// What the turn had asked, subagents included; what belongs to a request of ours goes on
    /// (V1-CAN-06).
    pub fn close_questions_of_turn(&mut self) {
        self.close_questions_where(|step, question| {
            question.is_of_turn() && !step.is_of_background(question)
        });
    }

    /// The same without subagents, which may work on, and ask, when the turn is over.
    pub fn close_own_questions_of_turn(&mut self) {
        self.close_questions_where(|step, question| {
            question.is_of_turn()
                && step.subagent_asking(question).is_none()
                && !step.is_of_background(question)
        });
    }

    /// A question of background work does not belong to the turn (V2-CAN-01).
    fn is_of_background(&self, question: &Question) -> bool {
        match question {
            Question::Permission(question) if question.subagent.is_none() => {
                self.is_in_background(question.block)
            }
            _ => false,
        }
    }

    /// What a subagent had asked.
    pub fn close_questions_of(&mut self, subagent: &SessionId) {
        self.close_questions_where(|step, question| {
            step.subagent_asking(question).as_ref() == Some(subagent)
        });
    }

    /// A request of ours is answered: the questions that belonged to it are closed (V1-ELI-02).
    pub fn call_over(&mut self, request: &str) {
        let nothing_shown = self.session.shown_question().is_none();
        self.close_questions_where(|_, question| question.request() == Some(request));
        self.call_person(nothing_shown);
    }

    fn close_questions_where(&mut self, fits: impl Fn(&Self, &Question) -> bool) {
        let mut at = 0;
        while let Some(question) = self.session.questions.get(at) {
            if fits(self, question) {
                self.close_question(at);
            } else {
                at += 1;
            }
        }
    }

    pub fn close_question(&mut self, at: usize) {
        let Some(question) = self.session.questions.remove(at) else {
            return;
        };
        if let Question::Permission(question) = &question {
            self.in_conversation_of(question.subagent.as_ref(), |step| {
                step.record(question.block, cancelled());
            });
        }
        self.tell_dropped(&question);
        self.effects.push(Effect::ToAgent(closed(&question)));
    }

    pub fn refused(&mut self, what: &SafeText, rule: &SafeText) {
        let text = SafeText::line(&format!("refused: {what} ({rule})"));
        self.say(NoticeLevel::Warning, text);
    }

    pub fn refuse_if_too_many(&mut self, key: RequestKey) -> bool {
        if self.session.questions.len() < MAX_QUESTIONS {
            return false;
        }
        self.refuse_as_too_much(key, "too many questions are open");
        true
    }

    /// Refuses a request with an error that says `why`, and tells the person.
    pub fn refuse_as_too_much(&mut self, key: RequestKey, why: &str) {
        let error = RpcError::new(code::INTERNAL, why);
        self.answer_request(key, HostReply::Error(error));
        let text = "the agent asked too much at once: a request was refused";
        self.say(NoticeLevel::Warning, text.into());
    }

    pub fn next_question(&mut self) -> QuestionId {
        let next = &mut self.session.inner.questions.next_id;
        *next += 1;
        QuestionId(*next)
    }

    pub fn position(&self, id: QuestionId) -> Option<usize> {
        let mut questions = self.session.questions.iter();
        questions.position(|question| question.id() == id)
    }
}

/// The answer to a question that is closed without the person's.
pub fn closed(question: &Question) -> ToAgent {
    let reply = match question {
        Question::Permission(_) => HostReply::Permission(PermissionOutcome::Cancelled),
        Question::Form(_) | Question::Page(_) => HostReply::Elicitation(ElicitationAnswer::Cancel),
        Question::File(_) | Question::Command(_) => HostReply::Error(request_cancelled()),
    };
    ToAgent::Reply {
        key: question.key(),
        reply,
    }
}

fn request_cancelled() -> RpcError {
    RpcError::new(code::CANCELLED, "the request was cancelled")
}
