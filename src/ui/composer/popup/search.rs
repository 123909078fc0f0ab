//! ctrl-r: search in what was sent before.

use ratatui::{
    buffer::{Buffer, CellWidth},
    layout::{Position, Rect},
    text::{Line, Span},
    widgets::{Clear, Widget},
};
use unicode_segmentation::UnicodeSegmentation;

use super::{
    super::history::History,
    {Choice, Choices},
};
use crate::{text::SafeText, ui::render::RenderContext};

/// Characters of a query; more cannot be seen and finds nothing.
const MAX_QUERY_CHARS: usize = 200;

/// Bytes of an entry that its row is made from.
const LABEL_BYTES: usize = 400;

#[derive(Debug)]
pub struct SearchPopup {
    pub choices: Choices,
    query: String,
}

impl SearchPopup {
    pub fn open(history: &History) -> Self {
        let mut popup = Self {
            choices: Choices::default(),
            query: String::new(),
        };
        popup.update(history);
        popup
    }

    pub fn push(&mut self, text: &str, history: &History) {
        let room = MAX_QUERY_CHARS.saturating_sub(self.query.chars().count());
        let line = text.lines().next().unwrap_or("");
        self.query
            .extend(line.chars().filter(|c| !c.is_control()).take(room));
        self.update(history);
    }

    pub fn pop(&mut self, history: &History) {
        if let Some((last, _)) = self.query.grapheme_indices(true).next_back() {
            self.query.truncate(last);
        }
        self.update(history);
    }

    pub fn clear(&mut self, history: &History) {
        self.query.clear();
        self.update(history);
    }

    fn update(&mut self, history: &History) {
        let found = history.search(&self.query);
        let choices = found.iter().map(|entry| choice(entry, &self.query));
        self.choices = Choices::new(choices.collect(), "nothing found");
    }

    pub fn draw(
        &mut self,
        area: Rect,
        buf: &mut Buffer,
        ctx: &RenderContext<'_>,
    ) -> Option<Position> {
        let list = area.height.checked_sub(1)?;
        let list = Rect {
            height: list,
            ..area
        };
        self.choices.draw("history", list, buf, ctx);
        let row = Rect {
            y: list.bottom(),
            height: 1,
            ..area
        };
        let label = "  search: ";
        let room = usize::from(area.width).saturating_sub(label.len() + 1);
        let query = end_that_fits(&self.query, room);
        let line = Line::from(vec![
            Span::styled(label, ctx.theme.dim),
            Span::styled(SafeText::line(query).as_str().to_owned(), ctx.theme.strong),
        ]);
        let caret = u16::try_from(line.width()).unwrap_or(u16::MAX);
        Clear.render(row, buf);
        line.render(row, buf);
        let right = row.right().saturating_sub(1);
        Some(Position::new(row.x.saturating_add(caret).min(right), row.y))
    }
}

fn choice(entry: &str, query: &str) -> Choice {
    let found = find_folded(entry, query);
    // Shown from the line that matches.
    let start = found.map_or(0, |at| entry[..at].rfind('\n').map_or(0, |line| line + 1));
    let shown = entry[start..].trim_start_matches(['\n', ' ', '\t']);
    let trimmed = entry.len() - shown.len();
    let mut end = shown.len().min(LABEL_BYTES);
    while !shown.is_char_boundary(end) {
        end -= 1;
    }
    let line = shown[..end].lines().next().unwrap_or("");
    let label = SafeText::line(line);
    let marks = match found.and_then(|at| at.checked_sub(trimmed)) {
        Some(at) if !query.is_empty() && at <= line.len() && label.as_str() == line => {
            let first = line[..at].graphemes(true).count();
            (first..first + query.graphemes(true).count()).collect()
        }
        _ => Vec::new(),
    };
    let more = entry.trim_end().lines().count();
    let detail = if more > 1 {
        SafeText::line(&format!("{more} lines"))
    } else {
        SafeText::default()
    };
    Choice {
        label,
        marks,
        detail,
        value: entry.to_owned(),
    }
}

/// Where `query` is in `entry`, by the same rule as [`History::search`]; `None` as well where
/// folding changes lengths, which costs only the highlight.
fn find_folded(entry: &str, query: &str) -> Option<usize> {
    if query.contains(char::is_uppercase) {
        return entry.find(query);
    }
    let folded = entry.to_lowercase();
    let at = folded.find(query)?;
    (folded.len() == entry.len() && entry.is_char_boundary(at)).then_some(at)
}

fn end_that_fits(text: &str, room: usize) -> &str {
    let mut used = 0;
    let mut start = text.len();
    for (at, unit) in text.grapheme_indices(true).rev() {
        used += usize::from(unit.cell_width());
        if used > room {
            break;
        }
        start = at;
    }
    &text[start..]
}
