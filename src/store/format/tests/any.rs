//! Blocks of all kinds with anything in them.

use proptest::prelude::*;

use super::*;

fn text() -> impl Strategy<Value = SafeText> {
    prop_oneof![".{0,30}", "[a-z \\n\\t\"\\\\]{0,200}"].prop_map(|text| SafeText::new(&text))
}

fn meta() -> impl Strategy<Value = Meta> {
    prop::collection::vec("[a-z]{1,5}", 0..3).prop_map(|keys| {
        let mut meta = Meta::default();
        meta.extend(
            keys.iter()
                .map(|key| RawJson(format!("{{\"{key}\": [1, null]}}").into())),
        );
        meta
    })
}

fn attached() -> impl Strategy<Value = Vec<ContentBlock>> {
    prop::collection::vec(content(), 0..3)
}

fn content() -> impl Strategy<Value = ContentBlock> {
    prop_oneof![
        4 => content_of_any_audience(),
        1 => content_of_any_audience()
            .prop_map(|content| ContentBlock::ForAgent(std::sync::Arc::new(content))),
    ]
}

fn content_of_any_audience() -> impl Strategy<Value = ContentBlock> {
    prop_oneof![
        text().prop_map(ContentBlock::Text),
        (text(), any::<Option<u32>>()).prop_map(|(mime_type, size)| ContentBlock::Image(Media {
            mime_type,
            size: size.map(|size| size as usize),
            uri: None,
            data: None,
        })),
        (".*", text(), prop::option::of(text())).prop_map(|(uri, name, title)| {
            ContentBlock::ResourceLink(ResourceLink {
                uri,
                name,
                title,
                description: None,
                mime_type: None,
                size: Some(3),
            })
        }),
        text().prop_map(|kind| ContentBlock::Unknown {
            kind,
            raw: RawJson("{\"type\":\"video\"}".into()),
        }),
    ]
}

fn piece() -> impl Strategy<Value = ToolContent> {
    prop_oneof![
        content().prop_map(ToolContent::Block),
        (".*", prop::option::of(text()), text()).prop_map(|(path, old, new)| ToolContent::Diff(
            Arc::new(Diff::of_texts(path, old, new))
        )),
        "[a-z]{1,5}".prop_map(|id| ToolContent::Terminal(TerminalId::new(id))),
        text().prop_map(|kind| ToolContent::Unknown {
            kind,
            raw: RawJson("[1]".into()),
        }),
    ]
}

/// Finished things of all kinds.
fn kind() -> impl Strategy<Value = BlockKind> {
    let level = prop_oneof![
        Just(NoticeLevel::Quiet),
        Just(NoticeLevel::Info),
        Just(NoticeLevel::Warning),
        Just(NoticeLevel::Error)
    ];
    let by = prop_oneof![
        Just(By::Person),
        Just(By::Nobody),
        text().prop_map(By::Rule)
    ];
    let answers = prop::collection::vec((text(), prop::option::of(any::<bool>()), by), 0..3);
    prop_oneof![
        (text(), any::<[bool; 2]>(), meta(), attached()).prop_map(
            |(text, [refused, steered], meta, attached)| {
                BlockKind::User(UserMessage {
                    text,
                    attached,
                    refused,
                    steered: steered.then_some(crate::session::Steered::Taken),
                    meta,
                })
            }
        ),
        (text(), prop::option::of("[a-z]{0,4}"), meta()).prop_map(|(text, id, meta)| {
            BlockKind::Agent(Message {
                id: id.map(MessageId::new),
                text: SafeTextBuf::from(text),
                done: true,
                meta,
            })
        }),
        (text(), 0..100_000_u64, meta()).prop_map(|(text, took, meta)| {
            BlockKind::Thought(Thought {
                id: None,
                text: SafeTextBuf::from(text),
                started: Instant::now(),
                took: Some(Duration::from_millis(took)),
                meta,
            })
        }),
        (
            text(),
            prop::collection::vec(piece(), 0..4),
            answers,
            meta(),
            ".*"
        )
            .prop_map(|(title, content, answers, meta, path)| {
                let answered = |(answer, allowed, by)| Answered {
                    answer,
                    allowed,
                    by,
                };
                BlockKind::Tool(Box::new(ToolCall {
                    title,
                    kind: ToolKind::Edit,
                    content,
                    locations: vec![ToolLocation {
                        path,
                        line: Some(7),
                    }],
                    command: Some("ls".into()),
                    answers: answers.into_iter().map(answered).collect(),
                    took: Some(Duration::from_millis(5)),
                    meta,
                    ..call("t", ToolState::Failed)
                }))
            }),
        prop::collection::vec(text(), 0..4).prop_map(|steps| {
            let entry = |content| PlanEntry {
                content,
                priority: PlanPriority::High,
                status: PlanStatus::Completed,
            };
            BlockKind::Plan(steps.into_iter().map(entry).collect())
        }),
        content().prop_map(BlockKind::Content),
        (text(), prop::option::of(".*"))
            .prop_map(|(text, path)| BlockKind::PlanText(PlanText { text, path })),
        (text(), prop::option::of(text()), meta()).prop_map(|(summary, error, meta)| {
            BlockKind::Entity(Box::new(Entity {
                id: EntityId::new("c"),
                kind: EntityKind::Compaction(Compaction {
                    status: CompactionStatus::Completed,
                    error,
                    abandoned: true,
                }),
                content: [ContentBlock::Text(summary)].into_iter().collect(),
                meta,
                started: Instant::now(),
                took: Some(Duration::from_millis(5)),
            }))
        }),
        (level, text(), prop::option::of(text())).prop_map(|(level, text, detail)| {
            BlockKind::Notice(Notice {
                level,
                text,
                detail,
                last_words: false,
            })
        }),
    ]
}

/// What happens between two looks of the saver.
#[derive(Clone, Debug)]
enum Step {
    Push(usize),
    Grow(usize, String),
    Finish(usize),
    Look(u64),
    Relieve,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        (0..8_usize).prop_map(Step::Push),
        (0..8_usize, ".{0,10}").prop_map(|(at, text)| Step::Grow(at, text)),
        (0..8_usize).prop_map(Step::Finish),
        (0..10_u64).prop_map(Step::Look),
        Just(Step::Relieve),
    ]
}

proptest! {
    // Each case reads some thousand files.
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn a_file_that_ends_anywhere_has_lost_its_last_line_at_the_most(
        kinds in prop::collection::vec(kind(), 1..4),
        more in ".{0,20}",
    ) {
        let mut lines = vec![Line::about(1, About { agent: "demo".into(), ..About::default() })];
        for (id, kind) in (0..).zip(&kinds) {
            lines.push(Line::block(2, Block::new(id, kind)));
            let text = SafeText::new(&more);
            lines.push(Line::more(3, More { id, text, ..More::default() }));
        }
        let whole = bytes(&lines);
        let seen = |file: &[u8]| StoredSession::read(file).as_ref().map(blocks);
        // How far the file goes with each line, and what it says then.
        let mut ends = vec![(0, None)];
        let mut out = Vec::new();
        for line in &lines {
            line.write(&mut out);
            ends.push((out.len(), seen(&out)));
        }
        for end in 0..=whole.len() {
            let kept = ends.iter().rposition(|(at, _)| *at <= end).expect("the first");
            // But for its line end, the next line may be there.
            let next = (kept + 1).min(lines.len());
            let read = seen(&whole[..end]);
            prop_assert!(read == ends[kept].1 || read == ends[next].1, "at {end}");
        }
    }
}

proptest! {
    // V1-META-01: `_meta` too.
    #[test]
    fn every_block_comes_back_as_it_was(kind in kind()) {
        let block = Block::new(7, &kind);
        let written = bytes(&[Line::block(1, block.clone())]);
        prop_assert_eq!(written.iter().filter(|byte| **byte == b'\n').count(), 1);
        let line = Line::read(written.trim_ascii_end()).expect("a line");
        let read = *line.block.expect("a block");
        prop_assert_eq!(&read, &block);
        let again = read.into_history(Instant::now()).expect("of this version");
        prop_assert_eq!(Block::new(7, &again), block);
    }

    #[test]
    fn whatever_is_read_does_no_harm(file in prop::collection::vec(any::<u8>(), 0..200)) {
        StoredSession::read(&file);
    }

    #[test]
    fn what_is_written_is_what_is_shown(steps in prop::collection::vec(step(), 1..60)) {
        let mut session = session();
        let mut file = File::new();
        session.conversation.transcript.push_for_test(user("go"));
        for step in steps {
            let blocks = session.conversation.transcript.blocks();
            let at = |n: usize| blocks[blocks.len().saturating_sub(1 + n % blocks.len())].id;
            match step {
                Step::Push(n) => {
                    let kind = match n {
                        0..3 => agent("said "),
                        3..5 => BlockKind::Tool(Box::new(call("t", ToolState::InProgress))),
                        5 => notice("a notice"),
                        _ => user("more"),
                    };
                    session.conversation.transcript.push_for_test(kind);
                }
                Step::Grow(n, text) => {
                    let id = at(n);
                    say(&mut session, id, &text);
                }
                Step::Finish(n) => {
                    let id = at(n);
                    if let BlockKind::Tool(call) = session.conversation.transcript.edit_for_test(id) {
                        call.state = ToolState::Completed;
                    }
                }
                Step::Look(seconds) => {
                    file.now += Duration::from_secs(seconds);
                    file.take(&session, false);
                }
                Step::Relieve => {
                    // More changes than are remembered: everything is looked at.
                    for _ in 0..600 {
                        session.conversation.transcript.edit_for_test(BlockId(0));
                        let last = session.conversation.transcript.blocks().last().expect("one").id;
                        session.conversation.transcript.edit_for_test(last);
                    }
                }
            }
        }
        file.take(&session, true);
        prop_assert_eq!(blocks(&file.read()), stored(&session));
    }
}
