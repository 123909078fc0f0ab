//! What the clock on the wall says where the person is.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::text::SafeText;

/// `10:41`; `None` where the time zone is not known.
pub fn now() -> Option<SafeText> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
    at(since.as_secs())
}

/// When that time comes, and its hour for people, with the day where that is another one; `None` for what is past,
/// or more than a year away.
pub fn of(seconds: u64) -> Option<(Duration, SafeText)> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
    let left = Duration::from_secs(seconds).checked_sub(since)?;
    let hour = at(seconds)?;
    let text = match left.as_secs() {
        0..DAY => hour,
        DAY..YEAR => SafeText::line(&format!("in {} days, {hour}", left.as_secs() / DAY)),
        _ => return None,
    };
    Some((left, text))
}

const DAY: u64 = 24 * 60 * 60;
const YEAR: u64 = 366 * DAY;

fn at(seconds: u64) -> Option<SafeText> {
    let seconds = libc::time_t::try_from(seconds).ok()?;
    let mut broken_down = std::mem::MaybeUninit::<libc::tm>::zeroed();
    // SAFETY: both pointers are to memory of ours that outlives the call, and all zeros are a valid `tm`. It reads
    // the variable TZ, and this program changes no variable of its own environment.
    let local = unsafe {
        let result = libc::localtime_r(&raw const seconds, broken_down.as_mut_ptr());
        (!result.is_null()).then(|| broken_down.assume_init())
    }?;
    let text = format!("{:02}:{:02}", local.tm_hour, local.tm_min);
    Some(SafeText::line(&text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_time_to_come_within_a_year_is_told() {
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .expect("a clock")
            .as_secs();
        let (left, text) = of(now + 3_600).expect("within the day");
        assert!(
            left <= Duration::from_secs(3_600) && text.len() == 5,
            "{text}"
        );
        let (_, text) = of(now + 3 * DAY + 60).expect("within the year");
        assert!(text.starts_with("in 3 days, "), "{text}");
        for past_or_far in [0, now - 10, now + YEAR + 60, u64::MAX] {
            assert_eq!(of(past_or_far), None);
        }
    }

    #[test]
    fn an_hour_is_an_hour_in_every_zone() {
        let minutes = |seconds| {
            let text = at(seconds).expect("the zone is known");
            let (hours, minutes) = text.split_once(':').expect("HH:MM");
            assert_eq!((hours.len(), minutes.len()), (2, 2));
            hours.parse::<u32>().expect("a number") * 60 + minutes.parse::<u32>().expect("a number")
        };
        // Days in winter, on which no zone changes its clock.
        let morning = 1_796_029_260;
        let later = (minutes(morning + 3_600) + 24 * 60 - minutes(morning)) % (24 * 60);
        assert_eq!(later, 60);
        assert_eq!(at(u64::MAX), None);
    }
}
