//! Keys typed, and the times until they are seen.

use std::time::{Duration, Instant};

use crate::support::pty::Tui;

/// Times from a key to its echo.
pub struct Echoes {
    pub milliseconds: Vec<f64>,
    pub lost: usize,
}

impl Echoes {
    pub fn table(&self) -> String {
        let lost = if self.lost > 0 {
            format!(", {} lost", self.lost)
        } else {
            String::new()
        };
        format!("{:.1}, {:.1} ms{lost}", self.at(0.5), self.at(0.95))
    }

    pub fn p95(&self) -> String {
        format!("{:.1} ms (max {:.1})", self.at(0.95), self.at(1.0))
    }

    fn at(&self, part: f64) -> f64 {
        let mut sorted = self.milliseconds.clone();
        sorted.sort_by(f64::total_cmp);
        let last = sorted.len().saturating_sub(1);
        sorted
            .get((last as f64 * part).round() as usize)
            .copied()
            .unwrap_or(f64::NAN)
    }
}

/// Types letters that no scripted text holds, `pause` apart, until `over`.
pub fn echoes(tui: &Tui, pause: Duration, over: impl Fn() -> bool) -> Echoes {
    let mut echoes = Echoes {
        milliseconds: Vec::new(),
        lost: 0,
    };
    for letter in b"QXZJVKBGU".iter().copied().cycle() {
        if over() {
            break;
        }
        let from = tui.raw_len();
        let typed = Instant::now();
        tui.send(&[letter]);
        loop {
            if holds(&tui.raw_since(from), &[letter]) {
                echoes
                    .milliseconds
                    .push(typed.elapsed().as_secs_f64() * 1e3);
                break;
            }
            if typed.elapsed() > Duration::from_secs(3) {
                echoes.lost += 1;
                break;
            }
            std::thread::sleep(Duration::from_micros(200));
        }
        std::thread::sleep(pause);
    }
    echoes
}

/// Whether output holds `needle` outside of escape sequences, whose letters are capitals too.
pub fn holds(output: &[u8], needle: &[u8]) -> bool {
    let mut text = Vec::with_capacity(output.len());
    let mut bytes = output.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        if byte != 0x1b {
            text.push(byte);
        } else if bytes.next_if_eq(&b'[').is_some() {
            while bytes
                .next_if(|byte| !(0x40..=0x7e).contains(byte))
                .is_some()
            {}
            bytes.next();
        } else if bytes.next_if_eq(&b'_').is_some() {
            // A piece of an image: it ends in ESC \.
            while bytes.next_if(|byte| *byte != 0x1b).is_some() {}
            bytes.next();
            bytes.next();
        }
    }
    text.windows(needle.len()).any(|window| window == needle)
}
