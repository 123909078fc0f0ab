//! The text of one block: styled lines from inline events.

use std::{mem, sync::Arc};

use pulldown_cmark::{Event, Tag, TagEnd};
use ratatui::style::Style;

use super::link;
use crate::{
    text::sanitize,
    ui::{
        render::line::StyledLine,
        theme::{MarkdownStyles, Theme},
    },
};

/// Collects one block's text. Line breaks of the source are kept: agents break lines
/// deliberately, and shown text does not move when more comes.
pub struct Inline<'a> {
    theme: &'a Theme,
    done: Vec<StyledLine>,
    line: StyledLine,
    /// The innermost is last; never empty.
    styles: Vec<Style>,
    links: Vec<OpenLink>,
    /// Text not yet searched for URLs: the parser delivers it in small pieces.
    plain: String,
}

struct OpenLink {
    target: String,
    uri: Option<Arc<str>>,
    text: String,
    image: bool,
}

impl<'a> Inline<'a> {
    pub fn new(theme: &'a Theme, base: Style) -> Self {
        Self {
            theme,
            done: Vec::new(),
            line: StyledLine::new(),
            styles: vec![base],
            links: Vec::new(),
            plain: String::new(),
        }
    }

    /// The lines; at least one, which may be empty.
    pub fn finish(mut self) -> Vec<StyledLine> {
        while !self.links.is_empty() {
            self.close_link();
        }
        self.flush();
        self.done.push(self.line);
        self.done
    }

    pub fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Text(text) => {
                let text = sanitize(&text);
                if let Some(link) = self.links.last_mut() {
                    link.text.push_str(&text);
                }
                self.plain.push_str(&text);
            }
            Event::Code(code) => self.code(&sanitize(&code)),
            Event::SoftBreak | Event::HardBreak => self.newline(),
            Event::InlineHtml(html) | Event::Html(html) if is_line_break(&html) => self.newline(),
            Event::InlineHtml(html) | Event::Html(html) => {
                self.flush();
                let style = self.style().patch(self.theme.dim);
                self.push(&sanitize(&html), style);
            }
            Event::FootnoteReference(label) => {
                self.flush();
                self.push_sign(&sanitize(&label));
            }
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            _ => {}
        }
    }

    fn markdown(&self) -> &'a MarkdownStyles {
        &self.theme.markdown
    }

    fn style(&self) -> Style {
        self.styles.last().copied().unwrap_or_default()
    }

    fn start(&mut self, tag: Tag<'_>) {
        self.flush();
        match tag {
            Tag::Emphasis => self.lay(self.markdown().emphasis),
            Tag::Strong => self.lay(self.markdown().strong),
            Tag::Strikethrough => self.lay(self.markdown().strike),
            Tag::Link { dest_url, .. } => self.open_link(&dest_url, false),
            Tag::Image { dest_url, .. } => {
                self.open_link(&dest_url, true);
                self.push("[image: ", self.style());
            }
            _ => self.lay(Style::new()),
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Link | TagEnd::Image => self.close_link(),
            _ => {
                self.flush();
                self.unlay();
            }
        }
    }

    fn lay(&mut self, style: Style) {
        self.styles.push(self.style().patch(style));
    }

    fn unlay(&mut self) {
        if self.styles.len() > 1 {
            self.styles.pop();
        }
    }

    fn open_link(&mut self, target: &str, image: bool) {
        self.lay(self.markdown().link);
        self.links.push(OpenLink {
            uri: link::uri(target),
            target: sanitize(target).into_owned(),
            text: String::new(),
            image,
        });
    }

    fn close_link(&mut self) {
        self.flush();
        let Some(mut open) = self.links.pop() else {
            return;
        };
        if open.image {
            if open.text.is_empty() {
                open.text = open.target.clone();
                self.push_to(&open.target, self.style(), open.uri.clone());
            }
            self.push_to("]", self.style(), open.uri.clone());
        }
        self.unlay();
        if let Some(outer) = self.links.last_mut() {
            outer.text.push_str(&open.text);
        } else if link::is_informative(&open.text, &open.target) {
            let shown = format!(" ({})", open.target);
            self.push_to(&shown, self.style().patch(self.theme.dim), open.uri);
        }
    }

    fn code(&mut self, code: &str) {
        self.flush();
        if let Some(link) = self.links.last_mut() {
            link.text.push_str(code);
        }
        let style = self.style().patch(self.markdown().code);
        // Without a colour for it, code would look like any text.
        if self.markdown().code == Style::new() {
            self.push(&format!("`{code}`"), style);
        } else {
            self.push(code, style);
        }
    }

    fn newline(&mut self) {
        self.flush();
        self.done.push(mem::take(&mut self.line));
    }

    /// Writes the collected text; bare URLs in it become links.
    fn flush(&mut self) {
        let text = mem::take(&mut self.plain);
        let mut at = 0;
        if self.links.is_empty() {
            for range in link::bare_urls(&text) {
                if let Some(uri) = link::uri(&text[range.clone()]) {
                    self.push_signs(&text[at..range.start]);
                    let style = self.style().patch(self.markdown().link);
                    self.push_to(&text[range.clone()], style, Some(uri));
                    at = range.end;
                }
            }
        }
        self.push_signs(&text[at..]);
    }

    /// Writes text; footnote references are found here if the note comes in a later segment, so
    /// that the parser does not know it.
    fn push_signs(&mut self, mut text: &str) {
        while let Some((before, rest)) = text.split_once("[^")
            && let Some((label, after)) = rest.split_once(']')
        {
            if label.is_empty() || label.contains([' ', '[']) {
                break;
            }
            self.push(before, self.style());
            self.push_sign(label);
            text = after;
        }
        self.push(text, self.style());
    }

    /// The sign that stands for a footnote.
    fn push_sign(&mut self, label: &str) {
        let style = self.style().patch(self.theme.accent);
        self.push(&format!("[{label}]"), style);
    }

    /// Appends text; inside a link it is part of the link.
    fn push(&mut self, text: &str, style: Style) {
        let uri = self.links.last().and_then(|link| link.uri.clone());
        self.push_to(text, style, uri);
    }

    fn push_to(&mut self, text: &str, style: Style, uri: Option<Arc<str>>) {
        match uri {
            Some(uri) => self.line.push_link(text, style, uri),
            None => self.line.push(text, style),
        }
    }
}

pub(super) fn is_line_break(html: &str) -> bool {
    let html = html.trim();
    ["<br>", "<br/>", "<br />"]
        .iter()
        .any(|tag| html.eq_ignore_ascii_case(tag))
}
