//! Which targets become hyperlinks, and finding bare ones in text.

use std::{ops::Range, sync::Arc};

use percent_encoding::{CONTROLS, utf8_percent_encode};

use crate::text::is_control_picture;

/// Longer targets are no links: terminals refuse them (VTE's limit).
const MAX_URI: usize = 2083;

/// `target` as a hyperlink's URI, or `None` for what must not be one: other schemes, and
/// anything with control characters in it, neutralised or not, as these could end the hyperlink's
/// sequence and begin another. A click on `file:` would open whatever program the desktop has for a
/// file that the agent chose.
pub fn uri(target: &str) -> Option<Arc<str>> {
    let (scheme, rest) = target.split_once(':')?;
    let allowed = match scheme.to_ascii_lowercase().as_str() {
        "http" | "https" => rest.starts_with("//") && rest.len() > 2,
        "mailto" => !rest.is_empty(),
        _ => false,
    };
    let harmful = |c: char| {
        c.is_control()
            || c.is_whitespace()
            || is_control_picture(c)
            || matches!(c, '<' | '>' | '\\')
    };
    if !allowed || target.contains(harmful) {
        return None;
    }
    // OSC 8 takes printable ASCII only; this encodes the rest.
    let encoded = utf8_percent_encode(target, CONTROLS).to_string();
    (encoded.len() <= MAX_URI).then(|| Arc::from(encoded))
}

/// Whether a link's target tells something that its text does not.
pub fn is_informative(text: &str, target: &str) -> bool {
    fn core(link: &str) -> &str {
        let link = link.trim();
        ["https://", "http://", "mailto:", "file://"]
            .iter()
            .find_map(|scheme| link.strip_prefix(scheme))
            .unwrap_or(link)
            .trim_end_matches('/')
    }
    !target.is_empty() && !target.starts_with('#') && core(text) != core(target)
}

/// Where bare `http(s)` URLs stand in `text`, in order.
pub fn bare_urls(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(offset) = text[at..].find("http") {
        let start = at + offset;
        at = start + 4;
        let inside_word = text[..start].ends_with(|c: char| c.is_alphanumeric());
        let tail = &text[start..];
        if inside_word || !(tail.starts_with("http://") || tail.starts_with("https://")) {
            continue;
        }
        let len = tail.find(ends_url).unwrap_or(tail.len());
        // A footnote's sign is no part of it.
        let len = tail[..len].find("[^").unwrap_or(len);
        if len > MAX_URI {
            at = start + len;
            continue;
        }
        let len = trim_punctuation(&tail[..len]).len();
        if tail[..len]
            .split_once("://")
            .is_some_and(|(_, rest)| !rest.is_empty())
        {
            found.push(start..start + len);
        }
        at = at.max(start + len);
    }
    found
}

fn ends_url(c: char) -> bool {
    c.is_whitespace()
        || matches!(
            c,
            '<' | '>' | '"' | '`' | '|' | '。' | '，' | '、' | '；' | '：' | '！' | '？'
        )
        || matches!(
            c,
            '（' | '）' | '「' | '」' | '『' | '』' | '【' | '】' | '《' | '》' | '“' | '”'
        )
}

/// Takes off what ends the sentence, not the URL.
fn trim_punctuation(mut url: &str) -> &str {
    while let Some(last) = url.chars().next_back() {
        let unbalanced = |open: char| {
            url.chars().filter(|c| *c == last).count() > url.chars().filter(|c| *c == open).count()
        };
        let outside = match last {
            '.' | ',' | ';' | ':' | '!' | '?' | '\'' | '*' | '_' | '~' => true,
            ')' => unbalanced('('),
            ']' => unbalanced('['),
            '}' => unbalanced('{'),
            _ => false,
        };
        if !outside {
            break;
        }
        url = &url[..url.len() - last.len_utf8()];
    }
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_harmless_targets_are_links() {
        for good in ["https://x.test/a?b=c#d", "HTTP://x.test", "mailto:a@x.test"] {
            assert_eq!(uri(good).as_deref(), Some(good));
        }
        assert_eq!(
            uri("https://x.test/é").as_deref(),
            Some("https://x.test/%C3%A9")
        );
        let long = format!("https://x.test/{}", "a".repeat(MAX_URI));
        for bad in [
            "javascript:alert(1)",
            "file:///a/b",
            "FILE:///a/b",
            "vscode://file/a",
            "mailto:",
            "data:text/html,x",
            "src/main.rs",
            "",
            "https:",
            "https://",
            "https://x.test/\u{7}",
            "https://x.test/\u{1b}\\",
            "https://x.test/␇␛]52;",
            "https://x.test/a b",
            "https://x.test/<U+202E>",
            long.as_str(),
        ] {
            assert_eq!(uri(bad), None, "{bad}");
        }
    }

    #[test]
    fn bare_urls_end_before_the_sentence_does() {
        let urls = |text: &'static str| -> Vec<&str> {
            bare_urls(text)
                .into_iter()
                .map(|range| &text[range])
                .collect()
        };
        assert_eq!(
            urls("(see https://x.test/a_(b)), http://y.test. xhttp://no https://"),
            ["https://x.test/a_(b)", "http://y.test"]
        );
        assert_eq!(urls("参照https://x.test/a。"), Vec::<&str>::new());
        assert_eq!(urls("参照 https://x.test/a。次"), ["https://x.test/a"]);
        assert!(urls("https 'https://'").is_empty());
    }

    #[test]
    fn a_target_is_told_when_the_text_does_not() {
        assert!(is_informative("docs", "https://x.test"));
        assert!(!is_informative("x.test", "https://x.test/"));
        assert!(!is_informative("section", "#section"));
        assert!(is_informative("main.rs", "src/main.rs#L10"));
    }
}
