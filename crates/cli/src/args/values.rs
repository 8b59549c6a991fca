//! What values of flags mean.

use std::time::Duration;

/// Reads `700ms`, `8s`, `1.5m` or `2h`.
pub(crate) fn parse_timeout(text: &str) -> Result<Duration, String> {
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

/// Reads `https://app.example`, with a port or without.
pub(crate) fn parse_origin(text: &str) -> Result<String, String> {
    let (scheme, host) = text.trim_end_matches('/').split_once("://").unwrap_or_default();
    let is_scheme =
        !scheme.is_empty() && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b));
    if is_scheme && parse_host(host).is_ok() {
        Ok(text.to_owned())
    } else {
        Err("write it as browsers do: https://app.example, with a port if it has one; there is no *"
            .to_owned())
    }
}

/// Reads `mcp.example.org`, with a port or without.
pub(crate) fn parse_host(text: &str) -> Result<String, String> {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"-._:[]".contains(&byte);
    if !text.is_empty() && text.bytes().all(fits) {
        Ok(text.to_owned())
    } else {
        Err("write a name or an address, with a port or without: mcp.example.org".to_owned())
    }
}

/// Reads a number of things, of which there has to be one.
pub(crate) fn parse_count(text: &str) -> Result<usize, String> {
    match text.trim().parse() {
        Ok(0) | Err(_) => Err("write a whole number, 1 or more".to_owned()),
        Ok(count) => Ok(count),
    }
}

/// Reads `127.0.0.1:8000`, `localhost:8000` or `[::1]:8000`; `:8000` and `8000` are of this machine.
pub(crate) fn parse_place(text: &str) -> Result<String, String> {
    let (host, port) = text.rsplit_once(':').unwrap_or(("", text));
    let host = if host.is_empty() { "127.0.0.1" } else { host };
    let is_bare_v6 = host.contains(':') && !(host.starts_with('[') && host.ends_with(']'));
    match port.parse::<u16>() {
        Ok(port) if parse_host(host).is_ok() && !is_bare_v6 => Ok(format!("{host}:{port}")),
        _ => Err("write ADDRESS:PORT, such as 127.0.0.1:8000 or [::1]:8000; port 0 takes any".to_owned()),
    }
}

/// Reads `http://127.0.0.1:4318`.
pub(super) fn parse_collector(text: &str) -> Result<String, String> {
    let scheme = text.split_once("://").map(|(scheme, rest)| (scheme.to_ascii_lowercase(), rest));
    let host = |rest: &str| {
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        authority.rsplit('@').next().unwrap_or_default().to_owned()
    };
    match scheme {
        Some((scheme, rest))
            if ["http", "https"].contains(&scheme.as_str()) && parse_host(&host(rest)).is_ok() =>
        {
            Ok(text.to_owned())
        }
        _ => {
            Err("write the address of a collector that takes OTLP over HTTP: http://127.0.0.1:4318"
                .to_owned())
        }
    }
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
    fn times_have_a_unit() {
        for (text, millis) in
            [("700ms", 700), ("8s", 8_000), ("1m", 60_000), ("1.5s", 1_500), ("2h", 7_200_000)]
        {
            assert_eq!(parse_timeout(text), Ok(Duration::from_millis(millis)), "{text}");
        }
        for text in ["", "8", "s", "8 days", "-1s", "0s", "1.2.3s", "99999999999999999999h"] {
            assert!(parse_timeout(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_header_is_a_name_and_a_value() {
        assert_eq!(parse_header("X-Key: a: b"), Ok(("X-Key".into(), "a: b".into())));
        for text in ["X-Key", ": v", "X Key: v", "X: a\nb"] {
            assert!(parse_header(text).is_err(), "{text}");
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
            assert_eq!(parse_place(text).as_deref(), Ok(place), "{text}");
        }
        for text in ["", ":", "127.0.0.1", "127.0.0.1:", "a:b", "::1:8000", "127.0.0.1:70000", "http://a:80"]
        {
            assert!(parse_place(text).is_err(), "{text}");
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

    #[test]
    fn a_count_is_at_least_one() {
        assert_eq!(parse_count("7"), Ok(7));
        for text in ["0", "-1", "", "1.5", "many", "99999999999999999999999"] {
            assert!(parse_count(text).is_err(), "{text}");
        }
    }

    #[test]
    fn an_origin_or_host_that_could_never_match_is_refused() {
        for good in
            ["https://app.example", "http://localhost:6274", "http://[::1]:80", "https://app.example/"]
        {
            assert_eq!(parse_origin(good).as_deref(), Ok(good));
        }
        for bad in ["*", "nonsense", "app.example", "https://", "https://*.example", "https://a.example/path"]
        {
            assert!(parse_origin(bad).is_err(), "{bad}");
        }
        for good in ["mcp.example.org", "localhost:8000", "[2001:db8::7]:8000"] {
            assert_eq!(parse_host(good).as_deref(), Ok(good));
        }
        for bad in ["", "*", "http://x/", "a b"] {
            assert!(parse_host(bad).is_err(), "{bad}");
        }
    }
}
