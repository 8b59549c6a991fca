//! A bare client: a session, its calls, and its way back to a server that has gone.

use std::time::Duration;

use hermes::types::Revision;
use hermes_testkit::raw::{Answer, Frame, RawError, Session, Target};
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::child::NOTE;

/// Which life of the server it is, and that it is there.
pub(crate) type Life = watch::Receiver<u64>;

/// What became of a call.
#[derive(Debug)]
pub(crate) enum Outcome {
    Result(String),
    Unknown,
    Other(String),
}

impl Outcome {
    /// What a response says.
    pub(crate) fn of(response: &Value) -> Self {
        match (response["result"]["content"][0]["text"].as_str(), &response["error"]["data"]["reason"]) {
            (Some(text), _) => Self::Result(text.to_owned()),
            (None, reason) if reason == "outcome_unknown" => Self::Unknown,
            (None, _) => Self::Other(response.to_string()),
        }
    }
}

/// A client with a session, which listens and has subscribed.
pub(crate) async fn open(target: &Target) -> Result<Session, RawError> {
    let session = Session::open(target, Revision::V2025_11_25).await?;
    session.ask(&session.request(1, "resources/subscribe", json!({ "uri": NOTE }))).await?;
    assert_eq!(visit(&session, 2).await?, "1");
    Ok(session)
}

/// How often the session has called this.
pub(crate) async fn visit(session: &Session, id: u64) -> Result<String, RawError> {
    let answer = session.ask(&session.call(id, "visit", json!({}))).await?;
    let text = answer["result"]["content"][0]["text"].as_str();
    Ok(text.map_or_else(|| answer.to_string(), str::to_owned))
}

/// Calls, and comes back for the outcome as often as it takes. `begun` is told when the call can be come back to.
pub(crate) async fn call(
    session: &Session,
    id: u64,
    key: &str,
    ms: u64,
    mut life: Life,
    begun: impl FnOnce(),
) -> Outcome {
    let message = session.call(id, "work", json!({ "key": key, "ms": ms }));
    let mut cursor = None;
    let mut begun = Some(begun);
    let mut answer = match session.post(&message).await {
        Ok(answer) => answer,
        Err(error) => return Outcome::Other(format!("{key} was not posted: {error}")),
    };
    loop {
        let now = *life.borrow_and_update();
        match read(&mut answer, &mut cursor, &mut begun).await {
            Ok(Some(response)) if response["id"] == id => return Outcome::of(&response),
            Ok(Some(other)) => return Outcome::Other(format!("{key} was told {other}")),
            Ok(None) => return Outcome::Other(format!("the stream of {key} ended without an outcome")),
            Err(error) if cursor.is_none() => {
                return Outcome::Other(format!("{key} was cut at once: {error}"));
            }
            Err(_) => {}
        }
        // Its connection is cut: there will be another server.
        if life.wait_for(|life| *life > now).await.is_err() {
            return Outcome::Other(format!("nobody came back for {key}"));
        }
        answer = match session.get(cursor.as_deref()).await {
            Ok(answer) if answer.is_events() => answer,
            Ok(answer) => return Outcome::Other(format!("{key} cannot be resumed: {}", answer.status())),
            Err(error) => return Outcome::Other(format!("{key} cannot be resumed: {error}")),
        };
    }
}

/// Reads up to the response.
async fn read(
    answer: &mut Answer,
    cursor: &mut Option<String>,
    begun: &mut Option<impl FnOnce()>,
) -> Result<Option<Value>, RawError> {
    loop {
        match answer.frame().await? {
            Frame::Comment(_) => {}
            Frame::End => return Ok(None),
            Frame::Event(event) => {
                let message = event.message()?;
                *cursor = event.id.or_else(|| cursor.take());
                begun.take().into_iter().for_each(|begun| begun());
                if let Some(message) = message {
                    return Ok(Some(message));
                }
            }
        }
    }
}

/// The session goes on: it has its data, and hears of what it has subscribed to.
pub(crate) async fn goes_on(session: &Session) -> Result<(), String> {
    let wrong = |what: &str| format!("a session does not go on: {what}");
    let fails = |error: RawError| wrong(&error.to_string());
    let visits = visit(session, 1_001).await.map_err(fails)?;
    if visits != "2" {
        return Err(wrong(&format!("it was told {visits} in place of 2")));
    }
    let mut get = session.get(None).await.map_err(fails)?;
    let mut heard = 0;
    let change = session.call(1_002, "change", json!({}));
    let listening = async {
        // Once after the restart, and once because something has changed.
        while heard < 2 {
            let message = get.message().await.map_err(fails)?.ok_or_else(|| wrong("its stream has ended"))?;
            if message["method"] == "notifications/resources/updated" && message["params"]["uri"] == NOTE {
                heard += 1;
                if heard == 1 {
                    session.ask(&change).await.map_err(fails)?;
                }
            }
        }
        Ok(())
    };
    tokio::time::timeout(Duration::from_secs(30), listening)
        .await
        .map_err(|_| wrong("it hears of no change"))?
}
