//! The program `hermes`, with an environment of its own.

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// What a run left behind.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Runs the program to its end, in an environment of these variables only.
pub(crate) async fn hermes(variables: &[(&str, &str)], words: &[&str]) -> Ran {
    let mut command = Command::new("timeout");
    command.args(["--kill-after=1", "60"]).arg(path()).args(words);
    command.env_clear().envs(std::env::vars_os().filter(|(name, _)| name == "PATH"));
    command.envs(variables.iter().copied()).stdin(Stdio::null());
    let Output { status, stdout, stderr } =
        tokio::task::spawn_blocking(move || command.output()).await.expect("no panic").expect("it runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    Ran { code: status.code(), stdout: text(stdout), stderr: text(stderr) }
}

/// The program under test: named by `HERMES_BIN`, or built beside this test.
fn path() -> PathBuf {
    if let Some(named) = std::env::var_os("HERMES_BIN") {
        return named.into();
    }
    let here = std::env::current_exe().expect("this test is a file");
    let beside = here.ancestors().nth(2).expect("target/<profile>/deps/<test>").join("hermes");
    assert!(beside.exists(), "{} is not built: run `cargo build -p mcp-hermes-cli`", beside.display());
    beside
}

/// A text in a file, for as long as this is kept.
pub(crate) struct File(PathBuf);

impl File {
    pub(crate) fn new(name: &str, text: &str) -> Self {
        let path = std::env::temp_dir().join(format!("hermes-{}-{name}", std::process::id()));
        std::fs::write(&path, text).expect("a file");
        Self(path)
    }

    pub(crate) fn path(&self) -> &str {
        self.0.to_str().expect("a path of text")
    }
}

impl Drop for File {
    fn drop(&mut self) {
        // It lies among what is temporary anyway.
        let _ = std::fs::remove_file(&self.0);
    }
}
