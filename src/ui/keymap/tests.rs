use std::collections::HashSet;

use proptest::prelude::*;

use super::*;

const EMPTY: &[Context] = &[Context::EmptyComposer, Context::Composer, Context::Anywhere];
const DRAFT: &[Context] = &[Context::Composer, Context::Anywhere];

fn keymap(pairs: &[(&str, &[&str])]) -> Keymap {
    let keys = pairs
        .iter()
        .map(|(name, chords)| {
            let chords = chords.iter().map(|chord| (*chord).to_owned()).collect();
            ((*name).to_owned(), chords)
        })
        .collect();
    Keymap::new(&keys)
}

fn chord(name: &str) -> Chord {
    Chord::parse(name).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn the_more_special_context_wins() {
    let map = keymap(&[]);
    assert_eq!(map.action(chord("tab"), EMPTY), Some(Action::Browse));
    assert_eq!(map.action(chord("tab"), DRAFT), Some(Action::Queue));
    assert_eq!(map.action(chord("ctrl-p"), DRAFT), Some(Action::Palette));
}

#[test]
fn a_bare_character_counts_on_an_empty_composer_only() {
    let map = keymap(&[("palette", &["p"])]);
    assert_eq!(map.action(chord("?"), EMPTY), Some(Action::Help));
    assert_eq!(map.action(chord("?"), DRAFT), None);
    assert_eq!(map.action(chord("p"), EMPTY), Some(Action::Palette));
    assert_eq!(map.action(chord("p"), DRAFT), None);
}

#[test]
fn an_arrow_to_the_side_moves_in_a_draft() {
    let map = keymap(&[]);
    assert_eq!(map.action(chord("left"), EMPTY), Some(Action::Sessions));
    assert_eq!(map.action(chord("left"), DRAFT), None);
}

#[test]
fn a_binding_replaces_the_default() {
    let map = keymap(&[("palette", &["f2"])]);
    assert_eq!(map.action(chord("ctrl-p"), DRAFT), None);
    assert_eq!(map.action(chord("f2"), DRAFT), Some(Action::Palette));
    assert_eq!(map.hint(Action::Palette), "F2");
    assert_eq!(keymap(&[("palette", &[])]).hint(Action::Palette), "");
}

#[test]
fn a_binding_takes_its_chord_from_the_defaults_of_others() {
    let map = keymap(&[("palette", &["tab"])]);
    assert_eq!(map.action(chord("tab"), EMPTY), Some(Action::Palette));
    assert_eq!(map.action(chord("tab"), DRAFT), Some(Action::Palette));
    assert!(map.chords(Action::Browse).is_empty());
    // Contexts that are never open together keep theirs.
    let map = keymap(&[("send", &["ctrl-j"])]);
    assert_eq!(
        map.action(chord("enter"), &[Context::Question]),
        Some(Action::Confirm)
    );
    assert_eq!(map.chords(Action::Newline).len(), 2);
}

#[test]
fn what_cannot_be_read_costs_only_itself() {
    let map = keymap(&[("palette", &["ctrl-entre", "f2"]), ("nonsense", &["f3"])]);
    assert_eq!(map.hint(Action::Palette), "F2");
    assert_eq!(map.action(chord("f3"), DRAFT), Some(Action::Find));
}

fn key(code: KeyCode, modifiers: KeyModifiers) -> Chord {
    Chord::from(KeyEvent::new(code, modifiers))
}

fn parse(name: &str) -> Chord {
    Chord::parse(name).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn what_terminals_report_differently_is_one_chord() {
    let (none, shift) = (KeyModifiers::NONE, KeyModifiers::SHIFT);
    let (ctrl, alt) = (KeyModifiers::CONTROL, KeyModifiers::ALT);
    for (name, code, modifiers) in [
        ("shift-tab", KeyCode::BackTab, none),
        ("shift-tab", KeyCode::BackTab, shift),
        ("shift-tab", KeyCode::Tab, shift),
        ("backspace", KeyCode::Char('h'), ctrl),
        ("enter", KeyCode::Char('m'), ctrl),
        ("tab", KeyCode::Char('i'), ctrl),
        ("esc", KeyCode::Char('['), ctrl),
        ("ctrl-j", KeyCode::Char('j'), ctrl),
        ("N", KeyCode::Char('N'), shift),
        ("N", KeyCode::Char('N'), none),
        ("N", KeyCode::Char('n'), shift),
        ("?", KeyCode::Char('?'), shift),
        ("ctrl-shift-p", KeyCode::Char('P'), ctrl),
        ("ctrl-shift-p", KeyCode::Char('p'), ctrl | shift),
        ("alt-?", KeyCode::Char('?'), alt | shift),
        ("shift-enter", KeyCode::Enter, shift),
        ("f5", KeyCode::F(5), none),
        ("pgup", KeyCode::PageUp, none),
    ] {
        assert_eq!(parse(name), key(code, modifiers), "{name}");
    }
}

#[test]
fn names_are_forgiving_and_errors_suggest() {
    assert_eq!(parse("Ctrl-P"), parse("control-p"));
    assert_eq!(parse("PageUp"), parse("pgup"));
    assert_eq!(parse("ctrl--"), parse("ctrl-minus"));
    assert_eq!(parse("-"), parse("minus"));
    assert_eq!(
        Chord::parse("ctrl-entre"),
        Err("unknown key `entre`: did you mean `enter`?".into())
    );
    assert_eq!(
        Chord::parse("crtl-p"),
        Err("unknown modifier `crtl`: did you mean `ctrl`?".into())
    );
    assert!(Chord::parse("f99").is_err_and(|error| error.contains("f1 to f24")));
    assert!(Chord::parse("").is_err());
}

#[test]
fn a_chord_is_shown_as_it_is_written() {
    for name in [
        "ctrl-p",
        "alt-enter",
        "shift-tab",
        "pgup",
        "?",
        "N",
        "ctrl-home",
        "space",
    ] {
        assert_eq!(parse(name).to_string(), name);
    }
    assert_eq!(parse("f5").to_string(), "F5");
    assert_eq!(parse("pagedown").to_string(), "pgdn");
}

proptest! {
    #[test]
    fn any_text_is_parsed_or_refused_and_shown_text_is_read_back(name in "\\PC{0,12}") {
        if let Ok(chord) = Chord::parse(&name) {
            prop_assert_eq!(Chord::parse(&chord.to_string()), Ok(chord));
        }
    }

    #[test]
    fn modifiers_and_keys_are_read_back(
        modifiers in 0_u8..8,
        key in prop::sample::select(NAMES.iter().map(|n| n.1).collect::<Vec<_>>()),
    ) {
        let chord = Chord::new(key, KeyModifiers::from_bits_truncate(modifiers));
        prop_assert_eq!(Chord::parse(&chord.to_string()), Ok(chord));
    }
}

fn keys(pairs: &[(&str, &[&str])]) -> BTreeMap<String, Vec<String>> {
    pairs
        .iter()
        .map(|(name, chords)| {
            let chords = chords.iter().map(|chord| (*chord).to_owned()).collect();
            ((*name).to_owned(), chords)
        })
        .collect()
}

#[test]
fn the_table_is_sound() {
    let mut names = HashSet::new();
    let mut chords = HashSet::new();
    for (at, info) in ACTIONS.iter().enumerate() {
        assert_eq!(info.action as usize, at, "{}", info.name);
        assert!(names.insert(info.name), "{} twice", info.name);
        assert!(!info.doc.ends_with('.'), "{}", info.name);
        for key in info.keys {
            let chord = Chord::parse(key).unwrap_or_else(|error| panic!("{error}"));
            assert!(
                chords.insert((info.context, chord)),
                "{key} twice in {:?}",
                info.context
            );
            assert!(
                !(chord.is_text() && info.context == Context::Composer),
                "{key} is typed"
            );
        }
    }
}

#[test]
fn good_bindings_raise_no_problem() {
    let keys = keys(&[
        ("palette", &["f2", "ctrl-k"]),
        ("stop", &[]),
        ("help", &["?"]),
    ]);
    assert_eq!(check_keys(&keys), []);
}

#[test]
fn each_problem_names_the_action_and_the_remedy() {
    let problems = check_keys(&keys(&[
        ("palete", &["ctrl-k"]),
        ("plan", &["ctrl-pgupp", "f7"]),
        ("redraw", &["f7"]),
        ("send", &["x", "ctrl-x"]),
        ("send-now", &["ctrl-x"]),
        ("browse", &["b"]),
        ("pager", &["b"]),
    ]));
    let expected = [
        (
            "pager",
            "`b` is already the key of `browse`: choose another for one of them",
        ),
        ("palete", "unknown action `palete`: did you mean `palette`?"),
        ("plan", "unknown key `pgupp`: did you mean `pgup`?"),
        (
            "redraw",
            "`F7` is already the key of `plan`: choose another for one of them",
        ),
        ("send", "`x` alone types a character: add ctrl or alt"),
        (
            "send-now",
            "`ctrl-x` is already the key of `send`: choose another for one of them",
        ),
    ]
    .map(|(action, problem)| (action.to_owned(), problem.to_owned()));
    assert_eq!(problems, expected);
}
