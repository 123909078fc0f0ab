//! Requests of the agent.

use std::path::PathBuf;

use agent_client_protocol_schema::v1 as schema;
use serde::de::{DeserializeOwned, Error as _};

use super::{ClientMethod, Decoder, permission, view::Pass};
use crate::model::{
    FsRead, FsWrite, HostRequest, RpcError, SessionId, TerminalCreate, TerminalId, TerminalRef,
    code,
};
use crate::rpc::is_wide;

/// # Errors
/// When the params do not fit.
pub fn decode(
    decoder: &mut Decoder,
    pass: Pass,
    method: ClientMethod,
    params: &str,
) -> serde_json::Result<HostRequest> {
    Ok(match method {
        ClientMethod::RequestPermission => {
            let request = permission::decode(decoder, pass, params)
                .map_err(|_| serde_json::Error::custom("malformed"))?;
            HostRequest::Permission(Box::new(request))
        }
        ClientMethod::ReadTextFile => {
            let read: schema::ReadTextFileRequest = typed(params)?;
            HostRequest::ReadTextFile(FsRead {
                session: SessionId(read.session_id.0),
                path: path(read.path),
                line: read.line,
                limit: read.limit,
            })
        }
        ClientMethod::WriteTextFile => {
            let write: schema::WriteTextFileRequest = typed(params)?;
            HostRequest::WriteTextFile(FsWrite {
                session: SessionId(write.session_id.0),
                path: path(write.path),
                content: write.content,
            })
        }
        ClientMethod::TerminalCreate => {
            let create: schema::CreateTerminalRequest = typed(params)?;
            HostRequest::TerminalCreate(TerminalCreate {
                session: SessionId(create.session_id.0),
                command: create.command,
                args: create.args,
                env: create
                    .env
                    .into_iter()
                    .map(|variable| (variable.name, variable.value))
                    .collect(),
                cwd: create.cwd.map(path),
                output_byte_limit: create.output_byte_limit,
            })
        }
        ClientMethod::TerminalOutput => {
            let on: schema::TerminalOutputRequest = typed(params)?;
            HostRequest::TerminalOutput(terminal(on.session_id, on.terminal_id))
        }
        ClientMethod::TerminalWaitForExit => {
            let on: schema::WaitForTerminalExitRequest = typed(params)?;
            HostRequest::TerminalWaitForExit(terminal(on.session_id, on.terminal_id))
        }
        ClientMethod::TerminalKill => {
            let on: schema::KillTerminalRequest = typed(params)?;
            HostRequest::TerminalKill(terminal(on.session_id, on.terminal_id))
        }
        ClientMethod::TerminalRelease => {
            let on: schema::ReleaseTerminalRequest = typed(params)?;
            HostRequest::TerminalRelease(terminal(on.session_id, on.terminal_id))
        }
        ClientMethod::SessionUpdate
        | ClientMethod::ElicitationCreate
        | ClientMethod::ElicitationComplete => return Err(serde_json::Error::custom("no request")),
    })
}

/// As [`object`](super::view::object), with the reason.
fn typed<T: DeserializeOwned>(params: &str) -> serde_json::Result<T> {
    if is_wide(params) {
        Err(serde_json::Error::custom("too many values"))
    } else if params.starts_with('{') {
        serde_json::from_str(params)
    } else {
        Err(serde_json::Error::custom("not an object"))
    }
}

/// It came as JSON text, so nothing is lost.
fn path(path: PathBuf) -> String {
    path.to_string_lossy().into_owned()
}

fn terminal(session: schema::SessionId, terminal: schema::TerminalId) -> TerminalRef {
    TerminalRef {
        session: SessionId(session.0),
        terminal: TerminalId(terminal.0),
    }
}

/// The answer to params that cannot be used: which member is missing may be said, what stood in
/// another may not, since it can be a file's content (V1-RPC-11).
pub fn invalid_params(method: ClientMethod, error: &serde_json::Error) -> RpcError {
    let mut message = format!("Invalid params for {}", method.name());
    let error = error.to_string();
    if let Some((missing, _)) = error.split_once(" at line")
        && missing.starts_with("missing field")
    {
        message.push_str(": ");
        message.push_str(missing);
    }
    RpcError::new(code::INVALID_PARAMS, message)
}
