//! Providers of language models that an agent lets its client configure (V1-AUTH-12).

use crate::model::SecretPairs;

/// A provider as the agent reports it. All text is raw: it goes back to the agent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Provider {
    pub id: String,
    /// Names of the protocols that it supports.
    pub protocols: Vec<String>,
    /// It cannot be disabled.
    pub required: bool,
    /// Where requests go now; `None`: it is disabled. Holds no secrets.
    pub current: Option<ProviderRoute>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProviderRoute {
    pub protocol: String,
    pub base_url: String,
}

/// A provider's new settings; they replace all earlier ones.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProviderSetting {
    pub id: String,
    pub route: ProviderRoute,
    /// Their values are secrets.
    pub headers: SecretPairs,
}
