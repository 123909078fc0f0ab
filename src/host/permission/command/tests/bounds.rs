//! At each bound of what is looked into, a denied command is found or the line is told to be unclear.

use super::*;

/// Found, or a doubt: each keeps the line from running unasked.
fn is_held(line: &str) -> bool {
    let rule = rule_words("rm");
    let possible = possible(line);
    let found = |commands: &[Vec<String>]| commands.iter().any(|command| may_be(command, &rule));
    found(&possible.commands) || found(&possible.perhaps) || possible.unclear
}

/// The same of a text that need not be for a shell, where prose is no doubt.
fn is_held_in_text(line: &str) -> bool {
    let rule = rule_words("rm");
    let runs = possible_of_texts(std::iter::once(line));
    runs.is_none_or(|runs| runs.iter().any(|command| may_be(command, &rule)))
}

#[test]
fn prose_holds_no_denied_command() {
    for text in [
        "don't rm it",
        "a \"quote",
        "see $(x",
        "use `rm-like` things",
    ] {
        assert!(!is_held_in_text(text), "{text}");
    }
    let texts = |n: usize| possible_of_texts(std::iter::repeat_n("0123456789abcdef", n)).is_some();
    assert!(texts(MAX_BYTES / 16));
    assert!(!texts(MAX_BYTES / 16 + 1));
}

#[test]
fn no_number_of_anything_hides_a_denied_command() {
    type Line = fn(usize) -> String;
    let lines: [(&str, Line, &[usize]); 14] = [
        ("commands", |n| "a; ".repeat(n) + "rm x", &[MAX_COMMANDS]),
        ("pipes", |n| "a | ".repeat(n) + "rm x", &[MAX_COMMANDS]),
        (
            "words",
            |n| "echo ".to_owned() + &"w ".repeat(n) + "; rm x",
            &[MAX_WORDS, MAX_RECORDED],
        ),
        (
            "recorded words",
            |n| "a b c d e f g h i j; ".repeat(n) + "rm x",
            &[MAX_COMMANDS, MAX_RECORDED / 10],
        ),
        (
            "wrappers",
            |n| "nice ".repeat(n) + "rm x",
            &[MAX_DEPTH, MAX_WORDS],
        ),
        (
            "outer programs",
            |n| "docker ".repeat(n) + "rm x",
            &[MAX_DEPTH, MAX_COMMANDS],
        ),
        (
            "eval",
            |n| "eval ".repeat(n) + "rm x",
            &[MAX_DEPTH, MAX_STARTS],
        ),
        (
            "substitutions",
            |n| "a $(".repeat(n) + "rm x" + &")".repeat(n),
            &[MAX_DEPTH],
        ),
        (
            "options before a line",
            |n| "watch ".to_owned() + &"-t ".repeat(n) + "rm x",
            &[MAX_STARTS],
        ),
        (
            "options before a line in quotes",
            |n| "watch ".to_owned() + &"-t ".repeat(n) + "'rm x'",
            &[MAX_STARTS],
        ),
        (
            "options with values",
            |n| "watch ".to_owned() + &"-n 1 ".repeat(n) + "rm x",
            &[MAX_STARTS / 2, MAX_STARTS],
        ),
        (
            "assignments before a line",
            |n| "env ".to_owned() + &"A=1 ".repeat(n) + "-S 'rm x'",
            &[MAX_STARTS],
        ),
        (
            "options of env",
            |n| "env ".to_owned() + &"-u A ".repeat(n) + "-S 'rm x'",
            &[MAX_STARTS / 2, MAX_STARTS],
        ),
        (
            "length",
            |n| format!("echo {}; rm x", "w".repeat(n - 11)),
            &[MAX_LINE_BYTES],
        ),
    ];
    for (what, line, bounds) in lines {
        for bound in bounds {
            for n in bound - 2..=bound + 2 {
                assert!(is_held(&line(n)), "{what}: {n}");
                assert!(is_held_in_text(&line(n)), "{what} in a text: {n}");
            }
        }
        // Far beyond, too.
        assert!(is_held(&line(3 * bounds[bounds.len() - 1])), "{what}");
    }
}

#[test]
fn what_an_allow_rule_may_take_is_bounded_at_its_edge() {
    for (length, taken) in [
        (MAX_LINE_BYTES - 1, true),
        (MAX_LINE_BYTES, true),
        (MAX_LINE_BYTES + 1, false),
    ] {
        let line = format!("cargo test {}", "w".repeat(length - 11));
        assert_eq!(allowable_words(&line).is_some(), taken, "{length}");
    }
}

#[test]
fn a_line_that_costs_too_much_is_unclear() {
    // Each `eval` reads the rest again, from each of its words on.
    let line = "eval ".repeat(16) + &"w".repeat(MAX_BYTES / 32);
    assert!(possible(&line).unclear);
}
