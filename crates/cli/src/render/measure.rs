//! Sizes in words.

/// A number of bytes for people: `1 byte`, `512 bytes`, `1.5 kB`, `20.0 MB`.
pub(crate) fn size(bytes: usize) -> String {
    match bytes {
        1 => "1 byte".to_owned(),
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => tenths(bytes / 100, "kB"),
        _ => tenths(bytes / 100_000, "MB"),
    }
}

fn tenths(tenths: usize, unit: &str) -> String {
    format!("{}.{} {unit}", tenths / 10, tenths % 10)
}

/// How many bytes a base64 text stands for.
pub(crate) fn base64_size(text: &str) -> usize {
    let digits = text.bytes().filter(|byte| !byte.is_ascii_whitespace() && *byte != b'=').count();
    digits * 3 / 4
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_read_well() {
        for (bytes, text) in [
            (0, "0 bytes"),
            (1, "1 byte"),
            (999, "999 bytes"),
            (1_000, "1.0 kB"),
            (1_590, "1.5 kB"),
            (999_999, "999.9 kB"),
            (20_000_000, "20.0 MB"),
        ] {
            assert_eq!(size(bytes), text);
        }
    }

    #[test]
    fn base64_is_measured_without_decoding() {
        for (text, bytes) in
            [("", 0), ("QQ==", 1), ("QUE=", 2), ("QUFB", 3), ("QUFB\nQUE=", 5), ("QUFBQQ", 4)]
        {
            assert_eq!(base64_size(text), bytes, "{text}");
        }
    }
}
