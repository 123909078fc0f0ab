//! Any colour as the nearest of those that the terminal has, by how different two look.

use ratatui::style::Color;

use crate::config::themes::Rgb;

/// The palette of 256 without its first sixteen, which each terminal sets as it likes.
const FIRST: u8 = 16;

/// What the colours of an entry of the palette are in every terminal, from the sixteenth on.
pub(super) fn of_index(index: u8) -> Rgb {
    match index.checked_sub(232) {
        Some(grey) => Rgb([8 + 10 * grey; 3]),
        None => {
            let cube = index.saturating_sub(FIRST);
            let part = |n: u8| if n == 0 { 0 } else { 55 + 40 * n };
            Rgb([part(cube / 36), part(cube / 6 % 6), part(cube % 6)])
        }
    }
}

/// The entry of the palette of 256 that looks most like it.
pub(super) fn to_index(colour: Rgb) -> u8 {
    to_index_among(colour, |_| true).unwrap_or(FIRST)
}

/// The same among those that `fit`.
pub(super) fn to_index_among(colour: Rgb, fit: impl Fn(u8) -> bool) -> Option<u8> {
    let known = (FIRST..=u8::MAX).filter(|index| fit(*index));
    let distances = known.map(|index| (of_index(index).distance(colour), index));
    let nearest = distances.min_by(|(a, _), (b, _)| a.total_cmp(b));
    nearest.map(|(_, index)| index)
}

/// The colours among the first sixteen, as most terminals show them: the darker ones, which can be
/// read on white, and the brighter ones.
const DARKER: [(Color, Rgb); 6] = [
    (Color::Red, Rgb([205, 0, 0])),
    (Color::Green, Rgb([0, 160, 0])),
    (Color::Yellow, Rgb([205, 170, 0])),
    (Color::Blue, Rgb([40, 80, 238])),
    (Color::Magenta, Rgb([190, 60, 190])),
    (Color::Cyan, Rgb([0, 170, 180])),
];
const BRIGHTER: [(Color, Rgb); 6] = [
    (Color::LightRed, Rgb([255, 100, 100])),
    (Color::LightGreen, Rgb([100, 255, 100])),
    (Color::LightYellow, Rgb([255, 255, 120])),
    (Color::LightBlue, Rgb([120, 150, 255])),
    (Color::LightMagenta, Rgb([255, 130, 255])),
    (Color::LightCyan, Rgb([120, 255, 255])),
];

/// The one of sixteen that looks most like it; `None` for a grey, which the terminal's own text and
/// its faint attribute stand for.
pub(super) fn to_sixteen(colour: Rgb, on_dark: bool) -> Option<Color> {
    /// Between the largest and the smallest part of what is still a grey.
    const GREY: u8 = 40;
    let [r, g, b] = colour.0;
    if r.max(g).max(b) - r.min(g).min(b) < GREY {
        return None;
    }
    let brighter = on_dark.then_some(BRIGHTER);
    let known = DARKER.into_iter().chain(brighter.into_iter().flatten());
    let nearest = known.min_by(|(_, a), (_, b)| {
        let (a, b) = (a.distance(colour), b.distance(colour));
        a.total_cmp(&b)
    });
    nearest.map(|(colour, _)| colour)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_of_the_palette_stay_what_they_are() {
        for index in FIRST..=u8::MAX {
            let colour = of_index(index);
            assert_eq!(of_index(to_index(colour)), colour, "{index}");
        }
    }

    #[test]
    fn of_sixteen_the_one_is_taken_that_people_would_name() {
        for (colour, on_dark, expected) in [
            ([0xf3, 0x8b, 0xa8], true, Some(Color::LightRed)),
            ([0xa0, 0x00, 0x00], false, Some(Color::Red)),
            ([0x00, 0x58, 0x00], false, Some(Color::Green)),
            ([0xcd, 0xd6, 0xe0], true, None),
        ] {
            assert_eq!(to_sixteen(Rgb(colour), on_dark), expected, "{colour:?}");
        }
    }
}
