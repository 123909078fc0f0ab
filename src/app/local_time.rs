//! What the clock on the wall says where the person is.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::text::SafeText;

/// `10:41`; `None` where the time zone is not known.
pub fn now() -> Option<SafeText> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
    at(since.as_secs())
}

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
