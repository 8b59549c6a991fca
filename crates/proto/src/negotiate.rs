//! What a client may conclude from the first answers of an unknown server.
//!
//! The machine is a chain of values: [`Negotiation::begin`] gives the first [`Step`], and a step that wants
//! something sent carries the [`Negotiation`] that waits for what is heard. Nothing can be heard out of turn,
//! and nothing is heard twice.
//!
//! ```text
//!            begin                                     Auto, Modern                Legacy
//!              |----------------------------------------------+-----------------------+
//!              v                                                                      v
//!      +--------------+  any other error, no discover result, silence (Auto)  +--------------+
//!      |   Discover   | ----------------------------------------------------> |  Initialize  |
//!      | (the probe)  |  exit (Auto, once, fresh child): Respawn              |  (handshake) |
//!      |              | ----------------------------------------------------> |              |
//!      +--------------+ <---------------------------------------------------- +--------------+
//!        |   |      ^     modern error naming a modern revision, probe unheard    |       |
//!        |   |      |                                                             |       |
//!        |   |      +-- modern error naming another modern revision (once)        |       |
//!        v   v                                                                    v       v
//!   Agreed   Failed                    refused with HTTP 400, 404 or 405     Agreed     Failed
//!                                      (once): EventStream, and Initialize over it
//! ```
//!
//! | waiting for | heard | step |
//! |---|---|---|
//! | discover | result with a common modern revision | `Agreed` on the newest of them |
//! | discover | result or modern error with common legacy revisions only | `Initialize`; `Failed` if only modern is wanted |
//! | discover | result without a common revision | `Failed(NoCommonRevision)` |
//! | discover | modern error with a common modern revision | `Discover` with it, once; then `Failed(Refused)` |
//! | discover | modern error with unknown revisions only | `Failed(NoCommonRevision)` |
//! | discover | modern error that names none | `Failed(Refused)` |
//! | discover | any other error, another result, silence | `Initialize`; `Failed(NotModern)` if only modern is wanted |
//! | discover | refused over HTTP, with a modern error | as that error |
//! | discover | refused over HTTP by a status that is no sign of an era | `Failed(Status)` |
//! | discover | refused over HTTP by any other status | as any other error; a failure of the server counts as silence |
//! | discover | a stream of HTTP+SSE | `EventStream`; `Failed(NotModern)` if only modern is wanted |
//! | discover | exit | `Respawn` if that can be done; else `Failed(Exited)` |
//! | initialize | result with a legacy revision | `Agreed` |
//! | initialize | result with any other revision | `Failed(UnsupportedRevision)` |
//! | initialize | result without a revision | `Failed(BadResult)` |
//! | initialize | modern error with a common modern revision, after a probe that went unheard | `Discover`, once |
//! | initialize | refused over HTTP with 400, 404 or 405, without a modern error | `EventStream`, once |
//! | initialize | a stream of HTTP+SSE | `EventStream`, once; then `Failed(Silent)` |
//! | initialize | refused over HTTP otherwise, without an error | `Failed(Status)` |
//! | initialize | any other error | `Failed(InitializeRefused)` |
//! | initialize | silence | `Failed(Silent)` |
//! | initialize | exit, on a child that was probed | `Respawn`, once |
//! | initialize | exit | `Failed(Exited)` |
//!
//! A modern error is one with the code −32020, −32021 or −32022. No other code means anything here: the
//! fallback is tied to none of them.
//!
//! Credentials that are wanted, a server that has no time, and failures of servers and of whatever stands in
//! front of them (401, 403, 407, 408, 429, and 500 and above) are no sign of an era. Only a server that fails and
//! says so itself, by an error of the protocol, is offered the handshake all the same; should it refuse that
//! by a modern error, it is probed again.
//!
//! Some servers of HTTP+SSE open a stream whatever they are asked by, POST as well. The event that names their
//! endpoint is theirs alone, so it says as much there as in answer to a GET.
//!
//! Sources: `basic/transports/stdio#backward-compatibility`,
//! `basic/transports/streamable-http#backward-compatibility` and `basic/versioning` (2026-07-28),
//! `basic/lifecycle#version-negotiation` and `basic/transports#backwards-compatibility` (2025-11-25).

use std::fmt;

use hermes_types::{ErrorObject, Method, Revision, code};
use serde::Deserialize;
use serde_json::value::RawValue;

/// Which eras a client is willing to speak.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum EraChoice {
    /// Whichever the server speaks, the modern one preferred.
    #[default]
    Auto,
    /// The legacy era only: `initialize` is sent at once, without a probe.
    Legacy,
    /// The modern era only: a server that lacks it is refused.
    Modern,
}

/// What to do next.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub enum Step {
    /// Send `server/discover` that names this revision, and give it the time of a probe.
    Discover(Revision, Negotiation),
    /// Send `initialize` that offers this revision.
    Initialize(Revision, Negotiation),
    /// Start a fresh child, then send it `initialize` that offers this revision.
    Respawn(Revision, Negotiation),
    /// Ask the same address for a stream of the HTTP+SSE transport, then send `initialize` that offers this
    /// revision the way that the stream names.
    EventStream(Revision, Negotiation),
    /// Speak this revision. In the legacy era `notifications/initialized` is due now.
    Agreed(Revision),
    /// Give up.
    Failed(Failure),
}

/// What was heard of the request that the last step sent.
#[derive(Clone, Copy, Debug)]
pub enum Heard<'a> {
    /// Its result.
    Result(&'a RawValue),
    /// Its error, or an error that names no request.
    Error(&'a ErrorObject),
    /// A refusal by a status of HTTP, on an exchange of its own.
    Refused {
        /// The status, which is no success.
        status: u16,
        /// The error of the protocol in the body, if there is one.
        error: Option<&'a ErrorObject>,
    },
    /// The beginning of a stream of the HTTP+SSE transport, in answer to a POST.
    EventStream,
    /// Nothing, for as long as one waits.
    Silence,
    /// The end of the stream.
    Exit,
}

/// Why there is nothing to talk about.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Failure {
    /// The result of this method is not one.
    BadResult(Method),
    /// The server has gone.
    Exited,
    /// The server refused `initialize`.
    InitializeRefused(ErrorObject),
    /// The server speaks these revisions, and the client none of them.
    NoCommonRevision(Vec<String>),
    /// Only the modern era is wanted, and the server shows no sign of it; its error, if it gave one.
    NotModern(Option<ErrorObject>),
    /// The server is modern, and refused the probe without offering anything that was not tried.
    Refused(ErrorObject),
    /// The server did not answer `initialize` in time.
    Silent,
    /// The server answered this method with a status of HTTP that tells nothing of what it speaks.
    Status {
        /// The method.
        method: Method,
        /// The status.
        status: u16,
        /// The error that came with it, if one did.
        error: Option<ErrorObject>,
    },
    /// The server answered `initialize` with a revision that cannot be spoken in a session.
    UnsupportedRevision(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BadResult(method) => {
                write!(f, "the server's result of {} names no protocol version", method.as_str())
            }
            Self::Exited => f.write_str("the server has gone before it was ready"),
            Self::InitializeRefused(error) => write!(f, "the server refused initialize: {error}"),
            Self::NoCommonRevision(offered) => {
                write!(f, "no common protocol version: the server speaks {}", Listed(offered))
            }
            Self::NotModern(None) => f.write_str("the server does not speak the modern era"),
            Self::NotModern(Some(error)) => write!(f, "the server does not speak the modern era: {error}"),
            Self::Refused(error) => {
                write!(f, "the server is modern, but refused discovery and named no other version: {error}")
            }
            Self::Silent => f.write_str("the server did not answer initialize in time"),
            Self::Status { method, status, error } => {
                write!(f, "the server answered {} with HTTP {status}", method.as_str())?;
                error.as_ref().map_or(Ok(()), |error| write!(f, ": {error}"))
            }
            Self::UnsupportedRevision(answered) => {
                write!(f, "the server answered initialize with the unsupported protocol version {answered:?}")
            }
        }
    }
}

impl std::error::Error for Failure {}

/// Names, joined by commas; "none" for none of them.
struct Listed<'a>(&'a [String]);

impl fmt::Display for Listed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { f.write_str("none") } else { f.write_str(&self.0.join(", ")) }
    }
}

/// A negotiation that waits for what is heard of its last request.
///
/// ```
/// use hermes_proto::negotiate::{EraChoice, Heard, Negotiation, Step};
/// use hermes_types::{ErrorObject, Revision};
///
/// let Step::Discover(_, probe) = Negotiation::begin(EraChoice::Auto, false) else { panic!("a probe first") };
/// // Whatever the code of the error, unless it is one of the modern era's own, the server is legacy.
/// let error = ErrorObject { code: -32601, message: "method not found".to_owned(), data: None };
/// let Step::Initialize(offer, handshake) = probe.hear(Heard::Error(&error)) else { panic!("a handshake") };
/// assert_eq!(offer, Revision::V2025_11_25);
/// let result = serde_json::value::to_raw_value(&serde_json::json!({ "protocolVersion": "2025-06-18" }))?;
/// assert_eq!(handshake.hear(Heard::Result(&result)), Step::Agreed(Revision::V2025_06_18));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Negotiation {
    choice: EraChoice,
    waiting: Waiting,
    /// Whether a fresh child may still be started.
    may_respawn: bool,
    /// Whether the older transport may still be tried.
    may_stream: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Waiting {
    /// For the answer to the probe.
    Discover { last_try: bool },
    /// For the answer to the handshake.
    Initialize { probe: Probe },
}

/// What became of the probe on the stream that the handshake goes over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Probe {
    /// It was not sent, or not on this child.
    None,
    /// It was answered.
    Answered,
    /// It was not answered in time, perhaps because the server was still starting.
    Unheard,
}

impl Negotiation {
    /// Begins with an unknown server. `may_respawn` says whether it is a child that can be started anew.
    pub const fn begin(choice: EraChoice, may_respawn: bool) -> Step {
        match choice {
            EraChoice::Auto | EraChoice::Modern => {
                let waiting = Waiting::Discover { last_try: false };
                Self { choice, waiting, may_respawn, may_stream: true }.discover(Revision::LATEST, false)
            }
            EraChoice::Legacy => {
                let waiting = Waiting::Initialize { probe: Probe::None };
                Self { choice, waiting, may_respawn: false, may_stream: true }.initialize(Probe::None)
            }
        }
    }

    /// Concludes from what was heard.
    pub fn hear(self, heard: Heard<'_>) -> Step {
        match self.waiting {
            Waiting::Discover { last_try } => self.hear_probe(heard, last_try),
            Waiting::Initialize { probe } => self.hear_handshake(heard, probe),
        }
    }

    fn hear_probe(self, heard: Heard<'_>, last_try: bool) -> Step {
        match heard {
            Heard::Result(result) => match Offer::of_result(result) {
                Some(offer) => match offer.newest(&Revision::MODERN) {
                    Some(revision) => Step::Agreed(revision),
                    None => self.without_modern(offer),
                },
                None => self.fall_back(None, Probe::Answered),
            },
            Heard::Error(error) if is_modern(error.code) => {
                let offer = Offer::of_error(error);
                match offer.newest(&Revision::MODERN) {
                    Some(revision) if !last_try => self.discover(revision, true),
                    None if !offer.0.is_empty() => self.without_modern(offer),
                    Some(_) | None => Step::Failed(Failure::Refused(error.clone())),
                }
            }
            Heard::Error(error) => self.fall_back(Some(error), Probe::Answered),
            Heard::Refused { error: Some(error), .. } if is_modern(error.code) => {
                self.hear_probe(Heard::Error(error), last_try)
            }
            Heard::Refused { status: 500.., error: Some(error) } => {
                self.fall_back(Some(error), Probe::Unheard)
            }
            Heard::Refused { status, error } if is_no_sign(status) => {
                refused_by(Method::ServerDiscover, status, error)
            }
            Heard::Refused { error, .. } => self.fall_back(error, Probe::Answered),
            Heard::EventStream => match self.choice {
                EraChoice::Auto | EraChoice::Legacy => self.event_stream(),
                EraChoice::Modern => Step::Failed(Failure::NotModern(None)),
            },
            Heard::Silence => self.fall_back(None, Probe::Unheard),
            Heard::Exit => self.respawn(),
        }
    }

    fn hear_handshake(self, heard: Heard<'_>, probe: Probe) -> Step {
        match heard {
            Heard::Result(result) => agreed(result),
            Heard::Error(error) => {
                let modern = Offer::of_error(error).newest(&Revision::MODERN);
                match modern {
                    // A server that starts slowly hears the probe late; its own word then decides.
                    Some(revision) if is_modern(error.code) && probe == Probe::Unheard => {
                        self.discover(revision, true)
                    }
                    Some(_) | None => Step::Failed(Failure::InitializeRefused(error.clone())),
                }
            }
            Heard::Refused { status: 400 | 404 | 405, error }
                if self.may_stream && !error.is_some_and(|error| is_modern(error.code)) =>
            {
                self.event_stream()
            }
            Heard::EventStream if self.may_stream => self.event_stream(),
            Heard::Refused { error: Some(error), .. } => self.hear_handshake(Heard::Error(error), probe),
            Heard::Refused { status, error: None } => refused_by(Method::Initialize, status, None),
            Heard::EventStream | Heard::Silence => Step::Failed(Failure::Silent),
            // Some servers answer a request before `initialize` with an error and end; the handshake then
            // meets a closed stream, and the probe is to blame.
            Heard::Exit if probe != Probe::None => self.respawn(),
            Heard::Exit => Step::Failed(Failure::Exited),
        }
    }

    const fn discover(self, revision: Revision, last_try: bool) -> Step {
        Step::Discover(revision, Self { waiting: Waiting::Discover { last_try }, ..self })
    }

    const fn initialize(self, probe: Probe) -> Step {
        Step::Initialize(Revision::LATEST_LEGACY, Self { waiting: Waiting::Initialize { probe }, ..self })
    }

    /// The server speaks no modern revision that the client speaks, and says which ones it does speak.
    fn without_modern(self, offer: Offer) -> Step {
        if self.choice == EraChoice::Auto && offer.newest(&Revision::LEGACY).is_some() {
            return self.initialize(Probe::Answered);
        }
        Step::Failed(Failure::NoCommonRevision(offer.0))
    }

    /// Nothing points to a modern server.
    fn fall_back(self, error: Option<&ErrorObject>, probe: Probe) -> Step {
        match self.choice {
            EraChoice::Auto | EraChoice::Legacy => self.initialize(probe),
            EraChoice::Modern => Step::Failed(Failure::NotModern(error.cloned())),
        }
    }

    const fn event_stream(self) -> Step {
        let waiting = Waiting::Initialize { probe: Probe::None };
        let older = Self { waiting, may_respawn: false, may_stream: false, ..self };
        Step::EventStream(Revision::LATEST_LEGACY, older)
    }

    const fn respawn(self) -> Step {
        if !self.may_respawn || matches!(self.choice, EraChoice::Modern) {
            return Step::Failed(Failure::Exited);
        }
        let waiting = Waiting::Initialize { probe: Probe::None };
        Step::Respawn(Revision::LATEST_LEGACY, Self { waiting, may_respawn: false, ..self })
    }
}

/// What a result of `initialize` agrees to.
fn agreed(result: &RawValue) -> Step {
    #[derive(Deserialize)]
    struct Agreed {
        #[serde(rename = "protocolVersion")]
        revision: String,
    }
    let Ok(Agreed { revision: named }) = serde_json::from_str(result.get()) else {
        return Step::Failed(Failure::BadResult(Method::Initialize));
    };
    match named.parse::<Revision>() {
        Ok(revision) if !revision.is_modern() => Step::Agreed(revision),
        Ok(_) | Err(_) => Step::Failed(Failure::UnsupportedRevision(named)),
    }
}

fn refused_by(method: Method, status: u16, error: Option<&ErrorObject>) -> Step {
    Step::Failed(Failure::Status { method, status, error: error.cloned() })
}

/// Whether this status comes from servers of any era: credentials are wanted, there is no time, something failed.
const fn is_no_sign(status: u16) -> bool {
    matches!(status, 401 | 403 | 407 | 408 | 429 | 500..)
}

/// Whether an error code belongs to the modern era alone.
const fn is_modern(code: i64) -> bool {
    matches!(code, code::HEADER_MISMATCH | code::MISSING_CLIENT_CAPABILITY | code::UNSUPPORTED_REVISION)
}

/// The revisions that a server says it speaks, as it spells them.
struct Offer(Vec<String>);

impl Offer {
    /// The offer in a result of `server/discover`; `None` when it is no such result.
    fn of_result(result: &RawValue) -> Option<Self> {
        #[derive(Deserialize)]
        struct Discovered {
            #[serde(rename = "supportedVersions")]
            supported: Vec<serde_json::Value>,
        }
        let Discovered { supported } = serde_json::from_str(result.get()).ok()?;
        Some(Self::of(supported))
    }

    /// The offer in the data of a modern error; empty when there is none.
    fn of_error(error: &ErrorObject) -> Self {
        #[derive(Default, Deserialize)]
        struct Data {
            supported: Vec<serde_json::Value>,
        }
        let data = error.data.as_ref().and_then(|data| data.decode::<Data>().ok()).unwrap_or_default();
        Self::of(data.supported)
    }

    /// Entries that are no strings name no revision.
    fn of(entries: Vec<serde_json::Value>) -> Self {
        Self(entries.into_iter().filter_map(|entry| entry.as_str().map(str::to_owned)).collect())
    }

    /// The newest revision of `spoken` (oldest first) that is on offer.
    fn newest(&self, spoken: &[Revision]) -> Option<Revision> {
        spoken.iter().rev().copied().find(|revision| self.0.iter().any(|name| name == revision.as_str()))
    }
}

#[cfg(test)]
mod tests;
