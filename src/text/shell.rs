//! Words as a shell would read them again.

use std::borrow::Cow;

/// The words on one line, each quoted where a shell needs it. A NUL, which no shell takes and no
/// program can be given, becomes U+FFFD.
pub fn command_line<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let quoted: Vec<String> = words.into_iter().map(quoted).collect();
    quoted.join(" ")
}

fn quoted(word: &str) -> String {
    let word = word.replace('\0', "\u{fffd}");
    // Fails on NUL only.
    let quoted = shlex::try_quote(&word).map(Cow::into_owned);
    quoted.unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_the_same_words_again() {
        let words = [
            "git",
            "commit",
            "-m",
            "it's a \"test\"",
            "",
            "$HOME",
            "a\nb",
        ];
        let line = command_line(words);
        assert_eq!(
            line,
            "git commit -m \"it's a \\\"test\\\"\" '' '$HOME' 'a\nb'"
        );
        assert_eq!(shlex::split(&line).expect("words"), words);
    }

    #[test]
    fn a_nul_cannot_be_given_but_is_seen() {
        assert_eq!(command_line(["a\0; b"]), "'a\u{fffd}; b'");
    }
}
