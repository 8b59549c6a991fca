//! The names of everything that is told, in one table.
//!
//! Spans and attributes are named after OpenTelemetry's conventions for the Model Context Protocol, as far as those go;
//! events begin with `hermes.`.

use tracing::Level;

/// What is told of: the target of every span and event, for log levels by category.
pub mod category {
    /// What clients do.
    pub const CLIENT: &str = "hermes::client";
    /// Single messages, as they are read and written.
    pub const MESSAGE: &str = "hermes::message";
    /// What servers do.
    pub const SERVER: &str = "hermes::server";
    /// Connections, and what goes over them.
    pub const TRANSPORT: &str = "hermes::transport";
}

/// What is said of a span, an event or a measurement.
pub mod attribute {
    /// What was done, such as `list` or `changed`.
    pub const ACTION: &str = "action";
    /// Where it listens, or who is at the other end.
    pub const ADDRESS: &str = "address";
    /// The arguments of a tool. Only if contents are shown.
    pub const ARGUMENTS: &str = "gen_ai.tool.call.arguments";
    /// The number of an attempt, from 1.
    pub const ATTEMPT: &str = "attempt";
    /// The names of the declared capabilities.
    pub const CAPABILITIES: &str = "capabilities";
    /// Who the client says it is.
    pub const CLIENT_NAME: &str = "client.name";
    /// How many there are.
    pub const COUNT: &str = "count";
    /// How far it is; a number of the author's own unit.
    pub const DONE: &str = "done";
    /// How long it took, in seconds.
    pub const DURATION: &str = "duration";
    /// The class of an error: the code of JSON-RPC, `tool_error`, or a word such as `timeout`.
    pub const ERROR: &str = "error.type";
    /// Whether it is the failure of a tool.
    pub const IS_ERROR: &str = "is_error";
    /// What a message is: `request`, `response`, `notification`.
    pub const KIND: &str = "kind";
    /// The method of the protocol.
    pub const METHOD: &str = "mcp.method.name";
    /// `execute_tool`, on calls of tools.
    pub const OPERATION: &str = "gen_ai.operation.name";
    /// What a trace shows the span as; read by the exporter.
    pub const OTEL_NAME: &str = "otel.name";
    /// On which side of the call the span is; read by the exporter.
    pub const OTEL_KIND: &str = "otel.kind";
    /// Whether the span failed; read by the exporter.
    pub const OTEL_STATUS: &str = "otel.status_code";
    /// How many requests had no outcome yet.
    pub const PENDING: &str = "pending_requests";
    /// The name of the prompt.
    pub const PROMPT: &str = "gen_ai.prompt.name";
    /// What is spoken over the network's transport, such as `http` and `websocket`; nothing if messages are all that is.
    pub const PROTOCOL: &str = "network.protocol.name";
    /// Why.
    pub const REASON: &str = "reason";
    /// The id of the request.
    pub const REQUEST_ID: &str = "jsonrpc.request.id";
    /// The resource: at a server the URI or template that it was registered with, at a client without query and user.
    pub const RESOURCE: &str = "mcp.resource.uri";
    /// The result of a tool. Only if contents are shown.
    pub const RESULT: &str = "gen_ai.tool.call.result";
    /// What is spoken.
    pub const REVISION: &str = "mcp.protocol.version";
    /// Where the server is: its host, or the path of its socket.
    pub const SERVER_ADDRESS: &str = "server.address";
    /// The name of the server.
    pub const SERVER_NAME: &str = "server.name";
    /// The port of the server.
    pub const SERVER_PORT: &str = "server.port";
    /// The version of the server.
    pub const SERVER_VERSION: &str = "server.version";
    /// The session: the beginning of its id, as the whole of it is a secret of its client.
    pub const SESSION: &str = "mcp.session.id";
    /// The size, in bytes.
    pub const SIZE: &str = "size";
    /// How it stands: `success`, `tool_error`, `input_required`, `cancelled`.
    pub const STATUS: &str = "status";
    /// The code of a JSON-RPC error.
    pub const STATUS_CODE: &str = "rpc.response.status_code";
    /// The name of the tool.
    pub const TOOL: &str = "gen_ai.tool.name";
    /// Of how much; a number of the author's own unit.
    pub const TOTAL: &str = "total";
    /// What carries the messages: `pipe`, `tcp` (HTTP and WebSockets too), `unix`, or a word of the program's own.
    pub const TRANSPORT: &str = "network.transport";
}

/// What a row of the table is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Something that happens at one moment.
    Event,
    /// A measurement, exported over OTLP.
    Measurement,
    /// Something that takes a while, with a place in a trace.
    Span,
}

/// One thing that is told.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub kind: Kind,
    /// Its category, which is the target that log directives name. Measurements have that of what they measure.
    pub category: &'static str,
    /// From which level on it is told. Measurements are told always.
    pub level: Level,
    /// What it measures: numbers.
    pub measured: &'static [&'static str],
    /// What is said beside.
    pub said: &'static [&'static str],
    /// When it is told.
    pub meaning: &'static str,
}

macro_rules! rows {
    ($($(#[doc = $doc:literal])+ $name:ident = $text:literal, $kind:ident, $category:ident, $level:ident,
        [$($measured:ident),*], [$($said:ident),*];)+) => {
        $($(#[doc = $doc])+ pub const $name: &str = $text;)+

        /// Everything that is told.
        pub const ALL: &[Row] = &[$(Row {
            name: $name,
            kind: Kind::$kind,
            category: category::$category,
            level: Level::$level,
            measured: &[$(attribute::$measured),*],
            said: &[$(attribute::$said),*],
            meaning: concat!($($doc),+),
        },)+];
    };
}

rows! {
    /// A request of a client, from its parameters to its result, with all repetitions and rounds of questions. The handshake
    /// is one too.
    CLIENT_OPERATION = "mcp.client.operation", Span, CLIENT, INFO, [],
        [OTEL_NAME, OTEL_KIND, OTEL_STATUS, METHOD, TOOL, PROMPT, OPERATION, RESOURCE, REVISION, REQUEST_ID,
        SESSION, ERROR, STATUS_CODE, TRANSPORT, SERVER_ADDRESS, SERVER_PORT, ARGUMENTS, RESULT];
    /// What a person has asked the program `hermes` for.
    COMMAND = "hermes.command", Span, CLIENT, INFO, [], [OTEL_KIND];
    /// A client answers what a server asks: sampling, elicitation, roots.
    CLIENT_ANSWER = "mcp.client.answer", Span, CLIENT, INFO, [],
        [OTEL_NAME, OTEL_KIND, OTEL_STATUS, METHOD, REVISION, REQUEST_ID, ERROR];
    /// A server serves one request, from its arrival to its outcome.
    SERVER_OPERATION = "mcp.server.operation", Span, SERVER, INFO, [],
        [OTEL_NAME, OTEL_KIND, OTEL_STATUS, METHOD, TOOL, PROMPT, OPERATION, RESOURCE, REVISION, REQUEST_ID, SESSION,
        ERROR, STATUS_CODE, TRANSPORT, ARGUMENTS, RESULT];
    /// A server asks its client something and waits for the answer; the legacy era only.
    SERVER_QUESTION = "mcp.server.question", Span, SERVER, INFO, [],
        [OTEL_NAME, OTEL_KIND, OTEL_STATUS, METHOD, REVISION, ERROR];

    /// A client has agreed with its server on a revision.
    CLIENT_INIT = "hermes.client.init", Event, CLIENT, DEBUG, [DURATION],
        [CLIENT_NAME, SERVER_NAME, SERVER_VERSION, TRANSPORT, REVISION, CAPABILITIES];
    /// A client has sent a request.
    CLIENT_REQUEST = "hermes.client.request", Event, CLIENT, DEBUG, [], [METHOD, REQUEST_ID];
    /// A client has got a result.
    CLIENT_RESPONSE = "hermes.client.response", Event, CLIENT, DEBUG, [DURATION], [METHOD, REQUEST_ID, STATUS];
    /// A request of a client failed: refused, lost, or not answered in time.
    CLIENT_ERROR = "hermes.client.error", Event, CLIENT, DEBUG, [DURATION], [METHOD, REQUEST_ID, ERROR];
    /// A client has got a notification.
    CLIENT_NOTIFICATION = "hermes.client.notification", Event, CLIENT, DEBUG, [], [METHOD];
    /// A client was asked for its roots, or has told that they changed.
    CLIENT_ROOTS = "hermes.client.roots", Event, CLIENT, DEBUG, [COUNT], [ACTION];
    /// A connection of a client is lost, is tried again, or is there again.
    CLIENT_CONNECTION = "hermes.client.connection", Event, CLIENT, DEBUG, [ATTEMPT], [STATUS, REASON];
    /// A client is at its end.
    CLIENT_TERMINATE = "hermes.client.terminate", Event, CLIENT, DEBUG, [PENDING], [REASON];

    /// A server begins to serve.
    SERVER_INIT = "hermes.server.init", Event, SERVER, DEBUG, [], [SERVER_NAME, SERVER_VERSION, TRANSPORT];
    /// A server has accepted a request.
    SERVER_REQUEST = "hermes.server.request", Event, SERVER, DEBUG, [], [METHOD, REQUEST_ID];
    /// A server has answered with a result, or its client has cancelled.
    SERVER_RESPONSE = "hermes.server.response", Event, SERVER, DEBUG, [DURATION, SIZE], [METHOD, REQUEST_ID, STATUS];
    /// A server has answered with an error of the protocol.
    SERVER_ERROR = "hermes.server.error", Event, SERVER, DEBUG, [DURATION], [METHOD, REQUEST_ID, ERROR, STATUS_CODE];
    /// A server has got a notification.
    SERVER_NOTIFICATION = "hermes.server.notification", Event, SERVER, DEBUG, [], [METHOD];
    /// A tool has run to its outcome.
    SERVER_TOOL_CALL = "hermes.server.tool_call", Event, SERVER, DEBUG, [DURATION], [TOOL, IS_ERROR];
    /// A resource was read.
    SERVER_RESOURCE_READ = "hermes.server.resource_read", Event, SERVER, DEBUG, [DURATION], [RESOURCE, IS_ERROR];
    /// A prompt was filled in.
    SERVER_PROMPT_GET = "hermes.server.prompt_get", Event, SERVER, DEBUG, [DURATION], [PROMPT, IS_ERROR];
    /// A handler tells how far it is.
    SERVER_PROGRESS = "hermes.server.progress.update", Event, SERVER, TRACE, [DONE, TOTAL], [];
    /// A session was opened by its handshake.
    SESSION_CREATED = "hermes.server.session.created", Event, SERVER, DEBUG, [],
        [SESSION, CLIENT_NAME, REVISION];
    /// A session has ended, however.
    SESSION_TERMINATED = "hermes.server.session.terminated", Event, SERVER, DEBUG, [DURATION], [SESSION];
    /// A session is forgotten: it expired, made room for others, or was ended by its client or the server.
    SESSION_CLEANUP = "hermes.server.session.cleanup", Event, SERVER, DEBUG, [], [SESSION, REASON];
    /// A server serves no more.
    SERVER_TERMINATE = "hermes.server.terminate", Event, SERVER, DEBUG, [], [SERVER_NAME, REASON];

    /// A server listens.
    TRANSPORT_INIT = "hermes.transport.init", Event, TRANSPORT, DEBUG, [], [TRANSPORT, ADDRESS];
    /// A connection is there.
    TRANSPORT_CONNECT = "hermes.transport.connect", Event, TRANSPORT, DEBUG, [], [TRANSPORT];
    /// Bytes of messages were written.
    TRANSPORT_SEND = "hermes.transport.send", Event, TRANSPORT, TRACE, [SIZE], [TRANSPORT];
    /// Bytes of messages were read.
    TRANSPORT_RECEIVE = "hermes.transport.receive", Event, TRANSPORT, TRACE, [SIZE], [TRANSPORT];
    /// A connection has ended.
    TRANSPORT_DISCONNECT = "hermes.transport.disconnect", Event, TRANSPORT, DEBUG, [DURATION], [TRANSPORT];
    /// A connection broke, or could not be had.
    TRANSPORT_ERROR = "hermes.transport.error", Event, TRANSPORT, DEBUG, [], [TRANSPORT, ERROR];
    /// A client reads a stream of a session: for the first time, or again after its connection was lost.
    TRANSPORT_STREAM = "hermes.transport.stream", Event, TRANSPORT, DEBUG, [], [SESSION, ACTION];
    /// A server listens no more.
    TRANSPORT_TERMINATE = "hermes.transport.terminate", Event, TRANSPORT, DEBUG, [], [TRANSPORT, ADDRESS];

    /// A message was read for what it is.
    MESSAGE_DECODE = "hermes.message.decode", Event, MESSAGE, TRACE, [], [KIND, METHOD];
    /// A message was made.
    MESSAGE_ENCODE = "hermes.message.encode", Event, MESSAGE, TRACE, [SIZE], [KIND];

    /// How long requests of clients took, in seconds.
    CLIENT_OPERATION_DURATION = "mcp.client.operation.duration", Measurement, CLIENT, INFO, [DURATION],
        [METHOD, TOOL, PROMPT, OPERATION, REVISION, ERROR, STATUS_CODE, TRANSPORT, SERVER_ADDRESS, SERVER_PORT];
    /// How long what clients agreed on with servers lasted, in seconds.
    CLIENT_SESSION_DURATION = "mcp.client.session.duration", Measurement, CLIENT, INFO, [DURATION],
        [REVISION, ERROR, TRANSPORT, SERVER_ADDRESS, SERVER_PORT];
    /// How long servers took for requests, in seconds.
    SERVER_OPERATION_DURATION = "mcp.server.operation.duration", Measurement, SERVER, INFO, [DURATION],
        [METHOD, TOOL, PROMPT, OPERATION, REVISION, ERROR, STATUS_CODE, TRANSPORT];
    /// How long sessions of servers lasted, in seconds.
    SERVER_SESSION_DURATION = "mcp.server.session.duration", Measurement, SERVER, INFO, [DURATION],
        [REVISION, ERROR, TRANSPORT, PROTOCOL];
}

/// The row with this name.
#[must_use]
pub fn row(name: &str) -> Option<&'static Row> {
    ALL.iter().find(|row| row.name == name)
}
