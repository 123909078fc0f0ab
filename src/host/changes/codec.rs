//! Numbers, bytes and states as the store's files have them. What is read may be anything: it is
//! `None` then.

use crate::model::{BlobId, Cause, CauseKind, Content, FileState, Left, SessionId, ToolCallId};

/// Of one text in a cause; longer ones are left out.
const MAX_TEXT: usize = 1 << 10;
/// Calls of one cause.
const MAX_CALLS: usize = 256;

pub fn put_number(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

pub fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_number(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// A path as what it shares with the one before and the rest.
pub fn put_path(out: &mut Vec<u8>, before: &[u8], path: &[u8]) {
    let shared = before.iter().zip(path).take_while(|(a, b)| a == b).count();
    put_number(out, shared as u64);
    put_bytes(out, path.get(shared..).unwrap_or_default());
}

pub fn put_state(out: &mut Vec<u8>, state: &FileState) {
    match state {
        FileState::Absent => out.push(0),
        FileState::Folder => out.push(1),
        FileState::Link { target } => {
            out.push(2);
            put_bytes(out, target);
        }
        FileState::File {
            content,
            size,
            mode,
            binary,
        } => {
            let tag = match content {
                Content::Kept(BlobId::Own(_)) => 4,
                Content::Kept(BlobId::Git(_)) => 6,
                Content::Left(..) => 8,
            };
            out.push(tag | u8::from(*binary));
            put_number(out, *size);
            put_number(out, u64::from(*mode));
            match content {
                Content::Kept(BlobId::Own(hash)) => out.extend_from_slice(hash),
                Content::Kept(BlobId::Git(hash)) => out.extend_from_slice(hash),
                Content::Left(left, stamp) => {
                    out.push(match left {
                        Left::TooLarge => 0,
                        Left::NoRoom => 1,
                        Left::Unreadable => 2,
                        Left::Changing => 3,
                        Left::Unseen => 4,
                    });
                    out.extend_from_slice(&stamp.to_le_bytes());
                }
            }
        }
    }
}

pub fn put_cause(out: &mut Vec<u8>, cause: &Cause) {
    out.push(match cause.kind {
        CauseKind::Look => 0,
        CauseKind::TurnStart => 1,
        CauseKind::TurnEnd => 2,
        CauseKind::Named => 3,
        CauseKind::Undo => 4,
        CauseKind::Redo => 5,
        CauseKind::Begun => 6,
    });
    let session = cause.session.as_ref().map_or("", SessionId::as_str);
    let kept = |text: &str| text.len() <= MAX_TEXT;
    put_bytes(
        out,
        Some(session).filter(|id| kept(id)).unwrap_or("").as_bytes(),
    );
    put_number(out, cause.turn.map_or(0, |turn| turn.saturating_add(1)));
    let calls: Vec<&ToolCallId> = cause
        .calls
        .iter()
        .filter(|id| kept(id.as_str()))
        .take(MAX_CALLS)
        .collect();
    put_number(out, calls.len() as u64);
    for call in calls {
        put_bytes(out, call.as_str().as_bytes());
    }
}

pub struct Reader<'a>(pub &'a [u8]);

impl<'a> Reader<'a> {
    pub fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    pub fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    pub fn byte(&mut self) -> Option<u8> {
        self.array().map(|[byte]: [u8; 1]| byte)
    }

    pub fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    pub fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub fn number(&mut self) -> Option<u64> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                return None;
            }
            number |= bits << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    pub fn length(&mut self) -> Option<usize> {
        usize::try_from(self.number()?).ok()
    }

    pub fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = self.length()?;
        self.take(length)
    }

    pub fn path(&mut self, before: &[u8]) -> Option<Vec<u8>> {
        let shared = self.length()?;
        let mut path = before.get(..shared)?.to_vec();
        path.extend_from_slice(self.bytes()?);
        Some(path)
    }

    pub fn state(&mut self) -> Option<FileState> {
        Some(match self.byte()? {
            0 => FileState::Absent,
            1 => FileState::Folder,
            2 => FileState::Link {
                target: self.bytes()?.to_vec(),
            },
            tag @ 4..=9 => {
                let size = self.number()?;
                let mode = u32::try_from(self.number()?).ok()?;
                let content = match tag & !1 {
                    4 => Content::Kept(BlobId::Own(self.array()?)),
                    6 => Content::Kept(BlobId::Git(self.array()?)),
                    _ => {
                        let left = match self.byte()? {
                            0 => Left::TooLarge,
                            1 => Left::NoRoom,
                            2 => Left::Unreadable,
                            4 => Left::Unseen,
                            _ => Left::Changing,
                        };
                        Content::Left(left, self.u64()?)
                    }
                };
                FileState::File {
                    content,
                    size,
                    mode,
                    binary: tag & 1 == 1,
                }
            }
            _ => return None,
        })
    }

    pub fn cause(&mut self) -> Option<Cause> {
        let kind = match self.byte()? {
            0 => CauseKind::Look,
            1 => CauseKind::TurnStart,
            2 => CauseKind::TurnEnd,
            3 => CauseKind::Named,
            4 => CauseKind::Undo,
            5 => CauseKind::Redo,
            6 => CauseKind::Begun,
            _ => return None,
        };
        let session = std::str::from_utf8(self.bytes()?).ok()?;
        let turn = self.number()?.checked_sub(1);
        let count = self.length()?;
        let mut calls = Vec::new();
        for _ in 0..count.min(MAX_CALLS) {
            calls.push(ToolCallId::new(std::str::from_utf8(self.bytes()?).ok()?));
        }
        Some(Cause {
            kind,
            session: (!session.is_empty()).then(|| SessionId::new(session)),
            turn,
            calls,
        })
    }
}

/// A payload behind its length and the start of its hash, compressed: a torn one is told from a whole
/// one.
pub fn framed(payload: &[u8]) -> Vec<u8> {
    let packed = lz4_flex::block::compress_prepend_size(payload);
    let mut out = Vec::with_capacity(packed.len() + 16);
    out.extend_from_slice(&(packed.len() as u64).to_le_bytes());
    out.extend_from_slice(&check(&packed).to_le_bytes());
    out.extend_from_slice(&packed);
    out
}

/// The payload of the first frame and the bytes that it took; `None` if it is not whole.
pub fn unframed(bytes: &[u8]) -> Option<(Vec<u8>, usize)> {
    /// What compresses better than that is none of ours.
    const MOST_TIMES: usize = 256;
    let mut reader = Reader(bytes);
    let length = usize::try_from(reader.u64()?).ok()?;
    let sum = reader.u64()?;
    let packed = reader.take(length)?;
    if check(packed) != sum {
        return None;
    }
    let (size, _) = lz4_flex::block::uncompressed_size(packed).ok()?;
    if size / MOST_TIMES > packed.len() {
        return None;
    }
    let payload = lz4_flex::block::decompress_size_prepended(packed).ok()?;
    Some((payload, length + 16))
}

pub fn check(bytes: &[u8]) -> u64 {
    let hash = blake3::hash(bytes);
    let first: [u8; 8] = hash.as_bytes().first_chunk().copied().unwrap_or_default();
    u64::from_le_bytes(first)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn states() -> impl Strategy<Value = FileState> {
        let content = prop_oneof![
            any::<[u8; 32]>().prop_map(|hash| Content::Kept(BlobId::Own(hash))),
            any::<[u8; 20]>().prop_map(|hash| Content::Kept(BlobId::Git(hash))),
            any::<u64>().prop_map(|stamp| Content::Left(Left::NoRoom, stamp)),
        ];
        prop_oneof![
            Just(FileState::Absent),
            Just(FileState::Folder),
            any::<Vec<u8>>().prop_map(|target| FileState::Link { target }),
            (content, any::<u64>(), any::<u32>(), any::<bool>()).prop_map(
                |(content, size, mode, binary)| FileState::File {
                    content,
                    size,
                    mode,
                    binary
                }
            ),
        ]
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(state in states(), number: u64, before: Vec<u8>, path: Vec<u8>) {
            let mut out = Vec::new();
            put_state(&mut out, &state);
            put_number(&mut out, number);
            put_path(&mut out, &before, &path);
            let mut reader = Reader(&out);
            prop_assert_eq!(reader.state(), Some(state));
            prop_assert_eq!(reader.number(), Some(number));
            prop_assert_eq!(reader.path(&before), Some(path));
            prop_assert!(reader.0.is_empty());
        }

        #[test]
        fn no_bytes_make_a_reader_panic(bytes: Vec<u8>) {
            Reader(&bytes).state();
            Reader(&bytes).cause();
            Reader(&bytes).path(b"abc");
            unframed(&bytes);
        }

        #[test]
        fn a_frame_that_is_cut_or_changed_is_none(payload: Vec<u8>, at: prop::sample::Index, flip in 1_u8..) {
            let frame = framed(&payload);
            prop_assert_eq!(unframed(&frame), Some((payload, frame.len())));
            let at = at.index(frame.len());
            prop_assert_eq!(unframed(&frame[..at]), None);
            let mut other = frame;
            other[at] ^= flip;
            prop_assert_eq!(unframed(&other), None);
        }
    }

    #[test]
    fn a_cause_is_read_back_within_its_bounds() {
        for over in [-1_isize, 0, 1] {
            let text = "x".repeat(MAX_TEXT.strict_add_signed(over));
            let count = MAX_CALLS.strict_add_signed(over);
            let cause = Cause {
                kind: CauseKind::Named,
                session: Some(SessionId::new(&text)),
                turn: Some(0),
                calls: vec![ToolCallId::new("call"); count],
            };
            let mut out = Vec::new();
            put_cause(&mut out, &cause);
            let read = Reader(&out).cause().unwrap();
            assert_eq!(read.session.is_some(), over <= 0);
            assert_eq!(read.calls.len(), count.min(MAX_CALLS));
            assert_eq!((read.kind, read.turn), (cause.kind, cause.turn));
        }
    }
}
