//! Which chord means which action where.
//!
//! Owns: chords and their names, the defaults of the action table with the person's bindings laid
//! over them. Knows nothing about what actions do.

mod chord;

use std::collections::{BTreeMap, HashMap, HashSet};

pub use chord::Chord;
pub(in crate::ui) use chord::nearest;

use crate::ui::action::{ACTIONS, Action, Context};

/// Chords by context.
#[derive(Clone, Debug)]
pub struct Keymap {
    bindings: HashMap<(Context, Chord), Action>,
    /// Chords of each action in the order in which they are shown.
    chords: HashMap<Action, Vec<Chord>>,
    /// Defaults of the composer that were replaced: it knows some of them by itself.
    freed: HashSet<Chord>,
}

impl Keymap {
    /// The defaults; an action that `keys` names has the chords given there instead (none: no key).
    /// A chord given there is taken from the defaults of others that would compete for it. What
    /// cannot be read is left out: [`check_keys`](crate::ui::action::check_keys) reports it.
    pub fn new(keys: &BTreeMap<String, Vec<String>>) -> Self {
        let own: HashMap<Action, Vec<Chord>> = keys
            .iter()
            .filter_map(|(name, chords)| Some((Action::named(name)?, parse_all(chords))))
            .collect();
        let taken = |chord: Chord, context: Context| {
            own.iter().any(|(action, chords)| {
                action.info().context.overlaps(context) && chords.contains(&chord)
            })
        };
        let mut map = Self {
            bindings: HashMap::new(),
            chords: HashMap::new(),
            freed: HashSet::new(),
        };
        for info in ACTIONS {
            let chords = match own.get(&info.action) {
                Some(chords) => chords.clone(),
                None => parse_all(info.keys)
                    .into_iter()
                    .filter(|chord| !taken(*chord, info.context))
                    .collect(),
            };
            if info.context == Context::Composer {
                let defaults = parse_all(info.keys).into_iter();
                map.freed
                    .extend(defaults.filter(|chord| !chords.contains(chord)));
            }
            for chord in &chords {
                let context = info.context.of(*chord);
                map.bindings.entry((context, *chord)).or_insert(info.action);
            }
            map.chords.insert(info.action, chords);
        }
        map
    }

    /// The action of a chord in the first of `contexts` that has one for it.
    pub fn action(&self, chord: Chord, contexts: &[Context]) -> Option<Action> {
        contexts
            .iter()
            .find_map(|context| self.bindings.get(&(*context, chord)).copied())
    }

    /// Whether the chord did something in the composer by default and no longer does.
    pub fn is_freed(&self, chord: Chord) -> bool {
        self.freed.contains(&chord)
    }

    /// The chords of an action, the one to show first.
    pub fn chords(&self, action: Action) -> &[Chord] {
        self.chords.get(&action).map_or(&[], Vec::as_slice)
    }

    /// The first chord's name, for hints; empty where the action has no key.
    pub fn hint(&self, action: Action) -> String {
        self.chords(action)
            .first()
            .map(ToString::to_string)
            .unwrap_or_default()
    }
}

fn parse_all<S: AsRef<str>>(names: &[S]) -> Vec<Chord> {
    names
        .iter()
        .filter_map(|name| Chord::parse(name.as_ref()).ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const EMPTY: &[Context] = &[Context::EmptyComposer, Context::Composer, Context::Anywhere];
    const DRAFT: &[Context] = &[Context::Composer, Context::Anywhere];

    fn keymap(pairs: &[(&str, &[&str])]) -> Keymap {
        let keys = pairs
            .iter()
            .map(|(name, chords)| {
                let chords = chords.iter().map(|chord| (*chord).to_owned()).collect();
                ((*name).to_owned(), chords)
            })
            .collect();
        Keymap::new(&keys)
    }

    fn chord(name: &str) -> Chord {
        Chord::parse(name).unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn the_more_special_context_wins() {
        let map = keymap(&[]);
        assert_eq!(map.action(chord("tab"), EMPTY), Some(Action::Browse));
        assert_eq!(map.action(chord("tab"), DRAFT), None);
        assert_eq!(map.action(chord("ctrl-p"), DRAFT), Some(Action::Palette));
    }

    #[test]
    fn a_bare_character_counts_on_an_empty_composer_only() {
        let map = keymap(&[("palette", &["p"])]);
        assert_eq!(map.action(chord("?"), EMPTY), Some(Action::Help));
        assert_eq!(map.action(chord("?"), DRAFT), None);
        assert_eq!(map.action(chord("p"), EMPTY), Some(Action::Palette));
        assert_eq!(map.action(chord("p"), DRAFT), None);
    }

    #[test]
    fn a_binding_replaces_the_default() {
        let map = keymap(&[("palette", &["f2"])]);
        assert_eq!(map.action(chord("ctrl-p"), DRAFT), None);
        assert_eq!(map.action(chord("f2"), DRAFT), Some(Action::Palette));
        assert_eq!(map.hint(Action::Palette), "F2");
        assert_eq!(keymap(&[("palette", &[])]).hint(Action::Palette), "");
    }

    #[test]
    fn a_binding_takes_its_chord_from_the_defaults_of_others() {
        let map = keymap(&[("palette", &["tab"])]);
        assert_eq!(map.action(chord("tab"), EMPTY), Some(Action::Palette));
        assert_eq!(map.action(chord("tab"), DRAFT), Some(Action::Palette));
        assert!(map.chords(Action::Browse).is_empty());
        // Contexts that are never open together keep theirs.
        let map = keymap(&[("send", &["ctrl-j"])]);
        assert_eq!(
            map.action(chord("enter"), &[Context::Question]),
            Some(Action::Confirm)
        );
        assert_eq!(map.chords(Action::Newline).len(), 2);
    }

    #[test]
    fn what_cannot_be_read_costs_only_itself() {
        let map = keymap(&[("palette", &["ctrl-entre", "f2"]), ("nonsense", &["f3"])]);
        assert_eq!(map.hint(Action::Palette), "F2");
        assert_eq!(map.action(chord("f3"), DRAFT), Some(Action::Pager));
    }
}
