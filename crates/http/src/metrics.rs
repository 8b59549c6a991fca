//! The accounts of an endpoint, in the text format of Prometheus.

use std::fmt::Write as _;

use hermes_server::endpoint::Metrics;
use hermes_telemetry::histogram::{Shape, bounds};
use hermes_telemetry::timings::{Outcome, Reading, Timings};

/// The media type of the text.
pub(crate) const MEDIA_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Writes the accounts down.
pub(crate) fn text(metrics: &Metrics, timings: &Timings) -> String {
    let mut out = String::new();
    let mut line = |name: &str, help: &str, kind: &str, value: u64| {
        family(&mut out, name, help, kind);
        sample(&mut out, name, "", value);
    };
    for (name, help, value) in metrics.counters() {
        line(&format!("hermes_{name}_total"), help, "counter", value);
    }
    line("hermes_sessions", "Sessions that are open now.", "gauge", metrics.sessions);
    line("hermes_running", "Requests that were accepted and have no outcome yet.", "gauge", metrics.running);
    line("hermes_held_bytes", "Bytes of messages that wait for clients now.", "gauge", metrics.held_bytes);
    durations(&mut out, timings);
    out
}

fn durations(out: &mut String, timings: &Timings) {
    let readings = timings.readings();
    let name = "hermes_operations_total";
    family(out, name, "Requests that ended, by method, tool and outcome.", "counter");
    for reading in &readings {
        for (outcome, count) in reading.outcomes.iter().filter(|(_, count)| *count > 0) {
            sample(out, name, &outcome_labels(reading, *outcome), *count);
        }
    }
    let name = "hermes_operation_duration_seconds";
    family(out, name, "How long requests took, from their arrival to their outcome.", "histogram");
    for reading in &readings {
        histogram(out, name, &labels(reading), &reading.durations);
    }
    let name = "hermes_session_duration_seconds";
    family(out, name, "How long sessions lasted that have ended.", "histogram");
    histogram(out, name, "", &timings.sessions().shape());
}

fn outcome_labels(reading: &Reading, outcome: Outcome) -> String {
    format!("{},outcome=\"{}\"", labels(reading), outcome.as_str())
}

/// Labels whose values are few: methods of the protocol, and tools that exist.
fn labels(reading: &Reading) -> String {
    let tool = reading.tool.as_deref().map(escaped).unwrap_or_default();
    format!("method=\"{}\",tool=\"{tool}\"", reading.method)
}

/// What the format wants written otherwise in the value of a label.
fn escaped(value: &str) -> String {
    value.replace('\\', r"\\").replace('"', "\\\"").replace('\n', r"\n")
}

fn histogram(out: &mut String, name: &str, labels: &str, shape: &Shape) {
    let bounds = bounds().map(|bound| bound.to_string()).chain(["+Inf".to_owned()]);
    let with = if labels.is_empty() { String::new() } else { format!("{labels},") };
    for (bound, count) in bounds.zip(&shape.cumulative) {
        sample(out, &format!("{name}_bucket"), &format!("{with}le=\"{bound}\""), *count);
    }
    sample(out, &format!("{name}_sum"), labels, shape.sum.as_secs_f64());
    sample(out, &format!("{name}_count"), labels, shape.count());
}

fn family(out: &mut String, name: &str, help: &str, kind: &str) {
    // Writing to a string does not fail.
    let _ = writeln!(out, "# HELP {name} {}\n# TYPE {name} {kind}", help.trim());
}

fn sample(out: &mut String, name: &str, labels: &str, value: impl std::fmt::Display) {
    let _ = match labels {
        "" => writeln!(out, "{name} {value}"),
        labels => writeln!(out, "{name}{{{labels}}} {value}"),
    };
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_tool_has_its_durations_and_its_outcomes() {
        let timings = Timings::default();
        timings.tool("say \"hi\"").1.record(Outcome::ToolError, Duration::from_millis(3));
        let text = text(&Metrics::default(), &timings);
        for line in [
            "# TYPE hermes_operation_duration_seconds histogram",
            r#"hermes_operations_total{method="tools/call",tool="say \"hi\"",outcome="tool_error"} 1"#,
            r#"hermes_operation_duration_seconds_bucket{method="tools/call",tool="say \"hi\"",le="0.002"} 0"#,
            r#"hermes_operation_duration_seconds_bucket{method="tools/call",tool="say \"hi\"",le="0.005"} 1"#,
            r#"hermes_operation_duration_seconds_bucket{method="tools/call",tool="say \"hi\"",le="+Inf"} 1"#,
            r#"hermes_operation_duration_seconds_sum{method="tools/call",tool="say \"hi\""} 0.003"#,
            r#"hermes_session_duration_seconds_count 0"#,
        ] {
            assert!(text.lines().any(|it| it == line), "{line}\nis not in\n{text}");
        }
    }
}
