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

const FOLDER: Protected = runs("controls what your editor runs in this folder");
const HOOKS: Protected = runs("controls what an agent runs without asking");
pub const GIT: Protected = runs("controls what git runs");

/// Variables that name a directory, and the one in the home that is meant where they are not set.
pub const VARIABLES: &[(&str, &str)] = &[
    ("GNUPGHOME", ".gnupg"),
    ("XDG_DATA_HOME", ".local/share"),
    ("CLOUDSDK_CONFIG", ".config/gcloud"),
    ("XDG_CONFIG_HOME", ".config"),
    ("AZURE_CONFIG_DIR", ".azure"),
    ("DOCKER_CONFIG", ".docker"),
    ("GH_CONFIG_DIR", ".config/gh"),
    ("CARGO_HOME", ".cargo"),
    ("CLAUDE_CONFIG_DIR", ".claude"),
    ("CODEX_HOME", ".codex"),
    ("ZDOTDIR", ""),
];

/// Places from `~/`, or from a directory that one of [`VARIABLES`] names: then both that and the usual one count. The
/// names are those that the programs themselves document. A directory stands for all in it, and a `*` for any letters of
/// one name.
pub const PLACES: &[(Protected, Words)] = &[
    (secret("may hold SSH keys"), Words("~/.ssh")),
    (secret("may hold PGP keys"), Words("$GNUPGHOME")),
    (
        secret("may hold passwords"),
        Words(
            "~/.password-store $XDG_DATA_HOME/keyrings ~/Library/Keychains ~/.netrc ~/.pgpass \
             ~/.my.cnf $XDG_CONFIG_HOME/rclone/rclone.conf",
        ),
    ),
    (secret("may sign in to AWS"), Words("~/.aws")),
    (
        secret("may sign in to Google Cloud"),
        Words("$CLOUDSDK_CONFIG $XDG_CONFIG_HOME/gcloud"),
    ),
    (secret("may sign in to Azure"), Words("$AZURE_CONFIG_DIR")),
    (secret("may sign in to Kubernetes"), Words("~/.kube")),
    (
        secret("may sign in to registries of containers"),
        Words("$DOCKER_CONFIG/config.json"),
    ),
    (
        secret("may sign in to Terraform"),
        Words("~/.terraform.d/credentials.tfrc.json"),
    ),
    (secret("may sign in to Vault"), Words("~/.vault-token")),
    (
        secret("may hold passwords for git"),
        Words("~/.git-credentials $XDG_CONFIG_HOME/git/credentials"),
    ),
    (
        secret("may sign in to GitHub"),
        Words(
            "$GH_CONFIG_DIR/hosts.yml $XDG_CONFIG_HOME/gh/hosts.yml \
             $XDG_CONFIG_HOME/github-copilot",
        ),
    ),
    (
        secret("may sign in to npm"),
        Words("~/.npmrc ~/.yarnrc.yml"),
    ),
    (secret("may sign in to PyPI"), Words("~/.pypirc")),
    (
        secret("may sign in to crates.io"),
        Words("$CARGO_HOME/credentials $CARGO_HOME/credentials.toml"),
    ),
    (
        secret("signs in to an agent"),
        Words(
            "$CLAUDE_CONFIG_DIR/.credentials.json ~/.claude.json $CODEX_HOME/auth.json \
             ~/.gemini/oauth_creds.json ~/.qwen $XDG_DATA_HOME/opencode/auth.json",
        ),
    ),
    (
        secret("may hold passwords that you typed"),
        Words(
            "~/.bash_history $ZDOTDIR/.zsh_history $XDG_DATA_HOME/fish/fish_history \
             ~/.python_history ~/.node_repl_history ~/.mysql_history ~/.psql_history \
             ~/.sqlite_history",
        ),
    ),
    (
        HOOKS,
        Words(
            "$CLAUDE_CONFIG_DIR $CODEX_HOME ~/.gemini ~/.cursor/mcp.json \
             $XDG_CONFIG_HOME/opencode",
        ),
    ),
    (GIT, Words("~/.gitconfig $XDG_CONFIG_HOME/git")),
    (
        runs("is run by your shell when it starts"),
        Words(
            "~/.profile ~/.bashrc ~/.bash_aliases ~/.bash_profile ~/.bash_login ~/.bash_logout \
             $ZDOTDIR/.zshrc $ZDOTDIR/.zshenv $ZDOTDIR/.zprofile $ZDOTDIR/.zlogin \
             $ZDOTDIR/.zlogout $XDG_CONFIG_HOME/zsh ~/.kshrc ~/.cshrc ~/.tcshrc ~/.inputrc \
             $XDG_CONFIG_HOME/fish $XDG_DATA_HOME/fish/vendor_conf.d $XDG_CONFIG_HOME/nushell",
        ),
    ),
    (
        runs("controls what direnv runs"),
        Words("$XDG_CONFIG_HOME/direnv ~/.direnvrc"),
    ),
    (
        runs("controls what starts with your session"),
        Words(
            "~/.pam_environment ~/.xprofile ~/.xinitrc ~/.xsession ~/.xsessionrc \
             $XDG_CONFIG_HOME/environment.d $XDG_CONFIG_HOME/autostart \
             $XDG_CONFIG_HOME/systemd/user $XDG_DATA_HOME/systemd/user \
             $XDG_DATA_HOME/applications ~/Library/LaunchAgents",
        ),
    ),
    (
        runs("is run by your editor when it starts"),
        Words("~/.vimrc ~/.vim $XDG_CONFIG_HOME/nvim ~/.emacs ~/.emacs.d $XDG_CONFIG_HOME/emacs"),
    ),
    (
        runs("controls what your terminals run"),
        Words("~/.tmux.conf $XDG_CONFIG_HOME/tmux ~/.screenrc"),
    ),
    (
        runs("is run by your debugger when it starts"),
        Words("~/.gdbinit $XDG_CONFIG_HOME/gdb ~/.lldbinit"),
    ),
    (
        runs("controls what cargo runs"),
        Words("$CARGO_HOME/config $CARGO_HOME/config.toml"),
    ),
    (
        runs("holds programs that you run by name"),
        Words("$CARGO_HOME/bin ~/.local/bin ~/bin"),
    ),
    (
        runs("controls where pip installs from"),
        Words("$XDG_CONFIG_HOME/pip ~/.pip"),
    ),
    (
        runs("is run by Python when it starts"),
        Words(
            "~/.local/lib/python*/site-packages/usercustomize.py \
             ~/.local/lib/python*/site-packages/sitecustomize.py \
             ~/.local/lib/python*/site-packages/*.pth \
             ~/Library/Python/*/lib/python/site-packages/usercustomize.py \
             ~/Library/Python/*/lib/python/site-packages/sitecustomize.py \
             ~/Library/Python/*/lib/python/site-packages/*.pth",
        ),
    ),
];

/// Directories in those places that agents use for something else: work trees of projects.
pub const EXCEPT: Words = Words("$CLAUDE_CONFIG_DIR/worktrees $CODEX_HOME/worktrees");

/// In any folder, for writing: what git, an editor or an agent takes to run something when it is used or
/// opens the folder, and the person has not asked for that. Not what the project's own programs run when
/// they are started (build scripts, `package.json`), nor what asks again when it has changed (`.envrc`).
pub const ANYWHERE: &[(Protected, Words)] = &[
    (
        GIT,
        Words(".git .husky .lefthook .lefthook.yml lefthook.yml .pre-commit-config.yaml"),
    ),
    (
        FOLDER,
        Words(".vscode/launch.json .vscode/settings.json .vscode/tasks.json"),
    ),
    (
        HOOKS,
        Words(
            ".mcp.json .claude/hooks .claude/settings.json .claude/settings.local.json \
             .codex/config.toml .cursor/hooks.json .cursor/mcp.json .gemini/settings.json \
             .opencode/plugin .opencode/plugins opencode.json opencode.jsonc .qwen/settings.json",
        ),
    ),
];

/// What stands in git's directory, whatever that is called: a bare repository, one that a `.git` file
/// names. Of what else is in it, as work trees beside them, git runs nothing.
pub const OF_GIT: Words =
    Words("HEAD commondir config config.worktree hooks info modules objects refs worktrees");
