//! Who may call: field bugs of kind H about `Origin` and `Host`.

use hermes_testkit::raw::{RawError, Session};
use serde_json::json;

use crate::{LATEST, LEGACY, MODERN, demo, demo_with, refused, text};

// spec: R120, R121, R169
#[tokio::test]
async fn b065_a_foreign_origin_is_403_on_every_method_and_nothing_is_run() -> Result<(), RawError> {
    let demo = demo();
    let port = demo.target().address.port();
    for revision in LEGACY.into_iter().chain([MODERN]) {
        let session = Session::open(demo.target(), revision).await?;
        let touch = session.call(1, "touch", json!({}));
        for origin in [
            "http://evil.example",
            "null",
            "http://localhost.evil.example",
            "http://127.0.0.1.evil.example",
            "http://localhost:1@evil.example",
            "file://",
            "http://localhost:1",
            "",
        ] {
            let foreign = [("Origin", Some(origin))];
            refused(session.post_with(&touch, &foreign).await?, 403).await?;
            refused(session.exchange(&session.get_bytes(None, &foreign)).await?, 403).await?;
            refused(session.exchange(&session.delete_bytes(&foreign)).await?, 403).await?;
            let options = session.delete_bytes(&foreign);
            let options = String::from_utf8(options).expect("a text").replacen("DELETE", "OPTIONS", 1);
            refused(session.exchange(options.as_bytes()).await?, 403).await?;
        }
        for own in [format!("http://localhost:{port}"), format!("http://127.0.0.1:{port}")] {
            let changes = [("Origin", Some(own.as_str())), ("Host", own.strip_prefix("http://"))];
            let echo = session.call(2, "echo", json!({ "text": "own" }));
            let response = session.post_with(&echo, &changes).await?.outcome().await?.response;
            assert_eq!(text(&response), "own");
        }
    }
    let session = Session::open(demo.target(), LATEST).await?;
    let counter = session.ask(&session.call(1, "touch", json!({}))).await?;
    assert_eq!(text(&counter), "1", "nothing was run before");
    Ok(())
}

#[tokio::test]
async fn b065_two_origins_or_hosts_are_none() -> Result<(), RawError> {
    let demo = demo();
    let own = format!("http://{}", demo.target().host);
    let session = Session::open(demo.target(), LATEST).await?;
    let touch = session.call(1, "touch", json!({}));
    for changes in [
        [("Origin", Some(own.as_str())), ("Origin", Some("http://evil.example"))],
        [("Host", Some(demo.target().host.as_str())), ("Host", Some("evil.example"))],
    ] {
        let mut answer = session.post_with(&touch, &changes).await?;
        answer.body().await?;
        assert_eq!(answer.status() / 100, 4, "{changes:?}");
    }
    let counter = session.ask(&touch).await?;
    assert_eq!(text(&counter), "1", "nothing was run before");
    Ok(())
}

#[tokio::test]
async fn b065_an_allowed_origin_is_served_and_told_what_its_pages_may_read() -> Result<(), RawError> {
    let demo = demo_with(&["--allow-origin", "https://app.example"]);
    let origin = [("Origin", Some("https://app.example"))];
    for revision in LEGACY.into_iter().chain([MODERN]) {
        let session = Session::open(demo.target(), revision).await?;
        let sleep = session.call(1, "sleep", json!({ "ms": 200 }));
        let gone = session.with_id(Some("gone"));
        let ping = gone.request(2, "ping", json!({}));
        for mut answer in [session.post_with(&sleep, &origin).await?, gone.post_with(&ping, &origin).await?] {
            let head = answer.head.clone();
            assert_eq!(head.header("access-control-allow-origin"), Some("https://app.example"), "{head:?}");
            let exposed =
                head.header("access-control-expose-headers").unwrap_or_default().to_ascii_lowercase();
            assert!(exposed.contains("mcp-session-id") && exposed.contains("www-authenticate"), "{head:?}");
            answer.body().await?;
        }
        let wanted = "content-type, mcp-protocol-version, mcp-session-id, last-event-id, mcp-param-city, authorization";
        let preflight = session.delete_bytes(&[
            ("Origin", Some("https://app.example")),
            ("Access-Control-Request-Method", Some("POST")),
            ("Access-Control-Request-Headers", Some(wanted)),
        ]);
        let preflight = String::from_utf8(preflight).expect("a text").replacen("DELETE", "OPTIONS", 1);
        let mut answer = session.exchange(preflight.as_bytes()).await?;
        answer.body().await?;
        assert_eq!(answer.status(), 204);
        let allowed =
            answer.head.header("access-control-allow-headers").unwrap_or_default().to_ascii_lowercase();
        for name in wanted.split(", ") {
            assert!(allowed.contains(name), "{name} in {allowed}");
        }
        let methods = answer.head.header("access-control-allow-methods").unwrap_or_default();
        assert!(["GET", "POST", "DELETE"].iter().all(|method| methods.contains(method)), "{methods}");
    }
    Ok(())
}

#[tokio::test]
async fn b066_a_foreign_host_is_403_and_every_name_of_this_machine_is_served() -> Result<(), RawError> {
    let demo = demo_with(&["--allow-host", "mcp.example"]);
    let port = demo.target().address.port();
    for revision in LEGACY.into_iter().chain([MODERN]) {
        let session = Session::open(demo.target(), revision).await?;
        let echo = session.call(1, "echo", json!({ "text": "x" }));
        for host in
            [format!("evil.example:{port}"), "evil.example".into(), format!("127.0.0.1.nip.example:{port}")]
        {
            refused(session.post_with(&echo, &[("Host", Some(&host))]).await?, 403).await?;
        }
        for host in [
            format!("localhost:{port}"),
            "LOCALHOST".into(),
            "127.0.0.1".into(),
            format!("[::1]:{port}"),
            "mcp.example".into(),
            format!("MCP.example:{port}"),
        ] {
            let mut answer = session.post_with(&echo, &[("Host", Some(&host))]).await?;
            assert_eq!(text(&answer.outcome().await?.response), "x", "{host}");
        }
        refused(session.post_with(&echo, &[("Host", None)]).await?, 400).await?;
    }
    Ok(())
}
