//! A command in a question: exactly what would run, with what, and where.

use ratatui::style::Style;

use crate::{
    model::{EnvEffect, EnvVariable, sorted_env},
    text::{SafeText, exact},
    ui::{overlay::OverlayContext, render::line::StyledLine},
};

use super::{
    Body,
    body::{RunRows, has_signs, push_outside},
};

/// What is shown of it.
pub struct Run<'a> {
    /// As a shell would read it; not yet made safe.
    pub line: &'a str,
    pub env: &'a [(String, String)],
    pub cwd: SafeText,
    /// It is the session's own directory, and less important.
    pub cwd_is_usual: bool,
    pub outside: bool,
    /// Whether it is a line for a shell, or a program with its arguments; `None` where the agent
    /// runs it itself.
    pub shell: Option<bool>,
}

impl Body {
    /// Variables that change what runs stand first: whatever is below may not be on the screen.
    /// Tells whether there are signs that stand for invisible characters.
    pub fn push_run(&mut self, run: &Run<'_>, width: usize, cx: &OverlayContext<'_>) -> bool {
        let theme = cx.theme;
        let mut signs = false;
        let mut push = |body: &mut Self, text: &SafeText, first: &StyledLine, style: Style| {
            signs |= has_signs(text);
            body.push_verbatim(text, first, style, width, cx);
        };
        let (steering, others): (Vec<_>, Vec<_>) =
            sorted_env(run.env).partition(|variable| variable.effect == EnvEffect::Steers);
        let sets = StyledLine::styled("! env ", theme.warning.bold());
        for variable in &steering {
            push(self, &variable.assignment(), &sets, theme.warning.bold());
        }
        if !steering.is_empty() {
            let note = StyledLine::styled("      may change what runs", theme.warning);
            self.push(note, width);
        }
        let sign = StyledLine::styled("$ ", theme.dim);
        let first = self.rows.len();
        push(self, &exact(run.line), &sign, theme.strong);
        let end = self.rows.len();
        if !others.is_empty() {
            let all: Vec<SafeText> = others.iter().map(EnvVariable::assignment).collect();
            let all: Vec<&str> = all.iter().map(SafeText::as_str).collect();
            let sets = StyledLine::styled("env ", theme.dim);
            push(self, &SafeText::new(&all.join(" ")), &sets, theme.text);
        }
        signs |= has_signs(&run.cwd);
        let mut place = StyledLine::styled("in ", theme.dim);
        let usual = run.cwd_is_usual;
        place.push(&run.cwd, if usual { theme.dim } else { theme.text });
        push_outside(&mut place, run.outside, cx);
        if let Some(shell) = run.shell {
            let way = if shell { "a line for sh" } else { "no shell" };
            place.push(&format!(" {} {way}", cx.symbols.separator), theme.dim);
        }
        let below = self.rows.len();
        self.push(place, width);
        self.run = Some(RunRows {
            lines: first..end,
            env: end..below,
            place: below..self.rows.len(),
        });
        signs
    }
}
