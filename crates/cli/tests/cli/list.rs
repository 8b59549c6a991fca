//! `hermes list`, `read`, `prompt`, `complete`, `ping`, `info`.

use std::process::Command;

use crate::common::{HERMES, hermes, line, run, scratch, with_fake};
use serde_json::{Value, json};

/// The names in one list of `list --json`.
fn names<'a>(listed: &'a Value, list: &str, member: &str) -> Vec<&'a str> {
    listed[list].as_array().expect(list).iter().map(|entry| entry[member].as_str().expect(member)).collect()
}

#[test]
fn the_demo_offers_exactly_what_is_promised_in_both_eras() {
    for era in ["legacy", "modern"] {
        let listed = line(&format!("list demo --json --era {era}")).exits(0).json();
        let members: Vec<&String> = listed.as_object().expect("an object").keys().collect();
        assert_eq!(members, ["tools", "resources", "resourceTemplates", "prompts"]);
        let mut tools = names(&listed, "tools", "name");
        tools.sort_unstable();
        assert_eq!(
            tools,
            [
                "add", "ask", "audio", "big", "counters", "echo", "embedded", "fail", "image", "link", "log",
                "panic", "progress", "roots", "sample", "sleep", "toggle", "touch"
            ]
        );
        assert_eq!(names(&listed, "resources", "uri"), ["demo://counter", "demo://greeting", "demo://logo"]);
        assert_eq!(names(&listed, "resourceTemplates", "uriTemplate"), ["demo://users/{name}"]);
        assert_eq!(names(&listed, "prompts", "name"), ["greet", "review"]);
        for tool in listed["tools"].as_array().expect("tools") {
            assert!(tool["title"].is_string() && tool["description"].is_string(), "{tool}");
            assert!(tool["annotations"]["readOnlyHint"].is_boolean(), "{tool}");
            assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
        }
    }
}

#[test]
fn a_list_for_people_has_headings_and_every_name() {
    let ran = line("list demo").exits(0);
    for text in [
        "Tools (18)",
        "Resources (3)",
        "Resource templates (1)",
        "Prompts (2)",
        "a integer, b integer",
        "[interval_ms integer]",
    ] {
        assert!(ran.stdout.contains(text), "{text} is missing in {}", ran.stdout);
    }
    assert!(!ran.stdout.contains('\u{1b}'), "no colours without a terminal: {ran:?}");
}

#[test]
fn members_that_nobody_knows_are_kept_in_lists() {
    let ran = with_fake("list --json", "unknown-members").exits(0);
    assert!(ran.stdout.contains(r#""x-new":1.50"#), "{ran:?}");
    assert!(ran.stdout.contains(r#""big":18446744073709551616"#), "{ran:?}");
}

#[test]
fn a_repeated_cursor_ends_the_list_with_what_there_is() {
    let ran = with_fake("list --json", "cursor-loop").exits(0).says(&["warning", "cursor"]);
    let listed = ran.json();
    assert_eq!(names(&listed, "tools", "name"), ["first", "more"]);
}

// spec: R249, R252
#[test]
fn the_empty_string_is_a_cursor_and_null_is_the_end() {
    let ran = with_fake("list --json", "cursor-empty").exits(0);
    assert_eq!(names(&ran.json(), "tools", "name"), ["first", "second"]);
    assert_eq!(ran.stderr, "");
}

#[test]
fn malformed_entries_are_skipped_one_by_one() {
    let ran = with_fake("list --json", "malformed").exits(0);
    assert_eq!(names(&ran.json(), "tools", "name"), ["good", "last"]);
    assert_eq!(ran.stderr.matches("skipped the malformed entry").count(), 2, "{ran:?}");
}

#[test]
fn b097_a_declared_list_that_the_server_refuses_does_not_spoil_the_others() {
    let ran = with_fake("list --json", "refuses-lists").exits(0).says(&["prompts/list"]);
    let listed = ran.json();
    assert_eq!(names(&listed, "tools", "name"), ["good"]);
    assert_eq!(listed["prompts"], json!([]));
}

#[test]
fn a_list_that_is_wrong_or_fails_does_not_spoil_the_others() {
    let wrong = ["tools/list", "`tools`", "it is an object, and has to be an array"];
    let failed = ["tools/list", "-32603"];
    for (mode, told) in [("tools-no-list", &wrong[..]), ("tools-broken", &failed[..])] {
        let listed = with_fake("list --json", mode).exits(2).says(told).json();
        assert_eq!(listed["tools"], json!([]));
        assert_eq!(names(&listed, "prompts", "name"), ["greet"]);
        let shown = with_fake("list", mode).exits(2).says(told);
        assert!(shown.stdout.contains("greet") && !shown.stdout.contains("Tools"), "{shown:?}");
    }
    with_fake("list", "tools-dies").exits(4).prints("");
}

#[test]
fn what_a_server_says_cannot_steer_whatever_shows_standard_error() {
    let ran = with_fake("list", "tools-broken").exits(2).says(&["\u{fffd}[31mcheese\u{fffd} is out"]);
    assert!(!ran.stderr.contains(['\u{1b}', '\u{7}']), "{ran:?}");
}

#[test]
fn b097_what_a_server_does_not_declare_is_not_asked_for() {
    let ran = with_fake("list --json --trace", "plain").exits(0);
    assert_eq!(
        ran.json(),
        json!({"tools": [{"name": "good", "description": "A good tool", "inputSchema": {"type": "object"}}], "resources": [], "resourceTemplates": [], "prompts": []})
    );
    assert!(!ran.stderr.contains("prompts/list") && !ran.stderr.contains("resources/list"), "{ran:?}");
}

#[test]
fn resources_are_read() {
    let greeting = line("read demo demo://greeting").exits(0);
    assert!(greeting.stdout.ends_with('\n') && !greeting.stdout.starts_with('['), "{greeting:?}");
    line("read demo demo://logo").exits(0).prints("[blob, demo://logo, image/png, 228 bytes]\n");
    line("read demo demo://counter").exits(0).prints("0\n");
    let user = line("read demo demo://users/ada --json").exits(0).json();
    assert_eq!(user["contents"][0]["uri"], "demo://users/ada");
    assert!(user["contents"][0]["text"].as_str().is_some_and(|text| text.contains("ada")), "{user}");
}

#[test]
fn a_resource_that_is_not_there_is_a_protocol_error() {
    line("read demo demo://nowhere --era legacy").exits(2).prints("").says(&["-32002"]);
    line("read demo demo://nowhere --era modern").exits(2).prints("").says(&["-32602"]);
}

#[test]
fn prompts_are_filled_in() {
    let greet = line("prompt demo greet name=Ada").exits(0);
    assert!(greet.stdout.starts_with("user:\n") || greet.stdout.contains("\nuser:\n"), "{greet:?}");
    assert!(greet.stdout.contains("Ada"), "{greet:?}");
    let review = line("prompt demo review code=1 language=rust --json").exits(0).json();
    assert_eq!(review["messages"][0]["role"], "user");
}

#[test]
fn arguments_of_prompts_and_templates_are_completed() {
    let all = line("complete demo review language= --json").exits(0).json();
    let values = all["completion"]["values"].as_array().expect("values");
    for language in ["python", "ruby", "rust"] {
        assert!(values.iter().any(|value| value == language), "{values:?}");
    }
    line("complete demo review language=ru").exits(0).prints("ruby\nrust\n");
    line("complete demo review")
        .exits(1)
        .says(&["wants the argument to complete: NAME=PREFIX", "it comes last"]);
    let names = hermes(["complete", "demo", "demo://users/{name}", "name=a"]).exits(0);
    assert!(names.stdout.lines().count() > 0, "{names:?}");
    assert!(names.stdout.lines().all(|name| name.starts_with('a')), "{names:?}");
}

#[test]
fn what_is_filled_in_already_goes_with_a_completion_however_it_is_written() {
    let file = scratch("filled-in.json");
    std::fs::write(&file, r#"{"country": "france"}"#).expect("written");
    for words in ["country=france".to_owned(), format!("@{}", file.display())] {
        let ran = with_fake(&format!("complete travel {words} city=pa"), "completes").exits(0);
        assert_eq!(ran.stdout, "paris\npau\n", "{words}");
    }
    with_fake("complete travel city=pa", "completes").exits(0).prints("");
    with_fake("complete travel city=a city=p", "completes").exits(0);
    with_fake("complete travel country=a country=b city=p", "completes").exits(1).says(&["is given twice"]);
}

#[test]
fn an_output_that_is_closed_before_the_start_is_as_good_as_dev_null_and_a_full_one_is_told() {
    let shell = |line: &str| {
        let mut shell = Command::new("bash");
        shell.args(["-c", &format!("exec {HERMES} list demo {line}")]);
        run(shell, "")
    };
    assert_eq!(shell(">&-").exits(0).prints("").stderr, "");
    shell(">/dev/full").exits(74).prints("").says(&["error: cannot write to standard output"]);
}

#[test]
fn a_ping_is_answered_in_both_eras() {
    for era in ["legacy", "modern"] {
        let ran = line(&format!("ping demo --era {era}")).exits(0);
        assert!(ran.stdout.contains("ms"), "{ran:?}");
    }
    hermes(["ping", "--", HERMES, "demo", "--stdio"]).exits(0);
}

#[test]
fn info_says_who_the_server_is_and_what_it_speaks() {
    for (era, revision) in [("legacy", "2025-11-25"), ("modern", "2026-07-28")] {
        let ran = line(&format!("info demo --era {era}")).exits(0);
        for text in ["demo", revision, "tools", "resources", "prompts"] {
            assert!(ran.stdout.contains(text), "{text} is missing in {ran:?}");
        }
    }
    let legacy = line("info demo --era legacy --json").exits(0).json();
    assert_eq!(legacy["protocolVersion"], "2025-11-25");
    let modern = line("info demo --era modern --json").exits(0).json();
    assert!(modern["supportedVersions"].is_array(), "{modern}");
}
