use std::time::Duration;

use proptest::prelude::*;

use super::*;

/// Everything that a reader gives for these chunks: the events, the last id and the waiting time.
fn read(limit: usize, chunks: &[&[u8]]) -> (Vec<Incoming>, Option<String>, Option<Duration>) {
    let mut reader = EventReader::new(limit);
    let mut events = Vec::new();
    for chunk in chunks {
        let mut unread = *chunk;
        while let Some(event) = reader.read(&mut unread) {
            events.push(event);
        }
    }
    let last = reader.last_event_id().map(str::to_owned);
    (events, last, reader.retry())
}

fn event(name: &str, data: &str) -> Incoming {
    Incoming::Event(Event { name: name.to_owned(), data: data.to_owned() })
}

#[test]
fn b041_an_event_without_data_is_no_message_but_its_id_counts() {
    for priming in ["id: s1-0\nretry: 500\ndata: \n\n", "id: s1-0\nretry: 500\ndata\n\n"] {
        let (events, last, retry) = read(64, &[priming.as_bytes()]);
        assert_eq!(events, [event("message", "")]);
        assert!(events.iter().all(|event| !matches!(event, Incoming::Event(event) if event.is_message())));
        assert_eq!((last.as_deref(), retry), (Some("s1-0"), Some(Duration::from_millis(500))));
    }
    let (events, last, _) = read(64, &[b"id: s1-0\n\n"]);
    assert_eq!((events, last.as_deref()), (vec![], Some("s1-0")));
}

#[test]
fn b043_only_an_empty_line_ends_an_event() {
    let long = "x".repeat(64 * 1024);
    let text = format!("id: s1-1\nevent: message\ndata: {long}\n\n");
    for size in [1, 7, 4096] {
        let chunks: Vec<&[u8]> = text.as_bytes().chunks(size).collect();
        assert_eq!(read(1 << 20, &chunks).0, [event("message", &long)], "chunks of {size}");
    }
}

#[test]
fn b044_a_character_cut_in_two_is_whole_again() {
    let text = "data: 日本🦀é\n\n".as_bytes();
    let chunks: Vec<&[u8]> = text.chunks(1).collect();
    assert_eq!(read(64, &chunks).0, [event("message", "日本🦀é")]);
    assert_eq!(read(64, &[b"data: \xFF\n\ndata: {}\n\n"]).0, [Incoming::NotUtf8, event("message", "{}")]);
}

#[test]
fn b045_line_ends_marks_comments_and_odd_fields_are_understood() {
    let stream = b"\xEF\xBB\xBF:\r\nevent: ping\rdata: {}\r\rfoo: bar\ndata:{\"id\":2}\r\n\r\n";
    let (events, ..) = read(64, &[stream]);
    assert_eq!(events, [event("ping", "{}"), event("message", "{\"id\":2}")]);
    let messages: Vec<&Incoming> =
        events.iter().filter(|event| matches!(event, Incoming::Event(event) if event.is_message())).collect();
    assert_eq!(messages, [&event("message", "{\"id\":2}")]);
}

#[test]
fn several_data_lines_are_joined_and_one_space_is_dropped() {
    assert_eq!(read(64, &[b"data: a\ndata:  b\ndata\n\n"]).0, [event("message", "a\n b\n")]);
}

#[test]
fn an_id_with_a_nul_and_a_retry_with_letters_are_ignored() {
    let (_, last, retry) = read(64, &[b"id: a\ndata: 1\n\nid: b\0\nretry: 5s\nretry:\ndata: 2\n\n"]);
    assert_eq!((last.as_deref(), retry), (Some("a"), None));
}

#[test]
fn an_event_that_is_not_ended_is_dropped() {
    assert_eq!(read(64, &[b"id: a\ndata: 1\n"]), (vec![], None, None));
}

#[test]
fn an_event_beyond_the_limit_is_told_moves_the_id_and_the_next_one_works() {
    let text = format!("id: s1-4\ndata: {}\n\ndata: {{}}\n\n", "x".repeat(500));
    for size in [1, 13, 4096] {
        let chunks: Vec<&[u8]> = text.as_bytes().chunks(size).collect();
        let (events, last, _) = read(64, &chunks);
        assert_eq!(events, [Incoming::TooLong { bytes: 514 }, event("message", "{}")], "chunks of {size}");
        assert_eq!(last.as_deref(), Some("s1-4"));
    }
}

#[test]
fn what_is_written_reads_back() {
    let mut out = String::new();
    write_comment(&mut out, "keep-alive\nstill");
    let whole = OutgoingEvent {
        id: Some("s7-3"),
        name: Some("message"),
        retry: Some(Duration::from_secs(3)),
        data: "a\r\nb\rc\n",
    };
    whole.write(&mut out).expect("writable");
    let (events, last, retry) = read(64, &[out.as_bytes()]);
    assert_eq!(events, [event("message", "a\nb\nc\n")]);
    assert_eq!((last.as_deref(), retry), (Some("s7-3"), Some(Duration::from_secs(3))));
}

#[test]
fn an_id_that_would_break_the_line_is_refused_and_nothing_is_written() {
    let mut out = String::new();
    let event = OutgoingEvent { id: Some("a\ndata: forged"), ..OutgoingEvent::new("{}") };
    assert_eq!(event.write(&mut out), Err(Unwritable));
    assert_eq!(out, "");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_cut_never_matters(
        words in prop::collection::vec(
            prop::sample::select(vec![
                &b"data: {}"[..], b"data:", b"id: a", b"id: b\0", b"event: x", b"retry: 12", b": c", b"\xEF\xBB\xBF",
                b"\n", b"\r", b"\r\n", b"\n\n", b"\xFF", b"data: \xE6\x97\xA5",
            ]),
            0..40,
        ),
        cuts in prop::collection::vec(1usize..6, 0..120),
        limit in 1usize..60,
    ) {
        let bytes = words.concat();
        let mut rest = &bytes[..];
        let mut chunks = Vec::new();
        for cut in cuts {
            let (chunk, behind) = rest.split_at(cut.min(rest.len()));
            chunks.push(chunk);
            rest = behind;
        }
        chunks.push(rest);
        prop_assert_eq!(read(limit, &chunks), read(limit, &[&bytes]));
    }
}
