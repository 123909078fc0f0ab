//! Files attached to a prompt: inspected, pasted from the clipboard, shown.

use std::{
    path::{Path, PathBuf},
    time::Instant,
};

use percent_encoding::percent_decode_str;
use tokio::task::spawn_blocking;

use crate::{
    app::{
        job::{Job, Pasted},
        state::App,
        terminal::Reason,
    },
    host::{
        attachments, browser,
        clipboard::held::{Held, held},
    },
    model::{Call, MediaKind, SeenFile, ToAgent},
    store::drafts::Drafts,
    text::SafeText,
};

impl App {
    /// Files of the draft, named by the person: an agent's word leads nowhere here.
    pub(super) fn look_at(&self, paths: Vec<PathBuf>) {
        let (cwd, store) = (self.runtime.shown_cwd(), self.store.clone());
        self.in_background(move || {
            let look = |path: PathBuf| {
                let seen = attachments::look(&cwd.join(&path)).ok();
                let passing = store.is_image(&path);
                let seen = seen.map(|seen| SeenFile { passing, ..seen });
                (path, seen)
            };
            Job::Looked(paths.into_iter().map(look).collect())
        });
    }

    pub(super) fn paste_clipboard(&self) {
        let (jobs, store) = (self.jobs.clone(), self.store.clone());
        tokio::spawn(async move {
            let pasted = match held().await {
                Ok(Held::Image(bytes, ending)) => {
                    let kept = spawn_blocking(move || keep(&store, &bytes, ending)).await;
                    kept.unwrap_or_else(|error| Err(SafeText::line(&error.to_string())))
                }
                Ok(Held::Text(text)) => Ok(Pasted::Text(text)),
                Err(why) => Err(why),
            };
            let _ = jobs.send(Job::Pasted(pasted));
        });
    }

    pub(super) fn pasted(&mut self, pasted: Result<Pasted, SafeText>) {
        match pasted {
            Ok(Pasted::File(path, seen)) => self.ui.composer().insert_file(path, seen),
            Ok(Pasted::Text(text)) => self.ui.composer().insert_paste(&text),
            Err(why) => self.ui.toast(why),
        }
        self.save_draft.changed(Instant::now());
    }

    /// The desktop shows it, off the UI task.
    pub(super) fn show_file(&self, path: &Path) {
        let (jobs, path) = (self.jobs.clone(), self.runtime.shown_cwd().join(path));
        tokio::spawn(async move {
            let said = match browser::show_file(&path.to_string_lossy()).await {
                Ok(()) => "opened".into(),
                Err(why) => SafeText::line(&format!("not opened: {why}")),
            };
            let _ = jobs.send(Job::Said(said));
        });
    }

    pub(super) fn open_link(&self, url: String) {
        let jobs = self.jobs.clone();
        tokio::spawn(async move {
            let said = match browser::open(&url).await {
                Ok(()) => "opened in the browser".into(),
                Err(why) => SafeText::line(&format!("not opened: {why}")),
            };
            let _ = jobs.send(Job::Said(said));
        });
    }

    /// Images of the clipboard go with the prompt that they are in, and are nowhere else then.
    pub(super) fn forget_sent_images(&self, message: &ToAgent) {
        let ToAgent::Call(Call::Prompt { blocks, .. }) = message else {
            return;
        };
        for media in blocks.iter().filter_map(|block| block.media()) {
            let path = media.uri.strip_prefix("file://").unwrap_or_default();
            let path = percent_decode_str(path).decode_utf8_lossy().into_owned();
            if media.passing && self.store.is_image(Path::new(&path)) {
                let store = self.store.clone();
                spawn_blocking(move || store.forget_image(Path::new(&path)));
            }
        }
    }

    pub(super) fn say(&mut self, text: SafeText) {
        self.ui.toast(text);
        self.frames.request(Instant::now(), Reason::Now);
    }
}

fn keep(store: &Drafts, bytes: &[u8], ending: &str) -> Result<Pasted, SafeText> {
    let failed = |error: std::io::Error| SafeText::line(&format!("the clipboard's image: {error}"));
    let path = store.keep_image(bytes, ending).map_err(failed)?;
    let seen = attachments::look(&path).map_err(failed)?;
    if !matches!(seen.kind, MediaKind::Image(_)) {
        store.forget_image(&path);
        return Err("the clipboard's image cannot be read".into());
    }
    let passing = SeenFile {
        passing: true,
        ..seen
    };
    Ok(Pasted::File(path.to_string_lossy().into_owned(), passing))
}
