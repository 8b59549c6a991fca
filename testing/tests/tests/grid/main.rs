//! One set of conversations, over every transport and in every revision that it can carry. The grid is printed.
//!
//! ```text
//! conversations/*.txt --- for each revision ---> Conversation --- over each transport ---> the same server
//! ```

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "it has no harness that prints for it")]

mod carried;
mod exchanges;
mod script;
mod server;
mod voice;

use std::collections::{BTreeMap, BTreeSet};
use std::process::ExitCode;

use hermes::types::Revision;

use crate::script::Script;
use crate::voice::{CARRIERS, Carrier};

/// What is talked about in every cell of the grid, whatever the files say of themselves.
const TOPICS: [&str; 10] =
    ["cancel", "changes", "log", "long", "numbers", "progress", "prompts", "question", "resources", "tools"];

/// Why a topic has no place in a cell; `None`: it has one.
fn left_out(topic: &str, carrier: Carrier, revision: Revision) -> Option<&'static str> {
    match topic {
        "cancel" if revision.is_modern() && carrier == Carrier::Http => {
            Some("the end of the exchange takes a request back, and no message")
        }
        "numbers" if revision < Revision::V2025_06_18 => Some("there is no structured content"),
        "progress" if revision < Revision::V2025_03_26 => Some("progress has no words"),
        "question" if revision < Revision::V2025_06_18 => Some("there is no elicitation"),
        _ => None,
    }
}

/// What was talked about, by transport and revision.
type Played = BTreeMap<(Carrier, Revision), BTreeSet<String>>;

/// What should have been talked about, and was not.
fn holes(played: &Played) -> Vec<String> {
    let mut holes = Vec::new();
    for carrier in CARRIERS {
        for revision in carrier.revisions() {
            let held = played.get(&(carrier, revision));
            for topic in TOPICS.iter().filter(|topic| left_out(topic, carrier, revision).is_none()) {
                if !held.is_some_and(|held| held.contains(*topic)) {
                    holes.push(format!("{topic} over {carrier} in {revision}"));
                }
            }
        }
    }
    holes
}

/// Whether each conversation that is taken out of a whole grid leaves just its own hole.
fn every_hole_shows(played: &Played) -> bool {
    played.iter().all(|((carrier, revision), topics)| {
        topics.iter().all(|topic| {
            let mut lacking = played.clone();
            lacking.entry((*carrier, *revision)).or_default().remove(topic);
            holes(&lacking) == [format!("{topic} over {carrier} in {revision}")]
        })
    })
}

/// Says to the second start of this program that it is the server.
const AS_SERVER: &str = "HERMES_GRID_SERVER";

fn main() -> ExitCode {
    if std::env::var_os(AS_SERVER).is_some() {
        return server::over_stdio();
    }
    let scripts = match Script::all() {
        Ok(scripts) => scripts,
        Err(problem) => {
            eprintln!("{problem}");
            return ExitCode::FAILURE;
        }
    };
    let (mut played, mut failed) = (Played::new(), Vec::new());
    for carrier in CARRIERS {
        for revision in carrier.revisions() {
            for script in scripts.iter().filter(|script| script.fits(carrier, revision)) {
                match script.play(carrier, revision) {
                    Ok(()) => {
                        played.entry((carrier, revision)).or_default().insert(script.topic().to_owned());
                    }
                    Err(problem) => {
                        let problem = format!("{} over {carrier} in {revision}: {problem}", script.name());
                        println!("{problem}\n");
                        failed.push(problem);
                    }
                }
            }
        }
    }
    print(&played);
    let total: usize = played.values().map(BTreeSet::len).sum();
    println!("\n{total} conversations, {} failed", failed.len());
    // A grid with a hole in it has not shown what it is for.
    let holes = holes(&played);
    holes.iter().for_each(|hole| println!("not held: {hole}"));
    let is_whole = holes.is_empty() && every_hole_shows(&played);
    if failed.is_empty() && is_whole { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Prints how many conversations were held, by transport and revision.
fn print(played: &Played) {
    print!("\n{:<16}", "");
    Revision::ALL.iter().for_each(|revision| print!("{:>12}", revision.as_str()));
    println!();
    for carrier in CARRIERS {
        print!("{:<16}", carrier.to_string());
        for revision in Revision::ALL {
            match carrier.revisions().any(|carried| carried == revision) {
                true => print!("{:>12}", played.get(&(carrier, revision)).map_or(0, BTreeSet::len)),
                false => print!("{:>12}", "-"),
            }
        }
        println!();
    }
}
