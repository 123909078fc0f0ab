use std::fs;

use super::*;
use crate::model::PromptCaps;

/// A picture of 2 by 1 pixels, as far as its head tells.
const GIF: &[u8] = b"GIF89a\x02\x00\x01\x00and so on";

fn mention(path: &str) -> DraftPart {
    DraftPart::Mention {
        path: path.into(),
        seen: None,
    }
}

fn draft(path: &str) -> Draft {
    Draft {
        parts: vec![
            DraftPart::Text("look at ".into()),
            mention(path),
            DraftPart::Text(" please".into()),
        ],
    }
}

fn folder(files: &[(&str, &[u8])]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, content) in files {
        fs::write(folder.path().join(name), content).expect("written");
    }
    folder
}

fn seen(folder: &tempfile::TempDir, name: &str) -> Option<SeenFile> {
    attachments::look(&folder.path().join(name)).ok()
}

// V1-CONT-05
// V1-PROMPT-03
#[test]
fn a_mention_is_embedded_only_where_the_agent_takes_it() {
    let cwd = folder(&[("a b#.txt", b"hello")]);
    let prompt = resolve(draft("a b#.txt"), cwd.path()).expect("a prompt");
    assert_eq!(prompt.text, "look at @\"a b#.txt\" please");
    let uri = format!("file://{}/a%20b%23.txt", cwd.path().display());
    let text = "hello".to_owned();
    let embedded = PromptBlock::Resource {
        uri: uri.clone(),
        text,
    };
    assert_eq!(prompt.blocks[1], embedded);
    let link = PromptBlock::ResourceLink {
        uri,
        name: "a b#.txt".into(),
        size: Some(5),
    };
    assert_eq!(embedded.fitted(PromptCaps::default()), link);
}

// V1-CONT-05
#[test]
fn what_is_no_text_or_too_long_is_linked() {
    let long = vec![b'x'; MAX_EMBEDDED as usize + 1];
    let cwd = folder(&[
        ("x.bin", &[0xff, 0x00]),
        ("x.bmp", b"BM\x46\0\0\0\0\0\0\0\x36"),
        ("long.txt", &long),
    ]);
    for path in ["x.bin", "x.bmp", "long.txt", "missing", "."] {
        let prompt = resolve(draft(path), cwd.path()).expect("a prompt");
        assert!(
            matches!(prompt.blocks[1], PromptBlock::ResourceLink { .. }),
            "{path}"
        );
    }
}

// V1-CONT-02, V1-CONT-03
#[test]
fn a_picture_stands_where_it_was_put_whatever_its_name() {
    let cwd = folder(&[("shot", GIF), ("word.wav", b"RIFF\0\0\0\0WAVEfmt ")]);
    let prompt = resolve(draft("shot"), cwd.path()).expect("a prompt");
    let [
        PromptBlock::Text(before),
        PromptBlock::Image(image),
        PromptBlock::Text(behind),
    ] = &prompt.blocks[..]
    else {
        panic!("{:?}", prompt.blocks);
    };
    assert_eq!((before.as_str(), behind.as_str()), ("look at ", " please"));
    assert_eq!(*image.data, *STANDARD.encode(GIF));
    assert_eq!(
        (image.mime_type.as_str(), image.name.as_str(), image.size),
        ("image/gif", "shot", GIF.len() as u64)
    );
    assert_eq!(prompt.text, "look at @shot please");
    assert_eq!(prompt.shown_text(), "look at [image: shot] please");
    let prompt = resolve(draft("word.wav"), cwd.path()).expect("a prompt");
    assert!(
        matches!(&prompt.blocks[1], PromptBlock::Audio(sound) if sound.mime_type == "audio/wav")
    );
}

#[test]
fn a_picture_that_is_gone_or_another_one_is_not_sent() {
    let cwd = folder(&[("shot.gif", GIF)]);
    let part = DraftPart::Mention {
        path: "shot.gif".into(),
        seen: seen(&cwd, "shot.gif"),
    };
    let draft = Draft { parts: vec![part] };
    assert!(resolve(draft.clone(), cwd.path()).is_ok());
    fs::write(cwd.path().join("shot.gif"), "no picture any more").expect("written");
    let Unsent(why) = resolve(draft.clone(), cwd.path()).expect_err("changed");
    assert_eq!(
        &*why,
        "not sent: shot.gif has changed since it was attached"
    );
    fs::remove_file(cwd.path().join("shot.gif")).expect("removed");
    let Unsent(why) = resolve(draft, cwd.path()).expect_err("gone");
    assert_eq!(&*why, "not sent: shot.gif is gone");
}

#[test]
fn pictures_are_bounded_in_size_and_number() {
    let mut large = GIF.to_vec();
    large.resize(MAX_MEDIA as usize + 1, 0);
    let cwd = folder(&[
        ("large.gif", &large),
        ("most.gif", &large[..MAX_MEDIA as usize]),
        ("a.gif", GIF),
    ]);
    let blocks = |names: Vec<&str>| {
        let parts = names.into_iter().map(mention).collect();
        resolve(Draft { parts }, cwd.path()).map(|prompt| prompt.blocks)
    };
    assert!(matches!(
        blocks(vec!["large.gif"]).expect("a link")[..],
        [PromptBlock::ResourceLink { .. }]
    ));
    assert!(matches!(
        blocks(vec!["most.gif"]).expect("sent")[..],
        [PromptBlock::Image(_)]
    ));
    assert!(blocks(vec!["a.gif"; MAX_MEDIA_FILES]).is_ok());
    let Unsent(why) = blocks(vec!["a.gif"; MAX_MEDIA_FILES + 1]).expect_err("too many");
    assert!(why.contains("more than 20 images"), "{why}");
    let Unsent(why) = blocks(vec!["most.gif"; 6]).expect_err("too large");
    assert!(why.contains("20 MiB"), "{why}");
}

#[test]
fn a_pasted_path_that_was_not_looked_at_in_time_is_a_picture_or_text() {
    let cwd = folder(&[("a.gif", GIF), ("b.txt", b"b")]);
    let perhaps = |text: &str, paths: &[&str]| Draft {
        parts: vec![DraftPart::MaybeFiles {
            text: text.into(),
            paths: paths.iter().map(PathBuf::from).collect(),
        }],
    };
    let resolve = |draft| resolve(draft, cwd.path()).expect("a prompt").blocks;
    assert!(matches!(
        resolve(perhaps("'a.gif' b.txt", &["a.gif", "b.txt"]))[..],
        [
            PromptBlock::Image(_),
            PromptBlock::Text(_),
            PromptBlock::Resource { .. }
        ]
    ));
    for (text, paths) in [
        ("b.txt", &["b.txt"][..]),
        ("a.gif none", &["a.gif", "none"]),
    ] {
        assert_eq!(
            resolve(perhaps(text, paths)),
            [PromptBlock::Text(text.into())]
        );
    }
}

#[test]
fn what_comes_back_from_the_queue_has_each_of_its_files_apart() {
    let cwd = folder(&[("a.gif", GIF), ("b c.gif", GIF)]);
    let parts = vec![
        mention("a.gif"),
        mention("b c.gif"),
        DraftPart::Text("here".into()),
    ];
    let prompt = resolve(Draft { parts }, cwd.path()).expect("a prompt");
    assert_eq!(prompt.text, "@a.gif @\"b c.gif\" here");
    assert_eq!(prompt.shown_text(), "[image: a.gif] [image: b c.gif] here");
}

// V1-PROMPT-01
#[test]
fn a_path_typed_behind_an_at_sign_is_a_mention_if_it_is_a_file_of_the_project() {
    let cwd = folder(&[("notes.txt", b"hello"), ("shot", GIF)]);
    fs::create_dir(cwd.path().join("src")).expect("made");
    let typed = |names: &[&str]| Draft {
        parts: vec![
            DraftPart::Typed {
                text: format!("@{}", names[0]),
                names: names.iter().map(|n| (n.len() + 1, n.into())).collect(),
            },
            DraftPart::Text(" hi".into()),
        ],
    };
    let resolve = |names: &[&str]| resolve(typed(names), cwd.path()).expect("a prompt");
    let prompt = resolve(&["notes.txt"]);
    assert_eq!(prompt.text, "@notes.txt hi");
    assert!(matches!(prompt.blocks[0], PromptBlock::Resource { .. }));
    // The end of a sentence.
    let prompt = resolve(&["notes.txt.", "notes.txt"]);
    assert_eq!(prompt.text, "@notes.txt. hi");
    assert_eq!(prompt.blocks[1], PromptBlock::Text(". hi".into()));
    let image = cwd.path().join("shot").display().to_string();
    assert!(matches!(
        resolve(&[&image]).blocks[0],
        PromptBlock::Image(_)
    ));
    for path in [
        "src",
        "nobody",
        "/etc/passwd",
        "../../../etc/passwd",
        "/dev/zero",
    ] {
        let prompt = resolve(&[path]);
        assert_eq!(prompt.blocks, [PromptBlock::Text(format!("@{path} hi"))]);
    }
}

#[test]
fn lines_of_a_file_are_embedded_alone_and_come_back_as_they_were_typed() {
    let cwd = folder(&[("a.rs", b"one\ntwo\nthree\n"), ("b#2.rs", b"whole")]);
    let uri = |name: &str| format!("file://{}/{name}", cwd.path().display());
    let typed = |text: &str| crate::ui::draft_of(text);
    for draft in [
        typed("see @a.rs#2-3, please"),
        // A chip, and the lines behind it.
        Draft {
            parts: vec![
                DraftPart::Text("see ".into()),
                mention("a.rs"),
                DraftPart::Text("#2-3, please".into()),
            ],
        },
    ] {
        let prompt = resolve(draft, cwd.path()).expect("a prompt");
        let lines = PromptBlock::Resource {
            uri: format!("{}#L2-3", uri("a.rs")),
            text: "two\nthree\n".into(),
        };
        assert_eq!(prompt.blocks[1], lines);
        assert_eq!(prompt.text, "see @a.rs#L2-3, please");
        let again = resolve(typed(&prompt.text), cwd.path()).expect("a prompt");
        assert_eq!(again.blocks, prompt.blocks);
    }
    // A file of that name comes first.
    let prompt = resolve(typed("@b#2.rs"), cwd.path()).expect("a prompt");
    assert!(matches!(&prompt.blocks[0], PromptBlock::Resource { text, .. } if text == "whole"));
    let error = resolve(typed("@a.rs#7"), cwd.path()).expect_err("there is no line 7");
    assert!(error.0.contains("has only 3 lines"), "{}", error.0);
    // What names no file is text.
    let prompt = resolve(typed("@gone.rs#7"), cwd.path()).expect("a prompt");
    assert_eq!(prompt.blocks, [PromptBlock::Text("@gone.rs#7".into())]);
}

#[test]
fn a_folder_that_is_typed_is_linked() {
    let cwd = folder(&[]);
    fs::create_dir(cwd.path().join("src")).expect("made");
    let prompt = resolve(crate::ui::draft_of("look in @src/ please"), cwd.path());
    let prompt = prompt.expect("a prompt");
    assert!(matches!(&prompt.blocks[1], PromptBlock::ResourceLink { name, .. } if name == "src"));
    assert_eq!(prompt.text, "look in @src/ please");
}
