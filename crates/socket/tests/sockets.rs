//! Clients and servers over sockets.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::sync::Arc;

use hermes_client::{Client, ClientError, EraChoice, Event, Target};
use hermes_server::{Context, Server};
use hermes_socket::{BindError, Socket};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::{Notify, oneshot};
use tokio::task::JoinHandle;

#[derive(schemars::JsonSchema, serde::Deserialize)]
struct NoArguments {}

/// A path for this test alone.
fn path(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_file(&path);
    path
}

fn server() -> Server {
    Server::new("shared", "1").tool("ping", |_: NoArguments, _: Context| async { "pong" })
}

/// Serves until the sender is dropped.
fn serve(socket: Socket, server: Server) -> (oneshot::Sender<()>, JoinHandle<()>) {
    let (stop, stopped) = oneshot::channel::<()>();
    (stop, tokio::spawn(async move { socket.serve(&server, async { drop(stopped.await) }).await }))
}

#[tokio::test]
async fn clients_of_both_eras_share_a_server_over_either_socket() {
    let unix = Socket::unix(path("shared.sock")).await.expect("bound");
    let tcp = Socket::tcp("127.0.0.1:0").await.expect("bound");
    for socket in [unix, tcp] {
        let address = socket.address();
        let (stop, serving) = serve(socket, server());
        let mut clients = Vec::new();
        for era in [EraChoice::Modern, EraChoice::Legacy, EraChoice::Auto] {
            let client = Client::builder().era(era).connect(&address).await.expect("connected");
            let pong: String = client.call("ping", ()).await.expect("called").read().expect("a text");
            assert_eq!(pong, "pong");
            clients.push(client);
        }
        for client in clients {
            assert_eq!(client.close().await, None);
        }
        drop(stop);
        serving.await.expect("served");
        let error = Client::connect(&address).await.expect_err("nobody is there");
        assert!(matches!(&error, ClientError::Unreachable { url, .. } if *url == address), "{error:?}");
    }
}

#[tokio::test]
async fn a_client_finds_a_server_that_was_started_anew() {
    let place = path("anew.sock");
    let (stop, serving) = serve(Socket::unix(&place).await.expect("bound"), server());
    let address = format!("unix:{}", place.display());
    let client = Client::connect(&address).await.expect("connected");
    let mut events = client.events();
    drop(stop);
    serving.await.expect("served");
    assert!(matches!(events.next().await, Some(Event::Lost(_))));
    let (_stop, _serving) = serve(Socket::unix(&place).await.expect("bound"), server());
    let pong: String = client.call("ping", ()).await.expect("called").read().expect("a text");
    assert_eq!(pong, "pong");
}

#[tokio::test]
async fn a_server_that_stops_answers_what_it_has_accepted() {
    let (begun, go_on) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (has_begun, may_go_on) = (Arc::clone(&begun), Arc::clone(&go_on));
    let server = server().tool("slow", move |_: NoArguments, _: Context| {
        let (begun, go_on) = (Arc::clone(&begun), Arc::clone(&go_on));
        async move {
            begun.notify_one();
            go_on.notified().await;
            "done"
        }
    });
    let socket = Socket::tcp("127.0.0.1:0").await.expect("bound");
    let address = socket.address();
    let (stop, serving) = serve(socket, server);
    let client = Client::connect(&address).await.expect("connected");
    let (result, ()) = tokio::join!(async { client.call("slow", ()).await }, async {
        has_begun.notified().await;
        drop(stop);
        may_go_on.notify_one();
    });
    let done: String = result.expect("answered").read().expect("a text");
    assert_eq!(done, "done");
    serving.await.expect("served");
}

#[tokio::test]
async fn the_file_is_for_its_owner_is_replaced_when_dead_and_goes_with_the_server() {
    let place = path("file.sock");
    let socket = Socket::unix(&place).await.expect("bound");
    let mode = fs::metadata(&place).expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let (stop, serving) = serve(socket, server());
    let taken = Socket::unix(&place).await;
    assert!(matches!(taken, Err(BindError::InUse { .. })), "{taken:?}");
    drop(stop);
    serving.await.expect("served");
    assert!(!place.exists());

    // One that was left behind, as by a process that was killed.
    drop(std::os::unix::net::UnixListener::bind(&place).expect("bound"));
    assert!(place.exists());
    let socket = Socket::unix(&place).await.expect("replaced");
    // It is somebody else's by now, and stays.
    fs::remove_file(&place).expect("removed");
    fs::write(&place, "precious").expect("written");
    drop(socket);
    assert_eq!(fs::read_to_string(&place).expect("still there"), "precious");
    let refused = Socket::unix(&place).await;
    assert!(matches!(refused, Err(BindError::NotASocket { .. })), "{refused:?}");
    assert_eq!(fs::read_to_string(&place).expect("still there"), "precious");
    let nowhere = Socket::unix(place.join("deeper.sock")).await;
    assert!(matches!(nowhere, Err(BindError::Io { .. })), "{nowhere:?}");
}

#[tokio::test]
async fn other_machines_do_not_reach_it() {
    let exposed = Socket::tcp("0.0.0.0:0").await;
    assert!(matches!(exposed, Err(BindError::Exposed { .. })), "{exposed:?}");
}

#[tokio::test]
async fn a_page_in_a_browser_cannot_call_anything() {
    let called = Arc::new(Notify::new());
    let witness = Arc::clone(&called);
    let server = server().tool("launch", move |_: NoArguments, _: Context| {
        called.notify_one();
        async { "launched" }
    });
    let socket = Socket::tcp("127.0.0.1:0").await.expect("bound");
    let address = socket.address();
    let (_stop, _serving) = serve(socket, server);
    let mut page = TcpStream::connect(address.trim_start_matches("tcp:")).await.expect("connected");
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"launch"}}"#;
    let post = format!("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n\r\n{call}\n", call.len() + 1);
    page.write_all(post.as_bytes()).await.expect("written");
    let mut answer = Vec::new();
    // It may be cut off in the middle of what it sends.
    let _ = page.read_to_end(&mut answer).await;
    assert_eq!(String::from_utf8_lossy(&answer), "");
    // Others are served as before, and nothing was called.
    let client = Client::connect(Target::from(&address)).await.expect("connected");
    client.call("ping", ()).await.expect("called");
    assert!(tokio::time::timeout(std::time::Duration::ZERO, witness.notified()).await.is_err());
}

#[tokio::test]
async fn beyond_the_limit_connections_wait_for_a_place() {
    let socket = Socket::tcp("127.0.0.1:0").await.expect("bound").max_connections(1);
    let address = socket.address();
    let (_stop, _serving) = serve(socket, server());
    let first = Client::connect(&address).await.expect("connected");
    let second = tokio::spawn(async move { Client::connect(&address).await });
    first.call("ping", ()).await.expect("called");
    assert!(!second.is_finished());
    first.close().await;
    let second = second.await.expect("no panic").expect("connected");
    second.call("ping", ()).await.expect("called");
}
