//! `acp-tui replay`: plays a wire log, offline. Nothing is started, served or asked.

mod player;
mod screen;

#[cfg(test)]
mod tests;

use std::{
    collections::VecDeque,
    path::Path,
    time::{Duration, Instant},
};

use anyhow::{Context, bail};

use crate::{
    acp::Recording,
    cli::{CliError, ExitCode, Format, Launch, ReplayOptions, print},
    config::{Loaded, TrustState},
    report::{self, Narrator, Observer, Record, Scope},
    session::{Event, Phase, Session, reduce},
};

use player::{Found, Player, Survey};

pub use screen::{Lines, Playing};

/// Any time will do: nothing waits.
const START_TIMEOUT: Duration = Duration::from_secs(60);

/// Looks what is in the log, and which of its sessions is to be played.
fn survey<'a>(
    survey: &'a Survey,
    path: &Path,
    wanted: Option<&str>,
) -> anyhow::Result<Option<&'a Found>> {
    if survey.readable == 0 {
        let problem = "is no wire log: --wire writes one";
        return Err(CliError::Usage(format!("{}: {problem}", path.display())).into());
    }
    let chosen = survey.choose(wanted);
    if let (Some(wanted), None) = (wanted, chosen) {
        let ids: Vec<&str> = survey
            .sessions
            .iter()
            .map(|found| found.id.as_str())
            .collect();
        bail!(CliError::Usage(format!(
            "{}: there is no session {wanted:?} in it; there are {}",
            path.display(),
            ids.join(", ")
        )));
    }
    Ok(chosen)
}

/// Plays the log in the UI until the person leaves.
///
/// # Errors
/// It cannot be read, or is none; what keeps the UI from running.
pub fn replay(
    launch: Launch,
    mut loaded: Loaded,
    options: &ReplayOptions,
) -> anyhow::Result<ExitCode> {
    let path = options.file.clone();
    let found = Survey::of(&path).with_context(|| path.display().to_string())?;
    let chosen = survey(&found, &path, options.session.as_deref())?;
    let playing = Playing {
        config: found.config(chosen, START_TIMEOUT),
        player: Player::new(chosen),
        speed: options.speed,
        length: found.length,
        begun: None,
        path,
    };
    // A project's file is about agents, and none is started.
    loaded.trust = TrustState::NotNeeded;
    super::open(launch, loaded, Some(playing))
}

/// Prints the log as text or as JSON.
///
/// # Errors
/// It cannot be read, or is none.
pub fn print_replay(options: &ReplayOptions, format: Format) -> anyhow::Result<ExitCode> {
    let path = &options.file;
    let unreadable = || path.display().to_string();
    let found = Survey::of(path).with_context(unreadable)?;
    let chosen = survey(&found, path, options.session.as_deref())?;
    let config = found.config(chosen, START_TIMEOUT);
    let mut printer = Printer::new(format);
    printer.tell(
        0.0,
        vec![Record::Start {
            version: report::VERSION,
            agent: String::new(),
            cwd: config.cwd.display().to_string(),
            policy: "",
        }],
    )?;
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
        printer.tell(at.as_secs_f64(), records)?;
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
            Some(error) => format!("a sign-in is wanted: {error}"),
            None => "a sign-in is wanted".to_owned(),
        };
        records.push(Record::Notice {
            level: "warning",
            text,
            detail: None,
        });
    }
    printer.tell(at.as_secs_f64(), records)?;
    let mut summary = observer.summary().clone();
    summary.seconds = at.as_secs_f64();
    printer.end(summary)?;
    let others = found.sessions.len().saturating_sub(1);
    if others > 0 {
        let ids: Vec<&str> = found
            .sessions
            .iter()
            .map(|found| found.id.as_str())
            .collect();
        crate::cli::complain(format_args!(
            "there are {} sessions in it (--session): {}",
            others + 1,
            ids.join(", ")
        ));
    }
    Ok(ExitCode::Done)
}

/// Writes what happens to stdout.
struct Printer {
    format: Format,
    narrator: Narrator,
    /// The last line of words has no end yet.
    open_line: bool,
}

#[derive(serde::Serialize)]
struct Timed<'a> {
    t: f64,
    #[serde(flatten)]
    record: &'a Record,
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
                Format::Jsonl => out.push_str(&report::line(&Timed { t, record })),
                Format::Text => self.text(record, &mut out),
            }
        }
        if out.is_empty() { Ok(()) } else { print(&out) }
    }

    /// A conversation to read: what was asked behind `>`, what was done in brackets.
    fn text(&mut self, record: &Record, out: &mut String) {
        let lines = match record {
            Record::User { text } => {
                let quoted = text.lines().map(|line| format!("> {line}\n"));
                Some(quoted.collect::<String>())
            }
            record => self.narrator.aside(record).map(|line| format!("{line}\n")),
        };
        if let Some(lines) = lines {
            if self.open_line {
                out.push('\n');
            }
            out.push_str(&lines);
            self.open_line = false;
            self.narrator.interrupt();
            return;
        }
        let words = self.narrator.words(record);
        if let Some(last) = words.chars().next_back() {
            self.open_line = last != '\n';
            out.push_str(&words);
        }
    }

    fn end(&mut self, summary: report::Summary) -> Result<(), CliError> {
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
