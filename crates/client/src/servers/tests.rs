//! Files as hosts write them, and files that went wrong.

use std::path::Path;

use super::*;
use crate::servers::entry::{Reach, Start};

fn around() -> Surroundings {
    Surroundings::empty().env("HOME", "/users/me").env("TOKEN", "t0ken").env("PORT", "8000")
}

fn parse(text: &str) -> ServerFile {
    ServerFile::parse(text, "/project/.mcp.json", &around()).expect("a file of servers")
}

/// The one server of a file whose entry is this.
fn entry(entry: &str) -> Entry {
    let file = parse(&format!(r#"{{"mcpServers":{{"x":{entry}}}}}"#));
    file.entry("x").expect("x").clone()
}

/// Program, arguments, working folder, variables.
type Started<'a> = (&'a str, Vec<&'a str>, &'a Path, Vec<(&'a str, Option<&'a str>)>);

#[track_caller]
fn command(entry: &Entry) -> Started<'_> {
    match entry.reach() {
        Ok(Reach::Command(Start { program, args, cwd, env })) => (
            program.to_str().expect("UTF-8"),
            args.iter().map(String::as_str).collect(),
            cwd,
            env.iter().map(|(name, value)| (name.as_str(), value.as_deref())).collect(),
        ),
        _ => panic!("{entry:?}"),
    }
}

#[track_caller]
fn address(entry: &Entry) -> (&str, Vec<(&str, &str)>) {
    match entry.reach() {
        Ok(Reach::Address { url, headers }) => {
            (url, headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect())
        }
        _ => panic!("{entry:?}"),
    }
}

fn flaw(text: &str) -> (Option<String>, Flaw) {
    let error = entry(text).error().cloned().unwrap_or_else(|| panic!("nothing is wrong with {text}"));
    (error.member, error.flaw)
}

#[test]
fn a_project_file_names_commands_and_addresses() {
    let file = parse(
        r#"{
          "mcpServers": {
            "files": { "command": "npx", "args": ["-y", "files", "${HOME}/docs"], "env": { "KEY": "${TOKEN}", "N": 1, "GONE": null } },
            "tickets": { "type": "http", "url": "https://${HOST:-example.org}:${PORT}/mcp", "headers": { "Authorization": "Bearer ${TOKEN}" } },
            "plain": { "url": "http://localhost:1/sse" }
          }
        }"#,
    );
    let names: Vec<&str> = file.entries().iter().map(Entry::name).collect();
    assert_eq!(names, ["files", "tickets", "plain"]);
    let env = vec![("KEY", Some("t0ken")), ("N", Some("1")), ("GONE", None)];
    let args = vec!["-y", "files", "/users/me/docs"];
    assert_eq!(command(&file.entries()[0]), ("npx", args, Path::new("/project"), env));
    let headers = vec![("Authorization", "Bearer t0ken")];
    assert_eq!(address(&file.entries()[1]), ("https://example.org:8000/mcp", headers));
    assert_eq!(address(&file.entries()[2]), ("http://localhost:1/sse", vec![]));
    assert_eq!(file.entries()[1].line(), 4);
    assert_eq!(file.path(), Path::new("/project/.mcp.json"));
}

#[test]
fn an_editors_file_has_comments_trailing_commas_and_inputs() {
    let text = r#"{
      // asked for once
      "inputs": [
        { "type": "promptString", "id": "key", "description": "A key", "password": true },
        { "type": "pickString", "id": "region", "options": ["eu", "us"], "default": "eu" },
      ],
      "servers": {
        "one": { "type": "stdio", "command": "${workspaceFolder}/bin/one", "args": ["--region=${input:region}"], },
        "two": { "command": "two", "env": { "KEY": "${input:key}" } }, /* the key
        is not known */
        "three": { "type": "http", "url": "https://example.org/mcp", "headers": { "X-Key": "${env:TOKEN}" } },
      },
    }"#;
    let file = ServerFile::parse(text, "/project/.vscode/mcp.json", &around()).expect("a file of servers");
    let one = file.entry("one").expect("one");
    assert_eq!(command(one), ("/project/bin/one", vec!["--region=eu"], Path::new("/project"), vec![]));
    let error = file.entry("two").and_then(Entry::error).expect("no key");
    assert_eq!(
        error.to_string(),
        "/project/.vscode/mcp.json:9: server \"two\": `env.KEY` needs the input `key`, which has no value: \
         give it one, or a `default` in `inputs`"
    );
    assert_eq!(address(file.entry("three").expect("three")).1, [("X-Key", "t0ken")]);
    let around = around().input("key", "k1").input("region", "us");
    let file = ServerFile::parse(text, "/project/.vscode/mcp.json", &around).expect("a file of servers");
    assert_eq!(command(&file.entries()[0]).1, ["--region=us"]);
    assert_eq!(command(&file.entries()[1]).3, [("KEY", Some("k1"))]);
}

#[test]
fn every_spelling_of_a_kind_is_known() {
    for kind in ["http", "streamable-http", "streamableHttp", "sse"] {
        let entry = entry(&format!(r#"{{"type":"{kind}","url":"https://example.org/"}}"#));
        assert_eq!(address(&entry).0, "https://example.org/");
    }
    assert_eq!(address(&entry(r#"{"type":"ws","url":"wss://example.org/mcp"}"#)).0, "wss://example.org/mcp");
    assert_eq!(command(&entry(r#"{"type":"stdio","command":"x","url":"https://example.org/"}"#)).0, "x");
    assert_eq!(address(&entry(r#"{"type":"sse","command":"x","url":"HTTP://h/"}"#)).0, "HTTP://h/");
}

#[test]
fn disabled_and_timeout_are_said_by_the_entry() {
    let entry_ = entry(r#"{"command":"x","disabled":true,"timeout":30000,"alwaysAllow":["a"],"icon":null}"#);
    assert!(entry_.is_disabled() && entry_.error().is_none());
    assert_eq!(entry_.timeout(), Some(std::time::Duration::from_secs(30)));
    // Other hosts count in seconds.
    assert_eq!(entry(r#"{"command":"x","timeout":60}"#).timeout(), None);
    assert!(!entry(r#"{"command":"x","disabled":false}"#).is_disabled());
}

#[test]
fn paths_are_of_the_folder_that_the_file_is_for() {
    let cwd = |text: &str| {
        let entry = entry(text);
        let (program, _, cwd, _) = command(&entry);
        (program.to_owned(), cwd.to_owned())
    };
    for (text, program, folder) in [
        (r#"{"command":"server"}"#, "server", "/project"),
        (r#"{"command":"./server"}"#, "/project/./server", "/project"),
        (r#"{"command":"bin/server","cwd":"sub"}"#, "/project/sub/bin/server", "/project/sub"),
        (r#"{"command":"~/server","cwd":"~"}"#, "/users/me/server", "/users/me/"),
        (r#"{"command":"/usr/bin/server","cwd":"/tmp"}"#, "/usr/bin/server", "/tmp"),
    ] {
        assert_eq!(cwd(text), (program.to_owned(), folder.into()), "{text}");
    }
}

#[test]
fn what_is_wrong_with_an_entry_names_the_member_and_what_to_do() {
    let of = |member: &str, flaw: Flaw| (Some(member.to_owned()), flaw);
    let wrong = |wanted, found| Flaw::WrongKind { wanted, found };
    for (text, expected) in [
        ("[]", (None, wrong("an object", "a list"))),
        ("{}", (None, Flaw::Neither)),
        (r#"{"command":null}"#, (None, Flaw::Neither)),
        (r#"{"command":"x","url":"https://e.org"}"#, (None, Flaw::Both)),
        (r#"{"command":7}"#, of("command", wrong("a string", "a number"))),
        (r#"{"command":""}"#, of("command", Flaw::Empty)),
        (r#"{"command":"x","args":"-y"}"#, of("args", wrong("a list of strings", "a string"))),
        (r#"{"command":"x","args":["a",8000]}"#, of("args[1]", wrong("a string", "a number"))),
        (r#"{"command":"x","env":["A=1"]}"#, of("env", wrong("an object of strings", "a list"))),
        (r#"{"command":"x","env":{"A":{}}}"#, of("env.A", wrong("a string", "an object"))),
        (r#"{"command":"x","disabled":"yes"}"#, of("disabled", wrong("true or false", "a string"))),
        (
            r#"{"command":"x","timeout":-1}"#,
            of("timeout", wrong("a number that is not negative", "a number")),
        ),
        (
            r#"{"type":"grpc","url":"https://e.org"}"#,
            of("type", Flaw::UnknownType { name: "grpc".to_owned() }),
        ),
        (r#"{"type":"http"}"#, of("url", Flaw::Missing)),
        (r#"{"type":"stdio","url":"https://e.org"}"#, of("command", Flaw::Missing)),
        (r#"{"url":"example.org/mcp"}"#, of("url", Flaw::NotAnAddress)),
        (r#"{"url":"unix:///x"}"#, of("url", Flaw::NotAnAddress)),
        (r#"{"url":"https://${NOPE}/"}"#, of("url", Flaw::Unset { variable: "NOPE".to_owned() })),
        (r#"{"command":"x","cwd":"${NOPE}"}"#, of("cwd", Flaw::Unset { variable: "NOPE".to_owned() })),
        (r#"{"command":"x","args":["${A"]}"#, of("args[0]", Flaw::Unclosed)),
        (
            r#"{"command":"x","envFile":"/dev/zero"}"#,
            of("envFile", Flaw::EnvFileTooLong { file: "/dev/zero".into(), limit: 1 << 20 }),
        ),
        (
            r#"{"command":"x","envFile":"/no/such/.env"}"#,
            of("envFile", Flaw::EnvFile { file: "/no/such/.env".into(), kind: std::io::ErrorKind::NotFound }),
        ),
    ] {
        assert_eq!(flaw(text), expected, "{text}");
    }
    let error = entry(r#"{"command":"x","env":{"A":"${NOPE}"}}"#).error().map(ToString::to_string);
    assert_eq!(
        error.as_deref(),
        Some(
            "/project/.mcp.json:1: server \"x\": `env.A` needs the environment variable NOPE, which is not set: \
             set it, or write ${NOPE:-DEFAULT}"
        )
    );
}

#[test]
fn one_bad_entry_does_not_hurt_another() {
    let file = parse(r#"{"mcpServers":{"bad":{"command":"${NOPE}"},"worse":7,"good":{"command":"x"}}}"#);
    let wrong: Vec<bool> = file.entries().iter().map(|entry| entry.error().is_some()).collect();
    assert_eq!(wrong, [true, true, false]);
}

#[test]
fn two_servers_with_one_name_are_both_refused() {
    let file = parse(
        "{\"mcpServers\":{\n\"x\":{\"command\":\"a\"},\n\"y\":{\"command\":\"b\"},\n\"x\":{\"command\":\"c\"}},\n\
         \"servers\":{\"x\":{\"command\":\"d\"}}}",
    );
    assert_eq!(file.entries().len(), 2);
    let error = file.entry("x").and_then(Entry::error).expect("there are two");
    assert_eq!((error.line, &error.flaw), (5, &Flaw::Twice { first: 2 }));
    assert!(file.entry("y").is_some_and(|y| y.error().is_none()));
}

#[test]
fn what_is_no_file_of_servers_says_where_and_why() {
    for (text, message) in [
        ("", "/p/.mcp.json names no servers: "),
        ("[]", "/p/.mcp.json names no servers: "),
        (r#"{"mcp":{}}"#, "/p/.mcp.json names no servers: "),
        (r#"{"mcpServers":[]}"#, "/p/.mcp.json names no servers: "),
        ("{\n  \"mcpServers\": {\n    x }\n}", "/p/.mcp.json:3:5: no JSON: "),
        ("{\"a\": 1 \"b\": 2}", "/p/.mcp.json:1:8: no JSON: "),
        ("{'a': 1}", "/p/.mcp.json:1:2: no JSON: "),
    ] {
        let error = ServerFile::parse(text, "/p/.mcp.json", &around()).expect_err(text).to_string();
        assert!(error.starts_with(message), "{error}");
    }
    assert_eq!(parse(r#"{"mcpServers":{}}"#).entries().len(), 0);
    let missing = ServerFile::read("/no/such/file", &around()).expect_err("there is none");
    assert!(matches!(missing, FileError::Read { .. }), "{missing}");
}

#[test]
fn a_file_without_an_end_is_not_read_to_it() {
    let endless = ServerFile::read("/dev/zero", &around()).expect_err("it is no file of servers");
    assert!(matches!(endless, FileError::TooLong { .. }), "{endless}");
}

#[test]
fn b060_a_file_with_a_byte_order_mark_loads() {
    let file = parse("\u{feff}{\"mcpServers\":{\"x\":{\"command\":\"a\"}}}\r\n");
    assert_eq!(command(&file.entries()[0]).0, "a");
}

#[test]
fn secrets_are_in_no_text() {
    let file = parse(
        r#"{"mcpServers":{
          "a":{"command":"x","args":["--key=${TOKEN}"],"env":{"K":"${TOKEN}","L":"literal-s3cret"}},
          "b":{"url":"https://me:literal-s3cret@example.org/mcp?key=literal-s3cret","headers":{"K":"literal-s3cret"}},
          "c":{"url":"literal-s3cret${TOKEN}"},
          "d":{"command":"x","env":{"K":"literal-s3cret","L":"${NOPE}"}}
        }}"#,
    );
    let shown = format!("{file:?} {:#?}", file.entries());
    for secret in ["t0ken", "literal-s3cret@", "key=literal", "K\": \"literal"] {
        assert!(!shown.contains(secret), "{secret}: {shown}");
    }
    let errors: Vec<String> =
        file.entries().iter().filter_map(Entry::error).map(ToString::to_string).collect();
    assert_eq!(errors.len(), 2);
    assert!(!errors.concat().contains("s3cret"), "{errors:?}");
    assert_eq!(file.entries()[0].to_string(), "x --key=${TOKEN}");
    assert_eq!(file.entries()[1].to_string(), "https://example.org/mcp");
}
