//! Requests of the agent for files and terminals, and for what is queued.

use serde::{Deserialize, Deserializer, de::Error as _};

use super::ClientMethod;
use crate::{
    model::{
        FsRead, FsWrite, HostRequest, RpcError, SessionId, TerminalCreate, TerminalId, TerminalRef,
        code,
    },
    rpc::is_wide,
};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Read {
    session_id: String,
    path: String,
    line: Option<u32>,
    limit: Option<u32>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Write {
    session_id: String,
    path: String,
    content: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Create {
    session_id: String,
    command: String,
    #[serde(default, deserialize_with = "none_if_null")]
    args: Vec<String>,
    #[serde(default, deserialize_with = "none_if_null")]
    env: Vec<Variable>,
    cwd: Option<String>,
    output_byte_limit: Option<u64>,
}

#[derive(Deserialize)]
struct Variable {
    name: String,
    value: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Drain {
    session_id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Terminal {
    session_id: String,
    terminal_id: String,
}

fn none_if_null<'de, T, D>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    let list = Option::<Vec<T>>::deserialize(deserializer)?;
    Ok(list.unwrap_or_default())
}

/// # Errors
/// The params do not fit.
pub fn decode(method: ClientMethod, params: &str) -> serde_json::Result<HostRequest> {
    Ok(match method {
        ClientMethod::ReadTextFile => {
            let read: Read = typed(params)?;
            HostRequest::ReadTextFile(FsRead {
                session: SessionId::new(&read.session_id),
                path: read.path,
                line: read.line,
                limit: read.limit,
            })
        }
        ClientMethod::WriteTextFile => {
            let write: Write = typed(params)?;
            HostRequest::WriteTextFile(FsWrite {
                session: SessionId::new(&write.session_id),
                path: write.path,
                content: write.content,
            })
        }
        ClientMethod::TerminalCreate => {
            let create: Create = typed(params)?;
            let env = create.env.into_iter();
            HostRequest::TerminalCreate(TerminalCreate {
                session: SessionId::new(&create.session_id),
                command: create.command,
                args: create.args,
                env: env
                    .map(|variable| (variable.name, variable.value))
                    .collect(),
                cwd: create.cwd,
                output_byte_limit: create.output_byte_limit,
            })
        }
        ClientMethod::TerminalOutput => HostRequest::TerminalOutput(terminal(params)?),
        ClientMethod::TerminalWaitForExit => HostRequest::TerminalWaitForExit(terminal(params)?),
        ClientMethod::TerminalKill => HostRequest::TerminalKill(terminal(params)?),
        ClientMethod::TerminalRelease => HostRequest::TerminalRelease(terminal(params)?),
        ClientMethod::DrainQueue => {
            let drain: Drain = typed(params)?;
            HostRequest::DrainQueue {
                session: SessionId::new(&drain.session_id),
            }
        }
        ClientMethod::SessionUpdate
        | ClientMethod::RequestPermission
        | ClientMethod::ElicitationCreate
        | ClientMethod::ElicitationComplete => return Err(serde_json::Error::custom("no request")),
    })
}

/// As [`object`](super::view::object), with the reason.
fn typed<'a, T: Deserialize<'a>>(params: &'a str) -> serde_json::Result<T> {
    if is_wide(params) {
        Err(serde_json::Error::custom("too many values"))
    } else if params.starts_with('{') {
        serde_json::from_str(params)
    } else {
        Err(serde_json::Error::custom("not an object"))
    }
}

fn terminal(params: &str) -> serde_json::Result<TerminalRef> {
    let on: Terminal = typed(params)?;
    Ok(TerminalRef {
        session: SessionId::new(&on.session_id),
        terminal: TerminalId::new(&on.terminal_id),
    })
}

/// The answer to params that cannot be used.
pub fn invalid_params(method: ClientMethod) -> RpcError {
    let message = format!("Invalid params for {}", method.name());
    RpcError::new(code::INVALID_PARAMS, message)
}

/// The same, with the member that is missing; what another member holds is not quoted, since it can be a file's
/// content (V1-RPC-11).
pub fn lacks_member(method: ClientMethod, error: &serde_json::Error) -> RpcError {
    let error = error.to_string();
    match error.split_once(" at line") {
        Some((missing, _)) if missing.starts_with("missing field") => {
            let message = format!("Invalid params for {}: {missing}", method.name());
            RpcError::new(code::INVALID_PARAMS, message)
        }
        _ => invalid_params(method),
    }
}
