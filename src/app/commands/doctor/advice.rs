//! Advice for each finding: pure, from profiles and what the agent said.

use crate::{
    config::{AgentProfile, Config, Origin},
    model::{AgentExit, AuthMethod, AuthMethodKind, Dialect, DialectHint, DialectRow, env_words},
    text::command_line,
};

use super::interpreter;

/// The command that opens the UI with this agent.
pub fn start_line(profile: &AgentProfile) -> String {
    match profile.origin {
        Origin::CommandLine => format!("acp-tui -- {}", profile.command_line()),
        _ => format!("acp-tui --agent {}", command_line([profile.id.as_str()])),
    }
}

/// Where a line of a profile belongs.
pub fn in_profile(profile: &AgentProfile, line: &str) -> String {
    match profile.origin {
        Origin::CommandLine => format!("in a new profile, [agents.NAME], set {line}"),
        _ => format!("set {line} in [agents.{}]", profile.id),
    }
}

/// The program was started and says nothing, or something else than messages.
pub fn silent(profile: &AgentProfile, config: &Config) -> Vec<String> {
    let mut advice = not_an_agent(profile, config);
    if interpreter::is_launcher(program_name(&profile.command)) {
        advice.push("it may be downloading: wait longer, with --timeout 600".to_owned());
    }
    advice.push(format!(
        "run it in a shell to see what it waits for: {}",
        profile.command_line()
    ));
    advice
}

/// It ended instead of answering.
pub fn ended(profile: &AgentProfile, config: &Config, exit: &AgentExit) -> Vec<String> {
    let mut advice = Vec::new();
    let said = exit.stderr.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| said.contains(word));
    if has(&[
        "ebadengine",
        "unsupported engine",
        "requires node",
        "node:internal/modules",
    ]) {
        advice.push("Node.js may be too old for it: node --version".to_owned());
    }
    if has(&[
        "enotfound",
        "eai_again",
        "e404",
        "network",
        "could not resolve",
    ]) {
        advice.push("it may need the network for a download".to_owned());
    }
    advice.extend(not_an_agent(profile, config));
    advice.push(format!("run it in a shell: {}", profile.command_line()));
    advice
}

/// Whether the command starts something that speaks ACP.
fn not_an_agent(profile: &AgentProfile, config: &Config) -> Vec<String> {
    let program = program_name(&profile.command);
    let known = known_by_program(profile, config);
    if let Some(known) = known.filter(|known| known.args != profile.args) {
        return vec![format!(
            "this program speaks ACP when it is started as `{}`: {}",
            known.command_line(),
            start_line(known)
        )];
    }
    let words = std::iter::once(program).chain(profile.args.iter().map(String::as_str));
    let says_so = |word: &str| {
        let word = word.to_lowercase();
        word.contains("acp") || word.contains("stdio")
    };
    if words.into_iter().any(says_so) {
        return Vec::new();
    }
    vec![
        "is this the program's own UI? Many agents speak ACP only with an argument such as `acp` or `--acp`: \
         see its --help"
            .to_owned(),
    ]
}

/// The built-in agent that is started by the same program.
pub fn known_by_program<'a>(
    profile: &AgentProfile,
    config: &'a Config,
) -> Option<&'a AgentProfile> {
    let program = program_name(&profile.command);
    let mut agents = config.agents.values();
    agents.find(|known| known.built_in_command && program_name(&known.command) == program)
}

/// The last part of a path.
pub fn program_name(command: &str) -> &str {
    command.rsplit('/').next().unwrap_or(command)
}

/// It speaks another version than it was asked for.
pub fn version(version: i64) -> &'static str {
    match version {
        // MCP counts in dates.
        1000.. => "this looks like an MCP server, not an agent: it belongs in [mcp_servers]",
        2 => "set protocol = \"2\" in its profile: a draft of the next version",
        3.. => "install an older release of the agent, or a newer one of acp-tui",
        _ => "install a newer release of the agent",
    }
}

/// Something of its dialect that the profile does not name.
#[derive(Debug)]
pub struct Spoken {
    /// It is understood all the same.
    pub understood: bool,
    pub text: String,
    pub advice: Vec<String>,
}

/// What is understood comes in one piece: a profile says it with one line.
pub fn dialect(profile: &AgentProfile, hints: &[DialectHint]) -> Vec<Spoken> {
    let rows: Vec<DialectRow> = hints
        .iter()
        .filter_map(|hint| match hint {
            DialectHint::Detected(row) => Some(*row),
            _ => None,
        })
        .collect();
    let mut known = profile.dialect.and(Dialect::of_rows(&rows));
    let mut found = Vec::new();
    if !rows.is_empty() {
        let whats = rows
            .iter()
            .map(|row| format!("{} (\"{}\")", row.what(), row.name()));
        let whats: Vec<String> = whats.collect();
        found.push(Spoken {
            understood: true,
            text: format!("understood: {}", whats.join("; ")),
            advice: vec![in_profile(profile, &known.line())],
        });
    }
    for hint in hints {
        let Some(advice) = hint.advice(known) else {
            continue;
        };
        if let DialectHint::Wanted(row) = hint {
            known = known.and(Dialect::of_rows(&[*row]));
        }
        let lines = advice.lines.into_iter().map(|line| {
            let of = line.of.map(|of| format!(", for {of}"));
            format!(
                "{}{}",
                in_profile(profile, &line.line),
                of.unwrap_or_default()
            )
        });
        found.push(Spoken {
            understood: false,
            text: format!("it seems to need {}", advice.wants),
            advice: lines.collect(),
        });
    }
    found
}

/// How one signs in by a method here.
pub fn sign_in_way(profile: &AgentProfile, method: &AuthMethod) -> String {
    match &method.kind {
        AuthMethodKind::Agent => "the agent signs in itself, from acp-tui's dialog".to_owned(),
        AuthMethodKind::Terminal { args, env } => {
            let own = profile.args.iter().chain(args).map(String::as_str);
            let words = std::iter::once(profile.command.as_str()).chain(own);
            let command = command_line(words);
            let env = env_words(env);
            let gap = if env.is_empty() { "" } else { " " };
            format!("acp-tui's dialog runs `{env}{gap}{command}`")
        }
        AuthMethodKind::Program(_) if profile.login_command.is_some() => format!(
            "acp-tui's dialog runs `{}`",
            profile.login_line().unwrap_or_default()
        ),
        AuthMethodKind::Program(Some(program)) => {
            format!("acp-tui's dialog offers `{}`", program.command_line())
        }
        AuthMethodKind::Program(None) => "by hand, in another terminal".to_owned(),
        AuthMethodKind::EnvVar { vars } => {
            let names: Vec<&str> = vars.iter().map(|name| &**name).collect();
            in_profile(
                profile,
                &format!("env = {{ {} = … }}", names.join(" = …, ")),
            )
        }
        AuthMethodKind::Unsupported(kind) => {
            format!("kind {kind}, which acp-tui does not support")
        }
    }
}

/// It wants a sign-in.
pub fn sign_in(profile: &AgentProfile, methods: &[AuthMethod]) -> Vec<String> {
    let mut advice = Vec::new();
    let here = |method: &AuthMethod| {
        !matches!(
            method.kind,
            AuthMethodKind::EnvVar { .. }
                | AuthMethodKind::Unsupported(_)
                | AuthMethodKind::Program(None)
        )
    };
    if methods.iter().any(here) {
        advice.push(format!(
            "{}: its dialog guides you through the sign-in",
            start_line(profile)
        ));
    }
    if let Some(login) = profile.login_line() {
        advice.push(format!("or sign in at a shell: {login}"));
    }
    for method in methods {
        if let AuthMethodKind::EnvVar { .. } = method.kind {
            let way = sign_in_way(profile, method);
            advice.push(format!("{}: {way}", method.name));
        }
    }
    if advice.is_empty() {
        advice.push("sign in with the agent's own program, then try again".to_owned());
    }
    advice
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::SafeText;

    fn profile(command: &str, args: &[&str]) -> AgentProfile {
        let args = args.iter().map(|arg| (*arg).to_owned()).collect();
        AgentProfile {
            origin: Origin::BuiltIn,
            ..AgentProfile::command(command.into(), args)
        }
    }

    fn config() -> Config {
        let mut config = Config::default();
        let known = AgentProfile {
            id: "known".into(),
            built_in_command: true,
            ..profile("known-cli", &["--acp"])
        };
        config.agents.insert("known".into(), known);
        config
    }

    #[test]
    fn a_program_without_its_word_for_acp_is_told_that_word() {
        let advice = silent(&profile("/usr/bin/known-cli", &[]), &config());
        assert_eq!(
            advice[0],
            "this program speaks ACP when it is started as `known-cli --acp`: acp-tui --agent known"
        );
        let advice = silent(&profile("other", &[]), &config());
        assert!(
            advice[0].starts_with("is this the program's own UI?"),
            "{advice:?}"
        );
        let advice = silent(&profile("other", &["acp"]), &config());
        assert_eq!(
            advice,
            ["run it in a shell to see what it waits for: other acp"]
        );
        let advice = silent(&profile("npx", &["-y", "x-acp"]), &config());
        assert_eq!(
            advice[0],
            "it may be downloading: wait longer, with --timeout 600"
        );
    }

    #[test]
    fn what_a_program_says_at_its_end_is_read() {
        let said = |stderr: &str| {
            let exit = AgentExit {
                stderr: SafeText::new(stderr),
                ..AgentExit::default()
            };
            ended(&profile("npx", &["x-acp"]), &config(), &exit)
        };
        assert!(said("npm warn EBADENGINE Unsupported engine")[0].contains("Node.js"));
        assert!(said("npm error code ENOTFOUND")[0].contains("network"));
        assert_eq!(said("no"), ["run it in a shell: npx x-acp"]);
    }

    // D-03, D-43
    #[test]
    fn a_dialect_is_told_as_the_line_for_the_profile() {
        let mut agent = profile("x", &[]);
        agent.id = "mine".into();
        agent.dialect = Dialect::of_word("auto")
            .unwrap()
            .and(Dialect::of_word("models").unwrap());
        let hints = [
            DialectHint::Detected(DialectRow::KindUpdates),
            DialectHint::Wanted(DialectRow::StringVersion),
            DialectHint::Threads,
        ];
        let found = dialect(&agent, &hints);
        let lines: Vec<String> = found.into_iter().flat_map(|found| found.advice).collect();
        assert_eq!(
            lines,
            [
                "set dialect = [\"auto\", \"kind-updates\", \"models\"] in [agents.mine]",
                "set dialect = [\"auto\", \"string-version\", \"kind-updates\", \"models\"] in [agents.mine]",
                "set dialect = [\"auto\", \"claude-code-acp-old\", \"kind-updates\"] in [agents.mine], for the \
                 early claude-code-acp",
                "set protocol = \"threads\" in [agents.mine]",
            ]
        );
    }

    #[test]
    fn every_way_to_sign_in_is_told() {
        let mut agent = profile("x", &["acp"]);
        agent.id = "mine".into();
        let method = |kind: AuthMethodKind| AuthMethod {
            id: "m".into(),
            name: "M".into(),
            description: None,
            kind,
        };
        let vars = || AuthMethodKind::EnvVar {
            vars: vec!["A".into(), "B".into()],
        };
        let terminal = method(AuthMethodKind::Terminal {
            args: vec!["--login".into()],
            env: vec![("T".into(), "1".into())],
        });
        assert_eq!(
            sign_in_way(&agent, &terminal),
            "acp-tui's dialog runs `T=1 x acp --login`"
        );
        assert_eq!(
            sign_in(&agent, &[method(vars())]),
            ["M: set env = { A = …, B = … } in [agents.mine]"]
        );
        assert_eq!(
            sign_in(&agent, &[]),
            ["sign in with the agent's own program, then try again"]
        );
        agent.login_command = Some("x login".into());
        assert_eq!(
            sign_in(&agent, &[method(AuthMethodKind::Agent)]),
            [
                "acp-tui --agent mine: its dialog guides you through the sign-in",
                "or sign in at a shell: x login",
            ]
        );
    }
}
