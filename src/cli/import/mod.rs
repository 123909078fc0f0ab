//! `acp-tui agents import` and `agents add`: profiles out of what other programs know about agents.
//!
//! Owns: reading their files and adding what is new to the user's. Adds only: what is there is
//! never changed.

mod entry;
mod jsonc;
mod registry;
mod zed;

use std::{
    fs,
    io::{self, Read, Write},
    os::unix::fs::OpenOptionsExt,
    path::Path,
};

use self::entry::Entry;
use super::{AddFrom, Adding, AgentsAction, CliError, ImportFrom, print};
use crate::{
    config::{AgentProfile, Config, Dirs, LoadOptions, Loaded},
    text::SafeText,
};

/// The registry is some 100 KB.
const MAX_FILE_BYTES: u64 = 16 << 20;

/// What was found in a file.
#[derive(Default)]
struct Found {
    entries: Vec<Entry>,
    skipped: Vec<Skipped>,
    /// Built-in agents that entries are put in the place of.
    replaced: Vec<String>,
}

/// What of it is not added.
#[derive(Debug, PartialEq, Eq)]
struct Skipped {
    name: String,
    why: String,
}

/// Adds what is new to the user's file, and says what that is.
///
/// # Errors
/// A file cannot be read, is none of its kind, or the user's cannot be added to.
pub fn add_agents(
    options: &LoadOptions,
    loaded: &Loaded,
    action: &AgentsAction,
) -> Result<(), CliError> {
    let (mut found, Adding { dry_run, force }) = match action {
        AgentsAction::Import {
            from: ImportFrom::Zed { file, adding },
        } => (from_zed(file.as_deref(), &loaded.config)?, *adding),
        AgentsAction::Add {
            from: AddFrom::Registry { id, file, adding },
        } => (from_registry(id, file.as_deref())?, *adding),
    };
    let path = options.user_file();
    let before = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(source) => return Err(CliError::io(path.display())(source)),
    };
    leave_out_known(&mut found, &before, &loaded.config, force);
    let shown = SafeText::line(&path.to_string_lossy()).to_string();
    if !found.entries.is_empty() {
        entry::appended(&before, &found.entries).map_err(|why| {
            let toml: String = found.entries.iter().map(|e| e.toml(false)).collect();
            CliError::Usage(format!("{shown}: {why}; add it by hand:\n\n{toml}"))
        })?;
        if !dry_run {
            append(&path, &before, &found.entries).map_err(CliError::io(path.display()))?;
        }
    }
    print(&report(&found, &shown, dry_run))
}

fn from_zed(file: Option<&Path>, config: &Config) -> Result<Found, CliError> {
    let path = match file {
        Some(file) => file.to_owned(),
        None => zed::settings_file(|name| std::env::var_os(name)).ok_or_else(|| {
            CliError::Usage("HOME is not set: name Zed's settings.json".to_owned())
        })?,
    };
    let text = read(&path)?;
    let settings = jsonc::parse(&text).map_err(|error| unusable(&path, &error))?;
    zed::agents(&settings, config).map_err(|error| unusable(&path, &error))
}

fn from_registry(id: &str, file: Option<&Path>) -> Result<Found, CliError> {
    let Some(path) = file else {
        // acp-tui never uses the network unasked.
        return Err(CliError::Usage(format!(
            "the registry's file is missing: download it and name it, or pipe it:\n\n    \
             curl -fsSL {} | acp-tui agents add registry {} -",
            registry::ADDRESS,
            crate::text::command_line([id])
        )));
    };
    let entry = registry::agent(&read(path)?, id, &registry::platform())
        .map_err(|error| unusable(path, &error))?;
    Ok(Found {
        entries: vec![entry],
        ..Found::default()
    })
}

/// `-` is stdin.
fn read(path: &Path) -> Result<String, CliError> {
    let mut text = String::new();
    let read = if path == Path::new("-") {
        io::stdin().take(MAX_FILE_BYTES).read_to_string(&mut text)
    } else {
        fs::File::open(path).and_then(|file| file.take(MAX_FILE_BYTES).read_to_string(&mut text))
    };
    match read {
        Ok(_) => Ok(text),
        Err(source) => Err(CliError::Usage(format!("{}: {source}", path.display()))),
    }
}

/// An agent that the user's file has, by whatever name, is the user's. One with another command than
/// the built-in agent of its name would be started in its place from then on: only by `force`.
fn leave_out_known(found: &mut Found, file: &str, config: &Config, force: bool) {
    let canonical = |name: &str| {
        let by_id = config.agents.contains_key(name);
        let known = config
            .agents
            .values()
            .find(|agent| !by_id && agent.aliases.iter().any(|alias| alias == name));
        known.map_or_else(|| name.to_owned(), |agent| agent.id.clone())
    };
    let table: toml::Table = file.parse().unwrap_or_default();
    let agents = table.get("agents").and_then(toml::Value::as_table);
    let mut taken: Vec<String> = agents
        .into_iter()
        .flat_map(toml::Table::keys)
        .map(|id| canonical(id))
        .collect();
    for entry in std::mem::take(&mut found.entries) {
        let id = canonical(&entry.id);
        if taken.contains(&id) {
            found.skipped.push(Skipped {
                name: entry.name.unwrap_or(entry.id),
                why: format!("agents.{id} already exists"),
            });
            continue;
        }
        if let Some(built_in) = config
            .agents
            .get(&id)
            .filter(|known| replaces(&entry, known))
        {
            let command = built_in.command_line();
            if !force {
                found.skipped.push(Skipped {
                    name: entry.name.unwrap_or(entry.id),
                    why: format!(
                        "acp-tui has an agent {id}, started by `{command}`; --force puts this one \
                         in its place"
                    ),
                });
                continue;
            }
            let line = format!("{id}, which was started by `{command}`");
            found.replaced.push(line);
        }
        taken.push(id);
        found.entries.push(entry);
    }
}

/// Whether the entry starts something else than the built-in agent of its name.
fn replaces(entry: &Entry, known: &AgentProfile) -> bool {
    let Some(command) = &entry.command else {
        return false;
    };
    known.built_in_command && (*command != known.command || entry.args != known.args)
}

/// At the file's end and in place: it may be a link to where the person keeps it.
fn append(path: &Path, before: &str, entries: &[Entry]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        Dirs::ensure(folder)?;
    }
    // Computed anew from what was read: only what comes behind it is written.
    let text = entry::appended(before, entries).map_err(io::Error::other)?;
    let added = text.strip_prefix(before).unwrap_or_default();
    // For the person alone if it is new: it may hold keys of the agents.
    let mut file = fs::OpenOptions::new()
        .create(true)
        .append(true)
        .mode(0o600)
        .open(path)?;
    file.write_all(added.as_bytes())?;
    file.sync_all()
}

fn report(found: &Found, file: &str, dry_run: bool) -> String {
    let mut out = String::new();
    if let Some(first) = found.entries.first() {
        let verb = if dry_run { "would be added" } else { "added" };
        out.push_str(&format!("{verb} to {file}:\n"));
        for entry in &found.entries {
            out.push('\n');
            out.push_str(&entry.toml(false));
        }
        if !found.replaced.is_empty() {
            out.push_str("\nin place of the built-in:\n");
            for line in &found.replaced {
                out.push_str(&format!("  {}\n", SafeText::line(line)));
            }
        }
        if !dry_run {
            out.push_str(&format!("\nto start it: acp-tui --agent {}\n", first.id));
        }
    } else {
        out.push_str("nothing to add\n");
    }
    if !found.skipped.is_empty() {
        out.push_str("\nleft out:\n");
        for Skipped { name, why } in &found.skipped {
            let line = format!("{name}: {why}");
            out.push_str(&format!("  {}\n", SafeText::line(&line)));
        }
    }
    out
}

fn unusable(path: &Path, problem: &str) -> CliError {
    CliError::Usage(format!("{}: {problem}", path.display()))
}
