//! Letters of three by five dots.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// With what a letter is drawn.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Font {
    /// `#`
    #[default]
    Hash,
    /// `█`
    Block,
    /// `*`
    Star,
}

impl Font {
    pub(crate) const ALL: [Self; 3] = [Self::Hash, Self::Block, Self::Star];

    const fn dot(self) -> char {
        match self {
            Self::Hash => '#',
            Self::Block => '\u{2588}',
            Self::Star => '*',
        }
    }
}

/// The dots of `0` to `9` and of `A` to `Z`, row by row, three to a row.
const DIGITS: [u16; 10] =
    [0o75557, 0o26227, 0o71747, 0o71717, 0o55711, 0o74717, 0o74757, 0o71222, 0o75757, 0o75717];
const LETTERS: [u16; 26] = [
    0o25755, 0o65656, 0o34443, 0o65556, 0o74647, 0o74644, 0o34553, 0o55755, 0o72227, 0o11152, 0o55655,
    0o44447, 0o57755, 0o65555, 0o25552, 0o65644, 0o25563, 0o65655, 0o34216, 0o72222, 0o55557, 0o55552,
    0o55775, 0o55255, 0o55222, 0o71247,
];

fn dots(letter: char) -> Option<u16> {
    match letter.to_ascii_uppercase() {
        ' ' => Some(0),
        digit @ '0'..='9' => DIGITS.get(usize::from(digit as u8 - b'0')).copied(),
        letter @ 'A'..='Z' => LETTERS.get(usize::from(letter as u8 - b'A')).copied(),
        _ => None,
    }
}

/// Draws a text, five lines high; says which letter cannot be drawn.
pub(crate) fn draw(text: &str, font: Font) -> Result<String, String> {
    let letters: Vec<u16> = text
        .chars()
        .map(|letter| {
            dots(letter).ok_or_else(|| format!("{letter:?} cannot be drawn: use A to Z, 0 to 9 and spaces"))
        })
        .collect::<Result<_, _>>()?;
    let row = |row: u32| {
        let of = |dots: u16| {
            (0..3).map(move |column| if dots >> (14 - 3 * row - column) & 1 == 1 { font.dot() } else { ' ' })
        };
        let line: String = letters.iter().flat_map(|dots| of(*dots).chain([' '])).collect();
        line.trim_end().to_owned()
    };
    Ok((0..5).map(row).collect::<Vec<_>>().join("\n"))
}
