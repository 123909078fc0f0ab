//! The agent's options: changed by the keyboard, by the command line, by the profile.

use serde_json::{Value, json};

use crate::{client, wait_ready};

fn model(current: &str) -> Value {
    json!({
        "id": "model", "name": "Model", "category": "model", "type": "select",
        "currentValue": current,
        "options": [
            {"group": "fast", "name": "Fast ones", "options": [{"value": "s", "name": "Small"}]},
            {"group": "good", "name": "Good ones", "options": [{"value": "b", "name": "Big"}]},
        ],
    })
}

fn level(current: &str) -> Value {
    json!({
        "id": "effort", "name": "Effort", "category": "thought_level", "type": "select",
        "currentValue": current,
        "options": [{"value": "lo", "name": "Low"}, {"value": "hi", "name": "High"}],
    })
}

fn fast(current: bool) -> Value {
    json!({"id": "fast", "name": "Fast mode", "type": "boolean", "currentValue": current})
}

fn opens(options: Value) -> Value {
    json!({"on": "session/new", "reply": {"sessionId": "sess-1", "configOptions": options}})
}

fn sets(options: Value) -> Value {
    json!({"on": "session/set_config_option", "reply": {"configOptions": options}})
}

// V1-CFG-08, V1-CFG-09, V1-CFG-05
#[test]
fn the_model_is_changed_by_two_keys_while_a_turn_runs() {
    let tui = client(json!([
        opens(json!([model("s"), level("lo")])),
        {"on": "session/prompt", "do": [{"text": "at work"}, {"wait_file": "go"}]},
        sets(json!([model("b"), level("hi")])),
    ]))
    .start();
    wait_ready(&tui);
    tui.wait_for("Small · Low");
    tui.keys("go<enter>");
    tui.wait_for("at work");
    tui.keys("<f7>");
    tui.wait_for("Good ones");
    tui.keys("<down><enter>");
    // The scripted agent answers once its turn is over; nothing is shown as set before.
    let screen = tui.wait_gone("type to filter");
    assert!(screen.contains("Small · Low"), "{screen}");
    tui.allow("go");
    tui.wait_for("Big · High");
    let set = tui.wait_method("session/set_config_option");
    assert_eq!(
        set["params"],
        json!({"sessionId": "sess-1", "configId": "model", "value": "b"})
    );
}

// V1-CFG-03, V1-INIT-09
#[test]
fn a_flag_is_offered_to_be_set_and_set() {
    let tui = client(json!([
        opens(json!([fast(false)])),
        sets(json!([fast(true)]))
    ]))
    .start();
    let offered = tui.wait_method("initialize");
    let offered = &offered["params"]["clientCapabilities"]["session"]["configOptions"];
    assert_eq!(offered, &json!({"boolean": {}}));
    wait_ready(&tui);
    tui.keys("<f12>");
    tui.wait_for("off");
    tui.keys("<enter>");
    let set = tui.wait_method("session/set_config_option");
    assert_eq!(
        set["params"],
        json!({"sessionId": "sess-1", "configId": "fast", "type": "boolean", "value": true})
    );
    let screen = tui.wait_gone("off");
    assert!(screen.contains("on"), "{screen}");
}

#[test]
fn what_cannot_be_set_says_what_there_is_and_the_prompt_goes_out_with_the_rest() {
    let tui = client(json!([
        opens(json!([model("s"), level("lo"), fast(false)])),
        sets(json!([model("b"), level("lo"), fast(false)])),
        sets(json!([model("b"), level("lo"), fast(true)])),
        {"on": "session/prompt", "do": [{"text": "done"}]},
    ]))
    .size(100, 24)
    .config("config = { model = \"small\", fast = true, wrong = \"x\" }\n")
    .args(&["--set", "effort=hgih", "--model", "big", "do it"])
    .start();
    let screen = tui.wait_for("done");
    for said in [
        "--set effort=hgih: Effort cannot be \"hgih\": there are lo (Low), hi (High)",
        "the profile's config.wrong = \"x\": the agent has no option \"wrong\"",
    ] {
        assert!(screen.contains(said), "{screen}");
    }
    let sent: Vec<String> = tui
        .received()
        .iter()
        .filter_map(|message| {
            let params = &message["params"];
            match message["method"].as_str()? {
                "session/set_config_option" => {
                    Some(format!("{}={}", params["configId"], params["value"]))
                }
                "session/prompt" => Some("prompt".to_owned()),
                _ => None,
            }
        })
        .collect();
    // The model first, as the flag wants it.
    assert_eq!(sent, ["\"model\"=\"b\"", "\"fast\"=true", "prompt"]);
}

// V1-CFG-09
#[test]
fn a_refused_change_is_said_and_the_value_shown_stays() {
    let tui = client(json!([
        opens(json!([model("s")])),
        {"on": "session/set_config_option",
         "error": {"code": -32602, "message": "not on your plan"}},
    ]))
    .start();
    wait_ready(&tui);
    tui.keys("<f7>big<enter>");
    let screen = tui.wait_for("Model could not be set to Big: not on your plan");
    assert!(screen.contains("Fake · Small"), "{screen}");
}

#[test]
fn what_the_command_line_sets_is_not_meant_for_another_agent() {
    let tui = client(json!([]))
        .args(&["--model", "nobody has it"])
        .start();
    tui.wait_for("nobody has it");
    tui.keys("<f6>demo<enter>");
    tui.wait_for("Long Script");
    tui.settle(std::time::Duration::from_millis(300));
    assert!(!tui.screen().contains("nobody has it"), "{}", tui.screen());
}
