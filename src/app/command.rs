//! Carries out the commands of the UI.

use std::{io, path::PathBuf, sync::PoisonError, time::Instant};

use crate::{
    app::{
        draft::{Unsent, has_mentions, resolve, text_prompt},
        job::{Again, Job},
        state::App,
        terminal::{Reason, tty},
        told,
    },
    cli::ExitCode,
    config::{self, TrustState},
    host::{clipboard::Copied, walk},
    model::SessionKey,
    session::{Event, NoticeLevel, Start},
    text::SafeText,
    ui::{Draft, FolderListing, SendTo, UiCommand},
};

impl App {
    pub(super) fn carry_out(&mut self, command: UiCommand) -> anyhow::Result<()> {
        if self.replay.is_some() && !Self::only_shows(&command) {
            self.ui.toast("read-only: this is a replay".into());
            self.frames.request(Instant::now(), Reason::Now);
            return Ok(());
        }
        match command {
            UiCommand::Session(Event::DeleteSession(id)) => self.delete_unless_open(id),
            UiCommand::Session(event) => self.reduce([event]),
            UiCommand::SessionOf(key, event) => self.reduce_in(key, [*event]),
            UiCommand::Submit { draft, to } => self.submit(draft, to),
            UiCommand::SaveHistory(prompt) => self.save_history(prompt),
            UiCommand::EditDraft(draft) => self.edit_draft(&draft)?,
            UiCommand::OpenEditor { path, line } => self.open_editor(&path, line)?,
            UiCommand::Page(text) => self.page(&text)?,
            UiCommand::Copy(text) => self.copy(text, None),
            UiCommand::CopyOf { what, text } => self.copy(text, Some(what)),
            UiCommand::Export(path) => self.export(path),
            UiCommand::WriteCopy {
                path,
                text,
                replaces,
            } => self.write_copy(path, text, replaces),
            UiCommand::Shell(line) => self.shell(&line),
            UiCommand::ListFiles => self.list_files(),
            UiCommand::ListPrompts => self.list_prompts(),
            UiCommand::ListFolder(typed) => self.list_folder(typed),
            UiCommand::LookAt(paths) => self.look_at(paths),
            UiCommand::PasteClipboard => self.paste_clipboard(),
            UiCommand::ShowFile(path) => self.show_file(&path),
            UiCommand::OpenLink(url) => self.open_link(url),
            UiCommand::TerminalInput { id, bytes } => {
                if let Some(terminals) = self.runtime.shown_terminals(&id) {
                    terminals.write(&id, bytes);
                }
            }
            UiCommand::TerminalView { rows, cols } => self.runtime.set_view(rows, cols),
            UiCommand::TerminalResize { id, rows, cols } => {
                if let Some(terminals) = self.runtime.shown_terminals(&id) {
                    terminals.resize(&id, rows, cols);
                }
            }
            UiCommand::TerminalKill { id } => {
                if let Some(terminals) = self.runtime.shown_terminals(&id) {
                    terminals.kill_by_person(&id);
                }
            }
            UiCommand::KeepTheme(choice) => self.keep_theme(choice),
            UiCommand::FindAgents => self.find_agents(),
            UiCommand::ChooseAgent(name) => match self.runtime.config.agent(&name) {
                Ok(profile) => {
                    let prompt = self.runtime.launch.prompt.take().map(text_prompt);
                    self.open_new(profile, prompt);
                }
                Err(error) => self.warn(SafeText::line(&error.to_string())),
            },
            UiCommand::PickPastSession => self.pick_session(None),
            UiCommand::SearchPast { words, ids } => self.search_past(words, ids),
            UiCommand::Reopen(id) => self.reopen(id),
            UiCommand::NewSession => self.open_another(Start::New, None, None, None),
            UiCommand::OpenSession(id) => self.open_kept(Start::Reopen(id)),
            UiCommand::ForkSession => self.fork_session(),
            UiCommand::ForkAt(row) => self.fork_at(row),
            UiCommand::AskResend(row) => self.ask_resend(row),
            UiCommand::Resend { put_back } => self.resend(put_back),
            UiCommand::HandOver(agent) => self.hand_over(&agent),
            UiCommand::ShowSession(key) => self.show(key),
            UiCommand::CloseSession(key) => self.end_session(key),
            UiCommand::NewWorktree(name) => self.new_worktree(name),
            UiCommand::LookAtWorktree(key) => self.look_at_worktree(key),
            UiCommand::EndWorktree { session, end, seen } => {
                self.end_worktree(session, end, *seen);
            }
            UiCommand::Review(wish) => self.review(wish),
            UiCommand::Trust(yes) => self.answer_trust(yes),
            UiCommand::Mouse(wanted) => self.screen.send_along(tty::want_mouse(wanted)),
            UiCommand::Suggestions(wanted) => self.want_suggestions(wanted),
            UiCommand::Told(key) => {
                let state = self.dirs.state.clone();
                if self.project.told.insert(key.to_owned()) {
                    tokio::task::spawn_blocking(move || told::keep(&state, key));
                }
            }
            UiCommand::Suspend => self.suspend()?,
            UiCommand::Redraw => {
                self.screen.redraw()?;
                self.frames.request(Instant::now(), Reason::Now);
            }
            UiCommand::Quit => self.exit = Some(ExitCode::Done),
        }
        Ok(())
    }

    pub(super) fn save_history(&self, prompt: String) {
        let store = self.store.clone();
        let keep = move || store.add_history(&prompt);
        self.runtime.started.keep_history(keep);
    }

    pub(super) fn submit(&mut self, draft: Draft, to: SendTo) {
        let Some(session) = self.runtime.sessions.shown_key() else {
            return;
        };
        let ready = move |prompt| match to {
            SendTo::Turn => Job::Session(session, Event::Steer(prompt)),
            SendTo::Queue => Job::Session(session, Event::Submit(prompt)),
            SendTo::Now => Job::Session(session, Event::SendNow(prompt)),
            SendTo::Aside => Job::Session(session, Event::AskAside(prompt)),
            SendTo::Again { row, put_back } => Job::Again(Box::new(Again {
                session,
                row,
                prompt,
                put_back,
                told: None,
            })),
        };
        let cwd = self.runtime.cwd_of(session);
        let waiting = self
            .runtime
            .running_mut(session)
            .and_then(|running| running.resolving.take())
            .filter(|before| !before.is_finished());
        if waiting.is_none()
            && !has_mentions(&draft)
            && let Ok(prompt) = resolve(draft.clone(), &cwd)
        {
            return self.job(ready(prompt));
        }
        let jobs = self.jobs.clone();
        let resolving = tokio::spawn(async move {
            if let Some(before) = waiting {
                // One that failed has said so.
                let _ = before.await;
            }
            let mut written = draft.written();
            if to == SendTo::Aside {
                // As it was typed: it is no prompt.
                written.insert_str(0, "/btw ");
            }
            let resolved = tokio::task::spawn_blocking(move || resolve(draft, &cwd)).await;
            let job = match resolved {
                Ok(Ok(prompt)) => ready(prompt),
                Ok(Err(Unsent(why))) => Job::Unsent {
                    session,
                    draft: written,
                    why,
                },
                Err(error) => Job::Unsent {
                    session,
                    draft: written,
                    why: SafeText::line(&format!("not sent: {error}")),
                },
            };
            let _ = jobs.send(job);
        });
        if let Some(running) = self.runtime.running_mut(session) {
            running.resolving = Some(resolving);
        }
    }

    /// Sessions that are open learn it; their agents, when they are next opened or started.
    fn want_suggestions(&mut self, wanted: bool) {
        self.runtime.config.ui.suggestions = Some(wanted);
        let all: Vec<SessionKey> = self.runtime.sessions.iter().map(|(key, _)| key).collect();
        for key in all {
            self.reduce_in(key, [Event::WantSuggestions(wanted)]);
        }
    }

    pub(super) fn copy(&self, text: String, what: Option<&'static str>) {
        let clipboard = self.clipboard.clone();
        self.in_background(move || {
            let mut clipboard = clipboard.lock().unwrap_or_else(PoisonError::into_inner);
            Job::Copied(clipboard.copy(&text, what))
        });
    }

    pub(super) fn copied(&mut self, copied: Copied) {
        if let Some(bytes) = copied.for_terminal {
            self.screen.send_along(&bytes);
        }
        self.ui.toast(copied.said);
    }

    /// `!line`: the person's own command, in a terminal. It needs no agent.
    fn shell(&mut self, line: &str) {
        let Some(key) = self.runtime.sessions.shown_key() else {
            return;
        };
        let started = match self.runtime.host(key) {
            Ok(host) => host.run_shell(line),
            Err(error) => return self.note(NoticeLevel::Error, error),
        };
        match started {
            Ok(terminal) => {
                let line = SafeText::new(line);
                self.reduce([Event::ShellStarted { terminal, line }]);
            }
            Err(error) => self.note(NoticeLevel::Error, error.message),
        }
    }

    fn list_files(&self) {
        let (jobs, root) = (self.jobs.clone(), self.runtime.shown_cwd());
        self.in_background(move || Job::Files(walk::files(&root, || jobs.is_closed()).into()));
    }

    fn list_folder(&self, typed: String) {
        let root = self.runtime.shown_cwd();
        self.in_background(move || {
            let home = std::env::var_os("HOME").map(PathBuf::from);
            Job::Folder(match walk::folder(&root, &typed, home.as_deref()) {
                Ok(listing) => FolderListing {
                    names: Ok(listing.names.into()),
                    more: listing.more,
                    path: listing.path.map(|path| path.to_string_lossy().into_owned()),
                    typed,
                },
                Err(error) => FolderListing {
                    names: match error.kind() {
                        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Ok([].into()),
                        _ => Err(SafeText::line(&format!("{typed}: {error}"))),
                    },
                    more: false,
                    path: None,
                    typed,
                },
            })
        });
    }

    fn answer_trust(&mut self, yes: bool) {
        let trust = std::mem::replace(&mut self.trust, TrustState::NotNeeded);
        let TrustState::Untrusted { path, hash, .. } = trust else {
            return;
        };
        if yes {
            let loaded = config::trust::approve(&self.dirs, &path, &hash)
                .map_err(|error| format!("the decision could not be kept: {error}"))
                .and_then(|()| {
                    let options = self
                        .runtime
                        .launch
                        .load_options()
                        .map_err(|error| error.to_string())?;
                    config::load(&options).map_err(|error| error.to_string())
                });
            match loaded {
                Ok(mut loaded) => {
                    // The yes was to what was shown: what is there now may be something else.
                    self.trust = std::mem::replace(&mut loaded.trust, TrustState::NotNeeded);
                    self.configure(loaded);
                    if self.ask_for_trust() {
                        self.ui
                            .toast("the file has changed since it was shown".into());
                        return;
                    }
                }
                Err(error) => self.warn(SafeText::line(&error)),
            }
        }
        self.open_first();
    }
}
