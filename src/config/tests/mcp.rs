//! `[mcp_servers.NAME]`.

use super::*;
use crate::model::{McpServer, McpTransport};

fn servers(loaded: &Loaded, agent: &str) -> Vec<McpServer> {
    let lookup = |name: &str| (name == "KEY").then(|| "s3cret".into());
    loaded.config.agents[agent]
        .mcp_servers
        .iter()
        .map(|server| {
            let path = std::ffi::OsStr::new("/bin:/usr/bin");
            server.resolve(&lookup, Some(path), "/".as_ref()).unwrap()
        })
        .collect()
}

// V1-MCP-01
#[test]
fn servers_are_expanded_and_their_programs_looked_up() {
    let world = World::with_user(
        r#"[agents.a]
command = "a"
mcp_servers = ["own", "web", "own"]
[mcp_servers.own]
command = "sh"
args = ["-c", "${KEY}"]
env = { TOKEN = "${KEY}" }
[mcp_servers.web]
url = "https://x.test/${KEY}"
headers = { Authorization = "Bearer ${KEY}" }
[mcp_servers.old]
url = "http://x.test"
type = "sse"
"#,
    );
    let loaded = world.load();
    assert_eq!(loaded.warnings, []);
    let [own, web] = &servers(&loaded, "a")[..] else {
        panic!("two, each once");
    };
    let McpTransport::Stdio { command, args, env } = &own.transport else {
        panic!("{own:?}");
    };
    assert!(
        command.is_absolute() && command.ends_with("sh"),
        "{command:?}"
    );
    assert_eq!(args[1], "s3cret");
    assert_eq!(env.0, [("TOKEN".to_owned(), "s3cret".to_owned())]);
    assert!(!format!("{env:?}").contains("s3cret"), "V1-MCP-04");
    let McpTransport::Http { url, headers } = &web.transport else {
        panic!("{web:?}");
    };
    assert_eq!(url, "https://x.test/s3cret");
    assert_eq!(headers.0[0].1, "Bearer s3cret");
}

// V1-MCP-04
#[test]
fn an_unusable_server_is_named_without_its_values() {
    let world = World::with_user(
        r#"[mcp_servers.gone]
command = "no-such-program-here"
[mcp_servers.unset]
url = "https://x.test"
headers = { Authorization = "Bearer secret ${NOT_SET}" }
"#,
    );
    let loaded = world.load();
    let problem = |name: &str| {
        let server = &loaded.config.mcp_servers[name];
        let error = server.resolve(&|_| None, None, "/".as_ref()).unwrap_err();
        error.to_string()
    };
    assert_eq!(
        problem("gone"),
        "mcp_servers.gone.command: no-such-program-here was not found"
    );
    let unset = problem("unset");
    assert!(unset.starts_with("mcp_servers.unset.headers.Authorization: the variable NOT_SET"));
    assert!(!unset.contains("secret"), "{unset}");
    let told = loaded.check(&[], |_| Vec::new());
    assert_eq!(told.len(), 2, "{told:?}");
}

#[test]
fn what_is_wrong_with_a_server_costs_that_server() {
    let world = World::with_user(
        r#"[agents.a]
command = "a"
mcp_servers = ["wether"]
[mcp_servers.weather]
command = "sh"
comand = "x"
[mcp_servers.both]
command = "sh"
url = "https://x.test"
[mcp_servers.none]
[mcp_servers.list]
args = "x"
[mcp_servers.place]
url = "file:///x"
[mcp_servers.kind]
url = "https://x.test"
type = "htp"
[mcp_servers.header]
url = "https://x.test"
headers = { "a b" = "c" }
"#,
    );
    let mut warnings = world.warnings();
    warnings.sort();
    insta::assert_snapshot!(warnings.join("\n"));
    let loaded = world.load();
    assert_eq!(loaded.config.mcp_servers.len(), 1);
    assert!(loaded.config.agents["a"].mcp_servers.is_empty());
}

// V1-MCP-04
#[test]
fn the_shown_configuration_holds_no_value_that_a_server_gets() {
    let world = World::with_user(
        r#"[mcp_servers.own]
command = "sh"
env = { PLAIN = "literal", OTHER = "${KEY}" }
[mcp_servers.web]
url = "https://x.test"
headers = { X-Any = "literal" }
"#,
    );
    let page = world.load().describe();
    assert!(!page.contains("literal"), "{page}");
    assert!(page.contains("${KEY}"), "{page}");
}

#[test]
fn another_command_does_not_get_the_secrets_of_the_server_below() {
    let world = World::with_user(
        r#"[agents.a]
command = "a"
mcp_servers = ["own"]
[mcp_servers.own]
command = "sh"
env = { TOKEN = "t0ken" }
"#,
    );
    world.project("[mcp_servers.own]\ncommand = \"cat\"\n");
    let token =
        |loaded: &Loaded| format!("{:?}", loaded.config.mcp_servers["own"]).contains("t0ken");
    let loaded = world.load();
    assert!(matches!(loaded.trust, TrustState::Untrusted { .. }));
    assert!(token(&loaded), "a stranger's file starts nothing");
    world.approve();
    let loaded = world.load();
    assert!(!token(&loaded));
    assert!(format!("{:?}", loaded.config.agents["a"].mcp_servers).contains("cat"));
}
