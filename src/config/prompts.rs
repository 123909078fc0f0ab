//! Prompts of the person's own: `prompts/NAME.md` in the folder of the configuration, and in a project
//! `.acp-tui/prompts/NAME.md`, once its exact content is approved as the project's file is.
//!
//! Owns finding and reading them. What they become with arguments is in [`expand`](PromptFile::expand).

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{
    Dirs,
    project::find as project_file,
    source_text::{Links, SourceText},
    trust,
};
use crate::text::SafeText;

/// Bytes of a file.
pub const MAX_PROMPT_BYTES: usize = 256 << 10;

/// Files of one folder.
pub const MAX_PROMPTS: usize = 200;

/// Entries of a folder that are looked at.
const MAX_ENTRIES: usize = 10_000;

/// Characters of a name.
const MAX_NAME: usize = 64;

/// Bytes of what a prompt becomes with its arguments.
pub const MAX_EXPANDED: usize = 1 << 20;

/// A prompt that can be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptFile {
    /// Its file's, without the ending.
    pub name: String,
    pub description: SafeText,
    /// What may follow its name.
    pub hint: SafeText,
    pub of_project: bool,
    /// Without the head that describes it.
    text: Arc<str>,
}

/// A project's prompt that waits for the person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unapproved {
    pub path: PathBuf,
    /// May be shown only as `SafeText`.
    pub content: String,
    pub hash: String,
}

/// What there is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prompts {
    /// The person's own, then the project's; each by name. A name counts once.
    pub found: Vec<PromptFile>,
    /// What cannot be used, and why.
    pub problems: Vec<SafeText>,
    pub unapproved: Vec<Unapproved>,
}

/// Reads them all. `config_file`: what is read in place of the person's usual file; its prompts stand next
/// to it.
pub fn prompts(dirs: &Dirs, config_file: Option<&Path>, cwd: &Path) -> Prompts {
    let mut prompts = Prompts::default();
    let folder = config_file.and_then(Path::parent).unwrap_or(&dirs.config);
    for (path, text) in prompts.files(&folder.join("prompts"), Links::Follow) {
        prompts.add(&path, &text, false);
    }
    for (path, text) in prompts.files(&project_folder(cwd), Links::Refuse) {
        let hash = trust::hash(&text);
        if trust::is_approved(dirs, &path, &hash) {
            prompts.add(&path, &text, true);
        } else {
            prompts.unapproved.push(Unapproved {
                path,
                content: text,
                hash,
            });
        }
    }
    prompts
}

/// Where a project's prompts are: beside its file, where there is one.
pub fn project_folder(cwd: &Path) -> PathBuf {
    let file = project_file(cwd);
    let folder = file.as_deref().and_then(Path::parent).unwrap_or(cwd);
    folder.join(".acp-tui/prompts")
}

impl Prompts {
    /// The files of a folder that can be read, by name.
    fn files(&mut self, folder: &Path, links: Links) -> Vec<(PathBuf, String)> {
        let mut paths: Vec<PathBuf> = match fs::read_dir(folder) {
            Ok(entries) => entries
                .take(MAX_ENTRIES)
                .filter_map(|entry| Some(entry.ok()?.path()))
                .filter(|path| path.extension().is_some_and(|ending| ending == "md"))
                .collect(),
            Err(error) => {
                let none = [io::ErrorKind::NotFound, io::ErrorKind::NotADirectory];
                if !none.contains(&error.kind()) {
                    self.problem(folder, &error.to_string());
                }
                return Vec::new();
            }
        };
        paths.sort();
        if paths.len() > MAX_PROMPTS {
            let more = paths.len() - MAX_PROMPTS;
            self.problem(
                folder,
                &format!("{more} files more than {MAX_PROMPTS} are left out"),
            );
            paths.truncate(MAX_PROMPTS);
        }
        let mut files = Vec::new();
        for path in paths {
            match SourceText::read(&path, links) {
                Ok(Some(source)) if source.text.len() > MAX_PROMPT_BYTES => {
                    self.problem(&path, &format!("is larger than {MAX_PROMPT_BYTES} bytes"));
                }
                Ok(Some(source)) => files.push((path, source.text)),
                Ok(None) => {}
                Err(error) => self.problems.push(SafeText::line(&error.to_string())),
            }
        }
        files
    }

    fn problem(&mut self, path: &Path, what: &str) {
        let text = format!("{}: {what}", path.display());
        self.problems.push(SafeText::line(&text));
    }

    fn add(&mut self, path: &Path, text: &str, of_project: bool) {
        let name = path.file_stem().and_then(|stem| stem.to_str());
        let usable = |name: &&str| {
            let known = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ':');
            !name.is_empty() && name.chars().count() <= MAX_NAME && name.chars().all(known)
        };
        let Some(name) = name.filter(usable) else {
            let what = "is no name for a command: letters, digits, - and _";
            return self.problem(path, what);
        };
        if self.found.iter().any(|found| found.name == name) {
            return self.problem(
                path,
                "a prompt of that name is the person's own, which counts",
            );
        }
        let (head, text) = parted(text);
        let member = |key: &str| {
            let lines = head.lines().filter_map(|line| line.split_once(':'));
            let mut values = lines.filter(|(name, _)| name.trim() == key);
            let value = values.next().map_or("", |(_, value)| value.trim());
            SafeText::line(value.trim_matches(['"', '\'']))
        };
        let mut description = member("description");
        if description.is_empty() {
            let first = text.lines().find(|line| !line.trim().is_empty());
            let first = first.unwrap_or_default().trim_start_matches(['#', ' ']);
            description = SafeText::line(first);
        }
        let mut hint = member("argument-hint");
        if hint.is_empty() && takes_arguments(text) {
            hint = "[arguments]".into();
        }
        self.found.push(PromptFile {
            name: name.to_owned(),
            description,
            hint,
            of_project,
            text: text.into(),
        });
    }
}

/// The lines between `---` at the start, and what is behind them.
fn parted(text: &str) -> (&str, &str) {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let rest = text.strip_prefix("---\n").or(text.strip_prefix("---\r\n"));
    let Some(rest) = rest else {
        return ("", text);
    };
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        if line.trim_end() == "---" {
            return (&rest[..at], &rest[at + line.len()..]);
        }
        at += line.len();
    }
    ("", text)
}

/// What stands for arguments in a prompt.
enum Piece<'a> {
    Text(&'a str),
    All,
    /// From 1.
    Nth(usize),
}

/// The text and what stands for arguments in it, in order.
fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let (mut from, mut look) = (0, 0);
    while let Some(at) = text[look..].find('$').map(|offset| look + offset) {
        let rest = &text[at + 1..];
        let (piece, len) = match rest.as_bytes().first() {
            Some(digit @ b'1'..=b'9') => (Piece::Nth(usize::from(digit - b'0')), 1),
            _ if rest.starts_with("ARGUMENTS") => (Piece::All, "ARGUMENTS".len()),
            _ => {
                look = at + 1;
                continue;
            }
        };
        pieces.push(Piece::Text(&text[from..at]));
        pieces.push(piece);
        look = at + 1 + len;
        from = look;
    }
    pieces.push(Piece::Text(&text[from..]));
    pieces
}

fn takes_arguments(text: &str) -> bool {
    pieces(text).len() > 1
}

impl PromptFile {
    /// The prompt with what was typed behind its name: `$ARGUMENTS` is all of it, `$1` to `$9` are its
    /// words as a shell splits them. Where it names neither, they stand behind it. What is put in is not
    /// looked at again.
    ///
    /// # Errors
    /// It would be too long.
    pub fn expand(&self, arguments: &str) -> Result<String, SafeText> {
        let text = self.text.trim();
        let words = shlex::split(arguments)
            .unwrap_or_else(|| arguments.split_whitespace().map(str::to_owned).collect());
        let mut out = String::new();
        let pieces = pieces(text);
        for piece in &pieces {
            out.push_str(match piece {
                Piece::Text(text) => text,
                Piece::All => arguments,
                Piece::Nth(n) => words.get(n - 1).map_or("", |word| word),
            });
            if out.len() > MAX_EXPANDED {
                let text = format!("/{} would be longer than {MAX_EXPANDED} bytes", self.name);
                return Err(SafeText::line(&text));
            }
        }
        if pieces.len() == 1 && !arguments.is_empty() {
            out.push_str("\n\n");
            out.push_str(arguments);
        }
        Ok(out)
    }

    /// One that was made up.
    #[cfg(test)]
    pub fn made_up(name: &str, text: &str) -> Self {
        let mut prompts = Prompts::default();
        prompts.add(Path::new(&format!("{name}.md")), text, false);
        prompts.found.remove(0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn expanded(text: &str, arguments: &str) -> String {
        PromptFile::made_up("x", text)
            .expand(arguments)
            .expect("short enough")
    }

    #[test]
    fn arguments_stand_where_the_prompt_names_them() {
        for (text, arguments, is) in [
            (
                "Review $1 for $2.",
                "src/a.rs \"race conditions\"",
                "Review src/a.rs for race conditions.",
            ),
            (
                "Explain: $ARGUMENTS",
                "why it's slow",
                "Explain: why it's slow",
            ),
            ("$1$1 $3", "a b", "aa "),
            ("Costs $5 and $HOME", "", "Costs  and $HOME"),
            ("Tidy up", "the tests", "Tidy up\n\nthe tests"),
            ("Tidy up\n", "", "Tidy up"),
            // What is put in is not looked at again.
            ("$1 $2", "$2 x", "$2 x"),
            ("$10", "a", "a0"),
        ] {
            assert_eq!(expanded(text, arguments), is, "{text}");
        }
    }

    #[test]
    fn what_it_becomes_is_bounded() {
        let fits = MAX_EXPANDED / 1_000;
        for (count, fine) in [(fits - 1, true), (fits, true), (fits + 1, false)] {
            let prompt = PromptFile::made_up("x", &"$1".repeat(count));
            let argument = "y".repeat(1_000);
            assert_eq!(prompt.expand(&argument).is_ok(), fine, "{count}");
        }
    }

    #[test]
    fn a_head_describes_it() {
        let prompt = PromptFile::made_up(
            "fix",
            "---\ndescription: \"Fix: it\"\nargument-hint: [issue]\n---\nFix $1\n",
        );
        assert_eq!(prompt.description, "Fix: it".into());
        assert_eq!(prompt.hint, "[issue]".into());
        assert_eq!(prompt.expand("7"), Ok("Fix 7".into()));
        let plain = PromptFile::made_up("fix", "# Fix it\n\nNow.");
        assert_eq!((&*plain.description, &*plain.hint), ("Fix it", ""));
        // No end of the head: there is none.
        assert_eq!(expanded("---\nfoo", ""), "---\nfoo");
    }

    struct Place {
        _folder: tempfile::TempDir,
        dirs: Dirs,
        own: PathBuf,
        project: PathBuf,
        cwd: PathBuf,
    }

    fn place() -> Place {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        let dirs = Dirs {
            config: at("config"),
            data: at("data"),
            state: at("state"),
        };
        let (own, project) = (at("config/prompts"), at("project/.acp-tui/prompts"));
        for path in [&own, &project, &dirs.data] {
            fs::create_dir_all(path).expect("made");
        }
        Place {
            own,
            project,
            cwd: at("project"),
            dirs,
            _folder: folder,
        }
    }

    fn names(prompts: &Prompts) -> Vec<&str> {
        prompts
            .found
            .iter()
            .map(|prompt| prompt.name.as_str())
            .collect()
    }

    #[test]
    fn a_projects_prompt_counts_once_exactly_its_content_is_approved() {
        let place = place();
        let path = place.project.join("deploy.md");
        fs::write(&path, "Deploy").expect("written");
        fs::write(place.own.join("fix.md"), "Fix").expect("written");
        let read = || prompts(&place.dirs, None, &place.cwd);
        assert_eq!(names(&read()), ["fix"]);
        let unapproved = read().unapproved.remove(0);
        assert_eq!(
            (&unapproved.path, unapproved.content.as_str()),
            (&path, "Deploy")
        );
        trust::approve(&place.dirs, &path, &unapproved.hash).expect("kept");
        assert_eq!(names(&read()), ["fix", "deploy"]);
        fs::write(&path, "Deploy and delete").expect("written");
        assert_eq!(
            names(&read()),
            ["fix"],
            "another content is asked about again"
        );
    }

    #[test]
    fn prompts_stand_next_to_the_configuration_that_is_read() {
        let place = place();
        fs::write(place.own.join("usual.md"), "Usual").expect("written");
        let other = place.cwd.join("other");
        fs::create_dir_all(other.join("prompts")).expect("made");
        fs::write(other.join("prompts/here.md"), "Here").expect("written");
        let file = other.join("config.toml");
        let read = prompts(&place.dirs, Some(&file), &place.cwd);
        assert_eq!(names(&read), ["here"]);
    }

    #[test]
    fn what_cannot_be_used_is_named() {
        let place = place();
        let own = |name: &str| place.own.join(name);
        fs::write(own("bad name.md"), "x").expect("written");
        fs::write(own("bytes.md"), [0xff, 0xfe]).expect("written");
        fs::create_dir(own("folder.md")).expect("made");
        fs::write(own("notes.txt"), "no prompt").expect("written");
        for (name, bytes) in [
            ("below", MAX_PROMPT_BYTES - 1),
            ("at", MAX_PROMPT_BYTES),
            ("above", MAX_PROMPT_BYTES + 1),
        ] {
            fs::write(own(&format!("{name}.md")), "x".repeat(bytes)).expect("written");
        }
        rustix::fs::symlink("/dev/zero", own("endless.md")).expect("linked");
        let prompts = prompts(&place.dirs, None, &place.cwd);
        assert_eq!(names(&prompts), ["at", "below"]);
        for name in ["bad name", "bytes", "folder", "above", "endless"] {
            let told = |problem: &SafeText| problem.contains(&format!("{name}.md"));
            assert!(
                prompts.problems.iter().any(told),
                "{name}: {:?}",
                prompts.problems
            );
        }
        assert_eq!(prompts.problems.len(), 5);
    }

    #[test]
    fn the_number_of_files_is_bounded() {
        for (count, kept) in [(199, 199), (200, 200), (201, 200)] {
            let place = place();
            for n in 0..count {
                fs::write(place.own.join(format!("p{n:03}.md")), "x").expect("written");
            }
            let prompts = prompts(&place.dirs, None, &place.cwd);
            assert_eq!(prompts.found.len(), kept);
            assert_eq!(prompts.problems.len(), usize::from(count > kept));
        }
    }

    proptest! {
        #[test]
        fn no_text_breaks_it(text in "[-$1-9A-Z\n: \"'é#]{0,60}", arguments in "[\"'$1 é\\\\]{0,12}") {
            let _ = PromptFile::made_up("x", &text).expand(&arguments);
        }
    }
}
