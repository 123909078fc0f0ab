use std::os::unix::fs::symlink;

use super::*;

fn home() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().canonicalize().unwrap();
    (folder, home)
}

#[test]
fn every_place_begins_at_the_home_or_at_a_known_variable() {
    let all = PLACES.iter().flat_map(|(_, places)| places.iter());
    for place in all.chain(EXCEPT.iter()) {
        let base = place.split('/').next().unwrap();
        let known = |(name, _): &(&str, &str)| base.strip_prefix('$') == Some(*name);
        assert!(base == "~" || VARIABLES.iter().any(known), "{place}");
    }
}

#[test]
fn what_signs_in_is_protected_and_its_neighbours_are_not() {
    let (_folder, home) = home();
    let places = Places::new(Some(&home), |_| None, &[home.join(".config/acp-tui")]);
    let why = |path: &str| places.protect(&home.join(path));
    for path in [
        ".ssh/id_ed25519",
        ".ssh",
        ".aws/credentials",
        ".netrc",
        ".config/gh/hosts.yml",
        ".cargo/credentials.toml",
        ".claude/.credentials.json",
        ".local/share/opencode/auth.json",
        ".config/acp-tui/config.toml",
        ".config/acp-tui/prompts/new.md",
    ] {
        let protected = why(path).unwrap_or_else(|| panic!("{path}"));
        assert!(!protected.only_writes, "{path}");
    }
    for path in [
        ".bashrc",
        ".zshrc",
        ".config/fish/conf.d/x.fish",
        ".gitconfig",
    ] {
        assert!(
            why(path).is_some_and(|protected| protected.only_writes),
            "{path}"
        );
    }
    for path in [
        "",
        ".sshx",
        "project/.ssh/x",
        ".netrc.old",
        ".config/gh/config.yml",
        ".cargo/registry/x",
        ".config/acp-tui-evil",
        "notes.txt",
    ] {
        assert_eq!(why(path), None, "{path}");
    }
}

#[test]
fn a_place_is_protected_where_its_links_lead() {
    let (_folder, home) = home();
    fs::create_dir_all(home.join("dotfiles")).unwrap();
    fs::write(home.join("dotfiles/bashrc"), "").unwrap();
    symlink("dotfiles/bashrc", home.join(".bashrc")).unwrap();
    let places = Places::new(Some(&home), |_| None, &[]);
    assert!(places.protect(&home.join("dotfiles/bashrc")).is_some());
    assert!(places.protect(&home.join("dotfiles/vimrc")).is_none());
}

#[test]
fn variables_move_places_and_the_usual_ones_stay() {
    let (_folder, home) = home();
    let var = |name: &str| match name {
        "CODEX_HOME" => Some(home.join("elsewhere").into()),
        "XDG_CONFIG_HOME" => Some("relative".into()),
        "ZDOTDIR" => Some(home.join("zsh").into()),
        _ => None,
    };
    let places = Places::new(Some(&home), var, &[]);
    for path in [
        "elsewhere/auth.json",
        ".codex/auth.json",
        "zsh/.zshrc",
        ".zshrc",
    ] {
        assert!(places.protect(&home.join(path)).is_some(), "{path}");
    }
}

#[test]
fn what_may_not_even_be_read_counts_first() {
    let (_folder, home) = home();
    let places = Places::new(Some(&home), |_| None, &[home.join(".bashrc")]);
    let protected = places.protect(&home.join(".bashrc")).unwrap();
    assert_eq!(protected, OWN);
    // A link from a startup file to a secret.
    symlink(home.join(".netrc"), home.join(".profile")).unwrap();
    let places = Places::new(Some(&home), |_| None, &[]);
    let protected = places.protect(&home.join(".netrc")).unwrap();
    assert!(!protected.only_writes);
}

#[test]
fn what_runs_by_itself_in_a_home_may_be_read_and_is_asked_about_for_writing() {
    let (_folder, home) = home();
    let places = Places::new(Some(&home), |_| None, &[]);
    let names = "
        .profile .bashrc .bash_aliases .bash_profile .bash_login .bash_logout
        .zshrc .zshenv .zprofile .zlogin .zlogout .config/zsh/.zshrc .inputrc
        .config/fish/config.fish .config/fish/fish_variables .config/fish/functions/x.fish
        .local/share/fish/vendor_conf.d/x.fish .config/nushell/env.nu
        .config/direnv/direnvrc .direnvrc .config/git/config .config/git/hooks/x .gitconfig
        .xprofile .xinitrc .xsession .pam_environment .config/environment.d/x.conf
        .config/systemd/user/x.service .config/autostart/x.desktop
        .local/share/applications/x.desktop .local/share/systemd/user/x.service
        .vimrc .vim/plugin/x.vim .config/nvim/init.lua
        .emacs .emacs.d/init.el .config/emacs/init.el
        .tmux.conf .config/tmux/tmux.conf .screenrc .gdbinit .config/gdb/gdbinit .lldbinit
        .cargo/config .cargo/config.toml .cargo/bin/cargo .local/bin/x bin/x
        .cursor/mcp.json .config/opencode/plugin/x.js .claude/settings.json .claude/agents/x.md
        .codex/config.toml .codex/prompts/x.md .gemini/settings.json
        .config/pip/pip.conf .pip/pip.conf
        .local/lib/python3.12/site-packages/usercustomize.py
        .local/lib/python3.12/site-packages/sitecustomize.py
        .local/lib/python3.12/site-packages/x.pth
        Library/LaunchAgents/x.plist
        Library/Python/3.9/lib/python/site-packages/x.pth";
    for name in names.split_whitespace() {
        let protected = places.protect(&home.join(name));
        assert!(protected.is_some_and(|found| found.only_writes), "{name}");
    }
    let names = "
        .bash_history .zsh_history .python_history .local/share/fish/fish_history
        .mysql_history .psql_history .node_repl_history .sqlite_history .npmrc .qwen/settings.json
        .claude/.credentials.json .codex/auth.json .gemini/oauth_creds.json
        .config/git/credentials .cargo/credentials.toml";
    for name in names.split_whitespace() {
        let protected = places.protect(&home.join(name));
        assert!(protected.is_some_and(|found| !found.only_writes), "{name}");
    }
    let names = "
        .lesshst .config/mpv/mpv.conf .cursor/rules binary/x .local/lib/x.so
        .local/lib/python3.12/site-packages/requests/api.py .local/lib/python3.12/x.pth
        project/.bashrc project/bin/x project/.vimrc";
    for name in names.split_whitespace() {
        assert_eq!(places.protect(&home.join(name)), None, "{name}");
    }
}

#[test]
fn what_git_keeps_is_asked_about_for_writing_in_any_folder() {
    let (_folder, home) = home();
    let places = Places::new(Some(&home), |_| None, &[]);
    let names = "
        .git .git/config .git/hooks/pre-commit .git/info/attributes .git/modules/x/config
        .GIT/config src/deep/.git src/deep/.Git/hooks/x";
    for name in names.split_whitespace() {
        for folder in [home.join("project"), PathBuf::from("/srv/app")] {
            let protected = places.protect(&folder.join(name));
            assert_eq!(protected, Some(GIT), "{name}");
        }
    }
    let names = "
        .gitignore .gitattributes .gitmodules .github/workflows/x.yml .editorconfig
        .vscode/extensions.json .git.toml x.git/config .gitx/config .acp-tui.toml";
    for name in names.split_whitespace() {
        let protected = places.protect(&home.join("project").join(name));
        assert_eq!(protected, None, "{name}");
    }
}

#[test]
fn a_hard_link_to_a_secret_is_one_and_others_are_not() {
    let (_folder, home) = home();
    for folder in [".ssh", ".gnupg/private-keys-v1.d", "own", "project"] {
        fs::create_dir_all(home.join(folder)).unwrap();
    }
    let secrets = [
        ".netrc",
        ".ssh/id_ed25519",
        ".gnupg/private-keys-v1.d/x.key",
        "own/trusted.json",
    ];
    for (n, name) in secrets.iter().chain(&[".bashrc", "notes"]).enumerate() {
        fs::write(home.join(name), "x").unwrap();
        let link = home.join(format!("project/{n}"));
        fs::hard_link(home.join(name), link).unwrap();
    }
    fs::write(home.join("project/plain"), "x").unwrap();
    let places = Places::new(Some(&home), |_| None, &[home.join("own")]);
    let protects = |name: &str| places.protect(&home.join("project").join(name));
    for n in ["0", "1", "2", "3"] {
        assert_eq!(protects(n), Some(LINKED), "{n}");
    }
    // A link that is new since the secrets were looked for.
    fs::hard_link(home.join(".netrc"), home.join("project/late")).unwrap();
    assert_eq!(protects("late"), Some(LINKED));
    // To write these makes a new file, and the startup file stays as it is.
    for n in ["4", "5", "plain"] {
        assert_eq!(protects(n), None, "{n}");
    }
}

#[test]
fn what_an_editor_or_an_agent_runs_in_a_folder_is_asked_about_for_writing() {
    let (_folder, home) = home();
    let places = Places::new(Some(&home), |_| None, &[]);
    let names = "
        .vscode/tasks.json .vscode/settings.json .VSCode/Launch.json deep/.vscode/tasks.json
        .claude/settings.json .claude/settings.local.json .claude/hooks/x .mcp.json .codex/config.toml
        .cursor/mcp.json .cursor/hooks.json .gemini/settings.json .qwen/settings.json opencode.json
        .opencode/plugin/x.js .husky/pre-commit .pre-commit-config.yaml lefthook.yml";
    for name in names.split_whitespace() {
        let protected = places.protect(&home.join("project").join(name));
        assert!(protected.is_some_and(|found| found.only_writes), "{name}");
    }
    let names = "
        .claude/CLAUDE.md .claude/commands/x.md .claude/agents/x.md AGENTS.md .cursor/rules/x.mdc
        .vscode/extensions.json settings.json tasks.json vscode/tasks.json .envrc package.json build.rs
        .opencode/command/x.md .codex/prompts/x.md claude/settings.json";
    for name in names.split_whitespace() {
        let protected = places.protect(&home.join("project").join(name));
        assert_eq!(protected, None, "{name}");
    }
}

// A bare repository, or what a `.git` file leads to, goes by any name: `git status` in it runs what its
// `config` says.
#[test]
fn a_directory_that_git_takes_for_its_own_is_protected_whatever_it_is_called() {
    let (_folder, home) = home();
    let places = Places::new(Some(&home), |_| None, &[]);
    let ws = home.join("project");
    let parts = ["config", "HEAD", "objects/x", "refs/x"];
    // In whatever order it is put together: the part that completes it is asked about.
    for (n, last) in parts.iter().enumerate() {
        let dir = ws.join(format!("any{n}"));
        for (placed, part) in parts.iter().filter(|part| *part != last).enumerate() {
            let protected = places.protect(&dir.join(part));
            assert!(protected.is_none() || placed == 2, "{part} before {last}");
            fs::create_dir_all(dir.join(part).parent().unwrap()).unwrap();
            fs::write(dir.join(part), "").unwrap();
        }
        let protected = places.protect(&dir.join(last));
        assert_eq!(protected, Some(GIT), "{last}");
    }
    let dir = ws.join("any0");
    fs::write(dir.join("config"), "").unwrap();
    for name in [
        "config",
        "hooks/pre-commit",
        "HEAD",
        "info/attributes",
        "Config",
    ] {
        assert_eq!(places.protect(&dir.join(name)), Some(GIT), "{name}");
    }
    // Of a work tree: its repository is elsewhere.
    fs::create_dir_all(ws.join("tree")).unwrap();
    fs::write(ws.join("tree/HEAD"), "").unwrap();
    assert_eq!(places.protect(&ws.join("tree/config")), None);
    assert_eq!(places.protect(&ws.join("tree/commondir")), Some(GIT));
    // Projects that lie in a bare repository, or have directories with such names.
    for name in [
        "any0/main/src/x",
        "any0/main/config",
        "src/refs/x",
        "objects/x",
        "config",
        "HEAD",
    ] {
        assert_eq!(places.protect(&ws.join(name)), None, "{name}");
    }
}

#[test]
fn work_trees_that_agents_keep_in_the_home_are_projects() {
    let (_folder, home) = home();
    let places = Places::new(Some(&home), |_| None, &[]);
    for name in [".claude/worktrees/p/src/x", ".codex/worktrees/a/p/x"] {
        assert_eq!(places.protect(&home.join(name)), None, "{name}");
    }
    for name in [
        ".claude/worktrees/p/.git",
        ".claude/worktrees/p/.claude/settings.json",
        ".claude/skills/x.md",
        ".codex/config.toml",
    ] {
        assert!(places.protect(&home.join(name)).is_some(), "{name}");
    }
}
