//! What one client leaves, the next one gets.

use std::os::unix::fs::PermissionsExt;

use super::*;

fn of(draft: &str, owner: Owner) -> Vec<Unsent> {
    let one = Unsent {
        owner,
        draft: draft.into(),
        ..Unsent::default()
    };
    Vec::from_iter((!one.is_empty()).then_some(one))
}

#[test]
fn prompts_and_drafts_come_back_whole() {
    let state = tempfile::tempdir().expect("a folder");
    let store = Drafts::new(state.path(), Path::new("/src/tool"), &Wanted::default());
    assert_eq!((store.history(), store.draft()), (vec![], None));
    store.add_history("one\nwith \"two\" lines");
    store.add_history("three");
    assert_eq!(store.history(), ["one\nwith \"two\" lines", "three"]);
    let save = |text: &str| store.save_draft(&store.number_draft(of(text, Owner::default())));
    save("half a thought");
    assert_eq!(store.draft().as_deref(), Some("half a thought"));
    save("");
    assert_eq!(store.draft(), None);
    let other = Drafts::new(state.path(), Path::new("/other/tool"), &Wanted::default());
    assert_eq!(other.history(), Vec::<String>::new());
}

#[test]
fn an_older_draft_that_is_saved_late_does_not_come_back() {
    let state = tempfile::tempdir().expect("a folder");
    let store = Drafts::new(state.path(), Path::new("/p"), &Wanted::default());
    let older = store.number_draft(of("already sent", Owner::default()));
    let newer = store.number_draft(of("new", Owner::default()));
    store.save_draft(&newer);
    store.clone().save_draft(&older);
    assert_eq!(store.draft().as_deref(), Some("new"));
    let file = fs::metadata(&store.draft).expect("the draft");
    assert_eq!(file.permissions().mode() & 0o777, 0o600);
    let beside = fs::read_dir(state.path().join("drafts")).expect("the folder");
    assert_eq!(beside.count(), 1);
}

#[test]
fn a_draft_is_its_clients_until_that_ends() {
    let state = tempfile::tempdir().expect("a folder");
    let open = || Drafts::new(state.path(), Path::new("/p"), &Wanted::default());
    let save = |store: &Drafts, text: &str| {
        store.save_draft(&store.number_draft(of(text, Owner::default())))
    };
    let (first, second) = (open(), open());
    save(&first, "of the first");
    assert_eq!(second.draft(), None);
    save(&second, "of the second");
    drop(first);
    assert_eq!(open().draft().as_deref(), Some("of the first"));
    let folder = fs::metadata(state.path().join("drafts")).expect("the folder");
    assert_eq!(folder.permissions().mode() & 0o777, 0o700);
}

fn wanted(agent: &str, session: Option<&str>, chosen: bool) -> Wanted {
    let owner = Owner {
        agent: Some(agent.into()),
        session: session.map(str::to_owned),
    };
    Wanted {
        owner,
        chosen,
        reopens: session.is_some(),
    }
}

#[test]
fn a_draft_that_was_left_goes_to_its_session_then_to_its_agent() {
    let state = tempfile::tempdir().expect("a folder");
    let open = |wanted: &Wanted| Drafts::new(state.path(), Path::new("/p"), wanted);
    let all = [
        ("for D", wanted("demo", Some("d"), true)),
        ("for C", wanted("claude", Some("c"), true)),
        ("for C2", wanted("claude", Some("c2"), true)),
    ];
    let stores = all.clone().map(|(text, whose)| {
        let store = open(&whose);
        store.save_draft(&store.number_draft(of(text, whose.owner)));
        store
    });
    drop(stores);
    let second = open(&wanted("claude", Some("c2"), true));
    assert_eq!(second.draft().as_deref(), Some("for C2"));
    let first = open(&wanted("claude", None, true));
    assert_eq!(first.draft().as_deref(), Some("for C"));
    let other = open(&wanted("claude", None, true));
    assert_eq!(other.draft(), None, "it waits for its agent");
    let demo = open(&wanted("demo", None, true));
    assert_eq!(demo.draft().as_deref(), Some("for D"));
}

#[test]
fn what_several_ended_clients_left_comes_back_at_one_start() {
    let state = tempfile::tempdir().expect("a folder");
    let open = |wanted: &Wanted| Drafts::new(state.path(), Path::new("/p"), wanted);
    let fresh = wanted("x", None, true);
    let image = state.path().join("drafts").to_string_lossy().into_owned();
    let clients = ["one", "two", "three", "alive", "image"].map(|text| {
        let store = open(&fresh);
        let path = store.draft.to_string_lossy().into_owned();
        let text = match text {
            "image" => format!("an @{path}.images/clipboard-1.png"),
            text => text.to_owned(),
        };
        assert!(path.starts_with(&image));
        let mut all = of(&text, fresh.owner.clone());
        all[0].queue = vec![format!("queued in {text}")];
        store.save_draft(&store.number_draft(all));
        store
    });
    let [one, two, three, alive, with_image] = clients;
    drop((one, two, three, with_image));
    let files = || {
        let files = fs::read_dir(state.path().join("drafts")).expect("the folder");
        files.flatten().filter(|file| file.path().is_file()).count()
    };
    assert_eq!(files(), 5);
    let first = open(&fresh);
    assert_eq!(first.left().drafts(), ["one", "two", "three"]);
    assert_eq!(
        first.left().queued(),
        ["queued in one", "queued in two", "queued in three"]
    );
    assert_eq!(files(), 3, "each once, and what lives keeps its own");
    // Killed at once, nothing is lost.
    drop(first);
    let again = open(&fresh);
    assert_eq!(again.left().drafts()[..1], ["one"]);
    assert_eq!(
        again.left().beside,
        ["two", "queued in two", "three", "queued in three"]
    );
    assert_eq!(alive.draft().as_deref(), Some("alive"));
    // An image is its slot's own.
    assert!(open(&fresh).left().drafts()[0].starts_with("an @"));
}

#[test]
fn a_new_session_leaves_a_draft_to_the_session_that_can_go_on_and_names_that() {
    let state = tempfile::tempdir().expect("a folder");
    let open = |wanted: &Wanted| Drafts::new(state.path(), Path::new("/p"), wanted);
    let [a, b] = ["a", "b"].map(|session| wanted("x", Some(session), true));
    for (whose, other) in [(&a, false), (&b, true)] {
        let store = open(&wanted("x", None, !other));
        let mut all = of(&format!("{:?}", whose.owner.session), whose.owner.clone());
        all[0].resumes = true;
        store.save_draft(&store.number_draft(all));
    }
    let fresh = open(&wanted("x", None, true));
    assert_eq!(fresh.left().drafts(), [""; 0]);
    assert!(fresh.left().beside.is_empty());
    assert_eq!(fresh.left().kept, [a.owner.clone(), b.owner.clone()]);
    assert!(open(&wanted("y", None, true)).left().kept.is_empty());
    fresh.save_draft(&fresh.number_draft(of("of the new one", Owner::default())));
    drop(fresh);
    for whose in [&a, &b] {
        let store = open(whose);
        assert_eq!(
            store.left().drafts(),
            [format!("{:?}", whose.owner.session)]
        );
        assert!(store.left().kept.is_empty());
    }
}

#[test]
fn who_did_not_say_which_agent_gets_any_draft() {
    let state = tempfile::tempdir().expect("a folder");
    let open = |wanted: &Wanted| Drafts::new(state.path(), Path::new("/p"), wanted);
    let demo = wanted("demo", None, true);
    let store = open(&demo);
    store.save_draft(&store.number_draft(of("for D", demo.owner)));
    drop(store);
    assert_eq!(
        open(&wanted("claude", None, false)).draft().as_deref(),
        Some("for D")
    );
    assert_eq!(open(&Wanted::default()).draft().as_deref(), Some("for D"));
}

/// The files of the last version, by their places in the state directory.
const KEPT: [(&str, &str); 3] = [
    (
        "history/p-HASH.jsonl",
        include_str!("../../../tests/fixtures/drafts/history.jsonl"),
    ),
    (
        "drafts/p-HASH",
        include_str!("../../../tests/fixtures/drafts/draft.jsonl"),
    ),
    (
        "locks/p-HASH",
        include_str!("../../../tests/fixtures/drafts/lock.json"),
    ),
];

#[test]
fn what_the_last_version_kept_is_read_and_written_as_it_was() {
    let state = tempfile::tempdir().expect("a folder");
    let hash = "00d74baf14ea415c";
    let path = |name: &str| state.path().join(name.replace("HASH", hash));
    for (name, text) in KEPT {
        create_parent(&path(name)).expect("a folder");
        fs::write(path(name), text).expect("written");
    }
    let whose = wanted("demo", Some("sess-1"), true);
    let store = Drafts::new(state.path(), Path::new("/p"), &whose);
    assert_eq!(
        store.history(),
        ["one\nwith \"two\" lines", "\u{1b}[31m 日本"]
    );
    assert_eq!(store.left().drafts(), ["half a thought\n@[a b.rs]"]);
    assert_eq!(store.left().queued(), ["next", "and then"]);
    let (own, all) = (store.left().own.clone(), store.number_draft(Vec::new()));
    assert_eq!(all.all.len(), 2, "of sessions that are not open");
    let mut all = all.all;
    all.splice(..0, own);
    assert_eq!(unsent::write(&all), KEPT[1].1);
    store.add_history("three");
    store.save_draft(&NumberedDraft { all, number: 9 });
    for (name, text) in KEPT {
        let now = fs::read_to_string(path(name)).expect("there");
        assert!(now.starts_with(text), "{name}: {now}");
    }
}

#[test]
fn the_file_of_an_earlier_version_is_one_draft_of_its_owner() {
    let state = tempfile::tempdir().expect("a folder");
    let whose = wanted("claude", Some("c"), true);
    let store = Drafts::new(state.path(), Path::new("/p"), &whose);
    store.save_draft(&store.number_draft(of("to be replaced", whose.owner.clone())));
    let old = "the one shown\n\nin two parts\u{1e}\nanother\u{1e}\nx\u{1e}\na third";
    fs::write(&store.draft, old).expect("written");
    drop(store);
    let store = Drafts::new(state.path(), Path::new("/p"), &whose);
    let texts: Vec<&str> = store.left().own[0].texts().collect();
    assert_eq!(
        texts,
        ["the one shown\n\nin two parts", "another", "a third"]
    );
    assert_eq!(store.left().own[0].owner, whose.owner);
}

#[test]
fn what_waits_for_other_sessions_stays_through_saves_with_its_images() {
    let state = tempfile::tempdir().expect("a folder");
    let open = |whose: &Wanted| Drafts::new(state.path(), Path::new("/p"), whose);
    let [a, b] = ["a", "b"].map(|session| wanted("x", Some(session), true));
    let store = open(&a);
    let image = store.keep_image(b"image", "png").expect("kept");
    let draft_b = format!("draftB {}", image.display());
    let mut all = of(&draft_b, b.owner.clone());
    all.extend(of("draftA", a.owner.clone()));
    store.save_draft(&store.number_draft(all));
    drop(store);
    let store = open(&a);
    assert_eq!(store.left().drafts(), ["draftA"]);
    assert!(store.left().beside.is_empty());
    store.sweep_images(&[]);
    assert!(image.exists());
    store.save_draft(&store.number_draft(Vec::new()));
    drop(store);
    let store = open(&wanted("x", Some("c"), true));
    assert_eq!(store.left().drafts(), [""; 0]);
    assert_eq!(store.take_waiting("y", "b"), []);
    assert_eq!(store.take_waiting("x", "b"), of(&draft_b, b.owner));
    store.sweep_images(&[]);
    assert!(!image.exists());
}

#[test]
fn what_nobody_would_miss_is_in_nobodys_way() {
    let state = tempfile::tempdir().expect("a folder");
    let open = || Drafts::new(state.path(), Path::new("/p"), &Wanted::default());
    for (text, back) in [
        ("/", false),
        ("x", false),
        (" \u{e9}\n", false),
        ("/comp", false),
        ("xy", true),
        ("/compact now", true),
        ("/src/main.rs", true),
    ] {
        let store = open();
        store.save_draft(&store.number_draft(of(text, Owner::default())));
        drop(store);
        assert_eq!(open().draft().is_some(), back, "{text:?}");
    }
    // It is no reason to leave another one where it is.
    let (first, second) = (open(), open());
    first.save_draft(&first.number_draft(of("/", Owner::default())));
    second.save_draft(&second.number_draft(of("a thought", Owner::default())));
    drop((first, second));
    assert_eq!(open().draft().as_deref(), Some("a thought"));
}

#[test]
fn a_state_directory_that_was_removed_is_made_again() {
    let state = tempfile::tempdir().expect("a folder");
    let open = || Drafts::new(state.path(), Path::new("/p"), &Wanted::default());
    let store = open();
    let save = |text: &str| store.save_draft(&store.number_draft(of(text, Owner::default())));
    store.add_history("one");
    save("a draft");
    fs::remove_dir_all(state.path()).expect("removed");
    store.add_history("two");
    save("a later draft");
    assert_eq!(store.history(), ["two"]);
    assert_eq!(store.draft().as_deref(), Some("a later draft"));
    // The draft is still no other's.
    assert_eq!(open().draft(), None);
    drop(store);
    assert_eq!(open().draft().as_deref(), Some("a later draft"));
}

#[test]
fn what_cannot_be_kept_is_told_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let state = folder.path().join("state");
    let (tell, told) = std::sync::mpsc::channel();
    let store = Drafts::new(&state, Path::new("/p"), &Wanted::default())
        .telling(move |text| tell.send(text).expect("heard"));
    fs::remove_dir_all(&state).expect("removed");
    fs::write(&state, "in the way").expect("written");
    store.add_history("one");
    store.save_draft(&store.number_draft(of("a draft", Owner::default())));
    store.add_history("two");
    let told: Vec<_> = told.try_iter().collect();
    assert_eq!(told.len(), 1);
    assert!(told[0].contains("cannot be saved in"), "{}", told[0]);
}

#[test]
fn an_overgrown_history_keeps_the_newest() {
    let state = tempfile::tempdir().expect("a folder");
    let store = Drafts::new(state.path(), Path::new("/p"), &Wanted::default());
    let lines: String = (0..=2 * HISTORY).map(|n| line(&n.to_string())).collect();
    replace(&store.history, &lines).expect("written");
    let history = store.history();
    assert_eq!(history.len(), HISTORY);
    assert_eq!(history.last().map(String::as_str), Some("2000"));
    assert_eq!(store.history().len(), HISTORY);
}
