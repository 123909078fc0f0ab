//! Bytes to text over split reads (V1-TERM-07).

/// Decodes UTF-8 piece by piece. What is invalid becomes U+FFFD.
#[derive(Default)]
pub struct Utf8Stream {
    /// The beginning of a character that the next piece may complete: at most 3 bytes.
    begun: Vec<u8>,
}

impl Utf8Stream {
    pub fn push(&mut self, bytes: &[u8], mut text: impl FnMut(&str)) {
        if self.begun.is_empty() {
            self.decode(bytes, &mut text);
        } else {
            let mut joined = std::mem::take(&mut self.begun);
            joined.extend_from_slice(bytes);
            self.decode(&joined, &mut text);
        }
    }

    /// No more comes.
    pub fn end(&mut self, mut text: impl FnMut(&str)) {
        if !self.begun.is_empty() {
            self.begun.clear();
            text("\u{fffd}");
        }
    }

    fn decode(&mut self, mut bytes: &[u8], text: &mut impl FnMut(&str)) {
        loop {
            let error = match std::str::from_utf8(bytes) {
                Ok(valid) => return text(valid),
                Err(error) => error,
            };
            let (valid, rest) = bytes.split_at(error.valid_up_to());
            text(std::str::from_utf8(valid).unwrap_or_default());
            let Some(broken) = error.error_len() else {
                self.begun = rest.to_vec();
                return;
            };
            text("\u{fffd}");
            bytes = rest.get(broken..).unwrap_or_default();
        }
    }
}
