//! What the terminal can show of images: asked with the first frame, waited for by none.

use std::env;

use crate::{
    app::terminal::{passed, tty},
    input::Told,
    picture::{Canvas, Medium, USUAL_CELL},
};

/// Asks whether images can be sent by kitty's protocol, and compressed; for the size of a cell; and what else the
/// terminal can, sixel among it.
const KITTY: &[u8] = b"\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\\
\x1b_Gi=32,s=1,v=1,a=q,t=d,f=24,o=z;eJxjYGAAAAADAAE=\x1b\\";
const REST: &[u8] = b"\x1b[16t\x1b[c";

/// What is known so far.
#[derive(Debug)]
pub struct Graphics {
    environment: Environment,
    kitty: bool,
    compressed: bool,
    sixel: bool,
    /// As the terminal told; else its window's size tells.
    cell: Option<(u16, u16)>,
}

/// What the environment tells.
#[derive(Clone, Copy, Debug, Default)]
struct Environment {
    /// Answers come from the terminal behind it, where `allow-passthrough` is on.
    tmux: bool,
    /// Images by iTerm2's protocol.
    iterm: bool,
    /// It answers for kitty's protocol, and does not know the signs that stand for parts of an image.
    no_placeholders: bool,
    /// It would show what it is asked.
    deaf: bool,
}

impl Environment {
    fn of(var: impl Fn(&str) -> Option<String>) -> Self {
        let has = |name: &str| var(name).is_some_and(|value| !value.is_empty());
        let tmux = has("TMUX");
        let program = var("TERM_PROGRAM").unwrap_or_default();
        Self {
            tmux,
            iterm: !tmux && matches!(program.as_str(), "iTerm.app" | "WezTerm"),
            no_placeholders: has("KONSOLE_VERSION"),
            deaf: has("STY") || matches!(var("TERM").as_deref(), Some("linux" | "dumb")),
        }
    }
}

impl Graphics {
    pub fn detect() -> Self {
        Self::of(Environment::of(|name| env::var(name).ok()))
    }

    fn of(environment: Environment) -> Self {
        Self {
            environment,
            kitty: false,
            compressed: false,
            sixel: false,
            cell: None,
        }
    }

    pub fn is_in_tmux(&self) -> bool {
        self.environment.tmux
    }

    /// What to ask.
    pub fn query(&self) -> Vec<u8> {
        if self.environment.deaf {
            return Vec::new();
        }
        // The first is for the terminal behind tmux, the rest is tmux's own to answer.
        let mut out = passed(KITTY, self.environment.tmux);
        out.extend_from_slice(REST);
        out
    }

    /// The terminal told something.
    pub fn told(&mut self, told: Told) {
        match told {
            Told::Kitty { compressed } => {
                self.kitty = true;
                self.compressed |= compressed;
            }
            Told::Sixel => self.sixel = true,
            Told::Cell(width, height) => self.cell = Some((width, height)),
        }
    }

    pub fn canvas(&self) -> Canvas {
        let Environment {
            tmux,
            iterm,
            no_placeholders,
            ..
        } = self.environment;
        let medium = if iterm {
            Medium::Iterm { tmux: false }
        } else if self.kitty && !no_placeholders {
            Medium::Kitty {
                tmux,
                compressed: self.compressed,
            }
        } else if self.sixel {
            Medium::Sixel
        } else {
            Medium::Blocks
        };
        Canvas {
            medium,
            cell: self.cell.or_else(tty::cell).unwrap_or(USUAL_CELL),
            true_colour: true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(vars: &[(&str, &str)]) -> Graphics {
        let var = |name: &str| {
            let found = vars.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        Graphics::of(Environment::of(var))
    }

    #[test]
    fn what_the_terminal_answers_decides_how_images_are_shown() {
        let mut graphics = with(&[]);
        assert_eq!(graphics.canvas().medium, Medium::Blocks);
        graphics.told(Told::Sixel);
        assert_eq!(graphics.canvas().medium, Medium::Sixel);
        graphics.told(Told::Kitty { compressed: false });
        graphics.told(Told::Kitty { compressed: true });
        graphics.told(Told::Cell(9, 18));
        let kitty = Medium::Kitty {
            tmux: false,
            compressed: true,
        };
        assert_eq!(graphics.canvas().medium, kitty);
        assert_eq!(graphics.canvas().cell, (9, 18));
    }

    #[test]
    fn some_terminals_are_known_by_their_names() {
        for (name, value, expected) in [
            ("TERM_PROGRAM", "WezTerm", Medium::Iterm { tmux: false }),
            ("TERM_PROGRAM", "iTerm.app", Medium::Iterm { tmux: false }),
            ("KONSOLE_VERSION", "230800", Medium::Sixel),
        ] {
            let mut graphics = with(&[(name, value)]);
            graphics.told(Told::Kitty { compressed: true });
            graphics.told(Told::Sixel);
            assert_eq!(graphics.canvas().medium, expected, "{value}");
        }
    }

    #[test]
    fn in_tmux_the_terminal_behind_it_is_asked() {
        let graphics = with(&[
            ("TMUX", "/tmp/tmux-0/default,1,0"),
            ("TERM_PROGRAM", "tmux"),
        ]);
        let query = graphics.query();
        assert!(query.starts_with(b"\x1bPtmux;\x1b\x1b_Gi=31,"));
        assert!(query.ends_with(b"\x1b\\\x1b[16t\x1b[c"));
        assert_eq!(with(&[("TERM", "linux")]).query(), b"");
    }
}
