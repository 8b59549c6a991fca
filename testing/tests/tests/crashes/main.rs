//! Servers that crash, at any byte they write: calls that were under way fail with the reason, the next one works, and
//! nothing runs twice.
//!
//! This program starts itself as such a server. A seed says when each of its lives ends, so a seed repeats a run;
//! `cargo xtask torture --client` has a thousand rounds for each era.

#![expect(clippy::print_stdout, reason = "this is a test runner")]

mod child;
mod folder;
mod round;

use hermes::types::Era;

use folder::Folder;
use round::Figures;

/// Says how many rounds for each era, for a longer run.
const ROUNDS: &str = "HERMES_TORTURE_ROUNDS";

/// Says what repeats a run.
const SEED: &str = "HERMES_TORTURE_SEED";

fn number(name: &str) -> Option<u64> {
    std::env::var(name)
        .ok()
        .map(|text| text.parse().unwrap_or_else(|_| panic!("{name} is no number: {text}")))
}

fn main() {
    if let Some(folder) = Folder::of_child() {
        return child::serve(&folder);
    }
    let rounds = number(ROUNDS).unwrap_or(15);
    let seed = number(SEED).unwrap_or(1);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime");
    for era in [Era::Legacy, Era::Modern] {
        let mut figures = Figures::default();
        runtime.block_on(async {
            for round in 0..rounds {
                let own = seed.wrapping_add(round.wrapping_mul(0x9E37_79B9_7F4A_7C15));
                round::play(own, era, &mut figures).await;
                if round % 100 == 99 {
                    println!("{era:?}, round {}: {figures}", round + 1);
                }
            }
        });
        println!("{era:?}, seed {seed}, {rounds} rounds: {figures}");
        assert!(figures.findings.is_empty(), "{}", figures.findings.join("\n"));
        assert!(figures.crashes > rounds, "hardly any server crashed: {figures}");
        assert!(
            figures.answered * 3 > figures.calls,
            "so little was answered that nothing was shown: {figures}"
        );
        println!("test calls_of_servers_that_crash_settle_once ({era:?}) ... ok");
    }
}
