//! The output of the person's own `!` commands as text, to be sent with a prompt.

use super::{Source, view};
use crate::{
    session::{BlockKind, Session},
    vt::Screens,
};

/// Bytes of an output that are sent; its end counts.
const MAX_BYTES: usize = 64 << 10;

/// The last command of the person's own, with what it printed; `None`: there was none.
pub fn last_shell_output(session: &Session, screens: &Screens) -> Option<String> {
    let source = Source::new(session, screens);
    let blocks = session.conversation.transcript.blocks().iter().rev();
    let mut calls = blocks.filter_map(|block| match &block.kind {
        BlockKind::Tool(call) if call.by_person => Some((call, &block.kind)),
        _ => None,
    });
    let (call, kind) = calls.next()?;
    let command = call.command.as_deref().unwrap_or_default();
    Some(told(command, &view(kind).text(&source)))
}

fn told(command: &str, output: &str) -> String {
    let output = output.trim_end();
    let mut from = output.len().saturating_sub(MAX_BYTES);
    while !output.is_char_boundary(from) {
        from += 1;
    }
    let cut = match from {
        0 => String::new(),
        bytes => format!("[the first {bytes} bytes are left out]\n"),
    };
    // A fence that the output does not end.
    let mut fence = "```".to_owned();
    while output.contains(&fence) {
        fence.push('`');
    }
    format!("{fence}\n$ {command}\n{cut}{}\n{fence}\n", &output[from..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_output_is_cut_at_its_beginning_and_says_so() {
        for (bytes, left_out) in [(MAX_BYTES - 1, 0), (MAX_BYTES, 0), (MAX_BYTES + 1, 1)] {
            let text = told("x", &"y".repeat(bytes));
            let said = text.contains(&format!("[the first {left_out} bytes"));
            assert_eq!(said, left_out > 0, "{bytes}");
            // One more is in the words that say so.
            let kept = text.matches('y').count() - usize::from(said);
            assert_eq!(kept, bytes - left_out);
        }
        // Not within a character.
        let text = told("x", &"é".repeat(MAX_BYTES / 2 + 1));
        assert!(text.contains("[the first 2 bytes"));
        let text = told("x", &format!("{}z", "é".repeat(MAX_BYTES / 2)));
        assert!(
            text.contains("[the first 2 bytes"),
            "one byte is no character"
        );
    }

    #[test]
    fn no_output_ends_its_own_fence() {
        assert_eq!(told("ls", "a\n"), "```\n$ ls\na\n```\n");
        assert!(told("cat x", "```\ncode\n```").starts_with("````\n"));
    }
}
