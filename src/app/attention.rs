//! Bell and notification, as bytes for the terminal.

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

/// What to send. A waiting question always rings: it goes through tmux and ssh; a finished turn
/// only tells somebody who looks elsewhere, or may.
pub fn bytes(attention: Attention, focus: Focus, ui: &UiConfig, agent: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let waits = attention == Attention::PermissionWaiting;
    if ui.bell && (waits || focus == Focus::Elsewhere) {
        out.push(b'\x07');
    }
    if ui.notifications && focus != Focus::Here {
        let what = match attention {
            Attention::PermissionWaiting => "waits for your answer",
            Attention::TurnDone => "has finished",
            Attention::AgentFailed => "has failed",
        };
        let agent = SafeText::line(first_bytes(agent, NAME_BYTES));
        // OSC 9; SafeText has no control character that could end it early, and our own name comes
        // first: terminals take `9;4;…`, `9;9;…` for orders.
        out.extend_from_slice(format!("\x1b]9;acp-tui: {agent} {what}\x1b\\").as_bytes());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_rings_even_when_focused_a_finished_turn_does_not() {
        let ui = UiConfig::default();

        let sent = |attention, focus| bytes(attention, focus, &ui, "Fake");
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
    fn a_name_is_no_order_to_the_terminal() {
        let (ui, name) = (UiConfig::default(), "4;1;50\x07\x1b]0;x");
        let sent = bytes(Attention::TurnDone, Focus::Unknown, &ui, name);
        assert_eq!(
            String::from_utf8_lossy(&sent),
            "\x1b]9;acp-tui: 4;1;50␇␛]0;x has finished\x1b\\"
        );
        let long = bytes(
            Attention::TurnDone,
            Focus::Unknown,
            &ui,
            &name.repeat(9_999),
        );
        assert!(long.len() < 1_000);
    }
}
