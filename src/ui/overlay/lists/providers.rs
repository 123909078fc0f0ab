//! Where the agent's models are: its providers, each of which can be set or disabled (V1-AUTH-12).

use crate::{
    model::{
        Field, FieldKind, FieldOption, Form, FormValue, Provider, ProviderRoute, ProviderSetting,
        SecretPairs, TextField,
    },
    session::{Event, Listing},
    text::SafeText,
    ui::{
        UiCommand,
        action::Action,
        keymap::Chord,
        overlay::{FormDialog, Outcome, OverlayContext, OwnForm, Wish, agent_name, no_agent},
        render::line::StyledLine,
    },
};

use super::{Contents, ListRow, open as open_list};

#[derive(Default)]
pub struct Providers {
    /// To be disabled if the key is pressed once more.
    disabling: Option<String>,
}

/// V1-AUTH-12
pub(super) fn open(cx: &OverlayContext<'_>) -> Outcome {
    match cx.session {
        None => no_agent(cx),
        Some(session) if !session.agent.caps.providers => {
            Outcome::toast("the agent does not let clients set its providers")
        }
        Some(_) => {
            open_list(Providers::default()).command(UiCommand::Session(Event::ListProviders))
        }
    }
}

impl Providers {
    /// At the second press.
    fn disable(&mut self, again: bool, provider: &Provider, cx: &OverlayContext<'_>) -> Outcome {
        if provider.required {
            return Outcome::toast("the agent needs this provider: it cannot be disabled");
        }
        if provider.current.is_none() {
            return Outcome::toast("it is disabled");
        }
        let id = provider.id.clone();
        if again {
            let disable = Event::DisableProvider { id };
            return Outcome::taken().command(UiCommand::Session(disable));
        }
        let key = cx.keymap.hint(Action::ListRemove);
        let text = format!("{key} again disables {id}");
        self.disabling = Some(id);
        Outcome::toast(&text)
    }
}

impl Contents for Providers {
    type Id = String;
    type MadeFrom = u64;

    const TITLE: &'static str = "Providers";
    const HINTS: &'static [(Action, &'static str)] = &[
        (Action::Send, "set"),
        (Action::ListRemove, "disable"),
        (Action::Stop, "close"),
    ];

    fn made_from(&self, _narrowed: bool, cx: &OverlayContext<'_>) -> Option<u64> {
        Some(cx.session?.rev)
    }

    fn rows(&self, _: &u64, cx: &OverlayContext<'_>) -> Vec<ListRow<String>> {
        let Some(providers) = cx.session.map(|session| &session.providers) else {
            return Vec::new();
        };
        let agent = agent_name(cx.session);
        let said = match &providers.state {
            // What is known of them stays in sight meanwhile.
            Listing::Asking if !providers.list.is_empty() => None,
            Listing::NotAsked => Some(format!("{agent} is not running")),
            Listing::Asking => Some(format!("asking {agent} for its providers")),
            Listing::Failed(error) => Some(format!("{agent} did not list its providers: {error}")),
            Listing::Done { .. } if providers.list.is_empty() => {
                Some(format!("{agent} has no providers"))
            }
            Listing::Done { cut: true } => Some("the first of them".to_owned()),
            Listing::Done { cut: false } => None,
        };
        let said = said.map(|text| ListRow::said(&text, cx.theme));
        let providers = providers.list.iter().map(|provider| row(provider, cx));
        said.into_iter().chain(providers).collect()
    }

    fn key(&mut self, key: Chord, at: Option<&String>, cx: &OverlayContext<'_>) -> Option<Outcome> {
        let disabling = self.disabling.take();
        if !cx.keymap.chords(Action::ListRemove).contains(&key) {
            return None;
        }
        let provider = at.and_then(|id| provider(id, cx));
        Some(provider.map_or_else(Outcome::taken, |provider| {
            let again = disabling.as_ref() == Some(&provider.id);
            self.disable(again, provider, cx)
        }))
    }

    fn choose(&mut self, id: String, cx: &OverlayContext<'_>) -> Outcome {
        match provider(&id, cx) {
            Some(provider) => Outcome::taken().with(Wish::Open(Box::new(form(provider, cx)))),
            None => Outcome::taken(),
        }
    }
}

fn provider<'a>(id: &str, cx: &OverlayContext<'a>) -> Option<&'a Provider> {
    let mut list = cx.session?.providers.list.iter();
    list.find(|provider| provider.id == *id)
}

/// With its address, which is the longest, as the description.
fn row(provider: &Provider, cx: &OverlayContext<'_>) -> ListRow<String> {
    let theme = cx.theme;
    let mut label = StyledLine::styled(&SafeText::line(&provider.id), theme.text);
    if provider.required {
        label.push("  required", theme.dim);
    }
    let current = provider.current.as_ref();
    let note = match current {
        None => StyledLine::styled("disabled", theme.dim),
        Some(route) => StyledLine::styled(&SafeText::line(&route.protocol), theme.accent),
    };
    ListRow {
        note,
        description: current.map(|route| SafeText::line(&route.base_url)),
        ..ListRow::new(provider.id.clone(), label)
    }
}

const PROTOCOL: &str = "protocol";
const BASE_URL: &str = "base URL";
const HEADERS: &str = "headers";

/// The settings of a provider; the form replaces what was set before.
fn form(provider: &Provider, cx: &OverlayContext<'_>) -> FormDialog {
    let current = provider.current.as_ref();
    let mut protocols = provider.protocols.clone();
    if let Some(current) = current
        && !protocols.contains(&current.protocol)
    {
        protocols.push(current.protocol.clone());
    }
    let default = match current {
        Some(current) => protocols.iter().position(|one| *one == current.protocol),
        None => (protocols.len() == 1).then_some(0),
    };
    let field = |key: &str, title: &str, description: Option<SafeText>, required, kind| Field {
        key: key.to_owned(),
        title: Some(SafeText::line(title)),
        description,
        required,
        kind,
    };
    let options = protocols.into_iter().map(|protocol| FieldOption {
        title: SafeText::line(&protocol),
        value: protocol,
        description: None,
    });
    let newline = cx.keymap.hint(Action::Newline);
    let headers = format!(
        "Each as `Name: value`, {newline} begins another one. They replace those that are set; values are never logged"
    );
    let text = |default, secret| {
        FieldKind::Text(TextField {
            default,
            secret,
            ..TextField::default()
        })
    };
    let select = FieldKind::Select {
        options: options.collect(),
        default,
    };
    let url = text(current.map(|current| current.base_url.clone()), false);
    let headers = Some(SafeText::line(&headers));
    let fields = vec![
        field(PROTOCOL, "Protocol", None, true, select),
        field(BASE_URL, "Base URL", None, true, url),
        field(HEADERS, "Headers", headers, false, text(None, true)),
    ];
    let id = provider.id.clone();
    FormDialog::own(
        Form {
            fields,
            ..Form::default()
        },
        OwnForm {
            title: SafeText::line(&format!("Provider {id} of {}", agent_name(cx.session))),
            send: "Set",
            verb: "set",
            done: Box::new(move |values| {
                let setting = setting(&id, values)?;
                Ok(UiCommand::Session(Event::SetProvider(setting)))
            }),
        },
    )
}

fn setting(id: &str, values: Vec<(String, FormValue)>) -> Result<ProviderSetting, SafeText> {
    let mut setting = ProviderSetting {
        id: id.to_owned(),
        route: ProviderRoute {
            protocol: String::new(),
            base_url: String::new(),
        },
        headers: SecretPairs::default(),
    };
    for (key, value) in values {
        let FormValue::Text(text) = value else {
            continue;
        };
        match key.as_str() {
            PROTOCOL => setting.route.protocol = text,
            BASE_URL => setting.route.base_url = text.trim().to_owned(),
            _ => setting.headers = headers(&text)?,
        }
    }
    Ok(setting)
}

fn headers(text: &str) -> Result<SecretPairs, SafeText> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let header = |line: &str| {
        let pair = line.split_once(':');
        let (name, value) = pair.ok_or("write a header as `Name: value`")?;
        Ok((name.trim().to_owned(), value.trim().to_owned()))
    };
    let pairs: Result<Vec<_>, &str> = lines.map(header).collect();
    Ok(SecretPairs(pairs?))
}
