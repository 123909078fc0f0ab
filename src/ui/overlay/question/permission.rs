//! `session/request_permission`: who asks for what, and the agent's own options.

use std::{path::Path, sync::Arc};

use crate::{
    proto::{ContentBlock, Diff, RawJson, ToolContent, ToolKind},
    session::{BlockKind, Event, PermissionQuestion, ToolCall},
    text::{SafeText, first_bytes},
    ui::{
        UiCommand,
        overlay::{Guard, OverlayContext, asker},
        render::{
            diff::{DiffOptions, change_label, diff_model, diff_stats, render_diff},
            line::StyledLine,
        },
    },
};

use super::{
    Body, Choice, QuestionDialog, Subject,
    body::{has_signs, place},
};

/// Rows of each diff that are laid out in the dialog, and with the screen to itself; the viewer has
/// the rest.
const DIFF_ROWS: usize = 200;
const DIFF_ROWS_EXPANDED: usize = 2_000;

/// Bytes of a raw input that are shown where nothing better tells what a tool would do.
const RAW_INPUT_BYTES: usize = 16 << 10;

/// Options offered to the person; more than anyone could choose from.
const MAX_OPTIONS: usize = 64;

/// Bytes of an option's name.
const LABEL_BYTES: usize = 1 << 10;

struct Permission(PermissionQuestion);

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
        let subject = Box::new(Permission(question.clone()));
        Self::new(Some(question.id), subject, choices, guard)
    }
}

impl Subject for Permission {
    fn title(&self, cx: &OverlayContext<'_>) -> String {
        let wants = match self.0.subject.kind {
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
        let who = asker(cx.session, self.0.subagent.as_ref());
        if self.0.subject.opaque {
            return format!("{who} asks for permission");
        }
        format!("{who} wants to {wants}")
    }

    fn rev(&self, cx: &OverlayContext<'_>) -> u64 {
        cx.session
            .and_then(|session| session.asked_about(&self.0))
            .map_or(0, |block| block.rev)
    }

    fn answer(&self, at: usize) -> Option<UiCommand> {
        let option = self.0.options.get(at)?;
        Some(UiCommand::Session(Event::Answer {
            question: self.0.id,
            option: option.id.clone(),
        }))
    }

    fn has_diff(&self) -> bool {
        self.0
            .subject
            .content
            .iter()
            .any(|content| matches!(content, ToolContent::Diff(_)))
    }

    fn can_reject_with_feedback(&self) -> bool {
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
        builder.command(&self.0);
        builder.title(&self.0);
        for content in &self.0.subject.content {
            builder.content(content);
        }
        builder.paths(&self.0);
        if self.tells_nothing()
            && let Some(raw) = self.raw_input(cx)
        {
            builder.raw_input(&raw);
        }
        let left_out = self.0.options.len().saturating_sub(MAX_OPTIONS);
        if left_out > 0 {
            let text = format!("{left_out} of the options are not offered here");
            let line = StyledLine::styled(&text, cx.theme.warning);
            builder.body.push(line, width);
        }
        builder.finish()
    }
}

impl Permission {
    /// Neither command nor change nor path says what would be done.
    fn tells_nothing(&self) -> bool {
        let subject = &self.0.subject;
        subject.command.is_none() && subject.content.is_empty() && subject.paths.is_empty()
    }

    fn raw_input(&self, cx: &OverlayContext<'_>) -> Option<RawJson> {
        let block = cx.session?.asked_about(&self.0)?;
        match &block.kind {
            BlockKind::Tool(call) => {
                let ToolCall { raw_input, .. } = call.as_ref();
                raw_input.clone()
            }
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
    !named.is_empty() && std::path::Path::new(&diff.path).ends_with(named)
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
        let title = SafeText::new(subject.title.trim());
        let command = subject.command.as_deref().map(SafeText::new);
        let repeats = command
            .as_ref()
            .is_some_and(|command| same_words(title.trim_matches('`'), command));
        let said = title.is_empty() || repeats || *title == *own;
        if !said && !names_the_file(&title, &subject.content) {
            let style = if command.is_some() {
                theme.dim
            } else {
                theme.strong
            };
            self.verbatim(&title, &StyledLine::new(), style);
        }
        if let Some(reason) = &question.reason {
            let line = StyledLine::styled(&format!("asked because: {reason}"), theme.dim);
            self.body.push(line, self.width);
        }
    }

    fn command(&mut self, question: &PermissionQuestion) {
        let theme = self.cx.theme;
        let Some(command) = &question.subject.command else {
            return;
        };
        let sign = StyledLine::styled("$ ", theme.dim);
        self.verbatim(&SafeText::new(command), &sign, theme.strong);
        let session_cwd = self.cx.session.map(|session| &session.config.cwd);
        let named = question.subject.command_cwd.as_deref();
        let place = named
            .filter(|cwd| session_cwd.is_none_or(|ours| ours.as_os_str() != *cwd))
            .map(|cwd| place(cwd, self.cx.session));
        let mut line = StyledLine::styled("in ", theme.dim);
        match place {
            Some(place) => {
                line.push(&place.shown, theme.text);
                self.outside_mark(&mut line, place.outside);
            }
            None => line.push(&self.cx.project.cwd, theme.dim),
        }
        self.body.push(line, self.width);
    }

    fn content(&mut self, content: &ToolContent) {
        match content {
            ToolContent::Diff(diff) => self.diff(diff),
            ToolContent::Block(ContentBlock::Text(text)) => {
                self.body.blank(self.cx);
                self.verbatim(text, &StyledLine::new(), self.cx.theme.text);
            }
            // A terminal has not begun; media and unknown content stand in the transcript.
            ToolContent::Block(_)
            | ToolContent::Terminal(_)
            | ToolContent::Session(_)
            | ToolContent::Unknown { .. } => {}
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
            header.push(&format!("  +{}", stats.added), theme.success);
            header.push(
                &format!(" {}{}", cx.symbols.minus, stats.removed),
                theme.error,
            );
        }
        self.outside_mark(&mut header, place.outside);
        self.body.push(header, self.width);
        if let Some(label) = change_label(diff, cwd) {
            let line = StyledLine::styled(&label, theme.dim);
            self.signs |= has_signs(&label);
            self.body.push(line, self.width);
        }
        let max_rows = if self.expanded {
            DIFF_ROWS_EXPANDED
        } else {
            DIFF_ROWS
        };
        let options = DiffOptions {
            max_rows,
            layout: cx.diff,
        };
        let width = u16::try_from(self.width).unwrap_or(u16::MAX);
        let rendered = render_diff(diff, &options, &cx.render(width));
        if let Some(model) = diff_model(diff, cx.offload) {
            self.body.left_out += model.lines.len().saturating_sub(max_rows);
        }
        self.body.rows.extend(rendered.rows);
        self.body.provisional |= rendered.provisional;
    }

    /// Locations that no diff has named; some agents name a file in two ways (vibe).
    fn paths(&mut self, question: &PermissionQuestion) {
        let subject = &question.subject;
        let session = self.cx.session;
        let named: Vec<SafeText> = subject
            .content
            .iter()
            .filter_map(|content| match content {
                ToolContent::Diff(diff) => Some(place(&diff.path, session).shown),
                _ => None,
            })
            .collect();
        for path in &subject.paths {
            let place = place(path, session);
            if named.contains(&place.shown) {
                continue;
            }
            let line = subject
                .locations
                .iter()
                .find(|location| location.path == *path)
                .and_then(|location| location.line);
            self.signs |= has_signs(&place.shown);
            let mut row = StyledLine::styled(&place.shown, self.cx.theme.text);
            if let Some(line) = line {
                row.push(&format!(":{line}"), self.cx.theme.dim);
            }
            self.outside_mark(&mut row, place.outside);
            self.body.push(row, self.width);
        }
    }

    fn raw_input(&mut self, raw: &RawJson) {
        let shown = first_bytes(&raw.0, RAW_INPUT_BYTES);
        let text = SafeText::new(shown);
        let label = StyledLine::styled("input ", self.cx.theme.dim);
        self.verbatim(&text, &label, self.cx.theme.text);
        let left_out = raw.0.len() - shown.len();
        if left_out > 0 {
            let more = format!("+{left_out} bytes");
            let more = StyledLine::styled(&more, self.cx.theme.warning);
            self.body.push(more, self.width);
        }
    }

    fn verbatim(&mut self, text: &SafeText, first: &StyledLine, style: ratatui::style::Style) {
        self.signs |= has_signs(text);
        self.body
            .push_verbatim(text, first, style, self.width, self.cx);
    }

    fn outside_mark(&self, line: &mut StyledLine, outside: bool) {
        if outside {
            line.push("  ! outside the workspace", self.cx.theme.warning.bold());
        }
    }

    fn finish(mut self) -> Body {
        if self.signs {
            let warning = StyledLine::styled(
                "! invisible or control characters are shown as signs",
                self.cx.theme.error.bold(),
            );
            let mut rows = warning.wrap(self.width);
            rows.append(&mut self.body.rows);
            self.body.rows = rows;
        }
        self.body
    }
}
