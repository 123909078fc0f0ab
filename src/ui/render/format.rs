//! Figures and paths as people read them: durations, sizes, counts.

use std::{path::Path, time::Duration};

use crate::text::{SafeText, exact_line};

/// `0.4s`, `12.3s`, `1m 05s`, `2h 03m`.
pub fn elapsed(took: Duration) -> String {
    let seconds = took.as_secs();
    match seconds {
        0..60 => format!("{}.{}s", seconds, took.subsec_millis() / 100),
        60..3_600 => format!("{}m {:02}s", seconds / 60, seconds % 60),
        _ => format!("{}h {:02}m", seconds / 3_600, seconds / 60 % 60),
    }
}

/// As [`elapsed`], in whole seconds: for what counts up without motion.
pub fn elapsed_seconds(took: Duration) -> String {
    match took.as_secs() {
        seconds @ 0..60 => format!("{seconds}s"),
        _ => elapsed(took),
    }
}

/// `812 B`, `24 KiB`, `1.5 MiB`.
pub fn bytes(size: u64) -> String {
    const KIB: u64 = 1 << 10;
    const MIB: u64 = 1 << 20;
    match size {
        0..KIB => format!("{size} B"),
        KIB..MIB => format!("{} KiB", size.div_ceil(KIB)),
        _ => format!("{}.{} MiB", size / MIB, size % MIB * 10 / MIB),
    }
}

/// `1 line`, `1,204 lines`.
pub fn count(n: usize, what: &str) -> String {
    let plural = if n == 1 { "" } else { "s" };
    format!("{} {what}{plural}", grouped(n))
}

/// Thousands set apart: `20,000`.
pub fn grouped(n: usize) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A path as it is shown, relative to the session's directory where it lies in it: exactly, as
/// another one could look like it.
pub fn shown_path(path: &str, cwd: &Path) -> SafeText {
    let relative = Path::new(path)
        .strip_prefix(cwd)
        .ok()
        .filter(|relative| !relative.as_os_str().is_empty())
        .and_then(Path::to_str);
    exact_line(relative.unwrap_or(path))
}

/// How long ago that was, as lists of sessions say it.
pub fn ago(since: Duration) -> String {
    let seconds = since.as_secs();
    match seconds {
        0..60 => "just now".to_owned(),
        60..3_600 => format!("{} min ago", seconds / 60),
        3_600..86_400 => format!("{} h ago", seconds / 3_600),
        86_400..172_800 => "yesterday".to_owned(),
        _ => format!("{} days ago", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_stay_short() {
        let format = |ms| elapsed(Duration::from_millis(ms));
        assert_eq!(format(0), "0.0s");
        assert_eq!(format(4_190), "4.1s");
        assert_eq!(format(65_000), "1m 05s");
        assert_eq!(format(7_380_000), "2h 03m");
        assert_eq!(elapsed_seconds(Duration::from_millis(4_190)), "4s");
    }

    #[test]
    fn sizes_and_counts_are_readable() {
        assert_eq!(bytes(812), "812 B");
        assert_eq!(bytes(24_000), "24 KiB");
        assert_eq!(bytes(1_600_000), "1.5 MiB");
        assert_eq!(count(1, "line"), "1 line");
        assert_eq!(count(1_234_567, "line"), "1,234,567 lines");
    }
}
