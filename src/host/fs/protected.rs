//! Places that count as outside the workspace wherever its roots are: an agent that works in the
//! person's home must neither read what signs them in nor change what acp-tui, a shell or the desktop
//! will do for it later. In any folder it must not change what git keeps in `.git`, as hooks and
//! settings there run with the person's next command.
//!
//! Not among them is `.acp-tui.toml` in a project: it says nothing until the person has agreed to
//! exactly its content, and an agent that writes another makes it silent again.
//!
//! A hard link to a secret is one too, as long as the secret has its own name as well. Which other
//! file a hard link stood for at first (one that a command made, say) cannot be told.

use std::{
    collections::HashSet,
    env,
    ffi::{OsStr, OsString},
    fs::{self, Metadata},
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use super::roots::follow;

/// How long the links among the places are taken to be as they were.
const FRESH: Duration = Duration::from_secs(1);

/// Files and directories among the secrets that are compared with a hard link; more are left out.
const MAX_COMPARED: usize = 10_000;

/// Directories in directories of secrets that are looked into for that.
const MAX_DEPTH: usize = 4;

/// Why a place is asked about in any case.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Protected {
    /// Goes on after "it".
    pub why: &'static str,
    /// It may be read like anything else.
    pub only_writes: bool,
}

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

const OWN: Protected = secret("belongs to acp-tui itself");

const LINKED: Protected = secret("is another name (a hard link) of a protected file");

const TYPED: Protected = secret("may hold passwords that you typed");

const SHELL: Protected = runs("is run by your shell when it starts");
const START: Protected = runs("says what starts with your session");
const EDITOR: Protected = runs("is run by your editor when it starts");
const SCREEN: Protected = runs("says what your terminals run");
const DEBUGGER: Protected = runs("is run by your debugger when it starts");
const DIRENV: Protected = runs("says what direnv runs");
const PROGRAM: Protected = runs("holds programs that you run by name");
const PYTHON: Protected = runs("is run by Python when it starts");
const PIP: Protected = runs("says where pip installs from");
const CARGO: Protected = runs("says what cargo runs");
const HOOKS: Protected = runs("says what an agent runs without asking");
pub const GIT: Protected = runs("says what git runs");

/// Where a place is looked for.
#[derive(Clone, Copy)]
enum Base {
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
const PLACES: &[(Base, &str, Protected)] = &[
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

/// The places of one person. Clones are the same.
#[derive(Clone, Debug)]
pub struct Places(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    /// Absolute, as they are named.
    named: Vec<(PathBuf, Protected)>,
    /// The same with links resolved, and when that was done.
    resolved: Mutex<Option<(Instant, Arc<[PathBuf]>)>>,
    /// The files that are secrets, and when they were looked for.
    secrets: Mutex<Option<(Instant, Arc<HashSet<FileId>>)>>,
}

/// Device and inode.
type FileId = (u64, u64);

impl Places {
    /// Of the person who runs this. `own` are acp-tui's own directories and files.
    pub fn of_user(own: &[PathBuf]) -> Self {
        Self::new(env::home_dir().as_deref(), |name| env::var_os(name), own)
    }

    fn new(home: Option<&Path>, var: impl Fn(&str) -> Option<OsString>, own: &[PathBuf]) -> Self {
        // What is relative there counts as unset, by the rules of XDG.
        let var = |name| {
            let path = var(name).map(PathBuf::from);
            path.filter(|path| path.is_absolute())
        };
        let at_home = |below: &str| home.map(|home| home.join(below));
        let mut named: Vec<_> = own.iter().map(|path| (path.clone(), OWN)).collect();
        for (base, below, protected) in PLACES {
            let bases = match base {
                Home => [at_home(""), None],
                Config => [at_home(".config"), var("XDG_CONFIG_HOME")],
                Data => [at_home(".local/share"), var("XDG_DATA_HOME")],
                Var(name, below) => [at_home(below), var(name)],
            };
            let paths = bases.into_iter().flatten().map(|base| base.join(below));
            named.extend(paths.map(|path| (path, *protected)));
        }
        Self(Arc::new(Inner {
            named,
            resolved: Mutex::default(),
            secrets: Mutex::default(),
        }))
    }

    /// Why a resolved path is asked about in any case, if it is.
    pub fn protect(&self, path: &Path) -> Option<Protected> {
        let resolved = self.0.resolved();
        let mut all = self.0.named.iter().zip(resolved.iter());
        // The strictest counts: the first that may not even be read, else the first.
        let holds = |place: &Path| is_in(path, place);
        let mut found = None;
        let meant = all.find_map(|((named, protected), resolved)| {
            if !holds(named) && !holds(resolved) {
                return None;
            }
            found.get_or_insert(*protected);
            (!protected.only_writes).then_some(*protected)
        });
        let secret = meant.or_else(|| self.0.is_linked(path).then_some(LINKED));
        secret.or(found).or(is_in_git(path).then_some(GIT))
    }
}

/// Whether a path leads to or into a `.git`, in the spelling of any file system.
pub fn is_in_git(path: &Path) -> bool {
    path.iter().any(|name| name.eq_ignore_ascii_case(".git"))
}

impl Inner {
    fn resolved(&self) -> Arc<[PathBuf]> {
        let mut cached = self.resolved.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((since, resolved)) = &*cached
            && since.elapsed() < FRESH
        {
            return resolved.clone();
        }
        let named = self.named.iter();
        // What leads nowhere can only be meant as it is named.
        let resolved: Arc<[PathBuf]> = named
            .map(|(path, _)| follow(path).unwrap_or_else(|_| path.clone()))
            .collect();
        *cached = Some((Instant::now(), resolved.clone()));
        resolved
    }

    /// Whether a resolved path is a further name of a secret.
    fn is_linked(&self, path: &Path) -> bool {
        let several = |meta: &Metadata| meta.is_file() && meta.nlink() > 1;
        let meta = fs::symlink_metadata(path).ok().filter(several);
        meta.is_some_and(|meta| self.secrets().contains(&(meta.dev(), meta.ino())))
    }

    /// Those of one name too: a link that is made a moment later is then found as well.
    fn secrets(&self) -> Arc<HashSet<FileId>> {
        let resolved = self.resolved();
        let mut cached = self.secrets.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((since, files)) = &*cached
            && since.elapsed() < FRESH
        {
            return files.clone();
        }
        let places = self.named.iter().zip(resolved.iter());
        let places = places.filter(|((_, protected), _)| !protected.only_writes);
        // The last goes first: acp-tui's own directories, which may hold many, are at the beginning.
        let mut todo: Vec<_> = places.map(|(_, path)| (path.clone(), 0)).collect();
        let mut files = HashSet::new();
        let mut left = MAX_COMPARED;
        while let Some((path, depth)) = todo.pop() {
            let Ok(meta) = fs::symlink_metadata(&path) else {
                continue;
            };
            if meta.is_file() {
                files.insert((meta.dev(), meta.ino()));
            } else if meta.is_dir() && depth < MAX_DEPTH {
                let entries = fs::read_dir(&path).into_iter().flatten().flatten();
                for entry in entries.take(left) {
                    left -= 1;
                    todo.push((entry.path(), depth + 1));
                }
            }
        }
        let files = Arc::new(files);
        *cached = Some((Instant::now(), files.clone()));
        files
    }
}

/// By whole components.
fn is_in(path: &Path, place: &Path) -> bool {
    let mut parts = path.iter();
    let mut place = place.iter();
    place.all(|name| parts.next().is_some_and(|part| fits(part, name)))
}

/// The usual file system of macOS takes `.SSH` for `.ssh`, also for what does not exist yet.
fn fits(part: &OsStr, name: &OsStr) -> bool {
    let same = |one: &[u8], other: &[u8]| {
        one == other || (cfg!(target_os = "macos") && one.eq_ignore_ascii_case(other))
    };
    let (part, name) = (part.as_encoded_bytes(), name.as_encoded_bytes());
    let Some(star) = name.iter().position(|byte| *byte == b'*') else {
        return same(part, name);
    };
    let (begin, end) = (&name[..star], &name[star + 1..]);
    part.len() >= begin.len() + end.len()
        && same(&part[..begin.len()], begin)
        && same(&part[part.len() - end.len()..], end)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn home() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().canonicalize().unwrap();
        (folder, home)
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
            .vscode/settings.json .git.toml x.git/config .gitx/config .acp-tui.toml";
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
}
