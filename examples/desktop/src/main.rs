//! Notes in a folder, for hosts on the desktop, which start the server themselves and speak to it over stdio.
//!
//! `desktop --config` prints what such a host has in its file of servers. Try it: `hermes list -- target/debug/desktop notes`
#![expect(clippy::print_stdout, reason = "the configuration is for people, and printed where no server runs")]

use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail, ensure};
use hermes::prelude::*;
use serde_json::json;

/// The folder in which the notes are: one file for each.
struct Folder(PathBuf);

impl Folder {
    /// Where a note is. A name that a model made up leads nowhere else.
    fn file(&self, name: &str) -> anyhow::Result<PathBuf> {
        let is_plain = |letter: char| letter.is_alphanumeric() || letter == '-' || letter == ' ';
        ensure!(
            !name.is_empty() && name.chars().all(is_plain),
            "the name of a note has letters, digits, - and spaces"
        );
        Ok(self.0.join(name).with_extension("md"))
    }
}

/// Writes a note. One of the same name is replaced.
#[tool(idempotent, open_world = false)]
fn write_note(name: String, text: String, folder: State<Folder>) -> Result<String, ToolError> {
    let file = folder.file(&name)?;
    std::fs::write(&file, text).with_context(|| format!("{name} cannot be written"))?;
    tracing::info!(file = %file.display(), "written");
    Ok(format!("{name} is written"))
}

/// Reads a note.
#[tool(read_only, open_world = false)]
fn read_note(name: String, folder: State<Folder>) -> Result<String, ToolError> {
    Ok(std::fs::read_to_string(folder.file(&name)?).with_context(|| format!("there is no note {name:?}"))?)
}

/// The entry of this program in a host's file of servers.
fn config(folder: &Path) -> anyhow::Result<String> {
    // Hosts start their servers in a folder of their own: every path has to be a whole one.
    let (program, folder) = (std::env::current_exe()?, std::path::absolute(folder)?);
    let config = json!({ "mcpServers": { "notes": { "command": program, "args": [folder] } } });
    Ok(serde_json::to_string_pretty(&config)?)
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let is_config = arguments.first().is_some_and(|first| first == "--config");
    if is_config {
        arguments.remove(0);
    }
    let [folder] = arguments.as_slice() else { bail!("usage: desktop [--config] FOLDER") };
    if is_config {
        println!("{}", config(Path::new(folder))?);
        return Ok(());
    }

    // Standard output belongs to the protocol. What is written to standard error, hosts keep in their logs.
    tracing_subscriber::fmt().with_writer(std::io::stderr).with_ansi(false).init();
    std::fs::create_dir_all(folder).with_context(|| format!("{folder} cannot be used"))?;
    let server = Server::new("notes", env!("CARGO_PKG_VERSION"))
        .title("Notes")
        .instructions("Notes of the user, by their names. Read a note before you replace it.")
        .state(Folder(folder.into()))
        .directory("notes://", folder)?
        .with(write_note)
        .with(read_note);
    // It ends when the host closes standard input, as hosts do.
    Ok(server.serve_stdio().await?)
}
