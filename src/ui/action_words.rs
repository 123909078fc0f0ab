//! Words under which people look for an action in the palette, besides those of its line.

use crate::ui::action::Action;

/// The words that find it, and those of other programs.
pub fn words(action: Action) -> &'static str {
    match action {
        Action::HistorySearch => "history recall previous",
        Action::EditDraft => "editor external vim nano open",
        Action::ExpandPaste => "unfold expand",
        Action::AttachOutput => "shell command result terminal send",
        Action::PasteClipboard => "image screenshot attach insert",
        Action::Stop => "cancel abort interrupt escape",
        Action::NextMode | Action::Mode => "permission permissions plan switch yolo approval",
        Action::Model => "models switch llm change",
        Action::ThoughtLevel => "effort reasoning thinking level",
        Action::Options => "settings config configure preferences",
        Action::ContinueAfterLimit => "rate usage quota wait resume later",
        Action::Restart => "reload reconnect reset",
        Action::EndAgent => "kill terminate close",
        Action::NewSession => "clear reset start conversation chat",
        Action::NewWorktree => "git branch isolated checkout",
        Action::EndWorktree => "git branch finish close delete remove",
        Action::ForkSession => "branch copy duplicate",
        Action::HandOver => "handoff continue elsewhere switch agent",
        Action::AskAside => "btw side question aside quick",
        Action::RenameSession => "title name",
        Action::PastSessions => "resume continue history earlier reopen",
        Action::Sessions => "switch list resume tabs",
        Action::NextWaiting => "attention asks question approve",
        Action::Tab => "switch number session",
        Action::ChooseAgent => "agents change switch claude codex gemini opencode",
        Action::SignIn => "login log account authenticate auth",
        Action::SignOut => "logout log account",
        Action::Providers => "key api account",
        Action::Copy => "clipboard yank answer code block",
        Action::ToggleMouse => "wheel select selection scroll",
        Action::Suggestions => "suggest predict ghost autocomplete completion next",
        Action::Export => "save markdown json file dump",
        Action::ScrollTop => "home first top",
        Action::ScrollBottom => "last latest bottom newest",
        Action::Details => "expand collapse verbose open output",
        Action::Review => "changes diff undo review revert rollback restore files patch",
        Action::TogglePlan => "todo todos tasks",
        Action::CommentPlan => "note annotate todo feedback",
        Action::Find => "search grep look match",
        Action::Theme => "colours colors dark light appearance style",
        Action::Pager => "less transcript log",
        Action::Browse => "navigate copy diff open pick blocks",
        Action::Help => "keys shortcuts bindings keyboard",
        Action::Redraw => "refresh repaint",
        Action::Suspend => "background shell",
        Action::Quit => "exit leave close",
        _ => "",
    }
}

/// Whether it ends or throws away something: only its words find it, never stray letters.
pub fn is_careful(action: Action) -> bool {
    matches!(
        action,
        Action::EndAgent | Action::Restart | Action::SignOut | Action::Quit | Action::Stop
    )
}
