//! What a request would do, from whichever way it came: all that rules and policy go by.

use std::{
    borrow::Cow,
    cell::OnceCell,
    env,
    ffi::{OsStr, OsString},
    os::unix::fs::PermissionsExt,
    path::{Component, Path, PathBuf},
};

use super::{
    command::{
        Possible, allowable_words, allowable_words_of, decides, possible, possible_of,
        possible_of_texts,
    },
    path::JudgedPath,
    words::{Expansion, is_of_system, links_in, places_in},
};
use crate::{
    host::fs::{Obstacle, Roots},
    model::{CommandRun, EnvEffect, Place, Stray, TerminalCreate, ToolInput, ToolKind, sorted_env},
    text::{SafeText, exact_line, first_bytes},
};

/// Words of commands and other texts that are looked at as paths.
const MAX_MAYBE_PATHS: usize = 500;

/// Bytes of a text that may be a place; what Linux allows itself.
const MAX_PLACE: usize = 4_096;

/// Paths outside the workspace that a question lists, each bounded in bytes; of the rest it gives the number.
const MAX_STRAYS: usize = 20;

/// Bytes of an odd path that a reason quotes.
const MAX_ODD: usize = 200;

/// What stands between places in one text.
const BETWEEN_PLACES: [char; 5] = [',', '{', '}', ':', '='];

/// Programs of one request whose links are followed.
const MAX_PROGRAMS: usize = 100;

/// What is asked for.
#[derive(Clone, Debug, Default)]
pub struct Subject {
    /// As the agent claims.
    pub kind: ToolKind,
    /// Programmatic tool name.
    pub tool: Option<String>,
    /// Where relative paths may count from as well.
    pub base: Option<PathBuf>,
    /// Of locations and diffs; as the agent named them.
    pub paths: Vec<String>,
    /// What it would do, whatever its kind: the command, its directory and environment, what it
    /// names else.
    pub input: ToolInput,
    /// It is not known what it is about: no rule or policy allows it (V2-PERM-01).
    pub opaque: bool,
}

impl Subject {
    pub fn of_file(path: &str, write: bool) -> Self {
        Self {
            kind: if write {
                ToolKind::Edit
            } else {
                ToolKind::Read
            },
            paths: vec![path.to_owned()],
            ..Self::default()
        }
    }

    /// `shell`: the command is a line for `sh`, and not a program.
    pub fn of_terminal(request: &TerminalCreate, shell: bool) -> Self {
        let run = if shell {
            CommandRun::of_line(request.command.clone())
        } else {
            let words = std::iter::once(&request.command).chain(&request.args);
            CommandRun::of_words(words.cloned().collect())
        };
        Self {
            kind: ToolKind::Execute,
            input: ToolInput {
                run: Some(CommandRun {
                    cwd: request.cwd.clone(),
                    env: request.env.clone(),
                    ..run
                }),
                ..ToolInput::default()
            },
            ..Self::default()
        }
    }
}

/// A subject, looked at.
pub struct Facts<'a> {
    pub subject: &'a Subject,
    roots: &'a Roots,
    /// Not all that it says is that it reads.
    writes: bool,
    /// Of members and locations that are paths for certain.
    pub paths: Vec<JudgedPath>,
    pub cwd: Option<JudgedPath>,
    /// All ways to read the command, each as the words of a plain one; `None` where one of them is
    /// none.
    pub plain: Option<Vec<Vec<String>>>,
    /// `None`: no command, or none that is known.
    pub possible: Option<Possible>,
    /// Why no allow rule for a command counts, whatever its words.
    pub hindrance: Option<String>,
    maybe_paths: OnceCell<Vec<JudgedPath>>,
    protected_places: OnceCell<Vec<JudgedPath>>,
    unknown_commands: OnceCell<Option<Vec<Vec<String>>>>,
}

impl<'a> Facts<'a> {
    /// `search`: the PATH that programs are looked for on, where it is ours.
    pub fn gather(subject: &'a Subject, roots: &'a Roots, search: Option<&OsStr>) -> Self {
        let input = &subject.input;
        let run = input.run.as_ref();
        let possible = everything_possible(subject);
        let kinds = std::iter::once(subject.kind).chain(input.kinds());
        // The agent's word, as that of a read that a rule allows; it names no command then.
        let reads = |kind| matches!(kind, ToolKind::Read | ToolKind::Search);
        let writes = possible.is_some() || !kinds.into_iter().all(reads);
        let paths = subject.paths.iter().chain(&input.paths);
        let paths = paths.flat_map(|path| judged(path, writes, subject, roots));
        let cwd = run
            .and_then(|run| run.cwd.as_deref())
            .map(|dir| JudgedPath::new(dir, true, roots));
        let plain = run.and_then(plain).filter(|_| input.scripts.is_empty());
        let mut facts = Self {
            subject,
            roots,
            writes,
            paths: paths.collect(),
            plain,
            possible,
            hindrance: None,
            maybe_paths: OnceCell::new(),
            protected_places: OnceCell::new(),
            unknown_commands: OnceCell::new(),
            cwd,
        };
        facts.hindrance = facts.hindrance_by(search);
        facts.find_linked_programs();
        facts
    }

    /// A program that is started by a link is what the link leads to as well: `./x` may be `/bin/rm`.
    fn find_linked_programs(&mut self) {
        let dir = self.dir().to_owned();
        let Some(possible) = &mut self.possible else {
            return;
        };
        let mut looked = 0;
        // Somewhere else a path leads to something else.
        let moves = possible.commands.iter().any(|command| {
            let program = command.first().map(String::as_str);
            matches!(program, Some("cd" | "pushd" | "popd"))
        });
        for commands in [&mut possible.commands, &mut possible.perhaps] {
            let mut found = Vec::new();
            for command in commands.iter() {
                let Some((program, args)) = command.split_first() else {
                    continue;
                };
                if !program.contains('/') {
                    continue;
                }
                looked += 1;
                possible.unclear |= moves && !program.starts_with('/');
                if looked > MAX_PROGRAMS {
                    possible.unclear = true;
                    break;
                }
                let real = dir.join(program).canonicalize().ok();
                if let Some(real) =
                    real.filter(|real| real.file_name() != Path::new(program).file_name())
                {
                    let real = real.to_string_lossy().into_owned();
                    found.push(std::iter::once(real).chain(args.iter().cloned()).collect());
                }
            }
            commands.append(&mut found);
        }
    }

    /// Where a command runs.
    fn dir(&self) -> &Path {
        self.cwd
            .as_ref()
            .map_or(self.roots.cwd(), JudgedPath::resolved)
    }

    /// It names nothing to judge except its kind.
    pub fn is_blank(&self) -> bool {
        let input = &self.subject.input;
        self.paths.is_empty()
            && input.maybe_paths.is_empty()
            && input.kind().is_none()
            && !self.has_command()
    }

    /// A word of the plain command, from `first` on, that names a place outside the workspace: an allow
    /// rule for its first words does not cover another project.
    pub fn stray_word(&self, first: usize) -> Option<&str> {
        let programs = self
            .plain
            .iter()
            .flatten()
            .filter_map(|words| words.first());
        // A rule that names no program leaves it to PATH and to the workspace.
        let mut programs = programs.filter(|_| first == 1).filter(|program| {
            program.contains('/') && !is_of_system(program) && self.leads_out(program)
        });
        if let Some(program) = programs.next() {
            return Some(program);
        }
        let words = self.plain.iter().flatten().flat_map(|words| {
            let program = words.first().map_or("", String::as_str);
            words.iter().skip(first).map(move |word| (program, word))
        });
        let stray = words.enumerate().find(|(n, (program, word))| {
            *n >= MAX_MAYBE_PATHS || decides(program, word) || self.is_stray(word)
        });
        stray.map(|(_, (_, word))| word.as_str())
    }

    fn is_stray(&self, word: &str) -> bool {
        let exists = |path: &str| self.dir().join(path).symlink_metadata().is_ok();
        let expanded = match Expansion::of(word) {
            Expansion::None => false,
            Expansion::Unknown => true,
            Expansion::Files(dir) => {
                let links = links_in(&self.dir().join(dir));
                links.is_none_or(|links| links.iter().any(|link| self.leads_out(link)))
            }
        };
        expanded
            || places_in(word, exists)
                .iter()
                .any(|place| self.leads_out(place))
    }

    /// Counted from where the command runs.
    fn leads_out(&self, path: &str) -> bool {
        let paths = judged_from(path, self.writes, self.dir(), self.roots);
        paths.iter().any(|path| !path.inside())
    }

    /// A text of the input that can hardly be anything but a place outside the workspace, whatever its
    /// member is called: absolute or leading up, and something is there. Of a glob what stands before
    /// its first sign.
    pub fn maybe_outside(&self) -> Option<JudgedPath> {
        let texts = self.subject.input.maybe_paths.iter().take(MAX_MAYBE_PATHS);
        let pieces = texts.flat_map(|text| {
            let pieces = text.split(BETWEEN_PLACES);
            std::iter::once(text.as_str()).chain(pieces)
        });
        pieces.map(str::trim).find_map(|piece| {
            let home = ["$HOME", "${HOME}"]
                .iter()
                .find_map(|home| piece.strip_prefix(home));
            let piece = home.map_or(Cow::Borrowed(piece), |rest| format!("~{rest}").into());
            let fixed = match piece.find(['*', '?', '[']) {
                Some(at) => piece[..at].rsplit_once('/').map_or("", |(dir, _)| dir),
                None => &piece,
            };
            let fixed = if fixed.is_empty() && piece.starts_with("/*") {
                "/"
            } else {
                fixed
            };
            let leads_up = Path::new(fixed)
                .components()
                .any(|part| part == Component::ParentDir);
            if Place::of(fixed).is_relative() && !leads_up || fixed.starts_with("//") {
                return None;
            }
            let paths = judged(fixed, self.writes, self.subject, self.roots);
            let mut outside = paths.filter(|path| !path.inside() && path.is_somewhere());
            outside.next()
        })
    }

    /// What it says it does, and what it does by its input.
    pub fn kinds(&self) -> impl Iterator<Item = ToolKind> {
        std::iter::once(self.subject.kind).chain(self.subject.input.kinds())
    }

    /// The worse of these.
    pub fn kind(&self) -> ToolKind {
        self.kinds().fold(self.subject.kind, ToolKind::worse_of)
    }

    /// A command may be run, known or not.
    pub fn has_command(&self) -> bool {
        self.kind() == ToolKind::Execute || self.possible.is_some()
    }

    pub fn cwd_is_inside(&self) -> bool {
        self.cwd.as_ref().is_none_or(JudgedPath::inside)
    }

    pub fn outside(&self) -> Option<&JudgedPath> {
        let mut all = self.paths.iter().chain(&self.cwd);
        all.find(|path| !path.inside())
    }

    /// What counts as outside wherever the roots are: no rule allows it.
    pub fn protected(&self) -> Option<&JudgedPath> {
        let all = self.paths.iter().chain(&self.cwd);
        all.chain(self.protected_places())
            .find(|path| is_protected(path))
    }

    /// What is protected and may be meant by a glob or by a member that is not known: its name, its
    /// texts, and parts of them that are written like a path.
    fn protected_places(&self) -> &[JudgedPath] {
        self.protected_places.get_or_init(|| {
            let input = &self.subject.input;
            let texts = || {
                let texts = input.unknown_texts.iter().chain(&input.globs);
                texts.map(String::as_str)
            };
            let part = |part: &&str| part.contains('/') || part.starts_with('.');
            let between = |c: char| {
                c.is_whitespace() || BETWEEN_PLACES.contains(&c) || "\"'()[]<>;|&".contains(c)
            };
            let parts = texts().flat_map(|text| text.split(between).filter(part));
            let whole = texts().filter(|text| !text.contains('\n') && text.len() <= MAX_PLACE);
            let all = whole.chain(parts.filter(|part| part.len() <= MAX_PLACE));
            all.take(MAX_MAYBE_PATHS)
                .flat_map(|place| judged(place, self.writes, self.subject, self.roots))
                .filter(is_protected)
                .collect()
        })
    }

    /// What a member that is not known would run if it were a command line; `None` where that is too
    /// much to look into.
    pub fn unknown_commands(&self) -> Option<&[Vec<String>]> {
        let found = self.unknown_commands.get_or_init(|| {
            let texts = self.subject.input.unknown_texts.iter();
            // Each line for itself too: what stands before it need not be for a shell.
            let lines = texts.flat_map(|text| {
                let lines = text.lines().filter(|line| line.len() < text.len());
                std::iter::once(text.as_str()).chain(lines)
            });
            possible_of_texts(lines)
        });
        found.as_deref()
    }

    /// All of these, for the person; first those whose spelling does not show it.
    pub fn strays(&self) -> Vec<Stray> {
        let all = self.paths.iter().chain(&self.cwd);
        let all = all.chain(self.protected_places());
        let told = all.filter_map(|path| Some((path.obstacle()?, path.stray(self.roots)?)));
        let (hidden, plain): (Vec<_>, Vec<_>) = told.partition(|(obstacle, stray)| {
            stray.leads.is_some() || matches!(obstacle, Obstacle::Protected(_))
        });
        let mut strays = Vec::new();
        for (_, stray) in hidden.into_iter().chain(plain) {
            if !strays.contains(&stray) {
                strays.push(stray);
            }
        }
        if let Some(more) = strays
            .len()
            .checked_sub(MAX_STRAYS)
            .filter(|more| *more > 0)
        {
            strays.truncate(MAX_STRAYS);
            strays.push(Stray {
                asked: SafeText::line(&format!("{more} more of its paths")),
                leads: None,
                why: "lead outside the workspace or are protected".into(),
            });
        }
        strays
    }

    /// Changes something, or may.
    pub fn is_change(&self) -> bool {
        let changes = |kind| {
            matches!(
                kind,
                ToolKind::Edit | ToolKind::Delete | ToolKind::Move | ToolKind::Execute
            )
        };
        self.kinds().any(changes) || self.possible.is_some() || self.subject.opaque
    }

    /// What may be a path as well: texts of the input, words of the command.
    pub fn maybe_paths(&self) -> &[JudgedPath] {
        self.maybe_paths.get_or_init(|| {
            let words = self.possible.iter().flat_map(|possible| &possible.words);
            let texts = self.subject.input.maybe_paths.iter();
            let all = texts.chain(words).take(MAX_MAYBE_PATHS);
            all.flat_map(|path| judged(path, self.writes, self.subject, self.roots))
                .collect()
        })
    }

    /// There is more that may be a path than was looked at.
    pub fn is_crowded(&self) -> bool {
        let words = self
            .possible
            .as_ref()
            .map_or(0, |possible| possible.words.len());
        let input = &self.subject.input;
        input.crowded || input.unclear || input.maybe_paths.len() + words > MAX_MAYBE_PATHS
    }

    /// Why it counts as more than its path or command alone.
    pub fn unknown_member(&self) -> Option<String> {
        match self.subject.input.unknown.as_deref()? {
            "" => Some("what its text does is unknown".to_owned()),
            name => Some(format!("what {name:?} does is unknown")),
        }
    }

    /// A path that is not spelled as it stands: an agent may expand it, part it or trim it, and then
    /// mean a file that was not judged.
    pub fn odd_path(&self) -> Option<String> {
        let paths = self.subject.paths.iter().chain(&self.subject.input.paths);
        let mut odd = paths.filter(|path| is_odd(path));
        let shown = exact_line(first_bytes(odd.next()?, MAX_ODD));
        Some(format!("{shown} may mean another file"))
    }

    /// It changes files by a glob, each of which may be any.
    pub fn changes_by_glob(&self) -> bool {
        !self.subject.input.globs.is_empty() && self.is_change()
    }

    fn hindrance_by(&self, search: Option<&OsStr>) -> Option<String> {
        let input = &self.subject.input;
        let run = input.run.as_ref();
        let set = run.and_then(|run| {
            sorted_env(&run.env).find(|variable| variable.effect != EnvEffect::Harmless)
        });
        if let Some(variable) = set {
            return Some(format!("{} is set for it", variable.shown_name()));
        }
        if !self.cwd_is_inside() {
            return Some("it runs outside the workspace".to_owned());
        }
        if input.unclear {
            return Some("not all of it could be checked".to_owned());
        }
        if let Some(name) = &input.beyond {
            return Some(format!("{name:?} asks for more than the command"));
        }
        if input.writes && self.has_command() {
            return Some("it changes files as well".to_owned());
        }
        if let Some(odd) = self.odd_path() {
            return Some(odd);
        }
        if let Some(path) = self.maybe_outside() {
            return Some(format!("{} may be meant", path.why_outside()));
        }
        let program = self
            .plain
            .iter()
            .flatten()
            .filter_map(|words| words.first());
        let dir = self.dir();
        program
            .filter(|program| !program.contains('/'))
            .find_map(|program| found_by_chance(program, search?, dir))
            .map(|entry| {
                format!(
                    "PATH leads to it by the entry {:?}",
                    entry.to_string_lossy()
                )
            })
    }
}

fn is_odd(path: &str) -> bool {
    let encoded = |code: &str| path.to_ascii_lowercase().contains(code);
    let user = path
        .strip_prefix('~')
        .is_some_and(|rest| !rest.is_empty() && !rest.starts_with('/'));
    path.trim() != path
        || path.contains(|c: char| c.is_control() || "$,'\"`*?[".contains(c))
        || user
        || ["%2e", "%2f", "%5c"].into_iter().any(encoded)
}

fn is_protected(path: &JudgedPath) -> bool {
    matches!(path.obstacle(), Some(Obstacle::Protected(_)))
}

/// The relative entry of PATH that a program would be found by: which one that is depends on where
/// the command runs, and agents write there.
fn found_by_chance(program: &str, search: &OsStr, dir: &Path) -> Option<OsString> {
    let runs = |path: &Path| {
        let found = path.metadata();
        found.is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
    };
    // An empty entry is the directory as well; `split_paths` gives it as an empty path.
    env::split_paths(search)
        .find(|entry| runs(&dir.join(entry).join(program)))
        .filter(|entry| entry.is_relative())
        .map(PathBuf::into_os_string)
}

/// A path in every way in which an agent may mean it.
fn judged<'a>(
    path: &'a str,
    write: bool,
    subject: &'a Subject,
    roots: &'a Roots,
) -> impl Iterator<Item = JudgedPath> + 'a {
    let names = named_by(path);
    names.into_iter().flat_map(move |name| {
        let base = subject.base.as_ref().filter(|_| !name.starts_with('/'));
        let other = base
            .map(|base| roots.absolute(&base.to_string_lossy()).join(&name))
            .filter(|other| *other != roots.absolute(&name))
            .map(|other| JudgedPath::new(&other.to_string_lossy(), write, roots));
        let first = JudgedPath::new(&name, write, roots);
        let all = std::iter::once(first).chain(other);
        all.map(move |judged| judged.named(path))
    })
}

/// The same, counted from that directory alone.
fn judged_from(path: &str, write: bool, dir: &Path, roots: &Roots) -> Vec<JudgedPath> {
    let names = named_by(path).into_iter();
    names
        .map(|name| JudgedPath::new(&dir.join(name).to_string_lossy(), write, roots))
        .collect()
}

/// A spelling as paths of the system.
fn named_by(path: &str) -> Vec<String> {
    let home = || env::home_dir()?.into_os_string().into_string().ok();
    match Place::of(path) {
        Place::Path(path) => vec![path.to_owned()],
        Place::Home(rest) => {
            vec![home().map_or_else(|| path.to_owned(), |home| format!("{home}{rest}"))]
        }
        Place::Uri(paths) => paths,
    }
}

fn plain(run: &CommandRun) -> Option<Vec<Vec<String>>> {
    let first = match &run.words {
        Some(words) => allowable_words_of(words)?,
        None => allowable_words(&run.line)?,
    };
    let mut all = vec![first];
    if let Some(other) = &run.other {
        all.push(allowable_words(other)?);
    }
    Some(all)
}

fn everything_possible(subject: &Subject) -> Option<Possible> {
    let input = &subject.input;
    let run = input.run.as_ref();
    let mut all: Option<Possible> = None;
    let mut add = |found: Possible| match &mut all {
        Some(all) => all.add(found),
        None => all = Some(found),
    };
    if let Some(run) = run {
        match run.words.as_deref() {
            Some([program, args @ ..]) => add(possible_of(program, args)),
            _ => add(possible(&run.line)),
        }
        // A program without arguments may be meant as a line.
        if let Some([line]) = run.words.as_deref() {
            add(possible(line));
        }
        if let Some(other) = &run.other {
            add(possible(other));
        }
    }
    for script in &input.scripts {
        add(possible(script));
    }
    if let Some(all) = &mut all {
        // It is unknown what a name in it runs then.
        let mut env = run.iter().flat_map(|run| sorted_env(&run.env));
        let steered = env.any(|variable| variable.effect == EnvEffect::Steers);
        all.unclear |= input.unclear || steered;
    }
    all
}
