//! Changes as a patch that `git apply` takes.

use std::{
    io,
    os::unix::ffi::OsStrExt,
    path::Path,
    time::{Duration, Instant},
};

use similar::{Algorithm, DiffTag, capture_diff_slices_deadline, group_diff_ops};

use super::{Changes, binary, git, read::is_binary};
use crate::{
    diff::CONTEXT,
    model::{ChangeKind, ChangedFile, FileState},
};

/// After this time a comparison is finished roughly: correct, but not minimal.
const TIMEOUT: Duration = Duration::from_millis(500);

impl Changes {
    /// Changes as one patch, with paths relative to `base`. What was not kept, is binary and large, or
    /// lies elsewhere is named in lines that `git apply` passes over.
    ///
    /// # Errors
    /// A content is gone.
    pub fn patch(&self, changes: &[ChangedFile], base: &Path) -> io::Result<Vec<u8>> {
        let mut out = Vec::new();
        let mut room = binary::ALL;
        for change in changes {
            let name = change.path.strip_prefix(base);
            let old = change.renamed_from.as_deref().unwrap_or(&change.path);
            let (Ok(new), Ok(old)) = (name, old.strip_prefix(base)) else {
                note(&mut out, &change.path, "is outside");
                continue;
            };
            let (before, after) = (self.text(&change.before)?, self.text(&change.after)?);
            let (Some(before), Some(after)) = (before, after) else {
                note(&mut out, new, "was not kept, and is not in this patch");
                continue;
            };
            let bytes = before.len().saturating_add(after.len());
            let has_text = !(change.binary || is_binary(&before) || is_binary(&after));
            if !has_text && before != after {
                if before.len().max(after.len()) > binary::ONE || bytes > room {
                    note(
                        &mut out,
                        new,
                        "is binary and large, and is not in this patch",
                    );
                    continue;
                }
                room -= bytes;
            }
            match change.kind {
                // git knows no such change in one step.
                ChangeKind::Type => {
                    one(
                        &mut out,
                        (old, new),
                        (&change.before, &before),
                        (&FileState::Absent, &[]),
                    );
                    one(
                        &mut out,
                        (old, new),
                        (&FileState::Absent, &[]),
                        (&change.after, &after),
                    );
                }
                _ => one(
                    &mut out,
                    (old, new),
                    (&change.before, &before),
                    (&change.after, &after),
                ),
            }
        }
        Ok(out)
    }

    /// What git compares: a link's text is where it leads. `None`: it is not kept.
    fn text(&self, state: &FileState) -> io::Result<Option<Vec<u8>>> {
        Ok(match state {
            FileState::Absent | FileState::Folder => Some(Vec::new()),
            FileState::Link { target } => Some(target.clone()),
            FileState::File { .. } => match state.blob() {
                Some(blob) => Some(self.content(blob)?),
                None => None,
            },
        })
    }
}

fn note(out: &mut Vec<u8>, path: &Path, why: &str) {
    out.extend(quoted("", path));
    out.extend(format!(" {why}\n").into_bytes());
}

fn one(
    out: &mut Vec<u8>,
    (old, new): (&Path, &Path),
    (state, before): (&FileState, &[u8]),
    (state_now, after): (&FileState, &[u8]),
) {
    let mut line = |parts: &[&[u8]]| {
        out.extend(parts.concat());
        out.push(b'\n');
    };
    let (old_name, new_name) = (quoted("a/", old), quoted("b/", new));
    line(&[b"diff --git ", &old_name, b" ", &new_name]);
    match (mode(state), mode(state_now)) {
        (None, Some(now)) => line(&[b"new file mode ", now.as_bytes()]),
        (Some(was), None) => line(&[b"deleted file mode ", was.as_bytes()]),
        (Some(was), Some(now)) if was != now => {
            line(&[b"old mode ", was.as_bytes()]);
            line(&[b"new mode ", now.as_bytes()]);
        }
        _ => {}
    }
    if old != new {
        line(&[b"rename from ", &quoted("", old)]);
        line(&[b"rename to ", &quoted("", new)]);
    }
    if before == after {
        return;
    }
    if is_binary(before) || is_binary(after) {
        let id = |state, content: &[u8]| match mode(state) {
            Some(_) => git::id_of(content),
            None => [0; 20],
        };
        let ids = (id(state, before), id(state_now, after));
        return binary::put(out, ids, before, after);
    }
    let nothing = || b"/dev/null".to_vec();
    let is_there = |state: &FileState| mode(state).is_some();
    let name = |name: Vec<u8>, state| if is_there(state) { name } else { nothing() };
    // After a name with a blank, a tab says where it ends.
    let tab = |name: &[u8]| {
        if name.contains(&b' ') {
            &b"\t"[..]
        } else {
            b""
        }
    };
    let (old_name, new_name) = (name(old_name, state), name(new_name, state_now));
    line(&[b"--- ", &old_name, tab(&old_name)]);
    line(&[b"+++ ", &new_name, tab(&new_name)]);
    hunks(out, before, after);
}

fn hunks(out: &mut Vec<u8>, before: &[u8], after: &[u8]) {
    let lines =
        |text| -> Vec<&[u8]> { <[u8]>::split_inclusive(text, |byte| *byte == b'\n').collect() };
    let (old, new) = (lines(before), lines(after));
    let deadline = Instant::now().checked_add(TIMEOUT);
    let ops = capture_diff_slices_deadline(Algorithm::Myers, &old, &new, deadline);
    let push = |sign: u8, line: &[u8], out: &mut Vec<u8>| {
        out.push(sign);
        out.extend_from_slice(line);
        if !line.ends_with(b"\n") {
            out.extend_from_slice(b"\n\\ No newline at end of file\n");
        }
    };
    for group in group_diff_ops(ops, CONTEXT) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else {
            continue;
        };
        let range = |start: usize, end: usize| match end - start {
            0 => format!("{start},0"),
            count => format!("{},{count}", start + 1),
        };
        let was = range(first.old_range().start, last.old_range().end);
        let now = range(first.new_range().start, last.new_range().end);
        out.extend(format!("@@ -{was} +{now} @@\n").into_bytes());
        for op in &group {
            let same = op.tag() == DiffTag::Equal;
            for line in old.get(op.old_range()).unwrap_or_default() {
                push(if same { b' ' } else { b'-' }, line, out);
            }
            for line in new.get(op.new_range()).unwrap_or_default() {
                if !same {
                    push(b'+', line, out);
                }
            }
        }
    }
}

fn mode(state: &FileState) -> Option<&'static str> {
    match state {
        FileState::Absent | FileState::Folder => None,
        FileState::Link { .. } => Some("120000"),
        FileState::File { mode, .. } if mode & 0o100 != 0 => Some("100755"),
        FileState::File { .. } => Some("100644"),
    }
}

/// As git writes a name: unusual bytes between quotes.
fn quoted(prefix: &str, path: &Path) -> Vec<u8> {
    let bytes = path.as_os_str().as_bytes();
    let usual = |byte: &u8| (b' '..=b'~').contains(byte) && !matches!(byte, b'"' | b'\\');
    let mut out = prefix.as_bytes().to_vec();
    if bytes.iter().all(usual) {
        out.extend_from_slice(bytes);
        return out;
    }
    out.insert(0, b'"');
    for byte in bytes {
        match byte {
            b'"' | b'\\' => out.extend([b'\\', *byte]),
            byte if usual(byte) => out.push(*byte),
            byte => out.extend(format!("\\{byte:03o}").into_bytes()),
        }
    }
    out.push(b'"');
    out
}
