//! Which rules of the specification a test shows.
//!
//! The files in `spec/` list the testable rules of all revisions: a file is an area, a table in it a topic, an entry one
//! rule with its number. A test that shows a rule names it in a comment, and a rule that no test shows says why:
//!
//! ```text
//! tests:          // spec: R085, R091      (in .rs files; `# spec: …` in other text files of a folder `tests`)
//! spec/http.toml: R085 = { side = "server", level = "must", revisions = "2026-07-28", rule = "…", because = "…" }
//! ```
//!
//! Both or neither is a finding, so the ledger cannot promise more, or less, than the tests hold.

mod area;
mod check;
mod marker;
mod report;
mod row;
mod run;

pub(crate) use check::check;
pub use row::Number;
pub use run::run;
