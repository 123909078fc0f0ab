//! JSON-RPC errors, both directions (V1-ERR).

use crate::{
    model::{AuthMethod, RawJson},
    text::SafeText,
};

/// Codes that are handled separately.
pub mod code {
    pub const INVALID_REQUEST: i64 = -32600;
    pub const METHOD_NOT_FOUND: i64 = -32601;
    pub const INVALID_PARAMS: i64 = -32602;
    pub const INTERNAL: i64 = -32603;
    pub const AUTH_REQUIRED: i64 = -32000;
    pub const NOT_FOUND: i64 = -32002;
    /// From version 2; some agents use it in version 1 (D-25).
    pub const UNSUPPORTED_VERSION: i64 = -32022;
    pub const CANCELLED: i64 = -32800;
}

#[derive(Clone, PartialEq, Debug)]
pub struct RpcError {
    /// The code with v1's meaning; clamped to i64 (V1-ERR-09).
    pub code: i64,
    /// The code as sent, if it differs: this is what people see.
    pub said: Option<i64>,
    pub message: SafeText,
    /// `data` as JSON text, bounded; some agents put the only readable text there.
    pub data: Option<RawJson>,
    /// Ways to sign in that come with [`code::AUTH_REQUIRED`]: some agents name them only there.
    pub auth_methods: Box<[AuthMethod]>,
    /// The agent's protocol versions, from [`code::UNSUPPORTED_VERSION`] (V2-INIT-02).
    pub supported_versions: Box<[i64]>,
}

impl RpcError {
    pub fn new(code: i64, message: impl AsRef<str>) -> Self {
        Self {
            code,
            said: None,
            message: SafeText::new(message.as_ref()),
            data: None,
            auth_methods: Box::default(),
            supported_versions: Box::default(),
        }
    }

    /// The code that the agent sent.
    pub fn shown_code(&self) -> i64 {
        self.said.unwrap_or(self.code)
    }
}
