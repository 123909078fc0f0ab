//! The answers of the demo: the tour, a command for each feature, and a help for anything else.

use std::path::Path;

use serde_json::json;

use super::{
    changes,
    peer::Stopped,
    script::{Answer, Script, text_content},
    session_updates,
};

pub struct Command {
    pub name: &'static str,
    pub description: &'static str,
    pub hint: Option<&'static str>,
    play: fn(&Script, &str) -> Result<(), Stopped>,
}

pub const COMMANDS: &[Command] = &[
    Command {
        name: "tour",
        description: "everything, one after the other (about a minute)",
        hint: None,
        play: |script, _| tour(script),
    },
    Command {
        name: "markdown",
        description: "a long answer: headings, lists, a table, code",
        hint: None,
        play: |script, _| script.say(LONG_ANSWER),
    },
    Command {
        name: "edit",
        description: "read a file and ask to change it",
        hint: None,
        play: |script, _| edit(script),
    },
    Command {
        name: "run",
        description: "run a command in a terminal, after asking",
        hint: Some("a shell command"),
        play: run,
    },
    Command {
        name: "changes",
        description: "change files in every way, after asking, to be reviewed and undone with F4",
        hint: None,
        play: |script, _| changes::changes(script),
    },
    Command {
        name: "ask",
        description: "ask for something you should refuse",
        hint: None,
        play: |script, _| refuse_me(script),
    },
    Command {
        name: "form",
        description: "ask with a form that has every kind of field",
        hint: None,
        play: |script, _| form(script),
    },
    Command {
        name: "link",
        description: "ask to open a page in your browser",
        hint: None,
        play: |script, _| link(script),
    },
    Command {
        name: "plan",
        description: "a plan that advances",
        hint: None,
        play: |script, _| plan(script),
    },
    Command {
        name: "plans",
        description: "two plans at once, one of them in prose",
        hint: None,
        play: |script, _| session_updates::plans(script),
    },
    Command {
        name: "subagents",
        description: "two subagents, each with its own messages, calls and questions",
        hint: None,
        play: |script, _| session_updates::subagents(script),
    },
    Command {
        name: "notice",
        description: "notices that show briefly",
        hint: None,
        play: |script, _| session_updates::notices(script),
    },
    Command {
        name: "compact",
        description: "make room in the context, with a summary",
        hint: None,
        play: |script, _| session_updates::compact(script),
    },
    Command {
        name: "think",
        description: "think aloud",
        hint: None,
        play: |script, _| script.think(THOUGHT),
    },
];

/// Plays what was asked for.
pub fn answer(script: &Script, text: &str, attached: &[&str]) -> Result<(), Stopped> {
    let text = text.trim();
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let name = word.strip_prefix('/').unwrap_or(word).to_lowercase();
    if let Some(command) = COMMANDS.iter().find(|command| command.name == name) {
        return (command.play)(script, rest.trim());
    }
    script.think("No model here, so no need to think long.")?;
    if !attached.is_empty() {
        let names: Vec<&str> = attached
            .iter()
            .map(|uri| uri.rsplit('/').next().unwrap_or(uri))
            .collect();
        script.say(&format!("Thank you for `{}`. ", names.join("`, `")))?;
    }
    script.say(
        "I am the **demo agent**: a script that speaks the same protocol as real agents, so that \
         you can try this client without an account.\n\n\
         - `/tour` shows everything, one after the other\n",
    )?;
    for command in &COMMANDS[1..] {
        script.say(&format!("- `/{}` {}\n", command.name, command.description))?;
    }
    script.say(
        "\nType while I work: your message is queued. **Esc** stops me. **Shift-Tab** makes me \
         faster, **F7** chooses another script, **F12** shows all that can be set. **F1** lists the \
         keys.\n",
    )
}

fn tour(script: &Script) -> Result<(), Stopped> {
    const PLAN: [&str; 6] = [
        "read a file",
        "change it, if you agree",
        "run a command",
        "ask for something to refuse",
        "ask how you like it",
        "tell what else there is",
    ];
    script.update(json!({"sessionUpdate": "session_info_update", "title": "A tour of acp-tui"}))?;
    script.say("Welcome. I work in a scratch folder, so nothing of yours is touched.\n")?;
    script.think(THOUGHT)?;
    script.tour_plan(&PLAN, 0)?;
    script.pause(600)?;
    edit_steps(script, || script.tour_plan(&PLAN, 1))?;
    script.tour_plan(&PLAN, 2)?;
    script.say("Now a command, in a real terminal that you can watch.\n")?;
    let input = json!({"rawInput": {"command": COUNT}});
    let call = script.tool("execute", "count, in colour", input)?;
    script.run(&call, COUNT)?;
    script.tour_plan(&PLAN, 3)?;
    refuse_me(script)?;
    script.tour_plan(&PLAN, 4)?;
    ask_opinion(script)?;
    script.tour_plan(&PLAN, 5)?;
    script.update(json!({
        "sessionUpdate": "usage_update", "used": 21_400, "size": 200_000,
        "cost": {"amount": 0.0, "currency": "USD"},
    }))?;
    script.say(LONG_ANSWER)?;
    script.tour_plan(&PLAN, PLAN.len())
}

fn edit(script: &Script) -> Result<(), Stopped> {
    edit_steps(script, || Ok(()))
}

/// Reads a file and changes it; `between` is called once it was read.
fn edit_steps(script: &Script, between: impl Fn() -> Result<(), Stopped>) -> Result<(), Stopped> {
    let path = script.file("greet.py");
    // The file that a project would have: made by the agent itself, as a checkout would.
    if let Err(error) = std::fs::write(&path, BEFORE) {
        let folder = script.scratch.display();
        return script.say(&format!("I cannot write to `{folder}`: {error}.\n"));
    }
    let location = json!([{"path": path, "line": 1}]);
    let read = script.tool("read", "Read greet.py", json!({"locations": location}))?;
    let before = match script.read(&path)? {
        Ok(content) => content,
        Err(error) => {
            script.tool_update(&read, "failed", json!({"content": [text_content(&error)]}))?;
            return script.say("The client did not let me read it, so there is no more to do.\n");
        }
    };
    script.tool_update(
        &read,
        "completed",
        json!({"content": [text_content(&before)]}),
    )?;
    between()?;
    script.say("It greets everyone alike. I would let it take a name:\n")?;
    let diff = json!([{"type": "diff", "path": path, "oldText": before, "newText": AFTER}]);
    let change = script.tool(
        "edit",
        "Edit greet.py",
        json!({"locations": location, "content": diff.clone()}),
    )?;
    match script.ask(&change, json!({"kind": "edit", "content": diff}))? {
        Answer::Allowed => write_change(script, &change, &path)?,
        Answer::Rejected => {
            script.tool_update(&change, "failed", json!({}))?;
            script.say("As you wish: the file stays as it is.\n")?;
        }
    }
    Ok(())
}

fn write_change(script: &Script, change: &str, path: &Path) -> Result<(), Stopped> {
    script.tool_update(change, "in_progress", json!({}))?;
    script.pause(300)?;
    match script.write(path, AFTER)? {
        Ok(()) => {
            script.tool_update(change, "completed", json!({}))?;
            script.say("Written.\n")
        }
        Err(error) => {
            script.tool_update(change, "failed", json!({"content": [text_content(&error)]}))?;
            script.say("It could not be written.\n")
        }
    }
}

fn run(script: &Script, command: &str) -> Result<(), Stopped> {
    let command = if command.is_empty() { COUNT } else { command };
    let input = json!({"kind": "execute", "rawInput": {"command": command}});
    let call = script.tool("execute", command, input.clone())?;
    if script.ask(&call, input)? == Answer::Rejected {
        script.tool_update(&call, "failed", json!({}))?;
        return script.say("Then not.\n");
    }
    match script.run(&call, command)? {
        Some(0) => script.say("That went well.\n"),
        Some(code) => script.say(&format!("It ended with exit code {code}.\n")),
        None => script.say("It did not end by itself.\n"),
    }
}

fn refuse_me(script: &Script) -> Result<(), Stopped> {
    script.say("And here is one that you should refuse:\n")?;
    let command = "rm -rf ~/holiday-pictures";
    let input = json!({"kind": "execute", "rawInput": {"command": command}});
    let call = script.tool("execute", command, input.clone())?;
    let answer = script.ask(&call, input)?;
    script.tool_update(&call, "failed", json!({}))?;
    script.say(match answer {
        Answer::Rejected => "Good. A refusal is an answer like any other; I go on.\n\n",
        Answer::Allowed => "I would never have run that, but another agent might have.\n\n",
    })
}

/// A short form, as it fits into the tour.
fn ask_opinion(script: &Script) -> Result<(), Stopped> {
    if !script.offers.forms {
        return Ok(());
    }
    script.say("Agents can also ask for more than a yes or no:\n")?;
    let schema = json!({
        "type": "object",
        "properties": {
            "like": {
                "type": "string", "title": "How do you like it so far?",
                "oneOf": [
                    {"const": "well", "title": "Well"},
                    {"const": "so", "title": "So so"},
                    {"const": "wait", "title": "Ask me later"},
                ],
            },
            "name": {"type": "string", "title": "Your name", "maxLength": 40},
        },
    });
    let mode = json!({"mode": "form", "requestedSchema": schema});
    let answer = script.elicit("Two questions; you need not answer either.", mode)?;
    let name = answer["content"]["name"].as_str().unwrap_or("friend");
    script.say(
        match answer["action"].as_str() {
            Some("accept") => format!("Thank you, {name}. I forget it at once: I am a script.\n\n"),
            _ => "As you like: no answer is an answer too.\n\n".to_owned(),
        }
        .as_str(),
    )
}

/// Every kind of field there is.
fn form(script: &Script) -> Result<(), Stopped> {
    if !script.offers.forms {
        return script.say("Your client shows no forms.\n");
    }
    // As text: the order of the fields is that of the form.
    const SCHEMA: &str = r#"{
        "type": "object", "title": "A release",
        "properties": {
            "name": {"type": "string", "title": "Name", "description": "Small letters, digits and dashes.",
                "minLength": 3, "maxLength": 20, "pattern": "^[a-z0-9-]+$", "default": "spring"},
            "mail": {"type": "string", "title": "Whom to tell", "format": "email"},
            "day": {"type": "string", "title": "Not before", "format": "date"},
            "region": {"type": "string", "title": "Region", "default": "eu-1", "oneOf": [
                {"const": "eu-1", "title": "Europe", "description": "Frankfurt"},
                {"const": "us-1", "title": "United States", "description": "Ohio"},
                {"const": "ap-1", "title": "Asia", "description": "Tokyo"}]},
            "copies": {"type": "integer", "title": "Copies", "minimum": 1, "maximum": 9, "default": 2},
            "share": {"type": "number", "title": "Share of traffic", "minimum": 0, "maximum": 1},
            "public": {"type": "boolean", "title": "Public", "default": false},
            "checks": {"type": "array", "title": "Checks", "minItems": 1, "default": ["test"],
                "items": {"type": "string", "enum": ["lint", "test", "load"]}}
        },
        "required": ["name", "region", "copies", "checks"]
    }"#;
    script.say("Nothing is released anywhere; it is only a form:\n")?;
    let answer = script.elicit_form("What shall be released, and where?", SCHEMA)?;
    match answer["action"].as_str() {
        Some("accept") => {
            let content = serde_json::to_string_pretty(&answer["content"]).unwrap_or_default();
            script.say(&format!("You sent:\n\n```json\n{content}\n```\n"))
        }
        Some("decline") => script.say("You said no, and that is what I was told.\n"),
        _ => script.say("You dismissed it.\n"),
    }
}

fn link(script: &Script) -> Result<(), Stopped> {
    if !script.offers.pages {
        return script.say("Your client opens no pages.\n");
    }
    const PAGE: &str = "demo-page";
    let mode = json!({
        "mode": "url", "elicitationId": PAGE, "url": "https://example.com/?from=acp-tui",
    });
    let answer = script.elicit("You could sign in there, for example.", mode)?;
    if answer["action"] != "accept" {
        return script.say("Then not.\n");
    }
    script.say("You would sign in there now; I am waiting.\n")?;
    script.pause(3_000)?;
    script.page_done(PAGE);
    script.say("And that was it.\n")
}

fn plan(script: &Script) -> Result<(), Stopped> {
    const STEPS: [&str; 4] = ["look around", "think about it", "do it", "look again"];
    for done in 0..=STEPS.len() {
        script.plan(&STEPS, done)?;
        script.pause(900)?;
    }
    script.say("Done, all four.\n")
}

const THOUGHT: &str = "The person wants to see what this client can do. I should show a plan \
first, then read before I change anything, ask before I write, and keep an eye on the order: \
people want to see what happens while it happens.";

const COUNT: &str = r#"for n in 1 2 3 4 5 6; do printf '\033[3%dmstep %d of 6\033[0m\n' $n $n; sleep 0.3; done; echo all done"#;

const BEFORE: &str = r#"import sys


def greet():
    print("Hello, world!")


if __name__ == "__main__":
    greet()
"#;

const AFTER: &str = r#"import sys


def greet(name="world"):
    print(f"Hello, {name}!")


if __name__ == "__main__":
    greet(*sys.argv[1:2])
"#;

const LONG_ANSWER: &str = r#"## What you have seen

Everything came over the **Agent Client Protocol**, as it would from a real agent: *streamed* text, a plan, tool calls with a diff and a live terminal, and questions that waited for you.

1. Nothing was written before you answered.
2. What you answered stands beside each call:
   - by you, or
   - by a rule of yours.

### What is where

| to do | key | note |
|:------|:----|:-----|
| stop the agent | `esc` | once to ask, again if it does not listen |
| all keys | `F1` | every one can be rebound |
| all actions | `ctrl-p` | search by what they do |
| the model | `F7` | and `F12` for all options |
| details | `ctrl-o` | fold and unfold |

### Code is code

```rust
/// Greets whoever is there.
pub fn greet(name: Option<&str>) -> String {
    let name = name.unwrap_or("world");
    format!("Hello, {name}!") // copies clean: no frame to its left
}
```

> A client should be quiet until it is needed,
> and clear when it is.

- [x] read, edited, ran, refused
- [ ] your own agent: `acp-tui --agent opencode`, or any of those that `acp-tui agents` lists

More about the protocol: <https://agentclientprotocol.com>. 日本語 and 👩‍💻 are no trouble either.
"#;
