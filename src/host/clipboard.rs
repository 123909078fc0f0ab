//! Copying: by the terminal (OSC 52) or by the desktop's clipboard, and saying which.
//!
//! Terminals reach the clipboard of the machine the person sits at, over ssh and within tmux too,
//! but many ignore it silently; the desktop's answers, but over ssh it is the wrong one. So
//! OSC 52 where the desktop's is out of reach, else the desktop's. Writing to the terminal is the
//! caller's.

pub mod held;

use std::{env, ffi::OsString};

use base64::{Engine, engine::general_purpose::STANDARD};

use crate::text::SafeText;

/// Terminals that take OSC 52 take at least this much of base64 text.
const MAX_OSC52_BYTES: usize = 100_000;

/// Where we are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Surroundings {
    pub ssh: bool,
    pub tmux: bool,
    pub display: bool,
}

impl Surroundings {
    pub fn detect() -> Self {
        Self::of(|name| env::var_os(name))
    }

    fn of(var: impl Fn(&str) -> Option<OsString>) -> Self {
        let set = |name: &str| var(name).is_some_and(|value| !value.is_empty());
        Self {
            ssh: set("SSH_TTY") || set("SSH_CONNECTION"),
            tmux: set("TMUX"),
            display: cfg!(target_os = "macos") || set("DISPLAY") || set("WAYLAND_DISPLAY"),
        }
    }

    fn by_terminal(self) -> bool {
        self.ssh || self.tmux || !self.display
    }
}

/// What a copy did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Copied {
    /// To be written to the terminal as they are.
    pub for_terminal: Option<Vec<u8>>,
    /// For the person.
    pub said: SafeText,
}

pub struct Clipboard {
    surroundings: Surroundings,
    /// Kept open: on X11 and Wayland the one that copied has to hand the text out.
    #[cfg(feature = "system-clipboard")]
    desktop: Option<arboard::Clipboard>,
}

impl Clipboard {
    pub fn new(surroundings: Surroundings) -> Self {
        Self {
            surroundings,
            #[cfg(feature = "system-clipboard")]
            desktop: None,
        }
    }

    /// Copies `text`, and says what it is, where that is known. May wait for the desktop: for blocking
    /// tasks.
    pub fn copy(&mut self, text: &str, what: Option<&str>) -> Copied {
        let what = match what {
            Some(what) => format!("{what}, {}", amount(text)),
            None => amount(text),
        };
        if !self.surroundings.by_terminal() && self.copy_to_desktop(text) {
            return Copied {
                for_terminal: None,
                said: SafeText::line(&format!("Copied {what}")),
            };
        }
        match osc52(text, self.surroundings.tmux) {
            Some(bytes) => Copied {
                for_terminal: Some(bytes),
                said: SafeText::line(&format!("Copied {what} (OSC 52)")),
            },
            None => Copied {
                for_terminal: None,
                said: SafeText::line(&format!(
                    "not copied: {what} are too much for the terminal's clipboard"
                )),
            },
        }
    }

    #[cfg(feature = "system-clipboard")]
    fn copy_to_desktop(&mut self, text: &str) -> bool {
        if self.desktop.is_none() {
            self.desktop = arboard::Clipboard::new()
                .inspect_err(|error| tracing::debug!(%error, "no desktop clipboard"))
                .ok();
        }
        self.desktop
            .as_mut()
            .is_some_and(|desktop| desktop.set_text(text).is_ok())
    }

    #[cfg(not(feature = "system-clipboard"))]
    fn copy_to_desktop(&mut self, _text: &str) -> bool {
        false
    }
}

/// How much it is: in lines, or in characters where it is one.
fn amount(text: &str) -> String {
    let counted = |n: usize, unit: &str| match n {
        1 => format!("1 {unit}"),
        n => format!("{n} {unit}s"),
    };
    match text.trim_end_matches('\n').lines().count() {
        0 | 1 => counted(text.chars().count(), "character"),
        lines => counted(lines, "line"),
    }
}

/// The sequence that asks the terminal to copy. Within tmux twice: for tmux itself (`set-clipboard
/// on`) and for the terminal outside (`allow-passthrough on`); which of them works is its settings'.
fn osc52(text: &str, tmux: bool) -> Option<Vec<u8>> {
    let encoded = STANDARD.encode(text);
    if encoded.len() > MAX_OSC52_BYTES {
        return None;
    }
    let sequence = format!("\x1b]52;c;{encoded}\x07");
    if !tmux {
        return Some(sequence.into_bytes());
    }
    let wrapped = sequence.replace('\x1b', "\x1b\x1b");
    Some(format!("{sequence}\x1bPtmux;{wrapped}\x1b\\").into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn surroundings(set: &[&str]) -> Surroundings {
        Surroundings::of(|name| set.contains(&name).then(|| "x".into()))
    }

    #[test]
    fn the_terminal_copies_where_the_desktop_is_out_of_reach() {
        assert!(surroundings(&["SSH_TTY", "DISPLAY"]).by_terminal());
        assert!(surroundings(&["TMUX", "DISPLAY"]).by_terminal());
        // A Mac has its desktop without a variable.
        assert_eq!(surroundings(&[]).by_terminal(), !cfg!(target_os = "macos"));
        assert!(!surroundings(&["WAYLAND_DISPLAY"]).by_terminal());
    }

    #[test]
    fn what_was_done_is_said() {
        let mut clipboard = Clipboard::new(surroundings(&["SSH_TTY"]));
        let copied = clipboard.copy("hä", None);
        assert_eq!(
            copied.for_terminal.as_deref(),
            Some(&b"\x1b]52;c;aMOk\x07"[..])
        );
        assert!(copied.said.contains("2 characters"));
        assert_eq!(
            clipboard.copy("a\nb\n", None).said,
            "Copied 2 lines (OSC 52)".into()
        );
        let copied = clipboard.copy(&"x".repeat(MAX_OSC52_BYTES), None);
        assert_eq!(copied.for_terminal, None);
        assert!(copied.said.starts_with("not copied"));
    }

    #[test]
    fn tmux_is_passed_through() {
        let bytes = osc52("x", true).unwrap();
        assert_eq!(
            bytes,
            b"\x1b]52;c;eA==\x07\x1bPtmux;\x1b\x1b]52;c;eA==\x07\x1b\\"
        );
    }
}
