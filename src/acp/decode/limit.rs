//! How near a limit of the person's account is: claude's `_claude/rateLimit` in the `_meta` of a `usage_update`.

use super::view::{Member, Pass, members};
use crate::{
    model::{AgentEvent, LimitState, RateLimit},
    text::{SafeText, first_bytes},
};

/// Bytes that are kept of the name of a limit that is not known here.
pub const MAX_NAME: usize = 64;

members!(struct Extensions {
    limit = "_claude/rateLimit",
});

members!(struct Limit {
    status,
    resets_at,
    rate_limit_type,
    utilization,
    is_using_overage,
});

/// Nothing in it is an error: what does not fit counts as absent.
pub fn of_meta(meta: Member<'_>) -> Option<AgentEvent> {
    let pass = Pass::Loose;
    let extensions: Extensions<'_> = pass.object(meta).ok()??;
    let limit: Limit<'_> = pass.object(extensions.limit).ok()??;
    let paid_apart = pass.read::<bool>(limit.is_using_overage).ok()? == Some(true);
    let state = match pass.string(limit.status).ok()??.as_str() {
        "allowed" => LimitState::Fine,
        "allowed_warning" => LimitState::Near,
        // It is answered all the same.
        "rejected" if paid_apart => LimitState::Near,
        "rejected" => LimitState::Reached,
        _ => return None,
    };
    Some(AgentEvent::Limit(RateLimit {
        state,
        name: name(pass.string(limit.rate_limit_type).ok()?.as_deref()),
        used: pass.read::<f64>(limit.utilization).ok()?.and_then(percent),
        resets: pass.count(limit.resets_at).ok()?.filter(|at| *at > 0),
    }))
}

fn name(kind: Option<&str>) -> SafeText {
    match kind {
        None => "limit".into(),
        Some("five_hour") => "5-hour limit".into(),
        Some("seven_day") => "weekly limit".into(),
        Some("seven_day_opus") => "weekly Opus limit".into(),
        Some("seven_day_sonnet") => "weekly Sonnet limit".into(),
        Some("seven_day_overage_included") => "weekly limit with extra usage".into(),
        Some("overage") => "extra usage limit".into(),
        Some(other) => {
            let words = first_bytes(other, MAX_NAME).replace('_', " ");
            SafeText::line(&format!("{words} limit"))
        }
    }
}

/// It is told as a fraction, which may be more than the whole.
fn percent(utilization: f64) -> Option<u16> {
    // `as` saturates.
    let percent = (utilization * 100.0).floor().clamp(0.0, 999.0) as u16;
    utilization.is_finite().then_some(percent)
}
