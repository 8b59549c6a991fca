//! The head of a request, as the decisions want to see it.

use hermes_proto::admit::Field;
use http::header::HOST;
use http::request::Parts;

/// Looks a header field up by its name in lower case. The host is also the authority of the request's target, which
/// is all there is over HTTP/2; two that differ are two hosts, and that is one too many.
pub(crate) fn field<'a>(parts: &'a Parts, name: &str) -> Field<'a> {
    let field: Field<'a> = parts.headers.get_all(name).iter().map(http::HeaderValue::as_bytes).collect();
    let Some(authority) = parts.uri.authority().filter(|_| name == HOST.as_str()) else { return field };
    let authority = authority.as_str().as_bytes();
    match field {
        Field::Absent => Field::One(authority),
        Field::One(host) if !host.eq_ignore_ascii_case(authority) => Field::Many(vec![host, authority]),
        field => field,
    }
}
