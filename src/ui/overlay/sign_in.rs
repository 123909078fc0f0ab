//! The agent wants a sign-in: its methods by name, and what each needs of the person (V1-AUTH, C029).

use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
};

use crate::{
    proto::{AuthMethod, AuthMethodKind},
    session::{Event, Phase, Session},
    text::{self, SafeText},
    ui::{
        AgentChoice, UiCommand,
        action::{Action, Context},
        keymap::Chord,
        overlay::{
            Outcome, Overlay, OverlayContext, Room, Wish, agent_name,
            panel::{Panel, Scroll, draw_rows},
        },
        render::{
            Row,
            line::{StyledLine, Wrapping, pad},
        },
    },
};

/// Keys need no guard here: nothing that a key does touches the disk or a shell. Methods have no
/// digits: what is typed meanwhile is the next prompt.
#[derive(Default)]
pub struct SignIn {
    selected: Option<usize>,
    scroll: Scroll,
}

impl SignIn {
    /// The first that can be signed in with from here, until the person has moved.
    fn selected(&self, methods: &[AuthMethod]) -> usize {
        let first = || {
            methods
                .iter()
                .position(|method| method.kind == AuthMethodKind::Agent)
                .unwrap_or(0)
        };
        self.selected
            .filter(|at| *at < methods.len())
            .unwrap_or_else(first)
    }

    fn step(&mut self, by: isize, methods: &[AuthMethod]) {
        let last = methods.len().saturating_sub(1);
        let at = self.selected(methods).saturating_add_signed(by).min(last);
        self.selected = Some(at);
    }

    fn pick(at: usize, methods: &[AuthMethod], cx: &OverlayContext<'_>) -> Outcome {
        let Some(method) = methods.get(at) else {
            return Outcome::taken();
        };
        match &method.kind {
            AuthMethodKind::Agent => {
                Outcome::taken().command(UiCommand::Session(Event::Authenticate {
                    method: method.id.clone(),
                }))
            }
            kind => Outcome::taken().with(Wish::Toast(match kind {
                AuthMethodKind::Unsupported(_) => "this way of signing in is not supported".into(),
                _ => SafeText::line(&format!(
                    "do that outside, then press {}",
                    cx.keymap.hint(Action::Restart)
                )),
            })),
        }
    }
}

fn methods<'a>(cx: &OverlayContext<'a>) -> &'a [AuthMethod] {
    cx.session
        .map_or(&[], |session| session.agent.auth_methods.as_slice())
}

fn state<'a>(cx: &OverlayContext<'a>) -> (bool, Option<&'a SafeText>) {
    match cx.session.map(|session| &session.phase) {
        Some(Phase::SignIn { running, error }) => (*running, error.as_ref()),
        _ => (false, None),
    }
}

impl Overlay for SignIn {
    fn handle(&mut self, key: Chord, cx: &OverlayContext<'_>) -> Outcome {
        let methods = methods(cx);
        if state(cx).0 {
            return Outcome::pass();
        }
        match cx.keymap.action(key, &[Context::Question]) {
            Some(Action::QuestionUp) => self.step(-1, methods),
            Some(Action::QuestionDown) => self.step(1, methods),
            Some(Action::QuestionScrollUp) => self.scroll.by(-1),
            Some(Action::QuestionScrollDown) => self.scroll.by(1),
            Some(Action::Confirm) => return Self::pick(self.selected(methods), methods, cx),
            _ => return Outcome::pass(),
        }
        Outcome::taken()
    }

    fn height(&mut self, room: Room, cx: &OverlayContext<'_>) -> u16 {
        let width = cx.frame.inner_width(room.width);
        let (rows, _) = self.rows(width.into(), cx);
        let rows = u16::try_from(rows.len()).unwrap_or(u16::MAX);
        rows.saturating_add(cx.frame.rows()).min(room.whole)
    }

    fn draw(
        &mut self,
        area: Rect,
        buffer: &mut Buffer,
        cx: &OverlayContext<'_>,
    ) -> Option<Position> {
        let hint = |action| cx.keymap.hint(action);
        let panel = Panel {
            title: StyledLine::styled(
                &format!("{} wants you to sign in", agent_name(cx.session)),
                cx.theme.warning.bold(),
            ),
            note: StyledLine::new(),
            hints: vec![
                (hint(Action::Confirm), "sign in"),
                (
                    format!(
                        "{}/{}",
                        hint(Action::QuestionUp),
                        hint(Action::QuestionDown)
                    ),
                    "select",
                ),
                (hint(Action::Restart), "start the agent again"),
                (hint(Action::ChooseAgent), "another agent"),
            ],
            border: cx.theme.border_focus,
        };
        let inner = panel.draw(area, buffer, cx);
        let (rows, selected) = self.rows(inner.width.into(), cx);
        let top = if self.selected.is_some() {
            let selected = selected..selected + 1;
            self.scroll.fit_to_show(selected, rows.len(), inner.height)
        } else {
            self.scroll.fit(rows.len(), inner.height)
        };
        draw_rows(rows.iter().skip(top), inner, buffer);
        None
    }
}

impl SignIn {
    /// All rows, and which is the last of the selected method.
    fn rows(&self, width: usize, cx: &OverlayContext<'_>) -> (Vec<Row>, usize) {
        let theme = cx.theme;
        let (running, error) = state(cx);
        let methods = methods(cx);
        let mut rows = Vec::new();
        if let Some(error) = error {
            let mut sign = StyledLine::styled(cx.symbols.failed, theme.error);
            sign.push(" ", theme.text);
            for line in StyledLine::lines(error, theme.error) {
                rows.extend(line.wrap_with(Wrapping::Words, width, &sign, &StyledLine::new()));
            }
        }
        if running {
            let text = format!(
                "signing in{} it may have opened a browser",
                cx.symbols.ellipsis
            );
            rows.extend(StyledLine::styled(&text, theme.accent).wrap(width));
        }
        if methods.is_empty() {
            rows.extend(by_hand(cx, width));
        }
        let selected = self.selected(methods);
        let mut selected_row = 0;
        for (at, method) in methods.iter().enumerate() {
            let mut of_method = method_rows(method, at == selected, width, cx);
            if at == selected && !running {
                for row in &mut of_method {
                    pad(row, width, theme.selected);
                    row.line = row.line.clone().patch_style(theme.selected);
                }
            }
            rows.append(&mut of_method);
            if at == selected {
                selected_row = rows.len().saturating_sub(1);
            }
        }
        (rows, selected_row)
    }
}

fn method_rows(
    method: &AuthMethod,
    selected: bool,
    width: usize,
    cx: &OverlayContext<'_>,
) -> Vec<Row> {
    let theme = cx.theme;
    let marker = if selected { cx.symbols.prompt } else { " " };
    let mut head = StyledLine::styled(marker, theme.accent);
    head.push(" ", theme.text);
    let mut indent = StyledLine::new();
    indent.fill_to(head.width(), theme.text);
    let supported = !matches!(method.kind, AuthMethodKind::Unsupported(_));
    let style = if supported { theme.strong } else { theme.dim };
    let name = StyledLine::styled(&method.name, style);
    let mut rows = name.wrap_with(Wrapping::Words, width, &head, &indent);
    let mut add = |text: &str, style| {
        for line in StyledLine::lines(text, style) {
            rows.extend(line.wrap_with(Wrapping::Words, width, &indent, &indent));
        }
    };
    if let Some(description) = &method.description {
        add(description, theme.dim);
    }
    let restart = cx.keymap.hint(Action::Restart);
    match &method.kind {
        AuthMethodKind::Agent => {}
        AuthMethodKind::Terminal { args } => {
            let command = command_line(args, cx);
            add(
                &format!("run in another terminal, then press {restart}:"),
                theme.text,
            );
            add(&command, theme.accent);
        }
        AuthMethodKind::ByHand => {
            let login = profile(cx.session, cx.agents).and_then(|choice| choice.login.as_ref());
            match login {
                Some(login) => {
                    add(
                        &format!("run in another terminal, then press {restart}:"),
                        theme.text,
                    );
                    add(login, theme.accent);
                }
                None => add(
                    &format!("do it in another terminal, then press {restart}"),
                    theme.text,
                ),
            }
        }
        AuthMethodKind::EnvVar { vars } => {
            let names: Vec<&str> = vars.iter().map(SafeText::as_str).collect();
            add(
                &format!(
                    "set in the profile's env, then start anew: {}",
                    names.join(", ")
                ),
                theme.text,
            );
        }
        AuthMethodKind::Unsupported(kind) => {
            add(&format!("not supported here ({kind})"), theme.warning);
        }
    }
    rows
}

/// The profile's own command with the method's arguments: never a command that the agent names
/// (V1-AUTH-05).
fn command_line(args: &[String], cx: &OverlayContext<'_>) -> SafeText {
    let program = profile(cx.session, cx.agents)
        .map_or("the agent's command", |choice| choice.command.as_str());
    let args = text::command_line(args.iter().map(String::as_str));
    SafeText::line(format!("{program} {args}").trim_end())
}

/// What to do where the agent names no method.
fn by_hand(cx: &OverlayContext<'_>, width: usize) -> Vec<Row> {
    let restart = cx.keymap.hint(Action::Restart);
    let login = profile(cx.session, cx.agents).and_then(|choice| choice.login.as_ref());
    let text = match login {
        Some(login) => format!("Run `{login}` in another terminal, then press {restart}."),
        None => format!(
            "It names no way to do so. Sign in with the agent's own program, then press {restart}."
        ),
    };
    StyledLine::styled(&text, cx.theme.text).wrap(width)
}

fn profile<'a>(session: Option<&Session>, agents: &'a [AgentChoice]) -> Option<&'a AgentChoice> {
    let name = &session?.config.agent;
    agents
        .iter()
        .find(|choice| choice.id == name.as_str() || choice.name == *name)
}
