//! From a draft to a prompt: mentions become what the agent takes (V1-PROMPT-01, -03).

use std::path::Path;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::{
    proto::{PromptBlock, PromptCaps},
    session::Prompt,
    ui::{Draft, DraftPart},
};

/// A mentioned file up to this size is embedded where the agent takes embedded resources; a larger
/// one is linked.
const MAX_EMBEDDED: u64 = 256 << 10;

/// Bytes of a path that stand for themselves in a URI.
const PATH: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'/')
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~');

/// Resolves the mentions against `cwd`. Reads files: not for the UI task.
pub fn resolve(draft: Draft, cwd: &Path, caps: PromptCaps) -> Prompt {
    let mut text = String::new();
    let mut blocks: Vec<PromptBlock> = Vec::new();
    for part in draft.parts {
        match part {
            DraftPart::Text(piece) => {
                text.push_str(&piece);
                match blocks.last_mut() {
                    Some(PromptBlock::Text(last)) => last.push_str(&piece),
                    _ => blocks.push(PromptBlock::Text(piece)),
                }
            }
            DraftPart::Mention(path) => {
                text.push('@');
                text.push_str(&path.to_string_lossy());
                blocks.push(mention(&path, cwd, caps));
            }
        }
    }
    Prompt { text, blocks }
}

fn mention(path: &Path, cwd: &Path, caps: PromptCaps) -> PromptBlock {
    let absolute = cwd.join(path);
    let uri = file_uri(&absolute);
    let size = std::fs::metadata(&absolute)
        .ok()
        .filter(|meta| meta.is_file())
        .map(|m| m.len());
    if caps.embedded_context
        && size.is_some_and(|size| size <= MAX_EMBEDDED)
        && let Ok(text) = std::fs::read_to_string(&absolute)
    {
        return PromptBlock::Resource { uri, text };
    }
    let name = path
        .file_name()
        .unwrap_or(path.as_os_str())
        .to_string_lossy()
        .into_owned();
    PromptBlock::ResourceLink { uri, name, size }
}

/// A percent-encoded `file://` URI of an absolute path.
pub fn file_uri(path: &Path) -> String {
    format!(
        "file://{}",
        utf8_percent_encode(&path.to_string_lossy(), PATH)
    )
}

/// A prompt of text alone.
pub fn text_prompt(text: String) -> Prompt {
    Prompt {
        blocks: vec![PromptBlock::Text(text.clone())],
        text,
    }
}

/// Whether resolving needs the disk.
pub fn has_mentions(draft: &Draft) -> bool {
    draft
        .parts
        .iter()
        .any(|part| matches!(part, DraftPart::Mention(_)))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn draft(path: &str) -> Draft {
        Draft {
            parts: vec![
                DraftPart::Text("look at ".into()),
                DraftPart::Mention(PathBuf::from(path)),
                DraftPart::Text(" please".into()),
            ],
        }
    }

    #[test]
    fn a_mention_is_embedded_only_where_the_agent_takes_it_v1_prompt_03() {
        let cwd = tempfile::tempdir().expect("a folder");
        std::fs::write(cwd.path().join("a b#.txt"), "hello").expect("written");
        let embedded = PromptCaps {
            embedded_context: true,
            ..Default::default()
        };
        let prompt = resolve(draft("a b#.txt"), cwd.path(), embedded);
        assert_eq!(prompt.text, "look at @a b#.txt please");
        let uri = format!("file://{}/a%20b%23.txt", cwd.path().display());
        assert!(prompt.blocks.contains(&PromptBlock::Resource {
            uri: uri.clone(),
            text: "hello".into()
        }));
        let prompt = resolve(draft("a b#.txt"), cwd.path(), PromptCaps::default());
        let link = PromptBlock::ResourceLink {
            uri,
            name: "a b#.txt".into(),
            size: Some(5),
        };
        assert!(prompt.blocks.contains(&link));
    }

    #[test]
    fn what_is_no_text_is_linked() {
        let cwd = tempfile::tempdir().expect("a folder");
        std::fs::write(cwd.path().join("x.bin"), [0xff, 0xfe]).expect("written");
        let caps = PromptCaps {
            embedded_context: true,
            ..Default::default()
        };
        for path in ["x.bin", "missing", "."] {
            let prompt = resolve(draft(path), cwd.path(), caps);
            assert!(
                matches!(prompt.blocks[1], PromptBlock::ResourceLink { .. }),
                "{path}"
            );
        }
    }
}
