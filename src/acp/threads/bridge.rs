//! Between the connection, which speaks v1, and a process that speaks threads.

use std::{borrow::Cow, sync::Arc};

use serde_json::json;
use tokio::{
    io::{AsyncRead, AsyncWrite, AsyncWriteExt, DuplexStream, duplex},
    sync::{Mutex, watch},
};

use super::{Out, Threads, requests::is_look};
use crate::rpc::{Direction, Line, Lines, Outbox, Tap, not_whole, readable, tree, write_lines};

/// Bytes that may wait for our reader; beyond them the agent waits.
const WAITING: usize = 64 * 1024;

/// The pipes that the connection has in place of the process's: what it writes to, what it reads
/// from. `tap` sees both forms of each message.
pub fn bridge(
    stdin: impl AsyncWrite + Unpin + Send + 'static,
    stdout: impl AsyncRead + Unpin + Send + 'static,
    cwd: String,
    max_line: usize,
    tap: Tap,
) -> (DuplexStream, DuplexStream) {
    let (for_writer, from_client) = duplex(WAITING);
    let (to_client, for_reader) = duplex(WAITING);
    let (outbox, outgoing) = Outbox::new();
    let (heard, news) = watch::channel(());
    let between = Arc::new(Mutex::new(Between {
        threads: Threads::new(cwd),
        to_client,
        outbox: outbox.clone(),
        tap: tap.clone(),
        heard,
    }));
    tokio::spawn(write_lines(outgoing, stdin, tap));
    let silence = tokio::spawn(listen(Arc::clone(&between), news)).abort_handle();
    let ours = Arc::clone(&between);
    tokio::spawn(async move {
        pump(from_client, max_line, &ours, Direction::ToAgent).await;
        silence.abort();
        // With it the agent's stdin.
        outbox.close();
    });
    tokio::spawn(async move {
        pump(stdout, max_line, &between, Direction::FromAgent).await;
        // Our reader is to see the end, though the other task may go on.
        let _ = between.lock().await.to_client.shutdown().await;
    });
    (for_writer, for_reader)
}

struct Between {
    threads: Threads,
    to_client: DuplexStream,
    outbox: Outbox,
    tap: Tap,
    /// A message came from either side.
    heard: watch::Sender<()>,
}

/// Ends the turns that only silence ends.
async fn listen(between: Arc<Mutex<Between>>, mut news: watch::Receiver<()>) {
    loop {
        let patience = between.lock().await.threads.patience();
        let silent = async {
            match patience {
                Some(patience) => tokio::time::sleep(patience).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            changed = news.changed() => if changed.is_err() {
                return;
            },
            () = silent => {
                let mut between = between.lock().await;
                let mut out = Out::default();
                between.threads.was_quiet(&mut out);
                if between.pass_on(out).await.is_err() {
                    return;
                }
            }
        }
    }
}

/// Reads one side to its end.
async fn pump(
    stream: impl AsyncRead + Unpin,
    max_line: usize,
    between: &Mutex<Between>,
    direction: Direction,
) {
    let mut lines = Lines::new(stream, max_line);
    loop {
        while let Some(line) = lines.take() {
            // A longer line is dropped: it could not be translated.
            if let Line::Bytes(line) = line
                && between.lock().await.line(line, direction).await.is_err()
            {
                return;
            }
        }
        if lines.fill().await.unwrap_or(0) == 0 {
            break;
        }
    }
    if let Some(rest) = lines.rest() {
        // An error means that our side is gone.
        let _ = between.lock().await.line(rest, direction).await;
    }
}

impl Between {
    /// Errors when our side reads no more.
    async fn line(&mut self, line: &[u8], direction: Direction) -> std::io::Result<()> {
        match direction {
            Direction::ToAgent => self.tap.record_plain(direction, line).await,
            Direction::FromAgent => self.tap.record(direction, line).await,
        }
        let text = readable(line);
        let repaired = matches!(text, Cow::Owned(_));
        let mut out = Out::default();
        match tree(&text) {
            // A path with other characters names another file.
            Some(message) if repaired && direction == Direction::FromAgent && is_look(&message) => {
                let method = message["method"].as_str().unwrap_or_default();
                let error = not_whole(method);
                let error = super::error(error.code, &error.message);
                out.to_agent
                    .push(json!({ "id": message["id"], "error": error }));
            }
            Some(message) if message.is_object() => match direction {
                Direction::ToAgent => self.threads.client_said(&message, &mut out),
                Direction::FromAgent => self.threads.agent_said(&message, &mut out),
            },
            // Noise is our reader's to tell; marked, so that it is nothing else there.
            _ => {
                self.to_client.write_all(b"? ").await?;
                self.to_client.write_all(line).await?;
                return self.to_client.write_all(b"\n").await;
            }
        }
        self.heard.send_replace(());
        self.pass_on(out).await
    }

    async fn pass_on(&mut self, out: Out) -> std::io::Result<()> {
        for message in out.to_agent {
            self.outbox.push(message.to_string().into_bytes());
        }
        for message in out.to_client {
            let mut line = message.to_string().into_bytes();
            self.tap.record_plain(Direction::FromAgent, &line).await;
            line.push(b'\n');
            self.to_client.write_all(&line).await?;
        }
        self.tap.flush().await;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncBufReadExt, BufReader};

    use super::*;

    #[tokio::test]
    async fn a_path_that_is_not_whole_names_no_file() {
        let (stdin, agents_stdin) = duplex(WAITING);
        let (mut agents_stdout, stdout) = duplex(WAITING);
        let _ends = bridge(stdin, stdout, "/p".into(), WAITING, Tap::new(None));
        let line = br#"{"id":1,"method":"stat","params":{"threadId":"t","path":"a\ud800"}}"#;
        agents_stdout.write_all(line).await.expect("open");
        agents_stdout.write_all(b"\n").await.expect("open");
        let mut answer = String::new();
        let mut lines = BufReader::new(agents_stdin);
        lines.read_line(&mut answer).await.expect("an answer");
        let answer: serde_json::Value = serde_json::from_str(&answer).expect("JSON");
        assert_eq!(answer["error"]["code"], crate::model::code::INVALID_PARAMS);
    }
}
