//! The demo server over HTTP, and what is said about it when it starts.

use std::fs::{self, Permissions};
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::Duration;

use hermes::http::{Bound, ServeError, StreamableHttp};
use hermes::settings::{Key, Settings, SettingsError};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::serve::server;
use crate::args::Serving;
use crate::exit::{Exit, Failure, Result, chain};
use crate::output::{note, print, say};
use crate::render::{Screen, style};

/// Where the server listens when nobody says otherwise.
const USUAL: &str = "127.0.0.1:8000";

/// Others than the owner of a file.
const OTHERS: u32 = 0o077;

/// How long the server waits for itself.
const PATIENCE: Duration = Duration::from_secs(5);

/// Serves over HTTP until it is interrupted or told to end.
///
/// # Errors
/// The address cannot be had, or the server does not answer itself.
pub(crate) async fn listen(address: Option<String>, serving: Serving) -> Result<Exit> {
    let settings = gather(address, serving).map_err(|error| refused(&error))?;
    if let Some(path) = settings.store() {
        guard(path);
    }
    let http = settings.http(server()).await.map_err(|error| refused(&error))?;
    let http = http.websockets().http_sse("/sse");

    // Before anybody can call: a signal must not find the program unprepared.
    let end = end()?;
    let (bound, moved) = bind(http, settings.address()).await?;
    let (address, url) = (bound.address(), bound.url());
    let serving = tokio::spawn(bound.serve(end));
    let sum = tokio::time::timeout(PATIENCE, call_itself(address)).await;
    let sum = sum.map_err(|_| Failure::new(Exit::Unreachable, format!("{url} does not answer")))??;
    print(&introduction(&url, moved, sum))?;
    serving.await.map_err(|error| Failure::new(Exit::Unreachable, chain(&error)))?;
    Ok(Exit::Ok)
}

/// Flags before the environment, and that before the file.
fn gather(address: Option<String>, serving: Serving) -> Result<Settings, SettingsError> {
    let flags = match address {
        Some(address) => serving.flags.set(Key::Http, &address)?,
        None => serving.flags,
    };
    Ok(flags.or(Settings::load(serving.file.as_deref())?))
}

fn refused(error: &SettingsError) -> Failure {
    Failure::usage(chain(error))
}

/// What clients have told is for the owner of the file alone. One that is new is so by itself; one that was made empty before
/// becomes so, and of one that somebody has opened to others on purpose that is said.
fn guard(path: &Path) {
    // One that is not there, or that cannot be looked at, is told of where it is opened.
    let Ok(there) = fs::metadata(path) else { return };
    let mode = there.permissions().mode();
    if !there.is_file() || mode & OTHERS == 0 {
        return;
    }
    let closed = Permissions::from_mode(mode & 0o7777 & !OTHERS);
    if there.len() > 0 || fs::set_permissions(path, closed).is_err() {
        let text = format!("{} is open to other users (mode {:o})", path.display(), mode & 0o777);
        note("warning", style::WARNING, &format!("{text}; sessions in it are secrets of their clients"));
    }
}

/// Takes the address that was named, or the usual one, or any when that one is taken. Says whether it had to move.
async fn bind(http: StreamableHttp, address: Option<&str>) -> Result<(Bound, bool)> {
    let cannot = |error: ServeError| {
        let failure = Failure::new(Exit::Unreachable, chain(&error));
        failure.with_hint(error.is_taken().then(|| "port 0 takes any that is free".to_owned()))
    };
    let Some(address) = address else {
        return match http.clone().bind(USUAL).await {
            Ok(bound) => Ok((bound, false)),
            Err(error) if error.is_taken() => Ok((http.bind("127.0.0.1:0").await.map_err(cannot)?, true)),
            Err(error) => Err(cannot(error)),
        };
    };
    Ok((http.bind(address).await.map_err(cannot)?, false))
}

/// Calls a tool of the server over its own socket, in the modern era, which leaves no session behind.
async fn call_itself(mut address: SocketAddr) -> Result<i64> {
    if address.ip().is_unspecified() {
        let loopback = match address {
            SocketAddr::V4(_) => std::net::Ipv4Addr::LOCALHOST.into(),
            SocketAddr::V6(_) => std::net::Ipv6Addr::LOCALHOST.into(),
        };
        address.set_ip(loopback);
    }
    let body = serde_json::json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {
            "name": "add", "arguments": { "a": 2, "b": 3 },
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {},
            },
        },
    })
    .to_string();
    let request = format!(
        "POST /mcp HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\n\
         Mcp-Method: tools/call\r\nMcp-Name: add\r\nContent-Length: {}\r\n\r\n{body}",
        body.len(),
    );
    let broken = |error: std::io::Error| Failure::new(Exit::Unreachable, chain(&error));
    let mut stream = TcpStream::connect(address).await.map_err(broken)?;
    stream.write_all(request.as_bytes()).await.map_err(broken)?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.map_err(broken)?;
    let sum = answer.split_once("\r\n\r\n").and_then(|(_, body)| {
        let body: serde_json::Value = serde_json::from_str(body).ok()?;
        body["result"]["structuredContent"]["sum"].as_i64()
    });
    sum.ok_or_else(|| Failure::new(Exit::Protocol, format!("the server answered itself with: {answer}")))
}

/// What a person reads who starts the server.
fn introduction(url: &str, moved: bool, sum: i64) -> String {
    let screen = Screen::stdout();
    let name = |text: &str| screen.paint(style::NAME, text);
    let faint = |text: &str| screen.paint(style::FAINT, text);
    let moved = if moved { format!("{USUAL} is taken, so this is another port.\n") } else { String::new() };
    let data = r#"{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;
    format!(
        "The demo server listens on {url}
{moved}It speaks 2026-07-28 and, with a handshake, 2025-11-25, 2025-06-18, 2025-03-26 and 2024-11-05.
It has called itself: add a:=2 b:=3 gives {sum}.

{}
  {{ \"mcpServers\": {{ \"hermes-demo\": {{ \"type\": \"http\", \"url\": \"{url}\" }} }} }}
{}
  {{ \"servers\": {{ \"hermes-demo\": {{ \"type\": \"http\", \"url\": \"{url}\" }} }} }}
{}
  {}
{}
  curl {url} -H 'Content-Type: application/json' -H 'MCP-Protocol-Version: 2026-07-28' \\
    -H 'Mcp-Method: server/discover' -d '{data}'

Ctrl-C ends it.
",
        faint("For hosts that read .mcp.json (Claude Code, Cursor and others):"),
        faint("For VS Code, in .vscode/mcp.json:"),
        faint("Call a tool:"),
        name(&format!("hermes call {url} add a:=2 b:=3")),
        faint("The same by hand:"),
    )
}

/// Ready when the program is interrupted or told to end.
pub(super) fn end() -> Result<impl Future<Output = ()>> {
    #[cfg(unix)]
    let mut told = {
        use tokio::signal::unix::{SignalKind, signal};
        let cannot = |error: std::io::Error| Failure::usage(format!("the program cannot start: {error}"));
        [signal(SignalKind::terminate()).map_err(cannot)?, signal(SignalKind::hangup()).map_err(cannot)?]
    };
    Ok(async move {
        #[cfg(unix)]
        let told = async {
            let [terminate, hang_up] = &mut told;
            tokio::select! {
                _ = terminate.recv() => {}
                _ = hang_up.recv() => {}
            }
        };
        #[cfg(not(unix))]
        let told = std::future::pending::<()>();
        tokio::select! {
            () = told => {}
            _ = tokio::signal::ctrl_c() => {}
        }
        say("ending: what runs may finish");
    })
}
