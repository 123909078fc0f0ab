//! The adapter's own request of the core.

use serde::Deserialize;

use crate::model::{HostRequest, Look, LookAt, SessionId};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Params {
    session_id: String,
    what: String,
    path: String,
    skip: u64,
    limit: Option<u64>,
}

/// `None` if it is not as the adapter makes it.
pub fn decode(params: &str) -> Option<HostRequest> {
    let params: Params = serde_json::from_str(params).ok()?;
    let (skip, limit) = (params.skip, params.limit);
    let at = match params.what.as_str() {
        "readTextFile" => LookAt::Text { skip, limit },
        "readBinaryFile" => LookAt::Bytes { skip, limit },
        "stat" => LookAt::Stat,
        "globSearch" => LookAt::Glob,
        _ => return None,
    };
    Some(HostRequest::Look(Look {
        session: SessionId::new(params.session_id),
        path: params.path,
        at,
    }))
}
