//! What a run has found out: its tables, and how far each target was met.

use super::table::Table;
use crate::stage::say;

/// What a ratio or a figure may be.
#[derive(Clone, Copy, Debug)]
pub(super) enum Limit {
    AtMost(f64),
    AtLeast(f64),
}

/// A target and what was measured.
#[derive(Clone, Debug)]
struct Target {
    what: String,
    measured: f64,
    limit: Limit,
    unit: &'static str,
}

impl Target {
    fn is_met(&self) -> bool {
        match self.limit {
            Limit::AtMost(most) => self.measured <= most,
            Limit::AtLeast(least) => self.measured >= least,
        }
    }

    fn cells(&self) -> [String; 4] {
        let (sign, limit) = match self.limit {
            Limit::AtMost(most) => ('≤', most),
            Limit::AtLeast(least) => ('≥', least),
        };
        let unit = self.unit;
        let (measured, met) = if self.measured.is_nan() {
            ("not measured".to_owned(), "")
        } else {
            (format!("{}{unit}", figure(self.measured)), if self.is_met() { "met" } else { "**not met**" })
        };
        [self.what.clone(), measured, format!("{sign} {}{unit}", figure(limit)), met.to_owned()]
    }
}

/// A figure with as many places as say something.
fn figure(figure: f64) -> String {
    match figure {
        _ if figure.fract() == 0.0 || figure >= 100.0 => format!("{figure:.0}"),
        _ => format!("{figure:.2}"),
    }
}

/// Everything that a run has found out so far, in Markdown.
#[derive(Debug, Default)]
pub(super) struct Report {
    text: String,
    targets: Vec<Target>,
}

impl Report {
    /// Adds a table or a sentence, and shows it.
    pub(super) fn add(&mut self, part: &str) {
        say(part);
        self.text.push_str(part);
        self.text.push('\n');
    }

    /// Adds what was measured of a target; of a ratio there is no unit.
    pub(super) fn target(
        &mut self,
        what: impl Into<String>,
        measured: f64,
        limit: Limit,
        unit: &'static str,
    ) {
        self.targets.push(Target { what: what.into(), measured, limit, unit });
    }

    /// All of it, with a table of the targets below.
    pub(super) fn text(mut self) -> String {
        if self.targets.is_empty() {
            return self.text;
        }
        let met = self.targets.iter().filter(|target| target.is_met()).count();
        let title = format!("targets: {met} of {} met", self.targets.len());
        let mut table = Table::new(&title, &["what", "measured", "target", "met"]);
        for target in &self.targets {
            table.row(&target.cells());
        }
        let table = table.text();
        self.add(&table);
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_met_on_its_own_side_of_the_limit_and_what_was_not_measured_is_said() {
        let mut report = Report::default();
        report.target("a", 1.3, Limit::AtMost(1.35), "");
        report.target("b", 2.9, Limit::AtLeast(3.0), " ×");
        report.target("c", f64::NAN, Limit::AtMost(4.0), " ms");
        let text = report.text();
        assert!(text.contains("1 of 3 met"), "{text}");
        assert!(text.contains("| a | 1.30 | ≤ 1.35 | met |"), "{text}");
        assert!(text.contains("| b | 2.90 × | ≥ 3 × | **not met** |"), "{text}");
        assert!(text.contains("| c | not measured | ≤ 4 ms |  |"), "{text}");
    }
}
