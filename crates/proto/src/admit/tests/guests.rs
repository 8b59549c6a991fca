//! `Host` and `Origin`.

use super::*;

fn guarded(
    policy: &Policy,
    local: Option<&str>,
    host: &str,
    origin: Option<&str>,
) -> Result<Option<String>, u16> {
    let field = |name: &str| match (name, origin) {
        ("host", _) => Field::One(host.as_bytes()),
        ("origin", Some(origin)) => Field::One(origin.as_bytes()),
        _ => Field::Absent,
    };
    let local = local.map(|local| local.parse().expect("an address"));
    let guest = guard(&field, policy, Arrival { local });
    guest.map(|guest| guest.origin().map(str::to_owned)).map_err(|refused| refused.status)
}

#[test]
fn a_loopback_address_answers_to_its_own_names_only() {
    for local in [Some("127.0.0.1:8000"), Some("[::1]:8000"), Some("[::ffff:127.0.0.1]:8000"), None] {
        for host in
            ["localhost", "LocalHost:8000", "127.0.0.1", "127.8.9.1:1", "[::1]", "[::1]:8000", "localhost:"]
        {
            assert_eq!(guarded(&sessions(), local, host, None), Ok(None), "{host}");
        }
        for host in
            ["evil.example", "127.0.0.1.evil.example:8000", "localhost.evil.example", "192.168.0.1", "[::2]"]
        {
            assert_eq!(guarded(&sessions(), local, host, None), Err(403), "{host}");
        }
        for host in
            ["", ":8000", "localhost:8000@evil.example", "a b", "localhost:x", "localhost:99999", "[::1", "é"]
        {
            assert_eq!(guarded(&sessions(), local, host, None), Err(400), "{host}");
        }
    }
}

#[test]
fn another_address_answers_to_the_names_that_the_policy_gives_or_to_all() {
    let local = Some("192.168.0.1:8000");
    assert_eq!(guarded(&sessions(), local, "mcp.example.org", None), Ok(None));
    let policy =
        Policy { hosts: vec!["mcp.example.org".to_owned(), "Other.example:8443".to_owned()], ..sessions() };
    for (host, outcome) in [
        ("MCP.example.org:1", Ok(None)),
        ("other.example:8443", Ok(None)),
        ("other.example", Err(403)),
        ("localhost:8000", Err(403)),
        ("192.168.0.1", Err(403)),
    ] {
        assert_eq!(guarded(&policy, local, host, None), outcome, "{host}");
    }
    assert_eq!(guarded(&policy, Some("127.0.0.1:8000"), "mcp.example.org", None), Ok(None), "behind a proxy");
}

// spec: R120, R121, R169
#[test]
fn an_origin_is_allowed_as_a_whole() {
    let policy = Policy {
        origins: vec![
            "https://App.example".to_owned(),
            "http://dev.example:3000/".to_owned(),
            "null".to_owned(),
        ],
        ..Policy::default()
    };
    for (origin, allowed) in [
        ("https://app.example", true),
        ("https://APP.example:443", true),
        ("http://dev.example:3000", true),
        ("null", true),
        ("http://app.example", false),
        ("https://app.example:8443", false),
        ("https://app.example.evil.example", false),
        ("https://sub.app.example", false),
        ("https://app.example/", false),
        ("https://app.example@evil.example", false),
        ("http://dev.example", false),
        ("", false),
    ] {
        let outcome = guarded(&policy, Some("192.168.0.1:8000"), "any", Some(origin));
        assert_eq!(outcome, if allowed { Ok(Some(origin.to_owned())) } else { Err(403) }, "{origin}");
    }
}

#[test]
fn the_page_of_a_loopback_server_may_call_it_and_no_other_local_page() {
    let ask = |local, host, origin| guarded(&Policy::default(), local, host, Some(origin)).is_ok();
    let here = Some("127.0.0.1:8000");
    for origin in
        ["http://localhost:8000", "http://127.0.0.1:8000", "http://[::1]:8000", "HTTP://LOCALHOST:8000"]
    {
        assert!(ask(here, "localhost:8000", origin), "{origin}");
        assert!(!ask(Some("192.168.0.1:8000"), "localhost:8000", origin), "{origin}: not on loopback");
    }
    for origin in [
        "http://localhost:6274",
        "https://localhost:8000",
        "http://localhost",
        "file://",
        "http://localhost:8000/",
    ] {
        assert!(!ask(here, "localhost:8000", origin), "{origin}");
    }
    assert!(ask(Some("127.0.0.1:80"), "localhost", "http://localhost"));
    assert!(ask(None, "localhost:9000", "http://127.0.0.1:9000"), "the port that the client asked for");
    assert!(!ask(None, "localhost:9000", "http://127.0.0.1:9001"));
}
