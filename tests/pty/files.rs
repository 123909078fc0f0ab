//! Files and commands that the agent asks the client for.

use serde_json::{Value, json};

use crate::{
    GUARD, client, on_prompt,
    support::{pty::Tui, setup::Setup},
    wait_ready,
};

fn read(id: &str, path: &str) -> Value {
    json!({"request": {"id": id, "method": "fs/read_text_file", "params": {"path": path}}})
}

/// A turn that reads `outside/secret.txt` beside the project.
fn outside() -> (Setup, Tui) {
    let mut setup = client(json!([]));
    let secret = setup.path("outside/secret.txt");
    let folder = secret.parent().expect("a folder");
    std::fs::create_dir(folder).expect("made");
    for name in ["secret.txt", "other.txt"] {
        std::fs::write(folder.join(name), name).expect("written");
    }
    setup.scenario = on_prompt(json!([
        read("first", &secret.display().to_string()),
        read("second", &folder.join("other.txt").display().to_string()),
        {"text": "went on"},
    ]));
    let tui = setup.start();
    wait_ready(&tui);
    tui.keys("read it<enter>");
    wait_open(&tui, "secret.txt");
    (setup, tui)
}

fn wait_open(tui: &Tui, what: &str) {
    tui.wait_for("outside the workspace");
    tui.wait_for(what);
    std::thread::sleep(GUARD);
}

#[test]
fn ignored_and_linked_folders_can_be_looked_through_once_typed() {
    let setup = client(json!([]));
    let project = setup.path("project");
    let write = |path: &str| {
        let path = setup.path(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(path, "text").expect("written");
    };
    std::fs::create_dir_all(&project).expect("made");
    write("project/out/data.csv");
    write("outside/far.txt");
    std::fs::write(project.join(".gitignore"), "out/\n").expect("written");
    std::os::unix::fs::symlink("../outside", project.join("link")).expect("linked");
    let tui = setup.start();
    wait_ready(&tui);
    for (typed, found) in [
        ("@out/", "data.csv"),
        ("@link/", "far.txt"),
        ("@../out", "../outside/"),
        ("@ou", "out/"),
    ] {
        tui.keys(typed);
        tui.wait_for(found);
        assert!(!tui.screen().contains("no such file"), "{}", tui.screen());
        tui.keys("<c-c>");
    }
}

// V1-SES-07
#[test]
fn y_lets_the_agent_read_outside_once() {
    let (_setup, tui) = outside();
    tui.keys("y");
    assert_eq!(tui.wait_answer("first")["result"]["content"], "secret.txt");
    // The next file is a question of its own.
    wait_open(&tui, "other.txt");
    tui.keys("n");
    assert!(tui.wait_answer("second")["error"].is_object());
    tui.wait_for("went on");
}

#[test]
fn a_lets_it_read_the_folder_for_this_session() {
    let (_setup, tui) = outside();
    tui.keys("a");
    assert_eq!(tui.wait_answer("first")["result"]["content"], "secret.txt");
    assert_eq!(tui.wait_answer("second")["result"]["content"], "other.txt");
    tui.wait_for("went on");
    tui.wait_for("allowed for its folder in this session");
}

#[test]
fn esc_is_a_no_and_the_turn_goes_on() {
    let (_setup, tui) = outside();
    tui.keys("<esc>");
    assert!(tui.wait_answer("first")["error"].is_object());
    wait_open(&tui, "other.txt");
    tui.keys("<esc>");
    tui.wait_for("went on");
    assert_eq!(tui.count("session/cancel"), 0);
}

#[test]
fn a_link_that_leads_outside_is_asked_about_with_where_it_leads() {
    let setup = client(on_prompt(json!([read("q", "$cwd/link.txt")])));
    let target = setup.path("target.txt");
    std::fs::write(&target, "far away").expect("written");
    std::os::unix::fs::symlink(&target, setup.path("project/link.txt")).expect("linked");
    let tui = setup.start();
    wait_ready(&tui);
    tui.keys("read it<enter>");
    wait_open(&tui, "link.txt");
    let screen = tui.wait_for("which is");
    assert!(screen.contains("target.txt"), "{screen}");
}

#[test]
fn inside_the_workspace_files_are_read_and_written_unasked_v1_fs() {
    let setup = client(on_prompt(json!([
        read("read", "$cwd/crlf.txt"),
        {"request": {"id": "write", "method": "fs/write_text_file", "params": {
            "path": "$cwd/new/folder/file.txt", "content": "one\r\ntwo",
        }}},
        {"text": "done with files"},
    ])))
    .file("crlf.txt", "\u{feff}a\r\nb");
    let tui = setup.start();
    wait_ready(&tui);
    tui.keys("go<enter>");
    tui.wait_for("done with files");
    // No tool call tells of it.
    tui.wait_for("wrote new/folder/file.txt · 2 lines");
    assert_eq!(
        tui.wait_answer("read")["result"]["content"],
        "\u{feff}a\r\nb"
    );
    let written = std::fs::read(tui.project().join("new/folder/file.txt")).expect("there");
    assert_eq!(written, b"one\r\ntwo");
}

#[test]
fn commands_are_asked_about_where_the_person_wants_that() {
    for (keys, runs) in [("y", true), ("n", false), ("<esc>", false)] {
        let setup = client(on_prompt(json!([
            {"request": {"id": "make", "method": "terminal/create", "params": {
                "command": "touch", "args": ["made here"],
            }}},
            {"text": "went on"},
        ])))
        .config("[terminal]\nask = true\n");
        let tui = setup.start();
        wait_ready(&tui);
        tui.keys("go<enter>");
        let screen = tui.wait_for("wants to run a command");
        assert!(screen.contains("touch 'made here'"), "{screen}");
        std::thread::sleep(GUARD);
        tui.keys(keys);
        let answer = tui.wait_answer("make");
        assert_eq!(answer["result"]["terminalId"].is_string(), runs, "{answer}");
        tui.wait_for("went on");
        assert_eq!(tui.count("session/cancel"), 0);
        if runs {
            tui.wait("the file", |tui| {
                tui.project().join("made here").exists().then_some(())
            });
        } else {
            assert!(!tui.project().join("made here").exists());
        }
    }
}

/// The project is the home: acp-tui's configuration is in it.
#[test]
fn at_home_acp_tuis_own_files_are_still_asked_about() {
    let write = |id: &str, path: &str| {
        json!({"request": {"id": id, "method": "fs/write_text_file", "params": {
            "path": path, "content": "policy = \"allow-all\"\n",
        }}})
    };
    let setup = client(on_prompt(json!([
        write("own", ".config/acp-tui/config.toml"),
        write("key", ".ssh/authorized_keys"),
        write("other", "notes.txt"),
        {"text": "went on"},
    ])))
    .args(&["--policy", "allow-all"]);
    let home = setup.path("project").display().to_string();
    let tui = setup.env("HOME", &home).start();
    wait_ready(&tui);
    tui.keys("go<enter>");
    for (what, id) in [
        ("belongs to acp-tui itself", "own"),
        ("may hold SSH keys", "key"),
    ] {
        let screen = tui.wait_for(what);
        assert!(screen.contains("what is protected"), "{screen}");
        std::thread::sleep(GUARD);
        tui.keys("n");
        assert!(tui.wait_answer(id)["error"].is_object());
    }
    tui.wait_for("went on");
    assert!(tui.wait_answer("other")["error"].is_null());
    let project = tui.project();
    assert!(project.join("notes.txt").exists());
    for path in [".config/acp-tui/config.toml", ".ssh"] {
        assert!(!project.join(path).exists(), "{path}");
    }
}

#[test]
fn half_a_surrogate_pair_is_not_written_as_something_else() {
    let request = r#"{"jsonrpc":"2.0","id":"half","method":"fs/write_text_file","params":{"sessionId":"sess-1","path":"half.txt","content":"a \ud800 b"}}"#;
    let tui = crate::ready(on_prompt(json!([
        {"raw": format!("{request}\n")},
        {"text": "went on"},
    ])));
    tui.keys("go<enter>");
    let answer = tui.wait_answer("half");
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    tui.wait_for("went on");
    assert!(!tui.project().join("half.txt").exists());
}
