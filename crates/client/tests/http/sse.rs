//! HTTP+SSE, the transport of 2024-11-05: one stream from the server, a POST for every message to it.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use hermes_client::{
    Client, ClientBuilder, ClientError, CloseReason, EraChoice, Failure, HttpProblem, KnownServers, Limits,
    News, Noise, Restart, Violation, Warning,
};
use hermes_types::{Revision, Root};
use serde_json::{Value, json};
use tokio::sync::oneshot;

use crate::fake::{Asked, Events, Fake, discovered, response, text};

const MESSAGES: &str = "/messages?sessionId=s%201";

/// A client that has never met the server, and lets a connection that is lost be lost.
fn newcomer() -> ClientBuilder {
    Client::builder().known_servers(KnownServers::new()).restart(Restart::never())
}

/// A client that has never met the server, and soon opens a lost connection again.
fn patient() -> ClientBuilder {
    newcomer().restart(Restart::default().attempts(3).first_pause(Duration::from_millis(1)))
}

fn handshake(revision: &str) -> Value {
    json!({
        "protocolVersion": revision,
        "capabilities": { "tools": {} },
        "serverInfo": { "name": "older", "version": "1" },
    })
}

/// Refuses what servers of the older transport refuse, and opens the stream.
async fn stream(fake: &mut Fake, refusal: u16) -> Events {
    for method in ["server/discover", "initialize"] {
        let asked = fake.expect(method).await;
        assert_eq!(asked.path, "/mcp");
        asked.status(refusal).await;
    }
    let get = fake.expect_verb("GET").await;
    assert_eq!(get.path, "/mcp");
    assert_eq!(get.header("accept"), Some("text/event-stream"));
    assert_eq!((get.header("mcp-session-id"), get.header("mcp-protocol-version")), (None, None));
    get.events().await
}

/// Names the endpoint, and answers the handshake that is sent there.
async fn greet(fake: &mut Fake, stream: &mut Events, revision: &str) {
    stream.raw(&format!("event: endpoint\ndata: {MESSAGES}\n\n")).await;
    let initialize = fake.expect("initialize").await;
    assert_eq!(initialize.path, MESSAGES);
    let request = initialize.body.clone();
    initialize.status(202).await;
    stream.result(&request, &handshake(revision)).await;
    let initialized = fake.expect("notifications/initialized").await;
    assert_eq!(initialized.path, MESSAGES);
    initialized.status(202).await;
}

/// A client that talks to an older server, and the stream.
async fn older(builder: ClientBuilder) -> (Fake, Client, Events) {
    let mut fake = Fake::start().await;
    let url = fake.url.clone();
    let script = async {
        let mut stream = stream(&mut fake, 405).await;
        greet(&mut fake, &mut stream, "2024-11-05").await;
        stream
    };
    let (client, stream) = tokio::join!(builder.connect(&url), script);
    let client = client.expect("connected");
    assert_eq!(client.revision(), Revision::V2024_11_05);
    (fake, client, stream)
}

/// Accepts the next call, which has to go to the endpoint.
async fn accepted(fake: &mut Fake) -> Value {
    let asked = fake.expect("tools/call").await;
    assert_eq!(asked.path, MESSAGES);
    let request = asked.body.clone();
    asked.status(202).await;
    request
}

/// The next call works.
async fn works(fake: &mut Fake, client: &Client, stream: &mut Events) {
    let script = async {
        let request = accepted(fake).await;
        stream.result(&request, &text("fine")).await;
    };
    let (outcome, ()) = tokio::join!(client.call("t", ()).into_future(), script);
    let fine: String = outcome.expect("a result").read().expect("a text");
    assert_eq!(fine, "fine");
}

/// The error of a connection whose beginning is scripted.
async fn failing(builder: ClientBuilder, script: impl AsyncFnOnce(&mut Fake)) -> (ClientError, Fake) {
    let mut fake = Fake::start().await;
    let url = fake.url.clone();
    let (client, ()) = tokio::join!(builder.connect(&url), script(&mut fake));
    (client.expect_err("nothing to talk to"), fake)
}

// spec: R099, R167
#[tokio::test]
async fn b052_a_refused_post_leads_to_one_get_and_everything_after_it_goes_where_its_endpoint_event_says() {
    for refusal in [400, 404, 405] {
        let mut fake = Fake::start().await;
        let url = fake.url.clone();
        let script = async {
            let mut stream = stream(&mut fake, refusal).await;
            greet(&mut fake, &mut stream, "2024-11-05").await;
            let request = accepted(&mut fake).await;
            stream.result(&request, &text("hi")).await;
            stream.hung_up().await;
        };
        let talk = async {
            let client = newcomer().connect(&url).await.expect("connected");
            assert_eq!(client.revision(), Revision::V2024_11_05);
            let hi: String = client.call("echo", ()).await.expect("a result").read().expect("a text");
            assert_eq!(hi, "hi");
            client.close().await;
        };
        tokio::join!(script, talk);
        assert!(fake.is_idle(), "there is neither a second stream nor a session to take leave of");
    }
}

// spec: R097, R099
#[tokio::test]
async fn an_error_that_is_not_modern_hides_no_older_server_and_a_modern_one_never_leads_to_a_stream() {
    let mut fake = Fake::start().await;
    let url = fake.url.clone();
    let script = async {
        let error = json!({ "code": -32601, "message": "no such path" });
        fake.expect("server/discover").await.error(404, error.clone()).await;
        fake.expect("initialize").await.error(404, error).await;
        let mut stream = fake.expect_verb("GET").await.events().await;
        greet(&mut fake, &mut stream, "2025-03-26").await;
        stream
    };
    let (client, _stream) = tokio::join!(newcomer().connect(&url), script);
    assert_eq!(client.expect("connected").revision(), Revision::V2025_03_26);

    let modern = json!({ "code": -32022, "message": "v", "data": { "supported": ["2030-01-01"] } });
    let (error, mut fake) = failing(newcomer(), async |fake| {
        fake.expect("server/discover").await.error(404, modern.clone()).await;
    })
    .await;
    assert!(matches!(error, ClientError::Negotiation(Failure::NoCommonRevision(_))), "{error:?}");
    assert!(fake.is_idle());

    let (error, mut fake) = failing(newcomer().era(EraChoice::Legacy), async |fake| {
        fake.expect("initialize").await.error(400, modern.clone()).await;
    })
    .await;
    assert!(matches!(error, ClientError::Negotiation(Failure::InitializeRefused(_))), "{error:?}");
    assert!(fake.is_idle());

    let (error, mut fake) = failing(newcomer().era(EraChoice::Modern), async |fake| {
        fake.expect("server/discover").await.status(404).await;
    })
    .await;
    assert!(matches!(&error, ClientError::Http(answer) if answer.status == 404), "{error:?}");
    assert!(fake.is_idle(), "the older transport has no modern era");
}

#[tokio::test]
async fn a_server_that_opens_a_stream_whatever_it_is_asked_by_is_an_older_one_too() {
    for era in [EraChoice::Auto, EraChoice::Legacy] {
        let mut fake = Fake::start().await;
        let url = fake.url.clone();
        let script = async {
            // Of every stream but the last, the server has to hear that it is not needed.
            let mut unwanted = fake.next().await.events().await;
            unwanted.raw("event: endpoint\ndata: /messages?sessionId=1\n\n").await;
            unwanted.hung_up().await;
            let mut stream = fake.expect_verb("GET").await.events().await;
            greet(&mut fake, &mut stream, "2024-11-05").await;
            stream
        };
        let (client, mut stream) = tokio::join!(newcomer().era(era).connect(&url), script);
        works(&mut fake, &client.expect("connected"), &mut stream).await;
    }

    let (error, mut fake) = failing(newcomer().era(EraChoice::Modern), async |fake| {
        let mut unwanted = fake.expect("server/discover").await.events().await;
        unwanted.raw("event: endpoint\ndata: /messages\n\n").await;
        unwanted.hung_up().await;
    })
    .await;
    assert!(
        matches!(&error, ClientError::Http(answer) if answer.problem == HttpProblem::OlderTransport),
        "{error:?}"
    );
    assert!(fake.is_idle());
}

#[tokio::test]
async fn other_refusals_of_a_handshake_lead_to_no_stream() {
    for status in [406, 409, 500, 503] {
        let (error, mut fake) = failing(newcomer().era(EraChoice::Legacy), async |fake| {
            fake.expect("initialize").await.status(status).await;
        })
        .await;
        assert!(matches!(&error, ClientError::Http(answer) if answer.status == status), "{error:?}");
        assert!(fake.is_idle(), "{status}");
    }
}

#[tokio::test]
async fn an_endpoint_is_named_by_a_path_a_query_or_a_whole_address() {
    for (named, path) in [
        ("/messages", "/messages"),
        ("/messages/?session_id=a%2Fb&x=1", "/messages/?session_id=a%2Fb&x=1"),
        ("messages?s=1", "/messages?s=1"),
        ("?s=1", "/mcp?s=1"),
        ("./a/../b", "/b"),
        (" /padded ", "/padded"),
        ("http://ORIGIN/deep/er?q#fragment", "/deep/er?q"),
        ("//ORIGIN/same-scheme", "/same-scheme"),
    ] {
        let mut fake = Fake::start().await;
        let url = fake.url.clone();
        let origin = url.trim_start_matches("http://").trim_end_matches("/mcp");
        let event = format!("event: endpoint\ndata: {}\n\n", named.replace("ORIGIN", origin));
        let script = async {
            let mut stream = stream(&mut fake, 404).await;
            stream.raw(&event).await;
            let initialize = fake.expect("initialize").await;
            assert_eq!(initialize.path, path, "{named}");
            let request = initialize.body.clone();
            initialize.status(202).await;
            stream.result(&request, &handshake("2024-11-05")).await;
            fake.expect("notifications/initialized").await.status(202).await;
            stream
        };
        let (client, _stream) = tokio::join!(newcomer().connect(&url), script);
        client.expect("connected");
    }
}

#[tokio::test]
async fn an_endpoint_of_another_origin_is_refused_and_gets_no_credentials() {
    let elsewhere = Fake::start().await;
    let elsewhere_origin = elsewhere.url.trim_end_matches("/mcp").to_owned();
    for (named, origin) in [
        (format!("{}?key=1", elsewhere.url), &*elsewhere_origin),
        ("https://127.0.0.1/mcp".to_owned(), "https://127.0.0.1"),
        ("//example.org/mcp".to_owned(), "http://example.org"),
        ("data:text/plain,x".to_owned(), "null"),
        ("http://[".to_owned(), "http://["),
    ] {
        let builder = newcomer().header("Authorization", "Bearer secret");
        let (error, mut fake) = failing(builder, async |fake| {
            let mut stream = stream(fake, 404).await;
            stream.raw(&format!("event: endpoint\ndata: {named}\n\n")).await;
            stream.hung_up().await;
        })
        .await;
        let shown = error.to_string();
        let ClientError::Http(answer) = error else { panic!("{error:?}") };
        assert_eq!(answer.problem, HttpProblem::ForeignEndpoint { origin: origin.to_owned() });
        assert!(shown.contains(&fake.url) && shown.contains(origin) && !shown.contains("key=1"), "{shown}");
        assert!(fake.is_idle(), "nothing is sent after that");
    }
    let mut elsewhere = elsewhere;
    assert!(elsewhere.is_idle(), "nothing is sent there");
}

#[tokio::test]
async fn the_headers_of_the_host_go_with_the_stream_and_with_every_message() {
    let mut fake = Fake::start().await;
    let url = fake.url.clone();
    let sent = |asked: &Asked| assert_eq!(asked.header("authorization"), Some("Bearer secret"));
    let script = async {
        for method in ["server/discover", "initialize"] {
            let asked = fake.expect(method).await;
            sent(&asked);
            asked.status(405).await;
        }
        let get = fake.expect_verb("GET").await;
        sent(&get);
        let mut stream = get.events().await;
        stream.raw(&format!("event: endpoint\ndata: {MESSAGES}\n\n")).await;
        let initialize = fake.expect("initialize").await;
        sent(&initialize);
        let request = initialize.body.clone();
        initialize.status(202).await;
        stream.result(&request, &handshake("2025-06-18")).await;
        let initialized = fake.expect("notifications/initialized").await;
        sent(&initialized);
        assert_eq!(initialized.header("mcp-protocol-version"), Some("2025-06-18"));
        initialized.status(202).await;
        stream
    };
    let builder = newcomer().header("Authorization", "Bearer secret");
    let (client, mut stream) = tokio::join!(builder.connect(&url), script);
    let client = client.expect("connected");
    works(&mut fake, &client, &mut stream).await;
}

#[tokio::test]
async fn a_revision_that_has_no_version_header_is_named_in_none() {
    let (mut fake, client, mut stream) = older(newcomer()).await;
    let script = async {
        let asked = fake.expect("tools/call").await;
        assert_eq!(asked.header("mcp-protocol-version"), None);
        assert_eq!(asked.header("content-type"), Some("application/json"));
        let request = asked.body.clone();
        asked.status(202).await;
        stream.result(&request, &text("fine")).await;
    };
    let (outcome, ()) = tokio::join!(client.call("t", ()).into_future(), script);
    outcome.expect("a result");
}

#[tokio::test]
async fn a_stream_that_names_no_endpoint_is_given_up_within_the_time_of_a_probe() {
    let builder = newcomer().probe_timeout(Duration::from_millis(200));
    let (error, _fake) = failing(builder, async |fake| {
        let mut stream = stream(fake, 405).await;
        stream.raw(": hello\n\nevent: hello\ndata: x\n\nevent: endpoint\ndata: /never-ended\n").await;
        stream.hung_up().await;
    })
    .await;
    assert!(
        matches!(&error, ClientError::Http(answer) if answer.problem == HttpProblem::NoEndpoint),
        "{error:?}"
    );

    let builder = newcomer().probe_timeout(Duration::from_millis(200));
    let (error, _fake) = failing(builder, async |fake| {
        for method in ["server/discover", "initialize"] {
            fake.expect(method).await.status(405).await;
        }
        let get = fake.expect_verb("GET").await;
        get.hung_up().await;
    })
    .await;
    assert!(matches!(&error, ClientError::Timeout { method, .. } if method == "GET"), "{error:?}");
    assert!(error.is_timeout());

    // All of it takes no longer than one operation may.
    let (error, _fake) = failing(newcomer().timeout(Duration::from_millis(200)), async |fake| {
        stream(fake, 405).await.hung_up().await;
    })
    .await;
    assert!(error.is_timeout(), "{error:?}");
}

#[tokio::test]
async fn a_stream_that_begins_with_a_message_is_none_of_this_transport() {
    for event in ["data: {}\n\n", "id: 1\ndata:\n\n", "event: message\ndata: {}\n\n"] {
        let (error, mut fake) = failing(newcomer(), async |fake| {
            let mut stream = stream(fake, 405).await;
            stream.raw(event).await;
            stream.hung_up().await;
        })
        .await;
        assert!(
            matches!(&error, ClientError::Http(answer) if answer.problem == HttpProblem::NoEndpoint),
            "{error:?}"
        );
        assert!(fake.is_idle());
    }
}

#[tokio::test]
async fn what_is_no_older_server_either_is_told_by_the_answer_that_says_most() {
    // A page that is not there: the GET adds nothing to what the POST has said.
    for get in [404, 405, 406] {
        let (error, mut fake) = failing(newcomer(), async |fake| {
            for method in ["server/discover", "initialize"] {
                let html = [("Content-Type", "text/html")];
                fake.expect(method).await.answer(404, &html, "<b>nothing here</b>").await;
            }
            fake.expect_verb("GET").await.status(get).await;
        })
        .await;
        let shown = error.to_string();
        assert!(shown.contains("answered initialize with HTTP 404, text/html"), "{shown}");
        assert!(shown.contains("nothing here") && shown.contains(&fake.url), "{shown}");
        assert!(fake.is_idle());
    }
    let refusal = json!({ "code": -32600, "message": "Bad Request: unsupported" });
    let (error, _) = failing(newcomer().era(EraChoice::Legacy), async |fake| {
        fake.expect("initialize").await.error(400, refusal.clone()).await;
        drop(fake.expect_verb("GET").await.events().await);
    })
    .await;
    assert!(matches!(&error, ClientError::Negotiation(Failure::InitializeRefused(_))), "{error:?}");

    // Whoever answers neither POST nor GET without credentials wants credentials.
    let (error, _) = failing(newcomer(), async |fake| {
        for method in ["server/discover", "initialize"] {
            fake.expect(method).await.status(405).await;
        }
        let challenge = [("WWW-Authenticate", "Bearer realm=\"x\"")];
        fake.expect_verb("GET").await.answer(401, &challenge, "").await;
    })
    .await;
    assert!(matches!(&error, ClientError::Unauthorized { status: 401, .. }), "{error:?}");

    let (error, _) = failing(newcomer(), async |fake| {
        for method in ["server/discover", "initialize"] {
            fake.expect(method).await.status(405).await;
        }
        fake.expect_verb("GET").await.answer(503, &[("Retry-After", "9")], "").await;
    })
    .await;
    assert!(
        matches!(&error, ClientError::Http(answer) if answer.status == 503 && answer.method == "GET"),
        "{error:?}"
    );
}

#[tokio::test]
async fn a_handshake_that_fails_over_the_stream_ends_the_attempt_and_the_stream() {
    let (error, mut fake) = failing(newcomer(), async |fake| {
        let mut stream = stream(fake, 405).await;
        stream.raw("event: endpoint\ndata: /m\n\n").await;
        let initialize = fake.expect("initialize").await;
        let request = initialize.body.clone();
        initialize.status(202).await;
        stream.result(&request, &handshake("1999-01-01")).await;
        stream.hung_up().await;
    })
    .await;
    assert!(matches!(error, ClientError::Negotiation(Failure::UnsupportedRevision(_))), "{error:?}");
    assert!(fake.is_idle());

    // Refused where the server itself has said that it should go: there is no third way.
    let (error, mut fake) = failing(newcomer(), async |fake| {
        let mut stream = stream(fake, 405).await;
        stream.raw("event: endpoint\ndata: /m\n\n").await;
        fake.expect("initialize").await.status(404).await;
        stream.hung_up().await;
    })
    .await;
    assert!(matches!(&error, ClientError::Http(answer) if answer.status == 404), "{error:?}");
    assert!(fake.is_idle());
}

#[tokio::test]
async fn b045_every_line_end_a_mark_comments_and_unknown_events_are_read() {
    for (end, mark) in [("\n", ""), ("\r\n", ""), ("\r", ""), ("\r\n", "\u{feff}"), ("\n", "\u{feff}")] {
        let mut fake = Fake::start().await;
        let url = fake.url.clone();
        let lines = |lines: &[&str]| lines.join(end) + end + end;
        let script = async {
            let mut stream = stream(&mut fake, 405).await;
            let greeting = lines(&[": hi", "event: endpoint", "data: /messages?sessionId=s%201"]);
            stream.raw(&format!("{mark}{greeting}")).await;
            let initialize = fake.expect("initialize").await;
            let request = initialize.body.clone();
            initialize.status(202).await;
            let answer = response(&request, &handshake("2024-11-05"));
            stream.said(&answer);
            stream.raw(&lines(&["event: message", &format!("data: {answer}")])).await;
            fake.expect("notifications/initialized").await.status(202).await;
            let request = accepted(&mut fake).await;
            let answer = response(&request, &text("many\nlines"));
            stream.said(&answer);
            let answer = answer.to_string();
            let (one, two) = answer.split_at(answer.find(',').expect("members"));
            stream.raw(&lines(&["event: heartbeat", "data: {\"not\": \"for us\"}"])).await;
            stream.raw(&lines(&["event: endpoint", "data: http://example.org/elsewhere"])).await;
            stream.raw(&lines(&["event"])).await;
            let split = lines(&["foo: bar", "id: 7", ": c", &format!("data:{one}"), &format!("data: {two}")]);
            stream.raw(&split).await;
            stream
        };
        let talk = async {
            let client = newcomer().connect(&url).await.expect("connected");
            let read: String = client.call("t", ()).await.expect("a result").read().expect("a text");
            assert_eq!(read, "many\nlines");
            client
        };
        let (mut stream, client) = tokio::join!(script, talk);
        works(&mut fake, &client, &mut stream).await;
    }
}

#[tokio::test]
async fn b044_a_character_that_is_cut_between_two_reads_is_whole_again() {
    let (mut fake, client, mut stream) = older(newcomer()).await;
    let script = async {
        let request = accepted(&mut fake).await;
        let answer = response(&request, &text("日本🦀é"));
        stream.said(&answer);
        let answer = format!("data: {answer}\n\n");
        let cut = answer.find('🦀').expect("a crab") + 2;
        let ping = json!({ "jsonrpc": "2.0", "id": "p", "method": "ping" });
        stream.message(&ping).await;
        stream.bytes(&answer.as_bytes()[..cut]).await;
        // Everything up to the cut has been read once the question before it is answered.
        let pong = fake.next().await;
        assert_eq!((&pong.body["id"], &*pong.path), (&json!("p"), MESSAGES));
        pong.status(202).await;
        stream.bytes(&answer.as_bytes()[cut..]).await;
    };
    let (outcome, ()) = tokio::join!(client.call("t", ()).into_future(), script);
    let read: String = outcome.expect("a result").read().expect("a text");
    assert_eq!(read, "日本🦀é");
}

#[tokio::test]
async fn questions_on_the_stream_are_answered_by_posts_of_their_own() {
    let builder = newcomer().roots([Root::new("file:///here")]);
    let (mut fake, client, mut stream) = older(builder).await;
    let script = async {
        let request = accepted(&mut fake).await;
        stream.message(&json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" })).await;
        let pong = fake.next().await;
        assert_eq!(pong.body, json!({ "jsonrpc": "2.0", "id": 1, "result": {} }));
        assert_eq!(pong.path, MESSAGES);
        pong.status(202).await;
        stream.message(&json!({ "jsonrpc": "2.0", "id": "q", "method": "roots/list" })).await;
        let roots = fake.next().await;
        assert_eq!(roots.body["result"]["roots"][0]["uri"], "file:///here");
        roots.status(200).await;
        stream.message(&json!({ "jsonrpc": "2.0", "id": "x", "method": "no/such" })).await;
        let unknown = fake.next().await;
        assert_eq!(unknown.body["error"]["code"], -32601);
        unknown.status(202).await;
        stream.result(&request, &text("thanks")).await;
    };
    let (outcome, ()) = tokio::join!(client.call("t", ()).into_future(), script);
    outcome.expect("a result");
}

#[tokio::test]
async fn notifications_and_progress_come_by_the_stream() {
    let (mut fake, client, mut stream) = older(newcomer()).await;
    let mut notices = client.notifications();
    let script = async {
        let request = accepted(&mut fake).await;
        let token = &request["params"]["_meta"]["progressToken"];
        let params = json!({ "progressToken": token, "progress": 3 });
        stream
            .message(&json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": params }))
            .await;
        stream.message(&json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" })).await;
        stream.result(&request, &text("done")).await;
    };
    let mut seen = Vec::new();
    let call = client.call("t", ()).on_progress(|progress| seen.push(progress.progress)).into_future();
    let (outcome, ()) = tokio::join!(call, script);
    outcome.expect("a result");
    assert_eq!(seen, [3.0]);
    assert_eq!(notices.next().await.expect("a notice").news(), News::ToolsChanged);
}

#[tokio::test]
async fn whatever_an_acceptance_says_the_answer_counts_wherever_it_comes_and_once() {
    let warnings = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&warnings);
    let builder =
        newcomer().on_warning(move |warning| sink.lock().expect("not poisoned").push(warning.clone()));
    let (mut fake, client, mut stream) = older(builder).await;
    let json = [("Content-Type", "application/json")];
    let plain = [("Content-Type", "text/plain")];
    for (status, headers, body) in [
        (200, &[][..], ""),
        (204, &[], ""),
        (200, &plain, "Accepted"),
        (202, &plain, "Accepted"),
        (202, &json, r#"{"status":"accepted"}"#),
        (200, &json, "null"),
        (201, &[("Content-Type", "text/html")], "<html>ok</html>"),
    ] {
        let script = async {
            let asked = fake.expect("tools/call").await;
            let request = asked.body.clone();
            asked.answer(status, headers, body).await;
            stream.result(&request, &text("by the stream")).await;
        };
        let (outcome, ()) = tokio::join!(client.call("t", ()).into_future(), script);
        let read: String = outcome.expect("a result").read().expect("a text");
        assert_eq!(read, "by the stream", "{status} {body}");
    }
    for twice in [false, true] {
        let script = async {
            let asked = fake.expect("tools/call").await;
            let request = asked.body.clone();
            asked.result(text("by the body")).await;
            if twice {
                stream.result(&request, &text("by the body")).await;
            }
        };
        let (outcome, ()) = tokio::join!(client.call("t", ()).into_future(), script);
        let read: String = outcome.expect("a result").read().expect("a text");
        assert_eq!(read, "by the body");
    }
    // The stream may be faster than the acceptance.
    let script = async {
        let asked = fake.expect("tools/call").await;
        stream.result(&asked.body, &text("fast")).await;
        asked
    };
    let (outcome, asked) = tokio::join!(client.call("t", ()).into_future(), script);
    outcome.expect("a result");
    asked.status(202).await;
    works(&mut fake, &client, &mut stream).await;
    let warnings = warnings.lock().expect("not poisoned");
    assert!(matches!(**warnings, [Warning::StrayResponse(_)]), "a second answer is told: {warnings:?}");
}

#[tokio::test]
async fn a_refused_post_settles_its_call_at_once_with_what_came_and_spoils_no_other() {
    let (mut fake, client, mut stream) = older(newcomer()).await;
    for status in [400, 401, 403, 409, 413, 429, 500, 503] {
        let script = async {
            let challenge = [("WWW-Authenticate", "Bearer realm=\"x\"")];
            fake.expect("tools/call").await.answer(status, &challenge, "not now").await;
        };
        let (outcome, ()) = tokio::join!(client.call("t", ()).into_future(), script);
        let error = outcome.expect_err("refused");
        let shown = error.to_string();
        assert!(shown.contains(&status.to_string()) && shown.contains("not now"), "{shown}");
        match error {
            ClientError::Unauthorized { challenge, .. } => {
                assert!(matches!(status, 401 | 403), "{status}");
                assert_eq!(challenge.as_deref(), Some("Bearer realm=\"x\""));
            }
            ClientError::Http(answer) => {
                assert_eq!((answer.status, answer.problem), (status, HttpProblem::Status));
                assert!(!matches!(status, 401 | 403), "{status}");
            }
            other => panic!("{other:?}"),
        }
    }
    for status in [400, 404, 500] {
        let script = async {
            let error = json!({ "code": -32602, "message": "what?" });
            fake.expect("tools/call").await.error(status, error).await;
        };
        let (outcome, ()) = tokio::join!(client.call("t", ()).into_future(), script);
        assert_eq!(outcome.expect_err("refused").rpc().map(|error| error.code), Some(-32602), "{status}");
    }
    let script = async { fake.expect("tools/call").await.reset() };
    let (outcome, ()) = tokio::join!(client.call("t", ()).into_future(), script);
    let error = outcome.expect_err("cut");
    assert!(matches!(error, ClientError::StreamEnded { source: Some(_), .. }), "{error:?}");
    assert_eq!(client.pending(), 0);
    works(&mut fake, &client, &mut stream).await;
}

#[tokio::test]
async fn a_notification_that_is_refused_is_a_warning() {
    let (told, mut warned) = tokio::sync::mpsc::unbounded_channel();
    let builder = newcomer()
        .on_roots(|| async { Ok(vec![]) })
        .on_warning(move |warning| told.send(warning.clone()).expect("the test listens"));
    let (mut fake, client, mut stream) = older(builder).await;
    client.roots_changed().expect("said");
    fake.expect("notifications/roots/list_changed").await.status(500).await;
    let warning = warned.recv().await.expect("a warning");
    let Warning::NotDelivered { method, reason } = &warning else { panic!("{warning:?}") };
    assert_eq!((&**method, &**reason), ("notifications/roots/list_changed", "HTTP 500"));
    works(&mut fake, &client, &mut stream).await;
}

#[tokio::test]
async fn b005_the_end_of_the_stream_settles_every_call_with_the_address_and_what_happened() {
    for is_reset in [false, true] {
        let (mut fake, client, stream) = older(newcomer()).await;
        let url = fake.url.clone();
        let script = async {
            for _ in 0..3 {
                accepted(&mut fake).await;
            }
            if is_reset { stream.reset() } else { drop(stream) }
        };
        let call = || client.call("t", ()).into_future();
        let (one, two, three, ()) = tokio::join!(call(), call(), call(), script);
        for outcome in [one, two, three] {
            let error = outcome.expect_err("no answer can come");
            assert!(error.is_outcome_unknown() && error.is_transport() && !error.is_timeout());
            let shown = error.to_string();
            let ClientError::Closed(closed) = &error else { panic!("{error:?}") };
            let CloseReason::Stream { url: told, source } = &closed.reason else { panic!("{closed:?}") };
            assert_eq!((told, source.is_some()), (&url, is_reset), "{shown}");
            assert!(shown.contains(&url), "{shown}");
        }
        assert_eq!(client.pending(), 0);
    }
}

#[tokio::test]
async fn a_server_that_has_forgotten_the_stream_loses_the_connection_at_once() {
    let (mut fake, client, stream) = older(newcomer()).await;
    let (asked, is_asked) = oneshot::channel::<()>();
    let script = async {
        accepted(&mut fake).await;
        asked.send(()).expect("the test goes on");
        fake.expect("tools/call").await.answer(404, &[], "Session not found").await;
        stream.hung_up().await;
    };
    let second = async {
        is_asked.await.expect("asked");
        client.call("u", ()).into_future().await
    };
    let (first, second, ()) = tokio::join!(client.call("t", ()).into_future(), second, script);
    let refused = second.expect_err("refused");
    assert!(matches!(&refused, ClientError::Http(answer) if answer.status == 404), "{refused:?}");
    let lost = first.expect_err("lost");
    assert!(matches!(&lost, ClientError::Closed(_)), "{lost:?}");
}

#[tokio::test]
async fn an_answer_beyond_the_limit_settles_its_own_call_and_no_other() {
    let limits = Limits { line_bytes: 100_000, ..Limits::CLIENT };
    let (mut fake, client, mut stream) = older(newcomer().limits(limits)).await;
    let script = async {
        let requests = [accepted(&mut fake).await, accepted(&mut fake).await, accepted(&mut fake).await];
        stream.result(&requests[0], &text(&"x".repeat(200_000))).await;
        let (id, deep) = (&requests[1]["id"], "[".repeat(300) + &"]".repeat(300));
        stream
            .raw(&format!("data: {{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{\"x\":{deep}}}}}\n\n"))
            .await;
        stream.result(&requests[2], &text(&"x".repeat(99_000))).await;
    };
    let call = || client.call("t", ()).into_future();
    let (one, two, three, ()) = tokio::join!(call(), call(), call(), script);
    let error = one.expect_err("too long");
    let ClientError::Protocol { violation, .. } = &error else { panic!("{error:?}") };
    assert!(matches!(violation, Violation::Malformed(Noise::TooLong { .. })), "{error}");
    let error = two.expect_err("too deep");
    let ClientError::Protocol { violation, .. } = &error else { panic!("{error:?}") };
    assert_eq!(*violation, Violation::Malformed(Noise::TooDeep), "{error}");
    three.expect("a result");
}

// spec: R161
#[tokio::test]
async fn b039_a_call_that_is_given_up_is_cancelled_by_a_message() {
    let (mut fake, client, mut stream) = older(newcomer()).await;
    let (done, is_done) = oneshot::channel::<()>();
    let script = async {
        let request = accepted(&mut fake).await;
        done.send(()).expect("the call waits");
        let cancelled = fake.expect("notifications/cancelled").await;
        assert_eq!((&cancelled.body["params"]["requestId"], &*cancelled.path), (&request["id"], MESSAGES));
        cancelled.status(202).await;
        stream.result(&request, &text("late")).await;
    };
    let call = async {
        tokio::select! {
            outcome = client.call("t", ()).into_future() => panic!("{outcome:?}"),
            _ = is_done => {}
        }
    };
    tokio::join!(call, script);
    assert_eq!(client.pending(), 0);
    works(&mut fake, &client, &mut stream).await;
}

#[tokio::test]
async fn a_call_that_runs_out_of_time_is_cancelled_and_the_next_one_works() {
    let (mut fake, client, mut stream) = older(newcomer()).await;
    let script = async {
        let request = accepted(&mut fake).await;
        let cancelled = fake.expect("notifications/cancelled").await;
        assert_eq!(cancelled.body["params"]["requestId"], request["id"]);
        cancelled.status(202).await;
    };
    let call = client.call("t", ()).timeout(Duration::from_millis(50)).into_future();
    let (outcome, ()) = tokio::join!(call, script);
    assert!(outcome.expect_err("no answer").is_timeout());
    works(&mut fake, &client, &mut stream).await;
}

#[tokio::test]
async fn closing_drops_the_stream_and_leaves_nothing_to_take_leave_of() {
    let (mut fake, client, stream) = older(newcomer()).await;
    tokio::join!(client.close(), stream.hung_up());
    assert!(fake.is_idle());

    let (mut fake, client, stream) = older(newcomer()).await;
    drop(client);
    stream.hung_up().await;
    assert!(fake.is_idle());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_calls_at_once_each_get_their_own_answer() {
    const CALLS: usize = 1_000;
    let (mut fake, client, mut stream) = older(newcomer()).await;
    let calls: Vec<_> = (0..CALLS)
        .map(|number| {
            let client = client.clone();
            tokio::spawn(async move {
                let arguments = json!({ "number": number });
                let read: String = client.call("t", arguments).await?.read()?;
                Ok::<_, ClientError>((number, read))
            })
        })
        .collect();
    let mut requests = Vec::new();
    for _ in 0..CALLS {
        requests.push(accepted(&mut fake).await);
    }
    // The last one is answered first.
    for request in requests.iter().rev() {
        stream.result(request, &text(&request["params"]["arguments"]["number"].to_string())).await;
    }
    for call in calls {
        let (number, read) = call.await.expect("no panic").expect("a result");
        assert_eq!(read, number.to_string());
    }
    assert_eq!(client.pending(), 0);
    works(&mut fake, &client, &mut stream).await;
}

#[tokio::test]
async fn a_lost_stream_is_opened_again_without_a_probe_and_the_next_call_goes_where_the_new_one_says() {
    let (mut fake, client, stream) = older(patient()).await;
    let script = async {
        accepted(&mut fake).await;
        drop(stream);
        let get = fake.expect_verb("GET").await;
        let mut stream = get.events().await;
        stream.raw("event: endpoint\ndata: /messages?sessionId=2\n\n").await;
        let initialize = fake.expect("initialize").await;
        assert_eq!(initialize.path, "/messages?sessionId=2");
        let request = initialize.body.clone();
        initialize.status(202).await;
        stream.result(&request, &handshake("2024-11-05")).await;
        fake.expect("notifications/initialized").await.status(202).await;
        let call = fake.expect("tools/call").await;
        assert_eq!(call.path, "/messages?sessionId=2");
        let request = call.body.clone();
        call.status(202).await;
        stream.result(&request, &text("fine")).await;
        stream
    };
    let talk = async {
        let lost = client.call("t", ()).await.expect_err("lost with the stream");
        assert!(matches!(lost, ClientError::Closed(_)), "{lost:?}");
        let fine: String = client.call("t", ()).await.expect("a result").read().expect("a text");
        assert_eq!(fine, "fine");
    };
    let (_stream, ()) = tokio::join!(script, talk);
    assert!(fake.is_idle());
}

#[tokio::test]
async fn a_server_that_forgets_its_streams_gets_a_new_one() {
    let nobody =
        json!({ "jsonrpc": "2.0", "id": null, "error": { "code": -32001, "message": "no session" } });
    for body in ["Session not found", &nobody.to_string()] {
        let (mut fake, client, stream) = older(patient()).await;
        let script = async {
            fake.expect("tools/call").await.answer(404, &[], body).await;
            stream.hung_up().await;
            let mut stream = fake.expect_verb("GET").await.events().await;
            greet(&mut fake, &mut stream, "2024-11-05").await;
            stream
        };
        let (outcome, mut stream) = tokio::join!(client.call("t", ()).into_future(), script);
        match outcome.expect_err("refused") {
            ClientError::Http(answer) => assert_eq!((answer.status, body), (404, "Session not found")),
            ClientError::Rpc { error, .. } => assert_eq!((error.code, body), (-32001, &*nobody.to_string())),
            other => panic!("{other:?}"),
        }
        works(&mut fake, &client, &mut stream).await;
    }
}

#[tokio::test]
async fn b050_a_server_that_drops_every_stream_is_tried_as_often_as_the_policy_says_and_no_more() {
    let (mut fake, client, stream) = older(patient()).await;
    drop(stream);
    for attempt in 0..3 {
        let mut stream = fake.expect_verb("GET").await.events().await;
        if attempt != 1 {
            greet(&mut fake, &mut stream, "2024-11-05").await;
        }
    }
    let error = client.call("t", ()).await.expect_err("given up");
    assert!(error.is_transport(), "{error:?}");
    assert!(fake.is_idle());
}

#[tokio::test]
async fn a_server_that_is_known_is_asked_for_its_stream_at_once_and_anew_when_it_has_become_another() {
    let known = KnownServers::new();
    let mut fake = Fake::start().await;
    let url = fake.url.clone();
    let builder = || newcomer().known_servers(known.clone());
    let script = async {
        let mut stream = stream(&mut fake, 404).await;
        greet(&mut fake, &mut stream, "2024-11-05").await;
        stream
    };
    let (client, stream) = tokio::join!(builder().connect(&url), script);
    client.expect("connected").close().await;
    stream.hung_up().await;

    for era in [EraChoice::Auto, EraChoice::Legacy] {
        let script = async {
            let mut stream = fake.expect_verb("GET").await.events().await;
            greet(&mut fake, &mut stream, "2024-11-05").await;
            stream
        };
        let (client, stream) = tokio::join!(builder().era(era).connect(&url), script);
        client.expect("connected").close().await;
        stream.hung_up().await;
    }

    // A failure that says nothing of the transport is told, and forgets nothing.
    let script = async { fake.expect_verb("GET").await.status(503).await };
    let (client, ()) = tokio::join!(builder().connect(&url), script);
    assert!(matches!(client, Err(ClientError::Http(answer)) if answer.status == 503));

    let script = async {
        fake.expect_verb("GET").await.status(405).await;
        fake.expect("server/discover").await.result(discovered()).await;
    };
    let (client, ()) = tokio::join!(builder().connect(&url), script);
    assert!(client.expect("connected").revision().is_modern());
    assert!(fake.is_idle());
}
