//! Forms of one line: another title for a session (V1-SES-20), a side question, a worktree's name.

use crate::{
    model::{Field, FieldKind, Form, FormValue, SessionId, SessionKey, TextField},
    session::Event,
    text::SafeText,
    ui::{
        Draft, DraftPart, SendTo, UiCommand,
        overlay::{FormDialog, OwnForm},
    },
};

/// Asks for the title of a session, that which is shown without a key; or of one (`of`) that its
/// agent has kept.
pub fn rename(session: Option<SessionKey>, of: Option<SessionId>, title: &str) -> FormDialog {
    let form = of_one_line("title", "Title", title, true);
    let done = move |values| {
        let title = text_of(values);
        let event = Event::SetTitle {
            of: of.clone(),
            title,
        };
        Ok(match session {
            Some(key) => UiCommand::SessionOf(key, Box::new(event)),
            None => UiCommand::Session(event),
        })
    };
    FormDialog::own(
        form,
        OwnForm {
            title: SafeText::from("Rename the session"),
            send: "Rename",
            verb: "rename",
            done: Box::new(done),
        },
    )
}

/// Asks for what is to be asked beside the conversation.
pub fn ask_aside() -> FormDialog {
    let done = |values| {
        let draft = Draft {
            parts: vec![DraftPart::Text(text_of(values))],
        };
        let to = SendTo::Aside;
        Ok(UiCommand::Submit { draft, to })
    };
    FormDialog::own(
        of_one_line("question", "Question", "", true),
        OwnForm {
            title: SafeText::from("Side question"),
            send: "Ask",
            verb: "ask",
            done: Box::new(done),
        },
    )
}

/// Asks for the name of a worktree; empty: one is made up.
pub fn name_worktree() -> FormDialog {
    let done = |values| {
        let name = text_of(values).trim().to_owned();
        Ok(UiCommand::NewWorktree(
            Some(name).filter(|name| !name.is_empty()),
        ))
    };
    FormDialog::own(
        of_one_line("name", "Name (empty: one is made up)", "", false),
        OwnForm {
            title: SafeText::from("New session in a worktree of its own, on the branch acp/NAME"),
            send: "Make it",
            verb: "make",
            done: Box::new(done),
        },
    )
}

fn of_one_line(key: &str, title: &'static str, default: &str, required: bool) -> Form {
    Form {
        fields: vec![Field {
            key: key.to_owned(),
            title: Some(title.into()),
            description: None,
            required,
            kind: FieldKind::Text(TextField {
                default: Some(default.to_owned()),
                ..TextField::default()
            }),
        }],
        ..Form::default()
    }
}

fn text_of(values: Vec<(String, FormValue)>) -> String {
    match values.into_iter().next() {
        Some((_, FormValue::Text(text))) => text,
        _ => String::new(),
    }
}
