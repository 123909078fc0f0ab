//! What takes the whole screen but for the status line: a diff, a long text, a terminal.

use std::sync::Arc;

use crossterm::event::KeyEvent;
use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
};

use crate::{
    proto::{Diff, ToolContent},
    session::{Question, Session},
    ui::{
        Ui, UiContext,
        action::{Action, Context},
        keymap::Chord,
        viewer::{DiffViewer, Outcome, TerminalViewer, TextViewer, Viewer},
    },
};

impl Ui {
    /// The diffs of the call that is asked about.
    pub(super) fn show_asked_diff(&mut self, cx: &UiContext<'_>) {
        if let Some(session) = cx.session
            && let Some(Question::Permission(question)) = session.shown_question()
        {
            let diffs = diffs(&question.subject.content);
            self.show_diffs(diffs, session);
        }
    }

    /// The diffs of the selected block, or else all of its text.
    pub(super) fn show_block(&mut self, session: &Session, cx: &UiContext<'_>) {
        let diffs = self.transcript.selected_diffs(session);
        if !diffs.is_empty() {
            self.show_diffs(diffs, session);
        } else if let Some((title, text)) = self.transcript.selected_full_text(session, cx.screens)
        {
            self.viewer = Some(Viewer::Text(TextViewer::new(title, text)));
        } else {
            self.moment.say("there is no more of this block".into());
        }
    }

    fn show_diffs(&mut self, diffs: Vec<Arc<Diff>>, session: &Session) {
        if !diffs.is_empty() {
            let layout = self.look.settings.diff;
            let viewer = DiffViewer::new(diffs, layout, &session.config.cwd);
            self.viewer = Some(Viewer::Diff(viewer));
        }
    }

    /// The selected block's terminal.
    pub(super) fn attach(&mut self, session: &Session) {
        if let Some(block) = self.transcript.linked_subagent(session) {
            self.transcript.browse_to(block);
            return;
        }
        match self.transcript.selected_terminal(session) {
            Some(id) => {
                let info = session.terminals.get(&id);
                let viewer = TerminalViewer::new(id, info);
                self.viewer = Some(Viewer::Terminal(viewer));
            }
            None => self.moment.say("this block has no terminal".into()),
        }
    }

    /// The terminal that the person signs in at.
    pub(super) fn show_login(&mut self, cx: &UiContext<'_>) {
        if let Some(session) = cx.session
            && let Some(id) = session.login_terminal()
        {
            let viewer = TerminalViewer::new(id.clone(), session.terminals.get(id));
            self.viewer = Some(Viewer::Terminal(viewer));
        }
    }

    /// It comes up by itself. It goes by itself where the session has forgotten it: the person is
    /// signed in. Where not, what the program said last stays to be read.
    pub(super) fn sync_login(&mut self, cx: &UiContext<'_>) {
        let login = cx.session.and_then(Session::login_terminal);
        if login == self.login.as_ref() {
            return;
        }
        let before = std::mem::replace(&mut self.login, login.cloned());
        let shown = match &self.viewer {
            Some(Viewer::Terminal(viewer)) => before.as_ref() == Some(viewer.id()),
            _ => false,
        };
        let known = |id| {
            cx.session
                .is_some_and(|session| session.terminals.contains_key(id))
        };
        if shown && !before.as_ref().is_some_and(known) {
            self.viewer = None;
        }
        self.show_login(cx);
    }

    /// Whether a viewer is open, which then has had the key, but for those that are about our
    /// terminal as a whole.
    pub(super) fn viewer_key(&mut self, key: KeyEvent, cx: &UiContext<'_>) -> bool {
        let Some(viewer) = &mut self.viewer else {
            return false;
        };
        if !viewer.is_attached()
            && let Some(action @ (Action::Suspend | Action::Redraw)) = self
                .look
                .keymap
                .action(Chord::from(key), &[Context::Anywhere])
        {
            return self.act(action, cx);
        }
        let outcome = viewer.on_key(key, cx.screens);
        self.after_viewer(outcome);
        true
    }

    pub(super) fn viewer_paste(&mut self, text: &str, cx: &UiContext<'_>) -> bool {
        let Some(viewer) = &mut self.viewer else {
            return false;
        };
        let outcome = viewer.on_paste(text, cx.screens);
        self.after_viewer(outcome);
        true
    }

    fn after_viewer(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Stay => {}
            Outcome::Close => self.viewer = None,
            Outcome::Command(command) => self.commands.push(command),
        }
    }

    /// Draws the viewer, if one is open; returns where the cursor belongs.
    pub(super) fn draw_viewer(
        &mut self,
        area: Rect,
        buffer: &mut Buffer,
        cx: &UiContext<'_>,
    ) -> Option<Position> {
        let viewer = self.viewer.as_mut()?;
        if let Viewer::Terminal(terminal) = viewer {
            let info = cx
                .session
                .and_then(|session| session.terminals.get(terminal.id()));
            terminal.update(info);
        }
        let ctx = self.look.render(area.width, cx.now);
        let cursor = viewer.draw(area, buffer, cx.screens, &ctx);
        self.commands.extend(viewer.take_command());
        cursor
    }
}

fn diffs(content: &[ToolContent]) -> Vec<Arc<Diff>> {
    content
        .iter()
        .filter_map(|piece| match piece {
            ToolContent::Diff(diff) => Some(diff.clone()),
            _ => None,
        })
        .collect()
}
