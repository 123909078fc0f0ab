//! The UI as the app sees it: events and a context in, commands and a frame out.
//!
//! Owns: who has the keys, what actions do, how the screen is divided. Reads the session, changes
//! nothing in it.

mod act;
mod input;
mod moment;
mod mouse;
mod parked;
mod pending;
mod press;
mod rule;
mod screen;
mod slash;
mod sources;
mod viewer;
mod welcome;

#[cfg(test)]
mod tests;

use std::{collections::BTreeMap, path::PathBuf, time::Instant};

use crate::{
    config::{ThemeChoice, UiConfig},
    model::{AgentNotice, SessionKey, TerminalId},
    session::{QuestionId, Session},
    text::SafeText,
    ui::{
        AgentList, LookedAt, PastSession, TrustQuestion, UiCommand, UiContext,
        action::Action,
        activity::Activity,
        blocks::{Settings, Source},
        composer::Composer,
        keymap::Keymap,
        layers::Layers,
        notices::Notices,
        offload::Offload,
        overlay::{
            AgentPicker, Frame, Guard, Overlay, OverlayContext, PastSessions, QuestionDialog,
            Unasked, ask_replace,
        },
        pointer::{Clicks, Wheel},
        render::{MEASURE, RenderContext, Row},
        theme::{Background, Colours, Symbols, Theme},
        transcript::{PlacedLink, Printed, TranscriptView, printed_rows},
        viewer::Viewer,
    },
    vt::Screens,
};

use moment::Moment;
use mouse::Places;
use parked::Parked;
use pending::Pending;
use press::Press;

/// What the UI is made with.
pub struct UiSettings {
    pub ui: UiConfig,
    /// `[keys]` of the configuration.
    pub keys: BTreeMap<String, Vec<String>>,
    /// For the agent picker.
    pub agents: AgentList,
    pub colours: Colours,
}

/// Everything that is drawn and every key.
pub struct Ui {
    look: Look,
    transcript: TranscriptView,
    composer: Composer,
    layers: Layers,
    /// Over everything but the status line.
    viewer: Option<Viewer>,
    /// The question that it shows something of.
    viewer_of: Option<QuestionId>,
    /// The terminal of the program that signs in, as of the last event or frame.
    login: Option<TerminalId>,
    moment: Moment,
    notices: Notices,
    /// The person opened the plan: else it is one row.
    plan_open: bool,
    /// What was run from the palette, the newest first.
    recent: Vec<Action>,
    /// Keys of a sequence that was begun.
    pending: Pending,
    /// Keys of which it was told in this run where they moved.
    told: Vec<&'static str>,
    /// A refusal's reason is being written: further questions wait for it.
    /// When something was typed last.
    last_typed: Option<Instant>,
    /// A question was answered by the key before, then: an enter right behind it meant the answer.
    just_answered: Option<Instant>,
    links: Vec<PlacedLink>,
    /// What the last frame drew where, and what the mouse does with it.
    places: Places,
    /// The words of the status line.
    status_row: String,
    wheel: Wheel,
    clicks: Clicks,
    press: Option<Press>,
    /// The last frame showed the transcript.
    transcript_shown: bool,
    /// What terminals are shown in, as the app was told.
    terminal_view: Option<(u16, u16)>,
    /// What the events at hand lead to.
    commands: Vec<UiCommand>,
    /// The session whose screen this is, and the screens of the others.
    session: Option<SessionKey>,
    parked: BTreeMap<SessionKey, Parked>,
}

/// What everything is drawn with; fixed while a key is handled or a frame drawn.
struct Look {
    settings: UiConfig,
    agents: AgentList,
    keymap: Keymap,
    colours: Colours,
    theme: Theme,
    symbols: &'static Symbols,
    offload: Offload,
    /// Of the screen as last drawn.
    frame: Frame,
}

/// The draft with what was put aside, and before it the reason that is being written for an answer.
fn whole_draft(layers: &Layers, composer: &Composer) -> String {
    let draft = composer.all_text();
    match layers.written() {
        Some(reason) if draft.is_empty() => reason,
        Some(reason) => format!("{reason}\n{draft}"),
        None => draft,
    }
}

impl Look {
    fn overlay<'a>(&'a self, composer: &Composer, cx: &UiContext<'a>) -> OverlayContext<'a> {
        OverlayContext {
            session: cx.session,
            sessions: cx.sessions,
            project: cx.project,
            agents: &self.agents,
            keymap: &self.keymap,
            theme: &self.theme,
            symbols: self.symbols,
            offload: &self.offload,
            diff: self.settings.diff,
            measure: self.measure(),
            frame: self.frame,
            drafting: !composer.is_empty(),
            now: cx.now,
        }
    }

    fn render(&self, width: u16, now: Instant) -> RenderContext<'_> {
        RenderContext {
            theme: &self.theme,
            symbols: self.symbols,
            offload: &self.offload,
            width: width.max(1),
            measure: self.measure(),
            indent: 0,
            now,
        }
    }

    /// What the agent is at; `queued` prompts behind it are not shown otherwise.
    fn activity<'a>(&'a self, queued: usize, cx: &UiContext<'a>) -> Activity<'a> {
        Activity {
            session: cx.session,
            read_only: cx.project.read_only.is_some(),
            keymap: &self.keymap,
            theme: &self.theme,
            symbols: self.symbols,
            motion: self.settings.motion,
            queued,
            now: cx.now,
        }
    }

    /// Cells at which prose, prompts, tables and dialogs end, where the screen has them.
    fn measure(&self) -> u16 {
        self.settings.width.unwrap_or(MEASURE)
    }

    /// Cells that everything may take, where they are limited.
    fn limited(&self, width: u16) -> u16 {
        self.settings.width.map_or(width, |limit| limit.min(width))
    }

    fn transcript(&self) -> Settings {
        Settings::from(&self.settings)
    }
}

impl Ui {
    pub fn new(settings: UiSettings, offload: Offload) -> Self {
        let background = match settings.ui.theme {
            ThemeChoice::Auto => Background::Unknown,
            ThemeChoice::Dark => Background::Dark,
            ThemeChoice::Light => Background::Light,
        };
        let symbols = if settings.ui.ascii_symbols {
            &Symbols::ASCII
        } else {
            &Symbols::UNICODE
        };
        Self {
            composer: Composer::new(offload.clone()),
            transcript: TranscriptView::default(),
            layers: Layers::default(),
            viewer: None,
            viewer_of: None,
            login: None,
            moment: Moment::default(),
            notices: Notices::default(),
            plan_open: false,
            recent: Vec::new(),
            pending: Pending::default(),
            told: Vec::new(),
            last_typed: None,
            just_answered: None,
            links: Vec::new(),
            places: Places::default(),
            status_row: String::new(),
            wheel: Wheel::default(),
            clicks: Clicks::default(),
            press: None,
            transcript_shown: false,
            terminal_view: None,
            commands: Vec::new(),
            session: None,
            parked: BTreeMap::new(),
            look: Look {
                keymap: Keymap::new(&settings.keys),
                agents: settings.agents,
                colours: settings.colours,
                theme: Theme::palette(background, settings.colours),
                symbols,
                offload,
                frame: Frame::Full,
                settings: settings.ui,
            },
        }
    }

    /// When the screen will look different although nothing happens: a spinner, a guard, a message
    /// that goes. `None` when idle.
    pub fn deadline(&self, cx: &UiContext<'_>) -> Option<Instant> {
        [
            self.layers.deadline(cx.now),
            self.moment.deadline(),
            self.notices.deadline(),
            self.press.as_ref().and_then(Press::deadline),
            self.transcript.deadline().filter(|_| self.transcript_shown),
            self.look.activity(0, cx).deadline(),
        ]
        .into_iter()
        .flatten()
        .min()
    }

    /// What drawing made necessary: an attached terminal has another size now. To be asked for after
    /// each frame.
    pub fn take_commands(&mut self) -> Vec<UiCommand> {
        self.commands.extend(self.composer.commands_wanted());
        std::mem::take(&mut self.commands)
    }

    /// The conversation as rows for the normal screen, `width` cells wide.
    pub fn printed(
        &self,
        which: Printed,
        session: &Session,
        screens: &Screens,
        width: u16,
    ) -> Vec<Row> {
        // Nothing is done later: what is printed stays as it is.
        let offload = Offload::immediate();
        let ctx = RenderContext {
            offload: &offload,
            ..self.look.render(self.look.limited(width), Instant::now())
        };
        let source = Source::new(session, screens);
        printed_rows(which, source, &self.look.transcript(), &ctx)
    }

    /// Hyperlinks of the last frame and where they stand.
    pub fn links(&self) -> &[PlacedLink] {
        &self.links
    }

    /// The composer of the session that is shown.
    pub fn composer(&mut self) -> &mut Composer {
        &mut self.composer
    }

    /// The draft as text: to be saved.
    pub fn draft_text(&self) -> String {
        whole_draft(&self.layers, &self.composer)
    }

    /// When something was typed last, for a UI that takes the place of this one.
    pub fn last_typed(&self) -> Option<Instant> {
        self.last_typed
    }

    pub fn typed_at(&mut self, last: Option<Instant>) {
        self.last_typed = last;
    }

    /// The drafts of all sessions that have one; of none before there is one.
    pub fn all_drafts(&self) -> Vec<(Option<SessionKey>, String)> {
        let parked = self
            .parked
            .iter()
            .map(|(key, parked)| (Some(*key), whole_draft(&parked.layers, &parked.composer)));
        let all = parked.chain([(self.session, self.draft_text())]);
        all.filter(|(_, draft)| !draft.is_empty()).collect()
    }

    /// Puts text that came back in front of that session's draft.
    pub fn restore_text_of(&mut self, session: SessionKey, text: &str) {
        match self.parked.get_mut(&session) {
            Some(parked) => parked.composer.prepend(text),
            None => self.composer.prepend(text),
        }
    }

    /// What was found where [`UiCommand::LookAt`] asked to look, for whichever session did.
    pub fn set_looked(&mut self, looked: &[LookedAt]) {
        self.composer.set_looked(looked);
        for parked in self.parked.values_mut() {
            parked.composer.set_looked(looked);
        }
    }

    /// Says something for a moment at the left of the status line.
    pub fn toast(&mut self, text: SafeText) {
        self.moment.say(text);
    }

    /// Shows a notice of the agent's for some seconds.
    pub fn notice(&mut self, notice: AgentNotice) {
        self.notices.say(notice);
    }

    /// The terminal has told its background. A theme that the person chose stays.
    pub fn set_background(&mut self, background: Background) {
        if self.look.settings.theme == ThemeChoice::Auto {
            self.look.theme = Theme::palette(background, self.look.colours);
        }
    }

    /// Asks about the project's file; the answer comes as [`UiCommand::Trust`].
    pub fn set_trust_question(&mut self, question: TrustQuestion) {
        let guard = Guard::new(self.last_typed);
        self.layers.ask(QuestionDialog::trust(question, guard));
    }

    /// The agents, as [`UiCommand::FindAgents`] asked for.
    pub fn set_agents(&mut self, agents: AgentList) {
        self.look.agents = agents;
    }

    /// Offers sessions of the past, in that order; the choice comes as [`UiCommand::Reopen`]. It was
    /// asked for by `--resume`, so what is typed at once is meant for its filter.
    pub fn show_past_sessions(&mut self, past: Vec<PastSession>) {
        self.layers.open(Box::new(PastSessions::dialog(past)));
    }

    /// Offers the agents; the choice comes as [`UiCommand::ChooseAgent`].
    pub fn show_agent_picker(&mut self) {
        self.open_unasked(Box::new(AgentPicker::dialog()));
    }

    /// A file is there where a copy was to go.
    pub fn ask_replace(&mut self, path: PathBuf, text: String) {
        self.open_unasked(Box::new(ask_replace(path, text)));
    }

    /// Opens what starts something, and comes up while other things may be typed.
    fn open_unasked(&mut self, overlay: Box<dyn Overlay>) {
        let guard = Guard::new(self.last_typed);
        self.layers.open(Box::new(Unasked::new(overlay, guard)));
    }
}
