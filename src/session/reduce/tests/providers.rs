use super::*;
use crate::{
    model::{Provider, ProviderRoute, ProviderSetting, SecretPairs},
    session::Listing,
};

fn provider(id: &str, required: bool) -> Provider {
    Provider {
        id: id.to_owned(),
        protocols: vec!["openai".to_owned()],
        required,
        current: None,
    }
}

fn setting(id: &str) -> ProviderSetting {
    ProviderSetting {
        id: id.to_owned(),
        route: ProviderRoute {
            protocol: "openai".to_owned(),
            base_url: "https://llm.example".to_owned(),
        },
        headers: SecretPairs(vec![("Authorization".to_owned(), "sesame".to_owned())]),
    }
}

fn listed() -> Play {
    let mut play = Play::open_with(AgentCaps {
        providers: true,
        ..AgentCaps::default()
    });
    assert_eq!(wire(&play.event(Event::ListProviders)), ["providers"]);
    let list = vec![provider("main", true), provider("small", false)];
    play.reply(CallTag::ListProviders, CallResult::ProvidersListed(list));
    assert_eq!(play.session.providers.list.len(), 2);
    play
}

// V1-AUTH-12
#[test]
fn without_the_capability_no_provider_is_asked_for() {
    let mut play = Play::open();
    assert!(play.event(Event::ListProviders).is_empty());
    assert!(play.event(Event::SetProvider(setting("main"))).is_empty());
    let disable = Event::DisableProvider {
        id: "main".to_owned(),
    };
    assert!(wire(&play.event(disable)).is_empty());
}

// V1-AUTH-12
#[test]
fn what_was_set_is_told_without_its_secrets_and_asked_for_again() {
    let mut play = listed();
    let effects = play.event(Event::SetProvider(setting("main")));
    assert_eq!(wire(&effects), ["set main"]);
    assert!(!format!("{effects:?}").contains("sesame"));
    let main = || "main".to_owned();
    let effects = play.reply(CallTag::SetProvider { id: main() }, CallResult::ProviderSet);
    assert_eq!(wire(&effects), ["providers"]);
    assert_eq!(play.said_last(), "i provider main: set");
    let refused = failed(-32602, "no such protocol");
    play.reply(
        CallTag::ListProviders,
        CallResult::ProvidersListed(Vec::new()),
    );
    let effects = play.reply(CallTag::SetProvider { id: main() }, refused);
    assert_eq!(wire(&effects), ["providers"]);
    let told = "! changing provider main failed: no such protocol";
    assert_eq!(play.said_last(), told);
}

// V1-AUTH-12
#[test]
fn a_provider_that_is_required_is_never_disabled() {
    let mut play = listed();
    let disable = |id: &str| Event::DisableProvider { id: id.to_owned() };
    assert!(wire(&play.event(disable("main"))).is_empty());
    assert!(wire(&play.event(disable("unknown"))).is_empty());
    assert_eq!(wire(&play.event(disable("small"))), ["disable small"]);
}

// V1-ERR-03
#[test]
fn an_agent_that_has_no_such_method_is_not_asked_again() {
    let mut play = Play::open_with(AgentCaps {
        providers: true,
        ..AgentCaps::default()
    });
    play.event(Event::ListProviders);
    play.reply(CallTag::ListProviders, failed(-32601, "Method not found"));
    assert!(matches!(play.session.providers.state, Listing::Failed(_)));
    assert!(play.event(Event::ListProviders).is_empty());
}
