//! The person's browser: whether there is one here, and a page opened in it.
//!
//! Opens a page once; the caller has the person's consent (V1-ELI-14). No shell sees an address, and only web
//! addresses are opened.

use std::{env, io, process::Stdio, time::Duration};

use tokio::{
    process::{Child, Command},
    time::timeout,
};

use crate::text::SafeText;

/// A program that has not failed by then has the page.
const PATIENCE: Duration = Duration::from_secs(2);

/// A program and its arguments, the address among them.
type CommandLine = Vec<String>;

/// What shows where the person's browser is.
struct Surroundings {
    /// `$BROWSER`: commands, the first that works counts.
    browser: Option<String>,
    ssh: bool,
    display: bool,
    wsl: bool,
    macos: bool,
}

impl Surroundings {
    fn detect() -> Self {
        let set = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
        Self {
            browser: env::var("BROWSER")
                .ok()
                .filter(|value| !value.trim().is_empty()),
            ssh: set("SSH_CONNECTION") || set("SSH_TTY"),
            display: set("DISPLAY") || set("WAYLAND_DISPLAY"),
            wsl: set("WSL_DISTRO_NAME"),
            macos: cfg!(target_os = "macos"),
        }
    }

    /// What to try, in order. A browser of text would take our terminal: without a desktop only the
    /// person's own word names one.
    ///
    /// # Errors
    /// Why there is none.
    fn commands(&self, url: &str) -> Result<Vec<CommandLine>, &'static str> {
        if let Some(browser) = &self.browser {
            return Ok(browser
                .split(':')
                .filter_map(|one| with_url(one, url))
                .collect());
        }
        let line = |words: &[&str]| -> CommandLine {
            words
                .iter()
                .chain([&url])
                .map(ToString::to_string)
                .collect()
        };
        match self {
            Self {
                macos: true,
                ssh: false,
                ..
            } => Ok(vec![line(&["open"])]),
            Self { wsl: true, .. } => Ok(vec![line(&["wslview"]), line(&["xdg-open"])]),
            Self {
                display: true,
                macos: false,
                ..
            } => Ok(vec![line(&["xdg-open"]), line(&["gio", "open"])]),
            Self { ssh: true, .. } => Err("no browser on this side of the ssh connection"),
            _ => Err("no desktop here to open a browser on"),
        }
    }
}

/// One command of `$BROWSER`, `%s` being the address; behind it without one.
fn with_url(command: &str, url: &str) -> Option<CommandLine> {
    let words = shlex::split(command).filter(|words| !words.is_empty())?;
    let mut line: CommandLine = words.iter().map(|word| word.replace("%s", url)).collect();
    if line == words {
        line.push(url.to_owned());
    }
    Some(line)
}

/// Why no page can be opened here; `None` if it can be tried (V1-ELI-19).
pub fn missing() -> Option<SafeText> {
    Surroundings::detect()
        .commands("")
        .err()
        .map(SafeText::from)
}

/// Opens a page. Ready within seconds.
///
/// # Errors
/// For people: why it was not opened.
pub async fn open(url: &str) -> Result<(), SafeText> {
    open_in(&Surroundings::detect(), url).await
}

/// Shows a file of the person's own in the desktop's program for it.
///
/// # Errors
/// For people: why it was not shown.
pub async fn show_file(path: &str) -> Result<(), SafeText> {
    let surroundings = Surroundings {
        browser: None,
        ..Surroundings::detect()
    };
    let commands = surroundings.commands(path);
    try_each(commands.map_err(|_| "no desktop here to show it on")?).await
}

async fn open_in(surroundings: &Surroundings, url: &str) -> Result<(), SafeText> {
    let scheme = url.split_once("://").map(|(scheme, _)| scheme);
    let is_web =
        |scheme: &str| scheme.eq_ignore_ascii_case("https") || scheme.eq_ignore_ascii_case("http");
    if !scheme.is_some_and(is_web) {
        return Err("only http and https addresses are opened".into());
    }
    try_each(surroundings.commands(url).map_err(SafeText::from)?).await
}

/// The first that works is enough.
async fn try_each(commands: Vec<CommandLine>) -> Result<(), SafeText> {
    let mut failed = "no program was found to open it".to_owned();
    for line in commands {
        let [program, args @ ..] = line.as_slice() else {
            continue;
        };
        match start(program, args) {
            Ok(child) => match outcome(child).await {
                Ok(()) => return Ok(()),
                Err(how) => failed = format!("{program} {how}"),
            },
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                failed = format!("{program} was not found");
            }
            Err(error) => failed = format!("{program}: {error}"),
        }
    }
    Err(SafeText::line(&failed))
}

/// In its own group, so that neither ctrl-c nor our exit ends a browser, and detached from our terminal.
fn start(program: &str, args: &[String]) -> io::Result<Child> {
    Command::new(program)
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
}

async fn outcome(mut child: Child) -> Result<(), String> {
    match timeout(PATIENCE, child.wait()).await {
        Ok(Ok(status)) if status.success() => Ok(()),
        Ok(Ok(status)) => Err(format!("ended with {status}")),
        Ok(Err(error)) => Err(error.to_string()),
        Err(_) => {
            // A browser that runs as long as its window; its end is waited for so that it is no
            // zombie.
            tokio::spawn(async move { child.wait().await });
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const URL: &str = "https://example.com/?a=1&b='$(touch x)'";

    fn bare() -> Surroundings {
        Surroundings {
            browser: None,
            ssh: false,
            display: false,
            wsl: false,
            macos: false,
        }
    }

    fn programs(surroundings: &Surroundings) -> Vec<String> {
        let commands = surroundings.commands(URL).unwrap_or_default();
        commands.into_iter().map(|line| line[0].clone()).collect()
    }

    // V1-ELI-19
    #[test]
    fn a_browser_is_there_with_a_desktop_or_by_the_persons_word() {
        let ssh = Surroundings {
            ssh: true,
            ..bare()
        };
        assert!(ssh.commands(URL).is_err_and(|why| why.contains("ssh")));
        assert!(bare().commands(URL).is_err());
        let mac = Surroundings {
            macos: true,
            ..bare()
        };
        assert_eq!(programs(&mac), ["open"]);
        assert!(Surroundings { ssh: true, ..mac }.commands(URL).is_err());
        let desktop = Surroundings {
            display: true,
            ssh: true,
            ..bare()
        };
        assert_eq!(programs(&desktop), ["xdg-open", "gio"]);
        let named = Surroundings {
            browser: Some("helper --url=%s:'my browser' -n".to_owned()),
            ..ssh
        };
        assert_eq!(
            named.commands(URL),
            Ok(vec![
                vec!["helper".to_owned(), format!("--url={URL}")],
                vec!["my browser".to_owned(), "-n".to_owned(), URL.to_owned()],
            ])
        );
    }

    // V1-ELI-14
    #[tokio::test]
    async fn the_address_goes_through_no_shell_and_the_next_program_is_tried() {
        let folder = tempfile::tempdir().expect("a folder");
        let out = folder.path().join("out");
        let named = Surroundings {
            browser: Some(format!(
                "no-such-browser:false:sh -c 'echo \"$1\" > {}' sh",
                out.display()
            )),
            ..bare()
        };
        assert_eq!(open_in(&named, URL).await, Ok(()));
        let got = std::fs::read_to_string(out).expect("it was started");
        assert_eq!(got.trim_end(), URL);
        assert!(!folder.path().join("x").exists());
        let none = Surroundings {
            browser: Some("no-such-browser".to_owned()),
            ..bare()
        };
        let error = open_in(&none, URL).await.expect_err("nothing there");
        assert!(error.contains("no-such-browser was not found"), "{error}");
    }

    // V1-ELI-14
    #[tokio::test]
    async fn nothing_but_web_addresses_is_opened() {
        let named = Surroundings {
            browser: Some("true".to_owned()),
            ..bare()
        };
        for url in ["file:///etc/passwd", "javascript:1", "-h", "httpsx://a", ""] {
            assert!(open_in(&named, url).await.is_err(), "{url}");
        }
        assert_eq!(open_in(&named, "HTTPS://example.com").await, Ok(()));
    }
}
