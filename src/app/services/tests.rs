mod judging;

use super::*;

// V1-RPC-12, V1-ERR-05
#[tokio::test]
async fn a_handler_that_panics_is_still_an_answer() {
    let outcome = carried_out(Box::pin(async { panic!("while serving") })).await;
    let ServeOutcome::Reply(HostReply::Error(error)) = outcome else {
        panic!("no error: {outcome:?}");
    };
    assert_eq!(error.code, -32603);
    assert!(!error.message.contains("while serving"));
}
