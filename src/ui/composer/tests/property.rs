//! Random edits against a plain string.

use super::*;
use crate::ui::composer::buffer::{LIMIT, snap};

#[derive(Clone, Debug)]
enum Step {
    Keys(&'static str),
    Type(String),
    Paste(String),
    Burst(String),
    Prepend(String),
    SetText(String),
    Width(u16),
    Expand,
    Clear,
    Drop,
    Look,
}

fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("a"),
        Just("word"),
        Just(" "),
        Just("\n"),
        Just("\r\n"),
        Just("\t"),
        Just("日"),
        Just("e\u{301}"),
        Just("\u{301}"),
        Just("👩‍👩‍👧"),
        Just("\u{200d}"),
        Just("🇩🇪"),
        Just("🇩"),
        Just("\u{600}"),
        Just("ﾞ"),
        Just("\x1b"),
        Just("\u{202e}"),
        Just("\u{100000}"),
        Just("@src/"),
        Just("/"),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

fn step() -> impl Strategy<Value = Step> {
    let key = prop::sample::select(vec![
        "<left>",
        "<right>",
        "<up>",
        "<down>",
        "<home>",
        "<end>",
        "<a-b>",
        "<a-f>",
        "<bs>",
        "<del>",
        "<c-w>",
        "<a-bs>",
        "<a-d>",
        "<c-u>",
        "<c-k>",
        "<c-y>",
        "<a-y>",
        "<c-_>",
        "<a-/>",
        "<s-enter>",
        "<tab>",
        "<esc>",
        "<c-h>",
    ]);
    prop_oneof![
        8 => key.prop_map(Step::Keys),
        4 => text().prop_map(Step::Type),
        2 => text().prop_map(Step::Paste),
        1 => text().prop_map(|t| Step::Paste(t.repeat(60))),
        1 => text().prop_map(Step::Burst),
        1 => text().prop_map(Step::Prepend),
        1 => text().prop_map(Step::SetText),
        1 => (0_u16..60).prop_map(Step::Width),
        1 => Just(Step::Expand),
        1 => Just(Step::Clear),
        1 => Just(Step::Drop),
        1 => Just(Step::Look),
    ]
}

fn assert_sound(desk: &mut Desk, width: u16) -> Result<(), TestCaseError> {
    let buffer = &desk.composer.buffer;
    let caret = buffer.caret();
    let line = buffer.line(caret.line);
    prop_assert!(line.is_char_boundary(caret.byte));
    prop_assert_eq!(snap(line, caret.byte), caret.byte);
    prop_assert!(buffer.len() <= LIMIT);
    prop_assert!(!buffer.text().contains('\r'));
    let (screen, cursor) = desk.draw(width, 5);
    prop_assert!(width == 0 || screen.area.contains(cursor));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn random_edits_keep_the_caret_sound(steps in prop::collection::vec(step(), 0..40)) {
        let mut desk = Desk::new();
        desk.files(&["src/a.rs"]).command("a", None);
        let mut width = 20;
        for step in steps {
            match step {
                Step::Keys(keys) => { desk.keys(keys); }
                Step::Type(text) => { desk.keys(&text.replace(['\n', '\r', '\t'], "<c-j>")); }
                Step::Paste(text) => { desk.paste(&text); }
                Step::Burst(text) => { desk.batch(&text.replace('\n', "<enter>")); }
                Step::Prepend(text) => desk.composer.prepend(&text),
                Step::SetText(text) => desk.composer.set_text(&text),
                Step::Width(to) => width = to.max(1),
                Step::Expand => { desk.composer.expand_paste(); }
                Step::Clear => { desk.composer.clear(); }
                Step::Drop => { desk.paste("/a.png '/b c.png'"); }
                Step::Look => { desk.look_at_all(); }
            }
            assert_sound(&mut desk, width)?;
        }
    }

    /// What is typed and pasted is what is sent, whatever chips it went through.
    #[test]
    fn the_draft_is_what_was_put_into_it(
        pieces in prop::collection::vec((text(), 1_usize..80, any::<bool>()), 0..8)
    ) {
        let mut desk = Desk::new();
        let mut model = String::new();
        for (text, times, typed) in pieces {
            let text = text.replace('@', "a");
            if typed {
                let plain = text.replace(['\n', '\r', '\t', '\x1b'], "");
                desk.keys(&plain);
                model.push_str(&clean(&plain));
            } else {
                let text = text.repeat(times);
                desk.paste(&text);
                model.push_str(&clean(&text));
            }
            // A caret inside a cluster is moved behind it: keep to the end.
            let end = desk.composer.buffer.end();
            desk.composer.buffer.set_caret(end);
        }
        prop_assert_eq!(desk.composer.draft_text(), model.clone());
        prop_assert_eq!(desk.composer.take_draft().text(), model);
        prop_assert!(desk.composer.is_empty());
    }

    /// Each state passed on the way can be gone back to.
    #[test]
    fn undo_goes_back_to_the_start(steps in prop::collection::vec(step(), 0..20)) {
        let mut desk = Desk::new();
        for step in steps {
            match step {
                Step::Keys("<c-_>" | "<a-/>" | "<tab>") => {}
                Step::Keys(keys) => { desk.keys(keys); }
                Step::Paste(text) => { desk.paste(&text); }
                Step::Type(text) => { desk.keys(&text.replace(['\n', '\r', '\t'], " ")); }
                Step::Expand => { desk.composer.expand_paste(); }
                _ => {}
            }
        }
        let end = desk.composer.draft_text();
        let mut undone = 0;
        while desk.composer.buffer.undo() {
            undone += 1;
        }
        prop_assert_eq!(desk.composer.draft_text(), "");
        for _ in 0..undone {
            desk.composer.buffer.redo();
        }
        prop_assert_eq!(desk.composer.draft_text(), end);
    }
}
