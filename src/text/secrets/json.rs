//! Secrets in JSON, without making a tree of it: a message may be as long as it likes.

use std::borrow::Cow;

use super::{
    super::json::repair_surrogates,
    MASK, MAX_NAME, Naming, is_secret_variable,
    line::{is_secret_option, mask},
    naming,
};

/// Levels that are looked at one by one. Below, texts and numbers are all masked.
const MAX_DEPTH: usize = 256;

/// How many levels of JSON within texts are looked into.
const MAX_WITHIN: usize = 4;

/// Masks, in valid JSON, what members give to names of secrets, all values in an environment and in
/// headers, and in every other text what [`mask`] finds. It stays JSON, and each value where it was;
/// what was masked is a text. Without spaces between tokens it comes as it was written.
pub fn mask_json(json: &str) -> String {
    Masking::of(json, 0)
}

/// What is masked of a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Rule {
    /// What [`mask`] finds in its texts.
    #[default]
    Plain,
    /// All texts.
    Texts,
    /// All texts and numbers.
    All,
    /// Environment or headers: names and values, in whatever form.
    Pairs,
    /// One `{name, value}` of them.
    Pair,
}

#[derive(Default)]
struct Level {
    object: bool,
    rule: Rule,
    /// The rule of the member whose name was last, in an object.
    member: Rule,
    /// A name comes next.
    at_name: bool,
    /// `{"name": "API_KEY", …}`
    secret: bool,
    is_name: bool,
    is_value: bool,
    /// Where the member `value` stands in what is written.
    value: Option<(usize, usize)>,
    /// `{"action": "accept", …}`: the answer to a form.
    accepted: bool,
    is_action: bool,
    is_content: bool,
    /// `["--token", …]`: a secret comes next.
    behind_option: bool,
    /// Where its member `content` stands in what is written.
    content: Option<(usize, usize)>,
}

impl Level {
    fn new(object: bool, rule: Rule) -> Self {
        Self {
            object,
            rule,
            at_name: object,
            ..Self::default()
        }
    }
}

struct Masking<'a> {
    json: &'a str,
    out: String,
    levels: Vec<Level>,
    /// Levels below [`MAX_DEPTH`].
    deeper: usize,
    within: usize,
}

impl<'a> Masking<'a> {
    fn of(json: &'a str, within: usize) -> String {
        let mut masking = Self {
            json,
            out: String::with_capacity(json.len()),
            levels: Vec::new(),
            deeper: 0,
            within,
        };
        masking.run();
        masking.out
    }

    fn run(&mut self) {
        let bytes = self.json.as_bytes();
        let mut at = 0;
        while let Some(&b) = bytes.get(at) {
            let start = at;
            at = match b {
                b'"' => end_of_text(bytes, at),
                b'-' | b'0'..=b'9' | b'a'..=b'z' => {
                    let ends = |b: &u8| matches!(b, b',' | b'}' | b']') || b.is_ascii_whitespace();
                    bytes[at..]
                        .iter()
                        .position(ends)
                        .map_or(bytes.len(), |n| at + n)
                }
                _ => at + 1,
            };
            let token = self.json.get(start..at).unwrap_or_default();
            match b {
                b'{' | b'[' => self.open(b == b'{'),
                b'}' | b']' => self.close(b as char),
                b'"' => self.text(token),
                b'-' | b'0'..=b'9' => self.scalar(token, true),
                b'a'..=b'z' => self.scalar(token, false),
                b',' => {
                    if let Some(level) = self.level() {
                        level.at_name = level.object;
                    }
                    self.out.push(',');
                }
                _ => self.out.push_str(token),
            }
        }
    }

    /// The level at hand, unless it is too deep to have one.
    fn level(&mut self) -> Option<&mut Level> {
        match self.deeper {
            0 => self.levels.last_mut(),
            _ => None,
        }
    }

    /// Of the value that comes now.
    fn rule(&self) -> Rule {
        match (self.deeper, self.levels.last()) {
            (0, None) => Rule::Plain,
            (0, Some(level)) if level.object => level.member,
            (0, Some(level)) => level.rule,
            _ => Rule::All,
        }
    }

    fn open(&mut self, object: bool) {
        let start = self.out.len();
        self.out.push(if object { '{' } else { '[' });
        if self.levels.len() >= MAX_DEPTH {
            self.deeper += 1;
            return;
        }
        let in_list = self.levels.last().is_some_and(|level| !level.object);
        let rule = match self.rule() {
            // `[["NAME", "value"]]`
            Rule::Pairs if in_list && !object => Rule::All,
            Rule::Pairs if in_list => Rule::Pair,
            rule => rule,
        };
        if let Some(level) = self.levels.last_mut() {
            if level.is_value {
                level.value = Some((start, start));
            }
            if level.is_content {
                level.content = Some((start, start));
            }
        }
        self.levels.push(Level::new(object, rule));
    }

    fn close(&mut self, with: char) {
        self.out.push(with);
        if self.deeper > 0 {
            self.deeper -= 1;
            return;
        }
        self.levels.pop();
        let end = self.out.len();
        if let Some(level) = self.levels.last_mut() {
            if let (true, Some(value)) = (level.is_value, &mut level.value) {
                value.1 = end;
            }
            if let (true, Some(content)) = (level.is_content, &mut level.content) {
                content.1 = end;
            }
            self.pair();
        }
    }

    fn text(&mut self, token: &str) {
        let object_name = self.level().is_some_and(|level| level.at_name);
        if object_name {
            return self.name(token);
        }
        let start = self.out.len();
        let mut rule = self.rule();
        if let Some(level) = self.level().filter(|level| !level.object) {
            let option = token.len() <= MAX_NAME && is_secret_option(&decoded(token));
            let behind = std::mem::replace(&mut level.behind_option, option);
            if behind && !token.starts_with("\"-") {
                rule = Rule::All;
            }
        }
        match rule {
            Rule::Texts | Rule::All | Rule::Pair if token.len() > 2 => self.out.push_str("\"***\""),
            Rule::Pairs if token.len() > 2 => self.setting(token),
            _ => self.said(token),
        }
        self.value_ends(start, token);
    }

    fn scalar(&mut self, token: &str, number: bool) {
        let start = self.out.len();
        let masked = matches!(self.rule(), Rule::All | Rule::Pair | Rule::Pairs);
        self.out
            .push_str(if number && masked { "\"***\"" } else { token });
        self.value_ends(start, token);
    }

    /// A text or a number of a member was written from `start` on.
    fn value_ends(&mut self, start: usize, token: &str) {
        let end = self.out.len();
        let Some(level) = self.level() else { return };
        if level.is_name && token.len() <= MAX_NAME {
            let name = decoded(token);
            level.secret |= is_secret_variable(&name) || naming(&name) == Naming::Secret;
        }
        if level.is_action {
            level.accepted = token == "\"accept\"";
            if level.accepted
                && let Some((start, end)) = level.content.take()
            {
                let masked = masked_whole(self.out.get(start..end).unwrap_or_default());
                self.out.replace_range(start..end, &masked);
                return;
            }
        }
        if level.is_value {
            level.value = Some((start, end));
        }
        self.pair();
    }

    /// `{"name": "API_KEY", "value": "…"}`, in either order.
    fn pair(&mut self) {
        let Some(level) = self.level() else { return };
        if level.secret
            && let Some((start, end)) = level.value.take_if(|(start, end)| start < end)
        {
            let value = self.out.get(start..end).unwrap_or_default();
            let masked = match value.as_bytes().first() {
                Some(b'{' | b'[') => masked_whole(value),
                Some(b'"' | b'-' | b'0'..=b'9') if value != "\"\"" => format!("\"{MASK}\""),
                _ => return,
            };
            self.out.replace_range(start..end, &masked);
        }
    }

    fn name(&mut self, token: &str) {
        let name = match token.len() {
            // Quotes and escapes.
            len if len <= 6 * MAX_NAME + 2 => decoded(token),
            _ => Cow::Borrowed(""),
        };
        let depth = self.levels.len();
        if let Some(level) = self.level() {
            level.at_name = false;
            let is = |names: &[&str]| names.iter().any(|one| name.eq_ignore_ascii_case(one));
            level.is_name = is(&["name", "key", "id", "header", "variable"]);
            level.is_value = is(&["value"]);
            level.is_action = depth == 2 && is(&["action"]);
            level.is_content = depth == 2 && is(&["content"]);
            let of_name = match naming(&name) {
                Naming::Secret => Rule::All,
                Naming::Texts => Rule::Texts,
                Naming::Plain if is(&["env", "environment", "headers"]) => Rule::Pairs,
                Naming::Plain if is_pairs(&name) => Rule::Pairs,
                Naming::Plain if level.is_content && level.accepted => Rule::All,
                Naming::Plain => Rule::Plain,
            };
            level.member = match level.rule {
                Rule::Plain => of_name,
                Rule::Texts if of_name == Rule::All => Rule::All,
                // `{"NAME": "value"}`
                Rule::Pairs => Rule::All,
                Rule::Pair if level.is_name || is(&["type"]) => Rule::Plain,
                Rule::Pair => Rule::All,
                rule => rule,
            };
        }
        self.said(token);
    }

    /// `NAME=value` or `Name: value`, in an environment or in headers.
    fn setting(&mut self, token: &str) {
        let within = self.levels.last().is_some_and(|level| !level.object);
        let text = decoded(token);
        match text.split_once(['=', ':']) {
            Some((name, _)) if within => {
                let sign = text.get(name.len()..=name.len()).unwrap_or_default();
                self.write(&format!("{}{sign}{MASK}", mask(name)));
            }
            None if within => self.said(token),
            _ => self.out.push_str("\"***\""),
        }
    }

    /// A text that is no secret as a whole.
    fn said(&mut self, token: &str) {
        let inner = token
            .get(1..token.len().saturating_sub(1))
            .unwrap_or_default();
        if !inner.contains('\\') {
            return match self.looked_into(inner) {
                Cow::Borrowed(_) => self.out.push_str(token),
                Cow::Owned(masked) => self.write(&masked),
            };
        }
        let text = decoded(token);
        match self.looked_into(&text) {
            Cow::Borrowed(_) => self.out.push_str(token),
            Cow::Owned(masked) => self.write(&masked),
        }
    }

    fn looked_into<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let is_json = text.trim_start().starts_with(['{', '['])
            && self.within < MAX_WITHIN
            && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
        if !is_json {
            return mask(text);
        }
        let masked = Masking::of(text, self.within + 1);
        if masked == text {
            Cow::Borrowed(text)
        } else {
            Cow::Owned(masked)
        }
    }

    fn write(&mut self, text: &str) {
        // Texts can be written as JSON.
        let quoted = serde_json::to_string(text).unwrap_or_else(|_| format!("\"{MASK}\""));
        self.out.push_str(&quoted);
    }
}

fn is_pairs(name: &str) -> bool {
    let plain = name.replace(['_', '-'], "").to_ascii_lowercase();
    [
        "httpheaders",
        "envvars",
        "environmentvariables",
        "requestheaders",
    ]
    .contains(&plain.as_str())
}

/// A value of which nothing but its shape stays.
fn masked_whole(json: &str) -> String {
    let mut masking = Masking {
        json,
        out: String::with_capacity(json.len()),
        // As the elements of a list.
        levels: vec![Level::new(false, Rule::All)],
        deeper: 0,
        within: 0,
    };
    masking.run();
    masking.out
}

/// The place behind the text that begins at `start`.
fn end_of_text(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(found) = bytes
        .get(at..)
        .and_then(|rest| memchr::memchr2(b'"', b'\\', rest))
    {
        at += found;
        match bytes[at] {
            b'"' => return at + 1,
            _ => at += 2,
        }
    }
    bytes.len()
}

/// What a text in JSON says; half a surrogate pair is U+FFFD.
fn decoded(token: &str) -> Cow<'_, str> {
    let inner = token.strip_prefix('"').unwrap_or(token);
    let inner = inner.strip_suffix('"').unwrap_or(inner);
    if !inner.contains('\\') {
        return Cow::Borrowed(inner);
    }
    match serde_json::from_str(&repair_surrogates(token)) {
        Ok(text) => Cow::Owned(text),
        // No text in JSON.
        Err(_) => Cow::Borrowed(inner),
    }
}
