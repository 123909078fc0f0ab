//! Viewers that fill the screen above the status line: a diff, a long text, a terminal.

use std::{sync::Arc, time::Instant};

use crossterm::event::{KeyCode, KeyEvent};
use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
};

use crate::{
    model::{Diff, HostRequest, RawJson, ToolContent},
    session::{BlockKind, PermissionQuestion, Question, Session},
    text::{SafeText, exact},
    ui::{
        Ui, UiContext,
        action::{Action, Context},
        keymap::Chord,
        render::json::laid_out,
        viewer::{
            DiffViewer, Outcome, PictureViewer, TerminalViewer, TextViewer, Viewer, goes_to_hunk,
        },
    },
};

impl Ui {
    /// Shows all that a question is about: a call's diffs, or else its input.
    pub(super) fn show_asked(&mut self, cx: &UiContext<'_>) {
        let Some(session) = cx.session else { return };
        let Some(question) = session.shown_question() else {
            return;
        };
        match question {
            Question::Permission(question) => {
                let diffs = diffs(&question.subject.content);
                if diffs.is_empty() {
                    self.show_asked_input(question, session);
                } else {
                    self.show_diffs(diffs, session);
                }
            }
            Question::File(file) => {
                let text = match &file.request {
                    HostRequest::WriteTextFile(write) => SafeText::new(&write.content),
                    _ => exact(&file.resolved.to_string_lossy()),
                };
                self.show_text(file.asked.clone(), text);
            }
            Question::Command(command) => {
                if let HostRequest::TerminalCreate(request) = &command.request {
                    self.show_text("command".into(), exact(&request.line()));
                }
            }
            Question::Page(page) => self.show_text("address".into(), exact(page.address.url())),
            // A form has its own dialog, and opens no viewer.
            Question::Form(_) => {}
        }
        self.viewer_of = self.viewer.is_some().then_some(question.id());
        // The key that opened it may have been the first letter of a word.
        self.layers.question_moved();
    }

    fn asked_input<'a>(&self, cx: &UiContext<'a>) -> Option<&'a RawJson> {
        let session = cx.session?;
        match session.shown_question()? {
            Question::Permission(question) => input(question, session),
            _ => None,
        }
    }

    fn show_asked_input(&mut self, question: &PermissionQuestion, session: &Session) {
        let subject = &question.subject;
        if let Some(raw) = input(question, session) {
            let (text, _) = laid_out(&raw.0, usize::MAX);
            let title = SafeText::line(&format!("input of {}", subject.title));
            return self.show_text(title, SafeText::new(&text));
        }
        match &subject.command {
            Some(command) => self.show_text("command".into(), exact(command)),
            None => {
                let words = [&question.title, &question.description];
                let words = words.into_iter().flatten().chain([&subject.title]);
                let words: Vec<&str> = words.map(SafeText::as_str).collect();
                self.show_text("question".into(), SafeText::new(&words.join("\n")));
            }
        }
    }

    /// Shows the selected block's images; `alone`: only if it is nothing else. False where there are none.
    pub(super) fn show_images(&mut self, session: &Session, alone: bool) -> bool {
        let (images, is_alone) = self.transcript.selected_images(session);
        let images = if alone && !is_alone {
            Vec::new()
        } else {
            images
        };
        let viewer = PictureViewer::new(images);
        let shows = viewer.is_some();
        if let Some(viewer) = viewer {
            self.viewer = Some(Viewer::Picture(viewer));
        }
        shows
    }

    pub(super) fn show_text(&mut self, title: SafeText, text: SafeText) {
        self.viewer = Some(Viewer::Text(TextViewer::new(title, text)));
    }

    /// Whether the question is there of which the viewer shows something: it is answered from here.
    pub(super) fn is_asked_below(&self) -> bool {
        self.viewer_of.is_some() && self.viewer_of == self.layers.question()
    }

    /// Keys in a viewer that a question opened: answers, and switching between diffs and input.
    fn asked_viewer_key(&mut self, key: KeyEvent, cx: &UiContext<'_>) -> bool {
        if !self.is_asked_below() {
            return false;
        }
        if self.close_outdated_viewer(cx) {
            return true;
        }
        // Elsewhere they go from hunk to hunk: a hand that is used to that must reject nothing.
        if matches!(self.viewer, Some(Viewer::Diff(_))) && goes_to_hunk(key) {
            return false;
        }
        let overlay = self.look.overlay(&self.composer, cx);
        if let Some(outcome) = self.layers.answer_below(Chord::from(key), &overlay) {
            // A reason is written in the dialog.
            if outcome.close || self.layers.takes_text(cx.now) {
                self.close_viewer();
            }
            self.follow(Some(outcome), cx);
            return true;
        }
        if key.code == KeyCode::Char('i')
            && key.modifiers.is_empty()
            && let Some(session) = cx.session
            && let Some(Question::Permission(question)) = session.shown_question()
        {
            let diffs = diffs(&question.subject.content);
            match self.viewer {
                Some(Viewer::Diff(_)) => self.show_asked_input(question, session),
                _ => self.show_diffs(diffs, session),
            }
            return true;
        }
        false
    }

    /// Closes the viewer if the question has changed; returns whether it did.
    pub(super) fn close_outdated_viewer(&mut self, cx: &UiContext<'_>) -> bool {
        if !self.is_asked_below() {
            return false;
        }
        let overlay = self.look.overlay(&self.composer, cx);
        let dialog = self.layers.answers_below();
        let outdated = dialog.is_some_and(|dialog| dialog.view_is_outdated(&overlay));
        if outdated {
            self.close_viewer();
        }
        outdated
    }

    fn close_viewer(&mut self) {
        self.viewer = None;
        self.viewer_of = None;
    }

    /// The diffs of the selected block, or else all of its text.
    pub(super) fn show_block(&mut self, session: &Session, cx: &UiContext<'_>) {
        self.viewer_of = None;
        let diffs = self.transcript.selected_diffs(session);
        if !diffs.is_empty() {
            self.show_diffs(diffs, session);
        } else if let Some((title, text)) = self.transcript.selected_full_text(session, cx.screens)
        {
            self.show_text(title, text);
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
            self.viewer_of = None;
        }
    }

    /// Opens the sign-in program's terminal when there is one, and closes it once the session has
    /// dropped it: the person is signed in. Otherwise the program's last output stays readable.
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
            self.close_viewer();
        }
        self.show_login(cx);
    }

    /// Whether a viewer is open, which then has had the key, but for those that are about our
    /// terminal as a whole.
    /// Letters over a view that a question has opened. Those that go on with a word that was being
    /// typed keep the answers waiting, whatever they do to the view; one that does nothing there is
    /// text: the view closes for it (true), and it goes to the draft.
    fn typed_over_question(&mut self, key: KeyEvent, cx: &UiContext<'_>) -> bool {
        let chord = Chord::from(key);
        let asked = self.is_asked_below() && chord.is_text();
        let Some(dialog) = self.layers.answers_below().filter(|_| asked) else {
            return false;
        };
        if dialog.is_waiting(cx.now) {
            self.layers.typed_elsewhere(cx.now);
        }
        let overlay = self.look.overlay(&self.composer, cx);
        let dialog = self.layers.answers_below();
        let is_key = self
            .viewer
            .as_ref()
            .is_some_and(|viewer| viewer.has_key(key))
            || key.code == KeyCode::Char('i')
            || dialog.is_some_and(|dialog| dialog.answers_by(chord, &overlay));
        if is_key {
            return false;
        }
        self.close_viewer();
        self.layers.question_moved();
        true
    }

    pub(super) fn viewer_key(&mut self, key: KeyEvent, cx: &UiContext<'_>) -> bool {
        if self.asked_comment_key(key, cx) {
            return true;
        }
        let Some(viewer) = &mut self.viewer else {
            return false;
        };
        if !viewer.is_attached()
            && let Some(action @ (Action::Suspend | Action::Redraw | Action::Find)) = self
                .look
                .keymap
                .action(Chord::from(key), &[Context::Anywhere])
        {
            if action == Action::Find {
                viewer.open_find();
                return true;
            }
            return self.act(action, cx);
        }
        // Before the answers of a question below: n is the next match, and enter too.
        if viewer.find_key(key) {
            return true;
        }
        if self.typed_over_question(key, cx) {
            return false;
        }
        if self.asked_viewer_key(key, cx) {
            return true;
        }
        if let Some(viewer) = &mut self.viewer {
            let outcome = viewer.on_key(key, cx.screens);
            self.after_viewer(outcome);
        }
        true
    }

    pub(super) fn viewer_paste(&mut self, text: &str, cx: &UiContext<'_>) -> bool {
        if self.asked_comment_paste(text) {
            return true;
        }
        let Some(viewer) = &mut self.viewer else {
            return false;
        };
        let outcome = viewer.on_paste(text, cx.screens);
        self.after_viewer(outcome);
        true
    }

    /// When a search in the viewer goes on, while it is drawn.
    pub(super) fn viewer_deadline(&self, now: Instant) -> Option<Instant> {
        let viewer = self.viewer.as_ref();
        let drawn = viewer.filter(|_| !self.places.viewer.is_empty());
        drawn?.deadline(now)
    }

    pub(super) fn after_viewer(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Stay => {}
            Outcome::Close => self.close_viewer(),
            Outcome::Command(command) => self.commands.push(*command),
        }
    }

    /// Draws the viewer, if one is open; returns where the cursor belongs.
    pub(super) fn draw_viewer(
        &mut self,
        area: Rect,
        buf: &mut Buffer,
        cx: &UiContext<'_>,
    ) -> Option<Position> {
        let asked = self.is_asked_below();
        let answers = if asked {
            self.draw_answers(area, buf, cx)
        } else {
            0
        };
        let area = Rect {
            height: area.height - answers,
            ..area
        };
        let has_input = asked && self.asked_input(cx).is_some();
        self.put_comments(area.width, area.height, cx);
        let viewer = self.viewer.as_mut()?;
        if let Viewer::Diff(diff) = viewer {
            diff.set_has_input(has_input);
        }
        if let Viewer::Terminal(terminal) = viewer {
            let info = cx
                .session
                .and_then(|session| session.terminals.get(terminal.id()));
            terminal.update(info);
        }
        let ctx = self.look.render(area.width, cx.now);
        let cursor = viewer.draw(area, buf, cx.screens, &ctx);
        self.commands.extend(viewer.take_command());
        self.pictures = viewer.pictures();
        self.draw_comment(area.width, buf, cx).or(cursor)
    }
}

impl Ui {
    /// The answers of the question at the lower end; how many rows they take.
    fn draw_answers(&mut self, area: Rect, buf: &mut Buffer, cx: &UiContext<'_>) -> u16 {
        let overlay = self.look.overlay(&self.composer, cx);
        let of_diff = matches!(self.viewer, Some(Viewer::Diff(_)));
        let Some(dialog) = self.layers.answers_below() else {
            return 0;
        };
        let height = dialog.answers_height(area.width, area.height / 2, &overlay);
        let below = Rect {
            y: area.bottom() - height,
            height,
            ..area
        };
        dialog.draw_answers(below, of_diff, buf, &overlay);
        height
    }
}

/// What the call that is asked about is called with.
fn input<'a>(question: &PermissionQuestion, session: &'a Session) -> Option<&'a RawJson> {
    match &session.asked_about(question)?.kind {
        BlockKind::Tool(call) => call.raw_input.as_ref(),
        _ => None,
    }
}

fn diffs(content: &[ToolContent]) -> Vec<Arc<Diff>> {
    let diffs = content.iter().filter_map(ToolContent::diff);
    diffs.cloned().collect()
}
