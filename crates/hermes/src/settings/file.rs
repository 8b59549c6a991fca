//! The file of settings.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read as _};
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

/// A file, and what is wrong with it so far, each with the byte where it begins.
struct Reading<'a> {
    text: &'a str,
    path: &'a Path,
    mistakes: Vec<(usize, SettingsError)>,
}

/// Reads all keys. Paths are of the folder that the file is in.
///
/// # Errors
/// [`SettingsError`]: all mistakes in it, in its order; that it is no TOML stands for all others.
pub(super) fn read(text: &str, path: &Path) -> Result<Vec<(Key, Said)>, SettingsError> {
    let mut reading = Reading { text, path, mistakes: Vec::new() };
    let table = DeTable::parse(text).map_err(|error| {
        let start = error.span().map_or(0, |span| span.start);
        let mistake = error.message().replace('\n', "; ");
        SettingsError::Syntax { place: reading.place(start, None), mistake }
    })?;
    let said = table.get_ref().iter().filter_map(|(name, value)| reading.entry(name, value)).collect();
    // A table has the order of its names.
    reading.mistakes.sort_by_key(|(start, _)| *start);
    SettingsError::unless(reading.mistakes.into_iter().map(|(_, mistake)| mistake).collect(), said)
}

impl Reading<'_> {
    /// What is said there; nothing where that is a mistake.
    fn entry(&mut self, name: &Spanned<Cow<'_, str>>, value: &Spanned<DeValue<'_>>) -> Option<(Key, Said)> {
        let written = name.get_ref();
        let place = self.place(name.span().start, Some(written));
        let mistake = match Key::named(written) {
            Some(key) if !key.is_secret() => {
                let value = self.value(key, value)?;
                return Some((key, Said { value, place }));
            }
            Some(key) => SettingsError::Exposed { place, key },
            None => SettingsError::Unknown { place, nearest: nearest(written) },
        };
        self.mistakes.push((name.span().start, mistake));
        None
    }

    fn value(&mut self, key: Key, value: &Spanned<DeValue<'_>>) -> Option<Value> {
        let kind = key.kind();
        let whole =
            |digits: &str, radix| usize::from_str_radix(digits, radix).unwrap_or_default().to_string();
        let read = match (kind, value.get_ref()) {
            (Kind::Count | Kind::Bytes, DeValue::Integer(number)) => {
                kind.read(&whole(number.as_str(), number.radix()))
            }
            (Kind::Switch, DeValue::Boolean(is_on)) => Ok(Value::Switch(*is_on)),
            (Kind::Origins | Kind::Hosts, DeValue::Array(all)) => return self.list(key, all),
            (Kind::File, DeValue::String(text)) => kind.read(text).map(|read| match read {
                Value::File(file) => Value::File(self.path.parent().unwrap_or(self.path).join(file)),
                other => other,
            }),
            (Kind::Address | Kind::Time, DeValue::String(text)) => kind.read(text),
            _ => Err(format!("write {}", kind.in_a_file())),
        };
        read.map_err(|instead| self.wrong(key, value, instead)).ok()
    }

    fn list(&mut self, key: Key, all: &[Spanned<DeValue<'_>>]) -> Option<Value> {
        let (mut texts, before) = (Vec::new(), self.mistakes.len());
        for one in all {
            // A comma would be two names.
            let text = one.get_ref().as_str().filter(|text| !text.contains(','));
            match text.map(|text| key.kind().read(text)) {
                Some(Ok(Value::List(read))) => texts.extend(read),
                Some(Err(instead)) => self.wrong(key, one, instead),
                Some(Ok(_)) | None => self.wrong(key, one, "write a text in quotes".to_owned()),
            }
        }
        (self.mistakes.len() == before).then_some(Value::List(texts))
    }

    fn wrong(&mut self, key: Key, at: &Spanned<DeValue<'_>>, instead: String) {
        let place = self.place(at.span().start, Some(key.name()));
        let written = self.text.get(at.span()).unwrap_or_default().to_owned();
        self.mistakes.push((at.span().start, SettingsError::Value { place, written, instead }));
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
