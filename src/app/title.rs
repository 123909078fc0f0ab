//! The terminal's title (OSC 0) and, where the terminal shows it, the progress of the turn (OSC 9;4), as
//! bytes to be sent along with a frame. Nothing is sent while nothing changes; giving both back is
//! [`tty`](super::terminal::tty)'s.

use std::env;

use crate::{
    model::PlanStatus,
    session::{Phase, Session},
    text::{SafeText, first_bytes},
};

/// Bytes of a title; with the sequence around it 60.
const TITLE_BYTES: usize = 54;

/// What the terminal was told last.
pub struct Title {
    wanted: bool,
    ascii: bool,
    /// The terminal shows progress.
    progress: bool,
    told: Option<(String, Progress)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Progress {
    None,
    Busy,
    Percent(u8),
}

/// What is told of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Idle,
    Working,
    Waiting,
    Failed,
}

impl Title {
    pub fn new(wanted: bool, ascii: bool) -> Self {
        Self {
            wanted: wanted && has_title(),
            ascii,
            progress: shows_progress(|name| env::var(name).ok()),
            told: None,
        }
    }

    /// Takes over other settings. A title that was told stays until the end.
    pub fn configure(&mut self, wanted: bool, ascii: bool) {
        self.wanted = wanted && has_title();
        self.ascii = ascii;
    }

    /// What to send for this state. `kept`: the terminal has what it was told last, as nothing else had it
    /// since. `others_wait`: another session waits for the person.
    pub fn bytes(
        &mut self,
        session: Option<&Session>,
        others_wait: bool,
        project: &str,
        kept: bool,
    ) -> Vec<u8> {
        let mut out = Vec::new();
        if !self.wanted {
            return out;
        }
        let before = self.told.take().filter(|_| kept);
        let state = match session.map_or(State::Idle, state_of) {
            State::Idle | State::Working if others_wait => State::Waiting,
            state => state,
        };
        let text = self.text(state, session, project);
        let progress = match (state, session) {
            (State::Working, Some(session)) => progress_of(session),
            _ => Progress::None,
        };
        if before.is_none() {
            // The title that stands there is put aside by terminals that can.
            out.extend_from_slice(b"\x1b[22;0t");
        }
        if before.as_ref().is_none_or(|(told, _)| *told != text) {
            // SafeText has no control character that could end it early.
            out.extend_from_slice(format!("\x1b]0;{text}\x1b\\").as_bytes());
        }
        let shown = before.map_or(Progress::None, |(_, progress)| progress);
        if self.progress && shown != progress {
            let value = match progress {
                Progress::None => "0".to_owned(),
                Progress::Busy => "3".to_owned(),
                Progress::Percent(percent) => format!("1;{percent}"),
            };
            out.extend_from_slice(format!("\x1b]9;4;{value}\x1b\\").as_bytes());
        }
        self.told = Some((text, progress));
        out
    }

    pub fn tells_progress(&self) -> bool {
        self.wanted && self.progress
    }

    fn text(&self, state: State, session: Option<&Session>, project: &str) -> String {
        let sign = match (state, self.ascii) {
            (State::Idle, _) => "",
            (State::Waiting, _) => "? ",
            (State::Working, true) => "* ",
            (State::Working, false) => "● ",
            (State::Failed, true) => "x ",
            (State::Failed, false) => "✗ ",
        };
        let project = project.trim_end_matches('/');
        let project = project.rsplit('/').next().unwrap_or(project);
        let name = session.and_then(Session::name);
        let name = name.filter(|name| is_plain(name));
        let name = name.map(|name| format!(" - {}", name.trim()));
        let text = format!("{sign}{project}{}", name.unwrap_or_default());
        let text = SafeText::line(&text);
        if text.len() <= TITLE_BYTES {
            return text.as_str().to_owned();
        }
        let cut = first_bytes(&text, TITLE_BYTES - 3).trim_end();
        format!("{cut}...")
    }
}

/// Whether a name has no sign of a character that was made visible: a session that is named by control
/// characters is not to be read in the window's frame.
fn is_plain(name: &str) -> bool {
    let is_sign = |c: char| matches!(c, '\u{2400}'..='\u{243f}');
    !name.contains(is_sign) && !name.contains("<U+")
}

/// The console of Linux has no title, and may print one.
fn has_title() -> bool {
    env::var("TERM").is_ok_and(|term| term != "linux")
}

fn state_of(session: &Session) -> State {
    match &session.phase {
        _ if session.waits_for_person() => State::Waiting,
        Phase::Failed { .. } => State::Failed,
        Phase::Starting { .. } | Phase::Opening { .. } => State::Working,
        _ if session.turn.is_some() => State::Working,
        _ => State::Idle,
    }
}

/// As far as the plan is done, where there is one.
fn progress_of(session: &Session) -> Progress {
    let plan = &session.conversation.plan;
    let done = plan
        .iter()
        .filter(|entry| entry.status == PlanStatus::Completed)
        .count();
    match (done * 100).checked_div(plan.len()) {
        Some(percent) if done > 0 => Progress::Percent(u8::try_from(percent).unwrap_or(100)),
        _ => Progress::Busy,
    }
}

/// Only terminals that are known to show it: others take OSC 9 for a notification.
fn shows_progress(var: impl Fn(&str) -> Option<String>) -> bool {
    if var("TMUX").is_some() || var("STY").is_some() {
        return false;
    }
    let vte = var("VTE_VERSION").and_then(|version| version.parse::<u32>().ok());
    var("WT_SESSION").is_some()
        || var("ConEmuANSI").is_some_and(|on| on == "ON")
        || var("TERM_PROGRAM").is_some_and(|name| name == "ghostty")
        || vte.is_some_and(|version| version >= 7_900)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::testing::Bench;

    fn title() -> Title {
        Title {
            wanted: true,
            ascii: false,
            progress: true,
            told: None,
        }
    }

    fn told(title: &mut Title, bench: &Bench) -> String {
        let bytes = title.bytes(Some(&bench.session), false, "~/src/tool", true);
        String::from_utf8(bytes).expect("text")
    }

    #[test]
    fn a_name_that_carries_control_characters_is_left_out() {
        let mut bench = Bench::ready();
        bench.prompt("go \u{1b}]0;mine\u{7}");
        let told = told(&mut title(), &bench);
        assert!(told.contains("\x1b]0;● tool\x1b\\"), "{told:?}");
    }

    #[test]
    fn the_title_tells_state_project_and_session_when_one_changes() {
        let mut bench = Bench::ready();
        let mut title = title();
        assert_eq!(told(&mut title, &bench), "\x1b[22;0t\x1b]0;tool\x1b\\");
        assert_eq!(told(&mut title, &bench), "", "nothing changed");
        bench.prompt("test it");
        assert_eq!(
            told(&mut title, &bench),
            "\x1b]0;● tool - test it\x1b\\\x1b]9;4;3\x1b\\"
        );
        bench.wait(10_000);
        assert_eq!(told(&mut title, &bench), "", "time alone changes nothing");
        bench.asks_to_run("ls");
        assert_eq!(
            told(&mut title, &bench),
            "\x1b]0;? tool - test it\x1b\\\x1b]9;4;0\x1b\\"
        );
        // Another program had the terminal.
        let again = title.bytes(Some(&bench.session), false, "~/src/tool", false);
        assert!(again.starts_with(b"\x1b[22;0t\x1b]0;? tool"));
    }

    #[test]
    fn a_title_is_no_order_to_the_terminal_and_at_most_60_bytes() {
        let mut bench = Bench::ready();
        bench.prompt(
            "\x1b]0;x\x07\u{9d}52;c;AAAA\u{202e} 日本語日本語日本語日本語日本語日本語日本語",
        );
        let mut title = title();
        title.progress = false;
        let bytes = title.bytes(Some(&bench.session), false, "tool", true);
        let sent = bytes.strip_prefix(b"\x1b[22;0t").expect("put aside");
        assert!(sent.len() <= 60, "{}", sent.len());
        let text = std::str::from_utf8(sent).expect("text");
        let inner = text
            .strip_prefix("\x1b]0;")
            .and_then(|text| text.strip_suffix("\x1b\\"))
            .expect("one sequence");
        assert!(!inner.chars().any(char::is_control), "{inner:?}");
        for project in 45..60 {
            let project = "p".repeat(project);
            let bytes = title.bytes(None, false, &project, true);
            assert!(bytes.len() <= 60, "{}", bytes.len());
        }
    }

    #[test]
    fn without_a_wish_nothing_is_sent() {
        let mut title = title();
        title.wanted = false;
        assert_eq!(told(&mut title, &Bench::working()), "");
    }

    #[test]
    fn progress_is_for_terminals_that_show_it() {
        let with = |set: &'static [(&str, &str)]| {
            shows_progress(|name| {
                let found = set.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| (*value).to_owned())
            })
        };
        assert!(with(&[("TERM_PROGRAM", "ghostty")]));
        assert!(with(&[("VTE_VERSION", "7900")]));
        assert!(!with(&[("VTE_VERSION", "7899")]));
        assert!(!with(&[("TERM_PROGRAM", "ghostty"), ("TMUX", "/tmp/x")]));
        assert!(!with(&[]));
    }
}
