//! What a reader takes in at once: files of at most 700 lines, functions of at most 100.

use std::{fs, path::Path};

use super::paths;

/// Lines of a file, tests too. A longer one is two things.
const MOST_LINES: usize = 700;

/// Lines of a function from its `fn` to its closing brace. A flat table, one entry a line, may be
/// longer: it is named here.
const MOST_LINES_OF_A_FUNCTION: usize = 100;

/// Flat tables: a match, a list or a literal with one entry after the other.
const FLAT: &[&str] = &["session::reduce::apply", "ui::root::act::act"];

#[test]
fn no_file_is_longer_than_a_reader_takes_in() {
    let mut long = Vec::new();
    for folder in ["src", "tests", "benches"] {
        for path in paths::rust_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)) {
            let lines = fs::read_to_string(&path).expect("a source").lines().count();
            if lines > MOST_LINES {
                long.push(format!("{}: {lines} lines", path.display()));
            }
        }
    }
    assert!(
        long.is_empty(),
        "more than {MOST_LINES} lines:\n{}",
        long.join("\n")
    );
}

#[test]
fn no_function_is_longer_than_a_reader_takes_in() {
    let mut long = Vec::new();
    for (module, source) in paths::modules() {
        for (name, lines) in functions(&source) {
            let name = format!("{}::{name}", module.join("::"));
            if lines > MOST_LINES_OF_A_FUNCTION && !FLAT.contains(&name.as_str()) {
                long.push(format!("{name}: {lines} lines"));
            }
        }
    }
    assert!(
        long.is_empty(),
        "more than {MOST_LINES_OF_A_FUNCTION} lines:\n{}",
        long.join("\n")
    );
}

#[test]
fn functions_are_measured_from_their_name_to_their_brace() {
    let source = "impl X {\n    pub async fn one(\n        &self,\n    ) {\n        a();\n    }\n    fn two();\n}\nfn three() {}\n";
    let measured = [
        ("one".to_owned(), 5),
        ("two".to_owned(), 1),
        ("three".to_owned(), 1),
    ];
    assert_eq!(functions(source), measured);
}

/// Functions with their lines, as rustfmt lays them out.
fn functions(text: &str) -> Vec<(String, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some(name) = function(line) else { continue };
        let indent = line.len() - line.trim_start().len();
        let closes = |line: &&str| {
            line.len() - line.trim_start().len() == indent
                && (line.ends_with('}') || line.ends_with(';'))
        };
        let end = lines[at..].iter().position(closes).unwrap_or(0);
        found.push((name, end + 1));
    }
    found
}

fn function(line: &str) -> Option<String> {
    let mut code = line.trim_start();
    loop {
        let word = code.split([' ', '(']).next()?;
        match word {
            "pub" | "async" | "const" | "unsafe" => {
                let rest = code[word.len()..].trim_start();
                // `pub(crate)`
                code = match rest.strip_prefix('(') {
                    Some(scope) => scope.split_once(')')?.1.trim_start(),
                    None => rest,
                };
            }
            "fn" => {
                let name = code[2..].trim_start();
                let end = name.find(|c: char| !c.is_alphanumeric() && c != '_')?;
                return Some(name[..end].to_owned());
            }
            _ => return None,
        }
    }
}
