//! Times for people and programs.

use time::{OffsetDateTime, format_description::well_known::Rfc3339};

/// Milliseconds since 1970 in ISO 8601, in UTC, to the second.
pub fn iso(millis: u64) -> String {
    let seconds = i64::try_from(millis / 1_000).unwrap_or_default();
    let date = OffsetDateTime::from_unix_timestamp(seconds);
    // What a damaged file may tell: a year of more than four digits.
    let date = date.unwrap_or(OffsetDateTime::UNIX_EPOCH).format(&Rfc3339);
    date.unwrap_or_default()
}

/// How long before `now` that was: `3 h ago`.
pub fn ago(millis: u64, now: u64) -> String {
    let seconds = now.saturating_sub(millis) / 1_000;
    match seconds {
        0..60 => "just now".to_owned(),
        60..3_600 => format!("{} min ago", seconds / 60),
        3_600..86_400 => format!("{} h ago", seconds / 3_600),
        86_400..172_800 => "yesterday".to_owned(),
        172_800..5_184_000 => format!("{} days ago", seconds / 86_400),
        _ => {
            let mut date = iso(millis);
            date.truncate("2026-11-28".len());
            date
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        assert_eq!(iso(0), "1970-01-01T00:00:00Z");
        assert_eq!(iso(951_782_400_000), "2000-02-29T00:00:00Z");
        assert_eq!(iso(1_796_083_199_999), "2026-11-30T23:59:59Z");
    }

    #[test]
    fn people_count_back() {
        let now = 1_796_083_199_999;
        let before = |seconds: u64| ago(now - seconds * 1_000, now);
        assert_eq!(before(5), "just now");
        assert_eq!(before(180), "3 min ago");
        assert_eq!(before(7_300), "2 h ago");
        assert_eq!(before(100_000), "yesterday");
        assert_eq!(before(300_000), "3 days ago");
        assert_eq!(before(100 * 86_400), "2026-08-22");
        assert_eq!(ago(now + 5, now), "just now");
    }
}
