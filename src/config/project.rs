//! The project's file: it comes with a repository, so a stranger may have written it.
//!
//! Where it is; which of its keys apply at once (those that only change how things look); and that
//! the rest, once trusted, only tightens what agents may do.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::{Table, Value};

use super::{
    Warning,
    diagnostic::join,
    layer::{Layer, Layers, RULES},
};
use crate::model::{OutsideWorkspace, Policy};

pub(super) const FILE_NAME: &str = ".acp-tui.toml";

/// Keys of `[ui]` that apply without a question.
const DISPLAY: &[&str] = &[
    "theme",
    "theme_dark",
    "theme_light",
    "symbols",
    "motion",
    "width",
    "mouse",
    "tabs",
    "diff",
    "images",
    "title",
    "thoughts",
    "exit_print",
];

/// The project's file: the nearest from `cwd` up to the root of its repository; outside of one only `cwd` itself
/// is looked at, as any folder above may be another person's.
pub fn find(cwd: &Path) -> Option<PathBuf> {
    let root = cwd.ancestors().find(|dir| dir.join(".git").exists());
    let last = root.unwrap_or(cwd);
    cwd.ancestors()
        .take_while(|dir| dir.starts_with(last))
        .map(|dir| dir.join(FILE_NAME))
        .find(|file| file.symlink_metadata().is_ok())
}

/// Takes the display keys out of `layer`. What stays needs trust.
pub(super) fn split_display(layer: &mut Layer) -> Layer {
    let mut display = Layer {
        // Warnings are about what the file says, trusted or not.
        warnings: std::mem::take(&mut layer.warnings),
        ..Layer::default()
    };
    let Some(Value::Table(ui)) = layer.table.get_mut("ui") else {
        return display;
    };
    let mut shown = Table::new();
    for key in DISPLAY {
        if let Some((name, value)) = ui.remove_entry(*key) {
            shown.insert(name, value);
            let full = format!("ui.{key}");
            if let Some(source) = layer.sources.remove(&full) {
                display.sources.insert(full, source);
            }
        }
    }
    if ui.is_empty() {
        layer.table.remove("ui");
    }
    display.table.insert("ui".into(), Value::Table(shown));
    display
}

/// Whether anything in it would take effect.
pub(super) fn is_empty(layer: &Layer) -> bool {
    layer.sources.is_empty() && layer.broken_agents.is_empty()
}

/// Takes out of `layer` what would let agents do more than the layers below allow. Values are good:
/// the check has seen them.
pub(super) fn tighten(layer: &mut Layer, below: &Layers) {
    drop_allow_rules(layer);
    let fixed: [(&[&str], Strictness); 4] = [
        (&["permissions", "policy"], policy),
        (&["fs", "outside_workspace"], outside_workspace),
        (&["terminal", "ask"], flag),
        (&["terminal", "scrub_env"], flag),
    ];
    for (key, strictness) in fixed {
        let old = lookup(&below.table, key).and_then(strictness);
        drop_looser(layer, key, old, strictness);
    }
    let general = lookup(&below.table, &["permissions", "policy"]).and_then(policy);
    let agents: Vec<String> = match layer.table.get("agents") {
        Some(Value::Table(agents)) => agents.keys().cloned().collect(),
        _ => Vec::new(),
    };
    for id in agents {
        let key = ["agents", id.as_str(), "policy"];
        let old = lookup(&below.table, &key).and_then(policy).or(general);
        drop_looser(layer, &key, old, policy);
    }
}

/// More is stricter.
type Strictness = fn(&Value) -> Option<u8>;

fn policy(value: &Value) -> Option<u8> {
    match Policy::deserialize(value.clone()).ok()? {
        Policy::AllowAll => Some(0),
        Policy::AcceptEdits => Some(1),
        Policy::Ask => Some(2),
        Policy::ReadOnly => Some(3),
    }
}

fn outside_workspace(value: &Value) -> Option<u8> {
    match OutsideWorkspace::deserialize(value.clone()).ok()? {
        OutsideWorkspace::Ask => Some(0),
        OutsideWorkspace::Deny => Some(1),
    }
}

fn flag(value: &Value) -> Option<u8> {
    value.as_bool().map(u8::from)
}

fn lookup<'t>(table: &'t Table, key: &[&str]) -> Option<&'t Value> {
    let (last, tables) = key.split_last()?;
    tables
        .iter()
        .try_fold(table, |table, part| table.get(*part)?.as_table())?
        .get(*last)
}

fn drop_looser(layer: &mut Layer, key: &[&str], old: Option<u8>, strictness: Strictness) {
    let new = lookup(&layer.table, key).and_then(strictness);
    let Some((last, tables)) = key.split_last() else {
        return;
    };
    if new >= old || new.is_none() {
        return;
    }
    let table = tables.iter().try_fold(&mut layer.table, |table, part| {
        table.get_mut(*part)?.as_table_mut()
    });
    if let Some(table) = table {
        table.remove(*last);
    }
    let full = key
        .iter()
        .fold(String::new(), |path, part| join(&path, part));
    if let Some(source) = layer.sources.remove(&full) {
        layer.warnings.push(Warning::new(
            source,
            full,
            "a project's file can only tighten this; ignored",
        ));
    }
}

fn drop_allow_rules(layer: &mut Layer) {
    let rules = layer
        .table
        .get_mut("permissions")
        .and_then(|permissions| permissions.get_mut("rules"))
        .and_then(Value::as_array_mut);
    let Some(rules) = rules else {
        return;
    };
    let all = std::mem::take(rules);
    for (i, rule) in all.into_iter().enumerate() {
        let source = layer.sources.remove(&format!("{RULES}[{i}]"));
        if rule.get("decision").and_then(Value::as_str) == Some("allow") {
            if let Some(source) = source {
                layer.warnings.push(Warning::new(
                    source,
                    RULES,
                    "a project's file cannot allow anything; this rule is ignored",
                ));
            }
        } else {
            if let Some(source) = source {
                layer
                    .sources
                    .insert(format!("{RULES}[{}]", rules.len()), source);
            }
            rules.push(rule);
        }
    }
}
