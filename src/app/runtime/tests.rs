use std::sync::Mutex;

use super::*;
use crate::{
    app::services::session_config,
    cli::AgentWanted,
    host::ServeOutcome,
    model::HostReply,
    session::{SessionConfig, Start},
};

/// A runtime with one session, whose agent's program does not exist, and what was told.
struct Bench {
    runtime: Runtime,
    done: mpsc::UnboundedReceiver<Done>,
    warned: Arc<Mutex<Vec<SafeText>>>,
    key: SessionKey,
    effects: Vec<Routed>,
    _folder: tempfile::TempDir,
}

fn bench(reach: Reach, unattended: bool) -> Bench {
    let folder = tempfile::tempdir().expect("a folder");
    let launch = Launch {
        prompt: None,
        agent: AgentWanted::Default,
        cwd: folder.path().to_owned(),
        add_dirs: Vec::new(),
        config_file: None,
        cwd_chosen: false,
        resume: None,
        worktree: None,
        settings: Vec::new(),
        policy: None,
        inline: false,
        log: None,
        wire: Some(folder.path().join("no folder/wire")),
    };
    let warned = Arc::new(Mutex::new(Vec::new()));
    let told = warned.clone();
    let (mut runtime, done) = Runtime::new(
        launch,
        Config::default(),
        reach,
        SessionFolder::new(folder.path()),
        Started::default(),
        move |text| told.lock().expect("no panic").push(text),
    );
    let profile = AgentProfile::command("/no/such/agent".into(), Vec::new());
    let (config, _) = session_config(
        &runtime.launch,
        &runtime.config,
        &profile,
        Start::New,
        None,
        None,
    );
    let config = SessionConfig {
        unattended,
        ..config
    };
    let opened = runtime.sessions.open(config, Instant::now());
    let (key, effects) = opened.expect("the first");
    runtime.running.insert(key, Running::new(profile));
    Bench {
        runtime,
        done,
        warned,
        key,
        effects,
        _folder: folder,
    }
}

impl Bench {
    /// Why the agent does not run.
    async fn failure(&mut self) -> SafeText {
        let effects = std::mem::take(&mut self.effects);
        assert!(self.runtime.perform(effects).is_empty());
        let done = self.done.recv().await.expect("an end");
        let (key, events) = self.runtime.take(done).expect("for the session");
        assert_eq!(key, self.key);
        match &events[..] {
            [Event::SpawnFailed { error }] => error.clone(),
            events => panic!("{events:?}"),
        }
    }
}

#[tokio::test]
async fn without_its_wire_log_an_agent_is_started_only_where_somebody_is_told() {
    let mut attended = bench(Reach::Machine, false);
    let error = attended.failure().await;
    assert!(error.contains("/no/such/agent"), "{error}");
    let warned = attended.warned.lock().expect("no panic").clone();
    assert!(
        matches!(&warned[..], [text] if text.contains("wire log")),
        "{warned:?}"
    );

    let mut unattended = bench(Reach::Machine, true);
    let error = unattended.failure().await;
    assert!(error.contains("wire log"), "{error}");
    assert!(unattended.warned.lock().expect("no panic").is_empty());
}

#[tokio::test]
async fn of_a_log_that_is_played_nothing_is_started_and_nobody_is_told() {
    let mut bench = bench(Reach::Log, false);
    let id = TerminalId::new("t1");
    let change = ScreenChange::Print(b"hello".to_vec());
    let screen = Effect::AgentScreen {
        id: id.clone(),
        change,
    };
    let by = bench.key;
    let toast = Effect::Toast("not now".into());
    let mut effects = std::mem::take(&mut bench.effects);
    assert!(effects.iter().any(|e| matches!(e.effect, Effect::Spawn(_))));
    effects.extend([toast, screen].map(|effect| Routed { by, effect }));
    assert!(bench.runtime.perform(effects).is_empty());
    assert!(bench.done.try_recv().is_err());
    assert_eq!(bench.runtime.running[&by].connection, None);
    assert!(bench.warned.lock().expect("no panic").is_empty());
}

#[tokio::test]
async fn what_came_of_an_agent_that_was_ended_is_no_event() {
    let mut bench = bench(Reach::Machine, false);
    bench.failure().await;
    let (key, old) = (bench.key, ConnectionId(1));
    let note = || Event::Stderr("late".into());
    assert!(
        bench
            .runtime
            .take(Done::Session(key, old, note()))
            .is_some()
    );
    bench.runtime.end_agent(key);
    assert!(
        bench
            .runtime
            .take(Done::Session(key, old, note()))
            .is_none()
    );
}

// V1-RPC-12, V1-ERR-05
#[tokio::test]
async fn a_handler_that_panics_is_still_an_answer() {
    let outcome = requests::carried_out(Box::pin(async { panic!("while serving") })).await;
    let ServeOutcome::Reply(HostReply::Error(error)) = outcome else {
        panic!("no error: {outcome:?}");
    };
    assert_eq!(error.code, -32603);
    assert!(!error.message.contains("while serving"));
}
