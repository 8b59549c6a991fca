//! Pictures as sixels: rows of six dots each, in a fixed palette.

use std::fmt::Write as _;

/// How many steps red, green and blue have each.
const STEPS: u8 = 6;
/// How many dots stand below each other in a row.
const ROW: usize = 6;
/// What is larger is not decoded: nobody sees it whole, and it may be meant to fill the memory.
const MAX_DOTS: usize = 16 * 1024 * 1024;

/// A picture: which colour of the palette each dot has, if it is not transparent.
struct Dots {
    width: usize,
    colours: Vec<Option<u8>>,
}

/// The sequence that shows a PNG; `None` if it is none, or too large.
pub(super) fn of_png(bytes: &[u8]) -> Option<String> {
    decoded(bytes).map(|dots| encoded(&dots))
}

fn decoded(bytes: &[u8]) -> Option<Dots> {
    let mut decoder = png::Decoder::new(std::io::Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::normalize_to_color8() | png::Transformations::ALPHA);
    let mut reader = decoder.read_info().ok()?;
    let size = reader.output_buffer_size().filter(|size| *size <= MAX_DOTS * 4)?;
    let mut buffer = vec![0; size];
    let frame = reader.next_frame(&mut buffer).ok()?;
    let channels = frame.color_type.samples();
    let colours = buffer.get(..frame.buffer_size())?.chunks_exact(channels).map(|dot| match *dot {
        [grey, alpha] => colour(grey, grey, grey, alpha),
        [red, green, blue, alpha] => colour(red, green, blue, alpha),
        _ => None,
    });
    Some(Dots { width: usize::try_from(frame.width).ok()?, colours: colours.collect() })
}

/// The nearest colour of the palette.
fn colour(red: u8, green: u8, blue: u8, alpha: u8) -> Option<u8> {
    let step = |value: u8| (u16::from(value) * u16::from(STEPS - 1) + 127) / 255;
    let steps = u16::from(STEPS);
    let index = step(red) * steps * steps + step(green) * steps + step(blue);
    u8::try_from(index).ok().filter(|_| alpha >= 128)
}

fn encoded(dots: &Dots) -> String {
    // Dots that no colour says anything of stay as they are.
    let mut out = "\u{1b}P0;1q".to_owned();
    let percent = |step: u8| u16::from(step) * 100 / u16::from(STEPS - 1);
    for index in 0..STEPS * STEPS * STEPS {
        let (red, green, blue) = (index / (STEPS * STEPS), index / STEPS % STEPS, index % STEPS);
        // Writing to a string does not fail.
        let _ = write!(out, "#{index};2;{};{};{}", percent(red), percent(green), percent(blue));
    }
    for row in dots.colours.chunks(dots.width.max(1) * ROW) {
        let lines: Vec<&[Option<u8>]> = row.chunks(dots.width.max(1)).collect();
        let used: std::collections::BTreeSet<u8> = row.iter().flatten().copied().collect();
        for index in used {
            let _ = write!(out, "#{index}");
            let sixels = (0..dots.width).map(|x| {
                let bits = lines.iter().enumerate().filter(|(_, line)| line.get(x) == Some(&Some(index)));
                char::from(63 + bits.map(|(y, _)| 1_u8 << y).sum::<u8>())
            });
            repeated(sixels, &mut out);
            // Back to the beginning of the row, for the next colour.
            out.push('$');
        }
        out.push('-');
    }
    out.push_str("\u{1b}\\");
    out
}

/// Writes runs of the same sixel with their length.
fn repeated(sixels: impl Iterator<Item = char>, out: &mut String) {
    let mut sixels = sixels.peekable();
    while let Some(sixel) = sixels.next() {
        let mut length = 1;
        while sixels.next_if_eq(&sixel).is_some() {
            length += 1;
        }
        let _ = match length {
            1..=3 => write!(out, "{}", sixel.to_string().repeat(length)),
            _ => write!(out, "!{length}{sixel}"),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_are_rows_of_six_with_a_colour_at_a_time() {
        let red = colour(255, 0, 0, 255);
        let dots = Dots { width: 5, colours: [vec![red; 5], vec![None, red, None, None, None]].concat() };
        let text = encoded(&dots);
        assert!(text.starts_with("\u{1b}P0;1q#0;2;0;0;0#1;2;0;0;20"), "{text}");
        assert!(text.ends_with("#180@B@@@$-\u{1b}\\"), "{text}");
    }

    #[test]
    fn colours_are_the_nearest_of_the_palette_and_what_is_transparent_has_none() {
        assert_eq!(colour(0, 0, 0, 255), Some(0));
        assert_eq!(colour(255, 255, 255, 255), Some(215));
        assert_eq!(colour(52, 0, 255, 255), Some(41));
        assert_eq!(colour(255, 255, 255, 0), None);
    }

    #[test]
    fn a_png_is_decoded_and_anything_else_refused() {
        let logo = include_bytes!("../demo/logo.png");
        let dots = decoded(logo).expect("a PNG");
        assert_eq!(dots.colours.len() % dots.width, 0);
        assert!(of_png(b"\x89PNG\r\n\x1a\nnonsense").is_none());
    }
}
