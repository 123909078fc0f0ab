//! What the composer looks at, out of what the UI is given.

use crate::ui::{UiContext, composer::Sources, own_commands::OWN};

pub(super) fn sources<'a>(cx: &UiContext<'a>) -> Sources<'a> {
    Sources {
        own: OWN,
        prompts: &cx.project.prompts,
        commands: cx.session.map_or(&[], |session| &session.commands),
        now: cx.now,
    }
}
