//! What of a markdown text can be copied by itself: code, quotes, tables.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use crate::text::first_bytes;

/// Bytes of a text that are looked through.
const MAX_LOOKED: usize = 1 << 20;

/// Parts that are told.
const MAX_PARTS: usize = 200;

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarkdownPart {
    pub kind: PartKind,
    /// As it is copied: code without its fence, a quote without its marks.
    pub text: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PartKind {
    /// And its language; empty if it names none.
    Code(String),
    Quote,
    Table,
}

/// The outermost code blocks, quotes and tables, in order.
pub fn parts(text: &str) -> Vec<MarkdownPart> {
    let text = first_bytes(text, MAX_LOOKED);
    let mut found = Vec::new();
    let mut code: Option<(String, String)> = None;
    let mut within = 0_usize;
    for (event, range) in Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter() {
        if found.len() >= MAX_PARTS {
            break;
        }
        match event {
            Event::Start(Tag::CodeBlock(kind)) => {
                let info = match &kind {
                    CodeBlockKind::Fenced(info) => info.as_ref(),
                    CodeBlockKind::Indented => "",
                };
                let language = info.split([' ', ',', '{']).next().unwrap_or_default();
                code = Some((language.to_owned(), String::new()));
            }
            Event::Text(piece) => {
                if let Some((_, text)) = &mut code {
                    text.push_str(&piece);
                }
            }
            Event::End(TagEnd::CodeBlock) => {
                if let Some((language, text)) = code.take() {
                    let kind = PartKind::Code(language);
                    found.push(MarkdownPart { kind, text });
                }
            }
            Event::Start(Tag::BlockQuote(_)) => {
                if within == 0 {
                    let text = unquoted(slice(text, range));
                    let kind = PartKind::Quote;
                    found.push(MarkdownPart { kind, text });
                }
                within += 1;
            }
            Event::End(TagEnd::BlockQuote(_)) => within = within.saturating_sub(1),
            Event::Start(Tag::Table(_)) => {
                let text = slice(text, range).trim_end().to_owned();
                let kind = PartKind::Table;
                found.push(MarkdownPart { kind, text });
            }
            _ => {}
        }
    }
    found
}

fn slice(text: &str, range: Range<usize>) -> &str {
    text.get(range).unwrap_or_default()
}

fn unquoted(quote: &str) -> String {
    let line = |line: &str| {
        let line = line.trim_start();
        let line = line.strip_prefix('>').unwrap_or(line);
        line.strip_prefix(' ').unwrap_or(line).to_owned()
    };
    let lines = quote.trim_end().lines().map(line);
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn code_quotes_and_tables_are_copied_without_what_marks_them() {
        let text = "An answer.\n\n```rust,ignore\nfn a() {}\n```\n\n> one\n> two\n\n\
                    | a | b |\n|---|---|\n| 1 | 2 |\n\n- in a list:\n\n  ```\n  code\n  ```\n";
        let found: Vec<(PartKind, String)> = parts(text)
            .into_iter()
            .map(|part| (part.kind, part.text))
            .collect();
        let code = |language: &str| PartKind::Code(language.to_owned());
        assert_eq!(
            found,
            [
                (code("rust"), "fn a() {}\n".to_owned()),
                (PartKind::Quote, "one\ntwo".to_owned()),
                (
                    PartKind::Table,
                    "| a | b |\n|---|---|\n| 1 | 2 |".to_owned()
                ),
                (code(""), "code\n".to_owned()),
            ]
        );
        let many = "```\nx\n```\n\n".repeat(MAX_PARTS + 1);
        assert_eq!(parts(&many).len(), MAX_PARTS);
        assert_eq!(parts(&many[11..]).len(), MAX_PARTS);
        assert_eq!(parts(&many[22..]).len(), MAX_PARTS - 1);
    }

    proptest! {
        #[test]
        fn any_text_has_parts(text in "[-`>|#* a\n]{0,60}") {
            parts(&text);
        }
    }
}
