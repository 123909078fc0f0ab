//! The published format of the ACP agent registry (its FORMAT.md): how an agent is distributed,
//! as the command that runs it.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::entry::Entry;
use crate::config::{literal, nearest};

/// Where the registry is published.
pub(super) const ADDRESS: &str =
    "https://cdn.agentclientprotocol.com/registry/v1/latest/registry.json";

/// A registry file, or the manifest of one agent. What else is in them is not needed.
#[derive(Deserialize)]
#[serde(untagged)]
enum File {
    Registry { agents: Vec<serde_json::Value> },
    Manifest(serde_json::Value),
}

#[derive(Deserialize)]
struct Agent {
    id: String,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    distribution: Distribution,
}

#[derive(Default, Deserialize)]
struct Distribution {
    #[serde(default)]
    binary: BTreeMap<String, Binary>,
    npx: Option<Package>,
    uvx: Option<Package>,
}

#[derive(Deserialize)]
struct Binary {
    archive: String,
    cmd: String,
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
}

#[derive(Deserialize)]
struct Package {
    package: String,
    /// The program in the package, where it is not named like it.
    #[serde(default)]
    cmd: Option<String>,
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
}

/// The profile of one agent of the file, on `platform` (`linux-x86_64`).
///
/// # Errors
/// It is no such file, the agent is not in it, or there is none of it for this platform.
pub(super) fn agent(text: &str, id: &str, platform: &str) -> Result<Entry, String> {
    let file: File = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let agents = match file {
        File::Registry { agents } => agents,
        File::Manifest(agent) if agent.get("id").is_some() => vec![agent],
        File::Manifest(_) => return Err("it lists no agents".into()),
    };
    let ids = || agents.iter().filter_map(|agent| agent.get("id")?.as_str());
    let at = ids().position(|known| known == id);
    let Some(agent) = at.and_then(|at| agents.get(at)) else {
        let hint = match nearest(id, ids()) {
            Some(near) => format!("; did you mean {near}?"),
            None => format!("; it has {}", ids().collect::<Vec<_>>().join(", ")),
        };
        return Err(format!("it has no agent {id:?}{hint}"));
    };
    // Only the one that is asked for has to be readable: the format is under development.
    let agent = Agent::deserialize(agent).map_err(|error| format!("{id}: {error}"))?;
    let (command, args, env, install) =
        start(agent.distribution, platform).map_err(|problem| format!("{id}: {problem}"))?;
    Ok(Entry {
        name: agent.name.filter(|name| *name != agent.id),
        id: agent.id,
        command: Some(unexpanded(&command)),
        args: args.iter().map(|arg| unexpanded(arg)).collect(),
        env: env
            .into_iter()
            .map(|(name, value)| (name, unexpanded(&value)))
            .collect(),
        mode: None,
        install: Some(install),
    })
}

type Start = (String, Vec<String>, BTreeMap<String, String>, String);

/// Packages before binaries: their runners install them.
fn start(distribution: Distribution, platform: &str) -> Result<Start, String> {
    if let Some(npx) = distribution.npx {
        let mut args = vec!["-y".to_owned()];
        match npx.cmd {
            Some(cmd) => args.extend(["--package".to_owned(), npx.package, cmd]),
            None => args.push(npx.package),
        }
        args.extend(npx.args);
        let install = "npx comes with Node.js, https://nodejs.org";
        return Ok(("npx".into(), args, npx.env, install.into()));
    }
    if let Some(uvx) = distribution.uvx {
        let mut args = match uvx.cmd {
            Some(cmd) => vec!["--from".to_owned(), uvx.package, cmd],
            None => vec![uvx.package],
        };
        args.extend(uvx.args);
        let install = "uvx comes with uv, https://docs.astral.sh/uv";
        return Ok(("uvx".into(), args, uvx.env, install.into()));
    }
    let mut binaries = distribution.binary;
    let Some(binary) = binaries.remove(platform) else {
        let platforms: Vec<&str> = binaries.keys().map(String::as_str).collect();
        return Err(if platforms.is_empty() {
            "acp-tui does not know how it is distributed".into()
        } else {
            format!(
                "there is none for {platform}, only for {}",
                platforms.join(", ")
            )
        });
    };
    let name = binary.cmd.rsplit(['/', '\\']).next().unwrap_or_default();
    let install = format!(
        "get {} and put its {} on PATH, or its whole path into `command`",
        binary.archive,
        binary.cmd.trim_start_matches("./")
    );
    Ok((name.to_owned(), binary.args, binary.env, install))
}

/// This machine, as the registry names it.
pub(super) fn platform() -> String {
    let system = match std::env::consts::OS {
        "macos" => "darwin",
        other => other,
    };
    format!("{system}-{}", std::env::consts::ARCH)
}

/// The registry expands nothing: what looks like it is meant as it is.
fn unexpanded(text: &str) -> String {
    literal(text.as_ref()).unwrap_or_else(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn registry() -> String {
        json!({"version": "1.0.0", "agents": [
            {"id": "broken", "distribution": 7},
            {"id": "one", "name": "One", "version": "1.0.0", "authors": ["x"], "distribution": {
                "npx": {"package": "@x/one@1.0.0", "args": ["--acp"], "env": {"A": "${b}"}}}},
            {"id": "two", "name": "two", "distribution": {
                "npx": {"package": "@x/two", "cmd": "two-acp"}}},
            {"id": "three", "distribution": {"uvx": {"package": "three[acp]==3", "cmd": "three-acp",
                "args": ["serve"]}}},
            {"id": "four", "distribution": {"binary": {"linux-x86_64": {
                "archive": "https://x/four.tar.gz", "cmd": "./bin/four", "args": ["acp"]}}}},
        ]})
        .to_string()
    }

    #[test]
    fn each_distribution_becomes_a_command() {
        let toml = |id| agent(&registry(), id, "linux-x86_64").unwrap().toml(true);
        assert_eq!(
            toml("one"),
            "[agents.one]\nname = \"One\"\ncommand = \"npx\"\n\
             args = [\"-y\", \"@x/one@1.0.0\", \"--acp\"]\nenv = { A = \"$${b}\" }\n\
             install = \"npx comes with Node.js, https://nodejs.org\"\n"
        );
        assert!(toml("two").contains("args = [\"-y\", \"--package\", \"@x/two\", \"two-acp\"]\n"));
        assert!(toml("three").contains(
            "command = \"uvx\"\nargs = [\"--from\", \"three[acp]==3\", \"three-acp\", \"serve\"]\n"
        ));
        assert_eq!(
            toml("four"),
            "[agents.four]\ncommand = \"four\"\nargs = [\"acp\"]\n\
             install = \"get https://x/four.tar.gz and put its bin/four on PATH, or its whole path \
             into `command`\"\n"
        );
    }

    #[test]
    fn one_manifest_will_do_as_well() {
        let manifest = json!({"id": "x", "distribution": {"npx": {"package": "x"}}}).to_string();
        assert!(agent(&manifest, "x", "linux-x86_64").is_ok());
    }

    #[test]
    fn what_cannot_be_had_is_said() {
        let error = |id, platform| agent(&registry(), id, platform).unwrap_err();
        assert_eq!(
            error("thre", "linux-x86_64"),
            "it has no agent \"thre\"; did you mean three?"
        );
        assert!(error("nothing", "linux-x86_64").contains("it has broken, one, two"));
        assert_eq!(
            error("four", "darwin-aarch64"),
            "four: there is none for darwin-aarch64, only for linux-x86_64"
        );
        assert!(error("broken", "linux-x86_64").starts_with("broken: invalid type"));
        assert!(agent("{}", "x", "linux-x86_64").is_err());
        assert!(agent("<html>", "x", "linux-x86_64").is_err());
    }
}
