//! `cargo xtask soak`: the measured server under good and bad clients for a long time.

use serde::Deserialize;

use crate::bench::{Program, Programs, Running};
use crate::error::{Error, Result};
use crate::stage::say;
use crate::workspace::Workspace;

/// How long the server is left alone at the end, in seconds: longer than a session that nobody uses is kept.
const REST: f64 = 30.0;

/// For how long idle sessions are kept meanwhile, in seconds: so that many come and go.
const IDLE: &str = "20";

/// What is to be done.
#[derive(Clone, Debug, clap::Args)]
pub struct Soak {
    /// How long.
    #[arg(long, default_value_t = 30.0, value_name = "N")]
    pub minutes: f64,
}

/// What the generator tells.
#[derive(Debug, Deserialize)]
struct Figures {
    answered: u64,
    lost: u64,
    instead: Vec<String>,
    abandoned: u64,
    cut: u64,
    memory: Vec<(f64, u64)>,
    tasks_before: u64,
    tasks_after: u64,
    descriptors_before: u64,
    descriptors_after: u64,
}

/// Runs it and prints what was seen.
///
/// # Errors
///
/// [`Error::Soaked`]: calls were lost, or tasks or descriptors were left.
pub fn soak(soak: &Soak) -> Result<()> {
    let workspace = Workspace::read()?;
    let programs = Programs::build(&workspace, &[Program::Hermes, Program::Load])?;
    let server = Running::start(&programs.find(Program::Hermes), &["--idle", IDLE, "--stream"])?;
    say(&format!("{} minutes, and {REST} seconds of rest", soak.minutes));
    let seconds = (soak.minutes * 60.0).to_string();
    let it: Figures =
        server.load(&programs, "soak", &["--seconds", &seconds, "--rest", &REST.to_string()])?;
    // What fills up first is no leak: the slope is that of the second half.
    let (_, settled) = it.memory.split_at(it.memory.len() / 2);
    let last = it.memory.last().map_or(0, |(_, bytes)| *bytes);
    say(&format!(
        "answered {}, lost {}, sessions abandoned {}, streams cut {}\n\
         memory {:.1} MB at the end, {:+.2} MB an hour\n\
         tasks {} before and {} afterwards, descriptors {} and {}",
        it.answered,
        it.lost,
        it.abandoned,
        it.cut,
        last as f64 / 1e6,
        slope(settled) * 3600.0 / 1e6,
        it.tasks_before,
        it.tasks_after,
        it.descriptors_before,
        it.descriptors_after,
    ));
    it.instead.iter().for_each(|instead| say(&format!("instead of an answer: {instead}")));
    let is_clean =
        it.lost == 0 && it.tasks_after <= it.tasks_before && it.descriptors_after <= it.descriptors_before;
    if is_clean { Ok(()) } else { Err(Error::Soaked) }
}

/// By how much the second figure grows with the first, as the straight line has it that fits best.
fn slope(points: &[(f64, u64)]) -> f64 {
    let count = points.len().max(1) as f64;
    let mean = |figure: fn(&(f64, u64)) -> f64| points.iter().map(figure).sum::<f64>() / count;
    let (x, y) = (mean(|it| it.0), mean(|it| it.1 as f64));
    let spread: f64 = points.iter().map(|it| (it.0 - x).powi(2)).sum();
    let common: f64 = points.iter().map(|it| (it.0 - x) * (it.1 as f64 - y)).sum();
    if spread > 0.0 { common / spread } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_straight_line_has_its_own_slope_and_a_level_one_none() {
        assert!((slope(&[(0.0, 10), (1.0, 30), (2.0, 50)]) - 20.0).abs() < 1e-9);
        assert_eq!(slope(&[(0.0, 7), (5.0, 7)]), 0.0);
        assert_eq!(slope(&[]), 0.0);
    }
}
