//! What is exported, and whereto.

use std::env;

/// What is exported, and whereto. Everything else is as the `OTEL_*` variables say, by OpenTelemetry's own rules: headers,
/// time limits, samplers, batches, attributes of the resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// What the process is called where nothing else is said.
    pub(super) service: String,
    pub(super) version: String,
    /// The collector, in place of what the environment says.
    pub(super) endpoint: Option<String>,
    pub(super) traces: bool,
    pub(super) metrics: bool,
}

impl Settings {
    /// What the environment says.
    ///
    /// Nothing is exported unless it names a collector (`OTEL_EXPORTER_OTLP_ENDPOINT`, or that for traces or metrics) or an
    /// exporter (`OTEL_TRACES_EXPORTER`, `OTEL_METRICS_EXPORTER`: `otlp`). `none` there, and `OTEL_SDK_DISABLED=true`,
    /// switch off.
    #[must_use]
    pub fn from_environment(service: impl Into<String>, version: impl Into<String>) -> Self {
        Self::from_variables(service.into(), version.into(), |name| env::var(name).ok())
    }

    fn from_variables(service: String, version: String, variable: impl Fn(&str) -> Option<String>) -> Self {
        let is =
            |name: &str, value: &str| variable(name).is_some_and(|text| text.eq_ignore_ascii_case(value));
        let is_there = |name: &str| variable(name).is_some_and(|text| !text.is_empty());
        let is_off = is("OTEL_SDK_DISABLED", "true");
        let wants = |signal: &str| {
            let exporter = format!("OTEL_{signal}_EXPORTER");
            let is_named = is_there("OTEL_EXPORTER_OTLP_ENDPOINT")
                || is_there(&format!("OTEL_EXPORTER_OTLP_{signal}_ENDPOINT"))
                || is(&exporter, "otlp");
            is_named && !is(&exporter, "none") && !is_off
        };
        let (traces, metrics) = (wants("TRACES"), wants("METRICS"));
        Self { service, version, endpoint: None, traces, metrics }
    }

    /// Exports both to this collector, such as `http://127.0.0.1:4318`, whatever the environment says of collectors.
    #[must_use]
    pub fn to(mut self, endpoint: impl Into<String>) -> Self {
        self.endpoint = Some(endpoint.into());
        (self.traces, self.metrics) = (true, true);
        self
    }

    /// Whether anything is exported.
    #[must_use]
    pub const fn exports(&self) -> bool {
        self.traces || self.metrics
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(variables: &[(&str, &str)]) -> (bool, bool) {
        let settings = Settings::from_variables("s".to_owned(), "1".to_owned(), |name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        });
        (settings.traces, settings.metrics)
    }

    #[test]
    fn nothing_is_exported_unless_somebody_asks() {
        assert_eq!(wanted(&[]), (false, false));
        assert_eq!(wanted(&[("OTEL_SERVICE_NAME", "x")]), (false, false));
        assert_eq!(wanted(&[("OTEL_EXPORTER_OTLP_ENDPOINT", "")]), (false, false));
    }

    #[test]
    fn a_collector_or_an_exporter_asks() {
        let endpoint = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4318");
        assert_eq!(wanted(&[endpoint]), (true, true));
        assert_eq!(wanted(&[("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://a/")]), (true, false));
        assert_eq!(wanted(&[("OTEL_METRICS_EXPORTER", "otlp")]), (false, true));
        assert_eq!(wanted(&[endpoint, ("OTEL_METRICS_EXPORTER", "none")]), (true, false));
        assert_eq!(wanted(&[endpoint, ("OTEL_SDK_DISABLED", "true")]), (false, false));
    }
}
