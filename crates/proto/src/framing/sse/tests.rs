use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::framing::Head;

/// What was read: the event and the last event id at that moment.
type Seen = (Incoming, Option<String>);

fn read_all<'b>(reader: &mut EventReader, chunks: impl IntoIterator<Item = &'b [u8]>) -> Vec<Seen> {
    let mut seen = Vec::new();
    for chunk in chunks {
        let mut unread = chunk;
        while let Some(incoming) = reader.read(&mut unread) {
            seen.push((incoming, reader.last_event_id().map(str::to_owned)));
        }
        assert!(unread.is_empty());
    }
    seen
}

/// Reads the same bytes whole and in small chunks, and expects the same of each.
fn read(bytes: &[u8]) -> (Vec<Seen>, EventReader) {
    let mut reader = EventReader::new(64);
    let whole = read_all(&mut reader, [bytes]);
    for size in 1..8 {
        let mut again = EventReader::new(64);
        assert_eq!(read_all(&mut again, bytes.chunks(size)), whole, "in chunks of {size}");
        assert_eq!(again.retry(), reader.retry());
        assert_eq!(again.last_event_id(), reader.last_event_id());
    }
    (whole, reader)
}

fn events(bytes: &[u8]) -> Vec<(String, String)> {
    let (seen, _) = read(bytes);
    seen.into_iter()
        .map(|(incoming, _)| match incoming {
            Incoming::Event(event) => (event.name, event.data),
            other @ (Incoming::NotUtf8 { .. } | Incoming::TooLong { .. }) => panic!("{other:?}"),
        })
        .collect()
}

fn event(name: &str, data: &str) -> (String, String) {
    (name.to_owned(), data.to_owned())
}

#[test]
fn the_fields_are_read_as_the_standard_says() {
    let message = |data| vec![event("message", data)];
    for (stream, expected) in [
        ("data: a\n\n", message("a")),
        ("data:a\n\n", message("a")),
        ("data:  a \n\n", message(" a ")),
        ("data: a\ndata: b\n\n", message("a\nb")),
        ("data\n\n", message("")),
        ("data:\n\n", message("")),
        ("data\ndata\n\n", message("\n")),
        ("data: a:b\n\n", message("a:b")),
        ("event: ping\ndata: {}\n\n", vec![event("ping", "{}")]),
        ("event: ping\nevent\ndata: {}\n\n", message("{}")),
        ("event: ping\n\ndata: {}\n\n", message("{}")),
        (": note\n:\ndata: a\n: note\n\n", message("a")),
        ("foo: bar\nfoo\nDATA: x\n data: x\ndata: a\n\n", message("a")),
        ("data: a\n", vec![]),
        ("data: a", vec![]),
        ("\n\n\n", vec![]),
        ("event: x\nid: 1\n\n", vec![]),
        ("data: a\n\ndata: b\n\n", vec![event("message", "a"), event("message", "b")]),
    ] {
        assert_eq!(events(stream.as_bytes()), expected, "{stream:?}");
    }
}

#[test]
fn b041_an_event_without_data_is_no_message_yet_its_id_counts() {
    for priming in ["id: s1-0\nretry: 500\ndata: \n\n", "id: s1-0\nretry: 500\ndata\n\n"] {
        let (seen, reader) = read(priming.as_bytes());
        let [(Incoming::Event(event), id)] = &seen[..] else { panic!("{seen:?}") };
        assert!(!event.is_message());
        assert_eq!(id.as_deref(), Some("s1-0"));
        assert_eq!(reader.retry(), Some(Duration::from_millis(500)));
    }
    let (seen, reader) = read(b"id: s1-0\nretry: 500\n\n");
    assert!(seen.is_empty());
    assert_eq!(reader.last_event_id(), Some("s1-0"));
    let (seen, _) = read(b"id: s1-0\ndata: \n\nid: s1-1\nevent: message\ndata: {}\n\n");
    assert!(matches!(&seen[1], (Incoming::Event(event), Some(id)) if event.is_message() && id == "s1-1"));
}

#[test]
fn b043_only_an_empty_line_ends_an_event() {
    let data = format!("{{\"text\":\"{}\"}}", "x".repeat(64 * 1024));
    let stream = format!("event: message\ndata: {data}\n\n");
    for size in [1, 7, 4096, stream.len() - 1, stream.len()] {
        let mut reader = EventReader::new(1 << 20);
        let seen = read_all(&mut reader, stream.as_bytes().chunks(size));
        let [(Incoming::Event(event), None)] = &seen[..] else {
            panic!("in chunks of {size}: {}", seen.len())
        };
        assert_eq!(event.data, data);
    }
}

#[test]
fn b044_a_character_cut_by_a_chunk_is_whole_again() {
    assert_eq!(events("data: 日本🦀é\n\n".as_bytes()), [event("message", "日本🦀é")]);
}

#[test]
fn b044_invalid_utf8_is_an_error_and_never_replaced() {
    for spoilt in [&b"data: a\xFF\n\n"[..], b"event: \xFF\ndata: a\n\n", b"id: \xFF\ndata: a\n\n"] {
        let (seen, _) = read(&[spoilt, b"id: 2\ndata: b\n\n"].concat());
        assert_eq!(seen[0], (Incoming::NotUtf8 { head: Head::Unknown }, None));
        assert!(matches!(&seen[1], (Incoming::Event(event), Some(_)) if event.data == "b"));
        assert_eq!(seen.len(), 2);
    }
    assert_eq!(events(b": \xFF\nfoo\xFF: \xFF\ndata: a\n\n"), [event("message", "a")]);
}

#[test]
fn b045_every_line_end_a_mark_comments_and_odd_fields() {
    let stream = b"\xEF\xBB\xBF:\r\nevent: ping\rdata: {}\r\rfoo: bar\ndata:{\"id\":2}\r\n\r\n";
    assert_eq!(events(stream), [event("ping", "{}"), event("message", "{\"id\":2}")]);
    let (seen, _) = read(stream);
    let messages =
        seen.iter().filter(|(incoming, _)| matches!(incoming, Incoming::Event(e) if e.is_message()));
    assert_eq!(messages.count(), 1);
}

#[test]
fn a_byte_order_mark_is_dropped_once_and_only_at_the_start() {
    assert_eq!(events("\u{feff}data: a\n\n\u{feff}data: b\n\n".as_bytes()), [event("message", "a")]);
    assert_eq!(events("\u{feff}\u{feff}data: a\n\ndata: b\n\n".as_bytes()), [event("message", "b")]);
    assert_eq!(events("\u{feff}\ndata: \u{feff}b\n\n".as_bytes()), [event("message", "\u{feff}b")]);
}

#[test]
fn an_event_ends_with_its_line_without_waiting_for_a_line_feed() {
    let mut reader = EventReader::new(64);
    let mut unread = &b"data: a\r\r"[..];
    assert!(matches!(reader.read(&mut unread), Some(Incoming::Event(event)) if event.data == "a"));
    let mut unread = &b"\ndata: b\r\n\r"[..];
    assert!(matches!(reader.read(&mut unread), Some(Incoming::Event(event)) if event.data == "b"));
    let mut unread = &b"\n\n"[..];
    assert_eq!(reader.read(&mut unread), None);
}

#[test]
fn ids_stay_until_changed_and_count_only_with_their_event() {
    let ids = |stream: &str| -> Vec<Option<String>> {
        read(stream.as_bytes()).0.into_iter().map(|(_, id)| id).collect()
    };
    let some = |id: &str| Some(id.to_owned());
    assert_eq!(ids("id: 1\ndata: a\n\ndata: b\n\nid\ndata: c\n\n"), [some("1"), some("1"), None]);
    assert_eq!(ids("id: 1\ndata: a\n\nid: 2\0\ndata: b\n\n"), [some("1"), some("1")]);
    assert_eq!(ids("id: 1\nid: 2\ndata: a\n\n"), [some("2")]);
    let (_, reader) = read(b"id: 1\ndata: a\n\nid: 2\ndata: cut");
    assert_eq!(reader.last_event_id(), Some("1"));
}

#[test]
fn retry_takes_digits_only() {
    for (stream, retry) in [
        ("retry: 1500\n", Some(1500)),
        ("retry:0\n", Some(0)),
        ("retry: 1500\nretry: x\n", Some(1500)),
        ("retry: 1500\nretry: 99999999999999999999\n", Some(1500)),
        ("retry: 1.5\n", None),
        ("retry: -1\n", None),
        ("retry: +1\n", None),
        ("retry: 1 \n", None),
        ("retry\n", None),
        ("retry: 15", None),
    ] {
        let (_, reader) = read(stream.as_bytes());
        assert_eq!(reader.retry(), retry.map(Duration::from_millis), "{stream:?}");
    }
}

#[test]
fn an_event_beyond_the_limit_is_skipped_and_moves_the_id() {
    let (sixty, more) = ("x".repeat(58), "x".repeat(59));
    assert_eq!(events(format!("data: {sixty}\n\n").as_bytes()), [event("message", &sixty)]);
    for (stream, bytes) in [
        (format!("id: 7\ndata: {more}\n\ndata: b\n\n"), 70),
        (format!("data: {sixty}\nid: 7\ndata\n\ndata: b\n\n"), 73),
        (format!("id: 7\nevent: {more}\ndata: a\n\ndata: b\n\n"), 5 + 66 + 7),
    ] {
        let (seen, _) = read(stream.as_bytes());
        let id = Some("7".to_owned());
        assert_eq!(seen[0], (Incoming::TooLong { head: Head::Unknown, bytes }, id.clone()), "{stream:?}");
        assert!(matches!(&seen[1], (Incoming::Event(event), _) if event.data == "b"), "{stream:?}");
    }
    let (seen, _) = read(format!("id: {more}\r\nid: {more}xx\ndata: a\n\n").as_bytes());
    let too_long = Incoming::TooLong { head: Head::Unknown, bytes: 63 + 65 + 7 };
    assert_eq!(seen, [(too_long, Some(more))]);
}

#[test]
fn an_event_that_is_skipped_still_says_what_the_message_in_it_was() {
    let long = "x".repeat(70);
    let answer = |id: i64| Head::Response(Some(id.into()));
    for (stream, expected) in [
        (format!(r#"data: {{"id":7,"result":"{long}"}}"#), answer(7)),
        (format!(r#"data:{{"result":{{"id":1,"x":"{long}"}},"id":8}}"#), answer(8)),
        // Cut into lines, none of which is long.
        (format!("data: {{\"result\":\ndata:\"{}\",\ndata: \"error\":1,\"id\":9}}", &long[..40]), answer(9)),
        (format!("data: {{\ndata: \"result\":\"{long}\"\ndata: ,\"id\":10\ndata: }}"), answer(10)),
        (format!("event: {long}\ndata: {{\"id\":11,\"error\":{{}}}}"), answer(11)),
        (format!(r#"data: {{"method":"m","params":"{long}"}}"#), Head::Notification),
        (format!(": c\ndata: {long}"), Head::Unknown),
        (format!("\u{feff}data: {{\"id\":12,\"result\":\"{long}\"}}"), answer(12)),
    ] {
        let (seen, _) = read(format!("{stream}\n\ndata: b\n\n").as_bytes());
        let (Incoming::TooLong { head, .. }, _) = &seen[0] else { panic!("{:?}", seen[0]) };
        assert_eq!(*head, expected, "{stream}");
        assert!(matches!(&seen[1], (Incoming::Event(event), _) if event.data == "b"), "{stream}");
    }
    let (seen, _) = read(b"data: {\"id\":13,\"result\":\"\xFF\"}\n\n");
    assert_eq!(seen, [(Incoming::NotUtf8 { head: answer(13) }, None)]);
}

#[test]
fn comments_and_unknown_fields_have_no_limit() {
    let mut stream = ": keep-alive\nfoo: bar\n".repeat(100);
    stream.push_str(&format!(":{0}\n{0}\nretry: {0}\ndata: a\n\n", "x".repeat(1000)));
    assert_eq!(events(stream.as_bytes()), [event("message", "a")]);
}

#[test]
fn what_is_kept_is_bounded_by_the_limit() {
    let mut reader = EventReader::new(100);
    for chunk in [&b"data: "[..], &[b'x'; 150], b"\ndata: ", &[b'x'; 99], b"\ndata: xxxx\n: "] {
        assert_eq!(read_all(&mut reader, chunk.chunks(9)), []);
        let debug = format!("{reader:?}");
        let held = debug.split_once("held: ").and_then(|(_, rest)| rest.split(',').next()?.parse().ok());
        assert!(held.is_some_and(|held: usize| held <= 200), "{debug}");
    }
}

#[test]
fn what_is_written_reads_back() {
    for data in ["", "{}", "a\nb", "a\rb", "a\r\nb\n", "\n", " lead", ": x", "日本🦀é"] {
        let mut out = String::new();
        let written = OutgoingEvent {
            id: Some("s1-7"),
            name: Some("message"),
            retry: Some(Duration::from_millis(1500)),
            data,
        };
        assert_eq!(written.write(&mut out), Ok(()));
        write_comment(&mut out, "two\nlines");
        let mut reader = EventReader::new(1024);
        let expected = data.replace("\r\n", "\n").replace('\r', "\n");
        let seen = read_all(&mut reader, [out.as_bytes()]);
        let event = Event { name: "message".into(), data: expected };
        assert_eq!(seen, [(Incoming::Event(event), Some("s1-7".into()))], "{out:?}");
        assert_eq!(reader.retry(), Some(Duration::from_millis(1500)));
    }
}

#[test]
fn an_id_or_type_that_would_break_its_line_is_refused() {
    let event = OutgoingEvent::new("{}");
    for spoilt in ["a\nb", "a\rb", "a\0"] {
        let mut out = String::from(": before\n");
        assert_eq!(OutgoingEvent { id: Some(spoilt), ..event }.write(&mut out), Err(Unwritable));
        assert_eq!(OutgoingEvent { name: Some(spoilt), ..event }.write(&mut out), Err(Unwritable));
        assert_eq!(out, ": before\n");
    }
}

fn stream() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop::sample::select(vec![
        "data",
        "data:",
        "data: ",
        "id: ",
        "id",
        "event: ",
        "retry: ",
        ":",
        "foo",
        " ",
        "x",
        "12",
        "é",
        "🦀",
        "\0",
        "\n",
        "\n",
        "\n\n",
        "\r",
        "\r\r",
        "\r\n",
        "\r\n\r\n",
        "\u{feff}",
        "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    ]);
    let broken = prop::sample::select(vec![b"\xFF".to_vec(), b"\xEF".to_vec(), b"\xBB\xBF".to_vec()]);
    let piece = prop_oneof![20 => piece.prop_map(|text| text.as_bytes().to_vec()), 1 => broken];
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_cut_gives_the_same_events(
        bytes in stream(),
        lengths in prop::collection::vec(1_usize..9, 1..5),
    ) {
        let mut whole = EventReader::new(64);
        let expected = read_all(&mut whole, [&bytes[..]]);
        let mut chunks = Vec::new();
        let mut rest = &bytes[..];
        for length in lengths.iter().cycle() {
            let (chunk, behind) = rest.split_at((*length).min(rest.len()));
            chunks.push(chunk);
            rest = behind;
            if rest.is_empty() {
                break;
            }
        }
        let mut cut = EventReader::new(64);
        prop_assert_eq!(read_all(&mut cut, chunks), expected);
        prop_assert_eq!(cut.retry(), whole.retry());
        prop_assert_eq!(cut.last_event_id(), whole.last_event_id());
    }

    #[test]
    fn whatever_data_is_written_reads_back(data in "[a-z:{}\u{e9}\r\n ]{0,40}", id in "[a-z0-9-]{1,8}") {
        let mut out = String::new();
        let written = OutgoingEvent { id: Some(&id), ..OutgoingEvent::new(&data) };
        prop_assert_eq!(written.write(&mut out), Ok(()));
        let seen = read_all(&mut EventReader::new(1024), [out.as_bytes()]);
        let data = data.replace("\r\n", "\n").replace('\r', "\n");
        let event = Event { name: "message".into(), data };
        prop_assert_eq!(seen, [(Incoming::Event(event), Some(id))]);
    }
}
