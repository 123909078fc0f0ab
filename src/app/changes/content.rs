//! A name for what a file was and is.

use crate::model::{BlobId, ChangedFile, Content, FileState};

/// Stored with marks and comments, so it is made of what the store of changes has, and is the same in every run
/// and build.
pub fn content_of(file: &ChangedFile) -> u64 {
    let mut hasher = blake3::Hasher::new();
    for state in [&file.before, &file.after] {
        match state {
            FileState::Absent => hasher.update(&[0]),
            FileState::Folder => hasher.update(&[1]),
            FileState::Link { target } => {
                let len = u64::try_from(target.len()).unwrap_or(u64::MAX);
                hasher.update(&[2]).update(&len.to_le_bytes());
                hasher.update(target)
            }
            FileState::File {
                content,
                size,
                mode,
                ..
            } => {
                match content {
                    Content::Kept(BlobId::Own(hash)) => hasher.update(&[3]).update(hash),
                    Content::Kept(BlobId::Git(id)) => hasher.update(&[4]).update(id),
                    Content::Left(_, stamp) => hasher.update(&[5]).update(&stamp.to_le_bytes()),
                };
                hasher.update(&size.to_le_bytes());
                hasher.update(&mode.to_le_bytes())
            }
        };
    }
    let mut first = [0; 8];
    hasher.finalize_xof().fill(&mut first);
    u64::from_le_bytes(first)
}
