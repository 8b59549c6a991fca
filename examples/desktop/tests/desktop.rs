//! The server as a host would start it: from the configuration that it prints.

use std::path::PathBuf;
use std::process;

use hermes::prelude::*;
use hermes::servers::{ServerFile, Servers, Surroundings};
use hermes_testkit::{failure, text};
use serde_json::json;

type Outcome = Result<(), Box<dyn std::error::Error>>;

const DESKTOP: &str = env!("CARGO_BIN_EXE_desktop");

/// A folder of its own for each test.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    // It is there only when the test has run before.
    drop(std::fs::remove_dir_all(&folder));
    folder
}

#[tokio::test]
async fn a_host_starts_it_from_the_configuration_that_it_prints() -> Outcome {
    let folder = folder("from-config");
    let printed = process::Command::new(DESKTOP).arg("--config").arg(&folder).output()?;
    let file = ServerFile::parse(&String::from_utf8(printed.stdout)?, "hosts.json", &Surroundings::empty())?;
    let servers = Servers::of(&file, |_| Client::builder());
    let notes = servers.await_ready("notes").await?;

    let note = json!({ "name": "shopping list", "text": "Milk." });
    assert_eq!(text(notes.call("write_note", note).await), "shopping list is written");
    assert_eq!(std::fs::read_to_string(folder.join("shopping list.md"))?, "Milk.");
    assert_eq!(text(notes.call("read_note", json!({ "name": "shopping list" })).await), "Milk.");
    let read = notes.read("notes://shopping%20list.md").await?;
    assert!(read.raw.get().contains("Milk."), "{}", read.raw.get());
    servers.close().await;
    Ok(())
}

#[tokio::test]
async fn a_name_leads_out_of_the_folder_for_nobody() -> Outcome {
    let client = Client::connect(Command::new(DESKTOP).arg(folder("names"))).await?;
    for name in ["../secret", "a/b", "", ".hidden"] {
        let failed = failure(client.call("write_note", json!({ "name": name, "text": "x" })).await);
        assert_eq!(failed, "the name of a note has letters, digits, - and spaces", "{name}");
    }
    let none = failure(client.call("read_note", json!({ "name": "none" })).await);
    assert!(none.starts_with("there is no note \"none\""), "{none}");
    client.close().await;
    Ok(())
}

#[tokio::test]
async fn what_it_logs_goes_to_standard_error() -> Outcome {
    let (heard, mut said) = tokio::sync::mpsc::unbounded_channel();
    let command =
        Command::new(DESKTOP).arg(folder("logs")).on_stderr(move |line| drop(heard.send(line.to_owned())));
    let client = Client::connect(command).await?;
    assert!(!client.call("write_note", json!({ "name": "x", "text": "x" })).await?.is_error());
    let line = said.recv().await.ok_or("it says nothing")?;
    assert!(line.contains("INFO") && line.contains("written"), "{line}");
    client.close().await;
    Ok(())
}
