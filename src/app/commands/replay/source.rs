//! The input of a replay: a wire log, or a stored session by its file or id.

use std::{
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::Context;

use super::player::Survey;
use crate::{
    cli::{CliError, ReplayOptions},
    model::SessionId,
    session::{NoticeLevel, Session, SessionConfig},
    store::{
        files::{self, SessionFolder},
        format::StoredSession,
    },
    text::SafeText,
};

/// Found, and known to be one of the two.
pub enum Source {
    Wire(PathBuf, Survey),
    Stored(Box<StoredReplay>),
}

pub struct StoredReplay {
    /// As it was named.
    pub name: String,
    pub record: StoredSession,
}

impl Source {
    /// What stands in the file `path`, else the stored session that is called as the options say.
    /// `state` is the state directory.
    ///
    /// # Errors
    /// There is No match; it cannot be read, or is neither.
    pub fn find(options: &ReplayOptions, path: &Path, state: &Path) -> anyhow::Result<Self> {
        let shown = || options.file.display().to_string();
        match files::is_stored_session(path) {
            Ok(true) => {
                let record = files::read(path).with_context(shown)?;
                let problem = "the rest of this stored session cannot be read";
                let record = record.ok_or_else(|| usage(&format!("{}: {problem}", shown())))?;
                let file = &options.file;
                let name = file.file_name().unwrap_or(file.as_os_str());
                let name = name.to_string_lossy().into_owned();
                Self::stored(name, record, options)
            }
            Ok(false) => {
                let survey = Survey::of(path).with_context(shown)?;
                if survey.readable == 0 {
                    let problem = "is neither a wire log (--wire writes one) nor a stored session";
                    return Err(usage(&format!("{}: {problem}", shown())).into());
                }
                Ok(Self::Wire(path.to_owned(), survey))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Self::by_id(options, &SessionFolder::new(state))
            }
            Err(error) => Err(error).with_context(shown),
        }
    }

    fn by_id(options: &ReplayOptions, folder: &SessionFolder) -> anyhow::Result<Self> {
        let shown = options.file.display();
        let typed = options.file.to_str().filter(|typed| !typed.contains('/'));
        let no_file = || CliError::Usage(format!("{shown}: there is no such file"));
        let typed = typed.ok_or_else(no_file)?;
        let found = folder.find(typed, |_| true).map_err(|error| {
            CliError::Usage(format!("{shown}: there is no such file, and {error}"))
        })?;
        let record = folder.load(&found.id).map_err(CliError::from)?;
        Self::stored(found.id, record, options)
    }

    /// What only a log has is refused.
    fn stored(
        name: String,
        record: StoredSession,
        options: &ReplayOptions,
    ) -> anyhow::Result<Self> {
        let option = match options {
            ReplayOptions { speed: Some(_), .. } => "--speed",
            ReplayOptions {
                session: Some(_), ..
            } => "--session",
            _ => return Ok(Self::Stored(Box::new(StoredReplay { name, record }))),
        };
        let text = format!("{option} is for wire logs, and {name} is a stored session");
        Err(usage(&text).into())
    }
}

fn usage(text: &str) -> CliError {
    CliError::Usage(text.to_owned())
}

impl StoredReplay {
    /// The session, to be looked at, and when each of its blocks came, since it began.
    pub fn into_session(self) -> (Session, Vec<Duration>) {
        let now = std::time::Instant::now();
        let about = &self.record.about;
        let config = SessionConfig::looked_at(about.agent_name.clone(), about.cwd.clone().into());
        let id = about.session.as_ref().map(SessionId::new);
        let started = about.started;
        let name = Some(about.agent_name.clone()).filter(|name| !name.is_empty());
        let mut history = self.record.into_history(now);
        let times = std::mem::take(&mut history.at);
        let times = times.into_iter();
        let since = times.map(|at| Duration::from_millis(at.saturating_sub(started)));
        let since = since.collect();
        let mut session = Session::past(config, id, history, now);
        std::sync::Arc::make_mut(&mut session.agent).name = name;
        (session, since)
    }

    /// What there is to be said of its end.
    pub fn ends(&self) -> Vec<(NoticeLevel, SafeText)> {
        let mut ends = Vec::new();
        if self.record.later {
            let text = "part of it was stored by a newer version and is skipped";
            ends.push((NoticeLevel::Warning, text.into()));
        }
        ends.extend(
            self.record
                .damage()
                .map(|text| (NoticeLevel::Warning, text)),
        );
        ends.push(match (self.record.torn, self.record.turn_is_open) {
            (true, _) => {
                let text = "the stored session ends in the middle of a line, which is lost";
                (NoticeLevel::Warning, text.into())
            }
            (false, true) => {
                let text = "end of what is stored so far; the turn is still open";
                (NoticeLevel::Info, text.into())
            }
            (false, false) => (NoticeLevel::Info, "end of the stored session".into()),
        });
        ends
    }
}
