//! What came of a call, taken apart for an assertion; whatever is not as expected fails the test and is shown whole.
//!
//! `Received::read` turns a result into a type; these are for what is no value: the words of a tool that failed,
//! the error of a request that was refused, the text of a resource, the messages of a prompt.

use std::fmt::Debug;

use hermes_client::{ClientError, Received};
use hermes_types::{CallToolResult, ErrorObject, GetPromptResult, ReadResourceResult, ResourceContents};
use serde_json::Value;

/// What the tool says, and that it says it in one text and did not fail.
///
/// ```
/// # use hermes_client::Received;
/// # use hermes_types::RawJson;
/// # let raw = RawJson::parse(r#"{"content":[{"type":"text","text":"5"}]}"#.to_owned())?;
/// # let outcome = Ok(Received { value: raw.decode()?, raw });
/// // let outcome = client.call("add", json!({ "a": 2, "b": 3 })).await;
/// assert_eq!(hermes_testkit::text(outcome), "5");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Panics
/// The request or the tool failed, or there is not exactly one text.
#[track_caller]
#[must_use]
pub fn text(outcome: Result<Received<CallToolResult>, ClientError>) -> String {
    let result = finished(outcome);
    assert!(!result.is_error(), "the tool failed: {}", result.raw.get());
    only_text(&result)
}

/// What a program gets to read, `structuredContent`, of a tool that did not fail.
///
/// # Panics
/// The request or the tool failed, or its result is not structured.
#[track_caller]
#[must_use]
pub fn structured(outcome: Result<Received<CallToolResult>, ClientError>) -> Value {
    let result = finished(outcome);
    assert!(!result.is_error(), "the tool failed: {}", result.raw.get());
    let content = result.structured_content.as_ref().and_then(|content| content.decode().ok());
    content.unwrap_or_else(|| panic!("the result is not structured: {}", result.raw.get()))
}

/// What the model reads of a tool that failed: a result with `isError`, and one text.
///
/// # Panics
/// The request was refused, the tool did not fail, or there is not exactly one text.
#[track_caller]
#[must_use]
pub fn failure(outcome: Result<Received<CallToolResult>, ClientError>) -> String {
    let result = finished(outcome);
    assert!(result.is_error(), "the tool did not fail: {}", result.raw.get());
    only_text(&result)
}

/// What is in a resource that is one text.
///
/// ```
/// # use hermes_client::Received;
/// # use hermes_types::RawJson;
/// # let raw = RawJson::parse(r#"{"contents":[{"uri":"notes://1","text":"Milk"}]}"#.to_owned())?;
/// # let outcome = Ok(Received { value: raw.decode()?, raw });
/// // let outcome = client.read("notes://1").await;
/// assert_eq!(hermes_testkit::contents(outcome), "Milk");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Panics
/// The request failed, or the resource is not exactly one text.
#[track_caller]
#[must_use]
pub fn contents(outcome: Result<Received<ReadResourceResult>, ClientError>) -> String {
    let result = outcome.unwrap_or_else(|error| panic!("the resource was not read: {error}: {error:?}"));
    match result.contents.as_slice() {
        [ResourceContents::Text(contents)] => contents.text.clone(),
        _ => panic!("the resource is not one text: {}", result.raw.get()),
    }
}

/// The messages of a prompt whose messages are texts, each behind who says it: `user: Prove that 2 > 1.`
///
/// ```
/// # use hermes_client::Received;
/// # use hermes_types::RawJson;
/// # let raw = r#"{"messages":[{"role":"user","content":{"type":"text","text":"Prove it."}}]}"#;
/// # let raw = RawJson::parse(raw.to_owned())?;
/// # let outcome = Ok(Received { value: raw.decode()?, raw });
/// // let outcome = client.prompt("prove", &arguments).await;
/// assert_eq!(hermes_testkit::messages(outcome), ["user: Prove it."]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Panics
/// The request failed, or a message is no text.
#[track_caller]
#[must_use]
pub fn messages(outcome: Result<Received<GetPromptResult>, ClientError>) -> Vec<String> {
    let result = outcome.unwrap_or_else(|error| panic!("the prompt was not got: {error}: {error:?}"));
    let mut said = Vec::new();
    for message in &result.messages {
        let Some(text) = message.content.as_text() else {
            panic!("a message is no text: {}", result.raw.get());
        };
        said.push(format!("{}: {text}", message.role.as_str()));
    }
    said
}

/// The error with which the server refused a request of any kind: `code`, `message`, `data`.
///
/// # Panics
/// The request was carried out, or failed without an answer of the server.
#[track_caller]
#[must_use]
pub fn refusal<T: Debug>(outcome: Result<T, ClientError>) -> ErrorObject {
    match outcome {
        Err(ClientError::Rpc { error, .. }) => error,
        Err(error) => panic!("the server refused nothing, but {error}: {error:?}"),
        Ok(result) => panic!("the server refused nothing: {result:?}"),
    }
}

#[track_caller]
fn finished(outcome: Result<Received<CallToolResult>, ClientError>) -> Received<CallToolResult> {
    outcome.unwrap_or_else(|error| panic!("the tool was not called: {error}: {error:?}"))
}

#[track_caller]
fn only_text(result: &Received<CallToolResult>) -> String {
    match result.content.as_slice() {
        [block] => block.as_text().map(str::to_owned),
        _ => None,
    }
    .unwrap_or_else(|| panic!("the content is not one text: {}", result.raw.get()))
}
