//! Bytes in, events out, with a clock that only the test moves.

mod known;
mod terminals;

use proptest::prelude::*;

use super::{
    paste::{PASTE_BEGIN, PASTE_END, whole_chars},
    *,
};
use known::known;

const WAIT: Duration = Duration::from_millis(25);

const NONE: KeyModifiers = KeyModifiers::NONE;
const SHIFT: KeyModifiers = KeyModifiers::SHIFT;
const ALT: KeyModifiers = KeyModifiers::ALT;
const CTRL: KeyModifiers = KeyModifiers::CONTROL;

/// A terminal whose bytes are read at times that the test sets.
struct Line {
    decoder: Decoder,
    now: Instant,
    out: Vec<Decoded>,
}

impl Line {
    fn new() -> Self {
        Self {
            decoder: Decoder::new(WAIT),
            now: Instant::now(),
            out: Vec::new(),
        }
    }

    fn read(&mut self, bytes: impl AsRef<[u8]>) {
        self.decoder.feed(bytes.as_ref(), self.now, &mut self.out);
    }

    fn wait(&mut self, ms: u64) {
        self.now += Duration::from_millis(ms);
        self.decoder.expire(self.now, &mut self.out);
    }

    fn took(&mut self) -> Vec<Decoded> {
        std::mem::take(&mut self.out)
    }
}

/// What comes of bytes that are read at once, and of the silence behind them.
fn decode(bytes: impl AsRef<[u8]>) -> Vec<Decoded> {
    let mut line = Line::new();
    line.read(bytes);
    line.wait(2_000);
    line.took()
}

fn key(code: KeyCode, modifiers: KeyModifiers) -> Decoded {
    Decoded::Event(Event::Key(KeyEvent::new(code, modifiers)))
}

fn char(c: char, modifiers: KeyModifiers) -> Decoded {
    key(KeyCode::Char(c), modifiers)
}

fn typed(text: &str) -> Vec<Decoded> {
    text.chars()
        .map(|c| Decoded::Event(Event::Key(keys::of_char(c))))
        .collect()
}

fn paste(text: &str) -> Decoded {
    Decoded::Event(Event::Paste(text.to_owned()))
}

#[test]
fn every_known_sequence_is_what_it_is_wherever_it_is_cut() {
    for (bytes, meant) in known() {
        assert_eq!(decode(bytes), meant, "{bytes:?}");
        for cut in 1..bytes.len() {
            let mut line = Line::new();
            line.read("ab");
            line.read(&bytes.as_bytes()[..cut]);
            line.wait(24);
            line.read(&bytes.as_bytes()[cut..]);
            line.read("é");
            line.wait(2_000);
            let whole = [typed("ab"), meant.clone(), typed("é")].concat();
            assert_eq!(line.took(), whole, "{bytes:?} cut at {cut}");
        }
    }
}

proptest! {
    #[test]
    fn sequences_between_text_in_any_pieces_are_these_sequences_and_that_text(
        parts in prop::collection::vec(
            (prop::sample::select(known()), "\\PC{0,4}"),
            1..6,
        ),
        pieces in prop::collection::vec((1_usize..6, 0_u64..25), 1..40),
    ) {
        let mut bytes = Vec::new();
        let mut meant = Vec::new();
        for ((sequence, events), text) in parts {
            // Behind the `$` of rxvt's keys it is part of another sequence.
            let text = text.trim_start_matches('y');
            bytes.extend_from_slice(sequence.as_bytes());
            bytes.extend_from_slice(text.as_bytes());
            meant.extend(events);
            meant.extend(typed(text));
        }
        let mut line = Line::new();
        let mut rest = &bytes[..];
        for (size, pause) in pieces.iter().cycle() {
            let (piece, tail) = rest.split_at((*size).min(rest.len()));
            line.read(piece);
            if tail.is_empty() {
                break;
            }
            line.wait(*pause);
            rest = tail;
        }
        line.wait(2_000);
        prop_assert_eq!(line.took(), meant);
    }

    #[test]
    fn any_bytes_mean_the_same_however_they_are_cut(
        bytes in prop::collection::vec(
            prop_oneof![
                any::<u8>(),
                prop::sample::select(&b"\x1b\x1b\x1b[[]O?;;:127~~uMRP_\\\x07"[..]),
            ],
            0..200,
        ),
        sizes in prop::collection::vec(1_usize..9, 1..20),
    ) {
        let whole = decode(&bytes);
        let mut line = Line::new();
        let mut rest = &bytes[..];
        for size in sizes.iter().cycle() {
            let (piece, tail) = rest.split_at((*size).min(rest.len()));
            line.read(piece);
            if tail.is_empty() {
                break;
            }
            rest = tail;
        }
        line.wait(2_000);
        prop_assert_eq!(line.took(), whole);
        // Nothing is waited for without an end.
        line.wait(2_000);
        line.wait(2_000);
        prop_assert_eq!(line.decoder.deadline(), None);
        prop_assert!(line.decoder.held.capacity() <= 2 * SEQUENCE_BYTES);
    }

    #[test]
    fn a_control_key_in_its_long_forms_is_the_same_key(
        // `i` and `m` have keys of their own.
        letter in prop::sample::select(&b"abcdefghjklnopqrstuvwxyz"[..]),
    ) {
        let long = [format!("\x1b[27;5;{letter}~"), format!("\x1b[{letter};5u")];
        for long in long {
            prop_assert_eq!(decode([letter & 0x1f]), decode(long));
        }
    }
}

#[test]
fn an_escape_by_itself_is_the_key_after_its_wait() {
    let mut line = Line::new();
    line.read("\x1b");
    assert_eq!(line.took(), []);
    line.wait(24);
    assert_eq!(line.took(), []);
    line.wait(1);
    assert_eq!(line.took(), [key(KeyCode::Esc, NONE)]);
    assert_eq!(line.decoder.deadline(), None);
    // Pressed twice.
    line.read("\x1b");
    line.wait(10);
    line.read("\x1b");
    line.wait(25);
    assert_eq!(line.took(), vec![key(KeyCode::Esc, NONE); 2]);
    // The kitty protocol leaves no doubt.
    line.read("\x1b[27u");
    assert_eq!(line.took(), [key(KeyCode::Esc, NONE)]);
    // Over ssh it may be told to wait longer.
    line.decoder.set_escape_delay(Duration::from_millis(100));
    line.read("\x1b");
    line.wait(99);
    line.read("\r");
    assert_eq!(line.took(), [key(KeyCode::Enter, ALT)]);
}

#[test]
fn bytes_that_are_there_already_come_before_the_silence() {
    let mut line = Line::new();
    line.read("\x1b");
    // A busy machine has let the time go by; what arrived meanwhile belongs to it.
    line.now += Duration::from_millis(300);
    line.read("[A");
    assert_eq!(line.took(), [key(KeyCode::Up, NONE)]);
}

#[test]
fn what_only_begins_like_a_sequence_is_a_key_with_alt() {
    for (bytes, c) in [
        ("\x1b[", '['),
        ("\x1bO", 'O'),
        ("\x1b]", ']'),
        ("\x1bP", 'P'),
        ("\x1b_", '_'),
        ("\x1b^", '^'),
        ("\x1bX", 'X'),
    ] {
        let mut key = keys::of_char(c);
        key.modifiers |= ALT;
        let key = Decoded::Event(Event::Key(key));
        let mut line = Line::new();
        line.read(bytes);
        line.wait(25);
        assert_eq!(line.took(), std::slice::from_ref(&key), "{bytes:?}");
        line.read(bytes);
        line.wait(10);
        line.read("\x1b[A");
        assert_eq!(
            line.took(),
            [key, self::key(KeyCode::Up, NONE)],
            "{bytes:?}"
        );
    }
    // alt-_ and then text, in one packet.
    let undone = [vec![char('_', ALT)], typed("so é")].concat();
    assert_eq!(decode("\x1b_so é"), undone);
    assert_eq!(
        decode("\x1bPage"),
        [vec![char('P', ALT | SHIFT)], typed("age")].concat()
    );
    assert_eq!(decode("\x1b]x"), [char(']', ALT), char('x', NONE)]);
}

#[test]
fn an_escape_before_a_report_is_still_the_key() {
    for report in [
        "\x1b[?2026;2$y",
        "\x1b]10;rgb:0/0/0\x07",
        "\x1b[I",
        "\x1b[200~x\x1b[201~",
    ] {
        let esc = key(KeyCode::Esc, NONE);
        let expected = [vec![esc], decode(report)].concat();
        assert_eq!(decode(format!("\x1b{report}")), expected, "{report:?}");
    }
    // But it is alt where a key follows.
    assert_eq!(decode("\x1b\x1b[A"), [key(KeyCode::Up, ALT)]);
}

#[test]
fn a_finished_report_swallows_no_key() {
    assert_eq!(decode("he\x1b[?2026;2$yllo\x1b[?996;1n!"), typed("hello!"));
}

#[test]
fn a_string_without_an_end_is_dropped_in_silence_and_its_late_end_too() {
    for end in ["\x07", "\x1b\\", "/0000\x1b\\"] {
        let mut line = Line::new();
        line.read("a\x1b]10;rgb:0000/0000");
        line.wait(499);
        assert_eq!(line.decoder.state, State::Text(Kind::Osc));
        line.wait(1);
        assert_eq!(line.decoder.state, State::Ground);
        line.wait(3_000);
        line.read(format!("{end}b"));
        line.wait(100);
        assert_eq!(line.took(), typed("ab"), "{end:?}");
    }
    // The ESC of its end came and no more.
    let mut line = Line::new();
    line.read("\x1bP1$r0m\x1b");
    line.wait(3_000);
    assert_eq!(line.took(), []);
    line.read("\\");
    line.read("x");
    assert_eq!(line.took(), typed("x"));
    // Who types on is not silenced, and ctrl-c always counts.
    let mut line = Line::new();
    line.read("\x1b]0;");
    line.wait(500);
    line.read("hello");
    line.read("\x07");
    assert_eq!(
        line.took(),
        [typed("hello"), vec![char('g', CTRL)]].concat()
    );
    line.read("\x1b]0;a\x03");
    assert_eq!(line.took(), [char('c', CTRL)]);
}

#[test]
fn a_string_is_bounded_in_bytes() {
    for (length, whole) in [
        (STRING_BYTES - 1, true),
        (STRING_BYTES, true),
        (STRING_BYTES + 1, false),
    ] {
        let mut line = Line::new();
        let string = format!("\x1b]52;{}", "x".repeat(length - 3));
        for piece in string.as_bytes().chunks(4_000) {
            line.read(piece);
            assert!(line.decoder.held.len() <= SEQUENCE_BYTES);
        }
        let text = line.decoder.state == State::Text(Kind::Osc);
        assert_eq!(text, whole, "{length}");
        line.read("\x07ok");
        assert_eq!(line.took(), typed("ok"), "{length}");
    }
}

#[test]
fn a_sequence_is_kept_up_to_its_bound_and_swallowed_beyond() {
    for (length, known) in [
        (SEQUENCE_BYTES - 1, true),
        (SEQUENCE_BYTES, true),
        (SEQUENCE_BYTES + 1, false),
    ] {
        let zeros = "0".repeat(length - 4);
        let arrow = format!("\x1b[{zeros}1;5D.");
        let mut expected = typed(".");
        if known {
            expected.insert(0, key(KeyCode::Left, CTRL));
        }
        // `1;5` and the zeros before it; the letter is not kept.
        assert_eq!(decode(arrow.replacen('0', "00", 1)), expected, "{length}");
    }
}

#[test]
fn a_paste_is_one_event_with_all_that_is_in_it() {
    let text = "one\r\n\ttwo \x1b[A\x1b]11;?\x07\x03 \u{9b} é\x1b[200~ end";
    let bytes = format!("\x1b[200~{text}\x1b[201~.");
    let expected = [vec![paste(text)], typed(".")].concat();
    assert_eq!(decode(&bytes), expected);
    for size in 1..20 {
        let mut line = Line::new();
        let (begin, rest) = bytes.as_bytes().split_at(PASTE_BEGIN.len());
        line.read(begin);
        for piece in rest.chunks(size) {
            line.read(piece);
            line.wait(900);
        }
        assert_eq!(line.took(), expected, "in pieces of {size}");
    }
    assert_eq!(
        decode(b"\x1b[200~a\xff\xe9b\x1b[201~"),
        [paste("a\u{fffd}\u{fffd}b")]
    );
}

#[test]
fn a_paste_that_stalls_is_delivered_and_its_late_end_swallowed() {
    for cut in 0..PASTE_END.len() {
        let (begun, missing) = PASTE_END.split_at(cut);
        let mut line = Line::new();
        line.read("\x1b[200~line one\rline");
        line.wait(600);
        line.read(" two");
        line.read(begun);
        line.wait(999);
        assert_eq!(line.took(), []);
        line.wait(1);
        assert_eq!(line.took(), [paste("line one\rline two")], "{cut}");
        line.wait(5_000);
        line.read(missing);
        line.read("x");
        line.wait(100);
        assert_eq!(line.took(), typed("x"), "{cut}");
    }
}

#[test]
fn what_comes_late_of_a_paste_sends_nothing() {
    let mut line = Line::new();
    line.read("\x1b[200~one\r");
    line.wait(1_000);
    line.took();
    line.read("two\r");
    line.read("three\rfour\x1b[201~.");
    let expected = [vec![paste("two\r"), paste("three\rfour")], typed(".")].concat();
    assert_eq!(line.took(), expected);
    // It is over now.
    line.read("five\r");
    assert_eq!(
        line.took(),
        [typed("five"), vec![key(KeyCode::Enter, NONE)]].concat()
    );
    // Another paste is another one, and an Enter that comes alone is pressed.
    let mut line = Line::new();
    line.read("\x1b[200~one");
    line.wait(1_000);
    line.read("\r");
    line.read("\x1b[200~two\x1b[201~");
    assert_eq!(
        line.took(),
        [paste("one"), key(KeyCode::Enter, NONE), paste("two")]
    );
}

#[test]
fn a_paste_is_bounded_and_its_cut_told() {
    for (length, cut) in [
        (PASTE_BYTES - 1, false),
        (PASTE_BYTES, false),
        (PASTE_BYTES + 1, true),
        (PASTE_BYTES + 5_000, true),
    ] {
        let mut line = Line::new();
        let text = "y".repeat(length);
        for piece in format!("\x1b[200~{text}\x1b[201~.")
            .as_bytes()
            .chunks(4_093)
        {
            line.read(piece);
            assert!(line.decoder.paste.len() <= PASTE_BYTES + 4_093);
        }
        let mut expected = vec![paste(&text[..length.min(PASTE_BYTES)])];
        expected.extend(cut.then_some(Decoded::PasteCut));
        expected.extend(typed("."));
        assert!(line.took() == expected, "{length}");
    }
    // What is late of one that was cut is dropped with the rest, its end mark too.
    for (stalled, late) in [
        ("rest\r", "more\rand more\x1b[201~"),
        ("rest\r\x1b[20", "1~"),
        ("", "more\r\x1b[201~"),
    ] {
        let mut line = Line::new();
        line.read(format!("\x1b[200~{}", "y".repeat(PASTE_BYTES + 1)));
        line.read(stalled);
        line.wait(1_000);
        assert_eq!(line.took().len(), 2);
        line.read(late);
        line.read(".");
        assert_eq!(line.took(), typed("."), "{stalled:?}");
    }
    // No half of a character is left where it is cut.
    assert_eq!(whole_chars("aé".as_bytes()), "aé".as_bytes());
    assert_eq!(whole_chars(&"aé".as_bytes()[..2]), b"a");
    assert_eq!(whole_chars(&"a👍".as_bytes()[..4]), b"a");
}

#[test]
fn what_is_no_utf8_is_no_text_and_presses_no_keys() {
    for bytes in [
        &b"\xe9"[..],
        b"\xff\xfe",
        b"\xc0\x80",
        b"\xe0\x80\x80",
        b"\xed\xa0\x80",
        b"\xf4\x90\x80\x80",
        b"\x80",
    ] {
        let mut line = Line::new();
        line.read("a");
        line.read(bytes);
        line.read("b\r\x1bx\x03c");
        line.wait(400);
        line.read("\r");
        assert_eq!(line.took(), typed("abc"), "{bytes:?}");
        line.wait(100);
        line.read("\r");
        assert_eq!(line.took(), [key(KeyCode::Enter, NONE)], "{bytes:?}");
    }
}

// Of a terminal that is set to Latin-1: é, and then what is pressed next.
#[test]
fn a_key_in_another_encoding_is_told_and_the_next_one_counts() {
    for key in [&b"\xe9"[..], b"\xff", b"\x80", b"\xc3"] {
        let mut line = Line::new();
        line.read("caf");
        line.wait(80);
        line.read(key);
        line.wait(80);
        line.read("\r");
        line.wait(80);
        let expected = [
            typed("caf"),
            vec![Decoded::NotUtf8, self::key(KeyCode::Enter, NONE)],
        ]
        .concat();
        assert_eq!(line.took(), expected, "{key:?}");
        // Read together with more, or right behind it, it was not pressed.
        line.read([key, b"\r"].concat());
        line.wait(400);
        line.read("\r");
        assert_eq!(line.took(), [], "{key:?}");
        line.wait(200);
        line.read(key);
        line.wait(20);
        line.read("\r");
        assert_eq!(line.took(), [Decoded::NotUtf8], "{key:?}");
        line.read(key);
        line.wait(400);
        line.read("\r");
        assert_eq!(line.took(), [], "{key:?}");
    }
    // A character whose bytes come one by one is none of that.
    let mut line = Line::new();
    line.read("a");
    for byte in "é👍".as_bytes() {
        line.wait(80);
        line.read([*byte]);
    }
    assert_eq!(line.took(), typed("aé👍"));
}

#[test]
fn a_reset_forgets_what_is_unfinished() {
    for begun in ["\x1b", "\x1b[1;", "\x1b]11;", "\x1b[200~text", "\x1b[M"] {
        let mut line = Line::new();
        line.read(begun);
        line.decoder.reset();
        assert_eq!(line.decoder.deadline(), None);
        line.read("a");
        assert_eq!(line.took(), typed("a"), "{begun:?}");
    }
}

#[test]
fn the_rest_of_an_answer_that_another_program_began_to_read_is_found() {
    for (bytes, rest) in [
        ("ffff/ffff/ffff\x1b\\hello", "hello"),
        ("1;rgb:0/0/0\x07hello", "hello"),
        (">|case-term 1\x1b\\", ""),
        ("\x1b\\hello", "hello"),
        ("62;1;4chello", "hello"),
        ("2026;2$y", ""),
        ("24;80R\x1b[A", "\x1b[A"),
        // Typed.
        ("hello", "hello"),
        ("hello\x07", "hello\x07"),
        ("\x07", "\x07"),
        ("1c", "1c"),
        (":wq\r", ":wq\r"),
        ("\x1b]10;rgb:0/0/0\x1b\\", "\x1b]10;rgb:0/0/0\x1b\\"),
        ("", ""),
    ] {
        assert_eq!(
            without_orphan(bytes.as_bytes()),
            rest.as_bytes(),
            "{bytes:?}"
        );
    }
}
