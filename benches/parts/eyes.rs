//! What hands and eyes meet: the mouse held down, and images that arrive.

use std::time::{Duration, Instant};

use base64::{Engine, engine::general_purpose::STANDARD};
use image::{Rgb, RgbImage};
use serde_json::json;

use super::{
    Echoes, cost, cpu, echoes, median, play, ready, spin_until, status, typing, wait_long,
};

/// A selection over a screen full of a long answer, whose end goes up and down; every few reports the
/// wheel turns, so that it reaches over more than a screen.
pub fn drag() -> String {
    const REPORTS: u32 = 500;
    let words = "words that fill a row of the answer ".repeat(3);
    let lines: Vec<String> = (0..200).map(|n| format!("{n} {words}")).collect();
    let tui = ready(json!([{"on": "session/prompt", "do": [
        {"text": lines.join("\n\n")}, {"text": "\n\nDONE"},
    ]}]));
    cost(&tui, "go", "DONE");
    let report = |code: u32, row: u32, column: u32, end: char| {
        tui.send(format!("\x1b[<{code};{column};{row}{end}").as_bytes());
    };
    let (before, begin) = (cpu(tui.pid()), Instant::now());
    report(0, 30, 10, 'M');
    let mut frames = Echoes {
        milliseconds: Vec::new(),
        lost: 0,
    };
    for n in 0..REPORTS {
        let (from, sent) = (tui.raw_len(), Instant::now());
        if n % 10 == 9 {
            report(64, 20, 20, 'M');
        }
        report(32, 3 + n % 30, 20 + n % 60, 'M');
        while tui.raw_len() == from && sent.elapsed() < Duration::from_millis(200) {
            std::thread::sleep(Duration::from_micros(200));
        }
        frames.milliseconds.push(sent.elapsed().as_secs_f64() * 1e3);
        std::thread::sleep(Duration::from_millis(10).saturating_sub(sent.elapsed()));
    }
    let seconds = begin.elapsed().as_secs_f64();
    let used = (cpu(tui.pid()) - before) / seconds;
    report(0, 20, 20, 'm');
    wait_long(&tui, "Copied");
    format!("{}; {used:.3} s", frames.p95())
}

/// Noise, which does not get smaller.
pub fn png() -> String {
    let mut noise = 1_u32;
    let mut byte = || {
        noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        noise.to_be_bytes()[0]
    };
    let image = RgbImage::from_fn(1_200, 1_150, |_, _| Rgb([byte(), byte(), byte()]));
    let mut png = std::io::Cursor::new(Vec::new());
    image
        .write_to(&mut png, image::ImageFormat::Png)
        .expect("memory takes it");
    let data = STANDARD.encode(png.into_inner());
    let measured = ["", "\x1b_Gi=31;OK\x1b\\\x1b_Gi=32;OK\x1b\\"].map(|answer| {
        let image = json!({"type": "image", "mimeType": "image/png", "data": data});
        let update = json!({"sessionUpdate": "agent_message_chunk", "content": image});
        let tui = ready(play(
            json!([{"sleep": 500}, {"update": update}, {"sleep": 3_000}]),
        ));
        tui.send(answer.as_bytes());
        typing(&tui).p95()
    });
    measured.join("; ")
}

/// A conversation of 1,000,000 lines, of which one in the middle holds the sign that is looked for;
/// then a pattern that nothing matches, so that every further key looks through all of it.
pub fn find() -> String {
    const MESSAGES: usize = 20;
    let mut steps = Vec::new();
    for message in 0..MESSAGES {
        let mut text: String = (0..50_000)
            .map(|n| format!("line {n} of what was said\n"))
            .collect();
        if message == MESSAGES / 2 {
            text.push_str("\nHERE it is: §\n");
        }
        // A call between two messages keeps them apart: each has its own id, or it is the first once more.
        let call = json!({
            "sessionUpdate": "tool_call", "toolCallId": format!("call-{message}"),
            "title": "a call", "kind": "read", "status": "completed",
        });
        steps.extend([json!({"text": text}), json!({"update": call})]);
    }
    let tui = ready(play(json!(steps)));
    cost(&tui, "go", "DONE");
    // Less than the text's 27 MB would say that not all of it is there.
    let held = status(tui.pid(), "VmRSS");
    let times = (0..super::RUNS).map(|_| {
        tui.keys("<c-f>");
        tui.settle(Duration::from_millis(300));
        let typed = Instant::now();
        tui.keys("§");
        spin_until(|| tui.screen().contains("HERE"));
        let time = typed.elapsed().as_secs_f64() * 1e3;
        tui.keys("<esc>");
        tui.settle(Duration::from_millis(300));
        tui.keys("<c-end>");
        tui.settle(Duration::from_millis(300));
        time
    });
    let first = median(times.collect());
    tui.keys("<c-f>");
    let end = Instant::now() + Duration::from_secs(5);
    let keys = echoes(&tui, Duration::from_millis(100), || Instant::now() > end);
    format!("{held:.0} MB; {first:.1} ms; {}", keys.p95())
}

/// A turn in which nothing happens: what the spinner and the seconds cost, and what the title does.
pub fn spinner() -> String {
    const SECONDS: usize = 10;
    let tui = ready(play(json!([{"sleep": 12_000}])));
    tui.keys("go<enter>");
    std::thread::sleep(Duration::from_millis(1_500));
    let from = tui.raw_len();
    std::thread::sleep(Duration::from_secs(SECONDS as u64));
    let written = tui.raw_since(from);
    let title = of_titles(&written);
    let rest = written.len() - title;
    format!("{}; {} bytes", rest / SECONDS, title / SECONDS)
}

/// Bytes of OSC sequences: titles and progress.
fn of_titles(written: &[u8]) -> usize {
    let (mut bytes, mut rest) = (0, written);
    while let Some(at) = rest.windows(2).position(|pair| pair == b"\x1b]") {
        rest = &rest[at..];
        let end = rest
            .iter()
            .position(|byte| *byte == 7)
            .map(|end| end + 1)
            .into_iter()
            .chain(
                rest.windows(2)
                    .position(|pair| pair == b"\x1b\\")
                    .map(|end| end + 2),
            )
            .min()
            .unwrap_or(rest.len());
        bytes += end;
        rest = &rest[end..];
    }
    bytes
}
