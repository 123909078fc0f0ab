//! Options of the agent: the keys, the dialog, the status line.

use super::*;
use crate::{
    model::{ConfigKind, ConfigOption, ConfigValue, FromAgent, RpcError, SetBy, category},
    ui::overlay::{Options, Overlay, OverlayContext, Room},
};

fn value(id: &str, name: &'static str, description: &'static str) -> ConfigValue {
    ConfigValue {
        value: id.into(),
        name: name.into(),
        description: (!description.is_empty()).then(|| description.into()),
        group: None,
    }
}

fn grouped(group: &'static str, value: ConfigValue) -> ConfigValue {
    ConfigValue {
        group: Some(group.into()),
        ..value
    }
}

fn select(
    id: &str,
    name: &'static str,
    category: &str,
    current: &str,
    values: Vec<ConfigValue>,
) -> ConfigOption {
    ConfigOption {
        id: id.into(),
        name: name.into(),
        description: None,
        category: Some(category.into()),
        kind: ConfigKind::Select {
            current: current.into(),
            values,
        },
        set_by: SetBy::Option,
    }
}

fn flag(id: &str, name: &'static str, category: Option<&str>, current: bool) -> ConfigOption {
    ConfigOption {
        category: category.map(Into::into),
        kind: ConfigKind::Boolean { current },
        ..select(id, name, "", "", Vec::new())
    }
}

fn model(current: &str) -> ConfigOption {
    let description = "Most capable for your hardest and longest-running tasks · $10/$50 per Mtok";
    ConfigOption {
        description: Some("AI model to use".into()),
        ..select(
            "model",
            "Model",
            category::MODEL,
            current,
            vec![
                value("default", "Default (recommended)", "Opus"),
                grouped("Large", value("grand", "Grand 5.1", description)),
                grouped(
                    "Large",
                    value("opus", "Opus 5.5", "Best for everyday, complex tasks"),
                ),
                grouped(
                    "Small",
                    value("haiku", "Haiku 5.5", "Fastest for quick answers"),
                ),
            ],
        )
    }
}

fn mode(current: &str) -> ConfigOption {
    select(
        "mode",
        "Permissions",
        category::MODE,
        current,
        vec![
            value("plan", "Plan", "Create a plan before making changes"),
            value("bypassPermissions", "Bypass", "Ask for nothing"),
        ],
    )
}

fn effort(current: &str) -> ConfigOption {
    select(
        "effort",
        "Effort",
        category::THOUGHT_LEVEL,
        current,
        vec![value("default", "Default", ""), value("high", "High", "")],
    )
}

fn fast(current: bool) -> ConfigOption {
    ConfigOption {
        description: Some("Faster responses on supported models".into()),
        ..flag("fast", "Fast mode", Some(category::MODEL_CONFIG), current)
    }
}

fn all() -> Vec<ConfigOption> {
    vec![mode("plan"), model("opus"), effort("high"), fast(false)]
}

fn with(options: Vec<ConfigOption>) -> Screen {
    let mut bench = Bench::ready();
    bench.update(AgentEvent::ConfigOptions(options));
    // What the agent said of its own accord is no part of what is looked at.
    Screen::new(bench)
}

fn sets(commands: &[UiCommand], id: &str, to: OptionValue) -> bool {
    matches!(commands, [UiCommand::Session(Event::SetOption { option, value })]
        if option == id && *value == to)
}

fn id(value: &str) -> OptionValue {
    OptionValue::Id(value.into())
}

/// The agent answers the call that sets an option.
fn answers(screen: &mut Screen, option: &str, value: OptionValue, result: CallResult) {
    screen.bench.says(FromAgent::Reply {
        caller: Default::default(),
        call: CallTag::SetConfigOption {
            session: Bench::session_id(),
            option: option.into(),
            value,
        },
        result,
    });
}

/// The rows of the screen that hold the text.
fn row(screen: &mut Screen, text: &str) -> String {
    let picture = screen.draw();
    let row = picture.lines().find(|line| line.contains(text));
    row.unwrap_or_else(|| panic!("no {text} in\n{picture}"))
        .to_owned()
}

/// V1-CFG-08, V1-CFG-09
#[test]
fn one_key_and_enter_set_the_model_also_in_a_turn() {
    let mut screen = with(all());
    screen.bench.prompt("go");
    screen.types("a draft");
    screen.press("f7 down");
    let commands = screen.press("enter");
    assert!(sets(&commands, "model", id("haiku")), "{commands:?}");
    assert_eq!(screen.draft(), "a draft");
    screen.apply(commands);
    assert!(screen.status().contains("Opus 5.5"), "not before it is so");
    screen.press("f12");
    assert!(row(&mut screen, "AI model").contains("Haiku 5.5 …"));
    let options = vec![mode("plan"), model("haiku"), fast(false)];
    answers(
        &mut screen,
        "model",
        id("haiku"),
        CallResult::ConfigSet(options),
    );
    assert!(!row(&mut screen, "AI model").contains('…'));
    assert!(screen.status().contains("Haiku 5.5"));
    assert!(!screen.draw().contains("Effort"), "the list was replaced");
}

/// V1-CFG-09
#[test]
fn a_refusal_brings_the_value_shown_back_and_says_why() {
    let mut screen = with(all());
    screen.press("f8");
    let commands = screen.press("up enter");
    assert!(sets(&commands, "effort", id("default")));
    screen.apply(commands);
    screen.press("f12");
    assert!(row(&mut screen, "Effort").contains("Default …"));
    let refused = CallResult::Failed(RpcError::new(-32602, "not with this model"));
    answers(&mut screen, "effort", id("default"), refused);
    let picture = screen.draw();
    assert!(
        picture.contains("Effort could not be set to Default: not with this model"),
        "{picture}"
    );
    screen.press("end up");
    let shown = row(&mut screen, "❯ Effort");
    assert!(shown.contains("High") && !shown.contains('…'), "{shown}");
}

/// V1-CFG-03, V1-INIT-09
#[test]
fn a_flag_is_turned_over_in_the_list_as_often_as_is_pressed() {
    let mut screen = with(all());
    screen.press("f12 end");
    let commands = screen.press("enter");
    assert!(sets(&commands, "fast", OptionValue::Flag(true)));
    screen.apply(commands);
    assert!(row(&mut screen, "Fast mode").contains("on …"));
    let commands = screen.press("enter");
    assert!(sets(&commands, "fast", OptionValue::Flag(false)));
}

#[test]
fn values_are_chosen_from_the_list_and_lead_back_to_it() {
    let mut screen = with(all());
    screen.press("f12 down enter");
    assert!(screen.draw().contains("Options ▸ Model"));
    screen.press("esc");
    assert!(
        row(&mut screen, "❯ Model").contains("Opus"),
        "back where it was"
    );
    screen.press("right");
    screen.types("grand");
    let commands = screen.press("enter");
    assert!(sets(&commands, "model", id("grand")));
    assert!(screen.draw().contains("╭ Options "), "for the next one");
    screen.press("esc");
    assert!(!screen.draw().contains("Options"));
    // The key that opens it closes it as well.
    screen.press("f7 f7");
    assert!(!screen.draw().contains("type to filter"));
}

/// V1-CFG-01
#[test]
fn a_current_value_that_is_not_listed_is_shown_raw() {
    let mut screen = with(vec![model("gpt\u{1b}[2J-5.6")]);
    let shown = "gpt␛[2J-5.6";
    assert!(screen.status().contains(shown), "{}", screen.status());
    screen.press("f7");
    assert!(row(&mut screen, "╭ Model ").contains(&format!("now {shown}")));
    screen.press("esc f12");
    assert!(row(&mut screen, "AI model").contains(shown));
}

/// V1-CFG-02
#[test]
fn headings_stand_over_their_values_and_are_passed_over() {
    let mut screen = with(vec![model("default")]);
    screen.press("f7");
    let picture = screen.draw();
    let at = |text| {
        picture
            .find(text)
            .unwrap_or_else(|| panic!("{text}: {picture}"))
    };
    assert!(at("Default (rec") < at("Large") && at("Large") < at("Grand"));
    assert!(at("Opus 5.5") < at("Small") && at("Small") < at("Haiku"));
    for (press, on) in [("down", "grand"), ("down", "opus"), ("down", "haiku")] {
        screen.press(press);
        assert!(row(&mut screen, "❯  ").contains(on));
    }
    // Their names are no values.
    screen.types("large");
    assert!(screen.press("enter").is_empty());
}

/// V1-CFG-05
#[test]
fn what_belongs_to_the_model_is_below_the_models() {
    let mut screen = with(all());
    screen.press("f7 end");
    assert!(row(&mut screen, "❯ Fast mode").contains("off"));
    assert!(screen.draw().contains("With this model"));
    let commands = screen.press("enter");
    assert!(sets(&commands, "fast", OptionValue::Flag(true)));
}

/// V1-CFG-05, V1-CFG-06, V1-CFG-07
#[test]
fn options_stand_in_the_agents_order_whatever_their_category() {
    let speed = select("z", "Zeal", "speed", "1", vec![value("1", "One", "")]);
    let mut none = select("y", "Yield", "", "1", vec![value("1", "One", "")]);
    none.category = None;
    let mut screen = with(vec![speed, none, model("opus"), mode("plan")]);
    screen.press("f12");
    let picture = screen.draw();
    let places = ["Zeal", "Yield", "AI model", "Permissions"].map(|name| picture.find(name));
    assert!(places.is_sorted() && places[0].is_some(), "{picture}");
}

/// V1-MODE-04
#[test]
fn dangerous_values_stand_out_wherever_they_are_shown() {
    let mut screen = with(vec![
        mode("bypassPermissions"),
        flag("yolo", "Yolo", None, true),
    ]);
    assert!(screen.status().contains("Bypass!"), "{}", screen.status());
    screen.press("f12");
    assert!(row(&mut screen, "❯ Permissions").contains("Bypass!"));
    assert!(row(&mut screen, "  Yolo").contains("on!"));
    screen.press("enter");
    assert!(row(&mut screen, "Ask for nothing").contains("✓ Bypass!"));
    assert!(!row(&mut screen, "Create a plan").contains('!'));
    let buffer = screen.buffer().0;
    let picture = text(&buffer);
    let y = picture
        .lines()
        .position(|line| line.contains("Create a plan"));
    let x = picture.lines().nth(y.unwrap()).unwrap().find("Plan");
    assert!(x.is_some());
    let warning = screen.ui.look.theme.warning.fg;
    let marked = buffer.content.iter().filter(|cell| cell.symbol() == "!");
    let colours: Vec<_> = marked.map(|cell| cell.style().fg).collect();
    assert!(
        !colours.is_empty() && colours.iter().all(|fg| *fg == warning),
        "{colours:?}"
    );
}

/// V1-MODE-01
#[test]
fn modes_stand_for_options_where_there_are_none() {
    let mut screen = Screen::new(Bench::ready());
    screen.press("f12 enter");
    screen.types("yolo");
    let commands = screen.press("enter");
    assert!(sets(&commands, "mode", id("yolo")), "{commands:?}");
    screen.press("esc");
    screen.press("f7");
    assert!(screen.status().contains("offers no choice of models"));
}

#[test]
fn a_level_that_is_a_flag_is_turned_over_at_once() {
    let thinking = flag("thinking", "Thinking", Some(category::THOUGHT_LEVEL), false);
    let mut screen = with(vec![thinking]);
    let commands = screen.press("f8");
    assert!(sets(&commands, "thinking", OptionValue::Flag(true)));
    assert!(screen.status().contains("Thinking: on"));
}

/// V1-UPD-08
#[test]
fn an_open_list_follows_what_the_agent_changes() {
    let mut screen = with(all());
    screen.press("f7 home");
    screen.bench.update(AgentEvent::ConfigOptions(vec![
        model("haiku"),
        mode("plan"),
    ]));
    assert!(row(&mut screen, "╭ Model ").contains("now Haiku 5.5"));
    assert!(
        row(&mut screen, "❯  ").contains("Default"),
        "the selection stays"
    );
    screen
        .bench
        .update(AgentEvent::ConfigOptions(vec![mode("plan")]));
    assert!(screen.draw().contains("nothing to choose from"));
    assert!(screen.press("enter").is_empty());
    screen.press("esc");
    assert!(!screen.draw().contains("nothing to choose"));
}

#[test]
fn mode_model_and_level_stand_in_the_status_line_as_far_as_there_is_room() {
    let mut screen = with(all());
    for (width, left, right) in [
        (
            80,
            "  OpenCode · Plan · Opus 5.5 · High",
            "~/src/tool (main) · F1 keys",
        ),
        (
            60,
            "  OpenCode · Plan · Opus 5.5 · High",
            "~/src/tool (main)",
        ),
        (50, "  OpenCode · Plan · Opus 5.5 · High", "~/src/tool"),
        (46, "  OpenCode · Plan · Opus 5.5 · High", "tool"),
        (40, "  Plan · Opus 5.5 · High", "tool"),
    ] {
        screen.size.0 = width;
        let gap = usize::from(width) - 1 - left.chars().count();
        assert_eq!(screen.status(), format!("{left}{right:>gap$}"), "{width}");
    }
    let mut screen = with(vec![model("opus"), effort("default")]).sized(100, 24);
    assert!(
        screen.status().starts_with("  OpenCode · Opus 5.5   "),
        "the default level says nothing"
    );
}

fn pictures(name: &str, keys: &str, options: &[ConfigOption]) {
    let mut screen = with(options.to_vec());
    screen.press(keys);
    for (width, height) in [(40, 12), (80, 24), (200, 40)] {
        screen.size = (width, height);
        let buffer = screen.buffer().0;
        let name = format!("{name}_{width}x{height}");
        keep(&name, &buffer);
        insta::assert_snapshot!(name, text(&buffer));
    }
    // Narrower than the screen may be: what a split would leave.
    let mut dialog = match keys {
        "f7" => Options::dialog(Some("model")),
        _ => Options::dialog(None),
    };
    let context = screen.bench.context();
    let cx = OverlayContext {
        measure: crate::ui::render::MEASURE,
        frame: Frame::Compact,
        ..screen.ui.look.overlay(&screen.ui.composer, &context)
    };
    let area = Rect::new(0, 0, 20, dialog.height(Room::new(20, 24), &cx));
    let mut buffer = Buffer::empty(area);
    dialog.draw(area, &mut buffer, &cx);
    insta::assert_snapshot!(format!("{name}_20"), text(&buffer));
}

#[test]
fn pictures_of_all_options() {
    pictures("options", "f12", &all());
}

#[test]
fn pictures_of_the_models() {
    pictures("models", "f7", &all());
}

fn signed_in(bench: &mut Bench, none: bool, label: &'static str) {
    bench.says(crate::model::FromAgent::Account(crate::model::Account {
        none,
        label: label.into(),
        detail: Some("me@example.org".into()),
    }));
}

#[test]
fn who_is_signed_in_stands_below_the_options_and_with_the_agent() {
    let mut screen = Screen::new(Bench::ready());
    signed_in(&mut screen.bench, false, "Claude Max");
    screen.press("f12");
    let picture = screen.draw();
    assert!(
        picture.contains("Signed in") && picture.contains("Claude Max · me@example.org"),
        "{picture}"
    );
    signed_in(&mut screen.bench, true, "Not logged in");
    assert!(screen.draw().contains("Not logged in"), "it follows");
    screen.press("esc");
    screen.bench.session.config.agent = "OpenCode".into();
    screen.bench.session.config.mcp_servers = vec![crate::model::McpServer {
        name: "docs".into(),
        transport: crate::model::McpTransport::Http {
            url: "https://e".into(),
            headers: crate::model::SecretPairs::default(),
        },
    }];
    signed_in(&mut screen.bench, false, "Claude Max");
    screen.press("f6");
    let picture = screen.draw();
    assert!(
        picture.contains("signed in: Claude Max · me@example.org"),
        "{picture}"
    );
    assert!(picture.contains("MCP servers: docs"), "{picture}");
}
