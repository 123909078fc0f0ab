//! Another title for a session (V1-SES-20).

use crate::{
    model::{Field, FieldKind, Form, FormValue, SessionId, SessionKey, TextField},
    session::Event,
    text::SafeText,
    ui::{
        UiCommand,
        overlay::{FormDialog, OwnForm},
    },
};

/// Asks for the title of a session, that which is shown without a key; or of one (`of`) that its
/// agent has kept.
pub fn rename(session: Option<SessionKey>, of: Option<SessionId>, title: &str) -> FormDialog {
    let form = Form {
        fields: vec![Field {
            key: "title".to_owned(),
            title: Some("Title".into()),
            description: None,
            required: true,
            kind: FieldKind::Text(TextField {
                default: Some(title.to_owned()),
                ..TextField::default()
            }),
        }],
        ..Form::default()
    };
    let done = move |values: Vec<(String, FormValue)>| {
        let title = match values.into_iter().next() {
            Some((_, FormValue::Text(title))) => title,
            _ => String::new(),
        };
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
