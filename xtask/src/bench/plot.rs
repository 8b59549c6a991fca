//! Plots as SVG: a curve or two over an axis that grows tenfold from mark to mark.

use std::fmt::Write as _;

/// The picture, in pixels, and what is left around the curves.
const SIZE: (f64, f64) = (640.0, 360.0);
const LEFT: f64 = 70.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 50.0;

/// Colours that can be told apart, also by those who see few.
const COLOURS: [&str; 4] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7"];

/// What belongs together in one picture.
#[derive(Clone, Debug)]
pub(super) struct Plot {
    /// What is above it.
    pub(super) title: String,
    /// What grows, to the right.
    pub(super) across: String,
    /// What is measured, upwards.
    pub(super) up: String,
    /// The curves: a name and its points.
    pub(super) curves: Vec<(String, Vec<(f64, f64)>)>,
}

/// From a figure to its place between two ends, both on a logarithmic axis.
#[derive(Clone, Copy)]
struct Axis {
    least: f64,
    most: f64,
}

impl Axis {
    /// Whole powers of ten around these figures.
    fn around(figures: impl Iterator<Item = f64>) -> Self {
        let (least, most) = figures
            .filter(|figure| *figure > 0.0)
            .fold((f64::INFINITY, 0.0_f64), |(least, most), figure| (least.min(figure), most.max(figure)));
        let (least, most) = if least > most { (1.0, 10.0) } else { (least, most) };
        let (least, most) = (least.log10().floor(), most.log10().ceil());
        Self { least, most: most.max(least + 1.0) }
    }

    fn place(self, figure: f64) -> f64 {
        (figure.max(f64::MIN_POSITIVE).log10() - self.least) / (self.most - self.least)
    }

    fn marks(self) -> impl Iterator<Item = f64> {
        let count = (self.most - self.least).round() as u32;
        (0..=count).map(move |step| 10_f64.powf(self.least + f64::from(step)))
    }
}

impl Plot {
    /// The picture.
    pub(super) fn svg(&self) -> String {
        let points = || self.curves.iter().flat_map(|(_, points)| points.iter().copied());
        let (across, up) = (Axis::around(points().map(|it| it.0)), Axis::around(points().map(|it| it.1)));
        let (width, height) = SIZE;
        let x = |figure: f64| LEFT + across.place(figure) * (width - LEFT - RIGHT);
        let y = |figure: f64| height - BOTTOM - up.place(figure) * (height - TOP - BOTTOM);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" \
             font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
        );
        let mut text = |x: f64, y: f64, anchor: &str, colour: &str, words: &str| {
            // Writing into a text does not fail.
            let _ = writeln!(
                svg,
                "<text x=\"{x:.0}\" y=\"{y:.0}\" text-anchor=\"{anchor}\" fill=\"{colour}\">{words}</text>"
            );
        };
        text(width / 2.0, 20.0, "middle", "black", &self.title);
        let across_words = format!("{} (both axes are logarithmic)", self.across);
        text(width / 2.0, height - 10.0, "middle", "black", &across_words);
        text(8.0, TOP - 10.0, "start", "black", &self.up);
        for mark in across.marks() {
            text(x(mark), height - BOTTOM + 18.0, "middle", "#555", &short(mark));
        }
        for mark in up.marks() {
            text(LEFT - 6.0, y(mark) + 4.0, "end", "#555", &short(mark));
        }
        for ((name, _), (number, colour)) in self.curves.iter().zip(COLOURS.iter().cycle().enumerate()) {
            // On the left: what grows ends on the right.
            text(LEFT + 8.0, TOP + 14.0 * (number + 1) as f64, "start", colour, name);
        }
        for mark in up.marks() {
            let (left, right, at) = (LEFT, width - RIGHT, y(mark));
            let _ = writeln!(
                svg,
                "<line x1=\"{left}\" x2=\"{right}\" y1=\"{at:.1}\" y2=\"{at:.1}\" stroke=\"#ddd\"/>"
            );
        }
        for ((_, points), colour) in self.curves.iter().zip(COLOURS.iter().cycle()) {
            let line: Vec<_> = points.iter().map(|(a, b)| format!("{:.1},{:.1}", x(*a), y(*b))).collect();
            let _ = writeln!(
                svg,
                "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
                line.join(" ")
            );
            for (a, b) in points {
                let _ = writeln!(
                    svg,
                    "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"3\" fill=\"{colour}\"/>",
                    x(*a),
                    y(*b)
                );
            }
        }
        svg.push_str("</svg>\n");
        svg
    }
}

/// A power of ten in few letters.
fn short(figure: f64) -> String {
    match figure {
        _ if figure >= 1e6 => format!("{:.0}M", figure / 1e6),
        _ if figure >= 1e3 => format!("{:.0}k", figure / 1e3),
        _ if figure >= 1.0 => format!("{figure:.0}"),
        _ => format!("{figure}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flat_curve_is_level_and_a_steep_one_rises() {
        let curve = |name: &str, points: &[(f64, f64)]| (name.to_owned(), points.to_vec());
        let plot = Plot {
            title: "T".to_owned(),
            across: "tools".to_owned(),
            up: "µs".to_owned(),
            curves: vec![
                curve("flat", &[(1.0, 20.0), (100.0, 20.0)]),
                curve("steep", &[(1.0, 10.0), (100.0, 1000.0)]),
            ],
        };
        let svg = plot.svg();
        assert!(svg.contains("points=\"70.0,269.4 620.0,269.4\""), "{svg}");
        assert!(svg.contains("points=\"70.0,310.0 620.0,40.0\""), "{svg}");
    }
}
