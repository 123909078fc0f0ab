//! The names of kinds and states, each spelled once: as ACP writes them where it has them, and as
//! stored sessions and the JSON of `run` do.

/// Gives an enum `as_str` and `of`. A closed one, whose unknown names are its default, is read and
/// written by serde as well; an `open` one has a variant `Unknown` that holds an unknown name.
macro_rules! names {
    (open $of:ident { $($variant:ident $name:literal),+ $(,)? } $($other:pat => $text:literal)?) => {
        impl $of {
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $name,)+
                    $($other => $text,)?
                    Self::Unknown(name) => name,
                }
            }

            pub fn of(name: &str) -> Self {
                match name {
                    $($name => Self::$variant,)+
                    unknown => Self::Unknown($crate::text::SafeText::line(unknown)),
                }
            }
        }
    };
    ($of:ident { $($variant:ident $name:literal),+ $(,)? }) => {
        impl $of {
            pub const NAMES: &'static [&'static str] = &[$($name),+];

            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name),+
                }
            }

            /// The default where the name is unknown.
            pub fn of(name: &str) -> Self {
                match name {
                    $($name => Self::$variant,)+
                    _ => Self::default(),
                }
            }
        }

        impl serde::Serialize for $of {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $of {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let name = std::borrow::Cow::<str>::deserialize(deserializer)?;
                Ok(Self::of(&name))
            }
        }
    };
}

pub(crate) use names;

use super::{
    CompactionStatus, NoticeSeverity, PermissionKind, PlanPriority, PlanStatus, SteerOutcome,
    StopReason, ToolKind, ToolStatus,
};

names!(ToolKind {
    Read "read",
    Edit "edit",
    Delete "delete",
    Move "move",
    Search "search",
    Execute "execute",
    Think "think",
    Fetch "fetch",
    SwitchMode "switch_mode",
    Other "other",
});

names!(open ToolStatus {
    Pending "pending",
    InProgress "in_progress",
    Paused "paused",
    Completed "completed",
    Failed "failed",
    Cancelled "cancelled",
});

names!(PlanPriority {
    High "high",
    Medium "medium",
    Low "low",
});

names!(PlanStatus {
    Pending "pending",
    InProgress "in_progress",
    Completed "completed",
    Cancelled "cancelled",
});

names!(open CompactionStatus {
    InProgress "in_progress",
    Completed "completed",
    Failed "failed",
    Cancelled "cancelled",
});

names!(NoticeSeverity {
    Info "info",
    Warning "warning",
    Error "error",
});

names!(PermissionKind {
    AllowOnce "allow_once",
    AllowAlways "allow_always",
    RejectOnce "reject_once",
    RejectAlways "reject_always",
    Unknown "unknown",
});

names!(open StopReason {
    EndTurn "end_turn",
    MaxTokens "max_tokens",
    MaxTurnRequests "max_turn_requests",
    Refusal "refusal",
    Cancelled "cancelled",
} Self::Error(_) => "error");

names!(open SteerOutcome {
    Injected "injected",
    StartedNewTurn "startedNewTurn",
    PromptRequired "promptRequired",
});

/// What the client asks of an agent that is steered while it is idle: to take nothing and say
/// [`SteerOutcome::PromptRequired`].
pub const STEER_IDLE: &str = "promptRequired";

/// What agents call themselves that fork a session at a message (`_meta.jetbrains.air.fork`).
pub const FORK_AT_MESSAGE: [&str; 2] = [
    "@agentclientprotocol/claude-agent-acp",
    "@agentclientprotocol/codex-acp",
];

/// The method of agents that can be steered, which is no part of the protocol.
pub const STEER_METHOD: &str = "_session/steering";

/// As names of members of raw inputs are compared: in small letters, without `_` and `-`. Agents write the
/// same one as `filePath` and `file_path`.
pub fn plain_name(written: &str) -> String {
    let letters = written.chars().filter(|c| !matches!(c, '_' | '-'));
    letters.map(|c| c.to_ascii_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_name_is_the_default_or_kept_as_it_is() {
        assert_eq!(ToolKind::of("teleport"), ToolKind::Other);
        assert_eq!(PlanStatus::of("someday"), PlanStatus::Pending);
        let status = ToolStatus::of("on\nits way");
        assert_eq!(status, ToolStatus::Unknown("on its way".into()));
        assert_eq!(status.as_str(), "on its way");
        assert_eq!(StopReason::of("refusal").as_str(), "refusal");
        let json = serde_json::to_string(&ToolKind::SwitchMode).expect("a name");
        assert_eq!(json, "\"switch_mode\"");
        let read: PlanPriority = serde_json::from_str("\"low\"").expect("a name");
        assert_eq!(read, PlanPriority::Low);
    }
}
