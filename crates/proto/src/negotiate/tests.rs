use hermes_types::{ErrorObject, Method, RawJson, Revision};
use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};

use super::{EraChoice, Failure, Heard, Negotiation, Step};

const MODERN: Revision = Revision::V2026_07_28;
const OFFER: Revision = Revision::V2025_11_25;

fn raw(value: &serde_json::Value) -> Box<RawValue> {
    to_raw_value(value).expect("encodes")
}

fn error(code: i64, data: Option<serde_json::Value>) -> ErrorObject {
    let data = data.map(|data| RawJson::try_from(&data).expect("encodes"));
    ErrorObject { code, message: "m".to_owned(), data }
}

fn probing(choice: EraChoice) -> Negotiation {
    match Negotiation::begin(choice, true) {
        Step::Discover(MODERN, probe) => probe,
        other => panic!("{other:?}"),
    }
}

fn initializing(step: Step) -> Negotiation {
    match step {
        Step::Initialize(OFFER, handshake)
        | Step::Respawn(OFFER, handshake)
        | Step::EventStream(OFFER, handshake) => handshake,
        other => panic!("{other:?}"),
    }
}

/// The step without the machine it carries.
#[derive(Debug, PartialEq)]
enum Kind {
    Discover(Revision),
    Initialize(Revision),
    Respawn(Revision),
    EventStream(Revision),
    Agreed(Revision),
    Failed(Failure),
}

fn kind(step: Step) -> Kind {
    match step {
        Step::Discover(revision, _) => Kind::Discover(revision),
        Step::Initialize(revision, _) => Kind::Initialize(revision),
        Step::Respawn(revision, _) => Kind::Respawn(revision),
        Step::EventStream(revision, _) => Kind::EventStream(revision),
        Step::Agreed(revision) => Kind::Agreed(revision),
        Step::Failed(failure) => Kind::Failed(failure),
    }
}

fn unsupported(supported: &serde_json::Value) -> ErrorObject {
    error(-32022, Some(json!({ "requested": "2026-07-28", "supported": supported })))
}

// spec: R066, R067, R093, R094
#[test]
fn a_probe_comes_first_unless_only_the_legacy_era_is_wanted() {
    for may_respawn in [false, true] {
        assert_eq!(kind(Negotiation::begin(EraChoice::Auto, may_respawn)), Kind::Discover(MODERN));
        assert_eq!(kind(Negotiation::begin(EraChoice::Modern, may_respawn)), Kind::Discover(MODERN));
        assert_eq!(kind(Negotiation::begin(EraChoice::Legacy, may_respawn)), Kind::Initialize(OFFER));
    }
}

#[test]
fn a_discover_result_decides_by_the_revisions_it_lists() {
    let both = [EraChoice::Auto, EraChoice::Modern];
    let cases = [
        (json!(["2026-07-28"]), both.map(|_| Kind::Agreed(MODERN))),
        (json!(["2024-11-05", "2026-07-28", "2030-01-01"]), both.map(|_| Kind::Agreed(MODERN))),
        (json!([7, null, "2026-07-28"]), both.map(|_| Kind::Agreed(MODERN))),
        (
            json!(["2025-06-18"]),
            [Kind::Initialize(OFFER), Kind::Failed(Failure::NoCommonRevision(vec!["2025-06-18".to_owned()]))],
        ),
        (
            json!(["2030-01-01"]),
            both.map(|_| Kind::Failed(Failure::NoCommonRevision(vec!["2030-01-01".to_owned()]))),
        ),
        (json!([]), both.map(|_| Kind::Failed(Failure::NoCommonRevision(vec![])))),
    ];
    for (versions, expected) in cases {
        let result = raw(&json!({ "resultType": "complete", "supportedVersions": versions }));
        for (choice, expected) in both.into_iter().zip(expected) {
            assert_eq!(kind(probing(choice).hear(Heard::Result(&result))), expected, "{choice:?} {versions}");
        }
    }
}

#[test]
fn a_result_that_lists_no_revisions_is_the_answer_of_a_legacy_server() {
    for result in [json!({}), json!({ "supportedVersions": "2026-07-28" }), json!(null), json!([1])] {
        let result = raw(&result);
        assert_eq!(kind(probing(EraChoice::Auto).hear(Heard::Result(&result))), Kind::Initialize(OFFER));
        assert_eq!(
            kind(probing(EraChoice::Modern).hear(Heard::Result(&result))),
            Kind::Failed(Failure::NotModern(None))
        );
    }
}

// spec: R095
#[test]
fn b074_any_error_that_is_not_modern_leads_to_initialize() {
    let codes =
        [-32601, -32602, -32600, -32603, -32000, -32001, -32003, -32004, -32700, -32042, -32023, 0, 7];
    for code in codes {
        // Not even a list of revisions makes another code modern.
        for data in [None, Some(json!({ "supported": ["2026-07-28"] }))] {
            let error = error(code, data);
            assert_eq!(
                kind(probing(EraChoice::Auto).hear(Heard::Error(&error))),
                Kind::Initialize(OFFER),
                "{code}"
            );
            assert_eq!(
                kind(probing(EraChoice::Modern).hear(Heard::Error(&error))),
                Kind::Failed(Failure::NotModern(Some(error))),
                "{code}"
            );
        }
    }
}

// spec: R087, R096
#[test]
fn b075_a_modern_error_never_leads_to_initialize_unless_only_legacy_is_offered() {
    let future = Failure::NoCommonRevision(vec!["2026-10-01".to_owned()]);
    assert_eq!(
        kind(probing(EraChoice::Auto).hear(Heard::Error(&unsupported(&json!(["2026-10-01"]))))),
        Kind::Failed(future)
    );
    assert_eq!(
        kind(probing(EraChoice::Auto).hear(Heard::Error(&unsupported(&json!(["2026-07-28"]))))),
        Kind::Discover(MODERN)
    );
    assert_eq!(
        kind(probing(EraChoice::Auto).hear(Heard::Error(&unsupported(&json!(["2025-11-25"]))))),
        Kind::Initialize(OFFER)
    );
    assert_eq!(
        kind(probing(EraChoice::Modern).hear(Heard::Error(&unsupported(&json!(["2025-11-25"]))))),
        Kind::Failed(Failure::NoCommonRevision(vec!["2025-11-25".to_owned()]))
    );
    for code in [-32020, -32021, -32022] {
        for data in [
            None,
            Some(json!(null)),
            Some(json!([])),
            Some(json!({})),
            Some(json!({ "supported": [] })),
            Some(json!({ "supported": "2026-07-28" })),
            Some(json!({ "requiredCapabilities": { "roots": {} } })),
        ] {
            let error = error(code, data);
            assert_eq!(
                kind(probing(EraChoice::Auto).hear(Heard::Error(&error))),
                Kind::Failed(Failure::Refused(error))
            );
        }
    }
}

#[test]
fn b075_a_refused_revision_is_retried_once_only() {
    let error = unsupported(&json!(["2026-07-28"]));
    let Step::Discover(MODERN, again) = probing(EraChoice::Auto).hear(Heard::Error(&error)) else {
        panic!("a retry");
    };
    let result = raw(&json!({ "supportedVersions": ["2026-07-28"] }));
    assert_eq!(kind(again.clone().hear(Heard::Result(&result))), Kind::Agreed(MODERN));
    assert_eq!(kind(again.hear(Heard::Error(&error))), Kind::Failed(Failure::Refused(error)));
}

#[test]
fn silence_means_legacy() {
    assert_eq!(kind(probing(EraChoice::Auto).hear(Heard::Silence)), Kind::Initialize(OFFER));
    assert_eq!(kind(probing(EraChoice::Modern).hear(Heard::Silence)), Kind::Failed(Failure::NotModern(None)));
}

#[test]
fn b078_a_server_that_exits_upon_the_probe_gets_one_fresh_start_without_a_probe() {
    let step = probing(EraChoice::Auto).hear(Heard::Exit);
    assert_eq!(kind(step.clone()), Kind::Respawn(OFFER));
    let handshake = initializing(step);
    assert_eq!(kind(handshake.clone().hear(Heard::Exit)), Kind::Failed(Failure::Exited));
    let result = raw(&json!({ "protocolVersion": "2024-11-05" }));
    assert_eq!(kind(handshake.hear(Heard::Result(&result))), Kind::Agreed(Revision::V2024_11_05));

    // The same when it answers the probe first, and when it says nothing and ends later.
    let refused = error(-32600, None);
    for heard in [Heard::Error(&refused), Heard::Silence] {
        let handshake = initializing(probing(EraChoice::Auto).hear(heard));
        let step = handshake.hear(Heard::Exit);
        assert_eq!(kind(step.clone()), Kind::Respawn(OFFER));
        assert_eq!(kind(initializing(step).hear(Heard::Exit)), Kind::Failed(Failure::Exited));
    }
}

#[test]
fn what_cannot_or_need_not_be_started_anew_is_not() {
    let Step::Discover(_, stream) = Negotiation::begin(EraChoice::Auto, false) else { panic!("a probe") };
    assert_eq!(kind(stream.hear(Heard::Exit)), Kind::Failed(Failure::Exited));
    assert_eq!(kind(probing(EraChoice::Modern).hear(Heard::Exit)), Kind::Failed(Failure::Exited));
    let unprobed = initializing(Negotiation::begin(EraChoice::Legacy, true));
    assert_eq!(kind(unprobed.hear(Heard::Exit)), Kind::Failed(Failure::Exited));
}

// spec: R071
#[test]
fn initialize_agrees_on_any_legacy_revision_and_on_nothing_else() {
    for revision in Revision::LEGACY {
        let result = raw(&json!({ "protocolVersion": revision.as_str(), "capabilities": {} }));
        let handshake = initializing(Negotiation::begin(EraChoice::Legacy, false));
        assert_eq!(kind(handshake.hear(Heard::Result(&result))), Kind::Agreed(revision));
    }
    for named in ["2026-07-28", "2030-01-01", "1.0", ""] {
        let result = raw(&json!({ "protocolVersion": named }));
        let handshake = initializing(Negotiation::begin(EraChoice::Legacy, false));
        assert_eq!(
            kind(handshake.hear(Heard::Result(&result))),
            Kind::Failed(Failure::UnsupportedRevision(named.to_owned()))
        );
    }
    for result in [json!({}), json!({ "protocolVersion": 1 }), json!(null), json!("2025-11-25")] {
        let handshake = initializing(Negotiation::begin(EraChoice::Legacy, false));
        assert_eq!(
            kind(handshake.hear(Heard::Result(&raw(&result)))),
            Kind::Failed(Failure::BadResult(Method::Initialize))
        );
    }
}

#[test]
fn a_refused_or_unanswered_initialize_ends_the_attempt() {
    for error in [error(-32602, None), error(-32601, None), unsupported(&json!(["2026-07-28"]))] {
        let handshake = initializing(Negotiation::begin(EraChoice::Legacy, false));
        assert_eq!(
            kind(handshake.hear(Heard::Error(&error))),
            Kind::Failed(Failure::InitializeRefused(error))
        );
    }
    let handshake = initializing(Negotiation::begin(EraChoice::Legacy, false));
    assert_eq!(kind(handshake.hear(Heard::Silence)), Kind::Failed(Failure::Silent));
}

#[test]
fn a_modern_server_that_was_too_slow_for_the_probe_is_asked_again_once() {
    let error = unsupported(&json!(["2026-07-28"]));
    let handshake = initializing(probing(EraChoice::Auto).hear(Heard::Silence));
    let Step::Discover(MODERN, again) = handshake.hear(Heard::Error(&error)) else { panic!("a probe") };
    assert_eq!(kind(again.hear(Heard::Error(&error))), Kind::Failed(Failure::Refused(error.clone())));

    // A server that did answer the probe as a legacy one is not asked again.
    let other = self::error(-32601, None);
    let handshake = initializing(probing(EraChoice::Auto).hear(Heard::Error(&other)));
    assert_eq!(kind(handshake.hear(Heard::Error(&error))), Kind::Failed(Failure::InitializeRefused(error)));
}

/// A refusal over HTTP without an error of the protocol.
const fn bare(status: u16) -> Heard<'static> {
    Heard::Refused { status, error: None }
}

// spec: R097
#[test]
fn b076_a_refused_probe_leads_to_initialize_unless_its_status_is_no_sign_of_an_era() {
    let other = error(-32000, None);
    for status in [400, 404, 405, 406, 410, 415, 422] {
        for error in [None, Some(&other)] {
            let heard = Heard::Refused { status, error };
            assert_eq!(kind(probing(EraChoice::Auto).hear(heard)), Kind::Initialize(OFFER), "{status}");
            let expected = Failure::NotModern(error.cloned());
            assert_eq!(kind(probing(EraChoice::Modern).hear(heard)), Kind::Failed(expected), "{status}");
        }
    }
    for status in [401, 403, 407, 408, 429, 500, 502, 503, 504, 599] {
        let method = Method::ServerDiscover;
        let expected = Failure::Status { method, status, error: None };
        for choice in [EraChoice::Auto, EraChoice::Modern] {
            assert_eq!(kind(probing(choice).hear(bare(status))), Kind::Failed(expected.clone()), "{status}");
        }
    }
    let heard = Heard::Refused { status: 429, error: Some(&other) };
    let expected =
        Failure::Status { method: Method::ServerDiscover, status: 429, error: Some(other.clone()) };
    assert_eq!(kind(probing(EraChoice::Auto).hear(heard)), Kind::Failed(expected));
}

// spec: R096, R097
#[test]
fn b075_a_modern_error_counts_under_whatever_status_it_comes() {
    let future = unsupported(&json!(["2026-10-01"]));
    let common = unsupported(&json!(["2026-07-28"]));
    for status in [400, 404, 405, 429, 500, 503] {
        let step = probing(EraChoice::Auto).hear(Heard::Refused { status, error: Some(&future) });
        let expected = Failure::NoCommonRevision(vec!["2026-10-01".to_owned()]);
        assert_eq!(kind(step), Kind::Failed(expected), "{status}");
        let step = probing(EraChoice::Auto).hear(Heard::Refused { status, error: Some(&common) });
        assert_eq!(kind(step), Kind::Discover(MODERN), "{status}");
        // Nor does it ever lead to a stream.
        let handshake = initializing(Negotiation::begin(EraChoice::Legacy, false));
        let step = handshake.hear(Heard::Refused { status, error: Some(&common) });
        assert_eq!(kind(step), Kind::Failed(Failure::InitializeRefused(common.clone())), "{status}");
    }
}

#[test]
fn a_server_that_fails_by_an_error_of_its_own_is_offered_the_handshake_and_may_still_turn_out_modern() {
    let crashed = error(-32603, None);
    let heard = Heard::Refused { status: 500, error: Some(&crashed) };
    let handshake = initializing(probing(EraChoice::Auto).hear(heard));
    let modern = unsupported(&json!(["2026-07-28"]));
    let again = handshake.hear(Heard::Refused { status: 400, error: Some(&modern) });
    assert_eq!(kind(again), Kind::Discover(MODERN));
    assert_eq!(
        kind(probing(EraChoice::Modern).hear(heard)),
        Kind::Failed(Failure::NotModern(Some(crashed.clone())))
    );
}

// spec: R099
#[test]
fn an_initialize_refused_with_400_404_or_405_leads_to_the_stream_of_the_older_transport_once() {
    let other = error(-32601, None);
    for status in [400, 404, 405] {
        for error in [None, Some(&other)] {
            let refused = Heard::Refused { status, error };
            for begun in [
                Negotiation::begin(EraChoice::Legacy, false),
                probing(EraChoice::Auto).hear(refused),
                probing(EraChoice::Auto).hear(Heard::Silence),
            ] {
                let step = initializing(begun).hear(refused);
                assert_eq!(kind(step.clone()), Kind::EventStream(OFFER), "{status}");
                let older = initializing(step);
                let expected = match error {
                    Some(error) => Failure::InitializeRefused(error.clone()),
                    None => Failure::Status { method: Method::Initialize, status, error: None },
                };
                assert_eq!(kind(older.clone().hear(refused)), Kind::Failed(expected), "{status}");
                assert_eq!(kind(older.clone().hear(Heard::Exit)), Kind::Failed(Failure::Exited));
                let result = raw(&json!({ "protocolVersion": "2024-11-05" }));
                assert_eq!(kind(older.hear(Heard::Result(&result))), Kind::Agreed(Revision::V2024_11_05));
            }
        }
    }
    for status in [401, 403, 406, 409, 429, 500, 503] {
        let handshake = initializing(Negotiation::begin(EraChoice::Legacy, false));
        let expected = Failure::Status { method: Method::Initialize, status, error: None };
        assert_eq!(kind(handshake.clone().hear(bare(status))), Kind::Failed(expected), "{status}");
        let refused = Heard::Refused { status, error: Some(&other) };
        assert_eq!(kind(handshake.hear(refused)), Kind::Failed(Failure::InitializeRefused(other.clone())));
    }
}

#[test]
fn a_stream_of_the_older_transport_in_answer_to_a_post_is_its_own_sign_once() {
    assert_eq!(kind(probing(EraChoice::Auto).hear(Heard::EventStream)), Kind::EventStream(OFFER));
    assert_eq!(
        kind(probing(EraChoice::Modern).hear(Heard::EventStream)),
        Kind::Failed(Failure::NotModern(None))
    );
    let step = initializing(Negotiation::begin(EraChoice::Legacy, false)).hear(Heard::EventStream);
    assert_eq!(kind(step.clone()), Kind::EventStream(OFFER));
    assert_eq!(kind(initializing(step).hear(Heard::EventStream)), Kind::Failed(Failure::Silent));
}

#[test]
fn every_failure_says_what_happened() {
    let refused = error(-32022, None);
    let cases = [
        (
            Failure::BadResult(Method::Initialize),
            "the server's result of initialize names no protocol version",
        ),
        (Failure::Exited, "the server has gone before it was ready"),
        (Failure::InitializeRefused(refused.clone()), "the server refused initialize: m (-32022)"),
        (Failure::NoCommonRevision(vec![]), "no common protocol version: the server speaks none"),
        (
            Failure::NoCommonRevision(vec!["a".into(), "b".into()]),
            "no common protocol version: the server speaks a, b",
        ),
        (Failure::NotModern(None), "the server does not speak the modern era"),
        (
            Failure::NotModern(Some(error(-32601, None))),
            "the server does not speak the modern era: m (-32601)",
        ),
        (
            Failure::Refused(refused),
            "the server is modern, but refused discovery and named no other version: m (-32022)",
        ),
        (Failure::Silent, "the server did not answer initialize in time"),
        (
            Failure::Status { method: Method::ServerDiscover, status: 503, error: None },
            "the server answered server/discover with HTTP 503",
        ),
        (
            Failure::Status { method: Method::Initialize, status: 429, error: Some(error(-32000, None)) },
            "the server answered initialize with HTTP 429: m (-32000)",
        ),
        (
            Failure::UnsupportedRevision("1".into()),
            "the server answered initialize with the unsupported protocol version \"1\"",
        ),
    ];
    for (failure, text) in cases {
        assert_eq!(failure.to_string(), text);
    }
}
