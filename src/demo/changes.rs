//! Changes of every kind to files in a folder of the session's own, so that there is something to review and
//! undo: an edit, a new file, one deleted, one renamed, one changed by a command. Each is asked for.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::{
    peer::Stopped,
    script::{Answer, Script},
};

/// Below the session's folder.
const FOLDER: &str = "acp-tui-demo";

/// Files that are there before, as [`LAY_OUT`] makes them.
const BEFORE: [&str; 4] = ["edited.txt", "gone.txt", "old.txt", "shell.sh"];

/// Files that are there afterwards.
const AFTER: [&str; 2] = ["made.txt", "new.txt"];

const LAY_OUT: &str = r#"mkdir -p acp-tui-demo && cd acp-tui-demo && rm -f made.txt new.txt \
&& i=1 && while [ $i -le 30 ]; do echo row-$i; i=$((i+1)); done >edited.txt \
&& echo it was here >gone.txt \
&& i=1 && while [ $i -le 20 ]; do echo a line of what moves; i=$((i+1)); done >old.txt \
&& printf '#!/bin/sh\r\necho no end of line' >shell.sh && chmod 755 shell.sh"#;

pub fn changes(script: &Script) -> Result<(), Stopped> {
    let path = |name: &str| script.cwd.join(FOLDER).join(name);
    let is_laid_out = BEFORE.iter().all(|name| path(name).is_file())
        && !AFTER.iter().any(|name| path(name).exists());
    let edited = path("edited.txt");
    let text = match is_laid_out {
        true => script.read(&edited)?.ok(),
        false => None,
    };
    let text = text.filter(|text| text.contains("row-5\n") && text.contains("row-27\n"));
    let Some(before) = text else {
        script.say("First a few files, in a folder that is theirs alone:\n")?;
        if command(script, "execute", LAY_OUT)? {
            script.say(
                "There they are, in `acp-tui-demo`. Say `/changes` once more, and I change them.\n",
            )?;
        }
        return Ok(());
    };
    let after = before
        .replace("row-5\n", "changed-5\n")
        .replace("row-27\n", "changed-27\n");
    let edit = json!({"type": "diff", "path": edited, "oldText": before, "newText": after});
    write(script, "Edit edited.txt", edited, &after, edit)?;
    let made = path("made.txt");
    let new = json!({"type": "diff", "path": made, "oldText": null, "newText": "made\n"});
    write(script, "Write made.txt", made, "made\n", new)?;
    command(script, "delete", "rm acp-tui-demo/gone.txt")?;
    command(
        script,
        "move",
        "mv acp-tui-demo/old.txt acp-tui-demo/new.txt",
    )?;
    command(script, "execute", "printf more >>acp-tui-demo/shell.sh")?;
    script.say("That is all. **F4** shows it, and puts back what you do not want.\n")
}

/// Whether it was allowed, and went well.
fn command(script: &Script, kind: &str, command: &str) -> Result<bool, Stopped> {
    let input = json!({"kind": kind, "rawInput": {"command": command}});
    let call = script.tool(kind, command, input.clone())?;
    if script.ask(&call, input)? == Answer::Rejected {
        script.tool_update(&call, "failed", json!({}))?;
        return Ok(false);
    }
    Ok(script.run_in(script.cwd, &call, command)? == Some(0))
}

fn write(
    script: &Script,
    title: &str,
    path: PathBuf,
    text: &str,
    diff: Value,
) -> Result<(), Stopped> {
    let content = json!({"kind": "edit", "locations": [{"path": path}], "content": [diff]});
    let call = script.tool("edit", title, content.clone())?;
    let status = match script.ask(&call, content)? {
        Answer::Allowed if script.write(&path, text)?.is_ok() => "completed",
        Answer::Allowed | Answer::Rejected => "failed",
    };
    script.tool_update(&call, status, json!({}))
}
