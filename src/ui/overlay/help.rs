//! Every action with its keys, by group, from the action table.

use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
};

use crate::text::cell_width;
use crate::ui::{
    action::{ACTIONS, Action, ActionInfo, Context, Group},
    keymap::Chord,
    overlay::{
        Outcome, Overlay, OverlayContext, Room,
        panel::{Panel, Scroll},
    },
    pointer::Pointer,
    render::{
        Row, draw_rows,
        line::{StyledLine, Wrapping, pad},
    },
};

/// From this many columns the groups stand side by side.
const TWO_COLUMNS: usize = 110;

/// Cells for keys.
const KEYS_WIDTH: usize = 25;

/// Keys that the composer handles without an action, as readline does.
const EDITING: [(&str, &str); 11] = [
    ("ctrl-a ctrl-e", "Start and end of the line"),
    ("alt-b alt-f", "Back and forward by a word"),
    ("ctrl-w alt-d", "Delete a word back, forward"),
    (
        "ctrl-u ctrl-k",
        "Delete to the start, to the end of the line",
    ),
    ("ctrl-y", "Yank what was deleted last"),
    ("alt-y", "Yank what was deleted before it"),
    ("ctrl-_ alt-_", "Undo, redo"),
    ("\\ enter", "A new line in any terminal"),
    ("@", "Mention a file"),
    ("/", "The agent's commands, at the start"),
    ("!", "Run a shell command, at the start"),
];

#[derive(Default)]
pub struct Help {
    scroll: Scroll,
}

impl Overlay for Help {
    fn handle(&mut self, key: Chord, cx: &OverlayContext<'_>) -> Outcome {
        use crossterm::event::KeyCode::{Char, Down, End, Home, PageDown, PageUp, Up};
        let action = cx
            .keymap
            .action(key, &[Context::EmptyComposer, Context::Anywhere]);
        match action {
            Some(Action::Help) => return Outcome::close(),
            Some(Action::ScrollTop) => self.scroll.home(),
            Some(Action::ScrollBottom) => self.scroll.end(),
            Some(Action::ScrollUp) => self.scroll.page(-1),
            Some(Action::ScrollDown) => self.scroll.page(1),
            _ => match key.code() {
                Char('q') if key.is_text() => return Outcome::close(),
                Up | Char('k') => self.scroll.by(-1),
                Down | Char('j') => self.scroll.by(1),
                PageUp => self.scroll.page(-1),
                PageDown | Char(' ') => self.scroll.page(1),
                Home => self.scroll.home(),
                End => self.scroll.end(),
                _ if key.is_text() => {}
                _ => return Outcome::pass(),
            },
        }
        Outcome::taken()
    }

    fn point(&mut self, pointer: Pointer, _: &OverlayContext<'_>) -> Outcome {
        match pointer {
            Pointer::Wheel(rows) => {
                self.scroll.by(rows);
                Outcome::taken()
            }
            _ => Outcome::pass(),
        }
    }

    fn height(&mut self, room: Room, cx: &OverlayContext<'_>) -> u16 {
        let width = cx.frame.inner_width(room.width);
        let rows = rows(width.into(), cx).len();
        cx.frame.around(rows).min(room.whole)
    }

    fn draw(&mut self, area: Rect, buf: &mut Buffer, cx: &OverlayContext<'_>) -> Option<Position> {
        let hints = [
            (Action::Stop, "close"),
            (Action::ScrollDown, "more"),
            (Action::Palette, "find and run"),
        ];
        let inner = Panel::opened("Keys", &hints, cx).draw(area, buf, cx);
        let rows = rows(inner.width.into(), cx);
        let top = self.scroll.fit(rows.len(), inner.height);
        draw_rows(rows.iter().skip(top), inner, buf);
        None
    }
}

fn rows(width: usize, cx: &OverlayContext<'_>) -> Vec<Row> {
    if width < TWO_COLUMNS {
        return sections(width, cx).into_iter().flatten().collect();
    }
    let column = (width - 2) / 2;
    let (mut left, mut right): (Vec<Row>, Vec<Row>) = (Vec::new(), Vec::new());
    for mut section in sections(column, cx) {
        if left.len() <= right.len() {
            left.append(&mut section);
        } else {
            right.append(&mut section);
        }
    }
    side_by_side(left, right, column + 2)
}

/// `right` beginning at `column`.
fn side_by_side(mut left: Vec<Row>, right: Vec<Row>, column: usize) -> Vec<Row> {
    left.resize(left.len().max(right.len()), Row::default());
    let mut right = right.into_iter();
    for row in &mut left {
        if let Some(other) = right.next() {
            pad(row, column, ratatui::style::Style::new());
            row.line.spans.extend(other.line.spans);
        }
    }
    left
}

/// What an action does here, if anything.
fn doc(info: &ActionInfo, cx: &OverlayContext<'_>) -> Option<&'static str> {
    match &cx.project.read_only {
        Some(_) => info.action.reading_doc(),
        None => Some(info.doc),
    }
}

/// Rows of each group, a blank one at its end.
fn sections(width: usize, cx: &OverlayContext<'_>) -> Vec<Vec<Row>> {
    let heading = |title: &str| StyledLine::styled(title, cx.theme.accent.bold()).wrap(width);
    let mut sections: Vec<Vec<Row>> = Group::ALL
        .into_iter()
        .map(|group| {
            let mut rows = Vec::new();
            for info in ACTIONS.iter().filter(|info| info.group == group) {
                let Some(doc) = doc(info, cx) else { continue };
                let chords = cx.keymap.chords(info.action);
                let keys = chords.iter().map(ToString::to_string).collect::<Vec<_>>();
                rows.extend(entry(&keys.join(" "), doc, width, cx));
            }
            if !rows.is_empty() {
                rows.splice(0..0, heading(group.title()));
                rows.push(Row::default());
            }
            rows
        })
        .collect();
    if cx.project.read_only.is_some() {
        // Nothing is written there.
        return sections;
    }
    let mut rows = heading("Editing, as in readline");
    for (keys, doc) in EDITING {
        rows.extend(entry(keys, doc, width, cx));
    }
    sections.push(rows);
    sections
}

/// Keys in their column, what they do beside them; each wrapped in its own.
fn entry(keys: &str, doc: &str, width: usize, cx: &OverlayContext<'_>) -> Vec<Row> {
    let theme = cx.theme;
    let column = KEYS_WIDTH.min(width / 2);
    let (keys, style) = if keys.is_empty() {
        ("no key", theme.dim)
    } else {
        (keys, theme.key_hint)
    };
    let indent = StyledLine::styled("  ", theme.text);
    let none = StyledLine::new();
    let keys = whole_words(keys, column.saturating_sub(1 + indent.width()))
        .iter()
        .map(|keys| {
            let mut line = indent.clone();
            line.push(keys, style);
            line.into_row()
        })
        .collect();
    let doc = StyledLine::styled(doc, theme.text).wrap_with(
        Wrapping::Words,
        width - column,
        &none,
        &none,
    );
    side_by_side(keys, doc, column)
}

/// Rows of that many cells; a key's name is not broken at its hyphens.
fn whole_words(keys: &str, room: usize) -> Vec<String> {
    let mut rows: Vec<String> = Vec::new();
    for key in keys.split(' ') {
        match rows.last_mut() {
            Some(row) if cell_width(row) + 1 + cell_width(key) <= room => {
                row.push(' ');
                row.push_str(key);
            }
            _ => rows.push(key.to_owned()),
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_of_a_key_is_broken_on_the_narrowest_screen() {
        let names = ACTIONS.iter().flat_map(|info| info.keys.iter().copied());
        let names = names.filter_map(|key| Some(Chord::parse(key).ok()?.to_string()));
        for name in names {
            assert!(cell_width(&name) <= NARROWEST, "{name}");
        }
        let shown = whole_words("alt-enter shift-enter ctrl-j", NARROWEST);
        assert_eq!(shown, ["alt-enter", "shift-enter", "ctrl-j"]);
    }

    /// Cells for keys on a screen of 40 columns.
    const NARROWEST: usize = 38 / 2 - 3;

    const PAGE: &str = include_str!("../../../docs/keys.md");

    /// Keys with a place in the page that are bound by what they are for: a form, the diff and the
    /// terminal on the whole screen, the list of sessions.
    const ELSEWHERE: [&str; 10] = [
        "space",
        "n",
        "p",
        "]",
        "[",
        "s",
        "ctrl-]",
        "shift-pgup",
        "shift-pgdn",
        "F9",
    ];

    fn code<'a>(words: impl Iterator<Item = &'a str>) -> String {
        let words: Vec<String> = words.map(|word| format!("`{word}`")).collect();
        words.join(", ")
    }

    /// The tables of the page, made from those of the program.
    fn tables() -> String {
        let mut text = String::new();
        for group in Group::ALL {
            text += &format!(
                "### {}\n\n| keys | action | |\n| --- | --- | --- |\n",
                group.title()
            );
            for info in ACTIONS.iter().filter(|info| info.group == group) {
                let chords = info.keys.iter().map(|key| Chord::parse(key).unwrap());
                let chords: Vec<String> = chords.map(|chord| chord.to_string()).collect();
                let keys = code(chords.iter().map(String::as_str));
                text += &format!("| {keys} | `{}` | {} |\n", info.name, info.doc);
            }
            text += "\n";
        }
        text += "### Editing\n\n| keys | |\n| --- | --- |\n";
        for (keys, doc) in EDITING {
            text += &format!("| {} | {doc} |\n", code(keys.split(' ')));
        }
        text
    }

    /// With `UPDATE_DOCS=1` it writes them.
    #[test]
    fn the_page_of_keys_has_every_action_with_its_keys() {
        let tables = tables();
        if std::env::var_os("UPDATE_DOCS").is_some() {
            let start = PAGE.find("### Prompt").expect("the first table");
            let end = PAGE.find("\n## While writing").expect("what follows them");
            let page = [&PAGE[..start], &tables, &PAGE[end..]].concat();
            std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/keys.md"), page).unwrap();
            return;
        }
        assert!(
            PAGE.contains(&tables),
            "docs/keys.md is not what the program does; UPDATE_DOCS=1 writes its tables, now:\n\n\
             {tables}"
        );
    }

    #[test]
    fn the_page_of_keys_names_no_key_that_does_nothing() {
        let chords = |keys: &'static str| keys.split(' ').filter_map(|key| Chord::parse(key).ok());
        let bound: Vec<Chord> = ACTIONS
            .iter()
            .flat_map(|info| info.keys.iter().copied())
            .chain(EDITING.map(|(keys, _)| keys))
            .chain(ELSEWHERE)
            .flat_map(chords)
            .collect();
        let prose = PAGE.replace(&tables(), "");
        for word in prose.split('`').skip(1).step_by(2) {
            if let Ok(chord) = Chord::parse(word) {
                assert!(bound.contains(&chord) || chord.digit().is_some(), "{word}");
            }
        }
    }
}
