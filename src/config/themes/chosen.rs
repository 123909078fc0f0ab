//! Which theme was chosen in the program.
//!
//! The program does not write the person's configuration. A choice stands in the state directory,
//! together with what the configuration said at that time: once that says something else, it counts
//! again. So does each project whose file sets a theme keep a choice of its own.

use std::{
    collections::BTreeMap,
    io::{self, Write},
    path::PathBuf,
};

use crate::config::{
    Dirs, UiConfig,
    source_text::{Links, SourceText},
};

/// Settings for which a choice is remembered.
const MAX_CHOICES: usize = 16;

const MAX_FILE_BYTES: u64 = 64 << 10;

/// What the configuration says about themes.
pub(in crate::config) fn configured(ui: &UiConfig) -> String {
    let other = |name: &Option<String>| name.clone().unwrap_or_default();
    let (dark, light) = (other(&ui.theme_dark), other(&ui.theme_light));
    format!("{} {dark} {light}", ui.theme.word())
}

pub(in crate::config) fn file(dirs: &Dirs) -> PathBuf {
    dirs.state.join("theme.json")
}

/// The choice that was made while the configuration said `configured`.
pub(in crate::config) fn read(dirs: &Dirs, configured: &str) -> Option<String> {
    all(dirs).remove(configured)
}

/// What cannot be read holds no choice.
fn all(dirs: &Dirs) -> BTreeMap<String, String> {
    let source = SourceText::read_up_to(&file(dirs), Links::Follow, MAX_FILE_BYTES);
    let text = source.ok().flatten().map(|source| source.text);
    text.and_then(|text| serde_json::from_str(&text).ok())
        .unwrap_or_default()
}

/// Remembers a choice.
///
/// # Errors
/// The state directory cannot be written.
pub fn keep(dirs: &Dirs, configured: &str, chosen: &str) -> io::Result<()> {
    let mut choices = all(dirs);
    while choices.len() >= MAX_CHOICES && !choices.contains_key(configured) {
        choices.pop_first();
    }
    choices.insert(configured.to_owned(), chosen.to_owned());
    Dirs::ensure(&dirs.state)?;
    let mut new = tempfile::NamedTempFile::new_in(&dirs.state)?;
    serde_json::to_writer_pretty(&mut new, &choices)?;
    new.write_all(b"\n")?;
    new.persist(file(dirs)).map_err(|error| error.error)?;
    Ok(())
}
