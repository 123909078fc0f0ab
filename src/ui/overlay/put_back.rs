//! What the review asks: whether all of a scope is to be put back, and where a patch goes.

use std::path::PathBuf;

use crate::{
    model::{Field, FieldKind, Form, FormValue, ReviewScope, ReviewWish, TextField},
    text::SafeText,
    ui::{
        UiCommand,
        overlay::{FormDialog, OwnForm},
        render::format::count,
    },
};

/// Whether all files of a scope are to be put back. Nothing is selected at first: enter alone does
/// nothing.
/// `left`: files that it leaves as they are, because they changed outside of turns.
pub fn ask_undo_all(wish: ReviewWish, files: usize, left: usize, scope: &SafeText) -> FormDialog {
    let files = count(files, "file");
    let title = match left {
        0 => format!("Put back {files}: all changes of {scope}?"),
        left => {
            let left = count(left, "file");
            format!("Put back {files} of {scope}? {left} changed outside of turns and stay.")
        }
    };
    let title = SafeText::line(&title);
    FormDialog::own(
        Form::default(),
        OwnForm {
            title,
            send: "Put them back",
            verb: "put back",
            done: Box::new(move |_| Ok(UiCommand::Review(wish.clone()))),
        },
    )
}

/// To which file the patch of a file goes, or that of a whole scope.
pub fn ask_patch_path(scope: ReviewScope, path: Option<PathBuf>) -> FormDialog {
    let stem = path.as_ref().and_then(|path| path.file_stem());
    let stem = stem.map_or("changes".into(), |stem| stem.to_string_lossy());
    let name = SafeText::line(&format!("{stem}.patch")).to_string();
    let form = Form {
        fields: vec![Field {
            key: "path".to_owned(),
            title: Some("File".into()),
            description: None,
            required: true,
            kind: FieldKind::Text(TextField {
                default: Some(name),
                ..TextField::default()
            }),
        }],
        ..Form::default()
    };
    let done = move |values: Vec<(String, FormValue)>| match values.into_iter().next() {
        Some((_, FormValue::Text(to))) if !to.trim().is_empty() => {
            Ok(UiCommand::Review(ReviewWish::Patch {
                scope,
                path: path.clone(),
                to: Some(PathBuf::from(to.trim())),
            }))
        }
        _ => Err("a path is needed".into()),
    };
    FormDialog::own(
        form,
        OwnForm {
            title: SafeText::from("Write the patch to a file"),
            send: "Write",
            verb: "write",
            done: Box::new(done),
        },
    )
}
