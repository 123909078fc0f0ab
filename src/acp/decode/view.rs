//! Reading single members of a message.

use serde::Deserialize;
use serde_json::value::RawValue;

pub use crate::rpc::{Items, Member, Text, present};
use crate::{model::Patch, text::SafeText};

/// Something is not as v1 has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Misfit;

/// Reads an object. A derived type alone would also take a list, as its members in order.
pub fn object<'a, T: Deserialize<'a>>(text: &'a str) -> Option<T> {
    let object = text.starts_with('{');
    object.then(|| serde_json::from_str(text).ok()).flatten()
}

/// How a member that does not fit is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pass {
    /// As a misfit of the whole message.
    Strict,
    /// As absent (V1-RPC-24).
    Loose,
}

impl Pass {
    /// A member of a certain type.
    pub fn read<'a, T: Deserialize<'a>>(self, member: Member<'a>) -> Result<Option<T>, Misfit> {
        let Some(raw) = member else { return Ok(None) };
        self.allow(serde_json::from_str(raw.get()).ok())
    }

    /// As [`read`](Self::read), for a type with members.
    pub fn object<'a, T: Deserialize<'a>>(self, member: Member<'a>) -> Result<Option<T>, Misfit> {
        let Some(raw) = member else { return Ok(None) };
        self.allow(object(raw.get()))
    }

    pub fn text<'a>(self, member: Member<'a>) -> Result<Option<Text<'a>>, Misfit> {
        self.read(member)
    }

    pub fn safe_text(self, member: Member<'_>) -> Result<Option<SafeText>, Misfit> {
        Ok(self.text(member)?.map(|text| SafeText::new(text.as_str())))
    }

    /// Text of a file: its line ends are part of what a diff shows.
    pub fn file_text(self, member: Member<'_>) -> Result<Option<SafeText>, Misfit> {
        let text = self.text(member)?;
        Ok(text.map(|text| SafeText::with_line_ends(text.as_str())))
    }

    /// Text that is shown on one line: names, titles of options, descriptions in lists.
    pub fn safe_line(self, member: Member<'_>) -> Result<Option<SafeText>, Misfit> {
        Ok(self.text(member)?.map(|text| SafeText::line(text.as_str())))
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

    /// A list, each item by `item`, which gives `None` for one that is dropped.
    pub fn list<'a, T>(
        self,
        member: Member<'a>,
        mut item: impl FnMut(&'a RawValue) -> Result<Option<T>, Misfit>,
    ) -> Result<Option<Vec<T>>, Misfit> {
        let Some(Items(items)) = self.read::<Items<'_>>(member)? else {
            return Ok(None);
        };
        let mut list = Vec::with_capacity(items.len());
        for raw in items {
            list.extend(item(raw)?);
        }
        Ok(Some(list))
    }

    /// A member to be left, cleared or set: omitted is unchanged, null is cleared; what does not
    /// fit is loosely unchanged too. The member must be read with [`present`].
    pub fn patch<'a, T>(
        self,
        member: Member<'a>,
        read: impl FnOnce(Member<'a>) -> Result<Option<T>, Misfit>,
    ) -> Result<Patch<T>, Misfit> {
        match member {
            None => Ok(Patch::Keep),
            Some(raw) if raw.get() == "null" => Ok(Patch::Clear),
            some => Ok(read(some)?.map_or(Patch::Keep, Patch::Set)),
        }
    }

    /// What did not fit: a misfit of the message, or nothing.
    pub fn allow<T>(self, value: Option<T>) -> Result<Option<T>, Misfit> {
        if value.is_none() && self == Self::Strict {
            return Err(Misfit);
        }
        Ok(value)
    }
}
