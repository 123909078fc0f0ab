//! Keys by the terminals that send them: each in the form in which it documents or sends it.

use crossterm::event::KeyEventState;

use super::*;

/// Of one terminal.
type Table = (&'static str, Vec<(&'static str, Decoded)>);

pub fn keys() -> Vec<(&'static str, Decoded)> {
    let tables = [modern(), rxvt(), consoles(), multiplexers()].concat();
    tables.into_iter().flat_map(|(_, keys)| keys).collect()
}

fn f(number: u8, modifiers: KeyModifiers) -> Decoded {
    key(KeyCode::F(number), modifiers)
}

fn modern() -> Vec<Table> {
    use KeyCode::{Backspace, Down, End, Enter, Home, KeypadBegin, Tab, Up};
    let keypad = |code| {
        let mut key = KeyEvent::new(code, NONE);
        key.state = KeyEventState::KEYPAD;
        Decoded::Event(Event::Key(key))
    };
    vec![
        (
            "xterm",
            vec![
                ("\x1bOA", key(Up, NONE)),
                ("\x1bOF", key(End, NONE)),
                ("\x1b[1;6B", key(Down, CTRL | SHIFT)),
                ("\x1bOQ", f(2, NONE)),
                ("\x1b[1;2S", f(4, SHIFT)),
                ("\x1bO2P", f(1, SHIFT)),
                ("\x1b[17~", f(6, NONE)),
                ("\x1b[20;3~", f(9, ALT)),
                ("\x1b[26~", f(14, NONE)),
                ("\x1b[29~", f(16, NONE)),
                ("\x1b[31~", f(17, NONE)),
                // The keypad as it is where a program asked for its application mode.
                ("\x1bOI", key(Tab, NONE)),
                ("\x1bOj", char('*', NONE)),
                ("\x1bOl", char(',', NONE)),
                ("\x1bOm", char('-', NONE)),
                ("\x1bOn", char('.', NONE)),
                ("\x1bOo", char('/', NONE)),
                ("\x1bOy", char('9', NONE)),
                ("\x1bOX", char('=', NONE)),
                ("\x1bO5k", char('+', CTRL)),
                ("\x1bOE", key(KeypadBegin, NONE)),
                // Meta as a prefix, in any encoding of a character.
                ("\x1bß", char('ß', ALT)),
                ("\x1b日", char('日', ALT)),
                ("\x1b👍", char('👍', ALT)),
                ("\x1b[27;6;73~", char('I', CTRL | SHIFT)),
            ],
        ),
        (
            "kitty",
            vec![
                ("\x1b[57350u", key(KeyCode::Left, NONE)),
                ("\x1b[1;9A", key(Up, KeyModifiers::SUPER)),
                ("\x1b[1;17A", key(Up, KeyModifiers::HYPER)),
                ("\x1b[1;33A", key(Up, KeyModifiers::META)),
                ("\x1b[13;9u", key(Enter, KeyModifiers::SUPER)),
                ("\x1b[13;3~", f(3, ALT)),
                ("\x1b[57427~", keypad(KeypadBegin)),
                ("\x1b[127;3u", key(Backspace, ALT)),
                ("\x1b[57383u", f(20, NONE)),
                ("\x1b[57415u", keypad(KeyCode::Char('='))),
            ],
        ),
        (
            "foot",
            vec![
                ("\x1b[1;3P", f(1, ALT)),
                ("\x1b[24;5~", f(12, CTRL)),
                ("\x1b[1;5H", key(Home, CTRL)),
            ],
        ),
    ]
}

fn rxvt() -> Vec<Table> {
    use KeyCode::{Delete, Down, End, Home, Insert, Left, PageUp, Right, Up};
    let both = CTRL | SHIFT;
    vec![(
        "rxvt and urxvt",
        vec![
            ("\x1b[7~", key(Home, NONE)),
            ("\x1b[7$", key(Home, SHIFT)),
            ("\x1b[7^", key(Home, CTRL)),
            ("\x1b[7@", key(Home, both)),
            ("\x1b[8$", key(End, SHIFT)),
            ("\x1b[2$", key(Insert, SHIFT)),
            ("\x1b[3$", key(Delete, SHIFT)),
            ("\x1b\x1b[3$", key(Delete, ALT | SHIFT)),
            ("\x1b[5$", key(PageUp, SHIFT)),
            ("\x1b[11~", f(1, NONE)),
            ("\x1b[11^", f(1, CTRL)),
            ("\x1b[23$", f(11, SHIFT)),
            ("\x1b[24$", f(12, SHIFT)),
            ("\x1b[34$", f(20, SHIFT)),
            ("\x1b[24@", f(12, both)),
            ("\x1b[a", key(Up, SHIFT)),
            ("\x1b[b", key(Down, SHIFT)),
            ("\x1b[c", key(Right, SHIFT)),
            ("\x1b[d", key(Left, SHIFT)),
            ("\x1b\x1b[a", key(Up, ALT | SHIFT)),
            ("\x1bOa", key(Up, CTRL)),
            ("\x1bOd", key(Left, CTRL)),
            ("\x1bOw", char('7', NONE)),
        ],
    )]
}

fn consoles() -> Vec<Table> {
    use KeyCode::{BackTab, End, Home, KeypadBegin};
    vec![
        (
            "the Linux console",
            vec![
                ("\x1b[[B", f(2, NONE)),
                ("\x1b[[D", f(4, NONE)),
                ("\x1b[17~", f(6, NONE)),
                ("\x1b[21~", f(10, NONE)),
                ("\x1b[23~", f(11, NONE)),
                ("\x1b[25~", f(13, NONE)),
                ("\x1b[33~", f(19, NONE)),
                ("\x1b[1~", key(Home, NONE)),
                ("\x1b[4~", key(End, NONE)),
                ("\x1b[G", key(KeypadBegin, NONE)),
                ("\x1b\t", key(KeyCode::Tab, ALT)),
            ],
        ),
        (
            "PuTTY",
            vec![
                ("\x1b[1~", key(Home, NONE)),
                ("\x1b[4~", key(End, NONE)),
                ("\x1b[12~", f(2, NONE)),
                ("\x1b[14~", f(4, NONE)),
                ("\x1b[Z", key(BackTab, SHIFT)),
                // As a VT100+.
                ("\x1bOT", f(5, NONE)),
                ("\x1bOW", f(8, NONE)),
                ("\x1bOY", f(10, NONE)),
                ("\x1bO[", f(12, NONE)),
            ],
        ),
    ]
}

fn multiplexers() -> Vec<Table> {
    use KeyCode::{Delete, Enter, Home, Left, PageDown};
    vec![
        (
            "tmux",
            vec![
                ("\x1bOH", key(Home, NONE)),
                ("\x1b[1~", key(Home, NONE)),
                ("\x1b[1;7D", key(Left, CTRL | ALT)),
                ("\x1b[6;5~", key(PageDown, CTRL)),
                ("\x1b[13;6u", key(Enter, CTRL | SHIFT)),
                ("\x1bOS", f(4, NONE)),
            ],
        ),
        (
            "screen",
            vec![
                ("\x1bOP", f(1, NONE)),
                ("\x1b[15~", f(5, NONE)),
                ("\x1b[3~", key(Delete, NONE)),
                ("\x1bOM", key(Enter, NONE)),
            ],
        ),
    ]
}

#[test]
fn each_terminal_sends_its_keys() {
    for (terminal, keys) in [modern(), rxvt(), consoles(), multiplexers()].concat() {
        for (bytes, key) in keys {
            assert_eq!(decode(bytes), [key], "{terminal}: {bytes:?}");
        }
    }
}

#[test]
fn a_key_of_rxvt_with_shift_waits_for_no_more_than_an_escape_does() {
    let mut line = Line::new();
    line.read("\x1b[23$");
    line.wait(24);
    assert_eq!(line.took(), []);
    line.wait(1);
    assert_eq!(line.took(), [f(11, SHIFT)]);
    assert_eq!(line.decoder.deadline(), None);
    // What is no such key is still a report that was begun.
    line.read("\x1b[?23$");
    line.wait(499);
    line.read("y");
    assert_eq!(line.took(), []);
    assert_eq!(
        decode("\x1b[23$\x1b[24$a"),
        [f(11, SHIFT), f(12, SHIFT), char('a', NONE)]
    );
}

/// Reports of the mouse as terminals send them, whatever they were asked for: `bits` and the place.
fn reports(bits: u8, column: u16, row: u16) -> Vec<Vec<u8>> {
    // rxvt lets places wrap around, xterm has none for those beyond 223.
    let wrapped = |place: u16| place.wrapping_add(33).to_le_bytes()[0];
    let place = |place: u16| u8::try_from(place + 33).unwrap_or(0);
    let mut reports: Vec<Vec<u8>> = ['M', 'm']
        .iter()
        .map(|last| format!("\x1b[<{bits};{};{}{last}", column + 1, row + 1).into_bytes())
        .collect();
    // 1015.
    reports.push(format!("\x1b[{};{};{}M", bits + 32, column + 1, row + 1).into_bytes());
    for place in [wrapped, place] {
        // An ESC would begin something else.
        let [column, row] = [column, row].map(place);
        if column != ESC && row != ESC {
            reports.push([b"\x1b[M", &[bits + 32, column, row][..]].concat());
        }
    }
    reports
}

proptest! {
    #[test]
    fn no_form_of_a_mouse_report_types_or_presses(
        bits in 0_u8..192,
        column in 0_u16..2_000,
        row in 0_u16..2_000,
        cut in 1_usize..8,
    ) {
        for report in reports(bits, column, row) {
            let mut line = Line::new();
            for piece in [&b"a"[..]].into_iter().chain(report.chunks(cut)).chain([&b"b"[..]]) {
                line.read(piece);
                line.wait(20);
            }
            let mut took = line.took();
            took.retain(|decoded| !matches!(decoded, Decoded::Event(Event::Mouse(_))));
            prop_assert_eq!(took, typed("ab"), "{:?}", report);
        }
    }
}
