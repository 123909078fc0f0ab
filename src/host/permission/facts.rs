//! What a request would do, from whichever way it came: all that rules and policy go by.

use std::{
    cell::OnceCell,
    env,
    ffi::{OsStr, OsString},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use super::{
    command::{Possible, allowable_words, allowable_words_of, possible, possible_of},
    path::JudgedPath,
};
use crate::{
    host::fs::{Obstacle, Roots},
    proto::{CommandRun, EnvEffect, Stray, TerminalCreate, ToolInput, ToolKind, sorted_env},
};

/// Words of commands and other texts that are looked at as paths.
const MAX_MAYBE_PATHS: usize = 500;

/// Paths outside the workspace that the person is told of; each bounded in bytes.
const MAX_STRAYS: usize = 20;

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
}

impl<'a> Facts<'a> {
    /// `search`: the PATH that programs are looked for on, where it is ours.
    pub fn gather(subject: &'a Subject, roots: &'a Roots, search: Option<&OsStr>) -> Self {
        let input = &subject.input;
        let paths = subject.paths.iter().chain(&input.paths);
        let paths = paths.flat_map(|path| judged(path, subject, roots));
        let run = input.run.as_ref();
        let cwd = run
            .and_then(|run| run.cwd.as_deref())
            .map(|dir| JudgedPath::new(dir, roots));
        let plain = run.and_then(plain).filter(|_| input.scripts.is_empty());
        let mut facts = Self {
            subject,
            roots,
            paths: paths.collect(),
            plain,
            possible: everything_possible(subject),
            hindrance: None,
            maybe_paths: OnceCell::new(),
            cwd,
        };
        facts.hindrance = facts.hindrance_by(search);
        facts
    }

    /// What it says it does, and what it does by its input.
    pub fn kinds(&self) -> impl Iterator<Item = ToolKind> {
        [Some(self.subject.kind), self.subject.input.kind()]
            .into_iter()
            .flatten()
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
        let protected =
            |path: &&JudgedPath| matches!(path.obstacle(), Some(Obstacle::Protected(_)));
        self.paths.iter().chain(&self.cwd).find(protected)
    }

    /// All of those, for the person: first the ones that do not look it.
    pub fn strays(&self) -> Vec<Stray> {
        let all = self.paths.iter().chain(&self.cwd);
        let told = all.filter_map(|path| Some((path.obstacle()?, path.stray(self.roots)?)));
        let (hidden, plain): (Vec<_>, Vec<_>) = told.partition(|(obstacle, stray)| {
            stray.leads.is_some() || matches!(obstacle, Obstacle::Protected(_))
        });
        let mut strays = Vec::new();
        for (_, stray) in hidden.into_iter().chain(plain) {
            if strays.len() == MAX_STRAYS {
                break;
            }
            if !strays.contains(&stray) {
                strays.push(stray);
            }
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
            all.flat_map(|path| judged(path, self.subject, self.roots))
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
            return Some("not all of it could be looked at".to_owned());
        }
        let program = self
            .plain
            .iter()
            .flatten()
            .filter_map(|words| words.first());
        let dir = self
            .cwd
            .as_ref()
            .map_or(self.roots.cwd(), JudgedPath::resolved);
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

/// A path in all ways in which an agent may mean it.
fn judged<'a>(
    path: &'a str,
    subject: &'a Subject,
    roots: &'a Roots,
) -> impl Iterator<Item = JudgedPath> + 'a {
    let uri = path.strip_prefix("file://").map(decoded);
    let home = path
        .strip_prefix('~')
        .filter(|rest| rest.is_empty() || rest.starts_with('/'))
        .and_then(|rest| {
            let home = env::home_dir()?;
            Some(format!("{}{rest}", home.to_str()?))
        });
    let as_it_is = (uri.is_none() && home.is_none()).then(|| path.to_owned());
    let names: Vec<String> = [uri, home, as_it_is].into_iter().flatten().collect();
    let from = move |name: String| {
        let base = subject.base.as_ref().filter(|_| !name.starts_with('/'));
        let other = base
            .map(|base| roots.absolute(&base.to_string_lossy()).join(&name))
            .filter(|other| *other != roots.absolute(&name))
            .map(|other| JudgedPath::new(&other.to_string_lossy(), roots));
        let first = JudgedPath::new(&name, roots);
        let all = std::iter::once(first).chain(other);
        all.map(move |judged| judged.named(path))
    };
    names.into_iter().flat_map(from)
}

/// `%20` and the like of a URI's path.
fn decoded(path: &str) -> String {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((&byte, behind)) = rest.split_first() {
        let hex = behind
            .get(..2)
            .and_then(|hex| std::str::from_utf8(hex).ok());
        let code = hex.and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match code {
            Some(code) if byte == b'%' => {
                bytes.push(code);
                rest = &behind[2..];
            }
            _ => {
                bytes.push(byte);
                rest = behind;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
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
        // Nobody knows what a name in it runs then.
        let mut env = run.iter().flat_map(|run| sorted_env(&run.env));
        let steered = env.any(|variable| variable.effect == EnvEffect::Steers);
        all.unclear |= input.unclear || steered;
    }
    all
}
