//! Thirty seeded rounds of a hundred calls each; more of them by `cargo xtask torture`.

use std::io::Write as _;
use std::time::Duration;

use hermes_testkit::raw::Target;
use hermes_testkit::torture::{Torture, torture};

use crate::demo;

/// Says how many rounds, for a longer run.
const ROUNDS: &str = "HERMES_TORTURE_ROUNDS";

/// Says what repeats a run.
const SEED: &str = "HERMES_TORTURE_SEED";

/// Says how many seconds a call may take.
const PATIENCE: &str = "HERMES_TORTURE_PATIENCE";

/// Names the file that the figures are left in: names and values, a line each.
const FIGURES: &str = "HERMES_TORTURE_FIGURES";

/// Names the server, for a run against another than the demo.
const TARGET: &str = "HERMES_TORTURE_TARGET";

fn number(name: &str) -> Option<u64> {
    std::env::var(name)
        .ok()
        .map(|text| text.parse().unwrap_or_else(|_| panic!("{name} is no number: {text}")))
}

#[tokio::test]
async fn whatever_is_cut_no_call_is_lost_doubled_or_crossed() {
    let usual = Torture::default();
    let wanted = Torture {
        rounds: number(ROUNDS).unwrap_or(usual.rounds),
        seed: number(SEED).unwrap_or(usual.seed),
        patience: number(PATIENCE).map_or(usual.patience, Duration::from_secs),
        ..usual
    };
    let named = std::env::var(TARGET).ok().map(|url| Target::parse(&url).expect("an endpoint"));
    let demo = if named.is_none() { Some(demo()) } else { None };
    let target = named.as_ref().or_else(|| demo.as_ref().map(|demo| demo.target())).expect("a server");
    let figures = torture(target, &wanted, |round, plan, count| {
        if round % 100 == 99 {
            say(&format!("round {round} ({}): {count:?}", plan.revision));
        }
    })
    .await;
    say(&figures.to_string());
    if let Some(file) = std::env::var_os(FIGURES) {
        let lines = figures.counts().map(|(name, count)| format!("{name}\t{count}\n"));
        std::fs::write(file, lines.concat()).expect("the figures are written");
    }
    assert!(figures.is_clean(), "{figures}\n{}", figures.findings.join("\n"));
    assert_eq!(figures.count.calls, wanted.rounds * wanted.calls as u64);
}

/// Not by a macro: the harness would swallow it, and a long run wants to be watched.
fn say(line: &str) {
    // A standard error that is gone hears nothing.
    let _ = writeln!(std::io::stderr(), "torture: {line}");
}
