//! The client against the server, with everything between them cut, delayed and restarted at random: every call settles
//! in time, nothing runs twice, no answer is another's, and nobody is stormed.
//!
//! A seed makes the plan of a round, so a seed repeats it; `cargo xtask torture --client` has a thousand rounds for each
//! era, and the tests here thirty. What is found names the seed of its round, which is the first of a run with that seed.

mod figures;
mod plan;
mod round;
mod server;
mod storms;

use std::io::Write as _;

use hermes::types::Era;

use figures::Figures;
use plan::Plan;

/// Says how many rounds for each era, for a longer run.
const ROUNDS: &str = "HERMES_TORTURE_ROUNDS";

/// Says what repeats a run.
const SEED: &str = "HERMES_TORTURE_SEED";

fn number(name: &str) -> Option<u64> {
    std::env::var(name)
        .ok()
        .map(|text| text.parse().unwrap_or_else(|_| panic!("{name} is no number: {text}")))
}

/// As many rounds as wanted, one after the other.
async fn rounds(era: Era) {
    let (rounds, seed) = (number(ROUNDS).unwrap_or(30), number(SEED).unwrap_or(1));
    let mut figures = Figures::default();
    for round in 0..rounds {
        let plan = Plan::new(seed.wrapping_add(round.wrapping_mul(0x9E37_79B9_7F4A_7C15)), era);
        round::play(&plan, &mut figures).await;
        if round % 100 == 99 {
            say(&format!("{era:?}, round {}: {}", round + 1, figures.line()));
        }
    }
    say(&format!("{era:?}, seed {seed}:\n{figures}"));
    assert!(figures.findings.is_empty(), "{}", figures.findings.join("\n"));
    figures.check_attempts();
    assert!(
        figures.answered * 3 > figures.calls,
        "so little was answered that nothing was shown:\n{figures}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn in_the_legacy_era_every_call_settles_once_whatever_is_cut() {
    rounds(Era::Legacy).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn in_the_modern_era_every_call_settles_once_whatever_is_cut() {
    rounds(Era::Modern).await;
}

/// Not by a macro: the harness would swallow it, and a long run wants to be watched.
fn say(line: &str) {
    // A standard error that is gone hears nothing.
    let _ = writeln!(std::io::stderr(), "torture of the client: {line}");
}
