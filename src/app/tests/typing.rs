//! What bytes of the terminal can do, through the decoder and the whole UI.

use std::collections::BTreeMap;

use ratatui::{Terminal, backend::TestBackend};

use crate::{
    config::UiConfig,
    input::{Decoded, Decoder},
    session::Event,
    ui::{
        Ui, UiCommand, UiSettings,
        offload::Offload,
        testing::Bench,
        theme::{Background, Colours},
    },
};

/// A UI in front of a played agent, typed at in bytes.
struct Typed {
    ui: Ui,
    bench: Bench,
    decoder: Decoder,
    terminal: Terminal<TestBackend>,
    commands: Vec<UiCommand>,
}

impl Typed {
    fn new(bench: Bench) -> Self {
        let settings = UiSettings {
            ui: UiConfig::default(),
            keys: BTreeMap::new(),
            agents: [].into(),
            colours: Colours::Indexed,
            background: Background::Unknown,
            themes: Default::default(),
            inline: false,
            spoken: false,
        };
        let mut typed = Self {
            ui: Ui::new(settings, Offload::immediate()),
            bench,
            decoder: Decoder::new(std::time::Duration::from_millis(25)),
            terminal: Terminal::new(TestBackend::new(80, 24)).expect("a screen"),
            commands: Vec::new(),
        };
        typed.draw();
        typed.wait(500);
        typed
    }

    fn draw(&mut self) {
        let (ui, bench) = (&mut self.ui, &self.bench);
        let drawn = self.terminal.draw(|frame| ui.draw(frame, &bench.context()));
        drawn.expect("memory takes it");
    }

    /// Bytes that are read together.
    fn read(&mut self, bytes: &[u8]) {
        let mut decoded = Vec::new();
        self.decoder.feed(bytes, self.bench.now, &mut decoded);
        self.handle(decoded);
    }

    fn wait(&mut self, ms: u64) {
        self.bench.wait(ms);
        let mut decoded = Vec::new();
        self.decoder.expire(self.bench.now, &mut decoded);
        self.handle(decoded);
    }

    fn handle(&mut self, decoded: Vec<Decoded>) {
        let events: Vec<_> = decoded
            .into_iter()
            .filter_map(|decoded| match decoded {
                Decoded::Event(event) => Some(event),
                _ => None,
            })
            .collect();
        let commands = self.ui.handle(&events, &self.bench.context());
        self.commands.extend(commands);
    }

    /// So many random bytes, read by 1 to 256, none later than 20 ms behind the last ones.
    fn flood(&mut self, seed: u64, count: usize) {
        let mut random = Random(seed);
        let mut left = count;
        let mut reads = 0;
        while left > 0 {
            let bytes: Vec<u8> = (0..=random.below(256)).map(|_| random.byte()).collect();
            left = left.saturating_sub(bytes.len());
            self.read(&bytes);
            self.wait(random.below(21));
            reads += 1;
            if reads % 8 == 0 {
                // Without one, letters answer; and a long one takes its time in a debug build.
                self.ui.composer().set_text("");
            }
            if reads % 256 == 0 {
                self.draw();
            }
        }
    }

    /// What was sent, answered or ended.
    fn deeds(&self) -> Vec<String> {
        self.commands
            .iter()
            .filter(|command| {
                matches!(
                    command,
                    UiCommand::Submit { .. }
                        | UiCommand::Shell(_)
                        | UiCommand::Trust(_)
                        | UiCommand::Quit
                        | UiCommand::SessionOf(..)
                        | UiCommand::Session(
                            Event::Submit(_)
                                | Event::SubmitFirst(_)
                                | Event::SendNow(_)
                                | Event::SendQueued
                                | Event::Stop
                                | Event::Answer { .. }
                                | Event::AnswerFile { .. }
                                | Event::AnswerCommand { .. }
                                | Event::AnswerForm { .. }
                                | Event::AnswerPage { .. }
                        )
                )
            })
            .map(|command| format!("{command:?}"))
            .collect()
    }
}

/// The same bytes each time.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    fn byte(&mut self) -> u8 {
        self.next().to_be_bytes()[0]
    }
}

/// A question that a policy leaves to the person.
fn asked() -> Typed {
    let mut bench = Bench::working();
    bench.asks_to_run("cargo test");
    Typed::new(bench)
}

// Together with the next one a million bytes. They come as a flood: a byte that comes alone and is a key
// cannot be told from one that was pressed.
#[test]
fn half_a_million_random_bytes_answer_no_question() {
    let mut answered = asked();
    answered.read(b"y");
    assert_eq!(answered.deeds().len(), 1);
    let mut typed = asked();
    typed.flood(1, 500_000);
    assert_eq!(typed.deeds(), [""; 0]);
}

#[test]
fn half_a_million_random_bytes_send_no_prompt() {
    let mut typed = Typed::new(Bench::ready());
    typed.flood(2, 500_000);
    assert_eq!(typed.deeds(), [""; 0]);
}

/// Answers of a terminal, of all forms, whole.
const ANSWERS: &[&str] = &[
    "\x1b[?2026;2$y",
    "\x1b[?997;1n",
    "\x1b[0n",
    "\x1b[?62;1;4c",
    "\x1b[>1;10;0c",
    "\x1b[=1;1c",
    "\x1b[24;80R",
    "\x1b[?1;2R",
    "\x1b[8;24;80t",
    "\x1b[?1u",
    "\x1b[?0;2;256S",
    "\x1b]10;rgb:ffff/ffff/ffff\x1b\\",
    "\x1b]11;rgb:0000/0000/0000\x07",
    "\x1b]4;1;rgb:cd/00/00\x1b\\",
    "\x1b]52;c;cm0gLXJmIH4K\x07",
    "\x1bP>|case-term 1\x1b\\",
    "\x1bP1$r0m\x1b\\",
    "\x1bP1+r544e=787465726d\x1b\\",
    "\x1bP!|00000000\x1b\\",
    "\x1b_Gi=31;OK\x1b\\",
    "\x1b_y\ry\x1b\\",
    "\x1b^y\r1\x1b\\",
    "\x1bX1\r1\x1b\\",
];

#[test]
fn no_answer_of_a_terminal_answers_or_types() {
    for answer in ANSWERS {
        // In the middle of a turn, esc would stop it.
        let mut typed = Typed::new(Bench::working());
        typed.read(b"dra");
        for cut in 0..answer.len() {
            let (head, tail) = answer.split_at(cut);
            typed.read(head.as_bytes());
            typed.wait(24);
            typed.read(tail.as_bytes());
        }
        typed.wait(2_000);
        typed.read(b"ft");
        assert_eq!(typed.ui.draft_text(), "draft", "{answer:?}");
        assert_eq!(typed.deeds(), [""; 0], "{answer:?}");

        let mut typed = asked();
        for _ in 0..50 {
            typed.read(answer.as_bytes());
            typed.wait(500);
        }
        assert_eq!(typed.deeds(), [""; 0], "{answer:?}");
    }
}

#[test]
fn a_key_in_two_reads_stops_no_turn() {
    let mut typed = Typed::new(Bench::working());
    typed.read(b"half a draft");
    for keys in [&b"\x1b\r"[..], b"\x1b[D", b"\x1b\x1b[A", b"\x1b[13;2u"] {
        for byte in keys {
            typed.read(&[*byte]);
            typed.wait(20);
        }
        typed.wait(600);
    }
    assert_eq!(typed.deeds(), [""; 0]);
    assert_eq!(typed.ui.draft_text().trim_end(), "half a draft");
    typed.read(b"\x1b");
    typed.wait(24);
    assert_eq!(typed.deeds(), [""; 0]);
    typed.wait(1);
    assert_eq!(typed.deeds(), ["Session(Stop)"]);
}
