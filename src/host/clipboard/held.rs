//! What the desktop's clipboard holds, for a draft: an image, else text.
//!
//! By the programs that desktops have for it: the library that copies would need a decoder of images
//! and an encoder, to hand out again what is a file's content already. Terminals have no sequence for it,
//! so at the far end of ssh there is nothing to be had, unless X11 is forwarded.

use std::{env, ffi::OsString, io, process::Stdio, time::Duration};

use tokio::{io::AsyncReadExt, process::Command, time::timeout};

use crate::text::SafeText;

/// A program that gets no answer from the owner of the clipboard by then never will.
const PATIENCE: Duration = Duration::from_secs(3);

/// Bytes taken of an image: more than can be sent as one, as it can still be linked.
const MAX_IMAGE: u64 = 32 << 20;

/// And of text.
const MAX_TEXT: u64 = 4 << 20;

/// Kinds of images, the best first.
const IMAGES: &[(&str, &str)] = &[
    ("image/png", "png"),
    ("image/jpeg", "jpg"),
    ("image/webp", "webp"),
    ("image/gif", "gif"),
];

const TEXTS: &[&str] = &[
    "text/plain;charset=utf-8",
    "UTF8_STRING",
    "text/plain",
    "STRING",
];

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Held {
    /// With the ending of its name.
    Image(Vec<u8>, &'static str),
    Text(String),
}

/// How the clipboard is reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    Wayland,
    X11,
    MacOs,
}

/// Looks. Ready within seconds.
///
/// # Errors
/// For people: why there is nothing to paste.
pub async fn held() -> Result<Held, SafeText> {
    match way(|name| env::var_os(name)).map_err(SafeText::from)? {
        Way::MacOs => mac().await,
        way => by_types(way).await,
    }
}

fn way(var: impl Fn(&str) -> Option<OsString>) -> Result<Way, &'static str> {
    let set = |name: &str| var(name).is_some_and(|value| !value.is_empty());
    let ssh = set("SSH_TTY") || set("SSH_CONNECTION");
    if cfg!(target_os = "macos") && !ssh {
        Ok(Way::MacOs)
    } else if set("WAYLAND_DISPLAY") && !ssh {
        Ok(Way::Wayland)
    } else if set("DISPLAY") {
        Ok(Way::X11)
    } else if ssh {
        Err("clipboard images are not available over ssh: mention a file with @ instead")
    } else {
        Err("no desktop clipboard to read: mention a file with @ instead")
    }
}

async fn by_types(way: Way) -> Result<Held, SafeText> {
    let types = match way {
        Way::Wayland => run(&["wl-paste", "--list-types"], MAX_TEXT).await,
        _ => run(&xclip("TARGETS"), MAX_TEXT).await,
    };
    let types = match types {
        // Nothing was copied.
        Err(Failed::Status) => Vec::new(),
        types => types.map_err(|failed| failed.said(way))?,
    };
    let types = String::from_utf8_lossy(&types);
    let has = |wanted: &str| types.lines().any(|line| line.trim() == wanted);
    let take = async |kind: &str, most: u64| {
        let taken = match way {
            Way::Wayland => run(&["wl-paste", "--no-newline", "--type", kind], most).await,
            _ => run(&xclip(kind), most).await,
        };
        taken.map_err(|failed| failed.said(way))
    };
    if let Some((mime, ending)) = IMAGES.iter().find(|(mime, _)| has(mime)) {
        return Ok(Held::Image(take(mime, MAX_IMAGE).await?, ending));
    }
    match TEXTS.iter().find(|kind| has(kind)) {
        Some(kind) => text(take(kind, MAX_TEXT).await?),
        None => Err("the clipboard holds neither an image nor text".into()),
    }
}

fn xclip(target: &str) -> [&str; 6] {
    ["xclip", "-selection", "clipboard", "-t", target, "-o"]
}

/// Its pasteboard is asked by a script; what is no text comes as hexadecimal digits.
async fn mac() -> Result<Held, SafeText> {
    let script = "get the clipboard as \u{ab}class PNGf\u{bb}";
    if let Ok(said) = run(&["osascript", "-e", script], 2 * MAX_IMAGE + 64).await
        && let Some(image) = hex_data(&said)
    {
        return Ok(Held::Image(image, "png"));
    }
    let said = run(&["pbpaste"], MAX_TEXT).await;
    text(said.map_err(|failed| failed.said(Way::MacOs))?)
}

/// The bytes of `«data PNGf8950…»`.
fn hex_data(said: &[u8]) -> Option<Vec<u8>> {
    let said = std::str::from_utf8(said).ok()?.trim();
    let digits = said
        .strip_prefix("\u{ab}data PNGf")?
        .strip_suffix('\u{bb}')?;
    let pairs = digits.as_bytes().chunks(2);
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    pairs.map(byte).collect()
}

fn text(bytes: Vec<u8>) -> Result<Held, SafeText> {
    match String::from_utf8(bytes) {
        Ok(text) if !text.is_empty() => Ok(Held::Text(text)),
        _ => Err("the clipboard holds neither an image nor text".into()),
    }
}

/// Why a program gave no answer.
#[derive(Debug)]
enum Failed {
    Missing,
    Status,
    Late,
    TooLarge,
    Io(io::Error),
}

impl Failed {
    fn said(&self, way: Way) -> SafeText {
        let (program, package) = match way {
            Way::Wayland => ("wl-paste", "wl-clipboard"),
            Way::X11 => ("xclip", "xclip"),
            Way::MacOs => ("pbpaste", "macOS"),
        };
        SafeText::line(&match self {
            Self::Missing => {
                format!("to read the clipboard, install {program} (package {package})")
            }
            Self::Status => format!("{program} could not read the clipboard"),
            Self::Late => "the program that owns the clipboard does not provide it".to_owned(),
            Self::TooLarge => "the clipboard's content is too large".to_owned(),
            Self::Io(error) => format!("{program}: {error}"),
        })
    }
}

async fn run(line: &[&str], most: u64) -> Result<Vec<u8>, Failed> {
    let [program, args @ ..] = line else {
        return Err(Failed::Missing);
    };
    let mut child = Command::new(program)
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => Failed::Missing,
            _ => Failed::Io(error),
        })?;
    let answer = async {
        let mut bytes = Vec::new();
        if let Some(stdout) = child.stdout.take() {
            let mut stdout = stdout.take(most + 1);
            stdout.read_to_end(&mut bytes).await.map_err(Failed::Io)?;
        }
        if bytes.len() as u64 > most {
            return Err(Failed::TooLarge);
        }
        match child.wait().await {
            Ok(status) if status.success() => Ok(bytes),
            Ok(_) => Err(Failed::Status),
            Err(error) => Err(Failed::Io(error)),
        }
    };
    timeout(PATIENCE, answer).await.unwrap_or(Err(Failed::Late))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_no_clipboard_can_be_read_is_told() {
        let with = |set: &[&str]| way(|name| set.contains(&name).then(|| "x".into()));
        assert!(with(&["SSH_TTY"]).unwrap_err().contains("ssh"));
        assert!(with(&["SSH_CONNECTION", "WAYLAND_DISPLAY"]).is_err());
        // Forwarded.
        assert_eq!(with(&["SSH_CONNECTION", "DISPLAY"]), Ok(Way::X11));
        if !cfg!(target_os = "macos") {
            assert!(with(&[]).unwrap_err().contains("desktop"));
            assert_eq!(with(&["WAYLAND_DISPLAY", "DISPLAY"]), Ok(Way::Wayland));
        }
    }

    #[test]
    fn an_image_of_a_mac_comes_as_digits() {
        let said = "\u{ab}data PNGf89504E47\u{bb}\n";
        assert_eq!(hex_data(said.as_bytes()), Some(b"\x89PNG".to_vec()));
        assert_eq!(hex_data("\u{ab}data PNGf8Z\u{bb}".as_bytes()), None);
        assert_eq!(hex_data(b"text"), None);
    }

    #[tokio::test]
    async fn a_program_is_bounded_in_what_it_says_and_may_be_missing() {
        assert_eq!(run(&["printf", "hello"], 5).await.unwrap(), b"hello");
        assert!(matches!(
            run(&["printf", "hello"], 4).await,
            Err(Failed::TooLarge)
        ));
        assert!(matches!(run(&["false"], 4).await, Err(Failed::Status)));
        let missing = run(&["no-such-program-here"], 4).await.unwrap_err();
        assert!(missing.said(Way::X11).contains("install xclip"));
    }
}
