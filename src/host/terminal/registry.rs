//! All terminals of one connection, by id.

use std::{
    collections::{BTreeMap, HashMap},
    env,
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use rustix::process::{Pid, Signal};
use tokio::{
    sync::{mpsc, watch},
    time::{Instant, sleep},
};

use super::{
    buffer::{OutputBuffer, Room},
    processes::{MARKER, Processes, signal_all},
    run::{ASK_TO_END, Control, Run, Shared},
    spawn::{DEFAULT_SIZE, Launch, spawn},
};
use crate::{
    guard::run_name,
    host::{EventSink, HostEvent},
    model::{
        ExitStatus, RpcError, SessionId, TerminalCreate, TerminalId, TerminalRef, TerminalSnapshot,
        code, shown_command, shown_command_line,
    },
    text::{SafeText, exact, exact_line},
    vt::SharedScreen,
};

/// Commands that run at the same time.
const MAX_RUNNING: usize = 64;

/// Terminals that are kept until they are released; beyond it the oldest finished one is released,
/// for agents that never do it.
const MAX_KEPT: usize = 256;

/// How long commands may take to end by themselves when all has to end, and how long to insist.
const SHUTDOWN_GRACE: Duration = Duration::from_millis(1000);
const SHUTDOWN_INSIST: Duration = Duration::from_millis(500);
const SHUTDOWN_POLL: Duration = Duration::from_millis(25);

/// What terminals are started with.
#[derive(Clone, Debug)]
pub struct TerminalSettings {
    /// What commands inherit: the client's own environment, without the agent profile's.
    pub env: Vec<(OsString, OsString)>,
    pub scrub_env: bool,
    /// `terminal/output` answers the bytes instead of plain text.
    pub raw_output: bool,
}

/// Cheap to clone; clones share the terminals.
#[derive(Clone)]
pub struct Terminals {
    inner: Arc<Inner>,
}

struct Inner {
    settings: TerminalSettings,
    events: EventSink,
    state: Mutex<State>,
    /// What the outputs of all of them take.
    outputs: Room,
}

#[derive(Default)]
struct State {
    /// What can be referred to, by id; the numbers in [`Terminal::number`] tell the age.
    terminals: HashMap<TerminalId, Terminal>,
    /// What may have processes, released or not, by number.
    alive: BTreeMap<u64, Arc<Shared>>,
    closed: bool,
    /// Rows and columns of the view that shows terminals; [`DEFAULT_SIZE`] while there is none.
    view: Option<(u16, u16)>,
}

struct Terminal {
    number: u64,
    /// `None`: started by the person; the agent cannot refer to it.
    session: Option<SessionId>,
    shared: Arc<Shared>,
    control: mpsc::UnboundedSender<Control>,
}

/// Counts the terminals of the whole program, so that no id comes twice, not even after a restart
/// of the agent, when views of the old ones are still shown.
static NEXT: AtomicU64 = AtomicU64::new(1);

impl Terminals {
    pub(in crate::host) fn new(settings: TerminalSettings, events: EventSink) -> Self {
        Self {
            inner: Arc::new(Inner {
                settings,
                events,
                state: Mutex::default(),
                outputs: Room::default(),
            }),
        }
    }

    /// `terminal/create` in `cwd`, which is absolute; `line`: for `sh`. Does not wait for the command
    /// (V1-TERM-01). Must be called on a runtime thread, see [`spawn`].
    ///
    /// # Errors
    /// The program or directory is missing, or too many commands run.
    pub fn create(
        &self,
        request: &TerminalCreate,
        cwd: PathBuf,
        line: bool,
    ) -> Result<TerminalId, RpcError> {
        let launch = Launch::new(&request.command, &request.args, cwd, line);
        let title = shown_command(&request.line(), &request.env);
        self.start(
            self.with_env(launch, &request.env),
            title,
            Some(request.session.clone()),
            request.output_byte_limit,
        )
    }

    /// A line of the person's own, for their shell. Not visible to the agent.
    ///
    /// # Errors
    /// As [`Terminals::create`].
    pub fn run_shell(&self, line: &str, cwd: PathBuf) -> Result<TerminalId, RpcError> {
        let shell = env::var_os("SHELL").filter(|shell| !shell.is_empty());
        let launch = Launch::shell(shell.as_deref().unwrap_or(OsStr::new("sh")), line, cwd);
        let launch = self.with_env(launch, &[]);
        self.start(launch, exact(line), None, Some(0))
    }

    /// Something of the person's own, ready to be started. Not visible to the agent.
    ///
    /// # Errors
    /// As [`Terminals::create`].
    pub(in crate::host) fn run(
        &self,
        launch: Launch,
        title: SafeText,
    ) -> Result<TerminalId, RpcError> {
        self.start(launch, title, None, Some(0))
    }

    fn with_env(&self, launch: Launch, own: &[(String, String)]) -> Launch {
        let settings = &self.inner.settings;
        launch.with_env(&settings.env, settings.scrub_env, own)
    }

    fn start(
        &self,
        mut launch: Launch,
        title: SafeText,
        session: Option<SessionId>,
        output_limit: Option<u64>,
    ) -> Result<TerminalId, RpcError> {
        let settings = &self.inner.settings;
        self.make_room()?;
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let id = TerminalId::new(format!("acp-tui-{number}"));
        let marker = (!launch.may_leave).then(|| format!("{}.{number}", run_name()));
        if let Some(marker) = &marker {
            launch.env.insert(MARKER.into(), marker.into());
        }
        let size = self.state().view.unwrap_or(DEFAULT_SIZE);
        let (pty, child) =
            spawn(&launch, size).map_err(|error| cannot_start(&launch.program, &error))?;
        let leader = child
            .id()
            .and_then(|pid| Pid::from_raw(pid.try_into().ok()?))
            .ok_or_else(|| cannot_start(&launch.program, &"it ended at once"))?;

        let (rows, cols) = size;
        let shared = Arc::new(Shared {
            screen: SharedScreen::new(rows, cols),
            output: Mutex::new(OutputBuffer::new(
                output_limit,
                settings.raw_output,
                self.inner.outputs.clone(),
            )),
            processes: Processes::new(leader, marker),
            exit: watch::Sender::new(None),
        });
        // Unbounded, as the UI task sends; the person's keys and the agent's requests, one by one,
        // are all that does, and what is typed is bounded where it is taken out.
        let (control, commands) = mpsc::unbounded_channel();
        let closed = {
            let mut state = self.state();
            state.alive.insert(number, shared.clone());
            let terminal = Terminal {
                number,
                session: session.clone(),
                shared: shared.clone(),
                control: control.clone(),
            };
            state.terminals.insert(id.clone(), terminal);
            state.closed
        };
        (self.inner.events)(HostEvent::TerminalStarted {
            session,
            id: id.clone(),
            command: title,
            cwd: exact_line(&launch.cwd.to_string_lossy()),
            screen: shared.screen.clone(),
        });
        if closed {
            // A shutdown came in between, and has not seen this one.
            let _ = control.send(Control::Release);
        }
        let (events, exits) = (self.inner.events.clone(), self.inner.events.clone());
        let gone = id.clone();
        let run = Run {
            shared,
            pty,
            child,
            control: commands,
            on_output: Box::new(move || events(HostEvent::TerminalOutput)),
            on_exit: Box::new(move |status| {
                exits(HostEvent::TerminalExited {
                    id: gone.clone(),
                    status,
                });
            }),
        };
        let inner = Arc::downgrade(&self.inner);
        tokio::spawn(async move {
            run.run().await;
            if let Some(inner) = inner.upgrade() {
                inner.state().alive.remove(&number);
            }
        });
        Ok(id)
    }

    /// `terminal/output`: what there is, without waiting (V1-TERM-08).
    ///
    /// # Errors
    /// Unknown id, or one of another session (V1-TERM-05, V1-TERM-18).
    pub fn output(&self, request: &TerminalRef) -> Result<TerminalSnapshot, RpcError> {
        let shared = self.find(request)?;
        // The status first: once it is there, the output is complete (V1-TERM-10).
        let exit = shared.exit.borrow().clone();
        let output = shared.output();
        Ok(TerminalSnapshot {
            output: output.text(),
            truncated: output.truncated(),
            exit,
        })
    }

    /// `terminal/wait_for_exit` (V1-TERM-11). The terminal may be released meanwhile.
    ///
    /// # Errors
    /// Unknown id.
    pub fn wait_for_exit(
        &self,
        request: &TerminalRef,
    ) -> Result<impl Future<Output = ExitStatus> + Send + use<>, RpcError> {
        let shared = self.find(request)?;
        Ok(async move {
            let mut exit = shared.exit.subscribe();
            let status = exit.wait_for(Option::is_some).await;
            // The sender lives as long as `shared`.
            status.ok().and_then(|s| s.clone()).unwrap_or_default()
        })
    }

    /// `terminal/kill`: returns at once; the id stays valid (V1-TERM-12).
    ///
    /// # Errors
    /// Unknown id.
    pub fn kill(&self, request: &TerminalRef) -> Result<(), RpcError> {
        self.find(request)?;
        self.send(&request.terminal, Control::Kill);
        Ok(())
    }

    /// `terminal/release`: ends what still runs, forgets the id (V1-TERM-13).
    ///
    /// # Errors
    /// Unknown id.
    pub fn release(&self, request: &TerminalRef) -> Result<(), RpcError> {
        self.find(request)?;
        self.send(&request.terminal, Control::Release);
        self.state().terminals.remove(&request.terminal);
        Ok(())
    }

    /// What the person types at an attached terminal.
    pub fn write(&self, id: &TerminalId, bytes: Vec<u8>) {
        self.send(id, Control::Input(bytes));
    }

    /// The size of the view that shows terminals, running ones and those to come (V1-TERM-16).
    pub fn set_view(&self, rows: u16, cols: u16) {
        let mut state = self.state();
        state.view = Some((rows, cols));
        for terminal in state.terminals.values() {
            // An error is a command that has ended.
            let _ = terminal.control.send(Control::Resize(rows, cols));
        }
    }

    /// The size of the view that shows this one alone.
    pub fn resize(&self, id: &TerminalId, rows: u16, cols: u16) {
        self.send(id, Control::Resize(rows, cols));
    }

    /// As [`Terminals::kill`], by the person.
    pub fn kill_by_person(&self, id: &TerminalId) {
        self.send(id, Control::Kill);
    }

    /// Terminals whose command still runs, oldest first.
    #[cfg(test)]
    pub fn running(&self) -> Vec<TerminalId> {
        let state = self.state();
        let mut running: Vec<_> = state
            .terminals
            .iter()
            .filter(|(_, terminal)| terminal.is_running())
            .map(|(id, terminal)| (terminal.number, id.clone()))
            .collect();
        running.sort();
        running.into_iter().map(|(_, id)| id).collect()
    }

    /// Ends all commands and what they left running (V1-TERM-17), within 2 seconds: asks first,
    /// then insists. Nothing can be started afterwards.
    pub async fn shutdown(&self) {
        let alive = {
            let mut state = self.state();
            state.closed = true;
            for (_, terminal) in state.terminals.drain() {
                let _ = terminal.control.send(Control::Release);
            }
            state.alive.values().cloned().collect::<Vec<_>>()
        };
        if alive.is_empty() {
            return;
        }
        let alive = Arc::new(alive);
        let started = Instant::now();
        let mut left = signal(&alive, &ASK_TO_END).await;
        while left > 0 && started.elapsed() < SHUTDOWN_GRACE {
            sleep(SHUTDOWN_POLL).await;
            left = signal(&alive, &[]).await;
        }
        while left > 0 && started.elapsed() < SHUTDOWN_GRACE + SHUTDOWN_INSIST {
            left = signal(&alive, &[Signal::KILL]).await;
            sleep(SHUTDOWN_POLL).await;
        }
        if left > 0 {
            tracing::warn!(left, "processes of terminals that do not end");
        }
    }

    fn make_room(&self) -> Result<(), RpcError> {
        let mut state = self.state();
        if state.closed {
            return Err(RpcError::new(code::INTERNAL, "the client is shutting down"));
        }
        let running = state.terminals.values().filter(|t| t.is_running()).count();
        if running >= MAX_RUNNING {
            return Err(RpcError::new(
                code::INTERNAL,
                format!("{running} commands are running already; kill or release some first"),
            ));
        }
        if state.terminals.len() >= MAX_KEPT {
            let oldest = state
                .terminals
                .iter()
                .filter(|(_, terminal)| !terminal.is_running())
                .min_by_key(|(_, terminal)| terminal.number)
                .map(|(id, _)| id.clone());
            if let Some(terminal) = oldest.and_then(|id| state.terminals.remove(&id)) {
                let _ = terminal.control.send(Control::Release);
            }
        }
        // Another one is to find room for what it prints.
        let mut over: Vec<&Terminal> = state
            .terminals
            .values()
            .filter(|terminal| !terminal.is_running())
            .collect();
        over.sort_unstable_by_key(|terminal| terminal.number);
        for terminal in over {
            if !self.inner.outputs.is_nearly_full() {
                break;
            }
            terminal.shared.output().give_way();
        }
        Ok(())
    }

    fn find(&self, request: &TerminalRef) -> Result<Arc<Shared>, RpcError> {
        self.state()
            .terminals
            .get(&request.terminal)
            .filter(|terminal| terminal.session.as_ref() == Some(&request.session))
            .map(|terminal| terminal.shared.clone())
            .ok_or_else(|| {
                RpcError::new(
                    code::NOT_FOUND,
                    format!("this session has no terminal {:?}", request.terminal),
                )
            })
    }

    fn send(&self, id: &TerminalId, control: Control) {
        if let Some(terminal) = self.state().terminals.get(id) {
            // Fails only where the task is gone, and with it everything that it could do.
            let _ = terminal.control.send(control);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.inner.state()
    }
}

impl Inner {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Terminal {
    fn is_running(&self) -> bool {
        self.shared.exit.borrow().is_none()
    }
}

async fn signal(alive: &Arc<Vec<Arc<Shared>>>, signals: &'static [Signal]) -> usize {
    let alive = alive.clone();
    tokio::task::spawn_blocking(move || {
        let processes: Vec<&Processes> = alive.iter().map(|shared| &shared.processes).collect();
        signal_all(&processes, signals)
    })
    .await
    .unwrap_or_default()
}

/// Names the program alone: arguments and variables may hold secrets, and the answer is logged.
fn cannot_start(program: &OsStr, error: &dyn std::fmt::Display) -> RpcError {
    let program = SafeText::line(&program.to_string_lossy());
    RpcError::new(code::INTERNAL, format!("cannot start `{program}`: {error}"))
}

/// The command as a person would type it, with what is set for it, on one line.
pub(in crate::host) fn shown_line(request: &TerminalCreate) -> SafeText {
    shown_command_line(&request.line(), &request.env)
}

/// Absolute, from the session's cwd where it is relative.
pub(in crate::host) fn working_dir(asked: Option<&str>, session_cwd: &Path) -> PathBuf {
    asked.map_or_else(|| session_cwd.to_owned(), |dir| session_cwd.join(dir))
}
