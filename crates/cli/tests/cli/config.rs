//! `hermes config`: the files that servers have names in.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::common::{HERMES, Ran, command, run};

/// A machine as far as files matter: a home, and a project in which commands are run.
struct Machine(PathBuf);

impl Machine {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("hermes-config-{name}-{}", std::process::id()));
        drop(fs::remove_dir_all(&folder));
        fs::create_dir_all(folder.join("project")).expect("a new folder");
        Self(folder.canonicalize().expect("it is there"))
    }

    fn file(&self, path: &str, text: &str) {
        let path = self.0.join(path);
        fs::create_dir_all(path.parent().expect("a folder around it")).expect("the folder");
        fs::write(path, text).expect("the file is written");
    }

    fn text(&self, path: &str) -> String {
        fs::read_to_string(self.0.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    fn run<S: AsRef<std::ffi::OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Ran {
        let mut command = command(args);
        command.env("HOME", &self.0).env_remove("XDG_CONFIG_HOME").env_remove("HERMES_CONFIG");
        command.env_remove("CODEX_HOME").current_dir(self.0.join("project"));
        run(command, "")
    }

    fn line(&self, line: &str) -> Ran {
        self.run(line.split_whitespace())
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).expect("the folder can be removed");
    }
}

const OWN: &str = ".config/hermes/mcp.json";

#[test]
fn a_server_that_is_added_is_a_target_everywhere_until_it_is_removed() {
    let machine = Machine::new("add");
    machine.run(["config", "add", "ours", "--", HERMES, "demo", "--stdio"]).exits(0).prints("added ours\n");
    assert_eq!(
        machine.text(OWN),
        format!(
            "{{\n  \"mcpServers\": {{\n    \"ours\": {{\n      \"command\": \"{HERMES}\",\n      \
             \"args\": [\"demo\", \"--stdio\"]\n    }}\n  }}\n}}\n"
        )
    );
    let mode = fs::metadata(machine.0.join(OWN)).expect("it is there").permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "secrets may be in it");
    machine.line("call ours add a:=2 b:=3").exits(0).prints("5\n");
    machine.line("config add ours https://example.org/mcp").exits(1).says(&["already", "--force"]);
    machine.line("config remove our").exits(1).says(&["did you mean \"ours\"?"]);
    machine.line("config remove ours").exits(0).prints("removed ours\n");
    machine.line("ping ours").exits(1).says(&["not a target", OWN]);
}

#[test]
fn what_else_is_in_a_file_stays_as_it_is() {
    let machine = Machine::new("keep");
    let before = "{\n  // theirs\n  \"inputs\": [],\n  \"mcpServers\": {\n    \"a\": { \"command\": \"x\", \"y\": 1e3 },\n  },\n}\n";
    machine.file("project/.mcp.json", before);
    machine
        .run(["config", "add", "b", "https://example.org/mcp", "--project", "--header", "X-Key: k"])
        .exits(0);
    let after = machine.text("project/.mcp.json");
    let b = "    \"b\": {\n      \"type\": \"http\",\n      \"url\": \"https://example.org/mcp\",\n      \"headers\": {\n        \"X-Key\": \"k\",\n      },\n    },\n";
    assert_eq!(after.replace(b, ""), before);
    machine.line("config remove b --project").exits(0);
    assert_eq!(machine.text("project/.mcp.json"), before);
}

#[test]
fn what_cannot_be_a_server_is_refused_before_anything_is_written() {
    let machine = Machine::new("refused");
    for (line, says) in [
        ("config add demo https://example.org/mcp", "built in"),
        ("config add x", "an address, or a command after --"),
        ("config add x example.org", "no address"),
        ("config add x https://example.org/mcp --env A=1", "--env"),
        ("config add x --header A:1 -- cmd", "--header"),
        ("config add http://x https://example.org/mcp", "is an address"),
    ] {
        machine.line(line).exits(1).prints("").says(&[says]);
    }
    assert!(!machine.0.join(".config").exists());
    machine.file(OWN, "{ oops");
    machine.line("config add x https://example.org/mcp").exits(1).says(&["mcp.json:1:3"]);
    assert_eq!(machine.text(OWN), "{ oops");
}

/// Gives the machine the files of other programs.
fn with_programs(machine: &Machine) {
    let usual = json!({ "mcpServers": {
        "desk": { "command": HERMES, "args": ["demo", "--stdio"], "env": { "API_KEY": "s3cret" } } } });
    machine.file(".config/Claude/claude_desktop_config.json", &usual.to_string());
    let project = machine.0.join("project");
    let code = json!({ "mcpServers": {}, "projects": { project.to_str().expect("UTF-8"): {
        "mcpServers": { "here": { "command": "x", "args": ["--api-key", "s3cret"] } } } } });
    machine.file(".claude.json", &code.to_string());
    machine.file(
        ".config/Code/User/mcp.json",
        "{ // ours\n \"servers\": { \"code\": { \"command\": \"x\" }, }, }",
    );
    machine.file(
        ".cursor/mcp.json",
        r#"{ "mcpServers": { "desk": { "url": "https://me:s3cret@example.org/mcp" } } }"#,
    );
    machine.file(
        ".codeium/windsurf/mcp_config.json",
        r#"{ "mcpServers": { "surf": { "serverUrl": "https://example.org/mcp?key=s3cret" } } }"#,
    );
    machine.file(
        ".gemini/settings.json",
        r#"{ "theme": "x", "mcpServers": { "gem": { "httpUrl": "https://example.org/mcp" } } }"#,
    );
    machine.file(
        ".config/zed/settings.json",
        r#"{ "context_servers": { "zed": { "source": "custom", "command": "x", "args": [] } } }"#,
    );
    machine.file(".codex/config.toml", "model = \"x\"\n[mcp_servers.cod]\nurl = \"https://example.org/mcp\"\nbearer_token_env_var = \"TOKEN\"\n");
}

#[test]
fn files_of_other_programs_are_listed_without_their_secrets() {
    let machine = Machine::new("list");
    machine.line("config list").exits(0).prints("There are no files of servers here.\n");
    with_programs(&machine);
    machine.line("config add ours https://example.org/mcp").exits(0);
    let ran = machine.line("config list").exits(0);
    for text in
        ["own ", "claude-desktop ", "x --api-key ***", "variables: API_KEY", "https://example.org/mcp"]
    {
        assert!(ran.stdout.contains(text), "{text}: {}", ran.stdout);
    }
    assert!(!ran.stdout.contains("s3cret"), "{}", ran.stdout);
    let listed = machine.line("config list --json").exits(0);
    assert!(!listed.stdout.contains("s3cret"), "{}", listed.stdout);
    let listed = listed.json();
    let files = listed["files"].as_array().expect("a list");
    let of: Vec<&str> = files.iter().filter_map(|file| file["of"].as_str()).collect();
    assert_eq!(
        of,
        ["own", "claude-code", "claude-desktop", "codex", "cursor", "gemini", "vscode", "windsurf", "zed"]
    );
    assert_eq!(files[1]["servers"][0]["name"], "here");
    assert_eq!(files[2]["servers"][0]["env"], json!(["API_KEY"]));
    assert_eq!(files[3]["servers"][0]["headers"], json!(["Authorization"]));
}

#[test]
fn servers_of_other_programs_are_copied_and_theirs_stay_as_they_are() {
    let machine = Machine::new("import");
    with_programs(&machine);
    let theirs = machine.text(".config/Claude/claude_desktop_config.json");
    machine.line("config import claude-desktop").exits(0).prints("added desk\n");
    machine.line("call desk add a:=2 b:=3").exits(0).prints("5\n");
    assert_eq!(machine.text(".config/Claude/claude_desktop_config.json"), theirs);
    machine.line("config import cursor").exits(0).prints("").says(&["skipped: desk", "--force"]);
    machine.line("config import zed no-such").exits(1).says(&["no server \"no-such\""]);
    machine.line("config import lm-studio").exits(1).says(&["keeps no servers"]);
    let imported = machine.line("config import --json").exits(0).json();
    assert_eq!(imported["added"], json!(["here", "cod", "gem", "code", "surf", "zed"]));
    assert_eq!(imported["skipped"], json!(["desk", "desk"]));
    let own: serde_json::Value = serde_json::from_str(&machine.text(OWN)).expect("JSON");
    assert_eq!(own["mcpServers"]["surf"]["url"], "https://example.org/mcp?key=s3cret");
    assert_eq!(own["mcpServers"]["cod"]["headers"]["Authorization"], "Bearer ${TOKEN}");
    assert_eq!(own["mcpServers"]["desk"]["env"]["API_KEY"], "s3cret");
}

#[test]
fn servers_that_are_added_at_once_are_all_there() {
    let machine = Machine::new("parallel");
    std::thread::scope(|scope| {
        for number in 0..20 {
            let machine = &machine;
            scope.spawn(move || {
                machine.line(&format!("config add s{number} https://example.org/{number}")).exits(0);
            });
        }
    });
    let own: serde_json::Value = serde_json::from_str(&machine.text(OWN)).expect("JSON");
    assert_eq!(own["mcpServers"].as_object().map(serde_json::Map::len), Some(20), "{own}");
    let files = fs::read_dir(machine.0.join(".config/hermes")).expect("a folder").count();
    assert_eq!(files, 1, "nothing else is left there");
}

#[test]
fn a_file_that_cannot_be_read_is_named_and_the_others_are_copied() {
    let machine = Machine::new("broken");
    with_programs(&machine);
    machine.file(".cursor/mcp.json", "{ \"mcpServers\": { oops");
    let ran = machine.line("config import").exits(1).says(&[".cursor/mcp.json:1:19"]);
    assert!(ran.stdout.contains("added desk\n") && ran.stdout.contains("added zed\n"), "{ran:?}");
    machine.line("config import cursor").exits(1).prints("").says(&[".cursor/mcp.json:1:19"]);
}

#[test]
fn a_server_with_a_name_that_cannot_be_typed_is_skipped_with_the_reason() {
    let machine = Machine::new("reserved");
    machine.file(
        ".cursor/mcp.json",
        r#"{ "mcpServers": { "demo": { "command": "x" }, "fine": { "command": "x" } } }"#,
    );
    let reason = "no server can be called \"demo\": that is the server that is built in";
    machine.line("config import cursor demo").exits(1).prints("").says(&[reason]);
    let ran =
        machine.line("config import cursor").exits(0).prints("added fine\n").says(&["skipped: ", reason]);
    assert!(!ran.stderr.contains("--force"), "{ran:?}");
}

#[test]
fn no_list_and_no_note_shows_a_secret() {
    let machine = Machine::new("masked");
    let servers = json!({ "mcpServers": {
        "a": { "command": HERMES, "args": ["demo", "--stdio", "--input", "token=s3cret", "--header", "X-Own: s3cret"],
            "env": { "API_KEY": "s3cret" } },
        "b": { "url": "https://me:s3cret@example.org/mcp?token=s3cret", "headers": { "X": "s3cret" } },
        "c": { "command": "sh", "args": ["-c", "exec server --password s3cret"] },
        "d": { "command": "server --token s3cret" },
    } });
    machine.file("project/.mcp.json", &servers.to_string());
    for line in ["list", "list --json", "config list", "config list --json", "ping a --verbose"] {
        let ran = machine.line(line);
        assert!(!ran.stdout.contains("s3cret") && !ran.stderr.contains("s3cret"), "{line}: {ran:#?}");
    }
    let listed = machine.line("list --json").exits(0).json();
    assert_eq!(listed["servers"][2]["reach"], "sh -c exec server --password ***");
    let ran = machine.run(["call", "--", HERMES, "demo", "--stdio", "--input", "token=s3cret"]).exits(1);
    assert!(!ran.stderr.contains("s3cret"), "{ran:?}");
}

#[test]
fn mistakes_are_found_without_starting_anything() {
    let machine = Machine::new("check");
    machine
        .file("project/.mcp.json", r#"{ "mcpServers": { "good": { "url": "https://example.org/mcp" } } }"#);
    machine.line("config check").exits(0).prints("1 server, nothing wrong\n");
    machine.file(
        "project/.mcp.json",
        "{ \"mcpServers\": {\n \"a\": { \"command\": \"no-such-program-anywhere\" },\n \"b\": { \"args\": [] },\n \"off\": { \"command\": \"no-such-program-off\", \"disabled\": true } } }",
    );
    let ran = machine
        .line("config check")
        .exits(1)
        .prints("")
        .says(&[".mcp.json:3: server \"b\"", "`no-such-program-anywhere` is not in PATH"]);
    assert!(!ran.stderr.contains("program-off"), "{ran:?}");
    let checked = machine.line("config check --json").exits(1).json();
    assert_eq!(checked["servers"], 3);
    assert_eq!(checked["problems"].as_array().map(Vec::len), Some(2), "{checked}");
    machine.line("config check no/such.json").exits(1).says(&["there is no such file"]);
    // The files of other programs are read in their own words.
    machine.file(".codex/config.toml", "[mcp_servers.a]\nurl = \"https://example.org/mcp\"\n");
    let theirs = machine.0.join(".codex/config.toml");
    machine
        .run(["config", "check", theirs.to_str().expect("UTF-8")])
        .exits(0)
        .prints("1 server, nothing wrong\n");
}

#[test]
fn a_folder_that_is_not_there_and_a_name_that_cannot_be_typed_are_told_with_what_to_do() {
    let machine = Machine::new("check-more");
    let servers = |cwd: &str, name: &str| {
        json!({ "mcpServers": {
            name: { "url": "https://example.org/mcp" },
            "a": { "command": "sh", "cwd": cwd },
            "off": { "command": "sh", "cwd": "no/such/folder", "disabled": true },
        } })
    };
    machine.file("project/.mcp.json", &servers("no/such/folder", "").to_string());
    machine.file("project/there/x", "");
    let told = machine.line("config check").exits(1).prints("").stderr;
    let file = machine.0.join("project/.mcp.json");
    let (file, folder) = (file.display(), machine.0.join("project/no/such/folder"));
    assert_eq!(
        told,
        format!(
            "error: {file}: server \"\": this name cannot be typed as a target: give the server another one\n\
             error: {file}: server \"a\": the folder {} is not there: make it, or change `cwd`\n",
            folder.display()
        )
    );
    let problems = machine.line("config check --json").exits(1).json()["problems"].clone();
    assert_eq!(problems[0]["server"], "", "{problems}");
    machine.file("project/.mcp.json", &servers("there/x", "b").to_string());
    machine.line("config check").exits(1).says(&["server \"a\": ", "there/x is no folder: change `cwd`"]);
    machine.file("project/.mcp.json", &servers("there", "-b").to_string());
    machine.line("config check").exits(1).says(&["server \"-b\": this name cannot be typed"]);
    machine.file("project/.mcp.json", &servers("there", "b").to_string());
    machine.line("config check").exits(0).prints("3 servers, nothing wrong\n");
}

#[test]
fn the_folder_of_a_users_own_server_is_looked_for_where_it_will_work() {
    let machine = Machine::new("own-folder");
    machine.file("project/sub/x", "");
    machine.file(OWN, &json!({ "mcpServers": { "a": { "command": "sh", "cwd": "sub" } } }).to_string());
    machine.line("config check").exits(0).prints("1 server, nothing wrong\n");
}

#[test]
fn a_file_without_an_end_is_refused_wherever_it_is_read() {
    let machine = Machine::new("endless");
    let told = "/dev/zero has more than 4194304 bytes: it is no file of servers";
    let link = |path: &str| {
        let path = machine.0.join(path);
        fs::create_dir_all(path.parent().expect("a folder around it")).expect("the folder");
        std::os::unix::fs::symlink("/dev/zero", path).expect("a link");
    };
    for line in [
        "config check /dev/zero",
        "config list --config /dev/zero",
        "config add a https://example.org/mcp --config /dev/zero",
        "config remove a --config /dev/zero",
        "list --config /dev/zero",
    ] {
        machine.line(line).exits(1).says(&[told]);
    }
    link(".cursor/mcp.json");
    machine.line("config import cursor").exits(1).says(&["mcp.json has more than 67108864 bytes"]);
    let server = json!({ "command": "sh", "envFile": "/dev/zero" });
    machine.file("project/.mcp.json", &json!({ "mcpServers": { "a": server } }).to_string());
    let told = "server \"a\": `envFile` names /dev/zero, which has more than 1048576 bytes: it is no file of variables";
    machine.line("config check").exits(1).says(&[told]);
    machine.line("ping a").exits(1).says(&[told]);
}

#[test]
fn nothing_is_offered_that_has_no_name() {
    let machine = Machine::new("nameless");
    let servers = json!({ "mcpServers": { "": { "command": "sh" } } });
    machine.file("project/.mcp.json", &servers.to_string());
    for args in [vec!["ping", ""], vec!["ping", "x"], vec!["config", "remove", "x", "--project"]] {
        let ran = machine.run(&args).exits(1);
        assert!(!ran.stderr.contains("did you mean \"\""), "{args:?}: {ran:?}");
        assert!(!ran.stderr.contains("there is: \n"), "{args:?}: {ran:?}");
    }
}

#[test]
fn a_server_that_nobody_could_reach_is_not_copied() {
    let machine = Machine::new("unreachable");
    let servers =
        json!({ "mcpServers": { "none": { "args": [] }, "some": { "url": "https://example.org/mcp" } } });
    machine.file(".cursor/mcp.json", &servers.to_string());
    machine
        .line("config import cursor")
        .exits(0)
        .prints("added some\n")
        .says(&["skipped: none has neither a command nor an address"]);
}

#[test]
fn the_users_own_servers_work_in_the_folder_that_is_worked_in_and_give_way_to_the_projects() {
    let machine = Machine::new("own");
    let check = |folder: &Path| {
        let test = format!("test \"$PWD\" = '{}' && exec '{HERMES}' demo --stdio", folder.display());
        json!({ "command": "sh", "args": ["-c", test] })
    };
    let here = machine.0.join("project");
    machine.file(
        OWN,
        &json!({ "mcpServers": { "ours": check(&here), "both": { "command": "false" } } }).to_string(),
    );
    machine.line("ping ours").exits(0);
    machine.file("project/.mcp.json", &json!({ "mcpServers": { "both": check(&here) } }).to_string());
    machine.line("ping both").exits(0);
}

#[test]
fn a_file_that_is_none_is_told_in_the_same_words_by_every_command() {
    let machine = Machine::new("same-words");
    for text in ["{", "", "[]", "{\"mcpServers\":[]}"] {
        machine.file("project/.mcp.json", text);
        let told = machine.line("config check").exits(1).stderr;
        assert!(told.contains(".mcp.json"), "{text}: {told}");
        let told = told.replace(&format!("{}/project/", machine.0.display()), "");
        for line in ["config list", "list", "config list --json"] {
            let ran = machine.line(line).exits(1);
            let here = ran.stderr.replace(&format!("{}/project/", machine.0.display()), "");
            assert_eq!(here, told, "{text}: {line}");
            if line.ends_with("--json") {
                let error = ran.json()["files"][0]["error"].clone();
                let error = error.as_str().expect("an error").rsplit('/').next().expect("a name").to_owned();
                assert!(told.contains(&error), "{text}: {error}: {told}");
            } else if line == "config list" {
                assert_eq!(ran.stdout, "", "{text}");
            }
        }
    }
    machine.file("project/.mcp.json", "{\"mcpServers\":{}}");
    machine.line("config list").exits(0);
}
