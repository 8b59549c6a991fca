//! The outbox: everything a server sends to the client of one legacy session, and who may read it.
//!
//! A stream is a log with cursors, a connection is a reader of it, and a [`Lease`] is the right to read.
//! Nobody sends to a connection: whoever has something to say adds it to the [`Outbox`], and the body of each
//! HTTP answer asks [`Outbox::next`] for what is due on its own stream. A dead connection therefore costs
//! nothing: what it did not carry is still in the log.
//!
//! There are two kinds of stream. An **exchange** stream answers one POST: progress, log messages and nested
//! server requests of that call, then its one response. A **standalone** stream answers a GET and carries what
//! belongs to no call. It is deliberately not the modern era's delivery: that has no sessions and resumes nothing.
//!
//! # The rules
//!
//! * **R1, late binding.** What belongs to no call waits in one queue per session. An event joins a stream, gets
//!   its number and enters that stream's log, only when the reader of that stream takes it.
//! * **R2, leases.** Attaching gives a lease: a stream and an epoch. The newest lease of a standalone stream takes
//!   from the queue; older standalone connections stay open and silent, and the newest of them takes over when
//!   the newer lease ends. A stale lease can neither read nor detach anything newer.
//! * **R3, cursors are per stream.** [`Outbox::resume`] continues exactly the stream that the cursor names, after
//!   that event. Attaching without a cursor opens a new stream. Nothing is ever replayed on another stream. A
//!   cursor acknowledges what lies at or before it; having been asked for an event acknowledges nothing.
//! * **R4, grace.** A standalone stream without a lease for the grace period is closed. Of the events after the
//!   last cursor that the client showed, hints are raised again as new events, requests are failed for their
//!   caller ([`Expired::Request`]), and notes expire and are counted. On an exchange stream the requests are
//!   failed too, but the stream stays: its response is kept until a cursor acknowledges it or the retention
//!   period has passed without a reader, which is reported ([`Expired::Response`]).
//!
//! * **R5, budgets.** What is held keeps to a [`Budget`], responses apart: a result always fits. Notes give way first, then
//!   hints, and a request that does not fit is refused. Numbers are never given again: what gave way leaves a gap in
//!   them, which is counted ([`Counters`]) and which the reader is told ([`Next::Gap`]). A hint that gave way and
//!   that the client may not have is told as well ([`Outbox::take_hint_loss`]). Of the responses that a reader took to
//!   the end, the oldest leave before their time when there are too many; those that nobody took never do.
//!
//! # The life of a stream
//!
//! ```text
//!  standalone                                   exchange
//!
//!     attach                                       open
//!       v          detach                            v         detach
//!  +----------+ -----------> +---------+        +----------+ -----------> +---------+
//!  |  leased  |              | waiting |        | running, |              | running,|--+ grace:
//!  |          | <----------- |         |        |  leased  | <----------- | waiting |<-+ requests fail
//!  +----------+    resume    +---------+        +----------+    resume    +---------+
//!    ^      |                     |                  | append(Response)        | append(Response)
//!    +------+                     | grace            v         detach          v
//!     resume (takeover)           v             +----------+ -----------> +---------+
//!                              closed           | answered,|              | answered|
//!                                               |  leased  | <----------- | waiting |
//!                                               +----------+    resume    +---------+
//!                                                    | resume at              | resume at the response,
//!                                                    v the response           v or retention
//!                                                  closed                   closed
//!
//!  leased    a lease of this stream may read          waiting   nobody may read, a deadline may run
//!  running   the call has no response yet             answered  the response is in the log
//!  resume    any leased stream can be taken over: the earlier lease becomes stale
//!  abandon   closes a running stream; a reader that is there finds that it has ended
//!  finish    closes an answered stream whose reader has sent the response as one body
//!  close_all closes every stream from every state
//! ```
//!
//! # What each call does in each state
//!
//! The exploration in `tests/explore.rs` and the long runs in `tests/explore_random.rs` hold every call they make
//! against this table; the long runs also require that each row was seen.
//!
//! | stage | input | stage after | output |
//! |---|---|---|---|
//! | closed | `attach` | standalone, leased | a lease |
//! | closed | `open` | running, leased | a lease |
//! | standalone | `resume`, cursor within | standalone, leased | a newer lease |
//! | running | `resume`, cursor within | running, leased | a newer lease |
//! | answered | `resume`, cursor before the response | answered, leased | a newer lease |
//! | answered | `resume`, cursor at the response | closed | [`ResumeError::Finished`] |
//! | any open | `resume`, cursor after all that was read | same | [`ResumeError::Ahead`] |
//! | any open | `resume`, cursor before one already shown | same | [`ResumeError::Behind`] |
//! | closed | `resume` | closed | [`ResumeError::Gone`], or [`ResumeError::Unknown`] if never issued |
//! | any leased | `detach`, current lease | same, waiting | `true` |
//! | answered, leased | `detach`, current lease, told of the end, too many such responses | same, waiting, or closed | `true`; the oldest of them are reported and closed |
//! | any | `detach`, stale lease | same | `false` |
//! | running | `append` of a note | same | [`Appended::Logged`], or [`Appended::Dropped`] if there is no room |
//! | running | `append` of a request | same | [`Appended::Logged`], or [`Appended::Full`] if there is no room |
//! | running | `append` of the response | answered | [`Appended::Logged`] |
//! | answered | `append` | same | [`Appended::Ended`] |
//! | standalone, closed | `append` | same | [`Appended::NoSuchStream`] |
//! | any leased | `next`, current lease, notes gave way before it | same | [`Next::Gap`], once |
//! | any leased | `next`, current lease, something due | same | [`Next::Event`] |
//! | standalone or running, leased | `next`, current lease, nothing due | same | [`Next::Idle`], or [`Next::HangUp`] if asked to |
//! | answered, leased | `next`, current lease, all read | same | [`Next::Ended`] |
//! | any | `next`, stale lease | same | [`Next::Stale`] |
//! | any leased | `hang_up` | same | `true`, and `next` takes nothing more from the queue |
//! | waiting or closed | `hang_up` | same | `false` |
//! | running | `abandon` | closed | requests failed, notes counted |
//! | answered, standalone, closed | `abandon` | same | nothing |
//! | closed by `abandon` | `next`, lease that was current | closed | [`Next::Ended`] |
//! | closed by `abandon` | `detach`, lease that was current | closed | `true` |
//! | answered, leased | `finish`, current lease, nothing but the response was said | closed | `true` |
//! | any | `finish`, anything else | same | `false` |
//! | standalone, waiting | `expire` after grace | closed | hints raised, requests failed, notes counted |
//! | running, waiting | `expire` after grace | same | requests failed |
//! | answered, waiting | `expire` after retention | closed | response reported, rest counted |
//! | any | `close_all` | closed | requests failed, responses reported; `next` then says [`Next::Ended`] |
//!
//! # Invariants
//!
//! *Accounting:* what was accepted is held or has left in exactly one way ([`Counters`]). *Order:* numbers rise
//! strictly on a lease. *Owner:* a stale lease changes nothing. *One place:* an event is on at most one stream.
//! *One outcome:* a server request is settled or failed, once. *Room:* what is held, responses apart, is within the
//! budget after every call, and so are the responses that wait after they were read to the end. *Gaps:* whoever has the response of a call was told of every note that it misses. *Own stream:* a response is logged once, on the
//! stream of its own call. *Progress:* if something is queued and a standalone lease exists, the taker can read.
//!
//! # Example
//!
//! ```
//! use hermes_proto::outbox::{Budget, Encoded, Next, Outbox, Patience, Related};
//! use std::time::{Duration, Instant};
//!
//! let patience = Patience { grace: Duration::from_secs(30), retention: Duration::from_secs(300) };
//! let mut outbox = Outbox::new(patience, Budget::default());
//! # let now = Instant::now();
//!
//! // A POST arrives and is answered with a stream; its connection dies before the call has finished.
//! let post = outbox.open();
//! let primer = post.start();
//! assert!(outbox.detach(&post, now).current);
//! let _ = outbox.append(post.stream(), Related::Response, Encoded::from(*b"42"), now);
//!
//! // The client comes back with the id it has seen, and reads the response that waited for it.
//! let get = outbox.resume(primer)?;
//! let Next::Event(event) = outbox.next(&get) else { unreachable!() };
//! assert_eq!((event.id.to_string().as_str(), event.message.as_bytes()), ("s1-1", b"42".as_slice()));
//! assert_eq!(outbox.next(&get), Next::Ended);
//! # Ok::<(), hermes_proto::outbox::ResumeError>(())
//! ```

mod answer;
mod books;
mod budget;
mod due;
mod ending;
mod event;
mod grace;
mod handed;
mod id;
mod room;
mod state;
mod stream;
#[cfg(test)]
mod tests;

pub use answer::{Appended, Delivery, Detached, Enqueued, Expired, Held, Lease, Next, ResumeError, Stage};
pub use books::Counters;
pub use budget::Budget;
pub use event::{CallId, Encoded, Event, Related, Unrelated};
pub use id::{EventId, ParseEventIdError, Seq, StreamId};
pub use state::{Find, KeptOutbox, Number, Outbox, Patience, Unreadable};
pub use stream::KeptStream;
