//! Programs that are run to their end, and what they leave behind.

use std::error::Error;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use serde_json::Value;
use xtask::workspace::root;

pub(crate) type Result<T = ()> = std::result::Result<T, Box<dyn Error>>;

/// How long a whole conversation may take before it counts as hung, in seconds.
const PATIENCE: &str = "120";

/// The folder that the peers are installed in.
pub(crate) fn peers() -> PathBuf {
    PathBuf::from(
        env::var_os("HERMES_PEERS_DIR").expect("HERMES_PEERS_DIR is set: run `cargo xtask interop`"),
    )
}

/// A script or a manifest beside those that say what is installed.
pub(crate) fn script(name: &str) -> PathBuf {
    root().join("testing/tests/peers").join(name)
}

/// The Python that the peers of CI are installed for.
pub(crate) fn python() -> PathBuf {
    peers().join("venv/bin/python")
}

/// A folder of its own for one test, empty.
pub(crate) fn folder(name: &str) -> Result<PathBuf> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("peers").join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    Ok(folder.canonicalize()?)
}

/// The command that has the demo server listen; the port is added.
#[cfg(any(feature = "browser", feature = "every-peer"))]
pub(crate) fn demo(options: &[&str]) -> Result<Vec<PathBuf>> {
    let words = ["demo"].iter().chain(options).chain(&["--http"]).map(PathBuf::from);
    Ok(std::iter::once(xtask::test::hermes()?).chain(words).collect())
}

/// What a program left behind.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    pub(crate) fn passed(self) -> Result<Self> {
        if self.code == Some(0) {
            Ok(self)
        } else {
            Err(format!("exit code {:?}\n{}", self.code, self.stderr).into())
        }
    }

    /// The one JSON value on standard output of a program that passed.
    pub(crate) fn json(self) -> Result<Value> {
        Ok(serde_json::from_str(&self.passed()?.stdout)?)
    }
}

/// `hermes ARGUMENTS -- SERVER`
pub(crate) fn hermes<'a>(arguments: impl IntoIterator<Item = &'a str>, server: &'a [PathBuf]) -> Result<Ran> {
    let arguments = arguments.into_iter().map(OsStr::new).chain([OsStr::new("--")]);
    run(xtask::test::hermes()?, arguments.chain(server.iter().map(|word| word.as_os_str())))
}

/// Runs a program to its end, or to the end of patience.
pub(crate) fn run(
    program: impl AsRef<OsStr>,
    arguments: impl IntoIterator<Item = impl AsRef<OsStr>>,
) -> Result<Ran> {
    let output = Command::new("timeout")
        .args(["--kill-after=5", PATIENCE])
        .arg(program)
        .args(arguments)
        .env("HERMES_BIN", xtask::test::hermes()?)
        .stdin(Stdio::null())
        .output()?;
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    Ok(Ran { code: output.status.code(), stdout: text(&output.stdout), stderr: text(&output.stderr) })
}
