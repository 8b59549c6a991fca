//! The counts of a run, and what is wrong with them.

use std::fmt::Write as _;

use super::check::{Check, Scenario, Status};

/// What one run has to come to.
#[derive(Debug)]
pub(super) struct Wanted {
    pub(super) name: String,
    pub(super) scenarios: usize,
    pub(super) checks: usize,
}

/// What one run came to.
#[derive(Debug)]
pub(super) struct Tally {
    name: String,
    wanted: usize,
    scenarios: usize,
    success: usize,
    failure: usize,
    warning: usize,
    skipped: usize,
    faults: Vec<String>,
}

impl Tally {
    /// Counts the checks of the scenarios, without those of extensions that there are none of.
    pub(super) fn new(wanted: Wanted, scenarios: &[Scenario]) -> Self {
        let scenarios: Vec<&Scenario> = scenarios.iter().filter(|it| !it.is_extension()).collect();
        let checks = || scenarios.iter().flat_map(|scenario| &scenario.checks);
        let count = |status| checks().filter(|check| check.status == status).count();
        let mut tally = Self {
            name: wanted.name,
            wanted: wanted.checks,
            scenarios: scenarios.len(),
            success: count(Status::Success),
            failure: count(Status::Failure),
            warning: count(Status::Warning),
            skipped: count(Status::Skipped),
            faults: Vec::new(),
        };
        tally.faults = scenarios.iter().flat_map(|scenario| faults(scenario)).collect();
        if tally.scenarios != wanted.scenarios {
            let fault = format!("{} scenarios have run instead of {}", tally.scenarios, wanted.scenarios);
            tally.faults.push(fault);
        }
        if tally.faults.is_empty() && tally.success != tally.wanted {
            tally.faults.push(format!("{} checks have passed instead of {}", tally.success, tally.wanted));
            tally.faults.extend(scenarios.iter().flat_map(|scenario| hints(scenario)));
        }
        tally
    }

    /// How much is wrong.
    pub(super) fn faults(&self) -> usize {
        self.faults.len()
    }
}

fn faults(scenario: &Scenario) -> Vec<String> {
    let is_fault = |check: &&Check| !matches!(check.status, Status::Success | Status::Info);
    let faults = scenario.checks.iter().filter(is_fault).map(|check| line(scenario, check));
    let is_empty = scenario.checks.iter().all(|check| check.status == Status::Info);
    let empty = is_empty.then(|| format!("{}: nothing was checked", scenario.name));
    // A client that did all it was asked says nothing.
    let said = scenario.said.lines().map(|said| format!("{}: the client says: {said}", scenario.name));
    faults.chain(empty).chain(said).collect()
}

/// What was seen and not judged, though other servers are judged by it: why there are fewer checks than there can be.
fn hints(scenario: &Scenario) -> Vec<String> {
    let judged = ["server-sse-disconnect-resume", "server-sse-streams-functional"];
    let is_hint = |check: &&Check| check.status == Status::Info && judged.contains(&check.id.as_str());
    scenario.checks.iter().filter(is_hint).map(|check| line(scenario, check)).collect()
}

fn line(scenario: &Scenario, check: &Check) -> String {
    let status = format!("{:?}", check.status).to_uppercase();
    format!("{} {}: {status}: {}", scenario.name, check.id, check.message())
}

/// All runs as a table, and below it what is wrong, run by run.
pub(super) fn table(tallies: &[Tally]) -> String {
    let mut table = format!(
        "\n{:<31}{:>10}{:>8}{:>9}{:>9}{:>9}{:>9}\n",
        "run", "scenarios", "wanted", "success", "failure", "warning", "skipped"
    );
    for Tally { name, wanted, scenarios, success, failure, warning, skipped, .. } in tallies {
        let _ = writeln!(
            table,
            "{name:<31}{scenarios:>10}{wanted:>8}{success:>9}{failure:>9}{warning:>9}{skipped:>9}"
        );
    }
    for Tally { name, faults, .. } in tallies.iter().filter(|tally| !tally.faults.is_empty()) {
        let _ = write!(table, "\n{name}:\n");
        for fault in faults {
            let _ = writeln!(table, "  {fault}");
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scenario(name: &str, checks: &str) -> Scenario {
        let checks = serde_json::from_str(checks).unwrap();
        Scenario { name: name.to_owned(), checks, said: String::new() }
    }

    fn wanted() -> Wanted {
        Wanted { name: "2025-03-26".to_owned(), scenarios: 1, checks: 3 }
    }

    const PASSED: &str = r#"[
        {"id": "a", "status": "SUCCESS"}, {"id": "b", "status": "SUCCESS"}, {"id": "c", "status": "SUCCESS"},
        {"id": "seen", "status": "INFO"}
    ]"#;

    #[test]
    fn a_full_run_has_no_faults_and_extensions_do_not_count() {
        let other = scenario("tasks-lifecycle", r#"[{"id": "x", "status": "FAILURE"}]"#);
        let tally = Tally::new(wanted(), &[scenario("one", PASSED), other]);
        assert_eq!(tally.faults, [""; 0]);
        assert!(
            table(&[tally]).contains("2025-03-26                              1       3        3        0")
        );
    }

    #[test]
    fn a_warning_and_a_check_that_was_left_out_are_faults() {
        let checks = r#"[
            {"id": "a", "status": "WARNING", "errorMessage": "should"},
            {"id": "b", "status": "SKIPPED", "description": "not asked"}
        ]"#;
        let tally = Tally::new(wanted(), &[scenario("one", checks)]);
        assert_eq!(tally.faults, ["one a: WARNING: should", "one b: SKIPPED: not asked"]);
    }

    #[test]
    fn fewer_checks_than_there_can_be_are_a_fault_with_what_was_seen_instead() {
        let checks = r#"[
            {"id": "a", "status": "SUCCESS"}, {"id": "b", "status": "SUCCESS"},
            {"id": "server-sse-disconnect-resume", "status": "INFO", "description": "did not"}
        ]"#;
        let tally = Tally::new(wanted(), &[scenario("one", checks)]);
        assert_eq!(
            tally.faults,
            ["2 checks have passed instead of 3", "one server-sse-disconnect-resume: INFO: did not"]
        );
    }

    #[test]
    fn a_scenario_without_a_check_and_a_client_that_says_something_are_faults() {
        let mut silent = scenario("one", r#"[{"id": "seen", "status": "INFO"}]"#);
        silent.said = "not done after 20 s\n".to_owned();
        let tally = Tally::new(wanted(), &[silent]);
        assert_eq!(tally.faults, ["one: nothing was checked", "one: the client says: not done after 20 s"]);
    }

    #[test]
    fn a_scenario_that_did_not_run_is_missed() {
        assert_eq!(Tally::new(wanted(), &[]).faults, ["0 scenarios have run instead of 1"]);
    }
}
