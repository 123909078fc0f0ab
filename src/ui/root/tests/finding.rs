//! Finding in the transcript.

use super::*;

/// A conversation of numbered messages, a thought and a prompt.
fn talk(blocks: usize) -> Screen {
    let mut bench = Bench::ready();
    bench.prompt("find the needle in this");
    let said: Vec<String> = (0..blocks)
        .map(|n| match n % 10 {
            3 => format!("paragraph {n} has a **needle** in it"),
            _ => format!("paragraph {n} is hay"),
        })
        .collect();
    bench.message(&said.join("\n\n"));
    let mut screen = Screen::new(bench);
    screen.draw();
    screen
}

/// The bar once the search is over: a step may take several frames where the machine is busy.
fn bar(screen: &mut Screen) -> String {
    for _ in 0..1_000 {
        let drawn = screen.draw();
        let mut lines = drawn.lines();
        let bar = lines.find(|line| line.starts_with("find ") || line.starts_with("regex "));
        let bar = bar.unwrap_or_default();
        if !bar.contains("searching") && !bar.contains("+ ") {
            return bar.to_owned();
        }
    }
    panic!("the search does not end")
}

#[test]
fn what_is_typed_is_found_at_once_and_counted() {
    let mut screen = talk(40);
    screen.press("ctrl-f");
    screen.types("needle");
    // The newest is the nearest.
    assert!(bar(&mut screen).contains("5 of 5"), "{}", bar(&mut screen));
    keep("finding", &screen.buffer().0);
    insta::assert_snapshot!("finding_80x24", screen.draw());
    assert_eq!(screen.draft(), "", "typed into the bar");
    screen.press("up");
    assert!(bar(&mut screen).contains("4 of 5"));
    screen.press("ctrl-n down");
    assert!(bar(&mut screen).contains("1 of 5"), "around the end");
}

#[test]
fn after_enter_n_goes_on_and_esc_stays() {
    let mut screen = talk(200);
    screen.press("f3");
    screen.types("paragraph 1");
    screen.press("backspace backspace");
    screen.types(" 3 ");
    assert!(bar(&mut screen).contains("1 of 1"), "{}", bar(&mut screen));
    screen.press("enter");
    assert!(screen.draw().contains("paragraph 3 has a needle"));
    screen.press("/ ctrl-u");
    screen.types("needle");
    screen.press("enter");
    let at = bar(&mut screen);
    screen.press("n n N");
    assert_ne!(bar(&mut screen), at);
    let before = screen.draw();
    screen.press("esc");
    assert_eq!(bar(&mut screen), "");
    assert!(!screen.draw().contains("paragraph 199"), "{before}");
    screen.types("next");
    assert_eq!(screen.draft(), "next", "the keys are the composer's");
}

#[test]
fn esc_goes_back_where_nothing_was_gone_to() {
    let mut screen = talk(200);
    // A spinner turns meanwhile.
    let said = |screen: &mut Screen| {
        screen
            .draw()
            .lines()
            .take(19)
            .collect::<Vec<_>>()
            .join("\n")
    };
    let before = said(&mut screen);
    screen.press("ctrl-f");
    screen.types("paragraph 13 ");
    assert!(screen.draw().contains("paragraph 13 has"));
    screen.press("esc");
    assert_eq!(said(&mut screen), before);
}

#[test]
fn a_wrong_expression_says_so_and_the_last_result_stays() {
    let mut screen = talk(40);
    screen.press("ctrl-f alt-r");
    screen.types("paragraph (3|4)3");
    let right = bar(&mut screen);
    assert!(
        right.contains("1 of 1") && right.starts_with("regex"),
        "{right}"
    );
    screen.types("(");
    assert!(bar(&mut screen).contains("unclosed group"));
    assert!(screen.draw().contains("paragraph 33"));
    screen.press("backspace ctrl-u");
    screen.types("no such thing");
    assert!(bar(&mut screen).contains("no match"));
}

#[test]
fn a_paste_into_the_bar_is_one_bounded_line_and_nothing_of_it_is_drafted() {
    use crate::ui::find::MAX_PATTERN;
    let mut screen = talk(40);
    screen.press("ctrl-f");
    screen.ui.handle(
        &[Input::Paste("paragraph 3\r\nis hay\n".into())],
        &screen.bench.context(),
    );
    assert!(bar(&mut screen).contains("paragraph 3 is hay"));
    for len in [MAX_PATTERN - 20, MAX_PATTERN, MAX_PATTERN + 1, 100_000] {
        screen.press("ctrl-u");
        screen
            .ui
            .handle(&[Input::Paste("é".repeat(len))], &screen.bench.context());
        assert!(bar(&mut screen).contains("no match"), "{len}");
    }
    assert_eq!(screen.draft(), "");
}

#[test]
fn what_streams_in_is_found_too() {
    let mut screen = talk(20);
    screen.press("ctrl-f");
    screen.types("straw");
    assert!(bar(&mut screen).contains("no match"));
    screen.bench.message("\n\nand here comes straw");
    for _ in 0..20 {
        screen.bench.wait(200);
        let drawn = screen.draw();
        assert!(!drawn.contains("searching"), "it would flicker: {drawn}");
    }
    assert!(bar(&mut screen).contains("1 of 1"), "{}", screen.draw());
}
