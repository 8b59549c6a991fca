//! What pages of other origins may do: the browser's questions, and the headers it wants to see.
//!
//! Source: the Fetch standard, "CORS protocol". Who may call at all is decided by `admit::guard`; here it is only
//! said.

use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS, HeaderMap,
    HeaderValue, VARY,
};

/// What a page may send beside what every page may. The `mcp-param-*` headers have no end, so those that a
/// browser asks for are allowed by their prefix.
const HEADERS: &str = "authorization, content-type, accept, last-event-id, mcp-session-id, mcp-protocol-version, mcp-method, mcp-name";

/// Adds what an answer to an allowed origin says, errors and streams too.
pub(crate) fn allow(origin: Option<&str>, headers: &mut HeaderMap) {
    // Whatever stands between must not give one origin's answer to another.
    headers.append(VARY, HeaderValue::from_static("origin"));
    let Some(origin) = origin.and_then(|origin| HeaderValue::from_str(origin).ok()) else { return };
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(
        ACCESS_CONTROL_EXPOSE_HEADERS,
        HeaderValue::from_static("mcp-session-id, www-authenticate, retry-after"),
    );
}

/// Answers what a page may do.
pub(crate) fn preflight(asked: &HeaderMap, methods: &'static str, headers: &mut HeaderMap) {
    let mut allowed = HEADERS.to_owned();
    let asked = asked.get_all(ACCESS_CONTROL_REQUEST_HEADERS).iter().filter_map(|it| it.to_str().ok());
    for name in asked.flat_map(|names| names.split(',')).map(|name| name.trim().to_ascii_lowercase()) {
        let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
        if name.starts_with("mcp-") && is_name && !allowed.split(", ").any(|known| known == name) {
            allowed.push_str(", ");
            allowed.push_str(&name);
        }
    }
    if let Ok(allowed) = HeaderValue::from_str(&allowed) {
        headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, allowed);
    }
    headers.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static(methods));
    headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
}
