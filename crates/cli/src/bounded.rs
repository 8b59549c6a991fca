//! Reading what somebody names: it may have no end.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Reads a file that is not longer than this.
///
/// # Errors
/// It cannot be read, or is longer; nothing behind that is read.
pub(crate) fn file(path: impl AsRef<Path>, limit: u64) -> io::Result<Vec<u8>> {
    all(File::open(path)?, limit)
}

/// Reads all there is, if it is not longer than this.
///
/// # Errors
/// As [`file()`].
pub(crate) fn all(source: impl Read, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        let message = format!("it is larger than {} MiB", limit >> 20);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_is_read_and_a_byte_more_is_too_much() {
        let limit = 1 << 20;
        let read = |length| all(io::repeat(b'a').take(length), limit);
        assert_eq!(read(limit).expect("it fits").len(), 1 << 20);
        assert_eq!(read(limit + 1).expect_err("too long").to_string(), "it is larger than 1 MiB");
        assert_eq!(all(io::repeat(0), limit).expect_err("no end").kind(), io::ErrorKind::FileTooLarge);
    }
}
