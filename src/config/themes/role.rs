//! What colours a theme has by meaning, and which one stands in for one that it does not name.

use super::Rgb;

/// The colours that a palette is usually made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hue {
    Text,
    Dim,
    Red,
    Orange,
    Yellow,
    Green,
    Cyan,
    Blue,
    Purple,
    Pink,
}

impl Hue {
    pub const ALL: [(&'static str, Self); 10] = [
        ("text", Self::Text),
        ("dim", Self::Dim),
        ("red", Self::Red),
        ("orange", Self::Orange),
        ("yellow", Self::Yellow),
        ("green", Self::Green),
        ("cyan", Self::Cyan),
        ("blue", Self::Blue),
        ("purple", Self::Purple),
        ("pink", Self::Pink),
    ];

    /// One that a palette lacks: from its others, else one that can be read on a dark or light
    /// background.
    pub fn derived(self, background: Rgb, known: impl Fn(Self) -> Option<Rgb>) -> Rgb {
        let between = |a, b, percent| Some(known(a)?.over(known(b)?, percent));
        let of_others = match self {
            Self::Dim => known(Self::Text).map(|text| text.over(background, 65)),
            Self::Orange => between(Self::Red, Self::Yellow, 50),
            Self::Cyan => known(Self::Blue),
            Self::Pink => known(Self::Purple),
            Self::Purple => known(Self::Pink),
            _ => None,
        };
        let (dark, light) = match self {
            Self::Text => (0xe4e6e8, 0x202428),
            Self::Dim => (0x9aa0a6, 0x60666c),
            Self::Red => (0xff7b72, 0xb4232c),
            Self::Orange => (0xf0a060, 0x954000),
            Self::Yellow => (0xe3c26a, 0x7c5800),
            Self::Green => (0x7fc97f, 0x1a6d2e),
            Self::Cyan => (0x6cc7cf, 0x0a6a73),
            Self::Blue => (0x79b0f2, 0x0a58b8),
            Self::Purple => (0xc79bf2, 0x6f3fbf),
            Self::Pink => (0xf29bc7, 0xa3286e),
        };
        let own: u32 = if background.is_dark() { dark } else { light };
        let [_, rgb @ ..] = own.to_be_bytes();
        of_others.unwrap_or(Rgb(rgb))
    }
}

/// Where the colour of a role comes from, if the theme does not name one.
#[derive(Clone, Copy, Debug)]
pub(super) enum Otherwise {
    Of(Hue),
    /// That of a role before it.
    As(Role),
    /// So many percent of a role before it over the background.
    Over(Role, u8),
    HueOver(Hue, u8),
}

macro_rules! roles {
    ($( $role:ident $name:literal $otherwise:expr, )*) => {
        /// A colour by meaning.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Role { $( $role, )* }

        impl Role {
            /// By the name in a theme's file. Those that others are derived from come first.
            pub(super) const ALL: &'static [(&'static str, Role, Otherwise)] =
                &[ $( ($name, Role::$role, $otherwise), )* ];
        }
    };
}

use Hue::{Blue, Cyan, Dim, Green, Orange, Pink, Purple, Red, Text, Yellow};
use Otherwise::{As, HueOver, Of, Over};

roles! {
    Text "text" Of(Text),
    Dim "dim" Of(Dim),
    Accent "accent" Of(Cyan),
    User "user" Of(Blue),
    Success "success" Of(Green),
    Warning "warning" Of(Yellow),
    Error "error" Of(Red),
    Border "border" As(Role::Dim),
    BorderFocus "border_focus" As(Role::Warning),
    KeyHint "key_hint" As(Role::Accent),
    Thought "thought" As(Role::Dim),
    Ghost "ghost" As(Role::Dim),
    Shell "shell" Of(Pink),
    Steered "steered" As(Role::Accent),
    Heading "heading" As(Role::Accent),
    Bullet "bullet" As(Role::Accent),
    Code "code" Of(Purple),
    Link "link" Of(Blue),
    Quote "quote" As(Role::Dim),
    Comment "comment" As(Role::Dim),
    String "string" Of(Green),
    Number "number" Of(Orange),
    Keyword "keyword" Of(Purple),
    Function "function" Of(Blue),
    Type "type" Of(Yellow),
    Constant "constant" As(Role::Number),
    Tag "tag" Of(Red),
    Punctuation "punctuation" As(Role::Text),
    Added "added" Of(Green),
    Removed "removed" Of(Red),
    LineNumber "line_number" As(Role::Dim),
    Hunk "hunk" As(Role::Accent),
    Band "band" Over(Role::Text, 7),
    Selected "selected" Over(Role::Text, 11),
    Selection "selection" HueOver(Blue, 22),
    Found "found" HueOver(Yellow, 20),
    FoundCurrent "found_current" Of(Yellow),
    AddedLine "added_line" Over(Role::Added, 10),
    RemovedLine "removed_line" Over(Role::Removed, 10),
    AddedGutter "added_gutter" Over(Role::Added, 15),
    RemovedGutter "removed_gutter" Over(Role::Removed, 15),
    AddedWord "added_word" Over(Role::Added, 24),
    RemovedWord "removed_word" Over(Role::Removed, 24),
}

/// How many roles there are.
pub(super) const COUNT: usize = Role::ALL.len();
