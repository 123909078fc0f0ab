//! `[mcp_servers.NAME]`: MCP servers that agents are handed.

use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
    path::Path,
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    diagnostic::join,
    expand::expand,
    program::{NotFound, find_program},
};
use crate::{
    model::{McpServer, McpTransport, SecretPairs},
    text::SafeText,
};

/// A server that an agent may be told to use: a program, or an address.
#[derive(Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct McpEntry {
    /// Program that the agent starts, looked up on PATH; `~` and `${VAR}` are expanded.
    pub command: Option<String>,
    /// Its arguments; expanded.
    pub args: Vec<String>,
    /// Variables for it; values are expanded.
    pub env: BTreeMap<String, String>,
    /// Address, in place of a command; expanded.
    pub url: Option<String>,
    /// How the address is spoken to.
    #[serde(rename = "type")]
    pub kind: Option<McpKind>,
    /// HTTP headers; values are expanded.
    pub headers: BTreeMap<String, String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum McpKind {
    Http,
    Sse,
}

/// As configured, nothing expanded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpServerConfig {
    pub name: String,
    target: Target,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Target {
    Program {
        command: String,
        args: Vec<String>,
        env: Vec<(String, String)>,
    },
    Address {
        kind: McpKind,
        url: String,
        headers: Vec<(String, String)>,
    },
}

impl McpEntry {
    /// # Errors
    /// What is wrong with it as a whole.
    pub fn into_config(self, name: String) -> Result<McpServerConfig, String> {
        let target = match (self.command, self.url) {
            (Some(_), Some(_)) => return Err("it has both a command and a url".into()),
            (None, None) => return Err("it needs a command or a url".into()),
            (Some(command), None) => {
                if command.trim().is_empty() {
                    return Err("command is empty".into());
                }
                if self.kind.is_some() || !self.headers.is_empty() {
                    return Err("type and headers are for a url".into());
                }
                let bad = |name: &&String| name.is_empty() || name.contains(['=', '\0']);
                if let Some(name) = self.env.keys().find(bad) {
                    return Err(format!("{name:?} is not a valid environment variable name"));
                }
                Target::Program {
                    command,
                    args: self.args,
                    env: self.env.into_iter().collect(),
                }
            }
            (None, Some(url)) => {
                if !self.args.is_empty() || !self.env.is_empty() {
                    return Err("args and env are for a command".into());
                }
                let is_address = ["http://", "https://", "${"];
                if !is_address.iter().any(|start| url.starts_with(start)) {
                    return Err("url must begin with http:// or https://".into());
                }
                if let Some(name) = self.headers.keys().find(|name| !is_header_name(name)) {
                    return Err(format!("{name:?} is not a valid header name"));
                }
                Target::Address {
                    kind: self.kind.unwrap_or(McpKind::Http),
                    url,
                    headers: self.headers.into_iter().collect(),
                }
            }
        };
        Ok(McpServerConfig { name, target })
    }
}

fn is_header_name(name: &str) -> bool {
    let token = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b);
    !name.is_empty() && name.bytes().all(token)
}

/// Why a server cannot be handed on as things are.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", SafeText::line(&format!("{key}: {problem}")))]
pub struct McpError {
    /// `mcp_servers.x.env.KEY`.
    pub key: String,
    pub problem: String,
}

impl McpServerConfig {
    /// Everything expanded, the program looked up on `path`. Reads PATH's folders.
    ///
    /// # Errors
    /// Names the key, and the variable or program that is missing; never a value.
    pub fn resolve(
        &self,
        lookup: &dyn Fn(&str) -> Option<OsString>,
        path: Option<&OsStr>,
        cwd: &Path,
    ) -> Result<McpServer, McpError> {
        let part = |parts: &[&str], text: &str| self.expand_part(parts, text, lookup);
        let pairs = |table: &str, pairs: &[(String, String)]| {
            let pairs = pairs.iter().map(|(name, value)| {
                let value = part(&[table, name], value)?;
                if value.contains(['\r', '\n', '\0']) && table == "headers" {
                    return Err(self.error(&[table, name], "a header must be one line".into()));
                }
                Ok((name.clone(), value))
            });
            pairs.collect::<Result<Vec<_>, _>>().map(SecretPairs)
        };
        let transport = match &self.target {
            Target::Program { command, args, env } => {
                let program = part(&["command"], command)?;
                let env = pairs("env", env)?;
                let own = env.0.iter().find(|(name, _)| name == "PATH");
                let path = own.map_or(path, |(_, path)| Some(OsStr::new(path)));
                let found = find_program(OsStr::new(&program), path, cwd);
                let Some(command) = found else {
                    let missing = NotFound::new(program.clone().into(), None, path, cwd);
                    let problem = match missing.under {
                        Some(_) => missing.to_string(),
                        None => format!("{program} was not found"),
                    };
                    return Err(self.error(&["command"], problem));
                };
                McpTransport::Stdio {
                    command,
                    args: args
                        .iter()
                        .map(|arg| part(&["args"], arg))
                        .collect::<Result<_, _>>()?,
                    env,
                }
            }
            Target::Address { kind, url, headers } => {
                let (url, headers) = (part(&["url"], url)?, pairs("headers", headers)?);
                match kind {
                    McpKind::Http => McpTransport::Http { url, headers },
                    McpKind::Sse => McpTransport::Sse { url, headers },
                }
            }
        };
        Ok(McpServer {
            name: self.name.clone(),
            transport,
        })
    }

    /// Its variables and headers, as far as they can be expanded (V1-MCP-04). Looks at no file.
    pub fn secrets(&self, lookup: &dyn Fn(&str) -> Option<OsString>) -> Vec<(String, String)> {
        let pairs = match &self.target {
            Target::Program { env, .. } => env,
            Target::Address { headers, .. } => headers,
        };
        let pairs = pairs.iter().filter_map(|(name, value)| {
            let value = expand(value, lookup).ok()?;
            Some((name.clone(), value.into_string().ok()?))
        });
        pairs.collect()
    }

    fn expand_part(
        &self,
        parts: &[&str],
        text: &str,
        lookup: &dyn Fn(&str) -> Option<OsString>,
    ) -> Result<String, McpError> {
        let expanded = expand(text, lookup).map_err(|e| self.error(parts, e.to_string()))?;
        // It goes into JSON.
        expanded
            .into_string()
            .map_err(|_| self.error(parts, "is not UTF-8 after expansion".into()))
    }

    fn error(&self, parts: &[&str], problem: String) -> McpError {
        let server = join("mcp_servers", &self.name);
        let key = parts.iter().fold(server, |path, part| join(&path, part));
        McpError { key, problem }
    }
}
