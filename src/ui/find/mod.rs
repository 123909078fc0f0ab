//! Finding text: what is looked for, where it is, and the bar that asks for it.
//!
//! Owns the pattern, the search over the transcript, its matches and which of them is the current
//! one. Must not know where on the screen a match is: that is the view's, which draws the marks.

mod bar;
mod pattern;
mod search;
mod wanted;

pub use bar::{Bar, BarKey, Counted};
pub use pattern::{MAX_PATTERN, Pattern};
pub use search::{Corpus, Cuts, MAX_PLACES, Place, Search};
pub use wanted::{Wanted, next_of, number_of};
