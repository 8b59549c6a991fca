//! `hermes call`: arguments, results, errors.

use std::process::Command;

use crate::common::{HERMES, command, fake, hermes, line, run, scratch, with_fake};
use serde_json::json;

#[test]
fn a_panic_of_the_demo_is_the_error_of_its_call_and_more_where_more_is_wanted() {
    let error = "error: tools/call failed: the handler panicked (-32603)\n";
    let told = line("call demo panic").exits(2).prints("").stderr;
    assert_eq!(told, error);
    let told = hermes(["shell", "demo", "-c", "call panic"]).exits(2).prints("").stderr;
    assert_eq!(told, error);
    line("call demo panic --verbose").exits(2).says(&[
        "the demo tool was asked to panic",
        "a handler panicked",
        error,
    ]);
    // A server of its own tells its operator.
    let served = hermes(["call", "panic", "--verbose", "--", HERMES, "demo", "--stdio"]).exits(2);
    served.says(&["the demo tool was asked to panic", "a handler panicked"]);
}

#[test]
fn what_has_no_end_is_refused_and_the_limit_is_named() {
    for words in ["text=@/dev/zero", "text:=@/dev/zero", "@/dev/zero", "--args @/dev/zero"] {
        line(&format!("call demo echo {words}"))
            .exits(1)
            .prints("")
            .says(&["cannot read the arguments from /dev/zero: it is larger than 64 MiB"]);
    }
    let mut shell = Command::new("bash");
    shell.args(["-c", &format!("exec {HERMES} call demo echo - < /dev/zero")]);
    run(shell, "").exits(1).prints("").says(&["from standard input: it is larger than 64 MiB"]);
    line("ping http://127.0.0.1:1/mcp --cacert /dev/zero")
        .exits(1)
        .prints("")
        .says(&["--cacert /dev/zero: it is larger than 4 MiB"]);
}

#[test]
fn a_first_call_prints_the_result_and_nothing_else() {
    let ran = line("call demo add a:=2 b:=3").exits(0).prints("5\n");
    assert_eq!(ran.stderr, "");
}

#[test]
fn both_eras_give_the_same_result() {
    for era in ["auto", "legacy", "modern"] {
        line(&format!("call demo add a=2 b=3 --era {era}")).exits(0).prints("5\n");
    }
}

#[test]
fn integers_of_64_bits_are_exact_however_they_are_given() {
    let (a, b, sum) = ("9007199254740993", "-7108510333361982070", "-7099503134107241077");
    line(&format!("call demo add a={a} b={b}")).exits(0).prints(&format!("{sum}\n"));
    line(&format!("call demo add a:={a} b:={b}")).exits(0).prints(&format!("{sum}\n"));
    let ran = line(&format!(r#"call demo add --json --args {{"a":{a},"b":{b}}}"#)).exits(0);
    assert!(ran.stdout.contains(&format!(r#""structuredContent":{{"sum":{sum}}}"#)), "{ran:?}");
    line("call demo add a=9223372036854775807 b=0").exits(0).prints("9223372036854775807\n");
}

#[test]
fn arguments_come_from_a_file_or_standard_input_too() {
    let file = scratch("arguments.json");
    std::fs::write(&file, "{\n  \"a\": 40,\n  \"b\": 1\n}\n").expect("the file can be written");
    let at = format!("@{}", file.display());
    hermes(["call", "demo", "add", "--args", &at]).exits(0).prints("41\n");
    hermes(["call", "demo", "add", "--args", &at, "b=2"]).exits(0).prints("42\n");
    run(command(["call", "demo", "add", "--args", "-"]), r#"{"a":1,"b":2}"#).exits(0).prints("3\n");
}

#[test]
fn a_string_stays_a_string() {
    line("call demo echo text=5").exits(0).prints("5\n");
    line("call demo echo text=true").exits(0).prints("true\n");
    hermes(["call", "demo", "echo", "text=héllo \u{1F44B}\n"]).exits(0).prints("héllo \u{1F44B}\n");
}

#[test]
fn json_is_the_result_object_unchanged() {
    let ran = line("call demo add a=2 b=3 --json --era legacy").exits(0);
    assert_eq!(
        ran.json(),
        json!({"content": [{"type": "text", "text": "5"}], "structuredContent": {"sum": 5}})
    );
    let modern = line("call demo add a=2 b=3 --json --era modern").exits(0).json();
    assert_eq!(modern["resultType"], "complete");
    with_fake("call good --json", "unknown-members")
        .exits(0)
        .prints("{\"content\":[],\"structuredContent\":{\"n\":18446744073709551616},\"x-new\":1.50}\n");
}

#[test]
fn structured_content_is_shown_in_full() {
    let expected = "{\n  \"started\": 0,\n  \"done\": 0,\n  \"cancelled\": 0\n}\n";
    line("call demo counters").exits(0).prints(expected);
    with_fake("call good", "unknown-members").exits(0).prints("{\n  \"n\": 18446744073709551616\n}\n");
}

#[test]
fn pictures_sounds_and_resources_are_summarised() {
    line("call demo image").exits(0).prints("[image, image/png, 228 bytes]\n");
    line("call demo audio").exits(0).prints("[audio, audio/wav, 844 bytes]\n");
    let embedded = line("call demo embedded").exits(0);
    assert!(embedded.stdout.starts_with("[text, demo://greeting, text/plain]\n"), "{embedded:?}");
    let link = line("call demo link").exits(0);
    assert!(link.stdout.starts_with("[link, demo://greeting"), "{link:?}");
}

#[test]
fn a_result_of_20_megabytes_arrives() {
    let ran = line("call demo big bytes=20000000").exits(0);
    assert_eq!(ran.stdout.len(), 20_000_001);
    let ran = hermes(["call", "big", "bytes=20000000", "--", HERMES, "demo", "--stdio"]).exits(0);
    assert_eq!(ran.stdout.len(), 20_000_001);
}

#[test]
fn a_tool_error_exits_with_5() {
    line("call demo fail message=broken").exits(5).prints("").says(&["broken"]);
    let ran = line("call demo fail message=broken --json").exits(5);
    assert_eq!(ran.json()["isError"], true);
}

#[test]
fn a_protocol_error_exits_with_2_and_names_code_and_message() {
    with_fake("call good", "refuses").exits(2).prints("").says(&["-32050", "no cheese today"]);
    with_fake("call good --json", "refuses").exits(2).prints("").says(&["-32050", "no cheese today"]);
    line("call demo panic").exits(2).prints("").says(&["-32603"]);
}

#[test]
fn a_call_that_takes_too_long_exits_with_124() {
    let ran = line("call demo sleep ms=5000 --timeout 300ms").exits(124).prints("").says(&["300 ms"]);
    assert!(ran.took.as_secs() < 4, "{ran:?}");
    with_fake("call good --timeout 300ms", "hangs").exits(124).prints("");
}

#[test]
fn a_server_that_never_answers_at_all_exits_with_124() {
    for era in ["auto", "legacy", "modern"] {
        with_fake(&format!("list --timeout 300ms --era {era}"), "silent").exits(124).prints("");
    }
}

#[test]
fn a_missing_command_exits_with_4_at_once_and_names_it_and_the_path() {
    let mut command = command(["list", "--", "no-such-command-anywhere"]);
    command.env("PATH", "/usr/bin:/bin:/no/such/folder");
    let ran = run(command, "").exits(4).prints("");
    let ran = ran.says(&["no-such-command-anywhere", "/usr/bin:/bin:/no/such/folder"]);
    assert!(ran.took.as_millis() < 500, "{ran:?}");
}

#[test]
fn a_dead_child_is_described_by_its_exit_code_and_its_last_words() {
    let ran = with_fake("call good", "dies").exits(4).prints("").says(&["exit status: 3", "out of cheese"]);
    assert!(ran.took.as_secs() < 10, "{ran:?}");
    with_fake("list", "dies-at-once").exits(4).prints("").says(&["exit status: 7", "cannot find the cheese"]);
}

#[test]
fn noise_is_told_once_however_often_the_server_is_started() {
    let ran = hermes(["list", "--", "sh", "-c", "echo noise; exit 3"]).exits(4).prints("");
    assert_eq!(ran.stderr.matches("that is not JSON: noise").count(), 1, "{ran:?}");
}

#[test]
fn noise_on_a_childs_standard_output_is_skipped_and_reported_once_per_kind() {
    let ran = with_fake("call good", "noise").exits(0).prints("fine\n");
    let reports = ran.stderr.lines().filter(|line| line.contains("skipped")).count();
    assert_eq!(reports, 2, "one for what is not JSON, one for what is no message: {ran:?}");
    assert_eq!(ran.stderr.matches("Starting the server").count(), 1, "{ran:?}");
}

#[test]
fn the_demo_server_is_reached_as_a_command_too() {
    hermes(["call", "echo", "text=hi", "--", HERMES, "demo", "--stdio"]).exits(0).prints("hi\n");
}

#[test]
fn progress_is_said_on_standard_error_when_more_is_asked_for() {
    let quiet = line("call demo progress n=2 interval_ms=1").exits(0).prints("done\n");
    assert_eq!(quiet.stderr, "");
    let verbose = line("call demo progress n=2 interval_ms=1 --verbose").exits(0).prints("done\n");
    let verbose = verbose.says(&["progress: 1/2", "progress: 2/2"]);
    assert_eq!(verbose.stderr.matches("progress:").count(), 2, "{verbose:?}");
}

#[test]
fn the_servers_log_is_on_standard_error_in_both_eras() {
    for era in ["legacy", "modern"] {
        let ran =
            line(&format!("call demo log level=warning message=hot --era {era}")).exits(0).prints("logged\n");
        assert!(ran.stderr.contains("warning: demo: hot"), "{era}: {ran:?}");
    }
}

#[test]
fn trace_shows_every_message_on_standard_error() {
    let ran = line("call demo echo text=hi --trace --era legacy").exits(0).prints("hi\n");
    for text in ["--> {", "<-- {", "\"method\":\"initialize\"", "\"method\":\"tools/call\""] {
        assert!(ran.stderr.contains(text), "{text}: {ran:?}");
    }
}

// spec: R104
#[test]
fn what_a_child_writes_to_standard_error_is_shown_when_more_is_asked_for() {
    let mut words: Vec<String> = ["call", "good", "--verbose", "--"].map(str::to_owned).to_vec();
    words.extend([
        "sh".to_owned(),
        "-c".to_owned(),
        format!("echo hello there >&2; exec {}", fake("plain").join(" ")),
    ]);
    let ran = hermes(&words).exits(0).prints("fine\n");
    assert!(ran.stderr.contains("hello there"), "{ran:?}");
    words.remove(2);
    assert_eq!(hermes(&words).exits(0).prints("fine\n").stderr, "");
}

#[test]
fn b098_every_listed_name_reaches_its_own_tool() {
    let long = "x".repeat(128);
    for name in ["search", "Search", "a.b", "a_b", "天気", &long] {
        let words = ["call", name, "--"].map(str::to_owned).into_iter().chain(fake("names"));
        hermes(words).exits(0).prints(&format!("this is <{name}>\n"));
    }
    // What has no name is left out, and that is said.
    with_fake("list", "names")
        .exits(0)
        .says(&["skipped the malformed entry 6 of tools/list: its `name` is empty"]);
}

#[test]
fn a_file_that_is_no_program_is_said_to_be_none() {
    hermes(["list", "--", "/etc"]).exits(4).prints("").says(&["the command `/etc` is a directory"]);
    let said = "the command `/etc/passwd` is a file that may not be executed";
    hermes(["list", "--", "/etc/passwd"]).exits(4).prints("").says(&[said]);
    hermes(["list", "--", "/no/such/file"]).exits(4).prints("").says(&["/no/such/file", "was not found"]);
}

#[test]
fn a_number_beyond_64_bits_is_a_tool_error_that_names_the_argument() {
    for (given, name) in [("9223372036854775808", "a"), ("-9223372036854775809", "b")] {
        let other = if name == "a" { "b" } else { "a" };
        let words = format!("call demo add {name}:={given} {other}:=1 --json");
        let ran = line(&words).exits(5);
        let result = ran.json();
        assert_eq!(result["isError"], true, "{result}");
        let text = result["content"][0]["text"].as_str().expect("a text");
        let expected = format!(
            "the argument `{name}` does not fit into 64 bits: {given} is not between -9223372036854775808 and \
             9223372036854775807"
        );
        assert_eq!(text, expected);
    }
    line("call demo add a:=9223372036854775807 b:=1")
        .exits(5)
        .says(&["the sum of `a` and `b` does not fit into 64 bits: 9223372036854775807 and 1"]);
    line("call demo add a:=9223372036854775807 b:=-1").exits(0).prints("9223372036854775806\n");
}

#[test]
fn what_no_machine_reads_is_told_with_its_place_before_anything_is_sent() {
    hermes(["call", "demo", "add", "a:=1e400", "b:=1"]).exits(1).says(&["/a: the number 1e400 is too large"]);
    hermes(["call", "demo", "echo", r#"text:="\ud800""#])
        .exits(1)
        .says(&["/text: the text", "half a character"]);
    hermes(["call", "demo", "echo", "--args", "[1]"])
        .exits(1)
        .says(&["the arguments from --args are no JSON object: it is an array, and has to be an object"]);
}

// spec: R054, R057
#[test]
fn b092_a_schema_with_a_dangling_or_remote_reference_is_not_taken_for_a_permissive_one() {
    for tool in ["dangling", "far", "near"] {
        let ran = with_fake(&format!("call {tool} a:=1"), "dangling").exits(2).says(&[tool, "--no-check"]);
        assert_eq!(ran.stdout, "");
        with_fake(&format!("call {tool} a:=1 --no-check"), "dangling").exits(0).prints("fine\n");
    }
    with_fake("call good", "dangling").exits(0).prints("fine\n");
}

#[test]
fn b097_a_tool_can_be_called_although_the_server_refuses_to_list_its_tools() {
    with_fake("call good", "refuses-tools").exits(0).prints("fine\n").says(&["tools/list"]);
}

#[test]
fn an_argument_comes_from_a_file_or_from_standard_input() {
    let text = scratch("argument.txt");
    std::fs::write(&text, "two\nlines\n").expect("the file is written");
    hermes(["call", "demo", "echo", &format!("text=@{}", text.display())]).exits(0).prints("two\nlines\n");
    run(command(["call", "demo", "echo", "text=@-"]), "from outside").exits(0).prints("from outside\n");
    hermes(["call", "demo", "echo", "text=@@name"]).exits(0).prints("@name\n");

    let object = scratch("argument.json");
    std::fs::write(&object, r#"{"a": 9007199254740993, "b": 1}"#).expect("the file is written");
    let object = object.display();
    hermes(["call", "demo", "add", &format!("@{object}")]).exits(0).prints("9007199254740994\n");
    hermes(["call", "demo", "add", &format!("@{object}"), "b=2"]).exits(0).prints("9007199254740995\n");
    run(command(["call", "demo", "add", "-", "b:=@-"]), "{}").exits(1).says(&["only once"]);
    run(command(["call", "demo", "add", "-"]), r#"{"a":1,"b":2}"#).exits(0).prints("3\n");
    run(command(["call", "demo", "add", "a=1", "b:=@-"]), " 4 ").exits(0).prints("5\n");
    run(command(["prompt", "demo", "greet", "name=@-"]), "Ada").exits(0);
    hermes(["call", "demo", "echo", "text=@no/such"])
        .exits(1)
        .prints("")
        .says(&["cannot read the arguments from no/such", "text=@@no/such sends"]);
}
