//! How the smaller kinds look at 20, 80 and 200 columns.

use std::time::Duration;

use super::{
    content::checked_uri,
    notice::render_notice,
    plan::{render_finished_plan, render_pinned_plan},
    render_content,
    thought::{render_thought_header, render_thought_tail},
    user::render_user,
};
use crate::{
    model::{
        ContentBlock, Media, Meta, PlanEntry, PlanPriority, PlanStatus, RawJson, Resource,
        ResourceLink,
    },
    session::{Notice, NoticeLevel, Thought, UserMessage},
    text::{SafeText, SafeTextBuf},
    ui::{
        render::{
            line::row_width,
            testing::{Stage, at_widths, coloured, text},
        },
        theme::{Background, Colours, Theme},
    },
};

fn user(text: &str) -> UserMessage {
    UserMessage {
        text: SafeText::new(text),
        attached: Vec::new(),
        refused: false,
        steered: None,
        meta: Meta::default(),
    }
}

// V1-CONT-02, V1-CONT-03
#[test]
fn images_that_the_person_sent() {
    let media = |mime: &str, uri: &str, size| Media {
        mime_type: SafeText::new(mime),
        size: Some(size),
        uri: Some(SafeText::new(uri)),
        data: None,
    };
    let mut message = user("compare [image: a b.png] with [image: after.png] and [audio: x.wav]");
    message.attached = vec![
        ContentBlock::Image(media("image/png", "file:///tmp/a%20b.png", 86_000)),
        ContentBlock::ResourceLink(ResourceLink {
            uri: "file:///tmp/after.png".into(),
            name: "after.png".into(),
            title: None,
            description: None,
            mime_type: Some("image/png".into()),
            size: Some(9 << 20),
        }),
        ContentBlock::Audio(media("audio/wav", "file:///tmp/x.wav", 1_000)),
    ];
    insta::assert_snapshot!(at_widths(&Stage::dark(), |ctx| render_user(
        &message, 12, None, ctx
    )
    .rows));
}

#[test]
fn what_the_person_said() {
    let message =
        user("add a --json flag to the list command,\n\n\tand test it with 日本語 and 👩‍👩‍👧");
    insta::assert_snapshot!(at_widths(&Stage::dark(), |ctx| render_user(
        &message, 12, None, ctx
    )
    .rows));
}

#[test]
fn a_long_paste_is_folded_with_its_count() {
    let stage = Stage::ascii();
    let message = user(&(0..1_000).map(|n| format!("row {n}\n")).collect::<String>());
    let shown = text(&render_user(&message, 3, None, &stage.ctx(40)).rows, 40);
    assert!(shown.contains("+997 lines"), "{shown}");
    assert!(shown.is_ascii(), "{shown}");
}

#[test]
fn a_refused_message_says_so() {
    let mut message = user("do harm");
    message.refused = true;
    let rows = render_user(&message, 3, None, &Stage::dark().ctx(40)).rows;
    insta::assert_snapshot!(coloured(&rows));
}

#[test]
fn a_prompt_stands_on_a_band_where_the_terminal_has_a_quiet_one() {
    let message = user("add a flag\nand test it");
    for (background, colours) in [
        (Background::Dark, Colours::True),
        (Background::Light, Colours::Indexed),
    ] {
        let mut stage = Stage::new(background);
        stage.theme = Theme::palette(background, colours);
        let rows = render_user(&message, 3, None, &stage.ctx(40)).rows;
        assert_eq!(text(&rows, 40).matches('▌').count(), 2);
        for row in &rows {
            assert_eq!(row_width(row), 40, "filled to the end");
            let band = stage.theme.band.bg;
            assert!(band.is_some() && row.line.spans.iter().all(|span| span.style.bg == band));
        }
    }
    for (background, colours) in [
        (Background::Unknown, Colours::True),
        (Background::Dark, Colours::None),
    ] {
        let mut stage = Stage::new(background);
        stage.theme = Theme::palette(background, colours);
        let rows = render_user(&message, 3, None, &stage.ctx(40)).rows;
        let shown: Vec<_> = rows.iter().map(|row| row.line.to_string()).collect();
        assert_eq!(shown, ["▌ add a flag", "▌ and test it"], "the bar alone");
    }
}

#[test]
fn notices_by_level() {
    let notice = |level, text: &str, detail: Option<&str>| Notice {
        level,
        text: SafeText::new(text),
        detail: detail.map(SafeText::new),
        last_words: false,
    };
    let notices = [
        notice(NoticeLevel::Quiet, "mode: plan", None),
        notice(
            NoticeLevel::Info,
            "Resumed the session of this morning.",
            None,
        ),
        notice(NoticeLevel::Warning, "The agent stopped: max_tokens", None),
        notice(
            NoticeLevel::Error,
            "The agent ended (exit 3).",
            Some("Traceback:\n  no module named x"),
        ),
    ];
    insta::assert_snapshot!(at_widths(&Stage::dark(), |ctx| {
        notices
            .iter()
            .flat_map(|notice| render_notice(notice, true, 20, ctx))
            .collect()
    }));
}

#[test]
fn the_row_that_ends_a_turn_has_the_signs_of_the_screen() {
    let notice = Notice {
        level: NoticeLevel::Quiet,
        text: "Worked for 41s · +18 −4 in 3 files · 10:41".into(),
        detail: None,
        last_words: false,
    };
    let shown = |stage: &Stage| {
        let rows = render_notice(&notice, false, 20, &stage.ctx(60));
        text(&rows, 60).trim().to_owned()
    };
    assert!(shown(&Stage::dark()).contains("· Worked for 41s · +18 −4 in 3 files · 10:41"));
    assert!(shown(&Stage::ascii()).contains("| Worked for 41s | +18 -4 in 3 files | 10:41"));
}

#[test]
fn of_what_a_program_said_last_the_end_is_shown() {
    let said: Vec<String> = (1..=50).map(|n| format!("line {n}")).collect();
    let mut notice = Notice {
        level: NoticeLevel::Error,
        text: "The agent ended.".into(),
        detail: Some(SafeText::new(&said.join("\n"))),
        last_words: true,
    };
    let shown = |notice: &Notice| {
        let rows = render_notice(notice, true, 20, &Stage::dark().ctx(40));
        text(&rows, 40)
    };
    let last = shown(&notice);
    assert!(
        last.contains("line 50") && last.contains("line 31"),
        "{last}"
    );
    assert!(
        last.contains("+30 lines") && !last.contains("line 30"),
        "{last}"
    );
    notice.last_words = false;
    assert!(shown(&notice).contains("line 1 "), "{}", shown(&notice));
}

#[test]
fn thoughts_while_they_come_and_after() {
    let stage = Stage::dark();
    let mut thought = Thought {
        id: None,
        text: SafeTextBuf::from(SafeText::new(&"One thing after another.\n".repeat(14))),
        started: stage.now - Duration::from_millis(3_200),
        took: None,
        meta: Meta::default(),
    };
    let live = at_widths(&stage, |ctx| {
        let mut rows = vec![render_thought_header(&thought, true, Some("⠹"), ctx)];
        rows.extend(render_thought_tail(&thought, ctx));
        rows
    });
    thought.took = Some(Duration::from_millis(3_200));
    let over = at_widths(&stage, |ctx| {
        vec![render_thought_header(&thought, false, None, ctx)]
    });
    insta::assert_snapshot!(format!("{live}\n{over}"));
}

#[test]
fn plans_stand_on_one_row_where_they_fit() {
    let entry = |content: &str, status, priority| PlanEntry {
        content: SafeText::new(content),
        priority,
        status,
    };
    let mut entries = vec![
        entry(
            "read the command",
            PlanStatus::Completed,
            PlanPriority::High,
        ),
        entry("add the flag", PlanStatus::InProgress, PlanPriority::High),
        entry("test it", PlanStatus::Pending, PlanPriority::Medium),
        entry(
            "document it in the README and in the manual",
            PlanStatus::Pending,
            PlanPriority::Low,
        ),
    ];
    let stage = Stage::dark();
    let all = at_widths(&stage, |ctx| {
        [9, 4, 1]
            .into_iter()
            .flat_map(|rows| render_pinned_plan(&entries, rows, ctx))
            .chain(render_finished_plan(&entries, ctx))
            .collect()
    });
    insta::assert_snapshot!(all);
    let more = |n| {
        entry(
            &format!("and step {n} of many"),
            PlanStatus::Pending,
            PlanPriority::Low,
        )
    };
    entries.extend((5..=20).map(more));
    for current in [0, 8, 19] {
        for (n, entry) in entries.iter_mut().enumerate() {
            entry.status = match n.cmp(&current) {
                std::cmp::Ordering::Less => PlanStatus::Completed,
                std::cmp::Ordering::Equal => PlanStatus::InProgress,
                std::cmp::Ordering::Greater => PlanStatus::Pending,
            };
        }
        let rows = render_pinned_plan(&entries, 30, &stage.ctx(60));
        assert_eq!(
            rows.len(),
            7,
            "a long plan is a window around what is done now"
        );
        let shown = text(&rows, 60);
        assert!(shown.contains("▸"), "{shown}");
        assert!(shown.contains(&format!("{current}/20")), "{shown}");
    }
}

// V1-CONT-02, V1-CONT-03, V1-CONT-04, V1-CONT-05, V1-CONT-06, V1-CONT-07
#[test]
fn content_that_is_no_text_has_a_placeholder() {
    let media = |mime: &str, size| Media {
        mime_type: SafeText::new(mime),
        size,
        uri: None,
        data: None,
    };
    let link = |uri: &str| {
        ContentBlock::ResourceLink(ResourceLink {
            uri: uri.into(),
            name: "the spec".into(),
            title: None,
            description: Some("What it says.".into()),
            mime_type: Some("text/html".into()),
            size: Some(120_000),
        })
    };
    let contents = [
        ContentBlock::Image(media("image/png", Some(24_000))),
        ContentBlock::Image(media("image/png", None)),
        ContentBlock::Audio(media("audio/wav", Some(2_500_000))),
        link("https://example.com/spec"),
        link("javascript:alert(1)"),
        ContentBlock::Resource(Resource {
            uri: "file:///home/me/notes.md".into(),
            mime_type: Some("text/markdown".into()),
            text: Some("a\nb\nc\nd\ne".into()),
            size: 10,
            image: None,
        }),
        ContentBlock::Unknown {
            kind: "video".into(),
            raw: RawJson("{}".into()),
        },
    ];
    insta::assert_snapshot!(at_widths(&Stage::dark(), |ctx| {
        contents
            .iter()
            .flat_map(|content| render_content(content, 3, ctx).rows)
            .collect()
    }));
}

// V1-CONT-06
#[test]
fn what_is_for_the_agent_alone_is_one_line_until_it_is_unfolded() {
    let stage = Stage::dark();
    let said = ContentBlock::Text(SafeText::new("one\ntwo\nthree"));
    let aside = ContentBlock::ForAgent(std::sync::Arc::new(said));
    let ctx = stage.ctx(40);
    let folded = render_content(&aside, 8, &ctx).rows;
    let shown = text(&folded, 25);
    assert_eq!(shown.trim_matches(['|', '\n']), "▸ for the agent · 3 lines");
    let unfolded = render_content(&aside, super::FULL_ROWS, &ctx).rows;
    let shown = text(&unfolded, 40);
    assert!(
        shown.starts_with("|▾ for the agent") && shown.contains("three"),
        "{shown}"
    );
}

// V1-CONT-04
#[test]
fn only_harmless_targets_become_hyperlinks() {
    assert!(checked_uri("https://example.com/a?b#c").is_some());
    assert!(checked_uri("MAILTO:a@example.com").is_some());
    for bad in [
        "FILE:///a",
        "file:///a",
        "vscode://file/a",
        "javascript:x",
        "data:text/html,x",
        "no scheme",
        "https://a\u{1b}\\b",
        "http://\u{202e}",
    ] {
        assert_eq!(checked_uri(bad), None, "{bad:?}");
    }
}
