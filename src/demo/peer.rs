//! JSON-RPC on stdin and stdout, the plain way: one reader thread, blocking requests.

use std::{
    collections::HashMap,
    fmt,
    io::{self, BufRead, Write},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
        mpsc,
    },
    time::Duration,
};

use serde_json::{Value, json};

/// A request of the client, or a notification (no id).
pub struct Message {
    pub id: Option<Value>,
    pub method: String,
    pub params: Value,
}

/// What waits for the client's answers, and the flags that cancels set. Shared with the reader.
#[derive(Default)]
struct Shared {
    answers: Mutex<HashMap<u64, Result<Value, Value>>>,
    answered: Condvar,
    next_id: AtomicU64,
    /// Turns that are open, by session; a cancel sets the flag.
    turns: Mutex<HashMap<String, Arc<AtomicBool>>>,
    /// stdin has ended: no answer will come.
    closed: AtomicBool,
}

#[derive(Clone)]
pub struct Peer {
    shared: Arc<Shared>,
    /// Of the turn that it is for, and of those that this one belongs to.
    cancelled: Vec<Arc<AtomicBool>>,
}

/// The turn was cancelled, or the client is gone: unwind to the turn's end.
#[derive(Debug)]
pub struct Stopped;

impl Peer {
    /// Starts the reader. The receiver yields what the client sends but answers and cancels; it
    /// ends with stdin.
    pub fn start() -> (Self, mpsc::Receiver<Message>) {
        let peer = Self {
            shared: Arc::default(),
            cancelled: Vec::new(),
        };
        let (sender, inbox) = mpsc::channel();
        let reader = peer.clone();
        std::thread::spawn(move || reader.read_all(&sender));
        (peer, inbox)
    }

    fn read_all(&self, inbox: &mpsc::Sender<Message>) {
        for line in io::stdin().lock().lines() {
            let Ok(line) = line else { break };
            let Ok(mut message) = serde_json::from_str::<Value>(&line) else {
                continue;
            };
            let id = message.get("id").cloned();
            let params = message["params"].take();
            match message["method"].as_str() {
                Some("session/cancel") => {
                    self.cancel(params["sessionId"].as_str().unwrap_or_default());
                }
                Some(method) => {
                    let method = method.to_owned();
                    if inbox.send(Message { id, method, params }).is_err() {
                        break;
                    }
                }
                None => {
                    let Some(id) = id.as_ref().and_then(Value::as_u64) else {
                        continue;
                    };
                    let answer = match message.get_mut("error") {
                        Some(error) => Err(error.take()),
                        None => Ok(message["result"].take()),
                    };
                    lock(&self.shared.answers).insert(id, answer);
                    self.shared.answered.notify_all();
                }
            }
        }
        self.stop(&self.shared.closed);
    }

    fn stop(&self, flag: &AtomicBool) {
        let guard = lock(&self.shared.answers);
        flag.store(true, Ordering::SeqCst);
        drop(guard);
        self.shared.answered.notify_all();
    }

    /// A turn of that session begins, or of a subagent within this one.
    pub fn begin_turn(&self, session: &str) -> Self {
        let flag = Arc::new(AtomicBool::new(false));
        lock(&self.shared.turns).insert(session.to_owned(), flag.clone());
        let mut turn = self.clone();
        turn.cancelled.push(flag);
        turn
    }

    pub fn end_turn(&self, session: &str) {
        lock(&self.shared.turns).remove(session);
    }

    /// Stops the turn of that session, if one is open.
    pub fn cancel(&self, session: &str) {
        let flag = lock(&self.shared.turns).get(session).cloned();
        if let Some(flag) = flag {
            self.stop(&flag);
        }
    }

    /// Whether the turn is to end now.
    pub fn check(&self) -> Result<(), Stopped> {
        let stopped = self
            .cancelled
            .iter()
            .any(|flag| flag.load(Ordering::SeqCst))
            || self.shared.closed.load(Ordering::SeqCst);
        if stopped { Err(Stopped) } else { Ok(()) }
    }

    /// Sleeps, but no longer than until a cancel.
    pub fn pause(&self, time: Duration) -> Result<(), Stopped> {
        let guard = lock(&self.shared.answers);
        let running = |_: &mut HashMap<_, _>| self.check().is_ok();
        let waited = self
            .shared
            .answered
            .wait_timeout_while(guard, time, running);
        drop(waited);
        self.check()
    }

    pub fn notify(&self, method: &str, params: Value) {
        send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    pub fn reply(&self, id: &Value, result: Result<Value, Value>) {
        send(&match result {
            Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
            Err(error) => json!({"jsonrpc": "2.0", "id": id, "error": error}),
        });
    }

    /// Asks the client without waiting for its answer; gives the request's id.
    /// `params` is JSON on one line, so that its members can be in the order wanted.
    pub fn fire(&self, method: &str, params: impl fmt::Display) -> u64 {
        let id = self.shared.next_id.fetch_add(1, Ordering::SeqCst) + 1;
        let method = json!(method);
        send(&format_args!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":{method},"params":{params}}}"#
        ));
        id
    }

    /// Asks the client and waits: for a permission, as long as the person takes. `Ok(Err(…))` is
    /// the client's error.
    pub fn request(
        &self,
        method: &str,
        params: impl fmt::Display,
    ) -> Result<Result<Value, Value>, Stopped> {
        let id = self.fire(method, params);
        let mut answers = lock(&self.shared.answers);
        loop {
            if let Some(answer) = answers.remove(&id) {
                return Ok(answer);
            }
            self.check()?;
            answers = self
                .shared
                .answered
                .wait(answers)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}

fn send(message: &impl ToString) {
    let mut line = message.to_string();
    line.push('\n');
    // A client that is gone is noticed at stdin.
    let mut stdout = io::stdout().lock();
    let _ = stdout
        .write_all(line.as_bytes())
        .and_then(|()| stdout.flush());
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
