//! Foreign text made harmless (V1-UPD-12).
//!
//! Each character is judged alone, on purpose: a stripping parser keeps state, and an unterminated
//! sequence could make it swallow text over chunk borders. Nothing is removed silently; a person
//! sees that something was there.

use std::{
    borrow::Cow,
    fmt,
    ops::{Deref, Range},
    sync::Arc,
};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// More combining marks than this on one base character are dropped (they can cover other rows).
const MAX_COMBINING_MARKS: usize = 4;

/// Immutable text with no control characters but `\n` and `\t`, cheap to clone.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SafeText(Arc<str>);

impl SafeText {
    /// Neutralises `raw`. `\r\n` becomes `\n`; other C0/C1 controls become their visible picture;
    /// bidi overrides, tags and other invisible format characters become `<U+XXXX>`.
    pub fn new(raw: &str) -> Self {
        Self(Arc::from(sanitize(raw).as_ref()))
    }

    /// As [`SafeText::new`], but `\r\n` becomes `␍\n`: for the sides of a diff, in which line ends
    /// may be what changed.
    pub fn with_line_ends(raw: &str) -> Self {
        Self(Arc::from(neutralise(raw, LineEnds::Shown).as_ref()))
    }

    /// As [`SafeText::new`], and on one line: newlines and tabs become a space each.
    pub fn line(raw: &str) -> Self {
        let safe = sanitize(raw);
        if safe.contains(['\n', '\t']) {
            Self(Arc::from(safe.replace(['\n', '\t'], " ")))
        } else {
            Self(Arc::from(safe.as_ref()))
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for SafeText {
    fn default() -> Self {
        Self(Arc::from(""))
    }
}

impl Deref for SafeText {
    type Target = str;
    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SafeText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for SafeText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.0, f)
    }
}

impl Serialize for SafeText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}

/// Neutralised anew: a file of ours can hold anything by now.
impl<'de> Deserialize<'de> for SafeText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Cow::<str>::deserialize(deserializer).map(|text| Self::new(&text))
    }
}

/// Text of this program's own, known at compile time, is safe as it is.
impl From<&'static str> for SafeText {
    fn from(own: &'static str) -> Self {
        Self(Arc::from(own))
    }
}

/// Text that grows by chunks (a streamed message), safe at every moment.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct SafeTextBuf {
    text: String,
    edition: u32,
    /// How often it was cut short.
    cuts: u32,
    hole: Option<Hole>,
}

/// Where a part of a text was cut out, by bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hole {
    /// What is before it stayed where it was.
    pub at: usize,
    /// Where what is behind it began, and where it begins now.
    pub from: usize,
    pub to: usize,
}

impl SafeTextBuf {
    /// Appends already neutralised text: a plain copy.
    pub fn push(&mut self, chunk: &SafeText) {
        self.text.push_str(chunk);
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Grows where the text became another one instead of a longer one.
    pub fn edition(&self) -> u32 {
        self.edition
    }

    /// Grows with each edition, and where parts of the text were cut out: places in it that were known
    /// before are others now, even if it has grown longer than it was.
    pub fn places(&self) -> u32 {
        self.edition.wrapping_add(self.cuts)
    }

    /// Another text in its place.
    pub fn replaced_by(&self, text: &SafeText) -> Self {
        Self {
            text: text.to_string(),
            edition: self.edition.wrapping_add(1),
            cuts: self.cuts,
            hole: None,
        }
    }

    /// Cuts out a part, with a sign in its place. Both its ends must be between characters.
    pub fn cut_out(&mut self, part: Range<usize>, sign: &SafeText) {
        let (Some(head), Some(tail)) = (self.text.get(..part.start), self.text.get(part.end..))
        else {
            return;
        };
        self.hole = Some(Hole {
            at: part.start,
            from: part.end,
            to: part.start + sign.len(),
        });
        self.text = [head, sign, tail].concat();
        self.cuts = self.cuts.wrapping_add(1);
    }

    /// The last part that was cut out; `None` where the text has become another one since.
    pub fn hole(&self) -> Option<Hole> {
        self.hole
    }

    /// What came behind the first `len` bytes.
    pub fn since(&self, len: usize) -> SafeText {
        SafeText(Arc::from(self.text.get(len..).unwrap_or_default()))
    }
}

impl Deref for SafeTextBuf {
    type Target = str;
    fn deref(&self) -> &str {
        &self.text
    }
}

impl fmt::Debug for SafeTextBuf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.text, f)
    }
}

impl From<SafeText> for SafeTextBuf {
    fn from(text: SafeText) -> Self {
        Self {
            text: text.0.as_ref().to_owned(),
            ..Self::default()
        }
    }
}

/// What [`SafeText::new`] makes of `raw`, for text that is drawn at once: what a parser decoded
/// (entities) from text that was safe before.
pub fn sanitize(raw: &str) -> Cow<'_, str> {
    neutralise(raw, LineEnds::Unified)
}

/// What becomes of a carriage return before a newline.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LineEnds {
    Unified,
    Shown,
}

fn neutralise(raw: &str, ends: LineEnds) -> Cow<'_, str> {
    let (plain, mut rest) = split_plain(raw);
    if rest.is_empty() {
        return Cow::Borrowed(raw);
    }
    let mut out = String::with_capacity(raw.len() + 8);
    out.push_str(plain);
    let mut marks = 0;
    let mut previous = plain.chars().next_back();
    let is_dotted = |c| matches!(c, '\u{2801}'..='\u{28ff}');
    let mut draws = None;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        let before = previous.replace(c);
        if is_combining(c) {
            marks += 1;
            if marks > MAX_COMBINING_MARKS {
                continue;
            }
        } else {
            marks = 0;
        }
        match c {
            '\n' | '\t' => out.push(c),
            '\r' if ends == LineEnds::Unified && rest.starts_with('\n') => {}
            '\0'..='\u{1f}' => out.push(char::from_u32(0x2400 + c as u32).unwrap_or('\u{fffd}')),
            '\u{7f}' => out.push('\u{2421}'),
            c if is_invisible(c) || is_idle_joiner(c, before) => {
                out.push_str(&format!("<U+{:04X}>", c as u32));
            }
            // The braille pattern without a dot is the ground of drawings in braille; elsewhere it is a
            // blank that no one takes for one.
            '\u{2800}' if !*draws.get_or_insert_with(|| raw.contains(is_dotted)) => {
                out.push_str("<U+2800>");
            }
            c => out.push(c),
        }
        let (plain, behind) = split_plain(rest);
        if let Some(last) = plain.chars().next_back() {
            out.push_str(plain);
            (previous, marks) = (Some(last), 0);
        }
        rest = behind;
    }
    Cow::Owned(out)
}

/// Text up to the first character that needs a look. Printable ASCII, newline and tab need none:
/// that is nearly all there is, and megabytes of it come at once.
fn split_plain(text: &str) -> (&str, &str) {
    let is_plain = |b: u8| matches!(b, b' '..=b'~' | b'\n' | b'\t');
    let end = text.bytes().position(|b| !is_plain(b));
    // What is no ASCII begins a character there.
    text.split_at(end.unwrap_or(text.len()))
}

/// Whether `c` stands for a control character that was neutralised.
pub fn is_control_picture(c: char) -> bool {
    matches!(c, '\u{2400}'..='\u{2421}')
}

/// C1 controls, and format characters that reorder, hide or stand for nothing, and fillers that are
/// letters by their class only. ZWJ (emoji) and ZWNJ, and variation selectors, stay where scripts
/// and emoji need them.
pub(super) fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{80}'..='\u{9f}'
        | '\u{ad}'
        | '\u{34f}'
        | '\u{61c}'
        | '\u{115f}' | '\u{1160}'
        | '\u{17b4}' | '\u{17b5}'
        | '\u{180e}'
        | '\u{200b}'
        | '\u{200e}' | '\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{3164}'
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d159}'
        | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
}

/// A joiner or variation selector with nothing to join or vary: in an ASCII word it only hides that
/// two words differ, and a row of them hides any text. A chunk may begin with a good one.
fn is_idle_joiner(c: char, before: Option<char>) -> bool {
    let joiner = |c| matches!(c, '\u{200c}' | '\u{200d}');
    let selector = |c| matches!(c, '\u{fe00}'..='\u{fe0f}');
    let keycap = |c| matches!(c, '0'..='9' | '#' | '*');
    let Some(before) = before else { return false };
    if joiner(c) {
        before.is_ascii() || joiner(before)
    } else {
        selector(c) && (before.is_ascii() && !keycap(before) || selector(before) || joiner(before))
    }
}

/// Zero-width marks that stack on the character before them.
pub(super) fn is_combining(c: char) -> bool {
    c > '\u{2ff}'
        && !matches!(c, '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}')
        && !is_invisible(c)
        && unicode_width::UnicodeWidthChar::width(c) == Some(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    // V1-UPD-12
    #[test]
    fn controls_become_pictures() {
        assert_eq!(SafeText::new("a\x1b[2Jb\x07").as_str(), "a␛[2Jb␇");
        assert_eq!(SafeText::new("\u{9b}31m\x7f").as_str(), "<U+009B>31m␡");
        assert_eq!(SafeText::new("a\r\nb\rc").as_str(), "a\nb␍c");
        assert_eq!(SafeText::with_line_ends("a\r\nb").as_str(), "a␍\nb");
    }

    // V1-UPD-12
    #[test]
    fn bidi_and_tags_are_shown() {
        assert_eq!(SafeText::new("x\u{202e}y").as_str(), "x<U+202E>y");
        assert_eq!(SafeText::new("\u{e0061}").as_str(), "<U+E0061>");
    }

    #[test]
    fn what_only_hides_a_difference_is_shown() {
        assert_eq!(SafeText::new("pass\u{200d}wd").as_str(), "pass<U+200D>wd");
        assert_eq!(SafeText::new("rm\u{3164}x").as_str(), "rm<U+3164>x");
        assert_eq!(SafeText::new("a\u{fe01}b").as_str(), "a<U+FE01>b");
        assert_eq!(
            SafeText::new("\u{2764}\u{fe0f}\u{fe00}\u{fe01}").as_str(),
            "\u{2764}\u{fe0f}<U+FE00><U+FE01>"
        );
    }

    #[test]
    fn braille_without_dots_is_seen_outside_of_drawings() {
        assert_eq!(SafeText::new("rm\u{2800}x").as_str(), "rm<U+2800>x");
        assert_eq!(SafeText::line("\u{2800}").as_str(), "<U+2800>");
        let drawing = "\u{2800}\u{2801}\u{28ff}\n\u{2800}\u{2800}\u{2804}";
        assert_eq!(SafeText::new(drawing).as_str(), drawing);
    }

    #[test]
    fn emoji_and_scripts_are_left_alone() {
        let family = "👩‍👩‍👧 日本語 е́ ❤️";
        assert_eq!(SafeText::new(family).as_str(), family);
    }

    #[test]
    fn combining_marks_are_capped() {
        let zalgo = format!("a{}", "\u{301}".repeat(50));
        assert_eq!(
            SafeText::new(&zalgo).chars().count(),
            1 + MAX_COMBINING_MARKS
        );
        let six = "\u{301}".repeat(6);
        let four = "\u{301}".repeat(MAX_COMBINING_MARKS);
        assert_eq!(
            SafeText::new(&format!("é{six}\nbcd{six}e")).as_str(),
            format!("é{four}\nbcd{four}e")
        );
    }

    #[test]
    fn a_line_has_no_breaks() {
        assert_eq!(SafeText::line("a\nb\tc\r\n").as_str(), "a b c ");
    }
}
