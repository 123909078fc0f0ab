//! Images in the transcript.

use base64::{Engine, engine::general_purpose::STANDARD};
use image::{Rgb, RgbImage};
use serde_json::{Value, json};

use crate::{client, on_prompt, ready, wait_ready};

fn red() -> String {
    let image = RgbImage::from_pixel(80, 80, Rgb([200, 0, 0]));
    let mut png = std::io::Cursor::new(Vec::new());
    image
        .write_to(&mut png, image::ImageFormat::Png)
        .expect("memory takes it");
    STANDARD.encode(png.into_inner())
}

fn sent(mime: &str, data: &str) -> Value {
    let image = json!({"type": "image", "mimeType": mime, "data": data});
    on_prompt(json!([
        {"update": {"sessionUpdate": "agent_message_chunk", "content": image}},
        {"text": "There it is."},
    ]))
}

#[test]
fn by_kittys_protocol_an_image_is_sent_once_and_deleted_at_the_end() {
    let mut tui = client(sent("image/png", &red()))
        .env("COLORTERM", "truecolor")
        .start();
    wait_ready(&tui);
    assert!(tui.wrote("\u{1b}_Gi=31,"), "it is asked");
    tui.send(b"\x1b_Gi=31;OK\x1b\\\x1b[6;20;10t");
    tui.keys("go<enter>");
    tui.wait_for("There it is.");
    tui.wait_for("\u{10EEEE}");
    tui.settle(std::time::Duration::from_millis(200));
    let sent = tui.raw_since(0);
    let sent = String::from_utf8_lossy(&sent);
    assert_eq!(sent.matches("a=T,U=1,c=8,r=4,").count(), 1);
    wait_ready(&tui);
    tui.signal(rustix::process::Signal::TERM);
    tui.wait_exit();
    assert!(tui.wrote("\u{1b}_Ga=d,d=I,i="));
}

#[test]
fn a_terminal_that_answers_nothing_gets_blocks_and_o_shows_the_image() {
    let tui = client(sent("image/png", &red()))
        .env("COLORTERM", "truecolor")
        .start();
    wait_ready(&tui);
    tui.keys("go<enter>");
    tui.wait_for("There it is.");
    tui.wait_for("[image · image/png");
    tui.wait("the image in blocks", |tui| {
        tui.wrote("48;2;200;0;0").then_some(())
    });
    wait_ready(&tui);
    tui.keys("<tab>k");
    tui.keys("o");
    tui.wait_gone("There it is.");
    tui.keys("q");
    tui.wait_for("There it is.");
}

#[test]
fn a_broken_image_is_a_line_that_says_so() {
    let tui = ready(sent("image/png", &red()[..120]));
    tui.keys("go<enter>");
    tui.wait_for("cannot be decoded]");
    tui.wait_for("There it is.");
}
