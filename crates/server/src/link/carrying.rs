//! Parameters that say where their request stands in a trace.

use hermes_telemetry::carried::Carried;
use hermes_types::{JsonObject, Ordered, RawJson, Revision, Wire};

const META: &str = "_meta";

/// The parameters with what is carried in their `_meta`. `None` when they are no object, which no request has.
///
/// Source: `basic/index#meta`, 2026-07-28.
pub(super) fn carrying(params: Option<&RawJson>, carried: &Carried) -> Option<RawJson> {
    let mut members: Ordered<RawJson> = params.map_or_else(|| Ok(Ordered::new()), RawJson::decode).ok()?;
    let mut meta = match members.get(META) {
        Some(meta) => meta.decode::<JsonObject>().ok()?,
        None => JsonObject::new(),
    };
    for (key, text) in carried.entries() {
        meta.insert(key.to_owned(), RawJson::encode(text).ok()?);
    }
    members.insert(META, RawJson::encode(&meta).ok()?);
    // Questions of older revisions look the same.
    RawJson::encode(&Wire(&members, Revision::LATEST_LEGACY)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_carried_joins_what_is_there() {
        let carried = Carried { traceparent: Some("00-1-2-01".to_owned()), ..Carried::default() };
        for (params, expected) in [
            (None, r#"{"_meta":{"traceparent":"00-1-2-01"}}"#),
            (Some(r#"{"a":1}"#), r#"{"a":1,"_meta":{"traceparent":"00-1-2-01"}}"#),
            (Some(r#"{"_meta":{"x":2},"a":1}"#), r#"{"_meta":{"traceparent":"00-1-2-01","x":2},"a":1}"#),
        ] {
            let params = params.map(|text| RawJson::parse(text).expect("JSON"));
            let carrying = carrying(params.as_ref(), &carried).expect("an object");
            assert_eq!(carrying.get(), expected);
        }
        assert_eq!(carrying(Some(&RawJson::null()), &carried), None);
    }
}
