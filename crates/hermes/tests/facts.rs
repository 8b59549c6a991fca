//! What handlers know of the connection that carries their calls, over every transport that has one.

use std::error::Error;
use std::net::SocketAddr;

use hermes::EraChoice;
use hermes::http::StreamableHttp;
use hermes::prelude::*;
use hermes::socket::Socket;
use tokio::sync::oneshot;

type Outcome = Result<(), Box<dyn Error>>;

/// The query that the connection was opened with, and whether it came from this machine.
#[tool]
fn whence(http: Option<Http>, peer: Peer) -> String {
    let query = http.and_then(|head| head.uri.query().map(str::to_owned));
    format!("{} {}", query.as_deref().unwrap_or("none"), peer.0.ip().is_loopback())
}

#[tool]
fn port(peer: Option<Peer>) -> u16 {
    peer.map_or(0, |peer| peer.0.port())
}

fn server() -> Server {
    Server::new("facts", "1.0.0").with(whence).with(port)
}

#[tokio::test]
async fn the_request_that_opened_a_connection_is_known_to_all_its_calls() -> Outcome {
    let http = StreamableHttp::new(server()).websockets().http_sse("/sse");
    let bound = http.bind("127.0.0.1:0").await?;
    let address: SocketAddr = bound.address();
    let (stop, stopped) = oneshot::channel::<()>();
    let serving = tokio::spawn(bound.serve(async { drop(stopped.await) }));
    for url in [format!("ws://{address}/mcp?colour=blue"), format!("http://{address}/sse?colour=blue")] {
        let client = Client::builder().era(EraChoice::Legacy).connect(&url).await?;
        for _ in 0..2 {
            let said: String = client.call("whence", ()).await?.read()?;
            assert_eq!(said, "colour=blue true", "{url}");
        }
        let port: u16 = client.call("port", ()).await?.read()?;
        assert!(port != 0 && port != address.port(), "{url}");
        client.close().await;
    }
    drop(stop);
    serving.await?;
    Ok(())
}

#[tokio::test]
async fn a_tcp_socket_has_an_address_at_its_other_end_and_a_unix_socket_has_none() -> Outcome {
    let path = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("facts.sock");
    for (socket, is_known) in [(Socket::tcp("127.0.0.1:0").await?, true), (Socket::unix(&path).await?, false)]
    {
        let address = socket.address();
        let (stop, stopped) = oneshot::channel::<()>();
        let server = server();
        let serving = tokio::spawn(async move { socket.serve(&server, async { drop(stopped.await) }).await });
        let client = Client::connect(&address).await?;
        let port: u16 = client.call("port", ()).await?.read()?;
        assert_eq!((port != 0, address.ends_with(&format!(":{port}"))), (is_known, false), "{address}");
        let said = client.call("whence", ()).await?.into_value();
        assert_eq!(said.is_error(), !is_known, "{said:?}");
        client.close().await;
        drop(stop);
        serving.await?;
    }
    Ok(())
}
