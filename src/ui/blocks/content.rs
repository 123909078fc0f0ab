//! Content other than text: placeholders and links to resources.

use std::sync::Arc;

use super::{
    BlockView, Detail, FileLocation, Frame, Part, Searched, Source,
    picture::{Shown, caption, picture},
    rows::{FULL_ROWS, INDENT, cut, dim, fold_sign, indent, narrowed, prose},
};
use crate::{
    model::{ContentBlock, ImageData, Media, Piece, Pieces, Resource, ResourceLink, file_name},
    text::SafeText,
    ui::render::{
        RenderContext, Rendered, Row,
        excerpt::{Excerpt, Keep, line_count},
        format::{bytes, count},
        line::{StyledLine, Wrapping},
        markdown::link,
    },
};

/// Rows of folded content.
const SHORT_ROWS: usize = 8;

/// Cells before pieces of content below a header.
pub(super) const PIECE_INDENT: usize = 4;

impl BlockView for ContentBlock {
    fn name(&self) -> &'static str {
        "content"
    }

    fn draw(&self, part: &Part<'_>, frame: &Frame<'_>) -> Rendered {
        let room = match part.detail {
            Detail::Full => FULL_ROWS,
            _ => SHORT_ROWS,
        };
        let right = usize::from(frame.ctx.width >= 40);
        let mut rendered = render_content(self, room, &narrowed(INDENT + right, &frame.ctx));
        indent(&mut rendered.rows, INDENT, &frame.ctx);
        rendered
    }

    fn text(&self, _: &Source<'_>) -> String {
        content_text(self)
    }

    fn next_detail(&self, now: Detail) -> Detail {
        now.short_or_full()
    }

    fn images(&self) -> Vec<(SafeText, ImageData)> {
        named_image(self).into_iter().collect()
    }

    fn location(&self) -> Option<FileLocation> {
        content_path(self).map(FileLocation::file)
    }
}

/// An image with what names it: its file, else its type.
pub(super) fn named_image(content: &ContentBlock) -> Option<(SafeText, ImageData)> {
    let name = match content {
        ContentBlock::Image(media) => match &media.uri {
            Some(uri) => SafeText::line(&file_name(uri)),
            None => media.mime_type.clone(),
        },
        ContentBlock::Resource(resource) => SafeText::line(&file_name(&resource.uri)),
        _ => return None,
    };
    Some((name, content.image()?.clone()))
}

/// As plain text.
pub(super) fn content_text(content: &ContentBlock) -> String {
    match content {
        ContentBlock::Text(text) => text.to_string(),
        ContentBlock::Image(media) => format!("[image: {}]", media.mime_type),
        ContentBlock::Audio(media) => format!("[audio: {}]", media.mime_type),
        ContentBlock::ResourceLink(link) => SafeText::line(&link.uri).to_string(),
        ContentBlock::Resource(resource) => match &resource.text {
            Some(text) => text.to_string(),
            None => format!("[resource: {}]", SafeText::line(&resource.uri)),
        },
        ContentBlock::ForAgent(content) => content_text(content),
        ContentBlock::Unknown { kind, raw } => {
            format!(
                "[content of unknown type: {kind}]\n{}",
                SafeText::new(&raw.0)
            )
        }
    }
}

/// The path of a `file://` URI that needs no decoding.
pub(super) fn content_path(content: &ContentBlock) -> Option<&str> {
    let uri = match content {
        ContentBlock::ResourceLink(link) => &link.uri,
        ContentBlock::Resource(resource) => &resource.uri,
        _ => return None,
    };
    uri.strip_prefix("file://")
        .filter(|path| path.starts_with('/') && !path.contains(['%', '?', '#']))
}

pub(super) fn pieces_text(pieces: &Pieces) -> String {
    let pieces = pieces.iter().map(|piece| match piece {
        Piece::Text(text) => text.to_string(),
        Piece::Content(content) => content_text(content),
    });
    pieces.collect::<Vec<_>>().join("\n")
}

/// For find: as it is shown in that segment.
pub(super) fn searched_piece(segment: usize, piece: &Piece) -> Searched<'_> {
    match piece {
        Piece::Text(text) => Searched::markdown(segment, text, true).within(segment),
        Piece::Content(content) => Searched::plain(segment, content_text(content)),
    }
}

pub(super) fn piece_lines(pieces: &Pieces) -> usize {
    let lines = pieces.iter().map(|piece| match piece {
        Piece::Text(text) => line_count(text.trim()),
        Piece::Content(_) => 1,
    });
    lines.sum()
}

/// One piece of content, indented below a header.
pub(super) fn render_piece(
    pieces: &Pieces,
    at: usize,
    max_rows: usize,
    ctx: &RenderContext<'_>,
) -> Rendered {
    let body = narrowed(PIECE_INDENT + 1, ctx);
    let mut rendered = match pieces.iter().nth(at) {
        Some(Piece::Text(text)) => prose(text, &body),
        Some(Piece::Content(content)) => render_content(content, max_rows, &body),
        None => Rendered::default(),
    };
    // An image has its own bound.
    if rendered.rows.iter().all(|row| row.picture.is_none()) && !rendered.provisional {
        cut(&mut rendered.rows, max_rows, &body);
    }
    indent(&mut rendered.rows, PIECE_INDENT, ctx);
    rendered
}

/// One content block at the full width, with at most `max_rows` rows of text.
pub fn render_content(
    content: &ContentBlock,
    max_rows: usize,
    ctx: &RenderContext<'_>,
) -> Rendered {
    let rows = match content {
        ContentBlock::Text(text) => text_rows(text, max_rows, ctx),
        ContentBlock::Image(media) => return image(media, max_rows, ctx),
        ContentBlock::Audio(media) => vec![media_row("audio", media, ctx)],
        ContentBlock::ResourceLink(link) => link_rows(link, ctx),
        ContentBlock::Resource(resource) => return self::resource(resource, max_rows, ctx),
        ContentBlock::ForAgent(content) => return aside(content, max_rows, ctx),
        ContentBlock::Unknown { kind, .. } => vec![unknown_row(kind, ctx)],
    };
    rows.into()
}

pub(super) fn unknown_row(kind: &SafeText, ctx: &RenderContext<'_>) -> Row {
    let label = format!("[content of unknown type: {}]", SafeText::line(kind));
    dim(&label, ctx)
}

/// `▸ for the agent · 14 lines`: content that is not for the person; with [`FULL_ROWS`] all of it
/// (V1-CONT-06).
fn aside(content: &ContentBlock, max_rows: usize, ctx: &RenderContext<'_>) -> Rendered {
    let unfolded = max_rows >= FULL_ROWS;
    let what = match content {
        ContentBlock::Text(text) => count(line_count(text.trim()), "line"),
        ContentBlock::Image(_) => "image".to_owned(),
        ContentBlock::Audio(_) => "audio".to_owned(),
        ContentBlock::ResourceLink(_) => "link".to_owned(),
        ContentBlock::Resource(resource) => SafeText::line(&file_name(&resource.uri)).to_string(),
        ContentBlock::ForAgent(_) | ContentBlock::Unknown { .. } => "content".to_owned(),
    };
    let sign = fold_sign(unfolded, ctx);
    let text = format!("{sign} for the agent {} {what}", ctx.symbols.separator);
    let mut rows = vec![dim(&text, ctx)];
    if unfolded {
        rows.extend(render_content(content, max_rows, ctx).rows);
    }
    rows.into()
}

/// `uri` if it may be a hyperlink: by the rule for links in markdown, and without characters that
/// would have to be made visible (V1-CONT-04).
pub(super) fn checked_uri(uri: &str) -> Option<Arc<str>> {
    let clean = *SafeText::new(uri) == *uri;
    link::uri(uri).filter(|_| clean)
}

fn text_rows(text: &str, max_rows: usize, ctx: &RenderContext<'_>) -> Vec<Row> {
    let excerpt = Excerpt {
        keep: Keep::Head,
        max_rows,
        wrapping: Wrapping::Words,
        style: ctx.theme.text,
    };
    excerpt.rows(text, usize::from(ctx.width), ctx)
}

/// `[image · image/png · 24 KiB · logo.png]` (V1-CONT-02, V1-CONT-03).
fn media_row(what: &str, media: &Media, ctx: &RenderContext<'_>) -> Row {
    caption(&media_parts(what, media), ctx)
}

fn media_parts(what: &str, media: &Media) -> Vec<String> {
    let mut parts = vec![what.to_owned()];
    if let Some(uri) = &media.uri {
        parts.push(SafeText::line(&file_name(uri)).to_string());
    }
    parts.push(SafeText::line(&media.mime_type).to_string());
    parts.push(match media.size {
        Some(size) => bytes(size as u64),
        None => "cannot be decoded".to_owned(),
    });
    parts
}

/// Its line, and below that the image.
fn image(media: &Media, max_rows: usize, ctx: &RenderContext<'_>) -> Rendered {
    let data = media.data.as_ref();
    let shown = picture(data, &media.mime_type, media.size, max_rows, ctx);
    below(media_parts("image", media), shown, ctx)
}

fn below(mut parts: Vec<String>, shown: Shown, ctx: &RenderContext<'_>) -> Rendered {
    parts.extend(shown.notes);
    let mut rendered = shown.rendered;
    rendered.rows.insert(0, caption(&parts, ctx));
    rendered
}

fn link_rows(link: &ResourceLink, ctx: &RenderContext<'_>) -> Vec<Row> {
    let theme = ctx.theme;
    let name = link.title.as_ref().unwrap_or(&link.name);
    let name = if name.is_empty() {
        SafeText::line(&file_name(&link.uri))
    } else {
        SafeText::line(name)
    };
    let mut line = StyledLine::new();
    match checked_uri(&link.uri) {
        Some(uri) => line.push_link(&name, theme.markdown.link, uri),
        None => {
            line.push(&name, theme.text);
            let place = link.uri.strip_prefix("file://").unwrap_or(&link.uri);
            line.push(&format!(" ({})", SafeText::line(place)), theme.dim);
        }
    }
    let figures: Vec<String> = link
        .mime_type
        .iter()
        .map(|mime| SafeText::line(mime).to_string())
        .chain(link.size.map(bytes))
        .collect();
    for figure in figures {
        line.push(&format!(" {} {figure}", ctx.symbols.separator), theme.dim);
    }
    let mut rows = line.wrap(usize::from(ctx.width));
    if let Some(description) = &link.description {
        let text = StyledLine::styled(SafeText::line(description).as_str(), theme.dim);
        rows.extend(text.wrap(usize::from(ctx.width)));
    }
    rows
}

/// An embedded resource (V1-CONT-05).
fn resource(resource: &Resource, max_rows: usize, ctx: &RenderContext<'_>) -> Rendered {
    let mut parts = vec![
        "resource".to_owned(),
        SafeText::line(&file_name(&resource.uri)).to_string(),
    ];
    parts.extend(
        resource
            .mime_type
            .iter()
            .map(|mime| SafeText::line(mime).to_string()),
    );
    parts.push(bytes(resource.size as u64));
    let shown = match (&resource.image, &resource.mime_type) {
        (Some(image), Some(mime)) => picture(Some(image), mime, Some(resource.size), max_rows, ctx),
        _ => Shown::default(),
    };
    let mut rendered = below(parts, shown, ctx);
    if let Some(text) = &resource.text {
        rendered.rows.extend(text_rows(text, max_rows, ctx));
    }
    rendered
}
