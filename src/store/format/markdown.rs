//! A stored session as markdown, for people.

use std::time::Duration;

use similar::TextDiff;

use super::{
    block::{Block, Kind, Tool},
    content::Piece,
    conversation::{CUT_OFF, Children, Conversation, MAX_DEPTH},
    plan::Pinned,
    read::StoredSession,
    time::iso,
};
use crate::{
    model::{PlanEntry, PlanStatus, file_name, rule_words},
    session::By,
    text::SafeText,
};

/// Bytes of a diff's two sides up to which it is written out.
const MAX_DIFF: usize = 1 << 20;

/// The whole conversation. What the agent said is markdown already and stays as it is.
pub fn markdown(record: &StoredSession) -> String {
    let about = &record.about;
    let title = record.name().unwrap_or("Conversation");
    let title = SafeText::line(title.lines().next().unwrap_or_default());
    let mut out = format!("# {title}\n\n");
    let facts = [
        ("Agent", Some(about.agent_name.to_string())),
        ("Directory", Some(SafeText::line(&about.cwd).to_string())),
        (
            "Session",
            about
                .session
                .as_deref()
                .map(|id| SafeText::line(id).to_string()),
        ),
        ("Started", Some(iso(about.started))),
        ("Last", Some(iso(record.updated))),
    ];
    for (name, value) in facts {
        if let Some(value) = value {
            out.push_str(&format!("- {name}: {value}\n"));
        }
    }
    let mut speaker = "";
    for stored in &record.said.blocks {
        let block = &stored.block;
        let next = match block.kind {
            Kind::User => "You",
            Kind::Notice => speaker,
            _ => about.agent_name.as_str(),
        };
        if next != speaker || block.kind == Kind::User {
            out.push_str(&format!("\n## {next}\n"));
            speaker = next;
        }
        let text = written(block, &record.children, 0);
        push(&mut out, &text);
        if stored.cut {
            push(&mut out, &format!("*{CUT_OFF}*"));
        }
    }
    if !record.said.plans.is_empty() {
        out.push_str("\n## Not done\n");
        push(&mut out, &pinned(&record.said.plans));
    }
    out
}

/// Appends a paragraph.
fn push(out: &mut String, text: &str) {
    let text = text.trim_matches('\n');
    if !text.is_empty() {
        out.push_str(&format!("\n{text}\n"));
    }
}

/// A subagent's conversation below its header, as a quotation, in which markdown keeps its meaning.
fn written_subagent(block: &Block, children: &Children, depth: usize) -> String {
    let status = block.status.as_deref().unwrap_or_default();
    let mut out = format!(
        "**subagent** {} — {}",
        code(block.text.trim()),
        SafeText::line(&status.replace('_', " "))
    );
    if let Some(detail) = &block.detail {
        out.push_str(&format!(": {}", SafeText::line(detail)));
    }
    let said = block.child.and_then(|number| children.get(&number));
    // Deeper than a session has them: the file is damaged.
    if let Some(said) = said.filter(|_| depth < MAX_DEPTH) {
        out.push('\n');
        out.push_str(&written_within(said, children, depth + 1));
    }
    quoted(&out)
}

fn written_within(said: &Conversation, children: &Children, depth: usize) -> String {
    let mut out = String::new();
    for block in said.blocks.iter().map(|stored| &stored.block) {
        if block.kind == Kind::User {
            push(&mut out, "*was told:*");
        }
        push(&mut out, &written(block, children, depth));
    }
    if !said.plans.is_empty() {
        push(&mut out, "*not done:*");
        push(&mut out, &pinned(&said.plans));
    }
    out
}

/// Plans that are not done.
fn pinned(plans: &[Pinned]) -> String {
    let plan = |plan: &Pinned| match plan.text.is_empty() {
        true => entries(&plan.entries),
        false => quoted(&format!("*plan*\n\n{}", plan.text.trim())),
    };
    plans.iter().map(plan).collect::<Vec<_>>().join("\n\n")
}

fn entries(entries: &[PlanEntry]) -> String {
    let entry = |entry: &PlanEntry| {
        let sign = if entry.status == PlanStatus::Completed {
            "x"
        } else {
            " "
        };
        format!("- [{sign}] {}", SafeText::line(entry.content.trim()))
    };
    entries.iter().map(entry).collect::<Vec<_>>().join("\n")
}

fn written(block: &Block, children: &Children, depth: usize) -> String {
    match block.kind {
        Kind::User => {
            let mut parts = vec![block.text.to_string()];
            parts.extend(block.content.iter().map(written_piece));
            if block.refused {
                parts.push("*refused by the agent*".to_owned());
            }
            if block.steered {
                parts.push("*said while the agent worked*".to_owned());
            }
            parts.join("\n\n")
        }
        Kind::Agent => block.text.to_string(),
        Kind::Thought if block.text.trim().is_empty() => String::new(),
        Kind::Thought => {
            let took = block.took_ms.filter(|took| *took > 0);
            let took =
                took.map(|took| format!(" for {:.1} s", Duration::from_millis(took).as_secs_f64()));
            let head = format!("*thought{}*\n\n", took.unwrap_or_default());
            quoted(&format!("{head}{}", block.text.trim()))
        }
        Kind::Tool => block
            .tool
            .as_ref()
            .map_or_else(String::new, |tool| written_tool(tool, block)),
        Kind::Plan => entries(&block.entries),
        Kind::PlanText => quoted(&format!("*plan*\n\n{}", block.text.trim())),
        Kind::Entity(name) => {
            let name = match name {
                "compaction" => "context compacted".to_owned(),
                name => name.replace('_', " "),
            };
            let status = block.status.as_ref();
            let status = status.map_or_else(String::new, |status| format!(": {status}"));
            let content = block
                .content
                .iter()
                .filter_map(|piece| piece.text.as_deref());
            let texts = std::iter::once(&*block.text).chain(content);
            let texts: Vec<&str> = texts.filter(|text| !text.is_empty()).collect();
            quoted(&format!(
                "*{name}{status}*\n\n{}",
                texts.join("\n\n").trim()
            ))
        }
        Kind::Content => block
            .content
            .iter()
            .map(written_piece)
            .collect::<Vec<_>>()
            .join("\n\n"),
        Kind::Notice => format!("*{}*", SafeText::line(block.text.trim())),
        Kind::Subagent => written_subagent(block, children, depth),
        Kind::Gone | Kind::Later => String::new(),
    }
}

fn written_tool(tool: &Tool, block: &Block) -> String {
    let title = match &tool.command {
        Some(command) => SafeText::new(command),
        None => tool.title.clone(),
    };
    let mut out = format!(
        "**{}** {} — {}",
        tool.kind.as_str(),
        code(title.trim()),
        tool.status.replace('_', " ")
    );
    for answer in &tool.answers {
        let by = match &answer.by {
            By::Rule(rule) => rule_words(rule),
            By::Person => "by you".to_owned(),
            By::Nobody => "by nobody".to_owned(),
        };
        out.push_str(&format!("  \nAsked: {} ({by})", answer.answer));
    }
    for piece in &block.content {
        out.push_str("\n\n");
        out.push_str(&written_piece(piece));
    }
    out
}

fn written_piece(piece: &Piece) -> String {
    let name = || {
        let name = piece.title.as_deref().or(piece.name.as_deref());
        let name = name.or(piece.uri.as_deref()).unwrap_or(&piece.kind);
        SafeText::line(name)
    };
    match (&*piece.kind, &piece.text) {
        ("diff", _) => diff(piece),
        (_, Some(text)) => fenced(text.trim_end(), ""),
        ("resource_link", _) => {
            let uri = SafeText::line(piece.uri.as_deref().unwrap_or_default());
            format!("[{}](<{}>)", name(), uri.replace(['<', '>'], ""))
        }
        _ => {
            let kind = piece.mime_type.clone().unwrap_or_else(name);
            let of = piece.uri.as_deref().map(file_name);
            let of = of.map(|of| format!("{}, ", SafeText::line(&of)));
            let size = piece.size.map(|size| format!(", {size} bytes"));
            let (of, size) = (of.unwrap_or_default(), size.unwrap_or_default());
            format!("*[{}: {of}{kind}{size}]*", piece.kind)
        }
    }
}

fn diff(piece: &Piece) -> String {
    let note = piece.note.as_ref();
    let note = note.map_or_else(String::new, |note| {
        format!("*{}*\n\n", SafeText::line(note))
    });
    format!("{note}{}", change(piece))
}

fn change(piece: &Piece) -> String {
    let path = SafeText::line(piece.path.as_deref().unwrap_or_default());
    if let Some(patch) = &piece.patch {
        if patch.len() > MAX_DIFF {
            return format!("*a large change of {}*", code(&path));
        }
        return fenced(patch.trim_end(), "diff");
    }
    let new = piece.new_text.as_deref().unwrap_or_default();
    let old = piece.old_text.as_deref();
    if old.map_or(0, str::len) + new.len() > MAX_DIFF {
        return format!("*a large change of {}*", code(&path));
    }
    let before = if old.is_some() { &*path } else { "/dev/null" };
    let text = TextDiff::configure()
        .timeout(Duration::from_millis(200))
        .diff_lines(old.unwrap_or_default(), new)
        .unified_diff()
        .header(before, &path)
        .to_string();
    fenced(text.trim_end(), "diff")
}

/// In a fence that is longer than any within.
fn fenced(text: &str, language: &str) -> String {
    let fence = "`".repeat(longest_run(text).max(2) + 1);
    format!("{fence}{language}\n{text}\n{fence}")
}

fn code(text: &str) -> String {
    if text.contains('\n') {
        return format!("\n\n{}\n\n", fenced(text, ""));
    }
    let ticks = "`".repeat(longest_run(text) + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') {
        " "
    } else {
        ""
    };
    format!("{ticks}{pad}{text}{pad}{ticks}")
}

fn longest_run(text: &str) -> usize {
    let runs = text.split(|c| c != '`').map(str::len);
    runs.max().unwrap_or(0)
}

fn quoted(text: &str) -> String {
    let line = |line: &str| format!("> {line}").trim_end().to_owned();
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}
