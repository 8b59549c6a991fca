//! JSON objects, read without the code that is checked.

use std::fmt;

use hermes_types::{MAX_ID_BYTES, RequestId};
use serde_json::Deserializer;
use serde_json::value::RawValue;

/// The members of an object in their order, doubled ones included.
pub(crate) struct Object {
    members: Vec<(String, Box<RawValue>)>,
}

/// What an object says about its id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Id {
    /// No member of that name.
    Absent,
    /// A string or an integer, not too long.
    Readable(RequestId),
    /// Anything else.
    Unreadable,
}

struct Members;

impl<'de> serde::de::Visitor<'de> for Members {
    type Value = Vec<(String, Box<RawValue>)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(members)
    }
}

impl Object {
    /// The object that a text is, if it is one and nothing else.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let mut deserializer = Deserializer::from_str(text);
        let members = serde::Deserializer::deserialize_map(&mut deserializer, Members).ok()?;
        deserializer.end().ok()?;
        Some(Self { members })
    }

    /// How often a member stands there.
    pub(crate) fn count(&self, name: &str) -> usize {
        self.members.iter().filter(|(key, _)| key == name).count()
    }

    /// The text of a member's value: of the first one, should it be doubled.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.members.iter().find(|(key, _)| key == name).map(|(_, value)| value.get())
    }

    /// Whether a member of the envelope stands twice.
    pub(crate) fn is_doubled(&self) -> bool {
        ["jsonrpc", "id", "method", "params", "result", "error"].iter().any(|name| self.count(name) > 1)
    }

    /// The id, by the letter: a string is one with its characters, an integer one with its digits.
    pub(crate) fn id(&self) -> Id {
        let Some(text) = self.get("id") else { return Id::Absent };
        if text.len() > MAX_ID_BYTES {
            return Id::Unreadable;
        }
        if let Ok(text) = serde_json::from_str::<String>(text) {
            return Id::Readable(RequestId::from(text));
        }
        let digits = text.strip_prefix('-').unwrap_or(text);
        if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Id::Unreadable;
        }
        let id: RequestId = serde_json::from_str(text).expect("an integer is an id");
        // The one integer that can be written in two ways.
        let digits = if text == "-0" { "0" } else { text };
        assert_eq!(serde_json::to_string(&id).expect("an id can be written"), digits, "the digits change");
        Id::Readable(id)
    }

    /// Whether this is a notification without a doubt.
    pub(crate) fn is_notification(&self) -> bool {
        !self.is_doubled()
            && self.get("jsonrpc") == Some("\"2.0\"")
            && self.get("id").is_none()
            && self.get("method").is_some_and(|method| serde_json::from_str::<String>(method).is_ok())
    }

    /// Whether this is a response without a doubt, in order or not.
    pub(crate) fn is_response(&self) -> bool {
        !self.is_doubled()
            && self.get("method").is_none()
            && (self.get("result").is_some() || self.get("error").is_some())
    }
}
