//! Who may connect, how often, and how much they may say: the same at every address.

use std::time::Duration;

use axum::Router;
use hermes::http::StreamableHttp;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpListener;
use tokio::time::timeout;

use crate::wire::{HANDSHAKE, INITIALIZE, Stream, ask, post};
use crate::{Outcome, Served, server};

const PATIENCE: Duration = Duration::from_secs(10);

// spec: R120, R121, R169
#[tokio::test]
async fn a_foreign_origin_or_host_opens_nothing_and_says_nothing() -> Outcome {
    let served = Served::start(StreamableHttp::new(server())).await?;
    let mut stream = Stream::open(&served.address).await?;
    let place = stream.place.clone();
    for (header, status) in [
        ("Origin: https://evil.example", 403),
        ("Origin: null", 403),
        ("Origin: http://127.0.0.1.evil.example", 403),
        ("Host: evil.example", 403),
        ("Host: 127.0.0.1.nip.example", 403),
    ] {
        for method in ["GET /sse", "OPTIONS /sse", "DELETE /sse"] {
            assert_eq!(ask(&served.address, method, &[header]).await?.1, status, "{method} {header}");
        }
        let [upgrade, connection, key, version] = HANDSHAKE;
        let websocket = [upgrade, connection, key, version, header];
        assert_eq!(ask(&served.address, "GET /mcp", &websocket).await?.1, status, "{header}");
        assert_eq!(post(&served.address, &place, &[header], INITIALIZE).await?.0, status, "{header}");
    }
    // Nothing of it arrived: what the stream says first is the answer to this.
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let own = format!("Origin: http://{}", served.address);
    assert_eq!(post(&served.address, &place, &[&own], ping).await?.0, 202);
    assert_eq!(stream.event("data: ").await?, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
    Ok(())
}

#[tokio::test]
async fn a_page_of_an_allowed_origin_may_read_a_stream_of_http_sse() -> Outcome {
    let origin = "https://app.example";
    let served = Served::start(StreamableHttp::new(server()).allow_origin(origin)).await?;
    let header = format!("Origin: {origin}");
    let (_, status, head) = ask(&served.address, "GET /sse", &[&header]).await?;
    assert_eq!(status, 200, "{head}");
    assert!(head.contains("access-control-allow-origin: https://app.example\r\n"), "{head}");
    let (_, status, head) =
        ask(&served.address, "OPTIONS /sse", &[&header, "Access-Control-Request-Method: POST"]).await?;
    assert_eq!(status, 204, "{head}");
    assert!(head.contains("access-control-allow-methods: get, post\r\n"), "{head}");
    Ok(())
}

#[tokio::test]
async fn as_many_connections_as_may_be_are_open_and_one_more_is_told_when_to_come_back() -> Outcome {
    let served = Served::start(StreamableHttp::new(server()).max_connections(1)).await?;
    for (line, headers, opened) in [("GET /mcp", &HANDSHAKE[..], 101), ("GET /sse", &[], 200)] {
        let (first, status, head) = ask(&served.address, line, headers).await?;
        assert_eq!(status, opened, "{head}");
        let (_, status, head) = ask(&served.address, line, headers).await?;
        assert_eq!(status, 503, "{head}");
        assert!(head.contains("retry-after: 1\r\n"), "{head}");
        drop(first);
        let again = async {
            while ask(&served.address, line, headers).await?.1 != opened {
                tokio::task::yield_now().await;
            }
            Outcome::Ok(())
        };
        timeout(PATIENCE, again).await??;
    }
    Ok(())
}

#[tokio::test]
async fn a_message_is_as_long_as_a_body_may_be_and_no_longer() -> Outcome {
    let served = Served::start(StreamableHttp::new(server()).max_body_bytes(200)).await?;
    let place = Stream::open(&served.address).await?;
    assert_eq!(post(&served.address, &place.place, &[], &format!("{:200}", "{}")).await?.0, 202);
    assert_eq!(post(&served.address, &place.place, &[], &format!("{:201}", "{}")).await?.0, 413);
    let (mut stream, _, _) = ask(&served.address, "GET /mcp", &HANDSHAKE).await?;
    // The head of a text frame of 201 bytes, masked with zeroes.
    stream.write_all(&[0x81, 0xfe, 0, 201, 0, 0, 0, 0]).await?;
    let mut frame = [0; 4];
    stream.read_exact(&mut frame).await?;
    assert_eq!((frame[0], u16::from_be_bytes([frame[2], frame[3]])), (0x88, 1009));
    Ok(())
}

#[tokio::test]
async fn where_nothing_happens_there_are_signs_of_life_as_often_as_was_set() -> Outcome {
    let served = Served::start(StreamableHttp::new(server()).keep_alive(Duration::from_millis(20))).await?;
    let (mut websocket, _, _) = ask(&served.address, "GET /mcp", &HANDSHAKE).await?;
    let mut ping = [0; 2];
    timeout(PATIENCE, websocket.read_exact(&mut ping)).await??;
    assert_eq!(ping, [0x89, 0]);
    let (stream, _, _) = ask(&served.address, "GET /sse", &[]).await?;
    let mut lines = BufReader::new(stream).lines();
    let alive = async {
        while let Some(line) = lines.next_line().await? {
            if line.starts_with(':') {
                return Ok(line);
            }
        }
        Outcome::Err("the stream is over".into())
    };
    assert_eq!(timeout(PATIENCE, alive).await??, ": keep-alive");
    Ok(())
}

#[tokio::test]
async fn a_server_that_ends_opens_nothing_more() -> Outcome {
    let service = StreamableHttp::new(server()).websockets().service();
    let endpoint = service.endpoint().clone();
    let router = Router::new().route_service("/sse", service.http_sse()).route_service("/mcp", service);
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?.to_string();
    let serving = tokio::spawn(async move { axum::serve(listener, router).await });
    assert_eq!(ask(&address, "GET /sse", &[]).await?.1, 200);
    endpoint.shut_down().await;
    for (line, headers) in [("GET /mcp", &HANDSHAKE[..]), ("GET /sse", &[])] {
        let (_, status, head) = ask(&address, line, headers).await?;
        assert_eq!(status, 503, "{head}");
        assert!(head.contains("retry-after: "), "{head}");
    }
    serving.abort();
    Ok(())
}
