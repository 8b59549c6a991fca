//! What all lives of a server share: a folder.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Tells a child that it is one, and where the folder is.
const FOLDER: &str = "HERMES_CRASH_FOLDER";

/// Tells it the seed.
const SEED: &str = "HERMES_CRASH_SEED";

/// A folder with what each life of a server leaves to the next ones, and to whoever counts.
#[derive(Clone, Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    pub(crate) seed: u64,
}

impl Folder {
    /// The folder that this process was given as a child.
    pub(crate) fn of_child() -> Option<Self> {
        let path = std::env::var_os(FOLDER)?.into();
        let seed = std::env::var(SEED).ok()?.parse().ok()?;
        Some(Self { path, seed })
    }

    /// A new one.
    pub(crate) fn new(seed: u64, name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("hermes-crashes-{}-{name}-{seed}", std::process::id()));
        fs::create_dir_all(&path).expect("a folder");
        Self { path, seed }
    }

    /// The variables for a child.
    pub(crate) fn variables(&self) -> [(&'static str, String); 2] {
        [(FOLDER, self.path.display().to_string()), (SEED, self.seed.to_string())]
    }

    /// Begins a life; which one it is, from 1.
    pub(crate) fn begin(&self) -> u64 {
        let lives = self.path.join("lives");
        append(&lives, "+");
        fs::metadata(&lives).expect("it was just written").len()
    }

    /// How many lives there were.
    pub(crate) fn lives(&self) -> u64 {
        fs::metadata(self.path.join("lives")).map_or(0, |lives| lives.len())
    }

    /// Takes note of a crash, before it happens.
    pub(crate) fn crash(&self) {
        append(&self.path.join("crashes"), "+");
    }

    pub(crate) fn crashes(&self) -> u64 {
        fs::metadata(self.path.join("crashes")).map_or(0, |crashes| crashes.len())
    }

    /// Takes note that a call runs.
    pub(crate) fn run(&self, key: &str) {
        append(&self.path.join("runs"), &format!("{key}\n"));
    }

    /// What ran, once for each time.
    pub(crate) fn runs(&self) -> Vec<String> {
        let runs = fs::read_to_string(self.path.join("runs")).unwrap_or_default();
        runs.lines().map(str::to_owned).collect()
    }

    /// From now on nothing crashes.
    pub(crate) fn calm(&self) {
        append(&self.path.join("calm"), "+");
    }

    pub(crate) fn is_calm(&self) -> bool {
        self.path.join("calm").exists()
    }

    pub(crate) fn remove(&self) {
        fs::remove_dir_all(&self.path).expect("it is ours");
    }
}

/// In one step, so that what is told before a crash is told whole.
fn append(file: &Path, text: &str) {
    let mut file = OpenOptions::new().create(true).append(true).open(file).expect("a file of ours");
    file.write_all(text.as_bytes()).expect("room for it");
}
