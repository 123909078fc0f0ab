//! What every find bar keeps: the pattern that was typed, and which of the matches is the current one.

use std::sync::Arc;

use super::{Bar, Pattern};

/// What is looked for.
#[derive(Default)]
pub struct Wanted {
    pub pattern: Option<Arc<Pattern>>,
    /// Why what is typed is no pattern; the last one stays.
    pub error: Option<String>,
    /// The pattern is another one than the search's.
    pub changed: bool,
}

impl Wanted {
    /// Reads the pattern anew; one that is wrong leaves the last result.
    pub fn read(&mut self, bar: &Bar) {
        match Pattern::new(&bar.pattern(), bar.is_regex()) {
            Ok(pattern) => {
                (self.pattern, self.error) = (pattern.map(Arc::new), None);
                self.changed = true;
            }
            Err(error) => self.error = Some(error),
        }
    }
}

/// The number of the current match among all, from 1; 0: it is none of them.
pub fn number_of<P: Ord>(current: Option<&P>, places: &[P]) -> usize {
    let at = current.and_then(|place| places.binary_search(place).ok());
    at.map_or(0, |at| at + 1)
}

/// The next match or the one before, around the ends; `None` where there is no match.
pub fn next_of<P: Ord + Copy>(current: Option<P>, places: &[P], step: isize) -> Option<P> {
    let at = match current.map(|place| places.binary_search(&place)) {
        Some(Ok(at)) if step > 0 => at + 1,
        Some(Ok(at)) => at.checked_sub(1).unwrap_or(places.len() - 1),
        Some(Err(at)) => at,
        None => 0,
    };
    places.get(at).or(places.first()).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_go_around_the_ends_and_on_from_a_match_that_is_gone() {
        let places = [2, 4, 6];
        assert_eq!(next_of(None, &places, 1), Some(2));
        assert_eq!(next_of(Some(6), &places, 1), Some(2));
        assert_eq!(next_of(Some(2), &places, -1), Some(6));
        assert_eq!(next_of(Some(3), &places, 1), Some(4));
        assert_eq!(next_of::<i32>(None, &[], 1), None);
        assert_eq!(number_of(Some(&4), &places), 2);
        assert_eq!(number_of(Some(&5), &places), 0);
    }
}
