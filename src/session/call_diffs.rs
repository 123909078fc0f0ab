//! How the diffs of one tool call stand towards the files on disk.
//!
//! An agent's diffs are claims: a fragment can be told as a file, an overwritten file as a new one.
//! They are compared with the disk once they are known, and once more before the person answers for
//! them; what comes of that stands in the call's content in their place. Later updates that tell the
//! same claims again get the same diffs, so that nothing becomes untrue by having been written.

use std::{
    hash::{BuildHasher, RandomState},
    sync::{Arc, OnceLock},
};

use crate::model::{
    Claim, Claims, Diff, DiffText, Extent, FileChange, ToolContent, ToolKind, ToolLocation,
};

/// Of each claim what is shown for it; `None` for one that is shown with an earlier one.
pub type Shown = Vec<Option<Arc<Diff>>>;

#[derive(Debug, Default)]
pub struct CallDiffs {
    /// What the raw input tells.
    raw: Claims,
    /// Pieces at the beginning of the content that are there by the raw input alone.
    derived: usize,
    /// What is claimed, as long as it may have to be compared again.
    claims: Vec<Claim>,
    /// Names the claims, also when they are no longer kept: each by its position and content.
    print: u64,
    /// What came of a comparison, and of which claims.
    shown: Option<(u64, Shown)>,
    /// That stands in the content now, and not the claims themselves.
    placed: bool,
    tickets: u64,
    /// The comparison that is waited for.
    running: Option<u64>,
    /// The claims are others since that was asked for.
    outdated: bool,
}

impl CallDiffs {
    /// Bytes that are kept in addition to the content.
    pub fn weight(&self) -> usize {
        if !self.placed {
            return 0;
        }
        self.claims.iter().map(|claim| claim.diff.weight()).sum()
    }

    /// There is something to be compared, or to be forgotten.
    pub fn has_claims(&self) -> bool {
        !self.claims.is_empty()
    }

    pub fn has_raw(&self) -> bool {
        !self.raw.list.is_empty() || self.raw.only_path.is_some()
    }

    /// Whether all that the raw input tells is among the diffs that are shown, each under its own path.
    pub fn tell_the_raw_input(&self, is_same_path: impl Fn(&str, &str) -> bool) -> bool {
        let among = |raw: &Claim| {
            let path = &raw.diff.path;
            let is_told = |claim: &Claim| {
                (raw.diff.text == claim.diff.text || overwrites_as(raw, claim))
                    && (path.is_empty() || is_same_path(path, &claim.diff.path))
                    && raw.diff.from() == claim.diff.from()
                    && (raw.diff.change == FileChange::Delete)
                        == (claim.diff.change == FileChange::Delete)
            };
            self.claims.iter().any(is_told)
        };
        let raw = &self.raw;
        raw.complete && !raw.list.is_empty() && (self.derived > 0 || raw.list.iter().all(among))
    }

    /// What the agent claims, of which the diffs are what came of it.
    pub fn claimed(&self) -> impl Iterator<Item = &Diff> {
        self.claims.iter().map(|claim| &*claim.diff)
    }

    /// The claim of the raw input that a diff of the content makes as well.
    fn raw_of(&self, diff: &Diff) -> Option<&Claim> {
        let raw = &self.raw.list;
        let same = raw.iter().find(|raw| raw.diff.text == diff.text);
        same.or_else(|| raw.iter().find(|raw| is_what_becomes(raw, diff)))
    }

    pub fn set_raw(&mut self, raw: Claims) {
        self.raw = raw;
    }

    /// New content, or new raw input, for a call of that kind: puts into the content what the raw
    /// input tells where the content itself tells no change, and what is known already of the rest.
    pub fn settle(
        &mut self,
        content: &mut Vec<ToolContent>,
        kind: ToolKind,
        has_command: bool,
        locations: &[ToolLocation],
    ) {
        let told = content.iter().any(is_telling);
        let mut claims: Vec<Claim> = if told {
            self.told(content)
        } else {
            self.told_by_raw(kind, has_command, locations)
        };
        self.derived = 0;
        if !told && !claims.is_empty() {
            // Ones that say nothing but that there is a change are said better now.
            content.retain(|piece| !matches!(piece, ToolContent::Diff(_)));
            let pieces = claims
                .iter()
                .map(|claim| ToolContent::Diff(claim.diff.clone()));
            content.splice(..0, pieces);
            self.derived = claims.len();
        }
        for claim in &mut claims {
            claim.lines = lines_of(&claim.diff.path, locations);
        }
        let print = print(&claims);
        self.outdated |= self.running.is_some() && print != self.print;
        (self.claims, self.print, self.placed) = (claims, print, false);
        self.place(content);
    }

    /// Takes out of the content what is there by the raw input alone, before it is settled anew.
    fn take_derived(&mut self, content: &mut Vec<ToolContent>) {
        if self.derived > 0 {
            content.drain(..self.derived.min(content.len()));
            self.claims.clear();
            (self.derived, self.placed) = (0, false);
        }
    }

    /// New raw input; the content has not changed.
    pub fn settle_raw(
        &mut self,
        content: &mut Vec<ToolContent>,
        kind: ToolKind,
        has_command: bool,
        locations: &[ToolLocation],
    ) {
        if self.derived > 0 || !content.iter().any(is_telling) {
            self.take_derived(content);
            self.settle(content, kind, has_command, locations);
            return;
        }
        let mut claims = std::mem::take(&mut self.claims);
        for claim in &mut claims {
            if let Some(same) = self.raw_of(&claim.diff) {
                claim.extent = same.extent;
            }
        }
        self.claims = claims;
        self.claimed_anew();
    }

    /// More content, behind what there is.
    pub fn append(
        &mut self,
        content: &mut Vec<ToolContent>,
        more: Vec<ToolContent>,
        locations: &[ToolLocation],
    ) {
        let mut claims = self.told(&more);
        if !claims.is_empty() {
            self.take_derived(content);
            for claim in &mut claims {
                claim.lines = lines_of(&claim.diff.path, locations);
            }
            self.claims.extend(claims);
            self.claimed_anew();
        }
        content.extend(more);
    }

    fn claimed_anew(&mut self) {
        let print = print(&self.claims);
        self.outdated |= self.running.is_some() && print != self.print;
        self.print = print;
    }

    /// Claims of the content. The raw input may know better where they count.
    fn told(&self, content: &[ToolContent]) -> Vec<Claim> {
        let diffs = content.iter().filter_map(|piece| match piece {
            ToolContent::Diff(diff) => Some(diff),
            _ => None,
        });
        let claim = |diff: &Arc<Diff>| Claim {
            diff: diff.clone(),
            extent: self.raw_of(diff).map_or(Extent::Unknown, |raw| raw.extent),
            lines: Vec::new(),
        };
        diffs.map(claim).collect()
    }

    /// Where a call does other things than change files, its raw input does not tell a change; and
    /// where that is not known, a change must be all that it tells.
    fn told_by_raw(
        &self,
        kind: ToolKind,
        has_command: bool,
        locations: &[ToolLocation],
    ) -> Vec<Claim> {
        let whole = |claim: &Claim| claim.extent == Extent::Whole;
        if let (ToolKind::Delete, Some(path)) = (kind, &self.raw.only_path) {
            return vec![Claim::new(Diff::deleted(path.clone()), Extent::Unknown)];
        }
        let counts = match kind {
            ToolKind::Edit => true,
            ToolKind::Other => {
                !has_command && self.raw.complete && !self.raw.list.iter().any(whole)
            }
            ToolKind::Delete | ToolKind::Move => self.raw.complete,
            _ => false,
        };
        if !counts {
            return Vec::new();
        }
        let claims = self.raw.list.iter().filter_map(|claim| {
            if !claim.diff.path.is_empty() {
                return Some(claim.clone());
            }
            let [location] = locations else { return None };
            Some(Claim {
                diff: Arc::new(Diff {
                    path: location.path.clone(),
                    ..Diff::clone(&claim.diff)
                }),
                ..claim.clone()
            })
        });
        let claims: Vec<Claim> = claims.collect();
        // A part of what would be done is none to be shown for it.
        if claims.len() == self.raw.list.len() {
            claims
        } else {
            Vec::new()
        }
    }

    /// What is to be compared now: the ticket, and the claims. `anew`: what came of them before no
    /// longer counts.
    pub fn ask(&mut self, anew: bool) -> Option<(u64, Vec<Claim>)> {
        let known = self.shown.as_ref().is_some_and(|(of, _)| *of == self.print);
        if self.claims.is_empty() || (!anew && (known || self.running.is_some())) {
            return None;
        }
        if !self.claims.iter().any(|claim| claim.diff.is_comparable()) {
            return None;
        }
        self.tickets += 1;
        self.running = Some(self.tickets);
        self.outdated = false;
        Some((self.tickets, self.claims.clone()))
    }

    /// What came of a comparison; true if it counts and the content is another now. `None`: there
    /// was none.
    pub fn answered(
        &mut self,
        ticket: u64,
        shown: Option<Shown>,
        content: &mut Vec<ToolContent>,
    ) -> bool {
        if self.running != Some(ticket) {
            return false;
        }
        self.running = None;
        let Some(shown) = shown.filter(|shown| shown.len() == self.claims.len()) else {
            return false;
        };
        if std::mem::take(&mut self.outdated) {
            return false;
        }
        let shown = self.with_marks(shown);
        let before = self.shown.replace((self.print, shown));
        if self.placed {
            // In place of what came of the same claims before.
            let before = before.map(|(_, shown)| shown);
            self.replace(content, before.as_ref());
        } else {
            self.place(content);
        }
        true
    }

    /// What was found to overwrite its file still does once it was written: by then many agents tell
    /// both sides of it, as of an edit.
    fn with_marks(&self, mut shown: Shown) -> Shown {
        let Some((_, before)) = &self.shown else {
            return shown;
        };
        let overwrote = |diff: &Diff| {
            let mut before = before.iter().flatten();
            before.any(|before| {
                before.change == FileChange::Overwrite
                    && before.path == diff.path
                    && before.text == diff.text
            })
        };
        for diff in shown.iter_mut().flatten() {
            if diff.change == FileChange::Modify && overwrote(diff) {
                Arc::make_mut(diff).change = FileChange::Overwrite;
            }
        }
        shown
    }

    /// The call is over: drops its claims, which no comparison needs now. Returns the bytes of
    /// [`CallDiffs::weight`] that this frees.
    pub fn rest(&mut self) -> usize {
        if self.running.is_some() {
            return 0;
        }
        let before = self.weight();
        self.claims = Vec::new();
        self.raw = Claims::default();
        before
    }

    /// The content went, to bound memory.
    pub fn forget(&mut self) {
        *self = Self::default();
    }

    fn place(&mut self, content: &mut Vec<ToolContent>) {
        if self.shown.as_ref().is_some_and(|(of, _)| *of == self.print) && !self.claims.is_empty() {
            self.replace(content, None);
        }
    }

    /// `before`: what stands in the content for the claims; `None`: each itself.
    fn replace(&mut self, content: &mut Vec<ToolContent>, before: Option<&Shown>) {
        let Some((_, shown)) = &self.shown else {
            return;
        };
        let stands = |at: &usize| {
            let before = before.and_then(|before| before.get(*at));
            before.is_none_or(Option::is_some)
        };
        let mut standing = (0..shown.len()).filter(stands).peekable();
        let mut out = Vec::with_capacity(content.len());
        let mut derived = 0;
        for piece in content.drain(..) {
            let is_diff = matches!(piece, ToolContent::Diff(_));
            let Some(at) = standing.next_if(|_| is_diff) else {
                out.push(piece);
                continue;
            };
            let next = standing.peek().copied().unwrap_or(shown.len());
            let now = shown.get(at..next).unwrap_or_default().iter().flatten();
            out.extend(now.cloned().map(ToolContent::Diff));
            derived = out.len();
        }
        *content = out;
        self.placed = true;
        if self.derived > 0 {
            self.derived = derived;
        }
    }
}

/// Whether a claim says that the file becomes what is the new side of a diff, whatever is in it: then
/// the diff counts for all of the file, of which its old side may be a part.
fn is_what_becomes(raw: &Claim, diff: &Diff) -> bool {
    let (DiffText::Sides { new: raw_new, .. }, DiffText::Sides { new, .. }) =
        (&raw.diff.text, &diff.text)
    else {
        return false;
    };
    raw.extent == Extent::Whole && raw_new == new
}

fn overwrites_as(raw: &Claim, claim: &Claim) -> bool {
    claim.extent == Extent::Whole && is_what_becomes(raw, &claim.diff)
}

/// Lines that locations of that path tell.
fn lines_of(path: &str, locations: &[ToolLocation]) -> Vec<u32> {
    let of_path = locations.iter().filter(|location| location.path == path);
    of_path.filter_map(|location| location.line).collect()
}

/// A diff that shows a change, or a change that needs no text.
pub fn is_telling(piece: &ToolContent) -> bool {
    let ToolContent::Diff(diff) = piece else {
        return false;
    };
    let nothing = diff.text == DiffText::None;
    !(nothing && matches!(diff.change, FileChange::Add | FileChange::Modify))
}

/// Seeded at random, so that no agent can make one claim pass for another.
fn print(claims: &[Claim]) -> u64 {
    static SEED: OnceLock<RandomState> = OnceLock::new();
    let seed = SEED.get_or_init(RandomState::new);
    let texts = claims.iter().map(|claim| {
        let diff = &claim.diff;
        let (old, new) = match &diff.text {
            DiffText::Sides { old, new } => (old.as_ref(), Some(new)),
            DiffText::Patch(patch) => (Some(patch), None),
            DiffText::None => (None, None),
        };
        let change = std::mem::discriminant(&diff.change);
        (&diff.path, change, diff.from(), old, new, claim.extent)
    });
    seed.hash_one(texts.collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_overwritten_file_keeps_its_mark_once_it_was_written() {
        let diff = |change: FileChange, patch: &str| {
            Some(Arc::new(Diff::of_patch(
                "a".into(),
                change,
                crate::text::SafeText::new(patch),
            )))
        };
        let mut diffs = CallDiffs {
            shown: Some((0, vec![diff(FileChange::Overwrite, "one")])),
            running: Some(1),
            claims: vec![Claim::new(
                Diff::of_texts("a".into(), Some("x".into()), "y".into()),
                Extent::Unknown,
            )],
            ..CallDiffs::default()
        };
        for (patch, change) in [
            ("one", FileChange::Overwrite),
            ("another", FileChange::Modify),
        ] {
            diffs.running = Some(1);
            let mut content = Vec::new();
            let shown = vec![diff(FileChange::Modify, patch)];
            assert!(diffs.answered(1, Some(shown), &mut content));
            let (_, shown) = diffs.shown.as_ref().expect("it was answered");
            assert_eq!(shown.iter().flatten().next().expect("one").change, change);
        }
    }

    /// The content and the raw input tell a change of a file each.
    fn of(content: Diff, raw: Diff, extent: Extent) -> CallDiffs {
        let mut diffs = CallDiffs::default();
        diffs.set_raw(Claims {
            list: vec![Claim::new(raw, extent)],
            complete: true,
            only_path: None,
        });
        let mut content = vec![ToolContent::Diff(content.into())];
        diffs.settle(&mut content, ToolKind::Edit, false, &[]);
        diffs
    }

    fn sides(path: &str, old: Option<&'static str>, new: &'static str) -> Diff {
        Diff::of_texts(path.into(), old.map(Into::into), new.into())
    }

    #[test]
    fn a_diff_tells_the_raw_input_of_its_own_file_alone() {
        let moved = |from: &str| Diff {
            change: FileChange::Move { from: from.into() },
            ..sides("a", Some("x"), "y")
        };
        for (content, raw, told) in [
            (sides("a", Some("x"), "y"), sides("a", Some("x"), "y"), true),
            (sides("a", Some("x"), "y"), sides("", Some("x"), "y"), true),
            (
                sides("a", Some("x"), "y"),
                sides(".git/hooks/a", Some("x"), "y"),
                false,
            ),
            (
                sides("a", Some("x"), "y"),
                sides("a", Some("y"), "x"),
                false,
            ),
            (sides("a", Some("x"), "y"), moved("b"), false),
            (moved("b"), moved("b"), true),
            (moved("c"), moved("b"), false),
        ] {
            let said = format!("{content:?} {raw:?}");
            let diffs = of(content, raw, Extent::Unknown);
            assert_eq!(diffs.tell_the_raw_input(|a, b| a == b), told, "{said}");
        }
    }

    /// qwen: the file as it was and as it becomes, and its whole new text in the raw input.
    #[test]
    fn a_diff_whose_new_side_is_written_whole_counts_for_the_whole_file() {
        let content = || sides("a", Some("x"), "y");
        let whole = of(content(), sides("a", None, "y"), Extent::Whole);
        assert_eq!(whole.claims[0].extent, Extent::Whole);
        assert!(whole.tell_the_raw_input(|a, b| a == b));
        let other = of(content(), sides("b", None, "y"), Extent::Whole);
        assert!(!other.tell_the_raw_input(|a, b| a == b));
        let less = of(content(), sides("a", None, ""), Extent::Whole);
        assert_eq!(less.claims[0].extent, Extent::Unknown);
        assert!(!less.tell_the_raw_input(|a, b| a == b));
    }
}
