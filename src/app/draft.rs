//! From a draft to a prompt: mentions become what agents take (V1-PROMPT-01, V1-PROMPT-03).
//!
//! Always in the richest form: what the agent at hand does not take becomes a link when it is sent.

mod lines;

use std::{
    fmt::Display,
    io,
    path::{Component, Path, PathBuf},
};

use base64::{Engine, engine::general_purpose::STANDARD};

use crate::{
    host::attachments,
    model::{
        MAX_MEDIA, MAX_MEDIA_FILES, MAX_MEDIA_IN_ALL, MediaBlock, MediaKind, PromptBlock, SeenFile,
        are_media, file_uri,
    },
    session::Prompt,
    text::SafeText,
    ui::{Draft, DraftPart, WrittenOut, mention_text},
};

use lines::lines_at;

/// A mentioned text up to this size is embedded where the agent takes embedded resources; a larger
/// one is linked (V1-CONT-05).
const MAX_EMBEDDED: u64 = 256 << 10;

/// Bytes of lines that are taken out of a file.
const MAX_EMBEDDED_LINES: usize = 256 << 10;

/// Why a draft was not sent.
#[derive(Debug)]
pub struct Unsent(pub SafeText);

impl Unsent {
    fn new(path: &Path, why: impl Display) -> Self {
        let name = name_of(path);
        Self(SafeText::line(&format!("not sent: {name} {why}")))
    }
}

/// Resolves the mentions against `cwd`. Reads files: not for the UI task.
///
/// # Errors
/// A file is not any more what the person saw it to be, or there is too much of them.
pub fn resolve(draft: Draft, cwd: &Path) -> Result<Prompt, Unsent> {
    let mut prompt = Making::default();
    let mut parts = draft.parts.into_iter().peekable();
    while let Some(part) = parts.next() {
        match part {
            DraftPart::Text(piece) if piece.is_empty() => {}
            DraftPart::Text(piece) => push_text(&mut prompt, &piece),
            DraftPart::Mention { path, seen } => {
                let wanted = match parts.peek_mut() {
                    Some(DraftPart::Text(text)) if !seen.is_some_and(|seen| seen.is_media()) => {
                        let wanted = lines_at(text);
                        // The lines belong to the mention.
                        text.drain(..wanted.as_ref().map_or(0, |(_, len)| *len));
                        wanted
                    }
                    _ => None,
                };
                match wanted {
                    Some((lines, _)) => push_lines(&mut prompt, &path, &lines, cwd)?,
                    None => push_file(&mut prompt, &path, seen, cwd)?,
                }
            }
            DraftPart::Typed { text, names } => {
                let named = names.iter().find_map(|(len, path)| {
                    if is_named(path, cwd) {
                        return Some((len, path.as_path(), None));
                    }
                    let (path, lines) = lines::parted(path)?;
                    is_named(path, cwd).then_some((len, path, Some(lines)))
                });
                let Some((len, path, lines)) = named else {
                    push_text(&mut prompt, &text);
                    continue;
                };
                match lines {
                    Some(lines) => push_lines(&mut prompt, path, &lines, cwd)?,
                    None => push_file(&mut prompt, path, None, cwd)?,
                }
                let rest = text.get(*len..).unwrap_or_default();
                if !rest.is_empty() {
                    push_text(&mut prompt, rest);
                }
            }
            DraftPart::MaybeFiles { text, paths } => {
                let files: Vec<PathBuf> = paths.iter().map(|path| cwd.join(path)).collect();
                let seen: Vec<_> = files
                    .iter()
                    .map(|path| attachments::look(path).ok())
                    .collect();
                if !are_media(&seen) {
                    push_text(&mut prompt, &text);
                    continue;
                }
                for (at, path) in paths.iter().enumerate() {
                    if at > 0 {
                        push_text(&mut prompt, " ");
                    }
                    push_file(&mut prompt, path, None, cwd)?;
                }
            }
        }
    }
    Ok(Prompt {
        text: prompt.text.finish(),
        blocks: prompt.blocks,
    })
}

/// Whether a path that was written by hand is meant as a file: one of the project or a folder of it, as those that are
/// offered for completion, or a picture or sound from anywhere. Whatever else begins with an `@` is text.
fn is_named(path: &Path, cwd: &Path) -> bool {
    let absolute = cwd.join(path);
    let within = absolute.starts_with(cwd) && !path.components().any(|c| c == Component::ParentDir);
    let folder = within && path.to_string_lossy().ends_with('/') && absolute.is_dir();
    folder || attachments::look(&absolute).is_ok_and(|seen| within || seen.is_media())
}

/// Some lines of a text, embedded; the URI says which.
fn push_lines(
    prompt: &mut Making,
    path: &Path,
    wanted: &lines::Lines,
    cwd: &Path,
) -> Result<(), Unsent> {
    let absolute = cwd.join(path);
    let text =
        lines::read(&absolute, wanted, MAX_EMBEDDED_LINES).map_err(|why| Unsent::new(path, why))?;
    let which = lines::written(wanted);
    prompt
        .text
        .push_mention(&format!("{}{which}", path.to_string_lossy()));
    let uri = format!("{}{which}", file_uri(&absolute.to_string_lossy()));
    prompt.blocks.push(PromptBlock::Resource { uri, text });
    Ok(())
}

#[derive(Default)]
struct Making {
    /// Comes back into the composer from the queue.
    text: WrittenOut,
    blocks: Vec<PromptBlock>,
}

fn push_text(prompt: &mut Making, piece: &str) {
    prompt.text.push_text(piece);
    match prompt.blocks.last_mut() {
        Some(PromptBlock::Text(last)) => last.push_str(piece),
        _ => prompt.blocks.push(PromptBlock::Text(piece.to_owned())),
    }
}

/// `seen`: as the person saw it in the draft.
fn push_file(
    prompt: &mut Making,
    path: &Path,
    seen: Option<SeenFile>,
    cwd: &Path,
) -> Result<(), Unsent> {
    let absolute = cwd.join(path);
    let written = mention_text(&path.to_string_lossy());
    let now = attachments::look(&absolute);
    if let Some(seen) = seen.filter(SeenFile::is_media) {
        match &now {
            Ok(now)
                if *now
                    == (SeenFile {
                        passing: false,
                        ..seen
                    }) => {}
            Ok(_) => return Err(Unsent::new(path, "has changed since it was attached")),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(Unsent::new(path, "is gone"));
            }
            Err(error) => return Err(Unsent::new(path, format!("cannot be read: {error}"))),
        }
    }
    let passing = seen.is_some_and(|seen| seen.passing);
    prompt.text.push_mention(&path.to_string_lossy());
    let block = block(&absolute, now.ok(), written, passing);
    prompt
        .blocks
        .push(block.map_err(|error| Unsent::new(path, format!("cannot be read: {error}")))?);
    check(&prompt.blocks)
}

/// Looked at with each file, so that no more than one too many is ever held.
fn check(blocks: &[PromptBlock]) -> Result<(), Unsent> {
    let media = || blocks.iter().filter_map(PromptBlock::media);
    let most = MAX_MEDIA_IN_ALL >> 20;
    if media().count() > MAX_MEDIA_FILES {
        return Err(Unsent(SafeText::line(&format!(
            "not sent: more than {MAX_MEDIA_FILES} images or sounds in one message"
        ))));
    }
    if media().map(|media| media.size).sum::<u64>() > MAX_MEDIA_IN_ALL {
        return Err(Unsent(SafeText::line(&format!(
            "not sent: the images and sounds are larger than {most} MiB together"
        ))));
    }
    Ok(())
}

fn block(
    path: &Path,
    seen: Option<SeenFile>,
    written: String,
    passing: bool,
) -> io::Result<PromptBlock> {
    let uri = file_uri(&path.to_string_lossy());
    let link = PromptBlock::ResourceLink {
        uri: uri.clone(),
        name: name_of(path),
        size: seen.map(|seen| seen.size),
    };
    let Some(SeenFile { kind, size, .. }) = seen else {
        return Ok(link);
    };
    let media = |mime: &str| -> io::Result<MediaBlock> {
        let bytes = attachments::read(path, MAX_MEDIA)?;
        Ok(MediaBlock {
            data: STANDARD.encode(&bytes).into(),
            mime_type: mime.to_owned(),
            uri: uri.clone(),
            passing,
            name: name_of(path),
            size: bytes.len() as u64,
            written,
        })
    };
    Ok(match kind {
        MediaKind::Image(mime) if size <= MAX_MEDIA => PromptBlock::Image(media(mime)?),
        MediaKind::Audio(mime) if size <= MAX_MEDIA => PromptBlock::Audio(media(mime)?),
        MediaKind::Other | MediaKind::OtherImage("SVG") if size <= MAX_EMBEDDED => {
            match attachments::read(path, MAX_EMBEDDED).map(String::from_utf8) {
                Ok(Ok(text)) => PromptBlock::Resource { uri, text },
                _ => link,
            }
        }
        _ => link,
    })
}

fn name_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}

/// A prompt of text alone.
pub fn text_prompt(text: String) -> Prompt {
    Prompt::of_text(text)
}

/// Whether resolving needs the disk.
pub fn has_mentions(draft: &Draft) -> bool {
    draft
        .parts
        .iter()
        .any(|part| !matches!(part, DraftPart::Text(_)))
}

#[cfg(test)]
mod tests;
