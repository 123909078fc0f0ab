//! The project's file: what applies at once, what waits for a yes, what is refused.

use std::{fs, os::unix::fs::symlink};

use super::{super::*, World};
use crate::model::Decision;

#[test]
fn display_keys_apply_without_a_question() {
    let world = World::new();
    world.project("[ui]\ntheme = \"light\"\nmotion = false\nunknown = 1\n");
    let loaded = world.load();
    assert_eq!(loaded.trust, TrustState::NotNeeded);
    assert_eq!(loaded.config.ui.theme, ThemeChoice::Light);
    assert_eq!(world.warnings().len(), 1);
}

#[test]
fn all_else_waits_for_a_yes_to_that_exact_content() {
    let world = World::new();
    let text = "default_agent = \"evil\"\n[agents.evil]\ncommand = \"evil\"\n\
                [agents.gemini]\ncommand = 5\n[ui]\ntheme = \"light\"\nbell = false\n\
                notify_command = [\"evil\", \"-x\"]\n";
    world.project(text);
    let before = world.load();
    assert!(before.config.agent("evil").is_err());
    assert!(
        before.config.agent("gemini").is_ok(),
        "the built-in one is untouched"
    );
    assert!(before.config.ui.bell);
    assert!(before.config.ui.notify_command.is_empty());
    assert_eq!(before.config.ui.theme, ThemeChoice::Light);
    let TrustState::Untrusted {
        path,
        content,
        hash,
        ..
    } = before.trust
    else {
        panic!("not asked");
    };
    assert_eq!((content.as_str(), hash), (text, trust::hash(text)));

    world.approve();
    let after = world.load();
    assert_eq!(after.trust, TrustState::Trusted { path: path.clone() });
    assert_eq!(after.config.default_agent.as_deref(), Some("evil"));
    let gemini = after.config.agent("gemini").map(|agent| agent.command);
    assert_eq!(
        gemini.as_deref(),
        Ok("gemini"),
        "the wrong type costs itself"
    );
    assert!(!after.config.ui.bell);
    assert_eq!(after.config.ui.notify_command, ["evil", "-x"]);

    world.project(&format!("{text}#\n"));
    assert!(
        matches!(world.load().trust, TrustState::Untrusted { .. }),
        "other content"
    );
    world.project(text);
    let dirs = world.options().dirs;
    assert!(trust::revoke(&dirs, &path).unwrap());
    assert!(!trust::revoke(&dirs, &path).unwrap());
    assert!(matches!(world.load().trust, TrustState::Untrusted { .. }));
}

#[test]
fn trusted_it_can_only_tighten() {
    let world = World::with_user(
        "[permissions]\npolicy = \"read-only\"\n[agents.pi]\npolicy = \"accept-edits\"\n\
         [terminal]\nask = true\n[fs]\noutside_workspace = \"deny\"\n",
    );
    world.project(
        r#"[permissions]
policy = "ask"
rules = [
  { kind = "read", decision = "allow" },
  { path = "secret/**", decision = "deny" },
]
[terminal]
ask = false
scrub_env = true
[fs]
outside_workspace = "ask"
[agents.pi]
policy = "ask"
[agents.gemini]
policy = "allow-all"
"#,
    );
    world.approve();
    let config = world.load().config;
    assert_eq!(config.policy, Policy::ReadOnly);
    assert!(config.terminal.ask && config.terminal.scrub_env);
    assert_eq!(config.fs.outside_workspace, OutsideWorkspace::Deny);
    assert_eq!(
        config.agents["pi"].policy,
        Some(Policy::Ask),
        "stricter than it was"
    );
    assert_eq!(config.agents["gemini"].policy, None);
    let rules: Vec<_> = config
        .rules
        .iter()
        .map(|r| (r.decision, r.label.as_str()))
        .collect();
    assert_eq!(
        rules,
        [(Decision::Deny, "deny `secret/**` (.acp-tui.toml:5)")]
    );
    let warnings = world.warnings();
    assert_eq!(warnings.len(), 5, "{warnings:#?}");
    assert!(
        warnings.contains(
            &"project/.acp-tui.toml:4: permissions.rules: a project's file cannot allow \
          anything; this rule is ignored"
                .to_owned()
        )
    );
}

#[test]
fn it_is_looked_for_up_to_the_root_of_the_repository() {
    let world = World::new();
    world.write(".acp-tui.toml", "[ui]\ntheme = \"light\"\n");
    assert_eq!(
        world.load().config.ui.theme,
        ThemeChoice::Auto,
        "above the root"
    );
    let mut options = world.options();
    options.cwd = world.path("elsewhere/deep");
    fs::create_dir_all(&options.cwd).unwrap();
    let ui = |options: &LoadOptions| load(options).unwrap().config.ui.theme;
    assert_eq!(ui(&options), ThemeChoice::Auto, "no repository");
    options.cwd = world.path("");
    assert_eq!(ui(&options), ThemeChoice::Light, "the folder itself");
}

#[test]
fn a_link_or_a_huge_file_is_not_read() {
    let world = World::new();
    world.write("secret", "[ui]\ntheme = \"light\"\n");
    symlink(world.path("secret"), world.path("project/.acp-tui.toml")).unwrap();
    assert_eq!(world.load().config.ui.theme, ThemeChoice::Auto);
    assert_eq!(
        world.warnings(),
        [
            "project/.acp-tui.toml: the project's file is not used: is a symbolic link; put a copy there"
        ]
    );
    fs::remove_file(world.path("project/.acp-tui.toml")).unwrap();
    world.project(&"#\n".repeat(1 << 20));
    assert_eq!(world.warnings().len(), 1);
}

#[test]
fn decisions_are_the_persons_own_file() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::new();
    world.project("default_agent = \"pi\"\n");
    world.approve();
    let mode = |name| fs::metadata(world.path(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode("data"), 0o700);
    assert_eq!(mode("data/trusted.json"), 0o600);
}
