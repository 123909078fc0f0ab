//! How a run ends: signals, time, readers that go, a full disk.

use std::{fs, io::Read, process::Stdio, time::Duration};

use serde_json::json;

use super::*;

// V1-CAN-01
#[test]
fn ctrl_c_cancels_the_turn_and_then_ends() {
    let shell = scripted(json!([{"on": "session/prompt", "do": [
        {"text": "begun"}, {"touch": "begun"}, {"until_cancel": 30000}],
        "reply": {"stopReason": "cancelled"}}]));
    let child = start(&shell, &["run", "go"]);
    wait_for(|| shell.path().join("begun").exists());
    signal(&child, rustix::process::Signal::INT);
    let ran = ends(child, Duration::from_secs(10));
    assert_eq!((ran.code, ran.out.as_str()), (130, "begun\n"));
    assert!(ran.err.ends_with("acp-tui: interrupted\n"), "{}", ran.err);
    let cancels = shell.methods();
    let cancels = cancels.iter().filter(|method| *method == "session/cancel");
    assert_eq!(cancels.count(), 1);
}

// V1-CAN-08
#[test]
fn an_agent_that_does_not_stop_is_ended_and_everything_it_started() {
    let shell = scripted(json!([
        {"on": "start", "do": [{"ignore": "eof"}]},
        {"on": "session/prompt", "do": [
            {"spawn": {"argv": ["/bin/sh", "-c", "echo $$ > $PIDFILE; exec sleep 1000"]}},
            {"hang": true}]},
    ]));
    let pid_file = shell.path().join("pid");
    let mut command = shell.command(&["run", "go", "--timeout", "1"]);
    // The program is found where it always is.
    command
        .env("PIDFILE", &pid_file)
        .env("PATH", "/bin:/usr/bin");
    let child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let ran = ends(child, Duration::from_secs(15));
    assert_eq!(ran.code, 5, "{}", ran.err);
    assert!(ran.err.contains("timed out"), "{}", ran.err);
    let pid: i32 = fs::read_to_string(pid_file)
        .unwrap()
        .trim()
        .parse()
        .unwrap();
    let pid = rustix::process::Pid::from_raw(pid).unwrap();
    wait_for(|| rustix::process::test_kill_process(pid).is_err());
}

#[test]
fn a_silent_agent_and_a_silent_stdin_end_with_the_time() {
    let shell = scripted(json!([{"on": "initialize", "do": [{"hang": true}]}]));
    let ran = shell.run(&["run", "go", "--timeout", "0.5"]);
    assert_eq!(ran.code, 5, "{}", ran.err);
    let mut command = shell.command(&["run", "-", "--timeout", "0.3"]);
    let mut child = command
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let open = child.stdin.take();
    assert_eq!(ends(child, Duration::from_secs(10)).code, 5);
    drop(open);
}

#[test]
fn a_fifo_is_waited_for_until_it_is_written_or_the_time_is_over() {
    let shell = scripted(json!([]));
    let fifo = shell.path().join("prompt");
    rustix::fs::mkfifoat(rustix::fs::CWD, &fifo, 0o600.into()).unwrap();
    let file = fifo.to_str().unwrap();
    let silent = shell.run(&["run", "--prompt-file", file, "--timeout", "0.3"]);
    assert_eq!(silent.code, 5, "{}", silent.err);
    assert!(silent.err.contains("timed out"), "{}", silent.err);
    let child = start(&shell, &["run", "--prompt-file", file, "--timeout", "20"]);
    // Opens once it is read.
    fs::write(&fifo, "from a pipe\n").unwrap();
    let ran = ends(child, Duration::from_secs(20));
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(shell.methods().contains(&"session/prompt".to_owned()));
}

#[test]
fn a_reader_that_goes_ends_it_also_while_nothing_is_said() {
    let shell = scripted(prompt(json!([
        {"text": "begun"}, {"until_cancel": 30000}, {"touch": "cancelled"}])));
    let mut child = start(&shell, &["run", "go"]);
    let mut out = child.stdout.take().unwrap();
    out.read_exact(&mut [0; 5]).unwrap();
    drop(out);
    let ran = ends(child, Duration::from_secs(10));
    assert_eq!(ran.code, 1, "{}", ran.err);
    assert!(ran.err.contains("stdout was closed"), "{}", ran.err);
    assert!(shell.path().join("cancelled").exists());
}

#[test]
fn a_reader_that_is_slow_loses_nothing_and_can_be_given_up() {
    let shell = scripted(prompt(json!([{"big": 6_000_000}, {"touch": "said"}])));
    let mut child = start(&shell, &["run", "go", "--timeout", "60"]);
    wait_for(|| shell.path().join("said").exists());
    let mut out = String::new();
    child
        .stdout
        .take()
        .unwrap()
        .read_to_string(&mut out)
        .unwrap();
    assert_eq!(out.len(), 6_000_001);
    assert_eq!(ends(child, Duration::from_secs(10)).code, 0);

    let child = start(&shell, &["run", "go", "--timeout", "2"]);
    assert_eq!(ends_unread(child, Duration::from_secs(15)), 5);
}

#[test]
fn a_flood_ends_with_all_of_it_said() {
    let shell = scripted(prompt(json!([
        {"flood": {"kind": "text", "chunks": 20000}}, {"text": "the end"}])));
    let ran = shell.run(&["run", "go"]);
    assert_eq!(ran.code, 0);
    assert!(ran.out.ends_with("the end\n"));
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_no_success() {
    for format in ["text", "json", "jsonl"] {
        let shell = scripted(prompt(json!([{"text": "hello"}])));
        let full = fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .unwrap();
        let mut command = shell.command(&["run", "--format", format, "say hello"]);
        let child = command.stdout(full).stderr(Stdio::piped()).spawn().unwrap();
        let ran = ends(child, Duration::from_secs(20));
        assert_eq!(ran.code, 1, "{format}: {}", ran.err);
        assert!(
            ran.err.contains("stdout was closed"),
            "{format}: {}",
            ran.err
        );
    }
}

#[test]
fn a_hook_without_stdin_and_stderr_works() {
    let shell = scripted(json!([]));
    let mut sh = std::process::Command::new("/bin/sh");
    let status = sh
        .args(["-c", "exec \"$0\" run go <&- >/dev/null 2>&-"])
        .arg(env!("CARGO_BIN_EXE_acp-tui"))
        .env_clear()
        .env("HOME", shell.path())
        .env("XDG_CONFIG_HOME", shell.path().join(".config"))
        .current_dir(shell.path().join("project"))
        .status()
        .unwrap();
    assert_eq!(status.code(), Some(0));
    assert!(shell.methods().contains(&"session/prompt".to_owned()));
}

#[test]
fn a_run_that_was_killed_leaves_nothing_running() {
    let line = "setsid sleep 2001 & nohup sleep 2002 & (trap '' TERM; sleep 2003) & sleep 2004";
    let shell = scripted(prompt(json!([
        {"request": {"method": "terminal/create", "params": {"command": line,
            "env": [{"name": "PATH", "value": std::env::var("PATH").unwrap()}]}}},
        {"touch": "started"},
        {"sleep": 60_000},
    ])));
    let project = shell.path().join("project").canonicalize().unwrap();
    let sleepers = || {
        let processes = fs::read_dir("/proc").unwrap().flatten();
        let ours = processes.filter(|process| {
            let cwd = fs::read_link(process.path().join("cwd"));
            let command = fs::read(process.path().join("cmdline")).unwrap_or_default();
            cwd.is_ok_and(|cwd| cwd == project) && command.starts_with(b"sleep")
        });
        ours.count()
    };
    let mut child = start(&shell, &["run", "go"]);
    wait_for(|| sleepers() == 4);
    signal(&child, rustix::process::Signal::KILL);
    child.wait().unwrap();
    wait_for(|| sleepers() == 0);
}

/// A git that says nothing: a look waits for it for some time.
fn with_silent_git(steps: serde_json::Value) -> Shell {
    use std::os::unix::fs::PermissionsExt;
    let shell = scripted(prompt(steps));
    let project = shell.path().join("project");
    fs::remove_dir(project.join(".git")).unwrap();
    fs::write(project.join("a.txt"), "one\n").unwrap();
    for words in [&["init", "-q"][..], &["add", "-A"]] {
        let git = std::process::Command::new("git");
        let mut git = git;
        let done = git.args(words).current_dir(&project).status().unwrap();
        assert!(done.success());
    }
    let bin = shell.path().join("bin");
    fs::create_dir_all(&bin).unwrap();
    fs::write(bin.join("git"), "#!/bin/sh\nexec /bin/sleep 1000\n").unwrap();
    fs::set_permissions(bin.join("git"), fs::Permissions::from_mode(0o755)).unwrap();
    shell
}

#[test]
fn who_stops_a_run_does_not_wait_for_a_look_at_the_disk() {
    // In the midst of the turn; and when it has ended and only the look is waited for.
    let midst = json!([{"text": "begun"}, {"touch": "begun"}, {"until_cancel": 30000}]);
    let end = json!([{"text": "begun"}, {"touch": "begun"}]);
    for (steps, code) in [(midst, 130), (end, 0)] {
        let shell = with_silent_git(steps);
        let child = start(&shell, &["run", "go"]);
        wait_for(|| shell.path().join("begun").exists());
        std::thread::sleep(Duration::from_millis(300));
        let told = std::time::Instant::now();
        signal(&child, rustix::process::Signal::INT);
        let ran = ends(child, Duration::from_secs(10));
        assert_eq!(
            (ran.code, ran.out.as_str()),
            (code, "begun\n"),
            "{}",
            ran.err
        );
        let took = told.elapsed();
        assert!(took < Duration::from_secs(3), "{took:?}");
    }
}
