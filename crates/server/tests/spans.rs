//! What observers of the crate `tracing` see of a request.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use hermes_server::{Context, Server};
use hermes_types::RawJson;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// Notes each span with its fields, and each event with the span that it happened in.
#[derive(Clone, Default)]
struct Notes(Arc<Mutex<Inner>>);

#[derive(Default)]
struct Inner {
    spans: Vec<String>,
    entered: Vec<u64>,
    events: Vec<(Option<u64>, String)>,
}

struct Words(String);

impl Visit for Words {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.0.push_str(&format!(" {}={value:?}", field.name()));
    }
}

impl Notes {
    fn with<T>(&self, look: impl FnOnce(&mut Inner) -> T) -> T {
        look(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Subscriber for Notes {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_span() || metadata.target() == "the handler"
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut words = Words(span.metadata().name().to_owned());
        span.record(&mut words);
        self.with(|notes| {
            notes.spans.push(words.0);
            Id::from_u64(notes.spans.len() as u64)
        })
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut words = Words(String::new());
        event.record(&mut words);
        self.with(|notes| notes.events.push((notes.entered.last().copied(), words.0)));
    }

    fn enter(&self, span: &Id) {
        self.with(|notes| notes.entered.push(span.into_u64()));
    }

    fn exit(&self, _: &Id) {
        self.with(|notes| notes.entered.pop());
    }
}

#[tokio::test]
async fn a_request_runs_in_a_span_that_names_it() {
    let notes = Notes::default();
    let _noting = tracing::subscriber::set_default(notes.clone());

    let server = Server::new("test", "1").raw_tool("secret", |_: RawJson, _: Context| async {
        tracing::info!(target: "the handler", "at work");
        "done"
    });
    let (near, far) = tokio::io::duplex(64 * 1024);
    let (reader, writer) = tokio::io::split(far);
    let request = concat!(
        r#"{"jsonrpc":"2.0","id":"seven","method":"tools/call","params":{"name":"secret","arguments":{"key":"k"},"#,
        r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","#,
        r#""io.modelcontextprotocol/clientCapabilities":{}}}}"#,
        "\n"
    );
    let (mut answers, mut requests) = tokio::io::split(near);
    let ask = async {
        requests.write_all(request.as_bytes()).await.expect("written");
        requests.shutdown().await.expect("closed");
        let mut said = String::new();
        answers.read_to_string(&mut said).await.expect("answered");
        said
    };
    let (said, served) = tokio::join!(ask, server.serve(reader, writer));
    served.expect("served");
    assert!(said.contains("done"), "{said}");

    // Nothing of the arguments is in it.
    notes.with(|notes| {
        assert_eq!(
            notes.spans,
            [concat!(
                r#"mcp.server.operation otel.name="tools/call" otel.kind="server" mcp.method.name="tools/call" "#,
                r#"mcp.protocol.version="2026-07-28" jsonrpc.request.id="seven" network.transport="pipe""#,
            )]
        );
        assert_eq!(notes.events, [(Some(1), " message=at work".to_owned())]);
    });
}
