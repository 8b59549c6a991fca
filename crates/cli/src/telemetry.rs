//! The program's own log, and traces and metrics for a collector.

use std::io;

use hermes::telemetry::otel::{Exporting, Settings};
use hermes::telemetry::{Span, client, contents};
use tracing_subscriber::layer::{Layer as _, SubscriberExt as _};
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Registry, fmt};

use crate::args::{Flags, LogFormat, Verb};
use crate::exit::{Failure, Result, chain};
use crate::output::note;
use crate::render::{Screen, style};

/// What is told of the program's own work.
#[derive(Debug)]
pub(crate) struct Telemetry(Option<Exporting>);

impl Telemetry {
    /// Has the library log to standard error what `HERMES_LOG` or `RUST_LOG` asks for; warnings by default. Traces and
    /// metrics go where the flag or the `OTEL_*` variables say; without those, there are none.
    ///
    /// # Errors
    /// The collector's address cannot be used.
    pub(crate) fn begin(flags: &Flags) -> Result<Self> {
        contents::show_as_environment_says();
        let settings = Settings::from_environment("hermes", env!("CARGO_PKG_VERSION"));
        let settings = match &flags.otlp {
            Some(endpoint) => settings.to(endpoint),
            None => settings,
        };
        let exporting = match settings.exports() {
            true => Some(Exporting::start(settings).map_err(|error| Failure::usage(chain(&error)))?),
            false => None,
        };
        let wanted = ["HERMES_LOG", "RUST_LOG"].into_iter().find_map(filter);
        let filter = wanted.unwrap_or_else(|| EnvFilter::new("warn"));
        let colour = Screen::stderr().has_colour();
        let log = fmt::layer().with_ansi(colour).with_writer(io::stderr);
        let log = match flags.log_format {
            LogFormat::Text => log.boxed(),
            LogFormat::Json => log.json().boxed(),
        };
        let spans = exporting.as_ref().and_then(Exporting::layer::<Registry>);
        // Only the first subscriber of a process counts, and this is it.
        let _ = tracing_subscriber::registry().with(spans).with(log.with_filter(filter)).try_init();
        Ok(Self(exporting))
    }

    /// The span of what a person has asked for, as part of the trace that the environment names. A server has none, nor a
    /// person at a shell: each request has its own.
    pub(crate) fn span(verb: &Verb) -> Span {
        match verb {
            Verb::Demo(_) | Verb::Shell(_) => Span::none(),
            _ => client::command(),
        }
    }

    /// Sends what was not sent yet.
    pub(crate) fn finish(self) {
        if let Some(exporting) = self.0 {
            exporting.finish();
        }
    }
}

/// What an environment variable asks for. One that cannot be read is no reason to stop, and no secret either.
fn filter(name: &str) -> Option<EnvFilter> {
    let wanted = std::env::var_os(name)?;
    let wanted = wanted.to_string_lossy();
    match EnvFilter::try_new(&wanted) {
        Ok(filter) => Some(filter),
        Err(error) => {
            let text = format!("{name}={wanted} is not taken: {error}; it wants something like debug");
            note("warning", style::WARNING, &text);
            None
        }
    }
}
