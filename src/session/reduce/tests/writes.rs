use super::*;
use crate::{
    model::{Diff, Patch, ToolContent, ToolLocation},
    session::CANCEL_PATIENCE,
};

impl Play {
    fn wrote(&mut self, path: &str, lines: usize) {
        self.event(Event::Wrote {
            session: id("s"),
            path: path.to_owned(),
            lines,
        });
    }

    fn names(&mut self, id: &str, location: Option<&str>, diff: Option<&str>) {
        let location = location.map(|path| ToolLocation {
            path: path.to_owned(),
            line: None,
        });
        let diff = diff.map(|path| {
            ToolContent::Diff(Diff::of_texts(path.to_owned(), None, "x".into()).into())
        });
        self.update(AgentEvent::ToolCall(Box::new(ToolCallPatch {
            status: Patch::Set(ToolStatus::Completed),
            locations: location.map(|location| vec![location]).into(),
            content: diff.map(|diff| vec![diff]).into(),
            ..ToolCallPatch::new(ToolCallId::new(id))
        })));
    }

    fn writes_told(&self) -> Vec<String> {
        let said = self.said().into_iter();
        said.filter(|line| line.starts_with("· wrote")).collect()
    }
}

// V1-FS-14
#[test]
fn a_file_written_without_a_word_leaves_a_line() {
    let mut play = Play::running();
    play.wrote("/project/src/../notes.txt", 12);
    play.wrote("one", 1);
    play.wrote("/etc/x", 0);
    let told = ["notes.txt · 12 lines", "one · 1 line", "/etc/x · 0 lines"];
    assert_eq!(
        play.writes_told(),
        told.map(|line| format!("· wrote {line}"))
    );
    // The same again says nothing new.
    play.wrote("/etc/x", 0);
    assert_eq!(play.writes_told().len(), 3);
}

#[test]
fn a_file_that_a_call_of_the_turn_names_needs_none() {
    let mut play = Play::running();
    play.names("a", Some("/project/a.txt"), None);
    play.wrote("a.txt", 1);
    play.names("b", None, Some("./b.txt"));
    play.wrote("/project/b.txt", 1);
    assert!(play.writes_told().is_empty());
    // A call of another turn tells of another change.
    play.ends(StopReason::EndTurn);
    play.event(Event::Submit(prompt("again")));
    play.wrote("a.txt", 1);
    assert_eq!(play.writes_told().len(), 1);
}

#[test]
fn a_call_that_is_open_may_yet_name_the_file() {
    let mut play = Play::running();
    play.update(tool("t", "write", ToolStatus::InProgress));
    play.wrote("a.txt", 1);
    play.wrote("b.txt", 1);
    assert!(play.writes_told().is_empty());
    play.names("t", None, Some("a.txt"));
    assert_eq!(play.writes_told(), ["· wrote b.txt · 1 line"]);
}

#[test]
fn what_no_call_named_by_the_end_of_the_turn_is_told_there() {
    let mut play = Play::running();
    play.event(Event::Submit(prompt("next")));
    play.update(tool("t", "write", ToolStatus::InProgress));
    play.wrote("a.txt", 3);
    play.ends(StopReason::EndTurn);
    let said = play.said();
    let at = |line: &str| said.iter().position(|said| said == line);
    assert!(at("· wrote a.txt · 3 lines") < at("user: next"), "{said:?}");
    assert!(at("· wrote a.txt · 3 lines").is_some(), "{said:?}");
}

#[test]
fn a_write_that_comes_after_a_stop_is_told() {
    let mut play = Play::running();
    play.update(tool("t", "write", ToolStatus::InProgress));
    play.event(Event::Stop);
    play.wrote("a.txt", 3);
    play.wait(CANCEL_PATIENCE);
    assert_eq!(play.writes_told().len(), 1);
}
