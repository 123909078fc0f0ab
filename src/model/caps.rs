//! Capabilities, both sides (V1-INIT). Absent or null is false, `{}` is true (V1-META-06).

/// What the agent can do.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct AgentCaps {
    /// It supports no sessions, so that it cannot be prompted (V2-INIT-04).
    pub sessionless: bool,
    pub load_session: bool,
    pub prompt: PromptCaps,
    pub resume: bool,
    pub close: bool,
    pub list: bool,
    pub delete: bool,
    pub fork: bool,
    /// A fork can end at a message of the agent: its extension, which nothing announces; the agents
    /// that were seen to do so are known by name.
    pub fork_at: bool,
    pub additional_directories: bool,
    /// Takes a system prompt after its own; with the second also one that replaces its own
    /// (V1-INIT-21).
    pub system_prompt: bool,
    pub system_prompt_override: bool,
    /// `auth.logout` (V1-AUTH-10).
    pub logout: bool,
    /// `providers/*` (V1-AUTH-12).
    pub providers: bool,
    /// `session/set_title` (V1-SES-20).
    pub set_title: bool,
    pub mcp: McpCaps,
    /// It takes words while it works, by `_session/steering`, which is no part of the protocol: its
    /// answer to `initialize` says so in `_meta`.
    pub steering: bool,
    /// It takes options of Claude Code in the `_meta` of what opens a session: its capabilities have
    /// `_meta.claudeCode`. No part of the protocol either.
    pub claude_options: bool,
    /// It tells by itself who is signed in: its capabilities have `_meta.authStatus`.
    pub tells_account: bool,
    /// It reports the state of each session: the answer to a prompt is not the end of a turn
    /// (V2-PROMPT-01), and a reopened session is not idle until the state says so (V2-SES-04).
    pub states: bool,
}

/// MCP servers that it can connect to (V1-INIT-19).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct McpCaps {
    /// Every agent of version 1 can (V2-SES-06).
    pub stdio: bool,
    pub http: bool,
    pub sse: bool,
}

impl Default for McpCaps {
    fn default() -> Self {
        Self {
            stdio: true,
            http: false,
            sse: false,
        }
    }
}

/// What a prompt may hold besides text and resource links (V1-INIT-18).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PromptCaps {
    pub image: bool,
    pub audio: bool,
    pub embedded_context: bool,
}

/// What we offer: only what is available (V1-INIT-07, V1-INIT-08).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClientCaps {
    pub read_text_file: bool,
    pub write_text_file: bool,
    pub terminal: bool,
    /// A person can fill in forms (V1-INIT-15).
    pub elicitation_form: bool,
    /// A person can open pages.
    pub elicitation_url: bool,
    /// The agent's own command can be run at a terminal to sign in (V1-INIT-14): true where there is
    /// a screen to show it on.
    pub login_terminal: bool,
    /// A person writes the prompts, and wants to be offered some (V1-INIT-16).
    pub suggestions: bool,
    /// Also those that the agent makes by a call of its model, where it takes options for that.
    pub paid_suggestions: bool,
}

impl Default for ClientCaps {
    fn default() -> Self {
        Self {
            read_text_file: true,
            write_text_file: true,
            terminal: true,
            elicitation_form: true,
            elicitation_url: true,
            login_terminal: true,
            suggestions: true,
            paid_suggestions: false,
        }
    }
}
