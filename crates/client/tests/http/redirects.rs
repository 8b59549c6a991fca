//! Redirects, and what the host wants sent along.

use hermes_client::{Client, ClientError};

use crate::fake::{Fake, discovered};

#[tokio::test]
async fn b067_a_redirect_within_the_origin_is_followed_with_everything_that_belongs_to_the_request() {
    for status in [307, 308] {
        let mut fake = Fake::start().await;
        let url = fake.url.clone();
        let script = async {
            let first = fake.expect("server/discover").await;
            let request = first.body.clone();
            assert_eq!(first.header("authorization"), Some("Bearer k"));
            first.answer(status, &[("Location", "/mcp/")], "").await;
            let second = fake.expect("server/discover").await;
            assert_eq!(second.path, "/mcp/");
            assert_eq!(second.body, request);
            assert_eq!(second.header("authorization"), Some("Bearer k"));
            assert_eq!(second.header("mcp-method"), Some("server/discover"));
            second.result(discovered()).await;
        };
        let builder = Client::builder().header("Authorization", "Bearer k");
        let (client, ()) = tokio::join!(builder.connect(&url), script);
        client.expect("connected");
    }
}

#[tokio::test]
async fn b067_any_other_redirect_is_an_error_and_takes_no_credentials_along() {
    for (status, location) in [
        (307, "elsewhere"),
        (308, "elsewhere"),
        (307, "https"),
        (301, "/mcp/"),
        (302, "/mcp/"),
        (303, "/mcp/"),
        (307, ""),
    ] {
        let (mut fake, mut other) = (Fake::start().await, Fake::start().await);
        let (url, elsewhere) = (fake.url.clone(), other.url.clone());
        let location = match location {
            "elsewhere" => elsewhere,
            "https" => url.replace("http:", "https:"),
            other => other.to_owned(),
        };
        let script = async {
            let headers = [("Location", &*location)];
            let headers = if location.is_empty() { &[][..] } else { &headers };
            fake.expect("server/discover").await.answer(status, headers, "").await;
        };
        let builder = Client::builder().header("Authorization", "Bearer k");
        let (client, ()) = tokio::join!(builder.connect(&url), script);
        let error = client.expect_err("not followed");
        let shown = error.to_string();
        assert!(shown.contains("redirect") && shown.contains(&location), "{shown}");
        assert!(matches!(error, ClientError::Redirect { status: told, .. } if told == status));
        assert!(fake.is_idle() && other.is_idle());
    }
}

#[tokio::test]
async fn b067_redirects_in_a_circle_come_to_an_end() {
    let mut fake = Fake::start().await;
    let url = fake.url.clone();
    let script = async {
        for _ in 0..5 {
            fake.expect("server/discover").await.answer(307, &[("Location", "/mcp")], "").await;
        }
    };
    let (client, ()) = tokio::join!(Client::connect(&url), script);
    assert!(client.expect_err("a circle").to_string().contains("redirect"));
    assert!(fake.is_idle());
}

#[tokio::test]
async fn a_header_of_the_host_goes_with_everything_but_replaces_nothing_of_the_protocol() {
    let mut fake = Fake::start().await;
    let url = fake.url.clone();
    let script = async {
        let probe = fake.expect("server/discover").await;
        assert_eq!(probe.header("x-key"), Some("v"));
        assert_eq!(probe.header("mcp-method"), Some("server/discover"));
        assert_eq!(probe.header("accept"), Some("application/json, text/event-stream"));
        probe.result(discovered()).await;
    };
    let builder =
        Client::builder().header("X-Key", "v").header("Mcp-Method", "tools/call").header("Accept", "*/*");
    let (client, ()) = tokio::join!(builder.connect(&url), script);
    client.expect("connected");
}
