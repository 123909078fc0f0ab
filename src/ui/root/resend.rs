//! An earlier prompt in the composer, to be sent again from where it stood.
//!
//! Owns which prompt that is, and how the person gets there and out again. What becomes of the session and of
//! files is the app's.

use super::Ui;
use crate::{
    model::Since,
    session::{Block, BlockId, BlockKind, ChangedFiles, Session},
    text::SafeText,
    ui::{
        Draft, UiCommand, UiContext,
        action::Action,
        mention_text,
        overlay::Resend,
        render::{RenderContext, format::count, line::StyledLine},
    },
};

/// The last prompt that the person can edit.
fn last_prompt(session: &Session) -> Option<&Block> {
    let mut blocks = session.conversation.transcript.blocks().iter().rev();
    blocks.find(|block| block.kind.is_prompt())
}

impl Ui {
    pub(super) fn can_edit_last(&self, cx: &UiContext<'_>) -> bool {
        self.editing.is_none() && cx.session.and_then(last_prompt).is_some()
    }

    pub(super) fn edit_last(&mut self, cx: &UiContext<'_>) {
        if let Some(block) = cx.session.and_then(last_prompt) {
            self.edit_prompt(block);
        }
    }

    /// Puts a prompt into the composer; a draft that is there comes back later.
    pub(super) fn edit_prompt(&mut self, block: &Block) {
        let BlockKind::User(message) = &block.kind else {
            let text = "only your prompts can be edited: k goes to the one before";
            return self.moment.say(text.into());
        };
        if message.steered.is_some() {
            let text = "it was said while the agent worked: the prompt before it can be edited";
            return self.moment.say(text.into());
        }
        self.transcript.browse_exit();
        self.composer.stash();
        self.composer.set_text(&message.text);
        self.editing = Some(block.id);
        if !message.attached.is_empty() {
            let text = "its images are not sent again: attach them anew";
            self.moment.say(text.into());
        }
    }

    /// Back to what was there before.
    pub(super) fn leave_editing(&mut self) -> bool {
        let was = self.editing.take().is_some();
        if was {
            self.composer.clear();
            self.composer.unstash();
        }
        was
    }

    /// The key that leaves it: esc goes to normal mode where there is one, and hands that know it press it there too.
    fn leaves_editing(&self) -> Action {
        match self.composer.mode() {
            Some(_) => Action::Interrupt,
            None => Action::Stop,
        }
    }

    /// Enter while an earlier prompt is edited; false where none is.
    pub(super) fn resend_edited(&mut self, cx: &UiContext<'_>) -> bool {
        let Some(row) = self.editing else {
            return false;
        };
        if self.composer.is_empty() {
            return self.leave_editing();
        }
        match cx.session.is_some_and(|session| session.turn.is_some()) {
            true => {
                let leaves = self.look.keymap.hint(self.leaves_editing());
                let stops = self.look.keymap.hint(Action::Stop);
                let text =
                    format!("the agent is working: {leaves} leaves this, then {stops} stops it");
                self.moment.say(SafeText::line(&text));
            }
            false => self.commands.push(UiCommand::AskResend(row)),
        }
        true
    }

    /// The prompt that is edited.
    pub fn edited_prompt(&self) -> Option<BlockId> {
        self.editing
    }

    /// Whether files that changed since are put back: the answer is [`UiCommand::Resend`].
    pub fn ask_resend(&mut self, since: Since) {
        self.layers.open(Box::new(Resend::dialog(since)));
    }

    /// The edited prompt leaves the composer, to be sent; with the one in whose place.
    pub fn take_edited(&mut self) -> Option<(BlockId, Draft)> {
        let row = self.editing?;
        let draft = self.composer.submit()?;
        self.editing = None;
        self.composer.push_history(&draft.text());
        self.composer.unstash();
        Some((row, draft))
    }

    /// A draft that begins with what was said elsewhere, and names the files that were changed there.
    pub fn begin_with(&mut self, conversation: &str, files: &ChangedFiles) {
        let ChangedFiles {
            there,
            deleted,
            more,
        } = files;
        let mut text = String::new();
        if !there.is_empty() {
            let files: Vec<String> = there.iter().map(|path| mention_text(path)).collect();
            text.push_str(&format!("Files that were changed: {}\n", files.join(" ")));
        }
        if !deleted.is_empty() {
            text.push_str(&format!(
                "Files that were deleted: {}\n",
                deleted.join(", ")
            ));
        }
        if *more > 0 {
            text.push_str(&format!("{} more changed.\n", count(*more, "file")));
        }
        if !text.is_empty() {
            self.composer.insert_paste(&text);
        }
        self.composer.insert_paste(conversation);
        self.composer.newline();
    }

    /// What the rule above the composer says of it.
    pub(super) fn editing_label(&self, ctx: &RenderContext<'_>) -> Option<StyledLine> {
        self.editing?;
        let (theme, separator) = (ctx.theme, ctx.symbols.separator);
        let mut line = StyledLine::styled("editing an earlier prompt", theme.accent);
        let keymap = &self.look.keymap;
        for (action, does) in [
            (Action::Send, "sends it from there"),
            (self.leaves_editing(), "leaves it"),
        ] {
            line.push(&format!(" {separator} "), theme.dim);
            line.push(&keymap.hint(action), theme.key_hint);
            line.push(&format!(" {does}"), theme.dim);
        }
        Some(line)
    }
}
