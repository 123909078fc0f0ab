//! The one table of what a key can do.
//!
//! Keymap, help, palette and the check of `[keys]` in the configuration all read [`ACTIONS`]: an
//! action exists where it has a row here. What an action does is in `ui::root`.

/// Where an action's keys count. The more specific context wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Context {
    Anywhere,
    /// The composer has the keys.
    Composer,
    /// The composer has the keys and is empty.
    EmptyComposer,
    /// It is empty but for a prompt that the agent suggests.
    Suggested,
    /// A block of the transcript is selected.
    Browse,
    /// A list is open in which something can be ended or taken away.
    List,
    /// A question is open.
    Question,
    /// A form is open.
    Form,
}

impl Context {
    /// Whether keys of both can compete.
    pub fn overlaps(self, other: Self) -> bool {
        let general = |a, b| {
            a == Self::Anywhere
                || a == b
                || (a == Self::Composer && b == Self::EmptyComposer)
                || (a == Self::Question && b == Self::Form)
        };
        general(self, other) || general(other, self)
    }
}

/// Sections of the help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    Prompt,
    Turn,
    View,
    Browse,
    List,
    Question,
    Program,
}

impl Group {
    pub const ALL: [Self; 7] = [
        Self::Prompt,
        Self::Turn,
        Self::View,
        Self::Browse,
        Self::List,
        Self::Question,
        Self::Program,
    ];

    pub fn title(self) -> &'static str {
        match self {
            Self::Prompt => "Prompt",
            Self::Turn => "Agent",
            Self::View => "Transcript",
            Self::Browse => "Browsing blocks",
            Self::List => "Lists",
            Self::Question => "Questions of the agent; letters only without a draft",
            Self::Program => "Program",
        }
    }
}

/// A row of [`ACTIONS`].
#[derive(Clone, Copy, Debug)]
pub struct ActionInfo {
    pub action: Action,
    /// Key in `[keys]` of the configuration.
    pub name: &'static str,
    /// One line for help and palette.
    pub doc: &'static str,
    pub group: Group,
    pub context: Context,
    /// Default chords. A bare character of an action for anywhere counts on an empty composer only:
    /// elsewhere it is typed.
    pub keys: &'static [&'static str],
}

macro_rules! actions {
    ($( $group:ident $context:ident { $( $action:ident $name:literal [$($key:literal),*] $doc:literal, )* } )*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Action { $( $( $action, )* )* }

        /// Every action, in the order of the help.
        pub const ACTIONS: &[ActionInfo] = &[ $( $( ActionInfo {
            action: Action::$action,
            name: $name,
            doc: $doc,
            group: Group::$group,
            context: Context::$context,
            keys: &[$($key),*],
        }, )* )* ];
    };
}

actions! {
    Prompt Composer {
        Send "send" ["enter"] "Send the prompt; in an open turn: steer, or queue",
        Newline "newline" ["alt-enter", "shift-enter", "ctrl-j"] "Start a new line",
        Queue "queue" ["tab"] "Queue the prompt behind the open turn",
        SendNow "send-now" ["alt-x", "ctrl-enter"] "Send at once: stops the open turn first",
        Stash "stash" ["ctrl-s"] "Put the draft aside until the next is sent",
        HistorySearch "history-search" ["ctrl-r"] "Search earlier prompts",
        EditDraft "edit-draft" ["ctrl-g"] "Edit the draft in $EDITOR",
        ExpandPaste "expand-paste" ["alt-o"] "Open the folded paste or the image at the cursor",
        AttachOutput "attach-output" ["alt-a"] "Put the output of your last ! command into the draft",
        PasteClipboard "paste-clipboard" ["ctrl-v", "alt-v"] "Paste the clipboard's image or text",
    }
    Prompt EmptyComposer {
        TakeBack "take-back" ["up"] "Take back the newest queued prompt, or the draft put aside",
    }
    Prompt Suggested {
        TakeSuggestion "take-suggestion" ["tab", "right"] "Take the suggested prompt into the draft",
    }
    Turn Anywhere {
        Stop "stop" ["esc"] "Close a popup, else stop the turn",
        Interrupt "interrupt" ["ctrl-c"] "Clear the draft, else stop the turn, else (twice) quit",
        NextMode "next-mode" ["shift-tab"] "Switch to the agent's next mode",
        Mode "mode" [] "Choose the agent's mode",
        Model "model" ["alt-p", "f7", "alt-m"] "Choose the model",
        ThoughtLevel "thought-level" ["f8", "alt-t"] "Choose how much the model thinks",
        Options "options" ["f12", "alt-s"] "Show and set the agent's options",
        ContinueAfterLimit "continue-after-limit" ["alt-c"] "Send \"continue\" once when the limit that is reached is over; again: do not",
        Restart "restart" ["f5"] "Restart the agent and resume the session",
        EndAgent "end-agent" ["shift-f5"] "End the agent's process",
        NewSession "new-session" ["ctrl-n"] "New session with this agent",
        HandOver "hand-over" [] "Hand the conversation over to another agent",
        NewWorktree "new-worktree" [] "New session in a git worktree of its own",
        EndWorktree "end-worktree" [] "Merge, apply, keep or discard the session's worktree",
        ForkSession "fork-session" [] "Fork session (where the agent can)",
        AskAside "side-question" [] "Ask beside the conversation (where the agent can fork)",
        RenameSession "rename-session" ["f2"] "Rename session",
        Export "export" [] "Write the session to a file",
        PastSessions "past-sessions" [] "Past sessions",
        Sessions "sessions" ["ctrl-s", "left"] "All sessions, and which wait for you",
        NextWaiting "next-waiting" ["alt-w"] "Go to the next session that waits for you",
        Tab "tab" ["alt-1", "alt-2", "alt-3", "alt-4", "alt-5", "alt-6", "alt-7", "alt-8", "alt-9"] "Go to the session of that tab: one key each, in their order",
        ChooseAgent "choose-agent" ["f6"] "New session with another agent",
        SignIn "sign-in" [] "Sign in to the agent",
        SignOut "sign-out" [] "Sign out of the agent",
        Providers "providers" [] "Show and set the agent's providers (where it can)",
    }
    View Anywhere {
        ScrollUp "scroll-up" ["pgup"] "Scroll up a page",
        ScrollDown "scroll-down" ["pgdn"] "Scroll down a page",
        ScrollTop "scroll-top" ["ctrl-home"] "Go to the beginning",
        ScrollBottom "scroll-bottom" ["ctrl-end"] "Go to the end and follow it",
        PreviousPrompt "previous-prompt" ["alt-up"] "Go to the previous prompt",
        NextPrompt "next-prompt" ["alt-down"] "Go to the next prompt",
        Details "details" ["ctrl-o"] "Fold or unfold all details; in a question: show all of it",
        Review "review" ["f4"] "Review what changed on the disk, and undo it",
        TogglePlan "plan" ["ctrl-t"] "Open or close the plan",
        CommentPlan "comment-plan" ["alt-n"] "Comment on an entry of the plan",
        Find "find" ["f3", "ctrl-f"] "Find in the transcript",
        Pager "pager" [] "Open the transcript in $PAGER (alt-p while finding)",
    }
    View Anywhere {
        Copy "copy" [] "Copy the last answer, or a part of it",
    }
    Browse EmptyComposer {
        Browse "browse" ["tab"] "Select a block",
    }
    Browse Browse {
        BlockNext "block-next" ["j", "down"] "Next block",
        BlockPrevious "block-previous" ["k", "up"] "Previous block",
        BlockFold "block-fold" ["enter"] "Fold or unfold the block",
        BlockCopy "block-copy" ["y"] "Copy the block, or a part of it",
        BlockOpen "block-open" ["o"] "Show the block's image, or open its file in $EDITOR",
        BlockShow "block-show" ["d"] "Show the block's diff or text full screen",
        BlockEdit "block-edit" ["e"] "Edit the prompt, and send it again from there",
        BlockFork "block-fork" ["f"] "Fork the session behind this turn (where the agent can)",
        BlockAttach "block-attach" ["t"] "Attach to the block's terminal, or go to its subagent",
        BlockStop "block-stop" ["x"] "Stop the subagent, call or terminal",
        BlockLeave "block-leave" ["tab", "q"] "Back to the composer",
    }
    List List {
        ListRemove "list-remove" ["ctrl-x"] "End, delete or disable what is selected",
        ListAlong "list-along" ["tab"] "In the list of agents: take the conversation along, or not",
    }
    Question Question {
        AllowOnce "allow-once" ["y"] "Allow this once",
        AllowAlways "allow-always" ["a"] "Allow always, or the whole folder",
        RejectOnce "reject-once" ["n"] "Reject this once",
        RejectAlways "reject-always" ["N"] "Reject always",
        QuestionDiff "question-diff" ["d"] "Show the full diff or request",
        Feedback "feedback" ["e"] "Reject with a reason",
        Reason "reason" ["tab"] "Add a reason to the selected option",
        QuestionUp "question-up" ["up"] "Select the option above",
        QuestionDown "question-down" ["down"] "Select the option below",
        QuestionScrollUp "question-scroll-up" ["ctrl-up", "shift-up"] "Scroll the question up",
        QuestionScrollDown "question-scroll-down" ["ctrl-down", "shift-down"] "Scroll the question down",
        Confirm "confirm" ["enter"] "Answer with the selected option",
    }
    Question Form {
        FormNext "form-next" ["tab"] "In a form: next field",
        FormPrevious "form-previous" ["shift-tab"] "In a form: previous field",
    }
    Program Anywhere {
        ToggleMouse "toggle-mouse" ["f9"] "Mouse on or off: off, the terminal selects text itself",
        Suggestions "suggestions" [] "Suggested prompts on or off",
        Palette "palette" ["ctrl-p"] "Find an action by name",
        Help "help" ["f1", "?"] "Show all keys",
        Theme "theme" [] "Choose a theme",
        Redraw "redraw" ["ctrl-l"] "Redraw",
        Suspend "suspend" ["ctrl-z"] "Suspend to the shell",
        Quit "quit" ["ctrl-d"] "Quit on an empty composer; with a turn open: twice",
    }
}

impl Action {
    pub fn info(self) -> &'static ActionInfo {
        &ACTIONS[self as usize]
    }

    /// What it does in a replay; `None`: nothing.
    pub fn reading_doc(self) -> Option<&'static str> {
        let info = self.info();
        match (self, info.group) {
            (Self::Stop, _) => Some("Close what is open"),
            (Self::Interrupt, _) => Some("Twice: quit"),
            (Self::Quit, _) => Some("Quit"),
            (Self::Sessions, _) => Some("Show all sessions"),
            (Self::Tab, _) => Some(info.doc),
            (Self::Details, _) => Some("Fold or unfold all details"),
            (Self::BlockLeave, _) => Some("Back to the whole"),
            (
                Self::BlockStop
                | Self::BlockEdit
                | Self::BlockFork
                | Self::ListRemove
                | Self::ListAlong
                | Self::Review
                | Self::Suggestions,
                _,
            ) => None,
            (_, Group::View | Group::Browse | Group::List | Group::Program) => Some(info.doc),
            (_, Group::Prompt | Group::Turn | Group::Question) => None,
        }
    }

    pub fn named(name: &str) -> Option<Self> {
        ACTIONS
            .iter()
            .find(|info| info.name == name)
            .map(|info| info.action)
    }
}
