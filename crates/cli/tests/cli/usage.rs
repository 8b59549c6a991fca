//! The command line itself: help, version, usage errors, generated files.

use crate::common::{HERMES, Ran, command, hermes, line, run, with_fake};
use std::process::{Command, Stdio};

#[test]
fn version_and_help_are_printed_at_once_on_standard_output() {
    let version = line("--version").exits(0).prints(&format!("hermes {}\n", env!("CARGO_PKG_VERSION")));
    assert_eq!(version.stderr, "");
    assert!(version.took.as_millis() < 1000, "{version:?}");
    let help = line("--help").exits(0);
    for word in
        ["demo", "list", "call", "read", "prompt", "complete", "ping", "info", "listen", "Exit codes:", "124"]
    {
        assert!(help.stdout.contains(word), "{word} is missing in {}", help.stdout);
    }
    for verb in
        ["demo", "list", "call", "read", "prompt", "complete", "ping", "info", "listen", "completions", "man"]
    {
        let help = line(&format!("{verb} --help")).exits(0);
        assert!(help.stdout.contains(&format!("Usage: hermes {verb}")), "{help:?}");
    }
}

#[test]
fn a_wrong_command_line_exits_with_1_and_leaves_standard_output_empty() {
    for wrong in [
        "",
        "cal demo echo",
        "call",
        "call demo",
        "call demo echo hello",
        "call demo add a:={ b=1",
        "call demo echo text=hi --timeout 8",
        "call demo echo text=hi --args [1]",
        "call demo echo text=hi --args @no/such/file",
        "call demo echo text=a text=b",
        "call demo echo text=hi --answer Ada",
        "call demo echo text=hi --era middle",
        "call demo echo text=hi --no-such-flag",
        "call demo roots --root no/such/folder",
        "list nowhere",
        "list demo extra",
        "list http://",
        "list demo --header X-Key:1",
        "list --",
        "read demo",
        "prompt demo",
        "complete demo",
        "complete demo review",
        "completions",
        "completions tcsh",
        "demo --http",
        "demo extra",
        "demo --http 127.0.0.1",
        "new",
        "new Cargo.toml/x",
        "new /dev/null",
        "config",
        "config add",
        "config check no/such.json",
        "shell",
        "shell nowhere",
        "listen",
        "ping demo extra",
        "info demo extra",
        "info demo --otlp ftp://x",
        "man nope",
        "man --folder /dev/null/x",
        "call demo echo text=@",
        "call demo echo --args @",
    ] {
        let ran = line(wrong).exits(1).prints("");
        assert_ne!(ran.stderr, "", "{wrong}");
    }
    for wrong in [["read", "demo", ""], ["call", "demo", ""], ["listen", "demo", ""], ["ping", "", ""]] {
        hermes(wrong).exits(1).prints("");
    }
}

#[test]
fn a_misspelt_verb_target_tool_argument_prompt_or_resource_gets_a_hint() {
    for (wrong, hint) in [
        ("lst demo", "list"),
        ("list dmeo", "did you mean \"demo\"?"),
        ("call demo ehco text=hi", "did you mean \"echo\"?"),
        ("call demo echo txt=hi", "did you mean \"text\"?"),
        ("call demo progress n=1 interval=5", "did you mean \"interval_ms\"?"),
        ("prompt demo great name=Ada", "did you mean \"greet\"?"),
        ("prompt demo greet nme=Ada", "did you mean \"name\"?"),
        ("complete demo revew language=r", "did you mean \"review\"?"),
    ] {
        line(wrong).exits(1).prints("").says(&[hint]);
    }
}

#[test]
fn arguments_that_do_not_fit_the_schema_are_not_sent() {
    line("call demo add a=1").exits(1).prints("").says(&["needs the argument b"]);
    line("call demo add a=x b=2").exits(1).prints("").says(&["\"a\" wants an integer, not \"x\""]);
    line("call demo add a:=1.5 b=2").exits(1).prints("").says(&["/a: 1.5 is not of type \"integer\""]);
    line("prompt demo greet").exits(1).prints("").says(&["needs the argument name"]);
}

#[test]
fn unchecked_arguments_are_judged_by_the_server() {
    let ran = line("call demo add a:=1.5 b=2 --no-check").exits(5).prints("");
    assert!(ran.stderr.contains('a'), "{ran:?}");
    line("call demo nothing --no-check").exits(2).prints("").says(&["-32602"]);
}

#[test]
fn what_is_no_target_explains_the_command() {
    line("list files").exits(1).says(&["\"files\" is not a target", "-- COMMAND ARGS..."]);
}

#[test]
fn completion_scripts_name_the_verbs() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = line(&format!("completions {shell}")).exits(0);
        for word in ["hermes", "call", "timeout"] {
            assert!(script.stdout.contains(word), "{shell}: {word}");
        }
    }
}

#[test]
fn the_completion_script_is_one_that_bash_accepts() {
    let script = line("completions bash").exits(0).stdout;
    let mut bash = Command::new("bash");
    bash.args(["--noprofile", "--norc", "-c"]).arg(format!("{script}\ncomplete -p hermes"));
    let ran: Ran = run(bash, "").exits(0);
    assert!(ran.stdout.contains("_hermes"), "{ran:?}");
}

#[test]
fn the_manual_page_has_every_verb_flag_and_exit_code() {
    let page = line("man").exits(0).stdout;
    assert!(page.starts_with(".ie"), "{page}");
    for word in [
        ".TH hermes 1",
        ".SS call",
        ".SS listen",
        "\\-\\-answer",
        "\\-\\-stdio",
        "\\-\\-no\\-check",
        "124",
        "timeout",
    ] {
        assert!(page.contains(word), "{word} is missing in {page}");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    for words in [&["man"][..], &["list", "demo"], &["call", "demo", "big", "bytes=1000000"]] {
        let mut child = command(words)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect(HERMES);
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{words:?}");
        assert_eq!(output.status.code(), Some(0), "{words:?}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn an_output_that_takes_nothing_is_a_failure_with_its_own_code() {
    for words in
        [&["--help"][..], &["--version"], &["man"], &["list", "demo"], &["call", "demo", "echo", "text=x"]]
    {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("/dev/full");
        let output =
            command(words).stdin(Stdio::null()).stdout(full).stderr(Stdio::piped()).output().expect(HERMES);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(
            stderr.starts_with("error: cannot write to standard output: No space left"),
            "{words:?}: {stderr}"
        );
        assert_eq!(output.status.code(), Some(74), "{words:?}: {stderr}");
    }
}

#[test]
fn the_help_says_what_the_time_limit_means_for_an_open_question() {
    let help = line("call --help").exits(0).stdout;
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    for text in [
        "While a question of the server waits for somebody at the terminal, the time does not run out",
        "Progress extends the default",
    ] {
        assert!(help.contains(text), "{help}");
    }
}

#[test]
fn a_call_without_a_look_is_proposed_only_where_it_can_help() {
    with_fake("call good", "tools-broken").exits(2).prints("").says(&["-32603", "hint: --no-check calls"]);
    for (words, mode, code) in
        [("call good", "tools-dies", 4), ("call good --timeout 300ms", "tools-hang", 124)]
    {
        let ran = with_fake(words, mode).exits(code).prints("");
        assert!(!ran.stderr.contains("--no-check"), "{ran:?}");
    }
}

#[test]
fn a_wish_for_logs_that_cannot_be_read_is_told_and_stops_nothing() {
    for variable in ["RUST_LOG", "HERMES_LOG"] {
        let mut command = command(["call", "demo", "add", "a:=2", "b:=3"]);
        command.env(variable, "hermes=loud");
        let warning = format!("warning: {variable}=hermes=loud is not taken");
        run(command, "").exits(0).prints("5\n").says(&[warning.as_str()]);
    }
}

#[test]
fn nothing_but_results_is_on_standard_output_whatever_is_logged() {
    for variable in ["RUST_LOG", "HERMES_LOG"] {
        let mut command = command(["call", "demo", "add", "a:=2", "b:=3", "--verbose", "--trace"]);
        command.env(variable, "trace");
        let ran = run(command, "").exits(0).prints("5\n");
        assert!(ran.stderr.contains("tools/call"), "{ran:?}");
    }
    hermes(["call", "demo", "add", "a:=2", "b:=3"]).exits(0).prints("5\n");
}

#[test]
fn everything_else_on_standard_error_is_json_too() {
    let said = |words: &str, code: i32, level: &str, message: &str| {
        let ran = line(&format!("{words} --log-format json")).exits(code);
        let lines = ran.logs();
        let is_said = lines.iter().any(|line| {
            let text = line["fields"]["message"].as_str().unwrap_or_default();
            line["level"] == level && text.contains(message)
        });
        assert!(is_said, "{words}: {ran:?}");
    };
    said("call demo add a:=1 b:=2 --trace", 0, "INFO", "\"tools/call\"");
    said("call demo progress n=2 --verbose", 0, "INFO", "2/2");
    said("call demo ehco text=x", 1, "INFO", "did you mean \"echo\"?");
    said("call demo fail message=x", 5, "ERROR", "the tool \"fail\" failed");
    said("call demo echo --no-such-flag", 1, "ERROR", "--no-such-flag");
    said("list nowhere", 1, "ERROR", "\"nowhere\" is not a target");
    said("config check no/such.json", 1, "ERROR", "there is no such file");
    said("new Wrong", 1, "ERROR", "cannot be called");
    let both = with_fake("listen fake://a fake://b --log-format json", "changes").exits(4);
    assert!(both.logs().iter().any(|line| line["fields"]["kind"] == "listening"), "{both:?}");
}

#[test]
fn a_collector_that_cannot_be_one_is_a_mistake_that_says_what_is_wanted() {
    for address in ["", "ftp://x", "127.0.0.1:4318", "http://"] {
        let ran = hermes(["ping", "demo", "--otlp", address]).exits(1).prints("");
        ran.says(&["write the address of a collector that takes OTLP over HTTP: http://127.0.0.1:4318"]);
    }
}

#[test]
fn words_that_nobody_types_are_refused_at_once() {
    let long = "e".repeat(100_000);
    for words in [
        &["call", "demo", &long][..],
        &["call", "demo", "echo", &format!("{long}=x")],
        &["prompt", "demo", &long],
        &["list", &long],
        &["man", &long],
        &[&long],
        &["call", "demo", "echo", &format!("--{long}")],
        &["completions", &long],
        &["call", "demo", "echo", "--era", &long],
        &["config", "remove", &long],
    ] {
        let ran = hermes(words).exits(1);
        assert!(ran.took.as_secs() < 5, "{}: {:?}", &words[0][..4], ran.took);
    }
}

#[test]
fn the_log_is_json_where_machines_read_it() {
    let mut command = command(["ping", "demo", "--log-format", "json"]);
    command.env("HERMES_LOG", "debug");
    assert!(!run(command, "").exits(0).logs().is_empty());
}
