//! What each action does.

use crate::{
    model::WorkState,
    session::{BlockKind, Event, Phase, Session, Sessions, TurnPhase},
    text::{SafeText, command_line},
    ui::{
        DraftPart, SendTo, Ui, UiCommand, UiContext,
        action::Action,
        blocks::{Copyable, Source, copies, last_shell_output, transcript_text},
        composer::Expanded,
        overlay::{
            CopyPicker, Help, ThemeList, name_worktree, no_agent, opened_by, palette, rename,
        },
        render::format::count,
        transcript::Scroll,
    },
};

impl Ui {
    /// Performs it; false if it means nothing now, so that the key can mean something else.
    pub(super) fn act(&mut self, action: Action, cx: &UiContext<'_>) -> bool {
        // These may need two presses.
        if !matches!(action, Action::Interrupt | Action::Quit | Action::Stop) {
            self.moment.disarm();
        }
        if cx.project.read_only.is_some() && action.reading_doc().is_none() {
            self.moment.say("read-only: this is a replay".into());
            return true;
        }
        match action {
            Action::Send => self.send(cx),
            Action::Queue => return self.queue(cx),
            Action::SendNow => self.send_now(cx),
            Action::Stash => return self.stash(),
            Action::Newline => self.composer.newline(),
            Action::HistorySearch => self.composer.open_history_search(),
            Action::EditDraft => {
                let draft = self.composer.draft_text();
                self.commands.push(UiCommand::EditDraft(draft));
            }
            Action::ExpandPaste => self.expand_paste(),
            Action::AttachOutput => self.attach_output(cx),
            Action::PasteClipboard => self.commands.push(UiCommand::PasteClipboard),
            Action::TakeBack => return self.take_back(cx),
            Action::TakeSuggestion => return self.take_suggestion(cx),

            Action::Stop => self.stop(cx),
            Action::Interrupt => self.interrupt(cx),
            Action::NextMode => self.session_event(Event::CycleMode, cx),
            Action::ContinueAfterLimit => self.session_event(Event::ContinueAfterLimit, cx),
            Action::Restart => {
                // The message that the agent is not running no longer holds.
                self.moment.clear_message();
                self.session_event(Event::Restart, cx);
            }
            Action::EndAgent => self.session_event(Event::EndAgent, cx),
            Action::NewSession => self.commands.push(UiCommand::NewSession),
            Action::NewWorktree => match cx.session {
                Some(_) => self.layers.open(Box::new(name_worktree())),
                None => self.say_no_agent(cx),
            },
            Action::EndWorktree => self.end_worktree(cx),
            Action::ForkSession => self.commands.push(UiCommand::ForkSession),
            Action::AskAside => self.ask_for_side_question(cx),
            Action::Export => self.commands.push(UiCommand::Export(None)),
            Action::RenameSession => self.rename_session(cx),
            Action::NextWaiting => self.next_waiting(cx),
            Action::PastSessions => self.commands.push(UiCommand::PickPastSession),

            Action::Theme => {
                let look = &self.look;
                let list =
                    ThemeList::dialog(look.sources.themes.clone(), look.settings.theme.clone());
                self.layers.open(Box::new(list));
            }
            Action::SignIn => self.session_event(Event::WantSignIn, cx),
            Action::SignOut => self.session_event(Event::LogOut, cx),

            Action::ScrollUp => self.transcript.scroll(Scroll::Pages(-1.0)),
            Action::ScrollDown => self.transcript.scroll(Scroll::Pages(1.0)),
            Action::ScrollTop => self.transcript.scroll(Scroll::Top),
            Action::ScrollBottom => self.transcript.scroll(Scroll::Bottom),
            Action::PreviousPrompt => self.transcript.scroll(Scroll::PrevPrompt),
            Action::NextPrompt => self.transcript.scroll(Scroll::NextPrompt),
            Action::Details => self.transcript.toggle_details(),
            Action::Find => self.open_find(),
            Action::Review => self.toggle_review(cx),
            Action::TogglePlan => self.toggle_plan(cx),
            Action::CommentPlan => self.comment_on_plan(cx),
            Action::Pager => {
                if let Some(session) = cx.session {
                    let text = transcript_text(session, cx.screens);
                    self.commands.push(UiCommand::Page(text));
                }
            }

            Action::Browse => {
                if !self.transcript.browse_enter() {
                    self.moment.say("nothing to browse yet".into());
                }
            }
            Action::BlockNext => self.transcript.browse_by(1),
            Action::BlockPrevious => self.transcript.browse_by(-1),
            Action::BlockLeave => self.transcript.browse_exit(),
            Action::BlockFold
            | Action::BlockCopy
            | Action::BlockOpen
            | Action::BlockShow
            | Action::BlockAttach
            | Action::BlockEdit
            | Action::BlockFork
            | Action::BlockStop => {
                if let Some(session) = cx.session {
                    self.act_on_block(action, session, cx);
                }
            }

            Action::Copy => self.pick_last_copy(cx),
            Action::Palette => self.layers.open(Box::new(palette(&self.recent))),
            Action::Help => self.layers.open(Box::new(Help::default())),
            Action::ToggleMouse => self.toggle_mouse(),
            Action::Suggestions => self.toggle_suggestions(),
            Action::Redraw => self.commands.push(UiCommand::Redraw),
            Action::Suspend => self.commands.push(UiCommand::Suspend),
            Action::Quit => return self.quit(cx),

            // Actions of lists, and of questions, which take their keys before they come here.
            other => {
                // Without its key a tab is chosen in the list.
                let other = match other {
                    Action::Tab => Action::Sessions,
                    other => other,
                };
                let opened = opened_by(other, &self.look.overlay(&self.composer, cx));
                return self.follow(opened, cx);
            }
        }
        true
    }

    /// Enter: sends the draft; without one, the queue if it is held.
    fn send(&mut self, cx: &UiContext<'_>) {
        if self.resend_edited(cx) {
            return;
        }
        if self.composer.is_empty() {
            let held = cx
                .session
                .filter(|session| session.queue_held && !session.queue.is_empty());
            match held {
                // Enter would stop the turn that the person has just started.
                Some(session) if has_turn(session) => {
                    let key = self.look.keymap.hint(Action::SendNow);
                    let text = format!("the agent is working: {key} stops it and sends");
                    self.moment.say(SafeText::line(&text));
                }
                Some(_) => self.session_event(Event::SendQueued, cx),
                None => {}
            }
            return;
        }
        self.submit(SendTo::Turn, cx);
    }

    /// The draft, or the head of the queue, without waiting for the turn's end.
    fn send_now(&mut self, cx: &UiContext<'_>) {
        if self.resend_edited(cx) {
        } else if !self.composer.is_empty() {
            self.submit(SendTo::Now, cx);
        } else if cx.session.is_some_and(|session| !session.queue.is_empty()) {
            self.session_event(Event::SendQueued, cx);
        }
    }

    fn submit(&mut self, to: SendTo, cx: &UiContext<'_>) {
        if self.own_command(cx) {
            return;
        }
        if cx.session.is_none() {
            self.say_no_agent(cx);
            return;
        }
        let for_agent = self.is_for_agent(cx);
        let expanded = match self.expanded(cx).transpose() {
            Ok(expanded) => expanded,
            Err(why) => return self.moment.say(why),
        };
        let Some(mut draft) = self.composer.submit() else {
            return;
        };
        let text = draft.text();
        self.composer.push_history(&text);
        self.commands.push(UiCommand::SaveHistory(text));
        if for_agent && let Some(DraftPart::Text(text)) = draft.parts.first_mut() {
            // `//name`: the agent gets its own `/name`.
            text.remove(0);
        }
        self.transcript.scroll(Scroll::Bottom);
        self.commands
            .push(match (expanded, shell_line(&draft.parts)) {
                // A prompt's text is never a command, whatever it begins with.
                (Some(draft), _) => UiCommand::Submit { draft, to },
                (None, Some(line)) => UiCommand::Shell(line),
                (None, None) => UiCommand::Submit { draft, to },
            });
        if self.composer.unstash() {
            self.moment
                .say("the draft that was put aside is back".into());
        }
    }

    /// What the last `!` command printed goes into the draft, with the command.
    fn attach_output(&mut self, cx: &UiContext<'_>) {
        let output = cx
            .session
            .and_then(|session| last_shell_output(session, cx.screens));
        match output {
            Some(text) => self.composer.insert_paste(&text),
            None => self.moment.say("no ! command was run yet".into()),
        }
    }

    /// Tab: the draft goes behind the open turn. Without one enter sends it.
    fn queue(&mut self, cx: &UiContext<'_>) -> bool {
        let queues = !self.composer.is_empty() && cx.session.is_some_and(has_turn);
        if queues {
            self.submit(SendTo::Queue, cx);
        }
        queues
    }

    /// The draft is put aside, and comes back when the next one was sent, or by up.
    fn stash(&mut self) -> bool {
        let stashed = self.composer.stash();
        if stashed {
            let key = self.look.keymap.hint(Action::TakeBack);
            let text = format!("put aside: it comes back after the next prompt, or by {key}");
            self.moment.say(SafeText::line(&text));
        }
        stashed
    }

    fn expand_paste(&mut self) {
        match self.composer.expand_paste() {
            Expanded::Done => {}
            Expanded::File(path) => self.commands.push(UiCommand::ShowFile(path)),
            Expanded::Nothing => self.moment.say("there is no folded paste".into()),
            Expanded::TooLong => {
                let key = self.look.keymap.hint(Action::EditDraft);
                let text = format!("too long to open here: {key} opens the draft in $EDITOR");
                self.moment.say(SafeText::line(&text));
            }
        }
    }

    /// Up on an empty composer, or from a draft's top: the newest queued prompt comes back to be
    /// edited, or on an empty one what was put aside.
    fn take_back(&mut self, cx: &UiContext<'_>) -> bool {
        let queued = cx.session.is_some_and(|session| !session.queue.is_empty());
        if queued {
            self.session_event(Event::UnqueueLast, cx);
        }
        queued || self.composer.unstash()
    }

    /// Esc, with nothing open to close.
    fn stop(&mut self, cx: &UiContext<'_>) {
        let opening = |session: &Session| matches!(session.phase, Phase::Opening { .. });
        let stops = cx.session.is_some_and(can_stop);
        let gives_up = !stops && cx.session.is_some_and(opening);
        // Hands that know vim press esc more than once.
        let modal = self.composer.mode().is_some();
        let clears = !stops && !gives_up && !modal && !self.composer.is_empty();
        let edits = !stops && !gives_up && !modal && !clears && self.can_edit_last(cx);
        if !modal && self.leave_editing() {
            return self.moment.disarm();
        }
        if !gives_up && !clears && !edits {
            self.moment.disarm();
        }
        if clears {
            let ask = self.again(Action::Stop, "clears the draft");
            if self.moment.confirm(Action::Stop, ask, cx.now) {
                self.moment.disarm();
                self.composer.clear();
            }
        } else if edits {
            let ask = self.again(Action::Stop, "edits the last prompt");
            if self.moment.confirm(Action::Stop, ask, cx.now) {
                self.moment.disarm();
                self.edit_last(cx);
            }
        } else if stops {
            self.session_event(Event::Stop, cx);
        } else if gives_up {
            // Only at the second press: the session cannot be reached afterwards.
            let ask = self.again(Action::Stop, "cancels opening the session");
            if self.moment.confirm(Action::Stop, ask, cx.now) {
                self.moment.disarm();
                self.session_event(Event::Stop, cx);
            }
        }
    }

    fn interrupt(&mut self, cx: &UiContext<'_>) {
        let asking = self.layers.is_asking();
        if !asking && self.leave_editing() {
            return self.moment.disarm();
        }
        if !asking && self.composer.clear() {
            // Messages about the draft, as that it is too long, no longer hold.
            self.moment.disarm();
            self.moment.clear_message();
            return;
        }
        let cancelling = cx.session.is_some_and(|session| {
            matches!(&session.turn, Some(turn)
                if matches!(turn.phase, TurnPhase::Cancelling { slow: false, .. }))
        });
        if cx.session.is_some_and(has_turn) && !cancelling {
            self.moment.disarm();
            self.session_event(Event::Stop, cx);
            return;
        }
        let ask = self.again(Action::Interrupt, &format!("to quit{}", self.unsent(cx)));
        if self.moment.confirm(Action::Interrupt, ask, cx.now) {
            self.commands.push(UiCommand::Quit);
        }
    }

    fn quit(&mut self, cx: &UiContext<'_>) -> bool {
        let covered = self.layers.is_asking() || self.layers.is_opened();
        if !covered && !self.composer.is_empty() {
            return false;
        }
        let elsewhere = cx.sessions.map(Sessions::elsewhere).unwrap_or_default();
        let others = elsewhere.working + elsewhere.waiting > 0;
        let turn = cx.session.is_some_and(has_turn);
        let here = cx.session.is_some_and(Session::is_at_work);
        let what = match (turn, others) {
            (_, true) => "stops every session and quits",
            (true, _) => "stops the turn and quits",
            // Background work ends with the agent's process (V2-STATE-02).
            _ if here => "stops what runs in the background and quits",
            _ => "quits",
        };
        let unsent = self.unsent(cx);
        let ask = self.again(Action::Quit, &format!("{what}{unsent}"));
        if !(here || others || !unsent.is_empty()) || self.moment.confirm(Action::Quit, ask, cx.now)
        {
            self.commands.push(UiCommand::Quit);
        }
        true
    }

    /// What quitting loses: comments of sessions that are not stored. The others come back with theirs.
    fn unsent(&self, cx: &UiContext<'_>) -> String {
        let is_stored = |session: Option<&Session>| {
            cx.project.stores && session.is_some_and(|session| !session.is_unused())
        };
        let parked = self.parked.iter().filter(|(key, _)| {
            let session = cx.sessions.and_then(|sessions| sessions.get(**key));
            !is_stored(session)
        });
        let parked: usize = parked.map(|(_, parked)| parked.review.unsent()).sum();
        let shown = match is_stored(cx.session) {
            true => 0,
            false => self.review.unsent(),
        };
        match shown + parked {
            0 => String::new(),
            many => format!(": {} not sent", count(many, "comment")),
        }
    }

    fn again(&self, action: Action, what: &str) -> SafeText {
        let key = self.look.keymap.hint(action);
        SafeText::line(&format!("{key} again {what}"))
    }

    fn toggle_plan(&mut self, cx: &UiContext<'_>) {
        let has_plan = |session: &Session| {
            !session.conversation.plan.is_empty() || !session.conversation.plans.is_empty()
        };
        if cx.session.is_some_and(has_plan) {
            self.plan_open = !self.plan_open;
            let key = self.look.keymap.hint(Action::CommentPlan);
            if self.plan_open && !key.is_empty() {
                let text = format!("{key} comments on an entry");
                self.moment.say(SafeText::line(&text));
            }
        } else {
            self.plan_open = false;
            self.moment.say("there is no plan".into());
        }
    }

    fn act_on_block(&mut self, action: Action, session: &Session, cx: &UiContext<'_>) {
        match action {
            Action::BlockFold if self.show_images(session, true) => {}
            Action::BlockOpen if self.show_images(session, false) => {}
            Action::BlockFold => {
                let source = Source::new(session, cx.screens);
                self.transcript.toggle_fold(&source);
            }
            Action::BlockCopy => self.pick_copy(session, cx),
            Action::BlockOpen => match self.transcript.selected_location(session) {
                Some(location) => self.commands.push(UiCommand::OpenEditor {
                    path: session.config.cwd.join(location.path),
                    line: location.line,
                }),
                None => self.moment.say("this block names no file".into()),
            },
            Action::BlockShow => self.show_block(session, cx),
            Action::BlockAttach => self.attach(session),
            Action::BlockEdit => {
                if let Some(block) = self.transcript.browsed(session) {
                    self.edit_prompt(block);
                }
            }
            Action::BlockFork => {
                if let Some(block) = self.transcript.browsed(session) {
                    self.commands.push(UiCommand::ForkAt(block.id));
                }
            }
            Action::BlockStop => match self.transcript.selected_subagent(session) {
                // V1-SUB-03
                Some(subagent) if subagent.can_be_cancelled() => {
                    let id = subagent.id.clone();
                    self.commands
                        .push(UiCommand::Session(Event::CancelSubagent(id)));
                }
                Some(_) => self.moment.say("it cannot be stopped separately".into()),
                None => match self.transcript.selected_work(session) {
                    Some(event) => self.commands.push(UiCommand::Session(event)),
                    None if self.transcript.selects_call(session) => {
                        self.moment.say("it cannot be stopped separately".into());
                    }
                    None => self.moment.say("nothing here can be stopped".into()),
                },
            },
            _ => {}
        }
    }

    /// What of the browsed block, else of the last answer, is to be copied; at once where there is but one
    /// thing.
    fn pick_copy(&mut self, session: &Session, cx: &UiContext<'_>) {
        let source = Source::new(session, cx.screens);
        let browsed = self.transcript.browsed(session);
        let blocks = session.conversation.transcript.blocks();
        let answer = || {
            let mut blocks = blocks.iter().rev();
            blocks.find(|block| matches!(block.kind, BlockKind::Agent(_)))
        };
        let mut offered = browsed
            .or_else(answer)
            .map_or_else(Vec::new, |block| copies(block, &source));
        match offered.len() {
            0 => self.moment.say("nothing to copy here".into()),
            1 if browsed.is_some() => {
                let Copyable { what, text, .. } = offered.remove(0);
                self.commands.push(UiCommand::CopyOf { what, text });
            }
            _ => self.layers.open(Box::new(CopyPicker::dialog(offered))),
        }
    }

    fn pick_last_copy(&mut self, cx: &UiContext<'_>) {
        match cx.session {
            Some(session) => self.pick_copy(session, cx),
            None => self.moment.say("nothing to copy yet".into()),
        }
    }

    fn rename_session(&mut self, cx: &UiContext<'_>) {
        match cx.session {
            Some(session) => {
                let title = session.name().unwrap_or_default();
                self.layers.open(Box::new(rename(None, None, &title)));
            }
            None => self.say_no_agent(cx),
        }
    }

    /// What becomes of the worktree of the session that is shown.
    fn end_worktree(&mut self, cx: &UiContext<'_>) {
        let shown = cx.sessions.and_then(Sessions::shown_key);
        let has_one = cx.session.is_some_and(|s| s.config.worktree.is_some());
        match shown.filter(|_| has_one) {
            Some(key) => self.commands.push(UiCommand::LookAtWorktree(key)),
            None => self
                .moment
                .say("this session has no worktree of its own: /worktree makes one".into()),
        }
    }

    pub(super) fn session_event(&mut self, event: Event, cx: &UiContext<'_>) {
        if cx.session.is_some() {
            self.commands.push(UiCommand::Session(event));
        } else {
            self.say_no_agent(cx);
        }
    }

    pub(super) fn say_no_agent(&mut self, cx: &UiContext<'_>) {
        let outcome = no_agent(&self.look.overlay(&self.composer, cx));
        self.follow(Some(outcome), cx);
    }
}

fn has_turn(session: &Session) -> bool {
    session.turn.is_some()
}

/// Whether esc ends something.
fn can_stop(session: &Session) -> bool {
    has_turn(session)
        || session.shown_question().is_some()
        || session.work == Some(WorkState::Unknown)
        || matches!(session.phase, Phase::SignIn { .. })
}

/// The command of a draft that begins with `!`.
fn shell_line(parts: &[DraftPart]) -> Option<String> {
    let Some(DraftPart::Text(first)) = parts.first() else {
        return None;
    };
    first.strip_prefix('!')?;
    let line: String = parts
        .iter()
        .map(|part| match part {
            DraftPart::Text(text) => text.clone(),
            // A mention is a path to the shell.
            DraftPart::Mention { path, .. } => command_line([&*path.to_string_lossy()]),
            DraftPart::Typed { text, .. } | DraftPart::MaybeFiles { text, .. } => text.clone(),
        })
        .collect();
    let line = line.strip_prefix('!')?.trim();
    (!line.is_empty()).then(|| line.to_owned())
}
