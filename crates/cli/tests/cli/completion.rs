//! What shells are told at the cursor.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::common::{HERMES, command, fake, line, run, scratch};

/// A home of its own, with an empty cache.
fn home(name: &str) -> PathBuf {
    let home = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("home-{name}-{}", std::process::id()));
    fs::create_dir_all(&home).expect("a new folder");
    home
}

/// What fish is told about these words; the last one is at the cursor.
fn told(home: &str, words: &[&str]) -> Vec<String> {
    let words = ["__complete", "fish", "--"].iter().chain(words);
    let mut command = command(words);
    command.env("HOME", home).env_remove("XDG_CACHE_HOME").env_remove("XDG_CONFIG_HOME").current_dir(home);
    let ran = run(command, "").exits(0);
    assert!(ran.took.as_millis() < 1_500, "{ran:?}");
    ran.stdout.lines().map(str::to_owned).collect()
}

/// The same without descriptions.
fn names(home: &str, words: &[&str]) -> Vec<String> {
    told(home, words).iter().map(|line| line.split('\t').next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn verbs_flags_and_choices_are_completed_without_asking_anybody() {
    let home = home("flags");
    let home = home.to_str().expect("UTF-8");
    assert_eq!(told(home, &["ca"]), ["call\tCall a tool"]);
    assert_eq!(names(home, &["call", "demo", "add", "--era", ""]), ["auto", "legacy", "modern"]);
    assert_eq!(names(home, &["--era=mo"]), ["--era=modern"]);
    assert_eq!(names(home, &["completions", "z"]), ["zsh"]);
    assert!(names(home, &["read", "--wa"]).contains(&"--watch".to_owned()));
    assert!(names(home, &["ping", "--wa"]).is_empty());
    assert_eq!(names(home, &["ping", "d"]), ["demo"]);
    assert!(!names(home, &[""]).iter().any(|name| name.starts_with('_')));
    assert!(!PathBuf::from(home).join(".cache").exists(), "somebody was asked");
}

#[test]
fn what_a_target_offers_is_completed() {
    let home = home("offers");
    let home = home.to_str().expect("UTF-8");
    assert_eq!(told(home, &["call", "demo", "ad"]), ["add\tAdds two 64-bit integers, exactly"]);
    assert_eq!(names(home, &["call", "demo", "add", ""]), ["a=", "b="]);
    assert_eq!(names(home, &["call", "--json", "demo", "add", "a:=1", ""]), ["b="]);
    assert_eq!(names(home, &["prompt", "demo", "gr"]), ["greet"]);
    assert_eq!(names(home, &["prompt", "demo", "review", "la"]), ["language="]);
    assert_eq!(names(home, &["prompt", "demo", "review", "language=ru"]), ["language=ruby", "language=rust"]);
    assert_eq!(names(home, &["complete", "demo", "demo://us"]), ["demo://users/{name}"]);
    assert_eq!(names(home, &["read", "demo", "demo://us"]), ["demo://users/"]);
    assert_eq!(names(home, &["read", "demo", "demo://gree"]), ["demo://greeting"]);
    // A tool that is not there has no arguments.
    assert!(names(home, &["call", "demo", "no-such-tool", ""]).is_empty());
}

#[test]
fn a_named_server_is_a_target_and_is_asked() {
    let home = home("named");
    let text = format!(r#"{{"mcpServers":{{"ours":{{"command":"{HERMES}","args":["demo","--stdio"]}}}}}}"#);
    fs::write(home.join(".mcp.json"), text).expect("the file is written");
    let home = home.to_str().expect("UTF-8");
    assert_eq!(names(home, &["call", "o"]), ["ours"]);
    assert_eq!(names(home, &["call", "ours", "ech"]), ["echo"]);
}

#[test]
fn a_server_that_does_not_answer_does_not_hang_the_shell() {
    let home = home("silent");
    let command = fake("silent");
    let text =
        serde_json::json!({ "mcpServers": { "dumb": { "command": command[0], "args": command[1..] } } });
    fs::write(home.join(".mcp.json"), text.to_string()).expect("the file is written");
    let home = home.to_str().expect("UTF-8");
    assert!(names(home, &["call", "dumb", ""]).is_empty());
}

#[test]
fn files_are_completed_where_one_is_meant() {
    let home = home("files");
    fs::create_dir_all(home.join("notes")).expect("a folder");
    fs::write(home.join("note.txt"), "x").expect("the file is written");
    let home = home.to_str().expect("UTF-8");
    assert_eq!(names(home, &["call", "demo", "echo", "text=@no"]), ["text=@note.txt", "text=@notes/"]);
    assert_eq!(names(home, &["call", "demo", "echo", "@note."]), ["@note.txt"]);
    assert_eq!(names(home, &["read", "--output", "note."]), ["note.txt"]);
    assert_eq!(names(home, &["ping", "demo", "--root", "no"]), ["notes/"]);
}

#[test]
fn bash_completes_with_the_script_that_is_printed() {
    let script = scratch("hermes-completion.bash");
    fs::write(&script, line("completions bash").exits(0).stdout).expect("the script is written");
    let home = home("bash");
    // What bash sets when a key asks for completion; the first word is the program as it was typed.
    let asked = r#"
        source "$1"
        COMP_LINE="hermes $3" COMP_POINT=$((7 + ${#3}))
        _hermes "$2"
        printf '%s|\n' "${COMPREPLY[@]}"
    "#;
    for (typed, completed) in [
        ("call demo ech", "echo |\n"),
        ("call demo add ", "a=|\nb=|\n"),
        ("prompt demo review language=ru", "ruby |\nrust |\n"),
        ("read demo demo://gree", "//greeting |\n"),
        ("pin", "ping |\n"),
    ] {
        let mut bash = Command::new("bash");
        bash.args(["--norc", "-c", asked, "bash"]).arg(&script).args([HERMES, typed]);
        bash.env("HOME", &home).env_remove("XDG_CACHE_HOME").current_dir(&home);
        run(bash, "").exits(0).prints(completed);
    }
}

#[test]
fn every_shell_gets_a_script_that_asks_or_a_list_of_verbs() {
    for shell in ["bash", "zsh", "fish"] {
        let script = line(&format!("completions {shell}")).exits(0).stdout;
        assert!(script.contains(&format!("__complete {shell} -- ")), "{script}");
    }
    let script = line("completions elvish").exits(0).stdout;
    assert!(script.contains("listen"), "{script}");
}
