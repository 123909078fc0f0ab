//! Updates of a session besides messages and calls: plans with ids, subagents, notices, compactions.

use serde_json::json;

use super::{
    peer::Stopped,
    script::{Answer, Script, plan_entries, text_content},
};

pub fn plans(script: &Script) -> Result<(), Stopped> {
    const STEPS: [&str; 3] = ["measure", "mend", "measure again"];
    if !script.offers.plans {
        return script.say("Your client shows one plan only: try `/plan`.\n");
    }
    let prose = "## How\n\n1. **Measure** what is slow\n2. mend *only* that\n";
    let notes = json!({"type": "markdown", "planId": "notes", "content": prose});
    script.update(json!({"sessionUpdate": "plan_update", "plan": notes}))?;
    for done in 0..=STEPS.len() {
        let entries = plan_entries(&STEPS, done);
        let plan = json!({"type": "items", "planId": "steps", "entries": entries});
        script.update(json!({"sessionUpdate": "plan_update", "plan": plan}))?;
        script.pause(1_200)?;
    }
    script.update(json!({"sessionUpdate": "plan_removed", "planId": "notes"}))?;
    script.say("Done. The one in prose was taken back.\n")
}

pub fn subagents(script: &Script) -> Result<(), Stopped> {
    if !script.offers.subagents {
        return script.say("Your client shows no subagents.\n");
    }
    script
        .say("Two at once. Select one with **tab**: `enter` unfolds it, `x` stops it alone.\n")?;
    let ended = std::thread::scope(|scope| {
        let search = scope.spawn(|| {
            let task = "Find out where the tests are, and how many there are.";
            script.subagent("Look for tests", task, search)
        });
        let task = "Run the style check. Ask before you do.";
        let checked = script.subagent("Check the style", task, check);
        let searched = search.join().unwrap_or(Err(Stopped));
        searched.and(checked)
    });
    ended?;
    script.say("Both are back; what they said stays under their rows.\n")
}

/// Reads a little, and has a subagent of its own count.
fn search(child: &Script) -> Result<(), Stopped> {
    child.think("Tests are often in a folder of that name.")?;
    let call = child.tool("search", "Search for tests", json!({}))?;
    child.pause(1_500)?;
    let found = json!({"content": [text_content("tests/unit.py\ntests/end_to_end.py")]});
    child.tool_update(&call, "completed", found)?;
    child.say("Two files. Somebody else may count what is in them.\n")?;
    child.subagent(
        "Count them",
        "Count the tests in both files.",
        |grandchild| {
            grandchild.pause(2_000)?;
            grandchild.say("Seventeen, all in all.\n")
        },
    )?;
    child.say("Seventeen tests in two files.\n")
}

/// Asks, in its own name.
fn check(child: &Script) -> Result<(), Stopped> {
    const COMMAND: &str = "echo 'style: no complaints'";
    child.pause(800)?;
    let input = json!({"kind": "execute", "rawInput": {"command": COMMAND}});
    let call = child.tool("execute", COMMAND, input.clone())?;
    if child.ask(&call, input)? == Answer::Rejected {
        child.tool_update(&call, "failed", json!({}))?;
        return child.say("Not checked.\n");
    }
    child.run(&call, COMMAND)?;
    child.say("No complaints.\n")
}

pub fn notices(script: &Script) -> Result<(), Stopped> {
    const ALL: [(&str, &str, &str); 3] = [
        ("info", "The demo has nothing new", "It never has."),
        (
            "warning",
            "A pretended limit comes near",
            "80 % of nothing is used.",
        ),
        ("error", "A pretended server is gone", "It was never there."),
    ];
    for (severity, title, description) in ALL {
        script.update(json!({
            "sessionUpdate": "notice", "severity": severity, "title": title,
            "description": description,
        }))?;
        script.pause(2_500)?;
    }
    script.say("Three notices; they are no part of the conversation.\n")
}

pub fn compact(script: &Script) -> Result<(), Stopped> {
    const SUMMARY: &str = "The person looks at what this client can do. Nothing of theirs was \
touched; a file `greet.py` may have been changed in the scratch folder.";
    let used = |used: u32| json!({"sessionUpdate": "usage_update", "used": used, "size": 200_000});
    script.update(used(181_000))?;
    script.say("My context is nearly full, or so I pretend.\n")?;
    let id = script.next_id("compaction");
    let state = |status: &str| json!({"sessionUpdate": "compaction_update", "compactionId": id, "status": status});
    script.update(state("in_progress"))?;
    for piece in SUMMARY.split_inclusive(' ') {
        let told = script.update(json!({
            "sessionUpdate": "compaction_summary_chunk", "compactionId": id,
            "content": {"type": "text", "text": piece},
        }));
        if let Err(stopped) = told.and_then(|()| script.pause(60)) {
            // What was begun is ended, whatever becomes of the turn.
            script.tell(state("cancelled"));
            return Err(stopped);
        }
    }
    script.update(state("completed"))?;
    script.update(used(12_000))?;
    script.say("There is room again; the summary is behind that line.\n")
}
