//! Which language a text is in.

use std::{hash::Hash, sync::LazyLock};

use syntect::parsing::{SyntaxReference, SyntaxSet};

/// Loaded on first use, by the highlighter's thread: about 10 MB.
static SYNTAXES: LazyLock<SyntaxSet> = LazyLock::new(two_face::syntax::extra_newlines);

/// What tells a text's language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language<'a> {
    /// The info string of a fenced block: ```` ```rust,ignore ````.
    Fence(&'a str),
    /// A file's name or path.
    Path(&'a str),
}

/// Names in fences that the definitions do not know.
const ALIASES: &[(&str, &str)] = &[
    ("shell", "bash"),
    ("zsh", "bash"),
    ("console", "bash"),
    ("shellscript", "bash"),
    ("shell-session", "bash"),
    ("sh-session", "bash"),
    ("jsonc", "json"),
    ("json5", "json"),
    ("jsonl", "json"),
    ("ndjson", "json"),
    ("golang", "go"),
    ("docker", "dockerfile"),
    ("mjs", "js"),
    ("cjs", "js"),
    ("jsx", "tsx"),
    ("mts", "ts"),
    ("cts", "ts"),
    ("csharp", "cs"),
    ("c#", "cs"),
    ("fsharp", "fs"),
    ("f#", "fs"),
    ("hcl", "tf"),
    ("latex", "tex"),
    ("objective-c", "m"),
    ("objectivec", "m"),
    ("objc", "m"),
    ("makefile", "make"),
    ("patch", "diff"),
    ("udiff", "diff"),
    ("node", "js"),
    ("python3", "py"),
    ("py3", "py"),
    ("postgresql", "sql"),
    ("mysql", "sql"),
    ("sqlite", "sql"),
];

/// Names of what is no language.
const PLAIN: &[&str] = &[
    "text",
    "txt",
    "plain",
    "plaintext",
    "output",
    "none",
    "ascii",
];

impl<'a> Language<'a> {
    /// What to look up: the token of an info string, the name of a file.
    fn token(self) -> &'a str {
        match self {
            Self::Fence(info) => {
                let info = info.trim_start_matches(['{', '.', ' ']);
                info.split([' ', '\t', ',', '{', '}', ';'])
                    .next()
                    .unwrap_or_default()
            }
            Self::Path(path) => path.rsplit(['/', '\\']).next().unwrap_or_default(),
        }
    }

    /// Whether there will be no colours, as far as known without loading the definitions.
    pub(super) fn is_plain(self, text: &str) -> bool {
        let token = self.token();
        let first_line_tells = text.starts_with("#!") || text.starts_with("<?");
        (token.is_empty() && !first_line_tells)
            || PLAIN.iter().any(|plain| token.eq_ignore_ascii_case(plain))
    }

    /// The definition for it. Loads the definitions.
    pub(super) fn syntax(self, text: &str) -> Option<&'static SyntaxReference> {
        let token = self.token();
        let extension = token.rsplit_once('.').map(|(_, extension)| extension);
        by_name(token)
            .or_else(|| by_name(extension?))
            .or_else(|| SYNTAXES.find_syntax_by_first_line(text.lines().next()?))
            .filter(|syntax| syntax.name != "Plain Text")
    }
}

fn by_name(name: &str) -> Option<&'static SyntaxReference> {
    if name.is_empty() {
        return None;
    }
    let lower = name.to_lowercase();
    let known = ALIASES
        .iter()
        .find(|(alias, _)| *alias == lower)
        .map_or(lower.as_str(), |(_, known)| known);
    SYNTAXES.find_syntax_by_token(known)
}

pub(super) fn syntaxes() -> &'static SyntaxSet {
    &SYNTAXES
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(language: Language<'_>, text: &str) -> Option<&'static str> {
        language.syntax(text).map(|syntax| syntax.name.as_str())
    }

    #[test]
    fn fences_are_known_by_name_and_extension() {
        for (info, expected) in [
            ("rust", "Rust"),
            ("rs,ignore", "Rust"),
            ("{.python}", "Python"),
            ("Python title=\"x\"", "Python"),
            ("c++", "C++"),
            ("zsh", "Bourne Again Shell (bash)"),
            ("src/app/main.go", "Go"),
            ("Dockerfile", "Dockerfile"),
            ("diff", "Diff"),
        ] {
            assert_eq!(name(Language::Fence(info), ""), Some(expected), "{info}");
        }
        assert_eq!(name(Language::Fence("klingon"), ""), None);
        assert_eq!(
            name(Language::Fence(""), "#!/bin/sh\n"),
            Some("Bourne Again Shell (bash)")
        );
    }

    #[test]
    fn every_alias_leads_to_a_language() {
        let usual = [
            "js",
            "ts",
            "tsx",
            "json",
            "yaml",
            "yml",
            "toml",
            "html",
            "css",
            "scss",
            "java",
            "kotlin",
            "swift",
            "ruby",
            "php",
            "lua",
            "sql",
            "xml",
            "markdown",
            "md",
            "ini",
            "elixir",
            "haskell",
            "scala",
            "dart",
            "zig",
            "nix",
            "graphql",
            "proto",
            "vue",
            "svelte",
            "cmake",
            "r",
            "perl",
            "clojure",
            "ocaml",
            "javascript",
            "typescript",
            "go",
            "c",
            "cpp",
            "h",
            "bat",
        ];
        let unknown: Vec<_> = ALIASES
            .iter()
            .map(|(alias, _)| *alias)
            .chain(usual)
            .filter(|info| name(Language::Fence(info), "").is_none())
            .collect();
        assert!(unknown.is_empty(), "{unknown:?}");
    }

    #[test]
    fn paths_are_known_by_file_name() {
        assert_eq!(name(Language::Path("/a/b.c/main.rs"), ""), Some("Rust"));
        assert_eq!(name(Language::Path("Makefile"), ""), Some("Makefile"));
        assert_eq!(
            name(Language::Path("run"), "#!/usr/bin/env python3\n"),
            Some("Python")
        );
    }

    #[test]
    fn plain_text_loads_nothing() {
        assert!(Language::Fence("").is_plain("a"));
        assert!(Language::Fence("text").is_plain("a"));
        assert!(!Language::Fence("").is_plain("#!/bin/sh"));
        assert!(!Language::Path("a.rs").is_plain(""));
    }
}
