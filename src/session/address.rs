//! The address of a page that the agent asks to open: where it leads, and what should make the
//! person wary (V1-ELI-14, V1-ELI-15).
//!
//! A browser reads addresses by the WHATWG's rules, which repair much. Here nothing is repaired:
//! an address that the two could read in different ways is none.

use std::ops::Range;

/// An `http` or `https` address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    url: String,
    host: Range<usize>,
    warnings: Vec<AddressWarning>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressWarning {
    /// `http`: anybody on the way can read and change it.
    NotEncrypted,
    /// A name in punycode, or letters beyond ASCII: it may look like another one.
    Lookalike,
    /// Something stands before the host, and may look like one.
    UserInfo,
    /// A number instead of a name.
    IpAddress,
}

impl Address {
    /// `None` for any other scheme, and for what is no plain address.
    pub fn parse(url: &str) -> Option<Self> {
        // Browsers drop some of these, and take a backslash for a slash.
        if url.contains(|c: char| c.is_whitespace() || c.is_control() || c == '\\') {
            return None;
        }
        let (scheme, rest) = url.split_once("://")?;
        let encrypted = scheme.eq_ignore_ascii_case("https");
        if !encrypted && !scheme.eq_ignore_ascii_case("http") {
            return None;
        }
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let start = scheme.len() + "://".len();
        let userinfo = authority.rfind('@').map_or(0, |at| at + 1);
        let host_and_port = &authority[userinfo..];
        let length = match host_and_port.strip_prefix('[') {
            Some(ip) => ip.find(']')? + 2,
            None => host_and_port.find(':').unwrap_or(host_and_port.len()),
        };
        let (host, port) = host_and_port.split_at(length);
        let port = port.strip_prefix(':').unwrap_or(port);
        let is_port = port.len() <= 5 && port.bytes().all(|byte| byte.is_ascii_digit());
        if !is_host(host) || !is_port {
            return None;
        }
        let mut warnings = Vec::new();
        if !encrypted {
            warnings.push(AddressWarning::NotEncrypted);
        }
        if is_lookalike(host) {
            warnings.push(AddressWarning::Lookalike);
        }
        if userinfo > 0 {
            warnings.push(AddressWarning::UserInfo);
        }
        if is_ip(host) {
            warnings.push(AddressWarning::IpAddress);
        }
        let start = start + userinfo;
        Some(Self {
            host: start..start + host.len(),
            url: url.to_owned(),
            warnings,
        })
    }

    /// Raw, as the agent sent it.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The site that answers, without port.
    pub fn host(&self) -> &str {
        self.url.get(self.host.clone()).unwrap_or_default()
    }

    /// What stands before and behind the host.
    pub fn around_host(&self) -> (&str, &str) {
        let before = self.url.get(..self.host.start).unwrap_or_default();
        (before, self.url.get(self.host.end..).unwrap_or_default())
    }

    pub fn warnings(&self) -> &[AddressWarning] {
        &self.warnings
    }
}

/// A name or a number; browsers read `%` as what it stands for, which is not what is seen.
fn is_host(host: &str) -> bool {
    if let Some(ip) = host.strip_prefix('[') {
        let ip = ip.strip_suffix(']').unwrap_or_default();
        return ip.parse::<std::net::Ipv6Addr>().is_ok();
    }
    let plain = |c: char| c.is_alphanumeric() || "-._".contains(c);
    host.contains(char::is_alphanumeric) && host.chars().all(plain)
}

fn is_lookalike(host: &str) -> bool {
    let punycode = |label: &str| {
        let start = label.get(..4);
        start.is_some_and(|start| start.eq_ignore_ascii_case("xn--"))
    };
    !host.is_ascii() || host.split('.').any(punycode)
}

/// Browsers read `127.1`, `0x7f000001` and the like as addresses too: all that ends in a number.
fn is_ip(host: &str) -> bool {
    let last = host.trim_end_matches('.').rsplit('.').next();
    host.starts_with('[')
        || last.is_some_and(|last| {
            let hex = last.get(..2).is_some_and(|x| x.eq_ignore_ascii_case("0x"));
            hex || (!last.is_empty() && last.bytes().all(|byte| byte.is_ascii_digit()))
        })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    // V1-ELI-14
    #[test]
    fn only_plain_http_addresses_are_addresses() {
        for url in [
            "file:///etc/passwd",
            "javascript:alert(1)",
            "ftp://example.com/",
            "mailto:a@b.c",
            "//example.com/",
            "https:example.com",
            "https:///example.com",
            "https://",
            "https://user@/",
            "https://ex%61mple.com/",
            "https://good.com\\@evil.com/",
            "https://exa mple.com/",
            "https://example.com/\u{1b}[2J",
            "https://example.com:99999999/",
            "https://[::1",
            "https://[x]/",
            " https://example.com/",
            "--new-window",
        ] {
            assert_eq!(Address::parse(url), None, "{url}");
        }
    }

    // V1-ELI-15
    #[test]
    fn the_host_is_the_one_that_a_browser_goes_to() {
        use AddressWarning::{IpAddress, Lookalike, NotEncrypted, UserInfo};
        for (url, host, warnings) in [
            ("https://example.com/a?b#c", "example.com", &[][..]),
            ("HTTPS://Example.com:8443", "Example.com", &[]),
            ("https://example.com?@evil.com", "example.com", &[]),
            ("http://example.com/", "example.com", &[NotEncrypted]),
            ("https://a@b", "b", &[UserInfo]),
            ("https://bank.com:x@evil.com/", "evil.com", &[UserInfo]),
            ("https://a@b@evil.com/", "evil.com", &[UserInfo]),
            (
                "https://xn--pple-43d.com/",
                "xn--pple-43d.com",
                &[Lookalike],
            ),
            (
                "https://login.XN--80ak6aa92e.com",
                "login.XN--80ak6aa92e.com",
                &[Lookalike],
            ),
            ("https://аpple.com/", "аpple.com", &[Lookalike]),
            ("https://127.0.0.1:80/", "127.0.0.1", &[IpAddress]),
            ("https://2130706433/", "2130706433", &[IpAddress]),
            ("https://0x7f.1./", "0x7f.1.", &[IpAddress]),
            ("https://[::1]:80/", "[::1]", &[IpAddress]),
            (
                "http://me@10.1/",
                "10.1",
                &[NotEncrypted, UserInfo, IpAddress],
            ),
        ] {
            let address = Address::parse(url).unwrap_or_else(|| panic!("{url}"));
            assert_eq!(address.host(), host, "{url}");
            assert_eq!(address.warnings(), warnings, "{url}");
        }
    }

    proptest! {
        #[test]
        fn nothing_of_an_address_is_lost(url in "(https?|ftp)://[a-z@:/.?#\\[\\]%0-9é\\\\]{0,20}") {
            if let Some(address) = Address::parse(&url) {
                let (before, behind) = address.around_host();
                let whole = format!("{before}{}{behind}", address.host());
                prop_assert_eq!(whole, url);
                prop_assert!(!address.host().is_empty());
            }
        }
    }
}
