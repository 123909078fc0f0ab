//! The modules of the library and the paths by which they name each other, read from their sources.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

/// A module by the segments of its path: `["ui", "composer", "buffer"]`.
pub type Module = Vec<String>;

/// All modules that are no tests, without their comments and the tests inside them.
pub fn modules() -> BTreeMap<Module, String> {
    let root = root();
    let mut found = BTreeMap::new();
    let mut for_tests = BTreeSet::new();
    for path in rust_files(&root) {
        let relative = path.strip_prefix(&root).expect("below src");
        if is_test(relative) {
            continue;
        }
        let whole = fs::read_to_string(&path).expect("a source");
        if whole.contains("#![cfg(test)]") {
            continue;
        }
        let module = module_of(relative);
        for_tests.extend(declared_for_tests(&whole).map(|name| [&module[..], &[name]].concat()));
        found.insert(module, without_tests(&whole));
    }
    found.retain(|module, _| !for_tests.iter().any(|test| module.starts_with(test)));
    found
}

/// The modules that a source declares behind `#[cfg(test)]`.
fn declared_for_tests(text: &str) -> impl Iterator<Item = String> {
    let pairs = text.lines().zip(text.lines().skip(1));
    pairs.filter_map(|(attribute, item)| {
        let name = item
            .trim_start_matches("pub ")
            .trim_start_matches("pub(crate) ");
        let name = name.strip_prefix("mod ")?.strip_suffix(';')?;
        (attribute == "#[cfg(test)]").then(|| name.to_owned())
    })
}

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// Every Rust source below a folder, tests included.
pub fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten() {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ext| ext == "rs") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Whether a file is there for tests alone: `tests.rs`, or anything in a folder `tests` or `testing`.
pub fn is_test(relative: &Path) -> bool {
    relative.components().any(|part| {
        let name = part.as_os_str().to_string_lossy();
        matches!(
            name.as_ref(),
            "tests" | "tests.rs" | "testing" | "testing.rs"
        )
    })
}

fn module_of(relative: &Path) -> Module {
    let mut module: Module = relative
        .with_extension("")
        .iter()
        .map(|part| part.to_string_lossy().into_owned())
        .collect();
    if module
        .last()
        .is_some_and(|name| matches!(name.as_str(), "mod" | "lib" | "main"))
    {
        module.pop();
    }
    module
}

/// The text without comment lines and without items behind `#[cfg(test)]`; rustfmt's indentation
/// says where an item ends.
pub fn without_tests(text: &str) -> String {
    let mut kept = String::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let code = line.trim_start();
        if code.starts_with("#[cfg(test)]") || code.starts_with("#[cfg(all(test") {
            let indent = line.len() - code.len();
            for line in lines.by_ref() {
                let code = line.trim_start();
                let at_item = line.len() - code.len() == indent && !code.starts_with("#[");
                let ends = code.ends_with(';') || code.ends_with('}') || code.ends_with(',');
                if at_item && ends {
                    break;
                }
            }
        } else if !code.starts_with("//") {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}

/// The modules that a source names by a path from `crate`, `super` or `self`.
pub fn named(of: &Module, text: &str, modules: &BTreeMap<Module, String>) -> BTreeSet<Module> {
    let mut found = BTreeSet::new();
    for head in ["crate::", "super::", "self::"] {
        for (at, _) in text.match_indices(head) {
            // `$crate`, `some_crate` and the second `super` of a path are something else.
            let before = text[..at].chars().next_back();
            if before.is_some_and(|c| c == '$' || c == '_' || c == ':' || c.is_alphanumeric()) {
                continue;
            }
            walk(&text[at..], &mut |path| {
                found.extend(resolve(of, path, modules));
            });
        }
    }
    found.remove(of);
    found
}

/// Gives each path of a `use` tree, or the one path of an expression, as its segments.
fn walk(text: &str, take: &mut impl FnMut(&[String])) {
    fn tree<'a>(text: &'a str, prefix: &[String], take: &mut impl FnMut(&[String])) -> &'a str {
        let mut path = prefix.to_vec();
        let mut rest = text.trim_start();
        loop {
            if let Some(group) = rest.strip_prefix('{') {
                rest = group.trim_start();
                while !rest.is_empty() && !rest.starts_with('}') {
                    let before = rest.len();
                    rest = tree(rest, &path, take).trim_start();
                    rest = rest.strip_prefix(',').unwrap_or(rest).trim_start();
                    if rest.len() == before {
                        return ""; // No `use` tree: a block behind a path.
                    }
                }
                return rest.strip_prefix('}').unwrap_or(rest);
            }
            let end = rest
                .find(|c: char| !c.is_alphanumeric() && c != '_')
                .unwrap_or(rest.len());
            if end == 0 {
                take(&path);
                return rest.strip_prefix('*').unwrap_or(rest);
            }
            path.push(rest[..end].to_owned());
            rest = &rest[end..];
            match rest.strip_prefix("::") {
                Some(deeper) => rest = deeper.trim_start(),
                None => {
                    take(&path);
                    let renamed = rest.trim_start().strip_prefix("as ");
                    let name = |c: char| !c.is_alphanumeric() && c != '_';
                    return renamed
                        .map_or(rest, |rest| &rest[rest.find(name).unwrap_or(rest.len())..]);
                }
            }
        }
    }
    tree(text, &[], take);
}

/// The deepest module that a path from `crate`, `super` or `self` leads into.
fn resolve(of: &Module, path: &[String], modules: &BTreeMap<Module, String>) -> Option<Module> {
    let mut at = of.clone();
    let mut segments = path.iter();
    for segment in segments.by_ref() {
        match segment.as_str() {
            "crate" => at.clear(),
            "super" => {
                at.pop()?;
            }
            "self" => {}
            name => {
                at.push(name.to_owned());
                break;
            }
        }
    }
    at.extend(segments.cloned());
    while !at.is_empty() {
        if modules.contains_key(&at) {
            return Some(at);
        }
        at.pop();
    }
    None
}
