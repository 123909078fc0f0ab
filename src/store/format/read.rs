//! Reading a stored session back.

use std::{
    collections::BTreeSet,
    io::{self, BufRead},
    time::Instant,
};

use super::{
    block::{Block, Kind},
    conversation::{Children, Conversation},
    line::{About, Line, Turn, VERSION},
    saver::GoingOn,
};
use crate::{
    model::SessionId,
    session::{History, telling_line},
    text::SafeText,
};

/// A stored session.
#[derive(Debug, Default)]
pub struct StoredSession {
    pub about: About,
    /// When its last line was written, in milliseconds since 1970.
    pub updated: u64,
    pub said: Conversation,
    /// What its subagents said and did.
    pub children: Children,
    /// Parts of it are of a later version and were skipped.
    pub later: bool,
    /// The last turn has not ended yet.
    pub turn_is_open: bool,
    /// The stop reason of the last turn that ended with one.
    pub stop: Option<SafeText>,
    /// The file ends within a line, which was skipped.
    pub torn: bool,
    /// Other lines that could not be read and were skipped.
    pub garbled: usize,
}

/// Bytes of the line buffer that are kept from one line to the next.
const KEPT_LINE: usize = 1 << 20;

impl StoredSession {
    /// Reads all whole lines: a file that was cut anywhere loses at most its last one. `None` if it
    /// holds no session.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        // Reading from memory does not fail.
        Self::read_from(bytes).ok().flatten()
    }

    /// As [`StoredSession::read`], without holding the whole file in memory.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn read_from(file: impl BufRead) -> io::Result<Option<Self>> {
        Self::read_lines(file, |line| line)
    }

    /// As [`StoredSession::read_from`], with each line changed by `of`.
    pub(super) fn read_lines(
        file: impl BufRead,
        of: impl Fn(Line) -> Line,
    ) -> io::Result<Option<Self>> {
        let mut record = Self::default();
        let mut known = false;
        let damage = each_line(file, |line| {
            let line = of(line);
            known |= line.about.is_some();
            record.apply(line);
            Ok(())
        })?;
        record.torn = damage.torn;
        record.garbled = damage.garbled;
        record.said.settle();
        for child in record.children.values_mut() {
            child.settle();
        }
        Ok(known.then_some(record))
    }

    /// What reading these lines would give.
    pub fn of_lines(lines: impl IntoIterator<Item = Line>) -> Option<Self> {
        let mut record = Self::default();
        let mut known = false;
        for line in lines {
            known |= line.about.is_some();
            record.apply(line);
        }
        record.said.settle();
        for child in record.children.values_mut() {
            child.settle();
        }
        known.then_some(record)
    }

    /// The message about lines that cannot be read.
    pub fn damage(&self) -> Option<SafeText> {
        let lines = match self.garbled {
            0 => return None,
            1 => "1 line".to_owned(),
            lines => format!("{lines} lines"),
        };
        let text = format!("{lines} of the stored session cannot be read and are lost");
        Some(SafeText::line(&text))
    }

    fn apply(&mut self, line: Line) {
        if line.v > VERSION {
            self.later = true;
            return;
        }
        self.updated = self.updated.max(line.t);
        if let Some(about) = line.about {
            self.about = about;
        }
        if let Some(turn) = line.turn {
            self.apply_turn(turn);
        }
        let own = (0, line.block, line.more, line.plans);
        let child = line.child;
        let child = child.map(|child| (child.of, child.block, child.more, child.plans));
        for (of, block, more, plans) in std::iter::once(own).chain(child) {
            if block.is_none() && more.is_none() && plans.is_none() {
                continue;
            }
            let conversation = match of {
                0 => &mut self.said,
                of => self.children.entry(of).or_default(),
            };
            if let Some(block) = block
                && !conversation.put(line.t, *block)
            {
                self.later = true;
            }
            if let Some(more) = more {
                conversation.add(more);
            }
            if let Some(plans) = plans {
                conversation.plans = plans;
            }
        }
    }

    fn apply_turn(&mut self, turn: Turn) {
        if turn.cut || (turn.open && self.turn_is_open) {
            self.said.mark_cut();
        }
        self.turn_is_open = turn.open;
        if !turn.open && !turn.cut {
            self.stop = turn.stop;
        }
    }

    /// No client writes it any more: an open turn was cut off.
    pub fn close(&mut self) {
        if std::mem::take(&mut self.turn_is_open) {
            self.said.mark_cut();
        }
    }

    /// What a saver needs to continue in the same file, once it is [closed](Self::close).
    pub fn going_on(&self) -> GoingOn {
        let conversations = std::iter::once(&self.said).chain(self.children.values());
        let blocks = conversations.flat_map(|conversation| &conversation.blocks);
        let mut children = Vec::new();
        for block in blocks.map(|stored| &stored.block) {
            if let (Some(id), Some(number)) = (&block.source_id, block.child) {
                let said = self.children.get(&number);
                let next = said.map_or(0, Conversation::next_id);
                children.push((SessionId::new(id), number, next));
            }
        }
        let last = self
            .children
            .last_key_value()
            .map_or(0, |(number, _)| *number);
        let last = children
            .iter()
            .map(|(_, number, _)| *number)
            .fold(last, u64::max);
        GoingOn {
            about: self.about.clone(),
            next_id: self.said.next_id(),
            next_child: last.saturating_add(1),
            children,
            plans: self.said.plans.clone(),
            cut: self.said.blocks.last().is_some_and(|last| last.cut),
        }
    }

    /// The conversation to show.
    pub fn into_history(mut self, now: Instant) -> History {
        let said = self.said.into_history(&mut self.children, now);
        History {
            title: self.about.title,
            own_title: self.about.own_title,
            ..said
        }
    }

    /// The texts that a search looks into.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let conversations = std::iter::once(&self.said).chain(self.children.values());
        let blocks = conversations.flat_map(|conversation| &conversation.blocks);
        blocks.flat_map(|stored| stored.block.texts())
    }

    /// Its title, else the line that tells what the first prompt is about.
    pub fn name(&self) -> Option<&str> {
        let prompts = self.said.blocks.iter().map(|stored| &stored.block);
        let mut prompts = prompts.filter(|block| block.kind == Kind::User);
        let title = self.about.title.as_deref();
        title.or_else(|| prompts.next().and_then(|block| telling_line(&block.text)))
    }

    /// As lines: one for each block.
    pub fn lines(&self) -> impl Iterator<Item = Line> + '_ {
        let (head, tail) = self.frame();
        let blocks = self.all().flat_map(|(of, said)| {
            let lines = said.blocks.iter().flat_map(|stored| {
                let block = Line::block(stored.at, stored.block.clone());
                let cut = stored.cut.then(|| Line::turn(stored.at, Turn::CUT_OFF));
                std::iter::once(block).chain(cut)
            });
            lines.map(move |line| line.of(of))
        });
        std::iter::once(head).chain(blocks).chain(tail)
    }

    /// Its conversations by their numbers, its own first.
    fn all(&self) -> impl Iterator<Item = (u64, &Conversation)> {
        let children = self.children.iter();
        std::iter::once((0, &self.said)).chain(children.map(|(of, said)| (*of, said)))
    }

    /// The lines before and after those of its blocks.
    pub(super) fn frame(&self) -> (Line, Vec<Line>) {
        let t = self.updated;
        let turn = match (self.turn_is_open, &self.stop) {
            (true, _) => Some(Turn::BEGINS),
            (false, Some(stop)) => Some(Turn::ended(Some(stop.clone()))),
            (false, None) => None,
        };
        let tail = self
            .all()
            .filter(|(_, said)| !said.plans.is_empty())
            .map(|(of, said)| Line::plans(t, said.plans.clone()).of(of))
            .chain(turn.map(|turn| Line::turn(t, turn)));
        (Line::about(t, self.about.clone()), tail.collect())
    }

    /// Keeps the last blocks, about `bytes` of them, and puts a notice before them. A subagent's
    /// conversation goes with its block; all of them together get at most half of the bytes.
    pub fn keep_last(&mut self, bytes: usize) {
        let most = bytes / 2;
        if self
            .children
            .values()
            .map(Conversation::weight)
            .sum::<usize>()
            > most
        {
            let each = most / self.children.len().max(1);
            for child in self.children.values_mut() {
                child.keep_last(each, Block::weight);
            }
        }
        let children = &self.children;
        let whole = |block: &Block| {
            let child = block.child.and_then(|number| children.get(&number));
            block.weight() + child.map_or(0, Conversation::weight)
        };
        self.said.keep_last(bytes, whole);
        self.forget_orphans();
    }

    /// Drops conversations whose block is gone.
    fn forget_orphans(&mut self) {
        let mut kept = BTreeSet::new();
        let mut next: Vec<&Conversation> = vec![&self.said];
        while let Some(conversation) = next.pop() {
            for number in conversation.blocks.iter().filter_map(|s| s.block.child) {
                if kept.insert(number) {
                    next.extend(self.children.get(&number));
                }
            }
        }
        self.children.retain(|number, _| kept.contains(number));
    }
}

/// What could not be read.
#[derive(Default)]
pub(super) struct Damage {
    torn: bool,
    garbled: usize,
}

/// Gives each line that can be read to `take`, in order.
pub(super) fn each_line(
    mut file: impl BufRead,
    mut take: impl FnMut(Line) -> io::Result<()>,
) -> io::Result<Damage> {
    let mut damage = Damage::default();
    let mut text = Vec::new();
    while file.read_until(b'\n', &mut text)? > 0 {
        let whole = text.pop_if(|last| *last == b'\n').is_some();
        match Line::read(&text) {
            Some(line) => take(line)?,
            // Only the last line lacks a line end.
            None if !whole => damage.torn = true,
            None => damage.garbled += usize::from(!text.trim_ascii().is_empty()),
        }
        text.clear();
        text.shrink_to(KEPT_LINE);
    }
    Ok(damage)
}
