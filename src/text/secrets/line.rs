//! Secrets in plain text: command lines, addresses, headers, settings.

use std::{borrow::Cow, ops::Range, sync::LazyLock};

use memchr::memmem::Finder;

use crate::text::{Words, first_bytes, last_bytes};

use super::{MASK, MAX_NAME, is_secret_member, is_secret_parameter, is_switch, is_word, shapes};

/// The user of an address is a token from this length on (`https://TOKEN@host`).
const TOKEN_AS_USER: usize = 16;

/// Shorter words behind "Bearer" are prose.
const SHORTEST_BEARER: usize = 8;

/// Masks passwords and secret parameters in addresses, and what command lines, headers and settings
/// give to names of secrets, and what looks like a well-known token or a private key. The rest stays as it is.
pub fn mask(text: &str) -> Cow<'_, str> {
    let spans = Spans::of(text);
    let Some(first) = spans.0.first() else {
        return Cow::Borrowed(text);
    };
    let mut out = String::with_capacity(text.len());
    out.push_str(text.get(..first.start).unwrap_or_default());
    for (n, span) in spans.0.iter().enumerate() {
        out.push_str(MASK);
        let next = spans.0.get(n + 1).map_or(text.len(), |next| next.start);
        out.push_str(text.get(span.end..next).unwrap_or_default());
    }
    Cow::Owned(out)
}

/// `$NAME` and `${NAME}`.
pub(super) fn is_variable(value: &str) -> bool {
    let Some(name) = value.strip_prefix('$') else {
        return false;
    };
    let braced = name
        .strip_prefix('{')
        .and_then(|name| name.strip_suffix('}'));
    let name = braced.unwrap_or(name);
    let of_name = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    !name.is_empty() && !name.as_bytes()[0].is_ascii_digit() && name.bytes().all(of_name)
}

/// What is to be masked, in order, each behind the end of the one before. All ends stand at ASCII
/// characters, and so between characters.
struct Spans(Vec<Range<usize>>);

impl Spans {
    fn of(text: &str) -> Self {
        let mut spans = Self(Vec::new());
        let bytes = text.as_bytes();
        for at in memchr::memchr3_iter(b':', b'=', b'-', bytes) {
            // What is masked already holds no more secrets.
            if at < spans.end() {
                continue;
            }
            match bytes[at] {
                b':' if bytes[at + 1..].starts_with(b"//") => spans.address(text, at + 3),
                b':' => spans.header(text, at),
                b'=' => spans.assignment(text, at),
                _ => spans.option(text, at),
            }
        }
        spans.bearers(text);
        spans.merge(shapes::find(text));
        spans
    }

    fn end(&self) -> usize {
        self.0.last().map_or(0, |span| span.end)
    }

    fn add(&mut self, text: &str, span: Range<usize>) {
        let value = text.get(span.clone()).unwrap_or_default();
        if !value.is_empty() && !is_variable(value) && value != MASK {
            self.0.push(span);
        }
    }

    /// `user:password@host` and `token@host`, from `start` on.
    fn address(&mut self, text: &str, start: usize) {
        let rest = text.get(start..).unwrap_or_default();
        let ends = |c: char| c.is_whitespace() || c.is_control() || "/?#\"'<>`\\".contains(c);
        let authority = &rest[..rest.find(ends).unwrap_or(rest.len())];
        let Some(at) = authority.rfind('@') else {
            return;
        };
        let user = &authority[..at];
        match user.find(':') {
            Some(colon) => self.add(text, start + colon + 1..start + at),
            None if user.len() >= TOKEN_AS_USER => self.add(text, start..start + at),
            None => {}
        }
    }

    /// `Authorization: …`, `"api_key": "…"`, `password: …`; `colon` is where it stands.
    fn header(&mut self, text: &str, colon: usize) {
        let before = text
            .get(..colon)
            .unwrap_or_default()
            .trim_end_matches([' ', '\t']);
        let before = match before.strip_suffix(['"', '\'']) {
            // Quoted once more, as within a shell's word.
            Some(inner) => inner.strip_suffix('\\').unwrap_or(inner),
            None => before,
        };
        let name = name_at_end(before);
        if !is_secret_member(name) {
            return;
        }
        let rest = text.get(colon + 1..).unwrap_or_default();
        let start = colon + 1 + (rest.len() - rest.trim_start_matches([' ', '\t']).len());
        let of_header = name.contains('-')
            || ["authorization", "cookie"].contains(&name.to_ascii_lowercase().as_str());
        if is_prose(text, start) || is_code(text, start) {
            return;
        }
        let value = value(text, start);
        let bare = value.start == start;
        if bare && of_header {
            // Several words: a scheme, cookies.
            let rest = text.get(start..).unwrap_or_default();
            let end = rest.find(['"', '\'', '\n', '\r']).unwrap_or(rest.len());
            self.add(text, start..start + rest[..end].trim_end().len());
        } else {
            self.add(text, value);
        }
    }

    /// `?token=…`, `--api-key=…`, `API_KEY=…`, `password=…`; `at` is the sign's place.
    fn assignment(&mut self, text: &str, at: usize) {
        let before = text.get(..at).unwrap_or_default();
        let name = name_at_end(before);
        let lead = before[..before.len() - name.len()].chars().next_back();
        let parameter = matches!(lead, Some('?' | '&' | ';' | '#')) || {
            // `\u0026` is how some write `&` in JSON.
            name.get(..5)
                .is_some_and(|code| code.eq_ignore_ascii_case("u0026"))
                && lead == Some('\\')
        };
        let bare = match (parameter, lead) {
            (true, Some('\\')) => name.get(5..).unwrap_or_default(),
            _ => name,
        };
        let start = at + 1;
        if parameter && is_secret_parameter(bare) {
            let rest = text.get(start..).unwrap_or_default();
            let ends = |c: char| c.is_whitespace() || c.is_control() || "&#\"'<>`\\;".contains(c);
            let end = rest.find(ends).unwrap_or(rest.len());
            self.add(text, start..start + end);
        } else if is_secret_member(name) && !is_code(text, start) {
            self.add(text, value(text, start));
        }
    }

    /// `--api-key …`, `-u name:password`; `at` is a hyphen's place.
    fn option(&mut self, text: &str, at: usize) {
        let bytes = text.as_bytes();
        let begins = at.checked_sub(1).and_then(|before| bytes.get(before));
        if begins.is_some_and(|b| !b.is_ascii_whitespace() && !b"\"'[(=,".contains(b)) {
            return;
        }
        let rest = text.get(at..).unwrap_or_default();
        if rest.starts_with("-p") && is_of_mysql(&text[..at]) {
            return self.add(text, value(text, at + 2));
        }
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        let option = &rest[..rest.find(|c| !is_name(c)).unwrap_or(rest.len())];
        let of_user = matches!(option, "-u" | "--user");
        if option.len() > MAX_NAME || !of_user && !is_secret_option(option) {
            return;
        }
        // `--token' 'x`: words of a quoted list.
        let behind = &rest[option.len()..];
        let gap = behind.trim_start_matches(['"', '\'', ',', ' ', '\t']);
        let start = at + option.len() + (behind.len() - gap.len());
        if gap.len() == behind.len() || gap.starts_with('-') {
            return;
        }
        let quote = behind[..behind.len() - gap.len()].chars().next_back();
        let mut span = match quote {
            Some(quote @ ('"' | '\'')) => start..start + gap.find(quote).unwrap_or(gap.len()),
            _ => value(text, start),
        };
        if of_user {
            let word = text.get(span.clone()).unwrap_or_default();
            let Some(colon) = word.find(':') else { return };
            // A user's and a group's number.
            if word.bytes().all(|b| b.is_ascii_digit() || b == b':') {
                return;
            }
            span.start += colon + 1;
        }
        self.add(text, span);
    }

    /// `Bearer …`, wherever it stands.
    fn bearers(&mut self, text: &str) {
        static BEARER: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("earer "));
        let mut found = Vec::new();
        for at in BEARER.find_iter(text.as_bytes()) {
            let start = at + "earer ".len();
            let rest = text.get(start..).unwrap_or_default();
            let is_token = |c: char| c.is_ascii_alphanumeric() || "-._~+/=".contains(c);
            let token = &rest[..rest.find(|c| !is_token(c)).unwrap_or(rest.len())];
            let has = |of: fn(&char) -> bool| token.chars().any(|c| of(&c));
            let telling = has(char::is_ascii_digit)
                || token.len() >= 2 * SHORTEST_BEARER
                    && has(char::is_ascii_uppercase)
                    && has(char::is_ascii_lowercase);
            if token.len() >= SHORTEST_BEARER && telling {
                found.push(start..start + token.len());
            }
        }
        self.merge(found);
    }

    /// Adds others, which may lie over the ones there are.
    fn merge(&mut self, mut others: Vec<Range<usize>>) {
        if others.is_empty() {
            return;
        }
        self.0.append(&mut others);
        self.0.sort_by_key(|span| span.start);
        let mut merged: Vec<Range<usize>> = Vec::new();
        for span in self.0.drain(..) {
            match merged.last_mut() {
                Some(last) if span.start < last.end => last.end = last.end.max(span.end),
                _ => merged.push(span),
            }
        }
        self.0 = merged;
    }
}

/// Bytes that are looked at to distinguish words from a secret, so that a line of any length costs the same.
const LOOKED_AT: usize = 128;

/// Whether a line goes on in words from there, as in a sentence about a secret.
fn is_prose(text: &str, start: usize) -> bool {
    const WORDS: usize = 3;
    const SCHEMES: [&str; 5] = ["bearer", "basic", "digest", "token", "negotiate"];
    let rest = first_bytes(text.get(start..).unwrap_or_default(), LOOKED_AT);
    let end = rest.find(['"', '\n', '\r']).unwrap_or(rest.len());
    let mut words = rest[..end]
        .split([' ', '\t'])
        .filter(|word| !word.is_empty());
    let plain = |word: &&str| {
        let word = word.trim_matches(|c: char| ".,;:!?()'`*_".contains(c));
        let mut parts = word.split(['-', '\'', '’', '/']);
        !word.is_empty() && parts.all(is_word)
    };
    let first: Vec<&str> = words.by_ref().take(WORDS).collect();
    let scheme = first.first().is_some_and(|first| {
        let first = first.to_ascii_lowercase();
        SCHEMES.contains(&&*first)
    });
    first.len() == WORDS && !scheme && first.iter().all(plain)
}

/// Whether what stands there without quotes is a type, a switch, a call or a place in a program or in
/// a shell, and so refers to a secret without being one.
fn is_code(text: &str, start: usize) -> bool {
    const TYPES: Words = Words(
        "string str number boolean bool int integer bytes any unknown undefined object text \
         option vec box arc secretstring i32 u32 i64 u64",
    );
    const PLACES: Words = Words(
        "process.env os.environ os.getenv std::env env. self. this. config. settings. options. \
         ctx. req. request. args.",
    );
    let rest = first_bytes(text.get(start..).unwrap_or_default(), LOOKED_AT);
    let value = &rest[..rest.find(ends_value).unwrap_or(rest.len())];
    let of_name = |c: char| c.is_ascii_alphabetic() || "_.:".contains(c);
    let name = &value[..value.find(|c| !of_name(c)).unwrap_or(value.len())];
    let is_call = !name.is_empty() && value[name.len()..].starts_with('(');
    let word = value.trim_end_matches(['.', ':', '?', '!', '*', ']', '[']);
    value.starts_with("$(")
        || is_call
        || is_switch(word)
        || TYPES.iter().any(|known| word.eq_ignore_ascii_case(known))
        || PLACES.iter().any(|place| value.starts_with(place))
}

/// A shell's word or a quoted text that begins at `start`, without its quotes.
fn value(text: &str, start: usize) -> Range<usize> {
    let rest = text.get(start..).unwrap_or_default();
    let inner = rest.strip_prefix('\\').unwrap_or(rest);
    if let Some(quote @ ('"' | '\'')) = inner.chars().next() {
        let begin = start + (rest.len() - inner.len()) + 1;
        let inside = text.get(begin..).unwrap_or_default();
        let mut escaped = inner.len() < rest.len();
        let mut end = inside.len();
        // Where the quote itself is escaped, so is the one that ends it.
        let twice = std::mem::take(&mut escaped);
        for (at, b) in inside.bytes().enumerate() {
            match b {
                _ if escaped => escaped = false,
                b'\\' if twice && inside.as_bytes().get(at + 1) == Some(&(quote as u8)) => {
                    end = at;
                    break;
                }
                b'\\' => escaped = true,
                b if b == quote as u8 => {
                    end = at;
                    break;
                }
                _ => {}
            }
        }
        return begin..begin + end;
    }
    // The braces show that it is a variable.
    let end = match rest.strip_prefix("${") {
        Some(name) => name.find('}').map_or(rest.len(), |end| end + 3),
        None => rest.find(ends_value).unwrap_or(rest.len()),
    };
    start..start + end
}

/// Whether `before` is the beginning of a command of MySQL's, which takes a password right behind `-p`.
fn is_of_mysql(before: &str) -> bool {
    let command = last_bytes(before, LOOKED_AT);
    let command = command.rsplit(['\n', '|', ';', '&']).next();
    let mut words = command.unwrap_or_default().split([' ', '/', '"', '\'']);
    words.any(|word| word.starts_with("mysql") || word.starts_with("mariadb"))
}

/// What ends a value without quotes.
fn ends_value(c: char) -> bool {
    c.is_whitespace() || c.is_control() || "\"'`,;)}]&|<>".contains(c)
}

/// The name that `text` ends with.
fn name_at_end(text: &str) -> &str {
    let is_name = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.');
    let bytes = text.as_bytes();
    let longest = bytes.len().min(MAX_NAME + 1);
    let len = bytes
        .iter()
        .rev()
        .take(longest)
        .take_while(|b| is_name(**b))
        .count();
    text.get(text.len() - len..).unwrap_or_default()
}

/// Whether a word alone in a command line says that the next is a secret.
pub(super) fn is_secret_option(word: &str) -> bool {
    word.strip_prefix("--").is_some_and(is_secret_member)
}
