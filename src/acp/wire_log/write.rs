//! The wire log: every line of both directions, in one file (`--wire`).

use std::{
    borrow::Cow,
    fs::{File, OpenOptions, Permissions},
    io::{self, BufWriter, Write},
    os::unix::fs::{OpenOptionsExt, PermissionsExt},
    path::Path,
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use memchr::memmem::Finder;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::{
    files,
    rpc::{self, Direction, WireLine},
    text::{
        json,
        secrets::{
            MASK, is_ordinary, is_secret_member, is_secret_name, is_switch, mask, mask_json,
        },
    },
};

/// Lines that may wait for the disk, in bytes.
const LIMIT: usize = 64 * 1024 * 1024;

/// Values that are looked for in each line of the log.
const MAX_SECRETS: usize = 1_000;

/// Shorter values are no secrets worth the name, and masking them would eat ordinary text.
const SHORTEST_SECRET: usize = 6;

const FINISH_GRACE: Duration = Duration::from_secs(2);
const FINISH_POLL: Duration = Duration::from_millis(5);

/// Readable by their owner alone (V1-MCP-04: they hold whole conversations).
const MODE: u32 = 0o600;

/// Texts that the log must not hold.
#[derive(Clone, Debug, Default)]
pub struct Secrets(Vec<Secret>);

#[derive(Clone, Debug)]
struct Secret {
    text: Finder<'static>,
    /// It could be part of any word, so only the whole word counts.
    whole_word: bool,
}

impl Secrets {
    /// The values of those variables whose name says that they are secret; of MCP servers, whose
    /// variables and headers are there for them, all that are no ordinary words.
    pub fn of_env<'a>(
        env: impl IntoIterator<Item = (&'a str, &'a str)>,
        servers: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Self {
        let named = |name: &str| is_secret_name(name) || is_secret_member(name);
        let env = env.into_iter().filter(|(name, _)| named(name));
        let servers = servers.into_iter();
        let servers = servers.filter(|(name, value)| named(name) || !is_ordinary(value));
        let values = env
            .chain(servers)
            .map(|(_, value)| value)
            .filter(|value| value.len() >= SHORTEST_SECRET && !is_switch(value))
            // As it stands within a JSON string.
            .filter_map(|value| serde_json::to_string(value).ok())
            .filter_map(|quoted| Some(quoted.strip_prefix('"')?.strip_suffix('"')?.to_owned()));
        let mut values: Vec<String> = values.collect();
        // The longest first, in case one holds another.
        values.sort_by_key(|value| std::cmp::Reverse(value.len()));
        let secret = |value: &String| Secret {
            text: Finder::new(value).into_owned(),
            whole_word: is_ordinary(value),
        };
        Self(values.iter().map(secret).collect())
    }

    /// Adds those of another agent, at most [`MAX_SECRETS`] in all.
    pub fn add(&mut self, others: &Self) {
        for other in &others.0 {
            let known = |secret: &Secret| secret.text.needle() == other.text.needle();
            if self.0.len() < MAX_SECRETS && !self.0.iter().any(known) {
                self.0.push(other.clone());
            }
        }
        self.0
            .sort_by_key(|secret| std::cmp::Reverse(secret.text.needle().len()));
    }

    /// Masks each of them in the line.
    pub fn mask(&self, line: &mut Vec<u8>) {
        for Secret { text, whole_word } in &self.0 {
            let len = text.needle().len();
            let mut from = 0;
            while let Some(found) = line.get(from..).and_then(|rest| text.find(rest)) {
                let at = from + found;
                let beside = [at.checked_sub(1), Some(at + len)];
                let mut beside = beside.into_iter().flatten().filter_map(|at| line.get(at));
                if *whole_word && beside.any(u8::is_ascii_alphanumeric) {
                    from = at + len;
                } else {
                    line.splice(at..at + len, MASK.bytes());
                    from = at + MASK.len();
                }
            }
        }
    }
}

/// Writes lines to a file, on its own thread.
pub struct WireLog {
    lines: rpc::Sender<WireLine>,
    thread: JoinHandle<()>,
}

/// What a connection records into.
#[derive(Clone)]
pub struct WireLogHandle(rpc::Sender<WireLine>);

impl WireLogHandle {
    pub(in crate::acp) fn into_sender(self) -> rpc::Sender<WireLine> {
        self.0
    }
}

impl WireLog {
    /// Starts a new log; times in it count from now. Calls `lost`, once, if the log ends early.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn create(
        path: &Path,
        secrets: Secrets,
        lost: impl FnOnce(io::Error) + Send + 'static,
    ) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true).mode(MODE);
        let file = files::writable(path, &mut options)?;
        if file.metadata()?.is_file() {
            // It may have been there before, with another mode.
            file.set_permissions(Permissions::from_mode(MODE))?;
        }
        let (lines, rx) = rpc::channel(LIMIT);
        let start = Instant::now();
        let thread = thread::Builder::new()
            .name("wire-log".to_owned())
            .spawn(move || {
                if let Err(error) = write_all(rx, file, start, &secrets) {
                    tracing::warn!(%error, "the wire log cannot be written; it ends here");
                    lost(error);
                }
            })?;
        Ok(Self { lines, thread })
    }

    pub fn handle(&self) -> WireLogHandle {
        WireLogHandle(self.lines.clone())
    }

    /// Waits until everything recorded is in the file. The connections that record into it should
    /// be gone; one that is not is waited for no longer than [`FINISH_GRACE`].
    pub fn finish(self) {
        drop(self.lines);
        let until = Instant::now() + FINISH_GRACE;
        while !self.thread.is_finished() && Instant::now() < until {
            thread::sleep(FINISH_POLL);
        }
    }
}

fn write_all(
    mut lines: rpc::Receiver<WireLine>,
    file: File,
    start: Instant,
    secrets: &Secrets,
) -> io::Result<()> {
    let mut file = BufWriter::new(file);
    while let Some(first) = lines.blocking_recv() {
        let mut next = Some(first);
        while let Some(line) = next {
            write_line(&mut file, line, start, secrets)?;
            next = lines.try_recv();
        }
        // Nothing waits: what is here should be in the file before a crash.
        file.flush()?;
    }
    Ok(())
}

#[derive(Serialize)]
struct Entry<'a> {
    dir: &'static str,
    t: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    msg: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    raw: Option<&'a str>,
    /// The message before, which was in a dialect, translated into v1.
    #[serde(skip_serializing_if = "Option::is_none")]
    v1: Option<&'a RawValue>,
}

fn write_line(
    file: &mut impl Write,
    line: WireLine,
    start: Instant,
    secrets: &Secrets,
) -> io::Result<()> {
    let mut bytes = line.bytes.into_vec();
    secrets.mask(&mut bytes);
    let text = String::from_utf8_lossy(&bytes);
    // Environments and headers (V1-MCP-04, V1-AUTH-12), answers to forms (V1-ELI-13), and whatever
    // else is a secret by its name or place, in either direction.
    let text = match serde_json::from_str::<&RawValue>(&text) {
        Ok(json) => Cow::Owned(mask_json(json.get())),
        Err(_) => mask(&text),
    };
    let msg = serde_json::from_str::<&RawValue>(&text).ok();
    let seconds = line.at.saturating_duration_since(start).as_secs_f64();
    let entry = Entry {
        dir: match line.direction {
            Direction::ToAgent => "c2a",
            Direction::FromAgent => "a2c",
        },
        t: (seconds * 1e6).round() / 1e6,
        msg: msg.filter(|_| !line.plain),
        raw: msg.is_none().then_some(&*text),
        v1: msg.filter(|_| line.plain),
    };
    json::write_line(file, &entry)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rpc::Tap;

    #[test]
    fn settings_of_servers_eat_no_ordinary_words() {
        let secrets = Secrets::of_env(
            [
                ("TOKENIZERS_PARALLELISM", "enabled"),
                ("DB_PASSWORD", "swordfish"),
                ("USE_API_KEY", "disabled"),
                ("HOME", "/home/somebody"),
            ],
            [
                ("NODE_ENV", "production"),
                ("ROOT", "/usr/share/files"),
                ("TIMEOUT", "120000"),
                ("PLAIN", "hunter2"),
                ("MY_TOKEN", "production-token"),
                ("X-Api-Key", "letmein"),
            ],
        );
        for (said, masked) in [
            ("in production, enabled", "in production, enabled"),
            (
                "disabled /usr/share/files 120000",
                "disabled /usr/share/files 120000",
            ),
            ("x swordfish, swordfishes", "x ***, swordfishes"),
            ("\"swordfish\" hunter2 xhunter23", "\"***\" *** x***3"),
            ("production-token letmein", "*** ***"),
            ("/home/somebody", "/home/somebody"),
        ] {
            let mut line = said.as_bytes().to_vec();
            secrets.mask(&mut line);
            assert_eq!(String::from_utf8_lossy(&line), masked);
        }
    }

    #[tokio::test]
    async fn lines_are_logged_whole_masked_and_private() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("wire.jsonl");
        std::fs::write(&path, "old").expect("written");
        let secrets = Secrets::of_env(
            [
                ("ANTHROPIC_API_KEY", "sk-\"quoted\""),
                ("MY_TOKEN", "short"),
                ("EDITOR", "/usr/bin/vi"),
            ],
            [],
        );
        let wire_log = WireLog::create(&path, secrets, |_| ()).expect("created");
        let mut tap = Tap::new(Some(wire_log.handle().into_sender()));
        let said = br#"{"id":1,"a":"sk-\"quoted\" short /usr/bin/vi"}"#;
        tap.record(Direction::ToAgent, said).await;
        let answer = br#"{"id":2,"result":{"action":"accept","content":{"pin":1234,"who":"me","all":["a"],"yes":true}}}"#;
        tap.record(Direction::ToAgent, answer).await;
        tap.record(Direction::FromAgent, b"INFO \xff\r").await;
        let servers = br#"{"method":"session/new","params":{"mcpServers":[{"name":"s","env":[{"name":"A","value":"b"}]},{"name":"t","headers":[{"name":"C","value":"d"}]}]}}"#;
        tap.record(Direction::ToAgent, servers).await;
        let provider = br#"{"method":"providers/set","params":{"providerId":"p","apiType":"openai","baseUrl":"u","headers":{"X":"y"}}}"#;
        tap.record(Direction::ToAgent, provider).await;
        tap.flush().await;
        drop(tap);
        wire_log.finish();

        let log = std::fs::read_to_string(&path).expect("read");
        let lines: Vec<serde_json::Value> = log
            .lines()
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect();
        assert_eq!(lines.len(), 5);
        // V1-AUTH-12
        let headers = &lines[4]["msg"]["params"]["headers"];
        assert_eq!(*headers, serde_json::json!({"X": "***"}));
        // V1-MCP-04
        let servers = &lines[3]["msg"]["params"]["mcpServers"];
        assert_eq!(servers[0]["env"][0]["value"], "***");
        assert_eq!(servers[1]["headers"][0]["value"], "***");
        assert_eq!(lines[0]["dir"], "c2a");
        assert_eq!(lines[0]["msg"]["a"], "*** short /usr/bin/vi");
        assert!(lines[0]["t"].is_f64());
        // V1-ELI-13
        assert_eq!(
            lines[1]["msg"]["result"],
            serde_json::json!({"action": "accept", "content": {"pin": "***", "who": "***", "all": ["***"], "yes": true}})
        );
        assert_eq!(lines[2]["dir"], "a2c");
        assert_eq!(lines[2]["raw"], "INFO \u{fffd}\r");
        let mode = std::fs::metadata(&path)
            .expect("there")
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[tokio::test]
    async fn a_wire_log_that_cannot_be_written_says_so_once() {
        let (lost, told) = std::sync::mpsc::channel();
        let lost = move |error: io::Error| lost.send(error).expect("listened to");
        let full = Path::new("/dev/full");
        let wire_log = WireLog::create(full, Secrets::default(), lost).expect("created");
        let mut tap = Tap::new(Some(wire_log.handle().into_sender()));
        for _ in 0..3 {
            tap.record(Direction::ToAgent, b"{}").await;
            tap.flush().await;
        }
        drop(tap);
        wire_log.finish();
        let told: Vec<_> = told.iter().map(|error| error.kind()).collect();
        assert_eq!(told, [io::ErrorKind::StorageFull]);
    }
}
