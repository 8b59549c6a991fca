//! Why a server is not believed to be who it says it is.

use std::error::Error;
use std::fmt;
use std::io;
use std::time::Duration;

use rustls::pki_types::UnixTime;
use rustls::{CertificateError, InvalidMessage};

/// What is wrong with the certificate of a server: the source of a [`ClientError::Unreachable`]. Nothing was sent.
///
/// ```
/// use std::error::Error as _;
///
/// use hermes_client::{CertificateProblem, ClientError};
///
/// /// What a host may tell its user.
/// fn advice(error: &ClientError) -> Option<&'static str> {
///     match error.source()?.downcast_ref()? {
///         CertificateProblem::UnknownIssuer => Some("have its issuer trusted"),
///         CertificateProblem::WrongName { .. } => Some("write the address as the certificate does"),
///         _ => None,
///     }
/// }
/// ```
///
/// [`ClientError::Unreachable`]: crate::ClientError::Unreachable
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CertificateProblem {
    /// Whoever issued it is not trusted here. [`ClientBuilder::trust`](crate::ClientBuilder::trust) trusts an issuer.
    UnknownIssuer,
    /// It is not valid any more.
    Expired {
        /// For how long, by the clock of this machine; unknown on some systems.
        since: Option<Duration>,
    },
    /// It is not valid yet.
    NotYetValid {
        /// How long it takes until it is, by the clock of this machine; unknown on some systems.
        until: Option<Duration>,
    },
    /// It is another server's.
    WrongName {
        /// The servers that it is for; empty when that is not known.
        names: Vec<String>,
    },
    /// It was revoked by its issuer.
    Revoked,
    /// It is an issuer's, and is shown as if it were a server's.
    Issuer,
    /// Something else, in the words of what verifies.
    Other(String),
}

impl CertificateProblem {
    fn of(error: &CertificateError) -> Self {
        let between = |early: UnixTime, late: UnixTime| {
            Duration::from_secs(late.as_secs().saturating_sub(early.as_secs()))
        };
        match error {
            // A wrong signature is that of another issuer, which only has the name of one that is trusted.
            CertificateError::UnknownIssuer | CertificateError::BadSignature => Self::UnknownIssuer,
            CertificateError::Expired => Self::Expired { since: None },
            CertificateError::ExpiredContext { time, not_after } => {
                Self::Expired { since: Some(between(*not_after, *time)) }
            }
            CertificateError::NotValidYet => Self::NotYetValid { until: None },
            CertificateError::NotValidYetContext { time, not_before } => {
                Self::NotYetValid { until: Some(between(*time, *not_before)) }
            }
            CertificateError::NotValidForName => Self::WrongName { names: Vec::new() },
            CertificateError::NotValidForNameContext { presented, .. } => {
                Self::WrongName { names: presented.iter().map(|name| bare(name)).collect() }
            }
            CertificateError::Revoked => Self::Revoked,
            // What verifies has no other way to say so.
            CertificateError::Other(other) if format!("{other:?}").contains("CaUsedAsEndEntity") => {
                Self::Issuer
            }
            other => Self::Other(other.to_string()),
        }
    }
}

impl fmt::Display for CertificateProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownIssuer => f.write_str(
                "its certificate is of an issuer that is not trusted here; if it is the right one, have the \
                 issuer's certificate trusted",
            ),
            Self::Expired { since: Some(since) } => {
                write!(f, "its certificate expired {} ago; it has to be renewed", Shown(*since))
            }
            Self::Expired { since: None } => f.write_str("its certificate has expired; it has to be renewed"),
            Self::NotYetValid { until: Some(until) } => {
                write!(f, "its certificate is valid only in {}; look at the clocks", Shown(*until))
            }
            Self::NotYetValid { until: None } => {
                f.write_str("its certificate is not valid yet; look at the clocks")
            }
            Self::WrongName { names } if names.is_empty() => {
                f.write_str("its certificate is for no server of this name")
            }
            Self::WrongName { names } => write!(
                f,
                "its certificate is for {}, not for the name in the address; use that one if it is the same server",
                names.join(", ")
            ),
            Self::Revoked => f.write_str("its certificate was revoked by its issuer"),
            Self::Issuer => f.write_str(
                "it shows the certificate of an issuer (CA) as its own; give it one that this issuer has signed",
            ),
            Self::Other(reason) => write!(f, "its certificate cannot be accepted: {reason}"),
        }
    }
}

impl Error for CertificateProblem {}

/// What went wrong in TLS, in words that help; `None` when something else did.
pub(super) fn problem(error: &(dyn Error + 'static)) -> Option<Box<dyn Error + Send + Sync>> {
    if let Some(alert) = alert(error) {
        return Some(format!("it refuses to speak TLS with this client ({alert})").into());
    }
    Some(match found(error)? {
        rustls::Error::InvalidCertificate(error) => CertificateProblem::of(error).into(),
        rustls::Error::InvalidMessage(InvalidMessage::InvalidContentType) => {
            "it does not speak TLS there: is its address http://?".into()
        }
        other => other.to_string().into(),
    })
}

/// Whether the server has refused the client for what it shows, or does not show. In TLS 1.3 the client hears of it only
/// when it has sent its first request, which was not read then.
pub(super) fn is_refused(error: &(dyn Error + 'static)) -> bool {
    const REFUSALS: [&str; 10] = [
        "AccessDenied",
        "BadCertificate",
        "CertificateExpired",
        "CertificateRequired",
        "CertificateRevoked",
        "CertificateUnknown",
        "DecryptError",
        "HandshakeFailure",
        "UnknownCA",
        "UnsupportedCertificate",
    ];
    alert(error).is_some_and(|alert| REFUSALS.contains(&&*alert))
}

/// With which alert the server has ended TLS, if it has.
fn alert(error: &(dyn Error + 'static)) -> Option<String> {
    if let Some(rustls::Error::AlertReceived(alert)) = found(error) {
        return Some(format!("{alert:?}"));
    }
    // Of what breaks a connection of HTTP/2 nothing but its words is left.
    let mut cause = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string().strip_prefix("received fatal alert: ").map(str::to_owned)
}

/// The error of TLS among an error and its causes.
fn found<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a rustls::Error> {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(found) = error.downcast_ref::<rustls::Error>() {
            return Some(found);
        }
        // What an I/O error wraps is not its source, but stands in its place.
        let wrapped = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        if let Some(found) = wrapped.and_then(|wrapped| found(wrapped)) {
            return Some(found);
        }
        cause = error.source();
    }
    None
}

/// `DnsName("example.org")` without what stands around it.
fn bare(name: &str) -> String {
    let inner = name.split_once('(').map_or(name, |(_, inner)| inner.trim_end_matches(')'));
    inner.trim_matches('"').to_owned()
}

/// A time that one has an idea of.
struct Shown(Duration);

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let minutes = self.0.as_secs() / 60;
        let (count, unit) = match minutes {
            0..120 => (minutes, "minute"),
            120..2880 => (minutes / 60, "hour"),
            _ => (minutes / 1440, "day"),
        };
        write!(f, "{count} {unit}{}", if count == 1 { "" } else { "s" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_of_tls_is_found_however_it_is_wrapped() {
        let expired = rustls::Error::InvalidCertificate(CertificateError::Expired);
        let wrapped = io::Error::other(io::Error::other(expired));
        let found = problem(&wrapped).expect("found");
        assert_eq!(found.downcast_ref(), Some(&CertificateProblem::Expired { since: None }));
        assert!(problem(&io::Error::other("no")).is_none());
    }

    #[test]
    fn names_and_times_are_shown_as_people_write_them() {
        assert_eq!(bare("DnsName(\"a.example\")"), "a.example");
        assert_eq!(bare("IpAddress(127.0.0.1)"), "127.0.0.1");
        assert_eq!(bare("a.example"), "a.example");
        for (seconds, shown) in [(59, "0 minutes"), (60, "1 minute"), (7200, "2 hours"), (259_200, "3 days")]
        {
            assert_eq!(Shown(Duration::from_secs(seconds)).to_string(), shown);
        }
    }
}
