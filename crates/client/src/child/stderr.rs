//! The child's stderr: always read, so that the child never waits for a reader, and kept for errors.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::AsyncReadExt as _;
use tokio::process::ChildStderr;
use tokio::sync::watch;

use super::command::OnStderr;

/// How much of the end is kept, and the longest piece of a line that is shown at once; in bytes.
const KEPT: usize = 8 * 1024;

/// The end of what a child has written to stderr so far.
#[derive(Clone, Debug)]
pub(crate) struct Stderr {
    tail: Arc<Mutex<Tail>>,
    ended: watch::Receiver<()>,
}

impl Stderr {
    /// Starts reading.
    pub(super) fn drain(mut stderr: ChildStderr, on_line: Option<OnStderr>) -> Self {
        let tail = Arc::new(Mutex::new(Tail::default()));
        let (end, ended) = watch::channel(());
        let kept = Arc::clone(&tail);
        tokio::spawn(async move {
            let _end = end;
            let mut lines = Lines { partial: Vec::new(), on_line };
            let mut chunk = vec![0; KEPT];
            // A read error is an end like any other: the child's fate is told by its exit.
            while let Ok(count @ 1..) = stderr.read(&mut chunk).await {
                let bytes = chunk.get(..count).unwrap_or_default();
                kept.lock().unwrap_or_else(PoisonError::into_inner).push(bytes);
                lines.push(bytes);
            }
            lines.finish();
        });
        Self { tail, ended }
    }

    /// Waits until everything was read. A grandchild may hold the stream open: bound this.
    ///
    /// # Cancel safety
    /// Nothing is lost by dropping it.
    pub(super) async fn ended(&self) {
        // The sender sends nothing: an error is the sign that it is gone.
        let _ = self.ended.clone().changed().await;
    }

    /// The last 8 KiB, from the start of a line where there is one.
    pub(crate) fn tail(&self) -> String {
        self.tail.lock().unwrap_or_else(PoisonError::into_inner).text()
    }
}

/// The last bytes of a stream.
#[derive(Debug, Default)]
struct Tail {
    bytes: Vec<u8>,
    cut: bool,
}

impl Tail {
    fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        if let Some(excess @ 1..) = self.bytes.len().checked_sub(KEPT) {
            self.bytes.drain(..excess);
            self.cut = true;
        }
    }

    fn text(&self) -> String {
        let mut bytes = self.bytes.as_slice();
        if self.cut
            && let Some(end) = bytes.iter().position(|byte| *byte == b'\n')
            && let Some(rest @ [_, ..]) = bytes.get(end + 1..)
        {
            bytes = rest;
        }
        String::from_utf8_lossy(bytes).trim_end().to_owned()
    }
}

/// Cuts a stream into lines for whoever wants to see them.
struct Lines {
    partial: Vec<u8>,
    on_line: Option<OnStderr>,
}

impl Lines {
    fn push(&mut self, bytes: &[u8]) {
        let Some(on_line) = &self.on_line else { return };
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.partial.extend_from_slice(piece);
            if self.partial.ends_with(b"\n") || self.partial.len() >= KEPT {
                on_line(String::from_utf8_lossy(&self.partial).trim_end_matches(['\r', '\n']));
                self.partial.clear();
            }
        }
    }

    fn finish(&self) {
        if let (Some(on_line), false) = (&self.on_line, self.partial.is_empty()) {
            on_line(&String::from_utf8_lossy(&self.partial));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b056_only_the_end_is_kept_from_the_start_of_a_line() {
        let mut tail = Tail::default();
        for number in 0..100_000 {
            tail.push(format!("line {number}\n").as_bytes());
        }
        let text = tail.text();
        assert!(text.len() <= KEPT);
        assert!(text.starts_with("line "), "{}", &text[..20]);
        assert!(text.ends_with("line 99999"));
    }

    #[test]
    fn b056_an_endless_line_and_bad_utf_8_are_bounded_text() {
        let mut tail = Tail::default();
        for _ in 0..1000 {
            tail.push(&[b'x'; 5000]);
        }
        assert_eq!(tail.text().len(), KEPT);
        tail.push(b"\nbad \xff byte\n");
        assert_eq!(tail.text(), "bad \u{fffd} byte");
    }

    #[test]
    fn lines_are_shown_whole_and_endless_ones_in_pieces() {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&seen);
        let on_line: OnStderr =
            Arc::new(move |line: &str| sink.lock().expect("not poisoned").push(line.to_owned()));
        let mut lines = Lines { partial: Vec::new(), on_line: Some(on_line) };
        for chunk in [&b"one\r\ntw"[..], b"o\n\nthr", &[b'e'; KEPT], b"last"] {
            lines.push(chunk);
        }
        lines.finish();
        let seen = seen.lock().expect("not poisoned");
        assert_eq!(seen[..3], ["one", "two", ""]);
        assert!(seen[3].len() >= KEPT && seen[3].starts_with("thre"));
        assert_eq!(seen[4..], ["last"]);
    }
}
