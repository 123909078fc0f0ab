//! The client in a real terminal: a PTY, a terminal emulator, keys by name.
//!
//! `wait_for` is how tests look at the screen; where it fails it shows the screen, the end of the
//! log and the agent's record, so that a failure tells its story. Nothing here judges speed.

use std::{
    io::{Read, Write},
    num::NonZeroU16,
    path::{Path, PathBuf},
    process::{Child, ExitStatus},
    sync::{Arc, Mutex, MutexGuard},
    time::{Duration, Instant},
};

use pty_process::{Size, blocking};
use serde_json::Value;

/// How long something may take to show up, unless told otherwise. Generous: machines are shared.
const PATIENCE: Duration = Duration::from_secs(30);

/// In the environment of the client, and so of all that it starts: whose it is.
const MARK: &str = "ACP_TUI_TEST_RUN";

/// What to start and in what surroundings. Can be started more than once: home, project and the
/// agent's record stay.
pub struct Setup {
    pub client: PathBuf,
    /// The scripted agent's program and its first arguments.
    pub agent: Vec<String>,
    pub scenario: Value,
    pub rows: u16,
    pub cols: u16,
    pub args: Vec<String>,
    pub env: Vec<(String, String)>,
    /// Added to the config file, behind the agent's own profile.
    pub config: String,
    /// In place of the config file with the scripted agent.
    pub config_file: Option<String>,
    /// A shell with job control that runs the client, instead of the client alone.
    pub shell: Option<String>,
    /// How long something may take to show up.
    pub patience: Duration,
    folder: Arc<tempfile::TempDir>,
}

/// A running client.
pub struct Tui {
    child: Child,
    /// `None` once it was hung up.
    pty: Option<Arc<blocking::Pty>>,
    /// Ends the reading thread when it goes.
    reading: Option<std::io::PipeWriter>,
    emulator: Arc<Mutex<Emulator>>,
    patience: Duration,
    /// Home, project, log and record; removed at the end.
    pub folder: Arc<tempfile::TempDir>,
}

struct Emulator {
    parser: vt100::Parser,
    raw: Vec<u8>,
    /// When the last output came.
    last: Instant,
}

impl Emulator {
    /// A synchronized update has begun and not ended.
    fn in_frame(&self) -> bool {
        const MARK: &[u8] = b"\x1b[?2026";
        let marks = memchr::memmem::rfind(&self.raw, MARK);
        marks.is_some_and(|at| self.raw.get(at + MARK.len()) != Some(&b'l'))
    }
}

impl Setup {
    /// The client with the scripted agent, 80 by 24.
    pub fn new(client: &str, scenario: Value) -> Self {
        let client = PathBuf::from(client);
        let agent = client.with_file_name("examples").join("fake-agent");
        let agent = vec![agent.to_string_lossy().into_owned()];
        let folder = tempfile::tempdir().expect("a temporary folder");
        for name in ["home", "project"] {
            std::fs::create_dir(folder.path().join(name)).expect("a folder in it");
        }
        Self {
            client,
            agent,
            scenario,
            rows: 24,
            cols: 80,
            args: Vec::new(),
            env: Vec::new(),
            config: String::new(),
            config_file: None,
            shell: None,
            patience: PATIENCE,
            folder: Arc::new(folder),
        }
    }

    pub fn size(mut self, cols: u16, rows: u16) -> Self {
        (self.cols, self.rows) = (cols, rows);
        self
    }

    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }

    pub fn args(mut self, args: &[&str]) -> Self {
        self.args.extend(args.iter().map(|arg| (*arg).to_owned()));
        self
    }

    pub fn config(mut self, toml: &str) -> Self {
        self.config.push_str(toml);
        self
    }

    pub fn config_file(mut self, toml: &str) -> Self {
        self.config_file = Some(toml.to_owned());
        self
    }

    pub fn patience(mut self, time: Duration) -> Self {
        self.patience = time;
        self
    }

    /// Runs the agent behind a shell script; `"$@"` in it is the agent.
    pub fn launcher(mut self, script: &str) -> Self {
        let words = ["/bin/sh", "-c", script, "launcher"].map(str::to_owned);
        self.agent.splice(0..0, words);
        self
    }

    /// Runs the client by a shell with job control; `"$@"` in the script is the client.
    pub fn shell(mut self, script: &str) -> Self {
        self.shell = Some(script.to_owned());
        self
    }

    pub fn path(&self, name: &str) -> PathBuf {
        path_in(&self.folder, name)
    }

    /// Makes a file in the project.
    pub fn file(self, name: &str, content: impl AsRef<[u8]>) -> Self {
        write(&self.path("project").join(name), content.as_ref());
        self
    }

    /// Makes an executable script beside the project, as an editor, say.
    pub fn script(self, name: &str, content: &str) -> Self {
        use std::os::unix::fs::PermissionsExt;
        let path = self.path(name);
        write(&path, content.as_bytes());
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).expect("executable");
        self
    }

    /// Starts the client; does not wait for anything.
    pub fn start(&self) -> Tui {
        let built_here = self
            .agent
            .iter()
            .find(|word| word.ends_with("examples/fake-agent"));
        assert!(
            built_here.is_none_or(|agent| Path::new(agent).exists()),
            "the scripted agent is not built: cargo build --example fake-agent"
        );
        std::fs::write(self.path("scenario.json"), self.scenario.to_string()).expect("scenario");
        std::fs::write(self.path("config.toml"), self.config_text()).expect("config");
        let (pty, pts) = blocking::open().expect("a pty");
        pty.resize(Size::new(self.rows, self.cols))
            .expect("its size");
        let command = match &self.shell {
            None => blocking::Command::new(&self.client),
            Some(script) => blocking::Command::new("/bin/sh")
                .args(["-c", &format!("set -m\n{script}"), "shell"])
                .arg(&self.client),
        };
        let child = command
            .args(["--config".into(), self.path("config.toml")])
            .args(["--log".into(), self.path("log")])
            .args(&self.args)
            .current_dir(self.path("project"))
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.path("home"))
            .env("TERM", "xterm-256color")
            .env("LANG", "C.UTF-8")
            .env(MARK, self.folder.path())
            .envs(self.env.iter().map(|(name, value)| (name, value)))
            .spawn(pts)
            .expect("the client starts");
        let size = |n| NonZeroU16::new(n).expect("a size");
        let emulator = Arc::new(Mutex::new(Emulator {
            parser: vt100::Parser::new(size(self.rows), size(self.cols), 0),
            raw: Vec::new(),
            last: Instant::now(),
        }));
        let pty = Arc::new(pty);
        let (ended, reading) = std::io::pipe().expect("a pipe");
        let (reader, screen) = (pty.clone(), emulator.clone());
        std::thread::spawn(move || read(&reader, &ended, &screen));
        Tui {
            child,
            pty: Some(pty),
            reading: Some(reading),
            emulator,
            patience: self.patience,
            folder: self.folder.clone(),
        }
    }

    fn config_text(&self) -> String {
        if let Some(text) = &self.config_file {
            return text.clone();
        }
        let (program, first) = self.agent.split_first().expect("an agent");
        let mut args = first.to_vec();
        args.extend(
            ["scenario.json", "record.jsonl"].map(|name| self.path(name).display().to_string()),
        );
        format!(
            "default_agent = \"fake\"\n[agents.fake]\ncommand = {program:?}\nargs = {args:?}\n{}",
            self.config
        )
    }
}

/// Feeds the emulator until the client's side or ours is closed.
fn read(pty: &blocking::Pty, ended: &std::io::PipeReader, screen: &Mutex<Emulator>) {
    use rustix::event::{PollFd, PollFlags, poll};
    let mut buffer = [0; 1 << 16];
    loop {
        let mut fds = [
            PollFd::new(pty, PollFlags::IN),
            PollFd::new(ended, PollFlags::IN),
        ];
        if poll(&mut fds, None).is_err() || !fds[1].revents().is_empty() {
            return;
        }
        // On Linux a read fails once the client's side is closed.
        let count = match (&*pty).read(&mut buffer) {
            Ok(0) | Err(_) => return,
            Ok(count) => count,
        };
        let mut screen = lock(screen);
        screen.parser.process(&buffer[..count]);
        screen.raw.extend_from_slice(&buffer[..count]);
        screen.last = Instant::now();
    }
}

/// Below the folder as programs see it, symbolic links resolved.
fn path_in(folder: &tempfile::TempDir, name: &str) -> PathBuf {
    let root = folder.path().canonicalize();
    root.expect("the folder is there").join(name)
}

fn write(path: &Path, content: &[u8]) {
    std::fs::create_dir_all(path.parent().expect("in a folder")).expect("its folder");
    std::fs::write(path, content).expect("the file is made");
}

impl Tui {
    /// The screen as text, trailing blanks cut; of a whole frame, as a terminal that knows
    /// synchronized updates shows it.
    pub fn screen(&self) -> String {
        let deadline = Instant::now() + Duration::from_secs(1);
        let emulator = loop {
            let emulator = lock(&self.emulator);
            // Who was killed in the middle of a frame never ends it.
            if !emulator.in_frame() || Instant::now() > deadline {
                break emulator;
            }
            drop(emulator);
            std::thread::sleep(Duration::from_millis(1));
        };
        let (_, cols) = emulator.parser.screen().size();
        let rows = emulator.parser.screen().rows(0, cols.get());
        rows.map(|row| row.trim_end().to_owned())
            .collect::<Vec<_>>()
            .join("\n")
    }

    /// Row and column of the terminal's own cursor, and whether it is visible.
    pub fn cursor(&self) -> (u16, u16, bool) {
        let emulator = lock(&self.emulator);
        let screen = emulator.parser.screen();
        let (row, col) = screen.cursor_position();
        (row, col, !screen.hide_cursor())
    }

    /// All bytes that the client wrote so far.
    pub fn raw(&self) -> Vec<u8> {
        lock(&self.emulator).raw.clone()
    }

    /// Whether it has written these bytes.
    pub fn wrote(&self, text: &str) -> bool {
        let raw = self.raw();
        raw.windows(text.len())
            .any(|window| window == text.as_bytes())
    }

    /// What it wrote since `from` bytes.
    pub fn raw_since(&self, from: usize) -> Vec<u8> {
        lock(&self.emulator).raw[from..].to_vec()
    }

    pub fn raw_len(&self) -> usize {
        lock(&self.emulator).raw.len()
    }

    /// Waits until the screen shows `text`; gives that screen.
    #[track_caller]
    pub fn wait_for(&self, text: &str) -> String {
        self.wait(&format!("{text:?} on the screen"), |tui| {
            let screen = tui.screen();
            screen.contains(text).then_some(screen)
        })
    }

    #[track_caller]
    pub fn wait_gone(&self, text: &str) -> String {
        self.wait(&format!("{text:?} gone from the screen"), |tui| {
            let screen = tui.screen();
            (!screen.contains(text)).then_some(screen)
        })
    }

    /// Waits until the agent has received a message that fits; gives it.
    #[track_caller]
    pub fn wait_received(&self, what: &str, fits: impl Fn(&Value) -> bool) -> Value {
        self.wait(&format!("{what} at the agent"), |tui| {
            tui.received().into_iter().find(&fits)
        })
    }

    #[track_caller]
    pub fn wait_method(&self, method: &str) -> Value {
        self.wait_received(method, |message| message["method"] == method)
    }

    /// Waits until `look` finds something.
    #[track_caller]
    pub fn wait<T>(&self, what: &str, look: impl Fn(&Self) -> Option<T>) -> T {
        let deadline = Instant::now() + self.patience;
        loop {
            if let Some(found) = look(self) {
                return found;
            }
            assert!(Instant::now() < deadline, "no {what}\n{}", self.story());
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Waits until nothing was written for `time`.
    pub fn settle(&self, time: Duration) {
        while lock(&self.emulator).last.elapsed() < time {
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// What the agent received so far.
    pub fn received(&self) -> Vec<Value> {
        let record = std::fs::read_to_string(self.path("record.jsonl")).unwrap_or_default();
        record
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok())
            .collect()
    }

    /// What the client answered to the agent's request with that id.
    #[track_caller]
    pub fn wait_answer(&self, id: impl Into<Value>) -> Value {
        let id = id.into();
        self.wait_received(&format!("an answer to request {id}"), |message| {
            message.get("method").is_none() && message["id"] == id
        })
    }

    /// How many messages of that method the agent has received.
    pub fn count(&self, method: &str) -> usize {
        let received = self.received();
        received.iter().filter(|m| m["method"] == method).count()
    }

    /// The texts of the prompts that the agent has received.
    pub fn prompts(&self) -> Vec<String> {
        let received = self.received();
        let prompts = received.iter().filter(|m| m["method"] == "session/prompt");
        prompts
            .map(|prompt| {
                let blocks = prompt["params"]["prompt"].as_array().into_iter().flatten();
                blocks.filter_map(|block| block["text"].as_str()).collect()
            })
            .collect()
    }

    pub fn path(&self, name: &str) -> PathBuf {
        path_in(&self.folder, name)
    }

    /// Lets the agent go on that waits for that file.
    pub fn allow(&self, name: &str) {
        std::fs::write(self.path(name), "").expect("the file is made");
    }

    pub fn project(&self) -> PathBuf {
        self.path("project")
    }

    /// Types text with keys by name: `hello<enter><c-c><a-b><esc><f1>`; `<<` is a `<`.
    pub fn keys(&self, keys: &str) {
        self.send(&encode_keys(keys));
    }

    pub fn send(&self, bytes: &[u8]) {
        self.pty().write_all(bytes).expect("the terminal takes it");
    }

    pub fn paste(&self, text: &str) {
        self.send(format!("\x1b[200~{text}\x1b[201~").as_bytes());
    }

    pub fn resize(&self, cols: u16, rows: u16) {
        let size = |n| NonZeroU16::new(n).expect("a size");
        lock(&self.emulator)
            .parser
            .screen_mut()
            .set_size(size(rows), size(cols));
        self.pty().resize(Size::new(rows, cols)).expect("resized");
    }

    /// Closes the terminal, as when its window is closed.
    pub fn hang_up(&mut self) {
        // With the pipe goes the thread that holds the other handle.
        self.reading = None;
        self.pty = None;
    }

    /// The terminal takes no more output until the guard goes, as behind ctrl-s or a dead line.
    pub fn freeze(&self) -> impl Drop {
        lock(&self.emulator)
    }

    fn pty(&self) -> &blocking::Pty {
        self.pty.as_deref().expect("the terminal is not hung up")
    }

    /// Ids and command lines of what the client started, directly or not, and what still runs.
    /// Empty where there is no /proc.
    pub fn children(&self) -> Vec<(u32, String)> {
        let mark = format!("{MARK}={}", self.folder.path().display());
        let mut found = Vec::new();
        for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
            let Some(pid) = entry
                .file_name()
                .to_str()
                .and_then(|name| name.parse().ok())
            else {
                continue;
            };
            let read = |name| std::fs::read(entry.path().join(name)).unwrap_or_default();
            let is_ours = read("environ")
                .split(|byte| *byte == 0)
                .any(|variable| variable == mark.as_bytes());
            if is_ours && pid != self.child.id() {
                let command = String::from_utf8_lossy(&read("cmdline")).replace('\0', " ");
                found.push((pid, command));
            }
        }
        found
    }

    /// Asserts that all that the client started ends.
    #[track_caller]
    pub fn assert_nothing_left(&self) {
        self.wait("end of all that was started", |tui| {
            tui.children().is_empty().then_some(())
        });
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    pub fn signal(&self, signal: rustix::process::Signal) {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, signal).expect("signalled");
    }

    /// Waits until the client has ended.
    #[track_caller]
    pub fn wait_exit(&mut self) -> ExitStatus {
        let deadline = Instant::now() + self.patience;
        loop {
            if let Some(status) = self.child.try_wait().expect("a child") {
                // What it wrote last is still in the pty.
                std::thread::sleep(Duration::from_millis(50));
                return status;
            }
            assert!(
                Instant::now() < deadline,
                "the client goes on\n{}",
                self.story()
            );
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    pub fn is_running(&mut self) -> bool {
        self.child.try_wait().expect("a child").is_none()
    }

    /// Asserts that terminal modes and tty settings are as a shell expects them.
    #[track_caller]
    pub fn assert_restored(&self) {
        let emulator = lock(&self.emulator);
        let screen = emulator.parser.screen();
        assert!(!screen.alternate_screen(), "the alternate screen is left");
        assert!(!screen.hide_cursor(), "the cursor is visible");
        assert!(!screen.bracketed_paste(), "bracketed paste is off");
        let raw = String::from_utf8_lossy(&emulator.raw);
        let count = |needle| raw.matches(needle).count();
        assert_eq!(
            count("\x1b[>1u"),
            count("\x1b[<1u"),
            "keyboard flags are popped"
        );
        assert!(
            raw.rfind("\x1b[?1004h") < raw.rfind("\x1b[?1004l"),
            "focus reports are off"
        );
        drop(emulator);
        let modes = rustix::termios::tcgetattr(self.pty())
            .expect("a tty")
            .local_modes;
        use rustix::termios::LocalModes;
        assert!(modes.contains(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG));
    }

    fn story(&self) -> String {
        let tail = |path: &Path, lines: usize| {
            let text = std::fs::read_to_string(path).unwrap_or_default();
            let all: Vec<&str> = text.lines().collect();
            all[all.len().saturating_sub(lines)..].join("\n")
        };
        format!(
            "--- screen\n{}\n--- log\n{}\n--- received\n{}\n--- wire\n{}\n--- children\n{:?}",
            self.screen(),
            tail(&self.path("log"), 30),
            tail(&self.path("record.jsonl"), 10),
            tail(&self.path("wire.jsonl"), 10),
            self.children(),
        )
    }
}

impl Drop for Tui {
    fn drop(&mut self) {
        let children = self.children();
        let _ = self.child.kill();
        let _ = self.child.wait();
        // What a failed test has left.
        for (pid, _) in children {
            if let Some(pid) = rustix::process::Pid::from_raw(pid as i32) {
                let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("no panic while locked")
}

/// Bytes that a terminal sends for the keys.
pub fn encode_keys(keys: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = keys;
    while let Some(start) = rest.find('<') {
        out.extend_from_slice(&rest.as_bytes()[..start]);
        rest = &rest[start + 1..];
        if let Some(after) = rest.strip_prefix('<') {
            out.push(b'<');
            rest = after;
            continue;
        }
        let end = rest.find('>').expect("a key name ends with >");
        out.extend_from_slice(&encode_key(&rest[..end]));
        rest = &rest[end + 1..];
    }
    out.extend_from_slice(rest.as_bytes());
    out
}

fn encode_key(name: &str) -> Vec<u8> {
    if let Some(&[letter]) = name.strip_prefix("c-").map(str::as_bytes) {
        return vec![letter & 0x1f];
    }
    if let Some(rest) = name.strip_prefix("a-") {
        let mut bytes = vec![0x1b];
        if rest.len() == 1 {
            bytes.extend(rest.bytes())
        } else {
            bytes.extend(encode_key(rest))
        }
        return match rest {
            "up" => b"\x1b[1;3A".to_vec(),
            "down" => b"\x1b[1;3B".to_vec(),
            _ => bytes,
        };
    }
    let bytes: &[u8] = match name {
        "enter" => b"\r",
        "esc" => b"\x1b",
        "tab" => b"\t",
        "s-tab" => b"\x1b[Z",
        "backspace" => b"\x7f",
        "up" => b"\x1b[A",
        "down" => b"\x1b[B",
        "right" => b"\x1b[C",
        "left" => b"\x1b[D",
        "home" => b"\x1b[H",
        "end" => b"\x1b[F",
        "c-home" => b"\x1b[1;5H",
        "c-end" => b"\x1b[1;5F",
        "pgup" => b"\x1b[5~",
        "c-up" => b"\x1b[1;5A",
        "c-down" => b"\x1b[1;5B",
        "pgdn" => b"\x1b[6~",
        "del" => b"\x1b[3~",
        "f1" => b"\x1bOP",
        "f3" => b"\x1bOR",
        "f5" => b"\x1b[15~",
        "f6" => b"\x1b[17~",
        "f9" => b"\x1b[20~",
        other => panic!("no key {other}"),
    };
    bytes.to_vec()
}
