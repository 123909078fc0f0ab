//! A project file that wants more than display keys: seen whole, then trusted or not.

use crate::{
    model::PermissionKind,
    text::SafeText,
    ui::{
        TrustQuestion, UiCommand,
        overlay::{Guard, OverlayContext},
        render::line::StyledLine,
    },
};

use super::{Body, Choice, QuestionDialog, Subject};

struct Trust(TrustQuestion);

impl QuestionDialog {
    pub fn trust(question: TrustQuestion, guard: Guard) -> Self {
        let trust = "Trust exactly this content from now on";
        let choices = vec![
            Choice::ours(trust.into(), PermissionKind::AllowOnce),
            Choice::ours("Continue without it".into(), PermissionKind::RejectOnce),
        ];
        Self::new(None, Box::new(Trust(question)), choices, guard)
    }
}

impl Subject for Trust {
    fn title(&self, _cx: &OverlayContext<'_>) -> String {
        "This project brings its own settings".into()
    }

    fn answer(&self, at: usize) -> Option<UiCommand> {
        (at < 2).then_some(UiCommand::Trust(at == 0))
    }

    /// A yes to what was not read would be one to whatever a stranger put at its end.
    fn must_be_read(&self) -> bool {
        true
    }

    fn allows(&self, at: usize) -> bool {
        at == 0
    }

    fn has_view(&self) -> bool {
        false
    }

    fn dismissal(&self) -> Option<UiCommand> {
        Some(UiCommand::Trust(false))
    }

    fn in_turn(&self) -> bool {
        false
    }

    fn body(&self, width: usize, _expanded: bool, cx: &OverlayContext<'_>) -> Body {
        let theme = cx.theme;
        let mut body = Body::default();
        let path = SafeText::line(&self.0.path.to_string_lossy());
        let label = StyledLine::styled("file ", theme.dim);
        body.push_verbatim(&path, &label, theme.strong, width, cx);
        let used = match self.0.display {
            true => "Only its display settings are in use so far.",
            false => "Nothing of it has been used yet.",
        };
        let why = format!(
            "It came with the repository and may have been written by a stranger: it can name \
             programs to be started as agents. {used}"
        );
        body.push(StyledLine::styled(&why, theme.dim), width);
        body.blank(cx);
        let content = SafeText::new(self.0.content.trim_end_matches('\n'));
        body.push_verbatim(&content, &StyledLine::new(), theme.text, width, cx);
        body
    }
}
