//! `session/request_permission`: who asks for what, and the agent's own options.

use std::{cell::Cell, path::Path, sync::Arc};

use crate::{
    model::{ContentBlock, Diff, RawJson, ToolContent, ToolKind},
    session::{BlockKind, Event, PermissionQuestion, Question, Stray, ToolCall},
    text::{SafeText, exact, exact_line, first_bytes},
    ui::{
        UiCommand,
        action::Action,
        blocks::{Asked, FULL_ROWS, asked, render_content},
        overlay::{Guard, OverlayContext, asker},
        render::{
            diff::{change_label, diff_stats, push_stats},
            format::{bytes, count},
            json::laid_out,
            line::StyledLine,
        },
    },
};

use super::{
    Body, Choice, QuestionDialog, Subject,
    body::{has_signs, place, push_outside},
    raw_input::Shown,
    run::Run,
};

/// Bytes of a raw input that are laid out in the dialog, and when it has the whole screen; the viewer
/// has the rest.
const RAW_BYTES: usize = 64 << 10;
const RAW_BYTES_EXPANDED: usize = 512 << 10;

/// Bytes of one that needs no viewer.
const SEEN_AT_ONCE: usize = 512;

/// Lines of a raw input that became others, on each side; of more their number.
const MAX_CHANGED: usize = 12;

/// Files that are named above their diffs; of more their number.
const MAX_FILES: usize = 20;

/// Options offered to the person; more than anyone could choose from.
const MAX_OPTIONS: usize = 64;

/// Bytes of an option's name.
const LABEL_BYTES: usize = 1 << 10;

struct Permission {
    question: PermissionQuestion,
    /// Whether the raw input is to be shown, as of that revision: looking it through costs.
    input_shown: Cell<Option<(u64, bool)>>,
}

impl QuestionDialog {
    pub fn permission(question: &PermissionQuestion, guard: Guard) -> Self {
        let choices = question
            .options
            .iter()
            .take(MAX_OPTIONS)
            .map(|option| Choice {
                label: SafeText::line(first_bytes(&option.name, LABEL_BYTES)),
                kind: option.kind,
                foreign: true,
            })
            .collect();
        let subject = Box::new(Permission {
            question: question.clone(),
            input_shown: Cell::new(None),
        });
        Self::new(Some(question.id), subject, choices, guard)
    }
}

impl Subject for Permission {
    fn title(&self, cx: &OverlayContext<'_>) -> String {
        let wants = match self.now(cx).subject.acts_as() {
            ToolKind::Read => "read",
            ToolKind::Edit => "change files",
            ToolKind::Delete => "delete files",
            ToolKind::Move => "move files",
            ToolKind::Search => "search",
            ToolKind::Execute => "run a command",
            ToolKind::Think => "think",
            ToolKind::Fetch => "fetch from the network",
            ToolKind::SwitchMode => "switch its mode",
            ToolKind::Other => "use a tool",
        };
        let who = asker(cx.session, self.question.subagent.as_ref());
        if self.question.subject.opaque {
            return format!("{who} asks for permission");
        }
        format!("{who} wants to {wants}")
    }

    fn rev(&self, cx: &OverlayContext<'_>) -> u64 {
        cx.session
            .and_then(|session| session.asked_about(&self.question))
            .map_or(0, |block| block.rev)
    }

    fn revision(&self, cx: &OverlayContext<'_>) -> u64 {
        self.now(cx).revision
    }

    fn answer(&self, at: usize) -> Option<UiCommand> {
        let option = self.question.options.get(at)?;
        Some(UiCommand::Session(Event::Answer {
            question: self.question.id,
            option: option.id.clone(),
        }))
    }

    fn shown_whole(&self, cx: &OverlayContext<'_>) -> Option<&'static str> {
        if self.has_diff(cx) {
            return Some("full diff");
        }
        let input = self.input_to_show(cx)?;
        (input.0.len() > SEEN_AT_ONCE).then_some("full input")
    }

    fn diffs<'a>(&'a self, cx: &OverlayContext<'a>) -> Vec<&'a Arc<Diff>> {
        let content = self.now(cx).subject.content.iter();
        content.filter_map(ToolContent::diff).collect()
    }

    fn takes_reason(&self) -> bool {
        true
    }

    fn body(&self, width: usize, expanded: bool, cx: &OverlayContext<'_>) -> Body {
        let mut builder = Builder {
            body: Body::default(),
            signs: false,
            width,
            expanded,
            cx,
        };
        let question = self.now(cx);
        let input = self.input_to_show(cx);
        if let (Some(changed), Some(now)) = (&question.changed, &input) {
            builder.changed_input(changed.input.as_ref(), now);
        }
        builder.strays(question);
        builder.command(question);
        builder.asked_before(question);
        builder.title(question);
        // A change says more than its raw input, and comes first.
        let (above, below) = match self.has_diff(cx) {
            false => (input, None),
            true => (None, input),
        };
        if let Some(raw) = above {
            builder.json("input", &raw);
        }
        builder.files(question);
        for content in &question.subject.content {
            builder.content(content);
        }
        builder.paths(question);
        if let Some(raw) = below {
            builder.body.blank(cx);
            builder.json("input", &raw);
        }
        let left_out = self.question.options.len().saturating_sub(MAX_OPTIONS);
        if left_out > 0 {
            let text = format!("{left_out} options are not offered here");
            let line = StyledLine::styled(&text, cx.theme.warning);
            builder.body.push(line, width);
        }
        let changed = question.changed.is_some();
        builder.finish(changed)
    }
}

impl Permission {
    /// The question as it is now: its diffs are compared with the files while it is open.
    fn now<'a>(&'a self, cx: &OverlayContext<'a>) -> &'a PermissionQuestion {
        let mut questions = cx.session.iter().flat_map(|session| &session.questions);
        let live = questions.find_map(|question| match question {
            Question::Permission(question) if question.id == self.question.id => Some(question),
            _ => None,
        });
        live.unwrap_or(&self.question)
    }

    fn has_diff(&self, cx: &OverlayContext<'_>) -> bool {
        let mut content = self.now(cx).subject.content.iter();
        content.any(|content| content.diff().is_some())
    }

    /// The raw input, where not all that it says is seen to be shown.
    fn input_to_show(&self, cx: &OverlayContext<'_>) -> Option<RawJson> {
        let call = self.call(cx)?;
        let raw = call.raw_input.clone()?;
        // The diffs were made from it: compared with the file they no longer hold its texts unchanged.
        let is_same_path =
            |a: &str, b: &str| place(a, cx.session).shown == place(b, cx.session).shown;
        if call.diffs.tell_the_raw_input(is_same_path) {
            return None;
        }
        let rev = self.rev(cx);
        let shown = match self.input_shown.get() {
            Some((of, shown)) if of == rev => shown,
            _ => {
                let shown = !self.shown(cx).tells(&raw.0);
                self.input_shown.set(Some((rev, shown)));
                shown
            }
        };
        shown.then_some(raw)
    }

    fn shown<'a>(&'a self, cx: &OverlayContext<'a>) -> Shown<'a> {
        let question = self.now(cx);
        let subject = &question.subject;
        let diffs = subject.content.iter().filter_map(ToolContent::diff);
        let diffs: Vec<&Diff> = diffs.map(AsRef::as_ref).collect();
        let paths = subject.paths.iter().map(String::as_str);
        // Below a command its directory stands as well.
        let ours = cx.session.and_then(|session| session.config.cwd.to_str());
        let cwd = subject.command_cwd.as_deref().or(ours);
        let places = paths.chain(diffs.iter().flat_map(|diff| diff.paths()));
        let claimed = match self.call(cx) {
            Some(call) => call.diffs.claimed().collect(),
            None => Vec::new(),
        };
        let texts = subject.content.iter().filter_map(|content| match content {
            ToolContent::Block(ContentBlock::Text(text)) => Some(text),
            _ => None,
        });
        let own = [&question.title, &question.description];
        let texts = texts.chain(own.into_iter().flatten());
        Shown {
            command: subject.command.as_deref(),
            cwd: cwd.map(|cwd| place(cwd, cx.session).shown),
            places: places.map(|path| place(path, cx.session).shown).collect(),
            texts: texts.cloned().chain(title_to_show(question)).collect(),
            diffs,
            claimed,
            session: cx.session,
        }
    }

    fn call<'a>(&self, cx: &OverlayContext<'a>) -> Option<&'a ToolCall> {
        match &cx.session?.asked_about(&self.question)?.kind {
            BlockKind::Tool(call) => Some(call),
            _ => None,
        }
    }
}

/// Equal but for blanks and line breaks: agents put a command on one line for its title.
fn same_words(a: &str, b: &str) -> bool {
    a.split_whitespace().eq(b.split_whitespace())
}

/// `Edit src/a.rs` above the diff of that file, whose path stands there whole.
fn names_the_file(title: &str, content: &[ToolContent]) -> bool {
    let [ToolContent::Diff(diff)] = content else {
        return false;
    };
    let named = title.split_once(' ').map_or(title, |(_, rest)| rest);
    let named = named.trim_matches('`');
    !named.is_empty() && Path::new(&diff.path).ends_with(named)
}

/// The call's title, where nothing else in the question says it: not the command once more.
fn title_to_show(question: &PermissionQuestion) -> Option<SafeText> {
    let subject = &question.subject;
    let title = SafeText::new(subject.title.trim());
    let command = subject.command.as_deref().map(SafeText::new);
    let repeats = command.is_some_and(|command| same_words(title.trim_matches('`'), &command));
    let own = question.title.as_ref().map(|title| title.trim());
    let said = title.is_empty() || repeats || *title == *own.unwrap_or_default();
    (!said && !names_the_file(&title, &subject.content)).then_some(title)
}

struct Builder<'a> {
    body: Body,
    /// Something holds signs that stand for invisible characters.
    signs: bool,
    width: usize,
    expanded: bool,
    cx: &'a OverlayContext<'a>,
}

impl Builder<'_> {
    /// The title as the agent words it, where it is not the command once more; and why it is asked.
    fn title(&mut self, question: &PermissionQuestion) {
        let theme = self.cx.theme;
        let subject = &question.subject;
        // The question's own words go before the call's, and in place of none (V2-PERM-01).
        let own = question.title.as_ref().map(|title| title.trim());
        let own = own.unwrap_or_default();
        if !own.is_empty() {
            self.verbatim(&SafeText::new(own), &StyledLine::new(), theme.strong);
        }
        let why = question.description.as_ref().map(|text| text.trim());
        if let Some(why) = why.filter(|why| !why.is_empty()) {
            self.verbatim(&SafeText::new(why), &StyledLine::new(), theme.text);
        }
        if let Some(title) = title_to_show(question) {
            let below = subject.command.is_some();
            let style = if below { theme.dim } else { theme.strong };
            self.verbatim(&title, &StyledLine::new(), style);
        }
        if let Some(reason) = &question.reason {
            self.body.push_reason(reason, self.width, self.cx);
        }
    }

    /// The lines of a raw input that changed since it was asked: no one would find them in the whole.
    fn changed_input(&mut self, before: Option<&RawJson>, now: &RawJson) {
        let theme = self.cx.theme;
        let lines = |raw: &RawJson| laid_out(&raw.0, RAW_BYTES).0;
        let (before, now) = (before.map(lines).unwrap_or_default(), lines(now));
        let old: Vec<&str> = before.lines().collect();
        let new: Vec<&str> = now.lines().collect();
        let same = |pairs: &mut dyn Iterator<Item = (&&str, &&str)>| {
            pairs.take_while(|(old, new)| old == new).count()
        };
        let above = same(&mut old.iter().zip(&new));
        let most = old.len().min(new.len()) - above;
        let below = same(&mut old.iter().rev().zip(new.iter().rev())).min(most);
        let said = [
            ("! input now ", &new, theme.strong),
            ("        was ", &old, theme.dim),
        ];
        for (label, lines, style) in said {
            let changed = lines.get(above..lines.len() - below).unwrap_or_default();
            if changed.is_empty() {
                continue;
            }
            let (told, more) = changed.split_at(changed.len().min(MAX_CHANGED));
            let label = StyledLine::styled(label, theme.warning);
            self.verbatim(&SafeText::new(&told.join("\n")), &label, style);
            if !more.is_empty() {
                let more = format!("+{}", count(more.len(), "line"));
                let more = StyledLine::styled(&more, theme.warning);
                self.body.push(more, self.width);
            }
        }
    }

    /// The paths that lead out of the workspace, above all that could hide them.
    fn strays(&mut self, question: &PermissionQuestion) {
        for Stray { asked, leads, why } in &question.strays {
            let text = match leads {
                Some(leads) => format!("! {asked} leads to {leads}, which {why}"),
                None => format!("! {asked} {why}"),
            };
            self.signs |= has_signs(&text);
            let line = StyledLine::styled(&text, self.cx.theme.warning.bold());
            self.body.push(line, self.width);
        }
    }

    fn command(&mut self, question: &PermissionQuestion) {
        let subject = &question.subject;
        let Some(command) = &subject.command else {
            return;
        };
        let config = self.cx.session.map(|session| &session.config);
        let session_cwd = config.map(|config| &config.cwd);
        let named = subject.command_cwd.as_deref();
        let place = named
            .filter(|cwd| session_cwd.is_none_or(|ours| ours.as_os_str() != *cwd))
            .map(|cwd| place(cwd, self.cx.session));
        let run = Run {
            line: command,
            env: &subject.env,
            cwd_is_usual: place.is_none(),
            outside: place.as_ref().is_some_and(|place| place.outside),
            cwd: match place {
                Some(place) => exact_line(&place.shown),
                None => match config.filter(|config| config.worktree.is_some()) {
                    Some(config) => exact_line(&config.cwd.to_string_lossy()),
                    None => self.cx.project.cwd.clone(),
                },
            },
            shell: None,
        };
        self.signs |= self.body.push_run(&run, self.width, self.cx);
    }

    /// The command that was asked about, where the call names another one by now.
    fn asked_before(&mut self, question: &PermissionQuestion) {
        let before = question.changed.as_ref();
        let before = before.and_then(|changed| changed.command.as_ref());
        let Some(before) =
            before.filter(|before| question.subject.command.as_ref() != Some(before))
        else {
            return;
        };
        let theme = self.cx.theme;
        let said = match question.subject.command {
            Some(_) => "! another command was asked about first:",
            None => "! a command was asked about first:",
        };
        let said = StyledLine::styled(said, theme.warning);
        self.body.push(said, self.width);
        let sign = StyledLine::styled("$ ", theme.dim);
        self.verbatim(&exact(before), &sign, theme.dim);
    }

    fn content(&mut self, content: &ToolContent) {
        match asked(content) {
            Asked::Diff(diff) => self.diff(diff),
            Asked::Text(text) => {
                self.body.blank(self.cx);
                self.verbatim(text, &StyledLine::new(), self.cx.theme.text);
            }
            Asked::Content(content) => {
                self.body.blank(self.cx);
                let width = u16::try_from(self.width).unwrap_or(u16::MAX);
                let rendered = render_content(content, FULL_ROWS, &self.cx.render(width));
                self.body.rows.extend(rendered.rows);
            }
            Asked::Json(kind, raw) => {
                self.body.blank(self.cx);
                self.json(&SafeText::line(kind), raw);
            }
            Asked::Nothing => {}
        }
    }

    fn diff(&mut self, diff: &Arc<Diff>) {
        let (theme, cx) = (self.cx.theme, self.cx);
        self.body.blank(self.cx);
        let place = place(&diff.path, cx.session);
        let cwd = cx
            .session
            .map_or(Path::new(""), |session| &session.config.cwd);
        self.signs |= has_signs(&place.shown);
        let mut header = StyledLine::styled(&place.shown, theme.strong);
        if let Some(stats) = diff_stats(diff, cx.offload) {
            header.push("  ", theme.text);
            push_stats(&mut header, stats, theme, cx.symbols);
        }
        push_outside(&mut header, place.outside, cx);
        self.body.push(header, self.width);
        if let Some(label) = change_label(diff, cwd) {
            let line = StyledLine::styled(&label, theme.dim);
            self.signs |= has_signs(&label);
            self.body.push(line, self.width);
        }
        self.body
            .push_diff(diff, self.width, self.expanded, self.cx);
    }

    /// All files that would be changed, where there are several: those behind a long diff are not seen
    /// without scrolling.
    fn files(&mut self, question: &PermissionQuestion) {
        let session = self.cx.session;
        let mut files: Vec<SafeText> = Vec::new();
        for diff in question
            .subject
            .content
            .iter()
            .filter_map(ToolContent::diff)
        {
            let shown = place(&diff.path, session).shown;
            if !files.contains(&shown) {
                files.push(shown);
            }
        }
        if files.len() < 2 {
            return;
        }
        let named: Vec<&str> = files.iter().take(MAX_FILES).map(SafeText::as_str).collect();
        let more = match files.len().saturating_sub(MAX_FILES) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let text = format!("{} files: {}{more}", files.len(), named.join(", "));
        self.body.blank(self.cx);
        self.body
            .push(StyledLine::styled(&text, self.cx.theme.strong), self.width);
    }

    /// Locations that no diff names; some agents name a file in two ways (vibe).
    fn paths(&mut self, question: &PermissionQuestion) {
        let subject = &question.subject;
        let session = self.cx.session;
        let diffs = subject.content.iter().filter_map(ToolContent::diff);
        let named = diffs.map(|diff| place(&diff.path, session).shown);
        let named: Vec<SafeText> = named.collect();
        for path in &subject.paths {
            let place = place(path, session);
            if named.contains(&place.shown) {
                continue;
            }
            let mut locations = subject.locations.iter();
            let line = locations.find(|location| location.path == *path);
            let line = line.and_then(|location| location.line);
            self.signs |= has_signs(&place.shown);
            let mut row = StyledLine::styled(&place.shown, self.cx.theme.text);
            if let Some(line) = line {
                row.push(&format!(":{line}"), self.cx.theme.dim);
            }
            push_outside(&mut row, place.outside, self.cx);
            self.body.push(row, self.width);
        }
    }

    /// All of it, over several lines where it is longer than two; of what is very long the
    /// beginning, and how much there is.
    fn json(&mut self, label: &str, raw: &RawJson) {
        let theme = self.cx.theme;
        let most = if self.expanded {
            RAW_BYTES_EXPANDED
        } else {
            RAW_BYTES
        };
        let (text, held) = laid_out(&raw.0, most);
        let left_out = raw.0.len().saturating_sub(held) as u64;
        let short = raw.0.len() + label.len() < 2 * self.width && held == raw.0.len();
        if short && !raw.0.contains("\\n") {
            let label = StyledLine::styled(&format!("{label} "), theme.dim);
            return self.verbatim(&SafeText::new(&raw.0), &label, theme.text);
        }
        let mut head = StyledLine::styled(label, theme.dim);
        if left_out > 0 {
            head.push(&format!(", {}", bytes(raw.0.len() as u64)), theme.warning);
        }
        self.body.push(head, self.width);
        self.verbatim(&SafeText::new(&text), &StyledLine::new(), theme.text);
        if left_out > 0 {
            let key = self.cx.keymap.hint(Action::QuestionDiff);
            let more = format!(
                "+{} of it {} {key} shows all",
                bytes(left_out),
                self.cx.symbols.separator
            );
            let more = StyledLine::styled(&more, theme.warning);
            self.body.push(more, self.width);
        }
    }

    fn verbatim(&mut self, text: &SafeText, first: &StyledLine, style: ratatui::style::Style) {
        self.signs |= has_signs(text);
        self.body
            .push_verbatim(text, first, style, self.width, self.cx);
    }

    fn finish(self, changed: bool) -> Body {
        let (width, cx) = (self.width, self.cx);
        let mut body = match self.signs {
            true => self.body.warned_of_signs(width, cx),
            false => self.body,
        };
        if changed {
            let warning = "! changed since it was asked";
            body.put_first(&StyledLine::styled(warning, cx.theme.error.bold()), width);
        }
        body
    }
}
