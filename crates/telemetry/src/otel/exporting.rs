//! From the first span to the last one that is sent.

use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use opentelemetry::KeyValue;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_otlp::{
    ExporterBuildError, MetricExporter, RetryPolicy, SpanExporter, WithExportConfig as _, WithHttpConfig as _,
};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::metrics::SdkMeterProvider;
use opentelemetry_sdk::trace::{SdkTracer, SdkTracerProvider};
use tracing::{Level, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::FilterFn;
use tracing_subscriber::registry::LookupSpan;

use super::settings::Signal;
use super::unsent::{Complaint, Watched};
use super::{Settings, measure, propagate};
use crate::export::Export;

/// Who instruments, to those who look at traces.
pub(super) const SCOPE: &str = "mcp-hermes";

/// Traces and metrics on their way out.
#[derive(Debug)]
#[must_use = "what was not sent yet is sent by `finish`"]
pub struct Exporting {
    traces: Option<SdkTracerProvider>,
    metrics: Option<SdkMeterProvider>,
    /// How long what is sent at the end may take.
    limit: Duration,
    complaint: Complaint,
}

/// Why nothing is exported.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CannotExport {
    /// What the environment or the settings say of the collector cannot be used.
    #[error("what is said of the OTLP collector cannot be used")]
    Settings(#[source] ExporterBuildError),
    /// This process exports already.
    #[error("this process exports traces and metrics already")]
    Already,
}

impl Exporting {
    /// Begins to export. Traces begin with the spans that go through [`layer`](Self::layer).
    ///
    /// Sends from threads of its own, over HTTP (protobuf). A process exports once.
    ///
    /// # Errors
    /// [`CannotExport`]: nothing is exported.
    pub fn start(settings: Settings) -> Result<Self, CannotExport> {
        let [of_traces, of_metrics] = [Signal::Traces, Signal::Metrics].map(|signal| settings.limit(signal));
        let limit = of_traces.max(of_metrics);
        let told = if settings.traces { Signal::Traces } else { Signal::Metrics };
        let complaint = Complaint::new(settings.collector(told), limit, settings.hear);
        let Settings { service, version, endpoint, traces, metrics, repeats, .. } = settings;
        // The exporter's client asks for the one of the process. Who has chosen one keeps it.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let resource = Resource::builder()
            .with_attribute(KeyValue::new("service.version", version))
            .with_service_name(std::env::var("OTEL_SERVICE_NAME").unwrap_or(service))
            .build();
        let place =
            |path: &str| endpoint.as_ref().map(|to| format!("{}/v1/{path}", to.trim_end_matches('/')));
        let retries = || if repeats { RetryPolicy::default() } else { RetryPolicy::disabled() };
        let traces = if traces {
            let exporter = SpanExporter::builder().with_http().with_retry_policy(retries());
            let exporter = exporter.with_timeout(of_traces);
            let exporter = match place("traces") {
                Some(place) => exporter.with_endpoint(place).build(),
                None => exporter.build(),
            };
            let exporter = exporter.map_err(CannotExport::Settings)?;
            let exporter = Watched { exporter, complaint: complaint.clone() };
            let provider = SdkTracerProvider::builder().with_resource(resource.clone());
            Some(provider.with_batch_exporter(exporter).build())
        } else {
            None
        };
        let metrics = if metrics {
            let exporter = MetricExporter::builder().with_http().with_retry_policy(retries());
            let exporter = exporter.with_timeout(of_metrics);
            let exporter = match place("metrics") {
                Some(place) => exporter.with_endpoint(place).build(),
                None => exporter.build(),
            };
            let exporter = exporter.map_err(CannotExport::Settings)?;
            let exporter = Watched { exporter, complaint: complaint.clone() };
            let provider = SdkMeterProvider::builder().with_resource(resource);
            Some(provider.with_periodic_exporter(exporter).build())
        } else {
            None
        };
        let exporting = Self { traces, metrics, limit, complaint };
        if let Some(metrics) = &exporting.metrics {
            measure::begin(metrics);
        }
        let export = Export { adopt: propagate::adopt, carry: propagate::carry, measured: measure::measured };
        if export.install() { Ok(exporting) } else { Err(CannotExport::Already) }
    }

    /// Takes spans out of a subscriber: those from `INFO` on, of Hermes and of everything else in the process.
    pub fn layer<S>(&self) -> Option<impl Layer<S> + use<S>>
    where
        S: Subscriber + for<'span> LookupSpan<'span>,
    {
        let tracer: SdkTracer = self.traces.as_ref()?.tracer(SCOPE);
        let layer = tracing_opentelemetry::layer()
            .with_tracer(tracer)
            .with_location(false)
            .with_threads(false)
            .with_tracked_inactivity(false)
            .with_level(false);
        // Events stay in the log. What the exporter itself does is below this level, so it cannot go round in circles.
        let spans = |metadata: &tracing::Metadata<'_>| metadata.is_span() && *metadata.level() <= Level::INFO;
        Some(layer.with_filter(FilterFn::new(spans)))
    }

    /// Sends what was not sent yet, for at most as long as one answer may take; then nothing is exported any more.
    ///
    /// Blocks: not to be called from within a runtime that has one thread only. A program that ends meanwhile loses what
    /// was not sent, and nothing else.
    pub fn finish(self) {
        let Self { traces, metrics, limit, complaint } = self;
        let (done, outcomes) = mpsc::channel();
        // Both at once, and each in a thread that may be left behind: the exporter's own limits are not all kept. They are
        // longer, so that it is told here when it takes too long.
        if let Some(traces) = traces {
            let done = done.clone();
            // That nobody listens any more means that it took too long, which is told.
            thread::spawn(move || drop(done.send(traces.shutdown_with_timeout(limit * 2))));
        }
        if let Some(metrics) = metrics {
            thread::spawn(move || drop(done.send(metrics.shutdown_with_timeout(limit * 2))));
        } else {
            drop(done);
        }
        let end = Instant::now() + limit;
        loop {
            match outcomes.recv_timeout(end.saturating_duration_since(Instant::now())) {
                // The exporter has told why something was not sent; what shutting it down says of it has less in it.
                Ok(_) => {}
                Err(mpsc::RecvTimeoutError::Timeout) => return complaint.late(),
                Err(mpsc::RecvTimeoutError::Disconnected) => return,
            }
        }
    }
}
