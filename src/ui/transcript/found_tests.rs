//! Matches of find: where they are, how they are shown.

use std::{sync::Arc, time::Duration};

use proptest::prelude::*;
use ratatui::{buffer::Buffer, layout::Rect, style::Modifier};

use super::{samples::*, *};
use crate::ui::{
    find::{Corpus, Cuts, MAX_PLACES, Pattern, Place, Search},
    render::{
        markdown::Splitter,
        testing::{Stage, screen},
    },
};

fn pattern(text: &str) -> Arc<Pattern> {
    Arc::new(
        Pattern::new(text, false)
            .expect("words")
            .expect("not empty"),
    )
}

struct Nobody;

impl Cuts for Nobody {
    fn cut(&self, _: &Block) -> Option<&Splitter> {
        None
    }
}

/// All matches, from a block on.
fn places(world: &World, text: &str, center: usize) -> Vec<Place> {
    places_with(world, &Nobody, text, center)
}

/// The same with the help of what has cut texts already.
fn places_with(world: &World, cuts: &dyn Cuts, text: &str, center: usize) -> Vec<Place> {
    let source = world.source();
    let corpus = Corpus {
        source: &source,
        offload: &world.stage.offload,
        now: world.stage.now,
        cuts,
    };
    let mut search = Search::new(pattern(text), center, &corpus);
    while !search.is_done() {
        search.step(&corpus, world.stage.now);
    }
    search.places().to_vec()
}

fn show(world: &World, view: &mut TranscriptView, text: &str, nth: usize) -> (String, String) {
    let all = places(world, text, 0);
    let place = all[nth];
    let of = all
        .iter()
        .filter(|other| (other.block, other.segment) == (place.block, place.segment))
        .count();
    let before = all[..nth].iter();
    let in_line = before.filter(|other| {
        (other.block, other.segment, other.line) == (place.block, place.segment, place.line)
    });
    let in_line = in_line.count();
    let found = Found {
        pattern: pattern(text),
        current: Some(Current { place, of, in_line }),
    };
    world.sync(view, 80, 24);
    view.set_found(Some(found), true);
    world.sync(view, 80, 24);
    let mut buf = Buffer::empty(Rect::new(0, 0, 80, 24));
    view.draw(buf.area, &mut buf, &world.stage.ctx(80));
    let current = marked(&buf, world.stage.theme.clone());
    (screen(&buf), current)
}

/// What is drawn as the current match.
fn marked(buf: &Buffer, theme: crate::ui::theme::Theme) -> String {
    let style = found::mark_style(&theme, true);
    let bold = |cell: &ratatui::buffer::Cell| {
        cell.modifier.contains(Modifier::BOLD) && cell.fg == style.fg.unwrap_or_default()
    };
    buf.content
        .iter()
        .filter(|cell| bold(cell))
        .map(|cell| cell.symbol())
        .collect()
}

#[test]
fn a_folded_block_unfolds_for_its_match_and_folds_again() {
    let mut world = World::new(Stage::dark());
    for n in 0..30 {
        world
            .transcript
            .push_for_test(agent(&format!("words {n}"), true));
    }
    let now = world.stage.now;
    let took = Some(Duration::from_secs(1));
    world.transcript.push_for_test(thought(
        "first\n\nI wonder about the needle\n\nlast",
        now,
        took,
    ));
    for n in 0..30 {
        world
            .transcript
            .push_for_test(agent(&format!("more words {n}"), true));
    }
    let mut view = TranscriptView::default();
    let (drawn, current) = show(&world, &mut view, "needle", 0);
    assert!(drawn.contains("I wonder about the needle"), "{drawn}");
    assert_eq!(current, "needle");
    let (drawn, _) = show(&world, &mut view, "words 29", 0);
    assert!(drawn.contains("words 29"));
    let (drawn, _) = show(&world, &mut view, "words 28", 0);
    assert!(!drawn.contains("I wonder"), "{drawn}");
}

#[test]
fn matches_are_marked_where_they_are_below_a_prompt_that_stays() {
    let mut world = World::new(Stage::dark());
    world.transcript.push_for_test(user("the question"));
    for n in 0..60 {
        world
            .transcript
            .push_for_test(agent(&format!("words {n}"), true));
    }
    let mut view = TranscriptView::default();
    let (drawn, current) = show(&world, &mut view, "words 20", 0);
    assert!(drawn.contains("the question"), "{drawn}");
    assert_eq!(current, "words 20", "{drawn}");
}

#[test]
fn a_match_over_the_end_of_a_row_is_marked_on_both() {
    let mut world = World::new(Stage::dark());
    let long = "word ".repeat(14);
    world
        .transcript
        .push_for_test(agent(&format!("{long}the long needle here\n\nend"), true));
    for width in 40..80 {
        let mut view = TranscriptView::default();
        let all = places(&world, "long needle here", 0);
        assert_eq!(all.len(), 1);
        world.sync(&mut view, width, 24);
        let current = Some(Current {
            place: all[0],
            of: 1,
            in_line: 0,
        });
        let pattern = pattern("long needle here");
        view.set_found(Some(Found { pattern, current }), true);
        world.sync(&mut view, width, 24);
        let mut buf = Buffer::empty(Rect::new(0, 0, width, 24));
        view.draw(buf.area, &mut buf, &world.stage.ctx(width));
        let current = marked(&buf, world.stage.theme.clone());
        let letters: String = current.split_whitespace().collect();
        assert_eq!(letters, "longneedlehere", "{width}");
    }
}

/// Rows of text with the word in a row far behind those that are laid out, twice, and in the first.
fn long(at: usize) -> String {
    let row = |n: usize| match n {
        0 => "a needle at once\n".to_owned(),
        n if n == at => format!("row {n}: needle, needle\n"),
        n => format!("row {n}\n"),
    };
    (0..5_000).map(row).collect()
}

#[test]
fn a_match_behind_the_rows_that_are_laid_out_is_gone_to_by_its_line() {
    use crate::model::ToolKind;
    let with = |world: &mut World, kind, piece| {
        let mut call = call(kind, "call", world.stage.now);
        call.content = vec![piece];
        world.transcript.push_for_test(tool(call));
    };
    type Make<'a> = (&'a str, &'a dyn Fn(&mut World, &str));
    let makes: [Make<'_>; 6] = [
        ("read", &|world, text| {
            with(world, ToolKind::Read, text_piece(text));
        }),
        ("run", &|world, text| {
            with(world, ToolKind::Execute, text_piece(text));
        }),
        ("diff", &|world, text| {
            let old = text.replace("row", "before");
            with(world, ToolKind::Edit, diff_piece("a.txt", Some(&old), text));
        }),
        ("new", &|world, text| {
            with(world, ToolKind::Edit, diff_piece("a.txt", None, text));
        }),
        ("user", &|world, text| {
            world.transcript.push_for_test(user(text));
        }),
        ("terminal", &|world, text| {
            world.terminal("t", "cat", &text.replace('\n', "\r\n"), Some(0));
            let piece = crate::model::ToolContent::Terminal(crate::model::TerminalId::new("t"));
            with(world, ToolKind::Execute, piece);
        }),
    ];
    for (what, make) in makes {
        for at in [1_500, 2_500, 4_900] {
            let mut world = World::new(Stage::dark());
            make(&mut world, &long(at));
            world.transcript.push_for_test(agent("the end", true));
            let mut view = TranscriptView::default();
            let all = places(&world, "needle", 0).len();
            for back in [2, 1] {
                let (drawn, current) = show(&world, &mut view, "needle", all - back);
                let row = format!("row {at}: needle, needle");
                assert!(drawn.contains(&row), "{what} {at}\n{drawn}");
                assert_eq!(current, "needle", "{what} {at}\n{drawn}");
                let above = format!("row {}", at - 1);
                assert!(drawn.contains(&above), "{what} {at}\n{drawn}");
            }
            // And back to what is among the first rows.
            let (drawn, current) = show(&world, &mut view, "needle", 0);
            assert!(drawn.contains("a needle at once"), "{what}\n{drawn}");
            assert_eq!(current, "needle", "{what} {at}\n{drawn}");
        }
    }
}

#[test]
fn of_a_long_line_the_row_where_it_begins_is_gone_to() {
    let mut world = World::new(Stage::dark());
    let text = format!("{}\n{} needle\nend", long(1), "word ".repeat(2_000));
    world.transcript.push_for_test(user(&text));
    let all = places(&world, "needle", 0).len();
    let (drawn, _) = show(&world, &mut TranscriptView::default(), "needle", all - 1);
    assert!(drawn.contains("row 4999"), "{drawn}");
}

#[test]
fn a_long_text_is_searched_in_pieces() {
    use crate::session::NoticeLevel;
    const PIECE: usize = 64 << 10;
    let text = "some words\n".repeat(200_000);
    let makes = [
        user(&text),
        notice(NoticeLevel::Info, "an error", Some(&text)),
    ];
    for block in makes {
        let mut world = World::new(Stage::dark());
        world.transcript.push_for_test(block);
        let source = world.source();
        let corpus = Corpus {
            source: &source,
            offload: &world.stage.offload,
            now: world.stage.now,
            cuts: &Nobody,
        };
        for needle in ["words", "nothing of it"] {
            let mut search = Search::new(pattern(needle), 0, &corpus);
            let mut steps = 0;
            while !search.is_done() {
                search.step(&corpus, world.stage.now);
                steps += 1;
            }
            let all = text.len().min(MAX_PLACES * "some words\n".len());
            let all = if needle == "words" { all } else { text.len() };
            assert!(steps >= all / (2 * PIECE), "{needle}: {steps}");
        }
    }
}

#[test]
fn a_search_finds_the_same_in_texts_that_the_view_has_cut() {
    let mut world = World::new(Stage::dark());
    let mut view = TranscriptView::default();
    world.sync(&mut view, 80, 24);
    let fill = "a line of words\n".repeat(10_000);
    for (n, done) in [(0, true), (1, true), (2, false)] {
        let text = format!(
            "{fill}\n- nee**dle** {n}\n- one needle\n\n```rust\nneedle = 1;\n```\n{fill}\nThe needle"
        );
        world.transcript.push_for_test(agent(&text, done));
    }
    world.sync(&mut view, 80, 24);
    for block in world.transcript.blocks() {
        assert!(view.cut(block).is_some(), "all of it is cut");
    }
    for needle in ["needle", "words", "Needle", "dle 1"] {
        let found = places_with(&world, &view, needle, 1);
        assert_eq!(found, places(&world, needle, 1), "{needle}");
    }
}

#[test]
fn matches_are_bounded() {
    for count in [MAX_PLACES - 1, MAX_PLACES, MAX_PLACES + 1] {
        let mut world = World::new(Stage::dark());
        let half = count / 2;
        for n in [half, count - half] {
            world.transcript.push_for_test(agent(&"x ".repeat(n), true));
        }
        assert_eq!(places(&world, "x", 0).len(), count.min(MAX_PLACES));
    }
}

proptest! {
    #[test]
    fn matches_are_where_a_naive_search_finds_them(
        texts in proptest::collection::vec("[abn \n]{0,40}", 1..12),
        center in 0..12_usize,
        needle in "[abn]{1,2}",
    ) {
        let mut world = World::new(Stage::dark());
        let mut naive = Vec::new();
        for text in &texts {
            world.transcript.push_for_test(user(text));
            let id = world.transcript.blocks().last().expect("pushed").id;
            let lines = text.split('\n').enumerate();
            naive.extend(lines.flat_map(|(line, text)| {
                text.match_indices(&needle).map(move |_| (id, line as u32))
            }));
        }
        let found: Vec<_> = places(&world, &needle, center)
            .iter()
            .map(|place| (place.block, place.line))
            .collect();
        prop_assert_eq!(found, naive);
    }
}
