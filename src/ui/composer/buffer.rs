//! The draft's text and caret: `ratatui-textarea` as the store of lines and of single edits.
//!
//! What the widget lacks is laid over it here: a caret that stands between grapheme clusters only
//! (its own moves by `char`, and cannot pass a combining mark at a line's end), undo by words and
//! whole operations, kills that add up. The widget lays out its whole text on each edit, and
//! addresses rows and columns by `u16`; [`LIMIT`] keeps both harmless.

use std::{borrow::Cow, collections::VecDeque, ops::Range};

use ratatui_textarea::{CursorMove, DataCursor, TextArea};
use unicode_segmentation::{GraphemeCursor, UnicodeSegmentation};

/// Bytes of text in the buffer; longer text goes into chips. Below `u16::MAX`, so that each place
/// can be addressed, and the widget lays it out in well under a millisecond.
pub const LIMIT: usize = 60_000;

/// A place in the draft.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Caret {
    /// Logical line.
    pub line: usize,
    /// Byte in it: always at the border of a unit.
    pub byte: usize,
}

/// Where a key leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Motion {
    Left,
    Right,
    WordLeft,
    WordRight,
    /// Words as separated by blanks (ctrl-w).
    BlankWordLeft,
    LineStart,
    LineEnd,
}

#[derive(Debug)]
pub struct Buffer {
    area: TextArea<'static>,
    undo: UndoGroups,
    rev: u64,
}

impl Default for Buffer {
    fn default() -> Self {
        Self {
            area: new_area(vec![String::new()]),
            undo: UndoGroups::default(),
            rev: 0,
        }
    }
}

fn new_area(lines: Vec<String>) -> TextArea<'static> {
    let mut area = TextArea::new(lines);
    area.set_max_histories(MAX_ENTRIES);
    area
}

impl Buffer {
    pub fn lines(&self) -> &[String] {
        self.area.lines()
    }

    /// The line at `index`, else the last one.
    pub fn line(&self, index: usize) -> &str {
        let lines = self.lines();
        lines.get(index).or(lines.last()).map_or("", String::as_str)
    }

    pub fn text(&self) -> String {
        self.lines().join("\n")
    }

    pub fn is_empty(&self) -> bool {
        self.area.is_empty()
    }

    /// Bytes of [`Buffer::text`].
    pub fn len(&self) -> usize {
        let lines = self.lines().iter();
        lines.map(|line| line.len() + 1).sum::<usize>() - 1
    }

    /// Whether that many more bytes stay within [`LIMIT`].
    pub fn has_room(&self, bytes: usize) -> bool {
        self.len() + bytes <= LIMIT
    }

    /// The text is the same, but what it stands for has changed: a chip has grown.
    pub fn touch(&mut self) {
        self.rev += 1;
    }

    /// Grows with each change of the text.
    pub fn rev(&self) -> u64 {
        self.rev
    }

    pub fn caret(&self) -> Caret {
        let DataCursor(line, column) = self.area.cursor();
        let byte = byte_of(self.line(line), column);
        Caret { line, byte }
    }

    /// The caret's line and the caret's byte in it.
    pub fn at_caret(&self) -> (&str, usize) {
        let caret = self.caret();
        (self.line(caret.line), caret.byte)
    }

    pub fn start(&self) -> Caret {
        Caret::default()
    }

    pub fn end(&self) -> Caret {
        let line = self.lines().len() - 1;
        let byte = self.line(line).len();
        Caret { line, byte }
    }

    pub fn all(&self) -> Range<Caret> {
        self.start()..self.end()
    }

    /// Moves the caret to `to`, or to the next border behind it.
    pub fn set_caret(&mut self, to: Caret) {
        self.undo.close();
        self.jump(to);
    }

    fn jump(&mut self, to: Caret) {
        let line = to.line.min(self.lines().len() - 1);
        let text = self.line(line);
        let byte = snap(text, to.byte.min(text.len()));
        let column = text[..byte].chars().count();
        // In range: see `LIMIT`.
        let to_u16 = |n| u16::try_from(n).unwrap_or(u16::MAX);
        self.area
            .move_cursor(CursorMove::Jump(to_u16(line), to_u16(column)));
    }

    /// An edit may have put the caret into a cluster: a base typed in front of its mark.
    fn snap(&mut self) {
        self.jump(self.caret());
    }

    /// Puts `text` in place of `range`, the caret behind it. `kind` says what undo makes of it.
    /// The caller keeps to [`LIMIT`].
    pub fn replace(&mut self, range: Range<Caret>, text: &str, kind: EditKind) {
        if range.start != range.end || range.start != self.caret() {
            self.jump(range.start);
        }
        let removed = self.slice(range).chars().count();
        let mut entries = usize::from(self.area.delete_str(removed));
        entries += usize::from(self.area.insert_str(text));
        self.undo.record(kind, entries);
        self.rev += u64::from(entries > 0);
        self.snap();
    }

    pub fn slice(&self, range: Range<Caret>) -> String {
        let (start, end) = (range.start, range.end);
        let mut out = String::new();
        for index in start.line..=end.line {
            let line = self.line(index);
            if index > start.line {
                out.push('\n');
            }
            let from = if index == start.line { start.byte } else { 0 };
            let to = if index == end.line {
                end.byte
            } else {
                line.len()
            };
            out.push_str(line.get(from..to).unwrap_or(""));
        }
        out
    }

    /// Takes back the last group of edits.
    pub fn undo(&mut self) -> bool {
        let entries = self.undo.undo();
        for _ in 0..entries {
            self.area.undo();
        }
        self.after_undo(entries)
    }

    pub fn redo(&mut self) -> bool {
        let entries = self.undo.redo();
        for _ in 0..entries {
            self.area.redo();
        }
        self.after_undo(entries)
    }

    fn after_undo(&mut self, entries: usize) -> bool {
        self.rev += u64::from(entries > 0);
        self.snap();
        entries > 0
    }

    /// Where the undo history stands, for [`Buffer::join_undo`].
    pub fn undo_mark(&self) -> usize {
        self.undo.dropped + self.undo.done
    }

    /// What was done since that mark is undone at once.
    pub fn join_undo(&mut self, mark: usize) {
        self.undo.join(mark);
    }

    /// Forgets what could be undone; text and caret stay.
    pub fn forget_undo(&mut self) {
        let caret = self.caret();
        self.area = new_area(self.lines().to_vec());
        self.undo = UndoGroups::default();
        self.jump(caret);
    }

    /// Where a motion leads to. `over`: at a line's start or end, on to the next line, as deleting
    /// does.
    pub fn target(&self, motion: Motion, over: bool) -> Caret {
        self.target_from(self.caret(), motion, over)
    }

    fn target_from(&self, caret: Caret, motion: Motion, over: bool) -> Caret {
        use Motion::{BlankWordLeft, Left, LineEnd, LineStart, Right, WordLeft, WordRight};
        let line = self.line(caret.line);
        let (at_start, at_end) = (caret.byte == 0, caret.byte >= line.len());
        let byte = match motion {
            Left | WordLeft | BlankWordLeft if at_start => return self.end_of_line_before(caret),
            LineStart if at_start && over => return self.end_of_line_before(caret),
            Right | WordRight if at_end => return self.start_of_line_after(caret),
            LineEnd if at_end && over => return self.start_of_line_after(caret),
            Left => unit_start(line, caret.byte).unwrap_or(0),
            Right => unit_end(line, caret.byte).unwrap_or(line.len()),
            WordLeft => word_start(line, caret.byte),
            BlankWordLeft => blank_word_start(line, caret.byte),
            WordRight => word_end(line, caret.byte),
            LineStart => 0,
            LineEnd => line.len(),
        };
        Caret { byte, ..caret }
    }

    /// From the caret to where a motion leads, whichever is first.
    pub fn range_to(&self, motion: Motion, over: bool) -> Range<Caret> {
        let (caret, to) = (self.caret(), self.target(motion, over));
        caret.min(to)..caret.max(to)
    }

    /// One unit to the left, over line ends.
    pub fn left_of(&self, caret: Caret) -> Caret {
        self.target_from(caret, Motion::Left, true)
    }

    /// One unit to the right, over line ends.
    pub fn right_of(&self, caret: Caret) -> Caret {
        self.target_from(caret, Motion::Right, true)
    }

    fn end_of_line_before(&self, caret: Caret) -> Caret {
        match caret.line.checked_sub(1) {
            Some(line) => Caret {
                line,
                byte: self.line(line).len(),
            },
            None => caret,
        }
    }

    fn start_of_line_after(&self, caret: Caret) -> Caret {
        if caret.line + 1 < self.lines().len() {
            Caret {
                line: caret.line + 1,
                byte: 0,
            }
        } else {
            caret
        }
    }
}

fn byte_of(text: &str, column: usize) -> usize {
    text.char_indices()
        .nth(column)
        .map_or(text.len(), |(byte, _)| byte)
}

/// Entries that the widget keeps.
const MAX_ENTRIES: usize = 2_000;

/// What an edit is to the grouping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EditKind {
    /// Characters of a word.
    Type,
    /// A blank: ends a word's group, and belongs to it.
    Space,
    /// One unit deleted.
    Delete,
    /// Anything else: a separate group.
    Other,
}

impl EditKind {
    /// Of a character that was typed.
    pub fn of_typed(c: char) -> Self {
        match c.is_whitespace() {
            true => Self::Space,
            false => Self::Type,
        }
    }
}

/// What one undo takes back. The text widget keeps every single insertion and deletion; a person
/// undoes words and whole operations: this counts how many of its entries belong together.
#[derive(Debug, Default)]
struct UndoGroups {
    /// Entries per group, oldest first.
    sizes: VecDeque<usize>,
    /// Groups not undone.
    done: usize,
    /// Groups forgotten.
    dropped: usize,
    /// What may still be added to the last group.
    open: Option<EditKind>,
}

impl UndoGroups {
    /// The widget made `entries` entries.
    fn record(&mut self, kind: EditKind, entries: usize) {
        if entries == 0 {
            return;
        }
        self.sizes.truncate(self.done);
        let joins = match self.open {
            Some(EditKind::Type) => matches!(kind, EditKind::Type | EditKind::Space),
            Some(EditKind::Space) => kind == EditKind::Space,
            Some(EditKind::Delete) => kind == EditKind::Delete,
            Some(EditKind::Other) | None => false,
        };
        match self.sizes.back_mut() {
            Some(size) if joins => *size += entries,
            _ => self.sizes.push_back(entries),
        }
        self.done = self.sizes.len();
        self.open = Some(kind);
        // The widget forgets its oldest entries; a group that lost some is not undone by halves.
        while self.sizes.iter().sum::<usize>() > MAX_ENTRIES {
            self.sizes.pop_front();
            self.done -= 1;
            self.dropped += 1;
        }
    }

    /// The groups behind the first `mark` of all become one.
    fn join(&mut self, mark: usize) {
        let first = mark.saturating_sub(self.dropped);
        if first + 1 < self.done {
            let size = self.sizes.range(first..self.done).sum();
            self.sizes.drain(first..self.done);
            self.sizes.insert(first, size);
            self.done = first + 1;
        }
        self.close();
    }

    /// The caret moved: what follows is another group.
    fn close(&mut self) {
        self.open = None;
    }

    /// Entries to undo; 0 if there is nothing.
    fn undo(&mut self) -> usize {
        self.close();
        let Some(last) = self.done.checked_sub(1) else {
            return 0;
        };
        self.done = last;
        self.sizes.get(last).copied().unwrap_or(0)
    }

    /// Entries to redo; 0 if there is nothing.
    fn redo(&mut self) -> usize {
        self.close();
        let Some(size) = self.sizes.get(self.done) else {
            return 0;
        };
        self.done += 1;
        *size
    }
}

/// Placeholders of chips: plane 16, which no icon font in use takes (those of plane 15 are pasted
/// often).
pub const PLACEHOLDERS: std::ops::RangeInclusive<u32> = 0x10_0000..=0x10_fffd;

pub fn is_placeholder(c: char) -> bool {
    PLACEHOLDERS.contains(&(c as u32))
}

/// Text from outside as the buffer takes it: lines end in `\n`, and nothing poses as a chip.
pub fn clean(raw: &str) -> Cow<'_, str> {
    if !raw.contains(|c| c == '\r' || is_placeholder(c)) {
        return Cow::Borrowed(raw);
    }
    let mut out = String::with_capacity(raw.len());
    let mut chars = raw.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\r' => {
                chars.next_if_eq(&'\n');
                out.push('\n');
            }
            c if is_placeholder(c) => out.push(char::REPLACEMENT_CHARACTER),
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// The units of `text` with their offsets: chips, and the grapheme clusters between them. A chip
/// is never part of a cluster, whatever marks follow it.
pub fn units(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split_inclusive(is_placeholder)
        .scan(0, |start, part| {
            let at = *start;
            *start += part.len();
            let chip = part.chars().next_back().filter(|c| is_placeholder(*c));
            let plain = part.len() - chip.map_or(0, char::len_utf8);
            Some((at, &part[..plain], &part[plain..]))
        })
        .flat_map(|(at, plain, chip)| {
            plain
                .grapheme_indices(true)
                .chain((!chip.is_empty()).then_some((plain.len(), chip)))
                .map(move |(offset, unit)| (at + offset, unit))
        })
}

/// The end of the unit that starts at the boundary `at`; `None` at the end of the line.
fn unit_end(line: &str, at: usize) -> Option<usize> {
    units(&line[at..]).next().map(|(_, unit)| at + unit.len())
}

/// The start of the unit that ends at the boundary `at`; `None` at the start of the line.
fn unit_start(line: &str, at: usize) -> Option<usize> {
    let before = &line[..at];
    let last = before.chars().next_back()?;
    if is_placeholder(last) {
        return Some(at - last.len_utf8());
    }
    let (plain, _) = run_around(line, at);
    let unit = before[plain..].graphemes(true).next_back()?;
    Some(at - unit.len())
}

/// The first boundary at or after `at`. Looks at the neighbourhood alone.
pub(super) fn snap(line: &str, at: usize) -> usize {
    let at = (at..line.len())
        .find(|byte| line.is_char_boundary(*byte))
        .unwrap_or(line.len());
    // Nothing joins with a chip, so the text up to the chips around is all that matters.
    let (start, run) = run_around(line, at);
    let mut cursor = GraphemeCursor::new(at - start, run.len(), true);
    if cursor.is_boundary(run, 0) == Ok(true) {
        return at;
    }
    let next = cursor.next_boundary(run, 0).ok().flatten();
    start + next.unwrap_or(run.len())
}

/// The text without chips that `at` is in, and where it starts.
fn run_around(line: &str, at: usize) -> (usize, &str) {
    let (before, behind) = line.split_at(at);
    let start = before.char_indices().rfind(|(_, c)| is_placeholder(*c));
    let start = start.map_or(0, |(chip, c)| chip + c.len_utf8());
    let end = behind
        .find(is_placeholder)
        .map_or(line.len(), |chip| at + chip);
    (start, &line[start..end])
}

/// The end of the word at or after `at` (alt-f).
fn word_end(line: &str, at: usize) -> usize {
    line[at..]
        .split_word_bound_indices()
        .find(|(_, segment)| is_word(segment))
        .map_or(line.len(), |(offset, word)| {
            snap(line, at + offset + word.len())
        })
}

/// The start of the word at or before `at` (alt-b).
fn word_start(line: &str, at: usize) -> usize {
    let start = line[..at]
        .split_word_bound_indices()
        .rfind(|(_, segment)| is_word(segment))
        .map_or(0, |(offset, _)| offset);
    at_least_a_unit(line, start, at)
}

/// The start of what a blank separates from `at` (ctrl-w).
fn blank_word_start(line: &str, at: usize) -> usize {
    let word_ends = line[..at].trim_end().len();
    let start = line[..word_ends]
        .rfind(char::is_whitespace)
        .map_or(0, |blank| {
            blank + line[blank..].chars().next().map_or(0, char::len_utf8)
        });
    at_least_a_unit(line, start, at)
}

/// The boundary at `start`; rather one unit too far before `at` than none at all.
fn at_least_a_unit(line: &str, start: usize, at: usize) -> usize {
    let start = Some(snap(line, start)).filter(|start| *start < at);
    start.or_else(|| unit_start(line, at)).unwrap_or(0)
}

fn is_word(segment: &str) -> bool {
    segment.contains(|c: char| c.is_alphanumeric() || is_placeholder(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn buffer(text: &str) -> Buffer {
        let mut buffer = Buffer::default();
        insert(&mut buffer, text);
        buffer
    }

    fn insert(buffer: &mut Buffer, text: &str) {
        let caret = buffer.caret();
        buffer.replace(caret..caret, text, EditKind::Other);
    }

    #[test]
    fn the_caret_never_rests_inside_a_cluster() {
        let mut buffer = buffer("\u{301}x");
        buffer.set_caret(buffer.start());
        insert(&mut buffer, "e");
        assert_eq!(buffer.caret().byte, "e\u{301}".len());
        assert_eq!(buffer.left_of(buffer.caret()).byte, 0);
    }

    #[test]
    fn a_mark_at_the_end_of_a_line_can_be_passed() {
        let mut buffer = buffer("e\u{301}\nx");
        buffer.set_caret(buffer.start());
        let right = buffer.right_of(buffer.caret());
        buffer.set_caret(right);
        assert_eq!(buffer.caret(), Caret { line: 0, byte: 3 });
    }

    #[test]
    fn a_replacement_is_undone_at_once() {
        let mut buffer = buffer("one\ntwo");
        let all = buffer.start()..buffer.end();
        buffer.replace(all, "three", EditKind::Other);
        assert_eq!(buffer.text(), "three");
        assert!(buffer.undo());
        assert_eq!(buffer.text(), "one\ntwo");
        assert!(buffer.redo());
        assert_eq!(buffer.text(), "three");
    }

    #[test]
    fn every_place_up_to_the_limit_can_be_reached() {
        let mut buffer = buffer(&"a".repeat(LIMIT));
        assert!(!buffer.has_room(1));
        let near_the_end = Caret {
            line: 0,
            byte: LIMIT - 1,
        };
        buffer.set_caret(near_the_end);
        assert_eq!(buffer.caret(), near_the_end);
    }

    #[test]
    fn words_are_groups() {
        let mut groups = UndoGroups::default();
        for kind in "ab cd".chars().map(|c| match c {
            ' ' => EditKind::Space,
            _ => EditKind::Type,
        }) {
            groups.record(kind, 1);
        }
        assert_eq!((groups.undo(), groups.undo(), groups.undo()), (2, 3, 0));
        assert_eq!((groups.redo(), groups.redo(), groups.redo()), (3, 2, 0));
    }

    #[test]
    fn a_new_edit_drops_what_was_undone() {
        let mut groups = UndoGroups::default();
        groups.record(EditKind::Other, 1);
        groups.record(EditKind::Other, 2);
        groups.undo();
        groups.record(EditKind::Other, 3);
        assert_eq!((groups.redo(), groups.undo(), groups.undo()), (0, 3, 1));
    }

    #[test]
    fn groups_are_bounded_like_the_widget() {
        let mut groups = UndoGroups::default();
        for _ in 0..MAX_ENTRIES {
            groups.record(EditKind::Other, 2);
        }
        assert_eq!(groups.sizes.len(), MAX_ENTRIES / 2);
    }

    #[test]
    fn units_are_clusters_and_chips() {
        let line = "e\u{301}👩‍👩‍👧\u{100000}\u{301}x";
        let found: Vec<&str> = units(line).map(|(_, unit)| unit).collect();
        assert_eq!(found, ["e\u{301}", "👩‍👩‍👧", "\u{100000}", "\u{301}", "x"]);
        let mut forward = vec![0];
        while let Some(at) = unit_end(line, forward[forward.len() - 1]) {
            forward.push(at);
        }
        let mut back = vec![line.len()];
        while let Some(at) = unit_start(line, back[back.len() - 1]) {
            back.push(at);
        }
        back.reverse();
        assert_eq!(forward, back);
    }

    #[test]
    fn snapping_leaves_boundaries_and_repairs_the_rest() {
        let line = "ae\u{301}b";
        assert_eq!(snap(line, 1), 1);
        assert_eq!(snap(line, 2), 4);
        assert_eq!(snap(line, 3), 4);
        assert_eq!(snap(line, 5), 5);
        assert_eq!(snap(line, 9), 5);
        assert_eq!(snap("\u{100000}\u{301}", 4), 4);
    }

    #[test]
    fn words_are_unicode_words() {
        let line = "it's a_b (日本) füß";
        assert_eq!(word_end(line, 0), 4);
        assert_eq!(word_end(line, 4), 8);
        assert_eq!(&line[word_start(line, line.len())..], "füß");
        assert_eq!(&line[..word_end(line, 8)], "it's a_b (日");
    }

    #[test]
    fn blank_words_take_punctuation_along() {
        let line = "cargo test -p foo::bar  ";
        assert_eq!(
            &line[..blank_word_start(line, line.len())],
            "cargo test -p "
        );
        assert_eq!(blank_word_start("  ", 2), 0);
    }

    #[test]
    fn line_ends_become_newlines_and_placeholders_cannot_be_forged() {
        assert_eq!(clean("a\r\nb\rc\n"), "a\nb\nc\n");
        assert_eq!(clean("x\u{100000}y"), "x\u{fffd}y");
        assert!(matches!(clean("日本\tx"), Cow::Borrowed(_)));
    }
}
