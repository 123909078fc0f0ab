//! What is known of each thread: its turn, and what was said in it.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

/// Entries of a thread that are kept for an agent that asks for them, and their bytes; the oldest go
/// first.
const MAX_ENTRIES: usize = 1_000;
const MAX_BYTES: usize = 1 << 20;

/// Threads that an agent may make here.
const MAX_THREADS: usize = 1_000;

#[derive(Default)]
pub struct Store {
    threads: BTreeMap<String, Thread>,
    created: u64,
}

#[derive(Default)]
struct Thread {
    turn: Option<Turn>,
    /// Of the last turn: what comes after a cancel is not shown (D-42).
    cancelled: bool,
    entries: Vec<Value>,
    /// Bytes of the entries, about.
    weight: usize,
    /// Of its last entry, RFC 3339.
    modified: String,
}

struct Turn {
    /// Of our prompt.
    id: Value,
    /// The prompt was answered.
    answered: bool,
    /// The agent ended the turn by name.
    ended: bool,
    /// The agent has said something in it.
    said: bool,
    /// And that before it answered the prompt.
    said_first: bool,
}

impl Store {
    pub fn open(&mut self, thread: &str) {
        if self.threads.len() < MAX_THREADS {
            let thread = self.threads.entry(thread.to_owned()).or_default();
            if thread.modified.is_empty() {
                thread.modified = now();
            }
        }
    }

    pub fn is_open(&self, thread: &str) -> bool {
        self.threads.contains_key(thread)
    }

    pub fn is_cancelled(&self, thread: &str) -> bool {
        self.threads
            .get(thread)
            .is_some_and(|thread| thread.cancelled)
    }

    /// The protocol has no message for it.
    pub fn cancel(&mut self, thread: &str) {
        if let Some(thread) = self.threads.get_mut(thread) {
            thread.cancelled = thread.turn.is_some();
        }
    }

    pub fn prompt(&mut self, thread: &str, id: Value, text: &str) {
        let chunks = json!([{ "type": "text", "chunk": text }]);
        self.keep(thread, &json!({ "role": "user", "chunks": chunks }));
        let thread = self.threads.entry(thread.to_owned()).or_default();
        thread.cancelled = false;
        thread.turn = Some(Turn {
            id,
            answered: false,
            ended: false,
            said: false,
            said_first: false,
        });
    }

    pub fn answered(&mut self, thread: &str) {
        if let Some(turn) = self.turn(thread) {
            turn.answered = true;
            turn.said_first = turn.said;
        }
    }

    pub fn end_named(&mut self, thread: &str) {
        if let Some(turn) = self.turn(thread) {
            turn.ended = true;
        }
    }

    /// The prompt's id and whether it was cancelled, once the turn is over. A prompt that was answered
    /// before anything was said in its turn has only arrived: then only `quiet` ends it.
    pub fn ended(
        &mut self,
        thread: &str,
        must_be_named: bool,
        quiet: bool,
    ) -> Option<(Value, bool)> {
        let thread = self.threads.get_mut(thread)?;
        let cancelled = thread.cancelled;
        let over = |turn: &mut Turn| {
            let done = turn.ended || (!must_be_named && (quiet || turn.said_first || cancelled));
            turn.answered && done
        };
        let turn = thread.turn.take_if(over)?;
        Some((turn.id, cancelled))
    }

    /// Threads whose turn goes on behind the prompt's answer, and whether something was said in all of
    /// those turns.
    pub fn open_ended(&self) -> (Vec<String>, bool) {
        let mut all_said = true;
        let open = self.threads.iter().filter(|(_, thread)| {
            let turn = thread.turn.as_ref().filter(|turn| turn.answered);
            all_said &= turn.is_none_or(|turn| turn.said);
            turn.is_some()
        });
        let open = open.map(|(id, _)| id.clone()).collect();
        (open, all_said)
    }

    /// The prompt failed.
    pub fn give_up(&mut self, thread: &str) -> Option<Value> {
        let turn = self.threads.get_mut(thread)?.turn.take()?;
        Some(turn.id)
    }

    fn turn(&mut self, thread: &str) -> Option<&mut Turn> {
        self.threads.get_mut(thread)?.turn.as_mut()
    }

    /// A message, as an entry.
    pub fn keep(&mut self, thread: &str, message: &Value) {
        if let Some(thread) = self.threads.get_mut(thread) {
            let (role, chunks) = (&message["role"], &message["chunks"]);
            thread.push(json!({ "type": "message", "role": role, "chunks": chunks }));
        }
    }

    /// A piece of the agent's message.
    pub fn said(&mut self, thread: &str, chunk: &Value) {
        let Some(thread) = self.threads.get_mut(thread) else {
            return;
        };
        if let Some(turn) = &mut thread.turn {
            turn.said = true;
        }
        let last = thread.entries.last_mut();
        let open = last.filter(|entry| entry["role"] == "assistant");
        match open.and_then(|entry| entry["chunks"].as_array_mut()) {
            Some(chunks) if chunks.len() < MAX_ENTRIES => {
                chunks.push(chunk.clone());
                thread.grown(weight(chunk));
            }
            _ => {
                let message = json!({ "type": "message", "role": "assistant", "chunks": [chunk] });
                thread.push(message);
            }
        }
    }

    pub fn create(&mut self) -> String {
        self.created += 1;
        let thread = format!("acp-tui-{}", self.created);
        self.open(&thread);
        thread
    }

    pub fn list(&self) -> Value {
        let threads: Vec<Value> = self
            .threads
            .iter()
            .map(|(id, thread)| json!({ "id": id, "title": id, "modifiedAt": thread.modified }))
            .collect();
        json!({ "threads": threads })
    }

    pub fn entries(&self, thread: &str) -> Vec<Value> {
        let thread = self.threads.get(thread);
        thread
            .map(|thread| thread.entries.clone())
            .unwrap_or_default()
    }
}

impl Thread {
    fn push(&mut self, entry: Value) {
        let bytes = weight(&entry);
        self.entries.push(entry);
        self.grown(bytes);
    }

    fn grown(&mut self, bytes: usize) {
        self.weight += bytes;
        self.modified = now();
        while self.entries.len() > MAX_ENTRIES
            || (self.weight > MAX_BYTES && !self.entries.is_empty())
        {
            self.weight = self.weight.saturating_sub(weight(&self.entries.remove(0)));
        }
    }
}

fn weight(entry: &Value) -> usize {
    entry.to_string().len()
}

fn now() -> String {
    OffsetDateTime::now_utc()
        .format(&Rfc3339)
        .unwrap_or_default()
}
