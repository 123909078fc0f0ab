//! The layers of the crate, as the table in `src/lib.rs` has them: that table is the rule, this test
//! holds it. Beyond the layers: no circles inside a room, and no file or function that is too long.

#[path = "layering/circles.rs"]
mod circles;
#[path = "layering/paths.rs"]
mod paths;
#[path = "layering/sizes.rs"]
mod sizes;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

/// Crates that a layer must not know, whatever it imports of ours.
const FOREIGN: &[(&str, &[&str])] = &[
    (
        "session",
        &[
            "tokio",
            "ratatui",
            "crossterm",
            "vt100",
            "serde_json",
            "agent_client_protocol_schema",
        ],
    ),
    (
        "model",
        &[
            "tokio",
            "ratatui",
            "crossterm",
            "agent_client_protocol_schema",
        ],
    ),
    (
        "ui",
        &[
            "tokio",
            "vt100",
            "agent_client_protocol_schema",
            "image",
            "ratatui_image",
        ],
    ),
    ("app", &["image", "ratatui_image"]),
    ("picture", &["tokio", "crossterm", "serde_json"]),
    ("rpc", &["ratatui", "crossterm"]),
    ("acp", &["ratatui", "crossterm"]),
    (
        "host",
        &["ratatui", "crossterm", "agent_client_protocol_schema"],
    ),
    ("vt", &["tokio", "ratatui", "crossterm"]),
    ("input", &["tokio", "ratatui", "rustix"]),
];

#[test]
fn every_module_imports_only_what_the_table_allows() {
    let table = table();
    let mut wrong = Vec::new();
    for (module, allowed) in &table {
        for file in files(module) {
            for (line, imported) in imports(&source(&file)) {
                if imported != *module
                    && !allowed.contains(&imported)
                    && table.contains_key(&imported)
                {
                    wrong.push(format!(
                        "{}:{line}: {module} imports {imported}",
                        file.display()
                    ));
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "against the table in src/lib.rs:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn every_module_stands_in_the_table_below_what_it_imports() {
    let lib = lib();
    let declared: BTreeSet<&str> = lib
        .lines()
        .filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'))
        .collect();
    let order: Vec<String> = rows(&lib).into_iter().map(|(module, _)| module).collect();
    let listed: BTreeSet<&str> = order.iter().map(String::as_str).collect();
    assert_eq!(declared, listed);
    for (at, (module, allowed)) in rows(&lib).into_iter().enumerate() {
        for import in allowed {
            let above = order.iter().position(|name| *name == import);
            assert!(
                above.is_some_and(|above| above < at),
                "{module} may import {import}"
            );
        }
    }
}

#[test]
fn layers_do_not_know_the_crates_of_others() {
    let mut wrong = Vec::new();
    for (module, crates) in FOREIGN {
        for file in files(module) {
            let source = source(&file);
            for name in *crates {
                let needle = format!("{name}::");
                for (number, line) in source.lines().enumerate() {
                    if names(line, &needle) {
                        wrong.push(format!("{}:{}: {name}", file.display(), number + 1));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "foreign crates:\n{}", wrong.join("\n"));
}

/// What one system alone compiles is found by the names of files; a value that differs is `cfg!(…)`.
#[test]
fn code_for_one_system_is_in_files_that_say_so() {
    let mut wrong = Vec::new();
    for module in table().keys() {
        for file in files(module) {
            let source = source(&file);
            let lines: Vec<&str> = source.lines().collect();
            for (number, pair) in lines.windows(2).enumerate() {
                let [attribute, item] = pair else { continue };
                let attribute = attribute.trim_start();
                let chosen = ["mod ", "use ", "pub use "];
                if attribute.starts_with("#[cfg(")
                    && attribute.contains("target_os")
                    && !chosen.iter().any(|start| item.starts_with(start))
                {
                    wrong.push(format!("{}:{}: {item}", file.display(), number + 1));
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "for one system alone:\n{}",
        wrong.join("\n")
    );
}

fn lib() -> String {
    fs::read_to_string(root().join("lib.rs")).expect("src/lib.rs")
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

fn table() -> BTreeMap<String, BTreeSet<String>> {
    rows(&lib()).into_iter().collect()
}

/// Modules and what they may import, in the order of the table.
fn rows(lib: &str) -> Vec<(String, BTreeSet<String>)> {
    let cells = |line: &str| -> Option<Vec<String>> {
        let row = line.strip_prefix("//! | [`")?;
        Some(row.split('|').map(|cell| cell.trim().to_owned()).collect())
    };
    let rows: Vec<Vec<String>> = lib.lines().filter_map(cells).collect();
    let name = |row: &[String]| row[0].trim_end_matches("`]").to_owned();
    let all: Vec<String> = rows.iter().map(|row| name(row)).collect();
    let imports = |at: usize, cell: &str| match cell {
        "–" => BTreeSet::new(),
        "all" => all[..at].iter().cloned().collect(),
        list => list.split(", ").map(str::to_owned).collect(),
    };
    rows.iter()
        .enumerate()
        .map(|(at, row)| (name(row), imports(at, &row[2])))
        .collect()
}

/// The sources of a module: its folder, or its one file.
fn files(module: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root().join(module)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten() {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ext| ext == "rs") {
                found.push(path);
            }
        }
    }
    let file = root().join(format!("{module}.rs"));
    found.extend(file.exists().then_some(file));
    assert!(!found.is_empty(), "{module} has no sources");
    found
}

/// A file without its comments.
fn source(path: &Path) -> String {
    let text = fs::read_to_string(path).expect("a source");
    text.lines()
        .map(|line| {
            let code = line.trim_start();
            if code.starts_with("//") {
                "\n".to_owned()
            } else {
                format!("{line}\n")
            }
        })
        .collect()
}

/// Top-level modules named behind `crate::`, in braces or not, with the line.
fn imports(source: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (at, _) in source.match_indices("crate::") {
        // `$crate` and `some_crate` are something else.
        if source[..at].ends_with(|c: char| c == '$' || c == '_' || c.is_alphanumeric()) {
            continue;
        }
        let line = source[..at].matches('\n').count() + 1;
        let rest = &source[at + "crate::".len()..];
        let modules = match rest.strip_prefix('{') {
            Some(group) => group_heads(group),
            None => vec![ident(rest)],
        };
        found.extend(modules.into_iter().map(|module| (line, module)));
    }
    found
}

/// The first names of the members of a `{…}` group.
fn group_heads(group: &str) -> Vec<String> {
    let mut heads = Vec::new();
    let mut depth = 0;
    let mut start = 0;
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => {
                heads.push(ident(&group[start..at]));
                break;
            }
            '}' => depth -= 1,
            ',' if depth == 0 => {
                heads.push(ident(&group[start..at]));
                start = at + 1;
            }
            _ => {}
        }
    }
    heads.retain(|head| !head.is_empty());
    heads
}

fn ident(text: &str) -> String {
    text.trim_start()
        .chars()
        .take_while(|c| c.is_alphanumeric() || *c == '_')
        .collect()
}

/// Whether `line` names the crate, not something whose name ends like it.
fn names(line: &str, needle: &str) -> bool {
    line.match_indices(needle)
        .any(|(at, _)| !line[..at].ends_with(|c: char| c == '_' || c == ':' || c.is_alphanumeric()))
}

#[test]
fn imports_are_found_in_all_their_forms() {
    let source = "use crate::text::X;\nuse crate::{\n    model::{A, B},\n    session,\n};\nlet x = crate::ui::y();\n$crate::no";
    let expected = [(1, "text"), (2, "model"), (2, "session"), (6, "ui")];
    let expected = expected.map(|(line, name)| (line, name.to_owned()));
    assert_eq!(imports(source), expected);
}
