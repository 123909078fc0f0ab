//! Runs the highlighter off the UI task, line by line, continuing where it stopped.

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    ops::Range,
    sync::Arc,
};

use syntect::parsing::{ParseState, ScopeStack};

use super::{Language, Token, language::syntaxes};
use crate::ui::{
    offload::{Offload, Product},
    render::RenderContext,
};

/// Bytes of one text that are highlighted; the rest stays plain.
const MAX_TEXT: usize = 512 * 1024;
/// Bytes of a line; longer ones (minified code) stay plain.
const MAX_LINE: usize = 4 * 1024;

/// A text to highlight, or a piece of one that is cut into pieces at line ends.
#[derive(Clone, Copy, Debug)]
pub struct Code<'a> {
    pub language: Language<'a>,
    pub text: &'a str,
    /// The code before this piece; empty for a whole text.
    pub before: &'a str,
    /// 0 for a whole text or a first piece, else [`Code::key`] of the piece before: stands for
    /// `language` and `before`.
    pub previous: u64,
    /// Whether the text is complete. For a growing text only the latest result is kept.
    pub done: bool,
    /// Tells apart texts that grow at the same time.
    pub id: u64,
}

/// The colours of a text, as far as computed.
#[derive(Clone, Debug, Default)]
pub struct Highlight {
    /// May cover only the beginning until the rest is computed.
    pub lines: Option<Arc<Highlighted>>,
    /// More will be there later: render again ([`crate::ui::render::Rendered::provisional`]).
    pub pending: bool,
}

impl Highlight {
    /// Tokens of line `n`, by bytes in the line, in order, without overlaps.
    pub fn line(&self, n: usize) -> &[(Range<usize>, Token)] {
        self.lines.as_ref().map_or(&[], |lines| lines.line(n))
    }
}

type Tokens = Box<[(Range<usize>, Token)]>;

/// Tokens of a text, and the state to continue from.
#[derive(Clone, Debug, Default)]
pub struct Highlighted {
    /// Of the lines that end in a newline.
    complete: Vec<Arc<Tokens>>,
    /// Of a last line that may go on.
    partial: Option<Arc<Tokens>>,
    /// After the complete lines; `None` where the language is not known.
    state: Option<State>,
    /// Bytes of the complete lines.
    complete_len: usize,
    /// Bytes and hash of the whole text.
    len: usize,
    hash: u64,
}

/// Pieces of a code block share no tokens; results for a growing one do, and only the last is kept.
impl Product for Highlighted {
    fn weight(&self) -> usize {
        let line = size_of::<Arc<Tokens>>() + 4 * size_of::<usize>();
        let token = size_of::<(Range<usize>, Token)>();
        let lines = self.complete.iter().chain(&self.partial);
        let tokens: usize = lines.map(|line| line.len()).sum();
        // A state is a handful of contexts and scopes.
        self.complete.len() * line + tokens * token + size_of::<Self>() + (1 << 10)
    }
}

#[derive(Clone, Debug)]
struct State {
    parse: ParseState,
    scopes: ScopeStack,
}

impl Highlighted {
    pub fn line(&self, n: usize) -> &[(Range<usize>, Token)] {
        let tokens = match self.complete.get(n) {
            None if n == self.complete.len() => self.partial.as_ref(),
            found => found,
        };
        tokens.map_or(&[], |tokens| tokens.as_ref())
    }

    /// Whether `text` is this text with something appended, or nothing.
    fn begins(&self, text: &str) -> bool {
        text.get(..self.len)
            .is_some_and(|beginning| hash(beginning) == self.hash)
    }
}

impl<'a> Code<'a> {
    pub fn whole(language: Language<'a>, text: &'a str) -> Self {
        Self {
            language,
            text,
            before: "",
            previous: 0,
            done: true,
            id: 0,
        }
    }

    /// Stands for this piece and all before it.
    pub fn key(&self) -> u64 {
        hash((self.previous, self.language, self.text))
    }

    /// The colours so far. Starts the work unless it was started; never does it on the caller, unless
    /// the [offload](crate::ui::offload::Offload) is immediate.
    pub fn highlight(&self, ctx: &RenderContext<'_>) -> Highlight {
        let first = if self.before.is_empty() {
            self.text
        } else {
            self.before
        };
        if self.text.is_empty()
            || self.before.len() + self.text.len() > MAX_TEXT
            || self.language.is_plain(first)
        {
            return Highlight::default();
        }
        let growing = hash(("growing", self.previous, self.language, self.id));
        let seen = |old: Option<Arc<Highlighted>>| old.filter(|old| old.begins(self.text));
        // A finished text continues from the result for its growing form, and shows that meanwhile.
        let (key, rev, seen) = if self.done {
            (self.key(), 0, seen(ctx.offload.peek(growing)))
        } else {
            (growing, hash(self.text), seen(ctx.offload.peek(growing)))
        };
        let latest = ctx
            .offload
            .latest(key, rev, self.text.len() + self.before.len(), || {
                self.job(seen.clone(), ctx.offload)
            });
        Highlight {
            pending: latest.is_none(),
            lines: latest.or(seen),
        }
    }

    /// The work with its data, continuing from `start`.
    fn job(
        &self,
        start: Option<Arc<Highlighted>>,
        offload: &Offload,
    ) -> impl FnOnce() -> Highlighted + Send + 'static {
        let (is_path, name) = match self.language {
            Language::Fence(info) => (false, info.to_owned()),
            Language::Path(path) => (true, path.to_owned()),
        };
        let (text, previous, offload) = (self.text.to_owned(), self.previous, offload.clone());
        let known: Option<Arc<Highlighted>> = offload.peek(previous);
        let before = match known {
            Some(_) => String::new(),
            None => self.before.to_owned(),
        };
        move || {
            let language = match is_path {
                true => Language::Path(&name),
                false => Language::Fence(&name),
            };
            if let Some(start) = start {
                return start.go_on(&text);
            }
            // The piece before may have been waiting in the same queue.
            let state = match known.or_else(|| offload.peek(previous)) {
                Some(previous) => previous.state.clone(),
                None if before.is_empty() => State::new(language, &text),
                None => {
                    Highlighted::new(State::new(language, &before))
                        .go_on(&before)
                        .state
                }
            };
            Highlighted::new(state).go_on(&text)
        }
    }
}

impl Highlighted {
    fn new(state: Option<State>) -> Self {
        Self {
            complete: Vec::new(),
            partial: None,
            state,
            complete_len: 0,
            len: 0,
            hash: hash(""),
        }
    }

    /// `text` begins with the text of `self`.
    fn go_on(&self, text: &str) -> Self {
        let mut next = Self {
            complete: self.complete.clone(),
            partial: None,
            state: self.state.clone(),
            complete_len: self.complete_len,
            len: text.len(),
            hash: hash(text),
        };
        let Some(state) = &mut next.state else {
            return next;
        };
        for line in text[self.complete_len..].split_inclusive('\n') {
            if line.ends_with('\n') {
                next.complete.push(Arc::new(state.line(line)));
                next.complete_len += line.len();
            } else {
                next.partial = Some(Arc::new(state.clone().line(line)));
            }
        }
        next
    }
}

impl State {
    fn new(language: Language<'_>, text: &str) -> Option<Self> {
        let syntax = language.syntax(text)?;
        Some(Self {
            parse: ParseState::new(syntax),
            scopes: ScopeStack::new(),
        })
    }

    fn line(&mut self, line: &str) -> Tokens {
        if line.len() > MAX_LINE {
            return Box::default();
        }
        // An error is the definition's fault: the line stays plain, and the next one is parsed.
        let Ok(output) = self.parse.parse_line(line, syntaxes()) else {
            return Box::default();
        };
        let end = line.trim_end_matches('\n').len();
        let mut tokens: Vec<(Range<usize>, Token)> = Vec::new();
        let mut add = |range: Range<usize>, scopes: &ScopeStack| {
            let range = range.start..range.end.min(end);
            let token = Token::of(scopes.as_slice());
            if range.is_empty() || token == Token::Plain {
                return;
            }
            match tokens.last_mut() {
                Some((last, same)) if *same == token && last.end == range.start => {
                    last.end = range.end;
                }
                _ => tokens.push((range, token)),
            }
        };
        let mut at = 0;
        for (position, op) in output {
            add(at..position, &self.scopes);
            at = position.max(at);
            if self.scopes.apply(&op).is_err() {
                self.scopes = ScopeStack::new();
            }
        }
        add(at..end, &self.scopes);
        tokens.into()
    }
}

fn hash(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use std::{sync::mpsc, time::Instant};

    use super::*;
    use crate::ui::theme::{Background, Colours, Symbols, Theme};

    fn with<T>(offload: &Offload, test: impl FnOnce(&RenderContext<'_>) -> T) -> T {
        test(&RenderContext {
            theme: &Theme::palette(Background::Dark, Colours::Indexed),
            symbols: &Symbols::UNICODE,
            offload,
            width: 80,
            measure: crate::ui::render::MEASURE,
            indent: 0,
            pictures: crate::picture::Canvas::NONE,
            now: Instant::now(),
        })
    }

    fn tokens(highlight: &Highlight, text: &str) -> Vec<Vec<(String, Token)>> {
        text.lines()
            .enumerate()
            .map(|(n, line)| {
                highlight
                    .line(n)
                    .iter()
                    .map(|(range, token)| (line[range.clone()].to_owned(), *token))
                    .collect()
            })
            .collect()
    }

    fn piece<'a>(text: &'a str, before: &'a str, previous: u64, done: bool) -> Code<'a> {
        Code {
            language: Language::Fence("rust"),
            text,
            before,
            previous,
            done,
            id: 1,
        }
    }

    #[test]
    fn tokens_are_by_meaning() {
        let text = "fn main() {\n    let x = \"a\"; // b\n}";
        let offload = Offload::immediate();
        with(&offload, |ctx| {
            let got = Code::whole(Language::Path("a.rs"), text).highlight(ctx);
            assert!(!got.pending);
            let got = tokens(&got, text);
            assert_eq!(got[0][0], ("fn".to_owned(), Token::Keyword));
            assert_eq!(got[0][1], ("main".to_owned(), Token::Function));
            assert!(got[1].contains(&("\"a\"".to_owned(), Token::String)));
            assert!(got[1].contains(&("// b".to_owned(), Token::Comment)));
        });
    }

    #[test]
    fn a_piece_goes_on_in_the_state_of_the_one_before() {
        let (first, second) = ("/* open\n", "still */ fn x() {}\n");
        for know_first in [true, false] {
            let offload = Offload::immediate();
            with(&offload, |ctx| {
                let one = piece(first, "", 0, true);
                if know_first {
                    one.highlight(ctx);
                }
                let two = piece(second, first, one.key(), true).highlight(ctx);
                let got = tokens(&two, second);
                assert_eq!(got[0][0], ("still */".to_owned(), Token::Comment));
                assert_eq!(got[0][1], ("fn".to_owned(), Token::Keyword));
            });
        }
    }

    #[test]
    fn what_grows_never_loses_the_colours_it_had() {
        let text = "/* a\n b */ let x = 1;\nlet y = \"two\";\nlet z";
        let (sender, receiver) = mpsc::channel();
        let offload = Offload::new(move || sender.send(()).expect("test waits"));
        let wait = || {
            receiver
                .recv_timeout(std::time::Duration::from_secs(60))
                .expect("woken");
        };
        with(&offload, |ctx| {
            assert!(piece("let a", "", 0, false).highlight(ctx).pending);
            wait();
            let mut coloured = 0;
            for end in 1..=text.len() {
                let now = piece(&text[..end], "", 0, false).highlight(ctx);
                let lines = now.lines.as_ref().map_or(0, |lines| lines.complete.len());
                assert!(lines >= coloured);
                coloured = lines;
                if now.pending {
                    wait();
                }
            }
            let ended = piece(text, "", 0, true);
            assert!(!ended.highlight(ctx).line(0).is_empty());
            wait();
            let ended = ended.highlight(ctx);
            assert!(!ended.pending);
            let whole = with(&Offload::immediate(), |ctx| {
                piece(text, "", 0, true).highlight(ctx)
            });
            assert_eq!(tokens(&ended, text), tokens(&whole, text));
        });
    }

    #[test]
    fn what_is_too_big_or_no_language_stays_plain() {
        let long_line = format!("let x = {};\nlet y = 1;\n", "1".repeat(MAX_LINE));
        let big = "let x = 1;\n".repeat(MAX_TEXT / 11 + 1);
        let offload = Offload::immediate();
        with(&offload, |ctx| {
            let got = Code::whole(Language::Fence("rust"), &long_line).highlight(ctx);
            assert!(got.line(0).is_empty() && !got.line(1).is_empty());
            for (language, text) in [("rust", big.as_str()), ("text", "let"), ("klingon", "let")] {
                let got = Code::whole(Language::Fence(language), text).highlight(ctx);
                assert!(!got.pending && got.line(0).is_empty());
            }
        });
    }
}
