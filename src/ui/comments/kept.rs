//! Comments as they are stored with their session.

use super::{Comment, Comments, Quote, Subject};
use crate::{model::KeptComment, text::SafeText, ui::render::diff::Side};

/// Lines that a file may have here.
const MOST_LINES: u32 = 1 << 28;

impl Comment {
    fn kept(&self) -> KeptComment {
        let about = &self.about;
        KeptComment {
            path: about.path.clone(),
            name: about.name.clone(),
            old: about.side == Side::Old,
            lines: about.lines.clone(),
            shift: about.shift,
            quote: about.quote.lines.clone(),
            more: about.quote.more,
            around: about.quote.around.clone(),
            text: self.text.clone(),
            stale: self.stale,
            content: self.content,
        }
    }

    /// A file can hold anything by now: lines become one line each, and there are not more than can be counted on.
    fn of_kept(id: u64, kept: KeptComment) -> Self {
        let line = |text: SafeText| SafeText::line(&text);
        let quote = Quote {
            lines: kept.quote.into_iter().map(line).collect(),
            more: kept.more.min(MOST_LINES as usize),
            around: kept.around.map(|around| around.map(line)),
        };
        let side = if kept.old { Side::Old } else { Side::New };
        Self {
            id,
            about: Subject {
                path: kept.path,
                name: line(kept.name),
                side,
                lines: kept.lines.start.min(MOST_LINES)..kept.lines.end.min(MOST_LINES),
                shift: kept.shift.min(MOST_LINES),
                quote,
            },
            text: kept.text,
            stale: kept.stale,
            content: kept.content,
        }
    }
}

impl Comments {
    pub fn kept(&self) -> Vec<KeptComment> {
        self.list.iter().map(Comment::kept).collect()
    }

    /// Puts what was stored before what there is, as far as there is room; how many there was room for. One that
    /// is too large for it costs only itself.
    pub fn restore(&mut self, kept: Vec<KeptComment>) -> usize {
        let later = std::mem::take(&mut self.list);
        let mut room = super::MAX
            - later
                .iter()
                .map(Comment::weight)
                .sum::<usize>()
                .min(super::MAX);
        for kept in kept {
            let comment = Comment::of_kept(self.next, kept);
            let Some(left) = room.checked_sub(comment.weight()) else {
                continue;
            };
            (room, self.next) = (left, self.next + 1);
            self.list.push(comment);
        }
        let restored = self.list.len();
        self.list.extend(later);
        self.rev += 1;
        restored
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::comments::{ENTRY, MAX};

    fn kept(text: &str) -> KeptComment {
        KeptComment {
            path: "/p/a.rs".into(),
            name: "a.rs".into(),
            old: true,
            lines: 4..6,
            shift: 10,
            quote: vec!["one".into(), "two".into()],
            more: 3,
            around: [None, Some("three".into())],
            text: text.into(),
            stale: true,
            content: 7,
        }
    }

    #[test]
    fn what_was_stored_comes_back_before_what_is_there() {
        let mut comments = Comments::default();
        comments.restore(vec![kept("later")]);
        let rev = comments.rev();
        comments.restore(vec![kept("a"), kept("b")]);
        assert_eq!(comments.kept(), [kept("a"), kept("b"), kept("later")]);
        assert!(comments.rev() > rev);
        let mut ids: Vec<u64> = comments.list.iter().map(|comment| comment.id).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), 3);
    }

    #[test]
    fn a_file_that_holds_anything_breaks_no_line_and_no_bound() {
        let mut odd = kept("x");
        odd.name = "a\nb".into();
        odd.quote = vec!["c\nd".into()];
        (odd.lines, odd.shift, odd.more) = (u32::MAX - 1..u32::MAX, u32::MAX, usize::MAX);
        let mut comments = Comments::default();
        comments.restore(vec![odd]);
        assert_eq!(comments.list[0].about.name.as_str(), "a b");
        assert_eq!(comments.list[0].about.quote.lines[0].as_str(), "c d");
        comments.settle(std::path::Path::new("/p/a.rs"), 9, |_, at| {
            (at == 5).then_some("c d")
        });
        assert!(comments.prompt().is_some() && comments.rows().len() == 1);
        let fixed = ENTRY + "/p/a.rsa.rsonetwothree".len();
        for (len, fits) in [(MAX - fixed - 1, 1), (MAX - fixed, 1), (MAX - fixed + 1, 0)] {
            let mut comments = Comments::default();
            let restored = comments.restore(vec![kept(&"x".repeat(len))]);
            assert_eq!((comments.len(), restored), (fits, fits), "{len}");
        }
        // Those behind one that is too large are there.
        let large = kept(&"x".repeat(MAX));
        let mut comments = Comments::default();
        let restored = comments.restore(vec![kept("a"), large, kept("b")]);
        assert_eq!(comments.kept(), [kept("a"), kept("b")]);
        assert_eq!(restored, 2);
    }
}
