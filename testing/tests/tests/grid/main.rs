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

use std::collections::BTreeMap;
use std::process::ExitCode;

use hermes::types::Revision;

use crate::script::Script;
use crate::voice::{CARRIERS, Carrier};

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
    let (mut played, mut failed) = (BTreeMap::<(Carrier, Revision), usize>::new(), Vec::new());
    for carrier in CARRIERS {
        for revision in carrier.revisions() {
            for script in scripts.iter().filter(|script| script.fits(carrier, revision)) {
                match script.play(carrier, revision) {
                    Ok(()) => *played.entry((carrier, revision)).or_default() += 1,
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
    // A grid with a hole in it has not shown what it is for.
    let is_whole = CARRIERS
        .iter()
        .all(|carrier| carrier.revisions().all(|revision| played.contains_key(&(*carrier, revision))));
    let total: usize = played.values().sum();
    println!("\n{total} conversations, {} failed", failed.len());
    if failed.is_empty() && is_whole { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Prints how many conversations were held, by transport and revision.
fn print(played: &BTreeMap<(Carrier, Revision), usize>) {
    print!("\n{:<16}", "");
    Revision::ALL.iter().for_each(|revision| print!("{:>12}", revision.as_str()));
    println!();
    for carrier in CARRIERS {
        print!("{:<16}", carrier.to_string());
        for revision in Revision::ALL {
            match carrier.revisions().any(|carried| carried == revision) {
                true => print!("{:>12}", played.get(&(carrier, revision)).copied().unwrap_or_default()),
                false => print!("{:>12}", "-"),
            }
        }
        println!();
    }
}
