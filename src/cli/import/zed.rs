//! `agent_servers` of Zed's settings.
//!
//! Also in the shapes of older programs: a command as a list (D-18), an environment as a list of
//! names and values or as an object (D-19), a command as an object with its path.

use std::{collections::BTreeMap, ffi::OsString, path::PathBuf};

use serde_json::{Map, Value};

use super::{
    Found, Skipped,
    entry::{Entry, slug},
};
use crate::config::{Config, literal};

/// Where Zed keeps its settings.
pub(super) fn settings_file(lookup: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    // Empty and relative ones do not count, as the standard has it.
    let config = lookup("XDG_CONFIG_HOME").map(PathBuf::from);
    let config = match config.filter(|config| config.is_absolute()) {
        // On macOS too.
        None => PathBuf::from(lookup("HOME")?).join(".config"),
        Some(config) => config,
    };
    Some(config.join("zed").join("settings.json"))
}

/// What the settings say about agents. A built-in agent that is only named needs no entry.
///
/// # Errors
/// There are no agents in them.
pub(super) fn agents(settings: &Value, config: &Config) -> Result<Found, String> {
    let servers = match settings.get("agent_servers") {
        Some(Value::Object(servers)) => servers,
        Some(_) => return Err("agent_servers is not an object".into()),
        None => return Err("it has no agent_servers".into()),
    };
    let mut found = Found::default();
    for (name, server) in servers {
        match agent(name, server, config) {
            Ok(entry) => found.entries.push(entry),
            Err(why) => found.skipped.push(Skipped {
                name: name.clone(),
                why,
            }),
        }
    }
    Ok(found)
}

fn agent(name: &str, server: &Value, config: &Config) -> Result<Entry, String> {
    let Value::Object(server) = server else {
        return Err("is not an object".into());
    };
    let mut entry = Entry {
        env: environment(server.get("env"))?,
        mode: text(server, "default_mode"),
        ..Entry::default()
    };
    let mut words = words(server.get("command"))?.into_iter();
    entry.command = words.next();
    entry.args = words.collect();
    if let Some(Value::Object(command)) = server.get("command") {
        entry.args.extend(list(command.get("args"))?);
        let more = environment(command.get("env"))?;
        entry.env.extend(more);
    }
    entry.args.extend(list(server.get("args"))?);
    let kind = server.get("type").and_then(Value::as_str);
    if let Some(command) = &entry.command {
        if command.trim().is_empty() {
            return Err("its command is empty".into());
        }
        entry.id = slug(name);
        entry.name = (entry.id != name).then(|| name.to_owned());
        return Ok(entry);
    }
    // One that Zed installs: known here by the same name, or not at all.
    if kind == Some("remote") || server.contains_key("url") {
        return Err("is reached over the network; acp-tui starts programs".into());
    }
    let Ok(known) = config.agent(known_name(name)) else {
        let install = match kind {
            Some("extension") => "an extension of Zed installs it".to_owned(),
            _ => format!(
                "Zed installs it; try `acp-tui agents add registry {}`",
                slug(name)
            ),
        };
        return Err(format!("has no command: {install}"));
    };
    entry.id = known.id;
    if entry.says_something() {
        Ok(entry)
    } else {
        Err(format!("acp-tui knows it: --agent {}", entry.id))
    }
}

/// The name that an agent of Zed's registry has here.
fn known_name(name: &str) -> &str {
    match name {
        "claude-acp" | "claude-code" => "claude",
        "codex-acp" => "codex",
        "gemini-cli" => "gemini",
        name => name.strip_suffix("-acp").unwrap_or(name),
    }
}

fn text(server: &Map<String, Value>, key: &str) -> Option<String> {
    server.get(key)?.as_str().map(str::to_owned)
}

/// The command, and what of its arguments stands in the same place (D-18).
fn words(command: Option<&Value>) -> Result<Vec<String>, String> {
    match command {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::String(command)) => Ok(vec![unexpanded(command)]),
        Some(Value::Object(command)) => match command.get("path") {
            Some(Value::String(path)) => Ok(vec![unexpanded(path)]),
            _ => Err("its command has no path".into()),
        },
        list_ => list(list_),
    }
}

fn list(args: Option<&Value>) -> Result<Vec<String>, String> {
    match args {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(args)) => args
            .iter()
            .map(|arg| match arg {
                Value::String(arg) => Ok(unexpanded(arg)),
                other => Err(format!("{other} is not a string")),
            })
            .collect(),
        Some(other) => Err(format!("{other} is not a list of strings")),
    }
}

/// As an object, or as a list of names and values (D-19).
fn environment(env: Option<&Value>) -> Result<BTreeMap<String, String>, String> {
    let value = |value: &Value| match value {
        Value::String(text) => Ok(unexpanded(text)),
        Value::Number(number) => Ok(number.to_string()),
        Value::Bool(flag) => Ok(flag.to_string()),
        other => Err(format!("{other} is not a value for a variable")),
    };
    match env {
        None | Some(Value::Null) => Ok(BTreeMap::new()),
        Some(Value::Object(env)) => env
            .iter()
            .map(|(name, text)| Ok((name.clone(), value(text)?)))
            .collect(),
        Some(Value::Array(env)) => env
            .iter()
            .map(|variable| {
                let name = variable.get("name").and_then(Value::as_str);
                let name = name.ok_or_else(|| format!("{variable} is not a variable name"))?;
                let text = variable.get("value").unwrap_or(&Value::Null);
                Ok((name.to_owned(), value(text)?))
            })
            .collect(),
        Some(other) => Err(format!("{other} is not an environment")),
    }
}

/// Zed expands no variables. `~` it does, as we do.
fn unexpanded(text: &str) -> String {
    literal(text.as_ref()).unwrap_or_else(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::config::AgentProfile;

    fn config() -> Config {
        let mut config = Config::default();
        for (id, alias) in [("claude-code", "claude"), ("gemini", "gemini-cli")] {
            let mut agent = AgentProfile::command(id.into(), Vec::new());
            agent.aliases.push(alias.into());
            config.agents.insert(id.into(), agent);
        }
        config
    }

    fn found(servers: Value) -> Found {
        agents(&json!({ "agent_servers": servers }), &config()).unwrap()
    }

    // D-18, D-19
    #[test]
    fn commands_are_read_in_every_shape() {
        let found = found(json!({
            "My Agent": {
                "type": "custom", "command": "node", "args": ["~/x.js", "${A}"],
                "env": {"K": "v", "N": 1}, "default_mode": "plan",
            },
            "old": {"type": "local", "command": ["bun", "x"], "args": ["y"],
                "env": [{"name": "K", "value": "v"}]},
            "older": {"command": {"path": "p", "args": ["q"], "env": {"K": "v"}}},
        }));
        assert_eq!(found.skipped, []);
        let lines: Vec<String> = found.entries.iter().map(|entry| entry.toml(true)).collect();
        assert_eq!(
            lines,
            [
                "[agents.my-agent]\nname = \"My Agent\"\ncommand = \"node\"\n\
                 args = [\"~/x.js\", \"$${A}\"]\nenv = { K = \"v\", N = \"1\" }\nmode = \"plan\"\n",
                "[agents.old]\ncommand = \"bun\"\nargs = [\"x\", \"y\"]\nenv = { K = \"v\" }\n",
                "[agents.older]\ncommand = \"p\"\nargs = [\"q\"]\nenv = { K = \"v\" }\n",
            ]
        );
    }

    #[test]
    fn what_zed_installs_is_laid_over_what_is_known_or_left_out() {
        let found = found(json!({
            "claude-acp": {"type": "registry", "env": {"X": "1"}},
            "gemini": {"ignore_system_version": false},
            "auggie": {"type": "registry"},
            "ext": {"type": "extension"},
            "far": {"type": "remote", "url": "https://x"},
            "bad": {"command": 5},
            "none": 7,
        }));
        assert_eq!(found.entries.len(), 1);
        assert_eq!(
            found.entries[0].toml(true),
            "[agents.claude-code]\nenv = { X = \"1\" }\n"
        );
        let mut why: Vec<(&str, &str)> = found
            .skipped
            .iter()
            .map(|skipped| (skipped.name.as_str(), skipped.why.as_str()))
            .collect();
        why.sort_unstable();
        assert_eq!(
            why,
            [
                (
                    "auggie",
                    "has no command: Zed installs it; try `acp-tui agents add registry auggie`"
                ),
                ("bad", "5 is not a list of strings"),
                ("ext", "has no command: an extension of Zed installs it"),
                (
                    "far",
                    "is reached over the network; acp-tui starts programs"
                ),
                ("gemini", "acp-tui knows it: --agent gemini"),
                ("none", "is not an object"),
            ]
        );
        assert!(agents(&json!({}), &config()).is_err());
    }

    #[test]
    fn its_settings_are_where_xdg_says() {
        let lookup = |name: &str| (name == "HOME").then(|| OsString::from("/home/me"));
        let file = settings_file(lookup);
        assert_eq!(file, Some("/home/me/.config/zed/settings.json".into()));
        assert_eq!(settings_file(|_| None), None);
    }
}
