//! The head of a request, as the decisions want to see it.

use hermes_proto::admit::Field;
use http::HeaderValue;
use http::header::HOST;
use http::request::Parts;

/// Looks a header field up by its name in lower case. The host is also the authority of the request's target, which
/// is all there is over HTTP/2; two that differ are two hosts, and that is one too many.
pub(crate) fn field<'a>(parts: &'a Parts, name: &str) -> Field<'a> {
    let field: Field<'a> = parts.headers.get_all(name).iter().map(HeaderValue::as_bytes).collect();
    if name == HOST.as_str() { with_authority(field, parts) } else { field }
}

fn with_authority<'a>(host: Field<'a>, parts: &'a Parts) -> Field<'a> {
    let Some(authority) = parts.uri.authority() else { return host };
    let authority = authority.as_str().as_bytes();
    match host {
        Field::Absent => Field::One(authority),
        Field::One(host) if !host.eq_ignore_ascii_case(authority) => Field::Many(vec![host, authority]),
        field => field,
    }
}

/// The names of the fields that are asked for with every request.
const NAMES: [&str; 11] = [
    "accept",
    "content-encoding",
    "content-length",
    "content-type",
    "host",
    "last-event-id",
    "mcp-method",
    "mcp-name",
    "mcp-protocol-version",
    "mcp-session-id",
    "origin",
];

/// The place of a name among those.
fn place(name: &str) -> Option<usize> {
    NAMES.iter().position(|known| *known == name)
}

/// The fields of a request, found in one walk along its head: looking each up would cost a multiple.
#[derive(Debug)]
pub(crate) struct Fields<'a> {
    parts: &'a Parts,
    known: [Field<'a>; NAMES.len()],
}

impl<'a> Fields<'a> {
    pub(crate) fn of(parts: &'a Parts) -> Self {
        let mut known = [const { Field::Absent }; NAMES.len()];
        for (name, value) in &parts.headers {
            if let Some(field) = place(name.as_str()).and_then(|place| known.get_mut(place)) {
                field.add(value.as_bytes());
            }
        }
        if let Some(host) = place(HOST.as_str()).and_then(|place| known.get_mut(place)) {
            *host = with_authority(std::mem::replace(host, Field::Absent), parts);
        }
        Self { parts, known }
    }

    /// As [`field`].
    pub(crate) fn get(&self, name: &str) -> Field<'a> {
        match place(name).and_then(|place| self.known.get(place)) {
            Some(known) => known.clone(),
            None => field(self.parts, name),
        }
    }
}
