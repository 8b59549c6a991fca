//! Settings, wherever they come from.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::error::{Place, SettingsError};
use super::file;
use super::key::Key;
use super::value::Value;

/// Names a file of settings.
const FILE: &str = "HERMES_SETTINGS";

/// How a server is served, as whoever operates it has said.
///
/// Settings come from a [file](Self::read), from the [environment](Self::from_env) and from
/// [flags](Self::set) of the program. [`or`](Self::or) puts them together, the stronger ones first:
///
/// ```
/// use hermes::prelude::*;
/// use hermes::settings::{Key, Settings};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = std::env::temp_dir().join(format!("hermes-settings-doc-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// # let file = folder.join("server.toml");
/// std::fs::write(&file, "http = \"127.0.0.1:0\"\nmax-sessions = 500\n")?;
///
/// let flags = Settings::default().set(Key::MaxSessions, "20")?;
/// let settings = flags.or(Settings::from_env()?).or(Settings::read(&file)?);
///
/// let server = Server::new("sums", "1.0.0");
/// let http = settings.http(server).await?;
/// let bound = http.bind(settings.address().unwrap_or("127.0.0.1:8000")).await?;
/// // `bound.serve(end).await` serves until `end` is ready.
/// # drop(bound);
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok(())
/// # }
/// ```
///
/// Files that are named, those of keys and the store, are opened when the settings are [applied](Self::http), so that a
/// stronger one spares the weaker one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use = "settings do nothing until they are applied, with `http` or `server`"]
pub struct Settings {
    said: BTreeMap<Key, Said>,
}

/// A value, and where it was said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) value: Value,
    pub(super) place: Place,
}

impl Settings {
    /// Reads a file (TOML), whose keys are those of [`Key`]. Paths in it are of the folder that it is in.
    ///
    /// # Errors
    /// [`SettingsError`]: it cannot be read, or the mistakes in it, each with its line and its key.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, SettingsError> {
        let path = path.as_ref();
        let text = file::bytes(path)
            .and_then(|bytes| {
                String::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
            })
            .map_err(|source| SettingsError::Unreadable { path: path.to_path_buf(), source })?;
        Ok(Self { said: file::read(&text, path)?.into_iter().collect() })
    }

    /// What is outside of a program: the environment, and beneath it this file, or else the one that `HERMES_SETTINGS` names.
    ///
    /// ```no_run
    /// use hermes::prelude::*;
    /// use hermes::settings::Settings;
    ///
    /// # async fn run(server: Server) -> hermes::Result {
    /// let settings = Settings::load(None)?;
    /// settings.http(server).await?.serve(settings.address().unwrap_or("127.0.0.1:8000")).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`read`](Self::read) and [`from_env`](Self::from_env), the mistakes of both together.
    pub fn load(file: Option<&Path>) -> Result<Self, SettingsError> {
        let named = env::var_os(FILE).filter(|path| !path.is_empty()).map(PathBuf::from);
        let file = file.or(named.as_deref()).map_or_else(|| Ok(Self::default()), Self::read);
        match (Self::from_env(), file) {
            (Ok(settings), Ok(file)) => Ok(settings.or(file)),
            (settings, file) => {
                let mistakes = settings.err().into_iter().chain(file.err()).collect();
                SettingsError::unless(mistakes, Self::default())
            }
        }
    }

    /// Reads the variables of all keys, such as `HERMES_MAX_SESSIONS`. An empty one is none.
    ///
    /// # Errors
    /// [`SettingsError`]: the variables that are not understood.
    pub fn from_env() -> Result<Self, SettingsError> {
        Self::of_variables(|name| env::var_os(name))
    }

    pub(super) fn of_variables(look_up: impl Fn(&str) -> Option<OsString>) -> Result<Self, SettingsError> {
        let variables = Key::ALL.into_iter().filter_map(|key| Some((key, look_up(key.variable())?)));
        let (mut this, mut mistakes) = (Self::default(), Vec::new());
        for (key, text) in variables.filter(|(_, text)| !text.is_empty()) {
            let place = Place::Variable(key);
            match text.to_str() {
                Some(text) => mistakes.extend(this.say(key, text, place).err()),
                None => {
                    let (written, instead) = ("***".to_owned(), "write it in UTF-8".to_owned());
                    mistakes.push(SettingsError::Value { place, written, instead });
                }
            }
        }
        SettingsError::unless(mistakes, this)
    }

    /// Sets a key to a text, as the program's own flags have it. Of lists each text adds to what was set here before, and may
    /// hold several with commas between.
    ///
    /// # Errors
    /// [`SettingsError::Value`]: the key cannot be set to that.
    pub fn set(mut self, key: Key, text: &str) -> Result<Self, SettingsError> {
        self.say(key, text, Place::Program(key))?;
        Ok(self)
    }

    fn say(&mut self, key: Key, text: &str, place: Place) -> Result<(), SettingsError> {
        let value = match key.kind().read(text) {
            Ok(value) => value,
            Err(instead) => {
                let written = if key.is_secret() { "***".to_owned() } else { format!("\"{text}\"") };
                return Err(SettingsError::Value { place, written, instead });
            }
        };
        match (self.said.get_mut(&key), value) {
            (Some(Said { value: Value::List(all), .. }), Value::List(more)) => all.extend(more),
            (_, value) => {
                self.said.insert(key, Said { value, place });
            }
        }
        Ok(())
    }

    /// Takes from weaker settings what these do not say. A list here takes the place of the whole list there; a store here
    /// wins over `stateless` there, and the other way round.
    pub fn or(mut self, weaker: Self) -> Self {
        let is_in_the_way =
            |key: Key| self.said.contains_key(&key) || key.rival().is_some_and(|rival| self.says(rival));
        let more: Vec<_> = weaker.said.into_iter().filter(|(key, _)| !is_in_the_way(*key)).collect();
        self.said.extend(more);
        self
    }

    /// Whether a key is set, and not to `false`.
    fn says(&self, key: Key) -> bool {
        self.said.get(&key).is_some_and(|said| said.value != Value::Switch(false))
    }

    /// The address and port to serve at, if they are set: [`Key::Http`].
    #[must_use]
    pub fn address(&self) -> Option<&str> {
        match self.value(Key::Http)? {
            Value::Text(address) => Some(address),
            _ => None,
        }
    }

    /// Where sessions are kept, if they are: [`Key::Store`]. Without sessions there is nothing to keep.
    #[must_use]
    pub fn store(&self) -> Option<&Path> {
        self.file(Key::Store).filter(|_| !self.says(Key::Stateless)).map(|(path, _)| path)
    }

    /// Where a key was set, if it was.
    #[must_use]
    pub fn place(&self, key: Key) -> Option<&Place> {
        self.said.get(&key).map(|said| &said.place)
    }

    pub(super) fn value(&self, key: Key) -> Option<&Value> {
        self.said.get(&key).map(|said| &said.value)
    }

    pub(super) fn count(&self, key: Key) -> Option<usize> {
        match self.value(key)? {
            Value::Count(count) => Some(*count),
            _ => None,
        }
    }

    pub(super) fn time(&self, key: Key) -> Option<Duration> {
        match self.value(key)? {
            Value::Time(time) => Some(*time),
            _ => None,
        }
    }

    pub(super) fn is_on(&self, key: Key) -> bool {
        self.value(key) == Some(&Value::Switch(true))
    }

    pub(super) fn list(&self, key: Key) -> &[String] {
        match self.value(key) {
            Some(Value::List(all)) => all,
            _ => &[],
        }
    }

    /// A file, and where it was named.
    pub(super) fn file(&self, key: Key) -> Option<(&Path, &Place)> {
        match self.said.get(&key)? {
            Said { value: Value::File(path), place } => Some((path, place)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(variables: &[(&str, &str)]) -> Result<Settings, SettingsError> {
        let look_up =
            |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, text)| text.into());
        Settings::of_variables(look_up)
    }

    #[test]
    fn the_environment_says_what_a_file_would_and_an_empty_variable_nothing() {
        let settings = of(&[
            ("HERMES_MAX_SESSIONS", "5"),
            ("HERMES_ALLOW_HOST", "a.example,b.example"),
            ("HERMES_STATELESS", "false"),
            ("HERMES_HTTP", ""),
        ]);
        let settings = settings.expect("settings");
        assert_eq!(settings.count(Key::MaxSessions), Some(5));
        assert_eq!(settings.list(Key::AllowHost), ["a.example", "b.example"]);
        assert_eq!(settings.value(Key::Stateless), Some(&Value::Switch(false)));
        assert_eq!(settings.address(), None);
    }

    #[test]
    fn a_mistake_in_the_environment_is_told_by_the_variable_and_shows_no_secret() {
        let told = |name, text| of(&[(name, text)]).expect_err(text).to_string();
        assert!(
            told("HERMES_HTTP", "127.0.0.1").starts_with("HERMES_HTTP: \"127.0.0.1\": write ADDRESS:PORT")
        );
        assert!(told("HERMES_STATE_KEY", "5ecret").starts_with("HERMES_STATE_KEY: ***: write 32 bytes"));
    }

    #[test]
    fn all_variables_that_are_not_understood_are_told_at_once() {
        let error = of(&[("HERMES_HTTP", "here"), ("HERMES_METRICS", "true"), ("HERMES_RETENTION", "5")]);
        let error = error.expect_err("two mistakes").to_string();
        let mut lines = error.lines();
        assert_eq!(lines.next(), Some("these settings cannot be used:"));
        assert!(lines.next().is_some_and(|line| line.starts_with("  HERMES_HTTP: \"here\": ")), "{error}");
        assert!(lines.next().is_some_and(|line| line.starts_with("  HERMES_RETENTION: \"5\": ")), "{error}");
        assert_eq!(lines.next(), None);
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_text_is_refused() {
        use std::os::unix::ffi::OsStringExt as _;

        let bytes = || OsString::from_vec(vec![b'a', 0xff]);
        let read = Settings::of_variables(|name| (name == "HERMES_STORE").then(bytes));
        assert_eq!(read.expect_err("bytes").to_string(), "HERMES_STORE: ***: write it in UTF-8");
    }
}
