//! A colour as red, green and blue, and how well two of them can be told apart.

/// `#rrggbb`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rgb(pub [u8; 3]);

impl Rgb {
    /// `#rrggbb` or `#rgb`.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('#')?;
        if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return None;
        }
        let value = u32::from_str_radix(digits, 16).ok()?;
        match digits.len() {
            6 => {
                let [_, rgb @ ..] = value.to_be_bytes();
                Some(Self(rgb))
            }
            3 => {
                let digit = |shift: u32| u8::try_from((value >> shift) & 15).unwrap_or(15) * 17;
                Some(Self([digit(8), digit(4), digit(0)]))
            }
            _ => None,
        }
    }

    /// `percent` of this colour over `below`.
    pub fn over(self, below: Self, percent: u8) -> Self {
        let percent = u16::from(percent.min(100));
        let mut mixed = [0; 3];
        for ((mixed, above), below) in mixed.iter_mut().zip(self.0).zip(below.0) {
            let sum = u16::from(above) * percent + u16::from(below) * (100 - percent) + 50;
            *mixed = u8::try_from(sum / 100).unwrap_or(u8::MAX);
        }
        Self(mixed)
    }

    /// Relative luminance (WCAG 2): 0 is black, 1 is white.
    pub fn luminance(self) -> f32 {
        let [r, g, b] = self.0.map(linear);
        0.2126 * r + 0.7152 * g + 0.0722 * b
    }

    /// Contrast with another colour (WCAG 2), 1 to 21.
    pub fn contrast(self, other: Self) -> f32 {
        let (a, b) = (self.luminance(), other.luminance());
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    /// White text can be read on it rather than black text.
    pub fn is_dark(self) -> bool {
        self.luminance() < 0.18
    }

    /// How different two colours look (the square of the distance in OKLab).
    pub fn distance(self, other: Self) -> f32 {
        let (a, b) = (self.oklab(), other.oklab());
        a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
    }

    fn oklab(self) -> [f32; 3] {
        let [r, g, b] = self.0.map(linear);
        let l = (0.412_221_46 * r + 0.536_332_55 * g + 0.051_445_995 * b).cbrt();
        let m = (0.211_903_5 * r + 0.680_699_5 * g + 0.107_396_96 * b).cbrt();
        let s = (0.088_302_46 * r + 0.281_718_85 * g + 0.629_978_7 * b).cbrt();
        [
            0.210_454_26 * l + 0.793_617_8 * m - 0.004_072_047 * s,
            1.977_998_5 * l - 2.428_592_2 * m + 0.450_593_7 * s,
            0.025_904_037 * l + 0.782_771_77 * m - 0.808_675_77 * s,
        ]
    }
}

fn linear(value: u8) -> f32 {
    let value = f32::from(value) / 255.0;
    if value <= 0.040_45 {
        value / 12.92
    } else {
        ((value + 0.055) / 1.055).powf(2.4)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_read_as_on_the_web() {
        assert_eq!(Rgb::parse("#1e1E2e"), Some(Rgb([0x1e, 0x1e, 0x2e])));
        assert_eq!(Rgb::parse("#0af"), Some(Rgb([0x00, 0xaa, 0xff])));
        for wrong in [
            "", "#", "1e1e2e", "#12345", "#1234567", "#+12345", "#ggg", "#é1",
        ] {
            assert_eq!(Rgb::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn contrast_is_that_of_wcag() {
        let (black, white) = (Rgb([0; 3]), Rgb([255; 3]));
        assert!((black.contrast(white) - 21.0).abs() < 0.01);
        assert!((Rgb([118; 3]).contrast(white) - 4.54).abs() < 0.01);
        assert!(black.is_dark() && !white.is_dark());
    }

    #[test]
    fn what_looks_alike_is_near() {
        let red = Rgb([200, 40, 40]);
        assert!(red.distance(Rgb([215, 0, 0])) < red.distance(Rgb([135, 95, 0])));
        assert!(red.distance(red).abs() < 1e-6);
    }
}
