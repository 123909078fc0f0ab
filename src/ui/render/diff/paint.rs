//! Lines of a diff as rows: unified or side by side.

use std::ops::Range;

use ratatui::style::Style;

use super::{
    blank,
    model::{DiffLine, DiffModel, Form, Lines, Side},
};
use crate::{
    config::DiffLayout,
    text::{expand_tabs, first_bytes, last_bytes},
    ui::render::{
        RenderContext, Row,
        code::{Code, Highlight, Language, styled_line},
        excerpt::MAX_LINE_BYTES,
        format::{bytes, count},
        line::{StyledLine, Wrapping, pad, row_width},
        written::Written,
    },
};

/// From this width on `auto` shows both sides.
const SPLIT_FROM: u16 = 140;
/// Below this there is no room for two sides, whatever is configured.
const SPLIT_MIN: u16 = 60;
/// Below this there is room for none.
const NUMBERS_FROM: u16 = 28;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    Unified,
    Split,
}

/// What is drawn as a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    Line(DiffLine),
    /// Both sides of one row; one of them at least.
    Pair(Option<DiffLine>, Option<DiffLine>),
}

impl Item {
    /// Whether any line in it is removed or added.
    pub fn is_change(self) -> bool {
        let is =
            |line: &DiffLine| matches!(line, DiffLine::Removed { .. } | DiffLine::Added { .. });
        match self {
            Self::Line(line) => is(&line),
            Self::Pair(left, right) => left.iter().chain(&right).any(is),
        }
    }

    pub fn has(self, line: DiffLine) -> bool {
        match self {
            Self::Line(own) => own == line,
            Self::Pair(left, right) => left == Some(line) || right == Some(line),
        }
    }

    /// The lines that it shows.
    pub fn texts(self, model: &DiffModel) -> impl Iterator<Item = &str> {
        let lines = match self {
            Self::Line(line) => [Some(line), None],
            Self::Pair(left, right) => [left, right],
        };
        let places = lines.into_iter().flatten().filter_map(place);
        places.map(|(side, at)| match side {
            Side::Old => model.old.get(at),
            Side::New => model.new.get(at),
        })
    }

    /// Lines of text in it, for counting what is left out.
    pub fn text_lines(self) -> usize {
        let is_text = |line: &DiffLine| !matches!(line, DiffLine::Gap { .. });
        match self {
            Self::Line(line) => usize::from(is_text(&line)),
            Self::Pair(Some(DiffLine::Context { .. }), _) => 1,
            Self::Pair(left, right) => left.iter().chain(&right).filter(|l| is_text(l)).count(),
        }
    }
}

impl Layout {
    pub fn choose(configured: DiffLayout, model: &DiffModel, width: u16) -> Self {
        Self::of_form(configured, model.form, width)
    }

    pub fn of_form(configured: DiffLayout, form: Form, width: u16) -> Self {
        let fits = match configured {
            DiffLayout::Auto => width >= SPLIT_FROM,
            DiffLayout::Unified => false,
            DiffLayout::Split => width >= SPLIT_MIN,
        };
        // Of a new or emptied file one side would be blank.
        if fits && form == Form::Changed {
            Self::Split
        } else {
            Self::Unified
        }
    }

    /// The diff from its beginning.
    pub fn items(self, model: &DiffModel) -> impl Iterator<Item = Item> + '_ {
        Items {
            lines: &model.lines,
            at: 0,
            layout: self,
            pairing: Pairing::default(),
        }
    }
}

/// A run of removed lines next to the run of added ones that follows it.
#[derive(Default)]
struct Pairing {
    removed: Range<usize>,
    added: Range<usize>,
}

struct Items<'a> {
    lines: &'a [DiffLine],
    at: usize,
    layout: Layout,
    pairing: Pairing,
}

impl Iterator for Items<'_> {
    type Item = Item;

    fn next(&mut self) -> Option<Item> {
        if self.layout == Layout::Unified {
            let line = self.lines.get(self.at)?;
            self.at += 1;
            return Some(Item::Line(*line));
        }
        if self.pairing.removed.is_empty() && self.pairing.added.is_empty() {
            let line = *self.lines.get(self.at)?;
            if !matches!(line, DiffLine::Removed { .. } | DiffLine::Added { .. }) {
                self.at += 1;
                return Some(match line {
                    DiffLine::Context { .. } => Item::Pair(Some(line), Some(line)),
                    other => Item::Line(other),
                });
            }
            let removed = self.run(self.at, |line| matches!(line, DiffLine::Removed { .. }));
            let added = self.run(removed.end, |line| matches!(line, DiffLine::Added { .. }));
            self.at = added.end;
            self.pairing = Pairing { removed, added };
        }
        let left = self
            .pairing
            .removed
            .next()
            .and_then(|at| self.lines.get(at));
        let right = self.pairing.added.next().and_then(|at| self.lines.get(at));
        Some(Item::Pair(left.copied(), right.copied()))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let most =
            self.lines.len() - self.at + self.pairing.removed.len() + self.pairing.added.len();
        (most / 2, Some(most))
    }
}

impl Items<'_> {
    fn run(&self, start: usize, is_part: impl Fn(&DiffLine) -> bool) -> Range<usize> {
        let rest = self.lines.get(start..).unwrap_or(&[]);
        let len = rest.iter().take_while(|line| is_part(line)).count();
        start..start + len
    }
}

/// Cells between the sides.
const DIVIDER: usize = 3;

/// The rows of a pair's sides, each in columns of its own.
pub struct Sides {
    pub left: Vec<Row>,
    pub right: Vec<Row>,
    /// The column at which the right side begins.
    pub right_at: usize,
}

/// Draws items of one diff at one width.
pub struct Painter<'a> {
    model: &'a DiffModel,
    ctx: &'a RenderContext<'a>,
    /// Of both texts, the old one first, as far as they are computed.
    syntax: [Highlight; 2],
    /// Digits of a line number.
    digits: usize,
    /// Of one line's text.
    line_bytes: usize,
}

/// Bytes of one line that the viewer shows, as what is approved must be visible. A longer change says
/// how much of it is not shown.
const VIEWER_LINE_BYTES: usize = 256 << 10;

/// Common bytes of a long line and its counterpart that are shown on either side of
/// the change.
const BESIDE_CHANGE: usize = 200;

/// The part of a line that is shown.
struct Cut<'a> {
    shown: &'a str,
    /// Bytes before it, the same on both sides.
    before: usize,
    /// The changed bytes in `shown`; `None` where the whole line counts.
    changed: Option<Range<usize>>,
    /// Bytes after it: of the change, and those that are the same on both sides.
    hidden: usize,
    after: usize,
}

impl<'a> Painter<'a> {
    /// For the viewer: lines as far as [`VIEWER_LINE_BYTES`].
    pub fn long_lines(self) -> Self {
        Self {
            line_bytes: VIEWER_LINE_BYTES,
            ..self
        }
    }

    pub fn new(model: &'a DiffModel, path: &str, ctx: &'a RenderContext<'a>) -> Self {
        Self {
            model,
            ctx,
            syntax: [&model.old, &model.new]
                .map(|lines| Code::whole(Language::Path(path), lines.text()).highlight(ctx)),
            digits: model.highest_number().max(1).ilog10() as usize + 1,
            line_bytes: MAX_LINE_BYTES,
        }
    }

    /// Whether the colours are still being computed.
    pub fn provisional(&self) -> bool {
        self.syntax.iter().any(|side| side.pending)
    }

    /// Rows of one item; at least one.
    pub fn item(&self, item: Item) -> Vec<Row> {
        match item {
            Item::Line(DiffLine::Gap { hidden }) => vec![self.gap(hidden)],
            Item::Line(line) => {
                let width = usize::from(self.ctx.width);
                self.side(Some(line), self.unified_gutter(line), width)
            }
            Item::Pair(left, right) => self.pair(left, right),
        }
    }

    /// The rows of both sides, before they stand side by side.
    pub fn sides(&self, left: Option<DiffLine>, right: Option<DiffLine>) -> Sides {
        let width = usize::from(self.ctx.width);
        let left_width = (width - DIVIDER) / 2;
        let right_width = width - DIVIDER - left_width;
        Sides {
            left: self.side(left, self.split_gutter(left, Side::Old), left_width),
            right: self.side(right, self.split_gutter(right, Side::New), right_width),
            right_at: left_width + DIVIDER,
        }
    }

    fn pair(&self, left: Option<DiffLine>, right: Option<DiffLine>) -> Vec<Row> {
        let divider = if self.ctx.symbols.ascii {
            " | "
        } else {
            " │ "
        };
        let sides = self.sides(left, right);
        let left_width = sides.right_at - DIVIDER;
        let height = sides.left.len().max(sides.right.len());
        let mut lefts = sides.left.into_iter();
        let mut rights = sides.right.into_iter();
        (0..height)
            .map(|_| {
                let mut row = lefts.next().unwrap_or_else(blank);
                pad(&mut row, left_width, Style::new());
                row.line
                    .spans
                    .push(ratatui::text::Span::styled(divider, self.ctx.theme.border));
                if let Some(right) = rights.next() {
                    row.line.spans.extend(right.line.spans);
                }
                row
            })
            .collect()
    }

    fn gap(&self, hidden: u32) -> Row {
        let mut line = StyledLine::styled(self.ctx.symbols.ellipsis, self.ctx.theme.diff.hunk);
        line.push(
            &format!(" {} unchanged", count(hidden as usize, "line")),
            self.ctx.theme.diff.hunk,
        );
        let mut row = line.truncate(usize::from(self.ctx.width), self.ctx.symbols.ellipsis);
        row.written = Written::NOTHING;
        row
    }

    /// One line behind its gutter, wrapped to `width` cells; changed ones fill it.
    fn side(&self, line: Option<DiffLine>, gutter: StyledLine, width: usize) -> Vec<Row> {
        let Some((side, at)) = line.and_then(place) else {
            return vec![blank()];
        };
        let style = self.style(line);
        let text = self.text(side, at, line, style);
        let mut rest = StyledLine::new();
        rest.fill_to(gutter.width(), style);
        let mut rows = text.wrap_with(Wrapping::Verbatim, width, &gutter, &rest);
        if style.bg.is_some() {
            for row in &mut rows {
                if row_width(row) < width {
                    pad(row, width, style);
                }
            }
        }
        rows
    }

    fn text(&self, side: Side, at: u32, line: Option<DiffLine>, style: Style) -> StyledLine {
        let theme = &self.ctx.theme.diff;
        let lines = self.lines(side);
        let cut = self.cut(side, at, line);
        let (raw, cr) = match cut.shown.strip_suffix('␍') {
            Some(raw) => (raw, self.model.show_cr && !is_context(line)),
            None => (cut.shown, false),
        };
        let whole = cut.before == 0;
        // Colours of the syntax are laid over a background; where the change itself is told by the
        // colour of its letters, that one stays.
        let by_letters = style.fg.is_some() || !style.add_modifier.is_empty();
        let mut text = if whole && (is_context(line) || !by_letters) {
            let tokens = self.syntax[side as usize].line(at as usize);
            styled_line(raw, tokens, self.ctx.theme, style)
        } else {
            StyledLine::styled(raw, style)
        };
        let word = match side {
            Side::Old => theme.removed_word,
            Side::New => theme.added_word,
        };
        if !is_context(line) {
            let words = self.model.emphasis(side, at);
            for range in words.iter().chain(&cut.changed) {
                text.patch(expanded(raw, range), word);
            }
        }
        if cr {
            text.push("␍", style.patch(self.ctx.theme.warning));
        }
        if cut.before > 0 {
            let same = format!("({} the same) ", bytes(cut.before as u64));
            let mut led = StyledLine::styled(&same, style.patch(self.ctx.theme.dim));
            led.extend(&text);
            text = led;
        }
        if cut.hidden > 0 {
            let hidden = format!(" ({} more, not shown)", bytes(cut.hidden as u64));
            text.push(&hidden, style.patch(self.ctx.theme.warning));
        }
        if cut.after > 0 {
            let same = format!(" ({} the same)", bytes(cut.after as u64));
            text.push(&same, style.patch(self.ctx.theme.dim));
        }
        // A patch states it; of two texts, each can be a part of a file.
        let said = self.model.is_patch() || !is_context(line) && self.newlines_differ();
        if said && lines.lacks_newline(at) {
            text.push(" (no newline at the end)", style.patch(self.ctx.theme.dim));
        }
        text
    }

    /// Long lines are shown around their change, which must not lie behind the cut.
    fn cut(&self, side: Side, at: u32, line: Option<DiffLine>) -> Cut<'a> {
        let whole = self.lines(side).get(at);
        let changed = self
            .model
            .changed_part(side, at)
            .filter(|_| !is_context(line));
        let Some(changed) = changed.filter(|_| whole.len() > self.line_bytes) else {
            let shown = first_bytes(whole, self.line_bytes);
            let left = whole.len() - shown.len();
            let (hidden, after) = if is_context(line) {
                (0, left)
            } else {
                (left, 0)
            };
            return Cut {
                shown,
                before: 0,
                changed: None,
                hidden,
                after,
            };
        };
        let before = changed.start - last_bytes(&whole[..changed.start], BESIDE_CHANGE).len();
        let shown_change = first_bytes(&whole[changed.clone()], self.line_bytes);
        let change_end = changed.start + shown_change.len();
        let hidden = changed.end - change_end;
        let beside = if hidden > 0 { 0 } else { BESIDE_CHANGE };
        let end = change_end + first_bytes(&whole[change_end..], beside).len();
        Cut {
            shown: &whole[before..end],
            before,
            changed: Some(changed.start - before..change_end - before),
            hidden,
            after: whole.len() - end - hidden,
        }
    }

    fn newlines_differ(&self) -> bool {
        let ends = |lines: &Lines| lines.len() == 0 || lines.text().ends_with('\n');
        ends(&self.model.old) != ends(&self.model.new)
    }

    fn lines(&self, side: Side) -> &'a Lines {
        match side {
            Side::Old => &self.model.old,
            Side::New => &self.model.new,
        }
    }

    fn style(&self, line: Option<DiffLine>) -> Style {
        match line {
            Some(DiffLine::Removed { .. }) => self.ctx.theme.diff.removed,
            Some(DiffLine::Added { .. }) => self.ctx.theme.diff.added,
            _ => self.ctx.theme.text,
        }
    }

    /// ` 12 + `: the line's number and the sign. A removed line has its number in the old text, every
    /// other its number in the new one.
    fn unified_gutter(&self, line: DiffLine) -> StyledLine {
        let (side, at) = match line {
            DiffLine::Context { new, .. } | DiffLine::Added { new } => (Side::New, Some(new)),
            DiffLine::Removed { old } => (Side::Old, Some(old)),
            DiffLine::Gap { .. } => (Side::New, None),
        };
        let mut numbers = String::new();
        if self.ctx.width >= NUMBERS_FROM {
            numbers = format!("{} ", self.number(side, at));
        }
        self.gutter(numbers, line)
    }

    fn split_gutter(&self, line: Option<DiffLine>, side: Side) -> StyledLine {
        let Some(line) = line else {
            return StyledLine::new();
        };
        let at = match (line, side) {
            (DiffLine::Context { old, .. } | DiffLine::Removed { old }, Side::Old) => Some(old),
            (DiffLine::Context { new, .. } | DiffLine::Added { new }, Side::New) => Some(new),
            _ => None,
        };
        self.gutter(format!("{} ", self.number(side, at)), line)
    }

    fn gutter(&self, numbers: String, line: DiffLine) -> StyledLine {
        let theme = &self.ctx.theme.diff;
        let (sign, style) = match line {
            DiffLine::Removed { .. } => ("-", theme.removed_gutter),
            DiffLine::Added { .. } => ("+", theme.added_gutter),
            _ => (" ", Style::new()),
        };
        let background = Style {
            bg: style.bg,
            ..Style::new()
        };
        let mut gutter = StyledLine::styled(&numbers, theme.line_number.patch(background));
        gutter.push(sign, style);
        gutter.push(" ", self.style(Some(line)));
        // Some lines of a change are no patch: they are copied without the signs.
        gutter.as_gutter()
    }

    /// 1-based, right-aligned; blanks for none.
    fn number(&self, side: Side, at: Option<u32>) -> String {
        let digits = self.digits;
        match at {
            Some(at) => format!("{:>digits$}", self.model.number(side, at)),
            None => " ".repeat(digits),
        }
    }
}

fn is_context(line: Option<DiffLine>) -> bool {
    matches!(line, Some(DiffLine::Context { .. }))
}

/// The side whose text a line shows, and which of its lines.
fn place(line: DiffLine) -> Option<(Side, u32)> {
    match line {
        DiffLine::Gap { .. } => None,
        DiffLine::Removed { old } => Some((Side::Old, old)),
        DiffLine::Context { new, .. } | DiffLine::Added { new } => Some((Side::New, new)),
    }
}

/// A range of `raw` after its tabs were expanded.
fn expanded(raw: &str, range: &Range<usize>) -> Range<usize> {
    if !raw.contains('\t') {
        return range.clone();
    }
    let map = |at: usize| expand_tabs(first_bytes(raw, at), 0).len();
    map(range.start)..map(range.end)
}
