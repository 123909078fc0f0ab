//! What went over the wire, as `--wire` logs it.

use std::path::Path;

use serde_json::Value;

pub struct Wire(Vec<Entry>);

struct Entry {
    from_agent: bool,
    message: Value,
}

impl Wire {
    pub fn read(log: &Path) -> Self {
        let text = std::fs::read_to_string(log).unwrap_or_default();
        let entry = |line: &str| {
            // The last line may not be whole yet.
            let mut line: Value = serde_json::from_str(line).ok()?;
            Some(Entry {
                from_agent: line["dir"] == "a2c",
                message: line["msg"].take(),
            })
        };
        Self(text.lines().filter_map(entry).collect())
    }

    /// Requests and notifications of ours.
    pub fn sent<'a>(&'a self, method: &'a str) -> impl DoubleEndedIterator<Item = &'a Value> {
        let own = self.0.iter().filter(|entry| !entry.from_agent);
        own.map(|entry| &entry.message)
            .filter(move |message| message["method"] == method)
    }

    /// Our last request or notification of one of these methods.
    pub fn last_sent(&self, methods: &[&str]) -> Option<&Value> {
        let own = self.0.iter().rev().filter(|entry| !entry.from_agent);
        let mut own = own.map(|entry| &entry.message);
        own.find(|message| methods.iter().any(|method| message["method"] == *method))
    }

    /// The answer to our last request of this method.
    pub fn answer_to_last(&self, method: &str) -> Option<&Value> {
        let sent = |entry: &Entry| !entry.from_agent && entry.message["method"] == method;
        let at = self.0.iter().rposition(sent)?;
        let id = &self.0[at].message["id"];
        self.answer(at, id, true)
    }

    /// The agent's last question, if we have not answered it.
    pub fn open_question(&self) -> Option<&Value> {
        let asked = |entry: &Entry| {
            entry.from_agent && entry.message["method"] == "session/request_permission"
        };
        let at = self.0.iter().rposition(asked)?;
        let question = &self.0[at].message;
        match self.answer(at, &question["id"], false) {
            Some(_) => None,
            None => Some(question),
        }
    }

    /// Our answers to all requests of the agent of this method.
    pub fn answers_to(&self, method: &str) -> Vec<Value> {
        let asked = self.0.iter().enumerate();
        let asked =
            asked.filter(|(_, entry)| entry.from_agent && entry.message["method"] == method);
        asked
            .filter_map(|(at, entry)| self.answer(at, &entry.message["id"], false).cloned())
            .collect()
    }

    /// Ids begin anew with each process, so only what comes after the request is its answer.
    fn answer(&self, request: usize, id: &Value, from_agent: bool) -> Option<&Value> {
        self.0[request..]
            .iter()
            .filter(|entry| entry.from_agent == from_agent)
            .map(|entry| &entry.message)
            .find(|message| message.get("method").is_none() && message["id"] == *id)
    }
}
