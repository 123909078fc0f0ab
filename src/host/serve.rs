//! The front of the host: one request in, one outcome out.
//!
//! What must keep the order in which requests came is done before [`Host::serve`] returns: taking a
//! place in a path's lane, and everything about a terminal that has an id. The rest, which may wait,
//! is in the future that it returns.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio_util::sync::CancellationToken;

use super::{
    EventSink, Obstacle, Resolved, Roots,
    fs::{self, Lanes},
    permission::{Access, Judge, Subject},
    terminal::{TerminalSettings, Terminals, is_line, shown_line, working_dir},
};
use crate::{
    model::{
        ClientCaps, Consent, FsRead, FsWrite, HostReply, HostRequest, Look, LookAt, Looked,
        OutsideWorkspace, PermissionOption, Place, Policy, RequestKey, RpcError, Rule, SessionId,
        TerminalCreate, TerminalId, Verdict, code,
    },
    text::{SafeText, exact_line},
};

/// Questions that wait for the person. Where an agent makes more, all are forgotten, and asked again
/// when they are answered.
const MAX_ASKED: usize = 1_000;

/// How long policy may look at the disk before the person is asked: those who ask later wait for it.
const DECIDE_PATIENCE: Duration = Duration::from_secs(2);

/// What a host is set up with; fixed for its life, which is that of a connection.
pub struct HostConfig {
    pub roots: Roots,
    pub outside: OutsideWorkspace,
    pub policy: Policy,
    pub rules: Vec<Rule>,
    /// `terminal.ask`.
    pub ask_terminal: bool,
    pub terminal: TerminalSettings,
    /// What the agent was offered; the rest is answered "method not found" (V1-FS-01).
    pub caps: ClientCaps,
}

/// The result of a request.
#[derive(Clone, PartialEq, Debug)]
pub enum ServeOutcome {
    Reply(HostReply),
    /// Not answered yet: ask the person and serve again with their consent.
    OutsideRoots {
        resolved: PathBuf,
        write: bool,
        /// Why it counts as outside although it may be in a root; then offer no folder.
        /// Goes on after "it".
        protected: Option<&'static str>,
    },
    /// Not answered yet: a rule requires a question. Serve again with the person's consent.
    AskFile {
        resolved: PathBuf,
        write: bool,
        reason: SafeText,
    },
    /// Not answered yet: `terminal.ask`, or a rule that is or may be meant. Serve again with consent.
    AskTerminal {
        /// On one line, with what is set for it.
        command: SafeText,
        /// It is a line for `sh`.
        shell: bool,
        cwd: PathBuf,
        /// That is not in the workspace.
        outside: bool,
        reason: SafeText,
    },
    /// Rule or policy forbids it: `reply` is the error for the agent; the rest is for the person.
    Refused {
        reply: HostReply,
        what: SafeText,
        rule: SafeText,
    },
}

/// The outcome of one request, to be polled on the runtime.
pub type Serving = Pin<Box<dyn Future<Output = ServeOutcome> + Send>>;

/// Cheap to clone; clones are the same host.
#[derive(Clone)]
pub struct Host {
    inner: Arc<Inner>,
    terminals: Terminals,
    lanes: Lanes,
}

struct Inner {
    roots: Roots,
    outside: OutsideWorkspace,
    judge: Judge,
    caps: ClientCaps,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Requests that are being served, to be cancelled.
    open: HashMap<RequestKey, CancellationToken>,
    /// What the person was asked about: their word is for this place, should the path lead
    /// elsewhere by then.
    asked: HashMap<RequestKey, PathBuf>,
    /// And how a command would run.
    asked_runs: HashMap<RequestKey, Way>,
    grants: Vec<Grant>,
    /// Versions of files for the thread protocol.
    versions: fs::look::Versions,
}

/// How a command is run: what a question shows of it in addition to its words.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Way {
    /// It is a line for `sh`.
    shell: bool,
    /// As asked, and after links.
    cwd: PathBuf,
    resolved: PathBuf,
    outside: bool,
}

/// "And everything in this folder, for this session."
struct Grant {
    session: SessionId,
    dir: PathBuf,
    /// Consent to writing is one to reading as well, but not the other way round.
    write: bool,
}

impl Host {
    pub fn new(config: HostConfig, events: EventSink) -> Self {
        let mut env = config.terminal.env.iter();
        let search = env.find(|(name, _)| name == "PATH");
        let search = search.map(|(_, value)| value.clone());
        Self {
            terminals: Terminals::new(config.terminal, events),
            lanes: Lanes::default(),
            inner: Arc::new(Inner {
                roots: config.roots,
                outside: config.outside,
                judge: Judge::new(config.policy, config.rules, config.ask_terminal, search),
                caps: config.caps,
                state: Mutex::default(),
            }),
        }
    }

    /// Whether both are the same host.
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }

    /// Serves a request of the agent. Call it in the order in which requests came; the futures may
    /// run in any order, on the runtime's own threads.
    pub fn serve(&self, key: RequestKey, request: HostRequest, consent: Consent) -> Serving {
        if let Some(method) = self.not_offered(&request) {
            return ready(HostReply::Error(RpcError::new(
                code::METHOD_NOT_FOUND,
                format!("{method} was not offered"),
            )));
        }
        match request {
            HostRequest::Permission(_)
            | HostRequest::Elicitation(_)
            | HostRequest::DrainQueue { .. } => ready(HostReply::Error(RpcError::new(
                code::INTERNAL,
                "questions to the person, and what they have queued, are no request for the host",
            ))),
            HostRequest::ReadTextFile(read) => self.file(key, FileRequest::Read(read), consent),
            HostRequest::WriteTextFile(write) => self.file(key, FileRequest::Write(write), consent),
            HostRequest::Look(look) => match look.at {
                LookAt::Text { .. } | LookAt::Bytes { .. } => {
                    self.file(key, FileRequest::Look(look), consent)
                }
                LookAt::Stat | LookAt::Glob => self.look(look),
            },
            HostRequest::TerminalCreate(create) => self.create(key, create, consent),
            HostRequest::TerminalOutput(terminal) => ready(reply(
                self.terminals.output(&terminal),
                HostReply::TerminalOutput,
            )),
            HostRequest::TerminalWaitForExit(terminal) => {
                match self.terminals.wait_for_exit(&terminal) {
                    Err(error) => ready(HostReply::Error(error)),
                    Ok(exit) => {
                        self.cancellable(key, async move { HostReply::TerminalExit(exit.await) })
                    }
                }
            }
            HostRequest::TerminalKill(terminal) => {
                ready(reply(self.terminals.kill(&terminal), |()| HostReply::Done))
            }
            HostRequest::TerminalRelease(terminal) => {
                ready(reply(self.terminals.release(&terminal), |()| {
                    HostReply::Done
                }))
            }
        }
    }

    /// The agent withdrew a request (V1-CAN-10): what still waits is answered -32800, what is
    /// already being done is done and answered as usual. Unknown and finished ones are ignored.
    pub fn cancel(&self, key: RequestKey) {
        let mut state = self.inner.state();
        state.asked.remove(&key);
        state.asked_runs.remove(&key);
        if let Some(token) = state.open.get(&key) {
            token.cancel();
        }
    }

    /// What policy says to a permission request. Ready within [`DECIDE_PATIENCE`].
    pub fn decide(
        &self,
        subject: Subject,
        options: Vec<PermissionOption>,
    ) -> impl Future<Output = Verdict> + Send + 'static {
        let inner = self.inner.clone();
        async move {
            let verdict = tokio::task::spawn_blocking(move || {
                inner.judge.decide(&subject, &options, &inner.roots)
            });
            match tokio::time::timeout(DECIDE_PATIENCE, verdict).await {
                Ok(verdict) => verdict.unwrap_or(Verdict::ask(None)),
                Err(_) => Verdict::ask(Some("its paths could not be checked in time".into())),
            }
        }
    }

    /// Runs a line of the person's own in their shell, in the session's directory. Call it on the
    /// runtime's own threads.
    ///
    /// # Errors
    /// The shell cannot be started, or too many commands run.
    pub fn run_shell(&self, line: &str) -> Result<TerminalId, RpcError> {
        self.terminals
            .run_shell(line, self.inner.roots.cwd().to_owned())
    }

    /// For the person, who types at them and ends them.
    pub fn terminals(&self) -> &Terminals {
        &self.terminals
    }

    /// The size of the view that shows terminals.
    pub fn set_view(&self, rows: u16, cols: u16) {
        self.terminals.set_view(rows, cols);
    }

    /// Ends all commands and what they left running, within 2 seconds (V1-TERM-17).
    pub async fn shutdown(&self) {
        self.terminals.shutdown().await;
    }

    fn not_offered(&self, request: &HostRequest) -> Option<&'static str> {
        let caps = self.inner.caps;
        match request {
            HostRequest::ReadTextFile(_) | HostRequest::Look(_) if !caps.read_text_file => {
                Some("fs/read_text_file")
            }
            HostRequest::WriteTextFile(_) if !caps.write_text_file => Some("fs/write_text_file"),
            HostRequest::TerminalCreate(_)
            | HostRequest::TerminalOutput(_)
            | HostRequest::TerminalWaitForExit(_)
            | HostRequest::TerminalKill(_)
            | HostRequest::TerminalRelease(_)
                if !caps.terminal =>
            {
                Some("terminal/*")
            }
            _ => None,
        }
    }

    fn file(&self, key: RequestKey, request: FileRequest, consent: Consent) -> Serving {
        let mut lane = self.lanes.enter(self.inner.roots.absolute(request.path()));
        let inner = self.inner.clone();
        let open = self.open(key);
        Box::pin(async move {
            tokio::select! {
                biased;
                () = open.token.cancelled() => return ServeOutcome::Reply(cancelled()),
                () = lane.turn() => {}
            }
            let done = tokio::task::spawn_blocking(move || {
                let outcome = inner.file(key, request, consent);
                // Not before: the next in line must find the file as this one left it.
                drop(lane);
                outcome
            });
            done.await.unwrap_or_else(|error| {
                ServeOutcome::Reply(HostReply::Error(RpcError::new(
                    code::INTERNAL,
                    format!("serving the file failed: {error}"),
                )))
            })
        })
    }

    /// D-39, D-40: what is outside of the workspace, or refused, does not exist.
    fn look(&self, look: Look) -> Serving {
        let inner = self.inner.clone();
        Box::pin(async move {
            let looked = tokio::task::spawn_blocking(move || inner.look(&look)).await;
            ServeOutcome::Reply(reply(
                looked.unwrap_or_else(|error| {
                    let message = format!("looking at the workspace failed: {error}");
                    Err(RpcError::new(code::INTERNAL, message))
                }),
                HostReply::Looked,
            ))
        })
    }

    fn create(&self, key: RequestKey, request: TerminalCreate, consent: Consent) -> Serving {
        let host = self.clone();
        Box::pin(async move {
            let (inner, asked) = (host.inner.clone(), request.clone());
            let judged = tokio::task::spawn_blocking(move || inner.judge_run(key, &asked, consent));
            let way = match judged.await {
                Ok(Ok(way)) => way,
                Ok(Err(outcome)) => return *outcome,
                Err(error) => {
                    let message = format!("judging the command failed: {error}");
                    let error = RpcError::new(code::INTERNAL, message);
                    return ServeOutcome::Reply(HostReply::Error(error));
                }
            };
            ServeOutcome::Reply(reply(
                host.terminals.create(&request, way.cwd, way.shell),
                HostReply::TerminalCreated,
            ))
        })
    }

    fn cancellable(
        &self,
        key: RequestKey,
        work: impl Future<Output = HostReply> + Send + 'static,
    ) -> Serving {
        let open = self.open(key);
        Box::pin(async move {
            ServeOutcome::Reply(tokio::select! {
                biased;
                reply = work => reply,
                () = open.token.cancelled() => cancelled(),
            })
        })
    }

    fn open(&self, key: RequestKey) -> Open {
        let token = CancellationToken::new();
        self.inner.state().open.insert(key, token.clone());
        Open {
            inner: self.inner.clone(),
            key,
            token,
        }
    }
}

/// A request that can be cancelled, as long as this lives.
struct Open {
    inner: Arc<Inner>,
    key: RequestKey,
    token: CancellationToken,
}

impl Drop for Open {
    fn drop(&mut self) {
        self.inner.state().open.remove(&self.key);
    }
}

enum FileRequest {
    Read(FsRead),
    Write(FsWrite),
    Look(Look),
}

impl FileRequest {
    fn path(&self) -> &str {
        match self {
            Self::Read(read) => &read.path,
            Self::Write(write) => &write.path,
            Self::Look(look) => &look.path,
        }
    }

    fn session(&self) -> &SessionId {
        match self {
            Self::Read(read) => &read.session,
            Self::Write(write) => &write.session,
            Self::Look(look) => &look.session,
        }
    }

    fn is_write(&self) -> bool {
        matches!(self, Self::Write(_))
    }

    fn verb(&self) -> &'static str {
        if self.is_write() { "write" } else { "read" }
    }
}

impl Inner {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How a command is to be run, if it is. Looks at the disk.
    fn judge_run(
        &self,
        key: RequestKey,
        request: &TerminalCreate,
        consent: Consent,
    ) -> Result<Way, Box<ServeOutcome>> {
        let cwd = working_dir(request.cwd.as_deref(), self.roots.cwd());
        let found = self.roots.resolve(&cwd.to_string_lossy());
        let way = Way {
            shell: is_line(&request.command, &request.args, &cwd),
            outside: !found
                .as_ref()
                .is_ok_and(|found| found.obstacle(false).is_none()),
            resolved: found.map_or_else(|_| cwd.clone(), |found| found.path),
            cwd,
        };
        match self.judge.terminal(request, way.shell, &self.roots) {
            Access::Refuse { rule } => {
                let what = format!("run {}", shown_line(request));
                Err(Box::new(refused(what, rule)))
            }
            Access::Ask { reason } => {
                let mut state = self.state();
                // Their word is for what they were shown.
                let known = state.asked_runs.remove(&key);
                if consent != Consent::None && known.as_ref() == Some(&way) {
                    return Ok(way);
                }
                if state.asked_runs.len() >= MAX_ASKED {
                    state.asked_runs.clear();
                }
                state.asked_runs.insert(key, way.clone());
                Err(Box::new(ServeOutcome::AskTerminal {
                    command: shown_line(request),
                    shell: way.shell,
                    cwd: way.cwd,
                    outside: way.outside,
                    reason,
                }))
            }
            Access::Serve => Ok(way),
        }
    }

    /// The blocking part of a file request, at its turn.
    fn file(&self, key: RequestKey, request: FileRequest, consent: Consent) -> ServeOutcome {
        let (path, write) = (request.path(), request.is_write());
        let what = || format!("{} {path}", request.verb());
        if !matches!(Place::of(path), Place::Path(_)) {
            // Taken for a name it would be a file in the workspace, which is not what was meant.
            let error = format!(
                "{} is not an absolute path: name the file by one",
                SafeText::line(path)
            );
            let error = RpcError::new(code::INVALID_PARAMS, error);
            return ServeOutcome::Reply(HostReply::Error(error));
        }
        let resolved = self.roots.resolve(path);
        let rule = match self.rules_on(path, resolved.as_ref().ok(), write) {
            Access::Refuse { rule } => return refused(what(), rule),
            Access::Ask { reason } => Some(reason),
            Access::Serve => None,
        };
        let resolved = match resolved {
            Ok(resolved) => resolved,
            Err(error) => {
                let error = fs::failure(request.verb(), Path::new(path), &error);
                return ServeOutcome::Reply(HostReply::Error(error));
            }
        };
        let obstacle = resolved.obstacle(write);
        let protected = match obstacle {
            Some(Obstacle::Protected(why)) => Some(why),
            _ => None,
        };
        let asks = obstacle.is_some() || rule.is_some();
        if asks && !self.may_touch(key, &request, &resolved.path, protected.is_some(), consent) {
            return match self.outside {
                OutsideWorkspace::Deny if obstacle.is_some() => {
                    refused(what(), "fs.outside_workspace = \"deny\"".into())
                }
                OutsideWorkspace::Ask | OutsideWorkspace::Deny => {
                    let mut state = self.state();
                    if state.asked.len() >= MAX_ASKED {
                        state.asked.clear();
                    }
                    state.asked.insert(key, resolved.path.clone());
                    let resolved = resolved.path;
                    match rule {
                        Some(reason) if protected.is_none() => ServeOutcome::AskFile {
                            resolved,
                            write,
                            reason,
                        },
                        _ => ServeOutcome::OutsideRoots {
                            resolved,
                            write,
                            protected,
                        },
                    }
                }
            };
        }
        ServeOutcome::Reply(match request {
            FileRequest::Read(read) => reply(
                fs::read(&self.roots, &resolved.path, read.line, read.limit),
                HostReply::Content,
            ),
            FileRequest::Write(write) => reply(
                fs::write(&self.roots, &resolved.path, &write.content),
                |()| HostReply::Done,
            ),
            FileRequest::Look(look) => {
                reply(self.look_into(&resolved.path, look.at), HostReply::Looked)
            }
        })
    }

    /// A slice of a file, and its version (D-37, D-38, D-41).
    fn look_into(&self, path: &Path, at: LookAt) -> Result<Looked, RpcError> {
        let file = fs::open(&self.roots, path)?;
        let version = self.state().versions.of(&file, path)?;
        let content = match at {
            LookAt::Text { skip, limit } => fs::look::text(file, path, skip, limit)?,
            LookAt::Bytes { skip, limit } => fs::look::bytes(file, path, skip, limit)?,
            LookAt::Stat | LookAt::Glob => String::new(),
        };
        Ok(Looked::File { version, content })
    }

    fn look(&self, look: &Look) -> Result<Looked, RpcError> {
        if look.at == LookAt::Glob {
            let exists = |path: &str| self.visible(path).is_some();
            return fs::look::glob(&self.roots, &look.path, exists).map(Looked::Matches);
        }
        let visible = self.visible(&look.path);
        let (exists, is_directory) =
            visible.map_or((false, false), |path| fs::look::stat(&self.roots, &path));
        Ok(Looked::Stat {
            exists,
            is_directory,
        })
    }

    /// Where a path leads that may be read without a question: in the workspace, and no rule speaks
    /// against it. Anything said about other paths would leak part of what must not be read.
    fn visible(&self, path: &str) -> Option<PathBuf> {
        let resolved = self.roots.resolve(path).ok()?;
        let served = || self.rules_on(path, Some(&resolved), false) == Access::Serve;
        (resolved.obstacle(false).is_none() && served()).then_some(resolved.path)
    }

    /// What rules say of a path as it is named, and of where it was found to lead, which is what is
    /// opened: a folder on the way may have become a link between the two looks.
    fn rules_on(&self, path: &str, resolved: Option<&Resolved>, write: bool) -> Access {
        let judge = |path: &str| self.judge.file(path, write, &self.roots);
        let named = judge(path);
        let Some(resolved) = resolved.filter(|_| !matches!(named, Access::Refuse { .. })) else {
            return named;
        };
        match (named, judge(&resolved.path.to_string_lossy())) {
            (_, refused @ Access::Refuse { .. }) => refused,
            (Access::Serve, found) => found,
            (named, _) => named,
        }
    }

    /// Whether the person allowed this very place, now or by its folder. What is `protected` is asked
    /// about each time.
    fn may_touch(
        &self,
        key: RequestKey,
        request: &FileRequest,
        resolved: &Path,
        protected: bool,
        consent: Consent,
    ) -> bool {
        let (session, write) = (request.session(), request.is_write());
        let mut state = self.state();
        let asked = state.asked.remove(&key);
        if consent != Consent::None && asked.as_deref() == Some(resolved) {
            if consent == Consent::Folder
                && !protected
                && let Some(dir) = resolved.parent()
            {
                state.grants.push(Grant {
                    session: session.clone(),
                    dir: dir.to_owned(),
                    write,
                });
            }
            return true;
        }
        !protected
            && state.grants.iter().any(|grant| {
                grant.session == *session
                    && resolved.starts_with(&grant.dir)
                    && (grant.write || !write)
            })
    }
}

fn ready(reply: HostReply) -> Serving {
    Box::pin(std::future::ready(ServeOutcome::Reply(reply)))
}

fn reply<T>(result: Result<T, RpcError>, ok: impl FnOnce(T) -> HostReply) -> HostReply {
    result.map_or_else(HostReply::Error, ok)
}

fn cancelled() -> HostReply {
    HostReply::Error(RpcError::new(code::CANCELLED, "cancelled"))
}

fn refused(what: String, rule: SafeText) -> ServeOutcome {
    let what = exact_line(&what);
    ServeOutcome::Refused {
        reply: HostReply::Error(RpcError::new(
            code::INTERNAL,
            format!("refused by the user's settings ({rule}): {what}"),
        )),
        what,
        rule,
    }
}

#[cfg(test)]
mod tests;
