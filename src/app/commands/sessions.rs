//! `acp-tui sessions`: lists, shows, exports and deletes stored sessions.

use std::{
    collections::HashMap,
    io::{self, IsTerminal},
    path::Path,
    time::Instant,
};

use serde::Serialize;

use crate::{
    app::{
        exit::print_rows,
        setup::{ui_settings, with_tilde},
        terminal::tty,
    },
    cli::{self, CliError, ExportFormat, SessionsAction},
    config::Config,
    host::worktree,
    model::{PlanBody, PlanText},
    session::{BlockKind, Past, Session, SessionConfig},
    store::{
        files::{FindError, Inventory, SessionFolder, Summary, wall_clock},
        format::{
            self, About, Block, Children, Conversation, MAX_DEPTH, Pinned, StoredSession, ago, iso,
            markdown,
        },
    },
    text::{SafeText, json, truncate_to_width},
    ui::{Ui, blocks::transcript_text, offload::Offload, transcript::Printed},
    vt::Screens,
};

/// Cells of a session's name in the list.
const NAME: usize = 60;

/// Sessions that cannot be read and are named one by one.
const NAMED: usize = 5;

/// Without a terminal to ask.
const WIDTH: u16 = 80;

/// Carries the command out. Relative paths count from `start`.
///
/// # Errors
/// There is no such session, or a file cannot be read or written.
pub fn sessions(
    action: SessionsAction,
    config: &Config,
    state: &Path,
    start: &Path,
) -> Result<(), CliError> {
    let folder = SessionFolder::new(state);
    match action {
        SessionsAction::List { words, json } => {
            let Inventory {
                mut sessions,
                unreadable,
            } = folder.survey();
            if !words.is_empty() {
                sessions.retain(matching(&folder, &words));
            }
            complain_of(&unreadable);
            if json {
                return cli::print(&list_json(&sessions));
            }
            if sessions.is_empty() {
                if !words.is_empty() {
                    cli::complain("no stored session contains these words");
                } else if unreadable.is_empty() {
                    cli::complain("no stored sessions yet");
                }
                return Ok(());
            }
            cli::print(&list(&sessions))
        }
        SessionsAction::Show { id } => {
            let (_, record) = load(&folder, &id)?;
            show(record, config)
        }
        SessionsAction::Export {
            id,
            format,
            output,
            force,
        } => {
            let (summary, record) = load(&folder, &id)?;
            let text = match format {
                ExportFormat::Markdown => markdown(&record),
                ExportFormat::Json => export_json(&summary.id, &record),
            };
            match output {
                None => cli::print(&text),
                Some(path) if path == Path::new("-") => cli::print(&text),
                Some(path) => cli::write_file(&start.join(path), &text, force),
            }
        }
        SessionsAction::Delete { ids } => {
            for id in ids {
                let summary = folder.find(&id, |_| true)?;
                folder.remove(&summary.id)?;
                cli::print(&format!("removed {}\n", summary.id))?;
            }
            Ok(())
        }
    }
}

impl From<FindError> for CliError {
    fn from(error: FindError) -> Self {
        match error {
            FindError::Io { id, source } => Self::Io {
                what: format!("the stored session {id}"),
                source,
            },
            other => Self::Usage(other.to_string()),
        }
    }
}

fn load(folder: &SessionFolder, id: &str) -> Result<(Summary, StoredSession), FindError> {
    let summary = folder.find(id, |_| true)?;
    let record = folder.load(&summary.id)?;
    if record.later {
        cli::complain("part of the session was stored by a newer version and is skipped");
    }
    if let Some(damage) = record.damage() {
        cli::complain(damage);
    }
    Ok((summary, record))
}

fn complain_of(unreadable: &[FindError]) {
    for error in unreadable.iter().take(NAMED) {
        cli::complain(error);
    }
    match unreadable.len().saturating_sub(NAMED) {
        0 => {}
        more => cli::complain(format!("{more} more stored sessions cannot be read")),
    }
}

/// Those in which all words occur, whatever their case.
fn matching(folder: &SessionFolder, words: &[String]) -> impl Fn(&Summary) -> bool {
    let words: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    move |summary| {
        folder
            .load(&summary.id)
            .is_ok_and(|record| words.iter().all(|word| occurs(word, &record)))
    }
}

fn occurs(word: &str, record: &StoredSession) -> bool {
    let about = &record.about;
    let facts = [about.agent.as_str(), &about.agent_name, &about.cwd];
    let title = about.title.as_deref();
    let mut texts = facts.into_iter().chain(title).chain(record.texts());
    texts.any(|text| text.to_lowercase().contains(word))
}

fn list(found: &[Summary]) -> String {
    let now = wall_clock();
    let head = ["ID", "WHEN", "AGENT", "DIRECTORY", "SESSION"].map(str::to_owned);
    let rows: Vec<Vec<String>> = found
        .iter()
        .map(|summary| {
            let name = summary.name.clone().unwrap_or_default();
            vec![
                SafeText::line(&summary.id).to_string(),
                ago(summary.updated, now),
                SafeText::line(&summary.about.agent).to_string(),
                SafeText::line(&place(&summary.about)).to_string(),
                truncate_to_width(&name, NAME).into_owned(),
            ]
        })
        .collect();
    let mut seen = HashMap::new();
    for row in &rows {
        *seen.entry(&row[1..]).or_insert(0) += 1;
    }
    let told_apart = rows.iter().zip(found).map(|(row, summary)| {
        let mut row = row.clone();
        if seen[&row[1..]] > 1
            && let Some(name) = row.last_mut()
        {
            // Ids say nothing to people.
            name.push_str(&format!(" (started {})", iso(summary.about.started)));
        }
        row
    });
    let rows: Vec<Vec<String>> = std::iter::once(head.to_vec()).chain(told_apart).collect();
    cli::columns(&rows)
}

/// The directory that it belongs to, with the branch of a worktree.
fn place(about: &About) -> String {
    let project = with_tilde(about.project());
    match &about.worktree {
        Some(worktree) => {
            let gone = if is_gone(about) {
                ", worktree gone"
            } else {
                ""
            };
            format!("{project} ({}{gone})", worktree.branch)
        }
        None => project,
    }
}

/// It was merged, applied or discarded: the session cannot go on where it was.
fn is_gone(about: &About) -> bool {
    let worktree = about.worktree();
    worktree.is_some_and(|worktree| worktree::is_there(&worktree).is_err())
}

/// What a session is, for programs.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Facts<'a> {
    id: &'a str,
    agent: &'a str,
    agent_name: &'a str,
    cwd: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    worktree: Option<WorktreeFacts<'a>>,
    session_id: Option<&'a str>,
    title: Option<&'a str>,
    started_at: String,
    updated_at: String,
}

/// The git worktree that it has to itself.
#[derive(Serialize)]
struct WorktreeFacts<'a> {
    path: &'a str,
    branch: &'a str,
    project: &'a str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    gone: bool,
}

impl<'a> Facts<'a> {
    fn new(id: &'a str, about: &'a About, updated: u64) -> Self {
        Self {
            id,
            agent: &about.agent,
            agent_name: &about.agent_name,
            cwd: &about.cwd,
            worktree: about.worktree.as_ref().map(|kept| WorktreeFacts {
                path: &kept.top,
                branch: &kept.branch,
                project: &kept.project,
                gone: is_gone(about),
            }),
            session_id: about.session.as_deref(),
            title: about.title.as_deref(),
            started_at: iso(about.started),
            updated_at: iso(updated),
        }
    }
}

/// A session in the list, for programs.
#[derive(Serialize)]
struct Listed<'a> {
    #[serde(flatten)]
    facts: Facts<'a>,
    /// What its list entry is called: the agent's title, else the first prompt's first line.
    name: Option<&'a str>,
}

fn list_json(found: &[Summary]) -> String {
    let listed = found.iter().map(|summary| Listed {
        facts: Facts::new(&summary.id, &summary.about, summary.updated),
        name: summary.name.as_deref(),
    });
    json::pretty(&listed.collect::<Vec<_>>())
}

/// `sessions export --format json`: stable, members may be added.
#[derive(Serialize)]
struct Exported<'a> {
    version: u32,
    #[serde(flatten)]
    facts: Facts<'a>,
    #[serde(flatten)]
    said: ExportedConversation<'a>,
}

#[derive(Serialize)]
struct ExportedConversation<'a> {
    blocks: Vec<ExportedBlock<'a>>,
    /// Plans that are not done.
    #[serde(skip_serializing_if = "<[Pinned]>::is_empty")]
    plans: &'a [Pinned],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ExportedBlock<'a> {
    at: String,
    #[serde(flatten)]
    block: &'a Block,
    /// Of a subagent: what it said and did.
    #[serde(skip_serializing_if = "Option::is_none")]
    said: Option<ExportedConversation<'a>>,
    /// The turn has no end behind this.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    cut_off: bool,
}

impl<'a> ExportedConversation<'a> {
    /// `depth` counts down: in a damaged file conversations might stand in each other.
    fn new(said: &'a Conversation, children: &'a Children, depth: usize) -> Self {
        let child = |block: &Block| {
            let said = children.get(&block.child?)?;
            Some(Self::new(said, children, depth.checked_sub(1)?))
        };
        let blocks = said.blocks.iter().map(|stored| ExportedBlock {
            at: iso(stored.at),
            block: &stored.block,
            said: child(&stored.block),
            cut_off: stored.cut,
        });
        Self {
            blocks: blocks.collect(),
            plans: &said.plans,
        }
    }
}

pub(in crate::app) fn export_json(id: &str, record: &StoredSession) -> String {
    json::pretty(&Exported {
        version: format::VERSION,
        facts: Facts::new(id, &record.about, record.updated),
        said: ExportedConversation::new(&record.said, &record.children, MAX_DEPTH),
    })
}

/// As it stood on the screen; as plain text where stdout is no terminal.
fn show(record: StoredSession, config: &Config) -> Result<(), CliError> {
    let session = shown(record);
    let screens = Screens::default();
    let mut out = io::stdout();
    if !out.is_terminal() {
        return cli::print(&transcript_text(&session, &screens));
    }
    let ui = Ui::new(ui_settings(config, false), Offload::immediate());
    let width = tty::size().map_or(WIDTH, |size| size.width);
    let rows = ui.printed(Printed::Everything, &session, &screens, width);
    let colour = std::env::var_os("NO_COLOR").is_none();
    match print_rows(&mut out, &rows, colour) {
        Err(source) if source.kind() != io::ErrorKind::BrokenPipe => Err(CliError::Io {
            what: "stdout".into(),
            source,
        }),
        _ => Ok(()),
    }
}

/// A session to be looked at: its agent is never started. What is pinned on a screen stands at the
/// end.
fn shown(record: StoredSession) -> Session {
    let now = Instant::now();
    let about = &record.about;
    let config = SessionConfig::looked_at(about.agent_name.clone(), about.cwd.clone().into());
    let mut history = record.into_history(now);
    let plan = std::mem::take(&mut history.plan);
    let plans = std::mem::take(&mut history.plans);
    let named = plans.into_iter().map(|plan| match plan.body {
        PlanBody::Items(entries) => BlockKind::Plan(entries),
        PlanBody::Text(text) => BlockKind::PlanText(text),
        PlanBody::Unknown { raw, .. } => BlockKind::PlanText(PlanText {
            text: SafeText::new(&raw.0),
            path: None,
        }),
    });
    let plain = (!plan.is_empty()).then_some(BlockKind::Plan(plan));
    let pinned = plain.into_iter().chain(named).map(Past::Block);
    history.blocks.extend(pinned);
    Session::past(config, None, history, now)
}
