//! What stands above the composer for a while: questions of the agent, sign-in, help, lists.
//!
//! Owns: each overlay's own state, keys and picture. An overlay changes nothing outside itself: it
//! says in its [`Outcome`] what should follow, and the root does that once the overlay has returned.

mod comment_box;
mod form;
mod guard;
mod help;
mod link;
mod lists;
mod one_line;
mod panel;
mod put_back;
mod question;
mod side;
mod sign_in;
mod unasked;

use std::{fmt, time::Instant};

use crossterm::event::KeyEvent;
use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
};

use crate::{
    config::{DiffLayout, Editing, ThemeChoice},
    model::SessionId,
    session::{Session, Sessions},
    text::{SafeText, first_bytes, truncate_with},
    ui::{
        AgentList, FoundInText, ProjectInfo, UiCommand,
        action::Action,
        comments::CommentWish,
        keymap::{Chord, Keymap},
        offload::Offload,
        pointer::Pointer,
        render::RenderContext,
        theme::{Symbols, Theme},
    },
};

pub use form::{FormDialog, OwnForm};
pub use guard::{Guard, PAUSE, is_typing};
pub use help::Help;
pub use link::LinkDialog;
#[cfg(test)]
pub use lists::Options;
pub use lists::{
    AgentPicker, CommentList, CopyPicker, PastSessions, PlanList, Refused, Resend, Scopes,
    ThemeList, WorktreeEnds, ask_replace, opened_by, palette,
};
pub use one_line::{ask_aside, name_worktree, rename};
pub use panel::Frame;
pub use put_back::{ask_patch_path, ask_undo_all};
pub use question::QuestionDialog;
pub use side::SideDialog;
pub use sign_in::SignIn;
pub use unasked::Unasked;

/// What overlays may look at.
#[derive(Clone, Copy)]
pub struct OverlayContext<'a> {
    pub session: Option<&'a Session>,
    pub sessions: Option<&'a Sessions>,
    pub project: &'a ProjectInfo,
    pub agents: &'a AgentList,
    pub found: &'a FoundInText,
    pub keymap: &'a Keymap,
    pub theme: &'a Theme,
    pub symbols: &'a Symbols,
    pub offload: &'a Offload,
    pub diff: DiffLayout,
    /// Cells at which prose ends.
    pub measure: u16,
    /// How much frame the screen has room for.
    pub frame: Frame,
    /// Signs may turn, and times count up.
    pub motion: bool,
    /// What is drawn is read out.
    pub spoken: bool,
    /// There is text in the composer.
    pub drafting: bool,
    /// Keys in the composer.
    pub editing: Editing,
    pub now: Instant,
}

impl<'a> OverlayContext<'a> {
    /// There is somebody to be told something: it is no replay.
    pub fn is_live(&self) -> bool {
        self.project.read_only.is_none()
    }

    pub fn render(&self, width: u16) -> RenderContext<'a> {
        RenderContext {
            theme: self.theme,
            symbols: self.symbols,
            offload: self.offload,
            width: width.max(1),
            measure: self.measure,
            indent: 0,
            pictures: crate::picture::Canvas::NONE,
            now: self.now,
        }
    }
}

/// Cells that an overlay may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    pub width: u16,
    /// Rows while the conversation above stays readable.
    pub height: u16,
    /// Rows if the overlay needs the screen for itself.
    pub whole: u16,
}

impl Room {
    /// For a screen with `whole` rows above the composer.
    pub fn new(width: u16, whole: u16) -> Self {
        Self {
            width,
            height: whole - whole / 4,
            whole,
        }
    }
}

pub trait Overlay {
    /// A key press. [`Outcome::pass`] leaves it to what is below.
    fn handle(&mut self, key: Chord, cx: &OverlayContext<'_>) -> Outcome;

    /// Pasted text; by default left to the composer.
    fn paste(&mut self, _text: &str, _cx: &OverlayContext<'_>) -> Outcome {
        Outcome::pass()
    }

    /// Keys that were read together: how many of them were taken as a paste from a terminal that does not tell it;
    /// by default each is a key.
    fn take_burst(&mut self, _keys: &[KeyEvent], _now: Instant) -> usize {
        0
    }

    /// The pointer does something over it; by default nothing here minds it.
    fn point(&mut self, _pointer: Pointer, _cx: &OverlayContext<'_>) -> Outcome {
        Outcome::pass()
    }

    /// Whether it takes `columns`, all that there are, and not only those that are comfortable to read.
    fn takes_whole_width(&self, _columns: u16, _cx: &OverlayContext<'_>) -> bool {
        false
    }

    /// Rows wanted of `room`. Called before each [`Overlay::draw`].
    fn height(&mut self, room: Room, cx: &OverlayContext<'_>) -> u16;

    /// Draws into `area`, which is as high as was wanted or less; returns where the cursor belongs,
    /// if not into the composer.
    fn draw(&mut self, area: Rect, buf: &mut Buffer, cx: &OverlayContext<'_>) -> Option<Position>;

    /// A theme that is tried out while it is open.
    fn previewed(&self) -> Option<ThemeChoice> {
        None
    }

    /// When it will look different without any event.
    fn deadline(&self, _now: Instant) -> Option<Instant> {
        None
    }
}

impl fmt::Debug for dyn Overlay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an overlay")
    }
}

/// What follows from a key.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Nobody else gets the key.
    pub taken: bool,
    /// It was typed, and not for this: the composer gets the key.
    pub for_draft: bool,
    /// The overlay is done.
    pub close: bool,
    pub wishes: Vec<Wish>,
}

/// What an overlay wants of the root.
#[derive(Debug)]
pub enum Wish {
    Command(UiCommand),
    Run(Action),
    Toast(SafeText),
    /// Above this one; closed, it leads back.
    Open(Box<dyn Overlay>),
    /// Why the person has answered so: the agent hears it next.
    Reason(String),
    /// Text of the agent's for the draft, before what is there.
    Quote(String),
    /// What a tool call that is asked about would do, on the whole screen: its diffs, or what it is
    /// called with.
    ShowAsked,
    /// A text on the whole screen, by its title.
    ShowText(SafeText, SafeText),
    /// Something with a comment of the review.
    Comment(CommentWish),
    /// The terminal of the program that signs in.
    ShowLogin,
    /// Draw with it from now on.
    Theme(ThemeChoice),
}

impl Outcome {
    pub fn pass() -> Self {
        Self::default()
    }

    pub fn taken() -> Self {
        Self {
            taken: true,
            ..Self::default()
        }
    }

    pub fn for_draft() -> Self {
        Self {
            for_draft: true,
            ..Self::default()
        }
    }

    pub fn close() -> Self {
        Self {
            close: true,
            ..Self::taken()
        }
    }

    /// Says something in the status line.
    pub fn toast(text: &str) -> Self {
        Self::taken().with(Wish::Toast(SafeText::line(text)))
    }

    pub fn with(mut self, wish: Wish) -> Self {
        self.wishes.push(wish);
        self
    }

    /// Why the person has answered so, before what is said already.
    pub fn with_reason(mut self, text: &str) -> Self {
        let said = self.wishes.iter_mut().find_map(|wish| match wish {
            Wish::Reason(said) => Some(said),
            _ => None,
        });
        match said {
            Some(said) => {
                *said = format!("{text}\n\n{said}");
                self
            }
            None => self.with(Wish::Reason(text.to_owned())),
        }
    }

    pub fn command(self, command: UiCommand) -> Self {
        self.with(Wish::Command(command))
    }
}

/// Keys for the conversation and the screen, which a question leaves to them.
pub fn is_for_screen(action: Action) -> bool {
    matches!(
        action,
        Action::ScrollUp
            | Action::ScrollDown
            | Action::ScrollTop
            | Action::ScrollBottom
            | Action::PreviousPrompt
            | Action::NextPrompt
            | Action::Suspend
            | Action::Redraw
    )
}

/// What is wanted needs an agent.
pub fn no_agent(cx: &OverlayContext<'_>) -> Outcome {
    let key = cx.keymap.hint(Action::ChooseAgent);
    Outcome::toast(&format!("no agent yet: press {key} to choose one"))
}

/// Where a name is cut, whatever signs there are.
const CUT: &str = "...";

/// Who asks: the agent, or one of its subagents by its name (V1-SUB-02).
pub fn asker(session: Option<&Session>, subagent: Option<&SessionId>) -> String {
    /// Cells that leave room for what is asked.
    const MAX_CELLS: usize = 30;
    let agent = agent_name(session);
    let known = session.zip(subagent);
    match known.and_then(|(session, id)| session.subagents.get(id)) {
        Some(subagent) => {
            let name = truncate_with(&subagent.name(), MAX_CELLS, CUT).into_owned();
            format!("\"{name}\" of {agent}")
        }
        None => agent.as_str().to_owned(),
    }
}

/// The agent as people know it, short enough to leave room for what is said of it: a name that
/// fills the row would hide what it wants.
pub fn agent_name(session: Option<&Session>) -> SafeText {
    const MAX_BYTES: usize = 200;
    const MAX_CELLS: usize = 30;
    let Some(session) = session else {
        return "the agent".into();
    };
    let name = session.agent.name.as_ref().unwrap_or(&session.config.agent);
    let line = SafeText::line(first_bytes(name, MAX_BYTES));
    SafeText::line(&truncate_with(&line, MAX_CELLS, CUT))
}
