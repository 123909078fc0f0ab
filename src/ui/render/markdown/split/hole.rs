//! Going on where the middle of a long text was cut out: of what is left, only the blocks at the cut are
//! looked at again.

use super::{Segment, Shape, Splitter};
use crate::text::Hole;

impl Segment {
    /// It begins a block, and nothing before it counts for how it is drawn.
    fn stands_alone(&self) -> bool {
        self.gap
            && match &self.shape {
                Shape::Blocks => true,
                Shape::Code(piece) => piece.is_first(),
                Shape::Item { .. } | Shape::Rows { .. } | Shape::Plain => false,
            }
    }

    fn move_by(&mut self, moved: impl Fn(usize) -> usize) {
        let all = |range: &mut std::ops::Range<usize>| {
            *range = moved(range.start)..moved(range.end);
        };
        all(&mut self.range);
        match &mut self.shape {
            Shape::Code(piece) => {
                all(&mut piece.info);
                all(&mut piece.body);
                piece.start = moved(piece.start);
            }
            Shape::Rows { head } => all(head),
            Shape::Blocks | Shape::Item { .. } | Shape::Plain => {}
        }
    }
}

impl Splitter {
    /// `source` is what was taken in so far with that hole, and may have grown since. What stands around
    /// the hole stays cut as it is; a block that was open there ends with it. False where that cannot
    /// be, and the source has to be taken in anew.
    pub fn cut_out(&mut self, source: &str, hole: Hole) -> bool {
        let Hole { at, from, to } = hole;
        if self.finished || self.is_plain() || self.seen < from || to > from {
            return false;
        }
        let moved = |place: usize| place.saturating_sub(from - to);
        let is_behind = |segment: &Segment| {
            segment.range.start >= from && segment.done && segment.stands_alone()
        };
        let Some(behind) = self.segments.iter().position(is_behind) else {
            return false;
        };
        // Where the hole begins in the midst of a block, all of that is looked at.
        let mut before = self.segments.partition_point(|known| known.range.end <= at);
        while self
            .segments
            .get(before)
            .is_some_and(|known| !known.stands_alone())
            && before > 0
        {
            before -= 1;
        }
        let (Some(first), Some(next)) = (self.segments.get(before), self.segments.get(behind))
        else {
            return false;
        };
        let (start, gap) = (first.range.start, first.gap);
        let Some(between) = source.get(start..moved(next.range.start)) else {
            return false;
        };
        let mut middle = Self {
            defs: std::mem::take(&mut self.defs),
            ..Self::default()
        };
        middle.finish(between);
        self.take_open();
        for segment in self.segments.iter_mut().skip(behind) {
            segment.move_by(moved);
        }
        for segment in &mut middle.segments {
            segment.move_by(|place| place + start);
        }
        if let Some(first) = middle.segments.first_mut() {
            first.gap = gap;
        }
        self.defs = middle.defs;
        self.segments.splice(before..behind, middle.segments);
        self.open.move_by(moved);
        for place in [
            &mut self.seen,
            &mut self.lines,
            &mut self.scan,
            &mut self.parse_at,
            &mut self.measure_at,
        ] {
            *place = moved(*place);
        }
        #[cfg(test)]
        {
            self.parsed_bytes += middle.parsed_bytes;
        }
        self.put_open(source.get(..self.seen).unwrap_or(source), false);
        true
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::{SafeText, SafeTextBuf};

    const BLOCKS: &[&str] = &[
        "# A heading\n\n",
        "a paragraph of\ntwo lines with a [link]\n\n",
        "[link]: https://example.org/\n\n",
        "- one\n- two\n\n  more of two\n- three\n\n",
        "3. three\n4. four\n\n",
        "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n\n",
        "```rust\nfn code() {}\n\n# none\n```\n\n",
        "> a quote\n\n",
        "words that lead to\n- a list\n\n",
    ];
    const SIGN: &str = "\n… bytes omitted …\n\n";

    fn texts(blocks: &[usize]) -> String {
        let blocks = blocks.iter().map(|at| BLOCKS[*at % BLOCKS.len()]);
        blocks.collect()
    }

    proptest! {
        /// With holes that begin and end between blocks, all is cut as if it were taken in anew.
        #[test]
        fn what_stands_around_a_hole_stays_cut_as_it_is(
            head in prop::collection::vec(0_usize..9, 1..6),
            gone in prop::collection::vec(0_usize..9, 1..6),
            tail in prop::collection::vec(0_usize..9, 1..9),
            more in prop::collection::vec(0_usize..9, 0..4),
            pieces in 1_usize..40,
        ) {
            let (head, gone) = (texts(&head), texts(&gone));
            let mut text = SafeTextBuf::from(SafeText::new(&format!("{head}{gone}{}", texts(&tail))));
            let mut splitter = Splitter::default();
            splitter.update(&text);
            text.cut_out(head.len()..head.len() + gone.len(), &SafeText::new(SIGN));
            let hole = text.hole().unwrap();
            let went_on = splitter.cut_out(&text, hole);
            let more = texts(&more);
            for piece in more.as_bytes().chunks(pieces) {
                text.push(&SafeText::new(std::str::from_utf8(piece).unwrap()));
                splitter.update(&text);
            }
            splitter.finish(&text);
            if went_on {
                let mut anew = Splitter::default();
                anew.finish(&text);
                // Blank lines between two blocks may go with either.
                let cuts = |of: &Splitter| -> Vec<(String, Shape)> {
                    let known = of.segments.iter();
                    let known = known.map(|known| (text[known.range.clone()].trim_matches('\n'), known));
                    let known = known.filter(|(part, _)| !part.is_empty());
                    known.map(|(part, known)| (part.to_owned(), known.shape.clone())).collect()
                };
                let (now, then) = (cuts(&splitter), cuts(&anew));
                prop_assert_eq!(now, then);
            }
        }

        /// Wherever it is, nothing is lost.
        #[test]
        fn all_of_a_text_with_a_hole_is_in_its_segments(
            blocks in prop::collection::vec(0_usize..9, 1..20),
            hole: [prop::sample::Index; 2],
            seen: prop::sample::Index,
        ) {
            let mut text = SafeTextBuf::from(SafeText::new(&texts(&blocks)));
            let mut ends = hole.map(|at| at.index(text.len() + 1));
            ends.sort_unstable();
            let mut splitter = Splitter::default();
            splitter.update(&text[..seen.index(text.len() + 1)]);
            text.cut_out(ends[0]..ends[1], &SafeText::new(SIGN));
            let hole = text.hole().unwrap();
            if splitter.cut_out(&text, hole) {
                let upto: String = splitter.segments.iter().map(|known| &text[known.range.clone()]).collect();
                prop_assert_eq!(&upto, &text[..splitter.seen()]);
                splitter.finish(&text);
                let whole: String = splitter.segments.iter().map(|known| &text[known.range.clone()]).collect();
                prop_assert_eq!(&*whole, &*text);
            }
        }
    }

    #[test]
    fn only_the_blocks_at_a_hole_are_looked_at_again() {
        let long = BLOCKS.concat().repeat(200);
        let mut text = SafeTextBuf::from(SafeText::new(&long));
        let mut splitter = Splitter::default();
        splitter.update(&text);
        let before = splitter.parsed_bytes;
        text.cut_out(long.len() / 4 + 5..long.len() / 2 + 5, &SafeText::new(SIGN));
        assert!(splitter.cut_out(&text, text.hole().unwrap()));
        let again = splitter.parsed_bytes - before;
        assert!(again < 8 * BLOCKS.concat().len(), "{again} bytes");
        assert_eq!(splitter.seen(), text.len());
    }
}
