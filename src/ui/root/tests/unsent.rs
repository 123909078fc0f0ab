//! Comments that wait: told on the main screen, marked once their change is gone, and the keys after one.

use super::{
    commenting::comment,
    desk::{Desk, changes},
};
use crate::model::ReviewTold;

#[test]
fn the_conversation_tells_how_many_comments_are_not_sent() {
    let mut desk = Desk::at(160, 30, changes());
    comment(&mut desk, "about the log");
    desk.press("q");
    desk.draw();
    let status = desk.screen.status();
    assert!(status.contains("1 comment"), "{status}");
    desk.screen.ui.review.comments_sent();
    desk.draw();
    let status = desk.screen.status();
    assert!(!status.contains("1 comment"), "{status}");
}

#[test]
fn comments_whose_change_is_gone_are_stale_and_say_why_nothing_is_gone_to() {
    let mut desk = Desk::at(100, 30, changes());
    desk.press("j j j tab");
    comment(&mut desk, "Why is it gone?");
    desk.press("tab G");
    comment(&mut desk, "Why a picture?");
    let all = desk.files.clone();
    // The deletion is undone, and the picture is not on the disk any more.
    desk.files.truncate(2);
    desk.told(ReviewTold::Changed);
    desk.press("C");
    let picture = desk.draw();
    assert_eq!(picture.matches("stale").count(), 2, "{picture}");
    desk.press("enter");
    let status = desk.screen.status();
    assert!(
        status.contains("old.rs is not changed any more"),
        "{status}"
    );
    assert!(desk.draw().contains("this turn"), "it stays where it is");
    let text = desk.screen.ui.review.comments_told().expect("two").0;
    assert_eq!(text.matches("(changed since):").count(), 2, "{text}");
    // Made again they are what they were about.
    desk.files = all;
    desk.told(ReviewTold::Changed);
    let text = desk.screen.ui.review.comments_told().expect("two").0;
    assert!(!text.contains("(changed since)"), "{text}");
}

#[test]
fn the_keys_go_back_to_the_list_after_a_comment_and_after_finding() {
    let mut desk = Desk::at(100, 30, changes());
    comment(&mut desk, "about the log");
    desk.press("j");
    assert!(desk.draw().contains("A keys.md  hunk") || desk.draw().contains("A docs/keys.md"));
    desk.press("c esc j");
    assert!(
        desk.draw().contains("M src/ui/review/mod.rs"),
        "{}",
        desk.draw()
    );
    desk.press("/ esc j");
    assert!(
        desk.draw().contains("D src/ui/review/old.rs"),
        "{}",
        desk.draw()
    );
    // From the diff they stay there.
    desk.press("tab / esc j");
    assert!(
        desk.draw().contains("D src/ui/review/old.rs"),
        "{}",
        desk.draw()
    );
}
