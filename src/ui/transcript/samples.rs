//! A conversation with one of everything, for the tests.

use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};

use super::{Settings, Source, TranscriptView};
use crate::{
    config::{DiffLayout, Thoughts},
    model::{
        ContentBlock, Diff, ExitStatus, Media, Meta, PlanEntry, PlanPriority, PlanStatus, RawJson,
        ResourceLink, TerminalId, ToolCallId, ToolContent, ToolKind, ToolLocation,
    },
    session::{
        Answered, BlockKind, By, Message, Notice, NoticeLevel, Subagents, TerminalInfo, Thought,
        ToolCall, ToolState, Transcript, UserMessage,
    },
    text::{SafeText, SafeTextBuf},
    ui::render::testing::Stage,
    vt::{Screens, SharedScreen},
};

pub const SETTINGS: Settings = Settings {
    thoughts: Thoughts::Auto,
    diff: DiffLayout::Auto,
    motion: true,
};

/// All that a view is drawn from.
pub struct World {
    pub stage: Stage,
    pub transcript: Transcript,
    pub terminals: BTreeMap<TerminalId, TerminalInfo>,
    pub screens: Screens,
    pub cwd: PathBuf,
    pub subagents: Subagents,
    pub settings: Settings,
}

impl World {
    pub fn new(stage: Stage) -> Self {
        Self {
            stage,
            transcript: Transcript::default(),
            terminals: BTreeMap::new(),
            screens: Screens::default(),
            cwd: PathBuf::from("/home/me/tool"),
            subagents: Subagents::default(),
            settings: SETTINGS,
        }
    }

    pub fn source(&self) -> Source<'_> {
        Source {
            transcript: &self.transcript,
            subagents: &self.subagents,
            root: None,
            here: None,
            terminals: &self.terminals,
            cwd: &self.cwd,
            directories: &[],
            screens: &self.screens,
        }
    }

    pub fn sync(&self, view: &mut TranscriptView, width: u16, height: u16) {
        view.sync(
            self.source(),
            &self.settings,
            height,
            &self.stage.ctx(width),
        );
    }

    /// A terminal whose program printed `output`.
    pub fn terminal(&mut self, id: &str, command: &str, output: &str, exit: Option<i64>) {
        let screen = SharedScreen::new(40, 120);
        screen.change(|screen| screen.feed(output.as_bytes()));
        let id = TerminalId::new(id);
        self.screens.insert(id.clone(), screen);
        let info = TerminalInfo {
            command: SafeText::new(command),
            cwd: SafeText::new("/home/me/tool"),
            exit: exit.map(|code| ExitStatus {
                code: Some(code),
                signal: None,
            }),
            ..TerminalInfo::new(self.stage.now)
        };
        self.terminals.insert(id, info);
    }
}

pub fn user(text: &str) -> BlockKind {
    BlockKind::User(UserMessage {
        text: SafeText::new(text),
        attached: Vec::new(),
        refused: false,
        steered: None,
        meta: Meta::default(),
    })
}

pub fn agent(text: &str, done: bool) -> BlockKind {
    BlockKind::Agent(Message {
        id: None,
        text: SafeTextBuf::from(SafeText::new(text)),
        done,
        meta: Meta::default(),
    })
}

pub fn thought(text: &str, started: Instant, took: Option<Duration>) -> BlockKind {
    BlockKind::Thought(Thought {
        id: None,
        text: SafeTextBuf::from(SafeText::new(text)),
        started,
        took,
        meta: Meta::default(),
    })
}

pub fn notice(level: NoticeLevel, text: &str, detail: Option<&str>) -> BlockKind {
    BlockKind::Notice(Notice {
        level,
        text: SafeText::new(text),
        detail: detail.map(SafeText::new),
        last_words: false,
    })
}

/// A call that was done at once; the tests change what they are about.
pub fn call(kind: ToolKind, title: &str, started: Instant) -> ToolCall {
    ToolCall {
        title: SafeText::new(title),
        kind,
        state: ToolState::Completed,
        took: Some(Duration::from_millis(120)),
        ..ToolCall::new(ToolCallId::new("call"), started)
    }
}

pub fn tool(call: ToolCall) -> BlockKind {
    BlockKind::Tool(Box::new(call))
}

pub fn text_piece(text: &str) -> ToolContent {
    ToolContent::Block(ContentBlock::Text(SafeText::new(text)))
}

pub fn diff_piece(path: &str, old: Option<&str>, new: &str) -> ToolContent {
    ToolContent::Diff(Arc::new(Diff::of_texts(
        path.into(),
        old.map(SafeText::new),
        SafeText::new(new),
    )))
}

pub fn at(path: &str, line: Option<u32>) -> ToolLocation {
    ToolLocation {
        path: path.into(),
        line,
    }
}

pub fn entry(content: &str, status: PlanStatus) -> PlanEntry {
    PlanEntry {
        content: SafeText::new(content),
        priority: PlanPriority::Medium,
        status,
    }
}

pub const OLD: &str = "\
use crate::{Options, Result, table::print_table};

/// Lists what there is.
pub fn run(opts: &Options) -> Result<()> {
    let rows = crate::rows::load(opts)?;
    print_table(&rows);
    Ok(())
}
";

pub const NEW: &str = "\
use crate::{Format, Options, Result, json::print_json, table::print_table};

/// Lists what there is.
pub fn run(opts: &Options) -> Result<()> {
    let rows = crate::rows::load(opts)?;
    match opts.format {
        Format::Table => print_table(&rows),
        Format::Json => print_json(&rows)?, // one object a line
    }
    Ok(())
}
";

/// One turn with one of everything that is usual.
pub fn conversation(stage: Stage) -> World {
    let mut world = World::new(stage);
    let now = world.stage.now;
    world.terminal(
        "t1",
        "cargo test list",
        "   \x1b[1;32mCompiling\x1b[0m tool v0.3.1 (/home/me/tool)\r\n    \x1b[1;32mFinished\x1b[0m `test` \
         profile\r\n     \x1b[1;32mRunning\x1b[0m unittests src/lib.rs\r\n\r\nrunning 6 tests\r\n\
         test list::json_round_trip ... \x1b[32mok\x1b[0m\r\ntest list::table ... \x1b[32mok\x1b[0m\r\n\
         test list::empty ... \x1b[31mFAILED\x1b[0m\r\n\r\nfailures:\r\n    list::empty\r\n\r\n",
        Some(101),
    );
    let mut running = call(
        ToolKind::Execute,
        "`cargo test list`",
        now - Duration::from_millis(4_130),
    );
    (running.state, running.took) = (ToolState::InProgress, None);
    running.command = Some("cargo test list".into());
    world.terminal(
        "t2",
        "cargo test list",
        "running 6 tests\r\ntest list::json_round_trip ... \x1b[32mok\x1b[0m\r\n",
        None,
    );
    running.content = vec![ToolContent::Terminal(TerminalId::new("t2"))];

    let mut read = call(ToolKind::Read, "Read src/cli/list.rs", now);
    read.locations = vec![at("/home/me/tool/src/cli/list.rs", Some(1))];
    read.content = vec![text_piece(&format!("```rust\n{OLD}```"))];
    let mut search = call(ToolKind::Search, "print_table in src", now);
    search.content = vec![text_piece("src/cli/list.rs:6\nsrc/table.rs:12")];
    let mut edit = call(ToolKind::Edit, "Edit src/cli/list.rs", now);
    edit.content = vec![diff_piece("/home/me/tool/src/cli/list.rs", Some(OLD), NEW)];
    edit.answers = vec![Answered {
        answer: "Allow once".into(),
        allowed: Some(true),
        by: By::Person,
    }];
    let mut failing = call(ToolKind::Execute, "Run the tests", now);
    failing.command = Some("cargo test list".into());
    failing.state = ToolState::Failed;
    failing.took = Some(Duration::from_millis(9_300));
    failing.content = vec![ToolContent::Terminal(TerminalId::new("t1"))];
    let mut asking = call(ToolKind::Delete, "Delete old.rs", now);
    (asking.state, asking.asking, asking.took) = (ToolState::Pending, true, None);
    asking.locations = vec![at("/home/me/tool/src/old.rs", None)];
    let mut fetch = call(ToolKind::Fetch, "https://example.com/spec", now);
    fetch.state = ToolState::Failed;
    fetch.content = vec![text_piece("connection refused (os error 111)")];
    let mut other = call(ToolKind::Other, "weather", now);
    other.raw_input = Some(RawJson(r#"{"city":"Graz"}"#.into()));
    other.content = vec![
        text_piece("12 °C, rain"),
        ToolContent::Block(ContentBlock::Image(Media {
            mime_type: "image/png".into(),
            size: Some(24_000),
            uri: None,
            data: None,
        })),
    ];
    let mut denied = call(ToolKind::Execute, "rm -rf target", now);
    (denied.state, denied.took) = (ToolState::Cancelled, None);
    denied.answers = vec![Answered {
        answer: "Reject".into(),
        allowed: Some(false),
        by: By::Rule("execute rm".into()),
    }];

    let blocks = [
        user("add a --json flag to the list command and test it"),
        thought(
            &"Look at the command first.\n".repeat(14),
            now,
            Some(Duration::from_millis(3_200)),
        ),
        agent("I'll start with how `list` prints today.", true),
        tool(read),
        tool(search),
        tool(edit),
        tool(failing),
        agent(
            "The **empty** case fails, since:\n\n- `print_json` writes nothing for no rows\n- the test \
             expects `[]`\n\nI'll fix that, then run the tests again.",
            true,
        ),
        tool(fetch),
        tool(other),
        tool(denied),
        tool(asking),
        BlockKind::Content(ContentBlock::ResourceLink(ResourceLink {
            uri: "file:///home/me/tool/README.md".into(),
            name: "README.md".into(),
            title: None,
            description: None,
            mime_type: Some("text/markdown".into()),
            size: Some(2_048),
        })),
        notice(
            NoticeLevel::Quiet,
            "unknown update: usage_hint",
            Some("{\"a\":1}"),
        ),
        notice(NoticeLevel::Warning, "The agent stopped: max_tokens", None),
        BlockKind::Plan(vec![
            entry("read the command", PlanStatus::Completed),
            entry("add the flag", PlanStatus::Completed),
            entry("test it", PlanStatus::InProgress),
            entry("document it", PlanStatus::Pending),
        ]),
        user("and mention it in the README"),
        thought(
            "**Thinking**\nThe README has a table of flags.\nIt wants one more row.",
            now - Duration::from_secs(2),
            None,
        ),
        tool(running),
    ];
    for block in blocks {
        world.transcript.push_for_test(block);
    }
    world
}
