//! What does not arrive, and who is told.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::{OTelSdkError, OTelSdkResult};
use opentelemetry_sdk::metrics::Temporality;
use opentelemetry_sdk::metrics::data::ResourceMetrics;
use opentelemetry_sdk::metrics::exporter::PushMetricExporter;
use opentelemetry_sdk::trace::{SpanData, SpanExporter};

/// Why traces or metrics do not arrive. What was to be sent is lost; the program goes on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unsent {
    /// Nobody answers at the collector's address.
    #[error("the collector at {collector} cannot be reached")]
    Unreachable {
        /// Its address, without a user, a password and a query.
        collector: String,
    },
    /// The collector answers, and does not take them.
    #[error("the collector at {collector} answers with HTTP status {status}")]
    Refused {
        /// Its address, without a user, a password and a query.
        collector: String,
        /// The status of its answer.
        status: u16,
    },
    /// The collector does not answer in time.
    #[error("the collector at {collector} has not answered within {} ms", .after.as_millis())]
    Late {
        /// Its address, without a user, a password and a query.
        collector: String,
        /// For how long it was waited for.
        after: Duration,
    },
    /// The exporter has a reason of its own.
    #[error("nothing is sent to the collector at {collector}: {reason}")]
    Exporter {
        /// Its address, without a user, a password and a query.
        collector: String,
        /// What the exporter says.
        reason: String,
    },
}

/// Who is told of the first thing that did not arrive. Of those after it nobody is told: a collector that is away is away.
#[derive(Clone)]
pub(super) struct Complaint {
    collector: Arc<str>,
    /// For how long an answer is waited for.
    patience: Duration,
    hear: Option<fn(&Unsent)>,
    told: Arc<AtomicBool>,
}

impl fmt::Debug for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Complaint").field("collector", &self.collector).finish_non_exhaustive()
    }
}

impl Complaint {
    pub(super) fn new(collector: &str, patience: Duration, hear: Option<fn(&Unsent)>) -> Self {
        Self { collector: harmless(collector).into(), patience, hear, told: Arc::default() }
    }

    /// What the exporter says of something that it has sent.
    pub(super) fn of(&self, outcome: &OTelSdkResult) {
        match outcome {
            Ok(()) | Err(OTelSdkError::AlreadyShutdown) => {}
            Err(OTelSdkError::Timeout(_)) => self.late(),
            Err(OTelSdkError::InternalFailure(words)) => self.tell(&self.understood(words)),
        }
    }

    /// It takes too long.
    pub(super) fn late(&self) {
        self.tell(&Unsent::Late { collector: self.collector.to_string(), after: self.patience });
    }

    fn tell(&self, unsent: &Unsent) {
        if let Some(hear) = self.hear
            && !self.told.swap(true, Relaxed)
        {
            hear(unsent);
        }
    }

    /// The exporter has words alone, in which what matters is found; all of them are told where it is not.
    fn understood(&self, words: &str) -> Unsent {
        let collector = self.collector.to_string();
        let status = words.rsplit_once("status code: ").and_then(|(_, status)| status.trim().parse().ok());
        match status {
            Some(status) => Unsent::Refused { collector, status },
            None if words.contains("network error") => Unsent::Unreachable { collector },
            None => Unsent::Exporter { collector, reason: words.to_owned() },
        }
    }
}

/// An address without a user, a password and a query.
fn harmless(address: &str) -> String {
    let address = address.split(['?', '#']).next().unwrap_or_default();
    let Some((scheme, rest)) = address.split_once("://") else { return address.to_owned() };
    let (authority, path) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
    let host = authority.rsplit('@').next().unwrap_or_default();
    format!("{scheme}://{host}{path}")
}

/// An exporter whose failures are told.
#[derive(Debug)]
pub(super) struct Watched<E> {
    pub(super) exporter: E,
    pub(super) complaint: Complaint,
}

impl<E: SpanExporter> SpanExporter for Watched<E> {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        let outcome = self.exporter.export(batch).await;
        self.complaint.of(&outcome);
        outcome
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.exporter.shutdown_with_timeout(timeout)
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.exporter.force_flush()
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.exporter.set_resource(resource);
    }
}

impl<E: PushMetricExporter> PushMetricExporter for Watched<E> {
    async fn export(&self, metrics: &ResourceMetrics) -> OTelSdkResult {
        let outcome = self.exporter.export(metrics).await;
        self.complaint.of(&outcome);
        outcome
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.exporter.force_flush()
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.exporter.shutdown_with_timeout(timeout)
    }

    fn temporality(&self) -> Temporality {
        self.exporter.temporality()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn an_address_is_told_without_its_secrets() {
        for (address, told) in [
            ("http://127.0.0.1:4318", "http://127.0.0.1:4318"),
            ("https://me:s3cret@example.org/otlp?key=s3cret", "https://example.org/otlp"),
            ("https://example.org/a@b#c", "https://example.org/a@b"),
        ] {
            assert_eq!(harmless(address), told);
        }
    }

    #[test]
    fn the_first_failure_is_told_in_words_and_no_other() {
        static HEARD: Mutex<Vec<String>> = Mutex::new(Vec::new());
        let hear = |unsent: &Unsent| HEARD.lock().expect("nobody panics").push(unsent.to_string());
        let failed = |words: &str| Err(OTelSdkError::InternalFailure(words.to_owned()));
        for (outcome, told) in [
            (failed("HTTP export failed: network error"), "the collector at http://a cannot be reached"),
            (
                failed("HTTP export failed with status code: 404"),
                "the collector at http://a answers with HTTP status 404",
            ),
            (failed("x"), "nothing is sent to the collector at http://a: x"),
            (
                Err(OTelSdkError::Timeout(Duration::ZERO)),
                "the collector at http://a has not answered within 700 ms",
            ),
        ] {
            let complaint = Complaint::new("http://a", Duration::from_millis(700), Some(hear));
            complaint.of(&Ok(()));
            complaint.of(&outcome);
            complaint.late();
            assert_eq!(HEARD.lock().expect("nobody panics").drain(..).collect::<Vec<_>>(), [told]);
        }
    }
}
