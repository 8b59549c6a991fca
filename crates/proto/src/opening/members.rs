//! What is looked for in the params of every request.

use std::borrow::Cow;
use std::fmt;

use hermes_types::{ClientCapabilities, Fault, FaultKind, Message, RequestId, Revision, Walk, text_of};
use serde::de::{Error as _, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::{Beside, Member, ModernMeta, RequestMeta};

const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";

/// The fault of a modern request whose `_meta` names no revision.
pub(crate) fn names_no_revision() -> Fault {
    missing_meta(PROTOCOL_VERSION)
}

fn missing_meta(key: &str) -> Fault {
    Fault::new(FaultKind::MissingMeta, format!("params._meta lacks {key}"))
}

/// The members of `_meta`, before anything is concluded from them.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct Members<'a> {
    #[serde(skip)]
    raw: Option<&'a RawValue>,
    #[serde(skip)]
    beside: Beside<'a>,
    #[serde(borrow, default, rename = "progressToken")]
    progress_token: Option<&'a RawValue>,
    #[serde(
        borrow,
        default,
        rename = "io.modelcontextprotocol/protocolVersion",
        deserialize_with = "present"
    )]
    protocol_version: Option<&'a RawValue>,
    #[serde(
        borrow,
        default,
        rename = "io.modelcontextprotocol/clientCapabilities",
        deserialize_with = "present"
    )]
    client_capabilities: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "io.modelcontextprotocol/clientInfo")]
    client_info: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "io.modelcontextprotocol/logLevel")]
    log_level: Option<&'a RawValue>,
}

/// Keeps `null` apart from absence: a version of `null` is a spoilt modern request, not a legacy one.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

/// The members of `params` that are looked for in every request.
#[derive(Default)]
struct Found<'a> {
    meta: Option<&'a RawValue>,
    beside: Beside<'a>,
}

impl<'de> Deserialize<'de> for Found<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Found<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Found<'de>, A::Error> {
                let (mut beside, mut meta) = (Beside::default(), None);
                while let Some(Key(key)) = members.next_key()? {
                    if key == "_meta" {
                        if meta.replace(members.next_value()?).is_some() {
                            return Err(A::Error::duplicate_field("_meta"));
                        }
                        continue;
                    }
                    let Some(place) = beside.place(&key) else {
                        members.next_value::<IgnoredAny>()?;
                        continue;
                    };
                    let value = members.next_value()?;
                    *place = if matches!(place, Member::Absent) { Member::One(value) } else { Member::Twice };
                }
                Ok(Found { meta: meta.flatten(), beside })
            }
        }
        deserializer.deserialize_map(Members)
    }
}

/// A member's name, borrowed unless it holds escapes.
#[derive(Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

pub(super) fn is_object(value: &RawValue) -> bool {
    value.get().starts_with('{')
}

impl<'a> Members<'a> {
    /// Reads a message, and in the same walk what is looked for in its params, if all of that is plain and its arrays and
    /// objects are nested at most so deeply.
    pub(crate) fn with_message(text: &'a str, levels: usize) -> Option<(Message<'a>, Self)> {
        let mut members = Self::default();
        let message = Message::walk(text, levels, |params| members.walk(params))?;
        Some((message, members))
    }

    /// Passes a message's params on a walk, and takes what is looked for, if all of that is plain.
    fn walk(&mut self, walk: &mut Walk<'a>) -> Option<&'a RawValue> {
        if walk.peek() != Some(b'{') {
            return walk.value();
        }
        let mut meta = None;
        let params = walk.object(|walk, name| {
            let place = match name {
                "_meta" => return meta.replace(self.walk_meta(walk)?).is_none().then_some(()),
                name => self.beside.place(name),
            };
            let value = walk.value()?;
            match place {
                Some(place @ Member::Absent) => *place = Member::One(value),
                // Which of two is meant is not for a walk to say.
                Some(_) => return None,
                None => {}
            }
            Some(())
        })?;
        self.raw = meta;
        Some(params)
    }

    fn walk_meta(&mut self, walk: &mut Walk<'a>) -> Option<&'a RawValue> {
        let meta = walk.object(|walk, name| {
            let value = walk.value()?;
            let place = match name {
                "progressToken" => &mut self.progress_token,
                PROTOCOL_VERSION => &mut self.protocol_version,
                CLIENT_CAPABILITIES => &mut self.client_capabilities,
                CLIENT_INFO => &mut self.client_info,
                LOG_LEVEL => &mut self.log_level,
                _ => return Some(()),
            };
            place.replace(value).is_none().then_some(())
        })?;
        for place in [&mut self.progress_token, &mut self.client_info, &mut self.log_level] {
            *place = place.filter(|value| value.get() != "null");
        }
        Some(meta)
    }

    /// Reads the `_meta` of a message's params.
    pub(crate) fn read(params: Option<&'a RawValue>) -> Result<Self, Fault> {
        let Some(params) = params else { return Ok(Self::default()) };
        let (mut members, mut walk) = (Self::default(), Walk::new(params.get(), usize::MAX));
        if members.walk(&mut walk).is_some() && walk.is_over() {
            return Ok(members);
        }
        Self::parse(params)
    }

    /// The same by the parser, which reads everything and says what is wrong.
    fn parse(params: &'a RawValue) -> Result<Self, Fault> {
        let Found { beside, meta } = serde_json::from_str(params.get())
            .map_err(|error| Fault::invalid_params(format!("params: {error}")))?;
        let Some(meta) = meta else { return Ok(Self { beside, ..Self::default() }) };
        if !is_object(meta) {
            return Err(Fault::new(FaultKind::MissingMeta, "params._meta has to be an object"));
        }
        let members: Self = serde_json::from_str(meta.get())
            .map_err(|error| Fault::invalid_params(format!("params._meta: {error}")))?;
        Ok(Self { raw: Some(meta), beside, ..members })
    }

    /// What stands beside `_meta`.
    pub(crate) const fn beside(&self) -> &Beside<'a> {
        &self.beside
    }

    /// One of the two required members is enough: who sends it means the modern era.
    pub(crate) const fn is_modern(&self) -> bool {
        self.protocol_version.is_some() || self.client_capabilities.is_some()
    }

    /// The revision that a modern request names, served or not.
    pub(crate) fn requested(&self) -> Result<Cow<'a, str>, Fault> {
        self.required().map(|(version, _)| version)
    }

    /// The two required members: the revision's name and the capabilities.
    fn required(&self) -> Result<(Cow<'a, str>, &'a RawValue), Fault> {
        let Some(version) = self.protocol_version else { return Err(names_no_revision()) };
        let Some(capabilities) = self.client_capabilities else {
            return Err(missing_meta(CLIENT_CAPABILITIES));
        };
        match text_of(version) {
            Some(version) => Ok((version, capabilities)),
            None => {
                let message = format!("params._meta: {PROTOCOL_VERSION} has to be a string");
                Err(Fault::new(FaultKind::MissingMeta, message))
            }
        }
    }

    /// What a modern request is served under.
    pub(crate) fn modern(self) -> Result<(Revision, Box<RequestMeta<'a>>), Fault> {
        let (version, client_capabilities) = self.required()?;
        let Some(revision) = Revision::MODERN.into_iter().find(|known| known.as_str() == version) else {
            return Err(Fault::unsupported_revision(&version, &Revision::MODERN));
        };
        let modern = ModernMeta {
            client_capabilities: match client_capabilities.get() {
                // Most clients can do nothing special.
                "{}" => ClientCapabilities::default(),
                _ => decode(client_capabilities, CLIENT_CAPABILITIES)?,
            },
            client_info: self.client_info.map(|info| decode(info, CLIENT_INFO)).transpose()?,
            log_level: self.log_level.map(|level| decode(level, LOG_LEVEL)).transpose()?,
        };
        if let Some(level) = modern.log_level.as_ref().filter(|level| !level.is_known()) {
            return Err(Fault::invalid_params(format!("params._meta: {LOG_LEVEL}: no such level: {level}")));
        }
        let mut meta = self.legacy()?;
        meta.modern = Some(Box::new(modern));
        Ok((revision, meta))
    }

    pub(crate) fn legacy(self) -> Result<Box<RequestMeta<'a>>, Fault> {
        let progress_token = self.progress_token.map(RequestId::from_raw).transpose().map_err(|_| {
            Fault::invalid_params("params._meta: progressToken has to be a string or an integer")
        })?;
        Ok(Box::new(RequestMeta { raw: self.raw, progress_token, modern: None, beside: self.beside }))
    }
}

fn decode<T: serde::de::DeserializeOwned>(value: &RawValue, key: &str) -> Result<T, Fault> {
    serde_json::from_str(value.get())
        .map_err(|error| Fault::new(FaultKind::MissingMeta, format!("params._meta: {key}: {error}")))
}

impl<'a> Beside<'a> {
    /// Where the member with this name belongs.
    fn place(&mut self, name: &str) -> Option<&mut Member<'a>> {
        Some(match name {
            "arguments" => &mut self.arguments,
            "inputResponses" => &mut self.input_responses,
            "name" => &mut self.name,
            "requestState" => &mut self.request_state,
            "taskId" => &mut self.task_id,
            "uri" => &mut self.uri,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Texts of params: in order and not, plain and not.
    fn params() -> impl Strategy<Value = String> {
        let value = prop_oneof![
            Just("null"),
            Just("7"),
            Just(r#""a""#),
            Just(r#""\u0061""#),
            Just("{}"),
            Just("[]"),
            Just(r#"{"a":1,"a":2}"#),
            Just(r#"{"elicitation":{}}"#),
            Just("\n[ 1 ]"),
            Just(""),
            Just("1e"),
            Just(r#""2026-07-28""#),
        ];
        let named = |names: &'static [&'static str], value: BoxedStrategy<String>| {
            let member =
                (prop::sample::select(names), value).prop_map(|(name, value)| format!("\"{name}\":{value}"));
            prop::collection::vec(member, 0..6).prop_map(|members| format!("{{{}}}", members.join(",")))
        };
        let meta = named(
            &[
                "progressToken",
                PROTOCOL_VERSION,
                CLIENT_CAPABILITIES,
                CLIENT_INFO,
                LOG_LEVEL,
                "progress\\u0054oken",
                "x/y",
                "traceparent",
            ],
            value.clone().prop_map(str::to_owned).boxed(),
        );
        let any = prop_oneof![2 => value.prop_map(str::to_owned), 1 => meta].boxed();
        named(
            &[
                "_meta",
                "_meta",
                "name",
                "arguments",
                "uri",
                "taskId",
                "requestState",
                "inputResponses",
                "\\u005fmeta",
                "other",
            ],
            any,
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]

        #[test]
        fn a_walk_finds_in_params_what_the_parser_finds(params in params()) {
            let (mut members, mut walk) = (Members::default(), Walk::new(&params, 128));
            let walked = members.walk(&mut walk).filter(|_| walk.is_over());
            let read = serde_json::from_str::<&RawValue>(&params).ok().map(Members::parse);
            match (walked, read) {
                (Some(raw), Some(Ok(read))) => {
                    prop_assert_eq!(raw.get(), params.trim());
                    prop_assert_eq!(format!("{members:?}"), format!("{read:?}"));
                }
                (Some(_), other) => prop_assert!(false, "{:?}", other),
                // It is left to the parser.
                (None, _) => {}
            }
        }
    }
}
