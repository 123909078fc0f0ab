//! MCP servers from the configuration that real agents start and connect to (V1-MCP-01, V1-MCP-02),
//! with secrets that stand in no log (V1-MCP-04).

use std::path::Path;

use crate::{
    conversation::Conversation,
    script::{Script, path},
    stage::{Cast, say},
};

/// A variable whose name is no secret's: what is masked is so for its place.
const SOURCE: &str = "WICK";
const SECRET: &str = "oil-and-cotton-8841";

/// What one agent does with the servers that it is handed.
struct Agent {
    name: &'static str,
    /// Offers their tools to the model under names of their own.
    offers: bool,
    http: bool,
}

impl Agent {
    fn uses_the_servers(&self) {
        let logs = tempfile::tempdir().expect("a folder");
        let log = |name: &str| logs.path().join(name);
        let web_log = log("web");
        let args = [web_log.as_os_str(), "--http".as_ref()];
        let web = Script::start("mcp_server.py", &args);
        let config = format!(
            "[mcp_servers.lamp]\ncommand = \"python3\"\nargs = [{:?}, {:?}]\n\
             env = {{ LAMP = \"${{{SOURCE}}}\" }}\n[mcp_servers.web]\n\
             url = \"http://127.0.0.1:{}/mcp\"\nheaders = {{ X-Lamp = \"${{{SOURCE}}}\" }}\n",
            path("mcp_server.py"),
            log("lamp"),
            web.port(),
        );
        let cast = Cast::of(self.name)
            .profile("mcp_servers = [\"lamp\", \"web\"]")
            .config(&config);
        let stage = cast.set();
        let stage = stage.env(SOURCE, SECRET);
        let talk = Conversation::begin(&stage);
        talk.goes_on("good day to you");
        let heard = |name: &str, line: &str| {
            let text = std::fs::read_to_string(log(name)).unwrap_or_default();
            text.lines().any(|one| one == line)
        };
        talk.tui.wait("the server over stdio", |_| {
            heard("lamp", "tools/list").then_some(())
        });
        assert!(heard("lamp", &format!("variable {SECRET}")));
        if self.http {
            talk.tui.wait("the server over http", |_| {
                heard("web", "tools/list").then_some(())
            });
            assert!(heard("web", &format!("header {SECRET}")));
        } else {
            talk.wait_for("MCP server web skipped");
        }
        if self.offers {
            // Servers may have come up only after the first turn had begun.
            talk.goes_on("and still here");
            let tool = tool_of(&stage.asked()).expect("a tool of the server");
            talk.prompt(&format!("call {tool} {{}}"));
            talk.allows_what_is_asked();
            assert!(heard("lamp", "tools/call") || heard("web", "tools/call"));
            talk.wait_for("there is light");
        } else {
            say(&format!(
                "{}: offers no tool of an MCP server by itself",
                self.name
            ));
        }
        talk.ends();
        for log in ["wire.jsonl", "log", "home"] {
            assert_unsaid(&stage.path(log));
        }
    }
}

/// The last that the model was offered.
fn tool_of(asked: &str) -> Option<String> {
    let mut tools = asked.lines().rev().filter_map(|line| {
        let line: serde_json::Value = serde_json::from_str(line).ok()?;
        let tools = line["tools"].as_array()?.iter();
        let mut names = tools.filter_map(|tool| tool.as_str());
        names.find(|name| name.contains("light")).map(str::to_owned)
    });
    tools.next()
}

/// Also in the folders below.
fn assert_unsaid(path: &Path) {
    if path.is_dir() {
        for entry in std::fs::read_dir(path).expect("a folder") {
            assert_unsaid(&entry.expect("an entry").path());
        }
    } else if let Ok(bytes) = std::fs::read(path) {
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains(SECRET), "in {}", path.display());
    }
}

const fn agent(name: &'static str) -> Agent {
    Agent {
        name,
        offers: true,
        http: true,
    }
}

// V1-MCP-01, V1-MCP-02, V1-MCP-04
#[test]
#[ignore = "needs real agents: ACP_TUI_AGENTS"]
fn opencode_uses_mcp_servers() {
    agent("opencode").uses_the_servers();
}

// V1-MCP-01, V1-MCP-02, V1-MCP-04
#[test]
#[ignore = "needs real agents: ACP_TUI_AGENTS"]
fn claude_uses_mcp_servers() {
    agent("claude").uses_the_servers();
}

// V1-MCP-01, V1-MCP-02, V1-MCP-04
/// Its model finds tools by scripts of its own, as that of vibe; that of qwen by a search.
#[test]
#[ignore = "needs real agents: ACP_TUI_AGENTS"]
fn codex_uses_mcp_servers() {
    Agent {
        offers: false,
        ..agent("codex")
    }
    .uses_the_servers();
}

// V1-MCP-01, V1-MCP-02, V1-MCP-04
#[test]
#[ignore = "needs real agents: ACP_TUI_AGENTS"]
fn gemini_uses_mcp_servers() {
    agent("gemini").uses_the_servers();
}

// V1-MCP-01, V1-MCP-02, V1-MCP-04
#[test]
#[ignore = "needs real agents: ACP_TUI_AGENTS"]
fn qwen_uses_mcp_servers() {
    Agent {
        offers: false,
        ..agent("qwen")
    }
    .uses_the_servers();
}

// V1-MCP-01, V1-MCP-04
#[test]
#[ignore = "needs real agents: ACP_TUI_AGENTS"]
fn vibe_uses_an_mcp_server() {
    Agent {
        offers: false,
        http: false,
        ..agent("vibe")
    }
    .uses_the_servers();
}

// V1-MCP-01, V1-MCP-02, V1-MCP-04
#[test]
#[ignore = "needs real agents: ACP_TUI_AGENTS"]
fn fast_agent_uses_mcp_servers() {
    agent("fast-agent").uses_the_servers();
}
