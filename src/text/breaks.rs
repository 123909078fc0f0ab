//! Where a row of text may end: a small part of Unicode's line breaking (UAX 14) that is right for
//! what agents write. At blanks, after hyphens inside words, between ideographs except around their
//! punctuation (kinsoku). Hangul is broken at blanks, as Latin is.

/// Whether a row may end at `c`, which is then on no row.
pub(super) fn is_blank(c: char) -> bool {
    c == ' '
        || (!c.is_ascii() && c.is_whitespace() && !matches!(c, '\u{a0}' | '\u{2007}' | '\u{202f}'))
}

/// Whether a row may end between `before` and `next`, neither of them blank.
pub(super) fn may_break(earlier: char, before: char, next: char) -> bool {
    if before.is_ascii() && next.is_ascii() {
        // "well-known", but neither "--flag" nor "-1" nor "x-86".
        return before == '-' && earlier.is_alphanumeric() && next.is_ascii_alphabetic();
    }
    if forbids_break_before(next) || forbids_break_after(before) {
        return false;
    }
    before == '—' || is_ideographic(before) || is_ideographic(next)
}

/// Closing punctuation and small kana: never first on a row.
fn forbids_break_before(c: char) -> bool {
    const CLOSING: &str = ")]},.:;!?%'\"’”»…‥—·、。〃々〉》」』】〕〗〙〛〞〟〜ー・ゝゞヽヾぁぃぅぇぉっゃゅょゎゕゖァィゥェォッャュョヮヵヶ！％），．：；？］｝｠｡｣､･ｰ";
    CLOSING.contains(c)
}

/// Opening punctuation: never last on a row.
fn forbids_break_after(c: char) -> bool {
    const OPENING: &str = "([{‘“«〈《「『【〔〖〘〚〝（［｛｟｢$￥＄";
    OPENING.contains(c)
}

/// Scripts that are written without blanks, and emoji: a row may end on either side.
fn is_ideographic(c: char) -> bool {
    matches!(c,
        '\u{2e80}'..='\u{312f}'
        | '\u{3190}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}'
        | '\u{a000}'..='\u{a4cf}'
        | '\u{f900}'..='\u{faff}'
        | '\u{fe30}'..='\u{fe4f}'
        | '\u{ff01}'..='\u{ff9f}'
        | '\u{ffe0}'..='\u{ffe6}'
        | '\u{1f1e6}'..='\u{1f1ff}'
        | '\u{1f300}'..='\u{1faff}'
        | '\u{20000}'..='\u{3fffd}')
}
