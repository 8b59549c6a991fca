//! `--output`: what is no text goes to files.

use std::fs;
use std::path::PathBuf;

use crate::common::{command, fake, hermes, line, run};

/// An empty folder.
fn folder(name: &str) -> PathBuf {
    let folder =
        PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("save-{name}-{}", std::process::id()));
    drop(fs::remove_dir_all(&folder));
    fs::create_dir_all(&folder).expect("a new folder");
    folder
}

const PNG: &[u8] = b"\x89PNG\r\n";

#[test]
fn a_blob_goes_to_the_file_and_nothing_to_standard_output() {
    let folder = folder("blob");
    let file = folder.join("logo.png");
    let shown = file.to_str().expect("UTF-8");
    hermes(["read", "demo", "demo://logo", "--output", shown]).exits(0).prints("").says(&[
        "written: ",
        shown,
        "image/png",
    ]);
    assert!(fs::read(&file).expect("it is there").starts_with(PNG));
    // What is there is not overwritten, and nobody is asked for it, unless that is wanted.
    fs::write(&file, "mine").expect("written");
    hermes(["read", "demo", "demo://logo", "-o", shown])
        .exits(1)
        .prints("")
        .says(&["is there already", "--force"]);
    assert_eq!(fs::read(&file).expect("it is there"), b"mine");
    hermes(["read", "demo", "demo://logo", "-o", shown, "--force"]).exits(0);
    assert!(fs::read(&file).expect("it is there").starts_with(PNG));
}

#[test]
fn pictures_of_a_tool_go_to_the_file_and_its_text_is_shown() {
    let folder = folder("pictures");
    let file = folder.join("picture.png");
    let shown = file.to_str().expect("UTF-8");
    let ran = hermes(["call", "demo", "image", "--output", shown]).exits(0);
    assert!(!ran.stdout.contains("[image"), "{ran:?}");
    assert!(fs::read(&file).expect("it is there").starts_with(PNG));
    let mut json = command(["call", "demo", "image", "--json", "--output", "again.png"]);
    json.current_dir(&folder);
    assert_eq!(run(json, "").exits(0).json()["content"][0]["type"], "image");
    assert!(fs::read(folder.join("again.png")).expect("it is there").starts_with(PNG));
}

#[test]
fn several_things_have_numbers_and_none_is_written_if_one_is_there() {
    let folder = folder("several");
    let read = |more: &[&str]| {
        let mut command = command(["read", "x://many", "--output", "part.bin"].iter().chain(more));
        command.arg("--").args(fake("contents")).current_dir(&folder);
        run(command, "")
    };
    fs::write(folder.join("part-2.bin"), "mine").expect("written");
    read(&[]).exits(1).says(&["part-2.bin is there already"]);
    assert!(!folder.join("part-1.bin").exists());
    read(&["--force"]).exits(0).prints("");
    assert_eq!(fs::read(folder.join("part-1.bin")).expect("it is there"), b"one");
    assert_eq!(fs::read(folder.join("part-2.bin")).expect("it is there"), b"\x00\x01\x02");
    assert_eq!(fs::read_dir(&folder).expect("a folder").count(), 2);
}

#[test]
fn text_goes_to_the_file_where_there_is_nothing_else() {
    let folder = folder("text");
    let file = folder.join("sum");
    let shown = file.to_str().expect("UTF-8");
    hermes(["call", "demo", "add", "a=2", "b=3", "--output", shown]).exits(0).prints("");
    assert_eq!(fs::read_to_string(&file).expect("it is there"), "5\n");
    hermes(["prompt", "demo", "greet", "name=Ada", "--output", shown, "--force"]).exits(0).prints("");
    let prompt = fs::read_to_string(&file).expect("it is there");
    assert!(prompt.contains("Please greet Ada"), "{prompt}");
    // A tool that fails leaves the file alone.
    hermes(["call", "demo", "fail", "message=no", "--output", shown, "--force"]).exits(5);
    assert_eq!(fs::read_to_string(&file).expect("it is there"), prompt);
}

#[test]
fn standard_output_takes_one_thing_as_it_is() {
    line("read demo demo://greeting --output - --json").exits(1).says(&["both want standard output"]);
    let text = line("read demo demo://greeting").exits(0).stdout;
    let raw = line("read demo demo://greeting --output -").exits(0).stdout;
    assert_eq!(raw.trim_end(), text.trim_end());
    line("read demo demo://greeting --output no/such/folder/x")
        .exits(1)
        .says(&["there is no folder no/such"]);
    line("read demo demo://greeting --force").exits(1).says(&["--output"]);
    line("read demo demo://greeting --output /dev/null").exits(0).prints("");
}
