//! A read or write outside the workspace, or one that a rule wants asked about: once, the folder for
//! this session, or no. What is protected wherever the workspace is: once or no.

use std::{path::Path, sync::Arc};

use crate::{
    model::{Diff, HostRequest, PermissionKind},
    session::{Event, FileAnswer, FileQuestion, Question},
    text::{SafeText, exact_line, first_bytes},
    ui::{
        UiCommand,
        overlay::{Guard, OverlayContext, asker},
        render::{
            diff::{change_label, diff_stats, push_stats},
            format::{bytes, count},
            line::StyledLine,
        },
    },
};

use super::{Body, Choice, ERROR, QuestionDialog, Subject};

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
            Choice::ours("Allow this once".into(), PermissionKind::AllowOnce),
            Choice::ours(SafeText::line(&folder), PermissionKind::AllowAlways),
            Choice::ours(ERROR.into(), PermissionKind::RejectOnce),
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

    /// What a write does to its file: known once that was looked at.
    fn change<'a>(&self, cx: &OverlayContext<'a>) -> Option<&'a Arc<Diff>> {
        let questions = &cx.session?.questions;
        questions.iter().find_map(|question| match question {
            Question::File(question) if question.id == self.0.id => question.change.as_ref(),
            _ => None,
        })
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
        let who = asker(cx.session, self.0.request.session());
        let what = match (&self.0.protected, &self.0.reason, self.0.write) {
            (Some(_), _, _) => format!("{} what is protected", self.verb()),
            (None, None, _) => format!("{} outside the workspace", self.verb()),
            (None, Some(_), true) => "write a file".to_owned(),
            (None, Some(_), false) => "read a file".to_owned(),
        };
        format!("{who} wants to {what}")
    }

    fn rev(&self, cx: &OverlayContext<'_>) -> u64 {
        u64::from(self.change(cx).is_some())
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

    fn diffs<'a>(&'a self, cx: &OverlayContext<'a>) -> Vec<&'a Arc<Diff>> {
        self.change(cx).into_iter().collect()
    }

    fn dismissal(&self) -> Option<UiCommand> {
        Some(self.command(FileAnswer::No))
    }

    fn body(&self, width: usize, expanded: bool, cx: &OverlayContext<'_>) -> Body {
        let theme = cx.theme;
        let mut body = Body::default();
        let asked = self.0.asked.clone();
        let resolved = exact_line(&self.0.resolved.to_string_lossy());
        let label = StyledLine::styled(&format!("{} ", self.verb()), theme.dim);
        body.push_verbatim(&asked, &label, theme.strong, width, cx);
        if resolved != asked {
            let label = StyledLine::styled("which is ", theme.dim);
            body.push_verbatim(&resolved, &label, theme.warning.bold(), width, cx);
        }
        if let Some(why) = &self.0.protected {
            let text = format!("It {why}, so it is asked about each time.");
            body.push(StyledLine::styled(&text, theme.warning), width);
        }
        if let Some(reason) = &self.0.reason {
            body.push_reason(reason, width, cx);
        }
        if let Some(change) = self.change(cx) {
            body.blank(cx);
            push_change(change, width, expanded, cx, &mut body);
        } else if let HostRequest::WriteTextFile(write) = &self.0.request {
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

fn push_change(
    diff: &Arc<Diff>,
    width: usize,
    expanded: bool,
    cx: &OverlayContext<'_>,
    body: &mut Body,
) {
    let label = change_label(diff, Path::new("")).unwrap_or_else(|| "a new file".into());
    let mut head = StyledLine::styled(&label, cx.theme.dim);
    if let Some(stats) = diff_stats(diff, cx.offload) {
        head.push("  ", cx.theme.text);
        push_stats(&mut head, stats, cx.theme, cx.symbols);
    }
    body.push(head, width);
    body.push_diff(diff, width, expanded, cx);
}
