//! One message in, its answer out.

use std::borrow::Cow;
use std::error::Error;

use axum::body::Bytes;
use axum::http::HeaderMap;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::Form;

#[derive(Deserialize)]
struct Request<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    method: Cow<'a, str>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Call<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
}

/// A call as a program would have it that serves nothing else.
#[derive(Deserialize)]
struct Whole<'a> {
    #[serde(borrow)]
    id: &'a RawValue,
    #[serde(borrow)]
    params: Params<'a>,
}

#[derive(Deserialize)]
struct Params<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow)]
    arguments: Arguments<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Arguments<'a> {
    #[serde(borrow)]
    text: Cow<'a, str>,
    bytes: usize,
}

#[derive(Serialize)]
struct Answer<'a> {
    jsonrpc: &'static str,
    id: &'a RawValue,
    result: Outcome<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Outcome<'a> {
    result_type: &'static str,
    content: [Content<'a>; 1],
}

#[derive(Serialize)]
struct Content<'a> {
    r#type: &'static str,
    text: &'a str,
}

/// What `initialize` is answered with, so that the generator begins as with a server that has sessions.
const HELLO: &str = r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"floor","version":"0.0.0"}}"#;

/// A result of so many bytes.
pub(crate) fn written(bytes: usize) -> Bytes {
    let (start, end) = (r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[],"x":""#, r#""}}"#);
    let filling = "x".repeat(bytes.saturating_sub(start.len() + end.len()));
    format!("{start}{filling}{end}").into()
}

/// The answer to a message; none to a notification. Headers are compared with the body where there are some.
pub(crate) fn serve(
    body: &[u8],
    headers: Option<&HeaderMap>,
    form: &Form,
) -> Result<Option<Vec<u8>>, Box<dyn Error>> {
    if matches!(form, Form::Once) {
        let Whole { id, params: Params { name, arguments } } = serde_json::from_slice(body)?;
        return written_out(id, &result(&name, arguments), body.len(), form).map(Some);
    }
    let header = |name: &str| headers?.get(name).and_then(|value| value.to_str().ok());
    let request: Request<'_> = serde_json::from_slice(body)?;
    let Some(id) = request.id else { return Ok(None) };
    if request.method == "initialize" {
        return Ok(Some(format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{HELLO}}}"#).into_bytes()));
    }
    let call: Call<'_> = serde_json::from_str(request.params.map_or("null", RawValue::get))?;
    if header("mcp-protocol-version") == Some("2026-07-28")
        && (header("mcp-method") != Some(&request.method) || header("mcp-name") != Some(&call.name))
    {
        return Err("headers and body differ".into());
    }
    let arguments: Arguments<'_> = serde_json::from_str(call.arguments.map_or("null", RawValue::get))?;
    written_out(id, &result(&call.name, arguments), body.len(), form).map(Some)
}

/// What a tool says.
fn result<'a>(name: &str, Arguments { text, bytes }: Arguments<'a>) -> Cow<'a, str> {
    match name {
        "measure" => Cow::Owned(text.len().to_string()),
        "fill" => Cow::Owned("x".repeat(bytes)),
        _ => text,
    }
}

fn written_out(id: &RawValue, text: &str, length: usize, form: &Form) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut out = Vec::with_capacity(length);
    if matches!(form, Form::Events) {
        out.extend_from_slice(b"event: message\ndata: ");
    }
    let result = Outcome { result_type: "complete", content: [Content { r#type: "text", text }] };
    serde_json::to_writer(&mut out, &Answer { jsonrpc: "2.0", id, result })?;
    if matches!(form, Form::Events) {
        out.extend_from_slice(b"\n\n");
    }
    Ok(out)
}
