//! The file that says how a server is served.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Deserializer, de};

use crate::args::{Serving, parse_host, parse_origin, parse_timeout};
use crate::exit::{Failure, Result};

/// What may stand in the file, under the names of the flags.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Settings {
    #[serde(default)]
    http: Option<String>,
    #[serde(default)]
    max_sessions: Option<usize>,
    #[serde(default, deserialize_with = "time")]
    session_idle: Option<Duration>,
    #[serde(default, deserialize_with = "time")]
    retention: Option<Duration>,
    #[serde(default, deserialize_with = "time")]
    keep_alive: Option<Duration>,
    #[serde(default)]
    max_body: Option<usize>,
    #[serde(default, deserialize_with = "origins")]
    allow_origin: Vec<String>,
    #[serde(default, deserialize_with = "hosts")]
    allow_host: Vec<String>,
    #[serde(default)]
    store: Option<PathBuf>,
    #[serde(default)]
    stateless: bool,
    #[serde(default)]
    metrics: bool,
    #[serde(default)]
    state_key_file: Option<PathBuf>,
    #[serde(default)]
    previous_state_key_file: Option<PathBuf>,
}

/// Fills in what neither a flag nor the environment says. A list of theirs takes the place of the file's. Says the address
/// to serve at, if there is one.
///
/// # Errors
/// The file cannot be read, or something in it is not understood: with the line, and the key.
pub(super) fn fill(serving: &mut Serving, http: Option<String>) -> Result<Option<String>> {
    // Not a variable of the flag: it would contradict --stdio.
    let http = http.or_else(|| env::var("HERMES_HTTP").ok().filter(|address| !address.is_empty()));
    let Some(path) = serving.settings.clone() else { return Ok(http) };
    let text = fs::read_to_string(&path)
        .map_err(|error| Failure::usage(format!("cannot read {}: {error}", path.display())))?;
    let file = parse(&text, &path)?;
    let Settings { max_sessions, session_idle, retention, keep_alive, max_body, stateless, metrics, .. } =
        file;
    serving.max_sessions = serving.max_sessions.or(max_sessions);
    serving.session_idle = serving.session_idle.or(session_idle);
    serving.retention = serving.retention.or(retention);
    serving.keep_alive = serving.keep_alive.or(keep_alive);
    serving.max_body = serving.max_body.or(max_body);
    serving.stateless |= stateless && env::var_os("HERMES_STATELESS").is_none();
    serving.metrics |= metrics && env::var_os("HERMES_METRICS").is_none();
    for (said, written) in
        [(&mut serving.allow_origin, file.allow_origin), (&mut serving.allow_host, file.allow_host)]
    {
        if said.is_empty() {
            *said = written;
        }
    }
    // A path in the file is of the folder that the file is in.
    let folder = path.parent().unwrap_or(&path);
    let placed = |path: Option<PathBuf>| path.map(|path| folder.join(path));
    serving.store = serving.store.take().or_else(|| placed(file.store).filter(|_| !serving.stateless));
    serving.state_key_file = serving.state_key_file.take().or_else(|| placed(file.state_key_file));
    serving.previous_state_key_file =
        serving.previous_state_key_file.take().or_else(|| placed(file.previous_state_key_file));
    Ok(http.or(file.http))
}

fn parse(text: &str, path: &Path) -> Result<Settings> {
    toml::from_str(text).map_err(|error| {
        let start = error.span().map_or(0, |span| span.start);
        let before = text.get(..start).unwrap_or_default();
        let line = 1 + before.matches('\n').count();
        let written = text.lines().nth(line - 1).unwrap_or_default();
        let key = written.split_once('=').map(|(key, _)| key.trim()).filter(|key| !key.is_empty());
        let key = key.map(|key| format!("`{key}`: ")).unwrap_or_default();
        let message = error.message().replace('\n', "; ");
        Failure::usage(format!("{}:{line}: {key}{message}", path.display()))
    })
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
    use clap::{CommandFactory as _, Parser as _};

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
        assert_eq!(told, "f.toml:2: `max-sessions`: invalid type: string \"many\", expected usize");
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
        let cli = Cli::try_parse_from(line.iter().copied().chain(file.to_str())).expect("a command line");
        let Verb::Demo(mut demo) = cli.verb else { panic!("another verb") };
        let http = fill(&mut demo.serving, None).expect("it is read");
        assert_eq!(http.as_deref(), Some("127.0.0.1:0"));
        assert_eq!(
            (demo.serving.max_sessions, demo.serving.retention),
            (Some(9), Some(Duration::from_secs(60)))
        );
        assert_eq!(demo.serving.allow_host, ["b.example"]);
        assert_eq!(demo.serving.state_key_file, Some(folder.join("key")));
        fs::write(folder.join("key"), "0f".repeat(32)).expect("written");
        assert_eq!(key(&folder.join("key")).expect("a key"), [0x0f; 32]);
        fs::write(folder.join("key"), "0f").expect("written");
        assert!(key(&folder.join("key")).is_err());
        fs::remove_dir_all(&folder).expect("removed");
    }
}
