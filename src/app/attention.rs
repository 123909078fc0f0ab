//! Bell and notification, as bytes for the terminal, in the form that it takes.

use crate::{
    config::UiConfig,
    session::Attention,
    text::{SafeText, first_bytes},
};

/// Bytes of the agent's name in a notification.
const NAME_BYTES: usize = 100;

/// Whether the person looks at this terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Focus {
    /// The terminal does not tell.
    #[default]
    Unknown,
    Here,
    Elsewhere,
}

/// How the terminal takes a notification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// One text.
    Osc9,
    /// Title and text.
    Osc777,
    /// Of kitty.
    Osc99,
    /// OSC 9 for the terminal around tmux, which passes it on if it is allowed to. It tells of focus only
    /// where the person has turned that on, so a bell comes with it: that marks the window.
    Tmux,
}

impl Form {
    /// By the environment.
    pub fn detect() -> Self {
        Self::of(|name| std::env::var(name).ok())
    }

    fn of(var: impl Fn(&str) -> Option<String>) -> Self {
        let set = |name: &str| var(name).is_some_and(|value| !value.is_empty());
        let term = var("TERM").unwrap_or_default();
        if set("TMUX") {
            Self::Tmux
        } else if set("KITTY_WINDOW_ID") || term == "xterm-kitty" {
            Self::Osc99
        } else if set("VTE_VERSION") || term.starts_with("foot") || term.starts_with("rxvt") {
            Self::Osc777
        } else {
            Self::Osc9
        }
    }

    /// The sequence. In OSC 9 our own name comes first: terminals take `9;4;…`, `9;9;…` for orders. A
    /// semicolon would end the title of OSC 777, which is ours alone.
    fn sequence(self, text: &SafeText) -> String {
        match self {
            Self::Osc9 => format!("\x1b]9;acp-tui: {text}\x1b\\"),
            Self::Osc777 => format!("\x1b]777;notify;acp-tui;{text}\x1b\\"),
            Self::Osc99 => format!("\x1b]99;;acp-tui: {text}\x1b\\"),
            Self::Tmux => format!("\x1bPtmux;\x1b\x1b]9;acp-tui: {text}\x07\x1b\\"),
        }
    }
}

/// What a notification says, if there is to be one.
pub fn note(attention: Attention, focus: Focus, ui: &UiConfig, agent: &str) -> Option<SafeText> {
    if !ui.notifications || focus == Focus::Here {
        return None;
    }
    let what = match attention {
        Attention::PermissionWaiting => "waits for your answer",
        Attention::TurnDone => "has finished",
        Attention::AgentFailed => "has failed",
    };
    let agent = SafeText::line(first_bytes(agent, NAME_BYTES));
    Some(SafeText::line(&format!("{agent} {what}")))
}

/// What to send. A waiting question always rings: it goes through tmux and ssh; a finished turn
/// only tells somebody who looks elsewhere, or may.
pub fn bytes(
    attention: Attention,
    focus: Focus,
    ui: &UiConfig,
    agent: &str,
    form: Form,
) -> Vec<u8> {
    let mut out = Vec::new();
    let waits = attention == Attention::PermissionWaiting;
    let away = match focus {
        Focus::Elsewhere => true,
        Focus::Unknown => form == Form::Tmux,
        Focus::Here => false,
    };
    if ui.bell && (waits || away) {
        out.push(b'\x07');
    }
    if let Some(text) = note(attention, focus, ui, agent) {
        // SafeText has no control character that could end it early.
        out.extend_from_slice(form.sequence(&text).as_bytes());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_rings_even_when_focused_a_finished_turn_does_not() {
        let ui = UiConfig::default();

        let sent = |attention, focus| bytes(attention, focus, &ui, "Fake", Form::Osc9);
        assert_eq!(sent(Attention::PermissionWaiting, Focus::Here), b"\x07");
        assert_eq!(sent(Attention::TurnDone, Focus::Here), b"");
        assert_eq!(
            sent(Attention::TurnDone, Focus::Elsewhere),
            b"\x07\x1b]9;acp-tui: Fake has finished\x1b\\"
        );
        assert_eq!(
            sent(Attention::TurnDone, Focus::Unknown),
            b"\x1b]9;acp-tui: Fake has finished\x1b\\"
        );
    }

    #[test]
    fn each_terminal_gets_the_form_that_it_takes() {
        let of = |set: &'static [(&str, &str)]| {
            Form::of(|name| {
                let found = set.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| (*value).to_owned())
            })
        };
        assert_eq!(of(&[("TERM", "xterm-kitty")]), Form::Osc99);
        assert_eq!(of(&[("TERM", "foot")]), Form::Osc777);
        assert_eq!(of(&[("VTE_VERSION", "7900")]), Form::Osc777);
        assert_eq!(of(&[("TERM", "xterm-256color")]), Form::Osc9);
        let inside = [("TERM", "xterm-kitty"), ("TMUX", "/tmp/tmux")];
        assert_eq!(
            Form::of(|name| {
                let found = inside.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| (*value).to_owned())
            }),
            Form::Tmux
        );
    }

    #[test]
    fn in_tmux_that_tells_no_focus_the_bell_marks_the_window() {
        let ui = UiConfig::default();
        let sent = |focus| bytes(Attention::TurnDone, focus, &ui, "Fake", Form::Tmux);
        let passed = "\x1bPtmux;\x1b\x1b]9;acp-tui: Fake has finished\x07\x1b\\";
        assert_eq!(sent(Focus::Unknown), format!("\x07{passed}").as_bytes());
        assert_eq!(sent(Focus::Here), b"");
    }

    #[test]
    fn a_name_is_no_order_to_the_terminal() {
        let (ui, name) = (UiConfig::default(), "4;1;50\x07\x1b]0;x");
        let sent = bytes(Attention::TurnDone, Focus::Unknown, &ui, name, Form::Osc9);
        assert_eq!(
            String::from_utf8_lossy(&sent),
            "\x1b]9;acp-tui: 4;1;50␇␛]0;x has finished\x1b\\"
        );
        let long = bytes(
            Attention::TurnDone,
            Focus::Unknown,
            &ui,
            &name.repeat(9_999),
            Form::Osc9,
        );
        assert!(long.len() < 1_000);
    }
}
