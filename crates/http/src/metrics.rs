//! The accounts of an endpoint, in the text format of Prometheus.

use std::fmt::Write as _;

use hermes_server::endpoint::Metrics;

/// The media type of the text.
pub(crate) const MEDIA_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Writes the accounts down.
pub(crate) fn text(metrics: &Metrics) -> String {
    let mut out = String::new();
    let mut line = |name: &str, help: &str, kind: &str, value: u64| {
        // Writing to a string does not fail.
        let _ = writeln!(out, "# HELP {name} {}\n# TYPE {name} {kind}\n{name} {value}", help.trim());
    };
    for (name, help, value) in metrics.counters() {
        line(&format!("hermes_{name}_total"), help, "counter", value);
    }
    line("hermes_sessions", "Sessions that are open now.", "gauge", metrics.sessions);
    line("hermes_running", "Requests that were accepted and have no outcome yet.", "gauge", metrics.running);
    line("hermes_held_bytes", "Bytes of messages that wait for clients now.", "gauge", metrics.held_bytes);
    out
}
