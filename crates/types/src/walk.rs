//! One walk along a JSON text, for what is read with every message.

use serde::Deserialize as _;
use serde::de::value::{BorrowedStrDeserializer, Error as Never, StrDeserializer};
use serde::de::{DeserializeSeed, Deserializer, IntoDeserializer as _, MapAccess, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::value::RawValue;

/// A walk along a JSON text, from its first byte to its last: what it passes is checked, and lent as it stands there.
///
/// It knows the plain spelling of things. Whatever else there is, be it a mistake or only an escape in a member's name,
/// ends the walk with `None`; who is left standing asks `serde_json`, which reads everything and says what is wrong. What the
/// walk passes, `serde_json` takes too.
///
/// ```
/// use hermes_types::Walk;
///
/// let mut walk = Walk::new(r#"{"a": [1, {"b": 2}], "c": {"d": "e"}}"#, 3);
/// let (mut list, mut inner) = (None, None);
/// let whole = walk.object(|walk, name| {
///     match name {
///         "a" => list = Some(walk.value()?),
///         _ => drop(walk.object(|walk, _| walk.value().map(|value| inner = Some(value)))?),
///     }
///     Some(())
/// });
/// assert!(whole.is_some() && walk.is_over());
/// assert_eq!(list.map(|raw| raw.get()), Some(r#"[1, {"b": 2}]"#));
/// assert_eq!(inner.map(|raw| raw.get()), Some(r#""e""#));
/// ```
#[derive(Clone, Debug)]
pub struct Walk<'a> {
    text: &'a str,
    rest: &'a [u8],
    /// How many arrays and objects may still be entered, one inside the other.
    levels: u32,
}

/// As many levels as a walk remembers of what it is inside of.
const MOST_LEVELS: u32 = u128::BITS;

impl<'a> Walk<'a> {
    /// A walk along a text whose arrays and objects are nested at most so deeply; more than 128 levels are never walked.
    #[must_use]
    pub fn new(text: &'a str, levels: usize) -> Self {
        let levels = u32::try_from(levels).map_or(MOST_LEVELS, |levels| levels.min(MOST_LEVELS));
        Self { text, rest: text.as_bytes(), levels }
    }

    /// Passes the object that stands here. `member` is called with each name, and passes what belongs to it.
    pub fn object(
        &mut self,
        mut member: impl FnMut(&mut Self, &'a str) -> Option<()>,
    ) -> Option<&'a RawValue> {
        self.skip_blanks();
        let start = self.rest;
        self.expect(b'{')?;
        self.levels = self.levels.checked_sub(1)?;
        self.skip_blanks();
        if !self.takes(b'}') {
            loop {
                let name = self.name()?;
                member(self, name)?;
                self.skip_blanks();
                match self.take()? {
                    b',' => self.skip_blanks(),
                    b'}' => break,
                    _ => return None,
                }
            }
        }
        self.levels += 1;
        self.passed(start)
    }

    /// Passes the value that stands here, whatever it is.
    pub fn value(&mut self) -> Option<&'a RawValue> {
        self.skip_blanks();
        let start = self.rest;
        self.pass()?;
        self.passed(start)
    }

    /// The first byte of the value that stands here.
    #[must_use]
    pub fn peek(&mut self) -> Option<u8> {
        self.skip_blanks();
        self.rest.first().copied()
    }

    /// Whether nothing but white space is left.
    #[must_use]
    pub fn is_over(&mut self) -> bool {
        self.peek().is_none()
    }

    /// What was passed since then.
    fn passed(&self, start: &[u8]) -> Option<&'a RawValue> {
        let length = self.text.len();
        lend(self.text.get(length - start.len()..length - self.rest.len())?)
    }

    fn pass(&mut self) -> Option<()> {
        // One bit for each level that was entered: whether it is an object.
        let (mut objects, mut depth) = (0_u128, 0);
        loop {
            match self.take()? {
                b'"' => self.string()?,
                b't' => self.word(b"rue")?,
                b'f' => self.word(b"alse")?,
                b'n' => self.word(b"ull")?,
                first @ (b'-' | b'0'..=b'9') => self.number(first)?,
                bracket @ (b'{' | b'[') => {
                    depth += 1;
                    if depth > self.levels {
                        return None;
                    }
                    let is_object = bracket == b'{';
                    objects = objects << 1 | u128::from(is_object);
                    self.skip_blanks();
                    if self.takes(if is_object { b'}' } else { b']' }) {
                        (depth, objects) = (depth - 1, objects >> 1);
                    } else {
                        if is_object {
                            self.any_name()?;
                        }
                        continue;
                    }
                }
                _ => return None,
            }
            // A value has ended, and perhaps what it stands in.
            loop {
                if depth == 0 {
                    return Some(());
                }
                self.skip_blanks();
                match (self.take()?, objects & 1) {
                    (b',', 0) => {
                        self.skip_blanks();
                        break;
                    }
                    (b',', _) => {
                        self.skip_blanks();
                        self.any_name()?;
                        break;
                    }
                    (b']', 0) | (b'}', 1) => (depth, objects) = (depth - 1, objects >> 1),
                    _ => return None,
                }
            }
        }
    }

    /// A member's name without escapes, and the colon behind it.
    fn name(&mut self) -> Option<&'a str> {
        self.expect(b'"')?;
        let start = self.rest;
        self.rest = behind_plain(start);
        let length = self.text.len();
        let name = self.text.get(length - start.len()..length - self.rest.len())?;
        self.expect(b'"')?;
        self.colon()?;
        Some(name)
    }

    /// A member's name, however it is spelt, and the colon behind it.
    fn any_name(&mut self) -> Option<()> {
        self.expect(b'"')?;
        self.string()?;
        self.colon()
    }

    fn colon(&mut self) -> Option<()> {
        self.skip_blanks();
        self.expect(b':')?;
        self.skip_blanks();
        Some(())
    }

    /// A string behind its first quote. As for `serde_json`, half a character is a mistake of whoever wants the text.
    fn string(&mut self) -> Option<()> {
        loop {
            self.rest = behind_plain(self.rest);
            match self.take()? {
                b'"' => return Some(()),
                b'\\' => match self.take()? {
                    b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => {}
                    b'u' => {
                        let (digits, rest) = self.rest.split_first_chunk::<4>()?;
                        if !digits.iter().all(u8::is_ascii_hexdigit) {
                            return None;
                        }
                        self.rest = rest;
                    }
                    _ => return None,
                },
                _ => return None,
            }
        }
    }

    /// A number behind its first byte.
    fn number(&mut self, first: u8) -> Option<()> {
        let first = if first == b'-' { self.take()? } else { first };
        match first {
            b'0' => {}
            b'1'..=b'9' => self.skip_digits(),
            _ => return None,
        }
        if self.takes(b'.') {
            self.digits()?;
        }
        if self.takes(b'e') || self.takes(b'E') {
            let _ = self.takes(b'+') || self.takes(b'-');
            self.digits()?;
        }
        Some(())
    }

    /// One digit or more.
    fn digits(&mut self) -> Option<()> {
        self.take().filter(u8::is_ascii_digit)?;
        self.skip_digits();
        Some(())
    }

    fn skip_digits(&mut self) {
        while let [b'0'..=b'9', rest @ ..] = self.rest {
            self.rest = rest;
        }
    }

    fn word(&mut self, rest_of_word: &[u8]) -> Option<()> {
        self.rest = self.rest.strip_prefix(rest_of_word)?;
        Some(())
    }

    #[inline]
    fn skip_blanks(&mut self) {
        while let [b' ' | b'\t' | b'\r' | b'\n', rest @ ..] = self.rest {
            self.rest = rest;
        }
    }

    #[inline]
    fn take(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    /// Takes this byte if it stands here.
    #[inline]
    fn takes(&mut self, byte: u8) -> bool {
        match self.rest {
            [first, rest @ ..] if *first == byte => {
                self.rest = rest;
                true
            }
            _ => false,
        }
    }

    #[inline]
    fn expect(&mut self, byte: u8) -> Option<()> {
        self.takes(byte).then_some(())
    }
}

/// After so many times eight bytes a string is taken for a long one.
const SHORT: usize = 16;

/// What follows as many whole blocks as stand for themselves. The compiler looks at many bytes of a block at once.
fn behind_plain_blocks(mut bytes: &[u8]) -> &[u8] {
    while let Some((block, rest)) = bytes.split_first_chunk::<64>() {
        let is_special = |byte: u8| (byte < 0x20) | (byte == b'"') | (byte == b'\\');
        if block.iter().fold(false, |found, byte| found | is_special(*byte)) {
            break;
        }
        bytes = rest;
    }
    bytes
}

/// What follows the bytes of a string that stand for themselves: a quote, a backslash, or what no string may hold.
fn behind_plain(mut bytes: &[u8]) -> &[u8] {
    const ONES: u64 = u64::MAX / 255;
    const HIGHS: u64 = ONES << 7;
    // Eight at a time. In each of these the lowest of the high bits that are set is right, and it is the one that counts.
    let below = |word: u64, bound: u64| word.wrapping_sub(ONES * bound) & !word;
    let same = |word: u64, byte: u8| below(word ^ (ONES * u64::from(byte)), 1);
    let mut words = 0;
    while let Some((eight, rest)) = bytes.split_first_chunk() {
        let word = u64::from_le_bytes(*eight);
        let special = (below(word, 0x20) | same(word, b'"') | same(word, b'\\')) & HIGHS;
        if special != 0 {
            return bytes.get(special.trailing_zeros() as usize / 8..).unwrap_or_default();
        }
        bytes = rest;
        words += 1;
        if words == SHORT {
            bytes = behind_plain_blocks(bytes);
        }
    }
    while let [first, rest @ ..] = bytes
        && !matches!(*first, 0..0x20 | b'"' | b'\\')
    {
        bytes = rest;
    }
    bytes
}

/// A text that is known to be one JSON value, without white space around it, as the type for such texts.
///
/// `serde_json` makes one only of what it has read itself, unless another reader hands it the text as its own does: as the
/// value of a map with one name, which is the name that the type asks by.
pub(crate) fn lend(text: &str) -> Option<&RawValue> {
    <&RawValue>::deserialize(Known { text, asked: None }).ok()
}

struct Known<'a> {
    text: &'a str,
    asked: Option<&'static str>,
}

impl<'de> Deserializer<'de> for Known<'de> {
    type Error = Never;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Never> {
        visitor.visit_borrowed_str(self.text)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        asked: &'static str,
        visitor: V,
    ) -> Result<V::Value, Never> {
        visitor.visit_map(Self { asked: Some(asked), ..self })
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

impl<'de> MapAccess<'de> for Known<'de> {
    type Error = Never;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Never> {
        let Some(asked) = self.asked.take() else { return Ok(None) };
        let name: StrDeserializer<'_, Never> = asked.into_deserializer();
        seed.deserialize(name).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Never> {
        seed.deserialize(BorrowedStrDeserializer::new(self.text))
    }
}

#[cfg(test)]
mod tests;
