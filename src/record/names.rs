//! Names of the kinds of things, as ACP writes them where it has them. What is unknown when it is
//! read is the default.

use serde::{Deserialize, Serialize};

use crate::{
    proto::{PlanPriority, PlanStatus, ToolKind},
    session::NoticeLevel,
};

/// A type of ours that mirrors one of the conversation's, with its names.
macro_rules! mirror {
    ($name:ident = $of:ty { $($own:ident $text:literal),+ $(,)? } else $default:ident) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
        pub enum $name {
            $(#[serde(rename = $text)] $own),+
        }

        impl Default for $name {
            fn default() -> Self {
                Self::$default
            }
        }

        impl $name {
            pub fn text(self) -> &'static str {
                match self {
                    $(Self::$own => $text),+
                }
            }
        }

        impl From<$of> for $name {
            fn from(of: $of) -> Self {
                match of {
                    $(<$of>::$own => Self::$own),+
                }
            }
        }

        impl From<$name> for $of {
            fn from(own: $name) -> Self {
                match own {
                    $($name::$own => Self::$own),+
                }
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
                Ok(match &*text {
                    $($text => Self::$own,)+
                    _ => Self::default(),
                })
            }
        }
    };
}

mirror!(Level = NoticeLevel {
    Quiet "quiet",
    Info "info",
    Warning "warning",
    Error "error",
} else Info);

mirror!(Does = ToolKind {
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
} else Other);

mirror!(Priority = PlanPriority {
    High "high",
    Medium "medium",
    Low "low",
} else Medium);

mirror!(Stage = PlanStatus {
    Pending "pending",
    InProgress "in_progress",
    Completed "completed",
    Cancelled "cancelled",
} else Pending);
