//! Servers and clients over WebSockets.

use std::sync::Arc;

use hermes::http::StreamableHttp;
use hermes::prelude::*;
use hermes::types::{ElicitResult, RawJson};
use hermes::{EraChoice, Event};
use tokio::io::AsyncReadExt as _;
use tokio::sync::Notify;

use crate::wire::{CONNECTION, HANDSHAKE, KEY, UPGRADE, VERSION, ask};
use crate::{Empty, Outcome, Served, server};

#[tokio::test]
async fn both_eras_are_spoken_and_questions_are_asked_over_a_websocket() -> Outcome {
    let served = Served::start(StreamableHttp::new(server())).await?;
    for era in [EraChoice::Modern, EraChoice::Legacy, EraChoice::Auto] {
        let client = Client::builder()
            .era(era)
            .on_elicit(|_| async { Ok(ElicitResult::accept(RawJson::parse(r#"{"name":"Ada"}"#)?)) })
            .connect(served.websocket())
            .await?;
        let greeting: String = client.call("greet", ()).await?.read()?;
        assert_eq!(greeting, "Hello, Ada");
        let big: String = client.call("big", ()).await?.read()?;
        assert_eq!(big.len(), 3_000_000);
        let odd = "line\nbreak \u{2028} 🦀 \\\"".repeat(1000);
        let echoed: String = client.call("echo", serde_json::json!({ "name": odd })).await?.read()?;
        assert_eq!(echoed, odd);
        client.close().await;
    }
    served.end().await
}

#[tokio::test]
async fn a_server_that_stops_answers_what_it_has_accepted_and_a_client_comes_back() -> Outcome {
    let (begun, go_on) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (has_begun, may_go_on) = (Arc::clone(&begun), Arc::clone(&go_on));
    let server = server().tool("slow", move |_: Empty, _: Context| {
        let (begun, go_on) = (Arc::clone(&begun), Arc::clone(&go_on));
        async move {
            begun.notify_one();
            go_on.notified().await;
            "done"
        }
    });
    let served = Served::start(StreamableHttp::new(server.clone())).await?;
    let address = served.address.clone();
    let client = Client::connect(served.websocket()).await?;
    let mut events = client.events();
    let (result, ()) = tokio::join!(async { client.call("slow", ()).await }, async {
        has_begun.notified().await;
        drop(served.stop);
        may_go_on.notify_one();
    });
    let done: String = result?.read()?;
    assert_eq!(done, "done");
    served.serving.await?;
    assert!(matches!(events.next().await, Some(Event::Lost(_))));
    let again = Served::at(StreamableHttp::new(server), &address).await?;
    let echoed: String = client.call("echo", serde_json::json!({ "name": "again" })).await?.read()?;
    assert_eq!(echoed, "again");
    client.close().await;
    again.end().await
}

#[tokio::test]
async fn a_server_that_stops_tells_its_websockets_that_it_goes_away() -> Outcome {
    let served = Served::start(StreamableHttp::new(server())).await?;
    let (mut stream, status, head) = ask(&served.address, "GET /mcp", &HANDSHAKE).await?;
    assert_eq!(status, 101, "{head}");
    drop(served.stop);
    // A close frame, its length, and 1001.
    let mut frame = [0; 4];
    stream.read_exact(&mut frame).await?;
    assert_eq!((frame[0], u16::from_be_bytes([frame[2], frame[3]])), (0x88, 1001));
    // Whoever hangs up without an answer is not waited for.
    drop(stream);
    served.serving.await?;
    Ok(())
}

#[tokio::test]
async fn only_a_handshake_from_where_it_may_come_opens_a_websocket() -> Outcome {
    let served = Served::start(StreamableHttp::new(server())).await?;
    let handshake = async |headers: &[&str]| ask(&served.address, "GET /mcp", headers).await;

    let (_, status, head) = handshake(&[UPGRADE, CONNECTION, KEY, VERSION]).await?;
    assert_eq!(status, 101);
    // The answer that RFC 6455 gives to its example of a key.
    assert!(head.contains("sec-websocket-accept: s3pplmbitxaq9kygzzhzrbk+xoo=\r\n"), "{head}");
    assert!(!head.contains("sec-websocket-protocol"), "{head}");

    let offer = "Sec-WebSocket-Protocol: chat, mcp";
    let (_, status, head) = handshake(&[UPGRADE, CONNECTION, KEY, VERSION, offer]).await?;
    assert_eq!(status, 101);
    assert!(head.contains("sec-websocket-protocol: mcp\r\n"), "{head}");

    let own = format!("Origin: http://{}", served.address);
    assert_eq!(handshake(&[UPGRADE, CONNECTION, KEY, VERSION, &own]).await?.1, 101);

    let evil = "Origin: https://evil.example";
    for (headers, status) in [
        (&[UPGRADE, CONNECTION, KEY, VERSION, evil][..], 403),
        (&[UPGRADE, CONNECTION, KEY, VERSION, "Sec-WebSocket-Protocol: chat"], 400),
        (&[UPGRADE, CONNECTION, KEY, "Sec-WebSocket-Version: 8"], 426),
        (&[UPGRADE, CONNECTION, KEY], 426),
        (&[UPGRADE, CONNECTION, VERSION], 400),
        (&[UPGRADE, CONNECTION, VERSION, "Sec-WebSocket-Key: short"], 400),
        (&[UPGRADE, KEY, VERSION], 400),
    ] {
        let (_, got, head) = handshake(headers).await?;
        assert_eq!(got, status, "{headers:?}: {head}");
        assert_eq!(got == 426, head.contains("sec-websocket-version: 13"), "{head}");
    }
    Ok(())
}

#[tokio::test]
async fn a_server_without_websockets_and_one_that_is_not_there_are_told() -> Outcome {
    let bound = StreamableHttp::new(server()).bind("127.0.0.1:0").await?;
    let url = bound.url().replace("http://", "ws://");
    let serving = tokio::spawn(bound.serve(std::future::pending()));
    let error = Client::connect(&url).await.expect_err("no WebSockets");
    let ClientError::Http(answer) = &error else { panic!("{error:?}") };
    assert!((400..500).contains(&answer.status), "{error}");
    assert!(error.to_string().starts_with(&format!("{url} answered the request for a WebSocket")), "{error}");
    serving.abort();
    // The task is gone with its listener.
    let _ = serving.await;
    let error = Client::connect(&url).await.expect_err("nobody is there");
    assert!(matches!(&error, ClientError::Unreachable { url: named, .. } if *named == url), "{error:?}");
    Ok(())
}

#[tokio::test]
async fn a_server_that_does_not_answer_costs_no_more_than_the_limit() -> Outcome {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let limit = std::time::Duration::from_millis(300);
    for url in [format!("ws://{address}/mcp"), format!("tcp:{address}")] {
        let began = std::time::Instant::now();
        let error = Client::builder().timeout(limit).connect(&url).await.expect_err("silence");
        assert!(error.is_timeout(), "{url}: {error:?}");
        assert!(began.elapsed() < limit * 4, "{url}: {:?}", began.elapsed());
    }
    Ok(())
}
