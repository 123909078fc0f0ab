//! What a piece of code is, from the scopes that syntax definitions give it.

use std::{str::FromStr, sync::LazyLock};

use ratatui::style::Style;
use syntect::parsing::Scope;

use crate::ui::theme::Theme;

/// A piece of code by meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Token {
    Comment,
    String,
    Number,
    Keyword,
    Function,
    Type,
    Constant,
    Tag,
    Punctuation,
    /// Lines of a diff.
    Inserted,
    Deleted,
    Plain,
}

impl Token {
    pub fn style(self, theme: &Theme) -> Style {
        let syntax = &theme.syntax;
        match self {
            Self::Comment => syntax.comment,
            Self::String => syntax.string,
            Self::Number => syntax.number,
            Self::Keyword => syntax.keyword,
            Self::Function => syntax.function,
            Self::Type => syntax.type_name,
            Self::Constant => syntax.constant,
            Self::Tag => syntax.tag,
            Self::Punctuation => syntax.punctuation,
            Self::Inserted => theme.success,
            Self::Deleted => theme.error,
            Self::Plain => syntax.plain,
        }
    }

    /// By the innermost scope that says something.
    pub(super) fn of(scopes: &[Scope]) -> Self {
        let token = scopes
            .iter()
            .rev()
            .find_map(|scope| {
                RULES
                    .iter()
                    .find(|(prefix, _)| prefix.is_prefix_of(*scope))
                    .map(|(_, token)| *token)
            })
            .unwrap_or(Self::Plain);
        // The keys of JSON are strings, but not values.
        if token == Self::String && scopes.iter().any(|scope| MAPPING_KEY.is_prefix_of(*scope)) {
            return Self::Function;
        }
        token
    }
}

static MAPPING_KEY: LazyLock<Scope> =
    LazyLock::new(|| Scope::from_str("meta.mapping.key").unwrap_or_default());

/// The first prefix that fits counts, so the longer ones come first.
static RULES: LazyLock<Vec<(Scope, Token)>> = LazyLock::new(|| {
    NAMES
        .iter()
        .filter_map(|(name, token)| Some((Scope::from_str(name).ok()?, *token)))
        .collect()
});

const NAMES: &[(&str, Token)] = &[
    ("comment", Token::Comment),
    ("punctuation.definition.comment", Token::Comment),
    ("punctuation.definition.string", Token::String),
    ("punctuation.definition.keyword", Token::Keyword),
    ("punctuation.definition.variable", Token::Plain),
    ("punctuation.definition.inserted", Token::Inserted),
    ("punctuation.definition.deleted", Token::Deleted),
    ("punctuation.separator.decimal", Token::Number),
    ("punctuation", Token::Punctuation),
    // Code inside a string is no string.
    ("meta.interpolation", Token::Plain),
    ("meta.string-interpolation", Token::Plain),
    ("source", Token::Plain),
    ("entity.name.tag.yaml", Token::Function),
    ("entity.name.tag.toml", Token::Function),
    ("support.type.property-name", Token::Function),
    ("string", Token::String),
    ("constant.numeric", Token::Number),
    ("constant", Token::Constant),
    ("variable.language", Token::Constant),
    ("variable.annotation", Token::Constant),
    ("variable.function", Token::Function),
    ("variable.other.member.key", Token::Function),
    ("keyword.operator.word", Token::Keyword),
    ("keyword.operator.logical.python", Token::Keyword),
    ("keyword.operator", Token::Punctuation),
    ("keyword", Token::Keyword),
    ("storage.type.go", Token::Type),
    ("storage", Token::Keyword),
    ("entity.name.function", Token::Function),
    ("entity.name.macro", Token::Function),
    ("entity.name.section", Token::Keyword),
    ("entity.name.tag", Token::Tag),
    ("entity.name.constant", Token::Constant),
    ("entity.name.label", Token::Constant),
    ("entity.name", Token::Type),
    ("entity.other.attribute-name", Token::Type),
    ("entity.other.inherited-class", Token::Type),
    ("support.type", Token::Type),
    ("support.class", Token::Type),
    ("support.constant", Token::Constant),
    ("support.variable", Token::Plain),
    ("support", Token::Function),
    ("markup.inserted", Token::Inserted),
    ("markup.deleted", Token::Deleted),
    ("markup.heading", Token::Keyword),
    ("markup.raw", Token::String),
    ("markup.underline.link", Token::String),
    ("meta.diff.range", Token::Function),
    ("meta.diff.header", Token::Comment),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_is_a_scope_that_can_match() {
        assert_eq!(RULES.len(), NAMES.len());
        for (index, (scope, _)) in RULES.iter().enumerate() {
            let shadowed = RULES[..index]
                .iter()
                .any(|(earlier, _)| earlier.is_prefix_of(*scope));
            assert!(!shadowed, "{} never counts", NAMES[index].0);
        }
    }
}
