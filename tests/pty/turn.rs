//! What the agent does in a turn, and how the screen tells it.

use serde_json::{Value, json};

use crate::{client, on_prompt, ready, wait_ready};

#[test]
fn an_answer_is_there_piece_by_piece() {
    let tui = ready(on_prompt(json!([
        {"text": "The **first** half"},
        {"wait_file": "go"},
        {"text": " and the second."},
    ])));
    tui.keys("tell me<enter>");
    let screen = tui.wait_for("The first half");
    assert!(screen.contains("esc interrupts"), "{screen}");
    tui.allow("go");
    tui.wait_for("The first half and the second.");
    wait_ready(&tui);
}

// V1-UPD-03
#[test]
fn the_echo_of_a_prompt_is_not_shown_twice() {
    let tui = ready(on_prompt(json!([
        {"update": {"sessionUpdate": "user_message_chunk", "content": {"type": "text", "text": "say it once"}}},
        {"text": "said"},
    ])));
    tui.keys("say it once<enter>");
    let screen = tui.wait_for("said");
    assert_eq!(screen.matches("say it once").count(), 1, "{screen}");
}

// V1-UPD-02
#[test]
fn a_finished_thought_is_folded_and_ctrl_o_unfolds_it() {
    let tui = ready(on_prompt(json!([
        {"thought": "line one\nline two\nline three"},
        {"text": "the answer"},
    ])));
    tui.keys("think<enter>");
    let screen = tui.wait_for("the answer");
    assert!(
        screen.contains("thought") && !screen.contains("line two"),
        "{screen}"
    );
    tui.keys("<c-o>");
    tui.wait_for("line two");
    tui.keys("<c-o>");
    tui.wait_gone("line two");
}

// V1-TOOL-01
#[test]
fn a_tool_call_announced_twice_is_one_row() {
    let call = |title: &str| {
        json!({"update": {
            "sessionUpdate": "tool_call", "toolCallId": "t1", "title": title, "kind": "read", "status": "pending",
        }})
    };
    let tui = ready(on_prompt(json!([
        call("Read"),
        call("Read src/main.rs"),
        {"update": {
            "sessionUpdate": "tool_call_update", "toolCallId": "t1", "status": "completed",
            "content": [{"type": "content", "content": {"type": "text", "text": "fn main() {}"}}],
        }},
        {"text": "read it"},
    ])));
    tui.keys("look<enter>");
    let screen = tui.wait_for("read it");
    assert_eq!(screen.matches("src/main.rs").count(), 1, "{screen}");
    assert!(screen.contains('✓'), "{screen}");
}

// V1-TOOL-09
#[test]
fn an_edit_shows_its_diff_with_counts() {
    let tui = ready(on_prompt(json!([
        {"update": {
            "sessionUpdate": "tool_call", "toolCallId": "t1", "title": "Edit list.rs", "kind": "edit",
            "status": "completed", "content": [{
                "type": "diff", "path": "$cwd/src/list.rs",
                "oldText": "one\ntwo\nthree\n", "newText": "one\n2\nthree\nfour\n",
            }],
        }},
    ])));
    tui.keys("edit<enter>");
    let screen = tui.wait_for("+2 −1");
    assert!(screen.contains("src/list.rs"), "{screen}");
    tui.wait_for("four");
}

#[test]
fn a_plan_is_pinned_while_open_and_stays_in_the_transcript() {
    let plan = |last: &str| {
        json!({"update": {"sessionUpdate": "plan", "entries": [
            {"content": "read the code", "priority": "high", "status": "completed"},
            {"content": "write the test", "priority": "high", "status": last},
        ]}})
    };
    let tui = ready(on_prompt(json!([
        plan("in_progress"),
        {"text": "working"},
        {"wait_file": "go"},
        plan("completed"),
        {"text": ", done"},
    ])));
    tui.keys("go<enter>");
    let screen = tui.wait_for("write the test");
    assert!(screen.contains("1/2"), "{screen}");
    let working = screen.find("working").expect("the text");
    assert!(
        screen.find("write the test").expect("the plan") > working,
        "below the transcript: {screen}"
    );
    assert!(!screen.contains("read the code"), "one row: {screen}");
    tui.keys("<c-t>");
    tui.wait_for("read the code");
    tui.keys("<c-t>");
    tui.wait_gone("read the code");
    tui.wait_for("write the test");
    tui.allow("go");
    wait_ready(&tui);
    tui.wait_for("✓ plan");
}

// V1-UPD-09
#[test]
fn usage_and_cost_stand_in_the_status_line() {
    let tui = ready(on_prompt(json!([
        {"update": {
            "sessionUpdate": "usage_update", "used": 34_000, "size": 100_000,
            "cost": {"amount": 0.123, "currency": "USD"},
        }},
    ])));
    tui.keys("hi<enter>");
    tui.wait_for("ctx 34%");
    tui.wait_for("$0.12");
}

// V1-PROMPT-08
#[test]
fn what_the_answer_says_it_took_stands_in_the_status_line() {
    let usage = json!({"totalTokens": 12_345, "inputTokens": 12_000, "outputTokens": 345});
    let tui = client(json!([
        {"on": "session/prompt", "reply": {"stopReason": "end_turn", "usage": usage}},
        {"on": "session/prompt", "reply": {"stopReason": "end_turn", "usage": {"totalTokens": "?"}}},
    ]))
    .size(120, 24)
    .start();
    wait_ready(&tui);
    tui.keys("hi<enter>");
    tui.wait_for("12,345 tokens");
    // One that makes no sense is no end, and no news.
    tui.keys("again<enter>");
    tui.wait("the second answer", |tui| {
        (tui.count("session/prompt") == 2).then_some(())
    });
    wait_ready(&tui);
    assert!(tui.screen().contains("12,345 tokens"), "{}", tui.screen());
}

#[test]
fn shift_tab_goes_to_the_next_mode_v1_mode() {
    let modes = json!({"currentModeId": "ask", "availableModes": [
        {"id": "ask", "name": "Ask first"}, {"id": "plan", "name": "Plan only"},
    ]});
    let tui =
        ready(json!([{"on": "session/new", "reply": {"sessionId": "sess-1", "modes": modes}}]));
    tui.wait_for("Ask first");
    tui.keys("<s-tab>");
    let set = tui.wait_method("session/set_mode");
    assert_eq!(set["params"]["modeId"], "plan");
    tui.wait_for("Plan only");
}

// V1-PROMPT-04
#[test]
fn stop_reasons_other_than_the_end_are_said() {
    for (reason, said) in [
        ("max_tokens", "token limit"),
        ("max_turn_requests", "limit of requests"),
        ("refusal", "refused"),
        ("overheated", "overheated"),
    ] {
        let tui = ready(json!([
            {"on": "session/prompt", "do": [{"text": "some of it"}], "reply": {"stopReason": reason}},
        ]));
        tui.keys("go<enter>");
        let screen = tui.wait_for(said);
        assert!(screen.contains("some of it"), "{screen}");
        wait_ready(&tui);
    }
}

// V1-PROMPT-06
#[test]
fn an_error_ends_the_turn_and_the_session_goes_on() {
    let tui = ready(json!([
        {"on": "session/prompt", "do": [
            {"update": {"sessionUpdate": "tool_call", "toolCallId": "t", "title": "try it", "status": "in_progress"}},
        ], "error": {"code": -32603, "message": "the model is overloaded"}},
        {"on": "session/prompt", "do": [{"text": "better now"}]},
    ]));
    tui.keys("one<enter>");
    let screen = tui.wait_for("the model is overloaded");
    assert!(screen.contains('✗'), "{screen}");
    tui.keys("two<enter>");
    tui.wait_for("better now");
}

// V1-PROMPT-07
#[test]
fn what_comes_after_the_turn_is_shown() {
    let tui = ready(json!([
        {"on": "session/prompt", "do": [{"text": "started it"}], "after": [
            {"text": "and now it has ended"},
        ]},
    ]));
    tui.keys("go<enter>");
    tui.wait_for("and now it has ended");
    wait_ready(&tui);
}

// V1-UPD-10
#[test]
fn unknown_updates_are_a_dim_line_and_no_end() {
    let tui = ready(on_prompt(json!([
        {"update": {"sessionUpdate": "hologram", "depth": 3}},
        {"text": "flat again"},
    ])));
    tui.keys("go<enter>");
    tui.wait_for("hologram");
    tui.wait_for("flat again");
}

// V1-UPD-12
#[test]
fn no_byte_of_the_agents_text_reaches_the_terminal() {
    let evil = "\u{1b}]52;c;ZXZpbA==\u{7}\u{1b}[2J\u{9b}31m\u{202e}";
    let tui = ready(on_prompt(json!([
        {"text": format!("text {evil} end\n\n```\n{evil}\n```\n")},
        {"thought": evil},
        {"update": {
            "sessionUpdate": "tool_call", "toolCallId": "t", "title": format!("title {evil}"), "kind": "execute",
            "status": "completed", "content": [{"type": "content", "content": {"type": "text", "text": evil}}],
        }},
        {"update": {"sessionUpdate": "session_info_update", "title": evil}},
        {"text": "the end"},
    ])));
    tui.keys("go<enter>");
    tui.wait_for("the end");
    assert!(!tui.wrote("\u{1b}]52"));
    assert!(!tui.wrote("\u{1b}[2J"));
    assert!(!tui.wrote("\u{9b}"));
    assert!(!tui.wrote("\u{202e}"));
    assert!(tui.screen().contains("<U+202E>"), "{}", tui.screen());
}

#[test]
fn scrolled_up_the_view_stays_and_says_how_much_is_new() {
    let lines: String = (0..60).map(|n| format!("line {n}\n\n")).collect();
    let tui = ready(on_prompt(json!([
        {"text": lines},
        {"wait_file": "go"},
        {"text": "the last word"},
    ])));
    tui.keys("go<enter>");
    tui.wait_for("line 59");
    tui.keys("<pgup>");
    let before = tui.wait_gone("line 59");
    let top = before.lines().next().expect("a row").to_owned();
    tui.allow("go");
    wait_ready(&tui);
    let after = tui.wait_for("new");
    assert_eq!(after.lines().next(), Some(top.as_str()), "{after}");
    tui.keys("<c-end>");
    tui.wait_for("the last word");
    tui.keys("<c-home>");
    tui.wait_for("line 0");
}

// V1-RPC-05
#[test]
fn requests_for_what_is_unknown_are_refused_and_ids_come_back() {
    let ids: Vec<Value> = vec![
        json!(0),
        json!(-1),
        json!(9_007_199_254_740_993_i64),
        json!("7"),
        json!(""),
    ];
    // What is in drafts only and not offered is unknown as well (V1-MCP-03).
    let methods = ["foo/ask", "_x/ask", "mcp/message", "foo/ask", "foo/ask"];
    let steps: Vec<Value> = ids
        .iter()
        .zip(methods)
        .map(|(id, method)| json!({"request": {"id": id, "method": method, "params": {}}}))
        .collect();
    let tui = ready(on_prompt(json!(steps)));
    tui.keys("go<enter>");
    for id in ids {
        assert_eq!(tui.wait_answer(id)["error"]["code"], -32601);
    }
    wait_ready(&tui);
}
