//! Our own terminal: its modes ([`tty`]), its input ([`reader`](mod@reader)), what is drawn on it
//! ([`screen`](mod@screen), [`inline`](mod@inline)), when ([`frame`](mod@frame)), how it gets there ([`writer`]), in whose hands it is
//! meanwhile ([`loan`](mod@loan)), and giving it back after a crash ([`crash`](mod@crash)).

mod crash;
mod diacritics;
mod frame;
mod inline;
mod loan;
mod pictures;
mod reader;
mod screen;
pub mod tty;
mod writer;

pub use crash::restore_on_crashes;
pub use frame::{FrameScheduler, KEY_INTERVAL, Reason};
pub use loan::Loan;
pub use pictures::passed;
pub use reader::{Input, Keyboard, Reader};
pub use screen::Screen;
pub use writer::Written;
