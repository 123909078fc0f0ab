//! What a person feels, measured: the real client in a PTY against a scripted agent.
//!
//!     cargo bench                     # the whole table, some minutes
//!     cargo bench -- start idle       # rows whose name holds one of the words
//!     SOAK_MINUTES=2 cargo bench -- soak
//!
//! Prints a table of medians; judges nothing: machines differ and are shared. CPU is user + system
//! time of the client's process alone, from /proc, in steps of 10 ms.

#[path = "../tests/support/mod.rs"]
#[allow(dead_code, reason = "tests and benchmarks use a part each")]
mod support;

#[path = "parts/memory.rs"]
mod memory;

#[path = "parts/eyes.rs"]
mod eyes;

#[path = "parts/changes.rs"]
mod changes;

#[path = "parts/echo.rs"]
mod echo;

use std::{
    process::Command,
    time::{Duration, Instant},
};

use echo::{Echoes, echoes, holds};
use serde_json::{Value, json};
use support::{pty::Tui, setup::Setup};

/// Repetitions of a short measurement; the median is printed.
const RUNS: usize = 5;

fn main() {
    let mut args = std::env::args()
        .skip(1)
        .filter(|arg| arg != "--bench")
        .peekable();
    if args.next_if(|arg| arg == "agent").is_some() {
        return support::agent::main(args);
    }
    let wanted: Vec<String> = args.collect();
    println!("| what | measured | bound |");
    println!("| --- | --- | --- |");
    for (name, bound, measure) in ROWS {
        if wanted.is_empty() || wanted.iter().any(|word| name.contains(word.as_str())) {
            println!("| {name} | {} | {bound} |", measure());
        }
    }
}

type Row = (&'static str, &'static str, fn() -> String);

const ROWS: &[Row] = &[
    ("start to first key echoed, silent agent", "20 ms", start),
    (
        "start with 1,000 stored sessions and a 10 MB history",
        "20 ms",
        start_full,
    ),
    ("idle 10 s: bytes; CPU; memory", "0; 0.01 s; 15 MB", idle),
    ("20,000 chunks in one message: CPU", "0.15 s", flood),
    (
        "200,000 chunks: CPU; ratio to bare decode; peak memory",
        "1.0 s; 60 MB",
        big_flood,
    ),
    (
        "a subagent's words: CPU of each; ratio to the session's",
        "1.2",
        subagent_words,
    ),
    (
        "key echo at 1,000 chunks/s: median, p95; CPU of 12 s; KB/s",
        "5, 10 ms; 1.0 s; 150",
        rate,
    ),
    ("the same behind 20,000 chunks", "the same", rate_behind),
    (
        "ten sessions at 500 chunks/s each: key echo median, p95; CPU of 12 s; KB/s",
        "-, 4 ms; 1.6 s; -",
        ten_sessions,
    ),
    ("key echo idle: median, p95", "1, 2 ms", idle_echo),
    (
        "a drag over 200 rows at 100 reports/s: report to frame p95; CPU of 1 s",
        "10 ms; 0.1 s",
        eyes::drag,
    ),
    (
        "find in 1,000,000 lines: memory; key to first match; key echo p95",
        "-; 60; 10 ms",
        eyes::find,
    ),
    (
        "a second of a silent turn: bytes of spinner; of title",
        "200; 60",
        eyes::spinner,
    ),
    ("a pasted 1 MB: CPU", "0.05 s", pasted),
    ("5,000 chunks of markdown: CPU", "0.1 s", markdown),
    ("5,000 chunks without a newline: CPU", "0.1 s", wall),
    (
        "1,000,000 chunks of markdown: CPU of the halves; ratio",
        "1.2",
        million,
    ),
    ("300 tool calls: CPU", "0.1 s", tools),
    ("200-line diff: CPU cold; warm", "0.15 s; 0.05 s", diff),
    ("terminal of 100,000 lines: CPU", "0.2 s", terminal),
    (
        "permission to dialog behind 20,000 chunks",
        "10 ms",
        permission,
    ),
    ("10 MB line: key echo p95", "50 ms", big_line),
    (
        "a 4 MB PNG: key echo p95 in blocks; by kitty's protocol",
        "10; 10 ms",
        eyes::png,
    ),
    ("200,000-line diff: key echo p95", "50 ms", big_diff),
    (
        "terminal printing 1,000,000 lines: key echo p95",
        "50 ms",
        big_terminal,
    ),
    (
        "SIGTERM, agent behind a launcher: left after 4 s",
        "0",
        leftovers,
    ),
    (
        "100 diffs of 4 MB a side: peak, after 5 s",
        "400, 150 MB",
        memory::diffs,
    ),
    (
        "50 MiB raw input: peak, after 5 s",
        "250, 150 MB",
        memory::numbers,
    ),
    (
        "the same with --wire",
        "250, 150 MB",
        memory::numbers_logged,
    ),
    ("window of 65,535 by 65,535", "150 MB", memory::window),
    (
        "changes: 100,000 files of 20 KB in git: first look; later; store; memory: peak, rest",
        "2; 0.5 s; 5 MB; -, 25 MB",
        changes::large_in_git,
    ),
    (
        "changes: the same without git",
        "8; 0.5 s; 1 GiB; -, 25 MB",
        changes::large_without,
    ),
    (
        "changes: 10,000 files of 10 KB in git",
        "0.3; 0.05 s; -; -",
        changes::small_in_git,
    ),
    (
        "changes: added from enter to the agent's prompt",
        "2 ms",
        changes::prompt,
    ),
    (
        "changes: key echo p95 while a first look runs",
        "5 ms",
        changes::echo,
    ),
    (
        "changes: store after 1,000 turns with a line in 10 files of 20 KB",
        "40 MB",
        changes::thousand_turns,
    ),
    (
        "changes: 5,000 changed files: F4 to the list; to the next diff",
        "100; 30 ms",
        changes::review,
    ),
    // The bound is that of the transcript, and of what is kept to draw it.
    (
        "soak, 25 minutes of mixed rounds",
        "200 MB; 0 KB a round",
        memory::soak,
    ),
];

/// A client whose agent is this program; on a terminal of 120 by 40.
fn client(scenario: Value) -> Setup {
    let mut setup = Setup::new(env!("CARGO_BIN_EXE_acp-tui"), scenario).size(120, 40);
    let this = std::env::current_exe().expect("this program");
    setup.agent = vec![this.to_string_lossy().into_owned(), "agent".into()];
    setup
}

/// A client that is ready for a prompt.
fn ready(scenario: Value) -> Tui {
    let tui = client(scenario).start();
    tui.wait_method("session/new");
    tui.settle(Duration::from_millis(300));
    tui
}

/// Sends a prompt and gives the CPU seconds used until `sentinel` stands on the screen and all is
/// quiet again.
fn cost(tui: &Tui, prompt: &str, sentinel: &str) -> f64 {
    let before = cpu(tui.pid());
    tui.keys(&format!("{prompt}<enter>"));
    wait_long(tui, sentinel);
    tui.settle(Duration::from_millis(300));
    cpu(tui.pid()) - before
}

fn wait_long(tui: &Tui, text: &str) {
    let deadline = Instant::now() + Duration::from_secs(120);
    while !tui.screen().contains(text) {
        assert!(
            Instant::now() < deadline,
            "{text:?} never shown\n{}",
            tui.screen()
        );
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// One prompt entry that does `steps` and says DONE.
fn play(steps: Value) -> Value {
    let mut steps = steps.as_array().cloned().unwrap_or_default();
    steps.push(json!({"text": "\n\nDONE\n"}));
    json!([{"on": "session/prompt", "do": steps}])
}

fn flood_of(kind: &str, chunks: u64) -> Value {
    play(json!([{"flood": {"kind": kind, "chunks": chunks}}]))
}

fn start() -> String {
    let times = (0..RUNS).map(|_| first_echo(&client(silent()), "Q"));
    format!("{:.1} ms", median(times.collect()))
}

fn silent() -> Value {
    json!([{"on": "initialize", "do": [{"hang": true}]}])
}

/// Milliseconds from the start until `key` is echoed.
fn first_echo(setup: &Setup, key: &str) -> f64 {
    let begin = Instant::now();
    let tui = setup.start();
    // A key typed before raw mode is echoed by the tty itself: type once the screen is taken.
    spin_until(|| tui.raw_len() > 0);
    tui.keys(key);
    spin_until(|| holds(&tui.raw(), key.as_bytes()));
    begin.elapsed().as_secs_f64() * 1e3
}

/// What a session of one prompt leaves, multiplied.
fn start_full() -> String {
    let mut setup = client(play(json!([])));
    let tui = setup.start();
    tui.wait_method("session/new");
    tui.keys("a prompt<enter>");
    wait_long(&tui, "DONE");
    tui.settle(Duration::from_millis(300));
    drop(tui);
    let state = setup.path("home/.local/state/acp-tui");
    let only = |folder: &str| {
        let entries = std::fs::read_dir(state.join(folder)).expect("the folder");
        let mut files = entries.map(|entry| entry.expect("an entry").path());
        files.find(|path| path.is_file()).expect("a file in it")
    };
    let session = only("sessions");
    let name = session.file_name().expect("a name").to_string_lossy();
    for n in 0..1_000 {
        let copy = session.with_file_name(format!("{n}{name}"));
        std::fs::copy(&session, copy).expect("a copy");
    }
    let prompt = json!("words of a long prompt ".repeat(250)).to_string();
    let prompts = format!("{prompt}\n").repeat(10_000_000 / prompt.len());
    std::fs::write(only("history"), prompts).expect("the history");
    setup.scenario = silent();
    // Each client leaves its key as a draft, which the next one shows.
    let times = ["Q", "X", "Z", "J", "V"].map(|key| first_echo(&setup, key));
    format!("{:.1} ms", median(times.to_vec()))
}

fn idle() -> String {
    let tui = ready(json!([]));
    tui.settle(Duration::from_secs(1));
    let (bytes, before) = (tui.raw_len(), cpu(tui.pid()));
    std::thread::sleep(Duration::from_secs(10));
    let (used, memory) = (cpu(tui.pid()) - before, status(tui.pid(), "VmRSS"));
    format!("{}; {used:.2} s; {memory:.1} MB", tui.raw_len() - bytes)
}

fn median_cost(scenario: &Value) -> String {
    let costs = (0..RUNS)
        .map(|_| cost(&ready(scenario.clone()), "go", "DONE"))
        .collect();
    format!("{:.2} s", median(costs))
}

fn flood() -> String {
    median_cost(&flood_of("text", 20_000))
}

fn subagent_words() -> String {
    const WORDS: u32 = 100_000;
    let child = |state: Value| {
        json!({"update": {
            "sessionUpdate": "subagent_update", "sessionId": "child-1", "title": "A child",
            "state": state,
        }})
    };
    let word = |session: &str| {
        let flood = json!({"flood": {"chunks": WORDS, "session": session}});
        // It ends, or its time would go on being counted and the screen never rest.
        let end = child(json!({"state": "idle", "stopReason": "end_turn"}));
        let scenario = play(json!([child(json!({"state": "running"})), flood, end]));
        let costs = (0..3).map(|_| cost(&ready(scenario.clone()), "go", "DONE"));
        median(costs.collect()) * 1e6 / f64::from(WORDS)
    };
    let (own, of_child) = (word("sess-1"), word("child-1"));
    format!("{of_child:.1} µs; {:.2}", of_child / own)
}

fn big_flood() -> String {
    let mut peak: f64 = 0.0;
    let costs = (0..3).map(|_| {
        let tui = ready(flood_of("text", 200_000));
        let used = cost(&tui, "go", "DONE");
        peak = peak.max(status(tui.pid(), "VmHWM"));
        used
    });
    let used = median(costs.collect());
    let bare = median((0..3).map(|_| bare_decode(200_000)).collect());
    format!(
        "{used:.2} s; {:.1} × {bare:.2} s; {peak:.0} MB",
        used / bare
    )
}

/// CPU seconds of a loop that reads the same lines through a pipe and decodes them into the schema
/// crate's types, and does nothing else.
fn bare_decode(chunks: u64) -> f64 {
    use std::io::BufRead;
    #[derive(serde::Deserialize)]
    struct Envelope {
        params: agent_client_protocol_schema::v1::SessionNotification,
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("scenario.json");
    let flood = json!([{"flood": {"kind": "text", "chunks": chunks}}, {"exit": 0}]);
    std::fs::write(&path, json!([{"on": "start", "do": flood}]).to_string()).expect("scenario");
    let mut agent = Command::new(std::env::current_exe().expect("this program"))
        .arg("agent")
        .arg(&path)
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("the agent starts");
    let mut stdout = std::io::BufReader::new(agent.stdout.take().expect("a pipe"));
    let before = cpu(std::process::id());
    let (mut line, mut decoded) = (Vec::new(), 0);
    while stdout.read_until(b'\n', &mut line).expect("read") > 0 {
        let envelope: Envelope = serde_json::from_slice(&line).expect("a valid update");
        std::hint::black_box(&envelope.params);
        decoded += 1;
        line.clear();
    }
    assert_eq!(decoded, chunks);
    let used = cpu(std::process::id()) - before;
    agent.wait().expect("a child");
    used
}

fn at_rate() -> Value {
    play(json!([{"flood": {"kind": "text", "chunks": 12_000, "rate": 1000}}]))
}

/// Types a letter every 150 ms while the agent streams for 12 s.
fn echo_at_rate(tui: &Tui) -> String {
    let (before, bytes, begin) = (cpu(tui.pid()), tui.raw_len(), Instant::now());
    tui.keys("go<enter>");
    std::thread::sleep(Duration::from_millis(500));
    let end = Instant::now() + Duration::from_secs(11);
    let echoes = echoes(tui, Duration::from_millis(150), || Instant::now() > end);
    wait_long(tui, "DONE");
    let used = cpu(tui.pid()) - before;
    // A busy machine makes the agent slower than its rate.
    let kilobytes = (tui.raw_len() - bytes) as f64 / begin.elapsed().as_secs_f64() / 1e3;
    format!("{}; {used:.2} s; {kilobytes:.0}", echoes.table())
}

fn rate() -> String {
    echo_at_rate(&ready(at_rate()))
}

fn rate_behind() -> String {
    let mut scenario = flood_of("text", 20_000);
    let rated = at_rate();
    scenario
        .as_array_mut()
        .expect("a list")
        .extend(rated.as_array().cloned().expect("a list"));
    let tui = ready(scenario);
    cost(&tui, "first", "DONE");
    // The old DONE must be off the screen before the new one is waited for: the flood does that.
    echo_at_rate(&tui)
}

/// Ten agents stream at once, and one session is shown.
fn ten_sessions() -> String {
    const SESSIONS: usize = 10;
    // Some seconds more than are measured: the first one begins before the last.
    let steps = json!([{"flood": {"kind": "text", "chunks": 8_000, "rate": 500}}]);
    let tui = client(play(steps)).config("own_process = true\n").start();
    for count in 1..=SESSIONS {
        if count > 1 {
            tui.keys("<c-n>");
        }
        spin_until(|| tui.count("session/new") == count);
        tui.settle(Duration::from_millis(300));
        tui.keys("go<enter>");
        spin_until(|| tui.count("session/prompt") == count);
    }
    let (before, bytes) = (cpu(tui.pid()), tui.raw_len());
    let begin = Instant::now();
    let end = begin + Duration::from_secs(12);
    let echoes = echoes(&tui, Duration::from_millis(150), || Instant::now() > end);
    let used = cpu(tui.pid()) - before;
    let kilobytes = (tui.raw_len() - bytes) as f64 / begin.elapsed().as_secs_f64() / 1e3;
    format!("{}; {used:.2} s; {kilobytes:.0}", echoes.table())
}

/// Types a letter every 50 ms while nothing else happens.
fn idle_echo() -> String {
    let tui = ready(json!([]));
    let end = Instant::now() + Duration::from_secs(10);
    echoes(&tui, Duration::from_millis(50), || Instant::now() > end).table()
}

/// From the first byte of a paste in brackets until it stands in the composer.
fn pasted() -> String {
    let runs = (0..RUNS).map(|_| {
        let tui = ready(json!([]));
        let text = "a line of the file that is pasted\n".repeat(30_000);
        let before = cpu(tui.pid());
        tui.paste(&text);
        wait_long(&tui, "[pasted 30000 lines]");
        tui.settle(Duration::from_millis(300));
        cpu(tui.pid()) - before
    });
    format!("{:.2} s", median(runs.collect()))
}

fn markdown() -> String {
    median_cost(&flood_of("markdown", 5_000))
}

fn wall() -> String {
    median_cost(&flood_of("wall", 5_000))
}

fn million() -> String {
    let half = json!({"flood": {"kind": "markdown", "chunks": 500_000}});
    let tui = ready(json!([{"on": "session/prompt", "do": [
        half, {"text": "\n\nHALFWAY\n"}, {"wait_file": "on"}, half, {"text": "\n\nDONE\n"},
    ]}]));
    // The turn goes on meanwhile, so that the screen does not settle: its clock counts.
    let until = |sentinel: &str, before: f64| {
        wait_long(&tui, sentinel);
        std::thread::sleep(Duration::from_secs(1));
        cpu(tui.pid()) - before
    };
    let before = cpu(tui.pid());
    tui.keys("go<enter>");
    let first = until("HALFWAY", before);
    let before = cpu(tui.pid());
    std::fs::write(tui.path("on"), "").expect("a file");
    let second = until("DONE", before);
    let peak = status(tui.pid(), "VmHWM");
    format!(
        "{first:.2} s, {second:.2} s; {:.2} ({peak:.0} MB)",
        second / first
    )
}

fn tools() -> String {
    median_cost(&play(json!([{"tools": 300}])))
}

fn diff_update(lines: usize) -> Value {
    let line = |n: usize, tag: &str| format!("    let value_{n} = compute(\"{tag}\", {n});\n");
    let old: String = (0..lines).map(|n| line(n, "old")).collect();
    let new: String = (0..lines)
        .map(|n| line(n, if n % 3 == 0 { "new" } else { "old" }))
        .collect();
    json!({"update": {
        "sessionUpdate": "tool_call", "toolCallId": format!("diff-{lines}"), "title": "Edit",
        "kind": "edit", "status": "completed",
        "content": [{"type": "diff", "path": "src/value.rs", "oldText": old, "newText": new}],
    }})
}

fn diff() -> String {
    let runs = (0..RUNS).map(|_| {
        let tui = ready(play(json!([diff_update(200)])));
        let cold = cost(&tui, "go", "DONE");
        let warm = cost(&tui, "again", "DONE");
        (cold, warm)
    });
    let (cold, warm): (Vec<_>, Vec<_>) = runs.unzip();
    format!("{:.2} s; {:.2} s", median(cold), median(warm))
}

/// Runs a command in a terminal of the client, as an agent does.
fn in_terminal(command: &str) -> Value {
    play(json!([
        {"request": {"method": "terminal/create",
                     "params": {"command": "sh", "args": ["-c", command]}}},
        {"update": {"sessionUpdate": "tool_call", "toolCallId": "t", "title": command,
                    "kind": "execute", "status": "in_progress",
                    "content": [{"type": "terminal", "terminalId": "$terminal"}]}},
        {"request": {"method": "terminal/wait_for_exit", "params": {"terminalId": "$terminal"}}},
    ]))
}

fn terminal() -> String {
    median_cost(&in_terminal("seq 1 100000"))
}

fn permission() -> String {
    let times = (0..RUNS).map(|_| {
        let ask = json!({"request": {"method": "session/request_permission", "params": {
            "toolCall": {"toolCallId": "p", "title": "ZEBRA", "kind": "execute"},
            "options": [{"optionId": "y", "name": "Yes", "kind": "allow_once"}],
        }}});
        let tui = ready(json!([
            {"on": "session/prompt", "do": [{"flood": {"kind": "text", "chunks": 20_000}},
                                            {"text": "\n\nDONE\n"}]},
            {"on": "session/prompt", "do": [{"sleep": 500}, {"touch": "asked"}, ask]},
        ]));
        cost(&tui, "go", "DONE");
        let from = tui.raw_len();
        tui.keys("ask<enter>");
        spin_until(|| tui.path("asked").exists());
        let asked = Instant::now();
        spin_until(|| holds(&tui.raw_since(from), b"ZEBRA"));
        asked.elapsed().as_secs_f64() * 1e3
    });
    format!("{:.1} ms", median(times.collect()))
}

fn big_line() -> String {
    typing_through(play(json!([{"sleep": 500}, {"big": 10_000_000}])))
}

fn big_diff() -> String {
    typing_through(play(json!([{"sleep": 500}, diff_update(200_000)])))
}

fn big_terminal() -> String {
    typing_through(in_terminal("sleep 0.5; seq 1 1000000"))
}

/// Types as fast as a held key repeats, from half a second before the agent begins until a second
/// after the turn has ended.
fn typing_through(scenario: Value) -> String {
    typing(&ready(scenario)).p95()
}

fn typing(tui: &Tui) -> Echoes {
    tui.keys("go<enter>");
    // Read together with what follows it, the enter would be one of a paste.
    std::thread::sleep(Duration::from_millis(200));
    let limit = Instant::now() + Duration::from_secs(120);
    let ended = std::cell::Cell::new(None);
    let over = || {
        assert!(Instant::now() < limit, "never done\n{}", tui.screen());
        if ended.get().is_none() && tui.screen().contains("DONE") {
            ended.set(Some(Instant::now()));
        }
        ended
            .get()
            .is_some_and(|at| at.elapsed() > Duration::from_secs(1))
    };
    echoes(tui, Duration::from_millis(30), over)
}

fn leftovers() -> String {
    let marker = format!("acp-tui-bench-{}", std::process::id());
    let launcher = format!("trap '' HUP; while :; do sleep 1; done # {marker}");
    let tui = ready(json!([
        {"on": "start", "do": [{"ignore": ["eof"]}, {"spawn": {"argv": ["sh", "-c", launcher]}}]},
    ]));
    tui.signal(rustix::process::Signal::TERM);
    std::thread::sleep(Duration::from_secs(4));
    let left = Command::new("pgrep")
        .args(["-cf", &marker])
        .output()
        .expect("pgrep");
    String::from_utf8_lossy(&left.stdout).trim().to_owned()
}

fn spin_until(done: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !done() {
        assert!(Instant::now() < deadline, "waited in vain");
        std::thread::sleep(Duration::from_micros(200));
    }
}

/// User and system seconds of a process so far.
fn cpu(pid: u32) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).expect("the process lives");
    let after_name = stat.rsplit(')').next().expect("a name");
    let fields: Vec<&str> = after_name.split_whitespace().collect();
    let ticks = |at: usize| fields[at].parse::<f64>().expect("a number");
    (ticks(11) + ticks(12)) / 100.0
}

/// A value of /proc/PID/status in MB.
fn status(pid: u32, name: &str) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("the process lives");
    let line = status
        .lines()
        .find(|line| line.starts_with(name))
        .expect("the line");
    line.split_whitespace()
        .nth(1)
        .and_then(|kb| kb.parse::<f64>().ok())
        .expect("kB")
        / 1024.0
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
