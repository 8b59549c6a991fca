use proptest::prelude::*;

use super::*;

/// What was read, owned.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Seen {
    Text(String),
    NotUtf8(Head),
    TooLong(Head, u64),
}

impl From<Line<'_>> for Seen {
    fn from(line: Line<'_>) -> Self {
        match line {
            Line::Text(text) => Self::Text(text.to_owned()),
            Line::NotUtf8 { head } => Self::NotUtf8(head),
            Line::TooLong { head, bytes } => Self::TooLong(head, bytes),
        }
    }
}

fn read_all<'b>(limit: usize, chunks: impl IntoIterator<Item = &'b [u8]>) -> Vec<Seen> {
    let mut reader = LineReader::new(limit);
    let mut seen = Vec::new();
    for chunk in chunks {
        let mut unread = chunk;
        while let Some(line) = reader.read(&mut unread) {
            seen.push(line.into());
        }
        assert!(unread.is_empty());
        assert!(reader.partial.capacity() <= limit.max(KEPT_CAPACITY));
    }
    seen.extend(reader.finish().map(Seen::from));
    assert_eq!(reader.finish(), None);
    seen
}

/// Reads the same bytes whole, byte by byte and in small pieces, and expects the same of each.
fn read(limit: usize, bytes: &[u8]) -> Vec<Seen> {
    let whole = read_all(limit, [bytes]);
    for size in 1..8 {
        assert_eq!(read_all(limit, bytes.chunks(size)), whole, "in chunks of {size}");
    }
    whole
}

fn texts(bytes: &[u8]) -> Vec<String> {
    read(1024, bytes)
        .into_iter()
        .map(|seen| match seen {
            Seen::Text(text) => text,
            other @ (Seen::NotUtf8(_) | Seen::TooLong(..)) => panic!("{other:?}"),
        })
        .collect()
}

// spec: R101
#[test]
fn b059_lines_end_with_lf_or_crlf_and_the_last_one_needs_no_end() {
    assert_eq!(texts(b"a\nb\r\nc"), ["a", "b", "c"]);
    assert_eq!(texts(b"a\r\n"), ["a"]);
    assert_eq!(texts(b"a\r"), ["a"]);
    assert_eq!(texts(b"a\rb\r\r\n"), ["a\rb\r"]);
    assert!(texts(b"").is_empty());
}

#[test]
fn b060_blank_lines_and_byte_order_marks_are_no_content() {
    assert_eq!(texts(b"\n  \n\t\r\n\xEF\xBB\xBF{}\n\xEF\xBB\xBF\r\n\xEF\xBB\xBF[]\n \n  "), ["{}", "[]"]);
    assert_eq!(texts("\u{feff}a\u{feff}".as_bytes()), ["a\u{feff}"]);
}

// spec: R016
#[test]
fn b044_a_character_cut_by_a_chunk_is_whole_again() {
    assert_eq!(texts("日本🦀é\nñ".as_bytes()), ["日本🦀é", "ñ"]);
}

#[test]
fn invalid_utf8_spoils_its_own_line_only() {
    let bytes = b"a\n{\"id\":5,\"method\":\"\xFF\"}\nb\n\xE6\x97\nc";
    assert_eq!(
        read(1024, bytes),
        [
            Seen::Text("a".into()),
            Seen::NotUtf8(Head::Request(5.into())),
            Seen::Text("b".into()),
            Seen::NotUtf8(Head::Unknown),
            Seen::Text("c".into()),
        ]
    );
}

#[test]
fn a_line_beyond_the_limit_is_skipped_and_named() {
    let line = br#"{"method":"x","params":{"text":"xxxxxxxxxxxxxxxxxxxxxxxxx"},"id":"seven"}"#;
    let long = Seen::TooLong(Head::Request("seven".into()), 73);
    assert_eq!(line.len(), 73);
    let bytes = [&line[..], b"\nok\n", line].concat();
    assert_eq!(read(72, &bytes), [long.clone(), Seen::Text("ok".into()), long.clone()]);
    assert_eq!(read(2, &bytes), [long.clone(), Seen::Text("ok".into()), long]);
    let fitting = Seen::Text(String::from_utf8_lossy(line).into_owned());
    assert_eq!(read(73, &bytes), [fitting.clone(), Seen::Text("ok".into()), fitting]);
}

#[test]
fn the_limit_counts_all_bytes_before_the_line_feed() {
    assert_eq!(
        read(3, b"abc\nab\r\nabcd\n"),
        [Seen::Text("abc".into()), Seen::Text("ab".into()), Seen::TooLong(Head::Unknown, 4),]
    );
}

#[test]
fn a_blank_line_is_skipped_at_any_length() {
    assert_eq!(read(4, b"          \r\nab\n           "), [Seen::Text("ab".into())]);
}

#[test]
fn a_long_line_of_broken_marks_is_not_blank() {
    assert_eq!(read(4, b"\xEF\xBB\xBF     \n"), []);
    for line in [&b"\xBB\xBB\xBB\xBB\xBB"[..], b"\xEF\xBB\xBF\xEF\xBB\xBF", b"  \xEF\xBB\xBF"] {
        let length = u64::try_from(line.len()).expect("a short line");
        assert_eq!(read(4, line), [Seen::TooLong(Head::Unknown, length)]);
    }
}

#[test]
fn a_long_line_byte_by_byte_needs_neither_time_nor_memory() {
    let limit = 1 << 18;
    let mut reader = LineReader::new(limit);
    let mut feed = |bytes: &[u8], size: usize| {
        for mut unread in bytes.chunks(size) {
            assert_eq!(reader.read(&mut unread), None);
        }
        assert!(reader.partial.capacity() <= limit);
    };
    feed(br#"{"id":1,"method":"x","params":{"text":""#, 1);
    feed(&[b'x'; 500_000], 1);
    for _ in 0..20 {
        feed(&[b'x'; 1_000_000], 65536);
    }
    feed(br#""}}"#, 1);
    let mut end = &b"\n"[..];
    let line = reader.read(&mut end);
    assert_eq!(line, Some(Line::TooLong { head: Head::Request(1.into()), bytes: 20_500_042 }));
}

#[test]
fn a_whole_line_is_lent_from_its_chunk() {
    let chunk = b"first\nsecond\n";
    let mut reader = LineReader::new(100);
    let mut unread = &chunk[..];
    let Some(Line::Text(line)) = reader.read(&mut unread) else { panic!("a line") };
    assert_eq!(line.as_ptr(), chunk.as_ptr());
    assert_eq!(reader.partial.capacity(), 0);
}

#[test]
fn debug_shows_no_content() {
    let mut reader = LineReader::new(100);
    let mut unread = &b"secret"[..];
    assert_eq!(reader.read(&mut unread), None);
    assert_eq!(format!("{reader:?}"), "LineReader { limit: 100, held: 6, skipping: false }");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_cut_gives_the_same_lines(
        bytes in prop::collection::vec(
            prop::sample::select(&b"ab\"{}\\ \r\n\n\xEF\xBB\xBF\xC3\xA9"[..]), 0..80),
        lengths in prop::collection::vec(1_usize..9, 1..5),
        limit in 0_usize..20,
    ) {
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
        prop_assert_eq!(read_all(limit, chunks), read_all(limit, [&bytes[..]]));
    }
}
