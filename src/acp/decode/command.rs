//! What a tool call would do, as far as its raw input shows it: the command line, its environment and directory,
//! paths.
//!
//! Raw inputs are any JSON, in the shapes of many agents. What a person approves, and rules judge,
//! must be the whole command; so everything that may be one counts, wherever it stands. No tree is
//! built of it: an input can be as large as a message.

use std::{borrow::Cow, sync::Arc};

mod json;
mod known;
mod line;
mod names;
mod patched;

use json::{Items, Member, Members, is_json, is_of_numbers, whole_text};
use known::{Around, Known, is_patch, known, says_nothing};
use line::{Line, variables};
use names::{
    BEYOND, DELETING, EDITOR_COMMANDS, MAX_NAME, MOVING, NO_SANDBOX, SCRIPT_ENDS, SHELL_DIRS,
    SHELL_TOOLS, SHELLS,
};
use patched::{headers, joined};

use crate::{
    model::{
        CommandRun, Patch, Place, ToolCallPatch, ToolInput, ToolKind,
        input_names::{Role, is},
        plain_name,
    },
    text::{Words, first_bytes},
};

/// Objects in objects, JSON in texts.
const MAX_DEPTH: usize = 8;
/// Bytes that are looked into, all levels together: what lies deeper is looked at once a level.
const MAX_BYTES: usize = 8 << 20;
/// Bytes of a path; what Linux allows itself.
const MAX_PATH: usize = 4_096;
/// Paths, and texts that could be some; and their bytes.
const MAX_PATHS: usize = 500;
const MAX_PATH_BYTES: usize = 64 << 10;
/// Bytes of a text that names the files it changes: a patch.
const MAX_PATCH: usize = 1 << 20;
/// Texts that are lines if the tool is a shell, and their bytes.
const MAX_LINES: usize = 100;
const MAX_LINE_BYTES: usize = 64 << 10;
/// Names and texts of unknown members, globs, and their bytes; beyond it the input counts as unclear.
const MAX_UNKNOWN: usize = 2_000;
const MAX_UNKNOWN_BYTES: usize = 256 << 10;

/// Looks through a raw input.
pub fn find(raw_input: &str) -> ToolInput {
    let mut finder = Finder {
        left: MAX_BYTES,
        ..Finder::default()
    };
    finder.value(raw_input, "", 0);
    finder.finish()
}

/// Adds what a raw input shows to the patch that it comes with. What it does not name is cleared, even if an earlier
/// input named it.
pub fn add_to(patch: &mut ToolCallPatch, raw_input: &str) {
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

/// Whether an input is empty: some agents send an empty one with updates.
pub fn is_empty(raw_input: &str) -> bool {
    let bare = raw_input.bytes().filter(|b| !b.is_ascii_whitespace());
    matches!(
        bare.take(5).collect::<Vec<u8>>().as_slice(),
        b"" | b"{}" | b"[]" | b"null" | b"\"\""
    )
}

#[derive(Default)]
struct Finder {
    found: ToolInput,
    runs: Vec<CommandRun>,
    /// Of an object around the command.
    cwd: Option<String>,
    /// Bytes that may still be looked into.
    left: usize,
    path_bytes: usize,
    unknown_bytes: usize,
    /// The first member that would be unknown if the call runs a command.
    beside: Option<String>,
    /// The tool is a shell by its name.
    runs_a_line: bool,
    /// What it would run then, and the bytes of all such texts, kept or not.
    lines: Vec<String>,
    line_bytes: usize,
    part: Part,
}

/// What is being looked into.
#[derive(Clone, Copy, Default)]
struct Part {
    /// Something within a member that is not known.
    unknown: bool,
    /// Within what stands for one of several files, or describes the command.
    entry: bool,
    /// Within an object that stands for a path: all its texts may be the path.
    path: bool,
    /// A path stands in the same object, or in one around it.
    of_path: bool,
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
                    self.object(text, key, depth);
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
        if items.len() > 1
            && let Some(lines) = joined(items.iter().map(|item| item.get()))
        {
            self.found.unclear |= is(key, Role::Patch) && lines.len() > MAX_PATCH;
            self.patch(&lines, key);
            if is(key, Role::Patch) {
                return;
            }
        }
        if self.part.unknown || key.is_empty() {
            // The words of a command, maybe.
            let words: Option<Vec<String>> =
                items.iter().map(|item| whole_text(item.get())).collect();
            if let Some(words) = words.filter(|words| words.len() > 1) {
                self.add_unknown(words.join(" "));
            }
        }
        for item in items {
            self.value(item.get(), key, depth + 1);
        }
    }

    fn object(&mut self, text: &str, key: &str, depth: usize) {
        let Ok(Members { members, more }) = serde_json::from_str::<Members<'_>>(text) else {
            self.found.unclear = true;
            return;
        };
        self.found.unclear |= more;
        let named_path = members.iter().any(|member| {
            is(&member.name, Role::Path) && !is(&member.name, Role::Cwd) && member.is_text()
        });
        let before = self.part;
        let has_path = members.iter().any(|member| {
            (is(&member.name, Role::Path) || is(&member.name, Role::Uri)) && member.is_text()
        });
        self.part.path |= is(key, Role::Path) && (is(key, Role::OnePath) || !has_path);
        self.part.of_path |= named_path;
        let mut used = vec![false; members.len()];
        let mut lines = Vec::new();
        for (n, member) in members.iter().enumerate() {
            if !is(&member.name, Role::Command) || is(&member.name, Role::Args) && !lines.is_empty()
            {
                continue;
            }
            let Some(line) = Line::of(member.value.get(), &member.name) else {
                // A list that holds more than words may be run all the same.
                let list = member.value.get().starts_with('[');
                self.found.unclear |= list && !is_empty(member.value.get());
                continue;
            };
            used[n] = true;
            match &line {
                Line::Shell(word) if named_path && EDITOR_COMMANDS.contains(word) => {
                    self.found.writes |= word != "view";
                }
                _ => lines.push(line),
            }
        }
        if !lines.is_empty() {
            self.command(lines, &members, &mut used);
        }
        let around = Around::of(&members, self.part.entry);
        for (n, member) in members.iter().enumerate() {
            self.found.writes |= is(&member.name, Role::Writes)
                || is(&member.name, Role::Written) && member.is_text()
                || named_path && is(&member.name, Role::WritesToPath) && member.is_text();
            if !used[n] {
                self.member(member, around, key, depth);
            }
        }
        // What is named deeper inside goes first.
        let cwd = members.iter().find(|member| is(&member.name, Role::Cwd));
        if let Some(cwd) = cwd.and_then(|member| whole_text(member.value.get()))
            && !cwd.is_empty()
        {
            self.cwd.get_or_insert(cwd);
        }
        self.part = before;
    }

    /// One that is no part of a command. `parent`: the name of the object that it is in.
    fn member(&mut self, member: &Member<'_>, around: Around, parent: &str, depth: usize) {
        let value = member.value.get();
        let before = self.part;
        let known = known(member, around);
        let (name, written) = (&*member.name, &*member.written);
        let by_path = is(parent, Role::ByPath);
        let like_file = known == Known::Never && (value == "null" || written.contains(['/', '.']));
        if by_path && (value.starts_with('{') || like_file) {
            self.part.entry = true;
            self.part.path = false;
            self.path_of(written, true);
            self.value(value, "content", depth + 1);
            self.part = before;
            return;
        }
        let called = || first_bytes(written, MAX_NAME).to_owned();
        match known {
            Known::Always => {}
            Known::Writes => self.found.writes = true,
            Known::WithoutCommand => {
                self.beside.get_or_insert_with(called);
            }
            Known::Never => {
                // Nothing else is written like a place, unless it is a route; then it is asked about
                // for nothing.
                self.path_of(written, by_path || !Place::of(written).is_relative());
                if !says_nothing(value) {
                    self.found.unknown.get_or_insert_with(called);
                    self.part.unknown = true;
                    self.add_unknown(written.to_owned());
                }
            }
        }
        self.says(name, value);
        self.part.entry |= name == "parsedcmd";
        self.value(value, name, depth + 1);
        self.part = before;
    }

    /// Notes what a word shows of the call: that it runs a line, deletes a file or moves one.
    fn says(&mut self, name: &str, value: &str) {
        let word = if is(name, Role::Kind) {
            whole_text(value).map(|word| plain_name(&word))
        } else {
            None
        };
        let said = |words: Words| word.as_deref().is_some_and(|word| words.contains(word));
        let set = !says_nothing(value) && value != "false";
        self.runs_a_line |= said(SHELL_TOOLS);
        self.found.deletes |= said(DELETING) || DELETING.contains(name) && set;
        self.found.moves |= said(MOVING) || (name == "movepath" || MOVING.contains(name)) && set;
    }

    /// A name that is a file's, as where changes are listed by path, or may be.
    fn path_of(&mut self, name: &str, named: bool) {
        self.found.fetches |= is_url(name);
        if name.len() > MAX_PATH {
            self.found.crowded = true;
        } else {
            self.add_path(name, named);
        }
    }

    fn add_glob(&mut self, text: &str) {
        if self.has_room_for(text) {
            self.found.globs.push(text.to_owned());
        }
    }

    fn has_room_for(&mut self, text: &str) -> bool {
        self.unknown_bytes += text.len();
        let known = self.found.unknown_texts.len() + self.found.globs.len();
        let room = known < MAX_UNKNOWN && self.unknown_bytes <= MAX_UNKNOWN_BYTES;
        self.found.unclear |= !room;
        room
    }

    fn add_unknown(&mut self, text: String) {
        if !text.trim_ascii().is_empty() && self.has_room_for(&text) {
            self.found.unknown_texts.push(text);
        }
    }

    fn command(&mut self, lines: Vec<Line>, members: &[Member<'_>], used: &mut [bool]) {
        let mut args = None;
        let mut env = Vec::new();
        let mut cwd = None;
        for (n, member) in members.iter().enumerate() {
            let name = &*member.name;
            if !used[n] && is(name, Role::Args) {
                let line = Line::of(member.value.get(), "");
                used[n] = line.is_some();
                // A list that holds more than words may be passed on all the same.
                let list = member.value.get().starts_with('[');
                self.found.unclear |= list && line.is_none() && !is_empty(member.value.get());
                // Twice the same name: both may count.
                self.found.unclear |= args.is_some();
                args = args.or(line);
            } else if is(name, Role::Env) {
                used[n] = true;
                self.found.unclear |= !variables(member.value.get(), &mut env, 0);
            } else if is(name, Role::Cwd) {
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

    /// Whether a member of a command's object says how the command is run, and nothing more.
    fn beside_command(&mut self, member: &Member<'_>) -> bool {
        let (name, value) = (&*member.name, member.value.get().trim_ascii());
        if is(name, Role::Interpreter) {
            if says_nothing(value) || matches!(value, "true" | "false") {
                return true;
            }
            let Some(program) = whole_text(value) else {
                // A list, an object: what is in it is looked at as lines.
                self.found.unclear = true;
                return false;
            };
            let mut dirs = SHELL_DIRS.iter();
            let name = dirs.find_map(|dir| program.strip_prefix(dir));
            if !SHELLS.contains(&name.unwrap_or(&program)) {
                // It runs first, whatever the line says.
                self.found.unclear = true;
                self.found.scripts.push(program);
            }
            return true;
        }
        let sandbox = name.contains("sandbox");
        if !sandbox && !BEYOND.iter().any(|part| name.contains(part)) {
            return false;
        }
        let plain = whole_text(value).unwrap_or_else(|| value.to_owned());
        let no = ["false", "0", "none"];
        let without = NO_SANDBOX.iter().chain(&BEYOND);
        let nothing: &[&str] = if is(name, Role::Sandbox) {
            &["true"]
        } else if sandbox && !without.into_iter().any(|part| name.contains(part)) {
            &[]
        } else {
            &no
        };
        let plain = plain.to_ascii_lowercase();
        let usual = ["", "null", "default", "use_default", "{}", "[]"];
        let as_usual = usual.iter().chain(nothing).any(|said| *said == plain);
        if !as_usual {
            let name = first_bytes(&member.written, MAX_NAME).to_owned();
            self.found.beyond.get_or_insert(name);
        }
        as_usual
    }

    fn text(&mut self, json: &str, key: &str, depth: usize) {
        if json.len() > MAX_PATCH {
            self.found.unclear |= is(key, Role::Path) || is_script(key);
            self.found.unclear |= self.part.unknown || self.part.path || key.is_empty();
            // The content of a named file names no other file.
            let content = is(key, Role::WritesToPath) || is(key, Role::Writes);
            let of_file = self.part.of_path || self.part.entry;
            self.found.unclear |=
                is(key, Role::Wrapper) || is(key, Role::Patch) || content && !of_file;
            self.keep_line(json, key);
            self.found.crowded = true;
            return;
        }
        let Ok(text) = serde_json::from_str::<Cow<'_, str>>(json) else {
            // No valid text, for instance a lone surrogate.
            self.found.unclear = true;
            return;
        };
        let begins = text.trim_ascii_start();
        if begins.starts_with(['{', '[']) && depth < MAX_DEPTH && is_json(begins) {
            // Arguments as a model wrote them: JSON within a string.
            self.value(begins, key, depth + 1);
            return;
        }
        if is_script(key) {
            if !text.trim_ascii().is_empty() {
                self.found.scripts.push(text.into_owned());
            }
            return;
        }
        let alone = key.is_empty() && !is_patch(&text);
        if alone {
            self.found.unknown.get_or_insert_default();
        }
        if alone || self.part.unknown {
            self.add_unknown(text.clone().into_owned());
        } else if is(key, Role::Glob) {
            self.add_glob(&text);
        }
        self.found.fetches |= is_url(&text);
        self.keep_line(&text, key);
        self.patch(&text, key);
        let named = self.part.path
            || is(key, Role::Path)
            || is(key, Role::Uri) && !text.starts_with("http:") && !text.starts_with("https:");
        if named || !text.contains('\n') {
            self.add_path(&text, named);
        }
    }

    /// The files that a text names if it is a patch.
    fn patch(&mut self, text: &str, key: &str) {
        let is_one = is(key, Role::Patch);
        if !(is_one || text.contains(['\n', '\r']) || is_patch(text)) {
            return;
        }
        let mut none = true;
        for header in headers(text) {
            self.found.writes = true;
            self.found.deletes |= header.deletes;
            self.found.moves |= header.moves;
            self.found.unclear |= header.unclear;
            for file in header.files {
                none = false;
                self.add_path(&file, true);
            }
        }
        // A patch in the same object as a path may be about that file alone.
        let begins = text.trim_ascii_start();
        let of_path = self.part.of_path || self.part.entry;
        let short = key == "diff" || begins.starts_with("@@") || !text.contains(['\n', '\r']);
        let bare = of_path && short && !is_patch(text);
        self.found.unclear |= none && (is_one && !bare && !begins.is_empty() || is_patch(text));
    }

    /// A text that is a line for the tool if that is a shell.
    fn keep_line(&mut self, text: &str, key: &str) {
        let roles = [Role::FileText, Role::Glob, Role::Writes, Role::WritesToPath];
        if roles.iter().any(|role| is(key, *role)) && !text.trim_ascii().is_empty() {
            self.line_bytes += text.len();
            if self.lines.len() < MAX_LINES && self.line_bytes <= MAX_LINE_BYTES {
                self.lines.push(text.to_owned());
            }
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
        let nothing = self.runs.is_empty() && self.found.scripts.is_empty();
        if self.runs_a_line && (self.line_bytes > 0 || nothing && !self.found.paths.is_empty()) {
            self.found.unclear = true;
            self.found.scripts.append(&mut self.lines);
        }
        let mut runs = std::mem::take(&mut self.runs).into_iter();
        if let Some(mut run) = runs.next() {
            for other in runs
                .filter(|other| other.line != run.line && !is_all_of(other, &run))
                .collect::<Vec<_>>()
            {
                // It is unknown which one is meant, so all count, one after the other.
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
        if self.found.run.is_some() || !self.found.scripts.is_empty() {
            self.found.unknown = self.found.unknown.or(self.beside);
        }
        self.found
    }
}

fn is_script(name: &str) -> bool {
    is(name, Role::Script)
        || is(name, Role::Interpreter)
        || SCRIPT_ENDS.iter().any(|end| name.ends_with(end))
}

/// Whether a line repeats what the other's shell is started for.
fn is_all_of(line: &CommandRun, shell: &CommandRun) -> bool {
    let alone = line.env.is_empty() && line.cwd.is_none() && line.other.is_none();
    match shell.words.as_deref() {
        Some([program, flag, script]) => {
            let program = program.rsplit('/').next().unwrap_or(program);
            alone
                && SHELLS.contains(&program)
                && matches!(&**flag, "-c" | "-lc" | "-cl")
                && *script == line.line
        }
        _ => false,
    }
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

#[cfg(test)]
mod tests;
