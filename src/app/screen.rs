//! The terminal as the app draws on it: one frame, one write.

use std::{cell::RefCell, io, rc::Rc};

use crossterm::{
    queue,
    terminal::{BeginSynchronizedUpdate, EndSynchronizedUpdate},
};
use ratatui::{Frame, Terminal};

use crate::{
    app::{
        backend::{FrameBytes, FrameLinks, LinkBackend, Writer, Written},
        wide_cells::WideCells,
    },
    ui::transcript::PlacedLink,
};

pub struct Screen {
    terminal: Terminal<LinkBackend>,
    bytes: FrameBytes,
    links: FrameLinks,
    wide: WideCells,
    writer: Writer,
    /// Sent along with the next frame: bell, notification, query.
    extra: Vec<u8>,
}

impl Screen {
    /// `done` hears of each frame that the terminal took.
    pub fn new(done: impl Fn(io::Result<Written>) + Send + Sync + 'static) -> io::Result<Self> {
        let bytes = FrameBytes::default();
        let links: FrameLinks = Rc::new(RefCell::default());
        let terminal = Terminal::new(LinkBackend::new(bytes.clone(), links.clone()))?;
        Ok(Self {
            terminal,
            bytes,
            links,
            wide: WideCells::default(),
            writer: Writer::start(done)?,
            extra: Vec::new(),
        })
    }

    /// Draws a frame and hands what changed to the writer. Gives false if nothing had changed and
    /// nothing is on its way.
    pub fn draw(&mut self, draw: impl FnOnce(&mut Frame) -> Vec<PlacedLink>) -> io::Result<bool> {
        let (links, wide) = (&self.links, &mut self.wide);
        self.terminal.draw(|frame| {
            let placed = draw(frame);
            *links.borrow_mut() = placed;
            wide.clear_halves(frame.buffer_mut());
        })?;
        let frame = self.bytes.take();
        let mut out = std::mem::take(&mut self.extra);
        if frame.is_empty() && out.is_empty() {
            return Ok(false);
        }
        if !frame.is_empty() {
            queue!(out, BeginSynchronizedUpdate)?;
            out.extend_from_slice(&frame);
            queue!(out, EndSynchronizedUpdate)?;
        }
        self.writer.write(out);
        Ok(true)
    }

    /// Sends bytes that draw nothing along with the next frame.
    pub fn send_along(&mut self, bytes: &[u8]) {
        self.extra.extend_from_slice(bytes);
    }

    /// Waits until the terminal has taken all that was drawn: before it is lent to others.
    pub fn wait_written(&self) {
        self.writer.wait();
    }

    /// Makes the next frame a whole one: after something else had the terminal. Not
    /// `Terminal::clear`, which asks the terminal for its cursor on stdin.
    pub fn repaint(&mut self) -> io::Result<()> {
        let size = self.terminal.size()?;
        self.terminal.resize(size.into())
    }
}
