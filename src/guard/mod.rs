//! Ends what was started when the client itself is killed.
//!
//! SIGKILL leaves no time to end anything. So a small separate process, the guard, holds one end of
//! a pipe: when the other end closes, the client is gone, and the guard ends the sessions and groups
//! that were registered and not taken back. It is this program, started with a hidden argument
//! together with the first agent or terminal; nothing waits for it.
//!
//! What an agent has put outside of its group is not ended, neither here nor in good order: a daemon, or
//! the browser that it opened for the person. A mark in its environment would find those as well.
//!
//! It gives the person's terminal back as well, with the bytes that it was told: otherwise each move of the
//! mouse would type into the shell.
//!
//! Owns: the guard ([`run`]), registering with it ([`Ward`], [`terminal`]), and finding the processes of a
//! session ([`signal`]). Where there is no `/proc` only the groups that leaders lead are found: a command
//! with job control, or a daemon, then outlives a client that was killed.

#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(target_os = "linux")]
mod linux;
mod watch;

use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
    io::{self, PipeWriter, Write},
    os::fd::{AsRawFd, BorrowedFd},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{
        LazyLock, Mutex, OnceLock, PoisonError,
        atomic::{AtomicI32, AtomicU64, Ordering},
    },
};

use rustix::process::Pid;

#[cfg(not(target_os = "linux"))]
use elsewhere as system;
#[cfg(target_os = "linux")]
use linux as system;

pub use system::{end_with_parent, signal};
pub use watch::run;

/// Names the terminal in the environment of what runs in it.
pub const MARKER: &str = "ACP_TUI_TERMINAL";

/// The first argument of a guard.
pub const ARGUMENT: &str = "__guard";

/// Not the name of the client: who kills that by its name is not to kill the guard along with it.
const NAME: &str = "acp-guard";

/// Guards started in one run, at most; a guard ends early only if something kills it.
const MAX_STARTS: u32 = 3;

/// A process that leads a session and a group of its own, and all that belongs to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Leader {
    pub pid: Pid,
    /// When it was started, in the system's ticks: tells it from a later process with the same number.
    /// `None` if unknown.
    pub start: Option<u64>,
    /// Stands in the environment of those that belong to it: what has left the session is found by
    /// it. `None`: those are not looked for.
    pub marker: Option<String>,
    /// Only its group is meant, not its session.
    pub group_only: bool,
}

impl Leader {
    /// To be called before the process was waited for.
    pub fn new(pid: Pid, marker: Option<String>) -> Self {
        Self {
            pid,
            start: system::start_of(pid),
            marker,
            group_only: false,
        }
    }

    /// Of a process whose group alone ends with it.
    pub fn of_group(pid: Pid) -> Self {
        Self {
            group_only: true,
            ..Self::new(pid, None)
        }
    }
}

/// The guard knows of a leader as long as this lives.
#[derive(Debug)]
pub struct Ward(u64);

impl Ward {
    pub fn new(leader: &Leader) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        with(|guard| guard.add(number, leader.clone()));
        Self(number)
    }
}

impl Drop for Ward {
    fn drop(&mut self) {
        with(|guard| guard.forget(self.0));
    }
}

/// What is to be written to the terminal at this path when the client has been killed; `None`: nothing,
/// it is not ours at the moment.
pub fn terminal(held: Option<(&Path, &[u8])>) {
    use std::os::unix::ffi::OsStrExt;
    with(|guard| {
        guard.terminal = held.map(|(path, bytes)| Terminal {
            path: path.as_os_str().as_bytes().to_vec(),
            bytes: bytes.to_vec(),
        });
        if guard.process.is_some() {
            guard.tell(&Order::Terminal(guard.terminal.clone()));
        }
    });
}

/// As `terminal(None)`, for a signal handler: it does what signal-safety(7) allows.
pub fn no_terminal() {
    let pipe = PIPE.load(Ordering::SeqCst);
    if pipe >= 0 {
        // SAFETY: it stays open as long as it stands there.
        let pipe = unsafe { BorrowedFd::borrow_raw(pipe) };
        let _ = rustix::io::write(pipe, NO_TERMINAL);
    }
}

/// A name for what this run starts, unique even if another run has the same process number.
pub fn run_name() -> &'static str {
    static NAME: LazyLock<String> = LazyLock::new(|| {
        use std::hash::{BuildHasher, RandomState};
        let random = RandomState::new().hash_one(std::process::id());
        format!("{}.{random:016x}", std::process::id())
    });
    &NAME
}

/// What is started as a guard. Until it is set, as in tests of this library, there is none: this
/// program may be another one.
static PROGRAM: OnceLock<PathBuf> = OnceLock::new();

/// Lets guards be started: to be called by a program that calls [`run`] for [`ARGUMENT`].
pub fn enable() {
    // Also where the file was replaced since, as by an update.
    let own = PathBuf::from("/proc/self/exe");
    let program = if own.exists() {
        Some(own)
    } else {
        std::env::current_exe().ok()
    };
    if let Some(program) = program {
        let _ = PROGRAM.set(program);
    }
}

/// Whether this process was started as a guard.
pub fn is_wanted(first_argument: Option<&OsStr>) -> bool {
    first_argument == Some(OsStr::new(ARGUMENT))
}

static GUARD: Mutex<Option<Guard>> = Mutex::new(None);

fn with(f: impl FnOnce(&mut Guard)) {
    if PROGRAM.get().is_some() {
        let mut guard = GUARD.lock().unwrap_or_else(PoisonError::into_inner);
        f(guard.get_or_insert_default());
    }
}

/// The pipe to the guard, for a signal handler; negative: there is none.
static PIPE: AtomicI32 = AtomicI32::new(-1);

#[derive(Default)]
struct Guard {
    /// What it is to know, also of one that has to be started again.
    wards: BTreeMap<u64, Leader>,
    terminal: Option<Terminal>,
    process: Option<(Child, PipeWriter)>,
    starts: u32,
}

impl Guard {
    fn add(&mut self, number: u64, leader: Leader) {
        let order = Order::Add(number, leader.clone());
        self.wards.insert(number, leader);
        if self.process.is_none() {
            self.start();
        } else {
            self.tell(&order);
        }
    }

    fn forget(&mut self, number: u64) {
        if self.wards.remove(&number).is_some() {
            self.tell(&Order::Forget(number));
        }
    }

    fn tell(&mut self, order: &Order) {
        let Some((_, pipe)) = &mut self.process else {
            return;
        };
        if let Err(error) = pipe.write_all(order.line().as_bytes())
            && error.kind() != io::ErrorKind::WouldBlock
        {
            tracing::debug!(%error, "the guard has ended");
            self.start();
        }
    }

    /// Starts it, with all that there is to know.
    fn start(&mut self) {
        PIPE.store(-1, Ordering::SeqCst);
        if let Some((mut child, _)) = self.process.take() {
            let _ = child.try_wait();
        }
        if self.starts >= MAX_STARTS {
            return;
        }
        self.starts += 1;
        let wards = self.wards.iter();
        let all: String = wards
            .map(|(number, leader)| Order::Add(*number, leader.clone()))
            .chain([Order::Terminal(self.terminal.clone())])
            .map(|order| order.line())
            .collect();
        match start() {
            Ok((child, mut pipe)) => {
                if let Err(error) = pipe.write_all(all.as_bytes()) {
                    tracing::debug!(%error, "the guard takes nothing");
                }
                PIPE.store(pipe.as_raw_fd(), Ordering::SeqCst);
                self.process = Some((child, pipe));
            }
            Err(error) => {
                tracing::warn!(%error, "no guard: what is started outlives a killed client")
            }
        }
    }
}

fn start() -> io::Result<(Child, PipeWriter)> {
    let program = PROGRAM.get().ok_or(io::ErrorKind::NotFound)?;
    // Neither end is inherited: a process that held the writing one would keep the guard waiting.
    let (reading, writing) = io::pipe()?;
    // A stopped guard must not block the client.
    let flags = rustix::fs::fcntl_getfl(&writing)?;
    rustix::fs::fcntl_setfl(&writing, flags | rustix::fs::OFlags::NONBLOCK)?;
    let mut command = Command::new(program);
    std::os::unix::process::CommandExt::arg0(&mut command, NAME);
    command
        .args([
            OsString::from(ARGUMENT),
            std::process::id().to_string().into(),
        ])
        // It needs nothing, and is to hold no secrets.
        .env_clear()
        .current_dir("/")
        .stdin(Stdio::from(reading))
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    Ok((command.spawn()?, writing))
}

/// A line of the pipe.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Order {
    Add(u64, Leader),
    Forget(u64),
    Terminal(Option<Terminal>),
}

/// A terminal that is held, and what gives it back.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Terminal {
    path: Vec<u8>,
    bytes: Vec<u8>,
}

/// The line of `Order::Terminal(None)`.
const NO_TERMINAL: &[u8] = b"=\n";

impl Order {
    fn line(&self) -> String {
        match self {
            Self::Add(number, leader) => {
                let kind = if leader.group_only { 'g' } else { 's' };
                let pid = leader.pid.as_raw_nonzero();
                let start = leader.start.unwrap_or_default();
                let marker = leader.marker.as_deref().unwrap_or("-");
                format!("+{number} {kind} {pid} {start} {marker}\n")
            }
            Self::Forget(number) => format!("-{number}\n"),
            Self::Terminal(None) => "=\n".into(),
            Self::Terminal(Some(Terminal { path, bytes })) => {
                format!("={} {}\n", in_hex(path), in_hex(bytes))
            }
        }
    }

    fn read(line: &str) -> Option<Self> {
        if let Some(number) = line.strip_prefix('-') {
            return Some(Self::Forget(number.parse().ok()?));
        }
        if let Some(terminal) = line.strip_prefix('=') {
            let read = |(path, bytes)| {
                Some(Terminal {
                    path: of_hex(path)?,
                    bytes: of_hex(bytes)?,
                })
            };
            return match terminal.split_once(' ') {
                None if terminal.is_empty() => Some(Self::Terminal(None)),
                words => Some(Self::Terminal(Some(words.and_then(read)?))),
            };
        }
        let mut words = line.strip_prefix('+')?.split(' ');
        let number = words.next()?.parse().ok()?;
        let group_only = words.next()? == "g";
        let pid = Pid::from_raw(words.next()?.parse().ok()?)?;
        let start = words.next()?.parse().ok().filter(|start| *start != 0);
        let marker = words.next().filter(|marker| *marker != "-");
        let leader = Leader {
            pid,
            start,
            marker: marker.map(str::to_owned),
            group_only,
        };
        Some(Self::Add(number, leader))
    }
}

fn in_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn of_hex(digits: &str) -> Option<Vec<u8>> {
    let pairs = digits.as_bytes().chunks(2);
    let bytes = pairs.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok());
    digits.len().is_multiple_of(2).then(|| bytes.collect())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_is_what_is_heard() {
        let pid = Pid::from_raw(7).unwrap();
        let leader = Leader {
            pid,
            start: Some(99),
            marker: Some(format!("{}.1", run_name())),
            group_only: false,
        };
        let group = Leader {
            start: None,
            marker: None,
            group_only: true,
            ..leader.clone()
        };
        for order in [
            Order::Add(1, leader),
            Order::Add(2, group),
            Order::Forget(1),
            Order::Terminal(None),
            Order::Terminal(Some(Terminal {
                path: b"/dev/pts/3".to_vec(),
                bytes: b"\x1b[?1049l\r\n\xff".to_vec(),
            })),
        ] {
            let line = order.line();
            assert_eq!(Order::read(line.trim_end()), Some(order));
        }
        for garbage in [
            "",
            "+",
            "+x",
            "+1 s",
            "+1 s 0 0 -",
            "-",
            "hello",
            "=2f",
            "=2f 1",
            "=2f xx",
        ] {
            assert_eq!(Order::read(garbage), None, "{garbage:?}");
        }
        assert_eq!(Order::Terminal(None).line().as_bytes(), NO_TERMINAL);
    }

    #[test]
    fn the_name_of_a_run_is_one_word() {
        assert!(!run_name().contains([' ', '\n', '-']));
        assert!(run_name().starts_with(&std::process::id().to_string()));
    }
}
