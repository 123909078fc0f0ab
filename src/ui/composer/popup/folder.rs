//! The folder typed after an `@`: others look it up on disk, so that ignored or
//! linked files can be mentioned as well. One is known at a time.

use std::{
    borrow::Cow,
    time::{Duration, Instant},
};

use super::{super::fuzzy::Fuzzy, Choice, MAX_ROWS};
use crate::{text::SafeText, ui::FolderListing};

/// A listing older than this is asked for again.
const FRESH: Duration = Duration::from_secs(10);

#[derive(Debug, Default)]
pub struct Folder {
    /// As typed, up to its last `/`; empty for the project's own folder.
    typed: String,
    asked: Option<Instant>,
    listing: Option<FolderListing>,
}

impl Folder {
    /// The folder that must be listed for `query`; the same one at most once per [`FRESH`].
    pub fn ask(&mut self, query: &str, now: Instant) -> Option<String> {
        let (typed, name) = split(query);
        // Without a word the project's files are offered. An open quote has no end yet.
        if typed.is_empty() && name.is_empty() || query.contains('"') {
            return None;
        }
        if self.typed != typed {
            self.listing = None;
        } else if self
            .asked
            .is_some_and(|at| now.saturating_duration_since(at) < FRESH)
        {
            return None;
        }
        typed.clone_into(&mut self.typed);
        self.asked = Some(now);
        Some(typed.to_owned())
    }

    pub fn set(&mut self, listing: FolderListing) {
        if listing.typed == self.typed {
            self.listing = Some(listing);
        }
    }

    /// Whether the listing for `query` is still missing.
    pub fn is_awaited(&self, query: &str) -> bool {
        let (typed, name) = split(query);
        let asks = !(typed.is_empty() && name.is_empty() || query.contains('"'));
        asks && self.listing_of(typed).is_none()
    }

    fn listing_of(&self, typed: &str) -> Option<&FolderListing> {
        self.listing
            .as_ref()
            .filter(|listing| listing.typed == typed)
    }

    /// Names in it that begin with the name in `query`, else names that contain it.
    pub fn choices(&self, query: &str) -> Vec<Choice> {
        let (typed, name) = split(query);
        let Some(listing) = self.listing_of(typed) else {
            return Vec::new();
        };
        let names = listing.names.as_deref().unwrap_or_default();
        let name = name.to_lowercase();
        let up = [String::from("../")];
        let names = match &*name {
            ".." => &up[..],
            _ => names,
        };
        let fits = |fits: fn(&str, &str) -> bool| {
            let found = names.iter().filter(|one| fits(&one.to_lowercase(), &name));
            found.take(MAX_ROWS.into()).collect::<Vec<_>>()
        };
        let mut found = fits(|one, name| one.starts_with(name));
        if found.is_empty() {
            found = fits(|one, name| one.contains(name));
        }
        let mut fuzzy = Fuzzy::new(query);
        let choices = found.into_iter().map(|name| {
            let label = format!("{typed}{name}");
            let value = match &listing.path {
                Some(path) => format!("{}/{name}", path.trim_end_matches('/')),
                None => label.clone(),
            };
            Choice {
                marks: fuzzy.marks(&label),
                label: SafeText::line(&label),
                detail: SafeText::default(),
                group: "",
                value,
            }
        });
        choices.collect()
    }

    /// The text for an empty list.
    pub fn nothing(&self, query: &str) -> Cow<'static, str> {
        match self.listing_of(split(query).0) {
            Some(FolderListing {
                names: Err(why), ..
            }) => Cow::Owned(why.to_string()),
            Some(FolderListing { more: true, .. }) => "not in the list of files".into(),
            _ => "no such file".into(),
        }
    }
}

/// The folder and the beginning of a name in it.
fn split(query: &str) -> (&str, &str) {
    query.split_at(query.rfind('/').map_or(0, |slash| slash + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listing(typed: &str, names: &[&str]) -> FolderListing {
        FolderListing {
            typed: typed.into(),
            names: Ok(names.iter().map(ToString::to_string).collect()),
            more: false,
            path: None,
        }
    }

    fn values(folder: &Folder, query: &str) -> Vec<String> {
        let choices = folder.choices(query).into_iter();
        choices.map(|choice| choice.value).collect()
    }

    #[test]
    fn a_folder_is_looked_up_once_in_a_while_and_when_another_is_typed() {
        let mut folder = Folder::default();
        let now = Instant::now();
        assert_eq!(folder.ask("", now), None);
        assert_eq!(folder.ask("ou", now).as_deref(), Some(""));
        assert_eq!(folder.ask("out", now), None);
        assert_eq!(folder.ask("out/", now).as_deref(), Some("out/"));
        assert_eq!(folder.ask("out/d", now), None);
        assert_eq!(folder.ask("out/d", now + FRESH).as_deref(), Some("out/"));
        assert_eq!(folder.ask("\"out/", now), None);
    }

    #[test]
    fn what_is_in_it_is_found_by_its_beginning_else_by_a_part() {
        let mut folder = Folder::default();
        folder.ask("out/d", Instant::now());
        assert!(folder.is_awaited("out/d"));
        folder.set(listing("other/", &["x"]));
        assert!(folder.is_awaited("out/d"), "an answer to an older question");
        folder.set(listing("out/", &["a.csv", "Data.csv", "deep/"]));
        assert!(!folder.is_awaited("out/d"));
        assert_eq!(
            values(&folder, "out/"),
            ["out/a.csv", "out/Data.csv", "out/deep/"]
        );
        assert_eq!(values(&folder, "out/d"), ["out/Data.csv", "out/deep/"]);
        assert_eq!(values(&folder, "out/csv"), ["out/a.csv", "out/Data.csv"]);
        assert_eq!(values(&folder, "out/zip"), [""; 0]);
        assert_eq!(folder.nothing("out/zip"), "no such file");
        assert_eq!(values(&folder, "out/.."), ["out/../"]);
        assert_eq!(values(&folder, "in/d"), [""; 0]);
    }

    #[test]
    fn what_was_typed_for_a_place_elsewhere_is_handed_on_as_its_path() {
        let mut folder = Folder::default();
        folder.ask("~/", Instant::now());
        folder.set(FolderListing {
            path: Some("/home/me".into()),
            ..listing("~/", &["notes/", "x"])
        });
        let choices = folder.choices("~/n");
        assert_eq!(choices[0].label.as_str(), "~/notes/");
        assert_eq!(choices[0].value, "/home/me/notes/");
    }

    #[test]
    fn why_nothing_is_offered_is_said() {
        let mut folder = Folder::default();
        folder.ask("out/", Instant::now());
        folder.set(FolderListing {
            names: Err("out/: permission denied".into()),
            ..listing("out/", &[])
        });
        assert_eq!(folder.nothing("out/x"), "out/: permission denied");
        folder.set(FolderListing {
            more: true,
            ..listing("out/", &["a"])
        });
        assert_eq!(folder.nothing("out/x"), "not in the list of files");
    }
}
