//! Times for people and programs.

/// Milliseconds since 1970 in ISO 8601, in UTC.
pub fn iso(millis: u64) -> String {
    let seconds = millis / 1_000;
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = civil(days);
    format!(
        "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z",
        second / 3_600,
        second / 60 % 60,
        second % 60
    )
}

/// The date that many days after 1970-01-01 (Howard Hinnant's `civil_from_days`).
fn civil(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next_year) = if month < 10 {
        (month + 3, 0)
    } else {
        (month - 9, 1)
    };
    (year + era * 400 + next_year, month, day)
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
