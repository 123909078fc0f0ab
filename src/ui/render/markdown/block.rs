//! Blocks to rows: margins (bullets, quote bars), the blank rows between, and passing each kind to
//! what draws it. It works on events, with explicit stacks: however deep a source nests, nothing
//! recurses.

use std::borrow::Cow;

use pulldown_cmark::{BlockQuoteKind, CodeBlockKind, Event, HeadingLevel, Parser, Tag, TagEnd};
use ratatui::style::{Modifier, Style};

use super::{
    LinkDefs, OPTIONS,
    inline::Inline,
    mend::mend,
    split::{CodePiece, Segment, Shape, TABLE_ROWS, is_after_blank_line},
    table::Table,
};
use crate::{
    text::{cell_width, sanitize},
    ui::render::{
        RenderContext, Rendered, Row,
        code::{self, Code, Language},
        line::{StyledLine, Wrapping, prefixed, room_beside, rule},
        written::Written,
    },
};

/// Deeper nesting is drawn no deeper.
const MAX_DEPTH: usize = 24;

/// Renders one segment of `source`, with its leading blank row where it has one. No rows where
/// there is nothing to show (a link definition).
pub fn render(
    source: &str,
    segment: &Segment,
    defs: &LinkDefs,
    ctx: &RenderContext<'_>,
) -> Rendered {
    let mut blocks = Blocks::new(ctx);
    let open = source.get(segment.range.clone()).unwrap_or_default();
    if let Shape::Code(piece) = &segment.shape {
        blocks.code_piece(source, piece, segment.done);
    } else if segment.shape == Shape::Plain {
        let lines = open.strip_suffix('\n').unwrap_or(open);
        let lines: Vec<_> = StyledLine::lines(lines, ctx.theme.text).collect();
        blocks.lines(&lines, Wrapping::Verbatim);
    } else {
        let text = if segment.done {
            Cow::Borrowed(open)
        } else {
            mend(open, matches!(segment.shape, Shape::Rows { .. }))
        };
        match &segment.shape {
            Shape::Rows { head } => {
                let head = source.get(head.clone()).unwrap_or_default();
                blocks.skip_rows = Some(TABLE_ROWS);
                blocks.markdown(&format!("{head}{text}"), segment, defs);
            }
            Shape::Item { ordinal } => {
                blocks.ordinal = *ordinal;
                blocks.markdown(&text, segment, defs);
            }
            _ => blocks.markdown(&text, segment, defs),
        }
    }
    let mut rendered = blocks.out;
    if segment.gap && !rendered.rows.is_empty() {
        rendered.rows.insert(0, Row::default());
    }
    rendered
}

struct Blocks<'a> {
    ctx: &'a RenderContext<'a>,
    out: Rendered,
    /// From the outermost in.
    margins: Vec<Margin>,
    styles: Vec<Style>,
    lists: Vec<List>,
    leaf: Leaf<'a>,
    /// The blank row that is due before the next one.
    blank: Option<Row>,
    /// The block before, among those in the same container.
    before: Vec<Option<Kind>>,
    /// Where the segment is a list item: its number.
    ordinal: Option<u64>,
    /// Where the segment goes on with a table: rows that were drawn before.
    skip_rows: Option<usize>,
}

/// What a container puts before each of its rows.
struct Margin {
    first: StyledLine,
    rest: StyledLine,
    /// The first row was drawn.
    begun: bool,
}

struct List {
    /// The number of the next item.
    next: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Paragraph,
    List,
    Other,
}

/// The block whose content is being collected.
enum Leaf<'a> {
    None,
    Text(Inline<'a>),
    Code {
        info: Option<String>,
        text: String,
        at: usize,
    },
    Html(String),
    Table {
        table: Table,
        row: Vec<Vec<StyledLine>>,
        cell: Option<Inline<'a>>,
    },
}

impl<'a> Blocks<'a> {
    fn new(ctx: &'a RenderContext<'a>) -> Self {
        Self {
            ctx,
            out: Rendered::default(),
            margins: Vec::new(),
            styles: vec![ctx.theme.text],
            lists: Vec::new(),
            leaf: Leaf::None,
            blank: None,
            before: vec![None],
            ordinal: None,
            skip_rows: None,
        }
    }

    fn markdown(&mut self, text: &str, segment: &Segment, defs: &LinkDefs) {
        let resolve = |link: pulldown_cmark::BrokenLink<'_>| defs.resolve(&link);
        let parser = Parser::new_with_broken_link_callback(text, OPTIONS, Some(resolve));
        for (event, range) in parser.into_offset_iter() {
            match event {
                Event::Start(tag) if is_block(&tag) => {
                    self.end_implicit_text();
                    self.start(tag, text, range.start, segment);
                }
                Event::End(tag) if is_block_end(tag) => {
                    if matches!(tag, TagEnd::Item) {
                        self.end_implicit_text();
                    }
                    self.end(tag, segment);
                }
                Event::Rule => {
                    self.end_implicit_text();
                    self.begin(Kind::Other, text, range.start);
                    let (theme, symbols) = (self.ctx.theme, self.ctx.symbols);
                    let row = rule(
                        symbols.rule,
                        self.room().min(self.ctx.prose_width().into()),
                        theme.markdown.rule,
                    );
                    self.rows(vec![row]);
                }
                Event::TaskListMarker(checked) => self.task(checked),
                other => self.inline(other, text, range.start),
            }
        }
        self.end_implicit_text();
    }

    fn start(&mut self, tag: Tag<'_>, text: &str, at: usize, segment: &Segment) {
        let theme = self.ctx.theme;
        match tag {
            Tag::Paragraph => {
                self.begin(Kind::Paragraph, text, at);
                self.leaf = Leaf::Text(Inline::new(theme, self.style()));
            }
            Tag::Heading { level, .. } => {
                self.begin(Kind::Other, text, at);
                let style = theme.markdown.heading[heading_index(level)];
                self.leaf = Leaf::Text(Inline::new(theme, self.style().patch(style)));
            }
            Tag::BlockQuote(kind) => {
                self.begin(Kind::Other, text, at);
                let margin = StyledLine::styled(self.ctx.symbols.quote, theme.border)
                    .with(" ", Style::new())
                    .as_gutter();
                self.styles.push(self.style().patch(match kind {
                    None => theme.markdown.quote,
                    Some(_) => Style::new(),
                }));
                self.enter(margin.clone(), margin);
                if let Some(kind) = kind {
                    self.alert(kind);
                }
            }
            Tag::CodeBlock(kind) => {
                self.begin(Kind::Other, text, at);
                self.leaf = Leaf::Code {
                    info: match kind {
                        CodeBlockKind::Fenced(info) => Some(sanitize(&info).into_owned()),
                        CodeBlockKind::Indented => None,
                    },
                    text: String::new(),
                    at: segment.range.start + at,
                };
            }
            Tag::HtmlBlock => {
                self.begin(Kind::Other, text, at);
                self.leaf = Leaf::Html(String::new());
            }
            Tag::List(first) => {
                self.begin(Kind::List, text, at);
                // The segment's own number, not what its text says.
                let own = self.ordinal.take();
                self.lists.push(List {
                    next: own.or(first),
                });
                self.before.push(None);
            }
            Tag::Item => {
                self.begin(Kind::Other, text, at);
                self.item();
            }
            Tag::FootnoteDefinition(label) => {
                self.begin(Kind::Other, text, at);
                let first = format!("[{}] ", sanitize(&label));
                self.hang(StyledLine::styled(&first, theme.accent));
            }
            Tag::Table(alignments) => {
                self.begin(Kind::Other, text, at);
                self.leaf = Leaf::Table {
                    table: Table {
                        alignments,
                        ..Table::default()
                    },
                    row: Vec::new(),
                    cell: None,
                };
            }
            Tag::TableCell => {
                let style = self.style();
                if let Leaf::Table { table, cell, .. } = &mut self.leaf {
                    let style = match table.head.is_empty() {
                        true => style.patch(theme.markdown.table_head),
                        false => style,
                    };
                    *cell = Some(Inline::new(theme, style));
                }
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd, segment: &Segment) {
        match tag {
            TagEnd::Paragraph | TagEnd::Heading(_) => {
                if let Leaf::Text(text) = self.take_leaf() {
                    self.lines(&text.finish(), Wrapping::Words);
                }
            }
            TagEnd::BlockQuote(_) => {
                self.leave();
                self.styles.pop();
            }
            TagEnd::CodeBlock => {
                if let Leaf::Code { info, text, at } = self.take_leaf() {
                    let code = Code {
                        done: segment.done,
                        id: at as u64,
                        ..Code::whole(Language::Fence(info.as_deref().unwrap_or("")), &text)
                    };
                    self.label(info.as_deref().unwrap_or(""));
                    self.code(&code);
                }
            }
            TagEnd::HtmlBlock => {
                if let Leaf::Html(html) = self.take_leaf() {
                    let style = self.style().patch(self.ctx.theme.dim);
                    let html = sanitize(html.trim_end());
                    let lines: Vec<_> = StyledLine::lines(&html, style).collect();
                    self.lines(&lines, Wrapping::Words);
                }
            }
            TagEnd::List(_) => {
                self.lists.pop();
                self.before.pop();
            }
            TagEnd::Item => {
                self.leave();
            }
            TagEnd::FootnoteDefinition => self.leave(),
            TagEnd::TableCell => {
                if let Leaf::Table { row, cell, .. } = &mut self.leaf
                    && let Some(text) = cell.take()
                {
                    row.push(text.finish());
                }
            }
            TagEnd::TableHead => {
                if let Leaf::Table { table, row, .. } = &mut self.leaf {
                    table.head = std::mem::take(row);
                }
            }
            TagEnd::TableRow => {
                if let Leaf::Table { table, row, .. } = &mut self.leaf {
                    table.rows.push(std::mem::take(row));
                }
            }
            TagEnd::Table => {
                if let Leaf::Table { table, .. } = self.take_leaf() {
                    let rows = table.render(self.skip_rows.take(), self.prose_room(), self.ctx);
                    self.rows(rows);
                }
            }
            _ => {}
        }
    }

    /// What stands inside blocks. In a tight list text stands in the item itself.
    fn inline(&mut self, event: Event<'_>, text: &str, at: usize) {
        if matches!(self.leaf, Leaf::None) {
            self.begin(Kind::Paragraph, text, at);
            self.leaf = Leaf::Text(Inline::new(self.ctx.theme, self.style()));
        }
        match (&mut self.leaf, event) {
            (Leaf::Text(inline), event)
            | (
                Leaf::Table {
                    cell: Some(inline), ..
                },
                event,
            ) => inline.event(event),
            (
                Leaf::Code { text, .. } | Leaf::Html(text),
                Event::Text(piece) | Event::Html(piece),
            ) => {
                text.push_str(&piece);
            }
            _ => {}
        }
    }

    fn end_implicit_text(&mut self) {
        if matches!(self.leaf, Leaf::Text(_))
            && let Leaf::Text(text) = self.take_leaf()
        {
            self.lines(&text.finish(), Wrapping::Words);
        }
    }

    fn take_leaf(&mut self) -> Leaf<'a> {
        std::mem::replace(&mut self.leaf, Leaf::None)
    }

    fn style(&self) -> Style {
        self.styles.last().copied().unwrap_or_default()
    }

    /// Begins a block: with a blank row where it stands apart from the one before.
    fn begin(&mut self, kind: Kind, text: &str, at: usize) {
        let Some(before) = self.before.last_mut() else {
            return;
        };
        let as_written = match (before.replace(kind), kind) {
            (None, _) => return,
            (Some(Kind::Paragraph), Kind::List) => true,
            // In an item and between items.
            _ => !self.lists.is_empty(),
        };
        let apart = !as_written || is_after_blank_line(text, at);
        self.blank = apart.then(|| {
            let mut blank = StyledLine::new();
            for margin in &self.margins {
                blank.extend(&margin.rest);
            }
            let bars = cell_width(blank.text().trim_end());
            blank.truncate(bars.min(self.ctx.width.into()), "")
        });
    }

    /// Opens a container.
    fn enter(&mut self, first: StyledLine, rest: StyledLine) {
        let deep = self.margins.len() >= MAX_DEPTH;
        let (first, rest) = match deep {
            true => Default::default(),
            false => (first, rest),
        };
        self.margins.push(Margin {
            first,
            rest,
            begun: false,
        });
        self.before.push(None);
    }

    /// Opens a container whose rows are set in by the width of the first one's sign.
    fn hang(&mut self, first: StyledLine) {
        let rest = StyledLine::blanks(first.width());
        self.enter(first, rest);
    }

    fn leave(&mut self) {
        // An empty container still has a row.
        if self.margins.last().is_some_and(|margin| !margin.begun) {
            self.lines(&[StyledLine::new()], Wrapping::Words);
        }
        self.margins.pop();
        self.before.pop();
    }

    fn item(&mut self) {
        let depth = self.lists.len();
        let bullet_style = self.ctx.theme.markdown.bullet;
        let symbols = self.ctx.symbols;
        let sign = match self.lists.last_mut() {
            Some(List { next: Some(number) }) => {
                let sign = format!("{number}. ");
                *number = number.saturating_add(1);
                sign
            }
            _ if depth > 1 => format!("{} ", symbols.bullet_inner),
            _ => format!("{} ", symbols.bullet),
        };
        self.hang(StyledLine::styled(&sign, bullet_style));
    }

    /// Replaces an item's bullet by a box.
    fn task(&mut self, checked: bool) {
        let (theme, symbols) = (self.ctx.theme, self.ctx.symbols);
        let (sign, style) = match checked {
            true => (symbols.checked, theme.success),
            false => (symbols.unchecked, theme.markdown.bullet),
        };
        if let Some(margin) = self.margins.last_mut()
            && !margin.begun
            && !margin.first.is_empty()
        {
            margin.first = StyledLine::styled(&format!("{sign} "), style);
            margin.rest = StyledLine::blanks(margin.first.width());
        }
    }

    fn alert(&mut self, kind: BlockQuoteKind) {
        let theme = self.ctx.theme;
        let (name, style) = match kind {
            BlockQuoteKind::Note => ("Note", theme.accent),
            BlockQuoteKind::Tip => ("Tip", theme.success),
            BlockQuoteKind::Important => ("Important", theme.accent),
            BlockQuoteKind::Warning => ("Warning", theme.warning),
            BlockQuoteKind::Caution => ("Caution", theme.error),
        };
        let title = StyledLine::styled(name, style.add_modifier(Modifier::BOLD));
        self.lines(&[title], Wrapping::Words);
    }

    fn code_piece(&mut self, source: &str, piece: &CodePiece, done: bool) {
        let part = |range: std::ops::Range<usize>| source.get(range).unwrap_or_default();
        let (info, body) = (part(piece.info.clone()), shown_body(source, piece, done));
        if piece.is_first() {
            self.label(info);
        }
        let text = piece.fence.code(body);
        let before = piece.fence.code(part(piece.start..piece.body.start));
        self.code(&Code {
            before: &before,
            previous: piece.previous,
            done,
            id: piece.body.start as u64,
            ..Code::whole(Language::Fence(info), &text)
        });
    }

    /// The language of a code block, where it is told.
    fn label(&mut self, info: &str) {
        let name = info.split([' ', ',', '{']).next().unwrap_or_default();
        if !name.is_empty() {
            let line = StyledLine::styled(name, self.ctx.theme.dim);
            let mut row = line.truncate(self.room(), self.ctx.symbols.ellipsis);
            row.written = Written::NOTHING;
            self.rows(vec![row]);
        }
    }

    /// Code has nothing to its left or right, and long lines go on without a sign: what is selected
    /// in the terminal is the code.
    fn code(&mut self, code: &Code<'_>) {
        let highlight = code.highlight(self.ctx);
        self.out.provisional |= highlight.pending;
        let base = self.style();
        let text = code.text.strip_suffix('\n').unwrap_or(code.text);
        if text.is_empty() && code.text.is_empty() {
            return;
        }
        let lines: Vec<_> = text
            .split('\n')
            .enumerate()
            .map(|(n, line)| code::styled_line(line, highlight.line(n), self.ctx.theme, base))
            .collect();
        self.lines(&lines, Wrapping::Verbatim);
    }

    /// Cells between the margins.
    fn room(&self) -> usize {
        room_beside(self.margins(), self.ctx.width.into())
    }

    /// As [`Self::room`], up to where prose ends.
    fn prose_room(&self) -> usize {
        room_beside(self.margins(), self.ctx.prose_width().into())
    }

    fn margins(&self) -> usize {
        self.margins.iter().map(|margin| margin.rest.width()).sum()
    }

    /// The prefixes of the next row and of those after it. To be called
    /// when rows are added: it puts a due blank row before them.
    fn prefixes(&mut self) -> (StyledLine, StyledLine) {
        self.out.rows.extend(self.blank.take());
        let (mut first, mut rest) = (StyledLine::new(), StyledLine::new());
        for margin in &mut self.margins {
            first.extend(if margin.begun {
                &margin.rest
            } else {
                &margin.first
            });
            rest.extend(&margin.rest);
            margin.begun = true;
        }
        (first, rest)
    }

    fn lines(&mut self, lines: &[StyledLine], wrapping: Wrapping) {
        let width = match wrapping {
            Wrapping::Words => self.ctx.prose_width(),
            Wrapping::Hard | Wrapping::Verbatim => self.ctx.width,
        };
        let width = usize::from(width);
        for line in lines {
            let (first, rest) = self.prefixes();
            let rows = line.wrap_with(wrapping, width, &first, &rest);
            self.out.rows.extend(rows);
        }
    }

    /// Adds rows that already fit the room.
    fn rows(&mut self, rows: Vec<Row>) {
        let width = usize::from(self.ctx.width);
        for row in rows {
            let (first, _) = self.prefixes();
            self.out.rows.push(prefixed(&first, row, width));
        }
    }
}

/// The code of a piece; of one that is not done without what may become its closing fence.
pub(super) fn shown_body<'a>(source: &'a str, piece: &CodePiece, done: bool) -> &'a str {
    let body = source.get(piece.body.clone()).unwrap_or_default();
    let last = body.rfind('\n').map_or(0, |at| at + 1);
    if !done && piece.fence.may_close(&body[last..]) {
        return &body[..last];
    }
    body
}

fn heading_index(level: HeadingLevel) -> usize {
    (level as usize).clamp(1, 6) - 1
}

fn is_block(tag: &Tag<'_>) -> bool {
    !matches!(
        tag,
        Tag::Emphasis | Tag::Strong | Tag::Strikethrough | Tag::Link { .. } | Tag::Image { .. }
    )
}

fn is_block_end(tag: TagEnd) -> bool {
    !matches!(
        tag,
        TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link | TagEnd::Image
    )
}
