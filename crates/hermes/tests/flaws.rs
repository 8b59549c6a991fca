//! Mistakes of authors are told before anybody is served, all of them at once.

use hermes::http::StreamableHttp;
use hermes::prelude::*;
use hermes::types::{Prompt, Resource, ResourceTemplate};
use hermes::{Completing, Flaws, ServerError};
use schemars::JsonSchema;
use serde::Deserialize;

struct Database;

struct Counter;

/// Counts.
#[hermes::server]
impl Counter {
    /// How many there are.
    #[tool]
    async fn count(&self, _db: State<Database>) -> u64 {
        7
    }
}

/// Whether there is one.
#[tool]
fn is_there(_db: State<Database>, _log: Option<State<String>>) -> bool {
    true
}

#[derive(Deserialize, JsonSchema)]
struct Pattern {
    #[expect(dead_code, reason = "only its schema is wanted")]
    #[schemars(regex(pattern = "("))]
    text: String,
}

#[derive(Deserialize, JsonSchema)]
struct Tone {
    #[expect(dead_code, reason = "only its schema is wanted")]
    loud: bool,
}

#[derive(Deserialize, JsonSchema)]
struct Spoken {
    #[expect(dead_code, reason = "only its schema is wanted")]
    tone: Tone,
    #[expect(dead_code, reason = "only its schema is wanted")]
    times: Option<u8>,
}

fn told(server: &Server) -> Vec<String> {
    server.check().as_ref().err().into_iter().flat_map(Flaws::iter).map(ToString::to_string).collect()
}

#[test]
fn every_mistake_is_told_with_the_component_that_has_it() {
    let server = Server::new("flawed", "1.0.0")
        .tool("two words", |(): (), _: Context| async {})
        .tool("list", |_: Vec<u8>, _: Context| async {})
        .tool("pattern", |_: Pattern, _: Context| async {})
        .prompt(Prompt::new("speak"), |_: Spoken, _: Context| async { "" })
        .resource(Resource::new("motto", "motto"), |_| async { "" })
        .template(ResourceTemplate::new("a://{b}{c}", "pair"), |(): (), _: Context| async { "" })
        .with(
            Component::prompt(Prompt::new("greet"), |(): (), _: Context| async { "" })
                .complete("name", |typed: Completing, _: Context| async move { typed.among(["Ada"]) }),
        )
        .with(is_there);
    let told = told(&server);
    let expected = [
        ("tool \"two words\": ", "clients refuse it"),
        ("tool \"list\": ", "arguments are an object with named members"),
        ("tool \"pattern\": ", "the schema of its arguments cannot be used"),
        ("prompt \"speak\": ", "its argument `tone` is an object, and clients give texts"),
        ("resource \"motto\": ", "a scheme is missing"),
        ("resource template \"a://{b}{c}\": ", "two variables stand side by side"),
        ("prompt \"greet\": ", "it has no argument \"name\""),
        ("tool \"is_there\": ", "flaws::Database: give it one with `Server::state`"),
    ];
    assert_eq!(told.len(), expected.len(), "{told:#?}");
    for (told, (part, what)) in told.iter().zip(expected) {
        assert!(told.starts_with(part) && told.contains(what), "{told}");
    }
}

#[tokio::test]
async fn whoever_serves_a_server_with_mistakes_hears_of_them_and_serves_nobody() {
    let server = Counter.into_server();
    assert_eq!(told(&server).len(), 1);
    let served = server.serve(tokio::io::empty(), tokio::io::sink()).await;
    assert!(
        matches!(&served, Err(ServerError::Flawed(flaws)) if flaws.to_string().contains("tool \"count\": "))
    );
    let bound = StreamableHttp::new(server.clone()).bind("127.0.0.1:0").await;
    let refused = std::error::Error::source(&bound.expect_err("it has a flaw")).map(ToString::to_string);
    assert!(refused.is_some_and(|why| why.contains("tool \"count\": ")));
    // It may be given after everything else.
    assert_eq!(told(&server.state(Database)), [""; 0]);
}

#[tokio::test]
async fn two_things_at_one_path_are_refused_before_the_address_is_taken() {
    let server = || Server::new("paths", "1.0.0");
    let refused = |http: StreamableHttp| async {
        let error = http.bind("127.0.0.1:0").await.map(drop).expect_err("two have one path");
        assert!(!error.is_taken());
        std::error::Error::source(&error).map(ToString::to_string).unwrap_or_default()
    };
    for path in ["/mcp", "mcp/"] {
        assert_eq!(
            refused(StreamableHttp::new(server()).http_sse(path)).await,
            "the endpoint and HTTP+SSE have the same path /mcp: give one of them another, with `path` or `http_sse`"
        );
    }
    let metrics = refused(StreamableHttp::new(server()).path("/metrics").metrics()).await;
    assert!(metrics.contains("have the same path /metrics"), "{metrics}");
    assert!(StreamableHttp::new(server()).http_sse("/sse").metrics().bind("127.0.0.1:0").await.is_ok());
}
