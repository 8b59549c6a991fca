use proptest::prelude::*;

use super::*;

/// What a reader gives for these chunks, as text.
fn read(limit: usize, chunks: &[&[u8]]) -> Vec<String> {
    let mut reader = LineReader::new(limit);
    let mut lines = Vec::new();
    for chunk in chunks {
        let mut unread = *chunk;
        while let Some(line) = reader.read(&mut unread) {
            lines.push(show(&line));
        }
        assert!(reader.partial.len() <= limit, "more is held than the limit allows");
    }
    lines.extend(reader.finish().map(|line| show(&line)));
    lines
}

fn show(line: &Line<'_>) -> String {
    match line {
        Line::Text(text) => (*text).to_owned(),
        Line::NotUtf8 { head } => format!("not UTF-8: {head:?}"),
        Line::TooLong { head, bytes } => format!("{bytes} bytes: {head:?}"),
    }
}

// spec: R101
#[test]
fn a_line_feed_ends_a_line_wherever_the_chunks_are_cut() {
    assert_eq!(read(64, &[b"{\"a\":1}\n{\"b\":2}\n"]), [r#"{"a":1}"#, r#"{"b":2}"#]);
    assert_eq!(read(64, &[b"{\"a\"", b":1}", b"\n{", b"\"b\":2}\n"]), [r#"{"a":1}"#, r#"{"b":2}"#]);
}

#[test]
fn b059_carriage_returns_are_dropped_and_the_last_line_needs_no_end() {
    assert_eq!(read(64, &[b"{}\r\n", b"[]\r", b"\n", b"5"]), ["{}", "[]", "5"]);
}

#[test]
fn b060_blank_lines_and_byte_order_marks_are_no_messages() {
    assert_eq!(read(64, &[b"\n  \n\r\n\t\r\n\xEF\xBB\xBF{}\n\xEF\xBB\xBF\n"]), ["{}"]);
    assert_eq!(read(64, &[b"\xEF", b"\xBB\xBF{", b"}\n"]), ["{}"]);
}

// spec: R016
#[test]
fn b044_a_character_cut_in_two_is_whole_again() {
    let text = "\"日本🦀é\"\n".as_bytes();
    for at in 0..text.len() {
        let (front, back) = text.split_at(at);
        assert_eq!(read(64, &[front, back]), ["\"日本🦀é\""]);
    }
    let bytes: Vec<&[u8]> = text.chunks(1).collect();
    assert_eq!(read(64, &bytes), ["\"日本🦀é\""]);
}

#[test]
fn a_line_that_is_not_utf8_is_told_with_its_id_and_the_next_one_works() {
    let lines = read(128, &[b"{\"id\":7,\"method\":\"x\",\"params\":\"\xFF\"}\n{}\n"]);
    assert_eq!(lines, ["not UTF-8: Request(7)", "{}"]);
}

#[test]
fn a_line_beyond_the_limit_is_told_with_its_id_and_length_and_the_next_one_works() {
    let long = format!("{{\"method\":\"x\",\"params\":\"{}\",\"id\":\"a\"}}", "y".repeat(100));
    let text = format!("{long}\n{{}}\n");
    let expected = [format!("{} bytes: Request(\"a\")", long.len()), "{}".to_owned()];
    assert_eq!(read(64, &[text.as_bytes()]), expected);
    let bytes: Vec<&[u8]> = text.as_bytes().chunks(1).collect();
    assert_eq!(read(64, &bytes), expected);
    assert_eq!(read(long.len(), &[text.as_bytes()]), [long.as_str(), "{}"]);
}

#[test]
fn a_long_blank_line_is_still_blank() {
    let text = format!("{}\n{{}}\n", " ".repeat(1000));
    assert_eq!(read(64, &[text.as_bytes()]), ["{}"]);
}

#[test]
fn a_long_line_in_many_chunks_is_read_in_one_pass() {
    // With a rescan per chunk this would take hours.
    let mut reader = LineReader::new(16 << 20);
    for _ in 0..(8 << 20) {
        assert_eq!(reader.read(&mut &b"x"[..]), None);
    }
    assert!(matches!(reader.read(&mut &b"\n"[..]), Some(Line::Text(text)) if text.len() == 8 << 20));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_cut_never_matters(
        bytes in prop::collection::vec(prop::sample::select(b"{}[]\"\\:,id1 \r\n\xEF\xBB\xBF\xFFa".to_vec()), 0..200),
        cuts in prop::collection::vec(1usize..9, 0..100),
        limit in 1usize..40,
    ) {
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
