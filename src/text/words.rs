//! Lists of words.

/// Words that are looked for, written as one text with a blank between two.
#[derive(Clone, Copy, Debug)]
pub struct Words(pub &'static str);

impl Words {
    pub fn iter(self) -> impl Iterator<Item = &'static str> + Clone {
        self.0.split(' ')
    }

    pub fn contains(self, word: &str) -> bool {
        self.iter().any(|known| known == word)
    }
}
