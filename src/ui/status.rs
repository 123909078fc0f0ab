//! The status line: one row in two halves. Left what the agent works with, right where it works, what
//! it has used, and who waits for the person. Parts that do not fit are omitted, the least important
//! first.

use ratatui::style::Style;

use crate::{
    model::{ConfigOption, LimitState, OptionValue, Usage, WorkState, category},
    session::{Elsewhere, Phase, Session, SignInStep},
    text::{SafeText, first_bytes},
    ui::{
        ProjectInfo,
        action::Action,
        activity::Activity,
        keymap::Keymap,
        options::{is_dangerous, model_name, named_line},
        overlay::agent_name,
        render::{
            Row,
            format::{count, grouped},
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
    /// What the agent is at, where it is at something.
    pub working: Option<Activity<'a>>,
    /// Shown at the left instead of the standing parts.
    pub toast: Option<&'a SafeText>,
    /// The draft is a command for the shell.
    pub shell: bool,
    /// A question stands above.
    pub asking: bool,
    /// A question is open while there is a draft, and it has no room to say where letters go.
    pub letters_typed: bool,
    /// The composer has a text, and not what may be done in its place.
    pub drafting: bool,
    /// Files of the last turn that are still changed, if something of it was put back.
    pub left: Option<usize>,
    /// Comments of the review that were not sent.
    pub comments: usize,
    /// A viewer has the keys and shows what they do.
    pub in_viewer: bool,
    /// vim's mode, and the keys of a command that is not complete.
    pub mode: Option<(&'static str, String)>,
}

/// A part and its rank: those of the highest rank are omitted first.
struct Part {
    rank: u8,
    side: Side,
    line: StyledLine,
}

/// The half of the row in which a part stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    /// How the agent works: policy, mode, model, effort.
    Left,
    /// Where it works and what it has used; how the sessions stand.
    Right,
}

/// Ranks, from parts that are never omitted. What the agent works with matters more than where.
mod rank {
    pub const ALWAYS: u8 = 0;
    pub const MODE: u8 = 1;
    pub const MODEL: u8 = 2;
    pub const CONTEXT: u8 = 3;
    pub const LEVEL: u8 = 4;
    pub const CWD: u8 = 5;
    pub const AGENT: u8 = 6;
    pub const COST: u8 = 7;
    pub const BRANCH: u8 = 8;
    pub const TOKENS: u8 = 9;
    pub const HINT: u8 = 10;
    pub const COMMENTS: u8 = 11;
}

/// Blanks between the halves at least.
const BETWEEN: usize = 2;

impl Part {
    fn right(rank: u8, line: StyledLine) -> Self {
        Self {
            rank,
            side: Side::Right,
            line,
        }
    }
}

impl Status<'_> {
    /// The row, at most `width` cells.
    pub fn row(&self, width: usize) -> Row {
        let mut parts = self.standing();
        if let Some(toast) = self.toast {
            parts.retain(|part| part.side == Side::Right || part.rank == rank::ALWAYS);
            parts.push(self.left(rank::ALWAYS, toast, self.theme.accent));
        }
        let changed = self.changed();
        let comments = self.unsent(changed.is_some());
        parts.extend(changed.into_iter().chain(comments));
        parts.extend(self.others());
        parts.extend(self.background());
        parts.extend(self.activity(width));
        let room = width.saturating_sub(1);
        loop {
            // Under the text of the composer.
            let mut left = StyledLine::styled("  ", self.theme.text);
            left.extend(&self.join(&parts, Side::Left));
            let right = self.join(&parts, Side::Right);
            let gap = if right.is_empty() { 0 } else { BETWEEN };
            if left.width() + gap + right.width() <= room {
                left.fill_to(room - right.width(), Style::new());
                left.extend(&right);
                return left.into_row();
            }
            let Some(least) = parts
                .iter()
                .map(|part| part.rank)
                .max()
                .filter(|rank| *rank > rank::ALWAYS)
            else {
                left.push("  ", Style::new());
                left.extend(&right);
                return left.truncate(width, self.symbols.ellipsis);
            };
            // The last part of the path, before anything of more weight goes.
            let whole = |part: &&mut Part| part.rank == rank::CWD && least <= rank::AGENT;
            let name = self.project_name();
            match parts.iter_mut().find(whole) {
                Some(part) if part.line.text().len() > name.len() => {
                    part.line = StyledLine::styled(name, self.theme.dim);
                }
                _ => parts.retain(|part| part.rank < least),
            }
        }
    }

    /// The parts of one half.
    fn join(&self, parts: &[Part], side: Side) -> StyledLine {
        let mut line = StyledLine::new();
        for part in parts.iter().filter(|part| part.side == side) {
            // The branch belongs to the directory before it.
            let separator = match part.rank {
                _ if line.is_empty() => String::new(),
                rank::BRANCH => " ".into(),
                _ => format!(" {} ", self.symbols.separator),
            };
            line.push(&separator, self.theme.dim);
            line.extend(&part.line);
        }
        line
    }

    /// The last part of the directory's path.
    fn project_name(&self) -> &str {
        let cwd = self.project.cwd.trim_end_matches('/');
        cwd.rsplit('/').next().unwrap_or(cwd)
    }

    fn left(&self, rank: u8, text: &str, style: Style) -> Part {
        Part {
            rank,
            side: Side::Left,
            line: StyledLine::styled(text, style),
        }
    }

    fn right(&self, rank: u8, text: &str, style: Style) -> Part {
        Part::right(rank, StyledLine::styled(text, style))
    }

    fn name(&self, text: &str, style: Style) -> StyledLine {
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
        parts.extend(self.editing());
        if self.shell {
            parts.push(self.left(rank::ALWAYS, "shell command", theme.shell));
        }
        if let Some((policy, danger)) = &self.project.policy {
            let style = match danger {
                true => theme.error.bold(),
                false => theme.warning,
            };
            parts.push(self.left(rank::ALWAYS, policy, style));
        }
        if let Some(session) = self.session {
            let line = self.name(&agent_name(Some(session)), theme.strong);
            let side = Side::Left;
            parts.push(Part {
                rank: rank::AGENT,
                side,
                line,
            });
            parts.extend(self.mode(session));
            parts.extend(self.model(session));
            parts.extend(self.thought_level(session));
        } else if !self.asking {
            parts.push(self.left(rank::AGENT, "no agent", theme.dim));
        }
        if !self.project.cwd.is_empty() {
            parts.push(self.right(rank::CWD, &self.project.cwd, theme.dim));
            let branch = self.session.and_then(|session| session.branch.as_ref());
            if let Some(branch) = branch.or(self.project.git_branch.as_ref()) {
                parts.push(self.right(rank::BRANCH, &format!("({branch})"), theme.dim));
            }
        }
        parts.extend(self.limit());
        if let Some(usage) = self.session.and_then(|session| session.usage.as_ref()) {
            let (text, full) = context(usage);
            let style = if full { theme.warning } else { theme.dim };
            parts.push(self.right(rank::CONTEXT, &text, style));
            if let Some((amount, unit)) = &usage.cost {
                parts.push(self.right(rank::COST, &cost(*amount, unit, self.symbols), theme.dim));
            }
        }
        let tokens = self.session.and_then(|session| session.tokens);
        if let Some(tokens) = tokens.filter(|tokens| tokens.total > 0) {
            let total = usize::try_from(tokens.total).unwrap_or(usize::MAX);
            let text = format!("{} tokens", grouped(total));
            parts.push(self.right(rank::TOKENS, &text, theme.dim));
        }
        parts
    }

    /// A limit of the person's account that is near; one that is reached has a row of its own while nothing goes on.
    fn limit(&self) -> Option<Part> {
        let session = self.session?;
        let limit = session.limit.as_ref()?;
        let told = match limit.told.state {
            LimitState::Fine => false,
            LimitState::Near => true,
            LimitState::Reached => session.turn.is_some() || self.in_viewer,
        };
        let mut text = limit.words();
        if let Some(resets) = limit.resets() {
            text.push_str(&format!(" {} {resets}", self.symbols.separator));
        }
        told.then(|| self.right(rank::MODE, &text, self.theme.warning))
    }

    fn editing(&self) -> Option<Part> {
        let (mode, keys) = self.mode.as_ref()?;
        let style = match *mode {
            "INSERT" => self.theme.dim,
            _ => self.theme.accent.bold(),
        };
        let mut part = self.left(rank::ALWAYS, mode, style);
        if !keys.is_empty() {
            let keys = SafeText::line(&format!(" {keys}"));
            part.line.push(&keys, self.theme.text);
        }
        Some(part)
    }

    /// What the last turn changed can be looked at.
    fn changed(&self) -> Option<Part> {
        let session = self.session.filter(|session| session.turn.is_none())?;
        let files = self.left.unwrap_or(session.changed_files);
        let quiet = files == 0 || self.in_viewer || self.asking;
        let key = self.keymap.hint(Action::Review);
        if quiet || key.is_empty() || self.project.read_only.is_some() {
            return None;
        }
        let mut line = StyledLine::styled(&key, self.theme.key_hint);
        let files = count(files, "file");
        line.push(&format!(" {files} changed"), self.theme.dim);
        Some(Part::right(rank::HINT, line))
    }

    /// Comments that wait to be sent; `behind`: what comes before has the key.
    fn unsent(&self, behind: bool) -> Option<Part> {
        let key = self.keymap.hint(Action::Review);
        if self.comments == 0 || self.in_viewer || self.asking || key.is_empty() {
            return None;
        }
        let mut line = StyledLine::new();
        if !behind {
            line.push(&key, self.theme.key_hint);
            line.push(" ", self.theme.dim);
        }
        line.push(&count(self.comments, "comment"), self.theme.dim);
        Some(Part::right(rank::COMMENTS, line))
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
        Some(Part::right(rank, line))
    }

    /// Background work (V2-STATE-02).
    fn background(&self) -> Option<Part> {
        let beside = self.session.map_or(0, Session::in_background);
        let text = format!("{} in background", grouped(beside));
        (beside > 0).then(|| self.right(rank::CONTEXT, &text, self.theme.accent))
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
        let name = model_name(option);
        shown.then(|| self.named(rank::MODEL, option, &name, self.theme.text))
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

    fn value(&self, rank: u8, option: &ConfigOption, style: Style) -> Part {
        let name = option.name_of(&option.current());
        self.named(rank, option, &name, style)
    }

    fn named(&self, rank: u8, option: &ConfigOption, name: &str, style: Style) -> Part {
        let current = option.current();
        let name = self.name(name, style);
        let name = SafeText::line(name.text());
        let line = named_line(&name, is_dangerous(option, &current), self.theme, style);
        let side = Side::Left;
        Part { rank, side, line }
    }

    /// What waits for the person, or a hint while nothing does. What the agent is at stands in its own
    /// row, and here only where a viewer has taken that.
    fn activity(&self, width: usize) -> Option<Part> {
        let theme = self.theme;
        if self.letters_typed {
            let mut line = StyledLine::styled(self.symbols.asking, theme.warning.bold());
            line.push(" typing goes to the draft", theme.warning);
            return Some(Part::right(rank::ALWAYS, line));
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
            return Some(self.right(rank::HINT, &text, theme.dim));
        };
        let always = |line| Some(Part::right(rank::ALWAYS, line));
        if let Some(activity) = self.working {
            return match self.in_viewer {
                true => always(activity.line(width / 2)?),
                false => None,
            };
        }
        let read_only = self.project.read_only.is_some();
        match &session.phase {
            // In a replay no key starts anything.
            _ if read_only => {}
            Phase::SignIn {
                step: SignInStep::Choosing,
                ..
            } => return always(StyledLine::styled("sign-in needed", theme.warning)),
            Phase::SignIn { .. } => {
                return always(StyledLine::styled("signing in", theme.accent));
            }
            Phase::Failed { .. } => {
                let mut line = StyledLine::styled(self.symbols.failed, theme.error);
                line.push(" not running", theme.error);
                // Else it stands where the draft would.
                if self.drafting {
                    line.push(" ", theme.error);
                    self.push_hint(&mut line, Action::Restart, "restarts it");
                }
                return always(line);
            }
            Phase::Starting { .. } | Phase::Opening { .. } | Phase::Ready => {}
        }
        let waiting = session.waiting_questions().count();
        if waiting > 0 && !read_only {
            return always(self.waiting(waiting));
        }
        if session.work == Some(WorkState::Unknown) && !read_only {
            return always(self.unknown());
        }
        let text = format!("{} keys", self.keymap.hint(Action::Help));
        (!self.in_viewer).then(|| self.right(rank::HINT, &text, theme.dim))
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

    fn push_hint(&self, line: &mut StyledLine, action: Action, what: &str) {
        let key = self.keymap.hint(action);
        if key.is_empty() || self.in_viewer {
            return;
        }
        line.push(&key, self.theme.key_hint);
        line.push(&format!(" {what}"), self.theme.dim);
    }
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

/// What is believed of a cost; its cents still fit into an `f64`.
const MOST_COST: f64 = 1e12;

/// `$0.12`, `3.50 credits`; `?` if it is not a number, or one that would fill the row.
fn cost(amount: f64, unit: &SafeText, symbols: &Symbols) -> String {
    if !amount.is_finite() || amount.abs() > MOST_COST {
        return format!("? {unit}");
    }
    match unit.as_str() {
        "USD" => format!("${amount:.2}"),
        "EUR" if !symbols.ascii => format!("€{amount:.2}"),
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
        assert_eq!(cost(0.123, &"USD".into(), &Symbols::UNICODE), "$0.12");
        assert_eq!(
            cost(3.5, &"credits".into(), &Symbols::UNICODE),
            "3.50 credits"
        );
        assert_eq!(cost(3.5, &"EUR".into(), &Symbols::UNICODE), "€3.50");
        assert_eq!(cost(3.5, &"EUR".into(), &Symbols::ASCII), "3.50 EUR");
        assert_eq!(cost(f64::NAN, &"USD".into(), &Symbols::UNICODE), "? USD");
        for (amount, shown) in [
            (MOST_COST, "$1000000000000.00"),
            (MOST_COST * 1.001, "? USD"),
            (-1e300, "? USD"),
        ] {
            assert_eq!(cost(amount, &"USD".into(), &Symbols::UNICODE), shown);
        }
    }
}
