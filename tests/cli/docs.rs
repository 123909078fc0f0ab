//! The pages of `docs/` and the README against the program.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use acp_tui::cli::Cli;
use clap::{Command, CommandFactory};
use serde_json::Value;

use crate::shell::Shell;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn page(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// README, CONTRIBUTING and all of `docs/`, by their paths.
fn pages() -> Vec<(PathBuf, String)> {
    let docs = fs::read_dir(root().join("docs")).expect("docs");
    let mut paths: Vec<PathBuf> = docs.map(|entry| entry.expect("an entry").path()).collect();
    paths.extend(["README.md", "CONTRIBUTING.md"].map(|name| root().join(name)));
    paths.retain(|path| path.extension().is_some_and(|ext| ext == "md"));
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).expect("a page");
        (path, text)
    };
    paths.into_iter().map(read).collect()
}

/// The words of a text that look like options, long or short.
fn options(text: &str) -> BTreeSet<String> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'))
        .filter(|word| {
            let name = word.trim_start_matches('-');
            let dashes = word.len() - name.len();
            (dashes == 2 && !name.is_empty()) || (dashes == 1 && name.len() == 1)
        })
        .map(str::to_owned)
        .collect()
}

fn shown(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|c| !c.is_hide_set())
}

/// Every command with the words that call it, each alias one more.
fn commands<'a>(command: &'a Command, words: &str, found: &mut Vec<(String, &'a Command)>) {
    found.push((words.to_owned(), command));
    for inner in shown(command) {
        for name in std::iter::once(inner.get_name()).chain(inner.get_visible_aliases()) {
            commands(inner, &format!("{words} {name}"), found);
        }
    }
}

#[test]
fn the_command_line_page_has_every_option_and_no_other() {
    let mut cli = Cli::command();
    cli.build();
    let mut all = Vec::new();
    commands(&cli, "acp-tui", &mut all);
    let mut typed = BTreeSet::new();
    for (_, command) in &all {
        for arg in command.get_arguments() {
            typed.extend(arg.get_long().map(|long| format!("--{long}")));
            typed.extend(arg.get_short().map(|short| format!("-{short}")));
        }
    }
    assert_eq!(options(&page("docs/command-line.md")), typed);
}

#[test]
fn the_command_line_page_has_every_command_and_no_other() {
    let mut cli = Cli::command();
    cli.build();
    let mut all = Vec::new();
    commands(&cli, "acp-tui", &mut all);
    let text = page("docs/command-line.md");
    for (words, _) in &all {
        assert!(text.contains(words.as_str()), "{words} is missing");
    }
    for (path, text) in pages() {
        for line in text.lines().filter(|line| line.starts_with("    acp-tui ")) {
            let mut command = &cli;
            // Two blanks end the words to be typed.
            let typed = line.trim_start().split("  ").next().unwrap_or_default();
            for word in typed.split_whitespace().skip(1) {
                let Some(inner) = command.find_subcommand(word) else {
                    let is_name = word.chars().all(|c| c.is_ascii_lowercase());
                    let takes_one = command.get_positionals().next().is_some();
                    assert!(
                        !is_name || (takes_one && command.get_name() != "acp-tui"),
                        "{}: {line}: there is no `{word}`",
                        path.display()
                    );
                    break;
                };
                command = inner;
            }
        }
    }
}

#[test]
fn the_agents_page_has_every_agent_and_the_readme_ten() {
    let options = acp_tui::config::LoadOptions {
        dirs: acp_tui::config::Dirs {
            config: "/nowhere".into(),
            data: "/nowhere".into(),
            state: "/nowhere".into(),
        },
        cwd: "/nowhere".into(),
        config_file: None,
        env: Vec::new(),
    };
    let config = acp_tui::config::load(&options).unwrap().config;
    let (all, readme) = (page("docs/agents.md"), page("README.md"));
    let mut rows = Vec::new();
    for agent in config.agents.values().filter(|agent| agent.id != "demo") {
        let row = all.lines().find(|line| {
            let start = line
                .split("--agent ")
                .nth(1)
                .and_then(|rest| rest.split('`').next());
            line.starts_with('|')
                && start
                    .is_some_and(|name| config.agent(name).is_ok_and(|found| found.id == agent.id))
        });
        let row = row.unwrap_or_else(|| panic!("{} is missing", agent.id));
        assert!(row.starts_with(&format!("| {} |", agent.name)), "{row}");
        let install = agent.install.as_deref().unwrap();
        let how = install.strip_prefix("see ").unwrap_or(install);
        assert!(row.contains(how), "{row}: {how}");
        rows.push(row);
    }
    let best: Vec<&str> = readme
        .lines()
        .filter(|line| line.contains("| `acp-tui --agent "))
        .collect();
    assert_eq!(best.len(), 10);
    for row in best {
        assert!(rows.contains(&row), "{row}");
    }
    assert!(readme.contains(&format!("lists all {}", rows.len())));
}

fn schema() -> Value {
    let ran = Shell::new().run(&["config", "schema"]);
    serde_json::from_str(&ran.out).expect("the schema is JSON")
}

#[test]
fn the_configuration_page_has_every_table_and_no_other() {
    let schema = schema();
    let tables: BTreeSet<&str> = schema["properties"]
        .as_object()
        .expect("properties")
        .keys()
        .map(String::as_str)
        .collect();
    let text = page("docs/configuration.md");
    let (_, tables_of) = text.split_once("\n## Tables\n").expect("the section");
    let listed: BTreeSet<&str> = tables_of
        .lines()
        .take_while(|line| !line.starts_with("## "))
        .filter_map(|line| line.strip_prefix("| `"))
        .filter_map(|row| row.trim_start_matches('[').split(['`', '.', ']']).next())
        .collect();
    assert_eq!(listed, tables);
}

#[test]
fn every_key_that_a_page_names_exists() {
    let defaults: toml::Table = page("config/default.toml")
        .lines()
        .map(|line| match line.strip_prefix('#') {
            Some(example) if !example.starts_with(' ') => format!("{example}\n"),
            _ => format!("{line}\n"),
        })
        .collect::<String>()
        .parse()
        .expect("the defaults are TOML");
    let tables = [
        "permissions",
        "fs",
        "terminal",
        "sessions",
        "connection",
        "ui",
    ];
    let mut seen = 0;
    for (path, text) in pages() {
        for code in text.split('`').skip(1).step_by(2) {
            let key = code.split([' ', '=']).next().unwrap_or_default();
            let Some((table, key)) = key.split_once('.') else {
                continue;
            };
            if tables.contains(&table) {
                seen += 1;
                let known = defaults[table].as_table().expect("a table");
                assert!(known.contains_key(key), "{}: {code}", path.display());
            }
        }
    }
    assert!(seen > 5, "{seen}");
}

/// The anchors of a page's headings, as GitHub makes them, and those that it sets itself.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = text.lines().filter_map(|line| {
        let title = line.strip_prefix('#')?.trim_start_matches('#').trim();
        let kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
        let title: String = title.to_lowercase().chars().filter(kept).collect();
        Some(title.replace(' ', "-"))
    });
    let set = text.split("<a id=\"").skip(1);
    let set = set.filter_map(|rest| rest.split('"').next().map(str::to_owned));
    headings.chain(set).collect()
}

#[test]
fn every_link_within_the_pages_leads_somewhere() {
    for (path, text) in pages() {
        for target in text.split("](").skip(1) {
            let target = target.split(')').next().unwrap_or_default();
            if target.contains("://") {
                continue;
            }
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            let file = match file {
                "" => path.clone(),
                file => path.parent().expect("a folder").join(file),
            };
            assert!(file.exists(), "{}: {target}", path.display());
            if !anchor.is_empty() {
                let there = fs::read_to_string(&file).expect("a page");
                assert!(
                    anchors(&there).contains(anchor),
                    "{}: {target}",
                    path.display()
                );
            }
        }
    }
}

#[test]
fn the_readme_is_short() {
    let lines = page("README.md").lines().count();
    assert!(lines <= 150, "{lines}");
}
