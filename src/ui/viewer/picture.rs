//! Images of a block, one at a time, as large as the screen has room for.

use crossterm::event::{KeyCode, KeyEvent};
use ratatui::{
    buffer::Buffer,
    layout::{Rect, Size},
    widgets::{Clear, Widget},
};

use super::{Finder, Outcome, areas, closes, draw_hints, draw_title};
use crate::{
    model::ImageData,
    picture::Medium,
    text::SafeText,
    ui::{
        blocks::{drawn, strips},
        render::{RenderContext, Row, draw_rows, line::StyledLine},
        transcript::{PlacedPicture, placed_pictures},
    },
};

pub struct PictureViewer {
    /// With what names each; at least one.
    images: Vec<(SafeText, ImageData)>,
    at: usize,
    /// Where the last frame has it.
    placed: Vec<PlacedPicture>,
}

impl PictureViewer {
    /// `None` without images.
    pub fn new(images: Vec<(SafeText, ImageData)>) -> Option<Self> {
        (!images.is_empty()).then_some(Self {
            images,
            at: 0,
            placed: Vec::new(),
        })
    }

    pub fn on_key(&mut self, key: KeyEvent) -> Outcome {
        let last = self.images.len() - 1;
        match key.code {
            _ if closes(key) => return Outcome::Close,
            KeyCode::Enter | KeyCode::Char('o') => return Outcome::Close,
            _ if !key.modifiers.is_empty() => {}
            KeyCode::Right | KeyCode::Down | KeyCode::Char('n' | 'j' | ' ') => {
                self.at = (self.at + 1).min(last);
            }
            KeyCode::Left | KeyCode::Up | KeyCode::Char('p' | 'k' | 'b') => {
                self.at = self.at.saturating_sub(1);
            }
            _ => {}
        }
        Outcome::Stay
    }

    pub fn draw(&mut self, area: Rect, buf: &mut Buffer, ctx: &RenderContext<'_>) {
        Clear.render(area, buf);
        self.placed.clear();
        let (title, body, hints) = areas(area, &Finder::default());
        let Some((name, data)) = self.images.get(self.at) else {
            return;
        };
        let most = Size::new(body.width, body.height);
        let mut ctx = *ctx;
        if ctx.pictures.medium == Medium::Blocks {
            // Each pixel of it is to be seen, as far as there are cells.
            ctx.pictures.cell = (1, 2);
        }
        let ctx = &ctx;
        let said = |text: &str| {
            vec![Row::from(ratatui::text::Line::styled(
                text.to_owned(),
                ctx.theme.dim,
            ))]
        };
        let image = match ctx.pictures.medium {
            Medium::None => {
                Err("images are not drawn here (ui.images, colours, symbols)".to_owned())
            }
            _ => match drawn(data, most, ctx) {
                None => Err(String::new()),
                Some(Err(why)) => Err(why.to_string()),
                Some(Ok(image)) => Ok(image),
            },
        };
        match image {
            Ok(image) => {
                let rows: Vec<Row> = strips(&image).collect();
                let place = middle(body, image.size);
                draw_rows(&rows, place, buf);
                self.placed = placed_pictures(&rows, place).collect();
            }
            Err(text) => draw_rows(&said(&text), body, buf),
        }
        let several = self.images.len() > 1;
        let count = format!("{} of {}", self.at + 1, self.images.len());
        let name = StyledLine::styled(name, ctx.theme.strong);
        draw_title(&name, if several { &count } else { "" }, title, buf, ctx);
        let keys: &[_] = match several {
            true => &[("n p", "next"), ("q", "back")],
            false => &[("q", "back")],
        };
        draw_hints(keys, "", hints, buf, ctx);
    }

    /// Where the image stands that was drawn last.
    pub fn placed(&self) -> &[PlacedPicture] {
        &self.placed
    }
}

fn middle(area: Rect, size: Size) -> Rect {
    let (width, height) = (size.width.min(area.width), size.height.min(area.height));
    Rect {
        x: area.x + (area.width - width) / 2,
        y: area.y + (area.height - height) / 2,
        width,
        height,
    }
}
