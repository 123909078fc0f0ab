use std::{path::Path, sync::Arc, time::Instant};

use super::*;
use crate::{
    config::DiffLayout,
    model::{Diff, ExitStatus, TerminalId},
    session::TerminalInfo,
    text::SafeText,
    ui::render::testing::{Stage, picture, screen},
    vt::SharedScreen,
};

pub(super) fn drawn(viewer: &mut Viewer, screens: &Screens, width: u16, height: u16) -> Buffer {
    let stage = Stage::dark();
    let mut buf = Buffer::empty(Rect::new(0, 0, width, height));
    viewer.draw(buf.area, &mut buf, screens, &stage.ctx(width));
    buf
}

fn shown(viewer: &mut Viewer, width: u16, height: u16) -> String {
    screen(&drawn(viewer, &Screens::default(), width, height))
}

fn press(viewer: &mut Viewer, keys: &str) {
    press_in(viewer, keys, &Screens::default());
}

fn press_in(viewer: &mut Viewer, keys: &str, screens: &Screens) {
    for key in keys.chars() {
        let key = KeyEvent::new(KeyCode::Char(key), KeyModifiers::NONE);
        assert!(matches!(viewer.on_key(key, screens), Outcome::Stay));
    }
}

pub(super) fn diffs() -> Viewer {
    let lines = |mark: &str| -> String {
        let line = |n| {
            if n % 30 == 5 {
                format!("line {n} {mark}\n")
            } else {
                format!("line {n}\n")
            }
        };
        (0..100).map(line).collect()
    };
    let diff = |path: &str, old: Option<String>, new: String| {
        Arc::new(Diff::of_texts(
            path.into(),
            old.map(|old| SafeText::new(&old)),
            SafeText::new(&new),
        ))
    };
    let diffs = vec![
        diff("/p/src/a.rs", Some(lines("old")), lines("new")),
        diff("/p/src/b.rs", None, "fn b() {}\n".into()),
    ];
    Viewer::Diff(DiffViewer::new(diffs, DiffLayout::Auto, Path::new("/p")))
}

#[test]
fn a_diff_over_the_whole_screen() {
    for (width, height) in [(20, 20), (80, 24), (200, 24)] {
        let mut viewer = diffs();
        let buf = drawn(&mut viewer, &Screens::default(), width, height);
        picture(&format!("viewer_{width}"), &buf);
        insta::assert_snapshot!(format!("diff_{width}"), screen(&buf));
    }
}

#[test]
fn hunks_and_files_are_jumped_between() {
    let mut viewer = diffs();
    let second_row = |viewer: &mut Viewer| {
        let text = shown(viewer, 80, 14);
        text.lines().nth(2).unwrap_or_default().trim().to_owned()
    };
    shown(&mut viewer, 80, 14);
    press(&mut viewer, "n");
    let first_hunk = second_row(&mut viewer);
    press(&mut viewer, "n");
    let second_hunk = second_row(&mut viewer);
    assert!(first_hunk != second_hunk, "{first_hunk}");
    assert!(second_hunk.contains("line"), "{second_hunk}");
    press(&mut viewer, "p");
    assert_eq!(second_row(&mut viewer), first_hunk);
    press(&mut viewer, "]");
    assert!(shown(&mut viewer, 80, 14).contains("fn b() {}"));
    press(&mut viewer, "G");
    assert!(shown(&mut viewer, 80, 14).contains("end"));
    press(&mut viewer, "g");
    assert!(shown(&mut viewer, 80, 14).contains("file 1 of 2"));
}

#[test]
fn a_text_is_scrolled_to_both_ends() {
    let text: String = (0..1_000).map(|n| format!("row {n}\n")).collect();
    let mut viewer = Viewer::Text(TextViewer::new("output".into(), SafeText::new(&text)));
    assert!(shown(&mut viewer, 60, 12).contains("row 0"));
    press(&mut viewer, "G");
    assert!(shown(&mut viewer, 60, 12).contains("row 999"));
    press(&mut viewer, "k");
    let text = shown(&mut viewer, 60, 12);
    assert!(
        text.contains("row 998") && !text.contains("row 999"),
        "{text}"
    );
    press(&mut viewer, "g");
    press(&mut viewer, " ");
    let text = shown(&mut viewer, 60, 12);
    assert!(
        text.contains("row 8") && !text.contains("row 7\n"),
        "{text}"
    );
    press(&mut viewer, "G");
    assert!(shown(&mut viewer, 60, 12).contains("row 999"));
    press(&mut viewer, "g");
    assert!(shown(&mut viewer, 60, 12).contains("row 0"));
}

#[test]
fn a_line_of_megabytes_is_shown_whole_and_in_parts() {
    let text = SafeText::new(&format!("{}end", "x".repeat(3 << 20)));
    let mut viewer = Viewer::Text(TextViewer::new("json".into(), text));
    assert!(shown(&mut viewer, 80, 12).contains("xxxx"));
    press(&mut viewer, "G");
    assert!(shown(&mut viewer, 80, 12).contains("end"));
}

#[test]
fn words_are_not_cut_however_long_the_line_is() {
    let words = [
        "conversation",
        "transcript",
        "of",
        "the",
        "agent's",
        "instructions",
    ];
    let text = words.repeat(400).join(" ");
    let mut viewer = Viewer::Text(TextViewer::new("message".into(), SafeText::new(&text)));
    for _ in 0..40 {
        let picture = shown(&mut viewer, 60, 14);
        let body = picture.lines().skip(1).take(12);
        for word in body.flat_map(str::split_whitespace) {
            assert!(words.contains(&word), "{word} in {picture}");
        }
        press(&mut viewer, " ");
    }
}

pub(super) fn terminal(exit: Option<i64>) -> (Viewer, Screens) {
    let id = TerminalId::new("t");
    let mut screens = Screens::default();
    let shared = SharedScreen::new(10, 60);
    shared.change(|screen| screen.feed(b"Overwrite? [y/N] "));
    screens.insert(id.clone(), shared);
    let info = TerminalInfo {
        command: "cp -i a b".into(),
        cwd: "/p".into(),
        exit: exit.map(|code| ExitStatus {
            code: Some(code),
            signal: None,
        }),
        ..TerminalInfo::new(Instant::now())
    };
    (
        Viewer::Terminal(TerminalViewer::new(id, Some(&info))),
        screens,
    )
}

#[test]
fn keys_in_an_attached_terminal_go_to_the_program() {
    let (mut viewer, screens) = terminal(None);
    let stage = Stage::dark();
    let mut buf = Buffer::empty(Rect::new(0, 0, 60, 12));
    let cursor = viewer.draw(buf.area, &mut buf, &screens, &stage.ctx(60));
    insta::assert_snapshot!(screen(&buf));
    assert_eq!(cursor, Some(Position::new(17, 1)));
    assert!(matches!(
        viewer.take_command(),
        Some(UiCommand::TerminalResize {
            rows: 10,
            cols: 60,
            ..
        })
    ));
    assert!(viewer.take_command().is_none());

    let key = |code, modifiers| KeyEvent::new(code, modifiers);
    let none = KeyModifiers::NONE;
    // Esc and q are the program's as well.
    for (code, expected) in [
        (KeyCode::Char('q'), &b"q"[..]),
        (KeyCode::Esc, &b"\x1b"[..]),
        (KeyCode::Enter, &b"\r"[..]),
    ] {
        let Outcome::Command(command) = viewer.on_key(key(code, none), &screens) else {
            panic!("{code:?} is not sent")
        };
        let UiCommand::TerminalInput { bytes, .. } = *command else {
            panic!("{code:?} is no input")
        };
        assert_eq!(bytes, expected);
    }
    assert!(matches!(
        viewer.on_key(key(KeyCode::F(9), none), &screens),
        Outcome::Command(command) if matches!(*command, UiCommand::TerminalKill { .. })
    ));
    assert!(matches!(
        viewer.on_key(key(KeyCode::Char(']'), KeyModifiers::CONTROL), &screens),
        Outcome::Close
    ));
}

#[test]
fn what_is_not_kept_of_an_output_is_said_before_its_first_row() {
    let (mut viewer, screens) = terminal(Some(0));
    let shared = screens.get(&TerminalId::new("t")).expect("there");
    let rows = crate::vt::SCROLLBACK_ROWS + 20;
    shared.change(|screen| {
        screen.feed_text("\n");
        for n in 1..=rows {
            screen.feed_text(&format!("row {n}\n"));
        }
        screen.finish();
    });
    press_in(&mut viewer, "g", &screens);
    let picture = screen(&drawn(&mut viewer, &screens, 60, 12));
    let body: Vec<&str> = picture.lines().skip(1).take(2).collect();
    assert_eq!(
        body[0].trim(),
        "[21 earlier rows were dropped]",
        "{picture}"
    );
    assert_eq!(body[1].trim(), "row 21", "{picture}");
    press_in(&mut viewer, "j", &screens);
    let picture = screen(&drawn(&mut viewer, &screens, 60, 12));
    assert_eq!(
        picture.lines().nth(1).map(str::trim),
        Some("row 21"),
        "{picture}"
    );
    press_in(&mut viewer, "G", &screens);
    let picture = screen(&drawn(&mut viewer, &screens, 60, 12));
    assert!(picture.contains(&format!("row {rows}")), "{picture}");
}

#[test]
fn a_finished_terminal_is_scrolled_and_closed() {
    let (mut viewer, screens) = terminal(Some(3));
    let text = screen(&drawn(&mut viewer, &screens, 60, 12));
    assert!(
        text.contains("exit 3") && text.contains("Overwrite?"),
        "{text}"
    );
    assert!(viewer.take_command().is_none());
    let q = KeyEvent::new(KeyCode::Char('q'), KeyModifiers::NONE);
    assert!(matches!(viewer.on_key(q, &screens), Outcome::Close));
}
