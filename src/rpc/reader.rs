//! The task that reads what the agent sends.

use std::{borrow::Cow, sync::Arc};

use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::{
    io::AsyncRead,
    time::{Instant, sleep_until},
};
use tracing::{debug, trace};

use crate::{
    model::{AgentExit, CallResult, CallTag, FromAgent, RequestKey, RpcError, code},
    rpc::{
        Direction, Peer, Sender, Tap,
        envelope::{self, Answers, Message, Outcome},
        error::decode_error,
        lines::{Line, Lines, not_whole, readable},
        pace::Pace,
        peer::Answered,
        queue::Closed,
    },
    text::{SafeText, without_colours},
};

/// Characters quoted of a line that was not understood.
const QUOTED_CHARS: usize = 200;

/// What a connection delivers, in wire order.
#[derive(Clone, PartialEq, Debug)]
pub enum Inbound {
    FromAgent(FromAgent),
    /// The last item. No call that is still open will be answered any more (V1-RPC-19).
    Exited(AgentExit),
}

/// What methods, params and results mean. All JSON is given as text. Called on the reader's task,
/// so it must not wait.
pub trait Protocol: Send {
    /// Appends the events of a notification; none for an unknown one (V1-RPC-10).
    fn notification(&mut self, method: &str, params: &str, out: &mut Vec<FromAgent>);

    /// # Errors
    /// The answer that the agent gets at once: -32601, -32602.
    fn request(
        &mut self,
        key: RequestKey,
        method: &str,
        params: &str,
    ) -> Result<FromAgent, RpcError>;

    fn result(&mut self, call: &CallTag, result: &str) -> CallResult;

    /// Whether what such a request says is meant to the letter, as what is written to a file is. Its text
    /// must not have been repaired then.
    fn is_literal(&self, _method: &str) -> bool {
        false
    }

    /// What an error says that answers a call.
    fn error(&mut self, _call: &CallTag, error: &str) -> RpcError {
        decode_error(error)
    }

    fn answers(&self) -> Answers {
        Answers::Tagged
    }

    /// Whether a request may have `null` for its id (V1-RPC-06, V2-RPC-01).
    fn takes_null_ids(&self) -> bool {
        true
    }

    /// Whether an answer without `jsonrpc` to this call is one all the same, though others are not
    /// taken.
    fn takes_bare(&mut self, _call: &CallTag, _answer: Result<&str, &str>) -> bool {
        false
    }

    /// A request or notification of that method came without `jsonrpc` (D-04).
    fn untagged(&mut self, _method: &str) {}

    /// What the message just read says besides its meaning; asked for after each message.
    fn aside(&mut self) -> Aside {
        Aside::default()
    }
}

/// What the answer to a call means.
pub fn call_result(
    protocol: &mut impl Protocol,
    call: &CallTag,
    outcome: &Outcome<'_>,
) -> CallResult {
    match outcome {
        Outcome::Result(result) => protocol.result(call, result),
        Outcome::Error(error) => CallResult::Failed(protocol.error(call, error)),
        Outcome::Unclear => CallResult::Failed(RpcError::new(
            code::INTERNAL,
            "the agent's answer has not exactly one of result and error",
        )),
    }
}

/// See [`Protocol::aside`].
#[derive(Default)]
pub struct Aside {
    /// Goes before what the message says.
    pub said: Vec<FromAgent>,
    /// A message in a dialect, translated into v1: for the wire log.
    pub plain: Option<Plain>,
}

/// A message as v1 has it, as JSON text.
pub enum Plain {
    Params {
        method: &'static str,
        params: String,
    },
    Result(String),
    Error(String),
}

impl Plain {
    fn line(&self, id: Option<&RawValue>) -> Vec<u8> {
        let id = id.map_or_else(String::new, |id| format!(r#""id":{id},"#));
        let rest = match self {
            Self::Params { method, params } => format!(r#""method":"{method}","params":{params}"#),
            Self::Result(result) => format!(r#""result":{result}"#),
            Self::Error(error) => format!(r#""error":{error}"#),
        };
        format!(r#"{{"jsonrpc":"2.0",{id}{rest}}}"#).into_bytes()
    }
}

/// Reads messages, keeps the peer's tables, and puts what they mean into the inbound queue.
pub struct Reader<P> {
    peer: Arc<Peer>,
    protocol: P,
    inbox: Sender<Inbound>,
    tap: Tap,
    noise: u64,
    /// Reused: what one notification said.
    said: Vec<FromAgent>,
    /// The message just read, translated into v1, if it was in a dialect.
    plain: Option<Vec<u8>>,
    /// A notification came since the last rest, and something else: an agent or a person waits for that.
    notified: bool,
    urgent: bool,
}

impl<P: Protocol> Reader<P> {
    pub fn new(peer: Arc<Peer>, protocol: P, inbox: Sender<Inbound>, tap: Tap) -> Self {
        Self {
            peer,
            protocol,
            inbox,
            tap,
            noise: 0,
            said: Vec::new(),
            plain: None,
            notified: false,
            urgent: false,
        }
    }

    /// Reads to the end of the stream, until the receiver is gone, or until `over` is ready while the
    /// stream is silent. Skips and reports lines of more than `max_line` bytes. Returns the queue, for
    /// the last message.
    pub async fn run(
        mut self,
        stream: impl AsyncRead + Unpin,
        max_line: usize,
        over: impl Future<Output = ()>,
    ) -> Sender<Inbound> {
        let mut lines = Lines::new(stream, max_line);
        let mut over = std::pin::pin!(over);
        let mut pace = Pace::default();
        loop {
            while let Some(line) = lines.take() {
                match line {
                    Line::Bytes(line) => self.line(line).await,
                    Line::Oversized => {
                        let skipped = FromAgent::Oversized { limit: max_line };
                        self.inbox.push(Inbound::FromAgent(skipped), 0);
                    }
                }
                if self.inbox.is_full() && self.deliver().await.is_err() {
                    return self.inbox;
                }
            }
            if self.deliver().await.is_err() {
                return self.inbox;
            }
            // A full stdin of the agent stops us here, not in the writer's queue.
            self.peer.outbox().ready().await;
            self.rest(&mut pace).await;
            let more = tokio::select! {
                biased;
                more = lines.fill() => more,
                () = &mut over => break,
            };
            match more {
                Ok(0) => break,
                Ok(bytes) => pace.read(bytes),
                Err(error) => {
                    debug!(%error, "reading from the agent failed");
                    break;
                }
            }
        }
        if let Some(line) = lines.rest() {
            self.line(line).await;
        }
        // An error means that the receiver is gone.
        let _ = self.deliver().await;
        self.inbox
    }

    /// Lets the next words of a stream come together, if that is what comes.
    async fn rest(&mut self, pace: &mut Pace) {
        let notified = std::mem::take(&mut self.notified);
        let urgent = std::mem::take(&mut self.urgent);
        if notified
            && !urgent
            && let Some(until) = pace.rest(Instant::now().into_std())
        {
            sleep_until(Instant::from_std(until)).await;
        }
    }

    async fn deliver(&mut self) -> Result<(), Closed> {
        self.tap.flush().await;
        self.inbox.flush().await
    }

    async fn line(&mut self, line: &[u8]) {
        self.tap.record(Direction::FromAgent, line).await;
        let text = readable(line);
        if !text.is_empty() {
            self.message(&text, matches!(text, Cow::Owned(_)));
        }
        if let Some(plain) = self.plain.take() {
            self.tap.record_plain(Direction::FromAgent, &plain).await;
        }
    }

    /// `repaired`: it is not quite what the agent has sent.
    fn message(&mut self, line: &str, repaired: bool) {
        let message = envelope::parse(line, self.protocol.answers());
        match message {
            Message::Notification { .. } => self.notified = true,
            _ => self.urgent = true,
        }
        match message {
            Message::Notification { method, params, .. } if method == "$/cancel_request" => {
                self.cancel_request(params);
            }
            Message::Notification {
                method,
                params,
                tagged,
            } => {
                if !tagged {
                    self.protocol.untagged(&method);
                }
                self.protocol.notification(&method, params, &mut self.said);
                self.aside(None);
                if self.said.is_empty() {
                    trace!(%method, "unknown notification");
                }
                // What it weighs is counted once, however many events it became.
                let mut weight = line.len();
                for said in self.said.drain(..) {
                    self.inbox.push(Inbound::FromAgent(said), weight);
                    weight = 0;
                }
            }
            Message::Request {
                id,
                method,
                params,
                tagged,
            } => {
                if !tagged {
                    self.protocol.untagged(&method);
                }
                self.request(id, &method, params, line, repaired);
            }
            Message::Response { id, outcome } => self.response(id, &outcome, line),
            Message::Invalid { id } => {
                let error = RpcError::new(code::INVALID_REQUEST, "Invalid request");
                self.peer.answer_error(&id, &error);
            }
            Message::Noise if self.bare_answer(line) => {}
            Message::Noise => {
                let quoted: String = line.chars().take(QUOTED_CHARS).collect();
                let quoted = without_colours(&quoted);
                self.noise(SafeText::line(&quoted), line.len());
            }
        }
    }

    fn request(&mut self, id: &RawValue, method: &str, params: &str, line: &str, repaired: bool) {
        if id.get() == "null" && !self.protocol.takes_null_ids() {
            let error = RpcError::new(code::INVALID_REQUEST, "Invalid request");
            return self.peer.answer_error(id, &error);
        }
        let Some(key) = self.peer.open_request(id) else {
            return;
        };
        let request = if repaired && self.protocol.is_literal(method) {
            Err(not_whole(method))
        } else {
            self.protocol.request(key, method, params)
        };
        self.aside(Some(id));
        match request {
            Ok(mut word) => {
                if let FromAgent::Request { request, .. } = &mut word
                    && let Some((of, caller)) = request.scope_mut()
                {
                    *caller = self.peer.asks_for(of);
                }
                self.inbox.push(Inbound::FromAgent(word), line.len());
            }
            Err(error) => {
                debug!(method, code = error.code, "request refused");
                self.peer.answer(key, Err::<(), _>(error));
            }
        }
    }

    /// An answer without `jsonrpc`, where the protocol takes that one: whether it was.
    fn bare_answer(&mut self, line: &str) -> bool {
        let Message::Response {
            id: Some(id),
            outcome,
        } = envelope::parse(line, Answers::Bare)
        else {
            return false;
        };
        let Some(call) = self.peer.open_call(id) else {
            return false;
        };
        let answer = match outcome {
            Outcome::Result(result) => Ok(result),
            Outcome::Error(error) => Err(error),
            Outcome::Unclear => return false,
        };
        if !self.protocol.takes_bare(&call, answer) {
            return false;
        }
        self.response(Some(id), &outcome, line);
        true
    }

    fn response(&mut self, id: Option<&RawValue>, outcome: &Outcome<'_>, line: &str) {
        let call = match id {
            Some(id) => self.peer.take_call(id),
            None => self.peer.take_only_call(),
        };
        let Some(Answered {
            caller,
            call,
            asking,
        }) = call
        else {
            debug!(?id, "an answer to no open call (V1-RPC-16)");
            return;
        };
        let result = call_result(&mut self.protocol, &call, outcome);
        self.aside(id);
        if let Some(request) = asking {
            let over = FromAgent::CallOver { caller, request };
            self.inbox.push(Inbound::FromAgent(over), 0);
        }
        let reply = FromAgent::Reply {
            caller,
            call,
            result,
        };
        self.inbox.push(Inbound::FromAgent(reply), line.len());
    }

    fn aside(&mut self, id: Option<&RawValue>) {
        let aside = self.protocol.aside();
        for said in aside.said {
            self.inbox.push(Inbound::FromAgent(said), 0);
        }
        self.plain = aside.plain.map(|plain| plain.line(id));
    }

    /// Ids that are unknown or answered are ignored (V1-CAN-10).
    fn cancel_request(&mut self, params: &str) {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Cancel<'a> {
            #[serde(borrow)]
            request_id: &'a RawValue,
        }
        let key = serde_json::from_str::<Cancel<'_>>(params)
            .ok()
            .and_then(|cancel| self.peer.find_request(cancel.request_id));
        if let Some(key) = key {
            let cancel = FromAgent::CancelRequest { key };
            self.inbox.push(Inbound::FromAgent(cancel), 0);
        }
    }

    fn noise(&mut self, what: SafeText, bytes: usize) {
        self.noise += 1;
        let noise = FromAgent::Noise {
            what,
            bytes,
            count: self.noise,
        };
        self.inbox.push(Inbound::FromAgent(noise), QUOTED_CHARS);
    }
}
