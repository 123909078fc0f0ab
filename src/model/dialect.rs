//! Dialects: departures of agents from ACP v1, by the names used in profiles.
//!
//! A row is *tolerated* from every agent, *detected* (understood when seen), or used only if a
//! profile names it. A row that is seen but not named is reported. `acp::dialect` implements them.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

macro_rules! rows {
    ($($(#[$doc:meta])* $row:ident = $name:literal, $class:ident, $what:literal;)*) => {
        /// One way to depart from v1.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum DialectRow {
            $($(#[$doc])* $row,)*
        }

        impl DialectRow {
            pub const ALL: &'static [Self] = &[$(Self::$row,)*];

            /// As a profile spells it.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$row => $name,)*
                }
            }

            /// What such an agent does, for people.
            pub fn what(self) -> &'static str {
                match self {
                    $(Self::$row => $what,)*
                }
            }

            fn class(self) -> Class {
                match self {
                    $(Self::$row => Class::$class,)*
                }
            }
        }
    };
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    /// From every agent; naming it only suppresses the report.
    Tolerated,
    /// Understood when seen, unless the profile has a list without `auto`.
    Detected,
    /// Only if the profile names it: it cannot be detected, or it changes what we send.
    Named,
}

rows! {
    /// D-01
    CamelMethods = "camel-methods", Tolerated, "methods in camel case";
    /// D-02
    UnstableResume = "unstable-resume", Named, "`unstable_resumeSession` in place of `session/resume`";
    /// D-03
    StringVersion = "string-version", Detected, "the protocol's version as text";
    /// D-04
    BareResponses = "bare-responses", Named, "answers without `jsonrpc`, or without `id`";
    /// D-04
    BareRequests = "bare-requests", Tolerated, "requests and updates without `jsonrpc`";
    /// D-06
    ModeParam = "mode-param", Named, "`mode` in place of `modeId`";
    /// D-07
    KindUpdates = "kind-updates", Detected, "updates told apart by `kind`";
    /// D-08
    TypeUpdates = "type-updates", Detected, "updates told apart by `type`";
    /// D-09
    TextContent = "text-content", Tolerated, "plain text in place of content blocks";
    /// D-10
    UntaggedUpdates = "untagged-updates", Detected, "updates that do not say what they are";
    /// D-11
    NoSessionId = "no-session-id", Detected, "messages that name no session";
    /// D-12
    RelativePaths = "relative-paths", Tolerated, "relative paths";
    /// D-15
    SessionErrors = "session-errors", Detected, "\"session not found\" by an error code of another meaning";
    /// D-16
    OldErrorCodes = "old-error-codes", Named, "error codes of another meaning";
    /// D-18
    LocalMcp = "local-mcp", Named, "MCP servers of type `local`";
    /// D-19
    ObjectEnv = "object-env", Named, "MCP servers' environment as an object";
    /// D-19
    UnionMcp = "union-mcp", Named, "MCP servers inside of their kind's name";
    /// D-20
    ContextBlocks = "context-blocks", Detected, "content blocks of type `context`";
    /// D-20
    PathText = "path-text", Named, "files in prompts as their paths, not as links";
    /// D-21
    Models = "models", Detected, "models apart from the session's options";
    /// D-22
    PlainLogin = "plain-login", Tolerated, "ways to sign in without a type";
    /// D-23
    LabelOptions = "label-options", Detected, "permission options with `id` and `label`";
    /// D-25
    VersionErrors = "version-errors", Detected, "an error for a protocol version";
    /// Seen in the wild: unions by the name of their member.
    KeyedUpdates = "keyed-updates", Detected, "updates and content by the name of their kind";
    /// Seen in the wild: `sessionUpdate` as the method of updates.
    UpdateMethod = "update-method", Detected, "updates by the method `sessionUpdate`";
    /// Seen in the wild.
    CamelStopReasons = "camel-stop-reasons", Detected, "reasons to stop in camel case";
    /// Seen in the wild.
    FlatToolCall = "flat-tool-call", Detected, "a permission request's tool call among its own members";
    /// Seen in the wild.
    AuthText = "auth-text", Detected, "the wish for a sign-in as text of another error";
}

impl DialectRow {
    fn bit(self) -> u32 {
        1 << self as u32
    }
}

/// The rows that are understood from one agent and used with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dialect {
    detects: bool,
    named: u32,
}

impl Default for Dialect {
    fn default() -> Self {
        Self::AUTO
    }
}

impl Dialect {
    /// v1 with the tolerated rows.
    pub const V1: Self = Self {
        detects: false,
        named: 0,
    };
    /// The same with the detected rows.
    pub const AUTO: Self = Self {
        detects: true,
        named: 0,
    };

    /// All names that a profile may use: presets, then rows.
    pub fn words() -> impl Iterator<Item = &'static str> {
        let presets = PRESETS.iter().map(|preset| preset.name);
        presets.chain(DialectRow::ALL.iter().map(|row| row.name()))
    }

    /// What a preset's or a row's name means.
    pub fn of_word(word: &str) -> Option<Self> {
        if let Some(preset) = PRESETS.iter().find(|preset| preset.name == word) {
            return Some(Self {
                detects: preset.detects,
                ..Self::of_rows(preset.rows)
            });
        }
        let row = DialectRow::ALL.iter().find(|row| row.name() == word)?;
        Some(Self::of_rows(&[*row]))
    }

    /// Only these rows.
    pub fn of_rows(rows: &[DialectRow]) -> Self {
        Self {
            detects: false,
            named: rows.iter().fold(0, |bits, row| bits | row.bit()),
        }
    }

    /// The shortest profile line for it.
    pub fn line(self) -> String {
        let mut words = Vec::new();
        let mut rest = self.named;
        if self.detects {
            words.push("auto");
        }
        for preset in PRESETS {
            let bits = Self::of_rows(preset.rows).named;
            if bits != 0 && self.named & bits == bits {
                words.push(preset.name);
                rest &= !bits;
            }
        }
        let rows = DialectRow::ALL.iter();
        words.extend(
            rows.filter(|row| rest & row.bit() != 0)
                .map(|row| row.name()),
        );
        if words.is_empty() {
            words.push("v1");
        }
        let words: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
        format!("dialect = [{}]", words.join(", "))
    }

    /// The rows of both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            detects: self.detects || other.detects,
            named: self.named | other.named,
        }
    }

    /// Whether the profile names it: then it is also used when sending.
    pub fn names(self, row: DialectRow) -> bool {
        self.named & row.bit() != 0
    }

    /// Whether it is understood.
    pub fn takes(self, row: DialectRow) -> bool {
        match row.class() {
            Class::Tolerated => true,
            Class::Detected => self.detects || self.names(row),
            Class::Named => self.names(row),
        }
    }

    /// Whether it is understood without being named: then that is reported.
    pub fn detects(self, row: DialectRow) -> bool {
        row.class() != Class::Named && self.detects && !self.names(row)
    }

    /// Whether any row is named.
    pub fn is_named(self) -> bool {
        self.named != 0
    }
}

/// A named set of rows.
pub struct Preset {
    pub name: &'static str,
    /// The agents that it is for.
    pub of: &'static str,
    detects: bool,
    pub rows: &'static [DialectRow],
}

/// The presets that a profile can name.
pub const PRESETS: &[Preset] = &[
    Preset {
        name: "v1",
        of: "version 1 to the letter",
        detects: false,
        rows: &[],
    },
    Preset {
        name: "auto",
        of: "detected from what the agent sends",
        detects: true,
        rows: &[],
    },
    Preset {
        name: "banjo",
        of: "Banjo",
        detects: false,
        rows: &[
            DialectRow::CamelMethods,
            DialectRow::UnstableResume,
            DialectRow::ModeParam,
            DialectRow::KindUpdates,
            DialectRow::TextContent,
            DialectRow::ObjectEnv,
            DialectRow::UnionMcp,
            DialectRow::ContextBlocks,
            DialectRow::PathText,
            DialectRow::Models,
        ],
    },
    Preset {
        name: "opencode-2025",
        of: "OpenCode of 2025",
        detects: false,
        rows: &[
            DialectRow::RelativePaths,
            DialectRow::SessionErrors,
            DialectRow::LocalMcp,
            DialectRow::PathText,
            DialectRow::Models,
            DialectRow::PlainLogin,
        ],
    },
    Preset {
        name: "claude-code-acp-old",
        of: "the early claude-code-acp",
        detects: false,
        rows: &[
            DialectRow::StringVersion,
            DialectRow::BareResponses,
            DialectRow::BareRequests,
            DialectRow::TypeUpdates,
            DialectRow::UntaggedUpdates,
            DialectRow::NoSessionId,
            DialectRow::OldErrorCodes,
            DialectRow::PathText,
            DialectRow::Models,
            DialectRow::LabelOptions,
        ],
    },
];

/// A row that only one preset has identifies the agent.
fn only_preset(row: DialectRow) -> Option<&'static Preset> {
    let mut with = PRESETS.iter().filter(|preset| preset.rows.contains(&row));
    match (with.next(), with.next()) {
        (Some(preset), None) => Some(preset),
        _ => None,
    }
}

/// What an agent speaks.
// As the configuration names it; the comments stand in its JSON Schema.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Protocol {
    /// ACP, version 1.
    #[default]
    #[serde(rename = "1")]
    V1,
    /// Version 2, a draft; agents without it are spoken to in version 1.
    // V2-INIT-01
    #[serde(rename = "2")]
    V2,
    /// The prototype that came before ACP.
    // D-30 to D-43
    #[serde(rename = "threads")]
    Threads,
}

impl Protocol {
    /// The version in `initialize`. The connection turns threads into version 1.
    pub fn version(self) -> i64 {
        match self {
            Self::V1 | Self::Threads => 1,
            Self::V2 => 2,
        }
    }
}

/// A dialect that an agent showed; reported once in a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DialectHint {
    /// It was understood without being named in the profile.
    Detected(DialectRow),
    /// It refused what we sent, and the row would send another form; it is not tried without being
    /// asked.
    Wanted(DialectRow),
    /// It refused a session with MCP servers, which have several older forms.
    McpServers,
    /// It uses threads although ACP was expected (D-43).
    Threads,
}

/// Advice after an agent refused something.
#[derive(Debug, PartialEq, Eq)]
pub struct DialectAdvice {
    /// What it seems to need.
    pub wants: String,
    /// Any of these lines in its profile.
    pub lines: Vec<DialectLine>,
}

#[derive(Debug, PartialEq, Eq)]
pub struct DialectLine {
    pub line: String,
    /// The agents that it is for.
    pub of: Option<&'static str>,
}

impl DialectHint {
    /// Whether the agent may have that row too: all presets with the rows seen so far have it.
    pub fn suggests(self, row: DialectRow) -> bool {
        let forms = [
            DialectRow::LocalMcp,
            DialectRow::UnionMcp,
            DialectRow::ObjectEnv,
        ];
        let seen = match &self {
            Self::Detected(seen) | Self::Wanted(seen) => std::slice::from_ref(seen),
            // Which form it is cannot be told.
            Self::McpServers => &forms[..],
            Self::Threads => return false,
        };
        let mut seen = seen.iter();
        seen.any(|seen| only_preset(*seen).is_some_and(|preset| preset.rows.contains(&row)))
    }

    /// `known`: the rows of the profile and those detected. `None` if nothing is missing.
    pub fn advice(self, known: Dialect) -> Option<DialectAdvice> {
        let with = |rows: &[DialectRow], of| DialectLine {
            line: known.and(Dialect::of_rows(rows)).line(),
            of,
        };
        let (wants, mut lines) = match self {
            Self::Detected(_) => return None,
            Self::Wanted(row) => {
                let mut lines = vec![with(&[row], None)];
                if let Some(preset) = only_preset(row) {
                    lines.push(with(preset.rows, Some(preset.of)));
                }
                let wants = format!("{} (\"{}\")", row.what(), row.name());
                (wants, lines)
            }
            Self::McpServers => (
                "MCP servers in another form".to_owned(),
                vec![
                    with(&[DialectRow::LocalMcp], Some("OpenCode of 2025")),
                    with(
                        &[DialectRow::UnionMcp, DialectRow::ObjectEnv],
                        Some("Banjo"),
                    ),
                    with(&[DialectRow::ObjectEnv], None),
                ],
            ),
            Self::Threads => (
                "threads, the protocol that came before ACP".to_owned(),
                vec![DialectLine {
                    line: "protocol = \"threads\"".to_owned(),
                    of: None,
                }],
            ),
        };
        lines.dedup_by(|later, first| later.line == first.line);
        Some(DialectAdvice { wants, lines })
    }
}

impl fmt::Display for DialectLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.line)?;
        match self.of {
            Some(of) => write!(f, " (for {of})"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_has_a_meaning_of_its_own() {
        let words: Vec<_> = Dialect::words().collect();
        let mut once = words.clone();
        once.sort_unstable();
        once.dedup();
        assert_eq!(once.len(), words.len());
        for word in words {
            assert!(Dialect::of_word(word).is_some(), "{word}");
        }
        assert_eq!(Dialect::of_word("auto"), Some(Dialect::default()));
        assert_eq!(Dialect::of_word("v1"), Some(Dialect::V1));
        assert_eq!(Dialect::of_word("banj0"), None);
    }

    #[test]
    fn what_is_seen_suggests_the_rest_of_its_preset_alone() {
        let resume = DialectRow::UnstableResume;
        for (hint, suggests) in [
            (DialectHint::Detected(DialectRow::KindUpdates), true),
            (DialectHint::Wanted(DialectRow::ModeParam), true),
            (DialectHint::McpServers, true),
            // Of several presets, of another one, of none.
            (DialectHint::Detected(DialectRow::Models), false),
            (DialectHint::Detected(DialectRow::TypeUpdates), false),
            (DialectHint::Detected(DialectRow::FlatToolCall), false),
            (DialectHint::Threads, false),
        ] {
            assert_eq!(hint.suggests(resume), suggests, "{hint:?}");
        }
    }

    #[test]
    fn what_changes_our_words_is_never_on_by_itself() {
        for row in DialectRow::ALL {
            assert!(!Dialect::AUTO.names(*row));
        }
        assert!(!Dialect::AUTO.takes(DialectRow::ModeParam));
        assert!(Dialect::AUTO.takes(DialectRow::KindUpdates));
        assert!(!Dialect::V1.takes(DialectRow::KindUpdates));
        assert!(Dialect::V1.takes(DialectRow::CamelMethods));
    }
}
