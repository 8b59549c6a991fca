//! Traces and metrics of two processes, as a collector sees them.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::{KeyValue, any_value::Value};
use opentelemetry_proto::tonic::metrics::v1::metric::Data;
use opentelemetry_proto::tonic::trace::v1::{Span, span::SpanKind};
use prost::Message as _;

/// How long a span may take from one process to the collector. A limit for what goes wrong; nothing waits so long.
const PATIENCE: Duration = Duration::from_secs(30);

type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

/// A collector that keeps what it gets.
#[derive(Clone, Default)]
struct Collector(Arc<(Mutex<Kept>, Condvar)>);

#[derive(Default)]
struct Kept {
    spans: Vec<Span>,
    /// The names of metrics, each with what its points say.
    points: Vec<(String, Vec<KeyValue>)>,
}

impl Collector {
    /// Listens until the test is over. Gives its address.
    fn start(&self) -> Outcome<String> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let url = format!("http://{}", listener.local_addr()?);
        let collector = self.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let collector = collector.clone();
                // A connection that breaks has nothing more to say.
                thread::spawn(move || collector.serve(stream).is_ok());
            }
        });
        Ok(url)
    }

    fn serve(&self, stream: TcpStream) -> Outcome {
        let mut writer = stream.try_clone()?;
        let mut reader = BufReader::new(stream);
        loop {
            let mut head = Vec::new();
            loop {
                let mut line = String::new();
                if reader.read_line(&mut line)? == 0 {
                    return Ok(());
                }
                if line == "\r\n" {
                    break;
                }
                head.push(line.trim_end().to_ascii_lowercase());
            }
            let length = head.iter().find_map(|line| line.strip_prefix("content-length: "));
            let mut body = vec![0; length.ok_or("no length")?.parse()?];
            reader.read_exact(&mut body)?;
            self.keep(head.first().ok_or("no request")?, &body)?;
            writer.write_all(
                b"HTTP/1.1 200 OK\r\nContent-Type: application/x-protobuf\r\nContent-Length: 0\r\n\r\n",
            )?;
        }
    }

    fn keep(&self, request: &str, body: &[u8]) -> Outcome {
        let (kept, grown) = &*self.0;
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        if request.starts_with("post /v1/traces ") {
            let request = ExportTraceServiceRequest::decode(body)?;
            let scopes = request.resource_spans.into_iter().flat_map(|resource| resource.scope_spans);
            kept.spans.extend(scopes.flat_map(|scope| scope.spans));
        } else {
            let request = ExportMetricsServiceRequest::decode(body)?;
            let scopes = request.resource_metrics.into_iter().flat_map(|resource| resource.scope_metrics);
            for metric in scopes.flat_map(|scope| scope.metrics) {
                if let Some(Data::Histogram(histogram)) = metric.data {
                    let points =
                        histogram.data_points.into_iter().map(|it| (metric.name.clone(), it.attributes));
                    kept.points.extend(points);
                }
            }
        }
        grown.notify_all();
        Ok(())
    }

    /// Waits until what is looked for has come.
    fn wait<T>(&self, what: &str, find: impl Fn(&Kept) -> Option<T>) -> T {
        let (kept, grown) = &*self.0;
        let kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        let (kept, _) = grown
            .wait_timeout_while(kept, PATIENCE, |kept| find(kept).is_none())
            .unwrap_or_else(PoisonError::into_inner);
        let names: Vec<_> = kept.spans.iter().map(|span| &span.name).collect();
        find(&kept).unwrap_or_else(|| panic!("{what} has not come; spans: {names:?}"))
    }

    /// Waits for a span of this trace.
    fn span(&self, trace: &str, name: &str, kind: SpanKind) -> Span {
        self.wait(&format!("{kind:?} {name} of {trace}"), |kept| {
            let mut spans = kept.spans.iter();
            spans.find(|it| hex(&it.trace_id) == trace && it.name == name && it.kind == kind as i32).cloned()
        })
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn said<'a>(attributes: &'a [KeyValue], key: &str) -> Option<&'a str> {
    let value = attributes.iter().find(|it| it.key == key)?.value.as_ref()?.value.as_ref()?;
    match value {
        Value::StringValue(text) => Some(text),
        _ => None,
    }
}

/// The demo server, ended with the test.
struct Demo {
    child: Child,
    url: String,
    /// Open as long as the server, which still writes to it.
    _output: BufReader<ChildStdout>,
}

impl Demo {
    fn start(collector: &str) -> Outcome<Self> {
        let mut command = hermes();
        command.args(["demo", "--http", "127.0.0.1:0", "--otlp", collector]);
        command.env("OTEL_BSP_SCHEDULE_DELAY", "50").env("OTEL_METRIC_EXPORT_INTERVAL", "100");
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let stdout = child.stdout.take().ok_or("no output")?;
        let (mut line, mut output) = (String::new(), BufReader::new(stdout));
        output.read_line(&mut line)?;
        let url = line.trim().strip_prefix("The demo server listens on ").ok_or("no address")?.to_owned();
        Ok(Self { child, url, _output: output })
    }
}

impl Drop for Demo {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn hermes() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hermes"));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("OTEL_") {
            command.env_remove(name);
        }
    }
    // A proxy of this machine's is not to be asked for the collector.
    command.env("NO_PROXY", "127.0.0.1");
    command
}

/// Has the client call a tool, as part of this trace.
fn call(demo: &Demo, collector: &str, trace: &str, era: &str, words: &[&str]) -> Outcome<String> {
    let output = hermes()
        .args(["call", &demo.url])
        .args(words)
        .args(["--era", era])
        .env("OTEL_EXPORTER_OTLP_ENDPOINT", collector)
        .env("TRACEPARENT", format!("00-{trace}-00f067aa0ba902b7-01"))
        .output()?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8(output.stdout)?)
}

#[test]
fn a_call_is_one_trace_across_processes_in_both_eras() -> Outcome {
    let collector = Collector::default();
    let url = collector.start()?;
    let demo = Demo::start(&url)?;
    for (era, trace) in
        [("legacy", "0af7651916cd43dd8448eb211c803190"), ("modern", "0af7651916cd43dd8448eb211c803191")]
    {
        call(&demo, &url, trace, era, &["add", "a:=2", "b:=3"])?;
        let command = collector.span(trace, "hermes.command", SpanKind::Internal);
        let client = collector.span(trace, "tools/call add", SpanKind::Client);
        let server = collector.span(trace, "tools/call add", SpanKind::Server);
        assert_eq!(hex(&command.parent_span_id), "00f067aa0ba902b7");
        assert_eq!(client.parent_span_id, command.span_id, "{era}");
        assert_eq!(server.parent_span_id, client.span_id, "{era}");
        for span in [&client, &server] {
            assert_eq!(said(&span.attributes, "mcp.method.name"), Some("tools/call"));
            assert_eq!(said(&span.attributes, "gen_ai.tool.name"), Some("add"));
            assert_eq!(said(&span.attributes, "gen_ai.operation.name"), Some("execute_tool"));
            assert_eq!(said(&span.attributes, "gen_ai.tool.call.arguments"), None);
        }
        assert_eq!(said(&client.attributes, "server.address"), Some("127.0.0.1"));
        let sessions = [&client, &server].map(|span| said(&span.attributes, "mcp.session.id"));
        assert_eq!(sessions[0], sessions[1], "both tell the same beginning of the id");
        assert_eq!(sessions[0].is_some(), era == "legacy");
        let handshake = if era == "legacy" { "initialize" } else { "server/discover" };
        let asked = collector.span(trace, handshake, SpanKind::Client);
        let answered = collector.span(trace, handshake, SpanKind::Server);
        assert_eq!(
            (&asked.parent_span_id, &answered.parent_span_id),
            (&command.span_id, &asked.span_id),
            "{era}"
        );
    }
    for name in ["mcp.server.session.duration", "mcp.client.session.duration"] {
        let said_of = collector.wait(name, |kept| {
            let mut points = kept.points.iter().filter(|(known, _)| known == name);
            points
                .find(|(_, said_of)| said(said_of, "mcp.protocol.version") == Some("2025-11-25"))
                .map(|(_, said_of)| said_of.clone())
        });
        assert_eq!(said(&said_of, "network.transport"), Some("tcp"), "{name}");
        assert_eq!(said(&said_of, "error.type"), None, "{name}: the client has ended it");
        let protocol = if name.contains("server") { Some("http") } else { None };
        assert_eq!(said(&said_of, "network.protocol.name"), protocol, "{name}");
    }
    for name in ["mcp.server.operation.duration", "mcp.client.operation.duration"] {
        collector.wait(name, |kept| {
            kept.points
                .iter()
                .any(|(known, said_of)| known == name && said(said_of, "gen_ai.tool.name") == Some("add"))
                .then_some(())
        });
    }
    Ok(())
}

#[test]
fn a_question_and_its_answer_belong_to_the_trace_of_the_call() -> Outcome {
    let collector = Collector::default();
    let url = collector.start()?;
    let demo = Demo::start(&url)?;
    let words = ["ask", "message=Who?", "--answer", "name=Ada"];

    let trace = "0af7651916cd43dd8448eb211c803192";
    call(&demo, &url, trace, "legacy", &words)?;
    let server = collector.span(trace, "tools/call ask", SpanKind::Server);
    let question = collector.span(trace, "elicitation/create", SpanKind::Client);
    let answer = collector.span(trace, "elicitation/create", SpanKind::Server);
    assert_eq!(question.parent_span_id, server.span_id, "the server asks within its call");
    assert_eq!(answer.parent_span_id, question.span_id, "the client answers what the server asked");

    let trace = "0af7651916cd43dd8448eb211c803193";
    call(&demo, &url, trace, "modern", &words)?;
    let client = collector.span(trace, "tools/call ask", SpanKind::Client);
    let answer = collector.span(trace, "elicitation/create", SpanKind::Server);
    assert_eq!(answer.parent_span_id, client.span_id, "the client answers within its own call");
    Ok(())
}

#[test]
fn a_header_says_where_a_request_stands_whose_meta_does_not() -> Outcome {
    let collector = Collector::default();
    let url = collector.start()?;
    let demo = Demo::start(&url)?;
    let address = demo.url.trim_start_matches("http://").trim_end_matches("/mcp");
    let post = |header: &str, meta: &str| -> Outcome<String> {
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"add","arguments":{{"a":1,"b":2}},"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{}}{meta}}}}}}}"#
        );
        let mut stream = TcpStream::connect(address)?;
        write!(
            stream,
            "POST /mcp HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nContent-Type: application/json\r\nAccept: application/json\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: add\r\n{header}Content-Length: {}\r\n\r\n{body}",
            body.len()
        )?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        Ok(answer)
    };
    let header = "traceparent: 00-0af7651916cd43dd8448eb211c803194-00f067aa0ba902b7-01\r\n";
    assert!(post(header, "")?.contains(r#""sum":3"#));
    let span = collector.span("0af7651916cd43dd8448eb211c803194", "tools/call add", SpanKind::Server);
    assert_eq!(hex(&span.parent_span_id), "00f067aa0ba902b7");

    let meta = r#","traceparent":"00-0af7651916cd43dd8448eb211c803195-00f067aa0ba902b8-01""#;
    assert!(post(header, meta)?.contains(r#""sum":3"#));
    let span = collector.span("0af7651916cd43dd8448eb211c803195", "tools/call add", SpanKind::Server);
    assert_eq!(hex(&span.parent_span_id), "00f067aa0ba902b8", "what the message says counts more");
    Ok(())
}
