//! Fuzzing: the targets in `fuzz`, with the coverage that libFuzzer wants, on the stable compiler.
//!
//! A plain `cargo build` gives everything that is needed once rustc is told to count edges and comparisons. Only the
//! sanitizers want another compiler, and code that forbids `unsafe` gains little by them. The folder is laid out as
//! `cargo fuzz` expects it, for whoever prefers that.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Args;

use crate::error::{Error, Result, at};
use crate::process::{cargo, output, run as run_command, run_into};
use crate::stage::{Stages, say};
use crate::workspace::{Workspace, root};

/// What libFuzzer has to be told by the code under test: the edges that were taken, and what was compared.
const COVERAGE: &str = "--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares";

/// Inputs are no longer than that, in bytes: enough for an id beyond its limit.
const LONGEST: usize = 8192;

/// How many inputs each target is given by the gate: a few seconds' worth.
const GATE_RUNS: u64 = 20_000;

/// The gate's seed: it gives the same inputs each time, so that it fails for a change and not for bad luck.
const GATE_SEED: u32 = 1;

/// How much of an input is printed, in bytes.
const SHOWN: usize = 2000;

/// How many lines of a panic's message are printed, the place in front counted.
const PANIC_LINES: usize = 5;

/// Which targets are run, and for how long.
#[derive(Clone, Debug, Args)]
pub struct Fuzz {
    /// The targets; all of them if none is named.
    #[arg(value_name = "TARGET")]
    pub targets: Vec<String>,
    /// How long each target runs, in seconds.
    #[arg(long, value_name = "N", default_value_t = 60)]
    pub seconds: u64,
    /// The first number of the generator; a new one each time unless named.
    #[arg(long, value_name = "N")]
    pub seed: Option<u32>,
    /// Run the one target on this input only, to see again what it broke.
    #[arg(long, value_name = "FILE", requires = "targets")]
    pub input: Option<PathBuf>,
}

/// Runs targets for a time, on the committed seeds and on what earlier runs have found.
///
/// What is found anew is kept in the target folder, below `fuzz/corpus`; inputs that break something in
/// `fuzz/artifacts`; what libFuzzer says while it runs in `fuzz/logs`.
///
/// # Errors
///
/// When a target is unknown, nothing can be built, or a promise is broken: the input and the command that shows it again
/// were printed then.
pub fn run(stages: &mut Stages, fuzz: &Fuzz) -> Result<()> {
    let known = targets()?;
    if let Some(name) = fuzz.targets.iter().find(|name| !known.contains(name)) {
        return Err(Error::NoTarget { name: name.clone(), known: known.join(", ") });
    }
    let targets = if fuzz.targets.is_empty() { &known } else { &fuzz.targets };
    let Some(fuzzer) = stages.run("build", Fuzzer::build) else { return Ok(()) };
    for target in targets {
        stages.run(target, || match &fuzz.input {
            Some(input) => fuzzer.again(target, input),
            None => {
                let bound = format!("-max_total_time={}", fuzz.seconds);
                fuzzer.run(target, &fuzzer.folder("corpus", target)?, &bound, fuzz.seed.unwrap_or_else(seed))
            }
        });
    }
    Ok(())
}

/// Checks formatting and lints of the targets, then gives each the same inputs as ever.
///
/// # Errors
///
/// See [`run`]; and when rustfmt or clippy has something to say.
pub fn gate() -> Result<()> {
    run_command(cargo().current_dir(root()).args(["fmt", "--check", "--manifest-path", MANIFEST]))?;
    let fuzzer = Fuzzer::build()?;
    // With the same flags, so that libFuzzer is compiled once.
    run_command(fuzzer.cargo("clippy").args(["--", "-D", "warnings"]))?;
    for target in targets()? {
        // What an earlier run found must not change what this one does.
        let scratch = fuzzer.folder("gate", &target)?;
        fs::remove_dir_all(&scratch).map_err(at(&scratch))?;
        let scratch = fuzzer.folder("gate", &target)?;
        fuzzer.run(&target, &scratch, &format!("-runs={GATE_RUNS}"), GATE_SEED)?;
    }
    Ok(())
}

const MANIFEST: &str = "fuzz/Cargo.toml";

/// The names of all targets, sorted.
fn targets() -> Result<Vec<String>> {
    let folder = root().join("fuzz/fuzz_targets");
    let mut names = Vec::new();
    for entry in fs::read_dir(&folder).map_err(at(&folder))? {
        let path = entry.map_err(at(&folder))?.path();
        names.extend(path.file_stem().map(|name| name.to_string_lossy().into_owned()));
    }
    names.sort();
    Ok(names)
}

/// A number that is another one each time.
fn seed() -> u32 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.subsec_nanos())
}

/// The built targets.
struct Fuzzer {
    /// Everything that fuzzing makes.
    folder: PathBuf,
    /// What is compiled for. It is always named: cargo then compiles macros and build scripts without our flags.
    platform: String,
}

impl Fuzzer {
    fn build() -> Result<Self> {
        let compilers = ["c++", "g++", "clang++"];
        if std::env::var_os("CXX").is_none() && !compilers.iter().any(|name| which::which(name).is_ok()) {
            return Err(Error::NoCompiler);
        }
        let version = output(Command::new("rustc").arg("--version").arg("--verbose"))?;
        let host = version.lines().find_map(|line| line.strip_prefix("host: ")).unwrap_or_default();
        let folder = Workspace::read()?.target().join("fuzz");
        let fuzzer = Self { folder, platform: host.to_owned() };
        run_command(fuzzer.cargo("build").arg("--quiet"))?;
        Ok(fuzzer)
    }

    fn cargo(&self, task: &str) -> Command {
        let mut command = cargo();
        command
            .current_dir(root())
            .env_remove("CARGO_ENCODED_RUSTFLAGS")
            .env("RUSTFLAGS", COVERAGE)
            .args([task, "--release", "--manifest-path", MANIFEST, "--target", &self.platform])
            .arg("--target-dir")
            .arg(&self.folder);
        command
    }

    /// A folder for one target's inputs of a kind.
    fn folder(&self, kind: &str, target: &str) -> Result<PathBuf> {
        let folder = self.folder.join(kind).join(target);
        fs::create_dir_all(&folder).map_err(at(&folder))?;
        Ok(folder)
    }

    fn program(&self, target: &str) -> Command {
        let mut command = Command::new(self.folder.join(&self.platform).join("release").join(target));
        command.current_dir(root());
        command
    }

    fn run(&self, target: &str, corpus: &Path, bound: &str, seed: u32) -> Result<()> {
        let broken = self.folder("artifacts", target)?;
        let before = files(&broken)?;
        // libFuzzer takes the folder's last slash for part of the name.
        let mut prefix = OsString::from("-artifact_prefix=");
        prefix.push(broken.join(""));
        let log = self.folder("logs", target)?.join("last");
        let outcome = run_into(
            self.program(target)
                .arg(corpus)
                .arg(format!("fuzz/seeds/{target}"))
                .args(["-dict=fuzz/dictionary", bound])
                .arg(format!("-seed={seed}"))
                .arg(format!("-max_len={LONGEST}"))
                .args(["-timeout=10", "-rss_limit_mb=1024", "-print_final_stats=1"])
                .arg(prefix),
            &log,
        );
        let text = fs::read(&log).map_err(at(&log))?;
        for line in noteworthy(&String::from_utf8_lossy(&text)) {
            say(line);
        }
        for input in files(&broken)?.iter().filter(|input| !before.contains(input)) {
            tell(target, input)?;
        }
        outcome
    }

    fn again(&self, target: &str, input: &Path) -> Result<()> {
        // Named from where the task was called, not from the workspace.
        let input = std::path::absolute(input).map_err(at(input))?;
        run_command(self.program(target).arg(input))
    }
}

/// Of all that libFuzzer has to say: what a broken promise said, and at the end the figures.
fn noteworthy(text: &str) -> impl Iterator<Item = &str> {
    let mut panicked = 0_usize;
    text.lines().filter(move |line| {
        if line.contains(" panicked at ") {
            panicked = PANIC_LINES;
        }
        panicked = panicked.saturating_sub(1);
        panicked > 0 || ["stat::", "SUMMARY: "].iter().any(|mark| line.starts_with(mark))
    })
}

fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).map_err(at(folder))?;
    entries.map(|entry| entry.map(|entry| entry.path()).map_err(at(folder))).collect()
}

/// Prints an input that broke something, and how to see that again.
fn tell(target: &str, input: &Path) -> Result<()> {
    let bytes = fs::read(input).map_err(at(input))?;
    let shown = bytes.get(..SHOWN).unwrap_or(&bytes);
    say(&format!("\n{target} breaks on {} bytes:\n{}", bytes.len(), shown.escape_ascii()));
    let named = input.strip_prefix(root()).unwrap_or(input);
    say(&format!("to see it again: cargo xtask fuzz {target} --input {}", named.display()));
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn of_a_log_the_message_and_the_figures_are_told() {
        let log =
            "#1 NEW\nthread 'x' panicked at src/a.rs:1:1:\nleft\nright\nbacktrace\n0: a\nstat::runs: 7\n";
        let told: Vec<&str> = noteworthy(log).collect();
        assert_eq!(
            told,
            ["thread 'x' panicked at src/a.rs:1:1:", "left", "right", "backtrace", "stat::runs: 7"]
        );
    }

    #[test]
    fn every_target_has_seeds_and_every_seed_has_a_target() {
        let targets: BTreeSet<String> = targets().unwrap().into_iter().collect();
        let seeds = files(&root().join("fuzz/seeds")).unwrap();
        let named: BTreeSet<String> = seeds
            .iter()
            .map(|folder| {
                assert!(!files(folder).unwrap().is_empty(), "{} is empty", folder.display());
                folder.file_name().unwrap().to_string_lossy().into_owned()
            })
            .collect();
        assert_eq!(targets, named);
        assert!(targets.contains("envelope"));
    }
}
