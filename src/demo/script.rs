//! The steps of a scripted turn: each sends what a real agent would.

use std::{
    path::{Path, PathBuf},
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

use serde_json::{Value, json};

use super::{
    options::{Choices, Pace, Thoughts},
    peer::{Peer, Stopped},
};

/// How a permission request ended.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    Allowed,
    Rejected,
}

/// What the client offers beyond what every client has.
#[derive(Clone, Copy, Default)]
pub struct Offers {
    pub forms: bool,
    pub pages: bool,
    /// Plans with ids.
    pub plans: bool,
    pub subagents: bool,
}

/// Entries of a plan, `done` of them behind it and the next one at work.
pub fn plan_entries(entries: &[&str], done: usize) -> Value {
    let entry = |(at, content): (usize, &&str)| {
        let status = match at {
            at if at < done => "completed",
            at if at == done => "in_progress",
            _ => "pending",
        };
        json!({"content": content, "priority": "medium", "status": status})
    };
    entries.iter().enumerate().map(entry).collect()
}

pub struct Script<'a> {
    peer: &'a Peer,
    session: &'a str,
    pub scratch: &'a Path,
    pub cwd: &'a Path,
    choices: Choices,
    /// Tool calls announced so far in this session: their ids.
    calls: &'a AtomicU32,
    pub offers: Offers,
}

type Step<T = ()> = Result<T, Stopped>;

impl<'a> Script<'a> {
    pub fn new(
        peer: &'a Peer,
        session: &'a str,
        (scratch, cwd): (&'a Path, &'a Path),
        choices: Choices,
        calls: &'a AtomicU32,
        offers: Offers,
    ) -> Self {
        Self {
            peer,
            session,
            scratch,
            cwd,
            choices,
            calls,
            offers,
        }
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.scratch.join(name)
    }

    /// A pause at the calm pace.
    pub fn pause(&self, milliseconds: u64) -> Step {
        match self.choices.pace {
            Pace::Calm => self.peer.pause(Duration::from_millis(milliseconds)),
            Pace::Swift => self.peer.check(),
        }
    }

    pub fn update(&self, update: Value) -> Step {
        self.peer.check()?;
        self.tell(update);
        Ok(())
    }

    /// The same in a turn that was stopped, too.
    pub fn tell(&self, update: Value) {
        let params = json!({"sessionId": self.session, "update": update});
        self.peer.notify("session/update", params);
    }

    /// Streams markdown word by word.
    pub fn say(&self, text: &str) -> Step {
        self.stream("agent_message_chunk", text, 14)
    }

    pub fn think(&self, text: &str) -> Step {
        let text = match self.choices.thoughts {
            Thoughts::Full => text,
            Thoughts::Brief => text.split_inclusive(". ").next().unwrap_or(text).trim_end(),
            Thoughts::Off => return Ok(()),
        };
        self.stream("agent_thought_chunk", text, 22)
    }

    fn stream(&self, kind: &str, text: &str, pace: u64) -> Step {
        for piece in text.split_inclusive([' ', '\n']) {
            self.update(json!({
                "sessionUpdate": kind,
                "content": {"type": "text", "text": piece},
            }))?;
            self.pause(pace)?;
        }
        Ok(())
    }

    /// A plan that is only there where plans are wanted.
    pub fn tour_plan(&self, entries: &[&str], done: usize) -> Step {
        if self.choices.plans {
            self.plan(entries, done)
        } else {
            self.peer.check()
        }
    }

    /// The plan, with `done` entries behind it and the next one at work.
    pub fn plan(&self, entries: &[&str], done: usize) -> Step {
        let entries = plan_entries(entries, done);
        self.update(json!({"sessionUpdate": "plan", "entries": entries}))
    }

    /// Of this process alone: a resumed session goes on below the calls of the one before.
    pub fn next_id(&self, kind: &str) -> String {
        let number = self.calls.fetch_add(1, Ordering::SeqCst) + 1;
        format!("{kind}-{:x}-{number}", std::process::id())
    }

    /// Has a subagent play: a session of its own, which can be stopped alone.
    pub fn subagent(&self, title: &str, task: &str, play: impl FnOnce(&Script) -> Step) -> Step {
        let id = format!("{}-{}", self.session, self.next_id("sub"));
        let tell = |more: Value| {
            let mut update = json!({"sessionUpdate": "subagent_update", "sessionId": id});
            merge(&mut update, more);
            self.tell(update);
        };
        self.peer.check()?;
        tell(json!({
            "title": title, "description": task, "capabilities": {"cancel": {}},
            "state": {"state": "running"},
        }));
        let peer = self.peer.begin_turn(&id);
        let child = Script {
            peer: &peer,
            session: &id,
            ..*self
        };
        let task = json!({
            "sessionUpdate": "session_message", "messageId": child.next_id("message"),
            "senderSessionId": self.session, "recipientSessionId": id,
            "content": [{"type": "text", "text": task}],
        });
        let played = child.update(task).and_then(|()| play(&child));
        self.peer.end_turn(&id);
        let reason = match played {
            Ok(()) => "end_turn",
            Err(Stopped) => "cancelled",
        };
        // Also in a turn that was stopped: it rests.
        tell(json!({"state": {"state": "idle", "stopReason": reason}}));
        self.peer.check()
    }

    /// Announces a tool call and gives its id.
    pub fn tool(&self, kind: &str, title: &str, extra: Value) -> Step<String> {
        let id = self.next_id("call");
        let mut update = json!({
            "sessionUpdate": "tool_call",
            "toolCallId": id,
            "kind": kind,
            "title": title,
            "status": "pending",
        });
        merge(&mut update, extra);
        self.update(update)?;
        Ok(id)
    }

    pub fn tool_update(&self, id: &str, status: &str, extra: Value) -> Step {
        let mut update =
            json!({"sessionUpdate": "tool_call_update", "toolCallId": id, "status": status});
        merge(&mut update, extra);
        self.update(update)
    }

    /// Asks the person, with three of the four kinds of option.
    pub fn ask(&self, id: &str, extra: Value) -> Step<Answer> {
        let mut call = json!({"toolCallId": id});
        merge(&mut call, extra);
        let reply = self.peer.request(
            "session/request_permission",
            json!({
                "sessionId": self.session,
                "toolCall": call,
                "options": [
                    {"optionId": "yes", "name": "Yes, once", "kind": "allow_once"},
                    {"optionId": "always", "name": "Yes, and don't ask again", "kind": "allow_always"},
                    {"optionId": "no", "name": "No", "kind": "reject_once"},
                ],
            }),
        )?;
        let reply = reply.unwrap_or_default();
        match reply["outcome"]["optionId"].as_str() {
            Some("yes" | "always") => Ok(Answer::Allowed),
            Some(_) => Ok(Answer::Rejected),
            None => Err(Stopped),
        }
    }

    /// Asks the person by a form or a page; gives `action` and `content` of the answer.
    pub fn elicit(&self, message: &str, mode: Value) -> Step<Value> {
        let mut params = json!({"sessionId": self.session, "message": message});
        merge(&mut params, mode);
        let reply = self.peer.request("elicitation/create", params)?;
        Ok(reply.unwrap_or_default())
    }

    /// As [`Script::elicit`], by a form whose schema is JSON text: its fields are in order.
    pub fn elicit_form(&self, message: &str, schema: &str) -> Step<Value> {
        let params = format!(
            r#"{{"sessionId":{},"message":{},"mode":"form","requestedSchema":{}}}"#,
            json!(self.session),
            json!(message),
            schema.replace('\n', " ")
        );
        let reply = self.peer.request("elicitation/create", params)?;
        Ok(reply.unwrap_or_default())
    }

    /// What a page was opened for is done.
    pub fn page_done(&self, id: &str) {
        self.peer
            .notify("elicitation/complete", json!({ "elicitationId": id }));
    }

    /// Reads through the client; `Err` is what the client said.
    pub fn read(&self, path: &Path) -> Step<Result<String, String>> {
        let params = json!({"sessionId": self.session, "path": path});
        let reply = self.peer.request("fs/read_text_file", params)?;
        Ok(reply
            .map(|result| result["content"].as_str().unwrap_or_default().to_owned())
            .map_err(|error| message(&error)))
    }

    /// Writes through the client.
    pub fn write(&self, path: &Path, content: &str) -> Step<Result<(), String>> {
        let params = json!({"sessionId": self.session, "path": path, "content": content});
        let reply = self.peer.request("fs/write_text_file", params)?;
        Ok(reply.map(drop).map_err(|error| message(&error)))
    }

    /// Runs a command in a terminal of the client, shown in the tool call `id`, and ends that; gives
    /// its exit code.
    pub fn run(&self, id: &str, command: &str) -> Step<Option<i64>> {
        self.run_in(self.scratch, id, command)
    }

    pub fn run_in(&self, cwd: &Path, id: &str, command: &str) -> Step<Option<i64>> {
        let created = self.peer.request(
            "terminal/create",
            json!({
                "sessionId": self.session,
                "command": "sh",
                "args": ["-c", command],
                "cwd": cwd,
                "outputByteLimit": 100_000,
            }),
        )?;
        let terminal = match created {
            Ok(result) => result["terminalId"].clone(),
            Err(error) => {
                let text = message(&error);
                self.tool_update(id, "failed", json!({"content": [text_content(&text)]}))?;
                return Ok(None);
            }
        };
        self.tool_update(
            id,
            "in_progress",
            json!({"content": [{"type": "terminal", "terminalId": terminal}]}),
        )?;
        let params = json!({"sessionId": self.session, "terminalId": terminal});
        let exit = self.peer.request("terminal/wait_for_exit", params.clone());
        let Ok(exit) = exit else {
            // Cancelled: the agent is the one who ends its commands.
            self.peer.fire("terminal/release", params);
            return Err(Stopped);
        };
        let code = exit.ok().and_then(|exit| exit["exitCode"].as_i64());
        let _ = self.peer.request("terminal/release", params)?;
        let status = if code == Some(0) {
            "completed"
        } else {
            "failed"
        };
        self.tool_update(id, status, json!({}))?;
        Ok(code)
    }
}

pub fn text_content(text: &str) -> Value {
    json!({"type": "content", "content": {"type": "text", "text": text}})
}

fn message(error: &Value) -> String {
    error["message"]
        .as_str()
        .unwrap_or("the client refused")
        .to_owned()
}

fn merge(into: &mut Value, extra: Value) {
    if let (Some(into), Value::Object(extra)) = (into.as_object_mut(), extra) {
        into.extend(extra);
    }
}
