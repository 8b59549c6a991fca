//! Answers over HTTP that come in pieces, and streams that are written oddly.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use hermes_client::{Client, ClientError, HttpProblem, Noise, Warning};
use serde_json::{Value, json};

use crate::fake::{Asked, Fake, response, text};

/// How an answer is cut into the pieces that are written one by one.
type Pieces = Vec<Vec<u8>>;

fn in_pieces_of(bytes: &str, size: usize) -> Pieces {
    bytes.as_bytes().chunks(size).map(<[u8]>::to_vec).collect()
}

fn cut_at(bytes: &str, places: &[usize]) -> Pieces {
    let ends = places.iter().copied().chain([bytes.len()]);
    let starts = [0].into_iter().chain(places.iter().copied());
    starts.zip(ends).map(|(start, end)| bytes.as_bytes()[start..end].to_vec()).collect()
}

impl Asked {
    /// Answers with a stream of events whose bytes come in pieces.
    async fn event_pieces(self, pieces: &Pieces) {
        let mut events = self.events().await;
        for piece in pieces {
            events.bytes(piece).await;
        }
    }

    /// Answers with one JSON text that comes in pieces, each a chunk of HTTP.
    async fn json_pieces(self, pieces: &Pieces) {
        let head = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: application/json\r\n\
                    Transfer-Encoding: chunked\r\n\r\n";
        let mut answer = self.head(head).await;
        for piece in pieces {
            answer.bytes(format!("{:x}\r\n", piece.len()).as_bytes()).await;
            answer.bytes(piece).await;
            answer.bytes(b"\r\n").await;
        }
        answer.bytes(b"0\r\n\r\n").await;
    }
}

/// The text that a call answers with whose answer comes in these pieces.
async fn called(
    fake: &mut Fake,
    client: &Client,
    answer: impl AsyncFnOnce(Asked),
) -> Result<String, ClientError> {
    let script = async { answer(fake.expect("tools/call").await).await };
    let (outcome, ()) = tokio::join!(client.call("t", ()).into_future(), script);
    outcome.and_then(|result| result.read::<String>())
}

fn event(message: &Value) -> String {
    format!("event: message\ndata: {message}\n\n")
}

fn warnings() -> (hermes_client::ClientBuilder, Arc<Mutex<Vec<Warning>>>) {
    let warnings = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&warnings);
    let told = move |warning: &Warning| sink.lock().expect("not poisoned").push(warning.clone());
    (Client::builder().on_warning(told), warnings)
}

#[tokio::test]
async fn b043_a_large_answer_over_http_is_the_same_in_every_split() {
    let (builder, warnings) = warnings();
    let (mut fake, client) = Fake::legacy(builder, "2025-11-25").await;
    let said = "0123456789abcdef".repeat(4096);
    for size in [7, 4096] {
        let pieces = async |asked: Asked| {
            let whole = event(&response(&asked.body, &text(&said)));
            asked.event_pieces(&in_pieces_of(&whole, size)).await;
        };
        assert_eq!(called(&mut fake, &client, pieces).await.expect("a result"), said);
        let chunks = async |asked: Asked| {
            let whole = response(&asked.body, &text(&said)).to_string();
            asked.json_pieces(&in_pieces_of(&whole, size)).await;
        };
        assert_eq!(called(&mut fake, &client, chunks).await.expect("a result"), said);
    }
    // Inside the name of the field, inside the JSON, and between the two line ends that end the event.
    let places = async |asked: Asked| {
        let whole = event(&response(&asked.body, &text(&said)));
        asked.event_pieces(&cut_at(&whole, &[17, 30, 40_000, whole.len() - 1])).await;
    };
    assert_eq!(called(&mut fake, &client, places).await.expect("a result"), said);
    let bytes = async |asked: Asked| {
        let whole = event(&response(&asked.body, &text("short")));
        asked.event_pieces(&in_pieces_of(&whole, 1)).await;
    };
    assert_eq!(called(&mut fake, &client, bytes).await.expect("a result"), "short");
    assert_eq!(*warnings.lock().expect("not poisoned"), []);
}

#[tokio::test]
async fn b044_characters_cut_between_two_reads_arrive_whole_over_http() {
    let (mut fake, client) = Fake::modern(Client::builder()).await;
    let said = "日本🦀é";
    let events = async |asked: Asked| {
        let whole = event(&response(&asked.body, &text(said)));
        asked.event_pieces(&in_pieces_of(&whole, 1)).await;
    };
    assert_eq!(called(&mut fake, &client, events).await.expect("a result"), said);
    let chunks = async |asked: Asked| {
        let whole = response(&asked.body, &text(said)).to_string();
        asked.json_pieces(&in_pieces_of(&whole, 1)).await;
    };
    assert_eq!(called(&mut fake, &client, chunks).await.expect("a result"), said);
}

#[tokio::test]
async fn b044_what_is_no_utf_8_is_an_error_over_http_and_never_replaced() {
    let (mut fake, client) = Fake::modern(Client::builder()).await;
    let broken = |whole: &str| {
        let at = whole.find("@@").expect("the place");
        let mut bytes = whole.as_bytes().to_vec();
        bytes.splice(at..at + 2, [0xff, 0xfe]);
        vec![bytes]
    };
    for is_event in [true, false] {
        let answer = async |asked: Asked| {
            let message = response(&asked.body, &text("a@@b"));
            match is_event {
                true => asked.event_pieces(&broken(&event(&message))).await,
                false => asked.json_pieces(&broken(&message.to_string())).await,
            }
        };
        match called(&mut fake, &client, answer).await.expect_err("no text") {
            ClientError::Http(answer) => {
                assert_eq!(answer.problem, HttpProblem::Malformed(Noise::NotUtf8), "{is_event}");
            }
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn b045_every_line_end_a_mark_comments_and_odd_fields_over_http() {
    for era in ["legacy", "modern"] {
        let (builder, warnings) = warnings();
        let (mut fake, client) = match era {
            "legacy" => Fake::legacy(builder, "2025-11-25").await,
            _ => Fake::modern(builder).await,
        };
        let odd = async |asked: Asked| {
            let message = response(&asked.body, &text("here"));
            let whole = format!(
                "\u{feff}:\r\nevent: ping\rdata: {{}}\r\rfoo: bar\n: keep-alive\n\ndata:{message}\r\n\r\n"
            );
            asked.event_pieces(&in_pieces_of(&whole, 3)).await;
        };
        assert_eq!(called(&mut fake, &client, odd).await.expect("a result"), "here", "{era}");
        assert_eq!(*warnings.lock().expect("not poisoned"), [], "{era}");
        assert!(fake.is_idle(), "{era}");
    }
}

#[tokio::test]
async fn b024_numbers_keep_their_digits_over_http() {
    let (mut fake, client) = Fake::modern(Client::builder()).await;
    let numbers = r#"{"n":9007199254740993,"m":-7108510333361982070,"u":18446744073709551615}"#;
    let arguments = hermes_types::RawJson::parse(numbers).expect("JSON");
    let script = async {
        let call = fake.expect("tools/call").await;
        assert_eq!(call.body["params"]["arguments"].to_string(), numbers);
        call.result(json!({ "content": [], "structuredContent": serde_json::from_str::<Value>(numbers).expect("JSON") }))
            .await;
    };
    let (outcome, ()) = tokio::join!(client.call("t", &arguments).into_future(), script);
    let result = outcome.expect("a result");
    assert_eq!(result.structured_content.as_ref().expect("structured").get(), numbers);
}

#[tokio::test]
async fn b087_the_kind_of_a_result_is_known_or_an_error_over_http() {
    let (mut fake, client) = Fake::modern(Client::builder().timeout(Duration::from_secs(5))).await;
    for (kind, is_known) in [
        (None, true),
        (Some(json!("complete")), true),
        (Some(json!("partial")), false),
        (Some(json!(5)), false),
    ] {
        let answer = async |asked: Asked| {
            let mut result = text("x");
            if let Some(kind) = &kind {
                result["resultType"] = kind.clone();
            }
            let message = response(&asked.body, &result).to_string();
            asked.answer(200, &[("Content-Type", "application/json")], &message).await;
        };
        let outcome = called(&mut fake, &client, answer).await;
        match is_known {
            true => assert_eq!(outcome.expect("a result"), "x"),
            false => assert!(matches!(outcome, Err(ClientError::Protocol { .. })), "{kind:?}: {outcome:?}"),
        }
    }
}
