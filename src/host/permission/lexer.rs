//! Shell command lines to words, twice: strictly for allow rules, and leniently to find all that a line may run.

/// Longer lines are not looked into.
pub const MAX_LINE_BYTES: usize = 64 << 10;

/// The words of a line that a shell would run as one plain command; `None` for anything else:
/// operators, redirections, expansions of `$` and backquotes, backslashes, comments, control
/// characters. Globs and `~` stay as they are; they can only become arguments.
pub fn plain_words(line: &str) -> Option<Vec<String>> {
    if line.len() > MAX_LINE_BYTES {
        return None;
    }
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in line.chars() {
        match (quote, c) {
            (_, c) if c.is_control() && c != '\t' => return None,
            (Some(open), c) if c == open => quote = None,
            (Some('"'), '$' | '`' | '\\') => return None,
            (Some(_), c) => word.get_or_insert_default().push(c),
            (None, ' ' | '\t') => words.extend(word.take()),
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, '|' | '&' | ';' | '<' | '>' | '(' | ')' | '$' | '`' | '\\') => return None,
            (None, '#') if word.is_none() => return None,
            (None, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    (quote.is_none() && !words.is_empty()).then_some(words)
}

/// A word of a line that may be anything.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Word {
    /// Without quotes. Of expansions what is written.
    pub text: String,
    /// Part of it is known only to the shell when it runs (`$x`, globs, braces).
    pub dynamic: bool,
}

/// A line, taken apart as far as that goes.
#[derive(Debug, Default)]
pub struct Pieces {
    /// Words between operators.
    pub segments: Vec<Vec<Word>>,
    /// What stands in `$(…)` and backquotes.
    pub nested: Vec<String>,
    /// What is read from or written to by redirections.
    pub targets: Vec<String>,
    /// A quote or bracket that does not close: it is unknown what a shell makes of it.
    pub broken: bool,
}

pub fn pieces(line: &str) -> Pieces {
    let mut lexer = Lexer {
        chars: line.chars().collect(),
        at: 0,
        out: Pieces::default(),
        segment: Vec::new(),
        word: None,
        redirected: false,
    };
    lexer.run();
    lexer.out
}

struct Lexer {
    chars: Vec<char>,
    at: usize,
    out: Pieces,
    segment: Vec<Word>,
    word: Option<Word>,
    /// The next word is the target of a redirection.
    redirected: bool,
}

impl Lexer {
    fn run(&mut self) {
        while let Some(c) = self.next() {
            match c {
                ' ' | '\t' => self.end_word(),
                '\n' | '\r' | ';' | '&' | '|' | '(' | ')' => self.end_segment(),
                '<' | '>' => self.redirect(),
                '#' if self.word.is_none() => {
                    while self.peek().is_some_and(|c| c != '\n') {
                        self.at += 1;
                    }
                }
                '\'' => self.single_quoted(),
                '"' => self.double_quoted(),
                '\\' => match self.next() {
                    Some('\n') => {}
                    Some(c) => self.word().text.push(c),
                    None => self.out.broken = true,
                },
                '$' => self.dollar(),
                '`' => self.backquoted(),
                '*' | '?' | '[' | '{' => {
                    let word = self.word();
                    word.text.push(c);
                    word.dynamic = true;
                }
                c => self.word().text.push(c),
            }
        }
        self.end_segment();
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += 1;
        Some(c)
    }

    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn word(&mut self) -> &mut Word {
        self.word.get_or_insert_default()
    }

    fn end_word(&mut self) {
        let Some(word) = self.word.take() else {
            return;
        };
        if std::mem::take(&mut self.redirected) {
            self.out.targets.push(word.text);
        } else {
            self.segment.push(word);
        }
    }

    fn end_segment(&mut self) {
        self.end_word();
        self.redirected = false;
        if !self.segment.is_empty() {
            self.out.segments.push(std::mem::take(&mut self.segment));
        }
    }

    fn redirect(&mut self) {
        // `2>`: the number belongs to the operator.
        let number = |word: &Word| word.text.chars().all(|c| c.is_ascii_digit());
        if self.word.as_ref().is_some_and(number) {
            self.word = None;
        }
        self.end_word();
        while self
            .peek()
            .is_some_and(|c| matches!(c, '<' | '>' | '&' | '|'))
        {
            self.at += 1;
        }
        self.redirected = true;
    }

    fn single_quoted(&mut self) {
        self.word();
        loop {
            match self.next() {
                Some('\'') => return,
                Some(c) => self.word().text.push(c),
                None => return self.out.broken = true,
            }
        }
    }

    fn double_quoted(&mut self) {
        self.word();
        loop {
            match self.next() {
                Some('"') => return,
                Some('\\') => match self.next() {
                    Some('\n') => {}
                    Some(c @ ('"' | '\\' | '$' | '`')) => self.word().text.push(c),
                    Some(c) => self.word().text.extend(['\\', c]),
                    None => return self.out.broken = true,
                },
                Some('$') => self.dollar(),
                Some('`') => self.backquoted(),
                Some(c) => self.word().text.push(c),
                None => return self.out.broken = true,
            }
        }
    }

    fn dollar(&mut self) {
        let word = self.word();
        word.dynamic = true;
        word.text.push('$');
        if self.peek() == Some('(') {
            self.at += 1;
            self.substitution();
        }
    }

    /// Up to the bracket that closes the one just read.
    fn substitution(&mut self) {
        let start = self.at;
        let mut depth = 1;
        let mut quote = None;
        while let Some(c) = self.next() {
            match (quote, c) {
                (None | Some('"'), '\\') => {
                    self.next();
                }
                (Some(open), c) if c == open => quote = None,
                (Some(_), _) => {}
                (None, '\'' | '"') => quote = Some(c),
                (None, '(') => depth += 1,
                (None, ')') => {
                    depth -= 1;
                    if depth == 0 {
                        let inner = self.chars[start..self.at - 1].iter().collect();
                        return self.out.nested.push(inner);
                    }
                }
                _ => {}
            }
        }
        self.out.broken = true;
    }

    fn backquoted(&mut self) {
        let word = self.word();
        word.dynamic = true;
        // As for `$(…)`: something unknown stands here.
        word.text.push('$');
        let mut inner = String::new();
        loop {
            match self.next() {
                Some('`') => return self.out.nested.push(inner),
                Some('\\') => match self.next() {
                    Some(c @ ('`' | '$' | '\\')) => inner.push(c),
                    Some(c) => inner.extend(['\\', c]),
                    None => return self.out.broken = true,
                },
                Some(c) => inner.push(c),
                None => return self.out.broken = true,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_commands_have_words() {
        for (line, words) in [
            ("cargo test", &["cargo", "test"][..]),
            ("  a\t'b c' d\"e f\"g ''", &["a", "b c", "de fg", ""]),
            (
                "ls *.rs ~/x a#b '$x;'",
                &["ls", "*.rs", "~/x", "a#b", "$x;"],
            ),
        ] {
            assert_eq!(plain_words(line).unwrap(), words, "{line}");
        }
    }

    #[test]
    fn anything_else_is_not_plain() {
        for line in [
            "",
            "  ",
            "a; b",
            "a && b",
            "a | b",
            "a &",
            "a > f",
            "a < f",
            "a $(b)",
            "a `b`",
            "a $b",
            "a \"$b\"",
            "a\nb",
            "a\rb",
            "'a\nb'",
            "a \\\nb",
            "(a)",
            "a 'b",
            "a # b",
            "a\0b",
            "a \"`b`\"",
            "a <(b)",
            "a\u{1b}[1mb",
        ] {
            assert_eq!(plain_words(line), None, "{line:?}");
        }
    }
}
