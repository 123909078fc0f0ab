//! How agents spell places in the file system.
//!
//! A path must be judged by its meaning: if `~/x` or a `file:` URI were taken for a file name in
//! the workspace it would be allowed, while the agent's tool goes elsewhere. So every path in an
//! agent's own spelling is parsed here first.

/// The meaning of a spelling, by its text alone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Place<'a> {
    /// A path of the system: absolute, or relative to a directory.
    Path(&'a str),
    /// In the home directory: the text after `~`, empty or beginning with `/`.
    Home(&'a str),
    /// The paths that a `file:` URI may mean, unescaped: two if `?` or `#` may be part of a name.
    Uri(Vec<String>),
}

impl<'a> Place<'a> {
    pub fn of(text: &'a str) -> Self {
        if let Some(rest) = text.strip_prefix('~')
            && (rest.is_empty() || rest.starts_with('/'))
        {
            return Self::Home(rest);
        }
        match text.split_at_checked("file:".len()) {
            Some((scheme, rest)) if scheme.eq_ignore_ascii_case("file:") => {
                Self::Uri(paths_of(rest))
            }
            _ => Self::Path(text),
        }
    }

    /// It is relative.
    pub fn is_relative(&self) -> bool {
        let relative = |path: &str| !path.starts_with('/');
        match self {
            Self::Path(path) => relative(path),
            Self::Home(_) => false,
            Self::Uri(paths) => paths.iter().all(|path| relative(path)),
        }
    }
}

/// The path after the scheme. Any host name can only mean this machine.
fn paths_of(rest: &str) -> Vec<String> {
    let path = match rest.strip_prefix("//") {
        Some(rest) => rest.find('/').map_or("/", |at| &rest[at..]),
        None => rest,
    };
    let mut paths = vec![unescaped(path)];
    if let Some(at) = path.find(['?', '#']) {
        paths.push(unescaped(&path[..at]));
    }
    paths
}

/// `%20` and the like.
fn unescaped(path: &str) -> String {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((&byte, behind)) = rest.split_first() {
        let hex = behind
            .get(..2)
            .and_then(|hex| std::str::from_utf8(hex).ok());
        let code = hex.and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match code {
            Some(code) if byte == b'%' => {
                bytes.push(code);
                rest = &behind[2..];
            }
            _ => {
                bytes.push(byte);
                rest = behind;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn uri(paths: &[&str]) -> Place<'static> {
        Place::Uri(paths.iter().map(|path| (*path).to_owned()).collect())
    }

    #[test]
    fn each_spelling_is_what_it_means() {
        for (text, place) in [
            ("src/x", Place::Path("src/x")),
            ("/etc/x", Place::Path("/etc/x")),
            ("", Place::Path("")),
            ("~", Place::Home("")),
            ("~/x", Place::Home("/x")),
            ("~x/y", Place::Path("~x/y")),
            ("a~/x", Place::Path("a~/x")),
            ("file:///etc/x", uri(&["/etc/x"])),
            ("file:/etc/x", uri(&["/etc/x"])),
            ("FILE:///etc/x", uri(&["/etc/x"])),
            ("file://localhost/etc/x", uri(&["/etc/x"])),
            ("file://elsewhere/etc/x", uri(&["/etc/x"])),
            ("file://localhost", uri(&["/"])),
            ("file:////etc/x", uri(&["//etc/x"])),
            ("file:src/x", uri(&["src/x"])),
            ("file:///a%20b/%2e%2e/c", uri(&["/a b/../c"])),
            ("file:///a%zz%", uri(&["/a%zz%"])),
            ("file:///a#L3", uri(&["/a#L3", "/a"])),
            ("file:///a?x#y", uri(&["/a?x#y", "/a"])),
            ("files:x", Place::Path("files:x")),
        ] {
            assert_eq!(Place::of(text), place, "{text}");
        }
        for (text, relative) in [
            ("src/x", true),
            ("file:src/x", true),
            ("~/x", false),
            ("/x", false),
            ("file:/x", false),
            ("file://host", false),
        ] {
            assert_eq!(Place::of(text).is_relative(), relative, "{text}");
        }
    }

    proptest! {
        // Whatever is escaped, and however the scheme is written.
        #[test]
        fn a_uri_means_the_path_that_it_was_made_of(
            path in "/[ -.0-~äß]{1,8}(/[ -~äß]{0,8}){0,3}",
            form in prop::sample::select(vec!["file:", "file://", "file://localhost", "FILE://", "File:"]),
            every in 1_usize..4,
        ) {
            let escaped: String = path.bytes().enumerate().map(|(n, byte)| {
                let plain = byte.is_ascii_alphanumeric() || byte == b'/';
                if plain && n % every != 0 || byte == b'/' && n == 0 {
                    char::from(byte).to_string()
                } else {
                    format!("%{byte:02x}")
                }
            }).collect();
            let text = format!("{form}{escaped}");
            prop_assert_eq!(Place::of(&text), Place::Uri(vec![path]));
        }

        #[test]
        fn any_text_is_some_place(text in any::<String>()) {
            let _ = Place::of(&text).is_relative();
        }
    }
}
