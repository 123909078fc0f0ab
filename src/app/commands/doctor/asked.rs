//! An agent that gets one request at a time.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use crate::{
    acp::{Client, Inbound, Inbox},
    model::{
        Account, AgentExit, Call, CallResult, DialectHint, FromAgent, HostReply, RpcError,
        SessionKey, ToAgent, code,
    },
    text::SafeText,
};

use super::progress::Progress;

pub struct Asked<'a> {
    pub client: Arc<Client>,
    pub inbox: Inbox,
    /// How long it may take for each answer: launchers such as npx download first.
    pub patience: Duration,
    pub progress: &'a Progress,
    /// What it showed of its dialect.
    pub dialect: Vec<DialectHint>,
    /// Who is signed in.
    pub account: Option<Account>,
    /// The first line of its stdout that was no message.
    pub noise: Option<SafeText>,
}

/// Why there is no answer.
pub enum NoAnswer {
    Silent,
    Ended(AgentExit),
}

impl Asked<'_> {
    /// One call. What else the agent sends meanwhile is passed over, but for what tells how it
    /// speaks.
    pub async fn ask(&mut self, what: &str, call: Call) -> Result<CallResult, NoAnswer> {
        self.ask_within(what, call, self.patience).await
    }

    /// The same for a call that must not hold up the others as long.
    pub async fn ask_within(
        &mut self,
        what: &str,
        call: Call,
        patience: Duration,
    ) -> Result<CallResult, NoAnswer> {
        self.client.send(SessionKey::default(), ToAgent::Call(call));
        let since = Instant::now();
        let mut ticks = tokio::time::interval(Duration::from_secs(1));
        let over = tokio::time::sleep(patience);
        tokio::pin!(over);
        let answer = loop {
            tokio::select! {
                biased;
                said = self.inbox.recv() => match said {
                    Some(Inbound::FromAgent(said)) => {
                        if let Some(result) = self.hear(said) {
                            break Ok(result);
                        }
                    }
                    Some(Inbound::Exited(exit)) => break Err(NoAnswer::Ended(exit)),
                    None => break Err(NoAnswer::Ended(AgentExit::default())),
                },
                () = &mut over => break Err(NoAnswer::Silent),
                _ = ticks.tick() => self.progress.waiting(what, since.elapsed()),
            }
        };
        self.progress.clear();
        answer
    }

    /// Who is signed in, which it may tell only a while after its start.
    pub async fn account(&mut self, patience: Duration) -> Option<&Account> {
        let waited = tokio::time::timeout(patience, async {
            while self.account.is_none() {
                match self.inbox.recv().await {
                    Some(Inbound::FromAgent(said)) => drop(self.hear(said)),
                    Some(Inbound::Exited(_)) | None => break,
                }
            }
        });
        // Then it has not told.
        let _ = waited.await;
        self.account.as_ref()
    }

    fn hear(&mut self, said: FromAgent) -> Option<CallResult> {
        match said {
            FromAgent::Reply { result, .. } => return Some(result),
            FromAgent::Account(account) => self.account = Some(account),
            FromAgent::Dialect(hint) => self.dialect.push(hint),
            FromAgent::Noise { what, .. } => {
                self.noise.get_or_insert(what);
            }
            FromAgent::Request { key, .. } => {
                // Never silence (V1-RPC-13): its answer to us may wait for ours.
                let error = RpcError::new(code::INTERNAL, "doctor serves no requests");
                let reply = HostReply::Error(error);
                let reply = ToAgent::Reply { key, reply };
                self.client.send(SessionKey::default(), reply);
            }
            _ => {}
        }
        None
    }
}
