//! The agent requires a sign-in: its methods by name, and what each needs from the person (V1-AUTH).

mod way;

use ratatui::{
    buffer::Buffer,
    layout::{Position, Rect},
};

use crate::{
    model::LoginProgram,
    session::{Event, Phase, Session, SignInStep},
    text::SafeText,
    ui::{
        UiCommand,
        action::{Action, Context},
        keymap::Chord,
        overlay::{
            Guard, Outcome, Overlay, OverlayContext, Room, Wish, agent_name,
            guard::Reading,
            is_typing,
            panel::{Panel, Scroll},
        },
        render::{
            Row, draw_rows,
            line::{StyledLine, Wrapping, select},
        },
    },
};

use way::{Choice, Way, ways};

/// Methods have no digits: what is typed meanwhile is the next prompt. Each leads to a program or a
/// page, so that an enter is guarded, as one may have been meant for that prompt; and with a draft
/// it counts only behind an arrow.
pub struct SignIn {
    guard: Guard,
    selected: Option<usize>,
    /// An arrow was the last key, apart from keys that scroll.
    meant: bool,
    /// The program of that method, which the agent names, waits for the person's yes.
    confirming: Option<String>,
    /// Of its command line.
    reading: Reading,
    scroll: Scroll,
}

impl SignIn {
    pub fn new(guard: Guard) -> Self {
        Self {
            guard,
            selected: None,
            meant: false,
            confirming: None,
            reading: Reading::default(),
            scroll: Scroll::default(),
        }
    }

    pub fn typed_elsewhere(&mut self, now: std::time::Instant) {
        self.guard.typed(now);
    }

    /// The first that can be signed in with from here, until the person has moved.
    fn selected(&self, ways: &[Way<'_>], session: &Session) -> usize {
        let first = || {
            let works = |way: &Way<'_>| {
                !matches!(way.choice(session), Choice::ByHand | Choice::Unsupported)
            };
            ways.iter().position(works).unwrap_or(0)
        };
        self.selected
            .filter(|at| *at < ways.len())
            .unwrap_or_else(first)
    }

    fn step(&mut self, by: isize, session: &Session) {
        let ways = ways(Some(session));
        let last = ways.len().saturating_sub(1);
        let at = self.selected(&ways, session).saturating_add_signed(by);
        self.selected = Some(at.min(last));
        self.meant = true;
    }

    /// Whether an enter is a choice and not meant for the draft.
    fn is_meant(&self, cx: &OverlayContext<'_>) -> bool {
        self.meant || !cx.drafting
    }

    /// Says what must be pressed first.
    fn say_how(cx: &OverlayContext<'_>) -> Outcome {
        let up = cx.keymap.hint(Action::QuestionUp);
        let down = cx.keymap.hint(Action::QuestionDown);
        let enter = cx.keymap.hint(Action::Confirm);
        let text = format!("the draft waits: {up} or {down}, then {enter} chooses");
        Outcome::toast(&text)
    }

    fn turn(&mut self, scroll: impl FnOnce(&mut Scroll)) {
        if self.reading.turn() {
            scroll(&mut self.scroll);
        }
    }

    fn pressed(&mut self, key: Chord, cx: &OverlayContext<'_>) {
        self.guard.pressed(key, cx.now);
        if is_typing(key) {
            self.meant = false;
        }
    }

    fn pick(&mut self, session: &Session, cx: &OverlayContext<'_>) -> Outcome {
        let ways = ways(Some(session));
        let Some(way) = ways.get(self.selected(&ways, session)) else {
            return Outcome::taken();
        };
        let choice = way.choice(session);
        // A method that the agent performs itself starts no program here: only a pause in typing is
        // required.
        let is_open = match choice {
            Choice::Ask(_) => self.guard.is_quiet(cx.now),
            _ => self.guard.is_open(cx.now),
        };
        if !is_open {
            // The end of what was typed.
            self.guard.typed(cx.now);
            return Outcome::taken();
        }
        if !self.is_meant(cx) {
            return Self::say_how(cx);
        }
        match choice {
            Choice::Ask(method) | Choice::Run(Way::Method(method)) => {
                session_event(Event::Authenticate {
                    method: method.id.clone(),
                })
            }
            Choice::Run(Way::Profile(_)) => session_event(Event::LogInByProfile),
            Choice::Confirm(method, _) => {
                self.confirming = Some(method.id.clone());
                self.reading = Reading::default();
                self.meant = false;
                self.scroll = Scroll::default();
                self.guard = Guard::new(Some(cx.now));
                Outcome::taken()
            }
            Choice::ByHand => {
                let restart = cx.keymap.hint(Action::Restart);
                let text = format!("do that outside, then press {restart}");
                Outcome::toast(&text)
            }
            Choice::Unsupported => Outcome::toast("this way to sign in is not supported"),
        }
    }

    /// The program that waits for a yes, as the agent names it now.
    fn confirmed_program<'a>(&self, session: Option<&'a Session>) -> Option<&'a LoginProgram> {
        let method = self.confirming.as_ref()?;
        ways(session).into_iter().find_map(|way| match way {
            Way::Method(known) if known.id == *method => match way.choice(session?) {
                Choice::Confirm(_, program) => Some(program),
                _ => None,
            },
            _ => None,
        })
    }

    fn confirm(&mut self, key: Chord, cx: &OverlayContext<'_>) -> Outcome {
        match cx
            .keymap
            .action(key, &[Context::Question, Context::Anywhere])
        {
            Some(Action::Stop) => self.confirming = None,
            Some(Action::QuestionScrollUp) => self.turn(|scroll| scroll.by(-1)),
            Some(Action::QuestionScrollDown) => self.turn(|scroll| scroll.by(1)),
            Some(action @ (Action::QuestionUp | Action::QuestionDown)) => {
                self.meant = true;
                let rows = if action == Action::QuestionUp { -1 } else { 1 };
                self.turn(|scroll| scroll.by(rows));
            }
            Some(Action::Confirm) if !self.guard.is_open(cx.now) => self.guard.typed(cx.now),
            // Nothing runs that could not be read.
            Some(Action::Confirm) if !self.reading.is_whole(cx.now) => {
                self.turn(|scroll| scroll.page(1));
            }
            Some(Action::Confirm) if !self.is_meant(cx) => return Self::say_how(cx),
            Some(Action::Confirm) => {
                if let Some(method) = self.confirming.take() {
                    return session_event(Event::Authenticate { method });
                }
            }
            _ => {
                self.pressed(key, cx);
                return Outcome::pass();
            }
        }
        Outcome::taken()
    }
}

fn session_event(event: Event) -> Outcome {
    Outcome::taken().command(UiCommand::Session(event))
}

fn state<'a>(cx: &OverlayContext<'a>) -> (&'a SignInStep, Option<&'a SafeText>) {
    match cx.session.map(|session| &session.phase) {
        Some(Phase::SignIn { step, error }) => (step, error.as_ref()),
        _ => (&SignInStep::Choosing, None),
    }
}

impl Overlay for SignIn {
    fn handle(&mut self, key: Chord, cx: &OverlayContext<'_>) -> Outcome {
        let Some(session) = cx.session else {
            return Outcome::pass();
        };
        let action = cx.keymap.action(key, &[Context::Question]);
        match state(cx).0 {
            SignInStep::Choosing => {}
            SignInStep::Program(Some(_)) if action == Some(Action::Confirm) => {
                return Outcome::taken().with(Wish::ShowLogin);
            }
            _ => return Outcome::pass(),
        }
        if self.confirmed_program(cx.session).is_some() {
            return self.confirm(key, cx);
        }
        self.confirming = None;
        match action {
            Some(Action::QuestionUp) => self.step(-1, session),
            Some(Action::QuestionDown) => self.step(1, session),
            Some(Action::QuestionScrollUp) => self.scroll.by(-1),
            Some(Action::QuestionScrollDown) => self.scroll.by(1),
            Some(Action::Confirm) => return self.pick(session, cx),
            _ => {
                self.pressed(key, cx);
                return Outcome::pass();
            }
        }
        Outcome::taken()
    }

    fn paste(&mut self, _text: &str, cx: &OverlayContext<'_>) -> Outcome {
        self.guard.typed(cx.now);
        Outcome::pass()
    }

    fn height(&mut self, room: Room, cx: &OverlayContext<'_>) -> u16 {
        let width = cx.frame.inner_width(room.width);
        let (rows, _) = self.rows(width.into(), cx);
        cx.frame.around(rows.len()).min(room.whole)
    }

    fn draw(&mut self, area: Rect, buf: &mut Buffer, cx: &OverlayContext<'_>) -> Option<Position> {
        self.guard.drawn(cx.now);
        let confirming = self.confirmed_program(cx.session).is_some();
        let title = if confirming {
            "Run this program to sign in?".to_owned()
        } else if cx.session.is_some_and(|session| session.id.is_some()) {
            format!("Sign in to {}", agent_name(cx.session))
        } else {
            format!("{} wants you to sign in", agent_name(cx.session))
        };
        let panel = Panel::asked(&title, hints(state(cx).0, confirming, cx), cx);
        let inner = panel.draw(area, buf, cx);
        let (rows, selected) = self.rows(inner.width.into(), cx);
        let top = if self.selected.is_some() && !confirming {
            let selected = selected..selected + 1;
            self.scroll.fit_to_show(selected, rows.len(), inner.height)
        } else {
            self.scroll.fit(rows.len(), inner.height)
        };
        if confirming {
            let end = rows.len().min(top + usize::from(inner.height));
            let of = (inner.width.into(), rows.len());
            let size = (inner.width, inner.height);
            self.reading.drawn(of, top..end, size, cx.now);
        }
        draw_rows(rows.iter().skip(top), inner, buf);
        None
    }
}

fn hints(
    step: &SignInStep,
    confirming: bool,
    cx: &OverlayContext<'_>,
) -> Vec<(String, &'static str)> {
    let hint = |action| cx.keymap.hint(action);
    let restart = (hint(Action::Restart), "restart the agent");
    match step {
        SignInStep::Choosing if confirming => {
            vec![
                (hint(Action::Confirm), "run it"),
                (hint(Action::Stop), "back"),
            ]
        }
        SignInStep::Choosing => vec![
            (hint(Action::Confirm), "sign in"),
            (
                cx.keymap.two(Action::QuestionUp, Action::QuestionDown),
                "select",
            ),
            restart,
            (hint(Action::ChooseAgent), "another agent"),
        ],
        SignInStep::Asking => vec![(hint(Action::Stop), "cancel"), restart],
        SignInStep::Cancelling => vec![restart],
        SignInStep::Program(None) => vec![(hint(Action::Stop), "cancel")],
        SignInStep::Program(Some(_)) => vec![
            (hint(Action::Confirm), "show it"),
            (hint(Action::Stop), "end it"),
        ],
    }
}

impl SignIn {
    /// All rows, and which is the last of the selected method.
    fn rows(&self, width: usize, cx: &OverlayContext<'_>) -> (Vec<Row>, usize) {
        if let Some(program) = self.confirmed_program(cx.session) {
            return (confirm_rows(program, width, cx), 0);
        }
        let theme = cx.theme;
        let (step, error) = state(cx);
        let mut rows = Vec::new();
        if let Some(error) = error {
            let mut sign = StyledLine::styled(cx.symbols.failed, theme.error);
            sign.push(" ", theme.text);
            for line in StyledLine::lines(error, theme.error) {
                rows.extend(line.wrap_with(Wrapping::Words, width, &sign, &StyledLine::new()));
            }
        }
        if let Some(text) = going_on(step, cx) {
            rows.extend(StyledLine::styled(&text, theme.accent).wrap(width));
        }
        let Some(session) = cx.session else {
            return (rows, 0);
        };
        let ways = ways(cx.session);
        if ways.is_empty() {
            let restart = cx.keymap.hint(Action::Restart);
            let text = format!(
                "It offers no way to sign in. Sign in with the agent's own program, then press \
                 {restart}."
            );
            rows.extend(StyledLine::styled(&text, theme.text).wrap(width));
        }
        let selected = self.selected(&ways, session);
        let mut selected_row = 0;
        for (at, way) in ways.iter().enumerate() {
            let mut of_way = way.rows(at == selected, width, cx);
            if at == selected && *step == SignInStep::Choosing {
                for row in &mut of_way {
                    select(row, width, theme.selected);
                }
            }
            rows.append(&mut of_way);
            if at == selected {
                selected_row = rows.len().saturating_sub(1);
            }
        }
        (rows, selected_row)
    }
}

fn going_on(step: &SignInStep, cx: &OverlayContext<'_>) -> Option<String> {
    let dots = cx.symbols.ellipsis;
    Some(match step {
        SignInStep::Choosing => return None,
        SignInStep::Asking => format!("signing in{dots} it may have opened a browser"),
        SignInStep::Cancelling => {
            format!("cancelling{dots} waiting for the agent")
        }
        SignInStep::Program(None) => format!("starting the program{dots}"),
        SignInStep::Program(Some(_)) => {
            format!("the sign-in program is running{dots} on its own screen")
        }
    })
}

/// All of it: the person must know which program will ask for a password.
fn confirm_rows(program: &LoginProgram, width: usize, cx: &OverlayContext<'_>) -> Vec<Row> {
    let theme = cx.theme;
    let run = cx.keymap.hint(Action::Confirm);
    let back = cx.keymap.hint(Action::Stop);
    let said = format!(
        "{} names this program; it is not from your configuration:",
        agent_name(cx.session)
    );
    let mut rows = StyledLine::styled(&said, theme.text).wrap(width);
    let indent = StyledLine::blanks(2);
    let command = StyledLine::styled(&program.command_line(), theme.accent);
    rows.extend(command.wrap_with(Wrapping::Verbatim, width, &indent, &indent));
    let keys = format!("{run} runs it in a terminal, {back} does not.");
    rows.extend(StyledLine::styled(&keys, theme.text).wrap(width));
    rows
}
