//! The options and the prompt of `acp-tui run`.

use std::{
    fs,
    io::{self, IsTerminal, Read},
    path::{Path, PathBuf},
    sync::mpsc,
    thread,
    time::Duration,
};

use super::{CliError, Format, RunArgs};

/// A prompt is words, not data: agents take far less.
const MAX_PROMPT: u64 = 16 << 20;

/// How one prompt turn is run without a screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunOptions {
    pub prompt: PromptSource,
    /// Go along with it; absolute.
    pub images: Vec<PathBuf>,
    pub files: Vec<PathBuf>,
    pub format: Format,
    pub quiet: bool,
    /// For all of it, from the start.
    pub timeout: Option<Duration>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PromptSource {
    Text(String),
    /// What was typed, if anything, then a blank line and stdin.
    Stdin(Option<String>),
    /// Absolute.
    File(PathBuf),
}

impl RunOptions {
    /// Takes the prompt out of the arguments: one of them is one prompt here, whatever it looks like.
    pub(super) fn resolve(run: &mut RunArgs, start: &Path) -> Result<Self, CliError> {
        let absolute = |paths: &[PathBuf]| paths.iter().map(|path| start.join(path)).collect();
        Ok(Self {
            prompt: source(run, start)?,
            images: absolute(&run.image),
            files: absolute(&run.file),
            format: run.format,
            quiet: run.quiet,
            timeout: run.timeout,
        })
    }
}

fn source(run: &mut RunArgs, start: &Path) -> Result<PromptSource, CliError> {
    let mut words = std::mem::take(&mut run.open.words);
    let piped = words.pop_if(|last| last == "-").is_some();
    let typed = match (run.open.prompt.take(), words.len()) {
        (prompt @ Some(_), _) => prompt,
        (None, 0 | 1) => words.pop(),
        (None, _) => {
            let words = words.join(" ");
            return Err(CliError::Usage(format!(
                "put the prompt in quotes: acp-tui run {words:?}"
            )));
        }
    };
    match (run.prompt_file.take(), typed) {
        (Some(file), _) if file == Path::new("-") => Ok(PromptSource::Stdin(None)),
        (Some(file), _) => Ok(PromptSource::File(start.join(file))),
        (None, typed) if piped => Ok(PromptSource::Stdin(typed)),
        (None, Some(typed)) => Ok(PromptSource::Text(typed)),
        (None, None) if io::stdin().is_terminal() => Err(CliError::Usage(
            "no prompt: acp-tui run PROMPT, --prompt-file FILE, or a pipe into it".into(),
        )),
        (None, None) => Ok(PromptSource::Stdin(None)),
    }
}

impl PromptSource {
    /// The prompt; `None` where `patience` was over before all of it came.
    ///
    /// # Errors
    /// There is none, or it cannot be read as text.
    pub fn read(self, patience: Option<Duration>) -> Result<Option<String>, CliError> {
        let prompt = match self {
            Self::Text(text) => text,
            Self::File(path) => {
                let shown = path.display().to_string();
                // A FIFO opens once another program writes to it.
                let read = move || fs::File::open(path).and_then(bounded);
                let Some(bytes) = within(patience, read) else {
                    return Ok(None);
                };
                text(&shown, bytes)?
            }
            Self::Stdin(typed) => {
                let Some(piped) = within(patience, || bounded(io::stdin())) else {
                    return Ok(None);
                };
                let piped = text("stdin", piped)?;
                match typed {
                    Some(typed) => format!("{typed}\n\n{piped}"),
                    None => piped,
                }
            }
        };
        // The end of a file's last line says nothing.
        let prompt = prompt.trim_end_matches(['\n', '\r']);
        if prompt.trim().is_empty() {
            return Err(CliError::Usage("the prompt is empty".into()));
        }
        Ok(Some(prompt.to_owned()))
    }
}

/// Reads on another thread: the other end of a pipe may never be opened, or never closed.
fn within<T: Send + 'static>(
    patience: Option<Duration>,
    read: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    let (sender, receiver) = mpsc::channel();
    // Fails if the time was over before.
    thread::spawn(move || drop(sender.send(read())));
    match patience {
        Some(patience) => receiver.recv_timeout(patience).ok(),
        None => receiver.recv().ok(),
    }
}

fn bounded(source: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(MAX_PROMPT + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_PROMPT {
        return Err(io::Error::other(format!(
            "is longer than {} MiB",
            MAX_PROMPT >> 20
        )));
    }
    Ok(bytes)
}

fn text(what: &str, bytes: io::Result<Vec<u8>>) -> Result<String, CliError> {
    let bytes = bytes.map_err(|error| CliError::Usage(format!("the prompt, {what}: {error}")))?;
    String::from_utf8(bytes)
        .map_err(|_| CliError::Usage(format!("the prompt, {what}: is not UTF-8")))
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::cli::{AgentWanted, Cli, Command, Launch};

    fn resolve(args: &[&str]) -> Result<(Launch, RunOptions), String> {
        let mut cli =
            Cli::try_parse_from([&["acp-tui"], args].concat()).map_err(|e| e.to_string())?;
        let Some(Command::Run(run)) = cli.command.take() else {
            panic!("no run: {args:?}");
        };
        Launch::for_run(*run, cli, Path::new("/")).map_err(|e| e.to_string())
    }

    #[test]
    fn a_prompt_comes_as_words_from_a_file_or_from_stdin() {
        let prompt = |args: &[&str]| resolve(args).unwrap().1.prompt;
        assert_eq!(prompt(&["run", "fix"]), PromptSource::Text("fix".into()));
        assert_eq!(
            prompt(&["run", "--prompt=-x"]),
            PromptSource::Text("-x".into())
        );
        assert_eq!(prompt(&["run", "-"]), PromptSource::Stdin(None));
        assert_eq!(
            prompt(&["run", "review:", "-"]),
            PromptSource::Stdin(Some("review:".into()))
        );
        assert_eq!(
            prompt(&["run", "--prompt-file", "p"]),
            PromptSource::File("/p".into())
        );
        assert_eq!(
            prompt(&["run", "--prompt-file", "-"]),
            PromptSource::Stdin(None)
        );
        assert!(
            resolve(&["run", "fix", "it"])
                .unwrap_err()
                .starts_with("put the prompt in quotes")
        );
        assert!(resolve(&["run", "--prompt-file", "p", "x"]).is_err());
    }

    #[test]
    fn its_options_are_those_of_the_screen_behind_it() {
        let (launch, options) = resolve(&[
            "--agent",
            "pi",
            "-C",
            "usr",
            "run",
            "--mode",
            "plan",
            "--timeout",
            "1.5",
            "-q",
            "--format",
            "json",
            "do it",
        ])
        .unwrap();
        assert_eq!(launch.agent, AgentWanted::Named("pi".into()));
        assert_eq!(launch.cwd, Path::new("/usr"));
        assert_eq!(launch.settings.len(), 1);
        assert_eq!(launch.prompt, None);
        assert_eq!(
            (options.format, options.quiet, options.timeout),
            (Format::Json, true, Some(Duration::from_millis(1_500)))
        );
        let (launch, _) = resolve(&["run", "x", "--", "agent", "--agent", "y"]).unwrap();
        assert!(matches!(launch.agent, AgentWanted::Command(_)));
        for wrong in [
            &["--mode", "plan", "run", "x"][..],
            &["--agent", "pi", "run", "x", "--", "y"],
            &["run", "x", "--timeout", "0"],
            &["run", "x", "--timeout", "soon"],
        ] {
            assert!(resolve(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn an_empty_prompt_is_wrong_usage() {
        let read = |text: &str| PromptSource::Text(text.into()).read(None);
        assert_eq!(read("a\nb\n\n").unwrap().as_deref(), Some("a\nb"));
        assert!(read(" \n").is_err());
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("prompt");
        fs::write(&file, b"\xff").unwrap();
        let error = PromptSource::File(file).read(None).unwrap_err().to_string();
        assert!(error.ends_with("is not UTF-8"), "{error}");
    }
}
