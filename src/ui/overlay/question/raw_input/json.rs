//! JSON as it was sent: every member of an object, also those that have the same name.

use std::{borrow::Cow, cell::Cell, fmt};

use serde::de::{self, DeserializeSeed, MapAccess, SeqAccess, Visitor};

/// Values that are kept of one; what has more is not looked through.
const MOST: usize = 50_000;

#[derive(Debug, PartialEq, Eq)]
pub enum Json<'a> {
    Null,
    Bool(bool),
    Number,
    Text(Cow<'a, str>),
    List(Vec<Self>),
    Map(Vec<(Cow<'a, str>, Self)>),
}

impl<'a> Json<'a> {
    pub fn read(json: &'a str) -> Option<Self> {
        let mut from = serde_json::Deserializer::from_str(json);
        let left = Cell::new(MOST);
        let read = Reader(&left).deserialize(&mut from).ok()?;
        from.end().is_ok().then_some(read)
    }

    /// Whether nothing is said by it.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Null => true,
            Self::Text(text) => text.trim().is_empty(),
            Self::List(list) => list.iter().all(Self::is_empty),
            Self::Map(members) => members.is_empty(),
            Self::Bool(_) | Self::Number => false,
        }
    }

    /// The text, or those of a list of nothing else.
    pub fn texts(&self) -> Option<Vec<&str>> {
        match self {
            Self::Text(text) => Some(vec![text]),
            Self::List(list) => list
                .iter()
                .map(|item| match item {
                    Self::Text(text) => Some(&**text),
                    _ => None,
                })
                .collect(),
            _ => None,
        }
    }
}

#[derive(Clone, Copy)]
struct Reader<'l>(&'l Cell<usize>);

impl<'de> DeserializeSeed<'de> for Reader<'_> {
    type Value = Json<'de>;

    fn deserialize<D: de::Deserializer<'de>>(self, from: D) -> Result<Json<'de>, D::Error> {
        let left = self.0.get().checked_sub(1);
        self.0
            .set(left.ok_or_else(|| de::Error::custom("too many values"))?);
        from.deserialize_any(self)
    }
}

/// The name of a member.
struct Name;

impl<'de> DeserializeSeed<'de> for Name {
    type Value = Cow<'de, str>;

    fn deserialize<D: de::Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
        from.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Name {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_borrowed_str<E: de::Error>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(text))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Cow::Owned(text.to_owned()))
    }
}

impl<'de> Visitor<'de> for Reader<'_> {
    type Value = Json<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Json<'de>, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E: de::Error>(self, flag: bool) -> Result<Json<'de>, E> {
        Ok(Json::Bool(flag))
    }

    fn visit_i64<E: de::Error>(self, _: i64) -> Result<Json<'de>, E> {
        Ok(Json::Number)
    }

    fn visit_u64<E: de::Error>(self, _: u64) -> Result<Json<'de>, E> {
        Ok(Json::Number)
    }

    fn visit_f64<E: de::Error>(self, _: f64) -> Result<Json<'de>, E> {
        Ok(Json::Number)
    }

    fn visit_borrowed_str<E: de::Error>(self, text: &'de str) -> Result<Json<'de>, E> {
        Ok(Json::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Json<'de>, E> {
        Ok(Json::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Json<'de>, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(self)? {
            list.push(item);
        }
        Ok(Json::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Json<'de>, A::Error> {
        let mut map = Vec::new();
        while let Some(name) = members.next_key_seed(Name)? {
            map.push((name, members.next_value_seed(self)?));
        }
        Ok(Json::Map(map))
    }
}
