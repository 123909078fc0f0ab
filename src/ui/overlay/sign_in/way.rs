//! The ways to sign in that a session has, and what each needs of the person.

use crate::{
    model::{AuthMethod, AuthMethodKind, LoginProgram, env_words},
    session::Session,
    text::{SafeText, command_line},
    ui::{
        action::Action,
        overlay::{OverlayContext, panel::marked},
        render::{
            Row,
            line::{StyledLine, Wrapping},
        },
    },
};

#[derive(Clone, Copy, Debug)]
pub enum Way<'a> {
    Method(&'a AuthMethod),
    /// The profile's own command, where the agent has none to be run (D-22).
    Profile(&'a SafeText),
}

/// What choosing a way does.
pub enum Choice<'a> {
    /// Asks the agent.
    Ask(&'a AuthMethod),
    /// Runs a program that the person's own configuration names.
    Run(Way<'a>),
    /// Runs a program that the agent names, once the person has confirmed it.
    Confirm(&'a AuthMethod, &'a LoginProgram),
    ByHand,
    Unsupported,
}

/// In the agent's order; the profile's own at the end.
pub fn ways(session: Option<&Session>) -> Vec<Way<'_>> {
    let Some(session) = session else {
        return Vec::new();
    };
    let methods = &session.agent.auth_methods;
    let mut ways: Vec<Way<'_>> = methods.iter().map(Way::Method).collect();
    let runs = |method: &AuthMethod| {
        matches!(
            method.kind,
            AuthMethodKind::Terminal { .. } | AuthMethodKind::Program(_)
        )
    };
    if let Some(login) = &session.config.login
        && !methods.iter().any(runs)
    {
        ways.push(Way::Profile(login));
    }
    ways
}

impl<'a> Way<'a> {
    pub fn choice(self, session: &Session) -> Choice<'a> {
        let Self::Method(method) = self else {
            return Choice::Run(self);
        };
        match &method.kind {
            AuthMethodKind::Agent => Choice::Ask(method),
            AuthMethodKind::Terminal { .. } => Choice::Run(self),
            AuthMethodKind::Program(_) if session.config.login.is_some() => Choice::Run(self),
            AuthMethodKind::Program(Some(program)) => Choice::Confirm(method, program),
            AuthMethodKind::Program(None) | AuthMethodKind::EnvVar { .. } => Choice::ByHand,
            AuthMethodKind::Unsupported(_) => Choice::Unsupported,
        }
    }

    pub fn rows(self, selected: bool, width: usize, cx: &OverlayContext<'_>) -> Vec<Row> {
        let theme = cx.theme;
        let head = marked(selected, cx);
        let indent = StyledLine::blanks(head.width());
        let supported = !matches!(
            self,
            Self::Method(AuthMethod {
                kind: AuthMethodKind::Unsupported(_),
                ..
            })
        );
        let style = if supported { theme.strong } else { theme.dim };
        let own_program = SafeText::from("With the command from the agent's profile");
        let name = match self {
            Self::Method(method) => &method.name,
            Self::Profile(_) => &own_program,
        };
        let name = StyledLine::styled(name, style);
        let mut rows = name.wrap_with(Wrapping::Words, width, &head, &indent);
        let mut add = |text: &str, style| {
            for line in StyledLine::lines(text, style) {
                rows.extend(line.wrap_with(Wrapping::Words, width, &indent, &indent));
            }
        };
        let method = match self {
            Self::Method(method) => method,
            Self::Profile(login) => {
                add(login, theme.accent);
                return rows;
            }
        };
        if let Some(description) = &method.description {
            add(description, theme.dim);
        }
        let login = cx.session.and_then(|session| session.config.login.as_ref());
        match (&method.kind, login) {
            (AuthMethodKind::Agent, _) => {}
            (AuthMethodKind::Terminal { args, env }, _) => {
                add(&own_command(args, env, cx), theme.accent);
            }
            (AuthMethodKind::Program(_), Some(login)) => add(login, theme.accent),
            (AuthMethodKind::Program(Some(program)), None) => {
                add(&program.command_line(), theme.accent);
            }
            (AuthMethodKind::Program(None), None) => {
                let restart = cx.keymap.hint(Action::Restart);
                let text = format!("do it in another terminal, then press {restart}");
                add(&text, theme.text);
            }
            (AuthMethodKind::EnvVar { vars }, _) => {
                let names: Vec<&str> = vars.iter().map(SafeText::as_str).collect();
                let names = names.join(", ");
                let text = format!("set in the profile's env, then restart: {names}");
                add(&text, theme.text);
            }
            (AuthMethodKind::Unsupported(kind), _) => {
                add(&format!("not supported here ({kind})"), theme.warning);
            }
        }
        rows
    }
}

/// The profile's own command with what the method adds: never a command that the agent names
/// (V1-AUTH-05).
fn own_command(args: &[String], env: &[(String, String)], cx: &OverlayContext<'_>) -> SafeText {
    let command = cx
        .session
        .map_or("", |session| session.config.command.as_str());
    let args = command_line(args.iter().map(String::as_str));
    let line = format!("{} {command} {args}", env_words(env));
    SafeText::line(line.trim())
}
