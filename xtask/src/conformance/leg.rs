//! What a server is put through: the choices of scenarios, each with what a full server reaches in it.

use clap::ValueEnum;

use super::suite::Edition;
use super::tally::Wanted;

/// A revision that the suite can choose; it knows none before 2025-03-26.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
#[non_exhaustive]
pub enum Revision {
    /// 2025-03-26.
    #[value(name = "2025-03-26")]
    V2025_03_26,
    /// 2025-06-18.
    #[value(name = "2025-06-18")]
    V2025_06_18,
    /// 2025-11-25.
    #[value(name = "2025-11-25")]
    V2025_11_25,
    /// 2026-07-28.
    #[value(name = "2026-07-28")]
    V2026_07_28,
}

impl Revision {
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::V2025_03_26 => "2025-03-26",
            Self::V2025_06_18 => "2025-06-18",
            Self::V2025_11_25 => "2025-11-25",
            Self::V2026_07_28 => "2026-07-28",
        }
    }
}

/// Which of a revision's scenarios are run.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Choice {
    /// All that apply to it.
    All,
    /// Those that it brought.
    Draft,
    /// Those that it requires, as they were when it was published, and others that it is not judged by.
    Requirements,
}

/// How the server answers what it can answer at once.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Answers {
    /// With a stream of events, which the suite looks at more closely.
    Events,
    /// With one JSON text, as it does unless told otherwise.
    Json,
}

/// One run of the suite, and what it has to come to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leg {
    edition: Edition,
    pub(super) answers: Answers,
    revision: Revision,
    choice: Choice,
    scenarios: usize,
    checks: usize,
}

/// Every run, the newest edition first.
///
/// The checks are those of a server that leaves out nothing: it really lets a client resume, and answers several requests
/// at once with a stream each. With JSON that last one is no check.
const LEGS: [Leg; 11] = [
    leg(Revision::V2025_03_26, Choice::All, 1, 3),
    leg(Revision::V2025_06_18, Choice::All, 27, 56),
    leg(Revision::V2025_11_25, Choice::All, 33, 84),
    leg(Revision::V2026_07_28, Choice::All, 40, 153),
    leg(Revision::V2025_11_25, Choice::Requirements, 33, 84),
    leg(Revision::V2026_07_28, Choice::Requirements, 40, 153),
    leg(Revision::V2026_07_28, Choice::Draft, 19, 103),
    Leg { answers: Answers::Json, ..leg(Revision::V2025_11_25, Choice::All, 33, 83) },
    Leg { answers: Answers::Json, ..leg(Revision::V2026_07_28, Choice::All, 40, 152) },
    Leg { edition: Edition::Older, ..leg(Revision::V2025_06_18, Choice::All, 26, 26) },
    Leg { edition: Edition::Older, ..leg(Revision::V2025_11_25, Choice::All, 32, 47) },
];

const fn leg(revision: Revision, choice: Choice, scenarios: usize, checks: usize) -> Leg {
    Leg { edition: Edition::Newest, answers: Answers::Events, revision, choice, scenarios, checks }
}

/// The runs of an edition; of one revision, if one is named.
pub(super) fn chosen(edition: Edition, revision: Option<Revision>) -> Vec<Leg> {
    LEGS.into_iter()
        .filter(|leg| leg.edition == edition)
        .filter(|leg| revision.is_none_or(|revision| leg.revision == revision))
        .collect()
}

impl Leg {
    /// How it is told from the others in the table, and the folder of its results.
    pub(super) fn name(&self) -> String {
        let revision = self.revision.as_str();
        let choice = match self.choice {
            Choice::All => "",
            Choice::Draft => " draft",
            Choice::Requirements => " required",
        };
        let edition = match self.edition {
            Edition::Newest => "",
            Edition::Older => " older suite",
        };
        let answers = match self.answers {
            Answers::Events => "",
            Answers::Json => " json",
        };
        format!("{revision}{choice}{answers}{edition}")
    }

    /// What it has to come to.
    pub(super) fn wanted(&self) -> Wanted {
        Wanted { name: self.name(), scenarios: self.scenarios, checks: self.checks }
    }

    /// The arguments that choose its scenarios.
    pub(super) fn arguments(&self) -> Vec<&'static str> {
        match self.choice {
            Choice::All => vec!["--suite", "all", "--spec-version", self.revision.as_str()],
            Choice::Draft => vec!["--suite", "draft"],
            Choice::Requirements => vec!["--requirements", self.revision.as_str()],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn legs_have_names_of_their_own() {
        let mut names: Vec<String> = LEGS.iter().map(Leg::name).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), LEGS.len());
    }

    #[test]
    fn an_edition_and_a_revision_choose_their_legs() {
        let names = |edition, revision| chosen(edition, revision).iter().map(Leg::name).collect::<Vec<_>>();
        let revision = Some(Revision::V2025_11_25);
        let newest = ["2025-11-25", "2025-11-25 required", "2025-11-25 json"];
        assert_eq!(names(Edition::Newest, revision), newest);
        assert_eq!(names(Edition::Older, revision), ["2025-11-25 older suite"]);
        assert_eq!(names(Edition::Newest, None).len() + names(Edition::Older, None).len(), LEGS.len());
    }
}
