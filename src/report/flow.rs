//! Consecutive messages as one text.

/// Puts a blank line between different messages.
#[derive(Debug, Default)]
pub struct Flow {
    message: Option<u64>,
    /// Line ends at the end of the text so far, at most two.
    ends: usize,
}

impl Flow {
    /// The line ends to put before a piece of a message.
    pub fn before(&mut self, message: u64, text: &str) -> &'static str {
        let gap = match self.message {
            Some(last) if last != message => ["\n\n", "\n", ""]
                .get(self.ends)
                .copied()
                .unwrap_or_default(),
            _ => "",
        };
        if !text.is_empty() {
            self.message = Some(message);
            let ends = text.chars().rev().take_while(|c| *c == '\n').count();
            self.ends = if ends == text.len() {
                self.ends + ends
            } else {
                ends
            }
            .min(2);
        }
        gap
    }

    /// The line end that the last line lacks.
    pub fn end(&mut self) -> &'static str {
        if self.message.is_some() && self.ends == 0 {
            self.ends = 1;
            "\n"
        } else {
            ""
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_a_blank_line_apart_and_the_last_line_ends() {
        let mut flow = Flow::default();
        let mut out = String::new();
        assert_eq!(flow.end(), "");
        for (message, text) in [
            (1, "a"),
            (1, "b"),
            (2, "c\n"),
            (3, "d\n"),
            (3, "\n"),
            (4, "e"),
        ] {
            out.push_str(flow.before(message, text));
            out.push_str(text);
        }
        out.push_str(flow.end());
        out.push_str(flow.end());
        assert_eq!(out, "ab\n\nc\n\nd\n\ne\n");
    }
}
