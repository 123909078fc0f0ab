//! Opaque ids. Those of the agent are kept byte for byte and never shown as they are.

use std::{fmt, sync::Arc};

macro_rules! text_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub Arc<str>);

        impl $name {
            pub fn new(id: impl AsRef<str>) -> Self {
                Self(Arc::from(id.as_ref()))
            }
            /// The raw id, for the wire; show it only through `SafeText`.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&self.0, f)
            }
        }
    };
}

text_id!(
    /// A session, named by the agent.
    SessionId
);
text_id!(
    /// A tool call, unique in its session as long as the agent keeps to the protocol (some reuse
    /// ids in each turn).
    ToolCallId
);
text_id!(
    /// A message; equal ids belong together (V1-UPD-04).
    MessageId
);
text_id!(
    /// A terminal: ours (`terminal/create`) or one the agent runs and reports in `_meta`.
    TerminalId
);
text_id!(
    /// A session mode.
    ModeId
);
text_id!(
    /// A plan among several of a session (V1-PLAN-03).
    PlanId
);
text_id!(
    /// An entity: a compaction of the context, a message between sessions.
    EntityId
);
text_id!(
    /// An option of a permission request.
    OptionId
);

/// A session of this run by our own count: there before the agent has named it, never reused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SessionKey(pub u32);

/// One connection to one agent process. A restart makes a new one, so that what an old process
/// still had in the pipe can be told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ConnectionId(pub u32);

/// A request of the agent that waits for its one answer. The peer maps it to the raw JSON-RPC id
/// (V1-RPC-05); it is never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RequestKey {
    pub connection: ConnectionId,
    pub number: u64,
}
