//! Between spans and what messages carry.

use opentelemetry::Context;
use opentelemetry::propagation::{Extractor, Injector, TextMapPropagator};
use opentelemetry::trace::TraceContextExt as _;
use opentelemetry_sdk::propagation::{BaggagePropagator, TraceContextPropagator};
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt as _;

use crate::carried::{Carried, KEYS};

/// What a message carries, as OpenTelemetry reads and writes it.
struct Bag(Carried);

impl Extractor for Bag {
    fn get(&self, key: &str) -> Option<&str> {
        self.0.entries().find(|(known, _)| *known == key).map(|(_, text)| text)
    }

    fn keys(&self) -> Vec<&str> {
        KEYS.to_vec()
    }
}

impl Injector for Bag {
    fn set(&mut self, key: &str, value: String) {
        // An empty state is no state.
        if value.is_empty() {
            return;
        }
        match key {
            "traceparent" => self.0.traceparent = Some(value),
            "tracestate" => self.0.tracestate = Some(value),
            "baggage" => self.0.baggage = Some(value),
            _ => {}
        }
    }
}

/// The span gets the parent that the message names; where it stood before becomes a link.
pub(super) fn adopt(span: &Span, carried: Carried) {
    let bag = Bag(carried);
    let parent = TraceContextPropagator::new().extract_with_context(&Context::new(), &bag);
    if !parent.span().span_context().is_valid() {
        return;
    }
    let parent = BaggagePropagator::new().extract_with_context(&parent, &bag);
    let around = Span::current().context();
    let around = around.span().span_context().clone();
    if around.is_valid() && around.trace_id() != parent.span().span_context().trace_id() {
        span.add_link(around);
    }
    // It was made a moment ago and not entered, so it takes a parent; without the layer there is nothing to give one to.
    let _ = span.set_parent(parent);
}

/// What a message carries that the span causes.
pub(super) fn carry(span: &Span) -> Carried {
    let context = span.context();
    let mut bag = Bag(Carried::default());
    if context.span().span_context().is_valid() {
        TraceContextPropagator::new().inject_context(&context, &mut bag);
        BaggagePropagator::new().inject_context(&context, &mut bag);
    }
    bag.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bag_gives_what_was_put_in() {
        let mut bag = Bag(Carried::default());
        bag.set("traceparent", "p".to_owned());
        bag.set("tracestate", String::new());
        bag.set("other", "x".to_owned());
        assert_eq!(
            (bag.get("traceparent"), bag.get("tracestate"), bag.get("other")),
            (Some("p"), None, None)
        );
    }
}
