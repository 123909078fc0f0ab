//! A session in a git worktree: how it is listed, and what becomes of its worktree.

use super::*;
use crate::{
    model::{SessionKey, Worktree, WorktreeEnd, WorktreeStatus},
    session::{Sessions, Start},
};

pub(super) fn worktree() -> Worktree {
    let top = "/home/me/.local/state/acp-tui/worktrees/tool-1/fix";
    Worktree {
        top: top.into(),
        cwd: top.into(),
        project: "/home/me/src/tool".into(),
        branch: "acp/fix".into(),
    }
}

pub(super) fn stands(commits: usize, changed: usize, ignored: &[&str]) -> WorktreeStatus {
    WorktreeStatus {
        branch: Some("acp/fix".into()),
        target: Some("main".into()),
        commits,
        changed,
        ignored: ignored.iter().map(|name| (*name).to_owned()).collect(),
        ignored_count: ignored.len(),
        ..WorktreeStatus::default()
    }
}

/// The dialog of a worktree that stands so, open for long enough to be read.
fn asked(stands: WorktreeStatus) -> Screen {
    let mut screen = Screen::new(Bench::ready()).sized(110, 24);
    screen
        .ui
        .ask_worktree_end(SessionKey(1), worktree(), stands);
    screen.draw();
    screen.bench.wait(400);
    screen
}

/// What it is ended with.
fn end(commands: &[UiCommand]) -> Option<WorktreeEnd> {
    commands.iter().find_map(|command| match command {
        UiCommand::EndWorktree { end, .. } => Some(*end),
        _ => None,
    })
}

#[test]
fn keeping_is_selected_and_the_others_say_what_they_do_with_what_is_there() {
    let mut screen = asked(stands(2, 3, &[]));
    let picture = screen.draw();
    for words in [
        "acp/fix: 3 files, 2 commits",
        "❯ Keep the worktree, close the session",
        "3 files are committed first",
        "2 commits are taken apart",
        "3 files, 2 commits would be lost; asks first",
    ] {
        assert!(picture.contains(words), "{words}: {picture}");
    }
    assert_eq!(end(&screen.press("enter")), Some(WorktreeEnd::Keep));
    // What loses nothing needs no second word.
    for (keys, is) in [
        ("down enter", WorktreeEnd::Merge),
        ("down down enter", WorktreeEnd::Apply),
    ] {
        let mut screen = asked(stands(2, 3, &[]));
        assert_eq!(end(&screen.press(keys)), Some(is));
    }
    let mut screen = asked(stands(2, 3, &[]));
    assert_eq!(end(&screen.press("esc")), None);
    assert!(!screen.draw().contains("Keep the worktree"));
}

#[test]
fn what_is_lost_is_counted_and_asked_with_nothing_selected() {
    let many: Vec<String> = (0..9).map(|n| format!("{n}.log")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    for (keys, status, words, is) in [
        (
            "end enter",
            stands(1, 1, &["target/"]),
            "1 file, 1 commit, what git ignores (target/) of acp/fix will be gone for good.",
            WorktreeEnd::Discard,
        ),
        (
            "down enter",
            stands(0, 1, &many),
            "deleted with the worktree: 0.log, 1.log, 2.log, 3.log, 4.log, 5.log and 3 more.",
            WorktreeEnd::Merge,
        ),
        (
            "down down enter",
            stands(0, 1, &["x.log"]),
            "deleted with the worktree: x.log.",
            WorktreeEnd::Apply,
        ),
    ] {
        let mut screen = asked(status.clone());
        assert_eq!(end(&screen.press(keys)), None, "{is:?}");
        // Wrapped, and never cut.
        let picture = screen.draw().replace(['│', '\n'], " ");
        let picture = picture.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(picture.contains(words), "{is:?}: {picture}");
        assert!(picture.contains("up/down select"), "{is:?}: {picture}");
        screen.bench.wait(400);
        assert_eq!(end(&screen.press("enter")), None, "{is:?}");
        screen.bench.wait(400);
        screen.press("down");
        screen.bench.wait(400);
        let commands = screen.press("enter");
        assert_eq!(end(&commands), Some(is));
        let seen = commands.iter().find_map(|command| match command {
            UiCommand::EndWorktree { seen, .. } => Some((**seen).clone()),
            _ => None,
        });
        assert_eq!(seen, Some(status));
    }
    // There is nothing to lose.
    let mut screen = asked(stands(0, 0, &[]));
    assert_eq!(end(&screen.press("end enter")), Some(WorktreeEnd::Discard));
}

#[test]
fn the_list_tells_branch_and_what_is_in_the_worktree() {
    let bench = Bench::ready();
    let config = crate::session::SessionConfig {
        cwd: worktree().cwd,
        worktree: Some(worktree()),
        start: Start::New,
        ..bench.session.config.clone()
    };
    let mut sessions = Sessions::default();
    let (key, _) = sessions.open(config, bench.now).expect("the first");
    let seen = Box::new(stands(2, 3, &[]));
    sessions.apply(key, Event::WorktreeSeen(seen), bench.now);
    let Screen { mut ui, bench, .. } = Screen::new(bench);
    let cx = UiContext {
        session: sessions.shown(),
        sessions: Some(&sessions),
        ..bench.context()
    };
    let area = Rect::new(0, 0, 90, 24);
    let mut draw = |key: Option<&str>| {
        let chord = key.map(|key| Chord::parse(key).expect("a key"));
        ui.handle(
            &chord.map_or_else(Vec::new, |chord| vec![Input::Key(chord.event())]),
            &cx,
        );
        let mut buffer = Buffer::empty(area);
        ui.draw_on(area, &mut buffer, &cx);
        text(&buffer)
    };
    // Before its branch was looked at, the one that was made for it.
    let status = draw(None);
    assert_eq!(
        status.matches("~/src/tool (acp/fix)").count(),
        2,
        "{status}"
    );
    let list = draw(Some("ctrl-s"));
    assert!(list.contains("3 files, 2 commits · acp/fix"), "{list}");
}
