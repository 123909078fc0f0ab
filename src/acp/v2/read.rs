//! Members of messages, each with as much wrong with it as the schema lets pass.
//!
//! A member that it marks `x-deserialize-default-on-error` is as good as absent where it does not
//! fit, and an item of a list marked `x-deserialize-skip-invalid-items` is left out. Everything else
//! that does not fit makes the message an error (V2-RPC-02).

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;

pub use crate::acp::decode::view::{Items, Member, Misfit, Text, object, present};
use crate::{
    acp::decode::{raw_json, view::Pass},
    model::{Meta, Patch, RawJson},
    rpc::is_wide,
    text::SafeText,
};

/// A text that must be there.
pub fn need(member: Member<'_>) -> Result<Text<'_>, Misfit> {
    Pass::Strict.text(member)?.ok_or(Misfit)
}

/// A value of a certain type that must be there.
pub fn need_as<'a, T: Deserialize<'a>>(member: Member<'a>) -> Result<T, Misfit> {
    Pass::Strict.read(member)?.ok_or(Misfit)
}

/// An object that must be there.
pub fn need_object<'a, T: Deserialize<'a>>(member: Member<'a>) -> Result<T, Misfit> {
    Pass::Strict.object(member)?.ok_or(Misfit)
}

/// A text; what does not fit is none.
pub fn text(member: Member<'_>) -> Option<Text<'_>> {
    read_as(member)
}

pub fn string(member: Member<'_>) -> Option<String> {
    text(member).map(Text::into_string)
}

/// Text that is shown on one line.
pub fn line(member: Member<'_>) -> Option<SafeText> {
    text(member).map(|text| SafeText::line(text.as_str()))
}

/// Text that is shown with its line breaks.
pub fn lines(member: Member<'_>) -> Option<SafeText> {
    text(member).map(|text| SafeText::new(text.as_str()))
}

/// A value of a certain type; what does not fit is none.
pub fn read_as<'a, T: Deserialize<'a>>(member: Member<'a>) -> Option<T> {
    serde_json::from_str(member?.get()).ok()
}

/// As [`read_as`], for a type with members.
pub fn object_in<'a, T: Deserialize<'a>>(member: Member<'a>) -> Option<T> {
    object(member?.get())
}

/// A capability: an object is yes, whatever is in it (V2-INIT-03).
pub fn is_marked(member: Member<'_>) -> bool {
    member.is_some_and(|raw| raw.get().starts_with('{'))
}

/// The items of a list but for those that do not fit; `None` where there is no list.
pub fn items<'a, T>(
    member: Member<'a>,
    mut item: impl FnMut(&'a RawValue) -> Result<T, Misfit>,
) -> Option<Vec<T>> {
    let Items(raw) = read_as(member)?;
    Some(raw.into_iter().filter_map(|raw| item(raw).ok()).collect())
}

/// A member with three states (V2-RPC-03): omitted is unchanged, null is cleared, a value is set. One
/// that does not fit changes nothing. It must be read with [`present`].
pub fn patch<'a, T>(member: Member<'a>, read: impl FnOnce(Member<'a>) -> Option<T>) -> Patch<T> {
    match member {
        None => Patch::Keep,
        Some(raw) if raw.get() == "null" => Patch::Clear,
        some => read(some).map_or(Patch::Keep, Patch::Set),
    }
}

/// `_meta` of what is told and not kept as an entity of its own: added to `meta` as it is.
pub fn note(member: Member<'_>, meta: &mut Meta) {
    let text = member.map_or("", RawValue::get);
    if text.starts_with('{') && text != "{}" {
        meta.add(RawJson(text.into()));
    }
}

/// `_meta` of an entity, which is patched by its keys (V2-RPC-03), and `others`, of what is in it. It
/// must be read with [`present`].
pub fn patched(member: Member<'_>, others: &Meta) -> Meta {
    let mut meta = Meta::default();
    match member {
        None => {}
        Some(raw) if raw.get() == "null" => meta.clear(),
        Some(raw) if is_wide(raw.get()) => {}
        some => {
            let keys: BTreeMap<String, &RawValue> = object_in(some).unwrap_or_default();
            for (key, value) in keys {
                let kept = (value.get() != "null").then(|| raw_json(value.get()));
                meta.set(&key, kept);
            }
        }
    }
    meta.extend(others.objects());
    meta
}
