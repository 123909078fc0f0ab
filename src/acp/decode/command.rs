//! What a tool call's raw input tells of what it would do: the command line, what that is run with,
//! paths.
//!
//! Raw inputs are any JSON, in the shapes of many agents. What a person approves, and rules judge,
//! must be the whole command; so everything that may be one counts, wherever it stands. No tree is
//! built of it: an input can be as large as a message.

use std::{borrow::Cow, sync::Arc};

use serde::{
    Deserialize, Deserializer,
    de::{IgnoredAny, MapAccess, SeqAccess, Visitor},
};
use serde_json::value::RawValue;

mod names;

use names::{
    ARGS, BEYOND, COMMANDS, CWD, EDITOR_COMMANDS, ENV, INTERPRETERS, MAX_NAME, PATHS, SCRIPTS,
    SHELLS, URIS, WRITES, WRITES_TO_PATH,
};

use crate::{
    proto::{CommandRun, Patch, Place, ToolCallPatch, ToolInput, ToolKind},
    text::{command_line, first_bytes},
};

/// Objects in objects, JSON in texts.
const MAX_DEPTH: usize = 8;
/// Bytes that are looked into, all levels together: what lies deeper is looked at once a level.
const MAX_BYTES: usize = 8 << 20;
/// Members of an object, items of a list.
const MAX_ITEMS: usize = 1_000;
/// Bytes of a path; what Linux allows itself.
const MAX_PATH: usize = 4_096;
/// Paths, and texts that could be some; and their bytes.
const MAX_PATHS: usize = 500;
const MAX_PATH_BYTES: usize = 64 << 10;
/// Variables that are set for a command.
const MAX_ENV: usize = 1_000;
/// Bytes of a text that names the files it changes: a patch.
const MAX_PATCH: usize = 1 << 20;

/// Looks through a raw input.
pub fn find(raw_input: &str) -> ToolInput {
    let mut finder = Finder {
        found: ToolInput::default(),
        runs: Vec::new(),
        cwd: None,
        left: MAX_BYTES,
        path_bytes: 0,
    };
    finder.value(raw_input, "", 0);
    finder.finish()
}

/// What a raw input tells, to the patch that it comes with. What it does not name is nothing that an
/// earlier one named.
pub fn tell(patch: &mut ToolCallPatch, raw_input: &str) {
    let input = find(raw_input);
    // An update often leaves the kind out; other kinds use `command` for other things.
    if matches!(patch.kind, Patch::Keep | Patch::Set(ToolKind::Execute)) {
        let run = input.run.as_ref();
        let of = |text: Option<String>| text.map_or(Patch::Clear, Patch::Set);
        patch.command = of(run.map(|run| run.line.clone()));
        patch.command_cwd = of(run.and_then(|run| run.cwd.clone()));
    }
    patch.input = Patch::Set(Arc::new(input));
}

/// Whether an input tells nothing: some agents send an empty one with updates.
pub fn is_empty(raw_input: &str) -> bool {
    let bare = raw_input.bytes().filter(|b| !b.is_ascii_whitespace());
    matches!(
        bare.take(5).collect::<Vec<u8>>().as_slice(),
        b"" | b"{}" | b"[]" | b"null" | b"\"\""
    )
}

struct Finder {
    found: ToolInput,
    runs: Vec<CommandRun>,
    /// Of an object around the command.
    cwd: Option<String>,
    /// Bytes that may still be looked into.
    left: usize,
    path_bytes: usize,
}

impl Finder {
    fn value(&mut self, text: &str, key: &str, depth: usize) {
        let text = text.trim_ascii();
        match text.as_bytes().first() {
            Some(b'{' | b'[') => {
                if depth > MAX_DEPTH || text.len() > self.left {
                    self.found.unclear = true;
                    return;
                }
                self.left -= text.len();
                if text.starts_with('{') {
                    self.object(text, depth);
                } else {
                    self.list(text, key, depth);
                }
            }
            Some(b'"') => self.text(text, key, depth),
            _ => {}
        }
    }

    fn list(&mut self, text: &str, key: &str, depth: usize) {
        let Ok(Items { items, more }) = serde_json::from_str::<Items<'_>>(text) else {
            self.found.unclear = true;
            return;
        };
        self.found.unclear |= more && !is_of_numbers(&items);
        for item in items {
            self.value(item.get(), key, depth + 1);
        }
    }

    fn object(&mut self, text: &str, depth: usize) {
        let Ok(Members { members, more }) = serde_json::from_str::<Members<'_>>(text) else {
            self.found.unclear = true;
            return;
        };
        self.found.unclear |= more;
        let named_path = members.iter().any(|member| {
            PATHS.contains(&&*member.name) && !CWD.contains(&&*member.name) && member.is_text()
        });
        let mut used = vec![false; members.len()];
        let is = |names: &[&str], member: &Member<'_>| names.contains(&&*member.name);
        let mut lines = Vec::new();
        for (n, member) in members.iter().enumerate() {
            if !is(&COMMANDS, member) || is(&ARGS, member) && !lines.is_empty() {
                continue;
            }
            let Some(line) = Line::of(member.value.get(), &member.name) else {
                // A list of what is no word: it may be run all the same.
                let list = member.value.get().starts_with('[');
                self.found.unclear |= list && !is_empty(member.value.get());
                continue;
            };
            used[n] = true;
            match &line {
                Line::Shell(word) if named_path && EDITOR_COMMANDS.contains(&word.as_str()) => {
                    self.found.writes |= word != "view";
                }
                _ => lines.push(line),
            }
        }
        if !lines.is_empty() {
            self.command(lines, &members, &mut used);
        }
        for (n, member) in members.iter().enumerate() {
            self.found.writes |= is(&WRITES, member)
                || named_path && is(&WRITES_TO_PATH, member) && member.is_text();
            if !used[n] {
                self.key(member, depth);
                self.value(member.value.get(), &member.name, depth + 1);
            }
        }
        // What is named deeper inside goes first.
        let cwd = members.iter().find(|member| is(&CWD, member));
        if let Some(cwd) = cwd.and_then(|member| whole_text(member.value.get()))
            && !cwd.is_empty()
        {
            self.cwd.get_or_insert(cwd);
        }
    }

    /// A name that may be a file's, as where changes are listed by path.
    fn key(&mut self, member: &Member<'_>, depth: usize) {
        let (key, name) = (&*member.written, &*member.name);
        let usual: [&[&str]; 9] = [
            &COMMANDS,
            &ARGS,
            &ENV,
            &CWD,
            &SCRIPTS,
            &PATHS,
            &URIS,
            &WRITES,
            &WRITES_TO_PATH,
        ];
        let is_word = key
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
        // The outermost names are the tool's own.
        if is_word && (depth == 0 || usual.iter().any(|names| names.contains(&name))) {
            return;
        }
        self.found.fetches |= is_url(key);
        if key.len() > MAX_PATH {
            self.found.crowded = true;
        } else {
            // Nothing else is written like this, unless it is a route; then it is asked about for nothing.
            self.add_path(key, !Place::of(key).is_relative());
        }
    }

    fn command(&mut self, lines: Vec<Line>, members: &[Member<'_>], used: &mut [bool]) {
        let mut args = None;
        let mut env = Vec::new();
        let mut cwd = None;
        for (n, member) in members.iter().enumerate() {
            let name = &*member.name;
            if !used[n] && ARGS.contains(&name) {
                let line = Line::of(member.value.get(), "");
                used[n] = line.is_some();
                // Twice the same name: both may count.
                self.found.unclear |= args.is_some();
                args = args.or(line);
            } else if ENV.contains(&name) {
                used[n] = true;
                self.found.unclear |= !variables(member.value.get(), &mut env, 0);
            } else if CWD.contains(&name) {
                let dir = whole_text(member.value.get()).filter(|dir| !dir.is_empty());
                if let (Some(dir), Some(other)) = (&dir, &cwd)
                    && dir != other
                {
                    self.found.unclear = true;
                }
                cwd = cwd.or(dir);
            }
        }
        for (n, member) in members.iter().enumerate() {
            used[n] |= self.beside_command(member);
        }
        for line in lines {
            let mut run = line.with_args(args.as_ref());
            if run.line.trim().is_empty() {
                continue;
            }
            run.env.clone_from(&env);
            run.cwd.clone_from(&cwd);
            self.runs.push(run);
        }
    }

    /// A member beside a command that says how it is run: whether that is all that it says.
    fn beside_command(&mut self, member: &Member<'_>) -> bool {
        let (name, value) = (&*member.name, member.value.get().trim_ascii());
        if INTERPRETERS.contains(&name) {
            let program = whole_text(value).unwrap_or_default();
            let usual = program
                .rsplit('/')
                .next()
                .is_some_and(|name| SHELLS.contains(&name));
            let system = !program.contains('/')
                || program.starts_with("/bin/")
                || program.starts_with("/usr/bin/");
            if !(program.is_empty() || usual && system) {
                // It runs first, whatever the line says.
                self.found.scripts.push(program);
            }
            return true;
        }
        if BEYOND.iter().any(|part| name.contains(part)) {
            let plain = whole_text(value).unwrap_or_else(|| value.to_owned());
            let nothing = [
                "",
                "null",
                "false",
                "0",
                "default",
                "use_default",
                "none",
                "{}",
                "[]",
            ];
            if !nothing.contains(&plain.to_ascii_lowercase().as_str()) {
                let name = first_bytes(&member.written, MAX_NAME).to_owned();
                self.found.beyond.get_or_insert(name);
            }
        }
        false
    }

    fn text(&mut self, json: &str, key: &str, depth: usize) {
        if json.len() > MAX_PATCH {
            self.found.unclear |= PATHS.contains(&key) || SCRIPTS.contains(&key);
            self.found.crowded = true;
            return;
        }
        let Ok(text) = serde_json::from_str::<Cow<'_, str>>(json) else {
            // A lone surrogate, say: text that is none.
            self.found.unclear = true;
            return;
        };
        let begins = text.trim_ascii_start();
        if begins.starts_with(['{', '[']) && depth < MAX_DEPTH && is_json(begins) {
            // Arguments as a model wrote them: JSON within a string.
            self.value(begins, key, depth + 1);
            return;
        }
        if SCRIPTS.contains(&key) {
            self.found.scripts.push(text.into_owned());
            return;
        }
        self.found.fetches |= is_url(&text);
        if text.contains('\n') {
            for path in text.lines().filter_map(patched_file) {
                self.add_path(path, true);
                self.found.writes = true;
            }
        }
        let named = PATHS.contains(&key)
            || URIS.contains(&key) && !text.starts_with("http:") && !text.starts_with("https:");
        if named || !text.contains('\n') {
            self.add_path(&text, named);
        }
    }

    fn add_path(&mut self, path: &str, named: bool) {
        let found = &mut self.found;
        if path.is_empty() || path.len() > MAX_PATH {
            found.unclear |= named && !path.is_empty();
            return;
        }
        let paths = if named {
            &mut found.paths
        } else {
            &mut found.maybe_paths
        };
        if paths.iter().any(|known| known == path) {
            return;
        }
        self.path_bytes += path.len();
        if paths.len() >= MAX_PATHS || self.path_bytes > MAX_PATH_BYTES {
            found.unclear |= named;
            found.crowded = true;
        } else {
            paths.push(path.to_owned());
        }
    }

    fn finish(mut self) -> ToolInput {
        let mut runs = std::mem::take(&mut self.runs).into_iter();
        if let Some(mut run) = runs.next() {
            for other in runs
                .filter(|other| other.line != run.line)
                .collect::<Vec<_>>()
            {
                // It is not known which one is meant: all are, one after the other.
                run.line.push('\n');
                run.line.push_str(&other.line);
                run.words = None;
                run.env.extend(other.env);
                self.found.unclear |= other.cwd != run.cwd;
            }
            run.cwd = run.cwd.or(self.cwd);
            self.found.run = Some(run);
        } else if let Some(dir) = self.cwd.take() {
            // Where a search begins, say.
            self.add_path(&dir, true);
        }
        self.found
    }
}

/// What stands for a command, or its arguments.
enum Line {
    Shell(String),
    Words(Vec<String>),
}

impl Line {
    fn of(json: &str, name: &str) -> Option<Self> {
        let json = json.trim_ascii();
        match json.as_bytes().first()? {
            b'"' => whole_text(json).map(Self::Shell),
            b'[' => {
                let Items { items, more } = serde_json::from_str(json).ok()?;
                let word = |item: &&RawValue| {
                    let text = item.get();
                    match text.as_bytes().first()? {
                        b'"' => whole_text(text),
                        b'{' | b'[' | b'n' => None,
                        _ => Some(text.to_owned()),
                    }
                };
                let words: Vec<String> = items.iter().map(word).collect::<Option<_>>()?;
                if more || words.is_empty() || words.iter().all(|word| word.trim().is_empty()) {
                    return None;
                }
                Some(match name {
                    "commands" => Self::Shell(words.join("\n")),
                    _ => Self::Words(words),
                })
            }
            _ => None,
        }
        .filter(|line| !matches!(line, Self::Shell(line) if line.trim().is_empty()))
    }

    fn with_args(self, args: Option<&Self>) -> CommandRun {
        match (self, args) {
            (Self::Shell(line), None) => CommandRun::of_line(line),
            (Self::Words(words), None) => CommandRun::of_words(words),
            (Self::Words(mut words), Some(Self::Words(args))) => {
                words.extend(args.iter().cloned());
                CommandRun::of_words(words)
            }
            // Text behind a command: as if it were typed there.
            (Self::Shell(line), Some(Self::Shell(args))) => {
                CommandRun::of_line(format!("{line} {args}"))
            }
            (Self::Words(words), Some(Self::Shell(args))) => {
                let line = command_line(words.iter().map(String::as_str));
                CommandRun::of_line(format!("{line} {args}"))
            }
            (Self::Shell(line), Some(Self::Words(args))) => {
                let quoted = command_line(args.iter().map(String::as_str));
                let shell = line
                    .rsplit('/')
                    .next()
                    .is_some_and(|name| SHELLS.contains(&name));
                let one_word = !line.contains(|c: char| c.is_whitespace() || is_syntax(c));
                let plain = !args.iter().any(|arg| arg.contains(is_syntax));
                let mut run = CommandRun::of_line(format!("{line} {quoted}"));
                if !(shell || one_word && plain) {
                    run.other = Some(format!("{line} {}", args.join(" ")));
                }
                run
            }
        }
    }
}

fn is_syntax(c: char) -> bool {
    "|&;<>()`$\"'\\\n\r".contains(c)
}

/// `PATH=x`, `{"PATH": "x"}`, `{"name": "PATH", "value": "x"}`, and lists of these. False where it is
/// none of them.
fn variables(json: &str, out: &mut Vec<(String, String)>, depth: usize) -> bool {
    let json = json.trim_ascii();
    if out.len() >= MAX_ENV || depth > 2 {
        return false;
    }
    match json.as_bytes().first() {
        Some(b'"') => {
            let Some(text) = whole_text(json) else {
                return false;
            };
            if is_json(&text) && text.starts_with(['{', '[']) {
                return variables(&text, out, depth + 1);
            }
            let (name, value) = text.split_once('=').unwrap_or((&text, ""));
            out.push((name.to_owned(), value.to_owned()));
            true
        }
        Some(b'[') => {
            let Ok(Items { items, more }) = serde_json::from_str::<Items<'_>>(json) else {
                return false;
            };
            !more
                && items
                    .iter()
                    .all(|item| variables(item.get(), out, depth + 1))
        }
        Some(b'{') => {
            let Ok(Members { members, more }) = serde_json::from_str::<Members<'_>>(json) else {
                return false;
            };
            let of = |name: &str| members.iter().find(|member| member.name == name);
            let value = |member: &Member<'_>| {
                let text = member.value.get();
                whole_text(text).unwrap_or_else(|| text.to_owned())
            };
            if depth > 0
                && let Some(name) = of("name").or_else(|| of("key"))
            {
                let value = of("value").map(value).unwrap_or_default();
                out.push((whole_text(name.value.get()).unwrap_or_default(), value));
                return true;
            }
            for member in &members {
                if out.len() >= MAX_ENV {
                    return false;
                }
                out.push((member.written.to_string(), value(member)));
            }
            !more
        }
        // `null`: nothing is set.
        Some(b'n') | None => true,
        _ => false,
    }
}

/// The file that a line of a patch names.
fn patched_file(line: &str) -> Option<&str> {
    const HEADERS: [&str; 9] = [
        "*** Update File: ",
        "*** Add File: ",
        "*** Delete File: ",
        "*** Move to: ",
        "+++ ",
        "--- ",
        "rename from ",
        "rename to ",
        "Index: ",
    ];
    let path = HEADERS
        .iter()
        .find_map(|header| line.strip_prefix(header))?;
    let path = path.split('\t').next().unwrap_or(path).trim();
    let path = match path.strip_prefix("a/").or_else(|| path.strip_prefix("b/")) {
        Some(path) if line.starts_with(['+', '-']) => path,
        _ => path,
    };
    (path != "/dev/null").then_some(path)
}

/// Whether a text is a URL, also as browsers read one: without its slashes.
fn is_url(text: &str) -> bool {
    const BROWSED: [&str; 6] = ["http", "https", "ftp", "ws", "wss", "file"];
    let text = text.trim_matches(|c: char| c.is_whitespace() || c.is_control());
    let Some((scheme, rest)) = text.split_once(':') else {
        return false;
    };
    let browsed = BROWSED.iter().any(|of| scheme.eq_ignore_ascii_case(of));
    // One letter is a drive.
    let is_scheme = scheme.len() > 1
        && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "+.-".contains(c));
    is_scheme
        && (rest.starts_with("//") || browsed && !rest.contains(char::is_whitespace))
        && !rest.is_empty()
}

fn whole_text(json: &str) -> Option<String> {
    serde_json::from_str(json).ok()
}

fn is_json(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}

fn is_of_numbers(items: &[&RawValue]) -> bool {
    items.iter().all(|item| {
        item.get()
            .starts_with(|c: char| c == '-' || c.is_ascii_digit())
    })
}

struct Member<'a> {
    written: Cow<'a, str>,
    /// As names are compared.
    name: String,
    value: &'a RawValue,
}

impl Member<'_> {
    fn is_text(&self) -> bool {
        self.value.get().starts_with('"')
    }
}

/// All members in order, also those of the same name: agents differ in which one counts.
struct Members<'a> {
    members: Vec<Member<'a>>,
    more: bool,
}

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct All;
        impl<'de> Visitor<'de> for All {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                let mut more = false;
                while let Some(Name(written)) = map.next_key()? {
                    let value: &RawValue = map.next_value()?;
                    if members.len() >= MAX_ITEMS {
                        more = true;
                        continue;
                    }
                    let name = written
                        .chars()
                        .filter(|c| !matches!(c, '_' | '-'))
                        .map(|c| c.to_ascii_lowercase())
                        .collect();
                    members.push(Member {
                        written,
                        name,
                        value,
                    });
                }
                Ok(Members { members, more })
            }
        }
        deserializer.deserialize_map(All)
    }
}

#[derive(Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

struct Items<'a> {
    items: Vec<&'a RawValue>,
    more: bool,
}

impl<'de> Deserialize<'de> for Items<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct All;
        impl<'de> Visitor<'de> for All {
            type Value = Items<'de>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a list")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
                let mut items = Vec::new();
                let mut more = false;
                while items.len() < MAX_ITEMS {
                    match list.next_element()? {
                        Some(item) => items.push(item),
                        None => return Ok(Items { items, more }),
                    }
                }
                while list.next_element::<IgnoredAny>()?.is_some() {
                    more = true;
                }
                Ok(Items { items, more })
            }
        }
        deserializer.deserialize_seq(All)
    }
}

#[cfg(test)]
mod tests;
