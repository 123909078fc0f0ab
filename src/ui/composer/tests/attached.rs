//! Images and other files in the draft.

use std::path::PathBuf;

use super::{chips::Chip, *};
use crate::{
    model::{MediaKind, SeenFile},
    ui::UiCommand,
};

const TAKES_ALL: PromptCaps = PromptCaps {
    image: true,
    audio: true,
    embedded_context: true,
};

fn png(size: u64) -> SeenFile {
    SeenFile {
        kind: MediaKind::Image("image/png"),
        size,
        modified: None,
        pixels: Some((1280, 720)),
        passing: false,
    }
}

fn other() -> SeenFile {
    SeenFile {
        kind: MediaKind::Other,
        pixels: None,
        ..png(3)
    }
}

impl Desk {
    /// Where it wants to be looked.
    fn looks(&mut self) -> Vec<Vec<PathBuf>> {
        let commands = self.composer.commands_wanted().into_iter();
        commands
            .filter_map(|command| match command {
                UiCommand::LookAt(paths) => Some(paths),
                _ => None,
            })
            .collect()
    }

    /// All that is a picture by its name is one.
    pub fn look_at_all(&mut self) -> &mut Self {
        self.look(image)
    }

    /// Answers all that it wants to know.
    fn look(&mut self, find: impl Fn(&str) -> Option<SeenFile>) -> &mut Self {
        for paths in self.looks() {
            let looked: Vec<_> = paths
                .into_iter()
                .map(|path| {
                    let seen = find(path.to_str().expect("text"));
                    (path, seen)
                })
                .collect();
            self.composer.set_looked(&looked);
        }
        self
    }
}

fn image(path: &str) -> Option<SeenFile> {
    path.ends_with(".png").then(|| png(86_000))
}

fn file(path: &str, seen: SeenFile) -> DraftPart {
    DraftPart::Mention {
        path: path.into(),
        seen: Some(seen),
    }
}

#[test]
fn a_dropped_image_becomes_a_chip_where_it_was_dropped() {
    let mut desk = Desk::new();
    desk.keys("look at ")
        .paste("'/tmp/a b.png' ")
        .keys("please");
    // What is typed meanwhile stays, and the caret with it.
    desk.keys("<left>").look(image);
    assert_eq!(
        desk.shown(),
        "look at [image: a b.png 1280x720 84 KiB] pleas|e"
    );
    desk.keys("<enter>");
    assert_eq!(
        desk.sent[0].parts,
        [
            DraftPart::Text("look at ".into()),
            file("/tmp/a b.png", png(86_000)),
            DraftPart::Text(" please".into()),
        ]
    );
}

#[test]
fn undo_brings_back_the_path_as_text() {
    let mut desk = Desk::new();
    desk.paste("/tmp/a.png").look(image).keys("<c-_>");
    assert_eq!(desk.shown(), "/tmp/a.png|");
    desk.keys("<enter>");
    assert_eq!(desk.sent[0].text(), "/tmp/a.png");
}

#[test]
fn a_chip_is_deleted_as_one() {
    let mut desk = Desk::new();
    desk.keys("x ").paste("/tmp/a.png").look(image).keys("<bs>");
    assert_eq!(desk.shown(), "x |");
}

#[test]
fn several_files_dropped_at_once_are_a_chip_each_if_an_image_is_among_them() {
    let find = |path: &str| image(path).or((path == "/b.txt").then(other));
    let mut desk = Desk::new();
    desk.paste("/a.png /b.txt '/c d.png'").look(find);
    let shown = "[image: a.png 1280x720 84 KiB] @/b.txt [image: c d.png 1280x720 84 KiB]|";
    assert_eq!(desk.shown(), shown);
    for text in ["/b.txt", "/a.png /gone.txt"] {
        let mut desk = Desk::new();
        desk.paste(text).look(find);
        assert_eq!(desk.shown(), format!("{text}|"));
    }
}

#[test]
fn files_dropped_on_lines_of_their_own_are_a_chip_each() {
    // Terminals paste a line's end as a carriage return.
    for text in [
        "/a.png\r/b.png",
        "file:///a.png\r\nfile:///b.png\r\n",
        "/a.png\n/b.png",
    ] {
        let mut desk = Desk::new();
        desk.paste(text).look(image);
        let written = desk.composer.draft_text();
        assert_eq!(written.trim_end(), "@/a.png @/b.png", "{text:?}");
    }
    let mut desk = Desk::new();
    desk.paste("/a.png\r/gone").look(image);
    assert_eq!(desk.shown(), "/a.png\n/gone|");
}

#[test]
fn a_dropped_file_is_kept_apart_from_what_stands_there() {
    let mut desk = Desk::new();
    desk.paste("/a.png").look(image).paste("/b.png").look(image);
    let (a, b) = (
        "[image: a.png 1280x720 84 KiB]",
        "[image: b.png 1280x720 84 KiB]",
    );
    assert_eq!(desk.shown(), format!("{a} {b}|"));
    // Both before the first answer.
    let mut desk = Desk::new();
    desk.paste("/a.png").paste("/b.png").look(image);
    assert_eq!(desk.shown(), format!("{a} {b}|"));
    let mut desk = Desk::new();
    desk.keys("seehere<left><left><left><left>");
    desk.paste("/a.png").look(image);
    assert_eq!(desk.shown(), format!("see {a} |here"));
    let mut desk = Desk::new();
    desk.keys("see");
    desk.composer.insert_file("/a.png".into(), png(86_000));
    assert_eq!(desk.shown(), format!("see {a} |"));
}

#[test]
fn chips_side_by_side_are_written_apart() {
    let mut desk = Desk::new();
    desk.paste("/a.png")
        .look(image)
        .paste("/b c.png")
        .look(image);
    desk.keys("<left><bs><end>x<enter>");
    assert_eq!(desk.sent[0].parts.len(), 3);
    let text = "@/a.png @\"/b c.png\" x";
    assert_eq!(desk.sent[0].text(), text);
    assert_eq!(desk.sent[0].written(), text);
    desk.keys("<up>").look(image);
    assert_eq!(
        desk.shown(),
        "[image: a.png 1280x720 84 KiB] [image: b c.png 1280x720 84 KiB] x|"
    );
}

#[derive(Clone, Debug)]
enum Piece {
    Chip(String),
    Text(String),
}

fn piece() -> impl Strategy<Value = Piece> {
    let name = "/[a-c@.,\"( é]{0,4}\\.png[.)_]?".prop_map(Piece::Chip);
    let text = "[a-c.,()\"'/ \n\u{e9}]{1,4}".prop_map(Piece::Text);
    prop_oneof![name, text]
}

proptest! {
    /// However a draft becomes text: on disk, in the history, in the queue, in `$EDITOR`.
    #[test]
    fn chips_among_words_are_read_back_from_text(pieces in prop::collection::vec(piece(), 0..8)) {
        let mut desk = Desk::new();
        let mut paths = Vec::new();
        for piece in pieces {
            match piece {
                Piece::Chip(path) => {
                    let chip = desk.composer.chip_for(Chip::file(path.clone(), png(1), None));
                    desk.composer.insert(&chip.to_string(), EditKind::Other);
                    paths.push(path);
                }
                Piece::Text(text) => desk.composer.insert(&text, EditKind::Other),
            }
        }
        let files = |desk: &mut Desk| -> Vec<String> {
            let raw = desk.composer.buffer.text();
            let chips = raw.chars().filter_map(|c| desk.composer.chips.get(c));
            chips.filter_map(|chip| chip.path().map(str::to_owned)).collect()
        };
        let text = desk.composer.draft_text();
        let raw = desk.composer.buffer.text();
        let sent = desk.composer.chips.draft(&raw, Vec::new());
        prop_assert_eq!(&sent.written(), &text);
        prop_assert_eq!(&sent.text(), &text);
        let mut next = Desk::with(&text);
        next.look(|_| Some(png(1)));
        prop_assert_eq!(files(&mut next), paths, "{:?}", text);
        prop_assert_eq!(next.composer.draft_text(), text);
    }
}

#[test]
fn a_drop_without_bracketed_paste_counts_too() {
    let mut desk = Desk::new();
    desk.batch("/tmp/a.png").look(image);
    assert_eq!(desk.shown(), "[image: a.png 1280x720 84 KiB]|");
}

#[test]
fn a_drop_that_is_sent_at_once_is_looked_at_on_its_way() {
    let mut desk = Desk::new();
    desk.keys("see ").paste("/tmp/a.png").keys("<enter>");
    assert_eq!(
        desk.sent[0].parts,
        [
            DraftPart::Text("see ".into()),
            DraftPart::MaybeFiles {
                text: "/tmp/a.png".into(),
                paths: vec!["/tmp/a.png".into()],
            },
        ]
    );
    // The answer is about nothing that is still there.
    desk.keys("/tmp/a.png").look(image);
    assert_eq!(desk.shown(), "/tmp/a.png|");
}

#[test]
fn a_mention_of_an_image_says_what_it_is() {
    let mut desk = Desk::new();
    desk.files(&["doc/shot.png"]).keys("@shot<tab>");
    assert_eq!(desk.shown(), "@doc/shot.png |");
    desk.look(image);
    assert_eq!(desk.shown(), "[image: shot.png 1280x720 84 KiB] |");
}

// V1-INIT-18
#[test]
fn a_chip_says_why_its_file_is_only_linked() {
    let mut desk = Desk::new();
    desk.paste("/tmp/a.png").look(image);
    desk.composer.set_caps(Some(PromptCaps::default()));
    assert_eq!(
        desk.shown(),
        "[link: a.png 84 KiB, the agent takes no images]|"
    );
    desk.composer.set_caps(Some(TAKES_ALL));
    assert_eq!(desk.shown(), "[image: a.png 1280x720 84 KiB]|");
    let mut desk = Desk::new();
    desk.paste("/tmp/a.png").look(|_| Some(png(9 << 20)));
    assert_eq!(desk.shown(), "[link: a.png 9.0 MiB, larger than 3.75 MiB]|");
}

#[test]
fn a_draft_that_comes_back_has_its_images() {
    let mut desk = Desk::new();
    desk.keys("see ").paste("'/tmp/a b.png'").look(image);
    let saved = desk.composer.draft_text();
    assert_eq!(saved, "see @\"/tmp/a b.png\"");
    let mut next = Desk::with(&saved);
    next.look(image);
    assert_eq!(next.shown(), "see [image: a b.png 1280x720 84 KiB]|");
    // A prompt that was taken back stands before what is written.
    next.composer.prepend("first @/tmp/c.png");
    next.look(image);
    assert_eq!(
        next.shown(),
        "first [image: c.png 1280x720 84 KiB]\nsee [image: a b.png 1280x720 84 KiB]|"
    );
    let mut gone = Desk::with(&saved);
    gone.look(|_| None);
    assert_eq!(gone.shown(), format!("{saved}|"));
}

#[test]
fn a_recalled_prompt_has_its_images_and_is_passed_as_a_whole() {
    let mut desk = Desk::new();
    desk.composer.set_history(History::of(vec![
        "older".into(),
        "see @/tmp/a.png\nthere".into(),
    ]));
    desk.keys("<up>").look(image);
    assert_eq!(desk.shown(), "see [image: a.png 1280x720 84 KiB]\nthere|");
    desk.keys("<up>");
    assert_eq!(desk.shown(), "older|");
    desk.keys("<down>");
    assert_eq!(desk.shown(), "see [image: a.png 1280x720 84 KiB]\nthere|");
}

#[test]
fn what_came_from_the_clipboard_is_named_in_the_history_without_its_path() {
    let mut desk = Desk::new();
    let seen = SeenFile {
        passing: true,
        ..png(10)
    };
    desk.composer
        .insert_file("/state/clipboard-1.png".into(), seen);
    desk.keys("what is this?<enter>");
    assert_eq!(
        desk.sent[0].text(),
        "[image from the clipboard] what is this?"
    );
    assert_eq!(
        desk.sent[0].written(),
        "@/state/clipboard-1.png what is this?"
    );
}

#[test]
fn a_chip_of_a_file_can_be_opened() {
    let mut desk = Desk::new();
    desk.paste("/tmp/a.png").look(image);
    assert_eq!(
        desk.composer.expand_paste(),
        Expanded::File("/tmp/a.png".into())
    );
    assert_eq!(
        Desk::with("text").composer.expand_paste(),
        Expanded::Nothing
    );
}

#[test]
fn names_of_files_cannot_speak_to_the_terminal() {
    let mut desk = Desk::new();
    desk.paste("file:///tmp/a%1b%5b31m%0ab.png").look(image);
    let shown = desk.shown();
    assert!(shown.starts_with("[image: a"), "{shown}");
    assert!(!shown.contains(['\u{1b}', '\n']), "{shown:?}");
}

#[test]
fn images_in_a_draft() {
    for width in [40, 80, 200] {
        let mut desk = Desk::new();
        desk.keys("compare ").paste("/tmp/before.png").look(image);
        desk.keys(" with ")
            .paste("/tmp/after.png")
            .look(|_| Some(png(9 << 20)));
        desk.keys(" and tell what has changed");
        insta::assert_snapshot!(format!("images_in_a_draft_{width}"), desk.picture(width, 8));
    }
}
