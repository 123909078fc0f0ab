//! What of a block can be copied: the answer, its code, its quotes, the command, its output, the change.

use super::{Source, tool::piece_text, view};
use crate::{
    model::ToolContent,
    session::{Block, BlockKind},
    ui::render::markdown::{PartKind, parts},
};

/// Something that can be copied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Copyable {
    /// What it is: `code`, `the command`.
    pub what: &'static str,
    /// The language of code.
    pub language: String,
    pub text: String,
    /// How a file for it would end.
    pub extension: &'static str,
}

impl Copyable {
    fn new(what: &'static str, text: String, extension: &'static str) -> Self {
        Self {
            what,
            language: String::new(),
            text,
            extension,
        }
    }
}

/// The most wanted first, and what is the same only once; nothing that is blank.
pub fn copies(block: &Block, source: &Source<'_>) -> Vec<Copyable> {
    let view = view(&block.kind);
    let mut all = match &block.kind {
        BlockKind::Agent(_) => vec![Copyable::new("the answer", view.text(source), "md")],
        BlockKind::User(_) => vec![Copyable::new("the prompt", view.text(source), "md")],
        BlockKind::Tool(call) => {
            let piece = |piece: &ToolContent| {
                let text = piece_text(piece, source);
                match piece {
                    ToolContent::Diff(_) => Copyable::new("the change as a patch", text, "patch"),
                    _ => Copyable::new("the output", text, "txt"),
                }
            };
            let mut all: Vec<Copyable> = call.content.iter().map(piece).collect();
            if let Some(command) = &call.command {
                let command = command.trim().to_owned();
                all.push(Copyable::new("the command", command, "sh"));
            }
            all
        }
        _ => Vec::new(),
    };
    if let BlockKind::Agent(_) | BlockKind::User(_) = &block.kind {
        all.extend(parts(&view.text(source)).into_iter().map(|part| {
            let (what, language, extension) = match part.kind {
                PartKind::Code(language) => ("code", language, "txt"),
                PartKind::Quote => ("a quote", String::new(), "md"),
                PartKind::Table => ("a table", String::new(), "md"),
            };
            let extension = match language.as_str() {
                "" => extension,
                other => file_extension(other).unwrap_or(extension),
            };
            Copyable {
                language,
                ..Copyable::new(what, part.text, extension)
            }
        }));
    }
    all.push(Copyable::new(
        "the whole block",
        view.full_text(source),
        "txt",
    ));
    let mut kept: Vec<Copyable> = Vec::new();
    for one in all {
        let same = |other: &Copyable| other.text.trim() == one.text.trim();
        if !one.text.trim().is_empty() && !kept.iter().any(same) {
            kept.push(one);
        }
    }
    kept
}

/// How files of a language end, for the usual ones.
fn file_extension(language: &str) -> Option<&'static str> {
    Some(match language.to_ascii_lowercase().as_str() {
        "rust" | "rs" => "rs",
        "python" | "py" => "py",
        "javascript" | "js" => "js",
        "typescript" | "ts" => "ts",
        "tsx" => "tsx",
        "go" => "go",
        "c" => "c",
        "cpp" | "c++" => "cpp",
        "java" => "java",
        "ruby" | "rb" => "rb",
        "sh" | "bash" | "shell" | "zsh" => "sh",
        "json" => "json",
        "toml" => "toml",
        "yaml" | "yml" => "yaml",
        "html" => "html",
        "css" => "css",
        "sql" => "sql",
        "diff" | "patch" => "patch",
        "markdown" | "md" => "md",
        _ => return None,
    })
}
