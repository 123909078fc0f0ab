use super::*;

fn project() -> Desk {
    let mut desk = Desk::new();
    desk.files(&["src/main.rs", "src/ui/mod.rs", "my notes.txt", "README.md"]);
    desk
}

#[test]
fn a_mention_is_one_unit() {
    let mut desk = project();
    desk.keys("see @main<tab>and<enter>");
    assert_eq!(
        desk.sent[0].parts,
        [
            DraftPart::Text("see ".into()),
            mention("src/main.rs"),
            DraftPart::Text(" and".into()),
        ]
    );
    desk.keys("@main<enter><bs><bs>");
    assert_eq!(desk.shown(), "|");
}

#[test]
fn what_belongs_to_a_completed_mention_takes_the_place_of_the_blank_behind_it() {
    for (typed, shown) in [
        ("#20-45", "@src/main.rs#20-45|"),
        (", too", "@src/main.rs, too|"),
        ("is", "@src/main.rs is|"),
        // A blank that the person has typed stays.
        (" # a title", "@src/main.rs  # a title|"),
        ("<left><right>?", "@src/main.rs?|"),
        ("a<bs>?", "@src/main.rs ?|"),
    ] {
        let mut desk = project();
        assert_eq!(desk.keys("@main<tab>").keys(typed).shown(), shown);
    }
}

#[test]
fn a_path_with_blanks_can_be_mentioned_and_recalled() {
    let mut desk = project();
    desk.keys("@notes<enter><enter>");
    let path = mention("my notes.txt");
    assert_eq!(desk.sent[0].parts[0], path);
    desk.keys("<up>");
    assert_eq!(desk.shown(), "@\"my notes.txt\" |");
    desk.keys("<enter>");
    let typed = DraftPart::Typed {
        text: "@\"my notes.txt\"".into(),
        names: vec![(15, "my notes.txt".into())],
    };
    assert_eq!(desk.sent[1].parts[0], typed);
}

#[test]
fn directories_are_mentioned_too() {
    let mut desk = project();
    desk.keys("@src/ui/<tab>");
    assert_eq!(desk.shown(), "@src/ui/ |");
}

#[test]
fn a_mention_typed_out_counts_whatever_files_are_known() {
    let mut desk = Desk::new();
    desk.keys("look at @README.md, me@src/main.rs<esc><enter>");
    assert_eq!(
        desk.sent[0].parts,
        [
            DraftPart::Text("look at ".into()),
            DraftPart::Typed {
                text: "@README.md,".into(),
                names: vec![(11, "README.md,".into()), (10, "README.md".into())],
            },
            DraftPart::Text(" me@src/main.rs".into()),
        ]
    );
}

#[test]
fn the_list_of_files_is_asked_for_when_it_is_old() {
    let mut desk = Desk::new();
    let wanted = |desk: &mut Desk| {
        let wanted = desk.composer.commands_wanted();
        wanted
            .iter()
            .filter(|command| matches!(command, UiCommand::ListFiles))
            .count()
    };
    desk.keys("@a");
    assert_eq!(wanted(&mut desk), 1);
    desk.keys("bc @d");
    assert_eq!(wanted(&mut desk), 0);
    desk.later(Duration::from_secs(60)).keys(" @e");
    assert_eq!(wanted(&mut desk), 1);
    assert!(desk.composer.popup_is_open());
}

#[test]
fn what_the_project_does_not_list_is_found_in_the_folder_that_is_typed() {
    let mut desk = project();
    let listing = |typed: &str, names: &[&str], path: Option<&str>| FolderListing {
        typed: typed.into(),
        names: Ok(names.iter().map(ToString::to_string).collect()),
        more: false,
        path: path.map(str::to_owned),
    };
    let asked = |desk: &mut Desk| {
        let wanted = desk.composer.commands_wanted().into_iter();
        let folders = wanted.filter_map(|command| match command {
            UiCommand::ListFolder(folder) => Some(folder),
            _ => None,
        });
        folders.collect::<Vec<_>>()
    };
    desk.keys("@out/");
    assert_eq!(asked(&mut desk), ["", "out/"]);
    // Nothing is said to be missing before anybody has looked.
    assert!(desk.popup().contains("listing files"), "{}", desk.popup());
    desk.composer
        .set_folder(listing("out/", &["data.csv", "deep/"], None));
    let popup = desk.popup();
    assert!(
        popup.contains("out/data.csv") && popup.contains("out/deep/"),
        "{popup}"
    );
    // A folder is gone into; enter mentions it.
    desk.keys("de<tab>");
    assert_eq!(desk.shown(), "@out/deep/|");
    assert!(desk.composer.popup_is_open());
    assert_eq!(asked(&mut desk), ["out/deep/"]);
    desk.keys("<enter>");
    desk.composer
        .set_folder(listing("out/deep/", &["x/"], None));
    desk.keys("<down><enter>");
    desk.keys("<c-u>@out/");
    desk.composer
        .set_folder(listing("out/", &["data.csv", "deep/"], None));
    desk.keys("da<tab>");
    assert_eq!(desk.shown(), "@out/data.csv |");
    desk.keys("@../x");
    desk.composer
        .set_folder(listing("../", &["x.rs"], Some("/home/me")));
    desk.keys("<tab>");
    assert_eq!(desk.shown(), "@out/data.csv @/home/me/x.rs |");
    desk.keys("@gone/");
    desk.composer.set_folder(listing("gone/", &[], None));
    assert!(desk.popup().contains("no such file"), "{}", desk.popup());
}

#[test]
fn esc_closes_a_popup_until_the_next_word() {
    let mut desk = project();
    desk.keys("@ma<esc>i");
    assert!(!desk.composer.popup_is_open());
    desk.keys("n @m");
    assert!(desk.composer.popup_is_open());
    desk.keys(" ");
    assert!(!desk.composer.popup_is_open());
}

#[test]
fn keys_are_left_alone_where_nothing_was_found() {
    let mut desk = project();
    desk.keys("@nowhere<enter>");
    assert_eq!(desk.sent[0].text(), "@nowhere");
}

#[test]
fn a_popup_does_not_outlive_the_text_that_it_is_about() {
    let mut desk = project();
    desk.keys("@ma");
    desk.composer.prepend("came back");
    assert!(!desk.composer.popup_is_open());
    desk.keys("i<tab>");
    assert_eq!(desk.shown(), "came back\n@src/main.rs |");
}

#[test]
fn a_choice_made_before_the_worker_is_done_is_the_right_one() {
    let mut desk = Desk::new();
    let (release, blocked) = std::sync::mpsc::channel::<()>();
    let offload = Offload::new(|| {});
    desk.composer = Composer::new(offload.clone());
    offload.get(1, 0, move || blocked.recv().is_ok());
    let paths: Arc<[String]> = (0..5_000).map(|n| format!("dir/file{n}.rs")).collect();
    desk.composer.set_files(paths);
    desk.keys("@file4321<tab>");
    assert_eq!(desk.shown(), "@dir/file4321.rs |");
    release.send(()).expect("worker waits");
}

fn agent() -> Desk {
    let mut desk = Desk::new();
    desk.command("review", Some("what to review"))
        .command("init", None)
        .command("memory", None)
        .command("memory show", None)
        .command("$plan", None);
    desk
}

#[test]
fn enter_completes_a_command_and_sends_what_takes_no_input() {
    let mut desk = agent();
    desk.keys("/in<enter>");
    assert_eq!(desk.sent[0].text(), "/init");
    desk.keys("/rev<enter>");
    assert_eq!(desk.sent.len(), 1);
    assert_eq!(desk.shown(), "/review |");
    desk.keys("HEAD<enter>");
    assert_eq!(desk.sent[1].text(), "/review HEAD");
    desk.keys("/review<enter>");
    assert_eq!(desk.sent[2].text(), "/review");
}

#[test]
fn completion_takes_the_whole_word() {
    let mut desk = agent();
    desk.keys("/rxxx HEAD<c-a><right><right><bs>r<tab>");
    assert_eq!(desk.shown(), "/review| HEAD");
    let mut desk = project();
    desk.keys("@mxxx<left><left><left><bs>m<tab>");
    assert_eq!(desk.shown(), "@src/main.rs |");
}

#[test]
fn history_is_walked_through_without_popups() {
    let mut desk = agent();
    desk.composer.set_history(History::of(vec![
        "first".into(),
        "/review".into(),
        "see @x".into(),
        "/init".into(),
    ]));
    desk.keys("<up><up><up><up>");
    assert_eq!(desk.shown(), "first|");
    assert!(!desk.composer.popup_is_open());
}

#[test]
fn tab_completes_and_never_sends() {
    let mut desk = agent();
    desk.keys("/in<tab>");
    assert_eq!(desk.shown(), "/init |");
    assert!(desk.sent.is_empty());
    assert!(!desk.composer.popup_is_open());
}

#[test]
fn names_with_blanks_and_signs_work() {
    let mut desk = agent();
    desk.keys("/memory s<enter>");
    assert_eq!(desk.sent[0].text(), "/memory show");
    desk.keys("/$p<enter>");
    assert_eq!(desk.sent[1].text(), "/$plan");
    desk.keys("/memory x");
    assert!(!desk.composer.popup_is_open());
}

#[test]
fn commands_are_offered_at_the_start_of_the_draft_only() {
    let mut desk = agent();
    desk.keys("a /");
    assert!(!desk.composer.popup_is_open());
    desk.composer.clear();
    desk.keys("<s-enter>/");
    assert!(!desk.composer.popup_is_open());
    desk.composer.clear();
    assert!(desk.keys("/").composer.popup_is_open());
    assert!(!desk.keys("<bs>").composer.popup_is_open());
}

#[test]
fn the_selection_goes_around() {
    let mut desk = agent();
    desk.keys("/<up><tab>");
    assert_eq!(desk.shown(), "/$plan |");
    desk.composer.clear();
    desk.keys("/<down><c-n><c-p><tab>");
    assert_eq!(desk.shown(), "/init |");
}

#[test]
fn history_search_puts_its_find_into_the_draft() {
    let mut desk = Desk::new();
    desk.composer.set_history(History::of(vec![
        "fix the parser".into(),
        "add tests\nfor the Parser".into(),
        "other".into(),
    ]));
    desk.keys("draft");
    desk.composer.open_history_search();
    desk.keys("parser<c-r><enter>");
    assert_eq!(desk.shown(), "fix the parser|");
    assert_eq!(desk.keys("<c-_>").shown(), "draft|");
    desk.composer.open_history_search();
    desk.keys("Par<esc>");
    assert_eq!(desk.shown(), "draft|");
    assert!(!desk.composer.popup_is_open());
}

#[test]
fn no_list_is_in_the_way_of_lines() {
    let mut desk = project();
    desk.keys("@src/main.rs");
    assert!(desk.composer.popup_is_open());
    desk.keys("#2");
    assert!(!desk.composer.popup_is_open());
    desk.keys("0-45<enter>");
    assert!(matches!(&desk.sent[0].parts[0],
        DraftPart::Typed { text, .. } if text == "@src/main.rs#20-45"));
}
