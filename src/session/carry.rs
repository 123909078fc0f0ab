//! What an agent is told of a conversation that it was not in: a text for its first prompt.
//!
//! Owns which parts of a transcript are told, and their bound. Results of calls are not: they are long,
//! and what they changed is on the disk.

use std::{borrow::Cow, collections::BTreeMap};

use super::{Block, BlockKind, ToolCall, ToolState};
use crate::{
    model::ToolKind,
    text::{first_bytes, in_backticks},
};

/// Bytes of the whole text.
pub const MAX_CARRIED: usize = 48 << 10;

/// Bytes of one message.
const MAX_MESSAGE: usize = 8 << 10;

/// Files that are named as changed.
pub const MAX_FILES: usize = 20;

const BEFORE: &str = "What was said before in another session, in this directory. Go on from there; read files \
                      again before you rely on them.\n\n<conversation>\n";
const ME: &str = "Me: ";
const LEFT_OUT: &str = "[more was said here, which is left out]\n\n";
const BEHIND: &str = "</conversation>\n";

/// The conversation in these blocks; `None` where nothing was said. The first prompt and the latest messages are
/// kept where all of it is too long.
pub fn carried(blocks: &[Block]) -> Option<String> {
    let parts: Vec<String> = blocks.iter().filter_map(part).collect();
    let (first, rest) = parts.split_first()?;
    let frame = BEFORE.len() + LEFT_OUT.len() + BEHIND.len();
    let mut room = MAX_CARRIED.saturating_sub(frame + first.len());
    let mut from = rest.len();
    for part in rest.iter().rev() {
        match room.checked_sub(part.len()) {
            Some(left) => room = left,
            None => break,
        }
        from -= 1;
    }
    let mut text = format!("{BEFORE}{first}");
    if from > 0 {
        text.push_str(LEFT_OUT);
    }
    text.extend(rest.iter().skip(from).map(String::as_str));
    text.push_str(BEHIND);
    Some(text)
}

/// The line of a prompt that tells what it is about: of one that carries a conversation, what was asked first in
/// that. All that are handed over begin with the same words.
pub fn telling_line(prompt: &str) -> Option<&str> {
    let mut text = prompt;
    while let Some(said) = text.trim_start().strip_prefix(BEFORE) {
        text = said.strip_prefix(ME).unwrap_or(said);
    }
    text.lines().map(str::trim).find(|line| !line.is_empty())
}

/// The files that a conversation has changed, for the draft of another one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangedFiles {
    /// By name, from the session's folder on.
    pub there: Vec<String>,
    pub deleted: Vec<String>,
    /// As many more are not named.
    pub more: usize,
}

impl ChangedFiles {
    /// Names the first [`MAX_FILES`] of these, which are gone where that is so.
    pub fn named(files: impl IntoIterator<Item = (String, bool)>) -> Self {
        let mut named = Self::default();
        for (at, (name, gone)) in files.into_iter().enumerate() {
            match (at < MAX_FILES, gone) {
                (false, _) => named.more += 1,
                (true, true) => named.deleted.push(name),
                (true, false) => named.there.push(name),
            }
        }
        named
    }
}

/// A file that a call has changed, as the call names it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ByCall {
    pub path: String,
    /// The call may have deleted it.
    pub may_be_gone: bool,
}

/// Files that calls say they have changed, by name; of calls that were completed, the latest [`MAX_FILES`]. What
/// commands change is not among them, and what is said need not be so: for where the disk is not followed.
pub fn changed_by_calls(blocks: &[Block]) -> Vec<ByCall> {
    let mut files = BTreeMap::new();
    for block in blocks.iter().rev() {
        let BlockKind::Tool(call) = &block.kind else {
            continue;
        };
        if !changes(call) {
            continue;
        }
        let may_be_gone = matches!(call.kind, ToolKind::Delete | ToolKind::Move);
        for location in &call.locations {
            if files.len() < MAX_FILES {
                // The last that was done with it counts.
                files
                    .entry(location.path.to_string())
                    .or_insert(may_be_gone);
            }
        }
    }
    let files = files.into_iter();
    files
        .map(|(path, may_be_gone)| ByCall { path, may_be_gone })
        .collect()
}

/// One that was refused, or failed, has changed nothing that is known.
fn changes(call: &ToolCall) -> bool {
    matches!(
        call.kind,
        ToolKind::Edit | ToolKind::Move | ToolKind::Delete
    ) && call.state == ToolState::Completed
}

fn part(block: &Block) -> Option<String> {
    match &block.kind {
        BlockKind::User(message) if message.refused => None,
        BlockKind::User(message) => Some(said(ME, &message.text)),
        BlockKind::Agent(message) => Some(said("Agent: ", message.text.as_str())),
        // The person's own command was never the agent's to know.
        BlockKind::Tool(call) if call.by_person => None,
        BlockKind::Tool(call) => Some(format!("[{}]\n\n", in_backticks(&call.title))),
        _ => None,
    }
}

fn said(who: &str, text: &str) -> String {
    let text = match text.len() > MAX_MESSAGE {
        true => Cow::from(format!("{} […]", first_bytes(text, MAX_MESSAGE))),
        false => Cow::from(text),
    };
    format!("{who}{}\n\n", text.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        model::{Meta, ToolCallId, ToolLocation},
        session::{Message, Transcript, UserMessage},
        text::{SafeText, SafeTextBuf},
    };

    fn prompt(text: &str) -> BlockKind {
        BlockKind::User(UserMessage::of(SafeText::new(text)))
    }

    fn answer(text: &str) -> BlockKind {
        BlockKind::Agent(Message {
            id: None,
            text: SafeTextBuf::from(SafeText::new(text)),
            done: true,
            meta: Meta::default(),
        })
    }

    fn call(title: &str, kind: ToolKind, path: &str) -> ToolCall {
        ToolCall {
            title: SafeText::new(title),
            kind,
            locations: vec![ToolLocation {
                path: path.into(),
                line: None,
            }],
            ..ToolCall::new(ToolCallId::new(title), std::time::Instant::now())
        }
    }

    fn told(kinds: Vec<BlockKind>) -> Option<String> {
        let mut transcript = Transcript::default();
        for kind in kinds {
            transcript.push(kind);
        }
        carried(transcript.blocks())
    }

    #[test]
    fn what_both_said_is_told_in_order_and_calls_by_their_titles() {
        let own = ToolCall {
            by_person: true,
            ..call("ls", ToolKind::Execute, "")
        };
        let refused = UserMessage {
            refused: true,
            ..UserMessage::of("refused".into())
        };
        let text = told(vec![
            prompt("mend it"),
            answer("I look."),
            BlockKind::Tool(Box::new(call("Edit a.rs", ToolKind::Edit, "a.rs"))),
            BlockKind::Tool(Box::new(own)),
            BlockKind::User(refused),
            answer("Done."),
        ])
        .unwrap();
        let said = text.split("<conversation>\n").nth(1).unwrap();
        assert_eq!(
            said,
            "Me: mend it\n\nAgent: I look.\n\n[`Edit a.rs`]\n\nAgent: Done.\n\n</conversation>\n"
        );
        assert_eq!(told(Vec::new()), None);
    }

    #[test]
    fn a_prompt_that_carries_a_conversation_is_about_what_was_asked_first_there() {
        let line = |text: &str| telling_line(text).map(str::to_owned);
        let handed_over = told(vec![prompt("\n mend it \nsoon"), answer("Done.")]).unwrap();
        assert_eq!(line(&handed_over).as_deref(), Some("mend it"));
        let again = told(vec![prompt(&handed_over), answer("More.")]).unwrap();
        assert_eq!(line(&again).as_deref(), Some("mend it"));
        assert_eq!(line("\n other\nwords").as_deref(), Some("other"));
        assert_eq!(line(" \n"), None);
    }

    #[test]
    fn the_first_prompt_and_the_latest_messages_are_kept_within_the_bound() {
        let long = "x".repeat(MAX_MESSAGE + 1);
        let mut kinds = vec![prompt("the task")];
        kinds.extend((0..20).map(|n| answer(&format!("{n} {long}"))));
        kinds.push(answer("the last"));
        let text = told(kinds).unwrap();
        assert!(text.len() <= MAX_CARRIED, "{}", text.len());
        assert!(text.contains("Me: the task") && text.contains("Agent: the last"));
        assert!(text.contains("more was said here") && !text.contains("Agent: 0 "));
        assert!(text.contains("[…]"));
        // One that just fits is whole, and one byte more is not.
        for (len, whole) in [(MAX_MESSAGE, true), (MAX_MESSAGE + 1, false)] {
            let text = told(vec![prompt(&"y".repeat(len))]).unwrap();
            assert_eq!(!text.contains("[…]"), whole, "{len}");
        }
    }

    #[test]
    fn files_by_calls_are_the_latest_of_those_that_were_completed_and_not_those_that_were_read() {
        let mut transcript = Transcript::default();
        let mut push = |kind, path: &str, state| {
            let call = ToolCall {
                state,
                ..call(path, kind, path)
            };
            transcript.push(BlockKind::Tool(Box::new(call)));
        };
        push(ToolKind::Read, "read", ToolState::Completed);
        for n in 0..=MAX_FILES - 2 {
            push(ToolKind::Edit, &format!("f{n:02}"), ToolState::Completed);
        }
        for state in [
            ToolState::Failed,
            ToolState::Cancelled,
            ToolState::Pending,
            ToolState::InProgress,
        ] {
            push(ToolKind::Edit, "denied", state);
        }
        push(ToolKind::Edit, "gone", ToolState::Completed);
        push(ToolKind::Delete, "gone", ToolState::Completed);
        push(ToolKind::Delete, "back", ToolState::Completed);
        push(ToolKind::Edit, "back", ToolState::Completed);
        let files = changed_by_calls(transcript.blocks());
        assert_eq!(files.len(), MAX_FILES);
        let names: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
        for not in ["f00", "read", "denied"] {
            assert!(!names.contains(&not), "{not}: {names:?}");
        }
        let gone = files.iter().filter(|file| file.may_be_gone);
        assert_eq!(
            gone.map(|file| file.path.as_str()).collect::<Vec<_>>(),
            ["gone"]
        );
    }

    #[test]
    fn more_files_than_are_named_are_counted() {
        let files = (0..MAX_FILES + 3).map(|n| (format!("f{n:02}"), n == 1));
        let named = ChangedFiles::named(files);
        assert_eq!((named.deleted, named.more), (vec!["f01".to_owned()], 3));
        assert_eq!(named.there.len(), MAX_FILES - 1);
    }
}
