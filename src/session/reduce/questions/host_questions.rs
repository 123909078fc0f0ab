//! What the host leaves to the person: files outside the workspace, files and commands that the policy
//! asks about.

use std::path::PathBuf;

use crate::{
    model::{
        Claim, Compared, Comparison, Diff, Extent, HostReply, HostRequest, RequestKey, RpcError,
        code,
    },
    session::{
        CommandQuestion, Consent, Effect, FileAnswer, FileQuestion, NoticeLevel, Question,
        QuestionId, Shown,
    },
    text::{SafeText, exact_line},
};

use super::super::Step;

impl Step<'_> {
    /// Asks because the file is `protected`, or for the `reason` that a rule gives; else because it is
    /// outside the workspace.
    pub fn ask_file(
        &mut self,
        key: RequestKey,
        request: HostRequest,
        resolved: PathBuf,
        write: bool,
        (protected, reason): (Option<SafeText>, Option<SafeText>),
    ) {
        if self.session.connection != Some(key.connection) {
            return;
        }
        if !self.may_ask(key) {
            return;
        }
        let asked = match &request {
            HostRequest::ReadTextFile(read) => exact_line(&read.path),
            HostRequest::WriteTextFile(write) => exact_line(&write.path),
            HostRequest::Look(look) => exact_line(&look.path),
            _ => SafeText::default(),
        };
        let id = self.next_question();
        if let HostRequest::WriteTextFile(write) = &request {
            let new = SafeText::with_line_ends(&write.content);
            let path = resolved.to_string_lossy().into_owned();
            let claim = Claim::new(Diff::of_texts(path, None, new), Extent::Whole);
            self.effects.push(Effect::Compare(Box::new(Comparison {
                of: Compared::Question(id.0),
                cwd: self.session.config.cwd.clone(),
                claims: vec![claim],
                fresh: true,
                late: false,
            })));
        }
        self.ask(Question::File(FileQuestion {
            id,
            key,
            request,
            asked,
            resolved,
            write,
            protected,
            change: None,
            reason,
            since: self.now,
        }));
    }

    /// What a write would do is known now.
    pub fn compared_file(&mut self, id: QuestionId, shown: Option<Shown>) {
        let Some(at) = self.position(id) else {
            return;
        };
        if let Some(Question::File(question)) = self.session.questions.get_mut(at) {
            question.change = shown.into_iter().flatten().flatten().next();
        }
    }

    /// `question` has no id yet.
    pub fn ask_terminal(&mut self, mut question: CommandQuestion) {
        if self.session.connection == Some(question.key.connection) && self.may_ask(question.key) {
            question.id = self.next_question();
            self.ask(Question::Command(question));
        }
    }

    pub fn answer_command(&mut self, id: QuestionId, run: bool) {
        let is_kind = |question: &Question| matches!(question, Question::Command(_));
        let Some(Question::Command(question)) = self.take_question(id, is_kind) else {
            return;
        };
        let answer = if run { "allowed once" } else { "not allowed" };
        let text = format!("command {answer}: {}", question.command);
        self.say(NoticeLevel::Info, SafeText::line(&text));
        if run {
            self.serve(question.key, question.request, Consent::Once);
        } else {
            let error = RpcError::new(code::INTERNAL, "the user did not allow the command");
            self.answer_request(question.key, HostReply::Error(error));
        }
        self.silence_counts_anew();
    }

    pub fn answer_file(&mut self, id: QuestionId, answer: FileAnswer) {
        let is_kind = |question: &Question| matches!(question, Question::File(_));
        let Some(Question::File(question)) = self.take_question(id, is_kind) else {
            return;
        };
        let consent = match answer {
            FileAnswer::Folder if question.protected.is_none() => Consent::Folder,
            FileAnswer::Once | FileAnswer::Folder => Consent::Once,
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
            self.serve(question.key, question.request, consent);
        }
        self.silence_counts_anew();
    }

    fn record_file(&mut self, question: &FileQuestion, consent: Consent) {
        let verb = if question.write { "write" } else { "read" };
        let answer = match consent {
            Consent::None => "not allowed",
            Consent::Once => "allowed once",
            Consent::Folder => "allowed for its folder in this session",
        };
        let path = exact_line(&question.resolved.to_string_lossy());
        let text = match (&question.protected, &question.reason) {
            (Some(why), _) => format!("{verb} {answer}: {path} (it {why})"),
            (None, Some(_)) => format!("{verb} {answer}: {path}"),
            (None, None) => format!("{verb} outside the workspace {answer}: {path}"),
        };
        self.say(NoticeLevel::Info, SafeText::line(&text));
    }
}
