//! `acp-tui agents` and what adds to them.

use std::fs;

use crate::shell::Shell;

#[test]
fn agents_are_listed_with_place_version_and_remedy() {
    use std::os::unix::fs::PermissionsExt;
    let shell = Shell::new();
    let program = shell.path().join("bin/goose");
    fs::create_dir_all(program.parent().unwrap()).unwrap();
    fs::write(&program, "#!/bin/sh\necho 'goose v1.2.3'\n").unwrap();
    fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
    // Keys laid over a built-in profile leave its program what it is.
    shell.config(
        "default_agent = \"goose\"\n[agents.own]\ncommand = \"own-agent\"\n\
         [agents.goose]\nenv = { A = \"1\" }\n",
    );
    let ran = shell.run(&["agents"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let line = |id: &str| {
        let found = ran.out.lines().find(|l| l.starts_with(id));
        found
            .unwrap_or_else(|| panic!("no {id} in {}", ran.out))
            .to_owned()
    };
    let goose = line("goose*");
    assert!(
        goose.contains("v1.2.3") && goose.ends_with("/bin/goose acp"),
        "{goose}"
    );
    assert!(line("codex").ends_with("install: npm install -g @agentclientprotocol/codex-acp"));
    assert!(line("own ").ends_with("own-agent was not found on PATH"));
    assert!(line("demo").ends_with("acp-tui demo-agent"));
}

/// Looking is no reason to run what a project brings.
#[test]
fn no_program_of_the_project_is_run_to_be_asked() {
    use std::os::unix::fs::PermissionsExt;
    let shell = Shell::new();
    let ran = shell.path().join("ran");
    let script = format!("#!/bin/sh\necho \"$0\" >> {}\n", ran.display());
    let bin = shell.path().join("project/node_modules/.bin");
    fs::create_dir_all(&bin).unwrap();
    for folder in [&shell.path().join("project"), &bin] {
        for name in ["claude-agent-acp", "codex-acp", "own-agent", "node"] {
            let program = folder.join(name);
            fs::write(&program, &script).unwrap();
            fs::set_permissions(program, PermissionsExt::from_mode(0o755)).unwrap();
        }
    }
    shell.config(
        "[agents.a]\ncommand = \"own-agent\"\n[agents.b]\ncommand = \"./own-agent\"\n\
         [agents.c]\ncommand = \"/bin/sh\"\nargs = [\"./own-agent\"]\n\
         [agents.d]\ncommand = \"/bin/sh\"\nargs = [\"own-agent\"]\n",
    );
    for path in [".:/bin", "/bin:", ":/bin", "/bin:node_modules/.bin"] {
        for command in ["agents", "doctor"] {
            let mut command = shell.command(&[command]);
            let output = command.env("PATH", path).output().unwrap();
            let said = String::from_utf8(output.stdout).unwrap();
            assert!(
                said.contains("own-agent was not found on PATH: it is under"),
                "{said}"
            );
            assert!(
                !ran.exists(),
                "{path}: {}",
                fs::read_to_string(&ran).unwrap()
            );
        }
    }
}

#[test]
fn a_version_is_asked_once_until_the_program_changes() {
    use std::os::unix::fs::PermissionsExt;
    let shell = Shell::new();
    let asked = shell.path().join("asked");
    let program = shell.path().join("own-agent");
    let say = |version: &str| {
        let text = format!(
            "#!/bin/sh\necho \"$@\" >> {}\necho 'own, version {version}'\n",
            asked.display()
        );
        fs::write(&program, text).unwrap();
        fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
    };
    say("1.0.0");
    // The agent by itself, behind an interpreter, and behind what would tell another version.
    shell.config(&format!(
        "[agents.a]\ncommand = {program:?}\nargs = [\"acp\"]\n\
         [agents.b]\ncommand = \"/bin/sh\"\nargs = [{program:?}, \"acp\"]\n\
         [agents.c]\ncommand = \"/bin/sh\"\nargs = [\"-c\", \"acp\"]\n\
         [agents.d]\ncommand = \"/usr/bin/env\"\nargs = [{program:?}]\n"
    ));
    let versions = || {
        let ran = shell.run(&["agents"]);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""));
        let of = |id: &str| {
            let line = ran.out.lines().find(|line| line.starts_with(id));
            let words: Vec<_> = line.unwrap().split_whitespace().collect();
            words[3].to_owned()
        };
        ["a ", "b ", "c ", "d "].map(of)
    };
    let times = || fs::read_to_string(&asked).unwrap().lines().count();
    assert_eq!(versions(), ["1.0.0", "1.0.0", "-", "-"]);
    assert_eq!(times(), 2);
    assert_eq!(
        fs::read_to_string(&asked).unwrap(),
        "--version\n--version\n"
    );
    assert_eq!(versions(), ["1.0.0", "1.0.0", "-", "-"]);
    assert_eq!(times(), 2, "kept");
    say("1.0.1");
    assert_eq!(versions(), ["1.0.1", "1.0.1", "-", "-"]);
    assert_eq!(times(), 4);
    // What is kept is no condition: a broken file is replaced.
    let kept = shell
        .path()
        .join(".local/state/acp-tui/agent-versions.json");
    fs::write(&kept, "{\"a\": 1").unwrap();
    assert_eq!(versions(), ["1.0.1", "1.0.1", "-", "-"]);
    assert_eq!(times(), 6);
}

const SETTINGS: &str = r#"{
  // Zed's own
  "theme": "One",
  "agent_servers": {
    "My Agent": {"command": "my-agent", "args": ["--acp"], "env": {"MY_KEY": "s3cret"}},
    "goose": {"type": "registry"},
  },
}"#;

fn user_file(shell: &Shell) -> String {
    fs::read_to_string(shell.path().join(".config/acp-tui/config.toml")).unwrap_or_default()
}

#[test]
fn zeds_agents_are_added_to_what_is_there_and_never_over_it() {
    let shell = Shell::new();
    fs::create_dir_all(shell.path().join(".config/zed")).unwrap();
    fs::write(shell.path().join(".config/zed/settings.json"), SETTINGS).unwrap();
    let own = "# mine\n[ui]\ntheme = \"light\"";
    shell.config(own);

    let dry = shell.run(&["agents", "import", "zed", "--dry-run"]);
    assert_eq!((dry.code, dry.err.as_str()), (0, ""));
    assert!(dry.out.contains("would be added to"), "{}", dry.out);
    assert_eq!(user_file(&shell), own);

    let added = shell.run(&["agents", "import", "zed"]);
    assert_eq!((added.code, added.err.as_str()), (0, ""));
    assert!(!added.out.contains("s3cret"), "{}", added.out);
    assert!(
        added.out.contains("goose: acp-tui knows it"),
        "{}",
        added.out
    );
    assert!(
        added.out.contains("acp-tui --agent my-agent"),
        "{}",
        added.out
    );
    assert_eq!(
        user_file(&shell),
        format!(
            "{own}\n\n[agents.my-agent]\nname = \"My Agent\"\ncommand = \"my-agent\"\n\
             args = [\"--acp\"]\nenv = {{ MY_KEY = \"s3cret\" }}\n"
        )
    );
    assert_eq!(shell.run(&["config", "check"]).out, "ok\n");

    let before = user_file(&shell);
    let again = shell.run(&["agents", "import", "zed"]);
    assert!(
        again.out.contains("agents.my-agent already exists"),
        "{}",
        again.out
    );
    assert_eq!(user_file(&shell), before);
}

#[test]
fn a_built_in_agents_name_is_taken_over_only_by_force() {
    let shell = Shell::new();
    let settings = r#"{"agent_servers": {
        "gemini": {"command": "/opt/mine", "args": ["--acp"]},
        "codex": {"command": "codex-acp", "env": {"A": "1"}},
    }}"#;
    fs::write(shell.path().join("project/zed.json"), settings).unwrap();
    let ran = shell.run(&["agents", "import", "zed", "zed.json"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let why =
        "gemini: acp-tui has an agent gemini, started by `gemini --acp`; --force puts this one";
    assert!(ran.out.contains(why), "{}", ran.out);
    // The same command with more about it takes nothing over.
    assert!(user_file(&shell).contains("[agents.codex]"));
    assert!(
        !user_file(&shell).contains("gemini"),
        "{}",
        user_file(&shell)
    );

    let forced = shell.run(&["agents", "import", "zed", "--force", "zed.json"]);
    assert_eq!((forced.code, forced.err.as_str()), (0, ""));
    let said = "in place of the built-in:\n  gemini, which was started by `gemini --acp`\n";
    assert!(forced.out.contains(said), "{}", forced.out);
    assert!(user_file(&shell).contains("[agents.gemini]\ncommand = \"/opt/mine\""));
    // Never over what is the user's.
    let before = user_file(&shell);
    shell.run(&["agents", "import", "zed", "--force", "zed.json"]);
    assert_eq!(user_file(&shell), before);

    let registry = r#"{"id": "goose", "distribution": {"npx": {"package": "x"}}}"#;
    fs::write(shell.path().join("project/goose.json"), registry).unwrap();
    let ran = shell.run(&["agents", "add", "registry", "goose", "goose.json"]);
    assert!(ran.out.contains("--force puts this one"), "{}", ran.out);
    let forced = shell.run(&[
        "agents",
        "add",
        "registry",
        "--force",
        "goose",
        "goose.json",
    ]);
    assert!(
        forced.out.contains("in place of the built-in"),
        "{}",
        forced.out
    );
}

#[test]
fn an_agent_of_the_registry_is_added_from_a_file_or_stdin() {
    let shell = Shell::new();
    let registry = r#"{"version": "1", "agents": [{"id": "one", "name": "One",
        "distribution": {"npx": {"package": "@x/one@1", "args": ["--acp"]}}}]}"#;
    let file = shell.path().join("project/registry.json");
    fs::write(&file, registry).unwrap();
    let without = shell.run(&["agents", "add", "registry", "one"]);
    assert_eq!(without.code, 2);
    assert!(
        without.err.contains("curl -fsSL https://"),
        "{}",
        without.err
    );
    let unknown = shell.run(&["agents", "add", "registry", "on", "registry.json"]);
    assert_eq!(unknown.code, 2);
    assert!(unknown.err.contains("did you mean one?"), "{}", unknown.err);

    let mut command = shell.command(&["agents", "add", "registry", "one", "-"]);
    let output = command
        .stdin(fs::File::open(&file).unwrap())
        .output()
        .unwrap();
    assert!(output.status.success());
    let listed = shell.run(&["agents"]).out;
    let line = listed
        .lines()
        .find(|line| line.starts_with("one "))
        .unwrap();
    assert!(line.contains("One"), "{line}");
    assert!(
        line.ends_with("install: npx comes with Node.js, https://nodejs.org"),
        "{line}"
    );
}

#[test]
fn a_file_that_cannot_be_added_to_is_left_as_it_is() {
    let shell = Shell::new();
    fs::write(shell.path().join("project/zed.json"), SETTINGS).unwrap();
    let own = "agents = { x = { command = \"x\" } }\n";
    shell.config(own);
    let ran = shell.run(&["agents", "import", "zed", "zed.json"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("add it by hand"), "{}", ran.err);
    assert!(ran.err.contains("[agents.my-agent]"), "{}", ran.err);
    assert_eq!(user_file(&shell), own);
    let missing = shell.run(&["agents", "import", "zed", "nope.json"]);
    assert_eq!(missing.code, 2);
    assert!(
        missing.err.contains("nope.json: No such file"),
        "{}",
        missing.err
    );
}
