//! What a key may be set to, and how that is written.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// What kind of value a key has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// `ADDRESS:PORT`.
    Address,
    /// A whole number, 1 or more.
    Count,
    /// The same of bytes.
    Bytes,
    /// A time with its unit: `700ms`, `8s`, `1.5m`, `2h`.
    Time,
    /// Origins as browsers spell them. In the environment with commas between.
    Origins,
    /// Names or addresses, with a port or without. In the environment with commas between.
    Hosts,
    /// The path of a file.
    File,
    /// `true` or `false`.
    Switch,
    /// A key of 32 bytes, as 64 hexadecimal digits.
    Secret,
}

impl Kind {
    /// What stands for one value in a help text; nothing for a switch.
    #[must_use]
    pub const fn placeholder(self) -> &'static str {
        match self {
            Self::Address => "ADDRESS:PORT",
            Self::Count => "N",
            Self::Bytes => "BYTES",
            Self::Time => "TIME",
            Self::Origins => "ORIGIN",
            Self::Hosts => "HOST",
            Self::File => "FILE",
            Self::Switch => "",
            Self::Secret => "KEY",
        }
    }

    /// What it is in a file.
    #[must_use]
    pub const fn in_a_file(self) -> &'static str {
        match self {
            Self::Address => "an address with its port",
            Self::Count => "a whole number, 1 or more",
            Self::Bytes => "a whole number of bytes, 1 or more",
            Self::Time => "a time: \"700ms\", \"8s\", \"1.5m\" or \"2h\"",
            Self::Origins => "a list of origins",
            Self::Hosts => "a list of names, with a port or without",
            Self::File => "the path of a file",
            Self::Switch => "true or false",
            Self::Secret => "nothing: it is a secret",
        }
    }

    /// Whether there may be several, each said by itself.
    #[must_use]
    pub const fn is_list(self) -> bool {
        matches!(self, Self::Origins | Self::Hosts)
    }

    /// Reads a value as a flag or a variable has it.
    ///
    /// # Errors
    /// What to write instead.
    pub(super) fn read(self, text: &str) -> Result<Value, String> {
        match self {
            Self::Address => address(text).map(Value::Text),
            Self::Count | Self::Bytes => count(text).map(Value::Count),
            Self::Time => parse_time(text).map(Value::Time),
            Self::Origins => list(text, origin),
            Self::Hosts => list(text, host),
            Self::File if text.is_empty() => Err("write the path of a file".to_owned()),
            Self::File => Ok(Value::File(PathBuf::from(text))),
            Self::Switch => switch(text).map(Value::Switch),
            Self::Secret => Secret::of(text.as_bytes()).map(Value::Secret).ok_or_else(|| A_KEY.to_owned()),
        }
    }
}

/// A value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    Text(String),
    Count(usize),
    Time(Duration),
    List(Vec<String>),
    File(PathBuf),
    Switch(bool),
    Secret(Secret),
}

/// What a key is.
pub(super) const A_KEY: &str = "write 32 bytes, or 64 hexadecimal digits (openssl rand -hex 32)";

/// A key that nobody is shown.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Secret(pub(super) [u8; 32]);

impl Secret {
    /// Reads 32 bytes, or 64 hexadecimal digits with white space around them.
    pub(super) fn of(bytes: &[u8]) -> Option<Self> {
        if let Ok(key) = <[u8; 32]>::try_from(bytes) {
            return Some(Self(key));
        }
        let (pairs, rest) = bytes.trim_ascii().as_chunks::<2>();
        let digits: Option<Vec<u8>> = pairs
            .iter()
            .map(|pair| {
                let [high, low] = pair.map(|digit| char::from(digit).to_digit(16));
                u8::try_from(high? * 16 + low?).ok()
            })
            .collect();
        let key = digits.filter(|_| rest.is_empty())?.try_into().ok()?;
        Some(Self(key))
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

/// Reads `127.0.0.1:8000`, `localhost:8000` or `[::1]:8000`; `:8000` and `8000` are of this machine.
fn address(text: &str) -> Result<String, String> {
    let (name, port) = text.rsplit_once(':').unwrap_or(("", text));
    let name = if name.is_empty() { "127.0.0.1" } else { name };
    let is_bare_v6 = name.contains(':') && !(name.starts_with('[') && name.ends_with(']'));
    match port.parse::<u16>() {
        Ok(port) if host(name).is_ok() && !is_bare_v6 => Ok(format!("{name}:{port}")),
        _ => Err("write ADDRESS:PORT, such as 127.0.0.1:8000 or [::1]:8000; port 0 takes any".to_owned()),
    }
}

fn count(text: &str) -> Result<usize, String> {
    match text.trim().parse() {
        Ok(0) | Err(_) => Err("write a whole number, 1 or more".to_owned()),
        Ok(count) => Ok(count),
    }
}

/// Reads a time as settings have it, for flags of one's own: `700ms`, `8s`, `1.5m` or `2h`.
///
/// ```
/// use std::time::Duration;
///
/// use hermes::settings::parse_time;
///
/// assert_eq!(parse_time("1.5m"), Ok(Duration::from_secs(90)));
/// assert_eq!(parse_time("8").unwrap_err(), "a unit is missing: write 700ms, 8s or 1m");
/// ```
///
/// # Errors
/// What to write instead.
pub fn parse_time(text: &str) -> Result<Duration, String> {
    let text = text.trim();
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let seconds = match unit.trim() {
        "ms" => 0.001,
        "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        "" => return Err("a unit is missing: write 700ms, 8s or 1m".to_owned()),
        other => return Err(format!("the unit \"{other}\" is not known: write 700ms, 8s or 1m")),
    };
    let number: f64 = number.parse().map_err(|_| "it does not start with a number".to_owned())?;
    let time = Duration::try_from_secs_f64(number * seconds).map_err(|error| error.to_string())?;
    if time < Duration::from_millis(1) {
        return Err("it must be at least 1ms".to_owned());
    }
    Ok(time)
}

fn switch(text: &str) -> Result<bool, String> {
    match text.trim().to_ascii_lowercase().as_str() {
        "true" | "1" | "yes" | "on" => Ok(true),
        "false" | "0" | "no" | "off" => Ok(false),
        _ => Err("write true or false".to_owned()),
    }
}

/// Reads texts with commas between.
fn list(text: &str, read: fn(&str) -> Result<String, String>) -> Result<Value, String> {
    text.split(',').map(|one| read(one.trim())).collect::<Result<_, _>>().map(Value::List)
}

/// Reads `https://app.example`, with a port or without.
fn origin(text: &str) -> Result<String, String> {
    let (scheme, name) = text.trim_end_matches('/').split_once("://").unwrap_or_default();
    let is_scheme =
        !scheme.is_empty() && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b));
    if is_scheme && host(name).is_ok() {
        Ok(text.to_owned())
    } else {
        Err("write it as browsers do: https://app.example, with a port if it has one; there is no *"
            .to_owned())
    }
}

/// Reads `mcp.example.org`, with a port or without.
fn host(text: &str) -> Result<String, String> {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"-._:[]".contains(&byte);
    if !text.is_empty() && text.bytes().all(fits) {
        Ok(text.to_owned())
    } else {
        Err("write a name or an address, with a port or without: mcp.example.org".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_a_unit() {
        for (text, millis) in
            [("700ms", 700), ("8s", 8_000), ("1m", 60_000), ("1.5s", 1_500), ("2h", 7_200_000)]
        {
            assert_eq!(parse_time(text), Ok(Duration::from_millis(millis)), "{text}");
        }
        for text in ["", "8", "s", "8 days", "-1s", "0s", "1.2.3s", "99999999999999999999h"] {
            assert!(parse_time(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_place_has_a_port_and_of_this_machine_the_port_alone_will_do() {
        for (text, place) in [
            ("127.0.0.1:8000", "127.0.0.1:8000"),
            ("localhost:0", "localhost:0"),
            ("[::1]:8000", "[::1]:8000"),
            (":8000", "127.0.0.1:8000"),
            ("8000", "127.0.0.1:8000"),
        ] {
            assert_eq!(address(text).as_deref(), Ok(place), "{text}");
        }
        for text in ["", ":", "127.0.0.1", "127.0.0.1:", "a:b", "::1:8000", "127.0.0.1:70000", "http://a:80"]
        {
            assert!(address(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_count_is_at_least_one() {
        assert_eq!(count("7"), Ok(7));
        for text in ["0", "-1", "", "1.5", "many", "99999999999999999999999"] {
            assert!(count(text).is_err(), "{text}");
        }
    }

    #[test]
    fn an_origin_or_host_that_could_never_match_is_refused() {
        for good in
            ["https://app.example", "http://localhost:6274", "http://[::1]:80", "https://app.example/"]
        {
            assert_eq!(origin(good).as_deref(), Ok(good));
        }
        for bad in ["*", "nonsense", "app.example", "https://", "https://*.example", "https://a.example/path"]
        {
            assert!(origin(bad).is_err(), "{bad}");
        }
        for good in ["mcp.example.org", "localhost:8000", "[2001:db8::7]:8000"] {
            assert_eq!(host(good).as_deref(), Ok(good));
        }
        for bad in ["", "*", "http://x/", "a b"] {
            assert!(host(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_key_is_32_bytes_or_64_digits_and_is_never_shown() {
        let digits = "0f".repeat(32);
        for bytes in [&[0x0f; 32][..], digits.as_bytes(), format!(" {digits}\n").as_bytes()] {
            assert_eq!(Secret::of(bytes), Some(Secret([0x0f; 32])));
        }
        for bytes in [&b""[..], b"0f", &[0x0f; 31], &[0x0f; 33], "0g".repeat(32).as_bytes()] {
            assert_eq!(Secret::of(bytes), None, "{bytes:?}");
        }
        let value = Kind::Secret.read(&digits).expect("a key");
        assert_eq!(format!("{value:?}"), "Secret(***)");
    }

    #[test]
    fn a_switch_is_on_or_off() {
        for (text, is_on) in [("true", true), ("1", true), ("Yes", true), ("false", false), ("off", false)] {
            assert_eq!(Kind::Switch.read(text), Ok(Value::Switch(is_on)), "{text}");
        }
        assert_eq!(Kind::Switch.read("maybe"), Err("write true or false".to_owned()));
    }

    #[test]
    fn a_list_has_commas_between() {
        let hosts = vec!["a.example".to_owned(), "b.example:80".to_owned()];
        assert_eq!(Kind::Hosts.read("a.example, b.example:80"), Ok(Value::List(hosts)));
        assert!(Kind::Hosts.read("a.example,").is_err());
    }
}
