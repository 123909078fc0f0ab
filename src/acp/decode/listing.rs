//! The answer to `session/list`. Items that lack an id are skipped, odd optional members are absent.

use time::{OffsetDateTime, format_description::well_known::Rfc3339};

use super::view::{Misfit, Pass, members, need, need_object, object};
use crate::model::{SessionId, SessionInfo, SessionPage};

members!(struct Page {
    sessions,
    next_cursor,
});

members!(struct Info {
    session_id,
    cwd,
    title,
    updated_at,
    additional_directories,
});

pub fn page(result: &str) -> Result<SessionPage, Misfit> {
    let page: Page<'_> = object(result).ok_or(Misfit)?;
    let loose = Pass::Loose;
    let sessions = loose.list(page.sessions, |raw| {
        let info: Info<'_> = need_object(Some(raw))?;
        let directories = loose.list(info.additional_directories, |raw| {
            loose.read::<String>(Some(raw))
        })?;
        Ok(Some(SessionInfo {
            id: SessionId::new(need(info.session_id)?.as_str()),
            title: loose.line(info.title)?,
            cwd: loose.read(info.cwd)?,
            updated: loose.text(info.updated_at)?.and_then(|text| {
                let time = OffsetDateTime::parse(text.as_str(), &Rfc3339).ok()?;
                Some(time.unix_timestamp())
            }),
            additional_directories: directories.unwrap_or_default(),
        }))
    })?;
    Ok(SessionPage {
        sessions: sessions.unwrap_or_default(),
        next: loose.read(page.next_cursor)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    // V1-SES-12, V1-SES-13
    #[test]
    fn odd_items_and_dates_cost_only_themselves() {
        let page = page(
            r#"{"sessions":[
                {"sessionId":"a","cwd":"/p","title":"first","updatedAt":"2026-01-02T03:04:05Z",
                 "additionalDirectories":["/x",7]},
                {"cwd":"/p","title":"no id"},
                {"sessionId":"b","cwd":"/p","title":7,"updatedAt":"yesterday"},
                7
            ],"nextCursor":""}"#,
        )
        .expect("a page");
        let told: Vec<_> = page
            .sessions
            .iter()
            .map(|info| (info.id.as_str(), info.title.as_deref(), info.updated))
            .collect();
        assert_eq!(
            told,
            [("a", Some("first"), Some(1_767_323_045)), ("b", None, None)]
        );
        assert_eq!(page.sessions[0].additional_directories, ["/x"]);
        // An empty string is a cursor.
        assert_eq!(page.next.as_deref(), Some(""));
    }
}
