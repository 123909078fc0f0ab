//! Who gets a key: overlays, then the block that is browsed, the composer's popup, the keymap, the
//! composer.

use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind};

use super::{mouse::is_overtaken, sources::sources};
use crate::{
    session::{Event as SessionEvent, Listing, Phase, Prompt, Session},
    text::SafeText,
    ui::{
        Ui, UiCommand, UiContext,
        action::{Action, Context},
        composer::PopupOutcome,
        keymap::Chord,
        overlay::{Outcome, PAUSE, Wish, is_typing},
        transcript::Scroll,
    },
};

/// Contexts of the keymap, by who has the keys.
const DRAFT: &[Context] = &[Context::Composer, Context::Anywhere];
const EMPTY: &[Context] = &[Context::EmptyComposer, Context::Composer, Context::Anywhere];
const SUGGESTED: &[Context] = &[
    Context::Suggested,
    Context::EmptyComposer,
    Context::Composer,
    Context::Anywhere,
];
const BROWSE: &[Context] = &[Context::Browse, Context::Anywhere];

/// A default key that meant another action before.
struct Moved {
    key: &'static str,
    action: Action,
    /// What it means now, and how the action is reached from there where no key is bound to it.
    now: Option<(Action, &'static str)>,
}

const MOVED: &[Moved] = &[
    Moved {
        key: "ctrl-x",
        action: Action::SendNow,
        now: None,
    },
    Moved {
        key: "F3",
        action: Action::Pager,
        now: Some((Action::Find, "F3 finds now; F3 again: the pager")),
    },
];

/// Actions that the palette offers first.
const RECENT: usize = 5;

/// Arrows that come in one read from here on where a hand sends one at a time.
const WHEEL_NOTCH: usize = 3;

/// How many of the first keys are a turn of the mouse wheel: on the alternate screen terminals send
/// it as arrows while the mouse is theirs, a notch at once.
fn wheel(keys: &[KeyEvent]) -> usize {
    let arrow = |key: &KeyEvent| {
        matches!(key.code, KeyCode::Up | KeyCode::Down)
            && key.modifiers.is_empty()
            && key.kind == KeyEventKind::Press
    };
    let Some(first) = keys.first().filter(|key| arrow(key)) else {
        return 0;
    };
    let same = keys
        .iter()
        .take_while(|key| arrow(key) && key.code == first.code)
        .count();
    if same < WHEEL_NOTCH { 0 } else { same }
}

impl Ui {
    /// Handles events that were read together; returns the commands that follow, in order.
    pub fn handle(&mut self, events: &[Event], cx: &UiContext<'_>) -> Vec<UiCommand> {
        let mut rest = events;
        while let Some((first, tail)) = rest.split_first() {
            let keys: Vec<KeyEvent> = rest.iter().map_while(Event::as_key_event).collect();
            if keys.is_empty() {
                match first {
                    Event::Paste(text) => self.paste(text, cx),
                    // Where the button is released then is told to another window.
                    Event::FocusLost => {
                        self.press = None;
                        self.review.release();
                    }
                    Event::Mouse(mouse) if !is_overtaken(*mouse, tail) => self.mouse(*mouse, cx),
                    _ => {}
                }
                rest = tail;
            } else {
                self.keys(&keys, cx);
                rest = &rest[keys.len()..];
            }
        }
        self.commands.extend(self.composer.commands_wanted());
        std::mem::take(&mut self.commands)
    }

    /// The next keys were typed before anything was visible: they answer no question.
    pub fn typed_ahead(&mut self, cx: &UiContext<'_>) {
        self.sync(cx);
        self.layers
            .paste("", &self.look.overlay(&self.composer, cx));
        self.last_typed = Some(cx.now);
    }

    fn paste(&mut self, text: &str, cx: &UiContext<'_>) {
        self.last_typed = Some(cx.now);
        if self.viewer_paste(text, cx) || self.review_paste(text) || self.find_paste(text, cx) {
            return;
        }
        self.sync(cx);
        let outcome = self
            .layers
            .paste(text, &self.look.overlay(&self.composer, cx));
        if !self.follow(outcome, cx) {
            self.transcript.browse_exit();
            if cx.project.read_only.is_none() {
                self.composer.insert_paste(text);
            }
        }
    }

    /// Keys that were read together: a run of text among them may be a paste.
    fn keys(&mut self, keys: &[KeyEvent], cx: &UiContext<'_>) {
        let mut rest = keys;
        while let Some((key, tail)) = rest.split_first() {
            self.sync(cx);
            let elsewhere =
                self.is_covered() || self.layers.is_opened() || self.transcript.is_browsing();
            // A field of a form takes text key by key.
            let typed_above = elsewhere || self.is_finding() || self.layers.takes_text(cx.now);
            let turned = if elsewhere { 0 } else { wheel(rest) };
            if turned > 0 {
                // Scrolling is no answer and no typing: the guard of a question does not mind it.
                let rows = i32::try_from(turned).unwrap_or(i32::MAX);
                let rows = if key.code == KeyCode::Up { -rows } else { rows };
                self.transcript.scroll(Scroll::Lines(rows));
                rest = rest.get(turned..).unwrap_or_default();
                continue;
            }
            let waits = !self.pending.is_empty();
            let burst = match typed_above || waits || cx.project.read_only.is_some() {
                true => self.comment_burst(rest, cx),
                false => self.composer.take_burst(rest, &sources(cx)),
            };
            if burst > 0 {
                self.forget_sequence();
                // Tells an open question that something was typed.
                match typed_above {
                    true => self.layers.typed_elsewhere(cx.now),
                    false => {
                        let overlay = self.look.overlay(&self.composer, cx);
                        self.layers.paste("", &overlay);
                    }
                }
                self.last_typed = Some(cx.now);
                self.just_answered = None;
                self.moment.disarm();
                rest = rest.get(burst..).unwrap_or_default();
            } else {
                if key.kind != KeyEventKind::Release {
                    // A letter that is a viewer's key is no text.
                    let types = self.takes_typing() && is_typing(Chord::from(*key));
                    self.key(*key, cx);
                    if types {
                        self.last_typed = Some(cx.now);
                    }
                }
                rest = tail;
            }
        }
        self.sync(cx);
    }

    /// How many of the keys are a paste into a comment that is written.
    fn comment_burst(&mut self, keys: &[KeyEvent], cx: &UiContext<'_>) -> usize {
        if self.has_review_keys() {
            self.review.take_burst(keys, cx.now)
        } else if self.viewer.is_some() {
            self.asked_comment_burst(keys, cx)
        } else {
            self.layers.take_burst(keys, cx.now)
        }
    }

    /// Whether letters are text now: those of a diff's or a text's viewer are its keys.
    fn takes_typing(&self) -> bool {
        match &self.viewer {
            Some(viewer) => viewer.takes_text() || self.is_commenting(),
            None => !self.has_review_keys() || self.review.takes_text(),
        }
    }

    /// Brings the overlays up to date with the session.
    pub(super) fn sync(&mut self, cx: &UiContext<'_>) {
        let no_browser = cx.project.no_browser.as_ref();
        // Questions of a replay were answered then, and are shown as text.
        let asking = cx.session.filter(|_| cx.project.read_only.is_none());
        self.layers.sync(asking, no_browser, self.last_typed);
        if let Some(unsaid) = self.layers.take_unsaid() {
            self.composer.prepend(&unsaid);
        }
        self.sync_login(cx);
        let known = cx.session.filter(|session| {
            !matches!(session.phase, Phase::Starting { .. } | Phase::Failed { .. })
        });
        self.composer
            .set_caps(known.map(|session| session.agent.caps.prompt));
    }

    fn key(&mut self, key: KeyEvent, cx: &UiContext<'_>) {
        let above = self.is_covered() || self.layers.is_opened();
        if above || self.layers.is_asking() {
            self.forget_sequence();
        } else if !self.pending.is_empty() {
            self.sequence_key(Chord::from(key), EMPTY, cx);
            return;
        }
        if above && self.takes_typing() && is_typing(Chord::from(key)) {
            self.layers.typed_elsewhere(cx.now);
        }
        if self.viewer_key(key, cx) || self.review_key(key, cx) {
            return;
        }
        if self.find_key(key, cx) {
            return;
        }
        let chord = Chord::from(key);
        if self.selection_key(chord, cx) {
            return;
        }
        let just_answered = self.just_answered.take();
        if self.moves_in_draft(key) {
            self.edit(key, cx);
            return;
        }
        let outcome = self
            .layers
            .handle(chord, &self.look.overlay(&self.composer, cx));
        let for_draft = outcome.as_ref().is_some_and(|outcome| outcome.for_draft);
        if self.follow(outcome, cx) {
            return;
        }
        if for_draft {
            self.edit(key, cx);
            return;
        }
        if self.layers.is_opened() {
            self.below_opened(chord, cx);
            return;
        }
        if self.layers.is_asking() {
            self.below_question(key, chord, cx);
            return;
        }
        if self.transcript.is_browsing() {
            self.browse_key(key, chord, cx);
            return;
        }
        let Some(key) = self.modal_key(key, cx) else {
            return;
        };
        let chord = Chord::from(key);
        match self.composer.popup_key(key, &sources(cx)) {
            PopupOutcome::Consumed => return,
            PopupOutcome::Submit => {
                self.act(Action::Send, cx);
                return;
            }
            PopupOutcome::Ignored => {}
        }
        let contexts = match self.composer.is_empty() {
            true if self.suggestion(cx).is_some() => SUGGESTED,
            true => EMPTY,
            false => DRAFT,
        };
        if self.sequence_key(chord, contexts, cx) {
            return;
        }
        let reading = cx.project.read_only.is_some();
        let meant: Vec<Action> = self.look.keymap.actions(chord, contexts).collect();
        let possible = |action: &Action| !reading || action.reading_doc().is_some();
        let action = meant
            .iter()
            .find(|action| possible(action))
            .or(meant.first());
        let action = action.copied();
        let since = just_answered.map(|at| cx.now.saturating_duration_since(at));
        if action == Some(Action::Send) && since.is_some_and(|since| since < PAUSE) {
            // It was meant for the answer: no draft is sent by it.
            return;
        }
        let rest = meant.into_iter().skip_while(|one| Some(*one) != action);
        for action in rest {
            if self.go_to_tab(action, chord, cx) || self.act(action, cx) {
                self.tell_moved(chord, Some(action), cx);
                return;
            }
        }
        if !self.take_back_above(chord, cx) && !self.edit(key, cx) {
            self.tell_moved(chord, None, cx);
        }
    }

    /// A key that meant something else once, and does `now` or nothing: where that went is told once.
    fn tell_moved(&mut self, chord: Chord, now: Option<Action>, cx: &UiContext<'_>) {
        let moved = MOVED.iter().find(|moved| {
            Chord::parse(moved.key) == Ok(chord) && moved.now.map(|(action, _)| action) == now
        });
        let Some(moved) = moved else { return };
        if cx.project.told.contains(moved.key) || self.told.contains(&moved.key) {
            return;
        }
        let to = self.look.keymap.hint(moved.action);
        let text = match (to.is_empty(), moved.now) {
            (false, _) => format!("{} moved to {to}", moved.key),
            (true, Some((_, reached))) => reached.to_owned(),
            (true, None) => return,
        };
        self.told.push(moved.key);
        self.moment.say(SafeText::line(&text));
        self.commands.push(UiCommand::Told(moved.key));
    }

    /// Up and down are the draft's while its caret has a row to go to; at its edges they select an
    /// answer, and then among the answers.
    fn moves_in_draft(&mut self, key: KeyEvent) -> bool {
        let arrow = matches!(key.code, KeyCode::Up | KeyCode::Down) && key.modifiers.is_empty();
        arrow && self.layers.leaves_arrows() && self.composer.has_row(key.code == KeyCode::Down)
    }

    /// Sends a reason before the rest of the queue: it belongs to the answer just given.
    fn say_reason(&mut self, text: String) {
        self.composer.push_history(&text);
        self.commands.push(UiCommand::SaveHistory(text.clone()));
        let event = SessionEvent::SubmitFirst(Prompt::of_text(text));
        self.commands.push(UiCommand::Session(event));
    }

    /// At the draft's top what is queued comes before what is past: the history's newest entry would
    /// be the queued prompt once more, to be sent twice. The draft stays, behind it.
    fn take_back_above(&mut self, chord: Chord, cx: &UiContext<'_>) -> bool {
        let queued = cx.session.is_some_and(|session| !session.queue.is_empty());
        queued
            && self.look.keymap.action(chord, EMPTY) == Some(Action::TakeBack)
            && self.composer.is_at_top()
            && self.act(Action::TakeBack, cx)
    }

    /// Keys that a dialog opened by the person does not take.
    fn below_opened(&mut self, chord: Chord, cx: &UiContext<'_>) {
        match self.look.keymap.action(chord, &[Context::Anywhere]) {
            Some(Action::Stop | Action::Interrupt) => {
                self.layers.close_top();
                let listing = |session: &Session| session.earlier.state == Listing::Asking;
                if cx.session.is_some_and(listing) {
                    // The list is closed (V1-CAN-09).
                    self.session_event(SessionEvent::GiveUpListing, cx);
                }
            }
            Some(action @ (Action::Redraw | Action::Suspend | Action::Quit)) => {
                self.act(action, cx);
            }
            _ => {}
        }
    }

    /// Keys that a question does not take: text goes to the draft, and nothing is sent.
    fn below_question(&mut self, key: KeyEvent, chord: Chord, cx: &UiContext<'_>) {
        let action = self
            .look
            .keymap
            .action(chord, DRAFT)
            .filter(|action| !matches!(action, Action::Send | Action::HistorySearch));
        let before = self.composer.rev();
        if chord.is_text()
            || !action
                .is_some_and(|action| self.go_to_tab(action, chord, cx) || self.act(action, cx))
                && !self.take_back_above(chord, cx)
        {
            self.edit(key, cx);
        }
        // Every change of the draft counts as typing, not only letters.
        if self.composer.rev() != before {
            self.layers.typed_elsewhere(cx.now);
            self.last_typed = Some(cx.now);
        }
    }

    fn browse_key(&mut self, key: KeyEvent, chord: Chord, cx: &UiContext<'_>) {
        if self.sequence_key(chord, BROWSE, cx) {
            return;
        }
        match self.look.keymap.action(chord, BROWSE) {
            Some(Action::Stop) => self.transcript.browse_exit(),
            Some(action) => {
                let _ = self.go_to_tab(action, chord, cx) || self.act(action, cx);
            }
            // Typing ends browsing.
            None if chord.is_text() => {
                self.transcript.browse_exit();
                self.edit(key, cx);
            }
            None => {}
        }
    }

    /// Whether the draft has a meaning for the key.
    fn edit(&mut self, key: KeyEvent, cx: &UiContext<'_>) -> bool {
        if cx.project.read_only.is_some() {
            self.moment.say("read-only".into());
            return true;
        }
        let edits = !self.look.keymap.is_freed(Chord::from(key))
            && self.composer.edit_key(key, &sources(cx));
        if edits {
            self.moment.disarm();
        }
        edits
    }

    /// Carries out the wishes of an overlay; returns whether it took the key.
    pub(super) fn follow(&mut self, outcome: Option<Outcome>, cx: &UiContext<'_>) -> bool {
        let Some(outcome) = outcome else {
            return false;
        };
        if outcome.close && self.layers.was_answered() {
            self.just_answered = Some(cx.now);
        }
        for wish in outcome.wishes {
            match wish {
                Wish::Command(UiCommand::Review(wish)) => self.wish_for_review(wish),
                Wish::Command(command) => self.commands.push(command),
                Wish::Run(action) => {
                    self.recent.retain(|before| *before != action);
                    self.recent.insert(0, action);
                    self.recent.truncate(RECENT);
                    self.act(action, cx);
                }
                Wish::Toast(text) => self.moment.say(text),
                Wish::Open(overlay) => self.layers.open(overlay),
                Wish::Reason(text) => self.say_reason(text),
                Wish::Quote(text) => self.composer.prepend_others(&text),
                Wish::Comment(wish) => {
                    let outcome = self.review.comment_wish(wish);
                    self.after_review(outcome, cx);
                }
                Wish::ShowAsked => self.show_asked(cx),
                Wish::ShowText(title, text) => self.show_text(title, text),
                Wish::ShowLogin => self.show_login(cx),
                Wish::Theme(choice) => self.choose_theme(choice),
            }
        }
        outcome.taken
    }
}
