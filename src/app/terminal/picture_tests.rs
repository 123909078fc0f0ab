use std::sync::Arc;

use ratatui::{layout::Size, text::Line};

use super::*;
use crate::picture::Strip;

fn drawn(key: u64, sent: Sent) -> Arc<Drawn> {
    let half = Half {
        symbol: ' ',
        upper: None,
        lower: Some(Color::Rgb(200, 0, 0)),
    };
    Arc::new(Drawn {
        key,
        size: Size::new(4, 2),
        animated: false,
        halves: vec![half; 8],
        sent: Some(sent),
    })
}

/// A transmission in `pieces` sequences.
fn kitty(key: u64, pieces: usize) -> Arc<Drawn> {
    let first = "\x1b_Gq=2,i=1,a=T,U=1,f=32,t=d,s=40,v=40,m=1;";
    let data = "A".repeat(4_000);
    let more = format!("\x1b_Gq=2,m=1;{data}\x1b\\").repeat(pieces - 1);
    drawn(key, Sent::Kitty(format!("{first}{data}\x1b\\{more}")))
}

/// Draws it at (2, 1) as the UI does, `over` on top, and places it.
fn frame(pictures: &mut Pictures, drawn: &Arc<Drawn>, over: &str) -> Buffer {
    let mut buf = Buffer::empty(Rect::new(0, 0, 8, 4));
    let mut placed = Vec::new();
    for row in 0..drawn.size.height {
        for (x, half) in (2..).zip(drawn.row(row)) {
            buf[(x, 1 + row)]
                .set_char(half.symbol)
                .set_style(half.style());
        }
        placed.push(PlacedPicture {
            area: Rect::new(2, 1 + row, drawn.size.width, 1),
            strip: Strip {
                drawn: drawn.clone(),
                row,
                column: 2,
            },
        });
    }
    buf.set_line(0, 2, &Line::from(over), 8);
    pictures.place(&placed, &mut buf);
    buf
}

fn is_placed(buf: &Buffer, x: u16, y: u16) -> bool {
    buf[(x, y)].symbol().starts_with(PLACEHOLDER)
}

#[test]
fn an_image_is_sent_once_in_pieces_and_placed_when_all_of_it_is_there() {
    let mut pictures = Pictures::new(false);
    let image = kitty(7, 10);
    let mut sent = Vec::new();
    let mut frames = 0;
    loop {
        let buf = frame(&mut pictures, &image, "");
        if is_placed(&buf, 2, 1) {
            assert!(is_placed(&buf, 5, 2) && !is_placed(&buf, 6, 2) && !is_placed(&buf, 2, 3));
            assert_ne!(buf[(2, 1)].symbol(), buf[(3, 1)].symbol());
            assert!(matches!(buf[(2, 1)].fg, Color::Indexed(16..)));
            break;
        }
        let piece = pictures.take();
        assert!(piece.len() <= PIECE + 5_000, "{}", piece.len());
        assert!(piece.starts_with(b"\x1b_G") && piece.ends_with(b"\x1b\\"));
        sent.extend(piece);
        frames += 1;
        assert!(pictures.wants_frame());
    }
    assert_eq!(frames, 2);
    let sent = String::from_utf8(sent).expect("text");
    assert_eq!(sent.matches("\x1b_G").count(), 10);
    assert!(sent.contains(",a=T,U=1,c=4,r=2,f=32"));
    assert!(!pictures.wants_frame() && pictures.take().is_empty());
    let again = frame(&mut pictures, &image, "");
    assert!(
        is_placed(&again, 2, 1) && pictures.take().is_empty(),
        "it is sent once"
    );
    assert!(give_back().starts_with(b"\x1b_Ga=d,d=I,i="));
}

#[test]
fn what_is_drawn_over_an_image_stays() {
    let mut pictures = Pictures::new(false);
    let image = kitty(7, 1);
    frame(&mut pictures, &image, "");
    pictures.take();
    let buf = frame(&mut pictures, &image, "dia");
    assert_eq!(buf[(2, 2)].symbol(), "a");
    assert!(is_placed(&buf, 3, 2) && is_placed(&buf, 2, 1));
}

#[test]
fn an_image_that_was_not_seen_for_long_makes_room() {
    let mut pictures = Pictures::new(false);
    for key in 0..300 {
        frame(&mut pictures, &kitty(key, 1), "");
        let sent = String::from_utf8(pictures.take()).expect("text");
        assert_eq!(sent.contains("a=d,d=I"), key >= 240, "{key}");
    }
    assert_eq!(pictures.held.len(), 240);
    pictures.forget();
    assert!(!pictures.wants_frame());
}

#[test]
fn an_image_that_is_drawn_where_it_stands_is_so_where_all_of_it_shows() {
    let mut pictures = Pictures::new(false);
    let image = drawn(7, Sent::Inline("\x1bPq#0~\x1b\\".into()));
    let whole = frame(&mut pictures, &image, "");
    assert!(whole[(2, 1)].symbol().starts_with("\x1bPq"));
    assert!(matches!(whole[(3, 1)].diff_option, CellDiffOption::Skip));
    let covered = frame(&mut pictures, &image, "dialog");
    assert_eq!(covered[(2, 1)].symbol(), " ");
    // What was in its place is sent anew.
    let changed: Vec<_> = whole.diff_iter(&covered).map(|(x, y, _)| (x, y)).collect();
    assert!(changed.contains(&(2, 1)) && changed.contains(&(5, 1)));
}

#[test]
fn through_tmux_each_sequence_is_wrapped() {
    assert_eq!(
        passed(b"\x1b_Gx\x1b\\", true),
        b"\x1bPtmux;\x1b\x1b_Gx\x1b\x1b\\\x1b\\"
    );
    assert_eq!(passed(b"\x1b_Gx\x1b\\", false), b"\x1b_Gx\x1b\\");
}
