//! The interface of UI and app: what the UI is given, and its commands.

use std::{collections::BTreeSet, path::PathBuf, sync::Arc, time::Instant};

use crate::{
    config::{PromptFile, ThemeChoice},
    model::{
        ReviewWish, SeenFile, SessionId, SessionKey, TerminalId, WorktreeEnd, WorktreeStatus,
        file_uri,
    },
    session::{BlockId, Event, Session, Sessions},
    text::SafeText,
    vt::Screens,
};

/// What the UI may look at while it handles a key or draws.
pub struct UiContext<'a> {
    /// `None` until an agent is chosen.
    pub session: Option<&'a Session>,
    /// All sessions, that one among them; `None` where there can be but one.
    pub sessions: Option<&'a Sessions>,
    pub screens: &'a Screens,
    pub project: &'a ProjectInfo,
    pub now: Instant,
}

/// Where we are; for the status line.
#[derive(Clone, Debug, Default)]
pub struct ProjectInfo {
    /// With `~` for the home directory.
    pub cwd: SafeText,
    pub git_branch: Option<SafeText>,
    /// Policy other than `ask`, and whether it is to be shown as a danger.
    pub policy: Option<(SafeText, bool)>,
    /// Nothing can be sent here: what is shown, such as a replay.
    pub read_only: Option<SafeText>,
    /// Sessions are stored, with what is held of their reviews.
    pub stores: bool,
    /// Why no page can be opened here.
    pub no_browser: Option<SafeText>,
    /// Prompts of the person's own, as [`UiCommand::ListPrompts`] asked for.
    pub prompts: Arc<[PromptFile]>,
    /// Keys of which the person was told, in this run or before, where they moved.
    pub told: BTreeSet<String>,
}

/// A profile in the agent picker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentChoice {
    pub id: String,
    pub name: SafeText,
    /// Where its command was found, or how to install it; `None` during the search.
    pub found: Option<Result<SafeText, SafeText>>,
    /// The MCP servers that it is given, by name.
    pub servers: Vec<SafeText>,
}

/// A session of the past, to be opened again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PastSession {
    /// Comes back in [`UiCommand::Reopen`].
    pub id: String,
    /// Its title, or what was asked first.
    pub name: SafeText,
    pub agent: SafeText,
    pub when: SafeText,
    /// The git branch that it was on.
    pub branch: Option<SafeText>,
    /// How the worktree stands that it has to itself.
    pub worktree: Option<SafeText>,
    /// Its directory, where that is another one.
    pub elsewhere: Option<SafeText>,
    pub last: Exchange,
}

/// What was asked last, and answered to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exchange {
    pub asked: Option<SafeText>,
    pub answered: Option<SafeText>,
}

/// What a search in the text of stored sessions has found so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FoundInText {
    /// What was looked for.
    pub words: String,
    /// Ids, and what stands around the words.
    pub hits: Vec<(String, SafeText)>,
    pub done: bool,
}

/// A project file that wants more than display keys.
#[derive(Clone, Debug)]
pub struct TrustQuestion {
    pub path: PathBuf,
    pub content: SafeText,
    /// It has display keys as well, which apply already.
    pub display: bool,
}

/// What is in the composer, in order.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Draft {
    pub parts: Vec<DraftPart>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DraftPart {
    /// Pasted chips are expanded here.
    Text(String),
    /// `@path`: sent as image, sound, embedded resource or link, by what it is and by the agent's
    /// capabilities. `seen`: what the person was shown of it.
    Mention {
        path: PathBuf,
        seen: Option<SeenFile>,
    },
    /// `@path` written by hand: the first of these that is a file of the project, or a picture or
    /// sound, is mentioned by as many bytes of the text. Without one it is text.
    Typed {
        text: String,
        names: Vec<(usize, PathBuf)>,
    },
    /// Text that means these files, if they are there and pictures or sounds are among them.
    MaybeFiles { text: String, paths: Vec<PathBuf> },
}

impl Draft {
    /// As one text, with mentions written out: for the composer, if it is not sent after all.
    pub fn written(&self) -> String {
        self.in_one(|_| None)
    }

    /// As one text, with mentions written out: for the history. An image from the clipboard does
    /// not exist later, and is not mentioned.
    pub fn text(&self) -> String {
        self.in_one(|seen| seen.passing.then_some("[image from the clipboard]"))
    }

    fn in_one(&self, instead: impl Fn(&SeenFile) -> Option<&'static str>) -> String {
        let mut out = WrittenOut::default();
        for part in &self.parts {
            match part {
                DraftPart::Text(text)
                | DraftPart::Typed { text, .. }
                | DraftPart::MaybeFiles { text, .. } => out.push_text(text),
                DraftPart::Mention { path, seen } => match seen.as_ref().and_then(&instead) {
                    Some(text) => out.push_text(text),
                    None => out.push_mention(&path.to_string_lossy()),
                },
            }
        }
        out.finish()
    }
}

/// Text and mentions as one text, from which the composer reads the same mentions again: they are
/// separated by a blank from text that would be read as part of the path, or would hide the `@`.
#[derive(Debug, Default)]
pub struct WrittenOut {
    out: String,
    /// Where the last mention ends, while only punctuation follows it.
    end: Option<usize>,
}

impl WrittenOut {
    pub fn push_text(&mut self, text: &str) {
        if let Some(end) = self.end {
            // "@a.png, and" is read as it is meant, "@a.png,b" is not.
            let goes_on = |c: &char| c.is_ascii_punctuation() && *c != '/';
            match text.chars().find(|c| !goes_on(c)) {
                None => {}
                Some(c) if c.is_whitespace() => self.end = None,
                Some(_) => {
                    self.out.insert(end, ' ');
                    self.end = None;
                }
            }
        }
        self.out.push_str(text);
    }

    pub fn push_mention(&mut self, path: &str) {
        if self.end.is_some() || !begins_word(&self.out) {
            self.out.push(' ');
        }
        self.out.push_str(&mention_text(path));
        self.end = Some(self.out.len());
    }

    pub fn finish(self) -> String {
        self.out
    }
}

/// Whether an `@` behind `before` begins a mention: not in "name@host".
pub fn begins_word(before: &str) -> bool {
    before
        .chars()
        .next_back()
        .is_none_or(|c| !c.is_alphanumeric() && !matches!(c, '_' | '.' | '-' | '+' | '@' | '/'))
}

/// A mention as text: `@path`, `@"path"` where it holds a blank or ends like a sentence, `@file://…`
/// where that would not do. The composer reads all of them.
pub fn mention_text(path: &str) -> String {
    let sentence = path.ends_with(|c: char| c.is_ascii_punctuation() && c != '/');
    if path.starts_with('/') && path.contains(|c: char| c == '"' || c.is_control()) {
        let uri = file_uri(path);
        match uri.strip_suffix(['.', '_', '-', '~']) {
            Some(rest) => format!("@{rest}%{:02X}", uri.as_bytes()[rest.len()]),
            None => format!("@{uri}"),
        }
    } else if path.contains(char::is_whitespace) || sentence {
        format!("@\"{path}\"")
    } else {
        format!("@{path}")
    }
}

/// What the app must carry out for the person.
#[derive(Debug)]
pub enum UiCommand {
    /// Straight into the reducer.
    Session(Event),
    /// The same for one that is not shown.
    SessionOf(SessionKey, Box<Event>),
    /// Enter: mentions are resolved off the UI task, then the draft goes where `to` says.
    Submit {
        draft: Draft,
        to: SendTo,
    },
    /// A prompt was sent: append to the history file.
    SaveHistory(String),
    /// ctrl-g: `$EDITOR` on the draft; comes back through `Composer::set_text`.
    EditDraft(String),
    /// `o` on a block: `$EDITOR` at a file.
    OpenEditor {
        path: PathBuf,
        line: Option<u32>,
    },
    /// F3 and the like: text in `$PAGER`.
    Page(String),
    Copy(String),
    /// The same, with what it is.
    CopyOf {
        what: &'static str,
        text: String,
    },
    /// Write the session that is shown to a file: as JSON where its name says so, else as markdown.
    /// Without a name it gets one.
    Export(Option<String>),
    /// Write it to a file of the person's own, from the project's directory on; over one that is there
    /// only if it `replaces` that. Else it comes back through `Ui::ask_replace`.
    WriteCopy {
        path: PathBuf,
        text: String,
        replaces: bool,
    },
    /// `!line`: run in a terminal of the person's own, shown in the transcript.
    Shell(String),
    /// Look what these files are; comes back through `Ui::set_looked`.
    LookAt(Vec<PathBuf>),
    /// Put in what the clipboard holds; comes back through `Composer::insert_file` or
    /// `Composer::insert_paste`.
    PasteClipboard,
    /// Show a file of the person's own in the desktop's program for it.
    ShowFile(PathBuf),
    /// Show a page in the browser, which the person has seen the address of.
    OpenLink(String),
    /// List the project's files for `@`; comes back through `Composer::set_files`.
    ListFiles,
    /// List a folder that was typed behind `@`; comes back through `Composer::set_folder`.
    ListFolder(String),
    /// Bytes typed into an attached terminal.
    TerminalInput {
        id: TerminalId,
        bytes: Vec<u8>,
    },
    /// The size that terminals in the transcript are shown in, in rows and columns.
    TerminalView {
        rows: u16,
        cols: u16,
    },
    TerminalResize {
        id: TerminalId,
        rows: u16,
        cols: u16,
    },
    TerminalKill {
        id: TerminalId,
    },
    /// Look which agents are installed; comes back through `Ui::set_agents`.
    FindAgents,
    /// Start (or change to) this agent.
    ChooseAgent(String),
    /// Open another session with the same agent.
    NewSession,
    /// Open another session with the same agent in a git worktree that is made for it, by that name.
    NewWorktree(Option<String>),
    /// Look how the worktree of a session stands; comes back through `Ui::ask_worktree_end`.
    LookAtWorktree(SessionKey),
    /// End a session and do that with its worktree, which stood so when the person was asked.
    EndWorktree {
        session: SessionKey,
        end: WorktreeEnd,
        seen: Box<WorktreeStatus>,
    },
    /// Open one that the agent has kept.
    OpenSession(SessionId),
    /// Open one that goes on from where the session that is shown is.
    ForkSession,
    /// The same from behind the turn that this block belongs to.
    ForkAt(BlockId),
    /// Which files turns have changed since this prompt; comes back through `Ui::resend`.
    AskResend(BlockId),
    /// What `Ui::resend` asked.
    Resend {
        put_back: bool,
    },
    /// Open a session with this agent, with the conversation that is shown in its draft.
    HandOver(String),
    ShowSession(SessionKey),
    /// End that session, and its agent where no other has it.
    CloseSession(SessionKey),
    /// Offer what is stored; comes back through `Ui::show_past_sessions`.
    PickPastSession,
    /// Look for words in the text of these stored sessions, in that order; what is found comes back
    /// through `Ui::found_in_text`. No words end a search.
    SearchPast {
        words: String,
        ids: Vec<String>,
    },
    /// Open this stored session again.
    Reopen(String),
    /// The person's word on the project file.
    Trust(bool),
    /// Whether the mouse is the client's.
    Mouse(bool),
    /// Whether agents are to suggest prompts.
    Suggestions(bool),
    /// Read the person's prompts again; comes back in [`ProjectInfo::prompts`].
    ListPrompts,
    /// The person was told where that key moved: not again.
    Told(&'static str),
    /// Remember the theme that was chosen.
    KeepTheme(ThemeChoice),
    /// What the review asks for; comes back through `Ui::review`.
    Review(ReviewWish),
    Suspend,
    Redraw,
    Quit,
}

/// All profiles; shared, so that a change is told by the pointer.
pub type AgentList = Arc<[AgentChoice]>;

/// What was found at a path; `None`: no file that can be read.
pub type LookedAt = (PathBuf, Option<SeenFile>);

/// What is in a folder that was typed behind `@`.
#[derive(Clone, Debug)]
pub struct FolderListing {
    /// As it was typed, with its `/`; empty for the project's own.
    pub typed: String,
    /// Those of folders have a `/` at the end; else why there are none.
    pub names: Result<FileList, SafeText>,
    /// There are more than are listed.
    pub more: bool,
    /// The folder's path, where what was typed is none to be handed on.
    pub path: Option<String>,
}

/// Files for `@`, relative to the project; shared with the matcher.
pub type FileList = Arc<[String]>;

/// Where a draft goes while a turn is open; otherwise it is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SendTo {
    /// Into the turn where the agent takes that, else behind it: [`Event::Steer`].
    Turn,
    /// Behind it: [`Event::Submit`].
    Queue,
    /// It stops the turn: [`Event::SendNow`].
    Now,
    /// Into a fork of the session: [`Event::AskAside`].
    Aside,
    /// Into a session that goes on before this prompt of the shown one. `put_back`: with the files as they were
    /// then, as far as turns have changed them.
    Again { row: BlockId, put_back: bool },
}
