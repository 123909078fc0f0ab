//! ctrl-r: search in what was sent before.

use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
    widgets::{Clear, Widget},
};
use unicode_segmentation::UnicodeSegmentation;

use super::{
    super::{fuzzy::Query, history::History},
    list::suffix_of_width,
    {Choice, Choices},
};
use crate::{
    text::{SafeText, first_bytes},
    ui::render::{RenderContext, draw_rows, line::StyledLine, split_bottom},
};

/// Bytes of an entry that its row is made from.
const LABEL_BYTES: usize = 400;

#[derive(Debug, Default)]
pub struct SearchPopup {
    pub choices: Choices,
    query: Query,
}

impl SearchPopup {
    pub fn open(history: &History) -> Self {
        let mut popup = Self::default();
        popup.edit(|_| {}, history);
        popup
    }

    pub fn edit(&mut self, change: impl FnOnce(&mut Query), history: &History) {
        change(&mut self.query);
        let query = self.query.as_str();
        let found = history.search(query);
        let choices = found.iter().map(|entry| choice(entry, query));
        self.choices = Choices::new(choices.collect(), "nothing found");
    }

    pub fn draw(
        &mut self,
        area: Rect,
        buf: &mut Buffer,
        ctx: &RenderContext<'_>,
    ) -> Option<Position> {
        let (list, row) = split_bottom(area, 1);
        self.choices.draw("history", list, buf, ctx);
        let label = StyledLine::styled("  search: ", ctx.theme.dim);
        let room = usize::from(area.width).saturating_sub(label.width() + 1);
        let query = suffix_of_width(self.query.as_str(), room);
        let line = label.with(&SafeText::line(query), ctx.theme.strong);
        let caret = u16::try_from(line.width()).unwrap_or(u16::MAX);
        Clear.render(row, buf);
        draw_rows([&line.into_row()], row, buf);
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
    let line = first_bytes(shown, LABEL_BYTES).lines().next().unwrap_or("");
    let label = SafeText::line(line);
    let marks = match found.and_then(|at| at.checked_sub(trimmed)) {
        Some(at) if !query.is_empty() && at <= line.len() && label.as_str() == line => {
            let first = line[..at].graphemes(true).count();
            (first..first + query.graphemes(true).count()).collect()
        }
        _ => Vec::new(),
    };
    let more = entry.trim_end().lines().count();
    let detail = match more {
        0 | 1 => SafeText::default(),
        _ => SafeText::line(&format!("{more} lines")),
    };
    Choice {
        group: "",
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
