//! A server with a store is killed in the middle of two hundred calls, and another one goes on in its place: every call has
//! its result or is told that its outcome is unknown, none runs twice, and sessions go on.
//!
//! This program starts itself as such a server. `cargo xtask restart` has more rounds than a test.

#![expect(clippy::print_stdout, reason = "this is a test runner")]

mod child;
mod client;
mod folder;
mod round;

use folder::Folder;
use round::Figures;

/// Says how many rounds, for a longer run.
const ROUNDS: &str = "HERMES_RESTART_ROUNDS";

/// Says what repeats the plan of a run: which calls, how long they take, and after how many of them the end comes.
const SEED: &str = "HERMES_RESTART_SEED";

fn number(name: &str) -> Option<u64> {
    std::env::var(name)
        .ok()
        .map(|text| text.parse().unwrap_or_else(|_| panic!("{name} is no number: {text}")))
}

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime");
    if let Some(folder) = Folder::of_child() {
        return runtime.block_on(child::serve(&folder));
    }
    let rounds = number(ROUNDS).unwrap_or(3);
    let seed = number(SEED).unwrap_or(1);
    let folder = Folder::new();
    let mut figures = Figures::default();
    runtime.block_on(round::play(&folder, seed, rounds, &mut figures));
    println!("seed {seed}, {rounds} rounds: {figures}");
    assert!(figures.findings.is_empty(), "{}", figures.findings.join("\n"));
    assert!(figures.unknown > 0 && figures.results > figures.unknown / 4, "nothing was shown: {figures}");
    println!("test calls_of_a_server_that_is_killed_have_their_result_or_are_told_that_nobody_knows ... ok");
}
