//! What an agent can (V1-INIT-16 to V1-INIT-21, V2-INIT-03, V2-INIT-04). What is absent, null or something else
//! than it should be is no.

use serde::Deserialize;

use super::view::{Member, Pass, is_marked};
use crate::model::{AgentCaps, McpCaps, PromptCaps};

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
struct Capabilities<'a> {
    #[serde(borrow)]
    load_session: Member<'a>,
    #[serde(borrow)]
    prompt_capabilities: Member<'a>,
    #[serde(borrow)]
    mcp_capabilities: Member<'a>,
    #[serde(borrow)]
    session_capabilities: Member<'a>,
    #[serde(borrow)]
    auth: Member<'a>,
    #[serde(borrow)]
    providers: Member<'a>,
    /// In version 2.
    #[serde(borrow)]
    session: Member<'a>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
struct Session<'a> {
    #[serde(borrow)]
    list: Member<'a>,
    #[serde(borrow)]
    resume: Member<'a>,
    #[serde(borrow)]
    close: Member<'a>,
    #[serde(borrow)]
    delete: Member<'a>,
    #[serde(borrow)]
    fork: Member<'a>,
    #[serde(borrow)]
    title: Member<'a>,
    #[serde(borrow)]
    additional_directories: Member<'a>,
    #[serde(borrow)]
    system_prompt: Member<'a>,
    /// In version 2.
    #[serde(borrow)]
    prompt: Member<'a>,
    #[serde(borrow)]
    mcp: Member<'a>,
}

/// The members of the objects within.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
struct Marks<'a> {
    #[serde(borrow)]
    image: Member<'a>,
    #[serde(borrow)]
    audio: Member<'a>,
    #[serde(borrow)]
    embedded_context: Member<'a>,
    #[serde(borrow)]
    stdio: Member<'a>,
    #[serde(borrow)]
    http: Member<'a>,
    #[serde(borrow)]
    sse: Member<'a>,
    #[serde(borrow)]
    logout: Member<'a>,
    #[serde(borrow)]
    mode: Member<'a>,
    #[serde(borrow)]
    r#override: Member<'a>,
}

fn inner<'a, T: Deserialize<'a> + Default>(member: Member<'a>) -> T {
    Pass::Loose
        .object(member)
        .ok()
        .flatten()
        .unwrap_or_default()
}

pub fn agent_caps(pass: Pass, member: Member<'_>) -> AgentCaps {
    let v2 = pass.is_v2();
    let all: Capabilities<'_> = inner(member);
    let has_sessions = is_marked(all.session);
    let session: Session<'_> = inner(if v2 {
        all.session
    } else {
        all.session_capabilities
    });
    let prompt: Marks<'_> = inner(if v2 {
        session.prompt
    } else {
        all.prompt_capabilities
    });
    let mcp: Marks<'_> = inner(if v2 {
        session.mcp
    } else {
        all.mcp_capabilities
    });
    let auth: Marks<'_> = inner(all.auth);
    let system_prompt: Marks<'_> = inner(session.system_prompt);
    let system_prompt_mode: Marks<'_> = inner(system_prompt.mode);
    // A boolean in version 1.
    let has = |member: Member<'_>| match v2 {
        true => is_marked(member),
        false => member.is_some_and(|raw| raw.get() == "true"),
    };
    // Baseline of every agent of version 2 that has sessions (V2-INIT-04); a resume that replays is a load.
    let basic = |in_v1: bool| if v2 { has_sessions } else { in_v1 };
    AgentCaps {
        sessionless: v2 && !has_sessions,
        load_session: basic(has(all.load_session)),
        resume: basic(is_marked(session.resume)),
        close: basic(is_marked(session.close)),
        list: basic(is_marked(session.list)),
        delete: is_marked(session.delete),
        additional_directories: is_marked(session.additional_directories),
        system_prompt: is_marked(session.system_prompt),
        system_prompt_override: is_marked(system_prompt_mode.r#override),
        // Of version 1 alone.
        fork: !v2 && is_marked(session.fork),
        logout: !v2 && is_marked(auth.logout),
        providers: !v2 && is_marked(all.providers),
        set_title: !v2 && is_marked(session.title),
        mcp: McpCaps {
            stdio: !v2 || has(mcp.stdio),
            http: has(mcp.http),
            sse: !v2 && has(mcp.sse),
        },
        prompt: PromptCaps {
            image: has(prompt.image),
            audio: has(prompt.audio),
            embedded_context: has(prompt.embedded_context),
        },
        states: v2,
    }
}
