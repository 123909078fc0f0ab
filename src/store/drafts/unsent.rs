//! What was typed and not sent, each with the session that it is meant for: how it stands in a slot's
//! file, and who gets what of it. Must not mix the texts of two sessions.

use serde::{Deserialize, Serialize};

use super::owner::{Owner, Wanted};

/// Sessions that are not open and whose texts wait for them.
pub(super) const MAX_WAITING: usize = 32;

/// Bytes of all texts that wait together.
pub(super) const MAX_WAITING_BYTES: usize = 1 << 20;

/// Stood between drafts in the files of earlier versions.
const BETWEEN_DRAFTS: &str = "\u{1e}\n";

/// What one session has not sent. A line of JSON in the slot's file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unsent {
    #[serde(flatten)]
    pub owner: Owner,
    pub draft: String,
    /// Next first.
    pub queue: Vec<String>,
    /// Its session can be opened again, and is where the person would look for it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub resumes: bool,
}

impl Unsent {
    pub fn is_empty(&self) -> bool {
        self.draft.is_empty() && self.queue.is_empty()
    }

    /// The draft, then the queue.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let draft = Some(self.draft.as_str()).filter(|draft| !draft.is_empty());
        draft
            .into_iter()
            .chain(self.queue.iter().map(String::as_str))
    }

    fn bytes(&self) -> usize {
        self.texts().map(str::len).sum()
    }

    fn is_of(&self, agent: Option<&str>, session: &str) -> bool {
        let same_agent = agent.is_none() || self.owner.agent.as_deref() == agent;
        same_agent && self.owner.session.as_deref() == Some(session)
    }

    fn without_trifles(mut self) -> Option<Self> {
        if is_trifle(&self.draft) {
            self.draft.clear();
        }
        self.queue.retain(|text| !text.is_empty());
        (!self.is_empty()).then_some(self)
    }
}

/// Bytes of a draft that may be a trifle.
const MAX_TRIFLE: usize = 64;

/// Nothing that would be missed, and in the way of what is typed next: a character, or the beginning
/// of a command's name, as a killed client leaves them.
fn is_trifle(draft: &str) -> bool {
    let draft = draft.trim();
    let name = draft.starts_with('/') && !draft.contains(char::is_whitespace);
    draft.chars().nth(1).is_none() || name && draft.len() <= MAX_TRIFLE && !draft[1..].contains('/')
}

impl Wanted {
    /// The less, the better; `None` for what is meant for somebody else, or stays with its session.
    pub(super) fn rank_of(&self, one: &Unsent) -> Option<u8> {
        match self.suits(&one.owner)? {
            rank if rank > 0 && one.resumes => None,
            rank => Some(rank),
        }
    }
}

/// What stands in the file of a slot whose lock names `owner`, the session shown last first.
pub(super) fn parse(text: &str, owner: impl FnOnce() -> Owner) -> Vec<Unsent> {
    let lines: Option<Vec<Unsent>> = text
        .lines()
        .map(|line| serde_json::from_str(line).ok())
        .collect();
    let all = lines.unwrap_or_else(|| {
        let mut drafts = text
            .split(BETWEEN_DRAFTS)
            .filter(|draft| !is_trifle(draft))
            .map(str::to_owned);
        let draft = drafts.next().unwrap_or_default();
        vec![Unsent {
            owner: owner(),
            draft,
            queue: drafts.collect(),
            resumes: false,
        }]
    });
    all.into_iter()
        .filter_map(Unsent::without_trifles)
        .collect()
}

pub(super) fn write(all: &[Unsent]) -> String {
    // Strings and lists of them: there is nothing that JSON could not hold.
    let lines = all.iter().filter_map(|one| serde_json::to_string(one).ok());
    lines.map(|line| line + "\n").collect()
}

/// Takes out what is that session's.
pub(super) fn take_of(all: &mut Vec<Unsent>, agent: Option<&str>, session: &str) -> Vec<Unsent> {
    all.extract_if(.., |one| one.is_of(agent, session))
        .collect()
}

/// Takes out what a client that starts shows at once: what is its session's; else what no session
/// has; and where a new session begins, what was shown last, unless that stays with its session.
pub(super) fn take_first(all: &mut Vec<Unsent>, wanted: &Wanted) -> Vec<Unsent> {
    let agent = wanted.owner.agent.as_deref();
    if let Some(session) = &wanted.owner.session {
        let own = take_of(all, agent, session);
        if !own.is_empty() {
            return own;
        }
    }
    let may = |one: &Unsent| !wanted.reopens || one.owner.session.is_none();
    let ranked = all.iter().enumerate().filter(|(_, one)| may(one));
    let ranked = ranked.filter_map(|(at, one)| Some((wanted.rank_of(one)?, at)));
    match ranked.min() {
        Some((_, at)) => vec![all.remove(at)],
        None => Vec::new(),
    }
}

/// Drops the oldest, which stand last, where too much waits.
pub(super) fn bound(waiting: &mut Vec<Unsent>) {
    let mut bytes = 0;
    let fit = waiting.iter().take(MAX_WAITING).take_while(|one| {
        bytes += one.bytes();
        bytes <= MAX_WAITING_BYTES
    });
    let fit = fit.count();
    if fit < waiting.len() {
        let dropped = waiting.len() - fit;
        tracing::warn!(dropped, "too many unsent drafts: the oldest was dropped");
        waiting.truncate(fit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unsent(agent: &str, session: Option<&str>, draft: &str, queue: &[&str]) -> Unsent {
        Unsent {
            owner: Owner {
                agent: Some(agent.into()),
                session: session.map(str::to_owned),
            },
            draft: draft.into(),
            queue: queue.iter().map(|text| (*text).to_owned()).collect(),
            resumes: false,
        }
    }

    fn wanted(agent: &str, session: Option<&str>) -> Wanted {
        Wanted {
            owner: unsent(agent, session, "", &[]).owner,
            chosen: true,
            reopens: session.is_some(),
        }
    }

    #[test]
    fn each_session_gets_its_own_and_the_others_wait() {
        let b = unsent("x", Some("b"), "draftB", &["qB1"]);
        let a = unsent("x", Some("a"), "draftA", &["qA1", "qA2"]);
        let other = unsent("y", Some("a"), "of another agent", &[]);
        let all = [b.clone(), other.clone(), a.clone()];
        let mut read = parse(&write(&all), Owner::default);
        assert_eq!(read, all);
        let own = take_first(&mut read, &wanted("x", Some("a")));
        assert_eq!(own, std::slice::from_ref(&a));
        let texts: Vec<&str> = own[0].texts().collect();
        assert_eq!(texts, ["draftA", "qA1", "qA2"]);
        assert_eq!(take_first(&mut read, &wanted("x", Some("c"))), []);
        assert_eq!(take_of(&mut read, Some("x"), "b"), [b]);
        assert_eq!(read, [other]);
    }

    #[test]
    fn what_no_session_has_goes_to_the_next_of_its_agent() {
        let mut all = vec![
            unsent("y", None, "for y", &[]),
            unsent("x", None, "for x", &[]),
        ];
        let first = take_first(&mut all, &wanted("x", None));
        assert_eq!(first, [unsent("x", None, "for x", &[])]);
        assert_eq!(take_first(&mut all, &wanted("x", None)), []);
    }

    #[test]
    fn a_new_session_gets_what_was_shown_last() {
        let b = unsent("x", Some("b"), "draftB", &[]);
        let mut all = vec![b.clone(), unsent("x", Some("a"), "draftA", &[])];
        assert_eq!(take_first(&mut all, &wanted("x", None)), [b]);
        assert_eq!(all.len(), 1);
    }

    #[test]
    fn what_stays_with_its_session_goes_to_no_new_one() {
        let a = Unsent {
            resumes: true,
            ..unsent("x", Some("a"), "draftA", &["q"])
        };
        let mut all = parse(&write(std::slice::from_ref(&a)), Owner::default);
        assert_eq!(all, std::slice::from_ref(&a));
        assert_eq!(take_first(&mut all, &wanted("x", None)), []);
        assert_eq!(take_first(&mut all, &wanted("x", Some("b"))), []);
        assert_eq!(take_first(&mut all, &wanted("x", Some("a"))), [a]);
    }

    #[test]
    fn what_waits_is_bounded() {
        let one = |bytes: usize| unsent("x", Some("a"), &"d".repeat(bytes), &[]);
        for (count, kept) in [(31, 31), (32, 32), (33, 32)] {
            let mut waiting = vec![one(2); count];
            bound(&mut waiting);
            assert_eq!(waiting.len(), kept);
        }
        let half = MAX_WAITING_BYTES / 2;
        for (second, kept) in [(half - 1, 2), (half, 2), (half + 1, 1)] {
            let mut waiting = vec![one(half), one(second)];
            bound(&mut waiting);
            assert_eq!(waiting.len(), kept);
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_comes_back(draft in "(?s)[a-z].{2,40} x", queue in proptest::collection::vec("(?s).{1,40}", 0..4)) {
            let queue: Vec<&str> = queue.iter().map(String::as_str).collect();
            let all = [unsent("x", None, &draft, &queue), unsent("x", Some("s"), "other", &[])];
            let read = parse(&write(&all), Owner::default);
            proptest::prop_assert_eq!(&read[1..], &all[1..]);
            proptest::prop_assert_eq!(&read[0].queue, &all[0].queue);
        }

        #[test]
        fn any_file_can_be_read(text in "(?s).{0,200}") {
            let _ = parse(&text, Owner::default);
        }
    }
}
