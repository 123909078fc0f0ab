//! Signing in to real agents, as far as that goes without an account: the ways that each offers, its
//! own program on the screen, what becomes of the draft and of what was refused.

use std::path::Path;

use serde_json::json;

use crate::{
    conversation::Conversation,
    script::Script,
    stage::{Cast, Stage},
    support::pty::Tui,
    wire::Wire,
};

/// A program with which to sign in starts at a key only after a while without any.
const GUARD: std::time::Duration = std::time::Duration::from_millis(600);

fn press_guarded(tui: &Tui, keys: &str) {
    std::thread::sleep(GUARD);
    tui.keys(keys);
}

fn write(path: &Path, content: &str) {
    std::fs::create_dir_all(path.parent().expect("in a folder")).expect("its folder");
    std::fs::write(path, content).expect("written");
}

// V1-AUTH-05
/// Kimi's `_meta.terminal-auth`: the person confirms the program, which asks for a device code and
/// waits. Its second form, in the error's data, names arguments that its own program does not take.
#[test]
#[ignore = "needs real agents: ACP_TUI_AGENTS"]
fn kimi_by_the_program_that_it_names() {
    let stage = Cast::of("kimi").named("moon").set();
    let allowed = stage.path("allowed");
    let account = Script::start("kimi_account.py", &[&allowed, Path::new(stage.port())]);
    let host = format!("http://127.0.0.1:{}", account.port());
    let stage = stage
        .env("KIMI_CODE_OAUTH_HOST", &host)
        .env("KIMI_CODE_BASE_URL", &format!("{host}/coding/v1"));
    let tui = stage.start();
    let screen = tui.wait_for("wants you to sign in");
    assert!(screen.contains("Login with Kimi account"), "{screen}");
    assert!(screen.contains("bin/kimi login"), "{screen}");
    tui.keys("say I am in");
    tui.wait_for("❯ say I am in");
    press_guarded(&tui, "<down><up><enter>");
    let screen = tui.wait_for("Run this program to sign in?");
    assert!(screen.contains("bin/kimi login"), "{screen}");
    press_guarded(&tui, "<down><up><enter>");
    let screen = tui.wait_for("LAMP-OIL");
    assert!(screen.contains("attached"), "{screen}");
    // Given up: the dialog is there again, and the draft.
    tui.keys("<c-c>");
    tui.wait_gone("attached");
    tui.keys("q");
    tui.wait_for("the sign-in program ended");
    press_guarded(&tui, "<down><up><enter>");
    tui.wait_for("Run this program to sign in?");
    press_guarded(&tui, "<down><up><enter>");
    tui.wait_for("LAMP-OIL");
    write(&allowed, "");
    let talk = Conversation::with(tui);
    talk.wait_idle();
    talk.tui.wait_for("❯ say I am in");
    talk.tui.keys("<enter>");
    talk.wait_prompts(1);
    talk.wait_turn();
    talk.wait_row("I am in");
    let wire = talk.wire();
    assert_eq!(wire.sent("authenticate").count(), 0, "V1-AUTH-03");
    assert_eq!(wire.sent("initialize").count(), 2);
    talk.ends();
}

/// The person's own command goes before it. Here it fails, as nothing is there to sign in to.
#[test]
#[ignore = "needs real agents: ACP_TUI_AGENTS"]
fn kimi_by_the_profiles_command_d_22() {
    let bin = format!(
        "{}/kimi/bin",
        std::env::var("ACP_TUI_AGENTS").unwrap_or_default()
    );
    let path = format!("{bin}:{}", std::env::var("PATH").unwrap_or_default());
    let stage = Cast::of("kimi").with("PATH", path).set();
    let stage = stage.env("KIMI_CODE_OAUTH_HOST", "http://127.0.0.1:9");
    let mut tui = stage.start();
    let screen = tui.wait_for("wants you to sign in");
    assert!(screen.contains("kimi login"), "{screen}");
    press_guarded(&tui, "<down><up><enter>");
    tui.wait_for("Login failed");
    tui.wait_gone("attached");
    tui.keys("q");
    tui.wait_for("the sign-in program ended with exit code 1");
    tui.keys("<c-d>");
    assert_eq!(tui.wait_exit().code(), Some(4));
    tui.assert_restored();
    tui.assert_nothing_left();
}

const PI_MODELS: &str = r#"{"providers": {"fake": {"baseUrl": "http://127.0.0.1:PORT/v1",
    "apiKey": "fake-key", "api": "openai-completions", "models": [{"id": "fake-model",
    "name": "Fake model", "reasoning": true, "input": ["text"], "contextWindow": 128000,
    "maxTokens": 8192, "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}}]}}}"#;

// V1-AUTH-03, V1-AUTH-04
/// Pi's typed method: the agent's own program with its arguments added, which is pi itself. What is
/// set up in it is there when it ends.
#[test]
#[ignore = "needs real agents: ACP_TUI_AGENTS"]
fn pi_by_its_own_program() {
    let stage = Cast::of("pi").set();
    let (models, settings) = (".pi/agent/models.json", ".pi/agent/settings.json");
    let chosen = std::fs::read_to_string(stage.home(settings)).expect("settings");
    for file in [models, settings] {
        std::fs::remove_file(stage.home(file)).expect("it was there");
    }
    let tui = stage.start();
    let screen = tui.wait_for("wants you to sign in");
    assert!(screen.contains("Launch pi in the terminal"), "{screen}");
    assert!(screen.contains("--terminal-login"), "{screen}");
    tui.keys("say I am in");
    tui.wait_for("❯ say I am in");
    press_guarded(&tui, "<down><up><enter>");
    let screen = tui.wait_for("No models available");
    assert!(screen.contains("attached"), "{screen}");
    write(
        &stage.home(models),
        &PI_MODELS.replace("PORT", stage.port()),
    );
    write(&stage.home(settings), &chosen);
    tui.keys("/quit");
    tui.wait_for("/quit");
    tui.settle(GUARD);
    tui.keys("<enter>");
    let talk = Conversation::with(tui);
    talk.wait_idle();
    talk.tui.wait_for("❯ say I am in");
    talk.tui.keys("<enter>");
    talk.wait_prompts(1);
    talk.wait_turn();
    talk.wait_row("I am in");
    assert_eq!(talk.wire().sent("authenticate").count(), 0, "V1-AUTH-03");
    talk.ends();
}

// V1-AUTH-03, V1-AUTH-08, V1-INIT-14
/// Claude's typed methods, which it has once the client says that it can: a prompt is refused, its
/// program runs and fails; signed in elsewhere, the prompt that was refused goes on.
#[test]
#[ignore = "needs real agents: ACP_TUI_AGENTS"]
fn claude_at_a_terminal() {
    let cast = Cast::of("claude").without("ANTHROPIC_API_KEY");
    let stage = cast.set();
    let talk = Conversation::begin(&stage);
    talk.prompt("say I am in");
    let screen = talk.tui.wait_for("Sign in to");
    assert!(screen.contains("Claude Subscription"), "{screen}");
    assert!(screen.contains("Anthropic Console"), "{screen}");
    assert!(screen.contains("--cli auth login --console"), "{screen}");
    press_guarded(&talk.tui, "<down>");
    press_guarded(&talk.tui, "<enter>");
    let screen = talk.tui.wait_for("Paste code here");
    assert!(screen.contains("attached"), "{screen}");
    talk.tui.keys("sesame");
    talk.tui.settle(GUARD);
    talk.tui.keys("<enter>");
    talk.tui.wait_for("Invalid code");
    talk.tui.keys("<c-c>");
    talk.tui.wait_gone("attached");
    talk.tui.keys("q");
    talk.tui.wait_for("the sign-in program ended");
    assert_eq!(talk.wire().sent("initialize").count(), 1);
    let settings = stage.home(".claude/settings.json");
    let text = std::fs::read_to_string(&settings).expect("settings");
    let mut text: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    text["env"] = json!({"ANTHROPIC_API_KEY": "fake-key"});
    write(&settings, &text.to_string());
    // As the dialog says of what was done elsewhere.
    talk.tui.keys("<f5>");
    talk.tui.wait_for("held 1: ");
    talk.tui.keys("<enter>");
    talk.wait_prompts(2);
    talk.wait_turn();
    talk.wait_row("I am in");
    assert_eq!(talk.wire().sent("authenticate").count(), 0, "V1-AUTH-03");
    // V1-AUTH-10: what the key in the settings allows is still allowed.
    signs_out(&talk);
    talk.tui.keys("<esc>");
    talk.wait_idle();
    talk.goes_on("and still here");
    talk.ends();
}

/// V1-AUTH-10
fn signs_out(talk: &Conversation) {
    talk.tui.keys("<c-p>sign-out");
    talk.tui.wait_for("❯ Sign out of the agent");
    talk.tui.keys("<enter>");
    talk.tui.wait_for("signed out of");
    talk.tui.wait_for("Sign in to");
    let wire = talk.wire();
    let answer = wire.answer_to_last("logout").expect("an answer");
    assert!(answer.get("error").is_none(), "{answer}");
}

// V1-AUTH-02, V1-AUTH-08, V1-AUTH-10
/// Codex's API key, from the agent's environment; after a sign-out a new session wants it again.
#[test]
#[ignore = "needs real agents: ACP_TUI_AGENTS"]
fn codex_by_an_api_key_and_out_again() {
    let cast = Cast::of("codex").with("CODEX_API_KEY", "fake-key");
    let stage = cast.set();
    let config = stage.home(".codex/config.toml");
    let text = std::fs::read_to_string(&config).expect("its configuration");
    let wants = text.replace(
        "requires_openai_auth = false",
        "requires_openai_auth = true",
    );
    assert_ne!(text, wants);
    write(&config, &wants);
    let tui = stage.start();
    let screen = tui.wait_for("wants you to sign in");
    assert!(screen.contains("API Key"), "{screen}");
    tui.keys("say I am in");
    tui.wait_for("❯ say I am in");
    press_guarded(&tui, "<down><up><enter>");
    let talk = Conversation::with(tui);
    talk.wait_idle();
    talk.tui.wait_for("❯ say I am in");
    talk.tui.keys("<enter>");
    talk.wait_prompts(1);
    talk.wait_turn();
    talk.wait_row("I am in");
    let methods = |wire: Wire| wire.sent("authenticate").count();
    assert_eq!(methods(talk.wire()), 1);
    assert_eq!(talk.wire().sent("initialize").count(), 1);
    signs_out(&talk);
    talk.tui.keys("<esc>");
    talk.wait_idle();
    talk.tui.keys("<c-n>");
    talk.tui.wait_for("wants you to sign in");
    press_guarded(&talk.tui, "<enter>");
    talk.wait_idle();
    assert_eq!(methods(talk.wire()), 2);
    talk.goes_on("in another session");
    talk.ends();
}

/// Where a key has to be put into the agent's own files: what it says is told, nothing loops, and
/// started again it goes on.
fn by_hand(stage: &Stage, way: &str, told: &str, sign_in: impl FnOnce()) {
    let tui = stage.start();
    let screen = tui.wait_for("wants you to sign in");
    assert!(screen.contains(way), "{screen}");
    tui.keys("say I am in");
    tui.wait_for("❯ say I am in");
    let talk = Conversation::with(tui);
    // With a draft, an enter is a choice only behind an arrow.
    press_guarded(&talk.tui, "<up>");
    talk.choose_way(way);
    talk.tui.wait_for(told);
    assert_eq!(talk.wire().sent("authenticate").count(), 1);
    sign_in();
    talk.tui.keys("<f5>");
    talk.wait_idle();
    talk.tui.wait_for("❯ say I am in");
    talk.tui.keys("<enter>");
    talk.wait_prompts(1);
    talk.wait_turn();
    talk.wait_row("I am in");
    talk.ends();
}

// V1-AUTH-08
#[test]
#[ignore = "needs real agents: ACP_TUI_AGENTS"]
fn gemini_by_a_key_in_its_own_file() {
    let cast = Cast::of("gemini").without("GEMINI_API_KEY");
    let stage = cast.set();
    let told = "signed in, but the agent still refuses";
    by_hand(&stage, "Gemini API key", told, || {
        write(&stage.home(".gemini/.env"), "GEMINI_API_KEY=fake-key\n");
    });
}

// V1-AUTH-08
#[test]
#[ignore = "needs real agents: ACP_TUI_AGENTS"]
fn qwen_by_a_key_in_its_own_file() {
    let cast = Cast::of("qwen").without("OPENAI_API_KEY");
    let stage = cast.set();
    by_hand(&stage, "Use OpenAI API key", "Missing API key", || {
        write(&stage.home(".qwen/.env"), "OPENAI_API_KEY=fake-key\n");
    });
}
