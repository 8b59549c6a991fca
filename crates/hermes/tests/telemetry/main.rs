//! What servers and clients tell of themselves, and what they never tell.

mod seen;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use hermes::http::StreamableHttp;
use hermes::prelude::*;
use hermes::socket::Socket;
use hermes::telemetry::names::{self, Kind, attribute};
use hermes::telemetry::{client as told, contents};
use hermes::types::{ElicitResult, LoggingLevel, Method, Prompt, ResourceTemplate, Root};
use hermes::{EraChoice, Event, Restart, Target};
use schemars::JsonSchema;
use seen::{Seen, Told};
use serde::Deserialize;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

/// What must be told to nobody, each where it is said.
const SECRETS: [&str; 9] = [
    "secret-of-a-header",
    "secret-of-an-argument",
    "secret-of-a-result",
    "secret-of-a-failure",
    "secret-of-a-query",
    "secret-of-an-address",
    "secret-of-an-answer",
    "secret-of-a-remark",
    "secret-of-a-prompt",
];
const HEADER: &str = SECRETS[0];
const ARGUMENT: &str = SECRETS[1];
const RESULT: &str = SECRETS[2];
const FAILURE: &str = SECRETS[3];
const QUERY: &str = SECRETS[4];
const ADDRESS: &str = SECRETS[5];
const ANSWER: &str = SECRETS[6];
const REMARK: &str = SECRETS[7];
const PROMPT: &str = SECRETS[8];

#[derive(Deserialize, JsonSchema)]
struct Text {
    text: String,
}

#[derive(Deserialize, JsonSchema)]
struct Name {
    #[expect(dead_code, reason = "what is answered is nobody's business here")]
    name: String,
}

fn server() -> Server {
    Server::new("vault", "1.0.0")
        .tool("echo", |args: Text, ctx: Context| async move {
            ctx.progress(1.0, Some(2.0), Some(REMARK));
            ctx.log(LoggingLevel::Info, REMARK);
            format!("{RESULT} for {}", args.text)
        })
        .tool("fail", |_: Text, _: Context| async { Err::<String, _>(ToolError::new(FAILURE)) })
        .tool("ask", |(): (), ctx: Context| async move {
            ctx.elicit::<Name>("Who are you?").await?;
            ctx.roots().await?;
            Ok::<_, ToolError>(RESULT)
        })
        .template(
            ResourceTemplate::new("vault://{+path}", "vault"),
            |_: BTreeMap<String, String>, _: Context| async { RESULT.to_owned() },
        )
        .prompt(Prompt::new("greet"), |args: Text, _: Context| async move { args.text })
}

async fn client(url: &str, era: EraChoice) -> Outcome<Client> {
    let builder = Client::builder()
        .era(era)
        .on_elicit(async |_| Ok(ElicitResult::accept(RawJson::encode(&json!({ "name": ANSWER }))?)))
        .on_roots(async || Ok(vec![Root::new("file:///srv")]));
    let target =
        Target::from(format!("{url}?key={ADDRESS}")).header("Authorization", format!("Bearer {HEADER}"));
    Ok(builder.connect(target).await?)
}

/// Everything that can be said, once in each era.
async fn converse(url: &str) -> Outcome {
    for era in [EraChoice::Legacy, EraChoice::Modern] {
        let client = client(url, era).await?;
        client.call("echo", json!({ "text": ARGUMENT })).on_progress(|_| {}).await?;
        let failed = client.call("fail", json!({ "text": ARGUMENT })).await?;
        assert!(failed.is_error());
        client.call("ask", ()).await?;
        client.read(format!("vault://item?token={QUERY}")).await?;
        client.prompt("greet", &BTreeMap::from([("text".to_owned(), PROMPT.to_owned())])).await?;
        client.call("nobody", ()).await.expect_err("there is no such tool");
        client.roots_changed()?;
        client.close().await;
    }
    Ok(())
}

/// A connection that is lost.
async fn lose() -> Outcome {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = format!("tcp:{}", listener.local_addr()?);
    let serving = tokio::spawn(async move {
        if let Ok((stream, _)) = listener.accept().await {
            let (reader, writer) = stream.into_split();
            // It is cut off in the middle.
            let _ = server().serve(reader, writer).await;
        }
    });
    let client = Client::builder().restart(Restart::default().attempts(1)).connect(&*address).await?;
    let mut events = client.events();
    serving.abort();
    assert!(matches!(events.next().await, Some(Event::Lost(_))));
    client.close().await;
    Ok(())
}

/// A server on a socket of this machine, and its client.
async fn meet() -> Outcome {
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("told.sock");
    let socket = Socket::unix(&path).await?;
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let serving = tokio::spawn(async move { socket.serve(&server(), async { drop(stopped.await) }).await });
    let client = Client::connect(format!("unix:{}", path.display())).await?;
    client.call("echo", json!({ "text": ARGUMENT })).await?;
    client.close().await;
    drop(stop);
    serving.await?;
    Ok(())
}

/// Something that is no HTTP. Gives what is answered.
async fn talk(address: &str, request: &str) -> Outcome<String> {
    let mut stream = TcpStream::connect(address).await?;
    stream.write_all(request.as_bytes()).await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    Ok(answer)
}

/// What was told in the whole conversation, and what the server has counted.
struct Conversation {
    told: Vec<Told>,
    metrics: String,
    /// What is told when contents are shown.
    shown: Vec<Told>,
}

static CONVERSATION: LazyLock<Conversation> = LazyLock::new(|| {
    let seen = Seen::begin();
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let (told, metrics, shown) = runtime.block_on(hold(&seen)).expect("a conversation");
    Conversation { told, metrics, shown }
});

async fn hold(seen: &Seen) -> Outcome<(Vec<Told>, String, Vec<Told>)> {
    let bound = StreamableHttp::new(server()).metrics().bind("127.0.0.1:0").await?;
    let (url, address) = (bound.url(), bound.address().to_string());
    let (end, ended) = tokio::sync::oneshot::channel::<()>();
    let serving = tokio::spawn(bound.serve(async {
        // Either way it is over.
        let _ = ended.await;
    }));
    converse(&url).await?;
    lose().await?;
    meet().await?;
    talk(&address, "\u{1}\r\n\r\n").await?;
    drop(told::command());
    let request = format!("GET /metrics HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    let metrics = talk(&address, &request).await?;
    seen.wait(names::TRANSPORT_ERROR, "", 1);
    // Both ends of the socket.
    seen.wait(names::TRANSPORT_DISCONNECT, "unix", 2);
    let hidden = seen.all();

    contents::show(true);
    let client = client(&url, EraChoice::Modern).await?;
    client.call("echo", json!({ "text": ARGUMENT })).await?;
    client.close().await;
    contents::show(false);
    let all = seen.all();

    drop(end);
    serving.await?;
    let told = seen.all();
    // The end of the server is told last, and belongs to what is compared with the table.
    let (shown, last) = (all.get(hidden.len()..), told.get(all.len()..));
    let mut hidden = hidden;
    hidden.extend(last.into_iter().flatten().cloned());
    Ok((hidden, metrics, shown.map(<[Told]>::to_vec).unwrap_or_default()))
}

fn is_ours(told: &Told) -> bool {
    told.target.starts_with("hermes::")
}

#[test]
fn every_row_of_the_table_is_told_with_just_what_it_promises() {
    for row in names::ALL.iter().filter(|row| row.kind != Kind::Measurement) {
        let told = CONVERSATION.told.iter().find(|told| told.name == row.name);
        let told = told.unwrap_or_else(|| panic!("{} was not told", row.name));
        let promised: BTreeSet<&str> = row.measured.iter().chain(row.said).copied().collect();
        assert_eq!(told.members, promised, "{}", row.name);
        assert_eq!((told.target, told.level), (row.category, row.level), "{}", row.name);
        assert_eq!(told.is_span, row.kind == Kind::Span, "{}", row.name);
    }
}

#[test]
fn nothing_is_told_in_our_categories_that_the_table_lacks() {
    let ours: BTreeSet<&str> =
        CONVERSATION.told.iter().filter(|told| is_ours(told)).map(|told| told.name).collect();
    assert!(ours.len() > 30, "{ours:?}");
    for name in ours {
        assert!(names::row(name).is_some(), "{name} is told, and is not in the table");
    }
}

#[test]
fn no_secret_is_told_anywhere() {
    let ours = CONVERSATION.told.iter().filter(|told| told.target.starts_with("hermes"));
    for told in ours {
        for (value, secret) in told.values.iter().flat_map(|value| SECRETS.map(|secret| (value, secret))) {
            assert!(!value.contains(secret), "{} of {} tells {value}", told.name, told.target);
        }
    }
}

/// What is said under this name by everything that is told by another.
fn said(told: &str, member: &str) -> Vec<&'static str> {
    let all = CONVERSATION.told.iter().filter(|one| one.name == told).flat_map(|one| &one.values);
    all.filter_map(|value| value.strip_prefix(member)?.strip_prefix('=')).collect()
}

#[test]
fn an_operation_of_a_client_says_where_its_server_is_and_in_which_session() {
    let addresses = said(names::CLIENT_OPERATION, attribute::SERVER_ADDRESS);
    assert!(addresses.contains(&"\"127.0.0.1\""), "{addresses:?}");
    assert!(addresses.iter().any(|address| address.ends_with("told.sock\"")), "{addresses:?}");
    assert!(
        said(names::CLIENT_OPERATION, attribute::SERVER_PORT).iter().all(|port| port.parse::<u16>().is_ok())
    );
    let transports = said(names::CLIENT_OPERATION, attribute::TRANSPORT);
    assert!(transports.contains(&"\"unix\"") && transports.contains(&"\"tcp\""), "{transports:?}");
    let here = said(names::CLIENT_OPERATION, attribute::SESSION);
    let there = said(names::SERVER_OPERATION, attribute::SESSION);
    assert!(!here.is_empty() && here.iter().all(|session| there.contains(session)), "{here:?} {there:?}");
    // Eight digits, and the marks around them.
    assert!(here.iter().all(|session| session.len() == 10), "{here:?}");
}

#[test]
fn the_handshake_is_an_operation_of_both_sides() {
    for span in [names::CLIENT_OPERATION, names::SERVER_OPERATION] {
        let methods = said(span, attribute::METHOD);
        for method in ["\"initialize\"", "\"server/discover\""] {
            assert!(methods.contains(&method), "{span}: {methods:?}");
        }
    }
}

#[test]
fn both_ends_of_a_socket_tell_of_the_connection() {
    let over =
        |name: &str| said(name, attribute::TRANSPORT).iter().filter(|over| **over == "\"unix\"").count();
    for (name, times) in [
        (names::TRANSPORT_INIT, 1),
        (names::TRANSPORT_CONNECT, 2),
        (names::TRANSPORT_DISCONNECT, 2),
        (names::TRANSPORT_TERMINATE, 1),
    ] {
        assert_eq!(over(name), times, "{name}");
    }
    for name in [names::TRANSPORT_SEND, names::TRANSPORT_RECEIVE] {
        assert!(over(name) > 1, "{name}");
    }
}

#[test]
fn arguments_and_results_are_shown_to_whoever_wants_to_see_them() {
    for (member, text) in [(attribute::ARGUMENTS, ARGUMENT), (attribute::RESULT, RESULT)] {
        for span in [names::CLIENT_OPERATION, names::SERVER_OPERATION] {
            let is_told = CONVERSATION.shown.iter().filter(|told| told.name == span).any(|told| {
                told.values.iter().any(|value| value.starts_with(member) && value.contains(text))
            });
            assert!(is_told, "{span} does not tell {member}");
        }
    }
}

/// The names of metrics in a text.
fn metrics_in(text: &str) -> BTreeSet<&str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .filter(|word| word.starts_with("hermes_"))
        .collect()
}

#[test]
fn the_dashboard_and_the_alerts_name_only_metrics_that_there_are() {
    let there: BTreeSet<&str> = CONVERSATION
        .metrics
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split(['{', ' ']).next())
        .collect();
    let dashboard = include_str!("dashboard.json");
    let alerts = include_str!("alerts.yml");
    let parsed: serde_json::Value = serde_json::from_str(dashboard).expect("JSON");
    assert!(parsed["panels"].as_array().is_some_and(|panels| panels.len() > 5));
    for (file, text) in [("hermes.json", dashboard), ("alerts.yml", alerts)] {
        let named = metrics_in(text);
        assert!(named.len() > 5, "{file}: {named:?}");
        for name in named {
            assert!(there.contains(name), "{file} names {name}, which no server shows");
        }
    }
}

#[test]
fn labels_of_metrics_are_methods_and_tools_that_there_are() {
    let lines = CONVERSATION.metrics.lines().filter(|line| line.starts_with("hermes_operations_total{"));
    let mut tools = BTreeSet::new();
    for line in lines {
        let label = |name: &str| line.split(&format!("{name}=\"")).nth(1)?.split('"').next();
        let method = label("method").expect("a method");
        assert!(Method::parse(method).is_some(), "{line}");
        tools.extend(label("tool").filter(|tool| !tool.is_empty()));
    }
    assert_eq!(tools, BTreeSet::from(["ask", "echo", "fail"]));
}
