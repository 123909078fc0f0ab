//! What an earlier version wrote is read as it was read then: stored sessions, wire logs, the
//! configuration, and the JSON that is made of them. The files in `tests/fixtures` are that version's;
//! a difference is a promise broken, and not to be written over them.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::shell::Shell;

fn folder(name: &str) -> PathBuf {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    fixtures.join(name)
}

/// The files of a folder that end in `.jsonl`, and their names without that.
fn files(folder: &Path) -> Vec<(String, PathBuf)> {
    let paths = fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().path());
    let mut files: Vec<_> = paths
        .filter(|path| path.extension().is_some_and(|ending| ending == "jsonl"))
        .map(|path| (path.file_stem().unwrap().to_str().unwrap().to_owned(), path))
        .collect();
    files.sort();
    assert!(!files.is_empty());
    files
}

/// What was unknown to the version that wrote the files, and has been understood since: it is no notice
/// any more.
const UNDERSTOOD_SINCE: &[&str] = &[
    "skipped, unknown to acp-tui: _auth/status_update",
    "skipped, unknown to acp-tui: craft/drainMidTurnQueue",
];

fn same(told: &str, expected: &Path) {
    let expected_text = fs::read_to_string(expected).unwrap();
    let is_kept = |line: &&str| !UNDERSTOOD_SINCE.iter().any(|text| line.contains(text));
    let expected_text: String = expected_text
        .split_inclusive('\n')
        .filter(is_kept)
        .collect();
    for (told, expected_line) in told.lines().zip(expected_text.lines()) {
        assert_eq!(told, expected_line, "{}", expected.display());
    }
    assert!(
        told == expected_text,
        "{} ends elsewhere",
        expected.display()
    );
}

#[test]
fn stored_sessions_of_before_are_read_shown_and_exported_as_they_were() {
    let shell = Shell::new();
    let sessions = shell.path().join(".local/state/acp-tui/sessions");
    fs::create_dir_all(&sessions).unwrap();
    let kept = folder("stored");
    for (name, path) in files(&kept) {
        fs::copy(&path, sessions.join(format!("{name}.jsonl"))).unwrap();
        for (ending, args) in [
            (
                "json",
                &["sessions", "export", &name, "--format", "json"][..],
            ),
            ("md", &["sessions", "export", &name, "--format", "markdown"]),
            ("txt", &["sessions", "show", &name]),
            ("events", &["replay", &name, "--format", "jsonl"]),
        ] {
            let ran = shell.run(args);
            assert_eq!(ran.code, 0, "{args:?}: {}", ran.err);
            same(&ran.out, &kept.join(format!("expected/{name}.{ending}")));
        }
    }
}

#[test]
fn wire_logs_of_before_are_told_as_they_were() {
    let shell = Shell::new();
    let kept = folder("wire");
    for (name, path) in files(&kept) {
        let ran = shell.run(&["replay", path.to_str().unwrap(), "--format", "jsonl"]);
        same(&ran.out, &kept.join(format!("expected/{name}.events")));
    }
}

#[test]
fn a_configuration_of_before_means_what_it_did() {
    let shell = Shell::new();
    let kept = folder("config");
    shell.config(&fs::read_to_string(kept.join("config.toml")).unwrap());
    let checked = shell.run(&["config", "check"]);
    let wrong = checked.out + &checked.err;
    assert!(!wrong.contains("unknown"), "{wrong}");
    let told = shell.run(&["config"]).out;
    // Tables that came since are nothing that it says.
    let expected = fs::read_to_string(kept.join("effective.toml")).unwrap();
    let is_of_before = |line: &str| line.starts_with('[') && expected.lines().any(|l| l == line);
    // What stands there of built-in agents may change.
    let own = told
        .lines()
        .filter_map(|line| match line.split_once(" # ") {
            Some((key, source)) => source.contains("config.toml:").then(|| key.trim_end()),
            None => is_of_before(line).then_some(line),
        });
    let own: String = own.map(|line| format!("{line}\n")).collect();
    same(&own, &kept.join("effective.toml"));
}
