//! Providers of the agent's models, where it lets its client set them (V1-AUTH-12).
//!
//! What is set is kept by the agent's process alone: each process is asked again.

use crate::{
    model::{Call, Provider, ProviderSetting, RpcError},
    session::{Listing, NoticeLevel, Phase, Providers},
    text::SafeText,
};

use super::super::{
    Step,
    connection::error_text,
    conversation::bounds::{MAX_PROVIDERS, MAX_PROVIDERS_BYTES, keep_first},
};

impl Step<'_> {
    pub fn list_providers(&mut self) {
        let introduced = !matches!(
            self.session.phase,
            Phase::Starting { .. } | Phase::Failed { .. }
        );
        let asking = self.session.providers.state == Listing::Asking;
        if introduced && !asking && self.session.agent.caps.providers {
            self.session.providers.state = Listing::Asking;
            self.call(Call::ListProviders);
        }
    }

    pub fn providers_listed(&mut self, mut list: Vec<Provider>) {
        if self.session.providers.state == Listing::Asking {
            let mut room = MAX_PROVIDERS_BYTES;
            let cut = keep_first(&mut list, MAX_PROVIDERS, &mut room, |provider| {
                let route = provider.current.as_ref();
                let route = route.map_or(0, |route| route.protocol.len() + route.base_url.len());
                provider.id.len()
                    + provider.protocols.iter().map(String::len).sum::<usize>()
                    + route
            });
            self.session.providers = Providers {
                list,
                state: Listing::Done { cut },
            };
        }
    }

    pub fn providers_not_listed(&mut self, error: &RpcError) {
        self.note_missing(error, |caps| caps.providers = false);
        self.session.providers.state = Listing::Failed(error_text::readable(error));
    }

    fn provider(&self, id: &str) -> Option<&Provider> {
        let mut list = self.session.providers.list.iter();
        list.find(|provider| provider.id == id)
    }

    pub fn set_provider(&mut self, setting: ProviderSetting) {
        if self.session.connection.is_some() && self.provider(&setting.id).is_some() {
            self.call(Call::SetProvider(setting));
        }
    }

    /// Never one that the agent needs.
    pub fn disable_provider(&mut self, id: String) {
        match self.provider(&id) {
            Some(provider) if provider.required => {
                self.toast("the agent needs this provider: it cannot be disabled");
            }
            Some(_) if self.session.connection.is_some() => {
                self.call(Call::DisableProvider { id });
            }
            _ => {}
        }
    }

    pub fn provider_changed(&mut self, id: &str, what: &str) {
        let text = SafeText::line(&format!("provider {id}: {what}"));
        self.say(NoticeLevel::Info, text.clone());
        // The dialog stands over the end of the transcript.
        self.toast(&text);
        // What the agent made of it.
        self.list_providers();
    }

    pub fn provider_not_changed(&mut self, id: &str, error: &RpcError) {
        let what = format!("changing provider {id} failed");
        self.say_error(NoticeLevel::Error, &what, error);
        self.toast(&format!("{what}: {}", error_text::readable(error)));
        // It may be changed all the same: codex fails so when a session cannot follow.
        self.list_providers();
    }
}
