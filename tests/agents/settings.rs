//! What a session is set to: options, modes, models, its title, the agent's providers.

use serde_json::Value;

use crate::{conversation::Conversation, stage::Stage, wire::Wire};

/// Something with more than one value.
struct Changeable {
    what: &'static str,
    /// Rows above it in the list of all.
    place: usize,
    method: &'static str,
    names: Vec<String>,
    /// Which of them it is.
    current: usize,
}

impl Changeable {
    /// Of a session as it was opened: how much it thinks, the model, the mode. Where there are no
    /// options, modes and the older `models` stand for them.
    fn all(opened: &Value) -> Vec<Self> {
        let options = opened["configOptions"].as_array();
        if let Some(options) = options.filter(|options| !options.is_empty()) {
            let of = |category: &'static str| {
                let (place, option) = options
                    .iter()
                    .enumerate()
                    .find(|(_, option)| option["category"] == category)?;
                let list = option["options"].as_array()?;
                let method = "session/set_config_option";
                let current = &option["currentValue"];
                Self::among((category, place, method), list, "value", current)
            };
            let all = ["thought_level", "model", "mode"].into_iter();
            return all.filter_map(of).collect();
        }
        let of = |what, place, method, list: &Value, id, current| {
            Self::among((what, place, method), list.as_array()?, id, current)
        };
        let (modes, models) = (&opened["modes"], &opened["models"]);
        let mode = of(
            "mode",
            0,
            "session/set_mode",
            &modes["availableModes"],
            "id",
            &modes["currentModeId"],
        );
        let model = of(
            "model",
            usize::from(modes.is_object()),
            "session/set_model",
            &models["availableModels"],
            "modelId",
            &models["currentModelId"],
        );
        mode.into_iter().chain(model).collect()
    }

    fn among(
        (what, place, method): (&'static str, usize, &'static str),
        list: &[Value],
        id: &str,
        current: &Value,
    ) -> Option<Self> {
        let name = |item: &Value| item["name"].as_str().unwrap_or_default().to_owned();
        Some(Self {
            what,
            place,
            method,
            names: list.iter().map(name).collect(),
            current: list.iter().position(|item| item[id] == *current)?,
        })
        .filter(|option| option.names.len() > 1)
    }

    /// Another one of its values.
    fn other(&self) -> usize {
        usize::from(self.current == 0)
    }
}

impl Conversation {
    /// Each to another value and back (V1-CFG-08, V1-MODE-02); the mode by its key as well
    /// (V1-CFG-04). Gives what there was nothing to change of.
    pub fn changes_its_options(&self) -> Vec<&'static str> {
        let wire = self.wire();
        let opened = &wire.answer_to_last("session/new").expect("a session")["result"];
        let all = Changeable::all(opened);
        for option in &all {
            self.sets(option, option.other());
            self.sets(option, option.current);
            if option.what == "mode" {
                self.awaits_answer(option.method, || self.tui.keys("<s-tab>"));
                self.sets(option, option.current);
            }
        }
        let lacks = |what: &&str| !all.iter().any(|option| option.what == *what);
        ["thought_level", "model", "mode"]
            .into_iter()
            .filter(lacks)
            .collect()
    }

    fn sets(&self, option: &Changeable, value: usize) {
        let name = &option.names[value];
        self.tui.keys("<f12>");
        self.tui.wait_for("╭ Options ─");
        self.tui.keys(&"<down>".repeat(option.place));
        self.tui.keys("<enter>");
        self.tui.wait_for("╭ Options ▸ ");
        self.tui.keys("<home>");
        self.tui.keys(&"<down>".repeat(value));
        self.awaits_answer(option.method, || self.tui.keys("<enter>"));
        self.tui.wait("the value in the list", |tui| {
            let screen = tui.screen();
            let mut rows = screen.lines();
            rows.any(|row| row.trim_end_matches([' ', '│']).ends_with(name.as_str()))
                .then_some(())
        });
        self.tui.keys("<esc>");
        self.tui.wait_gone("╭ Options ─");
    }

    /// Does something that calls the agent, which is to answer well. Gives the result.
    pub fn awaits_answer(&self, method: &str, act: impl FnOnce()) -> Value {
        let answer = self.awaits_any_answer(method, act);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// The whole message, which may be an error.
    fn awaits_any_answer(&self, method: &str, act: impl FnOnce()) -> Value {
        let count = |wire: &Wire| wire.sent(method).count();
        let before = count(&self.wire());
        act();
        self.tui.wait(&format!("the answer to {method}"), |_| {
            let wire = self.wire();
            let called = count(&wire) > before;
            called.then(|| wire.answer_to_last(method).cloned())?
        })
    }

    /// The agent keeps the title where it can (V1-SES-20), and it is shown in any case.
    pub fn is_renamed(&self, title: &str) {
        self.tui.keys("<f2>");
        self.tui.wait_for("Rename the session");
        self.tui.keys(&format!("<c-u>{title}"));
        self.tui.wait_for(title);
        if self.has("/sessionCapabilities/title") {
            let result = self.awaits_answer("session/set_title", || self.tui.keys("<enter>"));
            assert_eq!(result["title"], title);
        } else {
            self.tui.keys("<enter>");
        }
        self.is_called(title);
    }

    pub fn is_called(&self, title: &str) {
        self.tui.keys("<c-s>");
        self.tui.wait_for("╭ Sessions ─");
        self.tui.wait_for(title);
        self.tui.keys("<esc>");
        self.tui.wait_gone("╭ Sessions ─");
    }

    /// V1-AUTH-12: the first one is set to where the model is, and disabled where it may be.
    pub fn sets_its_provider(&self, stage: &Stage) {
        let open = || {
            self.tui.keys("<c-p>providers");
            self.tui.wait_for("❯ Show and set the agent");
            self.tui.keys("<enter>");
        };
        let result = self.awaits_answer("providers/list", open);
        let provider = &result["providers"][0];
        let id = provider["providerId"].as_str().expect("an id");
        self.tui.wait_for("╭ Providers ─");
        self.tui.wait_for(&format!("❯ {id}"));
        self.tui.keys("<enter>");
        self.tui.wait_for(&format!("╭ Provider {id} of"));
        let path = match provider["current"]["apiType"].as_str() {
            Some("openai") => "/v1",
            _ => "",
        };
        let url = format!("http://127.0.0.1:{}{path}", stage.port());
        self.tui.keys(&format!("<enter><c-u>{url}"));
        self.tui.wait_for(&url);
        self.tui.keys("<enter>");
        self.tui.wait_for("`Name: value`");
        self.tui.keys("X-Lamp: oil");
        self.tui.wait_for("X-Lamp: ***");
        self.tui.keys("<enter>");
        self.tui.wait_for("❯ Set");
        let answer = self.awaits_any_answer("providers/set", || self.tui.keys("<enter>"));
        let failed = answer.get("error").is_some();
        if failed {
            // A session of codex stays with the provider that it began with.
            self.tui.wait_for(&format!("changing provider {id} failed"));
        } else {
            self.tui.wait_for(&format!("provider {id}: set"));
        }
        self.tui.keys("<esc>");
        self.tui.wait_gone("╭ Providers ─");
        if !failed {
            self.goes_on("through the provider");
        }
        if provider["required"] == false {
            self.awaits_answer("providers/list", open);
            self.tui.wait_for(&format!("❯ {id}"));
            self.tui.keys("<c-x>");
            self.tui.wait_for(&format!("again disables {id}"));
            self.awaits_answer("providers/disable", || self.tui.keys("<c-x>"));
            self.tui.wait_for(&format!("provider {id}: disabled"));
            self.tui.keys("<esc>");
            self.tui.wait_gone("╭ Providers ─");
            self.goes_on("without the provider");
        }
        let log = std::fs::read_to_string(self.tui.path(crate::stage::WIRE));
        assert!(!log.expect("the wire log").contains("\"oil\""));
    }
}
