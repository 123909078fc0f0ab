//! Our end of one connection: which calls wait for the agent, and which of its requests for us.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::{Mutex, MutexGuard, PoisonError},
};

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use tracing::debug;

use crate::{
    model::{CallTag, ConnectionId, RequestKey, RpcError, SessionKey, code},
    rpc::Outbox,
};

/// Requests of the agent that may be open at once; the next one is refused. Far more than a person
/// could answer, and the only bound on what an agent can pile up here.
const OPEN_REQUESTS: usize = 1_024;

/// Shared by everyone who sends and by the reader. No lock is held across a wait.
pub struct Peer {
    connection: ConnectionId,
    outbox: Outbox,
    calls: Mutex<Calls>,
    requests: Mutex<Requests>,
}

/// Requests of ours. Ids are integers from 1, since old agents read nothing else (V1-RPC-07).
#[derive(Default)]
struct Calls {
    last: u64,
    open: HashMap<u64, (SessionKey, CallTag)>,
    /// Those of them for which the agent asks the person something.
    asking: HashSet<u64>,
}

/// A call that was answered.
pub(super) struct Answered {
    pub caller: SessionKey,
    pub call: CallTag,
    /// Its id, where the agent has asked the person something for it.
    pub asking: Option<String>,
}

impl Calls {
    fn take(&mut self, id: u64) -> Option<Answered> {
        let (caller, call) = self.open.remove(&id)?;
        let asking = self.asking.remove(&id).then(|| id.to_string());
        Some(Answered {
            caller,
            call,
            asking,
        })
    }
}

/// Requests of the agent, each with its id as it was written (V1-RPC-05). Taking the id out is what
/// makes an answer the only one (V1-RPC-13).
#[derive(Default)]
struct Requests {
    last: u64,
    open: BTreeMap<u64, Box<RawValue>>,
}

#[derive(Serialize)]
struct Outgoing<'a, P: Serialize> {
    jsonrpc: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<u64>,
    method: &'a str,
    params: P,
}

#[derive(Serialize)]
struct Answer<'a> {
    jsonrpc: &'static str,
    id: &'a RawValue,
    #[serde(flatten)]
    outcome: AnswerOutcome<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum AnswerOutcome<'a> {
    Result(&'a RawValue),
    Error {
        code: i64,
        message: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        data: Option<&'a RawValue>,
    },
}

const VERSION: &str = "2.0";

impl Peer {
    pub fn new(connection: ConnectionId, outbox: Outbox) -> Self {
        Self {
            connection,
            outbox,
            calls: Mutex::default(),
            requests: Mutex::default(),
        }
    }

    pub fn outbox(&self) -> &Outbox {
        &self.outbox
    }

    /// Sends a request; its reply will come with `caller` and `tag`.
    pub fn call(&self, caller: SessionKey, tag: CallTag, method: &str, params: impl Serialize) {
        self.call_otherwise(caller, tag, (method, params), None::<(&str, ())>);
    }

    /// As [`call`](Self::call), by another method and params than the protocol has; `plain` is what
    /// it has.
    pub fn call_otherwise(
        &self,
        caller: SessionKey,
        tag: CallTag,
        (method, params): (&str, impl Serialize),
        plain: Option<(&str, impl Serialize)>,
    ) {
        // Queued under the lock, so that ids are also in order on the wire.
        let mut calls = lock(&self.calls);
        calls.last += 1;
        let id = calls.last;
        calls.open.insert(id, (caller, tag));
        let plain = plain.and_then(|(method, params)| line(Some(id), method, params));
        if let Some(line) = line(Some(id), method, params) {
            self.outbox.push_as(line, plain);
        }
    }

    pub fn notify(&self, method: &str, params: impl Serialize) {
        if let Some(line) = line(None, method, params) {
            self.outbox.push(line);
        }
    }

    /// Asks the agent to give up the caller's newest open call of that kind, which goes on waiting for
    /// its answer (V1-CAN-09).
    pub fn cancel(&self, caller: SessionKey, tag: &CallTag) {
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct Cancel {
            request_id: u64,
        }
        let calls = lock(&self.calls);
        let same = |(_, (by, open)): &(&u64, &(SessionKey, CallTag))| *by == caller && open == tag;
        let open = calls.open.iter().filter(same);
        match open.map(|(id, _)| *id).max() {
            Some(request_id) => self.notify("$/cancel_request", Cancel { request_id }),
            None => debug!(?tag, "a call to cancel that is not open"),
        }
    }

    /// Answers a request of the agent. Only the first answer counts; one for another connection is
    /// dropped.
    pub fn answer(&self, key: RequestKey, outcome: Result<impl Serialize, RpcError>) {
        let id = (key.connection == self.connection)
            .then(|| lock(&self.requests).open.remove(&key.number))
            .flatten();
        match id {
            Some(id) => match outcome {
                Ok(result) => self.answer_result(&id, result),
                Err(error) => self.answer_error(&id, &error),
            },
            None => debug!(?key, "an answer to no open request"),
        }
    }

    fn answer_result(&self, id: &RawValue, result: impl Serialize) {
        match to_raw_value(&result) {
            Ok(result) => self.push_answer(id, AnswerOutcome::Result(&result)),
            Err(_) => self.answer_error(id, &RpcError::new(code::INTERNAL, "Internal error")),
        }
    }

    pub(super) fn answer_error(&self, id: &RawValue, error: &RpcError) {
        let data = error
            .data
            .as_ref()
            // What was cut to its bound is no JSON any more.
            .and_then(|data| serde_json::from_str::<&RawValue>(&data.0).ok());
        let outcome = AnswerOutcome::Error {
            code: error.code,
            message: &error.message,
            data,
        };
        self.push_answer(id, outcome);
    }

    fn push_answer(&self, id: &RawValue, outcome: AnswerOutcome<'_>) {
        let answer = Answer {
            jsonrpc: VERSION,
            id,
            outcome,
        };
        match serde_json::to_vec(&answer) {
            Ok(line) => self.outbox.push(line),
            Err(error) => debug!(%error, "an answer of ours is no JSON"),
        }
    }

    /// Answers whatever is still open, then closes the agent's stdin: nothing is left unanswered
    /// by our going (V1-RPC-13, V1-CAN-11).
    pub fn close(&self) {
        let open = std::mem::take(&mut lock(&self.requests).open);
        let cancelled = RpcError::new(code::CANCELLED, "The client is closing");
        for id in open.values() {
            self.answer_error(id, &cancelled);
        }
        self.outbox.close();
    }

    /// Whose open call has this id; the agent asks something for it (V1-ELI-02).
    pub(super) fn asks_for(&self, id: &str) -> Option<SessionKey> {
        let number: u64 = id.parse().ok()?;
        let mut calls = lock(&self.calls);
        let caller = calls.open.get(&number).map(|(caller, _)| *caller)?;
        calls.asking.insert(number);
        Some(caller)
    }

    /// The call that this id was sent with, and is not answered yet.
    pub(super) fn open_call(&self, id: &RawValue) -> Option<CallTag> {
        let number: u64 = id.get().parse().ok()?;
        let calls = lock(&self.calls);
        calls.open.get(&number).map(|(_, call)| call.clone())
    }

    /// The call that this id was sent with, and whose it was; once.
    pub(super) fn take_call(&self, id: &RawValue) -> Option<Answered> {
        // Exactly as we wrote it: `"1"` is not `1`.
        let number = id.get().parse().ok()?;
        lock(&self.calls).take(number)
    }

    /// The one call that is open, if there is just one: what an answer without an id is for (D-04).
    pub(super) fn take_only_call(&self) -> Option<Answered> {
        let mut calls = lock(&self.calls);
        if calls.open.len() > 1 {
            return None;
        }
        let id = *calls.open.keys().next()?;
        calls.take(id)
    }

    /// `None`, and an answer that says so, where too many are open.
    pub(super) fn open_request(&self, id: &RawValue) -> Option<RequestKey> {
        let mut requests = lock(&self.requests);
        if requests.open.len() >= OPEN_REQUESTS {
            drop(requests);
            let error = RpcError::new(code::INTERNAL, "Too many open requests");
            self.answer_error(id, &error);
            return None;
        }
        requests.last += 1;
        let number = requests.last;
        requests.open.insert(number, id.to_owned());
        Some(self.key(number))
    }

    /// The newest open request with this id.
    pub(super) fn find_request(&self, id: &RawValue) -> Option<RequestKey> {
        lock(&self.requests)
            .open
            .iter()
            .rfind(|(_, open)| open.get() == id.get())
            .map(|(number, _)| self.key(*number))
    }

    fn key(&self, number: u64) -> RequestKey {
        RequestKey {
            connection: self.connection,
            number,
        }
    }
}

fn line(id: Option<u64>, method: &str, params: impl Serialize) -> Option<Vec<u8>> {
    let message = Outgoing {
        jsonrpc: VERSION,
        id,
        method,
        params,
    };
    serde_json::to_vec(&message)
        .inspect_err(|error| debug!(method, %error, "a message of ours is no JSON"))
        .ok()
}

/// The tables are whole after every statement, so a panic elsewhere does not spoil them.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
