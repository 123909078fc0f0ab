//! Dialects: the ways in which agents depart from ACP v1, by the names that a profile lists.
//!
//! A row is *tolerated* from every agent, *detected* (understood once it is seen, and said), or
//! spoken only by a profile that names it. What each one means is `acp::dialect`'s.

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
    /// From every agent: naming it changes nothing.
    Tolerated,
    /// Understood when seen, unless the profile has a list without `auto`.
    Detected,
    /// Only where the profile names it: it cannot be told by what the agent sends, or it changes
    /// what we send.
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
    /// D-20
    ContextBlocks = "context-blocks", Detected, "content blocks of type `context`";
    /// D-21
    Models = "models", Detected, "models apart from the session's options";
    /// D-22
    PlainLogin = "plain-login", Tolerated, "ways to sign in without a type";
    /// D-23
    LabelOptions = "label-options", Detected, "permission options with `id` and `label`";
    /// D-25
    VersionErrors = "version-errors", Detected, "an error for a protocol version";
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

/// What of that is understood of one agent, and spoken to it.
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
    /// v1, and what every agent is tolerated with.
    pub const V1: Self = Self {
        detects: false,
        named: 0,
    };
    /// That, and what can be detected.
    pub const AUTO: Self = Self {
        detects: true,
        named: 0,
    };

    /// Named sets of rows.
    const PRESETS: &'static [(&'static str, bool, &'static [DialectRow])] = &[
        ("v1", false, &[]),
        ("auto", true, &[]),
        (
            "banjo",
            false,
            &[
                DialectRow::CamelMethods,
                DialectRow::UnstableResume,
                DialectRow::ModeParam,
                DialectRow::KindUpdates,
                DialectRow::TextContent,
                DialectRow::ObjectEnv,
                DialectRow::ContextBlocks,
            ],
        ),
        (
            "opencode-2025",
            false,
            &[
                DialectRow::RelativePaths,
                DialectRow::SessionErrors,
                DialectRow::LocalMcp,
                DialectRow::Models,
                DialectRow::PlainLogin,
            ],
        ),
        (
            "claude-code-acp-old",
            false,
            &[
                DialectRow::StringVersion,
                DialectRow::BareResponses,
                DialectRow::TypeUpdates,
                DialectRow::UntaggedUpdates,
                DialectRow::NoSessionId,
                DialectRow::OldErrorCodes,
                DialectRow::LabelOptions,
            ],
        ),
    ];

    /// Every word that a profile may use: presets, then rows.
    pub fn words() -> impl Iterator<Item = &'static str> {
        let presets = Self::PRESETS.iter().map(|(name, _, _)| *name);
        presets.chain(DialectRow::ALL.iter().map(|row| row.name()))
    }

    /// What a preset's or a row's name means.
    pub fn of_word(word: &str) -> Option<Self> {
        let preset = Self::PRESETS.iter().find(|(name, _, _)| *name == word);
        if let Some((_, detects, rows)) = preset {
            return Some(Self {
                detects: *detects,
                named: rows.iter().fold(0, |bits, row| bits | row.bit()),
            });
        }
        let row = DialectRow::ALL.iter().find(|row| row.name() == word)?;
        Some(Self {
            detects: false,
            named: row.bit(),
        })
    }

    /// All that either has.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            detects: self.detects || other.detects,
            named: self.named | other.named,
        }
    }

    /// Whether the profile names it: then it is also spoken.
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

    /// Whether it is understood though the profile does not name it: then that is said.
    pub fn detects(self, row: DialectRow) -> bool {
        row.class() == Class::Detected && self.detects && !self.names(row)
    }

    /// Whether any row is named.
    pub fn is_named(self) -> bool {
        self.named != 0
    }
}

/// The protocol that an agent speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Protocol {
    /// ACP, version 1.
    #[default]
    V1,
    /// Its version 2, a draft; agents that do not speak it are spoken to in version 1 (V2-INIT-01).
    V2,
    /// The prototype that came before it (D-30…D-43).
    Threads,
}

impl Protocol {
    /// What `initialize` names. Threads become version 1 in the connection.
    pub fn version(self) -> i64 {
        match self {
            Self::V1 | Self::Threads => 1,
            Self::V2 => 2,
        }
    }
}

/// What an agent showed of its dialect. Each is told once in a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DialectHint {
    /// It was understood without being named in the profile.
    Detected(DialectRow),
    /// It refused what we sent, and the row would send it otherwise: nothing is tried unasked.
    Wanted(DialectRow),
    /// It speaks threads, though it is spoken to as one of ACP (D-43).
    Threads,
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
