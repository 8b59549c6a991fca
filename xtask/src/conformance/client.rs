//! What a client is put through: every scenario that the suite has for clients, one at a time.
//!
//! One at a time and not as a whole, because the suite would begin all of them at once, and then notes what is wrong
//! with the messages of one among the checks of another.

use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::check;
use super::leg::Revision;
use super::suite::{Edition, Suite};
use super::tally::{Tally, Wanted};
use crate::error::{Error, Result};
use crate::stage::say;

/// What is left out, by the beginning of its name, and why.
const LEFT_OUT: [(&str, &str); 2] =
    [("auth/", "they need authorisation"), ("sep-2640-", "skills are an extension that there is none of")];

/// How many scenarios run at the same time.
const AT_ONCE: usize = 2;

/// All scenarios of one revision, and what a full client reaches in them.
#[derive(Clone, Copy, Debug)]
struct Leg {
    edition: Edition,
    revision: Revision,
    scenarios: usize,
    checks: usize,
}

/// Every run, the newest edition first. All that there is for 2025-03-26 needs authorisation.
const LEGS: [Leg; 5] = [
    Leg { edition: Edition::Newest, revision: Revision::V2025_06_18, scenarios: 2, checks: 3 },
    Leg { edition: Edition::Newest, revision: Revision::V2025_11_25, scenarios: 5, checks: 20 },
    Leg { edition: Edition::Newest, revision: Revision::V2026_07_28, scenarios: 8, checks: 66 },
    Leg { edition: Edition::Older, revision: Revision::V2025_06_18, scenarios: 2, checks: 2 },
    Leg { edition: Edition::Older, revision: Revision::V2025_11_25, scenarios: 4, checks: 10 },
];

impl Leg {
    fn name(&self) -> String {
        let edition = match self.edition {
            Edition::Newest => "",
            Edition::Older => " older suite",
        };
        format!("{} client{edition}", self.revision.as_str())
    }

    fn wanted(&self) -> Wanted {
        Wanted { name: self.name(), scenarios: self.scenarios, checks: self.checks }
    }
}

/// A scenario, as the suite lists it: `  - sse-retry [2025-11-25]`.
#[derive(Debug, Eq, PartialEq)]
pub(super) struct Listed {
    name: String,
    revisions: Vec<String>,
}

impl Listed {
    /// Reads a line of the list.
    pub(super) fn read(line: &str) -> Option<Self> {
        let (name, revisions) = line.trim().strip_prefix("- ")?.strip_suffix(']')?.split_once(" [")?;
        let revisions = revisions.split(',').map(str::to_owned).collect();
        Some(Self { name: name.to_owned(), revisions })
    }

    fn is_left_out(&self) -> bool {
        LEFT_OUT.iter().any(|(beginning, _)| self.name.starts_with(beginning))
    }

    fn is_of(&self, revision: Revision) -> bool {
        self.revisions.iter().any(|own| own == revision.as_str())
    }

    /// Whether it is run for each of its revisions.
    fn is_run(&self, edition: Edition) -> bool {
        let has_leg = |own: &String| {
            LEGS.iter().any(|leg| leg.edition == edition && leg.revision.as_str() == own.as_str())
        };
        self.revisions.iter().all(has_leg)
    }
}

/// Has the client go through all scenarios of an edition; of one revision, if one is named.
///
/// # Errors
///
/// [`Error::Conformance`] if the suite has a scenario that is neither run nor left out; otherwise when the suite does not
/// run, or what it leaves cannot be read.
pub(super) fn try_all(
    suite: &Suite,
    client: &Path,
    revision: Option<Revision>,
    results: &Path,
) -> Result<Vec<Tally>> {
    let listed = suite.client_scenarios()?;
    for (beginning, reason) in LEFT_OUT {
        let count = listed.iter().filter(|scenario| scenario.name.starts_with(beginning)).count();
        say(&format!("{count} scenarios {beginning}* for clients are left out: {reason}"));
    }
    let missed =
        listed.iter().filter(|scenario| !scenario.is_left_out() && !scenario.is_run(suite.edition()));
    let missed: Vec<&str> = missed.map(|scenario| scenario.name.as_str()).collect();
    if !missed.is_empty() {
        say(&format!("scenarios for clients that no run has: {}", missed.join(", ")));
        return Err(Error::Conformance(missed.len()));
    }
    let legs = LEGS.iter().filter(|leg| leg.edition == suite.edition());
    let legs = legs.filter(|leg| revision.is_none_or(|revision| leg.revision == revision));
    let run = |leg: &Leg| {
        let folder = results.join(leg.name().replace(' ', "-"));
        let scenarios = listed.iter().filter(|scenario| scenario.is_of(leg.revision));
        let scenarios: Vec<_> = scenarios.filter(|scenario| !scenario.is_left_out()).collect();
        side_by_side(&scenarios, |scenario| suite.try_client(&scenario.name, leg.revision, client, &folder))?;
        Ok(Tally::new(leg.wanted(), &check::read(&folder)?))
    };
    legs.map(run).collect()
}

/// Does the same with each of them, a few at the same time.
fn side_by_side<T: Sync>(all: &[T], work: impl Fn(&T) -> Result<()> + Sync) -> Result<()> {
    let rest = Mutex::new(all.iter());
    let next = || rest.lock().unwrap_or_else(PoisonError::into_inner).next();
    let failed = Mutex::new(None);
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(one) = next() {
                    if let Err(error) = work(one) {
                        *failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                        return;
                    }
                }
            });
        }
    });
    failed.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_scenarios_is_read() {
        let listed = Listed::read("  - tools_call [2025-06-18,2026-07-28]").unwrap();
        assert_eq!(listed.name, "tools_call");
        assert!(listed.is_of(Revision::V2025_06_18) && !listed.is_of(Revision::V2025_11_25));
        assert!(!listed.is_left_out());
        assert!(Listed::read("  - auth/dpop [extension]").unwrap().is_left_out());
        assert!(listed.is_run(Edition::Newest) && !listed.is_run(Edition::Older));
        assert!(
            !Listed::read("  - tasks [extension]").unwrap().is_run(Edition::Newest),
            "nobody would miss it"
        );
        assert_eq!(Listed::read("Client scenarios (test against a client):"), None);
    }

    #[test]
    fn everything_is_done_once_and_what_fails_is_told() {
        let done = Mutex::new(Vec::new());
        let all: Vec<usize> = (0..20).collect();
        side_by_side(&all, |number| {
            done.lock().unwrap().push(*number);
            Ok(())
        })
        .unwrap();
        let mut done = done.into_inner().unwrap();
        done.sort_unstable();
        assert_eq!(done, all);

        let error = side_by_side(&all, |number| match number {
            3 => Err(Error::NoProgram("node")),
            _ => Ok(()),
        });
        assert_eq!(error.unwrap_err().to_string(), "cargo built no program named `node`");
    }
}
