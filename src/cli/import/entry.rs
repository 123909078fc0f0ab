//! A profile to be written into the user's file.

use std::collections::BTreeMap;

use toml::Value;

/// What of a profile another program's settings tell. Texts are as the configuration wants them:
/// what must not be expanded is escaped.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Entry {
    /// The table's name.
    pub id: String,
    pub name: Option<String>,
    pub command: Option<String>,
    /// Written along with a command, even if there are none: a built-in profile's would count else.
    pub args: Vec<String>,
    pub env: BTreeMap<String, String>,
    pub mode: Option<String>,
    pub install: Option<String>,
}

impl Entry {
    /// The table as TOML. `secrets`: whether values of variables that look secret are shown.
    pub fn toml(&self, secrets: bool) -> String {
        let mut out = format!("[agents.{}]\n", key(&self.id));
        let mut line = |name: &str, value: String| out.push_str(&format!("{name} = {value}\n"));
        if let Some(name) = &self.name {
            line("name", text(name));
        }
        if let Some(command) = &self.command {
            line("command", text(command));
            let args: Vec<String> = self.args.iter().map(|arg| text(arg)).collect();
            line("args", format!("[{}]", args.join(", ")));
        }
        if !self.env.is_empty() {
            let shown = |value: &str| secrets || value.contains("${");
            let variables = self.env.iter().map(|(name, value)| {
                let value = if shown(value) { value } else { "(not shown)" };
                format!("{} = {}", key(name), text(value))
            });
            let variables: Vec<String> = variables.collect();
            line("env", format!("{{ {} }}", variables.join(", ")));
        }
        if let Some(mode) = &self.mode {
            line("mode", text(mode));
        }
        if let Some(install) = &self.install {
            line("install", text(install));
        }
        out
    }

    /// Whether there is anything in it but names.
    pub fn says_something(&self) -> bool {
        self.command.is_some() || !self.env.is_empty() || self.mode.is_some()
    }
}

/// A table's name out of a name for people.
pub(super) fn slug(name: &str) -> String {
    let mut slug = String::new();
    for c in name.chars() {
        if c.is_ascii_alphanumeric() || matches!(c, '_' | '.') {
            slug.push(c.to_ascii_lowercase());
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    let slug = slug.trim_end_matches('-');
    if slug.is_empty() { "agent" } else { slug }.to_owned()
}

/// On one line, whatever is in it.
fn text(text: &str) -> String {
    let mut out = String::from('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            // Also what would not be seen, or move the cursor, when it is printed.
            c if c.is_control() || crate::text::sanitize(&c.to_string()) != c.to_string() => {
                let code = u32::from(c);
                out.push_str(&if code > 0xffff {
                    format!("\\U{code:08X}")
                } else {
                    format!("\\u{code:04X}")
                });
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

fn key(name: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if !name.is_empty() && name.chars().all(bare) {
        name.to_owned()
    } else {
        text(name)
    }
}

/// The same file with the entries at its end.
///
/// # Errors
/// It would not mean what it meant, or not what is added: the file writes its agents in a way that
/// no table can be added to.
pub(super) fn appended(file: &str, entries: &[Entry]) -> Result<String, String> {
    let mut text = file.to_owned();
    for entry in entries {
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&entry.toml(true));
    }
    let before: toml::Table = file.parse().map_err(|error| format!("{error}"))?;
    let after: toml::Table = text
        .parse()
        .map_err(|_| "no table can be added at its end".to_owned())?;
    let agents = |table: &toml::Table| match table.get("agents") {
        Some(Value::Table(agents)) => agents.clone(),
        _ => toml::Table::new(),
    };
    let (old, new) = (agents(&before), agents(&after));
    let kept = before
        .iter()
        .all(|(key, value)| key == "agents" || after.get(key) == Some(value))
        && old.iter().all(|(id, agent)| new.get(id) == Some(agent));
    let added = entries.iter().all(|entry| new.contains_key(&entry.id));
    if kept && added && new.len() == old.len() + entries.len() {
        Ok(text)
    } else {
        Err("what is added would change what it says".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn entry() -> Entry {
        Entry {
            id: "mine".into(),
            name: Some("My \"own\"".into()),
            command: Some("node".into()),
            args: vec!["a b".into()],
            env: [
                ("A_KEY".into(), "s3cret".into()),
                ("B".into(), "${B}".into()),
            ]
            .into(),
            mode: Some("plan".into()),
            install: None,
        }
    }

    #[test]
    fn an_entry_is_one_table_and_hides_values_when_shown() {
        assert_eq!(
            entry().toml(false),
            "[agents.mine]\nname = \"My \\\"own\\\"\"\ncommand = \"node\"\nargs = [\"a b\"]\n\
             env = { A_KEY = \"(not shown)\", B = \"${B}\" }\nmode = \"plan\"\n"
        );
        assert!(entry().toml(true).contains("s3cret"));
    }

    #[test]
    fn names_become_ids() {
        for (name, id) in [
            ("My Agent (2)", "my-agent-2"),
            ("claude-acp", "claude-acp"),
            ("日本", "agent"),
            ("v1.2_x", "v1.2_x"),
        ] {
            assert_eq!(slug(name), id);
        }
    }

    #[test]
    fn what_is_there_stays_to_the_byte() {
        for file in [
            "",
            "default_agent = \"x\" # mine",
            "[agents.x]\ncommand = \"x\"\n[ui]\ntheme = \"dark\"\n",
            "agents.x.command = \"x\"\n",
        ] {
            let text = appended(file, &[entry()]).unwrap();
            assert!(
                text.starts_with(file) && text.ends_with(&entry().toml(true)),
                "{text}"
            );
        }
    }

    #[test]
    fn a_file_that_no_table_can_be_added_to_is_left_alone() {
        assert!(appended("agents = { x = { command = \"x\" } }\n", &[entry()]).is_err());
        assert!(appended("[agents.mine]\ncommand = \"x\"\n", &[entry()]).is_err());
        assert!(appended("[agents\n", &[entry()]).is_err());
    }

    proptest! {
        #[test]
        fn every_text_is_read_back(text in "\\PC{0,20}|.{0,20}", name in ".{1,8}") {
            let entry = Entry {
                id: name.clone(),
                command: Some(text.clone()),
                args: vec![text.clone()],
                env: [(name.clone(), text.clone())].into(),
                ..Entry::default()
            };
            let table: toml::Table = entry.toml(true).parse().unwrap();
            let agent = &table["agents"][&name];
            prop_assert_eq!(agent["command"].as_str(), Some(text.as_str()));
            prop_assert_eq!(agent["args"][0].as_str(), Some(text.as_str()));
            prop_assert_eq!(agent["env"][&name].as_str(), Some(text.as_str()));
            prop_assert_eq!(entry.toml(true).lines().count(), 4);
        }
    }
}
