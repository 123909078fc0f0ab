//! The composer: the draft, its editing keys, and the popups that help to write it.
//!
//! Owns: text and caret, chips, kill and undo, history, completion, and their drawing. Must not
//! know the keymap's actions: the root asks the popup first, then its keymap, then
//! [`Composer::edit_key`], and calls the methods here for what its actions mean.

pub(in crate::ui) mod buffer;
mod chips;
mod draw;
pub(in crate::ui) mod editing;
mod files;
pub(in crate::ui) mod fuzzy;
mod history;
mod kill;
mod modal;
mod paste;
mod pointer;
mod popup;
mod vim;
mod written;

#[cfg(test)]
mod tests;

use std::time::Instant;

use ratatui::layout::Position;

pub(in crate::ui) use self::draw::GUTTER;
use self::{
    buffer::{Buffer, Caret, EditKind, clean},
    chips::{Chips, Typed},
    draw::RowCache,
    files::Waiting,
    kill::Kills,
    modal::Modal,
    paste::RunningPaste,
    popup::{Files, Popup, SearchPopup},
};
pub use self::{history::History, vim::ModalKey};
use crate::{
    config::PromptFile,
    model::{PromptCaps, SlashCommand},
    ui::{Draft, FileList, FolderListing, UiCommand, offload::Offload, own_commands::OwnCommand},
};

/// What the composer looks at while it handles a key or draws.
#[derive(Clone, Copy)]
pub struct Sources<'a> {
    /// The client's own, which come first.
    pub own: &'static [OwnCommand],
    /// The person's prompts.
    pub prompts: &'a [PromptFile],
    /// The agent's: `Session::commands`.
    pub commands: &'a [SlashCommand],
    pub now: Instant,
}

/// What a key did to an open popup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PopupOutcome {
    /// Not a popup's key: keymap and editing keys are next.
    Ignored,
    Consumed,
    /// A command was completed that takes no input: send the draft.
    Submit,
}

/// What became of opening a chip.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expanded {
    Done,
    /// A file's chip: the desktop shows it.
    File(std::path::PathBuf),
    /// The draft has no pasted chip.
    Nothing,
    /// Longer than the buffer may be: `$EDITOR` can open it.
    TooLong,
}

pub struct Composer {
    buffer: Buffer,
    chips: Chips,
    kills: Kills,
    /// vim's modes, where they are chosen.
    modal: Option<Modal>,
    /// Drafts that were put aside, the newest last.
    stashed: Vec<String>,
    history: History,
    /// What history put into the buffer, as long as it is untouched: its revision and caret.
    recalled: Option<(u64, Caret)>,
    /// The yank that alt-y may replace: where it began, how old it is, the revision it led to.
    yanked: Option<(Caret, usize, u64)>,
    /// The column that up and down keep to, in cells.
    goal: Option<usize>,
    running_paste: Option<RunningPaste>,
    popup: Option<Popup>,
    /// Where esc closed a popup: it stays closed while that word is typed.
    dismissed: Option<Caret>,
    /// Behind the blank that completing a mention has added, until the next edit.
    completed: Option<Caret>,
    files: Files,
    /// Text that may name files and waits for an answer.
    waiting: Vec<Waiting>,
    /// Mentions in text that is not the person's, as they are written: they name no file.
    not_named: Vec<String>,
    /// The agent's prompt capabilities, once known.
    caps: Option<PromptCaps>,
    offload: Offload,
    wanted: Vec<UiCommand>,
    rows: RowCache,
    /// Cells for text in a row, as last drawn or measured.
    room: usize,
    /// First row seen: line, and row of it.
    top: (usize, usize),
    cursor: Option<Position>,
}

/// Cells for text before anything was drawn.
const FIRST_ROOM: usize = 77;

/// The draft that a plain text would be if it stood in the composer.
pub fn draft_of(text: &str) -> Draft {
    let typed = written::typed(text).into_iter();
    let typed = typed.map(|(range, names)| (range, Typed::Mention(names)));
    Chips::default().draft(text, typed.collect())
}

impl Composer {
    /// Grows with each change of the draft.
    pub fn rev(&self) -> u64 {
        self.buffer.rev()
    }

    /// `offload` does the matching of long file lists.
    pub fn new(offload: Offload) -> Self {
        Self {
            buffer: Buffer::default(),
            chips: Chips::default(),
            kills: Kills::default(),
            modal: None,
            stashed: Vec::new(),
            history: History::default(),
            recalled: None,
            yanked: None,
            goal: None,
            running_paste: None,
            popup: None,
            dismissed: None,
            completed: None,
            files: Files::default(),
            waiting: Vec::new(),
            not_named: Vec::new(),
            caps: None,
            offload,
            wanted: Vec::new(),
            rows: RowCache::default(),
            room: FIRST_ROOM,
            top: (0, 0),
            cursor: None,
        }
    }

    /// Whether there is nothing at all, not even a blank.
    pub fn is_empty(&self) -> bool {
        self.buffer.is_empty()
    }

    /// The draft is a command for the shell: it begins with `!`.
    pub fn is_shell(&self) -> bool {
        self.buffer.line(0).starts_with('!')
    }

    /// The draft with chips written out, for `$EDITOR`.
    pub fn draft_text(&self) -> String {
        self.chips.expand(&self.buffer.text())
    }

    /// The draft, and before it what was put aside: nothing of it may be lost.
    pub fn all_text(&self) -> String {
        let mut all = self.stashed.clone();
        all.push(self.draft_text());
        all.retain(|text| !text.is_empty());
        all.join("\n")
    }

    /// Puts the draft aside. False if there is nothing to put aside.
    pub fn stash(&mut self) -> bool {
        let draft = self.draft_text();
        if draft.trim().is_empty() {
            return false;
        }
        self.take_draft();
        self.stashed.push(draft);
        true
    }

    /// Brings back what was put aside last, into an empty composer.
    pub fn unstash(&mut self) -> bool {
        if !self.buffer.is_empty() {
            return false;
        }
        let Some(draft) = self.stashed.pop() else {
            return false;
        };
        self.set_text(&draft);
        true
    }

    /// Enter: the draft to be sent, which leaves the composer. `None` if there is nothing but
    /// blanks, or if a backslash before the caret made it a new line.
    pub fn submit(&mut self) -> Option<Draft> {
        let (line, byte) = self.buffer.at_caret();
        if line[..byte].ends_with('\\') {
            let caret = self.buffer.caret();
            let backslash = self.buffer.left_of(caret);
            self.edit(backslash..caret, "\n", EditKind::Other);
            return None;
        }
        let mut lines = self.buffer.lines().iter();
        let blank = lines.all(|line| line.trim().is_empty());
        (!blank).then(|| self.take_draft())
    }

    /// The draft as it is, which leaves the composer; undo does not bring it back, history does.
    pub fn take_draft(&mut self) -> Draft {
        let raw = self.buffer.text();
        let draft = self.chips.draft(&raw, self.typed_files(&raw));
        self.waiting.clear();
        self.not_named.clear();
        self.edit(self.buffer.all(), "", EditKind::Other);
        self.buffer.forget_undo();
        self.history.leave();
        self.popup = None;
        self.dismissed = None;
        self.modal_begin();
        self.forget_unused_chips();
        draft
    }

    /// Replaces the draft, as after `$EDITOR`; can be undone. Pastes that are still in it
    /// unchanged are folded again.
    pub fn set_text(&mut self, text: &str) {
        let raw = self.refold(&clean(text));
        self.replace_all(&raw);
        self.look_at_mentioned(&raw);
    }

    /// Puts returned text, such as a prompt that was not sent, before the draft.
    pub fn prepend(&mut self, text: &str) {
        let raw = self.foreign(&clean(text));
        self.look_at_mentioned(&raw);
        self.put_before(raw);
    }

    /// Puts words of an agent, or names that it may have chosen, before the draft: they lead to no file
    /// of this machine, whatever they look like.
    pub fn prepend_others(&mut self, text: &str) {
        let raw = self.foreign(&clean(text));
        self.forget_mentions(&raw);
        self.put_before(raw);
    }

    fn put_before(&mut self, raw: String) {
        let caret = self.buffer.caret();
        let breaks = usize::from(!self.buffer.is_empty());
        let start = self.buffer.start();
        let added = raw + &"\n".repeat(breaks);
        self.edit(start..start, &added, EditKind::Other);
        if breaks > 0 {
            let line = caret.line + added.matches('\n').count();
            self.buffer.set_caret(Caret { line, ..caret });
        }
        self.modal_moved();
    }

    /// Puts a line of its own before the draft: what is typed next does not go on in it.
    pub fn prepend_line(&mut self, line: &str) {
        match self.buffer.is_empty() {
            true => self.prepend_others(&format!("{line}\n")),
            false => self.prepend_others(line),
        }
    }

    /// Takes such a line out again. False where it is not there any more.
    pub fn take_back(&mut self, text: &str) -> bool {
        let text = clean(text);
        let Some(at) = self.buffer.lines().iter().position(|line| *line == text) else {
            return false;
        };
        let start = Caret { line: at, byte: 0 };
        let (caret, end) = (self.buffer.caret(), self.buffer.end());
        let next = Caret {
            line: at + 1,
            byte: 0,
        };
        self.edit(start..next.min(end), "", EditKind::Other);
        if caret.line > at {
            let line = caret.line - 1;
            self.buffer.set_caret(Caret { line, ..caret });
        }
        self.modal_moved();
        true
    }

    /// Deletes the draft (ctrl-c). Up, undo and yank bring it back. False if it was empty.
    pub fn clear(&mut self) -> bool {
        if self.buffer.is_empty() {
            return false;
        }
        let cleared = self.draft_text();
        self.kills.close();
        self.kill(self.buffer.all());
        self.kills.close();
        self.history.keep(&cleared);
        self.dismissed = None;
        true
    }

    /// Replaces what is known.
    pub fn set_history(&mut self, history: History) {
        self.history = history;
    }

    /// Remembers what was sent: the text of its [`Draft`].
    pub fn push_history(&mut self, entry: &str) {
        self.history.push(entry);
    }

    /// ctrl-r.
    pub fn open_history_search(&mut self) {
        self.history.load();
        self.popup = Some(Popup::Search(SearchPopup::open(&self.history)));
    }

    /// The project's files for `@`, relative to it, as [`UiCommand::ListFiles`] asked for.
    pub fn set_files(&mut self, files: FileList) {
        self.files.set(files);
        if let Some(Popup::Files(popup)) = &mut self.popup {
            popup.look_again(&self.files, &self.offload);
        }
    }

    /// The folder that is typed, as [`UiCommand::ListFolder`] asked for.
    pub fn set_folder(&mut self, listing: FolderListing) {
        self.files.folder.set(listing);
        if let Some(Popup::Files(popup)) = &mut self.popup {
            popup.look_again(&self.files, &self.offload);
        }
    }

    /// Takes the commands for the app since the last call.
    pub fn commands_wanted(&mut self) -> Vec<UiCommand> {
        std::mem::take(&mut self.wanted)
    }

    /// Where the terminal's cursor belongs, as last drawn: in the composer or in its popup.
    pub fn cursor(&self) -> Option<Position> {
        self.cursor
    }
}
