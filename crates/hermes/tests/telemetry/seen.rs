//! A subscriber that keeps everything it is told.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::{Context, SubscriberExt as _};
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt as _;

/// A limit for what goes wrong; nothing waits so long.
const PATIENCE: Duration = Duration::from_secs(20);

/// A span or an event.
#[derive(Clone, Debug)]
pub(crate) struct Told {
    pub(crate) name: &'static str,
    pub(crate) target: &'static str,
    pub(crate) level: Level,
    pub(crate) is_span: bool,
    /// The names of its members, but for the text of the line.
    pub(crate) members: BTreeSet<&'static str>,
    /// What they say, with the text of the line.
    pub(crate) values: Vec<String>,
}

/// Everything that the process is told.
#[derive(Clone, Default)]
pub(crate) struct Seen(Arc<(Mutex<Vec<Told>>, Condvar)>);

impl Seen {
    /// Begins to see everything, from here on.
    pub(crate) fn begin() -> Self {
        let seen = Self::default();
        tracing_subscriber::registry().with(seen.clone()).init();
        seen
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Told>> {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn all(&self) -> Vec<Told> {
        self.lock().clone()
    }

    /// Waits until something of this name, with this among its values, is told so many times.
    pub(crate) fn wait(&self, name: &str, value: &str, times: usize) {
        let all = self.lock();
        let is_it = |told: &&Told| told.name == name && told.values.iter().any(|said| said.contains(value));
        let is_missing = |all: &mut Vec<Told>| all.iter().filter(is_it).count() < times;
        let (_all, waited) =
            self.0.1.wait_timeout_while(all, PATIENCE, is_missing).unwrap_or_else(PoisonError::into_inner);
        assert!(!waited.timed_out(), "{name} was not told");
    }

    fn add(&self, metadata: &'static Metadata<'static>, values: Vec<String>) {
        let members = metadata.fields().iter().map(|field| field.name()).filter(|name| *name != "message");
        self.lock().push(Told {
            name: metadata.name(),
            target: metadata.target(),
            level: *metadata.level(),
            is_span: metadata.is_span(),
            members: members.collect(),
            values,
        });
        self.0.1.notify_all();
    }
}

#[derive(Default)]
struct Values(Vec<String>);

impl Visit for Values {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.push(format!("{}={value:?}", field.name()));
    }
}

impl<S: Subscriber + for<'span> LookupSpan<'span>> Layer<S> for Seen {
    fn on_new_span(&self, attributes: &Attributes<'_>, _: &Id, _: Context<'_, S>) {
        let mut values = Values::default();
        attributes.record(&mut values);
        self.add(attributes.metadata(), values.0);
    }

    fn on_record(&self, id: &Id, record: &Record<'_>, context: Context<'_, S>) {
        let mut values = Values::default();
        record.record(&mut values);
        if let Some(span) = context.span(id) {
            self.add(span.metadata(), values.0);
        }
    }

    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut values = Values::default();
        event.record(&mut values);
        self.add(event.metadata(), values.0);
    }
}
