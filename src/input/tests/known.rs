//! Sequences that terminals send, and what they are.

use crossterm::event::{KeyEventKind, KeyEventState, MouseButton, MouseEvent, MouseEventKind};

use super::*;

fn mouse(kind: MouseEventKind, column: u16, row: u16) -> Decoded {
    Decoded::Event(Event::Mouse(MouseEvent {
        kind,
        column,
        row,
        modifiers: NONE,
    }))
}

fn of_kind(decoded: Decoded, kind: KeyEventKind) -> Decoded {
    let Decoded::Event(Event::Key(key)) = decoded else {
        unreachable!()
    };
    Decoded::Event(Event::Key(KeyEvent { kind, ..key }))
}

fn of_state(decoded: Decoded, state: KeyEventState) -> Decoded {
    let Decoded::Event(Event::Key(key)) = decoded else {
        unreachable!()
    };
    Decoded::Event(Event::Key(KeyEvent { state, ..key }))
}

/// Keys that need no silence behind them, and what they are.
fn keys_known() -> Vec<(&'static str, Decoded)> {
    use KeyCode::{
        BackTab, Backspace, Char, Delete, Down, End, Enter, Esc, F, Home, Insert, KeypadBegin,
        Left, Menu, PageDown, PageUp, Right, Tab, Up,
    };
    let keypad = |code| of_state(key(code, NONE), KeyEventState::KEYPAD);
    vec![
        // Bytes.
        ("\r", key(Enter, NONE)),
        ("\n", char('j', CTRL)),
        ("\t", key(Tab, NONE)),
        ("\x7f", key(Backspace, NONE)),
        ("\x08", char('h', CTRL)),
        ("\0", char(' ', CTRL)),
        ("\x03", char('c', CTRL)),
        ("\x1a", char('z', CTRL)),
        ("\x1c", char('4', CTRL)),
        ("\x1f", char('7', CTRL)),
        ("é", char('é', NONE)),
        ("É", char('É', SHIFT)),
        ("요", char('요', NONE)),
        ("👍", char('👍', NONE)),
        // Behind ESC.
        ("\x1ba", char('a', ALT)),
        ("\x1bA", char('A', ALT | SHIFT)),
        ("\x1bé", char('é', ALT)),
        ("\x1b\r", key(Enter, ALT)),
        ("\x1b\x7f", key(Backspace, ALT)),
        ("\x1b\x03", char('c', CTRL | ALT)),
        ("\x1b\\", char('\\', ALT)),
        // Arrows and the like.
        ("\x1b[A", key(Up, NONE)),
        ("\x1b[B", key(Down, NONE)),
        ("\x1b[C", key(Right, NONE)),
        ("\x1b[D", key(Left, NONE)),
        ("\x1b[E", key(KeypadBegin, NONE)),
        ("\x1b[H", key(Home, NONE)),
        ("\x1b[F", key(End, NONE)),
        ("\x1bOA", key(Up, NONE)),
        ("\x1bOH", key(Home, NONE)),
        ("\x1b\x1b[A", key(Up, ALT)),
        ("\x1b\x1bOA", key(Up, ALT)),
        ("\x1b\x1b[3~", key(Delete, ALT)),
        ("\x1b[1;2A", key(Up, SHIFT)),
        ("\x1b[1;3A", key(Up, ALT)),
        ("\x1b[1;5D", key(Left, CTRL)),
        ("\x1b[1;8F", key(End, CTRL | ALT | SHIFT)),
        ("\x1b[5C", key(Right, CTRL)),
        ("\x1bOd", key(Left, CTRL)),
        ("\x1b[Z", key(BackTab, SHIFT)),
        ("\x1b[1;5Z", key(BackTab, SHIFT | CTRL)),
        ("\x1b[2~", key(Insert, NONE)),
        ("\x1b[3~", key(Delete, NONE)),
        ("\x1b[3;5~", key(Delete, CTRL)),
        ("\x1b[3^", key(Delete, CTRL)),
        ("\x1b[5~", key(PageUp, NONE)),
        ("\x1b[6;2~", key(PageDown, SHIFT)),
        ("\x1b[1~", key(Home, NONE)),
        ("\x1b[8~", key(End, NONE)),
        // Function keys.
        ("\x1bOP", key(F(1), NONE)),
        ("\x1bOR", key(F(3), NONE)),
        ("\x1b[P", key(F(1), NONE)),
        ("\x1b[[A", key(F(1), NONE)),
        ("\x1b[[E", key(F(5), NONE)),
        ("\x1b[11~", key(F(1), NONE)),
        ("\x1b[13~", key(F(3), NONE)),
        ("\x1b[15~", key(F(5), NONE)),
        ("\x1b[15;2~", key(F(5), SHIFT)),
        ("\x1b[24~", key(F(12), NONE)),
        ("\x1b[25~", key(F(13), NONE)),
        ("\x1b[28~", key(F(15), NONE)),
        ("\x1b[34~", key(F(20), NONE)),
        ("\x1b[1;2P", key(F(1), SHIFT)),
        ("\x1b[1;2R", key(F(3), SHIFT)),
        ("\x1b[1;5R", key(F(3), CTRL)),
        // The keypad in its application mode.
        ("\x1bOM", key(Enter, NONE)),
        ("\x1bOp", char('0', NONE)),
        ("\x1bOk", char('+', NONE)),
        // modifyOtherKeys.
        ("\x1b[27;2;13~", key(Enter, SHIFT)),
        ("\x1b[27;5;13~", key(Enter, CTRL)),
        ("\x1b[27;3;13~", key(Enter, ALT)),
        ("\x1b[27;2;9~", key(BackTab, SHIFT)),
        ("\x1b[27;5;9~", key(Tab, CTRL)),
        ("\x1b[27;5;127~", key(Backspace, CTRL)),
        ("\x1b[27;2;27~", key(Esc, SHIFT)),
        ("\x1b[27;5;99~", char('c', CTRL)),
        ("\x1b[27;6;67~", char('C', CTRL | SHIFT)),
        ("\x1b[27;2;65~", char('A', SHIFT)),
        ("\x1b[27;2;97~", char('A', SHIFT)),
        ("\x1b[27;2;33~", char('!', NONE)),
        ("\x1b[27;2;32~", char(' ', NONE)),
        ("\x1b[27;3;120~", char('x', ALT)),
        ("\x1b[27;7;64~", char('@', CTRL | ALT)),
        ("\x1b[27;2;223~", char('ß', NONE)),
        // The kitty protocol.
        ("\x1b[27u", key(Esc, NONE)),
        ("\x1b[27;2u", key(Esc, SHIFT)),
        ("\x1b[13u", key(Enter, NONE)),
        ("\x1b[13;2u", key(Enter, SHIFT)),
        ("\x1b[13;5u", key(Enter, CTRL)),
        ("\x1b[9;2u", key(BackTab, SHIFT)),
        ("\x1b[127;5u", key(Backspace, CTRL)),
        ("\x1b[32;5u", char(' ', CTRL)),
        ("\x1b[97u", char('a', NONE)),
        ("\x1b[97;2u", char('A', SHIFT)),
        ("\x1b[97:65;2u", char('A', SHIFT)),
        ("\x1b[228;2u", char('Ä', SHIFT)),
        ("\x1b[49:33;2u", char('!', NONE)),
        ("\x1b[99;5u", char('c', CTRL)),
        ("\x1b[99:67;6u", char('c', CTRL | SHIFT)),
        ("\x1b[45:95;6u", char('_', CTRL)),
        ("\x1b[47:63;4u", char('?', ALT)),
        // ctrl-c and alt-x of a Cyrillic layout.
        ("\x1b[1089::99;5u", char('c', CTRL)),
        ("\x1b[1095:1063:120;3u", char('x', ALT)),
        ("\x1b[1089::99;2u", char('С', SHIFT)),
        (
            "\x1b[99;69u",
            of_state(char('c', CTRL), KeyEventState::CAPS_LOCK),
        ),
        (
            "\x1b[99;133u",
            of_state(char('c', CTRL), KeyEventState::NUM_LOCK),
        ),
        (
            "\x1b[1;129A",
            of_state(key(Up, NONE), KeyEventState::NUM_LOCK),
        ),
        ("\x1b[97;1:1u", char('a', NONE)),
        (
            "\x1b[97;1:2u",
            of_kind(char('a', NONE), KeyEventKind::Repeat),
        ),
        (
            "\x1b[97;1:3u",
            of_kind(char('a', NONE), KeyEventKind::Release),
        ),
        ("\x1b[1;1:3A", of_kind(key(Up, NONE), KeyEventKind::Release)),
        (
            "\x1b[3;1:3~",
            of_kind(key(Delete, NONE), KeyEventKind::Release),
        ),
        ("\x1b[97;;228u", char('ä', NONE)),
        ("\x1b[97;2;196u", char('Ä', SHIFT)),
        ("\x1b[57363u", key(Menu, NONE)),
        ("\x1b[57376u", key(F(13), NONE)),
        ("\x1b[57398u", key(F(35), NONE)),
        ("\x1b[57399u", keypad(Char('0'))),
        ("\x1b[57408u", keypad(Char('9'))),
        ("\x1b[57414u", keypad(Enter)),
        ("\x1b[57421u", keypad(PageUp)),
        ("\x1b[57427u", keypad(KeypadBegin)),
    ]
}

/// Everything else that is told, and what is used of it.
fn others_known() -> Vec<(&'static str, Vec<Decoded>)> {
    use MouseEventKind::{Down, Drag, Moved, ScrollDown, ScrollUp, Up};
    let dark = || vec![Decoded::Background(Shade::Dark)];
    let light = || vec![Decoded::Background(Shade::Light)];
    let told = |told| vec![Decoded::Told(told)];
    vec![
        ("\x1b[I", vec![Decoded::Event(Event::FocusGained)]),
        ("\x1b[O", vec![Decoded::Event(Event::FocusLost)]),
        ("\x1b[<0;10;5M", vec![mouse(Down(MouseButton::Left), 9, 4)]),
        ("\x1b[<0;10;5m", vec![mouse(Up(MouseButton::Left), 9, 4)]),
        ("\x1b[<32;1;1M", vec![mouse(Drag(MouseButton::Left), 0, 0)]),
        ("\x1b[<35;300;200M", vec![mouse(Moved, 299, 199)]),
        ("\x1b[<64;10;5M", vec![mouse(ScrollUp, 9, 4)]),
        ("\x1b[<65;10;5M", vec![mouse(ScrollDown, 9, 4)]),
        ("\x1b[<999;1;1M", vec![]),
        ("\x1b[32;10;5M", vec![mouse(Down(MouseButton::Left), 9, 4)]),
        ("\x1b[M !!", vec![mouse(Down(MouseButton::Left), 0, 0)]),
        ("\x1b[Ma*%", vec![mouse(ScrollDown, 9, 4)]),
        ("\x1b[200~a\r\x1b[Ab\x1b[201~", vec![paste("a\r\x1b[Ab")]),
        ("\x1b[200~\x1b[201~", vec![paste("")]),
        ("\x1b[201~", vec![]),
        ("\x1b]11;rgb:1616/1818/1a1a\x1b\\", dark()),
        ("\x1b]11;rgb:ff/ff/f0\x07", light()),
        ("\x1b]11;rgba:0000/0000/0000/ffff\x1b\\", dark()),
        ("\x1b]11;rgb:f/f/f\x1b\\", light()),
        ("\x1b[?997;1n", dark()),
        ("\x1b[?997;2n", light()),
        ("\x1b[?62;1;4c", told(Told::Sixel)),
        (
            "\x1b_Gi=31;OK\x1b\\",
            told(Told::Kitty { compressed: false }),
        ),
        (
            "\x1b_Gi=32;OK\x1b\\",
            told(Told::Kitty { compressed: true }),
        ),
        ("\x1b_Gi=31;ENOTSUPPORTED:no\x1b\\", vec![]),
        ("\x1b[6;20;10t", told(Told::Cell(10, 20))),
        ("\x1b[6;0;10t", vec![]),
        ("\x1b[6;20t", vec![]),
        // Reports of which nothing is used.
        ("\x1b]10;rgb:ffff/ffff/ffff\x1b\\", vec![]),
        ("\x1b]11;?\x1b\\", vec![]),
        ("\x1b]4;1;rgb:cd/00/00\x07", vec![]),
        ("\x1b]52;c;aGVsbG8K\x07", vec![]),
        ("\x1b]lü title\x1b\\", vec![]),
        ("\x1bP>|case-term 1\x1b\\", vec![]),
        ("\x1bP1$r0 q\x1b\\", vec![]),
        ("\x1bP0+r\x1b\\", vec![]),
        ("\x1bP!|7E565445\x1b\\", vec![]),
        ("\x1b_Gi=1;OK\x1b\\", vec![]),
        ("\x1b_any\x1b\\", vec![]),
        ("\x1b^any\x1b\\", vec![]),
        ("\x1bXany\x1b\\", vec![]),
        ("\x1b[?2026;2$y", vec![]),
        ("\x1b[4;1$y", vec![]),
        ("\x1b[?62;1c", vec![]),
        ("\x1b[?4;1c", vec![]),
        ("\x1b[>1;10;0c", vec![]),
        ("\x1b[=0;0c", vec![]),
        ("\x1b[0n", vec![]),
        ("\x1b[?15n", vec![]),
        ("\x1b[7;2R", vec![]),
        ("\x1b[1;1R", vec![]),
        ("\x1b[1;80R", vec![]),
        ("\x1b[?1;2R", vec![]),
        ("\x1b[8;24;80t", vec![]),
        ("\x1b[4;600;800t", vec![]),
        ("\x1b[48;24;80;600;800t", vec![]),
        ("\x1b[?5u", vec![]),
        ("\x1b[>4;1m", vec![]),
        ("\x1b[?1;0;256S", vec![]),
        ("\x1b[2;1;1;112;112;1;0x", vec![]),
        // What is no key here.
        ("\x1b[99~", vec![]),
        ("\x1b[u", vec![]),
        ("\x1b[57441;2u", vec![]),
        ("\x1b[57430u", vec![]),
        ("\x1b[57358u", vec![]),
        ("\x1b[99;9u", vec![]),
        ("\x1b[99999999999u", vec![]),
        ("\x1b[1;999A", vec![]),
        ("\x1b[5;5A", vec![]),
        ("\x1bOz", vec![]),
        ("\u{9b}", vec![]),
        // Reports of modes, one of them with a single number as rxvt's keys with shift have.
        ("\x1b[?23;2$y", vec![]),
        ("\x1b[23;2$y", vec![]),
        ("\x1b[23$y", vec![]),
        ("\x1b[99$y", vec![]),
        // Where the mouse is in pixels, and outside; DEC's locator.
        (
            "\x1b[<0;1200;800M",
            vec![mouse(Down(MouseButton::Left), 1_199, 799)],
        ),
        ("\x1b[<0;-5;3M", vec![]),
        ("\x1b[<0;70000;3M", vec![]),
        ("\x1b[<128;5;3M", vec![]),
        ("\x1b[2;4;10;20;0&w", vec![]),
    ]
}

pub fn known() -> Vec<(&'static str, Vec<Decoded>)> {
    let keys = keys_known().into_iter().chain(terminals::keys());
    keys.map(|(bytes, key)| (bytes, vec![key]))
        .chain(others_known())
        .collect()
}
