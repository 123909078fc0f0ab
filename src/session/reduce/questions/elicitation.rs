//! Forms to fill in and pages to open (V1-ELI): asked, answered, told in the transcript.

use crate::{
    model::{
        Elicitation, ElicitationAnswer, ElicitationId, ElicitationMode, ElicitationScope, Field,
        Form, FormValue, HostReply, RequestKey, RpcError, ToolCallId, code,
    },
    session::{
        Address, BlockId, BlockKind, Effect, FormQuestion, NoticeLevel, PageAnswer, PageQuestion,
        Question, QuestionId,
    },
    text::{SafeText, first_bytes, secrets::is_secret_name},
};

use super::super::{Step, conversation::bounds::MAX_PAGES};

/// Bytes of a question in the line that tells its answer, and of a value in its detail.
const MAX_TOLD: usize = 200;
const MAX_VALUE: usize = 2 << 10;

/// Pages that were opened and of which the agent has not said that they are done.
#[derive(Debug, Default)]
pub struct Pages(Vec<Page>);

#[derive(Debug)]
struct Page {
    id: ElicitationId,
    /// The notice that waits.
    block: BlockId,
    told: SafeText,
}

impl Step<'_> {
    pub fn elicit(&mut self, key: RequestKey, elicitation: Elicitation) {
        let Elicitation {
            scope,
            message,
            mode,
        } = elicitation;
        let request = match &scope {
            ElicitationScope::Request { id, .. } => Some(id.clone()),
            ElicitationScope::Session { .. } => None,
        };
        if request.is_none() && (self.is_cancelling() || self.is_replaying()) {
            // V1-CAN-06; and history asks nothing (V1-SES-09).
            self.answer_request(key, HostReply::Elicitation(ElicitationAnswer::Cancel));
            return;
        }
        let address = match &mode {
            ElicitationMode::Url { url, .. } => Address::parse(url),
            ElicitationMode::Form(_) => None,
        };
        if let (ElicitationMode::Url { url, .. }, None) = (&mode, &address) {
            // V1-ELI-14: nothing else is ever opened.
            let shown = first_bytes(url, MAX_TOLD);
            let text = format!("refused to open, not a plain web address: {shown}");
            self.say(NoticeLevel::Warning, SafeText::line(&text));
            let error = RpcError::new(code::INVALID_PARAMS, "only http and https URLs are opened");
            self.answer_request(key, HostReply::Error(error));
            return;
        }
        if self.refuse_if_too_many(key) {
            return;
        }
        let about = match &scope {
            ElicitationScope::Session {
                tool_call: Some(id),
                ..
            } => self.title_of_call(id),
            _ => None,
        };
        let id = self.next_question();
        let since = self.now;
        self.ask(match (mode, address) {
            (ElicitationMode::Url { id: page, .. }, Some(address)) => {
                Question::Page(Box::new(PageQuestion {
                    id,
                    key,
                    subagent: self.subagent_id().cloned(),
                    request,
                    about,
                    message,
                    page,
                    address,
                    opening: false,
                    failed: None,
                    done: false,
                    since,
                }))
            }
            (ElicitationMode::Form(form), _) => Question::Form(Box::new(FormQuestion {
                id,
                key,
                subagent: self.subagent_id().cloned(),
                request,
                about,
                message,
                form,
                since,
            })),
            (ElicitationMode::Url { .. }, None) => return,
        });
    }

    pub fn answer_form(&mut self, id: QuestionId, answer: ElicitationAnswer) {
        let is_kind = |question: &Question| matches!(question, Question::Form(_));
        let Some(Question::Form(question)) = self.take_question(id, is_kind) else {
            return;
        };
        self.tell_answer(&question, &answer);
        self.answer_request(question.key, HostReply::Elicitation(answer));
        self.silence_counts_anew();
    }

    pub fn answer_page(&mut self, id: QuestionId, answer: PageAnswer) {
        let Some(at) = self.position(id) else {
            return;
        };
        let Some(Question::Page(question)) = self.session.questions.get_mut(at) else {
            return;
        };
        if question.opening {
            return;
        }
        match answer {
            PageAnswer::Open => {
                question.opening = true;
                let url = question.address.url().to_owned();
                self.effects.push(Effect::OpenPage { question: id, url });
            }
            PageAnswer::OpenedElsewhere => self.page_open(at),
            PageAnswer::Decline => self.close_page(at, ElicitationAnswer::Decline),
            PageAnswer::Dismiss => self.close_page(at, ElicitationAnswer::Cancel),
        }
        self.silence_counts_anew();
    }

    /// The browser was started, or not: then the person may open the page by hand (V1-ELI-19).
    pub fn browser_answered(&mut self, id: QuestionId, result: Result<(), SafeText>) {
        let Some(at) = self.position(id) else {
            return;
        };
        let question = self.session.questions.get(at);
        if !matches!(question, Some(Question::Page(page)) if page.opening) {
            return;
        }
        match result {
            Ok(()) => self.page_open(at),
            Err(error) => {
                // Another dialog: the answers are others.
                let next = self.next_question();
                if let Some(Question::Page(question)) = self.session.questions.get_mut(at) {
                    question.id = next;
                    question.opening = false;
                    question.failed = Some(error);
                }
            }
        }
    }

    /// Consent to open it is all that "accept" means (V1-ELI-17).
    fn page_open(&mut self, at: usize) {
        if !matches!(self.session.questions.get(at), Some(Question::Page(_))) {
            return;
        }
        let Some(Question::Page(question)) = self.session.questions.remove(at) else {
            return;
        };
        self.answer_request(
            question.key,
            HostReply::Elicitation(ElicitationAnswer::Accept(None)),
        );
        let host = SafeText::line(question.address.host());
        let text = if question.done {
            format!("page at {host}: done")
        } else {
            format!(
                "page at {host}: opened, {} is waiting for it",
                self.agent_name()
            )
        };
        let detail = SafeText::new(&format!(
            "{}\n{}",
            question.message,
            SafeText::line(question.address.url())
        ));
        let text = SafeText::line(&text);
        let block = self.push(BlockKind::notice(
            NoticeLevel::Info,
            text,
            Some(detail.clone()),
        ));
        if !question.done {
            let pages = &mut self.session.inner.pages.0;
            if pages.len() >= MAX_PAGES {
                pages.remove(0);
            }
            pages.push(Page {
                id: question.page,
                block,
                told: SafeText::line(&format!("page at {host}: ")),
            });
        }
    }

    fn close_page(&mut self, at: usize, answer: ElicitationAnswer) {
        if let Some(Question::Page(question)) = self.session.questions.remove(at) {
            let host = question.address.host();
            let text = format!("page at {host}: {}", word(&answer));
            self.notice_with_detail(
                NoticeLevel::Info,
                SafeText::line(&text),
                SafeText::line(question.address.url()),
            );
            self.answer_request(question.key, HostReply::Elicitation(answer));
        }
    }

    /// V1-ELI-18; a page that no notice waits for is ignored.
    pub fn page_done(&mut self, id: &ElicitationId) {
        for question in &mut self.session.questions {
            if let Question::Page(question) = question
                && question.page == *id
            {
                question.done = true;
            }
        }
        self.end_page(|page| page.id == *id, "done");
    }

    /// The agent is gone, and will not report the end of its pages.
    pub fn forget_pages(&mut self) {
        self.end_page(|_| true, "opened");
    }

    fn end_page(&mut self, which: impl Fn(&Page) -> bool, end: &str) {
        let pages = &mut self.session.inner.pages.0;
        let ended: Vec<Page> = pages.extract_if(.., |page| which(page)).collect();
        for page in ended {
            self.conversation_mut()
                .set_notice_text(page.block, SafeText::line(&format!("{}{end}", page.told)));
        }
    }

    /// One line for the question and its answer, with the values on demand; secrets masked.
    fn tell_answer(&mut self, question: &FormQuestion, answer: &ElicitationAnswer) {
        let message = asked(&question.message);
        let text = SafeText::line(&format!("{}: {message}", word(answer)));
        match answer {
            ElicitationAnswer::Accept(Some(values)) if !values.is_empty() => {
                let detail = values_told(&question.form, values);
                self.notice_with_detail(NoticeLevel::Info, text, detail);
            }
            _ => self.say(NoticeLevel::Info, text),
        }
    }

    /// The notice for a question that was closed without an answer.
    pub fn tell_dropped(&mut self, question: &Question) {
        let text = match question {
            Question::Form(question) => format!("not answered: {}", asked(&question.message)),
            Question::Page(question) => {
                format!("page at {}: not opened", question.address.host())
            }
            _ => return,
        };
        self.say(NoticeLevel::Quiet, SafeText::line(&text));
    }

    fn title_of_call(&self, id: &ToolCallId) -> Option<SafeText> {
        let block = self.conversation().tools.find(id)?;
        let title = &self.conversation().tool(block)?.title;
        (!title.is_empty()).then(|| SafeText::line(first_bytes(title, MAX_TOLD)))
    }
}

/// The question in one line.
fn asked(message: &SafeText) -> SafeText {
    let line = message.trim().lines().next().unwrap_or_default();
    if line.is_empty() {
        return "a question".into();
    }
    SafeText::line(first_bytes(line, MAX_TOLD))
}

fn word(answer: &ElicitationAnswer) -> &'static str {
    match answer {
        ElicitationAnswer::Accept(_) => "answered",
        ElicitationAnswer::Decline => "declined",
        ElicitationAnswer::Cancel => "dismissed",
    }
}

fn values_told(form: &Form, values: &[(String, FormValue)]) -> SafeText {
    let line = |(key, value): &(String, FormValue)| {
        let field = form.fields.iter().find(|field| field.key == *key);
        let label = field.map_or_else(|| SafeText::line(key), Field::label);
        let value = match value {
            _ if field.is_some_and(asks_for_secret) => "***".to_owned(),
            FormValue::Text(text) => text.clone(),
            FormValue::Integer(number) => number.to_string(),
            FormValue::Number(number) => number.to_string(),
            FormValue::Boolean(true) => "yes".to_owned(),
            FormValue::Boolean(false) => "no".to_owned(),
            FormValue::Texts(texts) => texts.join(", "),
        };
        format!("{label}: {}", first_bytes(&value, MAX_VALUE))
    };
    let lines: Vec<String> = values.iter().map(line).collect();
    SafeText::new(&lines.join("\n"))
}

/// Whether a field looks like one for a secret, which no form may ask for (V1-ELI-13).
pub fn asks_for_secret(field: &Field) -> bool {
    let title = field.title.as_ref().map_or("", SafeText::as_str);
    is_secret_name(&field.key) || is_secret_name(title)
}
