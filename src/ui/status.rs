//! The status line: one row with agent, directory, usage and activity. Parts that do not fit
//! are omitted, the least important first.

use std::time::{Duration, Instant};

use crate::{
    model::{ConfigOption, OptionValue, Usage, WorkState, category},
    session::{Elsewhere, Phase, Session, SignInStep, Turn, TurnPhase},
    text::{SafeText, first_bytes},
    ui::{
        ProjectInfo,
        action::Action,
        keymap::Keymap,
        options::{is_dangerous, named_line},
        overlay::agent_name,
        render::{
            Row,
            format::{elapsed_seconds, grouped},
            line::StyledLine,
        },
        theme::{Symbols, Theme},
    },
};

/// Cells for one name that the agent chose (its own, a mode's, a model's).
const NAME_WIDTH: usize = 24;

/// Bytes that can fill that many cells, combining marks included.
const NAME_BYTES: usize = 16 * NAME_WIDTH;

/// What the line is drawn from.
pub struct Status<'a> {
    pub session: Option<&'a Session>,
    /// How the others stand.
    pub elsewhere: Elsewhere,
    pub project: &'a ProjectInfo,
    pub keymap: &'a Keymap,
    pub theme: &'a Theme,
    pub symbols: &'a Symbols,
    pub motion: bool,
    /// Shown at the left instead of the standing parts.
    pub toast: Option<&'a SafeText>,
    /// A question stands above.
    pub asking: bool,
    /// A question is open while there is a draft, and it has no room to say where letters go.
    pub letters_typed: bool,
    /// A viewer has the keys and shows what they do.
    pub in_viewer: bool,
    pub now: Instant,
}

/// A part and its rank: those of the highest rank are omitted first.
struct Part {
    rank: u8,
    line: StyledLine,
}

impl Part {
    fn new(rank: u8, line: StyledLine) -> Self {
        Self { rank, line }
    }
}

/// Ranks, from parts that are never omitted.
mod rank {
    pub const ALWAYS: u8 = 0;
    pub const AGENT: u8 = 1;
    pub const MODE: u8 = 2;
    pub const CONTEXT: u8 = 3;
    pub const CWD: u8 = 4;
    pub const MODEL: u8 = 5;
    pub const LEVEL: u8 = 6;
    pub const COST: u8 = 7;
    pub const BRANCH: u8 = 8;
    pub const TOKENS: u8 = 9;
    pub const HINT: u8 = 10;
}

impl Status<'_> {
    /// The row, at most `width` cells.
    pub fn row(&self, width: usize) -> Row {
        let mut parts = match self.toast {
            Some(toast) => vec![self.part(rank::ALWAYS, toast, self.theme.accent)],
            None => self.standing(),
        };
        parts.extend(self.others());
        parts.extend(self.background());
        parts.extend(self.activity());
        let room = width.saturating_sub(1);
        loop {
            let line = self.join(&parts);
            let Some(least) = parts
                .iter()
                .map(|part| part.rank)
                .max()
                .filter(|rank| line.width() > room && *rank > rank::ALWAYS)
            else {
                return line.truncate(width, self.symbols.ellipsis);
            };
            parts.retain(|part| part.rank < least);
        }
    }

    fn join(&self, parts: &[Part]) -> StyledLine {
        // Under the text of the composer.
        let mut line = StyledLine::styled("  ", self.theme.text);
        for (n, part) in parts.iter().enumerate() {
            // The branch belongs to the directory before it.
            let separator = match part.rank {
                _ if n == 0 => String::new(),
                rank::BRANCH => " ".into(),
                _ => format!(" {} ", self.symbols.separator),
            };
            line.push(&separator, self.theme.dim);
            line.extend(&part.line);
        }
        line
    }

    fn part(&self, rank: u8, text: &str, style: ratatui::style::Style) -> Part {
        Part::new(rank, StyledLine::styled(text, style))
    }

    fn name(&self, text: &str, style: ratatui::style::Style) -> StyledLine {
        let mut out = StyledLine::new();
        let whole = StyledLine::styled(first_bytes(text, NAME_BYTES), style);
        for span in whole.truncate(NAME_WIDTH, self.symbols.ellipsis).line {
            out.push(&span.content, span.style);
        }
        out
    }

    /// The standing parts: policy, agent, options, directory, usage.
    fn standing(&self) -> Vec<Part> {
        let theme = self.theme;
        let mut parts = Vec::new();
        if let Some((policy, danger)) = &self.project.policy {
            let style = match danger {
                true => theme.error.bold(),
                false => theme.warning,
            };
            parts.push(self.part(rank::ALWAYS, policy, style));
        }
        if let Some(session) = self.session {
            let name = self.name(&agent_name(Some(session)), theme.strong);
            parts.push(Part::new(rank::AGENT, name));
            parts.extend(self.mode(session));
            parts.extend(self.model(session));
            parts.extend(self.thought_level(session));
        } else if !self.asking {
            parts.push(self.part(rank::AGENT, "no agent", theme.dim));
        }
        if !self.project.cwd.is_empty() {
            parts.push(self.part(rank::CWD, &self.project.cwd, theme.dim));
            if let Some(branch) = &self.project.git_branch {
                parts.push(self.part(rank::BRANCH, &format!("({branch})"), theme.dim));
            }
        }
        if let Some(usage) = self.session.and_then(|session| session.usage.as_ref()) {
            let (text, full) = context(usage);
            let style = if full { theme.warning } else { theme.dim };
            parts.push(self.part(rank::CONTEXT, &text, style));
            if let Some((amount, unit)) = &usage.cost {
                parts.push(self.part(rank::COST, &cost(*amount, unit), theme.dim));
            }
        }
        let tokens = self.session.and_then(|session| session.tokens);
        if let Some(tokens) = tokens.filter(|tokens| tokens.total > 0) {
            let total = usize::try_from(tokens.total).unwrap_or(usize::MAX);
            let text = format!("{} tokens", grouped(total));
            parts.push(self.part(rank::TOKENS, &text, theme.dim));
        }
        parts
    }

    /// The other sessions: one that waits for the person must not be missed.
    fn others(&self) -> Option<Part> {
        let Elsewhere {
            open,
            waiting,
            working,
            failed,
        } = self.elsewhere;
        if open == 0 {
            return None;
        }
        let key = self.keymap.hint(Action::Sessions);
        let mut line = StyledLine::new();
        let rank = if waiting > 0 {
            line.push(self.symbols.asking, self.theme.warning.bold());
            let verb = if waiting == 1 {
                "session waits"
            } else {
                "sessions wait"
            };
            line.push(&format!(" {waiting} {verb} "), self.theme.warning);
            rank::ALWAYS
        } else {
            let what = match (working, failed) {
                (0, 0) => String::new(),
                (0, failed) => format!(", {failed} failed"),
                (working, _) => format!(", {working} working"),
            };
            line.push(&format!("+{open}{what} "), self.theme.dim);
            rank::CONTEXT
        };
        line.push(&key, self.theme.key_hint);
        Some(Part { rank, line })
    }

    /// Background work (V2-STATE-02).
    fn background(&self) -> Option<Part> {
        let beside = self.session.map_or(0, Session::in_background);
        let text = format!("{} in background", grouped(beside));
        (beside > 0).then(|| self.part(rank::CONTEXT, &text, self.theme.accent))
    }

    /// The mode; dangerous ones in warning colour, and never omitted (V1-MODE-04).
    fn mode(&self, session: &Session) -> Option<Part> {
        let option = session.mode_option()?;
        let current = option.current();
        if current == OptionValue::Id(String::new()) {
            // Not known (D-24).
            return None;
        }
        let (rank, style) = if is_dangerous(option, &current) {
            (rank::ALWAYS, self.theme.warning.bold())
        } else {
            (rank::MODE, self.theme.accent)
        };
        Some(self.value(rank, option, style))
    }

    fn model(&self, session: &Session) -> Option<Part> {
        let option = session.option_of(category::MODEL)?;
        let shown = option.is_select();
        shown.then(|| self.value(rank::MODEL, option, self.theme.text))
    }

    /// Nothing for "default", which would say nothing here.
    fn thought_level(&self, session: &Session) -> Option<Part> {
        let option = session.option_of(category::THOUGHT_LEVEL)?;
        let shown = match option.current() {
            OptionValue::Id(id) => !id.eq_ignore_ascii_case("default"),
            OptionValue::Flag(_) => false,
        };
        shown.then(|| self.value(rank::LEVEL, option, self.theme.dim))
    }

    fn value(&self, rank: u8, option: &ConfigOption, style: ratatui::style::Style) -> Part {
        let current = option.current();
        let name = self.name(&option.name_of(&current), style);
        let name = SafeText::line(name.text());
        let line = named_line(&name, is_dangerous(option, &current), self.theme, style);
        Part { rank, line }
    }

    /// The activity, if any.
    fn activity(&self) -> Option<Part> {
        let theme = self.theme;
        if self.letters_typed {
            let mut line = StyledLine::styled(self.symbols.asking, theme.warning.bold());
            line.push(" typing goes to the draft", theme.warning);
            return Some(Part::new(rank::ALWAYS, line));
        }
        let Some(session) = self.session else {
            // A toast may say it; and a question comes before the agent, which
            // may be chosen already.
            if self.toast.is_some() || self.asking {
                return None;
            }
            let text = format!(
                "press {} to choose an agent",
                self.keymap.hint(Action::ChooseAgent)
            );
            return Some(self.part(rank::HINT, &text, theme.dim));
        };
        let always = |line| Some(Part::new(rank::ALWAYS, line));
        if self.project.read_only.is_some() {
            // In a replay no key stops or starts anything.
            if let Some(turn) = &session.turn {
                return always(self.busy(turn.started, ""));
            }
            let text = format!("{} keys", self.keymap.hint(Action::Help));
            return (!self.in_viewer).then(|| self.part(rank::HINT, &text, theme.dim));
        }
        match &session.phase {
            Phase::Starting { since } => return always(self.busy(*since, "starting")),
            Phase::Opening { since, replaying } => {
                let what = if *replaying {
                    "loading the session"
                } else {
                    "opening a session"
                };
                return always(self.busy(*since, what));
            }
            Phase::SignIn {
                step: SignInStep::Choosing,
                ..
            } => return always(StyledLine::styled("sign-in needed", theme.warning)),
            Phase::SignIn { .. } => {
                return always(StyledLine::styled("signing in", theme.accent));
            }
            Phase::Failed { .. } => {
                let mut line = StyledLine::styled(self.symbols.failed, theme.error);
                line.push(" not running ", theme.error);
                self.push_hint(&mut line, Action::Restart, "restarts it");
                return always(line);
            }
            Phase::Ready => {}
        }
        let waiting = session.waiting_questions().count();
        let Some(turn) = &session.turn else {
            if waiting > 0 {
                return always(self.waiting(waiting));
            }
            if session.work == Some(WorkState::Unknown) {
                return always(self.unknown());
            }
            if self.in_viewer {
                return None;
            }
            let text = format!("{} keys", self.keymap.hint(Action::Help));
            return Some(self.part(rank::HINT, &text, theme.dim));
        };
        always(self.of_turn(turn, session, waiting))
    }

    /// The state of an open turn, and the key that stops it.
    fn of_turn(&self, turn: &Turn, session: &Session, waiting: usize) -> StyledLine {
        let theme = self.theme;
        let esc = |line: &mut StyledLine, what| self.push_hint(line, Action::Stop, what);
        match turn.phase {
            TurnPhase::Cancelling { slow: true, .. } => {
                let mut line = StyledLine::styled("not stopping: ", theme.warning.bold());
                esc(&mut line, "abandons");
                line
            }
            TurnPhase::Cancelling { since, slow: false } => self.busy(since, "cancelling"),
            TurnPhase::Running if waiting > 0 => self.waiting(waiting),
            TurnPhase::Running if session.work == Some(WorkState::Unknown) => self.unknown(),
            TurnPhase::Running if session.work == Some(WorkState::RequiresAction) => {
                // Nothing was asked here.
                let mut line = StyledLine::styled(self.symbols.asking, theme.warning.bold());
                line.push(" waiting for you ", theme.warning);
                esc(&mut line, "stops");
                line
            }
            TurnPhase::Running => {
                let name = match &session.work {
                    Some(WorkState::Other(name)) => {
                        self.name(name.trim_start_matches('_'), theme.text)
                    }
                    _ => StyledLine::new(),
                };
                let mut line = self.busy(turn.started, name.text());
                if let Some(silence) = session.silent_for(self.now) {
                    line.push(" no answer from the agent", theme.warning);
                    if self.motion {
                        let text = format!(" for {}", elapsed_seconds(silence));
                        line.push(&text, theme.warning);
                    }
                }
                line.push(" ", theme.text);
                esc(&mut line, "stops");
                line
            }
        }
    }

    /// The agent does not know whether it is working: no spinner (V2-STATE-03).
    fn unknown(&self) -> StyledLine {
        let mut line = StyledLine::styled("state unknown ", self.theme.dim);
        self.push_hint(&mut line, Action::Stop, "stops");
        line
    }

    fn waiting(&self, count: usize) -> StyledLine {
        let questions = if count == 1 {
            "1 question waits".to_owned()
        } else {
            format!("{count} questions wait")
        };
        let mut line = StyledLine::styled(self.symbols.asking, self.theme.warning.bold());
        line.push(&format!(" {questions}"), self.theme.warning);
        line
    }

    /// Without motion there is no spinner and no clock: the duration is shown at the end.
    fn busy(&self, since: Instant, what: &str) -> StyledLine {
        let took = self.now.saturating_duration_since(since);
        let mut line = StyledLine::new();
        if !self.motion {
            let what = if what.is_empty() { "working" } else { what };
            line.push(what, self.theme.text);
            return line;
        }
        line.push(frame(self.symbols.spinner, took), self.theme.accent);
        line.push(" ", self.theme.text);
        if !what.is_empty() {
            line.push(&format!("{what} "), self.theme.text);
        }
        line.push(&elapsed_seconds(took), self.theme.text);
        line
    }

    fn push_hint(&self, line: &mut StyledLine, action: Action, what: &str) {
        let key = self.keymap.hint(action);
        if key.is_empty() || self.in_viewer {
            return;
        }
        line.push(&key, self.theme.key_hint);
        line.push(&format!(" {what}"), self.theme.dim);
    }
}

/// Time between two pictures of the spinner.
pub const SPINNER_STEP: Duration = Duration::from_millis(100);

fn frame(spinner: &'static [&'static str], took: Duration) -> &'static str {
    let step = took.as_millis() / SPINNER_STEP.as_millis();
    let count = spinner.len().max(1);
    let at = usize::try_from(step % count as u128).unwrap_or(0);
    spinner.get(at).copied().unwrap_or(" ")
}

/// When the line changes without an event: the spinner turns, a second has passed; without
/// motion, when silence is reported.
pub fn deadline(
    session: Option<&Session>,
    read_only: bool,
    motion: bool,
    now: Instant,
) -> Option<Instant> {
    let session = session?;
    let since = match (&session.phase, &session.turn) {
        (_, Some(turn)) if read_only => turn.started,
        _ if read_only => return None,
        (Phase::Starting { since } | Phase::Opening { since, .. }, _) => *since,
        (Phase::Ready, Some(turn)) => match turn.phase {
            TurnPhase::Cancelling { slow: true, .. } => return None,
            TurnPhase::Cancelling { since, .. } => since,
            // The turn waits for the person.
            TurnPhase::Running if session.waiting_questions().next().is_some() => {
                return None;
            }
            TurnPhase::Running
                if matches!(
                    session.work,
                    Some(WorkState::RequiresAction | WorkState::Unknown)
                ) =>
            {
                return None;
            }
            TurnPhase::Running => turn.started,
        },
        _ => return None,
    };
    if !motion {
        return session.silent_from().filter(|at| *at > now);
    }
    let passed = now.saturating_duration_since(since).as_millis() / SPINNER_STEP.as_millis();
    let next = u32::try_from(passed + 1).ok()?;
    Some(since + SPINNER_STEP * next)
}

/// How full the context is, and whether it is nearly full. An agent may give no size (0).
fn context(usage: &Usage) -> (String, bool) {
    /// Percent from which it is worth a warning.
    const NEARLY_FULL: u64 = 85;
    if usage.size == 0 {
        let used = usize::try_from(usage.used).unwrap_or(usize::MAX);
        return (format!("ctx {}", grouped(used)), false);
    }
    let percent = u128::from(usage.used) * 100 / u128::from(usage.size);
    let percent = u64::try_from(percent).unwrap_or(u64::MAX).min(999);
    (format!("ctx {percent}%"), percent >= NEARLY_FULL)
}

/// `$0.12`, `3.50 credits`; `?` if it is not a number.
fn cost(amount: f64, unit: &SafeText) -> String {
    if !amount.is_finite() {
        return format!("? {unit}");
    }
    match unit.as_str() {
        "USD" => format!("${amount:.2}"),
        "EUR" => format!("€{amount:.2}"),
        _ => format!("{amount:.2} {unit}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// V1-UPD-09
    #[test]
    fn usage_never_divides_by_nothing() {
        let usage = |used, size| Usage {
            used,
            size,
            cost: None,
        };
        assert_eq!(context(&usage(34, 100)), ("ctx 34%".into(), false));
        assert_eq!(context(&usage(90, 100)), ("ctx 90%".into(), true));
        assert_eq!(context(&usage(1_234, 0)), ("ctx 1,234".into(), false));
        assert_eq!(context(&usage(u64::MAX, 1)).0, "ctx 999%");
    }

    #[test]
    fn costs_have_their_own_unit() {
        assert_eq!(cost(0.123, &"USD".into()), "$0.12");
        assert_eq!(cost(3.5, &"credits".into()), "3.50 credits");
        assert_eq!(cost(f64::NAN, &"USD".into()), "? USD");
    }
}
