//! What outlives a run, in the state directory.
//!
//! | module | owns | must not |
//! | --- | --- | --- |
//! | [`format`](mod@format) | the stored form of a session: its lines, reading them, what is to be written, the exports | touch files or tasks |
//! | [`files`] | one file a session: the folder, the locks, the thread that writes | know what stands in a line |
//! | [`drafts`] | what a project keeps for the composer: prompt history, unsent drafts, pasted images | stop the client when it fails |

pub mod drafts;
pub mod files;
pub mod format;
