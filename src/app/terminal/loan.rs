//! The terminal while another program has it, until that ends or a signal ends us.
//!
//! Owns: running a program on our terminal, and ending it when a signal or a terminal that is gone ends
//! us. The program stays in our process group, so that ctrl-z stops both and `fg` brings both back.

use std::{
    cell::Cell,
    io::{self, Write},
    process::{Child, Command, ExitStatus, Stdio},
    sync::mpsc,
    time::{Duration, Instant},
};

use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, getpgid, getpgrp, kill_process, kill_process_group,
    test_kill_process, waitid,
};
use tokio::task::JoinHandle;

use crate::{
    app::{
        signals::{Ends, UsualStop, stops_as_usual},
        terminal::tty,
    },
    host::editor::CommandLine,
};

/// How often to look whether the terminal is gone: not everybody gets a SIGHUP for that.
const LOOK: Duration = Duration::from_millis(250);

/// What a program is sent to end it, and how long it may take for it.
const LADDER: [(Signal, Duration); 3] = [
    (Signal::HUP, Duration::from_millis(300)),
    (Signal::TERM, Duration::from_millis(500)),
    (Signal::KILL, Duration::from_millis(200)),
];

/// Of all the processes that are ended with it.
const MAX_FAMILY: usize = 256;

enum News {
    Ended,
    ToldToEnd,
}

pub struct Loan {
    news: mpsc::Receiver<News>,
    sender: mpsc::Sender<News>,
    listener: JoinHandle<()>,
    called_in: Cell<bool>,
    _usual_stop: UsualStop,
}

impl Loan {
    /// Listens from now on; on the runtime's own threads, as ours waits.
    ///
    /// # Errors
    /// There is no listening to signals.
    pub fn start() -> io::Result<Self> {
        let mut ends = Ends::listen()?;
        let (sender, news) = mpsc::channel();
        let tell = sender.clone();
        let listener = tokio::spawn(async move {
            let _ = ends.recv().await;
            // Fails only once the terminal is ours again; then the loop hears of it.
            let _ = tell.send(News::ToldToEnd);
        });
        Ok(Self {
            news,
            sender,
            listener,
            called_in: Cell::new(false),
            _usual_stop: stops_as_usual(),
        })
    }

    /// We are to end.
    pub fn is_called_in(&self) -> bool {
        self.called_in.get()
    }

    /// Runs a program on the terminal until it ends.
    pub fn run(&self, line: &CommandLine) -> io::Result<()> {
        let modes = tty::Modes::now();
        let child = Command::new(&line.program).args(&line.args).spawn();
        let status = self.wait(child.map_err(|error| name(line, &error))?, modes)?;
        if status.success() {
            Ok(())
        } else {
            Err(io::Error::other(format!(
                "{} ended with {status}",
                line.program.display()
            )))
        }
    }

    /// Runs the pager and feeds it.
    pub fn page(&self, text: &str) -> io::Result<()> {
        let line = crate::host::editor::pager();
        let modes = tty::Modes::now();
        let mut pager = Command::new(&line.program)
            .args(&line.args)
            .stdin(Stdio::piped())
            .spawn()
            .map_err(|error| name(&line, &error))?;
        if let Some(mut stdin) = pager.stdin.take() {
            let text = text.to_owned();
            // In a thread, as a pager reads no more than it shows. Quitting it early closes the pipe.
            let feed = move || drop(stdin.write_all(text.as_bytes()));
            let feeder = std::thread::Builder::new().name("pager".into());
            feeder.spawn(feed)?;
        }
        self.wait(pager, modes).map(drop)
    }

    /// Stops the whole foreground group, as the terminal's own ctrl-z would, until the shell brings us
    /// back; the agent and its commands have groups of their own and go on.
    pub fn suspend(&self) {
        const LOOK: Duration = Duration::from_millis(100);
        loop {
            let _ = kill_process_group(getpgrp(), Signal::TSTP);
            if tty::is_foreground() && !tty::is_gone() {
                return;
            }
            // `kill %1` lets us go on in the background to hear it; there the terminal is the shell's.
            let told = self.news.recv_timeout(LOOK).is_ok();
            if told || tty::is_gone() {
                return self.called_in.set(true);
            }
        }
    }

    /// `modes` are those of the terminal before the program had it.
    fn wait(&self, mut child: Child, modes: Option<tty::Modes>) -> io::Result<ExitStatus> {
        let (pid, sender) = (Pid::from_child(&child), self.sender.clone());
        let waiter = std::thread::Builder::new().name("lent".into());
        waiter.spawn(move || {
            // Not reaped here: its id must not be reused while signals may be sent to it.
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
            while matches!(
                waitid(WaitId::Pid(pid), options),
                Err(rustix::io::Errno::INTR)
            ) {}
            let _ = sender.send(News::Ended);
        })?;
        loop {
            match self.news.recv_timeout(LOOK) {
                Ok(News::Ended) => break,
                Err(mpsc::RecvTimeoutError::Timeout) if !tty::is_gone() => {}
                _ => {
                    tracing::info!("asked to stop while another program has the terminal");
                    self.called_in.set(true);
                    end(&mut child);
                    break;
                }
            }
        }
        if let Some(modes) = modes.filter(|_| tty::is_foreground()) {
            modes.set();
        }
        child.wait()
    }
}

impl Drop for Loan {
    fn drop(&mut self) {
        self.listener.abort();
    }
}

/// Ends the program and what it has started in our process group: others in the group are none of its.
fn end(child: &mut Child) {
    const POLL: Duration = Duration::from_millis(10);
    let pid = Pid::from_child(child);
    let mut family = Vec::new();
    for (signal, patience) in LADDER {
        let is_running = |child: &mut Child| matches!(child.try_wait(), Ok(None));
        if is_running(child) {
            for member in descendants(pid) {
                if !family.contains(&member) && family.len() < MAX_FAMILY {
                    family.push(member);
                }
            }
            let _ = kill_process(pid, signal);
            // One that is stopped hears nothing else.
            let _ = kill_process(pid, Signal::CONT);
        }
        for member in &family {
            let _ = kill_process(*member, signal);
            let _ = kill_process(*member, Signal::CONT);
        }
        let deadline = Instant::now() + patience;
        while Instant::now() < deadline {
            family.retain(|member| test_kill_process(*member).is_ok());
            if !is_running(child) && family.is_empty() {
                return;
            }
            std::thread::sleep(POLL);
        }
    }
}

/// What a process has started, directly or not, and is in our process group. Nothing where there is no
/// `/proc`: there the program's end, and the terminal's, is all that they hear of.
fn descendants(of: Pid) -> Vec<Pid> {
    let group = getpgrp();
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let processes = entries.filter_map(|entry| {
        let pid = entry.file_name().to_str()?.parse().ok()?;
        let stat = std::fs::read_to_string(entry.path().join("stat")).ok()?;
        // The name, in parentheses, may hold anything; then come the state and the parent.
        let (_, rest) = stat.rsplit_once(')')?;
        let parent = rest.split_whitespace().nth(1)?.parse().ok()?;
        Some((Pid::from_raw(pid)?, Pid::from_raw(parent)?))
    });
    let processes: Vec<(Pid, Pid)> = processes.collect();
    let mut found = vec![of];
    let mut at = 0;
    while let Some(parent) = found.get(at).copied() {
        let children = processes.iter().filter(|(_, its)| *its == parent);
        let new: Vec<Pid> = children
            .map(|(pid, _)| *pid)
            .filter(|pid| !found.contains(pid))
            .collect();
        found.extend(new);
        at += 1;
    }
    found.retain(|pid| *pid != of && getpgid(Some(*pid)) == Ok(group));
    found
}

/// An error that names the program.
fn name(line: &CommandLine, error: &io::Error) -> io::Error {
    io::Error::new(
        error.kind(),
        format!("{} cannot be run: {error}", line.program.display()),
    )
}
