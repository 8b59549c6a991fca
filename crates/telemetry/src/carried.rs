//! Where a message stands in a trace, as text that travels with it.

use std::borrow::Cow;

use serde::Deserialize;

/// The members of a message's `_meta`, headers of a request over HTTP, and, in capitals, variables of the environment.
pub const KEYS: [&str; 3] = ["traceparent", "tracestate", "baggage"];

/// Where a message stands in a trace: W3C Trace Context and Baggage, unread.
///
/// Source: `basic/index#meta`, 2026-07-28; older revisions leave these keys to whoever wants them.
///
/// ```
/// use hermes_telemetry::carried::Carried;
///
/// let meta = r#"{"traceparent":"00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01","other":1}"#;
/// assert!(Carried::in_meta(Some(meta)).traceparent.is_some());
/// assert!(Carried::in_meta(Some("{}")).is_empty());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Carried {
    /// The span that caused the message.
    pub traceparent: Option<String>,
    /// What vendors add to it.
    pub tracestate: Option<String>,
    /// Properties that travel with the trace.
    pub baggage: Option<String>,
}

impl Carried {
    /// What a `_meta` object says.
    #[must_use]
    pub fn in_meta(meta: Option<&str>) -> Self {
        #[derive(Default, Deserialize)]
        struct Keys<'a> {
            #[serde(borrow, default)]
            traceparent: Option<Cow<'a, str>>,
            #[serde(borrow, default)]
            tracestate: Option<Cow<'a, str>>,
            #[serde(borrow, default)]
            baggage: Option<Cow<'a, str>>,
        }
        // What is no text is none of ours.
        let keys = meta.and_then(|meta| serde_json::from_str::<Keys<'_>>(meta).ok()).unwrap_or_default();
        let own = |text: Option<Cow<'_, str>>| text.map(Cow::into_owned);
        Self {
            traceparent: own(keys.traceparent),
            tracestate: own(keys.tracestate),
            baggage: own(keys.baggage),
        }
    }

    /// What the `_meta` of a request's parameters says.
    #[must_use]
    pub fn in_params(params: Option<&str>) -> Self {
        #[derive(Deserialize)]
        struct Params<'a> {
            #[serde(borrow, rename = "_meta")]
            meta: &'a serde_json::value::RawValue,
        }
        let params = params.and_then(|params| serde_json::from_str::<Params<'_>>(params).ok());
        Self::in_meta(params.map(|params| params.meta.get()))
    }

    /// What something that has a text for each key says.
    pub fn by_key<'a>(text: impl Fn(&str) -> Option<Cow<'a, str>>) -> Self {
        let [traceparent, tracestate, baggage] = KEYS.map(|key| text(key).map(Cow::into_owned));
        Self { traceparent, tracestate, baggage }
    }

    /// What the environment of the process says: `TRACEPARENT` and so on.
    #[must_use]
    pub fn in_environment() -> Self {
        Self::by_key(|key| std::env::var(key.to_ascii_uppercase()).ok().map(Cow::Owned))
    }

    /// Whether it says nothing of a trace.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.traceparent.is_none()
    }

    /// Each key that there is, with its text.
    pub fn entries(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let [parent, state, baggage] = KEYS;
        [(parent, &self.traceparent), (state, &self.tracestate), (baggage, &self.baggage)]
            .into_iter()
            .filter_map(|(key, text)| Some((key, text.as_deref()?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_text_carries_nothing() {
        for meta in [r#"{"traceparent":1}"#, "[]", "1", "", r#"{"tracestate":"a=b"}"#] {
            assert!(Carried::in_meta(Some(meta)).is_empty(), "{meta}");
        }
        assert!(Carried::in_meta(None).is_empty());
    }

    #[test]
    fn all_three_keys_are_read_from_parameters() {
        let carried = Carried::in_params(Some(
            r#"{"a":{},"_meta":{"traceparent":"p","tracestate":"s","baggage":"b"}}"#,
        ));
        let entries: Vec<_> = carried.entries().collect();
        assert_eq!(entries, [("traceparent", "p"), ("tracestate", "s"), ("baggage", "b")]);
    }
}
