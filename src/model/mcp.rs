//! MCP servers that the agent is to connect to (V1-MCP).

use std::{fmt, path::PathBuf};

/// Ready to be sent: everything expanded and looked up.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct McpServer {
    pub name: String,
    pub transport: McpTransport,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum McpTransport {
    /// Every agent takes it.
    Stdio {
        /// Absolute (V1-MCP-01).
        command: PathBuf,
        args: Vec<String>,
        env: SecretPairs,
    },
    /// Only with `mcpCapabilities.http` (V1-MCP-02).
    Http { url: String, headers: SecretPairs },
    /// Only with `mcpCapabilities.sse`.
    Sse { url: String, headers: SecretPairs },
}

/// Names and values; values are never logged (V1-MCP-04).
#[derive(Clone, PartialEq, Eq, Default)]
pub struct SecretPairs(pub Vec<(String, String)>);

impl fmt::Debug for SecretPairs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.0.iter().map(|(name, _)| name))
            .finish()
    }
}
