//! The person's own program for notifications (`ui.notify_command`).
//!
//! Owns that one runs at a time and not for long. It is not waited for, and what it prints is thrown away.

use std::{
    io,
    process::Stdio,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::{
    process::{Child, Command},
    time::timeout,
};

use crate::text::SafeText;

/// How long it may run.
const PATIENCE: Duration = Duration::from_secs(5);

const TITLE: &str = "acp-tui";

#[derive(Default)]
pub struct NotifyCommand {
    running: Arc<AtomicBool>,
}

impl NotifyCommand {
    /// Runs it with that text, unless there is none or it still runs.
    pub fn run(&self, argv: &[String], text: &SafeText) {
        self.run_for(argv, text, PATIENCE);
    }

    fn run_for(&self, argv: &[String], text: &SafeText, patience: Duration) {
        let [program, args @ ..] = argv else { return };
        if self.running.swap(true, Ordering::AcqRel) {
            return;
        }
        let mut command = command(program, args, text);
        let running = self.running.clone();
        tokio::spawn(async move {
            match command.spawn() {
                Ok(child) => outcome(child, patience).await,
                // Once for each notification, and only in the log: it must not get in the way.
                Err(error) => tracing::warn!(%error, "ui.notify_command"),
            }
            running.store(false, Ordering::Release);
        });
    }
}

/// In its own group, so that it can be ended with what it has started, and without our terminal.
fn command(program: &str, args: &[String], text: &SafeText) -> Command {
    let mut command = Command::new(program);
    // The text begins with the agent's name, which must not pass for an option.
    let text = text.trim_start_matches(['-', ' ']);
    command
        .args(args)
        .args([TITLE, text])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .kill_on_drop(true);
    command
}

async fn outcome(mut child: Child, patience: Duration) {
    let group = child.id().and_then(|id| i32::try_from(id).ok());
    match timeout(patience, child.wait()).await {
        Ok(Ok(status)) if status.success() => {}
        Ok(Ok(status)) => tracing::warn!(%status, "ui.notify_command"),
        Ok(Err(error)) => tracing::warn!(%error, "ui.notify_command"),
        Err(_) => {
            tracing::warn!("ui.notify_command ran too long");
            if let Err(error) = end(group) {
                tracing::warn!(%error, "ui.notify_command goes on");
            }
            let _ = child.wait().await;
        }
    }
}

/// It has not been waited for, so the number is still its own.
fn end(group: Option<i32>) -> io::Result<()> {
    match group.and_then(Pid::from_raw) {
        Some(group) => Ok(kill_process_group(group, Signal::KILL)?),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path, time::Instant};

    use super::*;

    fn script(text: &str, file: &Path) -> Vec<String> {
        let file = file.to_string_lossy().into_owned();
        ["sh", "-c", text, file.as_str()].map(String::from).into()
    }

    async fn until_done(notify: &NotifyCommand) {
        let started = Instant::now();
        while notify.running.load(Ordering::Acquire) {
            assert!(started.elapsed() < Duration::from_secs(30), "still runs");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    #[tokio::test]
    async fn title_and_text_are_the_last_arguments_and_no_shell_reads_them() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("said");
        let argv = script("printf '%s|' \"$@\" > \"$0\"", &file);
        let notify = NotifyCommand::default();
        notify.run(&argv, &"--$(touch x) `y` has finished".into());
        until_done(&notify).await;
        let said = fs::read_to_string(&file).expect("it ran");
        assert_eq!(said, "acp-tui|$(touch x) `y` has finished|");
    }

    #[tokio::test]
    async fn one_runs_at_a_time_and_not_for_long() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("said");
        let argv = script("echo ran >> \"$0\"; sleep 600 & wait", &file);
        let notify = NotifyCommand::default();
        let started = Instant::now();
        let patience = Duration::from_secs(1);
        notify.run_for(&argv, &"first".into(), patience);
        notify.run_for(&argv, &"second".into(), patience);
        until_done(&notify).await;
        assert!(started.elapsed() >= patience);
        assert_eq!(fs::read_to_string(&file).expect("it ran"), "ran\n");
        notify.run_for(&argv, &"third".into(), patience);
        until_done(&notify).await;
        assert_eq!(fs::read_to_string(&file).expect("it ran"), "ran\nran\n");
    }

    #[tokio::test]
    async fn without_one_or_with_a_wrong_one_nothing_happens() {
        let notify = NotifyCommand::default();
        notify.run(&[], &"text".into());
        assert!(!notify.running.load(Ordering::Acquire));
        notify.run(&["/nothing/here".to_owned()], &"text".into());
        until_done(&notify).await;
    }
}
