//! Shells at a terminal and in scripts.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::terminal::Terminal;

/// The program under test.
pub(crate) const HERMES: &str = env!("CARGO_BIN_EXE_hermes");

/// Both eras, as `--era` names them.
pub(crate) const ERAS: [&str; 2] = ["legacy", "modern"];

/// A shell at a terminal that remembers nothing.
pub(crate) fn shell(words: &str) -> Terminal {
    shell_with(words, &[])
}

/// The same with variables.
pub(crate) fn shell_with(words: &str, env: &[(&str, &str)]) -> Terminal {
    let args = std::iter::once("shell").chain(words.split_whitespace());
    let env: Vec<(&str, &str)> = [("HERMES_HISTORY", "")].iter().chain(env).copied().collect();
    Terminal::start(HERMES, args, &env)
}

/// The fake server, a script for Python.
pub(crate) fn fake() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/servers/fake.py");
    path.to_str().expect("the path is UTF-8").to_owned()
}

/// A fresh folder for a test.
pub(crate) fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("shell-{name}"));
    if folder.exists() {
        std::fs::remove_dir_all(&folder).expect("the old folder can be removed");
    }
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// What a script left behind.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Runs a shell without a terminal, with this on its standard input.
pub(crate) fn script(args: &[&str], input: &str) -> Ran {
    let mut child = Command::new(HERMES)
        .arg("shell")
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect(HERMES);
    let mut stdin = child.stdin.take().expect("standard input is piped");
    // A script that ends before its input is read does not read the rest.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    let output = child.wait_with_output().expect("an end");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    Ran { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}
