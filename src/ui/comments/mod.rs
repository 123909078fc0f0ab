//! What the person has to say of lines: kept until it is sent, moved with its lines, told in one prompt.

mod kept;
mod places;
mod writing;

use std::{
    ops::Range,
    path::{Path, PathBuf},
};

use crate::{
    text::{SafeText, first_bytes, in_backticks},
    ui::render::{diff::Side, format::count},
};

pub use places::{ShownFile, Target, all_notes, bodies, notes};
pub use writing::{Wanted, Writing, Wrote};

/// Bytes that the comments of one session take. What is beyond them is refused, not what was written
/// before.
const MAX: usize = 256 << 10;

/// What a comment costs besides its texts.
const ENTRY: usize = 256;

/// Lines that are quoted, and bytes of each.
const QUOTED: usize = 10;
const QUOTED_BYTES: usize = 200;

/// How much farther they may be where the lines around them are the same.
const BETTER: u32 = 200;

/// How far its lines are looked for from where they were, in lines.
const FAR: usize = 50_000;

/// What a comment is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Subject {
    pub path: PathBuf,
    /// As it is told: below the project without its path.
    pub name: SafeText,
    pub side: Side,
    /// Its lines on that side, from 0; none: it is about the file as a whole.
    pub lines: Range<u32>,
    /// What is to be added for their numbers in the file.
    pub shift: u32,
    pub quote: Quote,
}

/// Lines as they were when something was said of them; they tell where these lines are now.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Quote {
    /// The first of them.
    lines: Vec<SafeText>,
    /// How many more there were.
    more: usize,
    /// The lines around them, which tell one brace from another.
    around: [Option<SafeText>; 2],
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Comment {
    pub id: u64,
    pub about: Subject,
    pub text: String,
    /// Its lines are not there any more.
    pub stale: bool,
    /// The content of the file that it has its place in.
    content: u64,
}

/// A row of the list of all.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CommentRow {
    pub id: u64,
    /// `src/a.rs, lines 10–12`
    pub place: SafeText,
    pub quote: Vec<SafeText>,
    pub text: SafeText,
    pub stale: bool,
}

/// What the list of all comments leads to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CommentWish {
    GoTo(u64),
    Remove(u64),
    Send,
    /// What was written; without a text the comment goes.
    Keep(Box<Wanted>, String),
}

/// The comments of one session, in the order in which they were written.
#[derive(Default)]
pub struct Comments {
    list: Vec<Comment>,
    next: u64,
    rev: u64,
}

impl Quote {
    /// Of lines of a text, which `line` gives without their ends.
    pub fn of<'a>(lines: &Range<u32>, line: impl Fn(u32) -> Option<&'a str>) -> Self {
        let all = lines.len();
        let taken = lines.clone().take(QUOTED).filter_map(&line).map(quoted);
        let lines_taken: Vec<SafeText> = taken.collect();
        let before = lines.start.checked_sub(1);
        Self {
            more: all - lines_taken.len(),
            lines: lines_taken,
            around: [before.and_then(&line), line(lines.end)].map(|line| line.map(quoted)),
        }
    }

    /// Where these lines stand now, nearest to `near`.
    fn find<'a>(&self, near: u32, line: &impl Fn(u32) -> Option<&'a str>) -> Option<u32> {
        let is_at = |at: u32| {
            let mut lines = (at..).zip(&self.lines);
            !self.lines.is_empty() && lines.all(|(at, was)| is_line(line(at), was))
        };
        let around = |at: u32| {
            let above = at.checked_sub(1).and_then(line);
            let end = at.saturating_add(self.len());
            let [before, after] = &self.around;
            let same = |now: Option<&str>, was: &Option<SafeText>| match was {
                Some(was) => is_line(now, was),
                None => now.is_none(),
            };
            same(above, before) || same(line(end), after)
        };
        let mut alone = None;
        for by in 0..u32::try_from(FAR).unwrap_or(u32::MAX) {
            let places = [
                near.checked_sub(by),
                near.checked_add(by).filter(|_| by > 0),
            ];
            for at in places.into_iter().flatten().filter(|at| is_at(*at)) {
                if around(at) {
                    return Some(at);
                }
                alone = alone.or(Some(at));
            }
            let is_over = line(near.saturating_add(by)).is_none() && near < by;
            let is_far = alone.is_some_and(|at: u32| by > at.abs_diff(near) + BETTER);
            if is_over || is_far {
                break;
            }
        }
        // A brace alone is anywhere.
        let told = self.lines.iter().flat_map(|line| line.chars());
        let tells = told.filter(|c| c.is_alphanumeric()).count() > 3;
        alone.filter(|at| tells || *at == near)
    }

    fn len(&self) -> u32 {
        u32::try_from(self.lines.len().saturating_add(self.more)).unwrap_or(u32::MAX)
    }

    fn weight(&self) -> usize {
        let around = self.around.iter().flatten();
        let all = self.lines.iter().chain(around);
        all.map(|line| line.len()).sum()
    }
}

/// A line as it is quoted, without the sign of a carriage return.
fn quoted(line: &str) -> SafeText {
    SafeText::line(first_bytes(plain(line), QUOTED_BYTES))
}

fn plain(line: &str) -> &str {
    line.strip_suffix('␍').unwrap_or(line)
}

fn is_line(now: Option<&str>, was: &SafeText) -> bool {
    now.is_some_and(|now| quoted(now) == *was)
}

/// Stands for the plan, which is no file.
pub fn plan() -> &'static Path {
    Path::new("")
}

impl Subject {
    /// An entry of the plan.
    pub fn of_plan(entries: &[SafeText], at: usize) -> Self {
        let first = u32::try_from(at).unwrap_or(u32::MAX);
        let lines = first..first.saturating_add(1);
        let entry = |at: u32| entries.get(at as usize).map(SafeText::as_str);
        Self {
            path: plan().to_path_buf(),
            name: "the plan".into(),
            side: Side::New,
            shift: 0,
            quote: Quote::of(&lines, entry),
            lines,
        }
    }

    /// A file as a whole: it has no lines, as a picture or other permissions.
    pub fn of_file(path: &Path, name: &SafeText) -> Self {
        Self {
            path: path.to_path_buf(),
            name: name.clone(),
            side: Side::New,
            lines: 0..0,
            shift: 0,
            quote: Quote::default(),
        }
    }

    pub fn is_whole(&self) -> bool {
        self.lines.is_empty() && !self.is_plan()
    }

    pub fn is_plan(&self) -> bool {
        self.path == plan()
    }

    /// `line 4`, `lines 10–12`, `the file`
    pub fn lines(&self) -> String {
        let number = |line: u32| line.saturating_add(self.shift);
        let first = number(self.lines.start.saturating_add(1));
        if self.is_plan() {
            return format!("entry {first}");
        }
        if self.is_whole() {
            return "the file".to_owned();
        }
        let last = number(self.lines.end);
        match first >= last {
            true => format!("line {first}"),
            false => format!("lines {first}–{last}"),
        }
    }

    /// The line that its comment stands below, from 0.
    pub fn last(&self) -> u32 {
        self.lines.end.saturating_sub(1)
    }

    /// `src/a.rs, lines 10–12`; of a whole file its name.
    fn place(&self) -> SafeText {
        SafeText::line(&self.place_of(&self.name))
    }

    /// The same for the agent.
    fn told(&self) -> String {
        match self.is_plan() {
            true => self.place_of(&self.name),
            false => self.place_of(&in_backticks(&self.name)),
        }
    }

    fn place_of(&self, name: &str) -> String {
        if self.is_whole() {
            return name.to_owned();
        }
        let before = match self.side {
            Side::Old => " before the change",
            Side::New => "",
        };
        format!("{name}, {}{before}", self.lines())
    }

    /// Where its lines are in the texts of both sides; `None`: they are gone.
    pub fn find<'a>(&self, line: impl Fn(Side, u32) -> Option<&'a str>) -> Option<Range<u32>> {
        if self.is_whole() {
            return None;
        }
        let of_side = |at| line(self.side, at);
        let first = self.quote.find(self.lines.start, &of_side)?;
        Some(first..first.saturating_add(self.quote.len()))
    }
}

/// The content of a file that is not changed.
const NO_CHANGE: u64 = 0;

impl Comment {
    /// Its file is not changed any more.
    pub fn is_gone(&self) -> bool {
        self.stale && self.content == NO_CHANGE
    }

    fn weight(&self) -> usize {
        let about = &self.about;
        let names = about.path.as_os_str().len() + about.name.len();
        ENTRY + names + about.quote.weight() + self.text.len()
    }

    /// The first of its quoted lines, for a place where they are not.
    pub fn was(&self) -> SafeText {
        let first = self.about.quote.lines.first();
        SafeText::line(first.map_or("", |line| line.trim()))
    }

    fn row(&self) -> CommentRow {
        CommentRow {
            id: self.id,
            place: self.about.place(),
            quote: self.about.quote.lines.clone(),
            text: SafeText::new(&self.text),
            stale: self.stale,
        }
    }

    /// As the agent is told.
    fn told(&self) -> String {
        let mut out = self.about.told();
        if self.stale {
            out.push_str(" (changed since)");
        }
        out.push_str(":\n");
        for line in &self.about.quote.lines {
            out.push_str(format!("> {line}").trim_end());
            out.push('\n');
        }
        if self.about.quote.more > 0 {
            out.push_str(&format!(
                "> ({} more)\n",
                count(self.about.quote.more, "line")
            ));
        }
        out.push_str(self.text.trim());
        out
    }
}

impl Comments {
    pub fn len(&self) -> usize {
        self.list.len()
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Grows with each change.
    pub fn rev(&self) -> u64 {
        self.rev
    }

    pub fn get(&self, id: u64) -> Option<&Comment> {
        self.list.iter().find(|comment| comment.id == id)
    }

    pub fn of_file<'a>(&'a self, path: &'a Path) -> impl Iterator<Item = &'a Comment> {
        let of = move |comment: &&Comment| comment.about.path == path;
        self.list.iter().filter(of)
    }

    /// The one on a file as a whole.
    pub fn of_whole(&self, path: &Path) -> Option<&Comment> {
        let mut whole = self.list.iter().filter(|comment| comment.about.is_whole());
        whole.find(|comment| comment.about.path == path)
    }

    pub fn in_file(&self, path: &Path) -> usize {
        match self.list.is_empty() {
            true => 0,
            false => self.of_file(path).count(),
        }
    }

    /// Whether that much is kept.
    fn has_room(&self, weight: usize, instead: Option<u64>) -> bool {
        let others = self
            .list
            .iter()
            .filter(|comment| Some(comment.id) != instead);
        others.map(Comment::weight).sum::<usize>() + weight <= MAX
    }

    /// Keeps a new one; an error: why not.
    pub fn add(&mut self, about: Subject, content: u64, text: &str) -> Result<(), &'static str> {
        let comment = Comment {
            id: self.next,
            about,
            text: text.trim().to_owned(),
            stale: false,
            content,
        };
        if !self.has_room(comment.weight(), None) {
            return Err(FULL);
        }
        (self.next, self.rev) = (self.next + 1, self.rev + 1);
        self.list.push(comment);
        Ok(())
    }

    /// Keeps what was written: a new one or another text of one. Without a text it goes.
    pub fn keep(&mut self, wanted: Wanted, text: &str) -> Result<(), &'static str> {
        match wanted.known {
            Some((id, _)) => self.change(id, text),
            None if text.trim().is_empty() => Ok(()),
            None => self.add(wanted.about, wanted.content, text),
        }
    }

    /// Another text for one; without a text it goes.
    pub fn change(&mut self, id: u64, text: &str) -> Result<(), &'static str> {
        let text = text.trim();
        if text.is_empty() {
            self.remove(id);
            return Ok(());
        }
        let known = self.get(id).map(|known| known.weight() - known.text.len());
        if known.is_some_and(|known| !self.has_room(known + text.len(), Some(id))) {
            return Err(FULL);
        }
        self.rev += 1;
        if let Some(comment) = self.list.iter_mut().find(|comment| comment.id == id) {
            text.clone_into(&mut comment.text);
        }
        Ok(())
    }

    pub fn remove(&mut self, id: u64) {
        self.list.retain(|comment| comment.id != id);
        self.rev += 1;
    }

    pub fn clear(&mut self) {
        self.list.clear();
        self.rev += 1;
    }

    /// Whether one of a file has its place in another content of it.
    pub fn is_behind(&self, path: &Path, content: u64) -> bool {
        let mut placed = self
            .of_file(path)
            .filter(|comment| !comment.about.is_whole());
        placed.any(|comment| comment.content != content)
    }

    /// A file has these texts now, which `line` gives: its comments go where their lines are.
    pub fn settle<'a>(
        &mut self,
        path: &Path,
        content: u64,
        line: impl Fn(Side, u32) -> Option<&'a str>,
    ) {
        let mut of = self
            .list
            .iter_mut()
            .filter(|comment| comment.about.path == path && !comment.about.is_whole());
        for comment in of.by_ref().filter(|comment| comment.content != content) {
            let found = comment.about.find(&line);
            comment.content = content;
            comment.stale = found.is_none();
            if let Some(lines) = found {
                comment.about.lines = lines;
            }
            self.rev += 1;
        }
    }

    /// The changed files that they are on, each once.
    pub fn paths(&self) -> Vec<PathBuf> {
        let is_on_change = |comment: &&Comment| !comment.about.is_plan() && !comment.is_gone();
        let of_files = self.list.iter().filter(is_on_change);
        let mut paths: Vec<PathBuf> = of_files.map(|comment| comment.about.path.clone()).collect();
        paths.sort_unstable();
        paths.dedup();
        paths
    }

    /// A file is as it was: there is no change any more that these were on.
    pub fn unchanged(&mut self, path: &Path) {
        let of_file = self
            .list
            .iter_mut()
            .filter(|comment| comment.about.path == path);
        for comment in of_file.filter(|comment| !comment.is_gone()) {
            (comment.stale, comment.content) = (true, NO_CHANGE);
            self.rev += 1;
        }
    }

    /// It is changed again: those on its lines are looked for, those on the whole of it are about it.
    pub fn changed(&mut self, path: &Path, content: u64) {
        let of_file = self
            .list
            .iter_mut()
            .filter(|comment| comment.about.path == path);
        for comment in of_file.filter(|comment| comment.about.is_whole() && comment.is_gone()) {
            (comment.stale, comment.content) = (false, content);
            self.rev += 1;
        }
    }

    pub fn rows(&self) -> Vec<CommentRow> {
        self.list.iter().map(Comment::row).collect()
    }

    /// All as one prompt; `None` without any.
    pub fn prompt(&self) -> Option<String> {
        let all: Vec<String> = match &self.list[..] {
            [] => return None,
            [only] => vec![only.told()],
            list => {
                let numbered = (1..).zip(list);
                numbered
                    .map(|(n, comment)| format!("{n}. {}", comment.told()))
                    .collect()
            }
        };
        let all = all.join("\n\n");
        // Those on the plan say so.
        let of_changes = self.list.iter().all(|comment| !comment.about.is_plan());
        let of = if of_changes { " on the changes" } else { "" };
        Some(match self.list.len() {
            1 => format!("My comment{of}: {all}"),
            _ => format!("My comments{of}:\n\n{all}"),
        })
    }
}

const FULL: &str = "there is no room for more comments: S sends those that are there";

#[cfg(test)]
mod tests {
    use super::*;

    fn about(text: &str, lines: Range<u32>) -> Subject {
        Subject {
            path: "/p/a.rs".into(),
            name: "a.rs".into(),
            side: Side::New,
            quote: Quote::of(&lines, |at| text.lines().nth(at as usize)),
            shift: 0,
            lines,
        }
    }

    fn find(about: &Subject, text: &str) -> Option<Range<u32>> {
        let lines: Vec<&str> = text.lines().collect();
        about.find(|_, at| lines.get(at as usize).copied())
    }

    const TEXT: &str = "fn a() {\n    one();\n}\n\nfn b() {\n    two();\n}\n";

    #[test]
    fn lines_are_found_where_they_are_now() {
        let one = about(TEXT, 1..2);
        assert_eq!(find(&one, TEXT), Some(1..2));
        assert_eq!(find(&one, &format!("// first\n{TEXT}")), Some(2..3));
        assert_eq!(find(&one, &TEXT.replace("one", "three")), None);
        let both = about(TEXT, 4..6);
        let moved = "fn b() {\n    two();\n}\n";
        assert_eq!(find(&both, moved), Some(0..2));
        assert_eq!(find(&both, &TEXT.replace("two();", "two()?;")), None);
        assert_eq!(find(&both, ""), None);
        // What is quoted in part is as long as it was.
        let long: String = (0..50).map(|n| format!("line {n}\n")).collect();
        let all = about(&long, 0..50);
        assert_eq!(find(&all, &format!("new\n{long}")), Some(1..51));
    }

    #[test]
    fn a_brace_is_told_from_others_by_the_lines_around_it() {
        let last = about(TEXT, 6..7);
        let shorter = "fn a() {\n    one();\n}\n\nfn c() {}\n";
        assert_eq!(find(&last, shorter), None, "it was the other function's");
        let longer = format!("{}}}\n", TEXT.replace("}\n\n", "}\n\n// more\n\n"));
        assert_eq!(find(&last, &longer), Some(8..9));
    }

    #[test]
    fn all_are_told_in_one_prompt() {
        let mut comments = Comments::default();
        assert_eq!(comments.prompt(), None);
        comments.add(about(TEXT, 1..2), 1, " Why?\n").expect("room");
        assert_eq!(
            comments.prompt().as_deref(),
            Some("My comment on the changes: `a.rs`, line 2:\n>     one();\nWhy?")
        );
        let old = Subject {
            side: Side::Old,
            ..about(TEXT, 4..7)
        };
        comments.add(old, 1, "Keep it.\nIt is used.").expect("room");
        comments.settle(Path::new("/p/a.rs"), 2, |_, _| None);
        assert_eq!(
            comments.prompt().as_deref(),
            Some(concat!(
                "My comments on the changes:\n\n",
                "1. `a.rs`, line 2 (changed since):\n>     one();\nWhy?\n\n",
                "2. `a.rs`, lines 5–7 before the change (changed since):\n> fn b() {\n>     two();\n> }\n",
                "Keep it.\nIt is used."
            ))
        );
    }

    #[test]
    fn quotes_are_short_and_harmless() {
        let long = format!("{}\u{1b}[31m\n", "é".repeat(300)).repeat(30);
        let mut comments = Comments::default();
        comments.add(about(&long, 0..30), 1, "x").expect("room");
        let prompt = comments.prompt().expect("one");
        assert!(prompt.contains("> (20 lines more)\nx"), "{prompt}");
        assert!(prompt.len() < 15 * QUOTED_BYTES && !prompt.contains('\u{1b}'));
    }

    #[test]
    fn beyond_a_bound_in_bytes_a_comment_is_refused_and_those_before_stay() {
        let one = about(TEXT, 1..2);
        let mut comments = Comments::default();
        comments.add(one.clone(), 1, "a").expect("room");
        let first = comments.list[0].id;
        let fixed = comments.list[0].weight() - 1;
        let most = MAX - (fixed + 1) - fixed;
        for (len, fits) in [(most - 1, true), (most, true), (most + 1, false)] {
            let added = comments.add(one.clone(), 1, &"x".repeat(len));
            assert_eq!(added.is_ok(), fits, "{len}");
            assert_eq!(comments.len(), 1 + usize::from(fits));
            if added.is_ok() {
                let id = comments.list[1].id;
                let longer = "x".repeat(most + 1);
                assert!(comments.change(id, &longer).is_err());
                assert!(comments.get(id).is_some_and(|kept| kept.text.len() == len));
                assert!(comments.change(id, &"x".repeat(most)).is_ok());
                comments.remove(id);
            }
        }
        comments.change(first, " ").expect("it goes");
        assert!(comments.is_empty());
    }
}
