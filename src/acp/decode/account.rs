//! Who is signed in: the notification `_auth/status_update` of claude and codex, which is for the whole connection.

use super::view::{Member, Pass, members, object};
use crate::{
    model::Account,
    text::{SafeText, first_bytes},
};

pub const METHOD: &str = "_auth/status_update";

/// Bytes that are kept of each text.
pub const MAX_TEXT: usize = 256;

/// `None` where it does not say what kind of account that is. A member that does not fit counts as absent.
pub fn told(params: &str) -> Option<Account> {
    members!(struct Params {
        auth_status,
    });
    members!(struct Status {
        kind,
        label,
        detail,
        account,
    });
    members!(struct Person {
        email,
    });
    let params: Params<'_> = object(params)?;
    let status: Status<'_> = Pass::Loose.object(params.auth_status).ok()??;
    let kind = text(status.kind)?;
    let none = kind.as_str() == "none";
    let label = text(status.label).unwrap_or_else(|| match none {
        true => "not signed in".into(),
        false => SafeText::line(&kind.replace('_', " ")),
    });
    let person = Pass::Loose
        .object::<Person<'_>>(status.account)
        .ok()
        .flatten();
    let email = || text(person?.email);
    Some(Account {
        none,
        label,
        detail: text(status.detail).or_else(email),
    })
}

fn text(member: Member<'_>) -> Option<SafeText> {
    let text = Pass::Loose.string(member).ok()??;
    let line = SafeText::line(first_bytes(text.trim(), MAX_TEXT));
    (!line.is_empty()).then_some(line)
}
