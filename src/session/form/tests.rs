//! What may be sent, by example.

use super::*;

fn field(kind: FieldKind) -> Field {
    Field {
        key: "f".to_owned(),
        title: None,
        description: None,
        required: false,
        kind,
    }
}

fn required(kind: FieldKind) -> Field {
    Field {
        required: true,
        ..field(kind)
    }
}

fn draft(field: Field) -> FormDraft {
    FormDraft::new(Form {
        fields: vec![field],
        ..Form::default()
    })
}

fn option(value: &str) -> FieldOption {
    FieldOption {
        value: value.to_owned(),
        title: SafeText::line(value),
        description: None,
    }
}

fn text(rules: TextField) -> FieldKind {
    FieldKind::Text(rules)
}

/// What becomes of a text in a field.
fn typed(kind: FieldKind, typed: &str) -> Result<Option<FormValue>, String> {
    let mut draft = draft(field(kind));
    draft.set(0, Input::Text(typed.to_owned()));
    draft.value(0)
}

fn good(kind: &FieldKind, input: &str) {
    let value = typed(kind.clone(), input);
    assert!(matches!(value, Ok(Some(_))), "{input}: {value:?}");
}

fn bad(kind: &FieldKind, input: &str, why: &str) {
    let error = typed(kind.clone(), input).expect_err(input);
    assert!(error.contains(why), "{input}: {error}");
}

// V1-ELI-06
#[test]
fn a_text_keeps_to_its_length_in_characters() {
    let kind = text(TextField {
        min_length: Some(2),
        max_length: Some(4),
        ..TextField::default()
    });
    for input in ["ab", "abcd", "日本語!"] {
        good(&kind, input);
    }
    bad(&kind, "a", "at least 2 characters, not 1");
    bad(&kind, "日本語!!", "at most 4 characters, not 5");
}

// V1-ELI-06
#[test]
fn a_text_keeps_to_its_pattern_if_that_can_be_read() {
    let with = |pattern: &str| {
        text(TextField {
            pattern: Some(pattern.to_owned()),
            ..TextField::default()
        })
    };
    good(&with("^v\\d+$"), "v12");
    bad(&with("^v\\d+$"), "12", "does not match ^v\\d+$");
    good(&with("(unclosed"), "anything");
}

// V1-ELI-06
#[test]
fn a_text_keeps_to_its_format() {
    let with = |format| {
        text(TextField {
            format: Some(format),
            ..TextField::default()
        })
    };
    let table: [(TextFormat, &[&str], &[&str]); 4] = [
        (
            TextFormat::Email,
            &["me@example.com", "a.b+c@x.co.uk", "me@localhost"],
            &["me", "me@", "@x.com", "a b@x.com", "me@x..com", "a@b, c@d"],
        ),
        (
            TextFormat::Uri,
            &["https://example.com/x?y", "mailto:me@x.com", "urn:a:b"],
            &["example.com", "https:", "1a:b", "http://a b", ":x"],
        ),
        (
            TextFormat::Date,
            &["2026-02-28", "2024-02-29", "2000-02-29"],
            &[
                "2026-02-29",
                "1900-02-29",
                "2026-13-01",
                "2026-1-1",
                "2026-04-31",
                "26-04-01",
                "x",
            ],
        ),
        (
            TextFormat::DateTime,
            &[
                "2026-03-31T14:30:00Z",
                "2026-03-31t14:30:00.123+02:00",
                "2026-12-31T23:59:60Z",
            ],
            &[
                "2026-03-31",
                "2026-03-31T14:30:00",
                "2026-03-31T25:00:00Z",
                "2026-03-31T14:30Z",
                "2026-03-31T14:30:00+2",
                "2026-03-31T14:30:00.Z",
            ],
        ),
    ];
    for (format, fitting, others) in table {
        for input in fitting {
            good(&with(format), input);
        }
        for input in others {
            bad(&with(format), input, "this is no");
        }
    }
}

// V1-ELI-06, V1-ELI-12
#[test]
fn an_empty_field_is_left_out_unless_it_is_required() {
    let kinds = [
        text(TextField::default()),
        FieldKind::Number(Bounds::default()),
        FieldKind::Integer(Bounds::default()),
        FieldKind::Boolean { default: None },
        FieldKind::Select {
            options: vec![option("a")],
            default: None,
        },
    ];
    for kind in kinds {
        assert_eq!(draft(field(kind.clone())).values(), Ok(Vec::new()));
        let draft = draft(required(kind));
        assert_eq!(draft.values(), Err(0));
        assert!(draft.value(0).is_err());
    }
}

// V1-ELI-08
#[test]
fn numbers_keep_to_their_inclusive_bounds() {
    let kind = FieldKind::Number(Bounds {
        minimum: Some(-1.5),
        maximum: Some(10.0),
        default: None,
    });
    assert_eq!(
        typed(kind.clone(), " 0.1 "),
        Ok(Some(FormValue::Number(0.1)))
    );
    assert_eq!(
        typed(kind.clone(), "-1.5"),
        Ok(Some(FormValue::Number(-1.5)))
    );
    assert_eq!(typed(kind.clone(), "10"), Ok(Some(FormValue::Integer(10))));
    bad(&kind, "-1.51", "at least -1.5");
    bad(&kind, "10.1", "at most 10");
    for input in ["x", "1,5", "inf", "nan", "1e999", "0x1"] {
        bad(&kind, input, "not a number");
    }
}

// V1-ELI-08
#[test]
fn whole_numbers_are_exact_beyond_those_of_a_float() {
    let kind = FieldKind::Integer(Bounds {
        minimum: Some(0),
        maximum: None,
        default: Some(9_007_199_254_740_993),
    });
    let draft = draft(field(kind.clone()));
    assert_eq!(
        draft.value(0),
        Ok(Some(FormValue::Integer(9_007_199_254_740_993)))
    );
    bad(&kind, "-1", "at least 0");
    bad(&kind, "1.5", "not a whole number");
    bad(&kind, "99999999999999999999", "not a whole number");
}

// V1-ELI-07, V1-ELI-09
#[test]
fn choices_send_their_value_not_their_title() {
    let mut choice = draft(field(FieldKind::Select {
        options: vec![option("eu-1"), option("us-1")],
        default: Some(0),
    }));
    let region = |value: &str| Ok(Some(FormValue::Text(value.to_owned())));
    assert_eq!(choice.value(0), region("eu-1"));
    choice.set(0, Input::Choice(Some(1)));
    assert_eq!(choice.value(0), region("us-1"));
    let flag = draft(field(FieldKind::Boolean {
        default: Some(false),
    }));
    assert_eq!(flag.value(0), Ok(Some(FormValue::Boolean(false))));
}

// V1-ELI-10
#[test]
fn several_choices_keep_to_their_number() {
    let options = vec![option("a"), option("b"), option("c")];
    let mut draft = draft(field(FieldKind::MultiSelect {
        options,
        min_items: Some(1),
        max_items: Some(2),
        default: vec![2],
    }));
    let texts = |texts: &[&str]| {
        let texts = texts.iter().map(|text| (*text).to_owned()).collect();
        Ok(Some(FormValue::Texts(texts)))
    };
    assert_eq!(draft.value(0), texts(&["c"]));
    draft.set(0, Input::Choices(vec![true, false, true]));
    assert_eq!(draft.value(0), texts(&["a", "c"]));
    draft.set(0, Input::Choices(vec![true; 3]));
    assert_eq!(draft.value(0), Err("choose at most 2".to_owned()));
    draft.set(0, Input::Choices(vec![false; 3]));
    assert_eq!(draft.value(0), Ok(None), "it is not required");
    draft.form.fields[0].required = true;
    assert_eq!(draft.value(0), Err("choose at least 1".to_owned()));
}

// V1-ELI-11
#[test]
fn an_unknown_field_is_left_out_or_forbids_sending() {
    let unknown = FieldKind::Unknown("color".into());
    let optional = draft(field(unknown.clone()));
    assert_eq!(optional.values(), Ok(Vec::new()));
    assert!(optional.cannot_be_sent().is_none());
    let draft = draft(required(unknown));
    assert_eq!(draft.values(), Err(0));
    assert!(draft.cannot_be_sent().is_some());
}

// V1-ELI-12
#[test]
fn values_stand_in_the_order_of_the_fields_and_begin_with_the_defaults() {
    let named = |key: &str, default: &str| Field {
        key: key.to_owned(),
        ..field(text(TextField {
            default: Some(default.to_owned()),
            ..TextField::default()
        }))
    };
    let mut draft = FormDraft::new(Form {
        fields: vec![named("z", "1"), named("a", "2")],
        ..Form::default()
    });
    let value = |key: &str, text: &str| (key.to_owned(), FormValue::Text(text.to_owned()));
    assert_eq!(draft.values(), Ok(vec![value("z", "1"), value("a", "2")]));
    assert!(!draft.is_touched());
    draft.set(0, Input::Choice(None));
    assert!(!draft.is_touched(), "of another kind");
    draft.set(0, Input::Text("3".to_owned()));
    assert!(draft.is_touched());
}
