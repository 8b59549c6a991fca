//! Who may call: the `Host` and `Origin` headers.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

use super::field::Field;
use super::policy::{Arrival, Policy};
use super::refused::Refused;

/// A request that comes from where it may come from. Only [`guard`] makes one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guest<'a> {
    origin: Option<&'a str>,
}

impl<'a> Guest<'a> {
    /// The origin to name in `Access-Control-Allow-Origin`, on whatever is answered; `None` for callers that are no
    /// web pages.
    #[must_use]
    pub const fn origin(&self) -> Option<&'a str> {
        self.origin
    }
}

/// Decides whether a request may come in at all, on any path and with any method, before anything else is asked.
///
/// | `Host` | outcome |
/// |---|---|
/// | absent, twice, or no host | 400 |
/// | `localhost` or a loopback address, on a loopback address | goes on |
/// | named by the policy, with its port or any | goes on |
/// | any, on another address, where the policy names none | goes on |
/// | anything else | 403 |
///
/// | `Origin` | outcome |
/// |---|---|
/// | absent | goes on |
/// | twice | 400 |
/// | `http`, a loopback name and the server's own port, on a loopback address | goes on |
/// | named by the policy | goes on |
/// | anything else | 403 |
///
/// ```
/// use hermes_proto::admit::{Arrival, Field, Policy, guard};
///
/// let at = Arrival { local: "127.0.0.1:8000".parse().ok() };
/// let asked = |origin: &'static [u8]| {
///     guard(&|name| if name == "host" { Field::One(b"localhost:8000") } else { Field::One(origin) }, &Policy::default(), at)
/// };
/// assert!(asked(b"http://localhost:8000").is_ok());
/// assert!(asked(b"http://evil.example").is_err_and(|refused| refused.status == 403));
/// ```
///
/// # Errors
/// [`Refused`] with 400 or 403, and no id, as no message was read.
///
/// Source: `basic/transports/streamable-http#security--endpoint`, 2026-07-28, and the same section of the legacy
/// revisions. That `Host` is checked is this library's own rule: it is what stops a page whose name was bound to
/// a loopback address.
pub fn guard<'a>(
    field: &dyn Fn(&str) -> Field<'a>,
    policy: &Policy,
    arrival: Arrival,
) -> Result<Guest<'a>, Refused> {
    let host = match field("host").trimmed() {
        Field::One(host) => host,
        Field::Absent => return Err(Refused::at(400, "the header Host is missing")),
        Field::Many(_) => return Err(Refused::at(400, "the header Host stands twice")),
    };
    let Some(host) = std::str::from_utf8(host).ok().and_then(Authority::parse) else {
        return Err(Refused::at(400, "the header Host names no host"));
    };
    if !host.is_served(policy, arrival) {
        return Err(Refused::at(
            403,
            "the header Host names a host that is not served here; the operator can allow it",
        ));
    }
    let origin = match field("origin").trimmed() {
        Field::One(origin) => origin,
        Field::Absent => return Ok(Guest { origin: None }),
        Field::Many(_) => return Err(Refused::at(400, "the header Origin stands twice")),
    };
    match std::str::from_utf8(origin) {
        Ok(origin) if is_allowed(origin, host.port, policy, arrival) => Ok(Guest { origin: Some(origin) }),
        _ => Err(Refused::at(403, "this Origin may not call; the operator can allow it")),
    }
}

fn is_allowed(origin: &str, host_port: Option<u16>, policy: &Policy, arrival: Arrival) -> bool {
    if policy.origins.iter().any(|allowed| allowed == origin) {
        return true;
    }
    let Some(asked) = Origin::parse(origin) else { return false };
    // Operators copy addresses, which end with a slash.
    let mut allowed = policy.origins.iter().map(|allowed| allowed.strip_suffix('/').unwrap_or(allowed));
    if allowed.any(|allowed| Origin::parse(allowed) == Some(asked)) {
        return true;
    }
    let own_port = arrival.local.map(|local| local.port()).or(host_port).unwrap_or(HTTP_PORT);
    arrival.is_loopback()
        && asked.scheme.eq_ignore_ascii_case("http")
        && asked.host.is_loopback()
        && asked.port == Some(own_port)
}

const HTTP_PORT: u16 = 80;

/// What stands before the path of a URL: a host, and perhaps a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Authority<'a> {
    host: Host<'a>,
    port: Option<u16>,
}

#[derive(Clone, Copy, Debug)]
enum Host<'a> {
    V4(Ipv4Addr),
    V6(Ipv6Addr),
    Name(&'a str),
}

impl PartialEq for Host<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::V4(a), Self::V4(b)) => a == b,
            (Self::V6(a), Self::V6(b)) => a == b,
            (Self::Name(a), Self::Name(b)) => a.eq_ignore_ascii_case(b),
            (Self::V4(_) | Self::V6(_) | Self::Name(_), _) => false,
        }
    }
}

impl Eq for Host<'_> {}

impl Host<'_> {
    fn is_loopback(&self) -> bool {
        match self {
            Self::V4(address) => address.is_loopback(),
            Self::V6(address) => address.to_canonical().is_loopback(),
            Self::Name(name) => name.eq_ignore_ascii_case("localhost"),
        }
    }
}

impl<'a> Authority<'a> {
    /// Reads `host`, `host:port`, `[v6]` and `[v6]:port`; nothing else, and no user.
    fn parse(text: &'a str) -> Option<Self> {
        let (host, rest) = if let Some(rest) = text.strip_prefix('[') {
            let (address, rest) = rest.split_once(']')?;
            (Host::V6(Ipv6Addr::from_str(address).ok()?), rest)
        } else {
            let (name, rest) =
                text.find(':').map_or((text, ""), |at| text.split_at_checked(at).unwrap_or((text, "")));
            let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_');
            if name.is_empty() || !name.bytes().all(is_name) {
                return None;
            }
            (Ipv4Addr::from_str(name).map_or(Host::Name(name), Host::V4), rest)
        };
        let port = match rest.strip_prefix(':') {
            // An empty port is legal, and says nothing.
            Some("") => None,
            Some(port) if port.bytes().all(|byte| byte.is_ascii_digit()) => Some(port.parse().ok()?),
            None if rest.is_empty() => None,
            Some(_) | None => return None,
        };
        Some(Self { host, port })
    }

    fn is_served(&self, policy: &Policy, arrival: Arrival) -> bool {
        let named =
            policy.hosts.iter().filter_map(|host| Authority::parse(host)).any(|served| {
                served.host == self.host && (served.port.is_none() || served.port == self.port)
            });
        let loopback = arrival.is_loopback();
        named || (loopback && self.host.is_loopback()) || (!loopback && policy.hosts.is_empty())
    }
}

/// An origin of the web: scheme, host and port.
#[derive(Clone, Copy, Debug)]
struct Origin<'a> {
    scheme: &'a str,
    host: Host<'a>,
    port: Option<u16>,
}

impl PartialEq for Origin<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.scheme.eq_ignore_ascii_case(other.scheme) && self.host == other.host && self.port == other.port
    }
}

impl<'a> Origin<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        let (scheme, authority) = text.split_once("://")?;
        let Authority { host, port } = Authority::parse(authority)?;
        let default = match scheme {
            _ if scheme.eq_ignore_ascii_case("http") => Some(HTTP_PORT),
            _ if scheme.eq_ignore_ascii_case("https") => Some(443),
            _ => None,
        };
        Some(Self { scheme, host, port: port.or(default) })
    }
}
