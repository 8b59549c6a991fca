//! What people may be shown of HTTP: never a secret.

use reqwest::header::{
    AUTHORIZATION, COOKIE, HeaderMap, HeaderName, HeaderValue, LOCATION, PROXY_AUTHORIZATION, SET_COOKIE,
};
use reqwest::{Method, Response, Url};

use super::session::SESSION;
use crate::http_head::HttpHead;

/// What stands in the place of a secret.
const MASK: &str = "***";

/// How much of the id of a session is shown: enough to tell sessions apart, too little to use one.
const OF_SESSION: usize = 6;

/// The head of a request in the exchange of this number.
pub(super) fn of_request(exchange: u64, method: &Method, url: &Url, headers: &HeaderMap) -> HttpHead {
    HttpHead { exchange, line: format!("{method} {}", masked_url(url)), headers: masked(headers) }
}

/// The head of an answer in the exchange of this number.
pub(super) fn of_response(exchange: u64, response: &Response) -> HttpHead {
    let (version, status) = (response.version(), response.status());
    HttpHead { exchange, line: format!("{version:?} {status}"), headers: masked(response.headers()) }
}

fn masked(headers: &HeaderMap) -> Vec<(String, String)> {
    headers.iter().map(|(name, value)| (name.to_string(), masked_value(name, value))).collect()
}

fn masked_value(name: &HeaderName, value: &HeaderValue) -> String {
    let text = String::from_utf8_lossy(value.as_bytes());
    if name == SESSION {
        return format!("{}{MASK}", text.chars().take(OF_SESSION).collect::<String>());
    }
    if name == AUTHORIZATION || name == PROXY_AUTHORIZATION {
        // Which kind of credentials there are is worth knowing.
        return text.split_once(' ').map_or_else(|| MASK.to_owned(), |(kind, _)| format!("{kind} {MASK}"));
    }
    if name == COOKIE || name == SET_COOKIE {
        return text
            .split_once('=')
            .map_or_else(|| MASK.to_owned(), |(cookie, _)| format!("{cookie}={MASK}"));
    }
    let speaks_of = |word| name.as_str().contains(word);
    if value.is_sensitive() || ["token", "secret", "key", "password", "credential"].into_iter().any(speaks_of)
    {
        return MASK.to_owned();
    }
    match Url::parse(&text) {
        Ok(url) if name == LOCATION => masked_url(&url),
        // It is relative to the address of the request.
        Err(_) if name == LOCATION => match text.split_once('?') {
            Some((path, _)) => format!("{path}?{MASK}"),
            None => text.into_owned(),
        },
        _ => text.into_owned(),
    }
}

/// An address without its user, and with the names of its query alone.
fn masked_url(url: &Url) -> String {
    let mut masked = url.clone();
    // An address with a host has room for both.
    let _ = masked.set_username("");
    let _ = masked.set_password(None);
    masked.set_fragment(None);
    masked.set_query(None);
    let mut text = String::from(masked);
    for (at, pair) in url.query().into_iter().flat_map(|query| query.split('&')).enumerate() {
        text.push(if at == 0 { '?' } else { '&' });
        match pair.split_once('=') {
            Some((name, _)) => text.extend([name, "=", MASK]),
            None => text.push_str(MASK),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_masked_and_the_rest_is_shown() {
        let mut headers = HeaderMap::new();
        let mut own = HeaderValue::from_static("s3cret");
        own.set_sensitive(true);
        headers.insert("x-own", own);
        for (name, value) in [
            ("authorization", "Bearer s3cret"),
            ("proxy-authorization", "s3cret"),
            ("cookie", "id=s3cret; other=s3cret"),
            ("set-cookie", "id=s3cret; Path=/"),
            ("x-api-key", "s3cret"),
            ("x-csrf-token", "s3cret"),
            ("mcp-session-id", "0123456789abcdef"),
            ("location", "https://me:s3cret@example.org/x?token=s3cret&s3cret#s3cret"),
            ("content-type", "application/json"),
            ("www-authenticate", "Bearer realm=\"files\""),
            ("mcp-name", "add"),
        ] {
            headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        let url = Url::parse("http://me:s3cret@127.0.0.1:8000/mcp?sessionId=s3cret").expect("an address");
        let head = of_request(1, &Method::POST, &url, &headers);
        assert_eq!(
            head.to_string().lines().collect::<Vec<_>>(),
            [
                "POST http://127.0.0.1:8000/mcp?sessionId=*** #1",
                "x-own: ***",
                "authorization: Bearer ***",
                "proxy-authorization: ***",
                "cookie: id=***",
                "set-cookie: id=***",
                "x-api-key: ***",
                "x-csrf-token: ***",
                "mcp-session-id: 012345***",
                "location: https://example.org/x?token=***&***",
                "content-type: application/json",
                "www-authenticate: Bearer realm=\"files\"",
                "mcp-name: add",
            ]
        );
    }

    #[test]
    fn a_relative_location_keeps_its_path_alone() {
        let masked = |text| masked_value(&LOCATION, &HeaderValue::from_static(text));
        assert_eq!(masked("/messages?sessionId=s3cret"), "/messages?***");
        assert_eq!(masked("/mcp/"), "/mcp/");
    }
}
