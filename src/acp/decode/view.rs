//! Reading single members of a message, in both versions: what must be there and what need not, and how much may be
//! wrong with it.

use serde::Deserialize;
use serde_json::value::RawValue;

pub use crate::rpc::{Items, Member, Text};
use crate::{model::Patch, text::SafeText};

/// Something does not fit the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Misfit;

/// Declares a struct that borrows an object's members, each still as JSON text ([`Member`]); a member of another type
/// says so. `= "name"` is its name on the wire where that is not the field's in camel case. `or null` keeps `null` apart
/// from absence, as [`Pass::patch`] needs it.
macro_rules! members {
    ($(#[$attribute:meta])* struct $object:ident { $(
        $(#[$doc:meta])* $member:ident $(= $wire:literal)? $(or $null:ident)? $(: $type:ty)?,
    )* }) => {
        #[derive(serde::Deserialize)]
        #[serde(rename_all = "camelCase", bound(deserialize = "'de: 'a"))]
        $(#[$attribute])*
        struct $object<'a> { $(
            $(#[$doc])*
            $(#[serde(rename = $wire)])?
            $(#[serde(default, deserialize_with = "crate::rpc::present")] #[doc = stringify!(or $null)])?
            $member: members!(@type $($type)?),
        )* }
    };
    (@type) => { $crate::rpc::Member<'a> };
    (@type $type:ty) => { $type };
}
pub(super) use members;

/// Reads an object. A derived type alone would also take a list, as its members in order.
pub fn object<'a, T: Deserialize<'a>>(text: &'a str) -> Option<T> {
    let object = text.starts_with('{');
    object.then(|| serde_json::from_str(text).ok()).flatten()
}

/// A value that must be there.
pub fn need_as<'a, T: Deserialize<'a>>(member: Member<'a>) -> Result<T, Misfit> {
    serde_json::from_str(member.ok_or(Misfit)?.get()).map_err(|_| Misfit)
}

/// An object that must be there.
pub fn need_object<'a, T: Deserialize<'a>>(member: Member<'a>) -> Result<T, Misfit> {
    object(member.ok_or(Misfit)?.get()).ok_or(Misfit)
}

/// A text that must be there.
pub fn need(member: Member<'_>) -> Result<Text<'_>, Misfit> {
    need_as(member)
}

/// The same, shown on one line.
pub fn need_line(member: Member<'_>) -> Result<SafeText, Misfit> {
    Ok(SafeText::line(need(member)?.as_str()))
}

/// The same, shown with its line breaks.
pub fn need_lines(member: Member<'_>) -> Result<SafeText, Misfit> {
    Ok(SafeText::new(need(member)?.as_str()))
}

/// A capability: an object is yes, whatever is in it (V1-META-06, V2-INIT-03).
pub fn is_marked(member: Member<'_>) -> bool {
    member.is_some_and(|raw| raw.get().starts_with('{'))
}

/// Whether a child, a terminal or a tool call can be cancelled alone (V1-META-06, V2-CAN-02).
pub fn cancels(pass: Pass, member: Member<'_>) -> Result<Option<bool>, Misfit> {
    members!(struct Capabilities {
        cancel,
    });
    let capabilities = pass.object::<Capabilities<'_>>(member)?;
    Ok(capabilities.map(|capabilities| is_marked(capabilities.cancel)))
}

/// How a member that does not fit is taken, and by which version.
///
/// What must be there is read by [`need`] in all of them: without it the thing that it is of is a misfit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pass {
    /// Version 1 to the letter: anything is a misfit of the whole message, which is then read loosely.
    Strict,
    /// Version 1: a member that does not fit counts as absent, an item of a list is skipped (V1-RPC-24).
    Loose,
    /// Version 2, as its schema has it: the same of what need not be there. What must be makes the message an
    /// error (V2-RPC-02).
    V2,
}

impl Pass {
    pub fn is_v2(self) -> bool {
        self == Self::V2
    }

    /// For members of which nothing is guessed in version 2.
    pub fn exactly(self) -> Self {
        match self {
            Self::V2 => Self::Strict,
            pass => pass,
        }
    }

    /// What did not fit: a misfit of the message, or nothing.
    fn allow<T>(self, value: Option<T>) -> Result<Option<T>, Misfit> {
        if value.is_none() && self == Self::Strict {
            return Err(Misfit);
        }
        Ok(value)
    }

    /// A value of a certain type; null is as good as absent.
    pub fn read<'a, T: Deserialize<'a>>(self, member: Member<'a>) -> Result<Option<T>, Misfit> {
        match member.map(RawValue::get) {
            None | Some("null") => Ok(None),
            Some(text) => self.allow(serde_json::from_str(text).ok()),
        }
    }

    /// As [`read`](Self::read), for a type with members.
    pub fn object<'a, T: Deserialize<'a>>(self, member: Member<'a>) -> Result<Option<T>, Misfit> {
        match member.map(RawValue::get) {
            None | Some("null") => Ok(None),
            Some(text) => self.allow(object(text)),
        }
    }

    pub fn text<'a>(self, member: Member<'a>) -> Result<Option<Text<'a>>, Misfit> {
        self.read(member)
    }

    pub fn string(self, member: Member<'_>) -> Result<Option<String>, Misfit> {
        Ok(self.text(member)?.map(Text::into_string))
    }

    /// Text that is shown with its line breaks.
    pub fn lines(self, member: Member<'_>) -> Result<Option<SafeText>, Misfit> {
        Ok(self.text(member)?.map(|text| SafeText::new(text.as_str())))
    }

    /// Text of a file: its line ends are part of what a diff shows.
    pub fn file_text(self, member: Member<'_>) -> Result<Option<SafeText>, Misfit> {
        let text = self.text(member)?;
        Ok(text.map(|text| SafeText::with_line_ends(text.as_str())))
    }

    /// Text that is shown on one line: names, titles of options, descriptions in lists.
    pub fn line(self, member: Member<'_>) -> Result<Option<SafeText>, Misfit> {
        Ok(self.text(member)?.map(|text| SafeText::line(text.as_str())))
    }

    /// A text that must be there, though loosely it may be missing.
    pub fn want(self, member: Member<'_>) -> Result<Option<Text<'_>>, Misfit> {
        match self {
            Self::Loose => self.text(member),
            Self::Strict | Self::V2 => need(member).map(Some),
        }
    }

    /// A text that must be there in version 2 alone.
    pub fn want_in_v2(self, member: Member<'_>) -> Result<Option<Text<'_>>, Misfit> {
        match self {
            Self::V2 => need(member).map(Some),
            Self::Strict | Self::Loose => self.text(member),
        }
    }

    /// A count; loosely also a float or a negative number, clamped.
    pub fn count(self, member: Member<'_>) -> Result<Option<u64>, Misfit> {
        match self.read::<u64>(member)? {
            None if self == Self::Loose => {
                // `as` saturates.
                Ok(self.read::<f64>(member)?.map(|number| number as u64))
            }
            count => Ok(count),
        }
    }

    /// A list, each item as `item` reads it. One that does not fit is skipped, except strictly.
    pub fn list<'a, T, I: IntoIterator<Item = T>>(
        self,
        member: Member<'a>,
        mut item: impl FnMut(&'a RawValue) -> Result<I, Misfit>,
    ) -> Result<Option<Vec<T>>, Misfit> {
        let Some(Items { items, .. }) = self.read::<Items<'_>>(member)? else {
            return Ok(None);
        };
        let mut list = Vec::with_capacity(items.len());
        for raw in items {
            list.extend(self.allow(item(raw).ok())?.into_iter().flatten());
        }
        Ok(Some(list))
    }

    /// A member to be left, cleared or set: omitted is unchanged, null is cleared (V2-RPC-03); what does not fit
    /// is unchanged too, but strictly. The member must be read with [`present`](crate::rpc::present).
    pub fn patch<'a, T>(
        self,
        member: Member<'a>,
        read: impl FnOnce(Member<'a>) -> Result<Option<T>, Misfit>,
    ) -> Result<Patch<T>, Misfit> {
        match member.map(RawValue::get) {
            None => Ok(Patch::Keep),
            Some("null") => Ok(Patch::Clear),
            Some(_) => Ok(self.allow(read(member).ok())?.flatten().into()),
        }
    }

    /// As [`patch`](Self::patch), where null clears in version 2 alone.
    pub fn patch_in_v2<'a, T>(
        self,
        member: Member<'a>,
        read: impl FnOnce(Member<'a>) -> Result<Option<T>, Misfit>,
    ) -> Result<Patch<T>, Misfit> {
        let said = member.filter(|raw| self.is_v2() || raw.get() != "null");
        self.patch(said, read)
    }

    /// Something that has a kind; `read` is `None` for an unknown kind. Strictly that is a misfit. Loosely what does not
    /// fit counts as unknown too (V1-CONT-07), so that it costs no more than itself.
    pub fn or_unknown<T>(
        self,
        read: Result<Option<T>, Misfit>,
        unknown: impl FnOnce() -> T,
    ) -> Result<T, Misfit> {
        match (read, self) {
            (Ok(Some(known)), _) => Ok(known),
            (Ok(None), Self::Loose | Self::V2) | (Err(Misfit), Self::Loose) => Ok(unknown()),
            (Ok(None) | Err(Misfit), _) => Err(Misfit),
        }
    }
}
