//! Whatever comes, in whatever order: what must hold after every event.

mod act;
mod update;

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::{options::flag, *};
use crate::model::SessionPage;
use crate::{
    model::{
        Elicitation, ElicitationAnswer, ElicitationId, ElicitationMode, ElicitationScope,
        ExitStatus, Form, FsRead, ModeId, ModeState, OptionId, Patch, SessionMode, Setting,
        SettingKey, SettingSource, SteerOutcome, TerminalId, ToolContent, ToolKind,
    },
    session::{
        BlockId, Changes, Consent, FileAnswer, PageAnswer, Question, QuestionId, SignInStep,
        Verdict, reduce::conversation::bounds::block_weight,
    },
};

use update::{UPDATES, update};

#[derive(Clone, Debug)]
enum Act {
    Connected,
    SpawnFailed,
    Exited,
    OldWord,
    Submit,
    Steer,
    SendNow,
    SendQueued,
    Unqueue,
    Stop,
    Restart,
    EndAgent,
    CycleMode,
    SetOption(u8),
    Authenticate,
    LogIn,
    LogOut,
    LoginStarts,
    LoginEnds(bool),
    Answer(usize, u8),
    AnswerFile(usize, FileAnswer),
    Decide(usize, u8),
    Withdraw(usize),
    /// The host hands a served request back, as a file or as a command, or answers it.
    Host(usize, u8),
    AnswerCommand(usize, bool),
    /// Another session of the agent has had it started again, or has signed in.
    StartOver(bool),
    SignedIn,
    WantSignIn,
    List,
    /// The request of ours is answered that a form or page may belong to.
    CallOver,
    /// An open call is answered: well, with an error, or with -32000.
    Reply(usize, u8),
    Stray,
    Update(u8, u8),
    Ask(u8),
    /// A form, or a page; of the session, or of a request.
    Elicit(bool, bool),
    AnswerForm(usize, bool),
    AnswerPage(usize, u8),
    Browser(usize, bool),
    PageDone(u8),
    Read,
    Foreign,
    ChildTells(u8, u8, u8),
    ChildAsks(u8),
    CancelChild(u8),
    Terminal(u8),
    TerminalEnds(u8),
    Shell(u8),
    NamesTerminal(u8, u8),
    Wait(u16),
}

fn act() -> impl Strategy<Value = Act> {
    let file = prop_oneof![
        Just(FileAnswer::Once),
        Just(FileAnswer::Folder),
        Just(FileAnswer::No)
    ];
    prop_oneof![
        4 => Just(Act::Connected),
        1 => Just(Act::SpawnFailed),
        1 => Just(Act::Exited),
        1 => Just(Act::OldWord),
        4 => Just(Act::Submit),
        4 => Just(Act::Steer),
        2 => Just(Act::SendNow),
        2 => Just(Act::SendQueued),
        1 => Just(Act::Unqueue),
        3 => Just(Act::Stop),
        1 => Just(Act::Restart),
        1 => Just(Act::EndAgent),
        1 => Just(Act::CycleMode),
        3 => any::<u8>().prop_map(Act::SetOption),
        1 => Just(Act::Authenticate),
        2 => Just(Act::LogIn),
        1 => Just(Act::LogOut),
        2 => Just(Act::LoginStarts),
        2 => any::<bool>().prop_map(Act::LoginEnds),
        3 => (0..4usize, 0..3u8).prop_map(|(n, option)| Act::Answer(n, option)),
        2 => (0..4usize, file).prop_map(|(n, answer)| Act::AnswerFile(n, answer)),
        3 => (0..4usize, 0..4u8).prop_map(|(n, verdict)| Act::Decide(n, verdict)),
        1 => (0..4usize).prop_map(Act::Withdraw),
        2 => (0..4usize, 0..3u8).prop_map(|(n, back)| Act::Host(n, back)),
        2 => (0..4usize, any::<bool>()).prop_map(|(n, run)| Act::AnswerCommand(n, run)),
        1 => any::<bool>().prop_map(Act::StartOver),
        1 => Just(Act::SignedIn),
        1 => Just(Act::WantSignIn),
        1 => Just(Act::List),
        1 => Just(Act::CallOver),
        12 => (0..4usize, 0..6u8).prop_map(|(n, kind)| Act::Reply(n, kind)),
        1 => Just(Act::Stray),
        14 => (0..UPDATES, 0..3u8).prop_map(|(kind, id)| Act::Update(kind, id)),
        4 => (0..3u8).prop_map(Act::Ask),
        2 => Just(Act::Read),
        4 => any::<(bool, bool)>().prop_map(|(form, of_turn)| Act::Elicit(form, of_turn)),
        3 => (0..4usize, any::<bool>()).prop_map(|(n, yes)| Act::AnswerForm(n, yes)),
        3 => (0..4usize, 0..4u8).prop_map(|(n, answer)| Act::AnswerPage(n, answer)),
        2 => (0..4usize, any::<bool>()).prop_map(|(n, well)| Act::Browser(n, well)),
        1 => (0..8u8).prop_map(Act::PageDone),
        1 => Just(Act::Foreign),
        4 => (0..3u8, 0..UPDATES, 0..3u8).prop_map(|(child, kind, id)| Act::ChildTells(child, kind, id)),
        3 => (0..6u8).prop_map(Act::ChildAsks),
        1 => (0..3u8).prop_map(Act::CancelChild),
        2 => (0..3u8).prop_map(Act::Terminal),
        1 => (0..3u8).prop_map(Act::TerminalEnds),
        1 => (0..3u8).prop_map(Act::Shell),
        2 => (0..3u8, 0..3u8).prop_map(|(call, n)| Act::NamesTerminal(call, n)),
        2 => (0..60u16).prop_map(Act::Wait),
    ]
}

fn terminal(n: u8) -> TerminalId {
    TerminalId::new(format!("term-{n}"))
}

/// What the rest of the world knows, and a view of the transcript.
struct World {
    play: Play,
    /// The agent reports states: a prompt's answer is no end then.
    states: bool,
    alive: Option<ConnectionId>,
    spawning: bool,
    connections: u32,
    open_calls: Vec<CallTag>,
    prompt_open: bool,
    /// A program to sign in with was asked for.
    logging_in: bool,
    cancelled: bool,
    asked: BTreeMap<RequestKey, u32>,
    with_host: BTreeSet<RequestKey>,
    seen_questions: u64,
    /// What was compared with the disk, told with the next event.
    compared: Vec<Event>,
    prompts: usize,
    sent: BTreeSet<String>,
    /// Given to the open turn, by number.
    steered: BTreeMap<u64, String>,
    restored: BTreeSet<String>,
    view: Vec<(BlockId, u64)>,
    view_rev: u64,
}

impl World {
    fn new(config: SessionConfig, states: bool) -> Self {
        let (play, effects) = Play::start(config);
        let mut world = Self {
            play,
            states,
            alive: None,
            spawning: false,
            connections: 0,
            open_calls: Vec::new(),
            prompt_open: false,
            logging_in: false,
            cancelled: false,
            asked: BTreeMap::new(),
            with_host: BTreeSet::new(),
            seen_questions: 0,
            compared: Vec::new(),
            prompts: 0,
            sent: BTreeSet::new(),
            steered: BTreeMap::new(),
            restored: BTreeSet::new(),
            view: Vec::new(),
            view_rev: 0,
        };
        world.carry_out(effects);
        world
    }

    fn event(&mut self, event: Event) {
        for event in std::mem::take(&mut self.compared) {
            self.event(event);
        }
        let (rev, seen) = (
            self.play.session.rev,
            self.play.session.conversation.transcript.rev(),
        );
        let effects = self.play.event(event);
        let session = &self.play.session;
        assert!(session.rev >= rev && session.conversation.transcript.rev() >= seen);
        assert!(session.conversation.transcript.rev() == seen || session.rev > rev);
        self.carry_out(effects);
        self.look();
    }

    fn word(&mut self, word: FromAgent) {
        if let Some(connection) = self.alive {
            self.event(Event::Agent(connection, word));
        }
    }

    fn answered(&mut self, key: RequestKey) {
        let answers = self.asked.get_mut(&key).expect("an answer to no request");
        *answers += 1;
        assert_eq!(*answers, 1, "{key:?} is answered twice");
    }

    fn lost(&mut self) {
        self.alive = None;
        self.open_calls.clear();
        self.prompt_open = false;
        self.cancelled = false;
    }

    fn carry_out(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Spawn(_) => {
                    assert!(!self.spawning, "two processes at once");
                    assert_eq!(self.alive, None, "the old one still runs");
                    self.spawning = true;
                }
                Effect::Join(_) => panic!("there is no other session"),
                Effect::StopAgent(connection) => {
                    if self.alive == Some(connection) {
                        self.lost();
                    }
                }
                Effect::ToAgent(ToAgent::Call(call)) => {
                    assert!(self.alive.is_some(), "{call:?} to nobody");
                    if let Call::Prompt { blocks, .. } = &call {
                        // What is open with states is the call alone.
                        let mut calls = self.open_calls.iter();
                        let unanswered = calls.any(|tag| matches!(tag, CallTag::Prompt { .. }));
                        assert!(!unanswered, "two prompts are unanswered");
                        assert!(self.states || !self.prompt_open, "two prompts are open");
                        self.prompt_open = true;
                        self.cancelled = false;
                        if let [PromptBlock::Text(text), ..] = blocks.as_slice() {
                            self.sent.insert(text.clone());
                        }
                    }
                    if let Call::Steer { number, blocks, .. } = &call
                        && let [PromptBlock::Text(text), ..] = blocks.as_slice()
                    {
                        self.steered.insert(*number, text.clone());
                    }
                    let handshake = self.open_calls.contains(&CallTag::Initialize);
                    assert!(!handshake, "V1-INIT-01");
                    self.open_calls.push(call.tag());
                }
                // Of a child: whether it may is for its own tests.
                Effect::ToAgent(ToAgent::Notify(Notification::Cancel { session }))
                    if session.as_str().starts_with("child") => {}
                Effect::ToAgent(ToAgent::Notify(Notification::Cancel { .. })) => {
                    assert!(self.states || self.prompt_open, "a cancel without a turn");
                    assert!(self.states || !self.cancelled, "a second cancel");
                    self.cancelled = true;
                }
                Effect::ToAgent(ToAgent::Reply { key, reply }) => {
                    assert!(
                        !self.with_host.contains(&key),
                        "that is the host's to answer"
                    );
                    if let HostReply::Permission(_) = reply {
                        assert!(self.asked.contains_key(&key));
                    }
                    self.answered(key);
                }
                Effect::Serve { key, consent, .. } => {
                    assert!(self.with_host.insert(key), "served twice");
                    if consent != Consent::None {
                        self.with_host.remove(&key);
                        self.answered(key);
                    }
                }
                Effect::CancelServe(key) => {
                    if self.with_host.remove(&key) {
                        self.answered(key);
                    }
                }
                Effect::Compare(asked) => {
                    let shown = asked.claims.iter().map(|claim| Some(claim.diff.clone()));
                    let (of, shown) = (asked.of, Some(shown.collect()));
                    self.compared.push(Event::Compared { of, shown });
                }
                Effect::Decide {
                    question, revision, ..
                } => {
                    let again = revision > 0 && question.0 <= self.seen_questions;
                    assert!(
                        again || question.0 > self.seen_questions,
                        "an id comes twice"
                    );
                    self.seen_questions = self.seen_questions.max(question.0);
                }
                Effect::RestoreDraft(prompt) => {
                    self.restored.insert(prompt.text);
                }
                Effect::OpenPage { question, .. } => {
                    let mut open = self.play.session.questions.iter();
                    assert!(open.any(|q| q.id() == question), "nobody has consented");
                }
                Effect::ToAgent(ToAgent::Notify(Notification::CancelCall(call))) => {
                    assert!(self.open_calls.contains(&call), "{call:?} is not open");
                }
                Effect::Login(_) => {
                    assert!(self.states || !self.prompt_open, "a sign-in in a turn");
                    self.logging_in = true;
                }
                Effect::EndLogin => self.logging_in = false,
                Effect::TellStderr(_)
                | Effect::AgentScreen { .. }
                | Effect::Attention(_)
                | Effect::Notice(_)
                | Effect::TellTime(_)
                | Effect::TellReset(_)
                | Effect::AskToContinue
                | Effect::FollowTurn(_)
                | Effect::SessionDeleted(_)
                | Effect::Toast(_) => {}
            }
        }
    }

    /// A view that looks only at what it is told to, and sees all there is.
    fn look(&mut self) {
        let transcript = &self.play.session.conversation.transcript;
        let blocks = transcript.blocks();
        match transcript.changes_since(self.view_rev) {
            Changes::All => self.view = blocks.iter().map(|block| (block.id, block.rev)).collect(),
            Changes::Some(changed) => {
                for index in changed {
                    let new = (blocks[index].id, blocks[index].rev);
                    if index < self.view.len() {
                        self.view[index] = new;
                    } else {
                        assert_eq!(index, self.view.len());
                        self.view.push(new);
                    }
                }
            }
        }
        self.view_rev = transcript.rev();
        assert!(
            self.view
                .iter()
                .copied()
                .eq(blocks.iter().map(|block| (block.id, block.rev)))
        );
        assert!(blocks.is_sorted_by(|a, b| a.id < b.id));

        let session = &self.play.session;
        let weight: usize = blocks.iter().map(|block| block_weight(&block.kind)).sum();
        assert_eq!(session.conversation.weight, weight);
        let subagents = session.subagents.iter();
        let weights = subagents.map(|subagent| subagent.conversation.weight);
        assert_eq!(session.subagents.weight(), weights.sum::<usize>());
        assert!(self.states || session.turn.is_some() == self.prompt_open);
        assert!(
            session
                .questions
                .iter()
                .all(|question| { Some(question.key().connection) == session.connection })
        );
        let own = blocks.iter().map(|block| (None, block));
        let children = session.subagents.iter().flat_map(|child| {
            let blocks = child.conversation.transcript.blocks().iter();
            blocks.map(move |block| (Some(&child.id), block))
        });
        for (of, block) in own.chain(children) {
            if let BlockKind::Tool(call) = &block.kind {
                let asking = session.questions.iter().any(|question| {
                    matches!(question, Question::Permission(q)
                        if q.block == block.id && q.subagent.as_ref() == of)
                });
                assert_eq!(call.asking, asking);
            }
        }
        for n in 0..self.prompts {
            let text = format!("p{n}");
            let kept = session.queue.iter().any(|prompt| prompt.text == text)
                || self.sent.contains(&text)
                || self.restored.contains(&text)
                || blocks.iter().any(|block| {
                    matches!(&block.kind, BlockKind::User(said)
                        if said.steered.is_some() && *said.text == *text)
                });
            assert!(kept, "{text} is lost");
        }
    }

    fn next_prompt(&mut self) -> Prompt {
        self.prompts += 1;
        prompt(&format!("p{}", self.prompts - 1))
    }

    fn question(&self, n: usize) -> QuestionId {
        let question = self.play.session.questions.get(n).map(Question::id);
        question.unwrap_or(QuestionId(n as u64))
    }

    fn session_id(&self) -> SessionId {
        self.play.session.id.clone().unwrap_or_else(|| id("s"))
    }

    fn ask(&mut self, request: HostRequest) {
        if let Some(connection) = self.alive {
            let key = RequestKey {
                connection,
                number: self.asked.len() as u64,
            };
            self.asked.insert(key, 0);
            self.word(FromAgent::Request { key, request });
        }
    }

    fn read(&self, session: SessionId) -> HostRequest {
        HostRequest::ReadTextFile(FsRead {
            session,
            path: "x".to_owned(),
            line: None,
            limit: None,
        })
    }

    /// The agent ends, the host answers what it has: nothing may be left without an answer.
    fn end(mut self) {
        self.act(Act::Exited);
        for key in std::mem::take(&mut self.with_host) {
            self.answered(key);
        }
        assert!(self.play.session.turn.is_none());
        assert!(self.play.session.questions.is_empty());
        for (key, answers) in &self.asked {
            assert_eq!(*answers, 1, "{key:?}");
        }
        let open_tools = self
            .play
            .session
            .conversation
            .transcript
            .blocks()
            .iter()
            .filter(|block| matches!(&block.kind, BlockKind::Tool(call) if call.asking));
        assert_eq!(open_tools.count(), 0);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// V1-RPC-13: one answer to each request; V1-PROMPT-02: one turn; V1-CAN-01: one cancel, and
    /// none without a turn. No prompt of the person is lost. Views learn of every change.
    #[test]
    fn whatever_comes_the_rules_hold(
        acts in prop::collection::vec(act(), 0..150),
        reopen in any::<bool>(),
        mode in prop::option::of(Just("plan".to_owned())),
        states in any::<bool>(),
    ) {
        let mut world = World::new(SessionConfig {
            start: if reopen { Start::Reopen(id("old")) } else { Start::New },
            settings: mode
                .map(|value| Setting {
                    source: SettingSource::CommandLine,
                    key: SettingKey::Mode,
                    value,
                })
                .into_iter()
                .collect(),
            ..config()
        }, states);
        for act in acts {
            world.act(act);
        }
        world.end();
    }

    /// As above, from within a turn: where most of the rules are.
    #[test]
    fn whatever_comes_in_a_turn_the_rules_hold(
        acts in prop::collection::vec(act(), 0..150),
        states in any::<bool>(),
    ) {
        let mut world = World::new(config(), states);
        world.act(Act::Connected);
        world.act(Act::Reply(0, 5));
        world.act(Act::Reply(0, 5));
        world.act(Act::Submit);
        prop_assert!(world.prompt_open);
        for act in acts {
            world.act(act);
        }
        world.end();
    }
}
