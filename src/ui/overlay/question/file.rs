//! A read or write outside the workspace: once, the folder for this session, or no. What is protected
//! wherever the workspace is: once or no.

use crate::{
    proto::{HostRequest, PermissionKind},
    session::{Event, FileAnswer, FileQuestion},
    text::{SafeText, first_bytes},
    ui::{
        UiCommand,
        overlay::{Guard, OverlayContext, asker},
        render::{
            format::{bytes, count},
            line::StyledLine,
        },
    },
};

use super::{Body, Choice, QuestionDialog, Subject};

/// Bytes of what would be written that are laid out in the dialog; the viewer has the rest.
const CONTENT_BYTES: usize = 32 << 10;

const ANSWERS: [FileAnswer; 3] = [FileAnswer::Once, FileAnswer::Folder, FileAnswer::No];
const ONCE_OR_NO: [FileAnswer; 2] = [FileAnswer::Once, FileAnswer::No];

struct File(FileQuestion);

impl QuestionDialog {
    pub fn file(question: &FileQuestion, guard: Guard) -> Self {
        let folder = question.resolved.parent().map_or_else(
            || "Allow this folder for this session".to_owned(),
            |folder| format!("Allow all of {} for this session", folder.display()),
        );
        let mut choices = vec![
            Choice {
                label: "Allow this once".into(),
                kind: PermissionKind::AllowOnce,
                foreign: false,
            },
            Choice {
                label: SafeText::line(&folder),
                kind: PermissionKind::AllowAlways,
                foreign: false,
            },
            Choice {
                label: "No: the agent gets an error".into(),
                kind: PermissionKind::RejectOnce,
                foreign: false,
            },
        ];
        if question.protected.is_some() {
            choices.retain(|choice| choice.kind != PermissionKind::AllowAlways);
        }
        let subject = Box::new(File(question.clone()));
        Self::new(Some(question.id), subject, choices, guard)
    }
}

impl File {
    fn verb(&self) -> &'static str {
        if self.0.write { "write" } else { "read" }
    }

    fn command(&self, answer: FileAnswer) -> UiCommand {
        UiCommand::Session(Event::AnswerFile {
            question: self.0.id,
            answer,
        })
    }
}

impl Subject for File {
    fn title(&self, cx: &OverlayContext<'_>) -> String {
        let place = match self.0.protected {
            Some(_) => "what is protected",
            None => "outside the workspace",
        };
        let asker = asker(cx.session, self.0.request.session());
        format!("{asker} wants to {} {place}", self.verb())
    }

    fn rev(&self, _cx: &OverlayContext<'_>) -> u64 {
        0
    }

    fn answer(&self, at: usize) -> Option<UiCommand> {
        let answers: &[FileAnswer] = match self.0.protected {
            Some(_) => &ONCE_OR_NO,
            None => &ANSWERS,
        };
        answers.get(at).map(|answer| self.command(*answer))
    }

    fn shown_whole(&self, _cx: &OverlayContext<'_>) -> Option<&'static str> {
        match &self.0.request {
            HostRequest::WriteTextFile(write) if write.content.len() > CONTENT_BYTES => {
                Some("full text")
            }
            _ => None,
        }
    }

    fn dismissal(&self) -> Option<UiCommand> {
        Some(self.command(FileAnswer::No))
    }

    fn body(&self, width: usize, _expanded: bool, cx: &OverlayContext<'_>) -> Body {
        let theme = cx.theme;
        let mut body = Body::default();
        let asked = SafeText::line(&self.0.asked);
        let resolved = SafeText::line(&self.0.resolved.to_string_lossy());
        let label = StyledLine::styled(&format!("{} ", self.verb()), theme.dim);
        body.push_verbatim(&asked, &label, theme.strong, width, cx);
        if resolved != asked {
            let label = StyledLine::styled("which is ", theme.dim);
            body.push_verbatim(&resolved, &label, theme.warning.bold(), width, cx);
        }
        if let Some(why) = &self.0.protected {
            let text = format!("It {why}, and is asked about each time.");
            body.push(StyledLine::styled(&text, theme.warning), width);
        }
        if let HostRequest::WriteTextFile(write) = &self.0.request {
            let shown = first_bytes(&write.content, CONTENT_BYTES);
            let size = format!(
                "{}, {}",
                bytes(write.content.len() as u64),
                count(write.content.lines().count(), "line")
            );
            body.blank(cx);
            body.push(StyledLine::styled(&size, theme.dim), width);
            let text = SafeText::new(shown.trim_end_matches('\n'));
            body.push_verbatim(&text, &StyledLine::new(), theme.text, width, cx);
            body.left_out = write.content[shown.len()..].lines().count();
        }
        body
    }
}
