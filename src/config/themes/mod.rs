//! Themes: tables of colours, those that are built in and those in the person's `themes` folder.
//!
//! Owns: their file format, reading them, and which one was chosen in the program ([`chosen`]). Must
//! not know how anything is drawn: it says colours by [`Role`].

pub mod chosen;
mod colour;
mod read;
mod role;

use std::{
    borrow::Cow,
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{
    Source, Warning, nearest,
    source_text::{Links, SourceText},
};

pub use self::{colour::Rgb, role::Role};

/// The folder in the configuration's directory.
pub const FOLDER: &str = "themes";

/// Bytes of a theme's file.
const MAX_FILE_BYTES: u64 = 64 << 10;

/// Themes that are read of that folder, in the order of their names.
const MAX_FILES: usize = 64;

/// Bytes of a theme's name.
const MAX_NAME_BYTES: usize = 64;

/// What no theme can be called: these are the terminal's own colours.
const OWN_WORDS: [&str; 3] = ["auto", "dark", "light"];

macro_rules! built_in {
    ($($name:literal,)*) => {
        const BUILT_IN: &[(&str, &str)] = &[
            $( ($name, include_str!(concat!("../../../assets/themes/", $name, ".toml"))), )*
        ];
    };
}

built_in! {
    "catppuccin-latte",
    "catppuccin-mocha",
    "colour-blind-dark",
    "colour-blind-light",
    "dracula",
    "github-light",
    "gruvbox-dark",
    "gruvbox-light",
    "high-contrast-dark",
    "high-contrast-light",
    "nord",
    "one-dark",
    "rose-pine",
    "rose-pine-dawn",
    "solarized-dark",
    "solarized-light",
    "tokyo-night",
    "tokyo-night-day",
}

/// The colours of a theme, none missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ThemeColours {
    pub background: Rgb,
    /// Whether the background is painted; `None`: where the terminal's own is of the other kind,
    /// dark or light.
    pub paint_background: Option<bool>,
    roles: [Rgb; role::COUNT],
}

impl ThemeColours {
    pub fn of(&self, role: Role) -> Rgb {
        let colour = self.roles.get(role as usize);
        colour.copied().unwrap_or(self.background)
    }
}

/// All themes by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Themes {
    own: Arc<BTreeMap<String, ThemeColours>>,
}

impl Themes {
    /// In the order of the alphabet.
    pub fn names(&self) -> Vec<String> {
        let built_in = BUILT_IN.iter().map(|(name, _)| (*name).to_owned());
        let mut names: Vec<_> = built_in.chain(self.own.keys().cloned()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The person's own come before those built in. Built-in ones are read when they are asked for.
    pub fn get(&self, name: &str) -> Option<ThemeColours> {
        if let Some(own) = self.own.get(name) {
            return Some(*own);
        }
        let (_, text) = BUILT_IN.iter().find(|(known, _)| *known == name)?;
        let (colours, _) = read::read(text, &|_| Source::BuiltIn).ok()?;
        Some(colours)
    }

    pub fn has(&self, name: &str) -> bool {
        self.own.contains_key(name) || BUILT_IN.iter().any(|(known, _)| *known == name)
    }

    /// What is wrong with a name that no theme has.
    pub(super) fn unknown(&self, name: &str) -> String {
        let names = self.names();
        let known = names.iter().map(String::as_str).chain(OWN_WORDS);
        match nearest(name, known) {
            Some(near) => format!("there is no theme {name:?}; did you mean {near:?}?"),
            None => format!(
                "there is no theme {name:?}; known: {}, {}",
                OWN_WORDS.join(", "),
                names.join(", ")
            ),
        }
    }

    /// Those in `folder`, if there is one.
    pub(super) fn load(folder: &Path, warnings: &mut Vec<Warning>) -> Self {
        let warning = |path: &Path, line, message: String| {
            let path = Arc::new(path.to_owned());
            Warning::new(Source::File { path, line }, "", message)
        };
        let mut files = match files(folder) {
            Ok(files) => files,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Self::default(),
            Err(error) => {
                warnings.push(warning(folder, None, format!("cannot be read: {error}")));
                return Self::default();
            }
        };
        if files.len() > MAX_FILES {
            let message = format!("holds more than {MAX_FILES} themes; the rest is not read");
            warnings.push(warning(folder, None, message));
            files.truncate(MAX_FILES);
        }
        let mut own = BTreeMap::new();
        for path in files {
            let name = path.file_stem().and_then(|stem| stem.to_str());
            let Some(name) = name.filter(|name| is_name(name)) else {
                let message = "this name cannot be a theme's: use letters, digits, - and _";
                warnings.push(warning(&path, None, message.to_owned()));
                continue;
            };
            let source = match SourceText::read_up_to(&path, Links::Follow, MAX_FILE_BYTES) {
                Ok(Some(source)) => source,
                Ok(None) => continue,
                Err(error) => {
                    let (line, problem) = error.of_file();
                    let message = format!("this theme is not used: {problem}");
                    warnings.push(warning(&path, line, message));
                    continue;
                }
            };
            match read::read(&source.text, &|span| source.source(span)) {
                Ok((colours, mut wrong)) => {
                    own.insert(name.to_owned(), colours);
                    warnings.append(&mut wrong);
                }
                Err(error) => {
                    let (line, problem) = source.syntax_error(&error).of_file();
                    let message = format!("this theme is not used: {problem}");
                    warnings.push(warning(&path, line, message));
                }
            }
        }
        Self { own: Arc::new(own) }
    }
}

fn is_name(name: &str) -> bool {
    let fits = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    (1..=MAX_NAME_BYTES).contains(&name.len())
        && name.chars().all(fits)
        && !OWN_WORDS.contains(&name)
}

/// The `*.toml` in a folder, by name; never many more than are read.
fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)?.take(16 * MAX_FILES) {
        let path = entry?.path();
        if path
            .extension()
            .is_some_and(|extension| extension == "toml")
        {
            files.push(path);
        }
    }
    files.sort_unstable();
    Ok(files)
}

/// `ui.theme`.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum ThemeChoice {
    /// The terminal's background is asked for, and decides.
    #[default]
    Auto,
    /// As on a dark background.
    Dark,
    Light,
    Named(String),
}

impl ThemeChoice {
    pub fn of(word: &str) -> Self {
        match word {
            "auto" => Self::Auto,
            "dark" => Self::Dark,
            "light" => Self::Light,
            name => Self::Named(name.to_owned()),
        }
    }

    pub fn word(&self) -> &str {
        match self {
            Self::Auto => "auto",
            Self::Dark => "dark",
            Self::Light => "light",
            Self::Named(name) => name,
        }
    }
}

impl Serialize for ThemeChoice {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.word().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for ThemeChoice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self::of(&String::deserialize(deserializer)?))
    }
}

impl JsonSchema for ThemeChoice {
    fn schema_name() -> Cow<'static, str> {
        "ThemeChoice".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let built_in = BUILT_IN.iter().map(|(name, _)| *name);
        let known: Vec<_> = OWN_WORDS.into_iter().chain(built_in).collect();
        json_schema!({
            "description": "\"auto\", \"dark\" or \"light\" (the terminal's palette), or the name of a theme.",
            "anyOf": [{ "enum": known }, { "type": "string" }],
        })
    }
}
