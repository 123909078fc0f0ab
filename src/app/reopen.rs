//! Opening a stored session again: `--resume`, `--continue`, the picker.

use std::{
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use crate::{
    app::{
        draft::text_prompt,
        job::{Job, Kept},
        setup::{wanted_agent, with_tilde},
        state::App,
        worktrees,
    },
    cli::{AgentWanted, CliError, Launch, Reopen},
    config::{self, AgentError, AgentProfile, Config, TrustState},
    host::worktree,
    model::{SessionId, SessionKey},
    session::{Event, Prompt, Start, telling_line},
    store::{
        drafts::Owner,
        files::{FindError, Reopened, SessionFolder, Summary, wall_clock},
        format::ago,
    },
    text::SafeText,
    ui::{Exchange, PastSession},
};

/// Finds the session to reopen, before the terminal is taken over, and puts its agent and directory into
/// `launch`. True if the directory is another one now.
///
/// # Errors
/// There is no such session.
pub fn find_session(launch: &mut Launch, config: &Config, state: &Path) -> Result<bool, CliError> {
    let Some(reopen) = launch.resume.clone() else {
        return Ok(false);
    };
    let folder = SessionFolder::new(state);
    let agent = wanted_agent(launch, config)?;
    let fits = |summary: &Summary| {
        agent
            .as_ref()
            .is_none_or(|agent| summary.about.agent == *agent)
    };
    let here = launch.cwd.clone();
    let is_here = |summary: &Summary| summary.about.project() == here;
    // One whose worktree was merged or thrown away has no place to go on.
    let has_place = |summary: &Summary| {
        let worktree = summary.about.worktree();
        worktree.is_none_or(|worktree| worktree::is_there(&worktree).is_ok())
    };
    let found = match reopen {
        Reopen::Stored { .. } => return Ok(false),
        Reopen::Pick => {
            if folder.list().iter().any(fits) {
                return Ok(false);
            }
            return Err(FindError::Empty.into());
        }
        Reopen::Newest => {
            let all = folder.list();
            let mut of_here = all.iter().filter(|found| fits(found) && is_here(found));
            let newest = of_here.clone().next();
            // If none has, that is said of the newest.
            of_here
                .find(|found| has_place(found))
                .or(newest)
                .cloned()
                .ok_or_else(|| {
                    let of = agent.map(|agent| format!(" with {agent}"));
                    CliError::Usage(format!(
                        "no session{} is stored of {}; `acp-tui sessions` lists them all",
                        of.unwrap_or_default(),
                        here.display()
                    ))
                })?
        }
        Reopen::Named(typed) => {
            let found = folder
                .find(&typed, |summary| fits(summary) && is_here(summary))
                .or_else(|_| folder.find(&typed, fits));
            match found {
                Ok(found) => found,
                Err(error @ FindError::Ambiguous { .. }) => return Err(error.into()),
                // No agent is named that could know it.
                Err(error) if agent.is_none() && config.default_agent.is_none() => {
                    return Err(error.into());
                }
                Err(_) => {
                    if let Some(other) = of_another(&folder, &typed, &here) {
                        return Err(not_theirs(&typed, &other, agent.as_deref()));
                    }
                    // The agent may know it.
                    return Ok(false);
                }
            }
        }
    };
    launch.resume = Some(Reopen::Stored {
        record: found.id,
        session: found.about.session.clone(),
    });
    if launch.agent == AgentWanted::Default {
        launch.agent = AgentWanted::Named(found.about.agent.clone());
    }
    let own = found.about.project().to_owned();
    let elsewhere = launch.cwd_chosen && own != here;
    if let Some(worktree) = found.about.worktree().filter(|_| !elsewhere)
        && let Err(gone) = worktree::is_there(&worktree)
    {
        return Err(CliError::Usage(format!(
            "{gone}; acp-tui sessions show {0} prints the session, and -C DIR --resume {0} opens it in another \
             directory",
            launch_record(launch)
        )));
    }
    if launch.cwd_chosen || own == here {
        return Ok(false);
    }
    if !own.is_dir() {
        return Err(CliError::Usage(format!(
            "the session's directory {} is gone; -C DIR opens it in another one",
            own.display()
        )));
    }
    launch.cwd = own;
    Ok(true)
}

/// The id of the stored session that is reopened.
fn launch_record(launch: &Launch) -> &str {
    match &launch.resume {
        Some(Reopen::Stored { record, .. }) => record,
        _ => "ID",
    }
}

/// A stored session of whatever agent that is called so: no other agent is to hear of it.
fn of_another(folder: &SessionFolder, typed: &str, here: &Path) -> Option<Summary> {
    let is_it =
        |summary: &Summary| summary.id == typed || summary.about.session.as_deref() == Some(typed);
    let mut all: Vec<Summary> = folder.list().into_iter().filter(is_it).collect();
    all.sort_by_key(|summary| summary.about.project() != here);
    all.into_iter().next()
}

fn not_theirs(typed: &str, stored: &Summary, asked: Option<&str>) -> CliError {
    let own = &stored.about.agent;
    let asked = asked.unwrap_or("the agent that was asked for");
    CliError::Usage(format!(
        "session {typed} belongs to {own}, not {asked}: --resume {} without \
         --agent opens it, acp-tui sessions show {} prints it",
        stored.id, stored.id
    ))
}

/// How long to wait for the latest messages to be written, before a session is read.
pub(super) const UP_TO_DATE: Duration = Duration::from_secs(1);

/// How long the list of past sessions may wait for what is in their worktrees.
const COUNTED_FOR: Duration = Duration::from_millis(400);

impl App {
    /// Offers what is stored; the choice comes as
    /// [`UiCommand::Reopen`](crate::ui::UiCommand::Reopen).
    ///
    /// `agent`: only sessions with that one.
    pub(super) fn pick_session(&self, agent: Option<String>) {
        let folder = self.runtime.folder.clone();
        let here = self.runtime.launch.cwd.clone();
        self.in_background(move || {
            let mut all = folder.list();
            if let Some(agent) = agent {
                all.retain(|summary| summary.about.agent == agent);
            }
            let now = wall_clock();
            let until = Instant::now() + COUNTED_FOR;
            let past = all
                .into_iter()
                .map(|summary| past(summary, &here, now, until));
            let (mut first, others): (Vec<PastSession>, Vec<PastSession>) =
                past.partition(|past| past.elsewhere.is_none());
            first.extend(others);
            Job::PastSessions(first)
        });
    }

    /// Opens a session that the agent of the one shown has kept, or forks it, with what is stored of
    /// it: where the agent resumes or forks, no replay comes (V1-SES-11, V1-SES-16).
    pub(super) fn open_kept(&mut self, start: Start) {
        self.open_kept_before(start, 0, None);
    }

    /// The same without the last so many prompts, and with another one instead.
    pub(super) fn open_kept_before(
        &mut self,
        start: Start,
        prompts: usize,
        prompt: Option<Prompt>,
    ) {
        let session = match &start {
            Start::Reopen(session) => session.clone(),
            Start::Fork(fork) => fork.of.clone(),
            Start::New => return,
        };
        let Some(agent) = self
            .runtime
            .shown_running()
            .map(|running| running.profile.id.clone())
        else {
            return;
        };
        if let Start::Reopen(id) = &start
            && let Some(key) = self.open_already(&agent, Some(id.as_str()))
        {
            return self.show(key);
        }
        if let Some(key) = self.runtime.sessions.shown_key() {
            self.runtime.save_session(key, false);
        }
        let forked = match (&start, self.runtime.sessions.shown_key()) {
            (Start::Fork(_), Some(key)) => {
                let following = self.runtime.following_of(key);
                following.map(|following| following.fork(session.clone(), prompts))
            }
            _ => None,
        };
        let (folder, writer) = (self.runtime.folder.clone(), self.runtime.writer.clone());
        self.in_background(move || {
            if let Some(writer) = writer {
                // A fork shows what was said just now, too.
                writer.finish(UP_TO_DATE);
            }
            let stored = folder.of_session(&agent, &session).first().and_then(|id| {
                let mut stored = folder.reopen(id.clone()).ok()?;
                stored.history.cut_prompts(prompts);
                Some(stored)
            });
            Job::Kept(Box::new(Kept {
                start,
                stored,
                prompt,
                forked,
            }))
        });
    }

    /// What was stored of it was read. It goes on where it was; a fork, and one of which nothing is stored, where
    /// the session works that is shown.
    pub(super) fn kept(&mut self, kept: Kept) {
        let stored = kept.stored.as_ref().map(|stored| stored.about.worktree());
        let worktree = match (&kept.start, stored) {
            (Start::Reopen(_), Some(worktree)) => worktree,
            _ => self.shown_worktree(),
        };
        let before = self.runtime.sessions.shown_key();
        self.open_another(kept.start, kept.stored, kept.prompt, worktree);
        let opened = self.runtime.sessions.shown_key();
        if let Some(running) = opened.and_then(|key| self.runtime.running_mut(key))
            && opened != before
        {
            running.forked = kept.forked;
        }
    }

    /// Has the agent of the session shown delete another one, unless a client has that open
    /// (V1-SES-14).
    pub(super) fn delete_unless_open(&self, session: SessionId) {
        let Some(key) = self.runtime.sessions.shown_key() else {
            return;
        };
        let Some(running) = self.runtime.running(key) else {
            return;
        };
        let agent = running.profile.id.clone();
        let folder = self.runtime.folder.clone();
        self.in_background(move || {
            if folder.is_open(&agent, &session) {
                Job::Said("the session was not deleted: it is open in another acp-tui".into())
            } else {
                // No other client has it open.
                Job::Session(key, Event::DeleteSession(session))
            }
        });
    }

    /// Reads a stored session off the UI task and then opens it again.
    pub(super) fn reopen(&self, id: String) {
        let folder = self.runtime.folder.clone();
        self.in_background(move || {
            let stored = folder.reopen(id);
            Job::Stored(stored.map(Box::new).map_err(|error| error.to_string()))
        });
    }

    pub(super) fn stored(&mut self, stored: Result<Box<Reopened>, String>) {
        let stored = match stored {
            Ok(stored) => stored,
            Err(error) => {
                self.warn(SafeText::line(&error));
                return self.open_anew();
            }
        };
        if let Some(key) = self.open_already(&stored.about.agent, stored.about.session.as_deref()) {
            return self.show(key);
        }
        let cwd = stored.about.project().to_owned();
        if cwd != self.runtime.launch.cwd && !self.runtime.launch.cwd_chosen {
            if !self.runtime.sessions.is_empty() || !cwd.is_dir() {
                let command = super::exit::resume_command(&[], &stored.id).unwrap_or_default();
                let text = format!("a session of {}: {command} reopens it", with_tilde(&cwd));
                return self.ui.toast(SafeText::line(&text));
            }
            if !self.move_to(cwd, &stored.id) {
                return;
            }
        }
        let worktree = match self.place_of(stored.about.worktree()) {
            Ok(worktree) => worktree,
            Err(gone) => {
                let prints = format!("acp-tui sessions show {} prints the session", stored.id);
                self.warn(SafeText::line(&format!("{gone}; {prints}")));
                return self.open_anew();
            }
        };
        match self.agent_of(&stored) {
            Ok(profile) => {
                let start = match &stored.about.session {
                    Some(id) => Start::Reopen(SessionId::new(id)),
                    None => Start::New,
                };
                let prompt = self.runtime.launch.prompt.take().map(text_prompt);
                self.open(profile, start, prompt, Some(*stored), worktree);
            }
            Err(error) => {
                self.warn(SafeText::line(&error.to_string()));
                self.open_anew();
            }
        }
    }

    /// The session of that agent which is open here by that id: opened once more it would be there
    /// twice, and its file written by both.
    fn open_already(&self, agent: &str, session: Option<&str>) -> Option<SessionKey> {
        let wanted = Owner {
            agent: Some(agent.to_owned()),
            session: Some(session?.to_owned()),
        };
        let mut keys = self.runtime.sessions.iter().map(|(key, _)| key);
        keys.find(|key| self.owner(*key) == wanted)
    }

    /// What the client starts with where the session that was asked for cannot be had.
    fn open_anew(&mut self) {
        if self.runtime.sessions.is_empty() {
            self.open_first();
        }
    }

    fn agent_of(&self, stored: &Reopened) -> Result<AgentProfile, AgentError> {
        match &self.runtime.launch.agent {
            AgentWanted::Command(profile) if profile.id == stored.about.agent => {
                Ok(*profile.clone())
            }
            _ => self.runtime.config.agent(&stored.about.agent),
        }
    }

    /// Works in another directory from now on, under its configuration; while no session is open.
    /// False if the person has to say something to its project file first: then the session of that
    /// id is opened afterwards.
    fn move_to(&mut self, cwd: PathBuf, id: &str) -> bool {
        self.runtime.launch.cwd = cwd;
        let options = self.runtime.launch.load_options();
        let loaded = options.and_then(|options| config::load(&options));
        match loaded {
            Ok(loaded) => self.configure_in(loaded),
            Err(error) => {
                self.warn(SafeText::line(&error.to_string()));
                return false;
            }
        }
        if matches!(self.trust, TrustState::Untrusted { .. }) {
            self.runtime.launch.resume = Some(Reopen::Stored {
                record: id.to_owned(),
                session: None,
            });
            return false;
        }
        true
    }
}

/// `until`: worktrees are looked into.
fn past(summary: Summary, here: &Path, now: u64, until: Instant) -> PastSession {
    let cwd = summary.about.project();
    let first_line = |text: &SafeText| {
        let line = telling_line(text);
        line.map(SafeText::line)
    };
    // Without a title what was asked last tells best what it was about.
    let title = summary.about.title.as_ref().and_then(first_line);
    let asked = summary.asked.as_ref().and_then(first_line);
    PastSession {
        elsewhere: (cwd != here).then(|| SafeText::line(&with_tilde(cwd))),
        name: title.or(asked).or(summary.name).unwrap_or_default(),
        last: Exchange {
            asked: summary.asked,
            answered: summary.answered,
        },
        worktree: summary
            .about
            .worktree()
            .and_then(|worktree| worktrees::stands(&worktree, until)),
        agent: summary.about.agent_name,
        branch: match summary.about.worktree {
            Some(worktree) => Some(SafeText::line(&worktree.branch)),
            None => summary.about.branch,
        },
        when: SafeText::line(&ago(summary.updated, now)),
        id: summary.id,
    }
}
