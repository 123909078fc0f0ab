//! Variables that are set for a command: what they do to it, and how they are shown.

use std::borrow::Cow;

use crate::text::{SafeText, command_line, exact_line, first_bytes, secrets::is_secret_name};

/// Bytes of a variable's value in a line that names the command.
pub(super) const VALUE_BYTES: usize = 200;

/// A variable that a request sets, to be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EnvVariable<'a> {
    pub name: &'a str,
    pub value: &'a str,
    pub effect: EnvEffect,
}

impl EnvVariable<'_> {
    pub fn shown_name(&self) -> SafeText {
        exact_line(self.name)
    }

    /// As a shell would read it; `None` for a secret. A variable that steers a command is never
    /// treated as one.
    pub fn shown_value(&self) -> Option<SafeText> {
        let hidden = self.effect != EnvEffect::Steers && is_secret_name(self.name);
        (!hidden || self.value.is_empty()).then(|| quoted(self.value))
    }

    /// `NAME=value`, of a secret without its value.
    pub fn assignment(&self) -> SafeText {
        let value = self.shown_value();
        let value = value.as_ref().map_or("•••", SafeText::as_str);
        SafeText::new(&format!("{}={value}", self.shown_name()))
    }

    pub(super) fn value_in_line(&self) -> Cow<'static, str> {
        if self.shown_value().is_none() {
            return "•••".into();
        }
        let shown = first_bytes(self.value, VALUE_BYTES);
        let value = quoted(shown);
        match self.value.len() - shown.len() {
            0 => value.to_string().into(),
            more => format!("{value}(+{more} bytes)").into(),
        }
    }
}

fn quoted(value: &str) -> SafeText {
    if value.is_empty() {
        return SafeText::default();
    }
    exact_line(&command_line([value]))
}

/// Variables that steer the command first, then those that may, then harmless ones; each group in
/// the order given.
pub fn sorted_env(env: &[(String, String)]) -> impl Iterator<Item = EnvVariable<'_>> {
    let all = || {
        env.iter().map(|(name, value)| EnvVariable {
            name,
            value,
            effect: env_effect(name, value),
        })
    };
    let of = move |effect| all().filter(move |variable| variable.effect == effect);
    of(EnvEffect::Steers)
        .chain(of(EnvEffect::Unknown))
        .chain(of(EnvEffect::Harmless))
}

/// The effect of a variable on the command that it is set for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EnvEffect {
    /// At most the look of its output.
    Harmless,
    Unknown,
    /// Which program runs, what is loaded into it, or what it starts.
    Steers,
}

/// Names whose effect is harmless if the value is a plain word.
const HARMLESS: [&str; 26] = [
    "ANSICON",
    "CI",
    "CLAUDECODE",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "COLORFGBG",
    "COLORTERM",
    "COLUMNS",
    "CARGO_TERM_COLOR",
    "DEBIAN_FRONTEND",
    "FORCE_COLOR",
    "GEMINI_CLI",
    "GIT_TERMINAL_PROMPT",
    "LANG",
    "LANGUAGE",
    "LINES",
    "NODE_DISABLE_COLORS",
    "NO_COLOR",
    "OPENCODE",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONUNBUFFERED",
    "PY_COLORS",
    "RUST_BACKTRACE",
    "TERM",
    "TERM_PROGRAM",
    "TZ",
];

/// Programs that only print their input.
const PAGERS: [&str; 3] = ["PAGER", "GIT_PAGER", "MANPAGER"];

const STEERING: [&str; 62] = [
    "AR",
    "AS",
    "BASHOPTS",
    "BASH_ENV",
    "BROWSER",
    "CC",
    "CDPATH",
    "CLASSPATH",
    "CPATH",
    "CPP",
    "CXX",
    "EDITOR",
    "ENV",
    "FPATH",
    "GCONV_PATH",
    "GLOBIGNORE",
    "GOFLAGS",
    "GOPATH",
    "GOPROXY",
    "GOROOT",
    "GOTOOLCHAIN",
    "HOME",
    "HOSTALIASES",
    "IFS",
    "KUBECONFIG",
    "LD",
    "LESS",
    "LESSCLOSE",
    "LESSOPEN",
    "LIBRARY_PATH",
    "LOCPATH",
    "NLSPATH",
    "NPM_CONFIG_USERCONFIG",
    "OPENSSL_CONF",
    "PAGER",
    "PATH",
    "PATHEXT",
    "PERL5LIB",
    "PERL5OPT",
    "PERLLIB",
    "PROMPT_COMMAND",
    "PS4",
    "R_PROFILE",
    "SHELL",
    "SHELLOPTS",
    "TAR_OPTIONS",
    "TERMCAP",
    "TERMINFO",
    "TERMINFO_DIRS",
    "TMPDIR",
    "UV",
    "VIRTUAL_ENV",
    "VISUAL",
    "WGETRC",
    "XDG_CONFIG_DIRS",
    "XDG_CONFIG_HOME",
    "XDG_DATA_DIRS",
    "XDG_DATA_HOME",
    "ZDOTDIR",
    "_JAVA_OPTIONS",
    "HTTP_PROXY",
    "HTTPS_PROXY",
];

const STEERING_PREFIXES: [&str; 32] = [
    "ASDF_",
    "BASH_FUNC_",
    "BUNDLE_",
    "BUN_",
    "CARGO",
    "CMAKE_",
    "CONDA_",
    "CURL_",
    "DENO_",
    "DOCKER_",
    "DYLD_",
    "GEM_",
    "GIT_",
    "GRADLE_",
    "JAVA_",
    "JDK_",
    "LD_",
    "LUA_",
    "MAKE",
    "MALLOC_",
    "MAVEN_",
    "MISE_",
    "NODE_",
    "NPM_",
    "PHP",
    "PIP_",
    "PKG_CONFIG",
    "PYTHON",
    "RUBY",
    "RUST",
    "SSH_",
    "SSL_",
];

const STEERING_ENDINGS: [&str; 8] = [
    "FLAGS", "_ASKPASS", "_COMMAND", "_EDITOR", "_OPTIONS", "_PAGER", "_PRELOAD", "_WRAPPER",
];

/// Judged by the name, and by the value if a name is harmless only with some values.
pub fn env_effect(name: &str, value: &str) -> EnvEffect {
    let locale = name.strip_prefix("LC_").is_some_and(|rest| {
        !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_uppercase() || b == b'_')
    });
    if HARMLESS.contains(&name) || locale {
        return if is_plain_value(value) {
            EnvEffect::Harmless
        } else {
            EnvEffect::Steers
        };
    }
    if PAGERS.contains(&name) && matches!(value, "" | "cat") {
        return EnvEffect::Harmless;
    }
    let upper = name.to_ascii_uppercase();
    let steers = STEERING.contains(&upper.as_str())
        || STEERING_PREFIXES.iter().any(|prefix| upper.starts_with(prefix))
        || STEERING_ENDINGS.iter().any(|ending| upper.ends_with(ending))
        // Not a name: other programs may split it into another variable.
        || !is_name(name);
    if steers {
        EnvEffect::Steers
    } else {
        EnvEffect::Unknown
    }
}

/// A word that no program takes for a path or a command.
fn is_plain_value(value: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_.@:+-;".contains(c);
    !value.starts_with(':') && !value.contains("..") && value.chars().all(plain)
}

fn is_name(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_harmless_only_where_that_is_known() {
        use EnvEffect::{Harmless, Steers, Unknown};
        for (variable, effect) in [
            ("TERM=xterm-256color", Harmless),
            ("LANG=de_AT.UTF-8", Harmless),
            ("LC_ALL=C", Harmless),
            ("NO_COLOR=", Harmless),
            ("CI=1", Harmless),
            ("PAGER=cat", Harmless),
            ("GIT_TERMINAL_PROMPT=0", Harmless),
            ("PYTHONUNBUFFERED=1", Harmless),
            ("TERM=../evil", Steers),
            ("LANG=/tmp/x", Steers),
            ("PAGER=./x", Steers),
            ("PATH=.", Steers),
            ("path=.", Steers),
            ("LD_PRELOAD=x.so", Steers),
            ("DYLD_INSERT_LIBRARIES=x", Steers),
            ("BASH_ENV=x", Steers),
            ("ENV=x", Steers),
            ("IFS=x", Steers),
            ("SHELLOPTS=xtrace", Steers),
            ("PYTHONPATH=.", Steers),
            ("NODE_OPTIONS=-r x", Steers),
            ("GIT_SSH_COMMAND=x", Steers),
            ("CARGO_BUILD_RUSTC=x", Steers),
            ("RUSTC=x", Steers),
            ("RUSTC_WRAPPER=x", Steers),
            ("CFLAGS=-B.", Steers),
            ("BASH_FUNC_ls%%=() { rm x; }", Steers),
            ("=x", Steers),
            ("A B=x", Steers),
            ("PORT=80", Unknown),
            ("API_TOKEN=x", Unknown),
        ] {
            let (name, value) = variable.split_once('=').expect("a variable");
            assert_eq!(env_effect(name, value), effect, "{variable}");
        }
    }
}
