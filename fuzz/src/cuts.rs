//! Streams that come in pieces.

/// A stream and where it is cut: how an input is read by the targets that read bytes.
///
/// The first line of the input says how it is cut, a letter or digit for each piece: `1` to `9` for so many bytes, `a`
/// and what follows it for some fifty and more, `0` for an empty piece; over and over. The rest is the stream. Any
/// other byte does as well.
pub(crate) struct Stream<'a> {
    cuts: &'a [u8],
    /// The stream as a whole.
    pub(crate) bytes: &'a [u8],
}

impl<'a> Stream<'a> {
    pub(crate) fn read(input: &'a [u8]) -> Self {
        let end = input.iter().position(|byte| *byte == b'\n').unwrap_or(input.len());
        let (cuts, rest) = input.split_at(end);
        Self { cuts, bytes: rest.get(1..).unwrap_or_default() }
    }

    /// The pieces.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let lengths: Vec<usize> = self.cuts.iter().map(|cut| usize::from(cut.wrapping_sub(b'0'))).collect();
        let moves = lengths.iter().any(|length| *length > 0);
        let mut rest = self.bytes;
        let mut next = 0;
        std::iter::from_fn(move || {
            if rest.is_empty() {
                return None;
            }
            let length = if moves { lengths[next % lengths.len()] } else { rest.len() };
            next += 1;
            let (piece, behind) = rest.split_at(length.min(rest.len()));
            rest = behind;
            Some(piece)
        })
    }
}

/// How much a reader says that it holds; both readers say it in their debug form.
pub(crate) fn held(reader: &impl std::fmt::Debug) -> usize {
    let text = format!("{reader:?}");
    let (_, rest) = text.split_once("held: ").expect("a reader says how much it holds");
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().expect("a number")
}
