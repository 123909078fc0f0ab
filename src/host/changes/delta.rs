//! One content as what differs from another one, compressed.
//!
//! What both begin and end with is left out; the rest is compressed with the other content around
//! that place as a dictionary. So a turn's small changes of a file take some hundred bytes, not the
//! file.

use super::codec::{Reader, put_number};

/// What LZ4 can look back.
const WINDOW: usize = 64 << 10;

/// `content` as made from `base`.
pub fn packed(base: &[u8], content: &[u8]) -> Vec<u8> {
    let same =
        |pairs: &mut dyn Iterator<Item = (&u8, &u8)>| pairs.take_while(|(a, b)| a == b).count();
    let start = same(&mut base.iter().zip(content));
    let (base_rest, rest) = (
        base.get(start..).unwrap_or_default(),
        content.get(start..).unwrap_or_default(),
    );
    let end = same(&mut base_rest.iter().rev().zip(rest.iter().rev()));
    let middle = rest.get(..rest.len() - end).unwrap_or_default();
    let mut out = Vec::new();
    put_number(&mut out, start as u64);
    put_number(&mut out, end as u64);
    put_number(&mut out, middle.len() as u64);
    out.extend(lz4_flex::block::compress_with_dict(
        middle,
        dictionary(base, start),
    ));
    out
}

/// The content again. `most`: of its bytes.
pub fn unpacked(base: &[u8], packed: &[u8], most: usize) -> Option<Vec<u8>> {
    let mut reader = Reader(packed);
    let (start, end, middle) = (reader.length()?, reader.length()?, reader.length()?);
    let size = start.checked_add(end)?.checked_add(middle)?;
    if size > most {
        return None;
    }
    let mut out = Vec::with_capacity(size);
    out.extend_from_slice(base.get(..start)?);
    let dictionary = dictionary(base, start);
    let between = lz4_flex::block::decompress_with_dict(reader.0, middle, dictionary).ok()?;
    if between.len() != middle {
        return None;
    }
    out.extend_from_slice(&between);
    out.extend_from_slice(base.get(base.len().checked_sub(end)?..)?);
    Some(out)
}

/// What of `base` is around the place of the change: mostly behind it, where the lines stand that
/// were changed.
fn dictionary(base: &[u8], at: usize) -> &[u8] {
    let from = at.saturating_sub(WINDOW / 4);
    let to = from.saturating_add(WINDOW).min(base.len());
    let from = to.saturating_sub(WINDOW).min(from);
    base.get(from..to).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_content_comes_back(base in "[ab\n]{0,200}", content in "[ab\n]{0,200}") {
            let packed = packed(base.as_bytes(), content.as_bytes());
            let most = content.len();
            prop_assert_eq!(unpacked(base.as_bytes(), &packed, most), Some(content.clone().into_bytes()));
            if most > 0 {
                prop_assert_eq!(unpacked(base.as_bytes(), &packed, most - 1), None);
            }
        }

        #[test]
        fn nothing_makes_it_panic(base: Vec<u8>, packed: Vec<u8>) {
            unpacked(&base, &packed, 1 << 20);
        }
    }

    #[test]
    fn small_changes_take_little() {
        let base: String = (0..20_000)
            .map(|n| format!("let line_{n} = {};\n", n * n))
            .collect();
        for at in [0, base.len() / 2, base.len() - 20] {
            let at = at + base[at..].find('\n').unwrap();
            let content = format!("{}changed\n{}", &base[..at], &base[at..]);
            let packed = packed(base.as_bytes(), content.as_bytes());
            assert!(packed.len() < 64, "{}", packed.len());
            assert_eq!(
                unpacked(base.as_bytes(), &packed, content.len()).unwrap(),
                content.as_bytes()
            );
        }
    }
}
