//! Notices: as the schema crate writes them, and odd ones.

use agent_client_protocol_schema::v1 as schema;
use serde_json::json;

use super::*;
use crate::model::{AgentNotice, NoticeSeverity};

// V1-NOTE-01
#[test]
fn a_notice_of_an_unknown_severity_is_information() {
    let notice = schema::Notice::new(schema::NoticeSeverity::Warning, "Nearly full")
        .description("90% of the window".to_owned());
    assert_eq!(
        strictly(schema::SessionUpdate::Notice(notice)),
        AgentEvent::Notice(AgentNotice {
            severity: NoticeSeverity::Warning,
            title: "Nearly full".into(),
            description: Some("90% of the window".into()),
        })
    );
    for severity in [json!("error"), json!("_loud"), json!(null), json!(3)] {
        let AgentEvent::Notice(notice) = event(&json!({
            "sessionUpdate": "notice", "severity": severity, "title": "t\u{1b}", "description": null,
        })) else {
            panic!("a notice");
        };
        let expected = match severity.as_str() {
            Some("error") => NoticeSeverity::Error,
            _ => NoticeSeverity::Info,
        };
        assert_eq!(notice.severity, expected);
        assert_eq!(notice.title.as_str(), "t␛");
        assert_eq!(notice.description, None);
    }
    let untitled = event(&json!({"sessionUpdate": "notice", "severity": "info"}));
    assert!(matches!(untitled, AgentEvent::Unknown { .. }));
}
