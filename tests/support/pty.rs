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

use super::{keys::encode_keys, schema, setup::path_in};

/// In the environment of the client, and so of all that it starts: whose it is.
const MARK: &str = "ACP_TUI_TEST_RUN";

/// Rows that are kept of what was scrolled away.
const SCROLLBACK: usize = 2_000;

/// A running client.
pub struct Tui {
    child: Child,
    /// Reads what the client writes, until nobody can write any more.
    reader: std::thread::JoinHandle<()>,
    /// `None` once it was hung up.
    pty: Option<Arc<blocking::Pty>>,
    /// Ends the reading thread when it goes.
    reading: Option<std::io::PipeWriter>,
    emulator: Arc<Mutex<Emulator>>,
    patience: Duration,
    /// Home, project, log and records; removed at the end.
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
        const MODE: &[u8] = b"\x1b[?2026";
        let set_or_reset = memchr::memmem::rfind(&self.raw, MODE);
        set_or_reset.is_some_and(|at| self.raw.get(at + MODE.len()) != Some(&b'l'))
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

impl Tui {
    /// Runs `command` in a terminal of that many columns and rows; does not wait for anything.
    pub fn start(
        command: blocking::Command,
        (cols, rows): (u16, u16),
        patience: Duration,
        folder: Arc<tempfile::TempDir>,
    ) -> Self {
        let (pty, pts) = blocking::open().expect("a pty");
        pty.resize(Size::new(rows, cols)).expect("its size");
        let child = command
            .env(MARK, folder.path())
            .spawn(pts)
            .expect("the client starts");
        let emulator = Arc::new(Mutex::new(Emulator {
            parser: vt100::Parser::new(cells(rows), cells(cols), SCROLLBACK),
            raw: Vec::new(),
            last: Instant::now(),
        }));
        let pty = Arc::new(pty);
        let (ended, reading) = std::io::pipe().expect("a pipe");
        let (reader, screen) = (pty.clone(), emulator.clone());
        let reader = std::thread::spawn(move || read(&reader, &ended, &screen));
        Self {
            child,
            reader,
            pty: Some(pty),
            reading: Some(reading),
            emulator,
            patience,
            folder,
        }
    }

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

    /// What was scrolled away, and the screen below it.
    pub fn all_rows(&self) -> String {
        let shown = self.screen();
        let mut emulator = lock(&self.emulator);
        let screen = emulator.parser.screen_mut();
        let (_, cols) = screen.size();
        screen.set_scrollback(usize::MAX);
        let above = screen.scrollback();
        let mut rows = Vec::new();
        for back in (1..=above).rev() {
            screen.set_scrollback(back);
            rows.extend(screen.rows(0, cols.get()).next());
        }
        screen.set_scrollback(0);
        let rows = rows.iter().map(|row| row.trim_end());
        rows.chain([shown.as_str()]).collect::<Vec<_>>().join("\n")
    }

    /// Nothing was written for a while.
    pub fn settled(&self) -> bool {
        lock(&self.emulator).last.elapsed() > Duration::from_millis(100)
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
        lock(&self.emulator)
            .parser
            .screen_mut()
            .set_size(cells(rows), cells(cols));
        self.pty().resize(Size::new(rows, cols)).expect("resized");
    }

    /// Tells the client of a window of that size; the emulator keeps its own.
    pub fn resize_window_only(&self, cols: u16, rows: u16) {
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
                // What it wrote last is still in the pty; its end comes when nobody has the other
                // side any more, which may be a shell around it.
                let enough = Instant::now() + Duration::from_secs(1);
                while !self.reader.is_finished() && Instant::now() < enough {
                    std::thread::sleep(Duration::from_millis(2));
                }
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
        assert!(
            raw.rfind("\x1b[?1004h") < raw.rfind("\x1b[?1004l"),
            "focus reports are off"
        );
        for mode in ["1000", "1002", "1006"] {
            assert!(
                raw.rfind(&format!("\x1b[?{mode}h")) < raw.rfind(&format!("\x1b[?{mode}l")),
                "mouse reports are off"
            );
        }
        drop(emulator);
        self.assert_keyboard_given_back();
        let modes = rustix::termios::tcgetattr(self.pty())
            .expect("a tty")
            .local_modes;
        use rustix::termios::LocalModes;
        assert!(modes.contains(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG));
    }

    /// Asserts that the keyboard's protocols are as the client found them.
    #[track_caller]
    pub fn assert_keyboard_given_back(&self) {
        let raw = self.raw();
        let raw = String::from_utf8_lossy(&raw);
        let count = |needle| raw.matches(needle).count();
        assert_eq!(
            count("\x1b[>5u"),
            count("\x1b[<1u"),
            "keyboard flags are popped"
        );
        assert!(
            raw.rfind("\x1b[>4;1m") < raw.rfind("\x1b[>4m"),
            "modifyOtherKeys is given back"
        );
    }

    /// Asserts that all that the client has sent is of the protocol (V1-META-02): to the scripted
    /// agent, and to real ones as its own wire log has it.
    fn assert_sent_by_the_schema(&self) {
        if self.path("dialect").exists() {
            return;
        }
        let read = |name| std::fs::read_to_string(self.path(name)).unwrap_or_default();
        let traffic = read("traffic.jsonl");
        assert!(
            traffic.lines().count() >= read("record.jsonl").lines().count(),
            "no traffic is recorded: cargo build --example fake-agent"
        );
        schema::check_record(&traffic);
        schema::check_wire(&read("wire.jsonl"));
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
        if !std::thread::panicking() {
            self.assert_sent_by_the_schema();
        }
    }
}

fn cells(count: u16) -> NonZeroU16 {
    NonZeroU16::new(count).expect("a size")
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("no panic while locked")
}
