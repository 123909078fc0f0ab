//! Real commands on real PTYs.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use tokio::time::timeout;

use super::*;
use crate::{
    host::{EventSink, HostEvent},
    model::{
        ExitStatus, RpcError, SessionId, TerminalCreate, TerminalId, TerminalRef, TerminalSnapshot,
        code,
    },
};

/// Far more than anything here takes; only a hang gets there.
const PATIENCE: Duration = Duration::from_secs(30);

struct Fixture {
    terminals: Terminals,
    events: Arc<Mutex<Vec<HostEvent>>>,
}

fn fixture() -> Fixture {
    let events = Arc::new(Mutex::new(Vec::new()));
    let sink = events.clone();
    let sink: EventSink = Arc::new(move |event| sink.lock().unwrap().push(event));
    let settings = TerminalSettings {
        env: std::env::vars_os().collect(),
        scrub_env: false,
        raw_output: false,
    };
    Fixture {
        terminals: Terminals::new(settings, sink),
        events,
    }
}

fn command(command: &str, args: &[&str]) -> TerminalCreate {
    TerminalCreate {
        session: SessionId::new("s"),
        command: command.to_owned(),
        args: args.iter().map(|arg| (*arg).to_owned()).collect(),
        env: Vec::new(),
        cwd: None,
        output_byte_limit: None,
    }
}

impl Fixture {
    fn create(&self, request: &TerminalCreate) -> Result<TerminalRef, RpcError> {
        let line = super::is_line(&request.command, &request.args, std::path::Path::new("/"));
        let terminal = self.terminals.create(request, "/".into(), line)?;
        Ok(TerminalRef {
            session: request.session.clone(),
            terminal,
        })
    }

    fn sh(&self, script: &str) -> TerminalRef {
        self.create(&command("sh", &["-c", script])).unwrap()
    }

    async fn wait(&self, terminal: &TerminalRef) -> ExitStatus {
        let exit = self.terminals.wait_for_exit(terminal).unwrap();
        timeout(PATIENCE, exit).await.unwrap()
    }

    fn output(&self, terminal: &TerminalRef) -> TerminalSnapshot {
        self.terminals.output(terminal).unwrap()
    }

    async fn run(&self, script: &str) -> (String, ExitStatus) {
        let terminal = self.sh(script);
        let status = self.wait(&terminal).await;
        (self.output(&terminal).output, status)
    }

    async fn until_output(&self, terminal: &TerminalRef, text: &str) -> String {
        timeout(PATIENCE, async {
            loop {
                let output = self.output(terminal).output;
                if output.contains(text) {
                    return output;
                }
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        })
        .await
        .unwrap()
    }
}

fn alive(pid: &str) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
}

async fn until_dead(pid: &str) {
    timeout(PATIENCE, async {
        while alive(pid) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    })
    .await
    .unwrap();
}

fn code(code: i64) -> ExitStatus {
    ExitStatus {
        code: Some(code),
        signal: None,
    }
}

fn signal(name: &str) -> ExitStatus {
    ExitStatus {
        code: None,
        signal: Some(name.to_owned()),
    }
}

// V1-TERM-01, V1-TERM-08
#[tokio::test]
async fn create_does_not_wait_and_output_never_does() {
    let host = fixture();
    let terminal = host.sh("echo begun; sleep 60");
    let output = host.until_output(&terminal, "begun").await;
    assert_eq!(output, "begun\n");
    assert_eq!(host.output(&terminal).exit, None);
    host.terminals.shutdown().await;
}

// V1-TERM-02
#[tokio::test]
async fn a_whole_line_is_run_by_the_shell() {
    let host = fixture();
    let terminal = host
        .create(&command("echo unsplit-$((40+2))", &[]))
        .unwrap();
    host.wait(&terminal).await;
    assert_eq!(host.output(&terminal).output, "unsplit-42\n");
    // With arguments nothing is interpreted.
    let terminal = host.create(&command("echo", &["$HOME", "a  b"])).unwrap();
    host.wait(&terminal).await;
    assert_eq!(host.output(&terminal).output, "$HOME a  b\n");
}

// V1-TERM-02, V1-TERM-04
#[tokio::test]
async fn what_cannot_be_started_is_an_error_and_no_terminal() {
    let host = fixture();
    let error = host.create(&command("no-such-program", &[])).unwrap_err();
    assert_eq!(error.code, code::INTERNAL);
    assert!(error.message.contains("no-such-program"), "{error:?}");
    let error = host
        .terminals
        .create(&command("true", &[]), "/no/such/dir".into(), false)
        .unwrap_err();
    assert!(error.message.contains("/no/such/dir"), "{error:?}");
    assert!(host.events.lock().unwrap().is_empty());
}

// V1-TERM-09
#[tokio::test]
async fn codes_and_signals_are_told_apart() {
    let host = fixture();
    assert_eq!(host.run("exit 255").await.1, code(255));
    assert_eq!(host.run("exit 3").await.1, code(3));
    for name in ["KILL", "TERM", "SEGV"] {
        let script = format!("kill -{name} $$; sleep 60");
        assert_eq!(host.run(&script).await.1, signal(&format!("SIG{name}")));
    }
}

// V1-TERM-10
#[tokio::test]
async fn the_status_comes_after_the_last_output() {
    let host = fixture();
    for _ in 0..20 {
        let (output, _) = host.run("seq 20000").await;
        assert!(output.ends_with("\n20000\n"), "{}", output.len());
        assert!(output.starts_with("1\n2\n"));
    }
}

// V1-TERM-11
#[tokio::test]
async fn many_waiters_and_waits_after_the_exit() {
    let host = fixture();
    let terminal = host.sh("read x; exit 7");
    let waiters: Vec<_> = (0..3)
        .map(|_| tokio::spawn(host.terminals.wait_for_exit(&terminal).unwrap()))
        .collect();
    host.terminals.write(&terminal.terminal, b"go\n".to_vec());
    for waiter in waiters {
        assert_eq!(waiter.await.unwrap(), code(7));
    }
    assert_eq!(host.wait(&terminal).await, code(7));
}

// V1-TERM-12
#[tokio::test]
async fn kill_ends_the_whole_group_and_keeps_the_id() {
    let host = fixture();
    let terminal = host.sh("sleep 300 & echo pid $!; wait");
    let output = host.until_output(&terminal, "pid ").await;
    let pid = output.trim().trim_start_matches("pid ").to_owned();
    host.terminals.kill(&terminal).unwrap();
    assert_eq!(host.wait(&terminal).await, signal("SIGTERM"));
    until_dead(&pid).await;
    assert!(host.output(&terminal).output.contains("pid"));
    host.terminals.kill(&terminal).unwrap();
    assert_eq!(host.output(&terminal).exit, Some(signal("SIGTERM")));
}

// V1-TERM-12
#[tokio::test]
async fn what_ignores_the_signal_is_killed() {
    let host = fixture();
    let terminal = host.sh("trap '' TERM; echo ready; while :; do sleep 1; done");
    host.until_output(&terminal, "ready").await;
    host.terminals.kill(&terminal).unwrap();
    assert_eq!(host.wait(&terminal).await, signal("SIGKILL"));
}

// V1-TERM-13
#[tokio::test]
async fn release_forgets_the_id_but_answers_waiters() {
    let host = fixture();
    let terminal = host.sh("sleep 300");
    let waiter = tokio::spawn(host.terminals.wait_for_exit(&terminal).unwrap());
    host.terminals.release(&terminal).unwrap();
    for error in [
        host.terminals.output(&terminal).unwrap_err(),
        host.terminals.kill(&terminal).unwrap_err(),
        host.terminals.release(&terminal).unwrap_err(),
        host.terminals.wait_for_exit(&terminal).err().unwrap(),
    ] {
        assert_eq!(error.code, code::NOT_FOUND);
    }
    let status = timeout(PATIENCE, waiter).await.unwrap().unwrap();
    assert_eq!(status, signal("SIGTERM"));
}

// V1-TERM-14
#[tokio::test]
async fn the_screen_outlives_the_release() {
    let host = fixture();
    let terminal = host.sh("printf 'TERM-OUT-KEEP'");
    host.wait(&terminal).await;
    host.terminals.release(&terminal).unwrap();
    let events = host.events.lock().unwrap().clone();
    let HostEvent::TerminalStarted { screen, .. } = &events[0] else {
        panic!("no start");
    };
    assert_eq!(
        screen.lock().rows(0..1)[0][0].text.as_str(),
        "TERM-OUT-KEEP"
    );
}

// V1-TERM-15
#[tokio::test]
async fn a_background_child_holds_nothing_and_lives_on() {
    let host = fixture();
    let terminal = host.sh("sleep 300 & echo ready-now $!");
    assert_eq!(host.wait(&terminal).await, code(0));
    let output = host.output(&terminal).output;
    let pid = output.trim().trim_start_matches("ready-now ").to_owned();
    // The hang-up comes with the end of the leader, so it would have come by now.
    assert!(alive(&pid), "a server may go on until the session ends");
    host.terminals.shutdown().await;
    until_dead(&pid).await;
}

#[tokio::test]
async fn output_of_a_background_child_is_still_taken() {
    let host = fixture();
    let terminal = host.sh("(read x < /dev/null; sleep 0.3; echo late) & echo now");
    host.wait(&terminal).await;
    host.until_output(&terminal, "late").await;
}

// V1-TERM-16
#[tokio::test]
async fn it_is_a_real_terminal() {
    let host = fixture();
    let (output, status) = host
        .run("test -t 0 && test -t 1 && test -t 2 && stty size && echo $TERM $PAGER; tty >/dev/tty")
        .await;
    assert_eq!(status, code(0));
    assert!(
        output.starts_with("40 120\nxterm-256color cat\n/dev/"),
        "{output}"
    );
    let terminal = host.sh("trap 'stty size; exit' WINCH; echo on; while :; do sleep 0.05; done");
    host.until_output(&terminal, "on").await;
    host.terminals.resize(&terminal.terminal, 10, 50);
    host.until_output(&terminal, "10 50").await;
}

// V1-TERM-16
#[tokio::test]
async fn a_terminal_is_as_large_as_the_view_that_shows_it() {
    let host = fixture();
    host.terminals.set_view(20, 70);
    let (output, _) = host.run("stty size").await;
    assert_eq!(output, "20 70\n");
    let terminal = host.sh("trap 'stty size; exit' WINCH; echo on; while :; do sleep 0.05; done");
    host.until_output(&terminal, "on").await;
    host.terminals.set_view(25, 60);
    host.until_output(&terminal, "25 60").await;
}

#[tokio::test]
async fn keys_reach_the_program() {
    let host = fixture();
    let terminal =
        host.sh("trap 'exit 9' INT; read name; echo hello $name; while :; do sleep 0.05; done");
    host.terminals.write(&terminal.terminal, b"you\r".to_vec());
    host.until_output(&terminal, "hello you").await;
    host.terminals.write(&terminal.terminal, b"\x03".to_vec());
    assert_eq!(host.wait(&terminal).await, code(9));
}

#[tokio::test]
async fn a_program_that_asks_where_the_cursor_is_gets_an_answer() {
    let host = fixture();
    let ask = "stty raw -echo; printf 'ab\\033[6n'; head -c 6 | od -An -c; stty sane";
    let (output, _) = host.run(ask).await;
    assert!(output.contains("033   [   1   ;   3   R"), "{output:?}");
}

// V1-TERM-17
#[tokio::test]
async fn nothing_outlives_the_shutdown() {
    let host = fixture();
    let mut pids = Vec::new();
    for script in [
        "echo p $$; sleep 300",
        "trap '' TERM HUP; echo p $$; while :; do sleep 1; done",
        "setsid sh -c 'echo p $$; sleep 300' & wait",
        "sleep 300 & echo p $!",
    ] {
        let terminal = host.sh(script);
        let output = host.until_output(&terminal, "p ").await;
        let output = if output.ends_with('\n') {
            output
        } else {
            host.until_output(&terminal, "\n").await
        };
        pids.push(output.trim().trim_start_matches("p ").to_owned());
        if pids.len() == 4 {
            host.terminals.release(&terminal).unwrap();
        }
    }
    host.terminals.shutdown().await;
    for pid in pids {
        until_dead(&pid).await;
    }
    assert!(host.create(&command("true", &[])).is_err());
}

// V1-TERM-05, V1-TERM-18
#[tokio::test]
async fn ids_are_unknown_to_other_sessions() {
    let host = fixture();
    let mine = host.sh("true");
    let theirs = TerminalRef {
        session: SessionId::new("other"),
        ..mine.clone()
    };
    let unknown = TerminalRef {
        terminal: TerminalId::new("nope"),
        ..mine.clone()
    };
    for terminal in [theirs, unknown] {
        let error = host.terminals.output(&terminal).unwrap_err();
        assert_eq!(error.code, code::NOT_FOUND);
    }
    let own = host.terminals.run_shell("true", "/".into()).unwrap();
    let error = host.terminals.output(&TerminalRef {
        terminal: own,
        ..mine
    });
    assert_eq!(error.unwrap_err().code, code::NOT_FOUND);
}

// V1-TERM-05
#[tokio::test]
async fn an_id_is_never_given_again() {
    let host = fixture();
    let mut ids = std::collections::BTreeSet::new();
    for _ in 0..5 {
        let terminal = host.sh("true");
        assert!(ids.insert(terminal.terminal.clone()), "{terminal:?}");
        host.wait(&terminal).await;
        host.terminals.release(&terminal).unwrap();
    }
}

// V1-TERM-03
#[tokio::test]
async fn the_agents_environment_wins() {
    let host = fixture();
    let request = TerminalCreate {
        env: vec![
            ("GREETING".into(), "a\nb=\"c\"".into()),
            ("PAGER".into(), "more".into()),
        ],
        ..command("sh", &["-c", "printf '%s|%s' \"$GREETING\" $PAGER"])
    };
    let terminal = host.create(&request).unwrap();
    host.wait(&terminal).await;
    assert_eq!(host.output(&terminal).output, "a\nb=\"c\"|more");
}

#[tokio::test]
async fn a_flood_is_announced_once_until_looked_at() {
    let host = fixture();
    let (output, _) = host.run("seq 30000").await;
    assert!(output.ends_with("30000\n"));
    let outputs = |events: &[HostEvent]| {
        let of_output = |event: &&HostEvent| matches!(event, HostEvent::TerminalOutput);
        events.iter().filter(of_output).count()
    };
    assert_eq!(outputs(&host.events.lock().unwrap()), 1);
}

#[tokio::test]
async fn too_many_commands_are_refused_with_a_reason() {
    let host = fixture();
    let error = loop {
        if let Err(error) = host.create(&command("sleep", &["300"])) {
            break error;
        }
        assert!(host.terminals.running().len() <= 64);
    };
    assert!(error.message.contains("kill or release"), "{error:?}");
    host.terminals.shutdown().await;
}
