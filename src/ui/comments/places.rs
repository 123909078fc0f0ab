//! Where comments stand in a diff that is shown, and what a new one would be about.

use std::{ops::Range, path::Path};

use super::{Comment, Comments, Quote, Subject, Wanted};
use crate::{
    text::SafeText,
    ui::{
        render::diff::{DiffModel, Side},
        viewer::{
            DiffViewer,
            lines::LineRange,
            notes::{Note, NoteBody},
        },
    },
};

/// A file whose lines are shown.
#[derive(Clone, Copy)]
pub struct ShownFile<'a> {
    /// Which of the viewer's.
    pub file: usize,
    pub path: &'a Path,
    /// As it is told.
    pub name: &'a SafeText,
    pub model: &'a DiffModel,
}

/// What is to be commented on.
pub enum Target {
    /// A comment that is there.
    Known(u64),
    New(Subject),
}

impl ShownFile<'_> {
    /// What a comment on these lines would be about.
    pub(in crate::ui) fn target(&self, range: LineRange, comments: &Comments) -> Target {
        let LineRange {
            side, first, last, ..
        } = range;
        let lines = first..last.saturating_add(1);
        let line = |side, at| line_of(self.model, side, at);
        let known = comments.of_file(self.path).find(|comment| {
            let is_it = |found: Range<u32>| match first == last {
                true => found.end == lines.end,
                false => found == lines,
            };
            comment.about.side == side && comment.about.find(line).is_some_and(is_it)
        });
        match known {
            Some(comment) => Target::Known(comment.id),
            None => Target::New(Subject {
                path: self.path.to_path_buf(),
                name: self.name.clone(),
                side,
                quote: Quote::of(&lines, |at| line(side, at)),
                shift: self.shift(side, first),
                lines,
            }),
        }
    }

    /// How much the number of a line is off its place: of a patch only some lines are there.
    fn shift(&self, side: Side, line: u32) -> u32 {
        let number = self.model.number(side, line).saturating_sub(1);
        u32::try_from(number).map_or(0, |number| number.saturating_sub(line))
    }
}

/// As [`notes`], of all files of a viewer.
pub fn all_notes(diff: &DiffViewer, comments: &Comments, writing: Option<&Wanted>) -> Vec<Note> {
    let notes = diff
        .shown_files()
        .map(|file| notes(file, comments, writing));
    notes.flatten().collect()
}

/// The comments of a shown diff, and the room of the one that is written.
pub fn notes(shown: ShownFile<'_>, comments: &Comments, writing: Option<&Wanted>) -> Vec<Note> {
    let (path, model) = (shown.path, shown.model);
    let edited = writing.and_then(Wanted::edits);
    let kept = others(path, comments, writing);
    let mut notes: Vec<Note> = kept.map(|comment| note(comment, &shown)).collect();
    if let Some(wanted) = writing.filter(|wanted| wanted.about.path == path) {
        let found = wanted.about.find(|side, at| line_of(model, side, at));
        notes.push(Note {
            key: edited.unwrap_or(u64::MAX),
            file: shown.file,
            below: found.map(|lines| (wanted.about.side, lines.end.saturating_sub(1))),
            body: NoteBody::Room,
        });
    }
    notes
}

/// The comments of a file, but for the one that is written anew.
fn others<'a>(
    path: &'a Path,
    comments: &'a Comments,
    writing: Option<&Wanted>,
) -> impl Iterator<Item = &'a Comment> {
    let edited = writing.and_then(Wanted::edits);
    let of = comments.of_file(path);
    of.filter(move |comment| Some(comment.id) != edited)
}

/// The comments of a file of which no lines are shown.
pub fn bodies(path: &Path, comments: &Comments, writing: Option<&Wanted>) -> Vec<NoteBody> {
    let kept = others(path, comments, writing);
    let bodies = kept.map(|comment| NoteBody::Text {
        about: (!comment.about.is_whole()).then(|| SafeText::line(&comment.about.lines())),
        gone: None,
        text: SafeText::new(&comment.text),
    });
    bodies.collect()
}

fn note(comment: &Comment, shown: &ShownFile<'_>) -> Note {
    let about = &comment.about;
    let found = about.find(|side, at| line_of(shown.model, side, at));
    let several = about.lines.len() > 1;
    let lines = match &found {
        Some(lines) => {
            let mut moved = about.clone();
            moved.lines = lines.clone();
            moved.shift = shown.shift(about.side, lines.start);
            moved.lines()
        }
        None => about.lines(),
    };
    Note {
        key: comment.id,
        file: shown.file,
        below: found
            .as_ref()
            .map(|lines| (about.side, lines.end.saturating_sub(1))),
        body: NoteBody::Text {
            about: (several || found.is_none()).then(|| SafeText::line(&lines)),
            gone: (found.is_none() && !about.is_whole()).then(|| comment.was()),
            text: SafeText::new(&comment.text),
        },
    }
}

/// A line of a side, where it has that many.
pub fn line_of(model: &DiffModel, side: Side, at: u32) -> Option<&str> {
    let lines = match side {
        Side::Old => &model.old,
        Side::New => &model.new,
    };
    ((at as usize) < lines.len()).then(|| lines.get(at))
}
