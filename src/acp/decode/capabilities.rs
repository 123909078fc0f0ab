//! What an agent can (V1-INIT-16 to V1-INIT-21, V2-INIT-03, V2-INIT-04). What is absent, null or something else
//! than it should be is no.

use serde::Deserialize;

use super::view::{Member, Pass, is_marked, members};
use crate::model::{AgentCaps, McpCaps, PromptCaps};

members!(#[derive(Default)] struct Capabilities {
    load_session,
    prompt_capabilities,
    mcp_capabilities,
    session_capabilities,
    auth,
    providers,
    /// In version 2.
    session,
    meta = "_meta",
});

members!(#[derive(Default)] struct Session {
    list,
    resume,
    close,
    delete,
    fork,
    title,
    additional_directories,
    system_prompt,
    /// In version 2.
    prompt,
    mcp,
});

// The members of the objects within.
members!(#[derive(Default)] struct Marks {
    image,
    audio,
    embedded_context,
    stdio,
    http,
    sse,
    logout,
    mode,
    r#override,
});

/// Whether the `_meta` of the answer to `initialize` says that the agent can be steered.
pub fn steering(meta: Member<'_>) -> bool {
    members!(#[derive(Default)] struct Extensions {
        steering,
    });
    members!(#[derive(Default)] struct Steering {
        supported,
    });
    let extensions: Extensions<'_> = inner(meta);
    let steering: Steering<'_> = inner(extensions.steering);
    steering.supported.is_some_and(|raw| raw.get() == "true")
}

fn inner<'a, T: Deserialize<'a> + Default>(member: Member<'a>) -> T {
    Pass::Loose
        .object(member)
        .ok()
        .flatten()
        .unwrap_or_default()
}

// Marks in the `_meta` of its capabilities.
members!(#[derive(Default)] struct Extensions {
    claude_code,
    auth_status,
});

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
    let extensions: Extensions<'_> = inner(all.meta);
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
        // By the agent's name, beside the capabilities.
        fork_at: false,
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
        // Beside the capabilities: see `steering`.
        steering: false,
        claude_options: is_marked(extensions.claude_code),
        tells_account: is_marked(extensions.auth_status),
        states: v2,
    }
}
