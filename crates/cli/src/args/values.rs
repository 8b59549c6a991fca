//! What values of flags mean.

pub(crate) use hermes::settings::parse_time as parse_timeout;
use hermes::settings::{Key, Settings, SettingsError};

/// Reads what a key is set to, or says what to write instead.
pub(super) fn parse_setting(key: Key, text: &str) -> Result<Settings, String> {
    Settings::default().set(key, text).map_err(|error| match error {
        SettingsError::Value { instead, .. } => instead,
        other => other.to_string(),
    })
}

/// Reads `127.0.0.1:8000`, `localhost:8000` or `[::1]:8000`; `:8000` and `8000` are of this machine.
pub(crate) fn parse_place(text: &str) -> Result<String, String> {
    parse_setting(Key::Http, text).map(|settings| settings.address().unwrap_or(text).to_owned())
}

/// Reads `http://127.0.0.1:4318`.
pub(super) fn parse_collector(text: &str) -> Result<String, String> {
    let scheme = text.split_once("://").map(|(scheme, rest)| (scheme.to_ascii_lowercase(), rest));
    let host = |rest: &str| {
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        authority.rsplit('@').next().unwrap_or_default().to_owned()
    };
    match scheme {
        Some((scheme, rest)) if ["http", "https"].contains(&scheme.as_str()) && is_host(&host(rest)) => {
            Ok(text.to_owned())
        }
        _ => {
            Err("write the address of a collector that takes OTLP over HTTP: http://127.0.0.1:4318"
                .to_owned())
        }
    }
}

/// Whether this is a name or an address, with a port or without.
fn is_host(text: &str) -> bool {
    !text.contains(',') && parse_setting(Key::AllowHost, text).is_ok()
}

/// Reads `id=value`.
pub(super) fn parse_input(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((id, value)) if !id.is_empty() => Ok((id.to_owned(), value.to_owned())),
        _ => Err("write ID=VALUE, with the id that stands in ${input:id}".to_owned()),
    }
}

/// Reads `NAME=VALUE`.
pub(super) fn parse_variable(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("write NAME=VALUE".to_owned()),
    }
}

/// Reads `Name: value`.
pub(super) fn parse_header(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once(':').ok_or("the colon is missing: write 'Name: value'")?;
    let (name, value) = (name.trim(), value.trim());
    if name.is_empty()
        || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
    {
        return Err(format!("\"{name}\" is not the name of a header"));
    }
    if value.chars().any(|c| c.is_control() && c != '\t') {
        return Err("the value has a control character in it".to_owned());
    }
    Ok((name.to_owned(), value.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_a_name_and_a_value() {
        assert_eq!(parse_header("X-Key: a: b"), Ok(("X-Key".into(), "a: b".into())));
        for text in ["X-Key", ": v", "X Key: v", "X: a\nb"] {
            assert!(parse_header(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_collector_is_reached_over_http() {
        for good in ["http://127.0.0.1:4318", "HTTPS://me:key@otlp.example/x?y", "http://[::1]:4318/"] {
            assert_eq!(parse_collector(good).as_deref(), Ok(good));
        }
        for bad in ["", "ftp://x", "127.0.0.1:4318", "http://", "http:///v1", "unix:/x"] {
            assert!(parse_collector(bad).is_err(), "{bad}");
        }
    }
}
