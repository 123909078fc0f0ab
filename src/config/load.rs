//! All layers to one [`Config`].

use std::{
    collections::BTreeMap,
    ffi::OsString,
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{
    AgentError, AgentProfile, Config, ConfigError, Dirs, Origin, Source, ThemeChoice, TrustState,
    Warning,
    diagnostic::join,
    diagnostic::sort_by_place,
    environment,
    file::File,
    layer::{Layer, Layers, RULES, aliases},
    like,
    mcp::{McpEntry, McpServerConfig},
    nearest,
    profile::{self, BUILT_IN, DEMO},
    project,
    source_text::{Links, SourceText},
    themes::{self, Themes, chosen},
    trust,
};
use toml::Value;

const DEFAULTS: &str = include_str!("../../config/default.toml");

/// What the configuration depends on.
#[derive(Clone, Debug)]
pub struct LoadOptions {
    pub dirs: Dirs,
    /// Where to look for the project's file: an absolute path.
    pub cwd: PathBuf,
    /// `--config`: instead of the user's file; it has to exist.
    pub config_file: Option<PathBuf>,
    /// The environment.
    pub env: Vec<(OsString, OsString)>,
}

impl LoadOptions {
    /// For this process.
    ///
    /// # Errors
    /// There is no home directory.
    pub fn new(cwd: PathBuf, config_file: Option<PathBuf>) -> Result<Self, ConfigError> {
        Ok(Self {
            dirs: Dirs::of_user()?,
            cwd,
            config_file,
            env: std::env::vars_os().collect(),
        })
    }

    /// The file that stands for the user's.
    pub fn user_file(&self) -> PathBuf {
        self.config_file
            .clone()
            .unwrap_or_else(|| self.dirs.config_file())
    }
}

/// Judges `[keys]`: names of actions, and what is wrong with each.
pub type KeyCheck = fn(&BTreeMap<String, Vec<String>>) -> Vec<(String, String)>;

/// The configuration and how it came about.
#[derive(Debug)]
pub struct Loaded {
    pub config: Config,
    /// What was left out; for the person to see.
    pub warnings: Vec<Warning>,
    /// What set each key, by dotted key (`permissions.rules[0]` for the first rule).
    pub sources: BTreeMap<String, Source>,
    pub trust: TrustState,
    /// There is a project's file that is not used: it cannot be read, or is no TOML.
    pub project_is_broken: bool,
    /// As TOML, defaults included.
    pub effective: toml::Table,
}

impl Loaded {
    /// A warning about a key that only its user can judge, such as an action's name in `[keys]`.
    pub fn warning(&self, path: &[&str], message: impl Into<String>) -> Warning {
        let key = path
            .iter()
            .fold(String::new(), |path, part| join(&path, part));
        self.warning_of(key, Source::Default, message)
    }

    /// With what set the key; `otherwise` where nothing did.
    fn warning_of(&self, key: String, otherwise: Source, message: impl Into<String>) -> Warning {
        let source = self.sources.get(&key).cloned().unwrap_or(otherwise);
        Warning::new(source, key, message)
    }

    /// Everything that is wrong, by file and line.
    pub fn all_warnings(&self, check_keys: KeyCheck) -> Vec<Warning> {
        let keys = check_keys(&self.config.keys).into_iter();
        let keys = keys.map(|(action, problem)| self.warning(&["keys", &action], problem));
        let mut all: Vec<Warning> = self.warnings.iter().cloned().chain(keys).collect();
        sort_by_place(&mut all);
        all
    }

    /// [`Loaded::all_warnings`], and variables that agents name and `env` does not have: those are
    /// told on demand alone, since at the start only the agent chosen counts.
    pub fn check(&self, env: &[(OsString, OsString)], check_keys: KeyCheck) -> Vec<Warning> {
        let mut all = self.all_warnings(check_keys);
        all.extend(self.unexpandable(env));
        sort_by_place(&mut all);
        all
    }

    fn unexpandable(&self, env: &[(OsString, OsString)]) -> Vec<Warning> {
        let lookup = |name: &str| {
            let found = env.iter().rev().find(|(known, _)| known == name);
            found.map(|(_, value)| value.clone())
        };
        let agents = self.config.agents.values();
        let problems = agents.flat_map(|agent| agent.unexpandable(&lookup));
        let servers = self.config.mcp_servers.values();
        // Programs are looked for as at the start.
        let path = lookup("PATH");
        let cwd = std::env::current_dir().unwrap_or_default();
        let servers = servers.filter_map(|server| {
            let problem = server.resolve(&lookup, path.as_deref(), &cwd).err()?;
            Some(self.warning_of(problem.key, Source::Default, problem.problem))
        });
        problems
            .map(|problem| {
                self.warning_of(problem.key, Source::BuiltIn, problem.source.to_string())
            })
            .chain(servers)
            .collect()
    }
}

/// Reads all layers. What is wrong with single entries is in [`Loaded::warnings`].
///
/// # Errors
/// A file that cannot be read, or is no TOML at all.
pub fn load(options: &LoadOptions) -> Result<Loaded, ConfigError> {
    let mut layers = built_in()?;
    let user_file = options.user_file();
    match SourceText::read(&user_file, Links::Follow)? {
        Some(source) => {
            let layer = parse(&source, &layers)?;
            layers.add(layer);
        }
        None if options.config_file.is_some() => {
            return Err(ConfigError::Unusable {
                path: user_file,
                problem: "there is no such file; see --config".into(),
            });
        }
        None => {}
    }
    let trust = add_project(&mut layers, options, &user_file)?;
    for layer in environment::layers(&options.env, &|name| layers.canonical(name)) {
        layers.add(layer);
    }
    like::inherit(&mut layers, built_in)?;
    finish(layers, trust, &options.dirs)
}

fn built_in() -> Result<Layers, ConfigError> {
    let mut layers = Layers::default();
    let shipped = |text: &str, source: Source| {
        Layer::parse(text, &|_| source.clone(), &str::to_owned)
            .map_err(|e| ConfigError::Layers(e.to_string()))
    };
    layers.add(shipped(DEFAULTS, Source::Default)?);
    for (id, entry) in BUILT_IN {
        let text = format!("[agents.{id}]\n{entry}");
        layers.add(shipped(&text, Source::BuiltIn)?);
    }
    let agents = layers.table.get_mut("agents");
    let demo = agents.and_then(|agents| agents.get_mut(DEMO)?.as_table_mut());
    if let (Some(demo), Some(program)) = (demo, profile::own_program()) {
        demo.insert("command".into(), program.into());
    }
    Ok(layers)
}

fn parse(source: &SourceText, below: &Layers) -> Result<Layer, ConfigError> {
    Layer::parse(&source.text, &|span| source.source(span), &|name| {
        below.canonical(name)
    })
    .map_err(|error| source.syntax_error(&error))
}

fn broken_project(layers: &mut Layers, path: PathBuf, error: &ConfigError) -> TrustState {
    let (line, problem) = error.of_file();
    let path = Arc::new(path);
    let message = format!("the project's file is not used: {problem}");
    let warning = Warning::new(Source::File { path, line }, "", message);
    layers.warnings.push(warning);
    layers.project_is_broken = true;
    TrustState::NotNeeded
}

fn add_project(
    layers: &mut Layers,
    options: &LoadOptions,
    user_file: &Path,
) -> Result<TrustState, ConfigError> {
    let Some(path) = project::find(&options.cwd).filter(|path| !same_file(path, user_file)) else {
        return Ok(TrustState::NotNeeded);
    };
    let source = match SourceText::read(&path, Links::Refuse) {
        Ok(Some(source)) => source,
        Ok(None) => return Ok(TrustState::NotNeeded),
        // Whatever a repository holds in its place does not keep the person from working there.
        Err(error) => return Ok(broken_project(layers, path, &error)),
    };
    let mut rest = match parse(&source, layers) {
        Ok(rest) => rest,
        // No more than the above; it cannot have been approved like this and count.
        Err(error) => return Ok(broken_project(layers, path, &error)),
    };
    let shown = project::split_display(&mut rest);
    let display = !project::is_empty(&shown);
    layers.add(shown);
    if project::is_empty(&rest) {
        return Ok(TrustState::NotNeeded);
    }
    let hash = trust::hash(&source.text);
    if trust::is_approved(&options.dirs, &path, &hash) {
        project::tighten(&mut rest, layers);
        layers.add(rest);
        Ok(TrustState::Trusted { path })
    } else {
        Ok(TrustState::Untrusted {
            path,
            content: source.text,
            hash,
            display,
        })
    }
}

fn same_file(a: &Path, b: &Path) -> bool {
    a.canonicalize()
        .is_ok_and(|a| b.canonicalize().is_ok_and(|b| a == b))
}

fn finish(mut layers: Layers, trust: TrustState, dirs: &Dirs) -> Result<Loaded, ConfigError> {
    let file: File = layers
        .table
        .clone()
        .try_into()
        .map_err(|e: toml::de::Error| ConfigError::Layers(e.message().to_owned()))?;
    let mut config = Config {
        default_agent: file.default_agent,
        policy: file.permissions.policy,
        fs: file.fs,
        terminal: file.terminal,
        sessions: file.sessions,
        changes: file.changes,
        worktree: file.worktree,
        connection: file.connection,
        ui: file.ui,
        keys: file.keys,
        ..Config::default()
    };
    for (i, rule) in file.permissions.rules.into_iter().enumerate() {
        let source = layers.sources.get(&format!("{RULES}[{i}]"));
        config
            .rules
            .push(rule.into_rule(source.unwrap_or(&Source::Default)));
    }
    config.mcp_servers = servers(file.mcp_servers, &mut layers);
    for (id, mut entry) in file.agents {
        if layers.broken_agents.contains_key(&id) {
            continue;
        }
        match entry.command.take() {
            Some(command) => {
                let origin = origin(&layers.sources, &id);
                let names = std::mem::take(&mut entry.mcp_servers);
                let servers = named_servers(&id, names, &config.mcp_servers, &mut layers);
                let mut profile = AgentProfile::from_entry(id.clone(), command, entry, origin);
                profile.mcp_servers = servers;
                if !profile.modes.is_empty() && profile.own_modes().is_none() {
                    // D-24
                    let message = "counts only with the dialect \"mode-param\": other agents list their modes themselves";
                    layers.warn(format!("agents.{id}.modes"), Source::Default, message);
                }
                let source = layers.sources.get(&format!("agents.{id}.command"));
                profile.built_in_command = source == Some(&Source::BuiltIn);
                config.agents.insert(id, profile);
            }
            None => {
                let problem = no_command(&layers.sources, &id);
                layers.warnings.push(problem.clone());
                layers.broken_agents.insert(id, problem);
            }
        }
    }
    config.broken_agents = broken_by_name(&layers);
    theme(&mut config, &mut layers, dirs);
    warn_of_clashes(&config, &mut layers);
    forget_unknown_default(&mut config, &mut layers);
    Ok(Loaded {
        config,
        warnings: layers.warnings,
        sources: layers.sources,
        trust,
        project_is_broken: layers.project_is_broken,
        effective: layers.table,
    })
}

/// Reads the themes, and takes the one that was chosen in the program. One that is not there leaves
/// the terminal's own colours.
fn theme(config: &mut Config, layers: &mut Layers, dirs: &Dirs) {
    let themes = Themes::load(&dirs.config.join(themes::FOLDER), &mut layers.warnings);
    let ui = &mut config.ui;
    config.configured_theme = chosen::configured(ui);
    if let ThemeChoice::Named(name) = &ui.theme
        && !themes.has(name)
    {
        layers.warn("ui.theme".into(), Source::Default, themes.unknown(name));
        ui.theme = ThemeChoice::Auto;
    }
    for (key, name) in [
        ("ui.theme_dark", &mut ui.theme_dark),
        ("ui.theme_light", &mut ui.theme_light),
    ] {
        if let Some(unknown) = name.take_if(|name| !themes.has(name)) {
            layers.warn(key.into(), Source::Default, themes.unknown(&unknown));
        }
    }
    let chosen = chosen::read(dirs, &config.configured_theme).map(|name| ThemeChoice::of(&name));
    // Its file may be gone by now.
    let is_there = |choice: &ThemeChoice| match choice {
        ThemeChoice::Named(name) => themes.has(name),
        _ => true,
    };
    if let Some(chosen) = chosen.filter(is_there) {
        let path = Arc::new(chosen::file(dirs));
        let source = Source::File { path, line: None };
        layers.sources.insert("ui.theme".into(), source);
        if let Some(Value::Table(ui)) = layers.table.get_mut("ui") {
            ui.insert("theme".into(), chosen.word().into());
        }
        ui.theme = chosen;
    }
    config.themes = themes;
}

/// Those that are whole; the others are told of.
fn servers(
    entries: BTreeMap<String, McpEntry>,
    layers: &mut Layers,
) -> BTreeMap<String, McpServerConfig> {
    let mut servers = BTreeMap::new();
    for (name, entry) in entries {
        match entry.into_config(name.clone()) {
            Ok(server) => {
                servers.insert(name, server);
            }
            Err(problem) => {
                let key = join("mcp_servers", &name);
                let prefix = format!("{key}.");
                let mut known = layers.sources.range(prefix.clone()..);
                let source = known
                    .next()
                    .filter(|(key, _)| key.starts_with(&prefix))
                    .map_or(Source::Default, |(_, source)| source.clone());
                let problem = format!("{problem}; this server is ignored");
                layers.warnings.push(Warning::new(source, key, problem));
            }
        }
    }
    servers
}

/// Those that an agent names, each once; what is not there is told of.
fn named_servers(
    id: &str,
    names: Vec<String>,
    known: &BTreeMap<String, McpServerConfig>,
    layers: &mut Layers,
) -> Vec<McpServerConfig> {
    let mut servers: Vec<McpServerConfig> = Vec::new();
    for name in names {
        match known.get(&name) {
            Some(server) if servers.contains(server) => {}
            Some(server) => servers.push(server.clone()),
            None => {
                let key = join(&join("agents", id), "mcp_servers");
                let hint = match nearest(&name, known.keys().map(String::as_str)) {
                    Some(near) => format!("did you mean {near}?"),
                    None => format!("it needs a table {}", join("mcp_servers", &name)),
                };
                let message = format!("unknown MCP server {name:?}; {hint}");
                layers.warn(key, Source::Default, message);
            }
        }
    }
    servers
}

/// The strongest of what set the agent's keys.
fn origin(sources: &BTreeMap<String, Source>, id: &str) -> Origin {
    let mut origin = Origin::BuiltIn;
    for source in sources_of(sources, id) {
        match source {
            Source::File { path, .. } => return Origin::File(path.to_path_buf()),
            Source::Env(_) => origin = Origin::Environment,
            Source::Default | Source::BuiltIn => {}
        }
    }
    origin
}

fn sources_of<'s>(
    sources: &'s BTreeMap<String, Source>,
    id: &str,
) -> impl Iterator<Item = &'s Source> {
    let prefix = format!("{}.", join("agents", id));
    sources
        .range(prefix.clone()..)
        .take_while(move |(key, _)| key.starts_with(&prefix))
        .map(|(_, source)| source)
}

fn no_command(sources: &BTreeMap<String, Source>, id: &str) -> Warning {
    let source = sources_of(sources, id).next().unwrap_or(&Source::Default);
    Warning::new(
        source.clone(),
        join("agents", id),
        "command is missing, and no built-in agent has this name; this agent is ignored",
    )
}

/// A broken entry over a built-in agent breaks that one's other names too: it would be started
/// without what the person wanted of it.
fn broken_by_name(layers: &Layers) -> BTreeMap<String, Warning> {
    let mut broken = layers.broken_agents.clone();
    for (id, problem) in &layers.broken_agents {
        if let Some(agent) = layers.table.get("agents").and_then(|a| a.get(id)) {
            for alias in aliases(agent) {
                broken.insert(alias.to_owned(), problem.clone());
            }
        }
    }
    broken
}

fn warn_of_clashes(config: &Config, layers: &mut Layers) {
    for (name, owner, other) in profile::clashes(&config.agents) {
        let key = join(&join("agents", &other), "aliases");
        let message = format!("{name} already names the agent {owner}; it keeps that meaning");
        layers.warn(key, Source::BuiltIn, message);
    }
}

/// An agent that does not exist is no reason not to start: the picker opens.
fn forget_unknown_default(config: &mut Config, layers: &mut Layers) {
    let Some(name) = config.default_agent.as_deref() else {
        return;
    };
    let Err(problem @ AgentError::Unknown { .. }) = config.agent(name) else {
        return;
    };
    let message = problem.to_string();
    layers.warn("default_agent".to_owned(), Source::Default, message);
    config.default_agent = None;
}
