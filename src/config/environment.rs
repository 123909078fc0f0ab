//! `ACP_TUI_*`: each variable is a layer of one key.
//!
//! `__` goes one table down: `ACP_TUI_UI__THEME` is `ui.theme`. In the names of agents and actions
//! `_` stands for `-`: `ACP_TUI_AGENTS__CLAUDE_CODE__MODE` is `agents.claude-code.mode`. The value
//! is TOML where the key takes it, else text.

use std::ffi::OsString;

use super::{Source, Warning, diagnostic::join, layer::Layer};

const PREFIX: &str = "ACP_TUI_";

/// Switches for tests; no settings.
const TEST_PREFIX: &str = "ACP_TUI_TEST_";

/// The layers, in order of the variables' names.
pub(super) fn layers(
    vars: &[(OsString, OsString)],
    canonical: &dyn Fn(&str) -> String,
) -> Vec<Layer> {
    let mut ours: Vec<(&str, &OsString)> = vars
        .iter()
        .filter_map(|(name, value)| Some((name.to_str()?, value)))
        .filter(|(name, _)| name.starts_with(PREFIX) && !name.starts_with(TEST_PREFIX))
        .collect();
    ours.sort();
    ours.into_iter()
        .map(|(name, value)| match value.to_str() {
            Some(value) => layer(name, value, canonical),
            None => refused(name, "is not UTF-8"),
        })
        .collect()
}

fn layer(name: &str, value: &str, canonical: &dyn Fn(&str) -> String) -> Layer {
    let Some(key) = key(name) else {
        return refused(name, "has no key");
    };
    let parse = |value: &str| {
        let source = |_: &_| Source::Env(name.to_owned());
        Layer::parse(&format!("{key} = {value}"), &source, canonical)
            .unwrap_or_else(|error| refused(name, error.message()))
    };
    let text = parse(&toml::Value::from(value).to_string());
    if text.warnings.is_empty() || toml::de::DeValue::parse(value).is_err() {
        return text;
    }
    // A number, a flag or a list, as TOML; what that is not either is told of that reading.
    parse(value)
}

fn refused(name: &str, problem: &str) -> Layer {
    Layer {
        warnings: vec![Warning::new(Source::Env(name.to_owned()), "", problem)],
        ..Layer::default()
    }
}

/// The dotted key that a variable stands for.
fn key(name: &str) -> Option<String> {
    let parts: Vec<&str> = name.strip_prefix(PREFIX)?.split("__").collect();
    let table = parts.first()?.to_ascii_lowercase();
    let mut key = String::new();
    for (depth, part) in parts.iter().enumerate() {
        if part.is_empty() {
            return None;
        }
        let lower = part.to_ascii_lowercase();
        let part = match (table.as_str(), depth) {
            ("agents" | "keys", 1) => lower.replace('_', "-"),
            // The agent's own variables are written as they are.
            ("agents", 3) => (*part).to_owned(),
            _ => lower,
        };
        key = join(&key, &part);
    }
    Some(key)
}

#[cfg(test)]
mod tests {
    use super::key;

    #[test]
    fn variables_name_keys() {
        for (name, expected) in [
            ("ACP_TUI_DEFAULT_AGENT", Some("default_agent")),
            ("ACP_TUI_UI__EXIT_PRINT", Some("ui.exit_print")),
            (
                "ACP_TUI_AGENTS__CLAUDE_CODE__LOGIN_COMMAND",
                Some("agents.claude-code.login_command"),
            ),
            (
                "ACP_TUI_AGENTS__PI__ENV__PI_OFFLINE",
                Some("agents.pi.env.PI_OFFLINE"),
            ),
            ("ACP_TUI_KEYS__NEXT_MODE", Some("keys.next-mode")),
            ("ACP_TUI_UI__", None),
            ("ACP_TUI_", None),
        ] {
            assert_eq!(key(name).as_deref(), expected, "{name}");
        }
    }
}
