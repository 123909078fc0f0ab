//! A theme's file: read so that a wrong entry costs only itself.

use std::{borrow::Cow, ops::Range};

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::{
    Rgb, ThemeColours,
    role::{COUNT, Hue, Otherwise, Role},
};
use crate::config::{Source, Warning, diagnostic::join, nearest};

/// Colours that a palette may name.
const MAX_COLOURS: usize = 64;

/// What is told of one file; the rest of what is wrong is left out.
const MAX_WARNINGS: usize = 20;

const KEYS: [&str; 4] = ["background", "paint_background", "palette", "roles"];

/// # Errors
/// No TOML.
pub(super) fn read(
    text: &str,
    locate: &dyn Fn(&Range<usize>) -> Source,
) -> Result<(ThemeColours, Vec<Warning>), toml::de::Error> {
    let document = DeTable::parse(text)?.into_inner();
    let mut reader = Reader {
        locate,
        warnings: Vec::new(),
        palette: Vec::new(),
    };
    let theme = reader.theme(&document);
    Ok((theme, reader.warnings))
}

struct Reader<'a> {
    locate: &'a dyn Fn(&Range<usize>) -> Source,
    warnings: Vec<Warning>,
    palette: Vec<(String, Rgb)>,
}

impl Reader<'_> {
    fn warn(&mut self, span: &Range<usize>, key: &str, message: impl Into<String>) {
        if self.warnings.len() < MAX_WARNINGS {
            let warning = Warning::new((self.locate)(span), key, message);
            self.warnings.push(warning);
        }
    }

    fn theme(&mut self, document: &DeTable<'_>) -> ThemeColours {
        for key in document.keys() {
            if !KEYS.contains(&key.get_ref().as_ref()) {
                let message = unknown("key", key.get_ref(), KEYS);
                self.warn(&key.span(), &join("", key.get_ref()), message);
            }
        }
        for (key, value) in self.table(document, "palette") {
            let path = join("palette", key.get_ref());
            if self.palette.len() == MAX_COLOURS {
                let message = format!("more than {MAX_COLOURS} colours; the rest is left out");
                self.warn(&key.span(), &path, message);
                break;
            }
            match string(value).and_then(Rgb::parse) {
                Some(rgb) => self.palette.push((key.get_ref().to_string(), rgb)),
                None => self.warn(&value.span(), &path, "expected a colour as \"#rrggbb\""),
            }
        }
        let background = self.background(document);
        let paint = document.get("paint_background");
        let paint_background = paint.and_then(|value| match value.get_ref() {
            DeValue::Boolean(paint) => Some(*paint),
            _ => {
                self.warn(&value.span(), "paint_background", "expected true or false");
                None
            }
        });
        let mut named = [None; COUNT];
        for (key, value) in self.table(document, "roles") {
            let path = join("roles", key.get_ref());
            let known = Role::ALL.iter().find(|(name, ..)| key.get_ref() == name);
            let Some((_, role, _)) = known else {
                let names = Role::ALL.iter().map(|(name, ..)| *name);
                let message = unknown("role", key.get_ref(), names);
                self.warn(&key.span(), &path, message);
                continue;
            };
            let colour = self.colour(value, &path, background);
            if let Some(place) = named.get_mut(*role as usize) {
                *place = colour;
            }
        }
        ThemeColours {
            background,
            paint_background,
            roles: self.roles(background, named),
        }
    }

    /// That of the file, else one that its text can be read on.
    fn background(&mut self, document: &DeTable<'_>) -> Rgb {
        const DARK: Rgb = Rgb([0x16, 0x19, 0x1d]);
        const LIGHT: Rgb = Rgb([0xfb, 0xfb, 0xfa]);
        let value = document.get("background");
        let named = value.and_then(|value| self.colour(value, "background", DARK));
        named.unwrap_or_else(|| match self.named("text") {
            Some(text) if text.is_dark() => LIGHT,
            _ => DARK,
        })
    }

    fn named(&self, name: &str) -> Option<Rgb> {
        let mut palette = self.palette.iter();
        palette
            .find(|(known, _)| known == name)
            .map(|(_, rgb)| *rgb)
    }

    fn hue(&self, wanted: Hue, background: Rgb) -> Rgb {
        let own = |hue: Hue| {
            let name = Hue::ALL.iter().find(|(_, known)| *known == hue)?.0;
            self.named(name)
        };
        own(wanted).unwrap_or_else(|| wanted.derived(background, own))
    }

    /// `"#rrggbb"`, or a name of the palette.
    fn colour(&mut self, value: &Spanned<DeValue<'_>>, path: &str, background: Rgb) -> Option<Rgb> {
        let text = string(value);
        let known = text.and_then(|text| {
            let hue = Hue::ALL.iter().find(|(name, _)| *name == text);
            let hue = hue.map(|(_, hue)| self.hue(*hue, background));
            Rgb::parse(text).or_else(|| self.named(text)).or(hue)
        });
        if known.is_none() {
            let near = text.and_then(|text| {
                let palette = self.palette.iter().map(|(name, _)| name.as_str());
                nearest(text, palette.chain(Hue::ALL.map(|(name, _)| name))).map(str::to_owned)
            });
            let hint = near.map_or_else(String::new, |near| format!("; did you mean {near:?}?"));
            let message =
                format!("expected \"#rrggbb\" or the name of a colour in [palette]{hint}");
            self.warn(&value.span(), path, message);
        }
        known
    }

    fn table<'t, 'i>(
        &mut self,
        document: &'t DeTable<'i>,
        name: &str,
    ) -> Vec<(&'t Spanned<Cow<'i, str>>, &'t Spanned<DeValue<'i>>)> {
        match document.get(name).map(|value| (value, value.get_ref())) {
            Some((_, DeValue::Table(table))) => table.iter().collect(),
            Some((value, _)) => {
                self.warn(&value.span(), name, format!("expected a table [{name}]"));
                Vec::new()
            }
            None => Vec::new(),
        }
    }

    fn roles(&self, background: Rgb, named: [Option<Rgb>; COUNT]) -> [Rgb; COUNT] {
        let mut roles = [background; COUNT];
        for (_, role, otherwise) in Role::ALL {
            let at = |role: Role| roles.get(role as usize).copied().unwrap_or(background);
            let derived = match *otherwise {
                Otherwise::Of(hue) => self.hue(hue, background),
                Otherwise::As(role) => at(role),
                Otherwise::Over(role, percent) => at(role).over(background, percent),
                Otherwise::HueOver(hue, percent) => {
                    self.hue(hue, background).over(background, percent)
                }
            };
            let own = named.get(*role as usize).copied().flatten();
            if let Some(place) = roles.get_mut(*role as usize) {
                *place = own.unwrap_or(derived);
            }
        }
        roles
    }
}

fn string<'v>(value: &'v Spanned<DeValue<'_>>) -> Option<&'v str> {
    match value.get_ref() {
        DeValue::String(text) => Some(text),
        _ => None,
    }
}

fn unknown<'a>(what: &str, name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let known: Vec<_> = known.into_iter().collect();
    match nearest(name, known.iter().copied()) {
        Some(near) => format!("unknown {what}; did you mean {near}?"),
        None => format!("unknown {what}; known here: {}", known.join(", ")),
    }
}
