//! Settings of a server: from a file, from the environment and from flags.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use hermes::prelude::*;
use hermes::settings::{Key, Kind, Place, Settings, SettingsError};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};

/// Set, the table of the page is written anew.
const BLESS: &str = "HERMES_BLESS";

/// A folder of its own, gone with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("settings-{name}"));
        drop(fs::remove_dir_all(&folder));
        fs::create_dir_all(&folder).expect("a new folder");
        Self(folder)
    }

    fn file(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(name);
        fs::write(&path, text).expect("written");
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).expect("the folder can be removed");
    }
}

/// An error and its sources.
fn chain(error: &dyn Error) -> String {
    let source = error.source().map(|source| format!(": {}", chain(source)));
    format!("{error}{}", source.unwrap_or_default())
}

/// A file with one line for each key, as the row says it.
fn file_of(row: impl Fn(Key) -> Option<&'static str>) -> String {
    let keys = Key::ALL.into_iter().filter(|key| !key.is_secret());
    keys.filter_map(|key| Some(format!("{} = {}\n", key.name(), row(key)?))).collect()
}

fn server() -> Server {
    Server::new("sums", "1.0.0")
}

async fn shown(settings: &Settings) -> String {
    format!("{:?}", settings.http(server()).await.expect("settings that fit"))
}

#[tokio::test]
async fn the_defaults_that_are_told_are_those_of_the_library() {
    let folder = Folder::new("defaults");
    let text = file_of(Key::default);
    assert!(text.lines().count() > 10, "{text}");
    let settings = Settings::read(folder.file("server.toml", text)).expect("defaults");
    assert_eq!(shown(&settings).await, format!("{:?}", StreamableHttp::new(server())));
}

#[tokio::test]
async fn every_example_is_understood_and_changes_the_endpoint() {
    let folder = Folder::new("examples");
    folder.file("state-key", "0f".repeat(32));
    folder.file("state-key.old", [7; 32]);
    let unset = shown(&Settings::default()).await;
    for key in Key::ALL.into_iter().filter(|key| !key.is_secret()) {
        let file = folder.file("server.toml", format!("{} = {}\n", key.name(), key.example()));
        let settings = Settings::read(&file).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(
            settings.place(key).map(ToString::to_string),
            Some(format!("{}:1: `{}`", file.display(), key.name()))
        );
        let is_in_the_endpoint = !matches!(key, Key::Http | Key::StateKeyFile | Key::PreviousStateKeyFile);
        assert_eq!(shown(&settings).await != unset, is_in_the_endpoint, "{}", key.name());
        assert_eq!(settings.address().is_some(), key == Key::Http);
        assert_eq!(settings.store().is_some(), key == Key::Store);
    }
    assert!(folder.0.join("sessions").exists(), "a path is of the folder that the file is in");
}

#[test]
fn every_key_is_a_row_of_the_page() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/settings.md");
    let page = fs::read_to_string(&path).expect("the page");
    let (begin, end) = ("<!-- keys -->\n", "<!-- end of keys -->");
    let (before, rest) = page.split_once(begin).expect("a table");
    let (table, after) = rest.split_once(end).expect("its end");
    let mut rows =
        "| key, variable | is | default | example | what it does |\n|---|---|---|---|---|\n".to_owned();
    for key in Key::ALL {
        let name = if key.is_secret() { String::new() } else { format!("`{}`<br>", key.name()) };
        let is = if key.is_secret() { "64 hexadecimal digits" } else { key.kind().in_a_file() };
        let default = key.default().map_or_else(|| "–".to_owned(), |default| format!("`{default}`"));
        let example = if key.is_secret() { "–".to_owned() } else { format!("`{}`", key.example()) };
        let about = key.about().trim_end_matches(" (repeatable)");
        rows.push_str(&format!("| {name}`{}` | {is} | {default} | {example} | {about} |\n", key.variable()));
    }
    if std::env::var_os(BLESS).is_some() {
        fs::write(&path, format!("{before}{begin}{rows}{end}{after}")).expect("the page can be written");
    } else {
        assert_eq!(table, rows, "docs/settings.md; {BLESS}=1 writes the table anew");
    }
}

#[test]
fn a_mistake_is_told_with_its_file_its_line_its_key_and_what_is_wanted() {
    let folder = Folder::new("mistakes");
    for (text, told) in [
        (
            "# ours\nmax-sessions = \"many\"\n",
            ":2: `max-sessions`: \"many\": write a whole number, 1 or more",
        ),
        ("max-sessions = -1", ":1: `max-sessions`: -1: write a whole number, 1 or more"),
        ("max-body = 0", ":1: `max-body`: 0: write a whole number, 1 or more"),
        ("max-body = 1.5", ":1: `max-body`: 1.5: write a whole number of bytes, 1 or more"),
        (
            "http = \"127.0.0.1\"",
            ":1: `http`: \"127.0.0.1\": write ADDRESS:PORT, such as 127.0.0.1:8000 or [::1]:8000; port 0 takes any",
        ),
        (
            "allow-host = [\n  \"a\",\n  \"*\",\n]",
            ":3: `allow-host`: \"*\": write a name or an address, with a port or without: mcp.example.org",
        ),
        ("allow-host = \"a\"", ":1: `allow-host`: \"a\": write a list of names, with a port or without"),
        ("allow-origin = [7]", ":1: `allow-origin`: 7: write a text in quotes"),
        ("keep-alive = \"5\"", ":1: `keep-alive`: \"5\": a unit is missing: write 700ms, 8s or 1m"),
        ("retention = 5", ":1: `retention`: 5: write a time: \"700ms\", \"8s\", \"1.5m\" or \"2h\""),
        ("metrics = \"yes\"", ":1: `metrics`: \"yes\": write true or false"),
        (
            "metrics = true\n\nmetricks = true",
            ":3: `metricks`: there is no such key; did you mean `metrics`?",
        ),
        ("max_sessions = 1", ":1: `max_sessions`: there is no such key; did you mean `max-sessions`?"),
        ("\n[metrics]\n", ":2: `metrics`: "),
        (
            "state-key = \"0f\"",
            ":1: `state-key`: a secret does not belong here: name a file that holds it with `state-key-file`, or set HERMES_STATE_KEY",
        ),
        ("metrics = true\nmetrics = true", ":2: "),
        ("x = ", ":1: "),
    ] {
        let file = folder.file("server.toml", text);
        let error = Settings::read(&file).expect_err(text).to_string();
        let told = format!("{}{told}", file.display());
        assert!(error == told || told.ends_with(": ") && error.starts_with(&told), "{error}\n{told}");
    }
    let error = Settings::read(folder.0.join("none.toml")).expect_err("no file");
    assert!(chain(&error).starts_with(&format!("cannot read {}: ", folder.0.join("none.toml").display())));
    let file = folder.file("server.toml", "weather = 1");
    let error = Settings::read(file).expect_err("no such key").to_string();
    assert!(error.contains("there is no such key; there is: http, max-sessions, "), "{error}");
    assert!(!error.contains("state-key,"), "{error}");
}

/// What stands in the fenced block of this language, the first after `heading`.
fn block(page: &str, heading: &str, language: &str) -> String {
    let section = page.split_once(heading).expect("the section").1;
    let block = section.split_once(&format!("```{language}\n")).expect("a block").1;
    block.split_once("```").expect("its end").0.to_owned()
}

#[test]
fn all_mistakes_of_a_file_are_told_at_once_in_its_order_as_the_page_says() {
    let folder = Folder::new("several");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/settings.md");
    let page = fs::read_to_string(&path).expect("the page");
    let file = folder.file("server.toml", block(&page, "## Mistakes", "toml"));
    let error = Settings::read(&file).expect_err("mistakes");
    let told = error.to_string().replace(&file.display().to_string(), "server.toml");
    assert_eq!(format!("{told}\n"), block(&page, "## Mistakes", "text"));
    let SettingsError::Several(all) = error else { panic!("{error:?}") };
    assert!(matches!(all.first(), Some(SettingsError::Value { .. })), "{all:?}");
    assert!(matches!(all.last(), Some(SettingsError::Exposed { key: Key::StateKey, .. })), "{all:?}");
}

#[test]
fn mistakes_in_one_line_and_in_one_list_are_told_from_left_to_right() {
    let folder = Folder::new("list");
    let file = folder.file("server.toml", "retention = 5\nallow-host = [\"*\", \"a\", 7]\nkeep-alive = 5\n");
    let error = Settings::read(&file).expect_err("mistakes").to_string();
    let told: Vec<&str> =
        error.lines().skip(1).filter_map(|line| line.trim().strip_prefix(file.to_str()?)).collect();
    let starts = [
        ":1: `retention`: 5: ",
        ":2: `allow-host`: \"*\": ",
        ":2: `allow-host`: 7: ",
        ":3: `keep-alive`: 5: ",
    ];
    assert_eq!(told.len(), starts.len(), "{error}");
    assert!(told.iter().zip(starts).all(|(told, start)| told.starts_with(start)), "{error}");
}

#[test]
fn a_file_that_is_no_toml_has_that_one_mistake() {
    let folder = Folder::new("syntax");
    let file = folder.file("server.toml", "metricks = true\nmax-sessions = many\n");
    let error = Settings::read(&file).expect_err("no TOML");
    assert!(matches!(error, SettingsError::Syntax { place: Place::File { line: 2, .. }, .. }), "{error:?}");
}

#[tokio::test]
async fn a_file_that_is_named_and_cannot_be_used_is_told_with_the_place_where_it_is_named() {
    let folder = Folder::new("named");
    folder.file("key", "5ecret");
    for (line, told) in [
        ("state-key-file = \"key\"", "holds no key: write 32 bytes"),
        ("previous-state-key-file = \"none\"", "cannot read "),
        ("store = \"no/such/folder/s\"", "no/such/folder/s"),
    ] {
        let file = folder.file("server.toml", format!("metrics = true\n{line}\n"));
        let settings = Settings::read(&file).expect("it can be read");
        let error = chain(&settings.http(server()).await.expect_err(line));
        let key = line.split(' ').next().expect("a key");
        assert!(error.starts_with(&format!("{}:2: `{key}`", file.display())), "{error}");
        assert!(error.contains(told) && !error.contains("5ecret"), "{error}");
    }
}

#[tokio::test]
async fn what_is_stronger_wins_and_spares_what_is_weaker() {
    let folder = Folder::new("stronger");
    let text =
        "max-sessions = 7\nretention = \"1m\"\nallow-host = [\"a.example\"]\nstate-key-file = \"none\"\n";
    let file = Settings::read(folder.file("server.toml", text)).expect("settings");
    let key = folder.file("key", [7; 32]);
    let flags = Settings::default()
        .set(Key::MaxSessions, "9")
        .and_then(|flags| flags.set(Key::AllowHost, "b.example"))
        .and_then(|flags| flags.set(Key::AllowHost, "c.example, d.example"))
        .and_then(|flags| flags.set(Key::StateKeyFile, key.to_str().expect("UTF-8")))
        .expect("flags");
    let settings = flags.or(file);
    let expected =
        StreamableHttp::new(server()).max_sessions(9).retention(std::time::Duration::from_secs(60));
    let expected = expected.allow_host("b.example").allow_host("c.example").allow_host("d.example");
    assert_eq!(shown(&settings).await, format!("{expected:?}"));
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Name {
    name: String,
}

/// A server with one tool, which asks for a name and gives it back, set up by a file with these lines.
fn asking(folder: &Folder, lines: &str) -> Server {
    let settings = Settings::read(folder.file("server.toml", lines)).expect("settings");
    let server = server().tool(ToolDef::new("ask"), |(): (), ctx: Context| async move {
        match ctx.elicit::<Name>("Who?").await? {
            Elicited::Accepted(Name { name }) => Ok(name),
            _ => Err(ToolError::new("nobody")),
        }
    });
    settings.server(server).expect("keys")
}

/// Calls the tool over a connection of its own, in the modern era. `more` is what a second round carries.
async fn call(server: Server, more: Value) -> Value {
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    let serving = tokio::spawn(async move {
        let (reader, writer) = tokio::io::split(theirs);
        server.serve(reader, writer).await
    });
    let mut params = json!({ "name": "ask", "arguments": {}, "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": { "elicitation": { "form": {} } },
    } });
    for (name, value) in more.as_object().into_iter().flatten() {
        params[name] = value.clone();
    }
    let request = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    let (reader, mut writer) = tokio::io::split(ours);
    writer.write_all(format!("{request}\n").as_bytes()).await.expect("it is read");
    let mut line = String::new();
    BufReader::new(reader).read_line(&mut line).await.expect("it is answered");
    writer.shutdown().await.expect("it can be closed");
    serving.await.expect("no panic").expect("a good end");
    serde_json::from_str(&line).expect("JSON")
}

#[tokio::test]
async fn servers_whose_files_hold_the_same_key_take_over_from_each_other() {
    let folder = Folder::new("keys");
    folder.file("old", [1; 32]);
    folder.file("new", "02".repeat(32));
    let begun = call(asking(&folder, "state-key-file = \"old\""), json!({})).await;
    let question = begun["result"]["inputRequests"].as_object().and_then(|all| all.keys().next());
    let question = question.unwrap_or_else(|| panic!("no question: {begun}"));
    let answer = json!({
        "requestState": begun["result"]["requestState"],
        "inputResponses": { question: { "action": "accept", "content": { "name": "Ada" } } },
    });
    for lines in ["state-key-file = \"old\"", "state-key-file = \"new\"\nprevious-state-key-file = \"old\""] {
        let ended = call(asking(&folder, lines), answer.clone()).await;
        assert_eq!(ended["result"]["content"][0]["text"], "Ada", "{lines}: {ended}");
    }
    let stranger = call(asking(&folder, "state-key-file = \"new\""), answer).await;
    assert_eq!(stranger["error"]["code"], -32602, "{stranger}");
}

#[test]
fn a_store_and_serving_without_sessions_exclude_each_other() {
    let set = |key: Key, text: &str| Settings::default().set(key, text).expect("a value");
    let store = || set(Key::Store, "sessions");
    assert_eq!(store().or(set(Key::Stateless, "true")).store(), Some(Path::new("sessions")));
    assert_eq!(set(Key::Stateless, "true").or(store()).store(), None);
    assert_eq!(set(Key::Stateless, "false").or(store()).store(), Some(Path::new("sessions")));
    let both = store().set(Key::Stateless, "true").expect("a value");
    assert_eq!(both.store(), None, "at the same place nothing is kept");
}

#[test]
fn a_value_that_a_program_sets_is_told_by_its_key_and_a_secret_is_not_shown() {
    let error = Settings::default().set(Key::MaxSessions, "many").expect_err("no number");
    assert_eq!(error.to_string(), "`max-sessions`: \"many\": write a whole number, 1 or more");
    let error = Settings::default().set(Key::StateKey, "5ecret").expect_err("no key");
    assert!(matches!(&error, SettingsError::Value { place: Place::Program(Key::StateKey), .. }), "{error:?}");
    assert!(!format!("{error} {error:?}").contains("5ecret"), "{error}");
    let settings = Settings::default().set(Key::StateKey, &"0f".repeat(32)).expect("a key");
    assert!(!format!("{settings:?}").contains("15"), "{settings:?}");
    assert!(Key::ALL.into_iter().filter(|key| key.is_secret()).all(|key| key.kind() == Kind::Secret));
}

#[test]
fn every_key_has_one_name_everywhere() {
    for key in Key::ALL {
        assert_eq!(key.variable(), format!("HERMES_{}", key.name().to_uppercase().replace('-', "_")));
        assert_eq!(Key::named(key.name()), Some(key));
    }
}
