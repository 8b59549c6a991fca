//! Servers that have a name in a file.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use hermes_testkit::daemon::Daemon;
use serde_json::{Value, json};

use crate::common::{HERMES, Ran, command, run};

/// A folder with files in it, gone when the test is over.
struct Project(PathBuf);

impl Project {
    /// A folder outside any repository.
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("hermes-{name}-{}", std::process::id()));
        fs::create_dir(&folder).expect("a new folder");
        Self(folder.canonicalize().expect("it is there"))
    }

    fn folder(&self, path: &str) -> PathBuf {
        let folder = self.0.join(path);
        fs::create_dir_all(&folder).expect("a folder");
        folder
    }

    fn file(&self, path: &str, text: &str) -> PathBuf {
        let path = self.0.join(path);
        fs::create_dir_all(path.parent().expect("a folder around it")).expect("the folder");
        fs::write(&path, text).expect("the file is written");
        path
    }

    fn servers(&self, path: &str, servers: &Value) -> PathBuf {
        self.file(path, &json!({ "mcpServers": servers }).to_string())
    }

    /// Runs the words of a line in this folder.
    fn line(&self, line: &str) -> Ran {
        within(&self.0, line)
    }
}

impl Drop for Project {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).expect("the folder can be removed");
    }
}

fn within(folder: &Path, line: &str) -> Ran {
    let mut command = command(line.split_whitespace());
    command.current_dir(folder);
    run(command, "")
}

/// An entry for the demo server, which starts only if a test of the shell holds.
fn demo_if(test: &str) -> Value {
    json!({ "command": "sh", "args": ["-c", format!("{test} && exec \"$0\" demo --stdio"), HERMES] })
}

fn demo() -> Value {
    json!({ "command": HERMES, "args": ["demo", "--stdio"] })
}

#[test]
fn every_verb_takes_a_name() {
    let project = Project::new("verbs");
    project.servers(".mcp.json", &json!({ "ours": demo() }));
    project.line("call ours add a:=2 b:=3").exits(0).prints("5\n");
    let listed = project.line("list ours --json").exits(0).json();
    assert_eq!(listed["tools"].as_array().map(Vec::len), Some(18), "{listed}");
    project.line("read ours demo://greeting").exits(0);
    project.line("prompt ours greet name=Ada").exits(0);
    project.line("complete ours review language=ru").exits(0).prints("ruby\nrust\n");
    project.line("ping ours").exits(0);
    project.line("info ours --era legacy").exits(0);
    project.line("call ours ehco text=x").exits(1).says(&["did you mean \"echo\"?"]);
}

#[test]
fn the_command_runs_in_the_folder_of_its_file_with_what_the_entry_says() {
    let project = Project::new("surroundings");
    project.folder(".git");
    project.file("settings/.env", "LOADED=\"from file\"\nBOTH=file\n");
    let mut entry = demo_if(
        r#"test "$PWD" = "$WHERE" && test "$LOADED" = "from file" && test "$BOTH" = entry && test -z "$GONE" && test "$DEFAULT" = d"#,
    );
    entry["env"] = json!({
        "WHERE": "${workspaceFolder}", "BOTH": "entry", "GONE": null, "DEFAULT": "${HERMES_TEST_UNSET:-d}",
    });
    entry["envFile"] = json!("settings/.env");
    project.servers(".mcp.json", &json!({ "ours": entry }));
    let mut command = command(["ping", "ours"]);
    command.current_dir(project.folder("deep/er")).env("GONE", "here");
    run(command, "").exits(0);
}

#[test]
fn an_address_has_a_name_and_its_headers_and_the_command_line_has_the_last_word() {
    let daemon = Daemon::run(Command::new(HERMES).args(["demo", "--http", "127.0.0.1:0"])).expect("a server");
    let url = format!("http://{}{}", daemon.target().host, daemon.target().path);
    let project = Project::new("address");
    let headers = json!({ "X-Key": "${KEY:-k}" });
    project.servers(".mcp.json", &json!({ "far": { "type": "http", "url": url, "headers": headers } }));
    project.line("call far add a:=2 b:=3").exits(0).prints("5\n");
    project.line("call far add a:=2 b:=3 --header X-Key:2").exits(0).prints("5\n");
    project.line("call far sleep ms:=60000 --timeout 300ms").exits(124).says(&["300 ms", &url]);
}

#[test]
fn an_editors_file_is_found_too_and_its_inputs_are_given() {
    let project = Project::new("editor");
    let text = format!(
        r#"{{
          // as editors write them
          "inputs": [{{ "id": "who", "type": "promptString" }}],
          "servers": {{ "ours": {{ "type": "stdio", "command": "{HERMES}", "args": ["demo", "--stdio"], "env": {{ "WHO": "${{input:who}}" }}, }}, }},
        }}"#
    );
    let file = project.file(".vscode/mcp.json", &text);
    let file = file.to_str().expect("UTF-8");
    project.line("ping ours").exits(1).prints("").says(&[
        file,
        "`env.WHO`",
        "the input `who`",
        "--input who=",
    ]);
    project.line("ping ours --input who=ada").exits(0);
    project.line("ping ours --input ada").exits(1).says(&["ID=VALUE"]);
}

#[test]
fn a_builtin_word_and_an_address_are_never_looked_up() {
    let project = Project::new("builtin");
    let wrong = json!({ "command": "false" });
    project.servers(".mcp.json", &json!({ "demo": wrong, "http://127.0.0.1:1/mcp": wrong }));
    project.line("call demo add a:=2 b:=3").exits(0).prints("5\n");
    project.line("list http://127.0.0.1:1/mcp").exits(4).says(&["refused"]);
    // Not even a file that is broken is looked at.
    project.file(".mcp.json", "{");
    project.line("call demo add a:=2 b:=3").exits(0).prints("5\n");
}

#[test]
fn the_nearest_file_counts_up_to_the_root_of_the_repository_and_no_further() {
    let project = Project::new("nearest");
    let refusing = || json!({ "command": "false" });
    project.servers(".mcp.json", &json!({ "outside": demo() }));
    project.folder("repository/.git");
    project.servers("repository/.mcp.json", &json!({ "ours": refusing(), "root": demo() }));
    project.servers("repository/sub/.mcp.json", &json!({ "ours": demo() }));
    project.file(
        "repository/sub/.vscode/mcp.json",
        &json!({ "servers": { "ours": refusing(), "editors": demo() } }).to_string(),
    );
    let sub = project.folder("repository/sub");
    for name in ["ours", "root", "editors"] {
        within(&sub, &format!("ping {name}")).exits(0);
    }
    let ran = within(&sub, "ping outside").exits(1).prints("");
    let (inside, outside) = (project.0.join("repository/.mcp.json"), project.0.join(".mcp.json"));
    assert!(ran.stderr.contains(inside.to_str().expect("UTF-8")), "{ran:?}");
    assert!(!ran.stderr.contains(&format!(" {}", outside.display())), "{ran:?}");
    // Where there is no repository, only the working folder counts.
    within(&project.folder("plain"), "ping outside").exits(1).prints("");
    project.line("ping outside").exits(0);
}

#[test]
fn an_unknown_name_is_told_what_is_near_and_where_it_was_looked_for() {
    let project = Project::new("unknown");
    let file = project.servers(".mcp.json", &json!({ "weather": demo() }));
    let file = file.to_str().expect("UTF-8");
    project.line("ping wether").exits(1).prints("").says(&[
        "\"wether\" is not a target",
        "\"weather\"?",
        file,
    ]);
    project.line("ping dmeo").exits(1).prints("").says(&["did you mean \"demo\"?"]);
}

#[test]
fn an_entry_that_cannot_be_used_is_named_and_hurts_no_other() {
    let project = Project::new("bad");
    let file = project.servers(
        ".mcp.json",
        &json!({
            "unset": { "command": "x", "env": { "KEY": "${HERMES_TEST_UNSET}" } },
            "kind": { "command": "x", "args": "-y" },
            "type": { "type": "grpc", "url": "https://example.org" },
            "off": { "command": HERMES, "disabled": true },
            "good": demo(),
        }),
    );
    let file = file.to_str().expect("UTF-8");
    for (name, words) in [
        ("unset", &["\"unset\"", "`env.KEY`", "HERMES_TEST_UNSET", "not set"][..]),
        ("kind", &["\"kind\"", "`args` has to be a list of strings"]),
        ("type", &["\"type\"", "\"grpc\"", "streamable-http"]),
        ("off", &["\"off\" is disabled", "set `disabled` to false"]),
    ] {
        project.line(&format!("ping {name}")).exits(1).prints("").says(&[file]).says(words);
    }
    project.line("ping good").exits(0);
}

#[test]
fn a_command_that_is_not_there_exits_with_4() {
    let project = Project::new("missing");
    project.servers(".mcp.json", &json!({ "gone": { "command": "no-such-program-anywhere" } }));
    let ran = project.line("ping gone").exits(4).prints("").says(&["no-such-program-anywhere", "PATH"]);
    assert!(ran.took.as_millis() < 500, "{ran:?}");
}

#[test]
fn a_file_that_is_no_json_is_named_with_line_and_column() {
    let project = Project::new("broken");
    let file = project.file(".mcp.json", "{\n  \"mcpServers\": {\n    oops\n");
    let place = format!("{}:3:5", file.display());
    project.line("ping ours").exits(1).prints("").says(&[&place]);
    project.line("list").exits(1).says(&[&place]);
}

#[test]
fn one_file_may_be_named_in_place_of_those_that_are_found() {
    let project = Project::new("config");
    project.servers(".mcp.json", &json!({ "found": demo() }));
    project.servers("other/hosts.json", &json!({ "named": demo() }));
    project.line("ping named --config other/hosts.json").exits(0);
    project.line("ping found --config other/hosts.json").exits(1).says(&["other/hosts.json"]);
    project.line("ping named --config no/such.json").exits(1).prints("").says(&["no/such.json"]);
    let mut by_environment = command(["ping", "named"]);
    by_environment.current_dir(&project.0).env("HERMES_CONFIG", "other/hosts.json");
    run(by_environment, "").exits(0);
    let mut both = command(["ping", "found", "--config", ".mcp.json"]);
    both.current_dir(&project.0).env("HERMES_CONFIG", "other/hosts.json");
    run(both, "").exits(0);
}

#[test]
fn without_a_target_the_servers_that_have_a_name_are_listed_and_none_is_started() {
    let project = Project::new("list");
    project.line("list").exits(1).prints("").says(&["the target is missing", ".vscode/mcp.json"]);
    let file = project.servers(
        ".mcp.json",
        &json!({
            "files": { "command": "touch", "args": ["started", "${HERMES_TEST_UNSET:-x}"], "env": { "K": "s3cret" } },
            "far": { "url": "https://me:s3cret@example.org/mcp?key=s3cret", "headers": { "X": "s3cret" } },
            "bad": { "args": ["${HERMES_TEST_UNSET}"], "command": "x" },
            "off": { "command": "x", "disabled": true },
        }),
    );
    let ran = project.line("list").exits(0);
    for text in [
        "touch started ${HERMES_TEST_UNSET:-x}",
        "https://example.org/mcp\n",
        "HERMES_TEST_UNSET, which",
        "disabled",
    ] {
        assert!(ran.stdout.contains(text), "{text}: {ran:#?}");
    }
    assert!(!ran.stdout.contains("s3cret"), "{ran:?}");
    let listed = project.line("list --json").exits(0).json();
    let servers = listed["servers"].as_array().expect("a list");
    let names: Vec<&str> = servers.iter().filter_map(|server| server["name"].as_str()).collect();
    assert_eq!(names, ["files", "far", "bad", "off"]);
    assert_eq!(servers[1]["reach"], "https://example.org/mcp");
    assert_eq!(servers[0]["file"], file.to_str().expect("UTF-8"));
    assert_eq!((&servers[0]["error"], &servers[3]["disabled"]), (&Value::Null, &Value::Bool(true)));
    assert!(!project.0.join("started").exists(), "a server was started");
}

#[test]
fn what_is_started_is_said_where_more_is_asked_for() {
    let project = Project::new("verbose");
    let file = project.servers(".mcp.json", &json!({ "ours": demo() }));
    let said = format!("config: \"ours\" is in {}:1: {HERMES} demo --stdio", file.display());
    project.line("ping ours --verbose").exits(0).says(&[&said]);
}

#[test]
fn b060_a_file_of_servers_with_a_byte_order_mark_loads() {
    let project = Project::new("mark");
    project.file(".mcp.json", &format!("\u{feff}{}\r\n", json!({ "mcpServers": { "ours": demo() } })));
    project.line("ping ours").exits(0);
}

#[test]
fn a_header_for_a_named_command_is_a_mistake_of_the_command_line() {
    let project = Project::new("header");
    project.servers(".mcp.json", &json!({ "ours": demo() }));
    project.line("ping ours --header X:1").exits(1).prints("").says(&["take no headers"]);
}
