//! The program's own log, and traces and metrics for a collector.

use std::io;
use std::time::Duration;

use hermes::telemetry::otel::{Exporting, Settings, Unsent};
use hermes::telemetry::{Span, client, contents};
use tracing_subscriber::layer::{Layer as _, SubscriberExt as _};
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Registry, fmt};

use crate::args::{Flags, LogFormat, Verb};
use crate::exit::{Failure, Result, chain};
use crate::output::note;
use crate::render::{Screen, style};
use crate::signals::Signals;

/// How long a collector is waited for when a command is done.
const AFTER_A_COMMAND: Duration = Duration::from_secs(1);

/// How long a server waits for one, whenever it sends something.
const OF_A_SERVER: Duration = Duration::from_secs(3);

/// How the names begin under which the exporter logs. What there is to say of it is said in our words.
const EXPORTER: &str = "opentelemetry";

/// What is told of the program's own work.
#[derive(Debug)]
pub(crate) struct Telemetry(Option<Exporting>);

impl Telemetry {
    /// Has the library log to standard error what `HERMES_LOG` or `RUST_LOG` asks for; warnings by default. Traces and
    /// metrics go where the flag or the `OTEL_*` variables say; without those, there are none.
    ///
    /// # Errors
    /// The collector's address cannot be used.
    pub(crate) fn begin(verb: &Verb, flags: &Flags) -> Result<Self> {
        contents::show_as_environment_says();
        let settings = Settings::from_environment("hermes", env!("CARGO_PKG_VERSION"));
        let settings = match &flags.otlp {
            Some(endpoint) => settings.to(endpoint),
            None => settings,
        };
        let settings = match verb {
            Verb::Demo(_) => settings.patience(OF_A_SERVER),
            _ => settings.once(AFTER_A_COMMAND),
        };
        let settings = settings.on_unsent(unsent);
        let exporting = match settings.exports() {
            true => Some(Exporting::start(settings).map_err(|error| Failure::usage(chain(&error)))?),
            false => None,
        };
        let wanted = ["HERMES_LOG", "RUST_LOG"].into_iter().find_map(filter);
        // A server within this program is the demo: what it has to say to its operator is said to whoever wants more.
        let within = if flags.verbose || matches!(verb, Verb::Demo(_)) { "" } else { ",hermes_server=off" };
        let filter = wanted.unwrap_or_else(|| EnvFilter::new(format!("warn,{EXPORTER}=off{within}")));
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

    /// Sends what was not sent yet. A signal ends the wait for it.
    ///
    /// # Errors
    /// What the signal means.
    pub(crate) async fn finish(self) -> Result<()> {
        let Some(exporting) = self.0 else { return Ok(()) };
        let sent = tokio::task::spawn_blocking(move || exporting.finish());
        let wait = async {
            // It does not panic, and is not taken back.
            drop(sent.await);
            Ok(())
        };
        Signals::listen().interrupt(wait).await
    }
}

/// Says that traces and metrics do not arrive.
fn unsent(unsent: &Unsent) {
    note("warning", style::WARNING, &format!("traces and metrics are lost: {unsent}"));
}

/// What an environment variable asks for. One that cannot be read is no reason to stop, and no secret either.
fn filter(name: &str) -> Option<EnvFilter> {
    let wanted = std::env::var_os(name).filter(|wanted| !wanted.is_empty())?;
    let wanted = wanted.to_string_lossy();
    let silent = if wanted.contains(EXPORTER) { String::new() } else { format!(",{EXPORTER}=off") };
    match EnvFilter::try_new(format!("{wanted}{silent}")) {
        Ok(filter) => Some(filter),
        Err(error) => {
            let text = format!("{name}={wanted} is not taken: {error}; it wants something like debug");
            note("warning", style::WARNING, &text);
            None
        }
    }
}
