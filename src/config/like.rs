//! `like`: a user's agent inherits the settings of a built-in one.

use std::collections::BTreeMap;

use toml::{Table, Value};

use super::{
    ConfigError, Source,
    diagnostic::join,
    layer::{Layers, merge},
    nearest,
};

/// What is one agent's own: names, and what it may do.
const OWN: &[&str] = &["name", "aliases", "policy"];

/// Lays each agent that is `like` a built-in one over that one as it is shipped, whatever was laid
/// over it: nothing secret goes to another program. `shipped` is only called where it is needed.
///
/// # Errors
/// Those of `shipped`.
pub(super) fn inherit(
    layers: &mut Layers,
    shipped: impl Fn() -> Result<Layers, ConfigError>,
) -> Result<(), ConfigError> {
    let mut likes = Vec::new();
    for (id, agent) in agents(&layers.table) {
        if let Some(like) = agent.get("like").and_then(Value::as_str) {
            likes.push((id.clone(), like.to_owned()));
        }
    }
    if likes.is_empty() {
        return Ok(());
    }
    let shipped = shipped()?;
    for (id, like) in likes {
        let model = shipped.canonical(&like);
        let found = agents(&shipped.table).find(|(known, _)| **known == model);
        match found {
            Some((_, table)) => {
                inherit_from(layers, &id, table);
                inherit_sources(layers, &shipped, &id, &model);
            }
            None => leave_out(layers, &shipped, &id, &like),
        }
    }
    Ok(())
}

fn agents(table: &Table) -> impl Iterator<Item = (&String, &Table)> {
    let agents = table.get("agents").and_then(Value::as_table);
    let agents = agents.into_iter().flatten();
    agents.filter_map(|(id, agent)| Some((id, agent.as_table()?)))
}

fn inherit_from(layers: &mut Layers, id: &str, model: &Table) {
    let agent = layers
        .table
        .get_mut("agents")
        .and_then(|agents| agents.get_mut(id)?.as_table_mut());
    if let Some(agent) = agent {
        let own = std::mem::replace(agent, model.clone());
        agent.retain(|key, _| !OWN.contains(&key));
        merge(agent, own, "", &BTreeMap::new(), &mut BTreeMap::new());
    }
}

fn inherit_sources(layers: &mut Layers, shipped: &Layers, id: &str, model: &str) {
    let (from, to) = (join("agents", model), join("agents", id));
    for (key, source) in &shipped.sources {
        let rest = key
            .strip_prefix(&from)
            .and_then(|key| key.strip_prefix('.'));
        if let Some(rest) = rest.filter(|rest| !OWN.contains(rest)) {
            let key = format!("{to}.{rest}");
            layers.sources.entry(key).or_insert_with(|| source.clone());
        }
    }
}

fn leave_out(layers: &mut Layers, shipped: &Layers, id: &str, like: &str) {
    let key = join(&join("agents", id), "like");
    let known = agents(&shipped.table).map(|(id, _)| id.as_str());
    let hint = match nearest(like, known) {
        Some(near) => format!("did you mean {near}?"),
        None => "`acp-tui agents` lists them".to_owned(),
    };
    let message = format!("there is no built-in agent {like:?}; {hint}; this agent is ignored");
    let problem = layers.warn(key, Source::Default, message);
    layers.broken_agents.insert(id.to_owned(), problem);
}
