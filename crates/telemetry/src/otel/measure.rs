//! Durations as metrics.

use std::sync::OnceLock;

use opentelemetry::KeyValue;
use opentelemetry::metrics::{Histogram, MeterProvider as _};
use opentelemetry_sdk::metrics::SdkMeterProvider;

use super::exporting::SCOPE;
use crate::export::Measured;
use crate::histogram;
use crate::names::{self, Kind, attribute as at};

static INSTRUMENTS: OnceLock<Vec<(&'static str, Histogram<f64>)>> = OnceLock::new();

/// Makes an instrument of every measurement in the table.
pub(super) fn begin(provider: &SdkMeterProvider) {
    let meter = provider.meter(SCOPE);
    let rows = names::ALL.iter().filter(|row| row.kind == Kind::Measurement);
    let instruments = rows.map(|row| {
        let histogram = meter.f64_histogram(row.name).with_unit("s").with_description(row.meaning.trim());
        (row.name, histogram.with_boundaries(histogram::bounds().collect()).build())
    });
    // A process exports once.
    let _ = INSTRUMENTS.set(instruments.collect());
}

pub(super) fn measured(measured: &Measured<'_>) {
    let instruments = INSTRUMENTS.get().into_iter().flatten();
    let Some((_, histogram)) = instruments.into_iter().find(|(name, _)| *name == measured.name) else {
        return;
    };
    let mut said = Vec::with_capacity(8);
    let mut say = |key: &'static str, text: Option<&str>| {
        said.extend(text.map(|text| KeyValue::new(key, text.to_owned())));
    };
    say(at::METHOD, measured.method);
    say(at::TOOL, measured.tool);
    say(at::PROMPT, measured.prompt);
    say(at::OPERATION, measured.tool.map(|_| "execute_tool"));
    say(at::REVISION, measured.revision);
    say(at::ERROR, measured.error);
    say(at::STATUS_CODE, measured.code.map(|code| code.to_string()).as_deref());
    say(at::TRANSPORT, measured.transport);
    say(at::PROTOCOL, measured.protocol);
    say(at::SERVER_ADDRESS, measured.server_address);
    said.extend(measured.server_port.map(|port| KeyValue::new(at::SERVER_PORT, i64::from(port))));
    histogram.record(measured.duration.as_secs_f64(), &said);
}
