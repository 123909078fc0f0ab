//! The prompt that the agent suggests: ghost text in an empty composer. It is taken into the draft, never sent as it is.

use crate::{
    session::Phase,
    text::{SafeText, cell_width, truncate_to_width},
    ui::{
        Ui, UiCommand, UiContext,
        action::Action,
        composer::GUTTER,
        own_commands::{Slash, slash},
    },
};

/// Blanks between the suggestion and the key that takes it.
const BEFORE_KEY: &str = "   ";

/// Cells that the suggestion keeps before the key is omitted.
const MIN_TEXT: usize = 16;

impl Ui {
    /// What is offered now: to an empty composer that has the keys, while nothing goes on. Not what would be done
    /// here instead of being sent: a command for the person's shell, or one of ours.
    pub(super) fn suggestion<'a>(&self, cx: &UiContext<'a>) -> Option<&'a SafeText> {
        let session = cx.session?;
        let idle = session.phase == Phase::Ready
            && session.turn.is_none()
            && session.queue.is_empty()
            && cx.project.read_only.is_none();
        let covered = self.is_covered()
            || self.layers.is_opened()
            || self.layers.is_asking()
            || self.transcript.is_browsing()
            || self.is_finding();
        let empty = self.composer.is_empty() && !self.composer.popup_is_open();
        let shown = self.look.settings.suggestions != Some(false) && idle && empty && !covered;
        let text = session.suggestion.as_ref()?;
        let of_ours = matches!(slash(text, |_| false), Slash::Own(..));
        (shown && !text.starts_with('!') && !of_ours).then_some(text)
    }

    /// Its first line and the key that takes it, for a composer of that width; nothing for a screen reader, which
    /// says it once.
    pub(super) fn suggestion_row(&self, columns: u16, cx: &UiContext<'_>) -> Option<String> {
        let text = self.suggestion(cx).filter(|_| !self.spoken.is_on())?;
        let mut lines = text.lines().filter(|line| !line.trim().is_empty());
        let mut row = lines.next()?.to_owned();
        if lines.next().is_some() {
            row.push_str(self.look.symbols.ellipsis);
        }
        let room = usize::from(columns.saturating_sub(GUTTER));
        let key = match self.look.keymap.hint(Action::TakeSuggestion) {
            key if key.is_empty() => key,
            key => format!("{BEFORE_KEY}{key} takes it"),
        };
        let for_text = room.saturating_sub(cell_width(&key));
        if for_text < MIN_TEXT.min(cell_width(&row)) {
            return Some(row);
        }
        Some(format!("{}{key}", truncate_to_width(&row, for_text)))
    }

    pub(super) fn take_suggestion(&mut self, cx: &UiContext<'_>) -> bool {
        let text = self.suggestion(cx);
        if let Some(text) = text {
            self.composer.prepend_others(text);
            self.last_typed = Some(cx.now);
        }
        text.is_some()
    }

    pub(super) fn toggle_suggestions(&mut self) {
        let on = self.look.settings.suggestions == Some(false);
        self.look.settings.suggestions = Some(on);
        self.commands.push(UiCommand::Suggestions(on));
        self.moment.say(match on {
            true => "suggested prompts on".into(),
            false => "suggested prompts off".into(),
        });
    }
}
