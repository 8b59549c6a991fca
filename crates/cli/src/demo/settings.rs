//! The file that says how a server is served.

use std::env;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Deserializer, de};
use toml::Spanned;

use crate::args::{Serving, parse_count, parse_host, parse_origin, parse_place, parse_timeout};
use crate::exit::{Failure, Result};

/// What may stand in the file, under the names of the flags.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Settings {
    #[serde(default, deserialize_with = "place")]
    http: Option<String>,
    #[serde(default, deserialize_with = "count")]
    max_sessions: Option<usize>,
    #[serde(default, deserialize_with = "time")]
    session_idle: Option<Duration>,
    #[serde(default, deserialize_with = "time")]
    retention: Option<Duration>,
    #[serde(default, deserialize_with = "time")]
    keep_alive: Option<Duration>,
    #[serde(default, deserialize_with = "count")]
    max_body: Option<usize>,
    #[serde(default, deserialize_with = "origins")]
    allow_origin: Vec<String>,
    #[serde(default, deserialize_with = "hosts")]
    allow_host: Vec<String>,
    #[serde(default)]
    store: Option<Spanned<PathBuf>>,
    #[serde(default)]
    stateless: bool,
    #[serde(default)]
    metrics: bool,
    #[serde(default)]
    state_key_file: Option<Spanned<PathBuf>>,
    #[serde(default)]
    previous_state_key_file: Option<Spanned<PathBuf>>,
}

/// What there is besides what the flags are filled with.
#[derive(Debug, Default)]
pub(super) struct Rest {
    /// The address and port to serve at.
    pub(super) http: Option<String>,
    /// Where the store was named, if that was in a file.
    pub(super) store_is_named_at: Option<String>,
    pub(super) state_key: Option<[u8; 32]>,
    pub(super) previous_state_key: Option<[u8; 32]>,
}

/// Fills in what neither a flag nor the environment says. A list of theirs takes the place of the file's. Reads the files of
/// the keys.
///
/// # Errors
/// A file cannot be read, or something in it is not understood: with the line, and the key.
pub(super) fn fill(serving: &mut Serving, http: Option<String>) -> Result<Rest> {
    // Not a variable of the flag: it would contradict --stdio.
    let variable = env::var("HERMES_HTTP").ok().filter(|address| http.is_none() && !address.is_empty());
    let variable = variable.map(|address| {
        parse_place(&address).map_err(|why| Failure::usage(format!("HERMES_HTTP={address}: {why}")))
    });
    let mut rest = Rest { http: http.or(variable.transpose()?), ..Rest::default() };
    if let Some(path) = serving.settings.clone() {
        fill_from(&path, serving, &mut rest)?;
    }
    let said = [&mut rest.state_key, &mut rest.previous_state_key];
    for (kept, path) in said.into_iter().zip([&serving.state_key_file, &serving.previous_state_key_file]) {
        if let (None, Some(path)) = (&kept, path) {
            *kept = Some(key(path)?);
        }
    }
    Ok(rest)
}

fn fill_from(path: &Path, serving: &mut Serving, rest: &mut Rest) -> Result<()> {
    let text = fs::read_to_string(path)
        .map_err(|error| Failure::usage(format!("cannot read {}: {error}", path.display())))?;
    let file = parse(&text, path)?;
    let Settings { max_sessions, session_idle, retention, keep_alive, max_body, stateless, metrics, .. } =
        file;
    serving.max_sessions = serving.max_sessions.or(max_sessions);
    serving.session_idle = serving.session_idle.or(session_idle);
    serving.retention = serving.retention.or(retention);
    serving.keep_alive = serving.keep_alive.or(keep_alive);
    serving.max_body = serving.max_body.or(max_body);
    // A store that a flag or the environment names is wanted more than what the file says.
    serving.stateless |= stateless && serving.store.is_none() && env::var_os("HERMES_STATELESS").is_none();
    serving.metrics |= metrics && env::var_os("HERMES_METRICS").is_none();
    for (said, written) in
        [(&mut serving.allow_origin, file.allow_origin), (&mut serving.allow_host, file.allow_host)]
    {
        if said.is_empty() {
            *said = written;
        }
    }
    // A path in the file is of the folder that the file is in.
    let folder = path.parent().unwrap_or(path);
    let place = |span: Range<usize>| place_of(&text, path, span.start);
    if let Some(store) = file.store.filter(|_| serving.store.is_none() && !serving.stateless) {
        rest.store_is_named_at = Some(place(store.span()));
        serving.store = Some(folder.join(store.into_inner()));
    }
    for (kept, said, written) in [
        (&mut rest.state_key, &serving.state_key_file, file.state_key_file),
        (&mut rest.previous_state_key, &serving.previous_state_key_file, file.previous_state_key_file),
    ] {
        if let Some(written) = written.filter(|_| said.is_none()) {
            let place = place(written.span());
            *kept = Some(key(&folder.join(written.into_inner())).map_err(|failure| failure.told_at(&place))?);
        }
    }
    rest.http = rest.http.take().or(file.http);
    Ok(())
}

fn parse(text: &str, path: &Path) -> Result<Settings> {
    toml::from_str(text).map_err(|error| {
        let place = place_of(text, path, error.span().map_or(0, |span| span.start));
        Failure::usage(format!("{place}{}", error.message().replace('\n', "; ")))
    })
}

/// The file, the line and the key before a mistake that begins at this byte.
fn place_of(text: &str, path: &Path, start: usize) -> String {
    let before = text.get(..start).unwrap_or_default();
    let at = before.matches('\n').count();
    // A list goes on over several lines; the key stands on the first one.
    let lines: Vec<&str> = text.lines().take(at + 1).collect();
    let is_written = |line: &&&str| !line.trim_start().starts_with('#');
    let key = lines.iter().rev().filter(is_written).find_map(|line| line.split_once('='));
    let key = key.map(|(key, _)| key.trim()).filter(|key| !key.is_empty());
    let key = key.map(|key| format!("`{key}`: ")).unwrap_or_default();
    format!("{}:{}: {key}", path.display(), at + 1)
}

fn place<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Option<String>, D::Error> {
    let text = String::deserialize(deserializer)?;
    parse_place(&text).map(Some).map_err(de::Error::custom)
}

fn count<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Option<usize>, D::Error> {
    let written = serde_json::Value::deserialize(deserializer)?;
    // A text is none, even if there is a number in it.
    let number = written.as_number().map(ToString::to_string).unwrap_or_default();
    parse_count(&number).map(Some).map_err(|why| de::Error::custom(format!("{written}: {why}")))
}

fn time<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Option<Duration>, D::Error> {
    let text = String::deserialize(deserializer)?;
    parse_timeout(&text).map(Some).map_err(de::Error::custom)
}

fn origins<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Vec<String>, D::Error> {
    each(deserializer, parse_origin)
}

fn hosts<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Vec<String>, D::Error> {
    each(deserializer, parse_host)
}

fn each<'de, D: Deserializer<'de>>(
    deserializer: D,
    parse: fn(&str) -> std::result::Result<String, String>,
) -> std::result::Result<Vec<String>, D::Error> {
    let texts = Vec::<String>::deserialize(deserializer)?;
    texts.iter().map(|text| parse(text).map_err(|why| de::Error::custom(format!("{text}: {why}")))).collect()
}

/// Reads a key: 32 bytes, or 64 hexadecimal digits.
///
/// # Errors
/// The file cannot be read, or holds something else.
pub(super) fn key(path: &Path) -> Result<[u8; 32]> {
    let shown = path.display();
    let bytes = fs::read(path).map_err(|error| Failure::usage(format!("cannot read {shown}: {error}")))?;
    if let Ok(key) = <[u8; 32]>::try_from(bytes.as_slice()) {
        return Ok(key);
    }
    let digits = str::from_utf8(&bytes).unwrap_or_default().trim();
    let is_key = digits.len() == 64 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let mut key = [0_u8; 32];
    for (at, byte) in key.iter_mut().enumerate() {
        let pair = digits.get(at * 2..at * 2 + 2).unwrap_or_default();
        *byte = u8::from_str_radix(pair, 16).unwrap_or_default();
    }
    if is_key {
        return Ok(key);
    }
    // Nothing of it is shown: it may be part of a key.
    Err(Failure::usage(format!("{shown} holds no key"))
        .with_hint("a key is 32 bytes, or 64 hexadecimal digits: openssl rand -hex 32".to_owned()))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::args::{Cli, SERVING, Verb};

    fn refused(text: &str) -> String {
        parse(text, Path::new("f.toml")).expect_err(text).to_string()
    }

    /// The keys, as the file has them.
    fn keys() -> Vec<String> {
        let told = refused("no-such-key = 1");
        told.split('`').skip(1).step_by(2).skip(2).map(str::to_owned).collect()
    }

    #[test]
    fn every_flag_about_serving_is_a_key_and_every_key_a_row_of_the_page() {
        let command = Cli::command();
        let demo = command.find_subcommand("demo").expect("a verb");
        let flags = demo.get_arguments().filter(|flag| flag.get_help_heading() == Some(SERVING));
        let mut flags: Vec<String> = flags
            .filter_map(|flag| flag.get_long())
            .filter(|flag| *flag != "settings")
            .map(str::to_owned)
            .collect();
        flags.push("http".to_owned());
        let mut keys = keys();
        keys.sort();
        flags.sort();
        assert_eq!(keys, flags);
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/operating.md");
        let page = fs::read_to_string(page).expect("the page");
        let mut rows: Vec<&str> = page
            .lines()
            .filter_map(|line| line.strip_prefix("| `")?.split_once("` | `HERMES_").map(|(key, _)| key))
            .collect();
        rows.sort_unstable();
        assert_eq!(rows, keys, "docs/operating.md");
    }

    #[test]
    fn a_mistake_is_told_with_its_line_and_its_key() {
        let told = refused("# ours\nmax-sessions = \"many\"\n");
        assert_eq!(told, "f.toml:2: `max-sessions`: \"many\": write a whole number, 1 or more");
        for wrong in ["max-sessions = -1", "max-body = 0", "max-sessions = 1.5"] {
            let (key, number) = wrong.split_once(" = ").expect("a line");
            assert_eq!(
                refused(wrong),
                format!("f.toml:1: `{key}`: {number}: write a whole number, 1 or more")
            );
        }
        assert!(refused("http = \"127.0.0.1\"").starts_with("f.toml:1: `http`: write ADDRESS:PORT"));
        assert!(refused("allow-host = [\n  \"a\",\n  \"*\",\n]").starts_with("f.toml:1: `allow-host`: *: "));
        assert!(refused("\n[metrics]\n").starts_with("f.toml:2: "));
        assert!(refused("keep-alive = \"5\"").starts_with("f.toml:1: `keep-alive`: a unit is missing"));
        assert!(
            refused("metrics = true\n\nmetricks = true").starts_with("f.toml:3: `metricks`: unknown field")
        );
        assert!(refused("allow-host = [\"*\"]").contains("`allow-host`: *: write a name"));
        assert!(refused("x = ").starts_with("f.toml:1: "));
    }

    #[test]
    fn a_flag_wins_over_the_file() {
        let folder = env::temp_dir().join(format!("hermes-settings-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let file = folder.join("server.toml");
        let text = "http = \"127.0.0.1:0\"\nmax-sessions = 7\nretention = \"1m\"\nallow-host = [\"a.example\"]\nstate-key-file = \"key\"\n";
        fs::write(&file, text).expect("written");
        let line = ["hermes", "demo", "--max-sessions", "9", "--allow-host", "b.example", "--settings"];
        let cli = Cli::read(line.iter().copied().chain(file.to_str())).expect("a command line");
        let Verb::Demo(mut demo) = cli.verb else { panic!("another verb") };
        fs::write(folder.join("key"), "0f".repeat(32)).expect("written");
        let rest = fill(&mut demo.serving, None).expect("it is read");
        assert_eq!(rest.http.as_deref(), Some("127.0.0.1:0"));
        assert_eq!(
            (demo.serving.max_sessions, demo.serving.retention),
            (Some(9), Some(Duration::from_secs(60)))
        );
        assert_eq!(demo.serving.allow_host, ["b.example"]);
        assert_eq!(rest.state_key, Some([0x0f; 32]));
        fs::write(folder.join("key"), "0f").expect("written");
        let told = fill(&mut demo.serving, None).expect_err("half a key").to_string();
        let place = format!("{}:5: `state-key-file`: ", file.display());
        assert!(told.starts_with(&place) && told.ends_with("holds no key"), "{told}");
        fs::remove_file(folder.join("key")).expect("removed");
        let told = fill(&mut demo.serving, None).expect_err("no key").to_string();
        assert!(told.starts_with(&place) && told.contains("cannot read"), "{told}");
        fs::remove_dir_all(&folder).expect("removed");
    }
}
