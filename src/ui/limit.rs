//! The row above the composer while a limit of the person's account is reached and nothing goes on: when it is over, and
//! the key that asks for one prompt then.

use std::time::{Duration, Instant};

use crate::{
    session::{Limit, Phase, Session},
    ui::{
        action::Action,
        keymap::Keymap,
        render::{Row, line::StyledLine},
        theme::{Symbols, Theme},
    },
};

/// What the row is drawn from.
#[derive(Clone, Copy)]
pub struct LimitRow<'a> {
    pub session: Option<&'a Session>,
    pub keymap: &'a Keymap,
    pub theme: &'a Theme,
    pub symbols: &'a Symbols,
    /// Times may count down.
    pub motion: bool,
    pub now: Instant,
}

impl LimitRow<'_> {
    /// The row, at most `width` cells. What does not fit is omitted from its end on.
    pub fn row(&self, width: usize) -> Option<Row> {
        let limit = self.limit()?;
        let theme = self.theme;
        let mut line = StyledLine::styled("! ", theme.warning.bold());
        line.push(&limit.words(), theme.warning);
        let separator = format!(" {} ", self.symbols.separator);
        let parts = [self.when(limit), self.key(limit), Some(self.handover())];
        for part in parts.into_iter().flatten() {
            if line.width() + separator.len() + part.width() < width {
                line.push(&separator, theme.dim);
                line.extend(&part);
            }
        }
        Some(line.truncate(width, self.symbols.ellipsis))
    }

    fn limit(&self) -> Option<&Limit> {
        let session = self.session?;
        let idle = session.phase == Phase::Ready && session.turn.is_none();
        session
            .limit
            .as_ref()
            .filter(|limit| idle && limit.is_reached())
    }

    fn when(&self, limit: &Limit) -> Option<StyledLine> {
        let mut text = limit.resets()?;
        if limit.continues {
            text = format!("\"continue\" is sent then, it {text}");
        }
        if self.motion {
            text.push_str(&format!(", in {}", shown(limit.left(self.now)?)));
        }
        Some(StyledLine::styled(&text, self.theme.text))
    }

    fn key(&self, limit: &Limit) -> Option<StyledLine> {
        let key = self.keymap.hint(Action::ContinueAfterLimit);
        let what = if limit.continues {
            " cancels"
        } else {
            " continues then"
        };
        let offered = limit.ends.is_some() && !key.is_empty();
        offered.then(|| StyledLine::styled(&key, self.theme.key_hint).with(what, self.theme.dim))
    }

    /// Another agent has a limit that is not this one.
    fn handover(&self) -> StyledLine {
        let command = StyledLine::styled("/handover", self.theme.key_hint);
        command.with(" goes on with another agent", self.theme.dim)
    }

    /// When the row changes by time alone.
    pub fn deadline(&self) -> Option<Instant> {
        let limit = self.limit().filter(|_| self.motion)?;
        let left = limit.left(self.now)?;
        let step = if left < MINUTE { 1 } else { 60 };
        let over = Duration::from_millis(u64::try_from(left.as_millis()).ok()? % (step * 1_000));
        (!left.is_zero()).then(|| self.now + over + Duration::from_millis(1))
    }
}

const MINUTE: Duration = Duration::from_secs(60);

/// `41s`, `12m`, `2h 03m`.
fn shown(left: Duration) -> String {
    match left.as_secs() {
        seconds @ 0..60 => format!("{seconds}s"),
        seconds @ 60..3_600 => format!("{}m", seconds / 60),
        seconds => format!("{}h {:02}m", seconds / 3_600, seconds / 60 % 60),
    }
}
