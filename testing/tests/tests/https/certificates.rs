//! Whom the client trusts, and what it says of the others. To them nothing is sent.

use std::error::Error as _;

use hermes::{CertificateProblem, Client, ClientBuilder, ClientError, EraChoice};
use serde_json::json;
use tokio::net::TcpListener;
use tokio::time::Instant;

use crate::authority::{Authority, Identity, Valid};
use crate::connect;
use crate::server::{Https, Setup, Spoken};
use crate::works::Works;

async fn server(identity: Identity) -> Https {
    Https::start(Works::new().server(), Setup::new(identity, Spoken::Http2)).await
}

/// Why this client does not connect, as people are told it, and in detail.
async fn distrusted(builder: ClientBuilder, https: &Https, host: &str) -> (String, CertificateProblem) {
    let error = connect(builder, &https.url(host)).await.expect_err("not trusted");
    assert!(matches!(error, ClientError::Unreachable { .. }), "{error:?}");
    assert!(!error.is_outcome_unknown());
    assert!(error.to_string().contains(&https.url(host)), "{error}");
    let source = error.source().expect("a reason");
    let problem = source.downcast_ref::<CertificateProblem>().expect("the certificate").clone();
    assert_eq!(https.requests(), 0, "nothing is sent to whom nobody trusts");
    (source.to_string(), problem)
}

#[tokio::test]
async fn an_issuer_can_be_trusted_beside_those_of_the_machine_and_instead_of_them() {
    let (authority, other) = (Authority::new(), Authority::new());
    let https = server(authority.issue(&["localhost", "127.0.0.1"], Valid::Now)).await;
    let both = format!("{}{}", other.pem(), authority.pem());
    let trusting: [&dyn Fn(ClientBuilder) -> ClientBuilder; 5] = [
        &|builder| builder.trust(authority.pem()),
        &|builder| builder.trust(authority.der()),
        &|builder| builder.trust_only(authority.pem()),
        &|builder| builder.trust(other.pem()).trust(authority.pem()),
        &|builder| builder.trust_only(both.as_str()),
    ];
    for trust in trusting {
        for host in ["localhost", "127.0.0.1"] {
            let client = connect(trust(Client::builder()), &https.url(host)).await.expect("trusted");
            let text: String = client
                .call("echo", json!({ "text": "hello" }))
                .await
                .expect("an answer")
                .read()
                .expect("a text");
            assert_eq!(text, "hello");
            client.close().await;
        }
    }
}

#[tokio::test]
async fn an_issuer_that_nobody_trusts_is_told_with_what_to_do() {
    let https = server(Authority::new().issue(&["localhost"], Valid::Now)).await;
    for builder in [
        Client::builder(),
        Client::builder().trust(Authority::new().pem()),
        Client::builder().trust_only(Authority::new().pem()),
        Client::builder().trust_only(Authority::named("another issuer").pem()),
    ] {
        let (shown, problem) = distrusted(builder, &https, "localhost").await;
        assert_eq!(problem, CertificateProblem::UnknownIssuer);
        assert!(shown.contains("issuer that is not trusted here"), "{shown}");
        assert!(shown.contains("have the issuer's certificate trusted"), "{shown}");
    }
}

#[tokio::test]
async fn a_certificate_is_believed_only_in_its_time() {
    let authority = Authority::new();
    let https = server(authority.issue(&["localhost"], Valid::NoMore)).await;
    let trusting = || Client::builder().trust_only(authority.pem());
    let (shown, problem) = distrusted(trusting(), &https, "localhost").await;
    assert!(matches!(problem, CertificateProblem::Expired { since: Some(_) }), "{problem:?}");
    assert!(shown.contains("expired") && shown.contains("days ago"), "{shown}");
    let https = server(authority.issue(&["localhost"], Valid::NotYet)).await;
    let (shown, problem) = distrusted(trusting(), &https, "localhost").await;
    assert!(matches!(problem, CertificateProblem::NotYetValid { until: Some(_) }), "{problem:?}");
    assert!(shown.contains("valid only in") && shown.contains("clocks"), "{shown}");
}

#[tokio::test]
async fn a_certificate_for_another_name_is_told_with_the_names_that_it_has() {
    let authority = Authority::new();
    let https = server(authority.issue(&["mcp.test", "10.0.0.7"], Valid::Now)).await;
    let builder = Client::builder().trust_only(authority.pem());
    let (shown, problem) = distrusted(builder, &https, "localhost").await;
    let names = vec!["mcp.test".to_owned(), "10.0.0.7".to_owned()];
    assert_eq!(problem, CertificateProblem::WrongName { names });
    assert!(shown.contains("for mcp.test, 10.0.0.7, not for"), "{shown}");
}

#[tokio::test]
async fn an_issuer_that_plays_a_server_is_told_so() {
    let authority = Authority::new();
    let https = server(authority.as_server()).await;
    let builder = Client::builder().trust_only(authority.pem());
    let (shown, problem) = distrusted(builder, &https, "localhost").await;
    assert_eq!(problem, CertificateProblem::Issuer, "{shown}");
    assert!(shown.contains("(CA)"), "{shown}");
}

#[tokio::test]
async fn a_server_that_wants_to_know_its_clients_lets_in_those_of_its_issuer() {
    for spoken in [Spoken::Http1, Spoken::Http2] {
        let (authority, works) = (Authority::new(), Works::new());
        let mut setup = Setup::new(authority.issue(&["localhost"], Valid::Now), spoken);
        setup.clients_of = Some(&authority);
        let https = Https::start(works.server(), setup).await;
        let trusting = || Client::builder().trust_only(authority.pem());
        let known = trusting().certificate(authority.issue(&["me"], Valid::Now).pem);
        let client = connect(known, &https.url("localhost")).await.expect("let in");
        client.ping().await.expect("a sign of life");
        client.close().await;
        let foreign = trusting().certificate(Authority::new().issue(&["me"], Valid::Now).pem);
        let before = https.requests();
        for (builder, alert) in [(trusting(), "CertificateRequired"), (foreign, "DecryptError")] {
            let error = connect(builder, &https.url("localhost")).await.expect_err("not let in");
            assert!(matches!(error, ClientError::Unreachable { .. }), "{error:?}");
            let source = error.source().expect("a reason").to_string();
            assert_eq!(source, format!("it refuses to speak TLS with this client ({alert})"));
        }
        assert_eq!(https.requests(), before);
    }
}

#[tokio::test]
async fn a_server_that_speaks_no_tls_is_told_so() {
    let http = hermes::http::StreamableHttp::new(Works::new().server());
    let bound = http.bind("127.0.0.1:0").await.expect("a port");
    let address = bound.address();
    tokio::spawn(bound.serve(std::future::pending()));
    let error = connect(Client::builder(), &format!("https://{address}/mcp")).await.expect_err("no TLS");
    assert!(matches!(error, ClientError::Unreachable { .. }), "{error:?}");
    let source = error.source().expect("a reason").to_string();
    assert!(source.contains("does not speak TLS") && source.contains("http://"), "{source}");
}

#[tokio::test]
async fn a_server_that_never_agrees_on_tls_is_given_up_after_ten_seconds() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("https://{}/mcp", listener.local_addr().expect("an address"));
    tokio::time::pause();
    let began = Instant::now();
    let builder = Client::builder().era(EraChoice::Modern);
    let error = connect(builder, &url).await.expect_err("nobody speaks");
    assert!(matches!(error, ClientError::Unreachable { .. }), "{error:?}");
    assert_eq!(error.source().expect("a reason").to_string(), "there was no connection within 10 s");
    assert_eq!(began.elapsed().as_secs(), 10);
}

#[tokio::test]
async fn what_is_no_certificate_is_a_mistake_before_anything_is_sent() {
    let authority = Authority::new();
    let https = server(authority.issue(&["localhost"], Valid::Now)).await;
    for builder in [
        Client::builder().trust("no certificate"),
        Client::builder().trust_only(""),
        Client::builder().trust(authority.pem().replace("END", "END OF")),
        Client::builder().certificate(authority.pem()),
    ] {
        let error = connect(builder, &https.url("localhost")).await.expect_err("a mistake");
        assert!(
            matches!(&error, ClientError::Address { what, .. } if what.contains("certificate")),
            "{error}"
        );
    }
    assert_eq!(https.handshakes(), 0);
}
