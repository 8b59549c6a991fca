//! Export of traces and metrics over OTLP, in OpenTelemetry's conventions.
//!
//! ```no_run
//! use hermes_telemetry::otel::{Exporting, Settings};
//! use tracing_subscriber::layer::SubscriberExt as _;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let exporting = Exporting::start(Settings::from_environment("my-server", "1.0.0"))?;
//! let subscriber = tracing_subscriber::registry().with(exporting.layer());
//! # let _ = subscriber;
//! // Install the subscriber, serve, and at the end:
//! exporting.finish();
//! # Ok(())
//! # }
//! ```

mod exporting;
mod measure;
mod propagate;
mod settings;
mod unsent;

pub use exporting::{CannotExport, Exporting};
pub use settings::Settings;
pub use unsent::Unsent;
