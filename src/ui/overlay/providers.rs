//! Where the agent's models are: its providers, each to be set anew or disabled (V1-AUTH-12).

use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
};

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
        overlay::{
            FormDialog, Outcome, Overlay, OverlayContext, OwnForm, Room, Wish, agent_name,
            list::{Described, Entry, FilterList, Listed},
            panel::{Panel, draw_rows},
        },
        render::line::StyledLine,
    },
};

/// Rows at most, so that the conversation stays in sight.
const MAX_ROWS: u16 = 18;

/// Rows of the list, its filter included, that no address may take.
const LIST_AT_LEAST: u16 = 3;

#[derive(Default)]
pub struct ProvidersDialog {
    /// Ids; `None` for a row that says something.
    list: FilterList<Option<String>>,
    /// Revision of the session and theme.
    made_from: Option<(u64, u8)>,
    /// To be disabled if the key comes once more.
    disabling: Option<String>,
}

impl ProvidersDialog {
    fn fill(&mut self, cx: &OverlayContext<'_>) {
        let Some(session) = cx.session else { return };
        let made_from = (session.rev, cx.theme.id);
        if self.made_from.replace(made_from) == Some(made_from) {
            return;
        }
        let selected = self.list.selected().cloned();
        let providers = &session.providers;
        let agent = agent_name(cx.session);
        let said = match &providers.state {
            // What is known of them stays in sight meanwhile.
            Listing::Asking if !providers.list.is_empty() => None,
            Listing::NotAsked => Some(format!("{agent} is not there to be asked")),
            Listing::Asking => Some(format!("asking {agent} for its providers")),
            Listing::Failed(error) => Some(format!("{agent} tells no providers: {error}")),
            Listing::Done { .. } if providers.list.is_empty() => {
                Some(format!("{agent} has no providers"))
            }
            Listing::Done { cut: true } => Some("the first of them".to_owned()),
            Listing::Done { cut: false } => None,
        };
        let said = said.map(|text| Described {
            entry: Entry {
                label: StyledLine::styled(&text, cx.theme.dim),
                note: StyledLine::new(),
                value: None,
            },
            description: None,
            heading: None,
        });
        let entries = providers.list.iter().map(|provider| entry(provider, cx));
        self.list
            .set_described(said.into_iter().chain(entries).collect());
        match selected.flatten() {
            Some(id) => self.list.select(|item| item.as_ref() == Some(&id)),
            None => self.list.select(Option::is_some),
        }
    }

    fn selected<'a>(&self, cx: &OverlayContext<'a>) -> Option<&'a Provider> {
        let id = self.list.selected()?.as_ref()?;
        let mut list = cx.session?.providers.list.iter();
        list.find(|provider| provider.id == *id)
    }

    /// Rows for addresses below a list of that many.
    fn below(&mut self, width: u16, height: u16) -> u16 {
        let rows = self.list.description_rows(width.into());
        let rows = u16::try_from(rows).unwrap_or(u16::MAX);
        rows.min(height.saturating_sub(LIST_AT_LEAST))
    }

    /// At the second press.
    fn disable(&mut self, before: Option<&str>, cx: &OverlayContext<'_>) -> Outcome {
        let toast = |text: &str| Outcome::taken().with(Wish::Toast(SafeText::line(text)));
        let Some(provider) = self.selected(cx) else {
            return Outcome::taken();
        };
        if provider.required {
            return toast("the agent needs this provider: it cannot be disabled");
        }
        if provider.current.is_none() {
            return toast("it is disabled");
        }
        let id = provider.id.clone();
        if before == Some(id.as_str()) {
            let disable = Event::DisableProvider { id };
            return Outcome::taken().command(UiCommand::Session(disable));
        }
        let key = cx.keymap.hint(Action::SendNow);
        let text = format!("{key} again disables {id}");
        self.disabling = Some(id);
        toast(&text)
    }
}

/// With its address, which is the longest, as the description.
fn entry(provider: &Provider, cx: &OverlayContext<'_>) -> Described<Option<String>> {
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
    Described {
        entry: Entry {
            label,
            note,
            value: Some(provider.id.clone()),
        },
        description: current.map(|route| SafeText::line(&route.base_url)),
        heading: None,
    }
}

const PROTOCOL: &str = "protocol";
const BASE_URL: &str = "base URL";
const HEADERS: &str = "headers";

/// All that a provider is to be; what is filled in replaces what was set before.
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
        "Each as `Name: value`, {newline} begins another one. They take the place of those that \
         are set; values stand in no log"
    );
    let fields = vec![
        field(
            PROTOCOL,
            "Protocol",
            None,
            true,
            FieldKind::Select {
                options: options.collect(),
                default,
            },
        ),
        field(
            BASE_URL,
            "Base URL",
            None,
            true,
            FieldKind::Text(TextField {
                default: current.map(|current| current.base_url.clone()),
                ..TextField::default()
            }),
        ),
        field(
            HEADERS,
            "Headers",
            Some(SafeText::line(&headers)),
            false,
            FieldKind::Text(TextField {
                secret: true,
                ..TextField::default()
            }),
        ),
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
        let (name, value) = pair.ok_or("a header is written as `Name: value`")?;
        Ok((name.trim().to_owned(), value.trim().to_owned()))
    };
    let pairs: Result<Vec<_>, &str> = lines.map(header).collect();
    Ok(SecretPairs(pairs?))
}

impl Overlay for ProvidersDialog {
    fn handle(&mut self, key: Chord, cx: &OverlayContext<'_>) -> Outcome {
        self.fill(cx);
        let disabling = self.disabling.take();
        if cx.keymap.chords(Action::SendNow).contains(&key) {
            return self.disable(disabling.as_deref(), cx);
        }
        match self.list.handle(key) {
            Listed::Pass => Outcome::pass(),
            Listed::Taken => Outcome::taken(),
            Listed::Chosen => match self.selected(cx) {
                Some(provider) => Outcome::taken().with(Wish::Open(Box::new(form(provider, cx)))),
                None => Outcome::taken(),
            },
        }
    }

    fn paste(&mut self, text: &str, cx: &OverlayContext<'_>) -> Outcome {
        self.fill(cx);
        self.list.paste(text);
        Outcome::taken()
    }

    fn height(&mut self, room: Room, cx: &OverlayContext<'_>) -> u16 {
        self.fill(cx);
        let rows = u16::try_from(self.list.rows()).unwrap_or(u16::MAX);
        let width = cx.frame.inner_width(room.width);
        let below = self.below(width, u16::MAX);
        rows.min(MAX_ROWS)
            .saturating_add(below)
            .saturating_add(cx.frame.rows())
            .min(room.height)
    }

    fn draw(
        &mut self,
        area: Rect,
        buffer: &mut Buffer,
        cx: &OverlayContext<'_>,
    ) -> Option<Position> {
        let hints = [
            (Action::Send, "set"),
            (Action::SendNow, "disable"),
            (Action::Stop, "close"),
        ];
        let inner = Panel::opened("Providers", &hints, cx).draw(area, buffer, cx);
        let below = self.below(inner.width, inner.height);
        let list = Rect {
            height: inner.height - below,
            ..inner
        };
        let place = Rect {
            y: list.bottom(),
            height: below,
            ..inner
        };
        let address = self.list.description_below(inner.width.into());
        let rows = address
            .map(|address| StyledLine::styled(address, cx.theme.dim).wrap(inner.width.into()));
        draw_rows(rows.iter().flatten(), place, buffer);
        self.list.draw(list, buffer, cx)
    }
}
