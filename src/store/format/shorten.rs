//! Shortens a stored session: keeps its newest blocks.
//!
//! A large file is not held in memory for this. It is read twice: first without the content of its
//! blocks, to choose which stay; then these are passed on, each as soon as its last line is read.

use std::{
    collections::{HashMap, VecDeque},
    io::{self, BufRead},
};

use super::{
    aside::Aside,
    block::{Block, Kind},
    conversation::{Conversation, StoredBlock},
    line::{Line, More, Turn},
    read::{StoredSession, each_line},
    weight::Weigh,
};

/// Gives about the last `bytes` of the file that `open` opens to `write`, line by line.
///
/// # Errors
/// The file cannot be read, or those of `write`. It is no session: [`io::ErrorKind::InvalidData`].
pub fn keep_last<R: BufRead>(
    open: impl Fn() -> io::Result<R>,
    bytes: usize,
    mut write: impl FnMut(Line) -> io::Result<()>,
) -> io::Result<()> {
    let outline = StoredSession::read_lines(open()?, hollow)?;
    let mut outline = outline.ok_or(io::ErrorKind::InvalidData)?;
    outline.keep_last(bytes);
    let (head, tail) = outline.frame();
    write(head)?;
    let mut kept = Kept::of(&mut outline);
    kept.pass_on(&mut write)?;
    each_line(open()?, |line| {
        kept.take_in(line);
        kept.pass_on(&mut write)
    })?;
    kept.waits_for.clear();
    kept.pass_on(&mut write)?;
    tail.into_iter().try_for_each(write)
}

/// A line without what its block holds.
fn hollow(mut line: Line) -> Line {
    if let Some(block) = line.any_block_mut() {
        let aside = Aside {
            bytes: block.weight().saturating_sub(Block::default().weight()),
            lines: 1,
        };
        *block = Block {
            id: block.id,
            kind: block.kind,
            child: block.child,
            aside,
            ..Block::default()
        };
    }
    if let Some(more) = line.any_more_mut() {
        let aside = Aside {
            bytes: more.weight(),
            lines: 1,
        };
        *more = More {
            id: more.id,
            aside,
            ..More::default()
        };
    }
    line
}

/// A block by the number of its conversation and its id.
type Place = (u64, u64);

/// The blocks that stay.
struct Kept {
    /// Those of each conversation that were not passed on, in their order.
    waiting: Vec<(u64, VecDeque<StoredBlock>)>,
    /// Lines of each that are still to be read.
    waits_for: HashMap<Place, usize>,
    /// What was read of each.
    read: HashMap<Place, Conversation>,
}

impl Kept {
    fn of(outline: &mut StoredSession) -> Self {
        let own = std::iter::once((0, &mut outline.said));
        let children = outline.children.iter_mut();
        let all = own.chain(children.map(|(of, said)| (*of, said)));
        let waiting: Vec<(u64, VecDeque<StoredBlock>)> = all
            .map(|(of, said)| (of, std::mem::take(&mut said.blocks).into()))
            .collect();
        let blocks = waiting
            .iter()
            .flat_map(|(of, blocks)| blocks.iter().map(|stored| (*of, &stored.block)));
        let waits_for = blocks
            .filter(|(_, block)| block.aside.lines > 0)
            .map(|(of, block)| ((of, block.id), block.aside.lines))
            .collect();
        Self {
            waiting,
            waits_for,
            read: HashMap::new(),
        }
    }

    fn take_in(&mut self, line: Line) {
        let t = line.t;
        let child = line.child.map(|child| (child.of, child.block, child.more));
        for (of, block, more) in std::iter::once((0, line.block, line.more)).chain(child) {
            if let Some(block) = block.filter(|block| block.kind != Kind::Later)
                && let Some(said) = self.room(of, block.id, block.kind != Kind::Gone)
            {
                said.put(t, *block);
            }
            if let Some(more) = more
                && let Some(said) = self.room(of, more.id, false)
            {
                said.add(more);
            }
        }
    }

    /// The conversation to put a line of a block that stays into; `begins`: the line may be its
    /// first.
    fn room(&mut self, of: u64, id: u64, begins: bool) -> Option<&mut Conversation> {
        let place = (of, id);
        let left = self.waits_for.get_mut(&place)?;
        if !begins && !self.read.contains_key(&place) {
            return None;
        }
        *left = left.saturating_sub(1);
        if *left == 0 {
            self.waits_for.remove(&place);
        }
        Some(self.read.entry(place).or_default())
    }

    /// Writes blocks that are complete, up to the first that is not.
    fn pass_on(&mut self, write: &mut impl FnMut(Line) -> io::Result<()>) -> io::Result<()> {
        for (of, waiting) in &mut self.waiting {
            while let Some(next) = waiting.front()
                && !self.waits_for.contains_key(&(*of, next.block.id))
                && let Some(StoredBlock { at, block, cut }) = waiting.pop_front()
            {
                let whole = self.read.remove(&(*of, block.id)).and_then(|mut said| {
                    said.settle();
                    said.blocks.pop()
                });
                let block = whole.map_or(block, |whole| whole.block);
                write(Line::block(at, block).of(*of))?;
                if cut {
                    write(Line::turn(at, Turn::CUT_OFF))?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        store::format::{About, Pinned},
        text::SafeText,
    };

    fn shortened(file: &[u8], bytes: usize) -> StoredSession {
        let mut out = Vec::new();
        keep_last(
            || Ok(file),
            bytes,
            |line| {
                line.write(&mut out);
                Ok(())
            },
        )
        .expect("memory");
        StoredSession::read(&out).expect("a session")
    }

    fn line() -> impl Strategy<Value = Line> {
        let block = (0..12u64, "[a-z]{0,40}", prop::option::of(1..3u64), 0..8u8).prop_map(
            |(id, text, child, kind)| {
                let kind = match (child, kind) {
                    (_, 0) => Kind::Gone,
                    (_, 1) => Kind::Later,
                    (Some(_), _) => Kind::Subagent,
                    (None, _) => Kind::Agent,
                };
                let child = child.filter(|_| kind == Kind::Subagent);
                let text = SafeText::new(&text);
                Line::block(
                    id,
                    Block {
                        id,
                        kind,
                        text,
                        child,
                        ..Block::default()
                    },
                )
            },
        );
        let more = (0..12u64, "[a-z]{0,40}").prop_map(|(id, text)| {
            let text = SafeText::new(&text);
            Line::more(
                id,
                More {
                    id,
                    text,
                    ..More::default()
                },
            )
        });
        let plans = (0..3usize).prop_map(|n| Line::plans(1, vec![Pinned::default(); n]));
        let turn = prop_oneof![
            Just(Turn::BEGINS),
            Just(Turn::CUT_OFF),
            Just(Turn::ended(Some("end_turn".into()))),
        ];
        let turn = turn.prop_map(|turn| Line::turn(1, turn));
        let said = prop_oneof![6 => block, 3 => more, 1 => plans];
        prop_oneof![9 => (said, 0..3u64).prop_map(|(line, of)| line.of(of)), 1 => turn]
    }

    proptest! {
        /// Read twice and passed on as it comes, it is what a session in memory is made into.
        #[test]
        fn what_is_kept_is_what_would_be_kept_in_memory(
            lines in prop::collection::vec(line(), 0..60),
            bytes in prop_oneof![0..2_000usize, Just(0), Just(usize::MAX)],
        ) {
            let mut file = Vec::new();
            Line::about(1, About::default()).write(&mut file);
            for line in &lines {
                line.write(&mut file);
            }
            file.extend_from_slice(b"half a li");
            let mut record = StoredSession::read(&file).expect("a session");
            record.keep_last(bytes);
            let mut expected = Vec::new();
            for line in record.lines() {
                line.write(&mut expected);
            }
            let expected = StoredSession::read(&expected).expect("a session");
            let short = shortened(&file, bytes);
            prop_assert_eq!(&short.said.blocks, &expected.said.blocks);
            prop_assert_eq!(&short.said.plans, &expected.said.plans);
            prop_assert_eq!(short.turn_is_open, expected.turn_is_open);
            prop_assert_eq!(&short.stop, &expected.stop);
            let children: Vec<u64> = expected.children.keys().copied().collect();
            prop_assert_eq!(short.children.keys().copied().collect::<Vec<_>>(), children);
            for (of, said) in &short.children {
                prop_assert_eq!(&said.blocks, &expected.children[of].blocks);
                prop_assert_eq!(&said.plans, &expected.children[of].plans);
            }
        }
    }

    #[test]
    fn no_more_than_the_blocks_that_grow_is_held() {
        let mut file = Vec::new();
        Line::about(1, About::default()).write(&mut file);
        for id in 0..100 {
            let block = Block {
                id,
                kind: Kind::Agent,
                ..Block::default()
            };
            Line::block(1, block).write(&mut file);
            let text = SafeText::new(&"x".repeat(1_000));
            Line::more(
                1,
                More {
                    id,
                    text,
                    ..More::default()
                },
            )
            .write(&mut file);
        }
        let mut outline = StoredSession::read_lines(&*file, hollow)
            .expect("memory")
            .expect("a session");
        assert!(
            outline
                .said
                .blocks
                .iter()
                .all(|stored| stored.block.text.is_empty())
        );
        let mut kept = Kept::of(&mut outline);
        let mut most = 0;
        each_line(&*file, |line| {
            kept.take_in(line);
            most = most.max(kept.read.len());
            kept.pass_on(&mut |_| Ok(()))
        })
        .expect("memory");
        assert_eq!(most, 1);
    }
}
