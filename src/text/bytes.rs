//! Parts of a text by a bound in bytes, cut between characters.

/// The longest beginning of `text` that has at most `most` bytes.
pub fn first_bytes(text: &str, most: usize) -> &str {
    let mut end = most.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// The longest end of `text` that has at most `most` bytes.
pub fn last_bytes(text: &str, most: usize) -> &str {
    let mut start = text.len().saturating_sub(most);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    &text[start..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_lie_between_characters() {
        assert_eq!(first_bytes("aäb", 2), "a");
        assert_eq!(first_bytes("aäb", 3), "aä");
        assert_eq!(first_bytes("aäb", 9), "aäb");
        assert_eq!(last_bytes("aäb", 2), "b");
        assert_eq!(last_bytes("aäb", 3), "äb");
        assert_eq!(last_bytes("aäb", 9), "aäb");
    }
}
