//! The head of a text that will not be decoded: what the scan finds is what a full parser finds.
//!
//! * Fed in any pieces, the scan finds the same.
//! * Of a valid object it finds what a parser that keeps everything finds, by the table of [`Head`].
//! * Of a text that decodes as a message it finds that message's kind and id.

use hermes_proto::framing::{Head, IdScan};
use hermes_types::Message;

use crate::cuts::Stream;
use crate::json::{Id, Object};

/// Checks one text, cut as its first line says; see the seeds.
pub fn check(input: &[u8]) {
    let stream = Stream::read(input);
    let head = IdScan::head_of(stream.bytes);
    let mut scan = IdScan::new();
    for piece in stream.pieces() {
        scan.feed(piece);
    }
    assert_eq!(scan.finish(), head, "cut into pieces it is another");

    let Ok(text) = std::str::from_utf8(stream.bytes) else { return };
    if let Some(object) = Object::read(text) {
        assert_eq!(head, expected(&object));
    }
    match Message::decode(text) {
        Ok(Message::Request(request)) => assert_eq!(head, Head::Request(request.id)),
        Ok(Message::Notification(_)) => assert_eq!(head, Head::Notification),
        Ok(Message::Response(response)) => assert_eq!(head, Head::Response(response.id)),
        Err(_) => {}
    }
}

fn expected(object: &Object) -> Head {
    if object.count("id") > 1 || object.count("method") > 1 {
        return Head::Unknown;
    }
    let outcome = object.count("result") + object.count("error") > 0;
    match (object.count("method") == 1, object.id(), outcome) {
        (true, Id::Readable(id), _) => Head::Request(id),
        (true, Id::Absent, _) => Head::Notification,
        (false, Id::Readable(id), true) => Head::Response(Some(id)),
        (false, Id::Absent | Id::Unreadable, true) => Head::Response(None),
        (true, Id::Unreadable, _) | (false, _, false) => Head::Unknown,
    }
}
