//! Content other than text: placeholders that name it, links to resources.

use std::sync::Arc;

use super::{
    RenderContext, Rendered, Row,
    excerpt::{Excerpt, Keep, line_count},
    format::{bytes, count},
    line::{StyledLine, Wrapping},
    markdown::link,
};
use crate::{
    model::{ContentBlock, Media, Resource, ResourceLink, file_name},
    text::SafeText,
};

/// Rows that unfolding in place shows of one piece; the viewer shows everything.
pub const FULL_ROWS: usize = 1_000;

/// One content block at the full width; of its text at most `max_rows` rows.
pub fn render_content(
    content: &ContentBlock,
    max_rows: usize,
    ctx: &RenderContext<'_>,
) -> Rendered {
    let rows = match content {
        ContentBlock::Text(text) => text_rows(text, max_rows, ctx),
        ContentBlock::Image(media) => one_row(&media_line("image", media, ctx), ctx),
        ContentBlock::Audio(media) => one_row(&media_line("audio", media, ctx), ctx),
        ContentBlock::ResourceLink(link) => link_rows(link, ctx),
        ContentBlock::Resource(resource) => resource_rows(resource, max_rows, ctx),
        ContentBlock::ForAgent(content) => return aside(content, max_rows, ctx),
        ContentBlock::Unknown { kind, .. } => {
            let label = format!("[content of unknown type: {}]", SafeText::line(kind));
            one_row(&StyledLine::styled(&label, ctx.theme.dim), ctx)
        }
    };
    Rendered {
        rows,
        provisional: false,
    }
}

/// `▸ for the agent · 14 lines`: what is not for the person; the whole where there is the room of
/// something that was unfolded (V1-CONT-06).
fn aside(content: &ContentBlock, max_rows: usize, ctx: &RenderContext<'_>) -> Rendered {
    let unfolded = max_rows >= FULL_ROWS;
    let (symbols, dim) = (ctx.symbols, ctx.theme.dim);
    let what = match content {
        ContentBlock::Text(text) => count(line_count(text.trim()), "line"),
        ContentBlock::Image(_) => "image".to_owned(),
        ContentBlock::Audio(_) => "audio".to_owned(),
        ContentBlock::ResourceLink(_) => "link".to_owned(),
        ContentBlock::Resource(resource) => SafeText::line(&file_name(&resource.uri)).to_string(),
        ContentBlock::ForAgent(_) | ContentBlock::Unknown { .. } => "content".to_owned(),
    };
    let sign = if unfolded {
        symbols.unfolded
    } else {
        symbols.folded
    };
    let text = format!("{sign} for the agent {} {what}", symbols.separator);
    let mut rows = one_row(&StyledLine::styled(&text, dim), ctx);
    if unfolded {
        rows.extend(render_content(content, max_rows, ctx).rows);
    }
    Rendered {
        rows,
        provisional: false,
    }
}

/// `uri` where it may be a hyperlink: by the rule for those in markdown, and without anything that
/// would be shown as a sign (V1-CONT-04).
pub fn checked_uri(uri: &str) -> Option<Arc<str>> {
    let clean = *SafeText::new(uri) == *uri;
    link::uri(uri).filter(|_| clean)
}

fn one_row(line: &StyledLine, ctx: &RenderContext<'_>) -> Vec<Row> {
    vec![line.truncate(usize::from(ctx.width), ctx.symbols.ellipsis)]
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
fn media_line(what: &str, media: &Media, ctx: &RenderContext<'_>) -> StyledLine {
    let mut parts = vec![what.to_owned()];
    if let Some(uri) = &media.uri {
        parts.push(SafeText::line(&file_name(uri)).to_string());
    }
    parts.push(SafeText::line(&media.mime_type).to_string());
    parts.push(match media.size {
        Some(size) => bytes(size as u64),
        None => "cannot be decoded".to_owned(),
    });
    bracketed(&parts, ctx)
}

fn bracketed(parts: &[String], ctx: &RenderContext<'_>) -> StyledLine {
    let separator = format!(" {} ", ctx.symbols.separator);
    StyledLine::styled(&format!("[{}]", parts.join(&separator)), ctx.theme.dim)
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
fn resource_rows(resource: &Resource, max_rows: usize, ctx: &RenderContext<'_>) -> Vec<Row> {
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
    let mut rows = one_row(&bracketed(&parts, ctx), ctx);
    if let Some(text) = &resource.text {
        rows.extend(text_rows(text, max_rows, ctx));
    }
    rows
}
