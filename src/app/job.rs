//! Results of work that was done off the UI task.

use std::io;

use crate::{
    acp::{Client, Inbox},
    app::backend::Written,
    host::{HostEvent, LoginCommand, clipboard::Copied},
    proto::ConnectionId,
    session::{Event, Prompt},
    text::SafeText,
    ui::{AgentList, FileList},
};

pub enum Job {
    /// The agent runs, or does not.
    Launched(ConnectionId, Result<(Client, Inbox), SafeText>),
    /// With the number of the session that the host serves: see `App::sessions`.
    Host(u64, HostEvent),
    /// What a program to sign in with is, by its number.
    LoginFound(u64, Result<LoginCommand, SafeText>),
    Login(u64, HostEvent),
    /// For the reducer: what came of a request or question of that connection.
    Session(ConnectionId, Event),
    /// A draft's mentions are resolved.
    Prompt {
        prompt: Prompt,
        now: bool,
    },
    Files(FileList),
    /// Text was copied, or not.
    Copied(Copied),
    /// Which agents are installed.
    Agents(AgentList),
    /// The terminal took a frame, or is gone.
    Written(io::Result<Written>),
    /// Highlighting or a diff is done: draw again.
    Redraw,
}
