//! Whatever comes up while somebody types: no key of that is taken for an answer.

use proptest::prelude::*;

use super::{
    sign_in::{named_by_the_agent, sign_in},
    *,
};
use crate::{
    model::{ElicitationMode, Field, FieldKind, Form, FsWrite, HostRequest, TextField},
    ui::TrustQuestion,
};

/// A screen, and what comes up on it.
type Case = (Screen, Box<dyn FnOnce(&mut Screen)>);

fn working(comes_up: impl FnOnce(&mut Screen) + 'static) -> Case {
    (Screen::new(Bench::working()), Box::new(comes_up))
}

/// A dialog, and how it comes about.
type Named = (&'static str, fn() -> Case);

/// Every dialog that comes up without a key of the person's.
fn dialogs() -> Vec<Named> {
    vec![
        ("permission", || {
            working(|screen| screen.bench.asks_to_run("rm -rf /"))
        }),
        ("file", || {
            working(|screen| {
                let write = HostRequest::WriteTextFile(FsWrite {
                    session: Bench::session_id(),
                    path: "/etc/passwd".into(),
                    content: "x".into(),
                });
                screen.bench.asks_outside(write, "/etc/passwd", true);
            })
        }),
        ("command", || {
            working(|screen| {
                let create = crate::model::TerminalCreate {
                    session: Bench::session_id(),
                    command: "make".into(),
                    args: Vec::new(),
                    env: Vec::new(),
                    cwd: None,
                    output_byte_limit: None,
                };
                screen.bench.asks_for_command(create);
            })
        }),
        ("page", || {
            working(|screen| screen.bench.asks_for_page("https://example.com/"))
        }),
        ("form", || {
            working(|screen| {
                let fields = vec![Field {
                    key: "note".into(),
                    title: None,
                    description: None,
                    required: false,
                    kind: FieldKind::Text(TextField::default()),
                }];
                let form = Form {
                    fields,
                    ..Form::default()
                };
                screen.bench.elicits("Where?", ElicitationMode::Form(form));
            })
        }),
        ("empty form", || {
            working(|screen| {
                let mode = ElicitationMode::Form(Form::default());
                screen.bench.elicits("Go on?", mode);
            })
        }),
        ("trust", || {
            (
                Screen::new(Bench::starting()),
                Box::new(|screen| {
                    screen.ui.set_trust_question(TrustQuestion {
                        path: "/p/.acp-tui.toml".into(),
                        content: "default_agent = \"x\"".into(),
                        display: false,
                    });
                }),
            )
        }),
        ("agents", || {
            (
                Screen::new(Bench::starting()),
                Box::new(|screen| screen.ui.show_agent_picker()),
            )
        }),
        ("worktree", || {
            working(|screen| {
                let (of, stands) = (worktrees::worktree(), worktrees::stands(1, 1, &[]));
                let key = crate::model::SessionKey::default();
                screen.ui.ask_worktree_end(key, of, stands);
            })
        }),
        ("sign-in", || (sign_in(), Box::new(|_| {}))),
        ("program to sign in", || {
            let mut screen = named_by_the_agent("/bin/theirs");
            screen.settle();
            screen.press("enter");
            (screen, Box::new(|_| {}))
        }),
    ]
}

/// Nothing that starts, answers, sends or opens anything.
fn is_harmless(command: &UiCommand) -> bool {
    matches!(
        command,
        UiCommand::ListFiles | UiCommand::LookAt(_) | UiCommand::TerminalView { .. }
    )
}

/// Types `keys`, the first `before` of them ahead of the dialog; each that many ms behind the last.
fn type_over(case: Case, keys: &[(char, u64)], before: usize) -> Result<(), TestCaseError> {
    let (mut screen, comes_up) = case;
    let mut comes_up = Some(comes_up);
    let mut typed = String::new();
    for (n, (c, gap)) in keys.iter().enumerate() {
        if n == before
            && let Some(comes_up) = comes_up.take()
        {
            comes_up(&mut screen);
            screen.draw();
        }
        screen.bench.wait(*gap);
        // Sent as a prompt before there is a question: another matter.
        let enter = *c == '\n' && n >= before;
        let name = match c {
            '\n' if !enter => continue,
            '\n' => "enter".to_owned(),
            ' ' => "space".to_owned(),
            c => c.to_string(),
        };
        if !enter {
            typed.push(*c);
        }
        let commands = screen.press(&name);
        prop_assert!(commands.iter().all(is_harmless), "{name}: {commands:?}");
        prop_assert_eq!(screen.draft(), typed.clone());
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn what_is_being_typed_answers_no_dialog_and_is_not_lost(
        keys in prop::collection::vec(
            (prop_oneof![
                4 => prop::char::range('a', 'z'),
                2 => prop::sample::select(vec!['y', 'a', 'n', 'N', 'd', 'e', '1', '2', ' ']),
                1 => Just('\n'),
            ], 5_u64..=80),
            1..25,
        ),
        before in 0_usize..6,
    ) {
        for (name, case) in dialogs() {
            let result = type_over(case(), &keys, before);
            prop_assert!(result.is_ok(), "{}: {:?}", name, result);
        }
    }
}

#[test]
fn the_same_sentence_at_every_pace() {
    for (name, case) in dialogs() {
        for gap in [5, 20, 50, 80, 399] {
            for before in [0, 1, 4] {
                let keys: Vec<(char, u64)> = "you should fix 1 thing\n\n"
                    .chars()
                    .map(|c| (c, gap))
                    .collect();
                let result = type_over(case(), &keys, before);
                assert!(result.is_ok(), "{name}, {gap} ms: {result:?}");
            }
        }
    }
}

#[test]
fn a_list_takes_keys_once_it_could_be_seen() {
    let mut screen = Screen::new(Bench::starting());
    screen.ui.show_agent_picker();
    screen.types("op");
    assert_eq!(screen.draft(), "op");
    screen.bench.wait(400);
    screen.types("open");
    assert_eq!(screen.draft(), "op");
    let commands = screen.press("enter");
    assert!(matches!(commands.as_slice(), [UiCommand::ChooseAgent(id)] if id == "opencode"));
}
