//! The word that was probably meant.

/// The candidate nearest to `word`, if it is near: up to a third of its letters differ.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let far = (word.chars().count() / 3).max(1);
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
