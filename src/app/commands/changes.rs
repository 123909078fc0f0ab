//! `acp-tui changes` and `acp-tui undo`: what a session changed on the disk, without a screen.

use std::{
    collections::BTreeMap,
    fmt::Write,
    io::{self, IsTerminal, Write as _},
    path::{Path, PathBuf},
};

use crate::{
    app::{
        changes::{Place, Project, patch, report, review, undo as put_back},
        services,
    },
    cli::{
        self, ChangesArgs, ChangesFormat, CliError, ExitCode, Launch, UndoArgs, asked, complain,
    },
    config::Config,
    model::{ChangeKind, Review, ReviewDone, ReviewScope, SessionId, UndoPart, UndoReport},
    report::Change,
    store::files::{SessionFolder, Summary},
    text::{SafeText, json},
};

/// Prints what a session changed.
///
/// # Errors
/// There is no such session, or nothing is kept of it.
pub fn changes(
    args: &ChangesArgs,
    config: &Config,
    state: &Path,
    launch: &Launch,
) -> Result<(), CliError> {
    let (mut project, of) = opened(args.session.as_deref(), config, state, launch)?;
    let scope = scope_of(args.turn);
    if args.format == ChangesFormat::Patch && !args.stat {
        let patch = patch(&mut project, of.as_ref(), scope, None).map_err(failed)?;
        cli::check_stdout()?;
        let mut out = io::stdout().lock();
        let patch = for_reader(patch, out.is_terminal());
        return match out.write_all(&patch).and_then(|()| out.flush()) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(failed(error)),
            _ => Ok(()),
        };
    }
    let review = review(&mut project, of.as_ref(), scope).map_err(failed)?;
    for line in &review.uncovered {
        complain(line);
    }
    cli::print(&match args.stat {
        true => stat(&review),
        false => as_json(&review),
    })
}

/// Every byte for `git apply`; on a terminal nothing that it would obey.
fn for_reader(patch: Vec<u8>, terminal: bool) -> Vec<u8> {
    if !terminal {
        return patch;
    }
    let text = String::from_utf8_lossy(&patch);
    SafeText::with_line_ends(&text).as_str().as_bytes().to_vec()
}

/// Puts back what a session changed.
///
/// # Errors
/// As [`changes`]; there is no terminal to ask at.
pub fn undo(
    args: &UndoArgs,
    config: &Config,
    state: &Path,
    launch: &Launch,
) -> Result<ExitCode, CliError> {
    let (mut project, of) = opened(Some(&args.session), config, state, launch)?;
    let scope = scope_of(args.turn);
    let found = review(&mut project, of.as_ref(), scope).map_err(failed)?;
    if let Some(why) = found.read_only.as_ref().filter(|_| !args.dry_run) {
        complain(why);
        return Ok(ExitCode::Failure);
    }
    let Some(span) = found.span else {
        return Ok(ExitCode::Failure);
    };
    let parts = match args.paths.is_empty() {
        true => of_turns(&found),
        false => Some(chosen(&found, &args.paths, &launch.cwd)?),
    };
    let planned =
        put_back(&mut project, of.as_ref(), scope, span, parts.clone(), true).map_err(failed)?;
    if planned.done.is_empty() && planned.conflicts.is_empty() && planned.refused.is_empty() {
        cli::print("nothing to put back\n")?;
        return Ok(ExitCode::Done);
    }
    cli::print(&plan(&planned, &launch.cwd))?;
    tell_left(&report(&project, "put back", None, &planned));
    if args.dry_run || planned.done.is_empty() {
        return Ok(code(&planned.conflicts, &planned.refused));
    }
    let question = format!("Put back {}? [y/N] ", files(planned.done.len()));
    let unasked = || "cannot ask: look at it with --dry-run, then pass --yes".to_owned();
    if !args.yes && !asked(&question, unasked)? {
        cli::print("nothing was put back\n")?;
        return Ok(ExitCode::Failure);
    }
    let done = put_back(&mut project, of.as_ref(), scope, span, parts, false).map_err(failed)?;
    cli::print(&format!(
        "{}\n",
        report(&project, "put back", None, &done).said
    ))?;
    Ok(code(&done.conflicts, &done.refused))
}

/// What would become of each file, named as it is to be typed.
fn plan(planned: &UndoReport, cwd: &Path) -> String {
    let name = |path: &Path| shown(path.strip_prefix(cwd).unwrap_or(path));
    let moved: BTreeMap<&PathBuf, &PathBuf> =
        planned.moved.iter().map(|(to, from)| (to, from)).collect();
    let mut text = String::new();
    for path in &planned.done {
        let merged = match planned.merged.contains(path) {
            true => ", merged with other changes",
            false => "",
        };
        let what = match moved.get(path) {
            Some(from) => format!("move {} back to {}", name(from), name(path)),
            None if planned.gone.contains(path) => format!("delete {}", name(path)),
            None if path.symlink_metadata().is_err() => format!("restore {}", name(path)),
            None => format!("put back {}", name(path)),
        };
        let _ = writeln!(text, "{what}{merged}");
    }
    text
}

fn code<A, B>(conflicts: &[A], refused: &[B]) -> ExitCode {
    match conflicts.is_empty() && refused.is_empty() {
        true => ExitCode::Done,
        false => ExitCode::Failure,
    }
}

fn tell_left(done: &ReviewDone) {
    for (what, _) in &done.refused {
        complain(what);
    }
}

fn scope_of(turn: Option<u64>) -> ReviewScope {
    turn.map_or(ReviewScope::Session, ReviewScope::Turn)
}

/// The store of the session's project, and the session as it is named there.
fn opened(
    typed: Option<&str>,
    config: &Config,
    state: &Path,
    launch: &Launch,
) -> Result<(Project, Option<SessionId>), CliError> {
    let folder = SessionFolder::new(state);
    let here = |summary: &Summary| Path::new(&summary.about.cwd) == launch.cwd;
    let summary = match typed {
        Some(typed) => Some(folder.find(typed, |_| true)?),
        None => folder.list().into_iter().find(here),
    };
    let mut launch = launch.clone();
    let worktree = summary.as_ref().and_then(|found| found.about.worktree());
    if let Some(summary) = &summary {
        launch.cwd = PathBuf::from(&summary.about.cwd);
    }
    let place: Place = services::followed(&launch, config, state, worktree.as_ref())
        .map_err(CliError::io("the project directory cannot be used"))?;
    let id = summary.and_then(|summary| summary.about.session);
    let of = id.map(SessionId::new);
    if of.is_none() {
        complain(
            "no session is stored of this directory: these are all changes that are kept of it",
        );
    }
    Ok((
        Project::open(&place, Default::default(), Default::default()),
        of,
    ))
}

/// What turns have changed; `None`: that is all. The rest is the person's own, and stays unless it is named.
fn of_turns(review: &Review) -> Option<Vec<UndoPart>> {
    let outside = review.files.iter().filter(|file| file.is_elsewhere);
    for file in outside.clone() {
        complain(format!(
            "{} is outside of the project and stays: name it to put it back",
            file.name
        ));
    }
    let inside = review.files.iter().filter(|file| !file.is_elsewhere);
    let (made, own): (Vec<_>, Vec<_>) = inside.partition(|file| file.by_a_turn);
    for file in &own {
        complain(format!(
            "{} changed outside of turns and stays: name it to put it back",
            file.name
        ));
    }
    let parts = made.iter().map(|file| UndoPart::File(file.path.clone()));
    (made.len() < review.files.len()).then(|| parts.collect())
}

/// The files that are named, as parts of what is put back.
fn chosen(review: &Review, paths: &[PathBuf], cwd: &Path) -> Result<Vec<UndoPart>, CliError> {
    let mut parts = Vec::new();
    for named in paths {
        let path = cwd.join(named);
        let below = review
            .files
            .iter()
            .filter(|file| file.path.starts_with(&path));
        let before = parts.len();
        parts.extend(below.map(|file| UndoPart::File(file.path.clone())));
        if parts.len() == before {
            let text = format!("{} was not changed there", shown(named));
            return Err(CliError::Usage(text));
        }
    }
    Ok(parts)
}

fn failed(error: io::Error) -> CliError {
    CliError::io("the kept changes")(error)
}

fn shown(path: &Path) -> SafeText {
    SafeText::line(&path.to_string_lossy())
}

fn files(count: usize) -> String {
    match count {
        1 => "1 file".to_owned(),
        count => format!("{count} files"),
    }
}

/// A line for each file, and their sum.
fn stat(review: &Review) -> String {
    let mut text = String::new();
    let mut sum = (0, 0);
    for file in &review.files {
        let lines = match file.lines {
            Some((added, removed)) => {
                sum = (sum.0 + added, sum.1 + removed);
                format!("+{added} -{removed}")
            }
            None if file.binary => "binary".to_owned(),
            None => String::new(),
        };
        let from = file.renamed_from.as_ref();
        let from = from.map_or_else(String::new, |from| format!("{from} -> "));
        let _ = writeln!(text, "{} {from}{}  {lines}", letter(file.kind), file.name);
    }
    let _ = writeln!(text, "{}, +{} -{}", files(review.files.len()), sum.0, sum.1);
    text
}

/// As the review has them.
fn letter(kind: ChangeKind) -> char {
    match kind {
        ChangeKind::Added => 'A',
        ChangeKind::Deleted => 'D',
        ChangeKind::Modified => 'M',
        ChangeKind::Renamed => 'R',
        ChangeKind::Mode => 'm',
        ChangeKind::Type => 'T',
    }
}

fn as_json(review: &Review) -> String {
    let all = serde_json::json!({
        "files": review.files.iter().map(Change::from).collect::<Vec<_>>(),
        "uncovered": review.uncovered.iter().map(SafeText::as_str).collect::<Vec<_>>(),
    });
    json::line(&all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_gets_nothing_that_it_would_obey_and_a_pipe_every_byte() {
        let patch = b"+a\x1b]52;c;cm0=\x07\r\n+\xff\xc2\x9b2J\tb\n \xe2\x80\xae\n".to_vec();
        assert_eq!(for_reader(patch.clone(), false), patch);
        let shown = String::from_utf8(for_reader(patch, true)).unwrap();
        assert_eq!(shown.lines().count(), 3);
        let obeyed = |c: char| !matches!(c, '\n' | '\t') && (c.is_control() || c == '\u{202e}');
        assert!(!shown.contains(obeyed), "{shown:?}");
    }

    #[test]
    fn an_undo_of_all_leaves_what_is_outside_of_the_project() {
        let file = |name: &'static str, is_elsewhere| crate::model::ReviewFile {
            path: name.into(),
            name: name.into(),
            renamed_from: None,
            kind: ChangeKind::Modified,
            binary: false,
            lines: None,
            content: 0,
            until: None,
            by: Vec::new(),
            by_unknown: false,
            by_a_turn: true,
            is_elsewhere,
        };
        let mut review = Review {
            scope: ReviewScope::Session,
            scopes: Vec::new(),
            files: vec![file("/p/in", false), file("/home/n/.bashrc", true)],
            uncovered: Vec::new(),
            span: None,
            read_only: None,
            can_redo: false,
        };
        let inside = UndoPart::File("/p/in".into());
        assert_eq!(of_turns(&review), Some(vec![inside]));
        let named = chosen(&review, &["/home/n/.bashrc".into()], Path::new("/p")).unwrap();
        assert_eq!(named.len(), 1);
        review.files.pop();
        assert_eq!(of_turns(&review), None);
    }
}
