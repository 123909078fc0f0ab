//! Sessions in git worktrees of their own: made, looked at, ended. What is done to the repository is
//! [`host::worktree`](crate::host::worktree)'s, off the UI task.
//!
//! A worktree is removed only after the session in it is closed and its agent has ended: nothing writes there
//! any more. When the client is left worktrees stay, but for those of unused sessions that have nothing in them.

use std::{
    path::{Path, PathBuf},
    time::Instant,
};

use crate::{
    app::{
        changes,
        exit::{self, StoredIds},
        job::Job,
        setup::with_tilde,
        state::App,
    },
    cli::{CliError, Launch},
    config::{AgentProfile, Config},
    host::worktree::{self, Carried, Made, Problem},
    model::{SessionKey, Worktree, WorktreeEnd, WorktreeStatus},
    session::{Event, NoticeLevel, Prompt, Session, Start},
    text::SafeText,
};

/// Whether the worktree can be made that the command line asks for: an error is better read before the terminal
/// is taken over.
///
/// # Errors
/// Why not.
pub fn check_worktree(launch: &Launch, config: &Config, state: &Path) -> Result<(), CliError> {
    let Some(name) = &launch.worktree else {
        return Ok(());
    };
    let plan = folder(config, state)
        .and_then(|folder| worktree::plan(&launch.cwd, name.as_deref(), &folder));
    plan.map(drop).map_err(|why| usage(&why))
}

/// Makes the worktree that the command line asks for.
///
/// # Errors
/// Why it cannot be made.
pub fn make_worktree(
    launch: &mut Launch,
    config: &Config,
    state: &Path,
) -> Result<Option<Made>, CliError> {
    let Some(name) = launch.worktree.take() else {
        return Ok(None);
    };
    let made = made(launch.cwd.clone(), name.as_deref(), folder(config, state));
    made.map(Some).map_err(|why| usage(&why))
}

fn usage(why: &Problem) -> CliError {
    CliError::Usage(format!("--worktree: {}", SafeText::line(&why.to_string())))
}

fn made(
    project: PathBuf,
    name: Option<&str>,
    folder: Result<PathBuf, Problem>,
) -> Result<Made, Problem> {
    worktree::plan(&project, name, &folder?)?.make()
}

/// Where worktrees are made.
///
/// # Errors
/// It cannot be told.
pub fn folder(config: &Config, state: &Path) -> Result<PathBuf, Problem> {
    let folder = config.worktree.folder(state);
    folder.map_err(|error| Problem(format!("worktree.dir of the configuration: {error}")))
}

/// How a worktree stands, in a few words; what is in it only before `until`.
pub fn stands(worktree: &Worktree, until: Instant) -> Option<SafeText> {
    if worktree::is_there(worktree).is_err() {
        return Some("worktree gone".into());
    }
    let status = (Instant::now() < until).then(|| worktree::status(worktree))?;
    Some(match status {
        Ok(status) if status.is_clean() => "no changes".into(),
        Ok(status) => SafeText::line(&status.counts()),
        Err(_) => "worktree cannot be read".into(),
    })
}

/// Removes the worktree of a session in which nothing was said, if nothing is in it: then it is true.
///
/// # Errors
/// It stays, and why.
pub fn end_unused(worktree: &Worktree) -> Result<bool, Problem> {
    let stands = worktree::status(worktree)?;
    let empty = is_empty(&stands);
    if empty {
        worktree::discard(worktree, &stands)?;
    }
    Ok(empty)
}

/// There is nothing to lose.
fn is_empty(stands: &WorktreeStatus) -> bool {
    stands.is_clean() && stands.ignored_count == 0
}

impl App {
    /// Opens a session with an agent that nothing is to be gone on with: in a worktree, where the command line
    /// wants one for the first.
    pub(super) fn open_new(&mut self, profile: AgentProfile, prompt: Option<Prompt>) {
        match self.runtime.launch.worktree.take() {
            Some(name) => self.begin_worktree(profile, prompt, name),
            None => self.open(profile, Start::New, prompt, None, None),
        }
    }

    /// Another session with the agent of the one shown, in a worktree that is made for it.
    pub(super) fn new_worktree(&mut self, name: Option<String>) {
        match self.runtime.shown_running() {
            Some(running) => self.begin_worktree(running.profile.clone(), None, name),
            None => self.pick_agent(),
        }
    }

    fn begin_worktree(
        &mut self,
        profile: AgentProfile,
        prompt: Option<Prompt>,
        name: Option<String>,
    ) {
        if !self.has_room() {
            return;
        }
        self.ui.toast("making the worktree".into());
        let project = self.runtime.launch.cwd.clone();
        let folder = folder(&self.runtime.config, &self.dirs.state);
        self.in_background(move || {
            let made = made(project, name.as_deref(), folder);
            Job::WorktreeMade(Box::new((profile, prompt, made)))
        });
    }

    pub(super) fn worktree_made(
        &mut self,
        (profile, prompt, made): (AgentProfile, Option<Prompt>, Result<Made, Problem>),
    ) {
        match made {
            Ok(made) => {
                let start = Start::New;
                self.open(profile, start, prompt, None, Some(made.worktree.clone()));
                let told = made.told.replacen(
                    &made.worktree.top.display().to_string(),
                    &with_tilde(&made.worktree.top),
                    1,
                );
                self.ui
                    .toast(SafeText::line(&format!("on {}", made.worktree.branch)));
                self.note(NoticeLevel::Info, SafeText::line(&told));
            }
            Err(why) => {
                self.warn(SafeText::line(&format!("no worktree: {why}")));
                if self.runtime.sessions.is_empty() {
                    // What was to be said there is not lost.
                    if let Some(prompt) = prompt {
                        self.ui.composer().prepend(&prompt.text);
                    }
                    self.pick_agent();
                }
            }
        }
    }

    /// The worktree that a session has to itself.
    pub(super) fn worktree_of(&self, key: SessionKey) -> Option<Worktree> {
        self.runtime.sessions.get(key)?.config.worktree.clone()
    }

    /// That of the session that is shown.
    pub(super) fn shown_worktree(&self) -> Option<Worktree> {
        self.worktree_of(self.runtime.sessions.shown_key()?)
    }

    /// The person ends a session: what becomes of its worktree is asked first.
    pub(super) fn end_session(&mut self, key: SessionKey) {
        match self.worktree_of(key) {
            Some(worktree) if self.shares_worktree(key, &worktree) => drop(self.close_session(key)),
            Some(_) => self.look_at_worktree(key),
            None => drop(self.close_session(key)),
        }
    }

    /// Another open session works there too.
    fn shares_worktree(&self, key: SessionKey, worktree: &Worktree) -> bool {
        let mut others = self
            .runtime
            .sessions
            .iter()
            .filter(|(other, _)| *other != key);
        others.any(|(_, session)| {
            let own = session.config.worktree.as_ref();
            own.is_some_and(|own| own.top == worktree.top)
        })
    }

    pub(super) fn look_at_worktree(&mut self, key: SessionKey) {
        if let Some(worktree) = self.worktree_of(key) {
            self.in_background(move || {
                let stands = worktree::status(&worktree).map(Box::new);
                Job::WorktreeLooked(key, stands)
            });
        }
    }

    pub(super) fn worktree_looked(
        &mut self,
        key: SessionKey,
        stands: Result<Box<WorktreeStatus>, Problem>,
    ) {
        let Some(worktree) = self.worktree_of(key) else {
            return;
        };
        match stands {
            Ok(stands) => {
                let seen = Event::WorktreeSeen(stands.clone());
                self.reduce_in(key, [seen]);
                let unused = self
                    .runtime
                    .sessions
                    .get(key)
                    .is_some_and(Session::is_unused);
                if unused && is_empty(&stands) {
                    // There is nothing to lose or to come back to.
                    return self.end_worktree(key, WorktreeEnd::Discard, *stands);
                }
                self.ui.ask_worktree_end(key, worktree, *stands);
            }
            // Nothing can be done with it here, and nothing is.
            Err(why) => {
                drop(self.close_session(key));
                self.warn(SafeText::line(&format!("the session is closed: {why}")));
            }
        }
    }

    pub(super) fn end_worktree(&mut self, key: SessionKey, end: WorktreeEnd, seen: WorktreeStatus) {
        let (Some(worktree), Some(session)) =
            (self.worktree_of(key), self.runtime.sessions.get(key))
        else {
            return;
        };
        if end != WorktreeEnd::Keep {
            if session.is_at_work() {
                let text = "the agent is working there: stop it first, then try again";
                return self.ui.toast(text.into());
            }
            if self.shares_worktree(key, &worktree) {
                let text = "another session works in that worktree: close it first";
                return self.ui.toast(text.into());
            }
        }
        match end {
            WorktreeEnd::Keep => {
                let back = match session.is_unused() {
                    true => format!("kept in {}", with_tilde(&worktree.top)),
                    false => "kept: past sessions (/resume) goes on there".to_owned(),
                };
                drop(self.close_session(key));
                let text = format!("{} is {back}", worktree.branch);
                self.tell(NoticeLevel::Info, SafeText::line(&text));
            }
            WorktreeEnd::Merge | WorktreeEnd::Apply => {
                let into = seen.target.as_deref().unwrap_or("the project");
                let doing = match end {
                    WorktreeEnd::Merge => "merging",
                    _ => "applying",
                };
                let text = format!("{doing} {} into {into} …", worktree.branch);
                self.ui.toast(SafeText::line(&text));
                self.in_background(move || {
                    Job::WorktreeCarried(key, worktree::carry(&worktree, end, &seen))
                });
            }
            WorktreeEnd::Discard => {
                let said = format!("discarded the worktree of {}", worktree.branch);
                // Of one in which nothing was, no lasting word is needed.
                let done = match session.is_unused() && is_empty(&seen) {
                    true => Job::Said,
                    false => Job::Told,
                };
                self.take_away(key, worktree, &said, done, move |worktree| {
                    worktree::discard(worktree, &seen)
                });
            }
        }
    }

    pub(super) fn worktree_carried(&mut self, key: SessionKey, carried: Result<Carried, Problem>) {
        let Some(worktree) = self.worktree_of(key) else {
            return;
        };
        match carried {
            Ok(carried) => {
                let said = carried.said.clone();
                self.take_away(key, worktree, &said, Job::Told, move |worktree| {
                    worktree::remove(worktree, &carried)
                });
            }
            Err(why) => {
                let text = SafeText::line(&why.to_string());
                self.ui.toast(text.clone());
                let level = NoticeLevel::Error;
                if self.runtime.sessions.shown_key() != Some(key) {
                    self.note(level, text.clone());
                }
                self.reduce_in(key, [Event::Note { level, text }]);
            }
        }
    }

    /// Closes the session, and once its agent has ended removes the worktree.
    fn take_away(
        &mut self,
        key: SessionKey,
        worktree: Worktree,
        said: &str,
        done: fn(SafeText) -> Job,
        remove: impl FnOnce(&Worktree) -> Result<(), Problem> + Send + 'static,
    ) {
        let text = SafeText::line(said);
        let level = NoticeLevel::Info;
        // For who reads the conversation later.
        let note = Event::Note {
            level,
            text: text.clone(),
        };
        self.reduce_in(key, [note]);
        let ending = self.close_session(key);
        // The agent has its time to end, and no row tells of that.
        let doing = format!(
            "ending the agent, then removing the worktree of {} …",
            worktree.branch
        );
        self.ui.toast(SafeText::line(&doing));
        self.runtime.forget_worktree(&worktree);
        let kept_changes = self.dirs.state.join("changes");
        let jobs = self.jobs.clone();
        tokio::spawn(async move {
            if let Some(ending) = ending {
                // It cannot panic; and if it did, it would have ended.
                let _ = ending.await;
            }
            let remove = move || {
                remove(&worktree)?;
                // What was kept of its files cannot be put back anywhere.
                changes::forget(&kept_changes, &worktree.cwd);
                Ok::<(), Problem>(())
            };
            let removed = tokio::task::spawn_blocking(remove).await;
            let job = match removed {
                Ok(Ok(())) => done(text),
                Ok(Err(why)) => Job::Warn(SafeText::line(&format!("{text}; {why}"))),
                Err(error) => Job::Warn(SafeText::line(&error.to_string())),
            };
            // Fails only once the loop is over.
            let _ = jobs.send(job);
        });
    }

    /// Where the worktree of a session is, and how to come back to it; `None`: it has none.
    fn kept_line(&self, key: SessionKey, stored: &StoredIds) -> Option<SafeText> {
        let session = self.runtime.sessions.get(key)?;
        let worktree = session.config.worktree.as_ref()?;
        let (branch, top) = (&worktree.branch, with_tilde(&worktree.top));
        let back = self.resume_command_of(key, stored);
        // What was only opened is not stored.
        let back = match back.filter(|_| !session.is_unused()) {
            Some(command) => command.to_string(),
            None => exit::here_command(&worktree.cwd, &self.config_arguments()),
        };
        Some(SafeText::line(&format!(
            "The worktree of {branch} is kept in {top}: {back}"
        )))
    }

    /// Resumes a stored session where it was, if that is still there.
    pub(super) fn place_of(&self, worktree: Option<Worktree>) -> Result<Option<Worktree>, Problem> {
        let launch = &self.runtime.launch;
        let own = |worktree: &Worktree| !launch.cwd_chosen || worktree.project == launch.cwd;
        let worktree = worktree.filter(own);
        if let Some(worktree) = &worktree {
            worktree::is_there(worktree)?;
        }
        Ok(worktree)
    }

    /// What is to be said of worktrees that stay when the client is left; and of those that may have nothing in them.
    pub(super) fn kept_worktrees(
        &self,
        stored: &StoredIds,
    ) -> (Vec<SafeText>, Vec<(Worktree, SafeText)>) {
        let (mut told, mut unused) = (Vec::new(), Vec::new());
        for (key, session) in self.runtime.sessions.iter() {
            let worktree = session.config.worktree.as_ref();
            let Some((worktree, line)) = worktree.zip(self.kept_line(key, stored)) else {
                continue;
            };
            let wanted = self.ui.comments_of(key) > 0 || self.shares_worktree(key, worktree);
            match session.is_unused() && !wanted {
                true => unused.push((worktree.clone(), line)),
                false => told.push(line),
            }
        }
        (told, unused)
    }
}
