//! No import circle inside a room: what two files need of each other belongs into one of them, or
//! into a third. A parent and its child may name each other: they are one thing in two files.

use std::collections::{BTreeMap, BTreeSet};

use super::paths::{self, Module};

#[test]
fn no_modules_of_a_room_import_each_other_in_a_circle() {
    let circles = circles(&graph());
    let told: Vec<String> = circles
        .iter()
        .map(|circle| {
            let names: Vec<String> = circle.iter().map(|module| module.join("::")).collect();
            names.join(" ↔ ")
        })
        .collect();
    assert!(circles.is_empty(), "circles:\n{}", told.join("\n"));
}

#[test]
fn circles_are_found_but_for_those_of_a_parent_and_its_child() {
    let module = |path: &str| -> Module { path.split("::").map(str::to_owned).collect() };
    let edges = |list: &[(&str, &str)]| -> BTreeMap<Module, BTreeSet<Module>> {
        let mut graph: BTreeMap<Module, BTreeSet<Module>> = BTreeMap::new();
        for (from, to) in list {
            graph.entry(module(from)).or_default().insert(module(to));
        }
        without_kin(graph)
    };
    let parent = edges(&[("a", "a::b"), ("a::b", "a")]);
    assert!(circles(&parent).is_empty());
    let siblings = edges(&[
        ("a::b", "a::c"),
        ("a::c", "a::d"),
        ("a::d", "a::b"),
        ("a::e", "a::b"),
    ]);
    let circle = ["a::b", "a::c", "a::d"].map(module);
    assert_eq!(circles(&siblings), [circle.to_vec()]);
}

/// Which module names which in the same room, without parents and their children.
fn graph() -> BTreeMap<Module, BTreeSet<Module>> {
    let modules = paths::modules();
    let edges = modules.iter().map(|(module, source)| {
        let mut named = paths::named(module, source, &modules);
        named.retain(|other| other.first() == module.first());
        (module.clone(), named)
    });
    without_kin(edges.collect())
}

fn without_kin(
    mut graph: BTreeMap<Module, BTreeSet<Module>>,
) -> BTreeMap<Module, BTreeSet<Module>> {
    for (module, named) in &mut graph {
        named.retain(|other| !other.starts_with(module) && !module.starts_with(other));
    }
    graph
}

/// The groups of modules that reach each other.
fn circles(graph: &BTreeMap<Module, BTreeSet<Module>>) -> Vec<Vec<Module>> {
    let reach: BTreeMap<&Module, BTreeSet<&Module>> = graph
        .keys()
        .map(|module| (module, reached(graph, module)))
        .collect();
    let mut circles: BTreeSet<Vec<Module>> = BTreeSet::new();
    for (module, reached) in &reach {
        if reached.contains(module) {
            let circle = reached
                .iter()
                .filter(|other| reach.get(*other).is_some_and(|set| set.contains(module)))
                .map(|other| (*other).clone());
            circles.insert(circle.collect());
        }
    }
    circles.into_iter().collect()
}

fn reached<'a>(
    graph: &'a BTreeMap<Module, BTreeSet<Module>>,
    from: &Module,
) -> BTreeSet<&'a Module> {
    let mut found = BTreeSet::new();
    let mut open: Vec<&Module> = graph.get(from).into_iter().flatten().collect();
    while let Some(module) = open.pop() {
        if found.insert(module) {
            open.extend(graph.get(module).into_iter().flatten());
        }
    }
    found
}
