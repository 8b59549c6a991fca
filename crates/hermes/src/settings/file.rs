//! The file of settings.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read as _};
use std::ops::Range;
use std::path::Path;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::{Place, SettingsError};
use super::key::Key;
use super::settings::Said;
use super::value::{Kind, Value};

/// The longest key that somebody may have mistyped, in bytes.
const LONGEST: usize = 100;

/// The largest file of settings or of a key that is read, in bytes.
const LARGEST: u64 = 1 << 20;

/// Reads a file that is not endless: what follows the longest one that makes sense is never read.
///
/// # Errors
/// It cannot be read, or is longer than 1 MiB.
pub(super) fn bytes(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(LARGEST + 1).read_to_end(&mut bytes)?;
    if u64::try_from(bytes.len()).unwrap_or(u64::MAX) > LARGEST {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, "it is larger than 1 MiB"));
    }
    Ok(bytes)
}

/// A file, and what of it is being read.
struct Reading<'a> {
    text: &'a str,
    path: &'a Path,
}

/// Reads all keys. Paths are of the folder that the file is in.
///
/// # Errors
/// [`SettingsError`]: the first mistake in it.
pub(super) fn read(text: &str, path: &Path) -> Result<Vec<(Key, Said)>, SettingsError> {
    let reading = Reading { text, path };
    let table = DeTable::parse(text).map_err(|error| {
        let start = error.span().map_or(0, |span| span.start);
        let mistake = error.message().replace('\n', "; ");
        SettingsError::Syntax { place: reading.place(start, None), mistake }
    })?;
    table.get_ref().iter().map(|(name, value)| reading.entry(name, value)).collect()
}

impl Reading<'_> {
    fn entry(
        &self,
        name: &Spanned<Cow<'_, str>>,
        value: &Spanned<DeValue<'_>>,
    ) -> Result<(Key, Said), SettingsError> {
        let written = name.get_ref();
        let at = |span: Range<usize>| self.place(span.start, Some(written));
        let Some(key) = Key::named(written) else {
            return Err(SettingsError::Unknown { place: at(name.span()), nearest: nearest(written) });
        };
        if key.is_secret() {
            return Err(SettingsError::Exposed { place: at(name.span()), key });
        }
        let value = self.value(key, value)?;
        Ok((key, Said { value, place: at(name.span()) }))
    }

    fn value(&self, key: Key, value: &Spanned<DeValue<'_>>) -> Result<Value, SettingsError> {
        let kind = key.kind();
        let wrong = |at: &Spanned<DeValue<'_>>, instead: String| {
            let place = self.place(at.span().start, Some(key.name()));
            let written = self.text.get(at.span()).unwrap_or_default().to_owned();
            SettingsError::Value { place, written, instead }
        };
        let of = |text: &str| kind.read(text).map_err(|instead| wrong(value, instead));
        let whole =
            |digits: &str, radix| usize::from_str_radix(digits, radix).unwrap_or_default().to_string();
        match (kind, value.get_ref()) {
            (Kind::Count | Kind::Bytes, DeValue::Integer(number)) => {
                of(&whole(number.as_str(), number.radix()))
            }
            (Kind::Switch, DeValue::Boolean(is_on)) => Ok(Value::Switch(*is_on)),
            (Kind::Origins | Kind::Hosts, DeValue::Array(all)) => {
                let mut texts = Vec::new();
                for one in all {
                    // A comma would be two names.
                    let text = one.get_ref().as_str().filter(|text| !text.contains(','));
                    match text.map(|text| kind.read(text)) {
                        Some(Ok(Value::List(read))) => texts.extend(read),
                        Some(Err(instead)) => return Err(wrong(one, instead)),
                        Some(Ok(_)) | None => return Err(wrong(one, "write a text in quotes".to_owned())),
                    }
                }
                Ok(Value::List(texts))
            }
            (Kind::File, DeValue::String(text)) => match of(text)? {
                Value::File(file) => Ok(Value::File(self.path.parent().unwrap_or(self.path).join(file))),
                other => Ok(other),
            },
            (Kind::Address | Kind::Time, DeValue::String(text)) => of(text),
            _ => Err(wrong(value, format!("write {}", kind.in_a_file()))),
        }
    }

    /// The line in which this byte stands.
    fn place(&self, start: usize, key: Option<&str>) -> Place {
        let before = self.text.get(..start).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        Place::File { path: self.path.to_path_buf(), line, key: key.map(str::to_owned) }
    }
}

/// The key that this one is most likely a slip of, if one is near enough: one letter in three may differ.
fn nearest(written: &str) -> Option<Key> {
    if written.len() > LONGEST {
        return None;
    }
    // Another spelling of the same words.
    let written = written.to_lowercase().replace('_', "-");
    let distance = |key: &Key| strsim::damerau_levenshtein(&written, key.name());
    let near = Key::ALL.into_iter().filter(|key| !key.is_secret()).min_by_key(distance);
    near.filter(|key| distance(key) <= key.name().len().max(written.len()) / 3)
}
