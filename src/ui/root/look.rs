//! What everything is drawn with, and which theme that is.
//!
//! The theme follows from the choice of the person, or the one that is tried out, and from what is
//! known of the terminal's background. It is asked for with the first frame and waited for by none.

use std::time::{Duration, Instant};

use crate::{
    config::{
        Images, ThemeChoice, UiConfig,
        themes::{ThemeColours, Themes},
    },
    picture::{Canvas, Medium},
    ui::{
        AgentList, FoundInText, Ui, UiCommand, UiContext,
        activity::Activity,
        blocks::Settings,
        composer::Composer,
        keymap::Keymap,
        limit::LimitRow,
        offload::Offload,
        overlay::{Frame, OverlayContext},
        render::{MEASURE, RenderContext},
        theme::{Background, Colours, Symbols, Theme},
    },
};

/// A terminal that tells its background has done so by then.
const ANSWERS_WITHIN: Duration = Duration::from_millis(150);

/// What everything is drawn with; fixed while a key is handled or a frame drawn.
pub(super) struct Look {
    pub settings: UiConfig,
    pub agents: AgentList,
    pub found: FoundInText,
    pub keymap: Keymap,
    pub theme: Theme,
    pub symbols: &'static Symbols,
    pub offload: Offload,
    /// Of the screen as last drawn.
    pub frame: Frame,
    pub sources: ThemeSources,
    /// What is drawn stands on the normal screen.
    pub inline: bool,
    /// It is read out.
    pub spoken: bool,
    /// What images can be drawn on here.
    pub canvas: Canvas,
}

/// What the theme follows from, besides the settings.
pub(super) struct ThemeSources {
    pub themes: Themes,
    pub colours: Colours,
    /// The terminal's.
    pub background: Background,
    /// What it is taken for, if the terminal does not tell.
    pub otherwise: Background,
    /// When it is taken for that.
    pub due: Option<Instant>,
    /// The selected row of the list of themes.
    pub tried: Option<ThemeChoice>,
}

impl ThemeSources {
    fn theme(&self, settings: &UiConfig) -> Theme {
        let background = match self.tried.as_ref().unwrap_or(&settings.theme) {
            ThemeChoice::Named(name) => match self.themes.get(name) {
                Some(colours) => return self.named(&colours),
                None => self.background,
            },
            ThemeChoice::Auto => self.background,
            ThemeChoice::Dark => Background::Dark,
            ThemeChoice::Light => Background::Light,
        };
        let name = match background {
            Background::Unknown => None,
            Background::Dark => settings.theme_dark.as_ref(),
            Background::Light => settings.theme_light.as_ref(),
        };
        match name.and_then(|name| self.themes.get(name)) {
            Some(colours) => self.named(&colours),
            None => Theme::palette(background, self.colours),
        }
    }

    fn named(&self, colours: &ThemeColours) -> Theme {
        Theme::named(colours, self.colours, self.background)
    }
}

impl Look {
    fn make_theme(&mut self) {
        self.theme = self.sources.theme(&self.settings);
        if self.inline {
            // The terminal wraps again what stands there: rows that are filled up would break.
            self.theme = Theme {
                band: ratatui::style::Style::new(),
                ..self.theme_of_normal_screen()
            };
        }
    }

    /// To be called before anything is drawn: what is tried out may have changed, or the terminal has
    /// not answered.
    pub fn settle(&mut self, tried: Option<ThemeChoice>, now: Instant) {
        let sources = &mut self.sources;
        let overdue = sources.due.is_some_and(|due| due <= now);
        if overdue {
            sources.due = None;
            sources.background = match sources.otherwise {
                Background::Unknown => Background::Dark,
                told => told,
            };
        }
        if overdue || sources.tried != tried {
            sources.tried = tried;
            self.make_theme();
        }
    }

    /// The theme for the normal screen, whose background is not ours to paint.
    pub fn theme_of_normal_screen(&self) -> Theme {
        match self.theme.paints() {
            true => Theme::palette(self.sources.background, self.sources.colours),
            false => self.theme.clone(),
        }
    }

    pub fn overlay<'a>(&'a self, composer: &Composer, cx: &UiContext<'a>) -> OverlayContext<'a> {
        OverlayContext {
            session: cx.session,
            sessions: cx.sessions,
            project: cx.project,
            agents: &self.agents,
            found: &self.found,
            keymap: &self.keymap,
            theme: &self.theme,
            symbols: self.symbols,
            offload: &self.offload,
            diff: self.settings.diff,
            measure: self.measure(),
            frame: self.frame,
            motion: self.settings.motion,
            spoken: self.spoken,
            drafting: !composer.is_empty(),
            editing: self.settings.editing,
            now: cx.now,
        }
    }

    pub fn render(&self, width: u16, now: Instant) -> RenderContext<'_> {
        RenderContext {
            theme: &self.theme,
            symbols: self.symbols,
            offload: &self.offload,
            width: width.max(1),
            measure: self.measure(),
            indent: 0,
            pictures: self.canvas(),
            now,
        }
    }

    /// What images are drawn on, as the person wants it and colours and signs allow.
    fn canvas(&self) -> Canvas {
        let few = matches!(self.sources.colours, Colours::None | Colours::Sixteen);
        let medium = match self.settings.images {
            _ if few || self.symbols.ascii => Medium::None,
            Images::Off => Medium::None,
            Images::Blocks => Medium::Blocks,
            // What is printed stays as it is, in the terminal's own scrollback.
            Images::Auto if self.inline => Medium::Blocks,
            Images::Auto => self.canvas.medium,
        };
        Canvas {
            medium,
            true_colour: self.sources.colours == Colours::True,
            ..self.canvas
        }
    }

    /// What the agent is at; `queued` prompts behind it are not shown otherwise.
    pub fn activity<'a>(&'a self, queued: usize, cx: &UiContext<'a>) -> Activity<'a> {
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

    /// The limit that is reached, where nothing goes on.
    pub fn limit<'a>(&'a self, cx: &UiContext<'a>) -> LimitRow<'a> {
        LimitRow {
            session: cx.session.filter(|_| cx.project.read_only.is_none()),
            keymap: &self.keymap,
            theme: &self.theme,
            symbols: self.symbols,
            motion: self.settings.motion,
            now: cx.now,
        }
    }

    /// Cells at which prose, prompts, tables and dialogs end, where the screen has them.
    pub fn measure(&self) -> u16 {
        self.settings.width.unwrap_or(MEASURE)
    }

    /// Cells that everything may take, where they are limited.
    pub fn limited(&self, width: u16) -> u16 {
        self.settings.width.map_or(width, |limit| limit.min(width))
    }

    pub fn transcript(&self) -> Settings {
        Settings::from(&self.settings)
    }
}

impl Ui {
    /// The terminal has told its background, however late.
    pub fn set_background(&mut self, background: Background) {
        self.look.sources.due = None;
        self.look.sources.background = background;
        self.look.make_theme();
    }

    /// The terminal was asked for its background: if it does not tell soon, it is taken for the one that
    /// the environment tells, else for a dark one.
    pub fn background_asked(&mut self, now: Instant) {
        if self.look.sources.background == Background::Unknown {
            self.look.sources.due = Some(now + ANSWERS_WITHIN);
        }
    }

    /// What is known of the terminal's background, for a UI that takes the place of this one.
    pub fn background(&self) -> Background {
        self.look.sources.background
    }

    /// What the terminal can show of images is known now.
    pub fn set_canvas(&mut self, canvas: Canvas) {
        self.look.canvas = canvas;
    }

    /// For a UI that takes the place of this one.
    pub fn canvas(&self) -> Canvas {
        self.look.canvas
    }

    /// Draws with that theme from now on, and has the choice kept.
    pub(super) fn choose_theme(&mut self, choice: ThemeChoice) {
        self.look.settings.theme = choice.clone();
        self.look.make_theme();
        self.commands.push(UiCommand::KeepTheme(choice));
    }
}
