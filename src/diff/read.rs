//! Unified diffs of any tool, as agents send them: git's, `diff -u`, jsdiff's.

/// What a line of a hunk is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HunkSign {
    Context,
    Removed,
    Added,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HunkLine<'a> {
    pub sign: HunkSign,
    /// Without its end.
    pub text: &'a str,
    /// The text ends here, without a newline.
    pub unended: bool,
}

/// A run of lines around changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hunk<'a> {
    /// Lines before it, on each side.
    pub old_before: usize,
    pub new_before: usize,
    pub lines: Vec<HunkLine<'a>>,
}

/// What a section's head says which files it is about.
#[derive(Default)]
struct Names {
    old: Option<String>,
    new: Option<String>,
}

impl Names {
    fn of(section: &str) -> Self {
        let mut names = Self::default();
        for line in section.lines() {
            if line.starts_with("@@ ") || line == "GIT binary patch" {
                break;
            }
            let name = |prefixes: &[&str]| {
                let rest = prefixes.iter().find_map(|prefix| line.strip_prefix(prefix));
                rest.map(unquoted)
            };
            if let Some(old) = name(&["--- ", "rename from ", "copy from "]) {
                names.old = Some(old);
            } else if let Some(new) = name(&["+++ ", "rename to ", "copy to "]) {
                names.new = Some(new);
            }
        }
        names
    }
}

/// The part of a patch about one file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FilePatch<'a> {
    /// `None`: there is none on that side, or it has no name.
    pub old: Option<String>,
    pub new: Option<String>,
    /// The file does not exist on that side.
    pub created: bool,
    pub deleted: bool,
    pub text: &'a str,
}

impl<'a> FilePatch<'a> {
    fn of(text: &'a str) -> Self {
        let names = Names::of(text);
        // `diff -u` puts a time behind a name.
        let bare = |name: Option<String>| {
            name.map(|name| name.split('\t').next().unwrap_or_default().to_owned())
        };
        let (old, new) = (bare(names.old), bare(names.new));
        let is_none = |name: &Option<String>| name.as_deref() == Some("/dev/null");
        let (created, deleted) = (is_none(&old), is_none(&new));
        let there = |name: Option<String>| name.filter(|name| name != "/dev/null");
        let (mut old, mut new) = (there(old), there(new));
        let prefixed = |name: &Option<String>, prefix: &str| {
            name.as_ref().is_none_or(|name| name.starts_with(prefix))
        };
        if prefixed(&old, "a/") && prefixed(&new, "b/") {
            for name in [&mut old, &mut new].into_iter().flatten() {
                name.drain(..2);
            }
        }
        Self {
            old,
            new,
            created,
            deleted,
            text,
        }
    }

    pub fn path(&self) -> Option<&str> {
        self.new.as_deref().or(self.old.as_deref())
    }
}

/// The parts of a unified diff of any tool that have hunks: git's, `diff -u`, jsdiff's. Names lose
/// git's `a/` and `b/`.
pub fn by_file(patch: &str) -> Vec<FilePatch<'_>> {
    let (mut start, mut at) = (0, 0);
    // Lines of a hunk that are still to come, on both sides.
    let (mut old_left, mut new_left) = (0_usize, 0_usize);
    // The part has hunks: a head that follows is the next one's.
    let mut has_hunks = false;
    let mut sections: Vec<&str> = Vec::new();
    for line in patch.split_inclusive('\n') {
        let here = at;
        at += line.len();
        if old_left > 0 || new_left > 0 {
            match line.as_bytes().first() {
                Some(b'-') => old_left = old_left.saturating_sub(1),
                Some(b'+') => new_left = new_left.saturating_sub(1),
                Some(b'\\') => {}
                _ => {
                    old_left = old_left.saturating_sub(1);
                    new_left = new_left.saturating_sub(1);
                }
            }
            continue;
        }
        if let Some(head) = line.strip_prefix("@@ ") {
            if let Some((old, new)) = ranges(head) {
                (old_left, new_left) = (old.1, new.1);
                has_hunks = true;
            }
            continue;
        }
        let begins = ["diff --git ", "Index: ", "--- "]
            .iter()
            .any(|head| line.starts_with(head));
        if begins && has_hunks {
            sections.extend(patch.get(start..here));
            (start, has_hunks) = (here, false);
        }
    }
    if has_hunks {
        sections.extend(patch.get(start..));
    }
    sections.into_iter().map(FilePatch::of).collect()
}

/// A name without git's quotes around unusual names and the tab after names with blanks.
pub fn unquoted(name: &str) -> String {
    let name = name.strip_suffix('\r').unwrap_or(name);
    let name = name.strip_suffix('\t').unwrap_or(name);
    let quoted = name
        .strip_prefix('"')
        .and_then(|name| name.strip_suffix('"'));
    let Some(quoted) = quoted else {
        return name.to_owned();
    };
    let mut bytes = Vec::with_capacity(quoted.len());
    let mut rest = quoted.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        bytes.push(match rest.next() {
            Some(b'a') => 7,
            Some(b'b') => 8,
            Some(b't') => b'\t',
            Some(b'n') => b'\n',
            Some(b'v') => 11,
            Some(b'f') => 12,
            Some(b'r') => b'\r',
            Some(digit @ b'0'..=b'3') => {
                let mut value = digit - b'0';
                for digit in rest.by_ref().take(2) {
                    value = value
                        .wrapping_mul(8)
                        .wrapping_add(digit.wrapping_sub(b'0') & 7);
                }
                value
            }
            Some(other) => other,
            None => break,
        });
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The hunks of a section, up to the first malformed one: what follows that could be anything.
pub fn hunks(section: &str) -> Vec<Hunk<'_>> {
    let mut hunks = Vec::new();
    let mut lines = section.split('\n').peekable();
    while let Some(line) = lines.next() {
        let Some(head) = line.strip_prefix("@@ ") else {
            continue;
        };
        let Some((old, new)) = ranges(head) else {
            break;
        };
        let mut hunk = Hunk {
            // A side without lines names the line before it.
            old_before: old.0.saturating_sub(usize::from(old.1 > 0)),
            new_before: new.0.saturating_sub(usize::from(new.1 > 0)),
            lines: Vec::new(),
        };
        let (mut old_left, mut new_left) = (old.1, new.1);
        while old_left > 0 || new_left > 0 {
            let Some(line) = lines.next() else {
                return hunks;
            };
            if line.starts_with('\\') {
                end_last(&mut hunk);
                continue;
            }
            let (sign, text) = match line.split_at_checked(1) {
                Some((" ", text)) => (HunkSign::Context, text),
                Some(("-", text)) => (HunkSign::Removed, text),
                Some(("+", text)) => (HunkSign::Added, text),
                // There is no line after the last line end.
                None if lines.peek().is_none() => return hunks,
                // Some tools strip blanks at the end of lines.
                None => (HunkSign::Context, ""),
                Some(_) => return hunks,
            };
            let sides = match sign {
                HunkSign::Context => (1, 1),
                HunkSign::Removed => (1, 0),
                HunkSign::Added => (0, 1),
            };
            let left = (old_left.checked_sub(sides.0), new_left.checked_sub(sides.1));
            let (Some(old), Some(new)) = left else {
                return hunks;
            };
            (old_left, new_left) = (old, new);
            hunk.lines.push(HunkLine {
                sign,
                text,
                unended: false,
            });
        }
        if lines.next_if(|line| line.starts_with('\\')).is_some() {
            end_last(&mut hunk);
        }
        hunks.push(hunk);
    }
    hunks
}

/// Whether a text holds only these hunks and their heads: outside of hunks no words but the file
/// names of [`by_file`]. Each name must have hunks: without them it could mean a deletion.
pub fn is_all_diff(text: &str, hunks: &[Hunk<'_>]) -> bool {
    let names = head_names(text);
    let mut hunks = hunks.iter();
    let mut left = 0_usize;
    // Heads since the last hunk.
    let mut heads: Vec<&str> = Vec::new();
    for line in text.split('\n') {
        if line.trim_end() == "\\ No newline at end of file" {
            continue;
        }
        if left > 0 {
            left -= 1;
        } else if let Some(head) = line.strip_prefix("@@ ") {
            let Some(hunk) = hunks.next() else {
                return false;
            };
            let behind = head.split_once(" @@").map_or(head, |(_, behind)| behind);
            if !behind.trim().is_empty() {
                return false;
            }
            left = hunk.lines.len();
            let both = heads.contains(&"---") == heads.contains(&"+++");
            if !both || (!heads.is_empty() && !heads.contains(&"+++")) {
                return false;
            }
            heads.clear();
        } else if !line.trim().is_empty() {
            let word = line.split(' ').next().unwrap_or_default();
            if !is_head(line, &names) || heads.contains(&word) {
                return false;
            }
            heads.push(word);
        }
    }
    left == 0 && heads.is_empty() && hunks.next().is_none()
}

/// Names after `---` and `+++`, unchanged.
fn head_names(text: &str) -> Vec<&str> {
    let name = |line: &'_ str| -> Option<usize> {
        let head = ["--- ", "+++ "]
            .iter()
            .find(|head| line.starts_with(*head))?;
        Some(head.len())
    };
    let lines = text.split('\n');
    let names = lines.filter_map(|line| line.get(name(line)?..));
    names
        .map(|name| before_time(name).unwrap_or(name))
        .collect()
}

/// A name without the tab and time that `diff -u` appends. `None` if something else follows.
fn before_time(name: &str) -> Option<&str> {
    let name = name.trim_end_matches('\r');
    let (name, time) = name.split_once('\t').unwrap_or((name, ""));
    let is_time = |c: char| c.is_ascii_digit() || matches!(c, ' ' | '-' | '+' | ':' | '.');
    time.chars().all(is_time).then_some(name)
}

/// Whether a line outside of hunks holds only known names or numbers.
fn is_head(line: &str, names: &[&str]) -> bool {
    let line = line.trim_end_matches('\r');
    if let Some(name) = ["--- ", "+++ "]
        .iter()
        .find_map(|head| line.strip_prefix(head))
    {
        return before_time(name).is_some();
    }
    // Git's prefixes stand in some heads and not in others.
    let bare = |name: &str| {
        let rest = ["a/", "b/"]
            .iter()
            .find_map(|prefix| name.strip_prefix(prefix));
        rest.unwrap_or(name).to_owned()
    };
    let is_named = |said: &str| names.iter().any(|name| bare(name) == bare(said));
    if let Some(name) = line.strip_prefix("Index:") {
        return is_named(name.trim());
    }
    if let Some(objects) = line.strip_prefix("index ") {
        let plain = |c: char| c.is_ascii_hexdigit() || matches!(c, '.' | ',' | ' ');
        return objects.chars().all(plain);
    }
    if let Some(files) = line.strip_prefix("diff ") {
        let files = files.strip_prefix("--git ").or(files.strip_prefix("-u "));
        let pair = |files: &str| {
            let mut gaps = files.match_indices(' ').map(|(at, _)| files.split_at(at));
            gaps.any(|(old, new)| is_named(old) && is_named(&new[1..]))
        };
        return files.is_some_and(pair);
    }
    line.starts_with("===") && line.chars().all(|c| c == '=')
}

fn end_last(hunk: &mut Hunk<'_>) {
    if let Some(last) = hunk.lines.last_mut() {
        last.unended = true;
    }
}

/// `-12,3 +12,4 @@ fn main`: where each side begins, and how many lines it has.
fn ranges(head: &str) -> Option<((usize, usize), (usize, usize))> {
    let (ranges, _) = head.split_once(" @@")?;
    let (old, new) = ranges.split_once(' ')?;
    let range = |text: &str| {
        let (start, count) = text.split_once(',').unwrap_or((text, "1"));
        Some((start.parse().ok()?, count.parse().ok()?))
    };
    Some((
        range(old.strip_prefix('-')?)?,
        range(new.strip_prefix('+')?)?,
    ))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const PATCH: &str = "diff --git /w/a b.rs /w/a b.rs\n\
        --- /w/a b.rs\t\n\
        +++ /w/a b.rs\t\n\
        @@ -2,3 +2,3 @@ fn main\n one\n-two\n+2\n three\n\
        diff --git /w/old.rs /w/new.rs\n\
        similarity index 100%\nrename from /w/old.rs\nrename to /w/new.rs\n\
        diff --git /w/gone /w/gone\n\
        deleted file mode 100644\n--- /w/gone\n+++ /dev/null\n\
        @@ -1 +0,0 @@\n-bye\n\\ No newline at end of file\n\
        diff --git \"/w/\\303\\251.png\" \"/w/\\303\\251.png\"\n\
        Binary files /dev/null and \"/w/\\303\\251.png\" differ\n";

    #[test]
    fn hunks_are_read_as_far_as_they_are_whole() {
        let parts: Vec<&str> = PATCH.split("diff --git ").skip(1).collect();
        let first = hunks(parts[0]);
        assert_eq!((first[0].old_before, first[0].new_before), (1, 1));
        let signs: Vec<HunkSign> = first[0].lines.iter().map(|line| line.sign).collect();
        use HunkSign::{Added, Context, Removed};
        assert_eq!(signs, [Context, Removed, Added, Context]);
        assert_eq!(hunks(parts[1]), []);
        let gone = hunks(parts[2]);
        assert_eq!((gone[0].old_before, gone[0].new_before), (0, 0));
        assert!(gone[0].lines[0].unended);
        assert_eq!(hunks("@@ -1,2 +1,2 @@\n a\n"), []);
        assert_eq!(hunks("@@ -1 +1 @@\n-a\n+b\n@@ what\n").len(), 1);
    }

    #[test]
    fn a_hunk_has_the_lines_that_its_head_tells_no_less_and_no_more() {
        for (lines, hunks_read, lines_read) in [(2, 0, 0), (3, 1, 3), (4, 1, 3)] {
            let patch = format!("@@ -1,3 +1,3 @@\n{}", " a\n".repeat(lines));
            let hunks = hunks(&patch);
            assert_eq!(hunks.len(), hunks_read, "{lines}");
            let read: usize = hunks.iter().map(|hunk| hunk.lines.len()).sum();
            assert_eq!(read, lines_read, "{lines}");
        }
        // One side is done before the other.
        for (body, whole) in [
            ("-a\n-b\n+c\n", true),
            ("-a\n-b\n+c\n+d\n", true),
            ("-a\n-b\n-c\n", false),
            ("-a\n+b\n+c\n", false),
            ("-a\n-b\n", false),
        ] {
            let patch = format!("@@ -1,2 +1 @@\n{body}");
            assert_eq!(!hunks(&patch).is_empty(), whole, "{body:?}");
            let file = format!("--- a\n+++ a\n{patch}--- b\n+++ b\n@@ -1 +1 @@\n-x\n+y\n");
            if whole && body.len() == 9 {
                assert_eq!(by_file(&file).len(), 2, "{body:?}");
            }
        }
        // Numbers at the edge of what there is, and beyond.
        let most = usize::MAX;
        for (head, hunks_read) in [
            (format!("-{most},0 +{most} @@"), 1),
            (format!("-{},0 +1 @@", most - 1), 1),
            (format!("-{most}0,0 +1 @@"), 0),
            (format!("-1,0 +1,{most} @@"), 0),
            (format!("-1,{most} +1 @@"), 0),
            (format!("-1,0 +1,{most}0 @@"), 0),
            ("-0,0 +0,0 @@".to_owned(), 1),
        ] {
            let patch = format!("@@ {head}\n+a\n");
            assert_eq!(hunks(&patch).len(), hunks_read, "{head}");
            by_file(&patch);
        }
    }

    proptest! {
        #[test]
        fn nothing_that_is_read_is_longer_than_the_patch(
            patch in "((@@ -[0-3](,[0-3])? [+][0-3](,[0-3])? @@|[ +\\\\-][a-c]{0,2}|--- [ab]|[+]{3} [ab]|diff --git a b)?\n){0,40}",
        ) {
            let parts = by_file(&patch);
            prop_assert!(parts.iter().map(|part| part.text.len()).sum::<usize>() <= patch.len());
            for text in parts.iter().map(|part| part.text).chain([&*patch]) {
                let read = hunks(text);
                let lines: usize = read.iter().map(|hunk| hunk.lines.len()).sum();
                prop_assert!(lines + read.len() <= text.lines().count());
            }
        }

        #[test]
        fn whatever_stands_there_is_no_panic(patch in "(diff --git |--- |[+]{3} |@@ -1,2 [+]1 @@|[ +\\\\-]|[a-z\"\\\\0-9é]{1,3}|\n){0,40}") {
            hunks(&patch);
            by_file(&patch);
        }

        #[test]
        fn a_quoted_name_is_read_back(name in "[ -~é\t\n]{0,12}") {
            let quoted: String = name.bytes().map(|byte| match byte {
                b'"' | b'\\' => format!("\\{}", char::from(byte)),
                b'\t' => "\\t".to_owned(),
                b'\n' => "\\n".to_owned(),
                b' '..=b'~' => char::from(byte).to_string(),
                _ => format!("\\{byte:03o}"),
            }).collect();
            prop_assert_eq!(unquoted(&format!("\"{quoted}\"")), name);
        }
    }
}
