//! What a program needs to run: the interpreter of its first line, in the version that its package
//! requires; and which product each interpreter or launcher comes with.

use std::{
    ffi::{OsStr, OsString},
    fs,
    io::Read,
    path::{Path, PathBuf},
};

use serde_json::Value;

use crate::config::find_program;

/// Programs that run packages and scripts: they are no agents, and each comes with something that
/// is to be installed.
const RUNTIMES: [(&[&str], &str); 5] = [
    (&["node", "npx", "npm"], "Node.js, https://nodejs.org"),
    (&["uvx", "uv"], "uv, https://docs.astral.sh/uv"),
    (&["bun", "bunx"], "Bun, https://bun.sh"),
    (&["deno"], "Deno, https://deno.com"),
    (&["python3", "python"], "Python, https://www.python.org"),
];

/// Programs that may download what they are to run.
const LAUNCHERS: [&str; 8] = ["npx", "uvx", "bunx", "npm", "pnpm", "yarn", "uv", "docker"];

/// Folders above a program in which its package is looked for.
const MAX_PARENTS: usize = 6;
const MAX_MANIFEST_BYTES: u64 = 1 << 20;

/// What brings that program.
pub fn comes_with(program: &str) -> Option<&'static str> {
    let found = RUNTIMES.iter().find(|(names, _)| names.contains(&program));
    found.map(|(_, source)| *source)
}

pub fn is_launcher(program: &str) -> bool {
    LAUNCHERS.contains(&program)
}

/// Where installers put programs without telling the shell.
pub fn elsewhere(program: &OsStr, home: Option<&Path>) -> Option<PathBuf> {
    if program.as_encoded_bytes().contains(&b'/') {
        return None;
    }
    let at_home = [
        ".local/bin",
        "bin",
        ".npm-global/bin",
        ".bun/bin",
        ".cargo/bin",
        ".volta/bin",
        ".local/share/pnpm",
    ];
    let at_home = home
        .into_iter()
        .flat_map(|home| at_home.map(|dir| home.join(dir)));
    let folders = at_home.chain(["/usr/local/bin", "/opt/homebrew/bin"].map(PathBuf::from));
    let path = std::env::join_paths(folders).ok()?;
    find_program(program, Some(&path), Path::new("/"))
}

/// What runs a script, by its first line: `node` of `#!/usr/bin/env -S node --x`, or a path.
pub fn interpreter(program: &Path) -> Option<OsString> {
    let mut start = Vec::new();
    let file = fs::File::open(program).ok()?;
    file.take(256).read_to_end(&mut start).ok()?;
    let line = start.split(|byte| *byte == b'\n').next()?;
    let line = std::str::from_utf8(line).ok()?.strip_prefix("#!")?;
    let mut words = line.split_whitespace();
    let first = words.next()?;
    if !first.ends_with("/env") {
        return Some(first.into());
    }
    let named = words.find(|word| !word.starts_with('-') && !word.contains('='))?;
    Some(named.into())
}

/// What a program's own package asks of Node.js: `engines.node` of the nearest `package.json`.
pub fn wanted_node(program: &Path) -> Option<String> {
    let program = program.canonicalize().ok()?;
    let manifest = program
        .ancestors()
        .skip(1)
        .take(MAX_PARENTS)
        .map(|folder| folder.join("package.json"))
        .find(|file| file.is_file())?;
    let mut text = String::new();
    let file = fs::File::open(manifest).ok()?;
    file.take(MAX_MANIFEST_BYTES)
        .read_to_string(&mut text)
        .ok()?;
    let manifest: Value = serde_json::from_str(&text).ok()?;
    manifest["engines"]["node"].as_str().map(str::to_owned)
}

type Version = (u64, u64, u64);

/// `v22.1.0-x` as numbers.
pub fn version(text: &str) -> Option<Version> {
    let text = text.trim_start_matches(['v', '=']);
    let mut numbers = text
        .split(['.', '-', '+'])
        .map_while(|part| part.parse::<u64>().ok());
    let major = numbers.next()?;
    let minor = numbers.next().unwrap_or(0);
    Some((major, minor, numbers.next().unwrap_or(0)))
}

/// The oldest version that a range takes: `>=20.1`, `^18.2 || >=20`, `>=18 <23`. `None` where it takes
/// any, or cannot be told.
pub fn oldest(range: &str) -> Option<Version> {
    let alternatives = range.split("||").map(|alternative| {
        // An operator may stand apart from its version.
        let joined = alternative.replace("> ", ">").replace("= ", "=");
        let mut bounds = joined
            .split_whitespace()
            .filter(|word| !word.starts_with('<'))
            .filter_map(|word| version(word.trim_start_matches(['>', '=', '^', '~'])));
        bounds.next()
    });
    let all: Option<Vec<Version>> = alternatives.collect();
    all?.into_iter().min()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_script_names_what_runs_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("script");
        for (first, expected) in [
            ("#!/usr/bin/env node\nx", Some("node")),
            ("#!/usr/bin/env -S A=1 node --x\n", Some("node")),
            ("#! /usr/bin/python3 -I\n", Some("/usr/bin/python3")),
            ("#!/usr/bin/env", None),
            ("\u{7f}ELF", None),
        ] {
            fs::write(&file, first).unwrap();
            assert_eq!(interpreter(&file), expected.map(OsString::from), "{first}");
        }
    }

    #[test]
    fn a_package_tells_which_node_it_wants() {
        let folder = tempfile::tempdir().unwrap();
        let package = folder.path().join("lib/x");
        fs::create_dir_all(package.join("dist")).unwrap();
        fs::write(
            package.join("package.json"),
            r#"{"engines": {"node": ">=22"}}"#,
        )
        .unwrap();
        fs::write(package.join("dist/index.js"), "").unwrap();
        let link = folder.path().join("x");
        symlink(package.join("dist/index.js"), &link).unwrap();
        assert_eq!(wanted_node(&link).as_deref(), Some(">=22"));
        assert_eq!(wanted_node(Path::new("/bin/sh")), None);
    }

    #[test]
    fn the_oldest_version_of_a_range_is_told() {
        for (range, expected) in [
            (">=20", Some((20, 0, 0))),
            (">= 20.3.1", Some((20, 3, 1))),
            ("^20.17.0 || >=22.9.0", Some((20, 17, 0))),
            (">=18 <23", Some((18, 0, 0))),
            ("22.x", Some((22, 0, 0))),
            ("*", None),
            ("<23", None),
            ("", None),
        ] {
            assert_eq!(oldest(range), expected, "{range}");
        }
        assert_eq!(version("v22.1.0-nightly"), Some((22, 1, 0)));
        assert_eq!(version("nightly"), None);
    }

    #[test]
    fn a_program_beside_path_is_found() {
        use std::os::unix::fs::PermissionsExt;
        let home = tempfile::tempdir().unwrap();
        let program = home.path().join(".local/bin/agent-x");
        fs::create_dir_all(program.parent().unwrap()).unwrap();
        fs::write(&program, "").unwrap();
        fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
        let found = elsewhere(OsStr::new("agent-x"), Some(home.path()));
        assert_eq!(found, Some(program));
        assert_eq!(elsewhere(OsStr::new("./agent-x"), Some(home.path())), None);
    }
}
