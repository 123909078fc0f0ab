//! A page that the agent wants opened: where it leads, and the person's consent (V1-ELI-14,
//! V1-ELI-15).

use crate::{
    model::PermissionKind,
    session::{AddressWarning, Event, PageAnswer, PageQuestion, Question},
    text::SafeText,
    ui::{
        UiCommand,
        overlay::{Guard, OverlayContext, asker},
        render::line::{StyledLine, Wrapping},
    },
};

use super::{Body, Choice, QuestionDialog, Subject};

/// What a choice means.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Act {
    Answer(PageAnswer),
    Copy,
}

struct Page {
    question: PageQuestion,
    acts: Vec<Act>,
    /// Why no browser can be started here.
    no_browser: Option<SafeText>,
}

impl QuestionDialog {
    /// Without a browser here, or once it has failed, the person opens the page where there is one,
    /// and then says so (V1-ELI-19).
    pub fn page(question: &PageQuestion, no_browser: Option<&SafeText>, guard: Guard) -> Self {
        let by_hand = question.failed.is_some() || no_browser.is_some();
        let choice = |label: &'static str, kind, act| (Choice::ours(label.into(), kind), act);
        let (opens, answer) = match by_hand {
            true => ("I opened it myself: continue", PageAnswer::OpenedElsewhere),
            false => ("Open in the browser", PageAnswer::Open),
        };
        let open = choice(opens, PermissionKind::AllowOnce, Act::Answer(answer));
        let copy = choice("Copy the address", PermissionKind::Unknown, Act::Copy);
        let decline = Act::Answer(PageAnswer::Decline);
        let decline = choice("No: tell the agent so", PermissionKind::RejectOnce, decline);
        let order = match by_hand {
            true => [copy, open, decline],
            false => [open, copy, decline],
        };
        let (choices, acts) = order.into_iter().unzip();
        let subject = Page {
            question: question.clone(),
            acts,
            no_browser: no_browser.cloned(),
        };
        Self::new(Some(question.id), Box::new(subject), choices, guard)
    }
}

impl Page {
    fn answer_with(&self, answer: PageAnswer) -> UiCommand {
        UiCommand::Session(Event::AnswerPage {
            question: self.question.id,
            answer,
        })
    }

    /// Whether the agent has said that it is done meanwhile.
    fn is_done(&self, cx: &OverlayContext<'_>) -> bool {
        let mut questions = cx.session.iter().flat_map(|session| &session.questions);
        questions.any(|question| {
            matches!(question, Question::Page(page) if page.id == self.question.id && page.done)
        })
    }
}

impl Subject for Page {
    fn title(&self, cx: &OverlayContext<'_>) -> String {
        let who = asker(cx.session, self.question.subagent.as_ref());
        format!("{who} wants you to open a page")
    }

    fn rev(&self, cx: &OverlayContext<'_>) -> u64 {
        u64::from(self.is_done(cx))
    }

    fn answer(&self, at: usize) -> Option<UiCommand> {
        match self.acts.get(at)? {
            Act::Answer(answer) => Some(self.answer_with(*answer)),
            Act::Copy => None,
        }
    }

    fn aside(&self, at: usize) -> Option<UiCommand> {
        let copies = self.acts.get(at) == Some(&Act::Copy);
        copies.then(|| UiCommand::Copy(self.question.address.url().to_owned()))
    }

    fn dismissal(&self) -> Option<UiCommand> {
        Some(self.answer_with(PageAnswer::Dismiss))
    }

    fn dismissal_word(&self) -> &'static str {
        "dismiss"
    }

    fn in_turn(&self) -> bool {
        self.question.request.is_none()
    }

    fn body(&self, width: usize, _expanded: bool, cx: &OverlayContext<'_>) -> Body {
        let theme = cx.theme;
        let mut body = Body::default();
        let question = &self.question;
        if let Some(about) = &question.about {
            let label = StyledLine::styled("for ", theme.dim);
            body.push_verbatim(about, &label, theme.dim, width, cx);
        }
        // What matters comes first, so that no message can push it out of sight.
        let (before, behind) = question.address.around_host();
        let host = SafeText::line(question.address.host());
        let mut site = StyledLine::styled("it leads to ", theme.text);
        site.push(&host, theme.accent.bold());
        body.push(site, width);
        for warning in question.address.warnings() {
            let text = format!("! {}", warning_words(*warning));
            body.push(StyledLine::styled(&text, theme.warning.bold()), width);
        }
        // Whole, and the one part that matters set off.
        let mut url = StyledLine::styled(&SafeText::line(before), theme.text);
        url.push(&host, theme.accent.bold());
        url.push(&SafeText::line(behind), theme.text);
        body.rows.extend(url.wrap_as(Wrapping::Hard, width));
        let message = SafeText::new(question.message.trim());
        if !message.is_empty() {
            body.blank(cx);
            for line in StyledLine::lines(&message, theme.text) {
                body.push(line, width);
            }
        }
        if let Some(failed) = &question.failed {
            let text = format!("{} it could not be opened: {failed}", cx.symbols.failed);
            body.push(StyledLine::styled(&text, theme.error), width);
        } else if let Some(why) = &self.no_browser {
            let text = format!("{why}: open it elsewhere, then continue");
            body.push(StyledLine::styled(&text, theme.warning), width);
        }
        if self.is_done(cx) {
            let text = format!("{} the agent says that it is done", cx.symbols.done);
            body.push(StyledLine::styled(&text, theme.success), width);
        }
        body
    }
}

fn warning_words(warning: AddressWarning) -> &'static str {
    match warning {
        AddressWarning::NotEncrypted => "not encrypted: others can read and change it on the way",
        AddressWarning::Lookalike => "the name may imitate another one",
        AddressWarning::UserInfo => {
            "the part before the @ is not the site, even if it looks like one"
        }
        AddressWarning::IpAddress => "an IP address: its owner cannot be verified",
    }
}
