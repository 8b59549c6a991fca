//! What is exported, and whereto.

use std::env;
use std::time::Duration;

use super::Unsent;

/// How long an answer of the collector is waited for where nobody says otherwise: OpenTelemetry's own default.
const PATIENCE: Duration = Duration::from_secs(10);

/// Where a collector is where nobody says otherwise: OpenTelemetry's own default.
const USUAL: &str = "http://localhost:4318";

/// What is exported, and whereto. Everything else is as the `OTEL_*` variables say, by OpenTelemetry's own rules: headers,
/// time limits, samplers, batches, attributes of the resource.
#[derive(Clone, Debug)]
pub struct Settings {
    /// What the process is called where nothing else is said.
    pub(super) service: String,
    pub(super) version: String,
    /// The collector, in place of what the environment says.
    pub(super) endpoint: Option<String>,
    pub(super) traces: bool,
    pub(super) metrics: bool,
    /// The collectors that the environment names for traces and for metrics.
    named: [Option<String>; 2],
    /// How long an answer may take, as the environment says, for traces and for metrics.
    limits: [Option<Duration>; 2],
    /// The same, where the environment says nothing.
    pub(super) patience: Duration,
    /// Whether what could not be sent is tried again.
    pub(super) repeats: bool,
    /// Who is told of the first thing that does not arrive.
    pub(super) hear: Option<fn(&Unsent)>,
}

/// What is exported.
#[derive(Clone, Copy, Debug)]
pub(super) enum Signal {
    Traces,
    Metrics,
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
        // That of the signal counts before the one for all.
        let of = |signal: &str, what: &str| {
            [format!("OTEL_EXPORTER_OTLP_{signal}_{what}"), format!("OTEL_EXPORTER_OTLP_{what}")]
                .iter()
                .find_map(|name| variable(name).filter(|text| !text.is_empty()))
        };
        let limit = |signal: &str| of(signal, "TIMEOUT")?.trim().parse().ok().map(Duration::from_millis);
        Self {
            service,
            version,
            endpoint: None,
            traces,
            metrics,
            named: ["TRACES", "METRICS"].map(|signal| of(signal, "ENDPOINT")),
            limits: ["TRACES", "METRICS"].map(limit),
            patience: PATIENCE,
            repeats: true,
            hear: None,
        }
    }

    /// Exports both to this collector, such as `http://127.0.0.1:4318`, whatever the environment says of collectors.
    #[must_use]
    pub fn to(mut self, endpoint: impl Into<String>) -> Self {
        self.endpoint = Some(endpoint.into());
        (self.traces, self.metrics) = (true, true);
        self
    }

    /// How long an answer of the collector is waited for where `OTEL_EXPORTER_OTLP_TIMEOUT`, or that for traces or metrics,
    /// does not say it; 10 s if nobody does.
    #[must_use]
    pub const fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// For a program that ends soon: the same, and what could not be sent is not tried again.
    #[must_use]
    pub const fn once(mut self, patience: Duration) -> Self {
        self.repeats = false;
        self.patience(patience)
    }

    /// Has somebody told of the first thing that does not arrive, from a thread of the exporter or from
    /// [`finish`](super::Exporting::finish). OpenTelemetry's own words about it are events whose targets begin with
    /// `opentelemetry`.
    #[must_use]
    pub const fn on_unsent(mut self, hear: fn(&Unsent)) -> Self {
        self.hear = Some(hear);
        self
    }

    /// How long an answer may take.
    pub(super) fn limit(&self, signal: Signal) -> Duration {
        let [traces, metrics] = self.limits;
        let said = match signal {
            Signal::Traces => traces,
            Signal::Metrics => metrics,
        };
        said.unwrap_or(self.patience)
    }

    /// The collector, to be told of.
    pub(super) fn collector(&self, signal: Signal) -> &str {
        let [traces, metrics] = &self.named;
        let named = match signal {
            Signal::Traces => traces,
            Signal::Metrics => metrics,
        };
        self.endpoint.as_deref().or(named.as_deref()).unwrap_or(USUAL)
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

    fn settings(variables: &[(&str, &str)]) -> Settings {
        Settings::from_variables("s".to_owned(), "1".to_owned(), |name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        })
    }

    fn wanted(variables: &[(&str, &str)]) -> (bool, bool) {
        let settings = settings(variables);
        (settings.traces, settings.metrics)
    }

    #[test]
    fn the_environment_says_how_long_an_answer_may_take_before_anybody_else() {
        let limits = |variables: &[(&str, &str)]| {
            let settings = settings(variables).once(Duration::from_secs(1));
            [Signal::Traces, Signal::Metrics].map(|signal| settings.limit(signal).as_millis())
        };
        assert_eq!(limits(&[]), [1000, 1000]);
        assert_eq!(limits(&[("OTEL_EXPORTER_OTLP_TIMEOUT", "soon")]), [1000, 1000]);
        let for_all = ("OTEL_EXPORTER_OTLP_TIMEOUT", "300");
        assert_eq!(limits(&[for_all, ("OTEL_EXPORTER_OTLP_METRICS_TIMEOUT", "70")]), [300, 70]);
        assert_eq!(settings(&[]).limit(Signal::Traces), Duration::from_secs(10));
    }

    #[test]
    fn the_collector_that_is_told_of_is_the_one_that_is_sent_to() {
        let named = settings(&[
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://a"),
            ("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "http://b/x"),
        ]);
        assert_eq!(
            [Signal::Traces, Signal::Metrics].map(|it| named.collector(it)),
            ["http://a", "http://b/x"]
        );
        assert_eq!(named.to("http://c").collector(Signal::Metrics), "http://c");
        assert_eq!(settings(&[]).collector(Signal::Traces), "http://localhost:4318");
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
