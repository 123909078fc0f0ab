//! Images and other files in prompts.

use std::{fs, os::unix::fs::PermissionsExt, path::PathBuf, time::Duration};

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

use crate::{
    client, on_prompt,
    support::{pty::Tui, setup::Setup},
    wait_ready,
};

/// As far as anybody looks, a picture of 1280 by 720.
const PNG: &[u8] =
    b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\x05\0\0\0\x02\xd0\x08\x06\0\0\0and what it shows";

fn taking(capabilities: Value) -> Value {
    json!([{"on": "initialize", "reply": {
        "protocolVersion": 1,
        "agentCapabilities": {"promptCapabilities": capabilities},
    }}])
}

fn takes_images() -> Setup {
    client(taking(
        json!({"image": true, "audio": true, "embeddedContext": true}),
    ))
}

/// A picture beside the project.
fn picture(setup: &Setup, name: &str) -> PathBuf {
    let path = setup.path(name);
    fs::write(&path, PNG).expect("written");
    path
}

fn blocks(tui: &Tui) -> Vec<Value> {
    let prompt = tui.wait_method("session/prompt");
    prompt["params"]["prompt"]
        .as_array()
        .expect("blocks")
        .clone()
}

fn kinds(blocks: &[Value]) -> Vec<&str> {
    blocks.iter().filter_map(|b| b["type"].as_str()).collect()
}

// V1-CONT-02, V1-INIT-18, V1-PROMPT-03
#[test]
fn a_dropped_image_is_sent_where_it_was_dropped() {
    let setup = takes_images();
    let path = picture(&setup, "my shot's.png");
    let tui = setup.start();
    wait_ready(&tui);
    tui.keys("look at ");
    let quoted = path.display().to_string().replace('\'', "'\\''");
    tui.paste(&format!("'{quoted}' "));
    tui.wait_for("[image: my shot's.png 1280x720 46 B]");
    tui.keys("please");
    tui.wait_for("please");
    tui.keys("<enter>");
    let blocks = blocks(&tui);
    assert_eq!(kinds(&blocks), ["text", "image", "text"]);
    assert_eq!(blocks[0]["text"], "look at ");
    assert_eq!(blocks[1]["data"], STANDARD.encode(PNG));
    assert_eq!(blocks[1]["mimeType"], "image/png");
    let uri = blocks[1]["uri"].as_str().expect("where it is");
    assert!(
        uri.starts_with("file:///") && uri.ends_with("/my%20shot%27s.png"),
        "{uri}"
    );
    assert_eq!(blocks[2]["text"], " please");
    tui.wait_for("look at [image: my shot's.png] please");
    // Once it was decoded, in vain, the line says so as well.
    tui.wait_for("[image · my shot's.png · image/png · 46 B");
    // Up: it comes back as what it was.
    wait_ready(&tui);
    tui.keys("<up>");
    tui.wait_for("❯ look at [image: my shot's.png 1280x720 46 B] please");
}

#[test]
fn a_drop_and_enter_in_one_go_sends_the_image() {
    let setup = takes_images();
    let path = picture(&setup, "shot.png");
    let tui = setup.start();
    wait_ready(&tui);
    tui.send(format!("\x1b[200~file://{}\x1b[201~\r", path.display()).as_bytes());
    assert_eq!(kinds(&blocks(&tui)), ["image"]);
}

// V1-INIT-18
#[test]
fn an_agent_that_takes_no_images_gets_a_link_and_that_is_said_before() {
    let setup = client(json!([]));
    let path = picture(&setup, "shot.png");
    let tui = setup.start();
    wait_ready(&tui);
    tui.paste(&path.display().to_string());
    tui.wait_for("[link: shot.png 46 B, the agent takes no images]");
    tui.keys("<enter>");
    let blocks = blocks(&tui);
    assert_eq!(kinds(&blocks), ["resource_link"]);
    assert_eq!(blocks[0]["size"], 46);
    tui.wait_for("cannot take shot.png: a link goes instead");
}

// V1-CONT-02, V1-CONT-03, V1-CONT-05
#[test]
fn mentioned_files_go_as_what_they_are() {
    let setup = takes_images()
        .file("shot", PNG)
        .file("word.wav", b"RIFF\0\0\0\0WAVEfmt ")
        .file("scan.tiff", b"II*\0and so on")
        .file("notes.txt", "hello");
    let tui = setup.start();
    wait_ready(&tui);
    for name in ["shot", "word", "scan", "notes"] {
        tui.keys(&format!("@{name}"));
        tui.wait_for(&format!("❯ {name}"));
        tui.keys("<tab>");
    }
    tui.wait_for("[image: shot 1280x720 46 B]");
    tui.wait_for("[audio: word.wav 16 B]");
    tui.wait_for("TIFF cannot be sent");
    tui.wait_for("@notes.txt");
    tui.keys("<enter>");
    let blocks = blocks(&tui);
    let kinds: Vec<&str> = kinds(&blocks)
        .into_iter()
        .filter(|k| *k != "text")
        .collect();
    assert_eq!(kinds, ["image", "audio", "resource_link", "resource"]);
}

#[test]
fn an_image_that_is_gone_when_it_is_sent_keeps_the_draft() {
    let setup = takes_images();
    let path = picture(&setup, "shot.png");
    let tui = setup.start();
    wait_ready(&tui);
    tui.keys("see ");
    tui.paste(&path.display().to_string());
    tui.wait_for("[image: shot.png");
    fs::remove_file(&path).expect("removed");
    tui.keys("<enter>");
    tui.wait_for("not sent: shot.png is gone");
    tui.wait_for("❯ see @/");
    assert_eq!(tui.count("session/prompt"), 0);
    // There again: the same draft goes.
    fs::write(&path, PNG).expect("written");
    tui.keys("<enter>");
    assert_eq!(kinds(&blocks(&tui)), ["text", "image"]);
}

#[test]
fn a_pipe_by_the_name_of_an_image_blocks_nothing() {
    let setup = takes_images();
    let pipe = setup.path("pipe.png");
    let status = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(status.expect("mkfifo").success());
    let tui = setup.start();
    wait_ready(&tui);
    tui.paste(&pipe.display().to_string());
    tui.keys(" is it an image?");
    tui.wait_for("is it an image?");
    tui.keys("<enter>");
    assert_eq!(kinds(&blocks(&tui)), ["text"]);
}

/// A desktop whose clipboard holds a picture.
fn with_clipboard(setup: Setup) -> Setup {
    let setup = setup.script(
        "bin/wl-paste",
        "#!/bin/sh\ncase \"$1\" in --list-types) printf 'text/html\\nimage/png\\n';; *) cat \"$HOME/clip\";; esac\n",
    );
    fs::write(setup.path("home/clip"), PNG).expect("written");
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", setup.path("bin").display());
    setup.env("PATH", &path).env("WAYLAND_DISPLAY", "wayland-9")
}

fn kept(tui: &Tui) -> Vec<PathBuf> {
    let drafts = tui.path("home/.local/state/acp-tui/drafts");
    let folders = fs::read_dir(drafts).into_iter().flatten().flatten();
    let images = folders.filter(|entry| entry.path().is_dir());
    let files = images.flat_map(|folder| fs::read_dir(folder.path()).into_iter().flatten());
    files.flatten().map(|file| file.path()).collect()
}

#[test]
fn an_image_of_the_clipboard_is_kept_in_the_draft_until_it_is_sent() {
    let setup = with_clipboard(takes_images());
    let tui = setup.start();
    wait_ready(&tui);
    tui.keys("what is <c-v>");
    tui.wait_for("[image: clipboard-1.png 1280x720 46 B]");
    let files = kept(&tui);
    let mode = fs::metadata(&files[0])
        .expect("the file")
        .permissions()
        .mode();
    assert_eq!((files.len(), mode & 0o777), (1, 0o600));
    // A crash costs nothing of it.
    tui.wait("the draft", |tui| {
        let drafts = tui.path("home/.local/state/acp-tui/drafts");
        let files = fs::read_dir(drafts).ok()?.flatten();
        let mut texts = files.filter_map(|file| fs::read_to_string(file.path()).ok());
        texts
            .any(|text| text.contains("clipboard-1.png"))
            .then_some(())
    });
    tui.signal(rustix::process::Signal::KILL);
    let mut tui = tui;
    tui.wait_exit();
    let tui = setup.start();
    wait_ready(&tui);
    tui.wait_for("❯ what is [image: clipboard-1.png 1280x720 46 B]");
    tui.keys("<enter>");
    let blocks = blocks(&tui);
    assert_eq!(kinds(&blocks)[..2], ["text", "image"]);
    assert_eq!(blocks[1]["data"], STANDARD.encode(PNG));
    assert_eq!(blocks[1]["uri"], Value::Null);
    tui.wait("no file", |tui| kept(tui).is_empty().then_some(()));
    // Its path is nothing to remember.
    wait_ready(&tui);
    tui.keys("<up>");
    tui.wait_for("❯ what is [image from the clipboard]");
}

#[test]
fn over_ssh_the_clipboard_is_out_of_reach_and_that_is_said() {
    let tui = takes_images().env("SSH_TTY", "/dev/pts/9").start();
    wait_ready(&tui);
    tui.keys("<c-v>");
    tui.wait_for("not available over ssh");
}

#[test]
fn a_queued_image_can_be_taken_back_and_goes_out_in_its_turn() {
    let mut scenario = taking(json!({"image": true}));
    let steps = on_prompt(json!([{"text": "working"}, {"wait_file": "go"}]));
    scenario
        .as_array_mut()
        .expect("a list")
        .push(steps[0].clone());
    let setup = client(scenario);
    let path = picture(&setup, "shot.png");
    let tui = setup.start();
    wait_ready(&tui);
    tui.keys("go<enter>");
    tui.wait_for("working");
    tui.keys("then ");
    tui.paste(&path.display().to_string());
    tui.wait_for("[image: shot.png 1280x720 46 B]");
    tui.keys("<enter>");
    tui.wait_for("queued 1: then [image: shot.png]");
    tui.keys("<up>");
    tui.wait_for("❯ then [image: shot.png 1280x720 46 B]");
    tui.keys("<enter>");
    tui.wait_for("queued 1");
    std::thread::sleep(Duration::from_millis(50));
    tui.allow("go");
    let second = tui.wait_received("the image", |m| m["params"]["prompt"][1]["type"] == "image");
    assert_eq!(second["params"]["prompt"][0]["text"], "then ");
}
