//! Conversations with clients and servers that nobody here wrote.
//!
//! `cargo xtask test` and `cargo xtask interop` install the peers and name the folder in `HERMES_PEERS_DIR`. The
//! clients are scripts in `testing/tests/peers`; they print what they saw, and the tests here judge it.

use std::error::Error;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use serde_json::{Value, json};
use xtask::workspace::root;

type Result<T = ()> = std::result::Result<T, Box<dyn Error>>;

/// How long a whole conversation may take before it counts as hung.
const PATIENCE: &str = "60";

// ---- clients that nobody here wrote ----------------------------------------------------------------------------

#[test]
fn the_typescript_sdk_calls_the_demo_server_in_the_legacy_era() -> Result {
    let record = Record::new("typescript")?;
    let script = root().join("testing/tests/peers/client.mjs");
    let seen = run("node", [script.as_os_str(), record.folder.as_os_str()])?.json()?;

    assert_eq!(tools_missing(&seen["tools"]), Vec::<&str>::new());
    assert_eq!(
        without(seen, &["tools"]),
        json!({
            "server_is_named": true,
            "echo": "héllo \u{1F44B}",
            "add": { "text": "5", "structured": { "sum": 5 } },
            "notes": [[1, 5], [2, 5], [3, 5], [4, 5], [5, 5]],
            "progress": "done",
            "question": "Who are you?",
            "asks_for": ["name"],
            "ask": "Hello, Ada",
            "cancelled": "MCP error -32001: no longer wanted",
            "counters": { "started": 1, "done": 0, "cancelled": 1 },
            "fail_is_error": true,
            "unknown_tool": -32602,
            "after_the_error": "still here",
        })
    );
    assert_eq!(record.methods()?[..2], ["initialize", "notifications/initialized"]);
    assert_eq!(record.answers()?[0]["result"]["protocolVersion"], "2025-11-25");
    let marked = record.answers()?.iter().filter(|answer| !answer["result"]["resultType"].is_null()).count();
    assert_eq!(marked, 0, "a result of the legacy era has no resultType");
    record.assert_settled()
}

#[test]
fn the_python_sdk_calls_the_demo_server_in_the_modern_era() -> Result {
    let record = Record::new("python")?;
    let script = root().join("testing/tests/peers/client.py");
    let seen = run(python(), [script.as_os_str(), record.folder.as_os_str()])?.json()?;

    assert_eq!(tools_missing(&seen["tools"]), Vec::<&str>::new());
    assert_eq!(
        without(seen, &["tools"]),
        json!({
            "revision": "2026-07-28",
            "server_is_named": true,
            "echo": "héllo \u{1F44B}",
            "add": { "text": "5", "structured": { "sum": 5 } },
            "notes": [[1.0, 5.0], [2.0, 5.0], [3.0, 5.0], [4.0, 5.0], [5.0, 5.0]],
            "progress": "done",
            "question": "Who are you?",
            "asks_for": ["name"],
            "ask": "Hello, Ada",
            "counters": { "started": 1, "done": 0, "cancelled": 1 },
            "fail_is_error": true,
            "unknown_tool": -32602,
            "after_the_error": "still here",
        })
    );
    let methods = record.methods()?;
    assert_eq!(methods[0], "server/discover");
    assert!(!methods.iter().any(|method| method == "initialize"), "{methods:?}");
    // The question was a result, and the same tool was called again with the answer.
    let mut types = record.answers()?.into_iter().map(|answer| answer["result"]["resultType"].clone());
    assert_eq!(types.clone().filter(|kind| kind == "input_required").count(), 1);
    let (errors, others): (Vec<Value>, Vec<Value>) =
        types.by_ref().filter(|kind| kind != "input_required").partition(Value::is_null);
    assert_eq!(errors.len(), 1, "only the unknown tool has no result");
    assert!(others.iter().all(|kind| kind == "complete"), "{others:?}");
    record.assert_settled()
}

// ---- servers that nobody here wrote: the TypeScript SDK's ------------------------------------------------------

#[test]
fn hermes_lists_what_server_everything_offers() -> Result {
    let listed = hermes(["list", "--json"], &everything())?.json()?;
    let members: Vec<&String> = listed.as_object().ok_or("no object")?.keys().collect();
    assert_eq!(members, ["tools", "resources", "resourceTemplates", "prompts"]);
    for (member, name) in [
        ("tools", "echo"),
        ("tools", "trigger-elicitation-request"),
        ("tools", "trigger-long-running-operation"),
        ("resources", "architecture.md"),
        ("resourceTemplates", "Dynamic Text Resource"),
        ("prompts", "simple-prompt"),
    ] {
        assert!(names(&listed[member]).contains(&name), "{name} is not among {:?}", names(&listed[member]));
    }
    Ok(())
}

#[test]
fn a_list_for_people_names_every_tool_on_standard_output() -> Result {
    let listed = hermes(["list", "--json"], &everything())?.json()?;
    let shown = hermes(["list"], &everything())?.passed()?;
    for name in names(&listed["tools"]) {
        assert!(shown.stdout.contains(name), "{name} is missing in\n{}", shown.stdout);
    }
    Ok(())
}

#[test]
fn hermes_calls_a_tool_of_server_everything() -> Result {
    let called = hermes(["call", "echo", "message=hi"], &everything())?.passed()?;
    assert_eq!(called.stdout, "Echo: hi\n");
    let called = hermes(["call", "--json", "get-sum", "a:=2", "b:=3.5"], &everything())?.json()?;
    assert_eq!(called, json!({ "content": [{ "type": "text", "text": "The sum of 2 and 3.5 is 5.5." }] }));
    Ok(())
}

#[test]
fn structured_content_of_a_foreign_tool_arrives_unchanged() -> Result {
    let called =
        hermes(["call", "--json", "get-structured-content", "location=Chicago"], &everything())?.json()?;
    let expected = json!({ "temperature": 36, "conditions": "Light rain / drizzle", "humidity": 82 });
    assert_eq!(called["structuredContent"], expected);
    Ok(())
}

#[test]
fn a_long_call_hears_of_its_progress() -> Result {
    let record = Record::new("progress")?;
    let server = record.around(&everything());
    let arguments = ["call", "trigger-long-running-operation", "duration:=0.2", "steps:=4"];
    let called = hermes(arguments, &server)?.passed()?;
    assert_eq!(called.stdout, "Long running operation completed. Duration: 0.2 seconds, Steps: 4.\n");

    let sent = record.lines("to-server")?;
    let call = sent.iter().find(|line| line["method"] == "tools/call").ok_or("no call was sent")?;
    let token = &call["params"]["_meta"]["progressToken"];
    assert!(!token.is_null(), "the call asks for no progress: {call}");
    let notes: Vec<Value> = record
        .lines("from-server")?
        .into_iter()
        .filter(|line| {
            line["method"] == "notifications/progress" && line["params"]["progressToken"] == *token
        })
        .map(|note| note["params"]["progress"].clone())
        .collect();
    assert_eq!(notes, [1, 2, 3, 4]);
    Ok(())
}

#[test]
fn a_question_of_a_foreign_tool_is_answered_from_the_command_line() -> Result {
    let arguments = ["call", "--answer", "name=Ada", "trigger-elicitation-request"];
    let called = hermes(arguments, &everything())?.passed()?;
    assert!(called.stdout.contains("- Name: Ada"), "{}", called.stdout);
    Ok(())
}

#[test]
fn a_question_without_an_answer_is_declined_and_said_so() -> Result {
    let called = hermes(["call", "trigger-elicitation-request"], &everything())?.passed()?;
    assert!(called.stdout.contains("User declined to provide"), "{}", called.stdout);
    assert!(called.stderr.contains("declined"), "{}", called.stderr);
    Ok(())
}

#[test]
fn a_foreign_tool_that_asks_the_model_is_answered_from_the_command_line() -> Result {
    let arguments = ["call", "--answer", "text=Hello", "trigger-sampling-request", "prompt=hi"];
    let called = hermes(arguments, &everything())?.passed()?;
    let reply = called.stdout.strip_prefix("LLM sampling result: \n").ok_or("no reply")?;
    let reply: Value = serde_json::from_str(reply)?;
    assert_eq!(reply["content"], json!({ "type": "text", "text": "Hello" }));
    Ok(())
}

#[test]
fn a_misspelt_tool_is_not_sent_and_the_right_name_is_hinted_at() -> Result {
    let record = Record::new("misspelt")?;
    let called = hermes(["call", "eco", "message=hi"], &record.around(&everything()))?;
    assert_eq!(called.code, Some(1), "{called:?}");
    assert!(called.stderr.contains("\"echo\""), "{called:?}");
    assert!(!record.methods()?.iter().any(|method| method == "tools/call"));
    Ok(())
}

#[test]
fn a_foreign_tool_hears_of_the_roots_that_were_given() -> Result {
    let called =
        hermes(["call", "--root", env!("CARGO_MANIFEST_DIR"), "get-roots-list"], &everything())?.passed()?;
    let uri = format!("file://{}", env!("CARGO_MANIFEST_DIR"));
    assert!(called.stdout.contains(&uri), "{uri} is missing in\n{}", called.stdout);
    Ok(())
}

#[test]
fn hermes_reads_prompts_and_completes_at_server_everything() -> Result {
    let prompt = hermes(["prompt", "--json", "args-prompt", "city=Oslo"], &everything())?.json()?;
    assert_eq!(prompt["messages"][0]["content"]["text"], "What's weather in Oslo?");
    let read = hermes(["read", "--json", "demo://resource/dynamic/text/1"], &everything())?.json()?;
    assert_eq!(read["contents"][0]["uri"], "demo://resource/dynamic/text/1");
    let completed =
        hermes(["complete", "--json", "completable-prompt", "department=E"], &everything())?.json()?;
    assert_eq!(completed["completion"]["values"], json!(["Engineering"]));
    hermes(["ping"], &everything())?.passed()?;
    Ok(())
}

// ---- servers that nobody here wrote: the Python SDK's ----------------------------------------------------------

#[test]
fn hermes_lists_and_calls_the_time_server_in_the_modern_era() -> Result {
    let record = Record::new("time-modern")?;
    let server = record.around(&time());
    let listed = hermes(["list", "--json"], &time())?.json()?;
    assert_eq!(names(&listed["tools"]), ["get_current_time", "convert_time"]);

    let called = hermes(["call", "--json", "get_current_time", "timezone=UTC"], &server)?.json()?;
    assert_eq!(called["structuredContent"]["timezone"], "UTC");
    assert_eq!(called["structuredContent"]["is_dst"], false);
    assert_eq!(called["resultType"], "complete");
    let methods = record.methods()?;
    assert_eq!(methods[0], "server/discover");
    assert!(!methods.iter().any(|method| method == "initialize"), "{methods:?}");
    Ok(())
}

#[test]
fn hermes_calls_the_time_server_in_the_legacy_era_when_told_to() -> Result {
    let record = Record::new("time-legacy")?;
    let server = record.around(&time());
    let arguments = [
        "call",
        "--era",
        "legacy",
        "--json",
        "convert_time",
        "source_timezone=UTC",
        "time=12:00",
        "target_timezone=Asia/Tokyo",
    ];
    let called = hermes(arguments, &server)?.json()?;
    assert_eq!(called["structuredContent"]["time_difference"], "+9.0h");
    assert_eq!(record.methods()?[..2], ["initialize", "notifications/initialized"]);
    Ok(())
}

#[test]
fn an_error_of_a_foreign_tool_ends_with_its_own_exit_code() -> Result {
    let called = hermes(["call", "get_current_time", "timezone=Nowhere/At_All"], &time())?;
    assert_eq!(called.code, Some(5), "{called:?}");
    assert!(called.stderr.contains("Invalid timezone"), "{called:?}");
    Ok(())
}

#[test]
fn a_refusal_of_a_foreign_server_is_told_with_its_code() -> Result {
    let called = hermes(["call", "--no-check", "--json", "no-such-tool"], &time())?;
    assert_eq!(called.code, Some(2), "{called:?}");
    assert_eq!(called.stdout, "");
    assert!(
        called.stderr.contains("-32602") && called.stderr.contains("Unknown tool: no-such-tool"),
        "{called:?}"
    );
    Ok(())
}

// ---- the pieces ------------------------------------------------------------------------------------------------

/// Tools whose names other programs rely on.
const TOOLS: [&str; 14] = [
    "add", "ask", "big", "counters", "echo", "fail", "log", "panic", "progress", "roots", "sample", "sleep",
    "toggle", "touch",
];

fn tools_missing(listed: &Value) -> Vec<&'static str> {
    TOOLS
        .into_iter()
        .filter(|tool| !listed.as_array().is_some_and(|listed| listed.iter().any(|it| it == tool)))
        .collect()
}

/// The names in a list of tools, resources, templates or prompts.
fn names(list: &Value) -> Vec<&str> {
    list.as_array().into_iter().flatten().filter_map(|item| item["name"].as_str()).collect()
}

fn without(mut object: Value, members: &[&str]) -> Value {
    if let Some(object) = object.as_object_mut() {
        object.retain(|name, _| !members.contains(&name.as_str()));
    }
    object
}

fn peers() -> PathBuf {
    PathBuf::from(
        env::var_os("HERMES_PEERS_DIR").expect("HERMES_PEERS_DIR is set: run `cargo xtask interop`"),
    )
}

fn python() -> PathBuf {
    peers().join("venv/bin/python")
}

fn everything() -> Vec<PathBuf> {
    let package = peers().join("node_modules/@modelcontextprotocol/server-everything");
    vec!["node".into(), package.join("dist/index.js"), "stdio".into()]
}

fn time() -> Vec<PathBuf> {
    vec![python(), "-m".into(), "mcp_server_time".into()]
}

/// What a program left behind.
#[derive(Debug)]
struct Ran {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Ran {
    fn passed(self) -> Result<Self> {
        if self.code == Some(0) {
            Ok(self)
        } else {
            Err(format!("exit code {:?}\n{}", self.code, self.stderr).into())
        }
    }

    /// The one JSON value on standard output of a program that passed.
    fn json(self) -> Result<Value> {
        Ok(serde_json::from_str(&self.passed()?.stdout)?)
    }
}

/// `hermes ARGUMENTS -- SERVER`
fn hermes<'a>(arguments: impl IntoIterator<Item = &'a str>, server: &'a [PathBuf]) -> Result<Ran> {
    let arguments = arguments.into_iter().map(OsStr::new).chain([OsStr::new("--")]);
    run(xtask::test::hermes()?, arguments.chain(server.iter().map(|word| word.as_os_str())))
}

/// Runs a program to its end, or to the end of patience.
fn run(program: impl AsRef<OsStr>, arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Result<Ran> {
    let output = Command::new("timeout")
        .args(["--kill-after=5", PATIENCE])
        .arg(program)
        .args(arguments)
        .env("HERMES_BIN", xtask::test::hermes()?)
        .stdin(Stdio::null())
        .output()?;
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    Ok(Ran { code: output.status.code(), stdout: text(&output.stdout), stderr: text(&output.stderr) })
}

/// The raw lines of a conversation, as `record.sh` wrote them.
struct Record {
    folder: PathBuf,
}

impl Record {
    fn new(name: &str) -> Result<Self> {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("peers").join(name);
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        fs::create_dir_all(&folder)?;
        Ok(Self { folder })
    }

    /// The command that runs `server` and records it here.
    fn around(&self, server: &[PathBuf]) -> Vec<PathBuf> {
        let script = root().join("testing/tests/peers/record.sh");
        [script, self.folder.clone()].into_iter().chain(server.iter().cloned()).collect()
    }

    /// All messages of one direction.
    fn lines(&self, direction: &str) -> Result<Vec<Value>> {
        let text = fs::read_to_string(self.folder.join(direction))?;
        Ok(text.lines().map(serde_json::from_str).collect::<serde_json::Result<_>>()?)
    }

    /// The methods that the client sent, in order.
    fn methods(&self) -> Result<Vec<String>> {
        let sent = self.lines("to-server")?;
        Ok(sent.iter().filter_map(|message| message["method"].as_str()).map(str::to_owned).collect())
    }

    /// What the server answered, in order.
    fn answers(&self) -> Result<Vec<Value>> {
        let mut lines = self.lines("from-server")?;
        lines.retain(|line| line["method"].is_null());
        Ok(lines)
    }

    /// Every request of the client has exactly one answer, the cancelled one has none, and the server ended with 0.
    fn assert_settled(&self) -> Result {
        let sent = self.lines("to-server")?;
        let cancelled: Vec<&Value> = sent
            .iter()
            .filter(|message| message["method"] == "notifications/cancelled")
            .map(|message| &message["params"]["requestId"])
            .collect();
        assert_eq!(cancelled.len(), 1, "one call was cancelled");
        let mut asked: Vec<String> = sent
            .iter()
            .filter(|message| !message["method"].is_null() && !message["id"].is_null())
            .filter(|message| !cancelled.contains(&&message["id"]))
            .map(|message| message["id"].to_string())
            .collect();
        let mut answered: Vec<String> =
            self.answers()?.iter().map(|answer| answer["id"].to_string()).collect();
        asked.sort();
        answered.sort();
        assert_eq!(answered, asked);
        assert_eq!(fs::read_to_string(self.folder.join("status"))?, "0\n");
        Ok(())
    }
}
