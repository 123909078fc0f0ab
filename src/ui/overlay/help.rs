//! The ten keys that matter; every action with its keys, by group, from the action table; and what is found
//! of them by typing.

use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
};

use crate::config::Editing;
use crate::text::{SafeText, cell_width};
use crate::ui::{
    action::{ACTIONS, Action, ActionInfo, Context, Group},
    action_words::words,
    composer::fuzzy::Query,
    keymap::Chord,
    overlay::{
        Outcome, Overlay, OverlayContext, Room,
        panel::{Panel, Scroll, marked},
    },
    pointer::Pointer,
    render::{
        Row, draw_rows,
        line::{StyledLine, Wrapping, pad},
        split_top,
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
    ("/ //", "Commands, at the start; only the agent's"),
    ("!", "Run a shell command, at the start"),
];

/// Keys of vim's modes, where they are chosen.
const VIM: [(&str, &str); 11] = [
    ("esc", "Normal mode; there it stops the turn"),
    ("i a I A o O", "Insert mode"),
    (
        "h j k l w b e W B E",
        "Move; over the draft's edge to earlier prompts",
    ),
    ("0 ^ $ gg G { } %", "Lines, paragraphs, brackets"),
    ("f F t T ; ,", "To a character of the line, and again"),
    (
        "d c y > < gu gU g~",
        "With a motion, a text object, or twice for lines",
    ),
    (
        "iw aW i\" a( ip",
        "Words, quotes, brackets, paragraphs: i inside, a around",
    ),
    ("x X s S D C Y r ~ J p P", "Edit at the cursor"),
    ("v V", "Select characters, lines"),
    ("u ctrl-r .", "Undo, redo, repeat"),
    (
        "\"a \"0 \"+ :",
        "Registers, + is the clipboard; the palette",
    ),
];

/// What matters before all else: actions, and keys of the composer.
const FIRST: [First; 10] = [
    First::Act(Action::Send),
    First::Act(Action::Newline),
    First::Act(Action::Stop),
    First::Act(Action::Interrupt),
    First::Edit("/ //"),
    First::Edit("@"),
    First::Act(Action::NextMode),
    First::Act(Action::Details),
    First::Act(Action::Sessions),
    First::Act(Action::Palette),
];

#[derive(Clone, Copy)]
enum First {
    Act(Action),
    /// By its keys in [`EDITING`].
    Edit(&'static str),
}

#[derive(Default)]
pub struct Help {
    scroll: Scroll,
    /// All are shown, not only the first ten.
    all: bool,
    /// The key that finds was pressed: how many are found is told from the beginning.
    finding: bool,
    query: Query,
}

impl Help {
    fn rows(&self, width: usize, cx: &OverlayContext<'_>) -> Vec<Row> {
        let query = self.query.as_str();
        if query.trim().is_empty() && !self.all {
            return first(width, cx);
        }
        let rows = rows(query, width, cx);
        match rows.is_empty() {
            true => StyledLine::styled("  No match", cx.theme.dim).wrap(width),
            false => rows,
        }
    }

    fn edit(&mut self, change: impl FnOnce(&mut Query)) {
        change(&mut self.query);
        self.scroll.home();
    }
}

impl Overlay for Help {
    fn handle(&mut self, key: Chord, cx: &OverlayContext<'_>) -> Outcome {
        use crossterm::event::{
            KeyCode::{Backspace, Char, Down, End, Home, PageDown, PageUp, Up},
            KeyModifiers,
        };
        let ctrl = key.modifiers() == KeyModifiers::CONTROL;
        let action = cx
            .keymap
            .action(key, &[Context::EmptyComposer, Context::Anywhere]);
        match action {
            Some(Action::Help) if !key.is_text() => return Outcome::close(),
            // The key that opened it: what else there is, and back.
            Some(Action::Help) if self.query.as_str().is_empty() => {
                self.all = !self.all;
                self.scroll.home();
            }
            Some(Action::Find) if !key.is_text() || self.query.as_str().is_empty() => {
                (self.finding, self.all) = (true, true);
                self.scroll.home();
            }
            Some(Action::ScrollTop) => self.scroll.home(),
            Some(Action::ScrollBottom) => self.scroll.end(),
            Some(Action::ScrollUp) => self.scroll.page(-1),
            Some(Action::ScrollDown) => self.scroll.page(1),
            _ => match key.code() {
                Char(c) if key.is_text() => {
                    self.edit(|query| query.push(c.encode_utf8(&mut [0; 4])))
                }
                Backspace => self.edit(Query::pop),
                Char('u') if ctrl => self.edit(Query::clear),
                Char('w') if ctrl => self.edit(Query::pop_word),
                Up => self.scroll.by(-1),
                Down => self.scroll.by(1),
                PageUp => self.scroll.page(-1),
                PageDown => self.scroll.page(1),
                Home => self.scroll.home(),
                End => self.scroll.end(),
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

    fn paste(&mut self, text: &str, _cx: &OverlayContext<'_>) -> Outcome {
        self.edit(|query| query.push(text));
        Outcome::taken()
    }

    fn height(&mut self, room: Room, cx: &OverlayContext<'_>) -> u16 {
        let width = cx.frame.inner_width(room.width);
        // While it is searched it stays as high as it was.
        let rows = match self.all || !self.query.as_str().is_empty() {
            true => rows("", width.into(), cx),
            false => first(width.into(), cx),
        };
        cx.frame.around(1 + rows.len()).min(room.whole)
    }

    fn draw(&mut self, area: Rect, buf: &mut Buffer, cx: &OverlayContext<'_>) -> Option<Position> {
        let hints = [(Action::Stop, "close"), (Action::ScrollDown, "more")];
        let mut panel = Panel::opened("Keys", &hints, cx);
        if self.query.as_str().is_empty() {
            let what = if self.all {
                "the first ten"
            } else {
                "all keys"
            };
            let chords = cx.keymap.chords(Action::Help).iter();
            if let Some(key) = chords.copied().find(|chord| chord.is_text()) {
                panel.hints.insert(1, (key.to_string(), what));
            }
        }
        if self.finding || !self.query.as_str().is_empty() {
            let (found, all) = counted(self.query.as_str(), cx);
            let style = match found {
                0 => cx.theme.warning,
                _ => cx.theme.strong,
            };
            panel.note = StyledLine::styled(&format!("{found} of {all}"), style);
        }
        let inner = panel.draw(area, buf, cx);
        let (line, list) = split_top(inner, 1);
        let mut typed = marked(true, cx).with(&SafeText::line(self.query.as_str()), cx.theme.text);
        let cursor = u16::try_from(typed.width()).unwrap_or(u16::MAX);
        if self.query.as_str().is_empty() {
            let what = if self.finding {
                "a key, or what it does"
            } else {
                "type to search"
            };
            typed.push(what, cx.theme.dim);
        }
        draw_rows(
            [&typed.truncate(line.width.into(), cx.symbols.ellipsis)],
            line,
            buf,
        );
        let rows = self.rows(list.width.into(), cx);
        let top = self.scroll.fit(rows.len(), list.height);
        draw_rows(rows.iter().skip(top), list, buf);
        let right = line.right().saturating_sub(1);
        Some(Position::new(
            line.x.saturating_add(cursor).min(right),
            line.y,
        ))
    }
}

/// The first ten.
fn first(width: usize, cx: &OverlayContext<'_>) -> Vec<Row> {
    let editing = EDITING.iter().filter(|_| cx.project.read_only.is_none());
    let rows = FIRST.iter().flat_map(|first| match first {
        First::Act(action) => match doc(action.info(), cx) {
            Some(doc) => entry(&keys_of(*action, cx), doc, width, cx),
            None => Vec::new(),
        },
        First::Edit(keys) => {
            let found = editing.clone().find(|(known, _)| known == keys);
            found.map_or_else(Vec::new, |(keys, doc)| entry(keys, doc, width, cx))
        }
    });
    rows.collect()
}

/// All of them, or what has the words that were typed.
fn rows(query: &str, width: usize, cx: &OverlayContext<'_>) -> Vec<Row> {
    if width < TWO_COLUMNS {
        return sections(query, width, cx).into_iter().flatten().collect();
    }
    let column = (width - 2) / 2;
    let (mut left, mut right): (Vec<Row>, Vec<Row>) = (Vec::new(), Vec::new());
    for mut section in sections(query, column, cx) {
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

fn keys_of(action: Action, cx: &OverlayContext<'_>) -> String {
    cx.keymap.names(action).collect::<Vec<_>>().join(" ")
}

/// Whether each word of the query begins one of the texts' words, or is in the name of a key.
fn is_found(query: &str, keys: &str, texts: [&str; 3]) -> bool {
    let texts = texts.map(str::to_lowercase);
    let words = || {
        let texts = texts.iter();
        texts.flat_map(|text| text.split(|c: char| !c.is_alphanumeric()))
    };
    let keys = keys.to_lowercase();
    let mut typed = query.split_whitespace().map(str::to_lowercase);
    typed.all(|typed| keys.contains(&typed) || words().any(|word| word.starts_with(&typed)))
}

/// What one row of the help says.
struct Listed {
    keys: String,
    doc: &'static str,
    /// Other words that find it.
    others: [&'static str; 2],
}

impl Listed {
    fn is_found(&self, query: &str) -> bool {
        let [name, words] = self.others;
        is_found(query, &self.keys, [self.doc, name, words])
    }
}

/// All that there is, by group.
fn listed(cx: &OverlayContext<'_>) -> Vec<(&'static str, Vec<Listed>)> {
    let of_group = |group: Group| {
        let infos = ACTIONS.iter().filter(move |info| info.group == group);
        let listed = infos.filter_map(|info| {
            Some(Listed {
                doc: doc(info, cx)?,
                keys: keys_of(info.action, cx),
                others: [info.name, words(info.action)],
            })
        });
        (group.title(), listed.collect())
    };
    let groups = Group::ALL.into_iter().map(of_group);
    let tables: &[(&str, &[(&str, &str)])] = match cx.editing {
        // Nothing is written there.
        _ if cx.project.read_only.is_some() => &[],
        Editing::Emacs => &[("Editing, as in readline", &EDITING)],
        Editing::Vim => &[("Vim", &VIM), ("Editing in insert mode", &EDITING)],
    };
    let tables = tables.iter().map(|(title, table)| {
        let listed = table.iter().map(|(keys, doc)| Listed {
            keys: (*keys).to_owned(),
            doc,
            others: ["", ""],
        });
        (*title, listed.collect())
    });
    groups.chain(tables).collect()
}

/// How many of all are found.
fn counted(query: &str, cx: &OverlayContext<'_>) -> (usize, usize) {
    let all: Vec<Listed> = listed(cx)
        .into_iter()
        .flat_map(|(_, listed)| listed)
        .collect();
    let found = all.iter().filter(|listed| listed.is_found(query));
    (found.count(), all.len())
}

/// Rows of each group that are found, a blank one between them.
fn sections(query: &str, width: usize, cx: &OverlayContext<'_>) -> Vec<Vec<Row>> {
    let heading = |title: &str| StyledLine::styled(title, cx.theme.accent.bold()).wrap(width);
    let all = listed(cx);
    let last = all.len().saturating_sub(1);
    let section = |(at, (title, listed)): (usize, (&'static str, Vec<Listed>))| {
        let found = listed.iter().filter(|listed| listed.is_found(query));
        let mut rows: Vec<Row> = found
            .flat_map(|listed| entry(&listed.keys, listed.doc, width, cx))
            .collect();
        if !rows.is_empty() {
            rows.splice(0..0, heading(title));
            let is_table = cx.project.read_only.is_none();
            rows.extend((at < last || !is_table).then(Row::default));
        }
        rows
    };
    all.into_iter().enumerate().map(section).collect()
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
    fn keys_are_found_by_words_other_words_and_keys() {
        let texts = ["Fold or unfold all details", "details", "expand collapse"];
        for (query, found) in [
            ("", true),
            ("unfold", true),
            ("det", true),
            ("EXPAND", true),
            ("ctrl-o", true),
            ("fold det", true),
            ("old", false),
            ("fold quit", false),
        ] {
            assert_eq!(is_found(query, "ctrl-o", texts), found, "{query}");
        }
    }

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
    const ELSEWHERE: [&str; 15] = [
        "space",
        "n",
        "N",
        "/",
        "alt-r",
        "alt-p",
        "p",
        "]",
        "[",
        "s",
        "ctrl-]",
        "shift-pgup",
        "shift-pgdn",
        "F9",
        "J K u U r Y w W | ! c C v S d delete shift-up shift-down",
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
        text += "\n### Vim, with `editing = \"vim\"`\n\n| keys | |\n| --- | --- |\n";
        for (keys, doc) in VIM {
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
