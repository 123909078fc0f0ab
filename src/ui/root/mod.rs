//! The UI as the app sees it: events and a context in, commands and a frame out.
//!
//! Owns: who has the keys, what actions do, how the screen is divided. Reads the session, changes
//! nothing in it.

mod act;
mod asked;
mod comments;
mod find;
mod inline;
mod input;
mod look;
mod modal;
mod moment;
mod mouse;
mod parked;
mod pending;
mod press;
mod resend;
mod review;
mod rule;
mod screen;
mod slash;
mod sources;
mod spoken;
mod spoken_changes;
mod suggestion;
mod tabs;
mod viewer;
mod welcome;

#[cfg(test)]
mod tests;

use std::{collections::BTreeMap, ops::Range, path::PathBuf, time::Instant};

use crate::{
    config::{UiConfig, themes::Themes},
    model::{AgentNotice, SessionKey, TerminalId, Worktree, WorktreeStatus},
    picture::{Canvas, Medium},
    session::{BlockId, QuestionId, Session},
    text::SafeText,
    ui::{
        AgentList, FoundInText, LookedAt, PastSession, TrustQuestion, UiCommand, UiContext,
        action::Action,
        blocks::Source,
        composer::Composer,
        keymap::Keymap,
        layers::Layers,
        notices::Notices,
        offload::Offload,
        overlay::{
            AgentPicker, Frame, Guard, Overlay, PastSessions, QuestionDialog, Unasked,
            WorktreeEnds, ask_replace,
        },
        pointer::{Clicks, Wheel},
        render::{RenderContext, Row},
        review::Reviewing,
        theme::{Background, Colours, Symbols, Theme},
        transcript::{PlacedLink, PlacedPicture, Printed, TranscriptView, printed_rows},
        viewer::Viewer,
    },
    vt::Screens,
};

pub use inline::InlineFrame;

use find::Finding;
use look::{Look, ThemeSources};
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
    /// What the terminal's background is taken for if it does not tell.
    pub background: Background,
    pub themes: Themes,
    /// Without the alternate screen (`--inline`).
    pub inline: bool,
    /// For a screen reader; only with `inline`.
    pub spoken: bool,
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
    /// What changed on the disk; below the viewer.
    review: Reviewing,
    /// The earlier prompt that the composer holds, to be sent again from where it stood.
    editing: Option<BlockId>,
    /// The terminal of the program that signs in, as of the last event or frame.
    login: Option<TerminalId>,
    finding: Option<Finding>,
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
    pictures: Vec<PlacedPicture>,
    /// What the last frame drew where, and what the mouse does with it.
    places: Places,
    /// The sessions of the tabs that the last frame drew, and their columns.
    tabs: Vec<(SessionKey, Range<u16>)>,
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
    inline: inline::Inline,
    spoken: spoken::Spoken,
    parked: BTreeMap<SessionKey, Parked>,
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

impl Ui {
    pub fn new(mut settings: UiSettings, offload: Offload) -> Self {
        settings.ui.motion &= !settings.spoken;
        let symbols = if settings.ui.ascii_symbols || settings.spoken {
            &Symbols::ASCII
        } else {
            &Symbols::UNICODE
        };
        let mut ui = Self {
            composer: Composer::new(offload.clone()).with_editing(settings.ui.editing),
            transcript: TranscriptView::default(),
            layers: Layers::default(),
            viewer: None,
            viewer_of: None,
            review: Reviewing::default(),
            editing: None,
            login: None,
            finding: None,
            moment: Moment::default(),
            notices: Notices::default(),
            plan_open: false,
            recent: Vec::new(),
            pending: Pending::default(),
            told: Vec::new(),
            last_typed: None,
            just_answered: None,
            links: Vec::new(),
            pictures: Vec::new(),
            places: Places::default(),
            tabs: Vec::new(),
            status_row: String::new(),
            wheel: Wheel::default(),
            clicks: Clicks::default(),
            press: None,
            transcript_shown: false,
            terminal_view: None,
            commands: Vec::new(),
            session: None,
            inline: inline::Inline::new(settings.inline),
            spoken: spoken::Spoken::new(settings.spoken),
            parked: BTreeMap::new(),
            look: Look {
                keymap: Keymap::new(&settings.keys),
                agents: settings.agents,
                found: FoundInText::default(),
                theme: Theme::palette(Background::Unknown, settings.colours),
                symbols,
                offload,
                frame: Frame::Full,
                inline: settings.inline,
                spoken: settings.spoken,
                settings: settings.ui,
                canvas: Canvas {
                    medium: Medium::Blocks,
                    ..Canvas::NONE
                },
                sources: ThemeSources {
                    themes: settings.themes,
                    colours: settings.colours,
                    background: Background::Unknown,
                    otherwise: settings.background,
                    due: None,
                    tried: None,
                },
            },
        };
        ui.set_background(Background::Unknown);
        ui
    }

    /// When the screen will look different although nothing happens: a spinner, a guard, a message
    /// that goes. `None` when idle.
    pub fn deadline(&self, cx: &UiContext<'_>) -> Option<Instant> {
        [
            self.layers.deadline(cx.now),
            self.moment.deadline(),
            self.notices.deadline(),
            self.press.as_ref().and_then(Press::deadline),
            self.look.sources.due,
            self.find_deadline(cx.now),
            self.viewer_deadline(cx.now),
            self.review_deadline(cx.now),
            self.transcript.deadline().filter(|_| self.transcript_shown),
            self.look.activity(0, cx).deadline(),
            self.look.limit(cx).deadline(),
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
        let theme = self.look.theme_of_normal_screen();
        let ctx = RenderContext {
            theme: &theme,
            offload: &offload,
            // Nothing is decoded on the way out.
            pictures: Canvas::NONE,
            ..self.look.render(self.look.limited(width), Instant::now())
        };
        let source = Source::new(session, screens);
        printed_rows(which, source, &self.look.transcript(), &ctx)
    }

    /// Hyperlinks of the last frame and where they stand.
    pub fn links(&self) -> &[PlacedLink] {
        &self.links
    }

    /// Images of the last frame and where they stand.
    pub fn pictures(&mut self) -> Vec<PlacedPicture> {
        std::mem::take(&mut self.pictures)
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

    /// Puts a line of ours for the agent into the draft of a session.
    pub fn note_of(&mut self, session: SessionKey, line: &str) {
        match self.parked.get_mut(&session) {
            Some(parked) => parked.composer.prepend_line(line),
            None => self.composer.prepend_line(line),
        }
    }

    /// Takes a line that was put into the draft out of it again. False where it is not there any more.
    pub fn take_back_text_of(&mut self, session: SessionKey, line: &str) -> bool {
        match self.parked.get_mut(&session) {
            Some(parked) => parked.composer.take_back(line),
            None => self.composer.take_back(line),
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
        match self.spoken.is_on() {
            true => self.spoken.tell(&notice),
            false => self.notices.say(notice),
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

    /// More of what [`UiCommand::SearchPast`] asked for.
    pub fn found_in_text(&mut self, more: FoundInText) {
        if self.look.found.words != more.words {
            self.look.found = FoundInText::default();
        }
        let found = &mut self.look.found;
        found.words = more.words;
        found.hits.extend(more.hits);
        found.done = more.done;
    }

    /// Offers the agents; the choice comes as [`UiCommand::ChooseAgent`].
    pub fn show_agent_picker(&mut self) {
        self.open_unasked(Box::new(AgentPicker::dialog()));
    }

    /// A file is there where a copy was to go.
    pub fn ask_replace(&mut self, path: PathBuf, text: String) {
        self.open_unasked(Box::new(ask_replace(path, text)));
    }

    /// What becomes of a session's worktree, which stands so; the choice comes as
    /// [`UiCommand::EndWorktree`].
    pub fn ask_worktree_end(&mut self, key: SessionKey, of: Worktree, stands: WorktreeStatus) {
        self.open_unasked(Box::new(WorktreeEnds::dialog(key, of, stands)));
    }

    /// Opens what starts something, and comes up while other things may be typed.
    fn open_unasked(&mut self, overlay: Box<dyn Overlay>) {
        let guard = Guard::new(self.last_typed);
        self.layers.open(Box::new(Unasked::new(overlay, guard)));
    }
}
