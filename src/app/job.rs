//! Results of work that was done off the UI task.

use std::{io, path::PathBuf, time::Duration};

use crate::{
    app::{changes::Forked, terminal::Written},
    config::{AgentProfile, Prompts},
    host::{
        clipboard::Copied,
        worktree::{Carried, Made, Problem},
    },
    model::{Review, ReviewTold, SeenFile, SessionKey, Since, WorktreeStatus},
    session::{BlockId, ChangedFiles, Event, Prompt, Start},
    store::files::Reopened,
    text::SafeText,
    ui::{AgentList, FileList, FolderListing, FoundInText, LookedAt, PastSession},
};

pub enum Job {
    /// Files of a draft were looked at.
    Looked(Vec<LookedAt>),
    /// What the clipboard holds, for the draft; or why nothing can be had.
    Pasted(Result<Pasted, SafeText>),
    /// A draft could not be sent: it goes back, with the reason.
    Unsent {
        session: SessionKey,
        draft: String,
        why: SafeText,
    },
    /// For the status line.
    Said(SafeText),
    /// For the conversation that is shown: what became of something that the person is not to miss.
    Told(SafeText),
    /// What a conversation that is handed over has changed is known.
    HandOver(Box<HandOver>),
    /// Why no page can be opened here.
    NoBrowser(SafeText),
    /// Something about the set-up went wrong meanwhile.
    Warn(SafeText),
    /// What the person wants of a session, once what it takes was looked up.
    Session(SessionKey, Event),
    /// What an earlier client had queued, its mentions resolved.
    Queued(SessionKey, Vec<Prompt>),
    /// What is stored, for the picker.
    PastSessions(Vec<PastSession>),
    /// Words were found in the text of stored sessions, or the search is over.
    FoundInText(FoundInText),
    /// A stored session was read, to be opened again; or why it cannot be.
    Stored(Result<Box<Reopened>, String>),
    /// What is stored of a session that the agent has kept, if anything.
    Kept(Box<Kept>),
    /// What turns have changed since a prompt that is to be sent again.
    Since(SessionKey, BlockId, Option<Since>),
    /// That prompt, ready for the wire.
    Again(Box<Again>),
    /// A worktree was made for a session of that agent, with what is sent there first; or why not.
    WorktreeMade(Box<(AgentProfile, Option<Prompt>, Result<Made, Problem>)>),
    /// How a session's worktree stands, before it is ended.
    WorktreeLooked(SessionKey, Result<Box<WorktreeStatus>, Problem>),
    /// What was in it is in the project now; or why not.
    WorktreeCarried(SessionKey, Result<Carried, Problem>),
    Files(FileList),
    /// The person's prompts were read.
    Prompts(Prompts),
    Folder(FolderListing),
    /// There is a file where that text was to go.
    FileExists(PathBuf, String),
    /// Text was copied, or not.
    Copied(Copied),
    /// For the review of changes.
    Review(SessionKey, Box<ReviewTold>),
    /// The disk was looked at for the review while a turn runs: what it lists now, if that is another list, and
    /// how long it took.
    Followed(SessionKey, Option<Box<Review>>, Duration),
    /// Changes as a patch, for the clipboard; or why there is none.
    Patch(Result<Vec<u8>, SafeText>),
    /// Which agents are installed.
    Agents(AgentList),
    /// The terminal took a frame, or is gone.
    Written(io::Result<Written>),
    /// Highlighting or a diff is done: draw again.
    Redraw,
}

/// A session that is to be opened, with what is stored of the one that it goes on from.
pub struct Kept {
    pub start: Start,
    pub stored: Option<Reopened>,
    pub prompt: Option<Prompt>,
    /// Of a fork whose files are followed.
    pub forked: Option<Forked>,
}

/// A conversation for another agent.
pub struct HandOver {
    pub session: SessionKey,
    pub agent: String,
    pub changed: ChangedFiles,
}

/// A prompt that is sent again from where an earlier one stood.
pub struct Again {
    pub session: SessionKey,
    /// The earlier one.
    pub row: BlockId,
    pub prompt: Prompt,
    /// Files are to be put back before.
    pub put_back: bool,
    /// They are; what came of it.
    pub told: Option<ReviewTold>,
}

/// What the clipboard held.
pub enum Pasted {
    File(String, SeenFile),
    Text(String),
}
