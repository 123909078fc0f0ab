//! The terminal as the app draws on it: one frame, one write.
//!
//! Owns: the ratatui backend that collects one frame's bytes and adds hyperlinks, and what wide
//! characters leave behind.

use std::{
    cell::{Cell, RefCell},
    io::{self, Write},
    rc::Rc,
};

use crossterm::{
    queue,
    terminal::{BeginSynchronizedUpdate, EndSynchronizedUpdate},
};
use ratatui::{
    Frame, Terminal,
    backend::{Backend, ClearType, CrosstermBackend, WindowSize},
    buffer::{Buffer, Cell as ScreenCell, CellDiffOption, CellWidth},
    layout::{Position, Size},
};

use super::{
    inline::{Inline, Resizing},
    pictures::Pictures,
    tty,
    writer::{Writer, Written},
};
use crate::ui::{
    InlineFrame,
    transcript::{PlacedLink, PlacedPicture},
};

/// Bytes of a frame from which the terminal is asked to show it in one go. A turning spinner is less, and
/// such a frame is taken in at once anyway.
const SYNCHRONIZED_FROM: usize = 100;

pub struct Screen {
    terminal: Terminal<LinkBackend>,
    bytes: FrameBytes,
    links: FrameLinks,
    wide: WideCells,
    pictures: Pictures,
    writer: Writer,
    /// Sent along with the next frame: bell, notification, query.
    extra: Vec<u8>,
    /// What is below the scrollback, where frames are drawn without the alternate screen.
    inline: Inline,
}

impl Screen {
    /// `done` hears of each frame that the terminal took.
    pub fn new(
        tmux: bool,
        done: impl Fn(io::Result<Written>) + Send + Sync + 'static,
    ) -> io::Result<Self> {
        let bytes = FrameBytes::default();
        let links: FrameLinks = Rc::new(RefCell::default());
        let terminal = Terminal::new(LinkBackend::new(bytes.clone(), links.clone()))?;
        Ok(Self {
            terminal,
            bytes,
            links,
            wide: WideCells::default(),
            pictures: Pictures::new(tmux),
            writer: Writer::start(done)?,
            extra: Vec::new(),
            inline: Inline::new(Resizing::of_environment(|name| std::env::var(name).ok())),
        })
    }

    /// Columns and rows that are drawn on.
    pub fn size(&self) -> io::Result<Size> {
        self.terminal.size()
    }

    /// Draws a frame without the alternate screen, which is left for it. As [`draw`](Self::draw) otherwise.
    pub fn draw_inline(&mut self, frame: &InlineFrame) -> io::Result<bool> {
        let size = self.size()?;
        let mut bytes = tty::to_normal().unwrap_or_default();
        bytes.extend(self.inline.draw(frame, size));
        tty::is_below(self.inline.is_drawn());
        self.send(&bytes)
    }

    /// Takes the live part off the terminal: what is printed next stands in its place.
    pub fn put_away(&mut self) {
        if !tty::is_inline() {
            return;
        }
        let mut bytes = tty::to_normal().unwrap_or_default();
        bytes.extend(self.inline.clear(self.size().unwrap_or_default()));
        tty::is_below(false);
        if !bytes.is_empty() {
            self.writer.write(bytes);
        }
    }

    /// Draws a frame and hands what changed to the writer. Gives false if nothing had changed and
    /// nothing is on its way.
    pub fn draw(
        &mut self,
        draw: impl FnOnce(&mut Frame) -> (Vec<PlacedLink>, Vec<PlacedPicture>),
    ) -> io::Result<bool> {
        if let Some(bytes) = tty::to_alternate() {
            self.resize()?;
            // What repainting sent was for the other screen.
            self.bytes.take();
            self.extra.extend(bytes);
        }
        let (links, wide, pictures) = (&self.links, &mut self.wide, &mut self.pictures);
        self.terminal.draw(|frame| {
            let (placed, images) = draw(frame);
            *links.borrow_mut() = placed;
            pictures.place(&images, frame.buffer_mut());
            wide.clear_halves(frame.buffer_mut());
        })?;
        let frame = self.bytes.take();
        self.send(&frame)
    }

    /// Hands a frame to the writer, with what goes along.
    fn send(&mut self, frame: &[u8]) -> io::Result<bool> {
        let mut out = std::mem::take(&mut self.extra);
        out.append(&mut self.pictures.take());
        if frame.is_empty() && out.is_empty() {
            return Ok(false);
        }
        if frame.len() < SYNCHRONIZED_FROM {
            out.extend_from_slice(frame);
        } else {
            queue!(out, BeginSynchronizedUpdate)?;
            out.extend_from_slice(frame);
            queue!(out, EndSynchronizedUpdate)?;
        }
        self.writer.write(out);
        Ok(true)
    }

    /// Sends bytes that draw nothing along with the next frame.
    pub fn send_along(&mut self, bytes: &[u8]) {
        self.extra.extend_from_slice(bytes);
    }

    /// Images are under way: another frame is wanted soon.
    pub fn wants_frame(&self) -> bool {
        self.pictures.wants_frame()
    }

    /// Waits until the terminal has taken all that was drawn: before it is lent to others.
    pub fn wait_written(&mut self) {
        self.put_away();
        self.writer.wait();
    }

    /// Makes the next frame a whole one: after something else had the terminal. Not
    /// `Terminal::clear`, which asks the terminal for its cursor on stdin.
    pub fn repaint(&mut self) -> io::Result<()> {
        self.inline.forget();
        self.pictures.forget();
        self.resize()
    }

    /// The same where nothing else had it: for the person who sees it spoilt.
    pub fn redraw(&mut self) -> io::Result<()> {
        if tty::is_inline() && tty::is_normal() {
            self.put_away();
        }
        self.pictures.forget();
        self.resize()
    }

    /// All cells are to be sent again.
    fn resize(&mut self) -> io::Result<()> {
        let size = self.terminal.size()?;
        self.terminal.resize(size.into())
    }
}

/// The hyperlinks of the frame being drawn; set between drawing and the diff.
type FrameLinks = Rc<RefCell<Vec<PlacedLink>>>;

/// One frame's bytes. `flush` is not the end of a frame: crossterm flushes after each cursor move.
#[derive(Clone, Default)]
struct FrameBytes(Rc<RefCell<Vec<u8>>>);

impl FrameBytes {
    fn take(&self) -> Vec<u8> {
        std::mem::take(&mut self.0.borrow_mut())
    }

    /// Ends the styles of what was drawn by the one code that ends them all.
    fn shorten_reset(&self) {
        /// What crossterm's backend writes behind all cells: foreground, background, underline, attributes.
        const LONG: &[u8] = b"\x1b[39m\x1b[49m\x1b[59m\x1b[0m";
        let mut bytes = self.0.borrow_mut();
        if bytes.ends_with(LONG) {
            let kept = bytes.len() - LONG.len();
            bytes.truncate(kept);
            bytes.extend_from_slice(b"\x1b[0m");
        }
    }
}

impl Write for FrameBytes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// [`CrosstermBackend`] plus OSC 8, less what changes nothing: a frame like the one before is no
/// bytes at all.
struct LinkBackend {
    inner: CrosstermBackend<FrameBytes>,
    /// Where `inner` writes to.
    bytes: FrameBytes,
    links: FrameLinks,
    /// What was last sent; `None` is not known.
    cursor_visible: Option<bool>,
    cursor_at: Option<Position>,
    /// As last told.
    size: Cell<Size>,
}

impl LinkBackend {
    fn new(bytes: FrameBytes, links: FrameLinks) -> Self {
        Self {
            inner: CrosstermBackend::new(bytes.clone()),
            bytes,
            links,
            cursor_visible: None,
            cursor_at: None,
            size: Cell::default(),
        }
    }
}

impl Backend for LinkBackend {
    type Error = io::Error;

    fn draw<'a, I>(&mut self, content: I) -> io::Result<()>
    where
        I: Iterator<Item = (u16, u16, &'a ScreenCell)>,
    {
        let mut content = content.peekable();
        if content.peek().is_none() {
            return Ok(());
        }
        self.cursor_at = None;
        let links = self.links.borrow();
        if links.is_empty() {
            self.inner.draw(content)?;
            self.bytes.shorten_reset();
            return Ok(());
        }
        let link_at = |x: u16, y: u16| {
            links
                .iter()
                .find(|link| link.area.contains(Position { x, y }))
                .map(|l| &l.uri)
        };
        while let Some(&(x, y, _)) = content.peek() {
            let uri = link_at(x, y);
            if let Some(uri) = uri {
                // Renderers let no control character into a link.
                write!(self.inner, "\x1b]8;;{uri}\x1b\\")?;
            }
            let mut run = Vec::new();
            while let Some(cell) = content.next_if(|(x, y, _)| link_at(*x, *y) == uri) {
                run.push(cell);
            }
            self.inner.draw(run.into_iter())?;
            self.bytes.shorten_reset();
            if uri.is_some() {
                write!(self.inner, "\x1b]8;;\x1b\\")?;
            }
        }
        Ok(())
    }

    fn hide_cursor(&mut self) -> io::Result<()> {
        if self.cursor_visible.replace(false) == Some(false) {
            return Ok(());
        }
        self.inner.hide_cursor()
    }

    fn show_cursor(&mut self) -> io::Result<()> {
        if self.cursor_visible.replace(true) == Some(true) {
            return Ok(());
        }
        self.inner.show_cursor()
    }

    fn get_cursor_position(&mut self) -> io::Result<Position> {
        // Would ask the terminal and read stdin against the event stream.
        Ok(Position::ORIGIN)
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> io::Result<()> {
        let position = position.into();
        if self.cursor_at.replace(position) == Some(position) {
            return Ok(());
        }
        self.inner.set_cursor_position(position)
    }

    fn clear(&mut self) -> io::Result<()> {
        self.inner.clear()
    }

    fn clear_region(&mut self, clear_type: ClearType) -> io::Result<()> {
        // Clearing follows a change of the screen from outside: nothing is known any more.
        (self.cursor_visible, self.cursor_at) = (None, None);
        self.inner.clear_region(clear_type)
    }

    fn size(&self) -> io::Result<Size> {
        // That the terminal is gone is the reader's and the writer's to tell.
        if let Ok(size) = tty::size() {
            self.size.set(size);
        }
        Ok(self.size.get())
    }

    fn window_size(&mut self) -> io::Result<WindowSize> {
        self.inner.window_size()
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Where the last frame had wide characters.
///
/// A wide character covers the cell after its own, of which ratatui's buffers know only that it is
/// blank. Where narrow text takes the wide one's place and that cell stays blank, the diff finds no
/// change and leaves it to the terminal to clear the second half. Not every terminal does.
#[derive(Debug, Default)]
struct WideCells(Vec<Position>);

impl WideCells {
    /// Makes the diff send the second half of each wide character that `next` no longer has.
    fn clear_halves(&mut self, next: &mut Buffer) {
        for at in std::mem::take(&mut self.0) {
            let gone = next.cell(at).is_some_and(|cell| cell.cell_width() < 2);
            let half = Position { x: at.x + 1, ..at };
            if let Some(half) = next.cell_mut(half).filter(|_| gone) {
                half.set_diff_option(CellDiffOption::AlwaysUpdate);
            }
        }
        let cells = next.content().iter().enumerate();
        // One byte is never wide, and nearly every cell is one byte.
        let wide = cells.filter(|(_, cell)| cell.symbol().len() > 1 && cell.cell_width() > 1);
        self.0
            .extend(wide.map(|(n, _)| Position::from(next.pos_of(n))));
    }
}

#[cfg(test)]
mod tests {
    use ratatui::{Terminal, TerminalOptions, Viewport, layout::Rect, text::Line};

    use super::*;

    fn terminal() -> (Terminal<LinkBackend>, FrameBytes, FrameLinks) {
        let (bytes, links) = (FrameBytes::default(), FrameLinks::default());
        let backend = LinkBackend::new(bytes.clone(), links.clone());
        let viewport = Viewport::Fixed(Rect::new(0, 0, 20, 1));
        let terminal = Terminal::with_options(backend, TerminalOptions { viewport })
            .expect("a fixed viewport asks nothing");
        (terminal, bytes, links)
    }

    fn draw(terminal: &mut Terminal<LinkBackend>, text: &'static str) {
        let drawn = terminal.draw(|frame| {
            frame.render_widget(Line::from(text), frame.area());
            frame.set_cursor_position((3, 0));
        });
        drawn.expect("memory takes it");
    }

    #[test]
    fn a_frame_that_changes_nothing_is_no_bytes() {
        let (mut terminal, bytes, _) = terminal();
        draw(&mut terminal, "see the docs");
        assert!(!bytes.take().is_empty());
        draw(&mut terminal, "see the docs");
        assert_eq!(bytes.take(), b"");
    }

    /// 200 bytes a second is what a spinner may cost, with the seconds that count up beside it.
    #[test]
    fn a_second_of_the_spinner_is_at_most_200_bytes() {
        use ratatui::style::{Color, Style};

        let (mut terminal, bytes, _) = terminal();
        let mut show = |sign: &'static str, seconds: &'static str| {
            let spinner = Style::new().fg(Color::Rgb(137, 180, 250));
            let dim = Style::new().fg(Color::Rgb(147, 153, 178));
            let drawn = terminal.draw(|frame| {
                let buffer = frame.buffer_mut();
                buffer.set_string(0, 0, sign, spinner);
                buffer.set_string(2, 0, "Running", Style::new());
                buffer.set_string(12, 0, seconds, dim);
                frame.set_cursor_position((3, 0));
            });
            drawn.expect("memory takes it");
            bytes.take().len()
        };
        show("⠋", "30s");
        let seconds = [
            "30s", "30s", "30s", "31s", "31s", "31s", "32s", "32s", "32s", "33s",
        ];
        let signs = ["⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏", "⠋"];
        let step = crate::ui::SPINNER_STEP.as_millis();
        assert_eq!(seconds.len() as u128 * step, 3_000, "all of three seconds");
        let frames = signs.iter().zip(seconds);
        let frames: Vec<usize> = frames.map(|(sign, seconds)| show(sign, seconds)).collect();
        assert!(frames.iter().all(|bytes| *bytes < SYNCHRONIZED_FROM));
        // On a large screen positions have some digits more.
        let bytes: usize = frames.iter().map(|bytes| bytes + 6).sum();
        assert!(bytes <= 3 * 200, "{bytes}: {frames:?}");
    }

    #[test]
    fn a_link_is_around_its_cells_only() {
        let (mut terminal, bytes, links) = terminal();
        links.borrow_mut().push(PlacedLink {
            area: Rect::new(8, 0, 4, 1),
            uri: "https://example.com".into(),
        });
        draw(&mut terminal, "see the docs");
        let sent = String::from_utf8(bytes.take()).expect("text");
        let (_, link) = sent
            .split_once("\x1b]8;;https://example.com\x1b\\")
            .expect("opened");
        let (text, _) = link.split_once("\x1b]8;;\x1b\\").expect("closed");
        assert!(text.contains("docs") && !text.contains("the"), "{text:?}");
    }

    /// Draws one line after the other; gives what is sent for the last.
    fn sent(lines: &[&str]) -> Vec<(u16, String)> {
        let mut wide = WideCells::default();
        let mut shown = Buffer::with_lines(["      "]);
        let mut sent = Vec::new();
        for line in lines {
            let mut next = Buffer::with_lines([format!("{line:<6}")]);
            next.resize(shown.area);
            wide.clear_halves(&mut next);
            let diff = shown.diff_iter(&next);
            sent = diff.map(|(x, _, c)| (x, c.symbol().to_owned())).collect();
            shown = next;
        }
        sent
    }

    fn cells(cells: &[(u16, &str)]) -> Vec<(u16, String)> {
        cells.iter().map(|(x, c)| (*x, (*c).to_owned())).collect()
    }

    #[test]
    fn the_second_half_of_a_wide_character_is_cleared() {
        assert_eq!(sent(&["a日", "a"]), cells(&[(1, " "), (2, " ")]));
        assert_eq!(sent(&["a日", "ax"]), cells(&[(1, "x"), (2, " ")]));
    }

    #[test]
    fn a_wide_character_that_moves_leaves_no_half() {
        assert_eq!(sent(&["a日", "本"]), cells(&[(0, "本"), (2, " ")]));
        assert_eq!(sent(&["日", "a本"]), cells(&[(0, "a"), (1, "本")]));
    }

    #[test]
    fn what_stays_is_not_sent_again() {
        assert_eq!(sent(&["a日b", "a日b"]), cells(&[]));
        assert_eq!(sent(&["a日", "a", "a", "a"]), cells(&[]));
        assert_eq!(sent(&["a日", "a本"]), cells(&[(1, "本")]));
    }
}
