//! Files that the agent wrote through this client without a tool call that names them: each gets a
//! notice, so that no change goes unseen.

use std::path::{Component, Path, PathBuf};

use crate::{
    model::ToolContent,
    session::{BlockKind, Changed, NoticeLevel, Question, ToolCall},
    text::SafeText,
};

use super::super::Step;
use super::{bounds::MAX_WRITES, tools::PatchSource};

/// What was written, while a call is open that might yet name it.
#[derive(Debug, Default)]
pub struct Writes(Vec<Write>);

#[derive(Debug)]
struct Write {
    /// Absolute.
    path: PathBuf,
    lines: usize,
}

impl Step<'_> {
    pub fn wrote(&mut self, path: &str, lines: usize) {
        self.session.acts += 1;
        let path = absolute(&self.session.config.cwd, path);
        let writes = &mut self.conversation_mut().writes.0;
        // Of several writes to a file the last one counts.
        writes.retain(|write| write.path != path);
        writes.push(Write { path, lines });
        if writes.len() > MAX_WRITES {
            self.tell_writes();
        }
    }

    /// Open questions about a file that was written, also those of subagents, are compared with the disk
    /// again.
    pub fn changed_under_questions(&mut self, path: &str) {
        let path = absolute(&self.session.config.cwd, path);
        for at in 0..self.session.questions.len() {
            let Some(Question::Permission(question)) = self.session.questions.get(at) else {
                continue;
            };
            let (block, inside) = (question.block, question.subagent.clone());
            self.in_conversation_of(inside.as_ref(), |step| {
                let cwd = step.cwd();
                let shows = step
                    .conversation()
                    .tool(block)
                    .is_some_and(|call| diff_paths(call).any(|named| absolute(cwd, named) == path));
                if !shows {
                    return;
                }
                let input = step
                    .conversation()
                    .tool(block)
                    .and_then(|call| call.raw_input.clone());
                if let Some(Question::Permission(question)) = step.session.questions.get_mut(at) {
                    question.revision += 1;
                    let command = question.subject.command.clone();
                    question.changed.get_or_insert(Changed { command, input });
                }
                step.compare(block, PatchSource::Asked);
            });
        }
    }

    pub fn tell_writes_unless_calls_are_open(&mut self) {
        if self.conversation().tools.open().next().is_none() {
            self.tell_writes();
        }
    }

    /// One quiet line for each file that no call of the turn names.
    pub fn tell_writes(&mut self) {
        for Write { path, lines } in std::mem::take(&mut self.conversation_mut().writes.0) {
            if self.is_named(&path) {
                continue;
            }
            let cwd = &self.session.config.cwd;
            let shown = path.strip_prefix(cwd).unwrap_or(&path);
            let lines = match lines {
                1 => "1 line".to_owned(),
                lines => format!("{lines} lines"),
            };
            let text = SafeText::line(&format!("wrote {} · {lines}", shown.display()));
            let told = self.conversation().transcript.blocks().last();
            let told = told.is_some_and(
                |block| matches!(&block.kind, BlockKind::Notice(notice) if notice.text == text),
            );
            if !told {
                self.say(NoticeLevel::Quiet, text);
            }
        }
    }

    fn is_named(&self, path: &Path) -> bool {
        let cwd = self.cwd();
        let turn = self.session.inner.turn.number;
        let mut calls = self.conversation().tools.of_turn(turn);
        calls.any(|block| {
            self.conversation()
                .tool(block)
                .is_some_and(|call| paths(call).any(|named| absolute(cwd, named) == path))
        })
    }
}

fn paths(call: &ToolCall) -> impl Iterator<Item = &str> {
    let locations = call.locations.iter().map(|at| at.path.as_str());
    locations.chain(diff_paths(call))
}

fn diff_paths(call: &ToolCall) -> impl Iterator<Item = &str> {
    let diffs = call.content.iter().filter_map(|piece| match piece {
        ToolContent::Diff(diff) => Some(diff.paths()),
        _ => None,
    });
    diffs.flatten()
}

/// By its letters: links are the host's to follow, and one line too many does no harm.
fn absolute(cwd: &Path, path: &str) -> PathBuf {
    let mut absolute = PathBuf::new();
    for part in cwd.join(path).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                absolute.pop();
            }
            part => absolute.push(part),
        }
    }
    absolute
}
