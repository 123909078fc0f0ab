//! "Did you mean …?"

/// A longer word was not mistyped, and comparing costs its length times the candidate's.
const MAX_WORD_CHARS: usize = 64;

/// The candidate nearest to `word`, if it is near: up to a third of its letters differ.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = word.chars().count();
    if length > MAX_WORD_CHARS {
        return None;
    }
    let far = (length / 3).max(1);
    candidates
        .into_iter()
        .map(|c| (strsim::damerau_levenshtein(word, c), c))
        .filter(|(distance, c)| *distance <= far && *distance < c.chars().count())
        .min()
        .map(|(_, c)| c)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn only_near_words_are_suggested() {
        let keys = ["theme", "motion", "diff"];
        assert_eq!(nearest("thme", keys), Some("theme"));
        assert_eq!(nearest("tehme", keys), Some("theme"));
        assert_eq!(nearest("colour", keys), None);
        assert_eq!(nearest("", keys), None);
    }
}
