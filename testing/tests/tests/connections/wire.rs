//! Both transports by hand.

use hermes_websocket::tungstenite::client_async;
use hermes_websocket::tungstenite::tungstenite::client::IntoClientRequest as _;
use hermes_websocket::{Lines, Manners, Watched, lines};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;

use crate::Outcome;

/// The handshake, and the notification that ends it.
pub(crate) const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}"#;
pub(crate) const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

/// The headers of a handshake for a WebSocket; the key is the example of RFC 6455.
pub(crate) const UPGRADE: &str = "Upgrade: websocket";
pub(crate) const CONNECTION: &str = "Connection: keep-alive, Upgrade";
pub(crate) const KEY: &str = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==";
pub(crate) const VERSION: &str = "Sec-WebSocket-Version: 13";
pub(crate) const HANDSHAKE: [&str; 4] = [UPGRADE, CONNECTION, KEY, VERSION];

/// Sends a head, with the name of the host unless another one is given, and reads the head of the answer.
pub(crate) async fn ask(address: &str, line: &str, headers: &[&str]) -> Outcome<(TcpStream, u16, String)> {
    let mut stream = TcpStream::connect(address).await?;
    let has_host = headers.iter().any(|header| header.starts_with("Host:"));
    let host = if has_host { String::new() } else { format!("Host: {address}\r\n") };
    let headers: String = headers.iter().map(|header| format!("{header}\r\n")).collect();
    stream.write_all(format!("{line} HTTP/1.1\r\n{host}{headers}\r\n").as_bytes()).await?;
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await?);
    }
    let head = String::from_utf8(head)?.to_ascii_lowercase();
    let status = head.split(' ').nth(1).ok_or("no status")?.parse()?;
    Ok((stream, status, head))
}

/// A stream of HTTP+SSE: its connection, and where it wants messages.
pub(crate) struct Stream {
    lines: BufReader<TcpStream>,
    pub(crate) place: String,
}

impl Stream {
    pub(crate) async fn open(address: &str) -> Outcome<Self> {
        Self::open_with(address, &[]).await
    }

    pub(crate) async fn open_with(address: &str, headers: &[&str]) -> Outcome<Self> {
        let (stream, status, head) = ask(address, "GET /sse", headers).await?;
        assert_eq!(status, 200, "{head}");
        let mut open = Self { lines: BufReader::new(stream), place: String::new() };
        assert_eq!(open.event("event: ").await?, "endpoint");
        open.place = open.event("data: ").await?;
        Ok(open)
    }

    /// The rest of the next line that begins like this.
    pub(crate) async fn event(&mut self, begins: &str) -> Outcome<String> {
        loop {
            let mut line = String::new();
            if self.lines.read_line(&mut line).await? == 0 {
                return Err("the stream is over".into());
            }
            if let Some(rest) = line.strip_prefix(begins) {
                return Ok(rest.trim_end().to_owned());
            }
        }
    }
}

/// The status and the body of the answer to a POST.
pub(crate) async fn post(address: &str, place: &str, headers: &[&str], body: &str) -> Outcome<(u16, String)> {
    let length = format!("Content-Length: {}", body.len());
    let own = ["Connection: close", "Content-Type: application/json", &length];
    let mut stream = TcpStream::connect(address).await?;
    let has_host = headers.iter().any(|header| header.starts_with("Host:"));
    let host = if has_host { String::new() } else { format!("Host: {address}\r\n") };
    let headers: String = own.iter().chain(headers).map(|header| format!("{header}\r\n")).collect();
    stream.write_all(format!("POST {place} HTTP/1.1\r\n{host}{headers}\r\n{body}").as_bytes()).await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    let status = answer.split(' ').nth(1).ok_or("no status")?.parse()?;
    let body = answer.split_once("\r\n\r\n").map(|(_, body)| body.to_owned()).unwrap_or_default();
    Ok((status, body))
}

/// A WebSocket, spoken to in lines.
pub(crate) struct Wire(BufReader<Lines>);

impl Wire {
    pub(crate) async fn open(address: &str, token: &str) -> Outcome<Self> {
        let mut request = format!("ws://{address}/mcp").into_client_request()?;
        request.headers_mut().insert("authorization", token.parse()?);
        let stream = Watched::new(TcpStream::connect(address).await?);
        let (socket, _) = client_async(request, stream).await?;
        let (lines, running) = lines(socket, Manners::new(1 << 20));
        tokio::spawn(running);
        Ok(Self(BufReader::new(lines)))
    }

    /// The answer to a message.
    pub(crate) async fn ask(&mut self, message: &Value) -> Outcome<Value> {
        self.0.write_all(format!("{message}\n").as_bytes()).await?;
        let mut line = String::new();
        self.0.read_line(&mut line).await?;
        Ok(serde_json::from_str(&line)?)
    }
}
