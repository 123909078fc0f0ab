//! Places that count as outside the workspace wherever its roots are: an agent that works in the
//! person's home must neither read what signs them in nor change what acp-tui, a shell or the desktop
//! will do for it later.
//!
//! Not among them is `.acp-tui.toml` in a project: it says nothing until the person has agreed to
//! exactly its content, and an agent that writes another makes it silent again.

use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use super::roots::follow;

/// How long the links among the places are taken to be as they were.
const FRESH: Duration = Duration::from_secs(1);

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

const SHELL: Protected = runs("is run by your shell when it starts");
const START: Protected = runs("says what starts with your session");
const HOOKS: Protected = runs("says what an agent runs without asking");
const GIT: Protected = runs("says what git runs");

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

/// The names are those that the programs themselves document. A directory stands for all in it.
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
    (Var("CLAUDE_CONFIG_DIR", ".claude"), "settings.json", HOOKS),
    (Var("CODEX_HOME", ".codex"), "config.toml", HOOKS),
    (Home, ".gemini/settings.json", HOOKS),
    (Home, ".gitconfig", GIT),
    (Config, "git/config", GIT),
    (Home, ".profile", SHELL),
    (Home, ".bashrc", SHELL),
    (Home, ".bash_profile", SHELL),
    (Home, ".bash_login", SHELL),
    (Home, ".bash_logout", SHELL),
    (Var("ZDOTDIR", ""), ".zshrc", SHELL),
    (Var("ZDOTDIR", ""), ".zshenv", SHELL),
    (Var("ZDOTDIR", ""), ".zprofile", SHELL),
    (Var("ZDOTDIR", ""), ".zlogin", SHELL),
    (Var("ZDOTDIR", ""), ".zlogout", SHELL),
    (Home, ".kshrc", SHELL),
    (Home, ".cshrc", SHELL),
    (Home, ".tcshrc", SHELL),
    (Config, "fish/config.fish", SHELL),
    (Config, "fish/conf.d", SHELL),
    (Config, "fish/functions", SHELL),
    (Config, "nushell", SHELL),
    (Config, "autostart", START),
    (Config, "systemd/user", START),
    (Home, "Library/LaunchAgents", START),
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
}

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
        meant.or(found)
    }
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
}

/// By whole components; the usual file system of macOS takes `.SSH` for `.ssh`, also for what does
/// not exist yet.
fn is_in(path: &Path, place: &Path) -> bool {
    if !cfg!(target_os = "macos") {
        return path.starts_with(place);
    }
    let mut parts = path.components();
    place.components().all(|component| {
        let part = parts.next();
        part.is_some_and(|part| part.as_os_str().eq_ignore_ascii_case(component.as_os_str()))
    })
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::symlink};

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
            ".cargo/config.toml",
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
}
