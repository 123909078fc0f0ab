//! `acp-tui replay`: plays a wire log, or shows a stored session, offline. Nothing is started, served
//! or asked.

mod player;
mod playing;
mod screen;
mod source;

#[cfg(test)]
mod tests;

use std::{
    collections::VecDeque,
    fs::File,
    io::{self, IsTerminal, Read},
    os::{fd::AsFd, unix::fs::FileTypeExt},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use anyhow::Context;
use tempfile::{NamedTempFile, TempPath};

use crate::{
    acp::Recording,
    cli::{CliError, ExitCode, Format, Launch, ReplayOptions, print},
    config::{Loaded, TrustState},
    report::{self, Narrator, Observer, Record, Scope},
    session::{Event, Phase, Session, reduce},
};

use player::{Found, Player, Survey};
use source::{Source, StoredReplay};

pub use playing::Playing;

/// Bytes of a log that comes through a pipe.
const MAX_PIPED: u64 = 4 << 30;

/// What is to be read, more than once: what comes through a pipe (`-` is stdin) is put aside first.
struct Input {
    path: PathBuf,
    /// Removed when this goes.
    _aside: Option<TempPath>,
}

impl Input {
    fn of(file: &Path) -> anyhow::Result<Self> {
        let shown = || file.display().to_string();
        let piped = if file == Path::new("-") {
            File::from(io::stdin().as_fd().try_clone_to_owned().context("stdin")?)
        } else if file
            .metadata()
            .is_ok_and(|meta| !meta.is_file() && !meta.is_dir())
        {
            File::open(file).with_context(shown)?
        } else {
            let path = file.to_owned();
            return Ok(Self { path, _aside: None });
        };
        let kind = piped.metadata().with_context(shown)?.file_type();
        if (kind.is_char_device() || kind.is_block_device()) && !piped.is_terminal() {
            // /dev/zero has no end.
            let text = format!("{}: not a file, a pipe or a terminal", shown());
            return Err(CliError::Usage(text).into());
        }
        let mut aside = NamedTempFile::new().context("a temporary file")?;
        let bytes = io::copy(&mut piped.take(MAX_PIPED), &mut aside).with_context(shown)?;
        if bytes == MAX_PIPED {
            let text = format!("{}: more than 4 GiB; save it to a file first", shown());
            return Err(CliError::Usage(text).into());
        }
        let aside = aside.into_temp_path();
        Ok(Self {
            path: aside.to_path_buf(),
            _aside: Some(aside),
        })
    }
}

/// Which of the sessions of a log is to be played.
fn choose<'a>(
    survey: &'a Survey,
    path: &Path,
    wanted: Option<&str>,
) -> Result<Option<&'a Found>, CliError> {
    let chosen = survey.choose(wanted);
    if let (Some(wanted), None) = (wanted, chosen) {
        return Err(CliError::Usage(format!(
            "{}: no session {wanted:?} in it; it has {}",
            path.display(),
            ids(survey)
        )));
    }
    Ok(chosen)
}

fn ids(survey: &Survey) -> String {
    let ids = survey.sessions.iter().map(|found| found.id.as_str());
    ids.collect::<Vec<_>>().join(", ")
}

/// Plays a log, or shows a stored session, in the UI until the person leaves.
///
/// # Errors
/// It cannot be read, or is neither; what keeps the UI from running.
pub fn replay(
    launch: Launch,
    mut loaded: Loaded,
    options: &ReplayOptions,
) -> anyhow::Result<ExitCode> {
    let input = Input::of(&options.file)?;
    let playing = match Source::find(options, &input.path, &launch.load_options()?.dirs.state)? {
        Source::Wire(path, survey) => {
            let chosen = choose(&survey, &path, options.session.as_deref())?;
            Playing::wire(path.clone(), &survey, chosen, options.speed)
        }
        Source::Stored(stored) => Playing::stored(*stored),
    };
    // A project's file is about agents, and none is started.
    loaded.trust = TrustState::NotNeeded;
    crate::app::open(launch, loaded, Some(playing))
}

/// Prints a log or a stored session as text or as JSON. `state` is the state directory.
///
/// # Errors
/// It cannot be read, or is neither.
pub fn print_replay(
    options: &ReplayOptions,
    format: Format,
    state: &Path,
) -> anyhow::Result<ExitCode> {
    let input = Input::of(&options.file)?;
    match Source::find(options, &input.path, state)? {
        Source::Wire(path, survey) => print_wire(&path, &survey, options, format)?,
        Source::Stored(stored) => print_stored(*stored, format)?,
    }
    Ok(ExitCode::Done)
}

fn start(agent: &str, cwd: &Path) -> Record {
    Record::Start {
        version: report::VERSION,
        agent: agent.to_owned(),
        cwd: cwd.display().to_string(),
        worktree: None,
        policy: "",
    }
}

fn print_wire(
    path: &Path,
    found: &Survey,
    options: &ReplayOptions,
    format: Format,
) -> anyhow::Result<()> {
    let unreadable = || path.display().to_string();
    let chosen = choose(found, path, options.session.as_deref())?;
    let config = found.config(chosen);
    let mut printer = Printer::new(format);
    printer.tell(0.0, vec![start("", &config.cwd)])?;
    let begun = Instant::now();
    let mut observer = Observer::new("", Scope::All);
    let (mut session, effects) = Session::start(config, begun);
    let mut player = Player::new(chosen);
    let mut events: VecDeque<Event> = effects.iter().filter_map(|e| player.follow(e)).collect();
    let mut recording = Recording::open(path).with_context(unreadable)?;
    let mut at = Duration::ZERO;
    loop {
        let mut records = Vec::new();
        while let Some(event) = events.pop_front() {
            records.extend(observer.hear(&event));
            let effects = reduce(&mut session, event, begun + at);
            records.extend(observer.look(&session));
            events.extend(effects.iter().filter_map(|effect| player.follow(effect)));
        }
        printer.tell(report::seconds(at), records)?;
        let Some(recorded) = recording.next_line().with_context(unreadable)? else {
            break;
        };
        // Times of several logs in one file may go back.
        at = at.max(recorded.at);
        events = player.events(recorded, &session, &mut |_| {});
    }
    let mut records = Vec::new();
    for event in player.end(&session) {
        records.extend(observer.hear(&event));
        reduce(&mut session, event, begun + at);
        records.extend(observer.look(&session));
    }
    // A dialog in the UI, and no part of the conversation.
    if let Phase::SignIn { error, .. } = &session.phase {
        let text = match error {
            Some(error) => format!("sign-in required: {error}"),
            None => "sign-in required".to_owned(),
        };
        records.push(Record::Notice {
            level: "warning",
            text,
            detail: None,
        });
    }
    printer.tell(report::seconds(at), records)?;
    let mut summary = observer.summary().clone();
    summary.seconds = report::seconds(at);
    printer.end(summary)?;
    if found.sessions.len() > 1 {
        crate::cli::complain(format_args!(
            "there are {} sessions in it (--session): {}",
            found.sessions.len(),
            ids(found)
        ));
    }
    Ok(())
}

fn print_stored(stored: StoredReplay, format: Format) -> anyhow::Result<()> {
    let mut printer = Printer::new(format);
    let about = &stored.record.about;
    let agent = about.agent.clone();
    printer.tell(0.0, vec![start(&agent, Path::new(&about.cwd))])?;
    let stop = stored.record.stop.as_ref().map(ToString::to_string);
    let ends = stored.ends();
    let (mut session, times) = stored.into_session();
    for (level, text) in ends {
        reduce(&mut session, Event::Note { level, text }, Instant::now());
    }
    let mut observer = Observer::new(&agent, Scope::All);
    let (head, told, tail) = observer.retell(&session);
    printer.tell(0.0, head)?;
    let mut at = Duration::ZERO;
    for (n, records) in told.into_iter().enumerate() {
        // Notes about its end have no time.
        at = times.get(n).copied().unwrap_or(at).max(at);
        printer.tell(report::seconds(at), records)?;
    }
    printer.tell(report::seconds(at), tail)?;
    let mut summary = observer.summary().clone();
    summary.seconds = report::seconds(at);
    summary.stop_reason = stop;
    printer.end(summary)?;
    Ok(())
}

/// Writes what happens to stdout.
struct Printer {
    format: Format,
    narrator: Narrator,
    /// The last line of words has no end yet.
    open_line: bool,
}

impl Printer {
    fn new(format: Format) -> Self {
        Self {
            format,
            narrator: Narrator::with_errors(),
            open_line: false,
        }
    }

    fn tell(&mut self, t: f64, records: Vec<Record>) -> Result<(), CliError> {
        let mut out = String::new();
        for record in &records {
            match self.format {
                Format::Json => {}
                Format::Jsonl => out.push_str(&report::timed_line(t, record)),
                Format::Text => self.text(record, &mut out),
            }
        }
        if out.is_empty() { Ok(()) } else { print(&out) }
    }

    /// A conversation to read: what was asked behind `>`, what was done in brackets.
    fn text(&mut self, record: &Record, out: &mut String) {
        let lines = self.narrator.aside(record);
        let mut lines: String = lines.iter().map(|line| format!("{line}\n")).collect();
        if let Record::User { text } = record {
            lines.extend(text.lines().map(|line| format!("> {line}\n")));
        }
        if !lines.is_empty() {
            if self.open_line {
                out.push('\n');
            }
            out.push_str(&lines);
            self.open_line = false;
            self.narrator.interrupt();
        }
        let words = self.narrator.words(record);
        if let Some(last) = words.chars().next_back() {
            self.open_line = last != '\n';
            out.push_str(&words);
        }
    }

    fn end(&mut self, summary: report::Summary) -> Result<(), CliError> {
        if self.format == Format::Text
            && let Some(line) = self.narrator.rest()
        {
            let gap = if std::mem::take(&mut self.open_line) {
                "\n"
            } else {
                ""
            };
            print(&format!("{gap}{line}\n"))?;
        }
        match self.format {
            Format::Json => print(&report::pretty(&summary)),
            Format::Jsonl => {
                let t = summary.seconds;
                self.tell(t, vec![Record::End(Box::new(summary))])
            }
            Format::Text if self.open_line => print("\n"),
            Format::Text => Ok(()),
        }
    }
}
