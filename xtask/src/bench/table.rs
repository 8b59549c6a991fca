//! Tables in Markdown.

use std::fmt::Write as _;

/// A table under construction; all columns but the first are numbers.
#[derive(Debug)]
pub(super) struct Table(String);

impl Table {
    pub(super) fn new(title: &str, columns: &[&str]) -> Self {
        let mut text = format!("### {title}\n\n| {} |\n|---", columns.join(" | "));
        for _ in columns.iter().skip(1) {
            text.push_str("|---:");
        }
        text.push_str("|\n");
        Self(text)
    }

    pub(super) fn row(&mut self, cells: &[String]) {
        // Writing into a text does not fail.
        let _ = writeln!(self.0, "| {} |", cells.join(" | "));
    }

    pub(super) fn text(self) -> String {
        self.0
    }
}

/// The middle one of some figures; not a number of none.
pub(super) fn median(figures: impl IntoIterator<Item = f64>) -> f64 {
    let mut figures: Vec<f64> = figures.into_iter().collect();
    figures.sort_by(f64::total_cmp);
    let middle = figures.len() / 2;
    let at = |index: usize| figures.get(index).copied().unwrap_or(f64::NAN);
    if figures.len() % 2 == 1 { at(middle) } else { f64::midpoint(at(middle.wrapping_sub(1)), at(middle)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle_whatever_the_order() {
        assert_eq!(median([3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median([4.0, 1.0, 2.0, 3.0]), 2.5);
        assert!(median([]).is_nan());
    }

    #[test]
    fn a_table_has_a_rule_below_its_head() {
        let mut table = Table::new("T", &["a", "b"]);
        table.row(&["x".to_owned(), "1".to_owned()]);
        assert_eq!(table.text(), "### T\n\n| a | b |\n|---|---:|\n| x | 1 |\n");
    }
}
