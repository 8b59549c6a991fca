//! Has the linker make a released program smaller, where the linker knows how.
//!
//! Which linker there is, nobody says for certain before it is run: Rust's own, the system's, or one that somebody chose.
//! So a program of one line is linked by it, for each wish, and started. What is not understood, or does not start with
//! the C library of the machine, is not wished for: the program is larger then, and the same otherwise.

use std::env;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// Functions and constants that come out the same are kept once. Nothing here tells functions apart by where they are.
const FOLD: &str = "-Wl,--icf=all";

/// What the start has to correct by where the program lies: a bit for each place in place of three words. glibc 2.36 and
/// musl 1.2.4 can read it.
const PACK: &str = "-Wl,-z,pack-relative-relocs";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // Other systems' linkers warn of what they do not know, and go on. What is built to be debugged is linked often.
    if var("CARGO_CFG_TARGET_OS") != "linux" || var("PROFILE") != "release" {
        return;
    }
    for wish in [FOLD, PACK] {
        if is_granted(wish) == Some(true) {
            println!("cargo::rustc-link-arg-bins={wish}");
        }
    }
}

/// Whether a program that is linked with this flag is made without complaint, and runs.
fn is_granted(wish: &str) -> Option<bool> {
    let folder = env::var_os("OUT_DIR")?;
    let [source, program] = ["probe.rs", "probe"].map(|name| Path::new(&folder).join(name));
    fs::write(&source, "fn main() {}\n").ok()?;
    let mut rustc = Command::new(env::var_os("RUSTC")?);
    rustc.args(["--edition", "2024", "--target", &var("TARGET"), "-C", &format!("link-arg={wish}")]);
    if let Some(linker) = env::var_os("RUSTC_LINKER") {
        rustc.arg("-C").arg(format!("linker={}", linker.display()));
    }
    let flags = var("CARGO_ENCODED_RUSTFLAGS");
    rustc.args(flags.split('\u{1f}').filter(|flag| !flag.is_empty()));
    rustc.arg("-o").arg(&program).arg(&source);
    Some(succeeds(&mut rustc) && succeeds(&mut Command::new(&program)))
}

fn succeeds(command: &mut Command) -> bool {
    let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}

/// What Cargo says of the build; nothing, where it says nothing.
fn var(name: &str) -> String {
    env::var(name).unwrap_or_default()
}
