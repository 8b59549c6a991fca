//! What all lives of a server share: a folder with its store, and with a line for each call that began.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::PathBuf;
use std::process::Command;

/// Tells a child that it is one, and where the folder is.
const FOLDER: &str = "HERMES_RESTART_FOLDER";

/// Tells it where to listen.
const ADDRESS: &str = "HERMES_RESTART_ADDRESS";

/// A folder that goes when the test has ended.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    pub(crate) address: String,
    is_own: bool,
}

impl Folder {
    /// The folder that this process was given as a child.
    pub(crate) fn of_child() -> Option<Self> {
        let path = std::env::var_os(FOLDER)?.into();
        Some(Self { path, address: std::env::var(ADDRESS).ok()?, is_own: false })
    }

    /// A new one.
    pub(crate) fn new() -> Self {
        let path = std::env::temp_dir().join(format!("hermes-restart-{}", std::process::id()));
        fs::create_dir_all(&path).expect("a folder");
        Self { path, address: "127.0.0.1:0".to_owned(), is_own: true }
    }

    /// This program, as a server that listens there.
    pub(crate) fn server(&self, address: &str) -> Command {
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        command.env(FOLDER, &self.path).env(ADDRESS, address);
        command
    }

    pub(crate) fn store(&self) -> PathBuf {
        self.path.join("sessions")
    }

    /// Takes note that a call runs. One write for one line: a process that is killed leaves it whole or not at all.
    pub(crate) fn run(&self, key: &str) {
        let mut file =
            OpenOptions::new().create(true).append(true).open(self.path.join("calls")).expect("a file");
        file.write_all(format!("{key}\n").as_bytes()).expect("a line");
    }

    /// How often each call ran.
    pub(crate) fn runs(&self) -> BTreeMap<String, u32> {
        let mut runs = BTreeMap::new();
        for key in fs::read_to_string(self.path.join("calls")).unwrap_or_default().lines() {
            *runs.entry(key.to_owned()).or_default() += 1;
        }
        runs
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if self.is_own {
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}
