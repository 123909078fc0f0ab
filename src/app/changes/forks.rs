//! Which sessions go on from which others: their reviews have the turns that they took over.
//!
//! Owns a small file beside the project's store, since the store knows turns by their sessions only.

use std::{
    collections::BTreeSet,
    io,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use crate::{
    files,
    model::{CauseKind, Checkpoint, SessionId},
};

const FILE: &str = "forks.json";

/// Forks that are kept; of more the oldest go.
const MOST: usize = 500;

/// Bytes of the file that are read.
const MOST_BYTES: u64 = 1 << 20;

/// Bytes of an id that is kept: agents may give any.
const MOST_ID: usize = 512;

/// How many forks of forks are followed back.
const DEEP: usize = 64;

/// A session that goes on from another one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Fork {
    session: String,
    of: String,
    /// The last turn that was taken over, by its number in the other session.
    turn: u64,
}

#[derive(Debug, Default)]
pub struct Forks {
    folder: PathBuf,
    /// The oldest first.
    list: Vec<Fork>,
}

impl Forks {
    /// Those that are kept in a store's folder; none where they cannot be read, which is logged.
    pub fn open(folder: &Path) -> Self {
        let list = read(&folder.join(FILE)).unwrap_or_else(|error| {
            if error.kind() != io::ErrorKind::NotFound {
                tracing::warn!(%error, "it is not known which sessions were forked");
            }
            Vec::new()
        });
        Self {
            folder: folder.to_owned(),
            list,
        }
    }

    /// `keep`: it is to outlive this run.
    pub fn add(&mut self, session: &SessionId, of: &SessionId, turn: u64, keep: bool) {
        let (session, of) = (session.as_str(), of.as_str());
        if session == of || session.len().max(of.len()) > MOST_ID {
            return;
        }
        self.list.retain(|fork| fork.session != session);
        self.list.push(Fork {
            session: session.to_owned(),
            of: of.to_owned(),
            turn,
        });
        let more = self.list.len().saturating_sub(MOST);
        self.list.drain(..more);
        if keep && let Err(error) = self.write() {
            tracing::warn!(%error, "that a session was forked is not kept");
        }
    }

    fn write(&self) -> io::Result<()> {
        let mut new = tempfile::Builder::new()
            // What a crash leaves of it is removed with the rest.
            .prefix(".new-")
            .tempfile_in(&self.folder)?;
        serde_json::to_writer(&mut new, &self.list)?;
        new.persist(self.folder.join(FILE))
            .map_err(|error| error.error)?;
        Ok(())
    }

    /// Gives the turns that a session took over to it, as if they were all its own.
    pub fn take_over(&self, points: &mut [Checkpoint], of: &SessionId) {
        let mut taken: Vec<(&str, u64)> = Vec::new();
        let (mut session, mut last) = (of.as_str(), u64::MAX);
        let mut seen = BTreeSet::from([session]);
        while let Some(fork) = self.list.iter().find(|fork| fork.session == session)
            && taken.len() < DEEP
            && seen.insert(fork.of.as_str())
        {
            (session, last) = (&fork.of, last.min(fork.turn));
            taken.push((session, last));
        }
        for point in points.iter_mut().filter(|_| !taken.is_empty()) {
            let cause = &mut point.cause;
            let is_turn = matches!(cause.kind, CauseKind::TurnStart | CauseKind::TurnEnd);
            let (Some(by), Some(turn), true) = (&cause.session, cause.turn, is_turn) else {
                continue;
            };
            let own = |(other, last): &(&str, u64)| *other == by.as_str() && turn <= *last;
            if taken.iter().any(own) {
                cause.session = Some(of.clone());
            }
        }
    }
}

fn read(path: &Path) -> io::Result<Vec<Fork>> {
    let file = files::regular(path)?;
    let text = io::read_to_string(io::Read::take(file, MOST_BYTES))?;
    let mut list: Vec<Fork> = serde_json::from_str(&text)?;
    list.truncate(MOST);
    Ok(list)
}

#[cfg(test)]
mod tests {
    use std::{fs, sync::Arc};

    use super::*;
    use crate::{
        app::changes::{Place, Project, review, since},
        host::Roots,
        model::{Cause, CheckpointId, ReviewScope},
        text::SafeText,
    };

    fn id(id: &str) -> SessionId {
        SessionId::new(id)
    }

    fn turns(of: &[(&str, u64)]) -> Vec<Checkpoint> {
        let mut points = Vec::new();
        for (session, turn) in of {
            for kind in [CauseKind::TurnStart, CauseKind::TurnEnd] {
                let at = u64::try_from(points.len()).expect("few");
                points.push(Checkpoint {
                    id: CheckpointId(at),
                    time: at,
                    changed: 0,
                    cause: Cause {
                        session: Some(id(session)),
                        turn: Some(*turn),
                        ..Cause::of(kind)
                    },
                });
            }
        }
        points
    }

    fn own(forks: &Forks, points: &[Checkpoint], of: &str) -> Vec<u64> {
        let mut points = points.to_vec();
        forks.take_over(&mut points, &id(of));
        let own = points.iter().filter(|point| {
            point.cause.kind == CauseKind::TurnStart && point.cause.session == Some(id(of))
        });
        own.filter_map(|point| point.cause.turn).collect()
    }

    #[test]
    fn a_fork_has_the_turns_up_to_it_of_all_that_it_comes_from_in_the_next_run_too() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut forks = Forks::open(folder.path());
        forks.add(&id("b"), &id("a"), 2, true);
        forks.add(&id("c"), &id("b"), 3, true);
        let points = turns(&[("a", 1), ("a", 2), ("a", 3), ("b", 3), ("b", 4), ("c", 4)]);
        for forks in [forks, Forks::open(folder.path())] {
            assert_eq!(own(&forks, &points, "a"), [1, 2, 3]);
            assert_eq!(own(&forks, &points, "b"), [1, 2, 3, 4]);
            assert_eq!(own(&forks, &points, "c"), [1, 2, 3, 4]);
        }
    }

    #[test]
    fn forks_that_lead_round_and_files_that_are_none_do_no_harm() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut forks = Forks::open(folder.path());
        forks.add(&id("a"), &id("b"), 9, false);
        forks.add(&id("b"), &id("a"), 9, false);
        let points = turns(&[("a", 1), ("b", 2)]);
        assert_eq!(own(&forks, &points, "a"), [1, 2]);
        assert!(Forks::open(folder.path()).list.is_empty());
        fs::write(folder.path().join(FILE), "[{").expect("written");
        assert!(Forks::open(folder.path()).list.is_empty());
        for n in 0..MOST + 5 {
            forks.add(&id(&format!("s{n}")), &id("a"), 1, n == MOST + 4);
        }
        assert_eq!(Forks::open(folder.path()).list.len(), MOST);
    }
    #[test]
    fn a_fork_reviews_and_puts_back_what_it_took_over_and_not_what_came_after() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder
            .path()
            .canonicalize()
            .expect("a path")
            .join("project");
        fs::create_dir(&root).expect("made");
        let place = Place {
            folder: folder.path().join("changes"),
            roots: Roots::new(&root, &[]).expect("roots"),
            most: 1 << 30,
        };
        let mut project = Project::open(&place, Arc::default(), Arc::default());
        project.begin();
        let turn = |project: &mut Project, of: &str, turn: u64, name: &str| {
            project.turn_begins(&id(of), turn);
            fs::write(root.join(name), name).expect("written");
            project.turn_ended(&id(of), turn);
        };
        turn(&mut project, "parent", 1, "one");
        turn(&mut project, "parent", 2, "two");
        turn(&mut project, "parent", 3, "three");
        // Without the last prompt.
        let taken = project.turn_before(&id("parent"), 1);
        assert_eq!(taken, 2);
        project.forked(&id("fork"), &id("parent"), taken);
        turn(&mut project, "fork", 1, "own");
        turn(&mut project, "parent", 4, "later");
        drop(project);
        // In the next run.
        let mut project = Project::open(&place, Arc::default(), Arc::default());
        let fork = id("fork");
        let mut named = |scope| {
            let review = review(&mut project, Some(&fork), scope).expect("listed");
            let files = review.files.iter();
            let files = files.map(|file| (file.name.to_string(), file.by_a_turn));
            (files.collect::<Vec<_>>(), review.scopes.len())
        };
        let of = |names: &[(&str, bool)]| -> Vec<(String, bool)> {
            let names = names.iter();
            names
                .map(|(name, own)| ((*name).to_owned(), *own))
                .collect()
        };
        let (session, scopes) = named(ReviewScope::Session);
        let all = [
            ("later", false),
            ("one", true),
            ("own", true),
            ("three", false),
            ("two", true),
        ];
        assert_eq!(session, of(&all));
        // Three turns, the session, since the last commit.
        assert_eq!(scopes, 5);
        assert_eq!(named(ReviewScope::Turn(2)).0, of(&[("two", true)]));
        assert_eq!(named(ReviewScope::Turn(3)).0, of(&[("own", true)]));
        let since = since::changed(&mut project, &fork, 2).expect("known");
        assert_eq!(since.names, ["own", "two"].map(SafeText::from));
    }
}
