//! The row below a body that is longer than its room: how much more there is, and what shows it.

use crate::ui::{
    action::Action,
    overlay::{
        OverlayContext,
        panel::{Frame, out_of_sight, push_details},
    },
    render::line::{StyledLine, push_hint},
};

use super::{QuestionDialog, answering_key};

impl QuestionDialog {
    /// What stands below a body that is longer than its room.
    pub(super) fn more_line(
        &mut self,
        below: usize,
        above: usize,
        width: usize,
        cx: &OverlayContext<'_>,
    ) -> StyledLine {
        let theme = cx.theme;
        if self.subject.must_be_read() && !self.reading.is_whole(cx.now) && below > 0 {
            let mut line = out_of_sight(below, 0, cx);
            let key = cx.keymap.hint(Action::ScrollDown);
            let hint = (&*key, "to the end before a yes");
            push_hint(&mut line, hint, theme.dim, (theme, cx.symbols));
            return line;
        }
        let mut line = out_of_sight(below, above, cx);
        if self.expanded && below > 0 {
            line.push(&format!(" {} ", cx.symbols.separator), theme.dim);
            line.push(&cx.keymap.hint(Action::QuestionScrollDown), theme.key_hint);
        }
        push_details(&mut line, self.expanded, cx);
        if cx.frame == Frame::Compact {
            self.push_hints(&mut line, width, cx);
        }
        line
    }

    /// What the frame has no room to say: how to refuse, and where all of it is.
    fn push_hints(&self, line: &mut StyledLine, width: usize, cx: &OverlayContext<'_>) {
        let no = match self.subject.dismissal() {
            Some(_) => self.subject.dismissal_word(),
            None => "stop",
        };
        let whole = self.subject.shown_whole(cx);
        let hints = [
            Some((Action::Stop, no)),
            whole.map(|what| (Action::QuestionDiff, what)),
        ];
        for (action, what) in hints.into_iter().flatten() {
            let key = answering_key(action, cx);
            let mut next = line.clone();
            push_hint(
                &mut next,
                (&key, what),
                cx.theme.dim,
                (cx.theme, cx.symbols),
            );
            if !key.is_empty() && next.width() <= width {
                *line = next;
            }
        }
    }
}
