//! Which places are protected: of the person's home, and in any folder. Names alone; what is done with
//! them is in [`protected`](super).

use super::Protected;
use crate::text::Words;

const fn secret(why: &'static str) -> Protected {
    Protected {
        why,
        only_writes: false,
    }
}

const fn runs(why: &'static str) -> Protected {
    Protected {
        why,
        only_writes: true,
    }
}

pub const OWN: Protected = secret("belongs to acp-tui itself");

pub const LINKED: Protected = secret("is another name (a hard link) of a protected file");

const TYPED: Protected = secret("may hold passwords that you typed");

const SHELL: Protected = runs("is run by your shell when it starts");
const START: Protected = runs("controls what starts with your session");
const EDITOR: Protected = runs("is run by your editor when it starts");
const SCREEN: Protected = runs("controls what your terminals run");
const FOLDER: Protected = runs("controls what your editor runs in this folder");
const DEBUGGER: Protected = runs("is run by your debugger when it starts");
const DIRENV: Protected = runs("controls what direnv runs");
const PROGRAM: Protected = runs("holds programs that you run by name");
const PYTHON: Protected = runs("is run by Python when it starts");
const PIP: Protected = runs("controls where pip installs from");
const CARGO: Protected = runs("controls what cargo runs");
const HOOKS: Protected = runs("controls what an agent runs without asking");
pub const GIT: Protected = runs("controls what git runs");

/// Where a place is looked for.
#[derive(Clone, Copy)]
pub enum Base {
    Home,
    /// `$XDG_CONFIG_HOME`, or `~/.config`.
    Config,
    /// `$XDG_DATA_HOME`, or `~/.local/share`.
    Data,
    /// What the variable names, and the directory of the home that it stands for.
    Var(&'static str, &'static str),
}

use Base::{Config, Data, Home, Var};

/// The names are those that the programs themselves document. A directory stands for all in it, and
/// a `*` for any letters of one name.
pub const PLACES: &[(Base, &str, Protected)] = &[
    (Home, ".ssh", secret("may hold SSH keys")),
    (Var("GNUPGHOME", ".gnupg"), "", secret("may hold PGP keys")),
    (Home, ".password-store", secret("may hold passwords")),
    (Data, "keyrings", secret("may hold passwords")),
    (Home, "Library/Keychains", secret("may hold passwords")),
    (Home, ".aws", secret("may sign in to AWS")),
    (
        Var("CLOUDSDK_CONFIG", ".config/gcloud"),
        "",
        secret("may sign in to Google Cloud"),
    ),
    (Config, "gcloud", secret("may sign in to Google Cloud")),
    (
        Var("AZURE_CONFIG_DIR", ".azure"),
        "",
        secret("may sign in to Azure"),
    ),
    (Home, ".kube", secret("may sign in to Kubernetes")),
    (
        Var("DOCKER_CONFIG", ".docker"),
        "config.json",
        secret("may sign in to registries of containers"),
    ),
    (
        Home,
        ".terraform.d/credentials.tfrc.json",
        secret("may sign in to Terraform"),
    ),
    (Home, ".vault-token", secret("may sign in to Vault")),
    (Home, ".netrc", secret("may hold passwords")),
    (Home, ".pgpass", secret("may hold passwords")),
    (Home, ".my.cnf", secret("may hold passwords")),
    (Config, "rclone/rclone.conf", secret("may hold passwords")),
    (
        Home,
        ".git-credentials",
        secret("may hold passwords for git"),
    ),
    (
        Config,
        "git/credentials",
        secret("may hold passwords for git"),
    ),
    (
        Var("GH_CONFIG_DIR", ".config/gh"),
        "hosts.yml",
        secret("may sign in to GitHub"),
    ),
    (Config, "gh/hosts.yml", secret("may sign in to GitHub")),
    (Config, "github-copilot", secret("may sign in to GitHub")),
    (Home, ".npmrc", secret("may sign in to npm")),
    (Home, ".yarnrc.yml", secret("may sign in to npm")),
    (Home, ".pypirc", secret("may sign in to PyPI")),
    (
        Var("CARGO_HOME", ".cargo"),
        "credentials",
        secret("may sign in to crates.io"),
    ),
    (
        Var("CARGO_HOME", ".cargo"),
        "credentials.toml",
        secret("may sign in to crates.io"),
    ),
    (
        Var("CLAUDE_CONFIG_DIR", ".claude"),
        ".credentials.json",
        secret("signs in to an agent"),
    ),
    (Home, ".claude.json", secret("signs in to an agent")),
    (
        Var("CODEX_HOME", ".codex"),
        "auth.json",
        secret("signs in to an agent"),
    ),
    (
        Home,
        ".gemini/oauth_creds.json",
        secret("signs in to an agent"),
    ),
    (Home, ".qwen", secret("signs in to an agent")),
    (Data, "opencode/auth.json", secret("signs in to an agent")),
    (Home, ".bash_history", TYPED),
    (Var("ZDOTDIR", ""), ".zsh_history", TYPED),
    (Data, "fish/fish_history", TYPED),
    (Home, ".python_history", TYPED),
    (Home, ".node_repl_history", TYPED),
    (Home, ".mysql_history", TYPED),
    (Home, ".psql_history", TYPED),
    (Home, ".sqlite_history", TYPED),
    (Var("CLAUDE_CONFIG_DIR", ".claude"), "", HOOKS),
    (Var("CODEX_HOME", ".codex"), "", HOOKS),
    (Home, ".gemini", HOOKS),
    (Home, ".cursor/mcp.json", HOOKS),
    (Config, "opencode", HOOKS),
    (Home, ".gitconfig", GIT),
    (Config, "git", GIT),
    (Home, ".profile", SHELL),
    (Home, ".bashrc", SHELL),
    (Home, ".bash_aliases", SHELL),
    (Home, ".bash_profile", SHELL),
    (Home, ".bash_login", SHELL),
    (Home, ".bash_logout", SHELL),
    (Var("ZDOTDIR", ""), ".zshrc", SHELL),
    (Var("ZDOTDIR", ""), ".zshenv", SHELL),
    (Var("ZDOTDIR", ""), ".zprofile", SHELL),
    (Var("ZDOTDIR", ""), ".zlogin", SHELL),
    (Var("ZDOTDIR", ""), ".zlogout", SHELL),
    (Config, "zsh", SHELL),
    (Home, ".kshrc", SHELL),
    (Home, ".cshrc", SHELL),
    (Home, ".tcshrc", SHELL),
    (Home, ".inputrc", SHELL),
    (Config, "fish", SHELL),
    (Data, "fish/vendor_conf.d", SHELL),
    (Config, "nushell", SHELL),
    (Config, "direnv", DIRENV),
    (Home, ".direnvrc", DIRENV),
    (Home, ".pam_environment", START),
    (Home, ".xprofile", START),
    (Home, ".xinitrc", START),
    (Home, ".xsession", START),
    (Home, ".xsessionrc", START),
    (Config, "environment.d", START),
    (Config, "autostart", START),
    (Config, "systemd/user", START),
    (Data, "systemd/user", START),
    (Data, "applications", START),
    (Home, "Library/LaunchAgents", START),
    (Home, ".vimrc", EDITOR),
    (Home, ".vim", EDITOR),
    (Config, "nvim", EDITOR),
    (Home, ".emacs", EDITOR),
    (Home, ".emacs.d", EDITOR),
    (Config, "emacs", EDITOR),
    (Home, ".tmux.conf", SCREEN),
    (Config, "tmux", SCREEN),
    (Home, ".screenrc", SCREEN),
    (Home, ".gdbinit", DEBUGGER),
    (Config, "gdb", DEBUGGER),
    (Home, ".lldbinit", DEBUGGER),
    (Var("CARGO_HOME", ".cargo"), "config", CARGO),
    (Var("CARGO_HOME", ".cargo"), "config.toml", CARGO),
    (Var("CARGO_HOME", ".cargo"), "bin", PROGRAM),
    (Home, ".local/bin", PROGRAM),
    (Home, "bin", PROGRAM),
    (Config, "pip", PIP),
    (Home, ".pip", PIP),
    (
        Home,
        ".local/lib/python*/site-packages/usercustomize.py",
        PYTHON,
    ),
    (
        Home,
        ".local/lib/python*/site-packages/sitecustomize.py",
        PYTHON,
    ),
    (Home, ".local/lib/python*/site-packages/*.pth", PYTHON),
    (
        Home,
        "Library/Python/*/lib/python/site-packages/usercustomize.py",
        PYTHON,
    ),
    (
        Home,
        "Library/Python/*/lib/python/site-packages/sitecustomize.py",
        PYTHON,
    ),
    (
        Home,
        "Library/Python/*/lib/python/site-packages/*.pth",
        PYTHON,
    ),
];

/// Directories in those places that agents use for something else: work trees of projects.
pub const EXCEPT: &[(Base, &str)] = &[
    (Var("CLAUDE_CONFIG_DIR", ".claude"), "worktrees"),
    (Var("CODEX_HOME", ".codex"), "worktrees"),
];

/// In any folder, for writing: what git, an editor or an agent takes to run something when it is used or
/// opens the folder, and the person has not asked for that. Not what the project's own programs run when
/// they are started (build scripts, `package.json`), nor what asks again when it has changed (`.envrc`).
pub const ANYWHERE: &[(&str, Protected)] = &[
    (".git", GIT),
    (".husky", GIT),
    (".lefthook", GIT),
    (".lefthook.yml", GIT),
    ("lefthook.yml", GIT),
    (".pre-commit-config.yaml", GIT),
    (".vscode/launch.json", FOLDER),
    (".vscode/settings.json", FOLDER),
    (".vscode/tasks.json", FOLDER),
    (".mcp.json", HOOKS),
    (".claude/hooks", HOOKS),
    (".claude/settings.json", HOOKS),
    (".claude/settings.local.json", HOOKS),
    (".codex/config.toml", HOOKS),
    (".cursor/hooks.json", HOOKS),
    (".cursor/mcp.json", HOOKS),
    (".gemini/settings.json", HOOKS),
    (".opencode/plugin", HOOKS),
    (".opencode/plugins", HOOKS),
    ("opencode.json", HOOKS),
    ("opencode.jsonc", HOOKS),
    (".qwen/settings.json", HOOKS),
];

/// What stands in git's directory, whatever that is called: a bare repository, one that a `.git` file
/// names. Of what else is in it, as work trees beside them, git runs nothing.
pub const OF_GIT: Words =
    Words("HEAD commondir config config.worktree hooks info modules objects refs worktrees");
