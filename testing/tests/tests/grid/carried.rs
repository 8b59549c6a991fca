//! A server at the other end of each transport, and the bytes between.

use std::error::Error;
use std::process::Stdio;
use std::sync::mpsc::Sender;

use hermes::http::StreamableHttp;
use hermes::socket::Socket;
use hermes::types::Revision;
use hermes_testkit::raw::Target;
use hermes_websocket::tungstenite::client_async;
use hermes_websocket::tungstenite::tungstenite::client::IntoClientRequest as _;
use hermes_websocket::{Manners, Watched, lines};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader, split};
use tokio::net::{TcpStream, UnixStream};
use tokio::process::Command;
use tokio::sync::mpsc::UnboundedReceiver;

use crate::exchanges;
use crate::server::server;
use crate::voice::Carrier;

pub(crate) type Outcome<T = ()> = Result<T, Box<dyn Error>>;

/// Starts a server at the other end, and begins to carry what is said.
pub(crate) async fn begin(
    carrier: Carrier,
    revision: Revision,
    to_say: UnboundedReceiver<String>,
    tell: Sender<String>,
) -> Outcome {
    match carrier {
        Carrier::Memory => {
            let (near, far) = tokio::io::duplex(64 * 1024);
            tokio::spawn(async move {
                let (reader, writer) = split(far);
                server().serve(reader, writer).await
            });
            carry(split(near), to_say, tell);
        }
        Carrier::Stdio => {
            let mut child = Command::new(std::env::current_exe()?)
                .env(crate::AS_SERVER, "1")
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .kill_on_drop(true)
                .spawn()?;
            let (Some(stdout), Some(stdin)) = (child.stdout.take(), child.stdin.take()) else {
                return Err("its standard streams are piped".into());
            };
            carry((stdout, stdin), to_say, tell);
            tokio::spawn(async move { child.wait().await });
        }
        Carrier::Http | Carrier::HttpSse | Carrier::WebSocket => {
            let http = StreamableHttp::new(server()).websockets().http_sse("/sse");
            let bound = http.bind("127.0.0.1:0").await?;
            let (url, address) = (bound.url(), bound.address());
            tokio::spawn(bound.serve(std::future::pending()));
            let target = Target::parse(&url)?;
            match carrier {
                Carrier::Http => exchanges::streamable(target, revision, to_say, tell),
                Carrier::HttpSse => {
                    exchanges::older(target.with_path("/sse"), revision, to_say, tell).await?;
                }
                _ => {
                    let request = format!("ws://{address}/mcp").into_client_request()?;
                    let stream = Watched::new(TcpStream::connect(address).await?);
                    let (socket, _) = client_async(request, stream).await?;
                    let (stream, running) = lines(socket, Manners::new(1 << 26));
                    tokio::spawn(running);
                    carry(split(stream), to_say, tell);
                }
            }
        }
        Carrier::Unix => {
            let name = format!("grid-{}.sock", std::process::id());
            let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
            // The last conversation's server may have gone without taking it along.
            let _ = std::fs::remove_file(&path);
            let socket = Socket::unix(&path).await?;
            tokio::spawn(async move { socket.serve(&server(), std::future::pending()).await });
            carry(split(UnixStream::connect(&path).await?), to_say, tell);
        }
        Carrier::Tcp => {
            let socket = Socket::tcp("127.0.0.1:0").await?;
            let address = socket.address().trim_start_matches("tcp:").to_owned();
            tokio::spawn(async move { socket.serve(&server(), std::future::pending()).await });
            carry(split(TcpStream::connect(address).await?), to_say, tell);
        }
    }
    Ok(())
}

/// Carries lines both ways.
fn carry<R, W>((reader, mut writer): (R, W), mut to_say: UnboundedReceiver<String>, tell: Sender<String>)
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    tokio::spawn(async move {
        while let Some(mut line) = to_say.recv().await {
            line.push('\n');
            if writer.write_all(line.as_bytes()).await.is_err() || writer.flush().await.is_err() {
                return;
            }
        }
    });
    tokio::spawn(async move {
        let mut lines = BufReader::new(reader).lines();
        while let Ok(Some(line)) = lines.next_line().await {
            if tell.send(line).is_err() {
                return;
            }
        }
    });
}
