//! An image in characters: two pixels in a cell, one above the other.
//!
//! Ours, as `ratatui-image` has no transparency there, and any colour where a terminal has 256.

use image::{DynamicImage, Rgba};
use ratatui::{
    layout::Size,
    style::{Color, Style},
};

/// A cell of an image in half blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Half {
    pub symbol: char,
    pub upper: Option<Color>,
    pub lower: Option<Color>,
}

impl Half {
    fn new(upper: Option<Color>, lower: Option<Color>) -> Self {
        match (upper, lower) {
            (Some(_), Some(_)) if upper == lower => Self {
                symbol: ' ',
                upper: None,
                lower,
            },
            (None, None) => Self {
                symbol: ' ',
                upper,
                lower,
            },
            (None, Some(_)) => Self {
                symbol: '▄',
                upper: lower,
                lower: None,
            },
            _ => Self {
                symbol: '▀',
                upper,
                lower,
            },
        }
    }

    pub fn style(&self) -> Style {
        Style {
            fg: self.upper,
            bg: self.lower,
            ..Style::new()
        }
    }
}

pub fn halves(image: &DynamicImage, size: Size, true_colour: bool) -> Vec<Half> {
    let (width, height) = (u32::from(size.width), u32::from(size.height));
    let small = image.thumbnail_exact(width, 2 * height).into_rgba8();
    let colour = |x, y| colour(*small.get_pixel(x, y), true_colour);
    (0..height)
        .flat_map(|y| (0..width).map(move |x| (x, 2 * y)))
        .map(|(x, y)| Half::new(colour(x, y), colour(x, y + 1)))
        .collect()
}

/// `None` where the background shows.
fn colour(pixel: Rgba<u8>, true_colour: bool) -> Option<Color> {
    let [red, green, blue, alpha] = pixel.0;
    (alpha >= 0x80).then(|| match true_colour {
        true => Color::Rgb(red, green, blue),
        false => Color::Indexed(index(red, green, blue)),
    })
}

/// The nearest of the cube and the greys of the palette: quick, as there are thousands.
fn index(red: u8, green: u8, blue: u8) -> u8 {
    let nearest = |n: u8| match n {
        0..48 => 0,
        48..115 => 1,
        _ => (n - 35) / 40,
    };
    let (most, least) = (red.max(green).max(blue), red.min(green).min(blue));
    let grey = u16::from(red) + u16::from(green) + u16::from(blue);
    match grey / 3 {
        grey @ 4..=243 if most - least < 12 => {
            232 + u8::try_from((grey.saturating_sub(3)) / 10)
                .unwrap_or(0)
                .min(23)
        }
        _ => 16 + 36 * nearest(red) + 6 * nearest(green) + nearest(blue),
    }
}
