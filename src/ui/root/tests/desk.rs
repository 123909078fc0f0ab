//! A review with an app that answers it.

use super::*;
use crate::{
    model::{ChangeKind, ReviewScope, ReviewTexts, ReviewTold, ReviewWish, SessionKey},
    ui::review::testing::{Changed, review},
};

const KEY: fn() -> SessionKey = SessionKey::default;

/// A screen with an app that answers.
pub(super) struct Desk {
    pub(super) screen: Screen,
    pub(super) files: Vec<Changed>,
    /// Changed in the session, if these are not the files of the turn.
    pub(super) of_session: Vec<Changed>,
    pub(super) uncovered: Vec<SafeText>,
    pub(super) read_only: Option<SafeText>,
    pub(super) can_redo: bool,
    /// Lists and texts that were asked for.
    pub(super) asked: Vec<ReviewWish>,
}

pub(super) fn numbered(from: usize, changed: &[(usize, &str)]) -> String {
    let line = |n: usize| match changed.iter().find(|(at, _)| *at == n) {
        Some((_, text)) => format!("{text}\n"),
        None => format!("    let line_{n} = step({n});\n"),
    };
    (from..from + 60).map(line).collect()
}

pub(super) fn changes() -> Vec<Changed> {
    let before = numbered(0, &[]);
    let after = numbered(
        0,
        &[
            (5, "    let line_5 = step(50)?;"),
            (40, "    // a step that was\n    let line_40 = leap(40);"),
        ],
    );
    let keys = "# Keys\n\nF4 opens the review.\n";
    vec![
        Changed::new("CHANGELOG.md", Some("one\n"), Some("one\ntwo\n")).with(|file| {
            file.lines = Some((1, 0));
            file.by = Vec::new();
            file.by_a_turn = false;
        }),
        Changed::new("docs/keys.md", None, Some(keys)).with(|file| file.by = vec!["Write".into()]),
        Changed::new("src/ui/review/mod.rs", Some(&before), Some(&after)).with(|file| {
            file.lines = Some((3, 2));
        }),
        Changed::new("src/ui/review/old.rs", Some("fn old() {}\n"), None),
        Changed::new("src/ui/root/act.rs", Some("a\n"), Some("a\n")).with(|file| {
            file.kind = ChangeKind::Mode;
            file.lines = None;
        }),
        Changed::new("src/ui/root/new.rs", Some("b\n"), Some("c\n")).with(|file| {
            file.kind = ChangeKind::Renamed;
            file.renamed_from = Some("src/ui/root/was.rs".into());
        }),
        Changed::new("tests/picture.png", Some(""), Some("")).with(|file| {
            file.binary = true;
            file.lines = None;
        }),
    ]
}

impl Desk {
    pub(super) fn new(files: Vec<Changed>) -> Self {
        Self::at(80, 24, files)
    }

    pub(super) fn at(width: u16, height: u16, files: Vec<Changed>) -> Self {
        let mut desk = Self {
            screen: Screen::new(Bench::working()).sized(width, height),
            files,
            of_session: Vec::new(),
            uncovered: Vec::new(),
            read_only: None,
            can_redo: false,
            asked: Vec::new(),
        };
        desk.screen.settle();
        assert!(desk.press("f4").is_empty());
        desk
    }

    /// Presses keys one after the other, answers what is asked; what else was wanted.
    pub(super) fn press(&mut self, names: &str) -> Vec<UiCommand> {
        let mut others = Vec::new();
        for name in names.split_whitespace() {
            let commands = self.screen.press(name);
            others.extend(self.answer(commands));
        }
        others
    }

    /// What of the review was wanted by keys.
    pub(super) fn wished(&mut self, names: &str) -> Vec<ReviewWish> {
        let commands = self.press(names).into_iter();
        commands
            .map(|command| match command {
                UiCommand::Review(wish) => wish,
                other => panic!("{other:?}"),
            })
            .collect()
    }

    pub(super) fn answer(&mut self, commands: Vec<UiCommand>) -> Vec<UiCommand> {
        let mut others = Vec::new();
        let mut next = commands;
        for _ in 0..20 {
            for command in next {
                match command {
                    UiCommand::Review(wish @ (ReviewWish::List(_) | ReviewWish::Texts { .. })) => {
                        self.tell(&wish);
                        self.asked.push(wish);
                    }
                    other => others.push(other),
                }
            }
            self.screen.buffer();
            next = self.screen.ui.take_commands();
            if next.is_empty() {
                return others;
            }
        }
        panic!("it asks without an end: {:?}", self.asked);
    }

    fn files_of(&self, scope: ReviewScope) -> &[Changed] {
        match scope {
            ReviewScope::Session if !self.of_session.is_empty() => &self.of_session,
            _ => &self.files,
        }
    }

    pub(super) fn tell(&mut self, wish: &ReviewWish) {
        let told = match wish {
            ReviewWish::List(scope) => {
                let scope = scope.unwrap_or(ReviewScope::Turn(2));
                let files = self.files_of(scope).iter();
                let files = files.map(|changed| changed.file.clone());
                let mut listed = review(scope, files.collect());
                listed.uncovered = self.uncovered.clone();
                listed.read_only = self.read_only.clone();
                listed.can_redo = self.can_redo;
                ReviewTold::Listed(Box::new(listed))
            }
            ReviewWish::Texts { scope, path } => {
                let mut files = self.files_of(*scope).iter();
                let changed = files.find(|changed| changed.file.path == *path);
                let gone = || ReviewTexts {
                    scope: *scope,
                    path: path.clone(),
                    content: 0,
                    texts: Err("it is not changed any more".into()),
                };
                let texts = changed.map_or_else(gone, |changed| changed.texts(*scope));
                ReviewTold::Texts(Box::new(texts))
            }
            other => panic!("{other:?}"),
        };
        self.screen.ui.review(KEY(), told);
    }

    pub(super) fn told(&mut self, told: ReviewTold) {
        self.screen.ui.review(KEY(), told);
        self.screen.buffer();
        let commands = self.screen.ui.take_commands();
        assert!(self.answer(commands).is_empty());
    }

    pub(super) fn draw(&mut self) -> String {
        self.screen.draw()
    }

    pub(super) fn texts_asked(&self) -> Vec<String> {
        let texts = self.asked.iter().filter_map(|wish| match wish {
            ReviewWish::Texts { path, .. } => Some(path.display().to_string()),
            _ => None,
        });
        texts.collect()
    }
}
