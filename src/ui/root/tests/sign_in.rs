//! Signing in.

use super::*;

fn method(id: &str, name: &'static str, kind: AuthMethodKind) -> AuthMethod {
    AuthMethod {
        id: id.into(),
        name: name.into(),
        description: Some("a way in".into()),
        kind,
    }
}

pub(super) fn sign_in() -> Screen {
    let mut bench = Bench::starting();
    bench.handshake(vec![
        method(
            "term",
            "Log in by hand",
            AuthMethodKind::Terminal {
                args: vec!["auth".into(), "log in".into()],
            },
        ),
        method("own", "Log in with its own program", AuthMethodKind::ByHand),
        method("oauth", "Log in with a browser", AuthMethodKind::Agent),
        method(
            "key",
            "API key",
            AuthMethodKind::EnvVar {
                vars: vec!["OPENAI_API_KEY".into()],
            },
        ),
        method(
            "q",
            "Quantum",
            AuthMethodKind::Unsupported("quantum".into()),
        ),
    ]);
    bench.wants_sign_in();
    Screen::new(bench)
}

#[test]
fn enter_signs_in_by_the_first_supported_method_c029() {
    let mut screen = sign_in();
    let picture = screen.draw();
    for text in [
        "wants you to sign in",
        "opencode auth 'log in'",
        "OPENAI_API_KEY",
        "not supported",
    ] {
        assert!(picture.contains(text), "{text}: {picture}");
    }
    let commands = screen.press("enter");
    assert!(matches!(
        &commands[..],
        [UiCommand::Session(Event::Authenticate { method })] if method == "oauth"
    ));
    screen.apply(commands);
    assert!(screen.draw().contains("signing in"));
}

#[test]
fn only_agent_methods_are_passed_to_authenticate_v1_auth_03() {
    for key in ["up enter", "down enter", "down down enter"] {
        let commands = sign_in().press(key);
        assert!(commands.is_empty(), "{key}: {commands:?}");
    }
}

#[test]
fn a_failed_sign_in_says_why() {
    let mut screen = sign_in();
    let commands = screen.press("enter");
    screen.apply(commands);
    screen.bench.says(crate::proto::FromAgent::Reply {
        caller: crate::proto::SessionKey::default(),
        call: CallTag::Authenticate {
            method: "oauth".into(),
        },
        result: CallResult::Failed(crate::proto::RpcError::new(-32603, "no browser found")),
    });
    assert!(screen.draw().contains("no browser found"));
}
