//! Following what changes on the disk: looks at large trees, what is kept of them, and the review.
//!
//! CPU counts programs that the client has run and waited for, git among them.

use std::{
    fs,
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

use serde_json::json;

use super::{Echoes, client, echoes, median, spin_until, status, wait_long};
use crate::support::{pty::Tui, setup::Setup};

const F4: &str = "\x1bOS";

/// Files of a folder.
const IN_FOLDER: usize = 100;

/// A project of `files` files of `bytes` each.
fn project(files: usize, bytes: usize, in_git: bool) -> Setup {
    let setup = client(json!([{"on": "session/prompt", "do": [
        // As a model's first answer takes: the look at the turn's start is over.
        {"sleep": 2_500},
        {"shell": "for n in 0 1 2 3 4 5 6 7 8 9; do date +%s%N >> d0/f$n.txt; done"},
        {"text": "\n\nDONE\n"},
    ]}]));
    let root = setup.path("project");
    for n in 0..files {
        let folder = root.join(format!("d{}", n / IN_FOLDER));
        if n % IN_FOLDER == 0 {
            fs::create_dir(&folder).expect("a folder");
        }
        let line = format!("file {n} of the project has this line many times\n");
        let text = line.repeat(bytes / line.len() + 1);
        let name = folder.join(format!("f{}.txt", n % IN_FOLDER));
        fs::write(name, &text.as_bytes()[..bytes]).expect("a file");
    }
    if in_git {
        git(&root, &["init", "-q"]);
        git(&root, &["-c", "core.compression=0", "add", "."]);
        git(&root, &["commit", "-q", "-m", "all"]);
        let second = if files > IN_FOLDER { IN_FOLDER } else { 0 };
        for n in 0..second {
            let path = root.join(format!("d1/f{n}.txt"));
            fs::write(path, "other\n").expect("a file");
        }
    }
    setup
}

fn git(root: &Path, args: &[&str]) {
    let done = Command::new("git")
        .args([
            "-c",
            "user.name=b",
            "-c",
            "user.email=b@b",
            "-c",
            "gc.auto=0",
        ])
        .args(args)
        .current_dir(root)
        .status()
        .expect("git runs");
    assert!(done.success(), "git {args:?}");
}

/// User and system seconds of the client, and of the programs that it has waited for.
fn cpu(pid: u32) -> f64 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).expect("the process lives");
    let after_name = stat.rsplit(')').next().expect("a name");
    let fields: Vec<&str> = after_name.split_whitespace().collect();
    let ticks = |at: usize| fields[at].parse::<f64>().expect("a number");
    [11, 12, 13, 14].into_iter().map(ticks).sum::<f64>() / 100.0
}

/// Until it has used no CPU for a while, and git has ended.
fn rest(tui: &Tui) {
    rest_for(tui, Duration::from_millis(700));
}

fn rest_for(tui: &Tui, while_: Duration) {
    let pid = tui.pid();
    let (mut used, mut since) = (cpu(pid), Instant::now());
    while since.elapsed() < while_ {
        std::thread::sleep(Duration::from_millis(20));
        let now = cpu(pid);
        let git = || {
            tui.children()
                .iter()
                .any(|(_, line)| line.starts_with("git "))
        };
        if now > used || git() {
            (used, since) = (now, Instant::now());
        }
    }
}

fn started(setup: &Setup) -> Tui {
    let tui = setup.start();
    tui.wait_method("session/new");
    tui
}

/// Bytes that the store takes.
fn store(setup: &Setup) -> f64 {
    fn of(path: &Path) -> u64 {
        let Ok(entries) = fs::read_dir(path) else {
            return fs::metadata(path).map_or(0, |data| data.len());
        };
        entries.flatten().map(|entry| of(&entry.path())).sum()
    }
    of(&setup.path("home/.local/state/acp-tui/changes")) as f64 / 1e6
}

/// A turn that changes ten files: its two looks, until what they took was let go of.
fn turn(tui: &Tui) -> f64 {
    let before = cpu(tui.pid());
    tui.keys("go<enter>");
    wait_long(tui, "in 10 files");
    rest_for(tui, Duration::from_millis(2_500));
    cpu(tui.pid()) - before
}

/// CPU of the first look; of a later one; the store; memory at its peak and when nothing happens.
fn looks(files: usize, bytes: usize, in_git: bool) -> String {
    let setup = project(files, bytes, in_git);
    let tui = started(&setup);
    rest(&tui);
    let first = cpu(tui.pid());
    let later = turn(&tui) / 2.0;
    let [peak, memory] = ["VmHWM", "VmRSS"].map(|name| status(tui.pid(), name));
    format!(
        "{first:.2} s; {later:.2} s; {:.1} MB; {peak:.0}, {memory:.0} MB",
        store(&setup)
    )
}

pub fn large_in_git() -> String {
    looks(100_000, 20_000, true)
}

pub fn large_without() -> String {
    looks(100_000, 20_000, false)
}

pub fn small_in_git() -> String {
    looks(10_000, 10_000, true)
}

/// What following adds to the way from enter to the agent, in a tree whose look takes long.
pub fn prompt() -> String {
    const TURNS: usize = 15;
    let mut setup = project(20_000, 1_000, false);
    setup.scenario = json!([{"on": "session/prompt", "do": []}]);
    let mut times = ["", "\n[changes]\nfollow = false\n"].map(|config| {
        config.clone_into(&mut setup.config);
        let tui = started(&setup);
        rest(&tui);
        let before = tui.count("session/prompt");
        let times = (1..=TURNS).map(|count| {
            tui.keys("go");
            tui.settle(Duration::from_millis(100));
            let typed = Instant::now();
            tui.keys("<enter>");
            spin_until(|| tui.count("session/prompt") == before + count);
            let time = typed.elapsed().as_secs_f64() * 1e3;
            tui.settle(Duration::from_millis(300));
            time
        });
        median(times.collect())
    });
    times[0] -= times[1];
    format!("{:.1} ms", times[0])
}

/// Typed from the start on, while the first look goes over a tree without git.
pub fn echo() -> String {
    let setup = project(100_000, 2_000, false);
    let tui = started(&setup);
    let begin = Instant::now();
    let keys: Echoes = echoes(&tui, Duration::from_millis(40), || {
        begin.elapsed() > Duration::from_secs(4)
    });
    let left = cpu(tui.pid());
    rest(&tui);
    let after = cpu(tui.pid()) - left;
    format!("{}; the look took {after:.1} s more", keys.p95())
}

/// The store after a thousand turns, each of which changes a line of ten files.
pub fn thousand_turns() -> String {
    const TURNS: usize = 1_000;
    let mut setup = project(100, 20_000, true);
    let names: Vec<String> = (0..10).map(|n| format!("d0/f{n}.txt")).collect();
    let names = names.join(" ");
    let change = format!("sed -i \"7s/.*/turn $(date +%s%N)/\" {names}");
    setup.scenario = json!([{"on": "session/prompt", "do": [{"sleep": 20}, {"shell": change}]}]);
    let tui = started(&setup);
    rest(&tui);
    let before = tui.count("session/prompt");
    for count in 1..=TURNS {
        tui.keys("go<enter>");
        spin_until(|| tui.count("session/prompt") == before + count);
        tui.settle(Duration::from_millis(30));
    }
    rest(&tui);
    format!("{:.1} MB", store(&setup))
}

/// F4 on a session that changed 5,000 files: from the key to the list, and to the diff of the next file.
pub fn review() -> String {
    let mut setup = project(10_000, 2_000, true);
    let change = "sed -i '3s/.*/other/' d[1-4]?/*.txt d5?/*.txt";
    setup.scenario = json!([{"on": "session/prompt", "do": [
        {"sleep": 2_500}, {"shell": change}, {"text": "\n\nDONE\n"},
    ]}]);
    let tui = started(&setup);
    rest(&tui);
    tui.keys("go<enter>");
    wait_long(&tui, "5000 files");
    rest(&tui);
    let (mut lists, mut diffs) = (Vec::new(), Vec::new());
    for _ in 0..super::RUNS {
        let typed = Instant::now();
        tui.keys(F4);
        // What is below is drawn over before the list is there.
        spin_until(|| {
            let screen = tui.screen();
            screen.contains("q back") && screen.contains("M f0.txt")
        });
        lists.push(typed.elapsed().as_secs_f64() * 1e3);
        tui.settle(Duration::from_millis(500));
        let typed = Instant::now();
        tui.keys("j");
        spin_until(|| {
            let screen = tui.screen();
            screen.contains("M d10/f1.txt  +1") && screen.contains("+ other")
        });
        diffs.push(typed.elapsed().as_secs_f64() * 1e3);
        tui.keys("k");
        tui.settle(Duration::from_millis(500));
        tui.keys("q");
        spin_until(|| !tui.screen().contains("q back"));
        tui.settle(Duration::from_millis(500));
    }
    // Later ones show what was listed before, until the new list is there.
    let first = lists.first().copied().unwrap_or(f64::NAN);
    format!("{first:.0} ms; {:.0} ms", median(diffs))
}
