//! The two transports over HTTP, where a message is a request of its own.

use std::sync::mpsc::Sender;

use hermes::types::Revision;
use hermes_testkit::raw::{Answer, Connection, Frame, RawError, Session, Target};
use serde_json::Value;
use tokio::sync::mpsc::UnboundedReceiver;

use crate::carried::Outcome;

/// Streamable HTTP: posts what is said, and tells what comes on any stream.
pub(crate) fn streamable(
    target: Target,
    revision: Revision,
    mut to_say: UnboundedReceiver<String>,
    tell: Sender<String>,
) {
    tokio::spawn(async move {
        let mut session = Session::stranger(&target, revision);
        while let Some(line) = to_say.recv().await {
            let Ok(message) = serde_json::from_str::<Value>(&line) else { return };
            let Ok(answer) = exchange(&target, &session.post_bytes(&message, &[])).await else { return };
            if let Some(id) = answer.head.header("mcp-session-id") {
                session = session.with_id(Some(id));
            }
            if message["method"] == "initialize" || message.get("id").is_none() {
                // What comes next relies on it.
                forward(answer, tell.clone()).await;
            } else {
                tokio::spawn(forward(answer, tell.clone()));
            }
            if message["method"] == "notifications/initialized" {
                let Ok(stream) = exchange(&target, &session.get_bytes(None, &[])).await else { return };
                tokio::spawn(forward(stream, tell.clone()));
            }
        }
    });
}

/// HTTP+SSE: one stream for all that the server says, and a place to post to.
pub(crate) async fn older(
    target: Target,
    revision: Revision,
    mut to_say: UnboundedReceiver<String>,
    tell: Sender<String>,
) -> Outcome {
    let listener = Session::stranger(&target, revision);
    let mut stream = exchange(&target, &listener.get_bytes(None, &[])).await?;
    let place = loop {
        match stream.frame().await? {
            Frame::Event(event) if event.name == "endpoint" => break event.data.ok_or("an endpoint")?,
            Frame::End => return Err("the stream is over".into()),
            _ => {}
        }
    };
    let poster = Session::stranger(&target.with_path(&place), revision);
    tokio::spawn(forward(stream, tell));
    tokio::spawn(async move {
        while let Some(line) = to_say.recv().await {
            let Ok(message) = serde_json::from_str::<Value>(&line) else { return };
            if poster.tell(&message).await.is_err() {
                return;
            }
        }
    });
    Ok(())
}

/// Sends a request on a connection of its own, and reads the head of the answer. What is in it is judged elsewhere.
async fn exchange(target: &Target, request: &[u8]) -> Result<Answer, RawError> {
    let mut connection = Connection::open(target.address).await?;
    connection.send(request).await?;
    Answer::read(connection).await
}

/// Tells every message of an answer, as it comes.
async fn forward(mut answer: Answer, tell: Sender<String>) {
    if answer.head.media_type() != Some("text/event-stream") {
        let Ok(body) = answer.body().await else { return };
        if !body.is_empty() {
            // Nobody listens any more when the conversation is over.
            let _ = tell.send(String::from_utf8_lossy(&body).into_owned());
        }
        return;
    }
    while let Ok(frame) = answer.frame().await {
        let event = match frame {
            Frame::Event(event) => event,
            Frame::Comment(_) => continue,
            Frame::End => return,
        };
        if let Ok(Some(message)) = event.message()
            && tell.send(message.to_string()).is_err()
        {
            return;
        }
    }
}
