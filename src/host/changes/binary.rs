//! Binary files in a patch, as git writes them: both contents, each compressed and in letters.

use std::io::Write;

use flate2::{Compression, write::ZlibEncoder};

use super::git::Id;

/// Of one side of a file that a patch carries.
pub const ONE: usize = 4 << 20;
/// Of all binary files in one patch, both sides.
pub const ALL: usize = 32 << 20;
/// Bytes in a line.
const LINE: usize = 52;

const LETTERS: &[u8; 85] =
    b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";

/// What follows the names and modes of a file: its ids before and after, without which git does not
/// take it, and how it is made in both directions.
pub fn put(out: &mut Vec<u8>, (was, now): (Id, Id), before: &[u8], after: &[u8]) {
    let hex = |id: Id| id.map(|byte| format!("{byte:02x}")).concat();
    let head = format!("index {}..{}\nGIT binary patch\n", hex(was), hex(now));
    out.extend(head.into_bytes());
    literal(out, after);
    literal(out, before);
}

fn literal(out: &mut Vec<u8>, content: &[u8]) {
    out.extend(format!("literal {}\n", content.len()).into_bytes());
    for line in packed(content).chunks(LINE) {
        // How many bytes it has: A to Z, then a to z.
        let count = u8::try_from(line.len()).unwrap_or(0);
        out.push(match count {
            0..=26 => b'A' + count.saturating_sub(1),
            _ => b'a' + count - 27,
        });
        for four in line.chunks(4) {
            let mut bytes = [0; 4];
            for (to, from) in bytes.iter_mut().zip(four) {
                *to = *from;
            }
            out.extend(letters(u32::from_be_bytes(bytes)));
        }
        out.push(b'\n');
    }
    out.push(b'\n');
}

fn packed(content: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    let packed = encoder.write_all(content).and_then(|()| encoder.finish());
    // Into memory: nothing can fail.
    packed.unwrap_or_default()
}

/// The digits of a number to the base 85.
fn letters(mut number: u32) -> [u8; 5] {
    let mut five = [0; 5];
    for letter in five.iter_mut().rev() {
        *letter = LETTERS.get((number % 85) as usize).copied().unwrap_or(b'0');
        number /= 85;
    }
    five
}
