//! Connecting to an address.

use std::sync::Arc;
use std::time::Duration;

use hermes_telemetry::transport::Place;
use tokio::sync::watch;

use super::drive::drive;
use super::endpoint::Endpoint;
use super::sse;
use super::tls::Trust;
use crate::connection::{Carrier, Connection, Shared};
use crate::error::ClientError;
use crate::hooks::Hooks;
use crate::target::{Dial, Dialling};

/// What is said of HTTP before there is a connection.
#[derive(Clone, Debug, Default)]
pub(crate) struct Options {
    pub(crate) trust: Trust,
}

/// The way to an address.
///
/// # Errors
/// [`ClientError::Address`]: the address or a header cannot be used.
pub(crate) fn way(
    url: &str,
    headers: &[(String, String)],
    options: &Options,
    hooks: &Hooks,
) -> Result<Arc<dyn Dial>, ClientError> {
    let endpoint = Endpoint::new(url, headers, &options.trust)?.seen_by(hooks);
    Ok(Arc::new(Address(Arc::new(endpoint))))
}

/// An endpoint, whose pool outlives the connections to it.
#[derive(Debug)]
struct Address(Arc<Endpoint>);

impl Dial for Address {
    fn dial(&self, shared: Shared) -> Dialling<'_> {
        let shared = Arc::new(shared);
        let (done, written) = watch::channel(());
        tokio::spawn(drive(Arc::clone(&shared), Arc::clone(&self.0), done));
        Box::pin(async move { Ok(Connection::driven(shared, written)) })
    }

    fn carrier(&self) -> Carrier {
        Carrier::Exchanges
    }

    fn older(&self, within: Duration) -> Option<Box<dyn Dial>> {
        Some(Box::new(Older { endpoint: Arc::clone(&self.0), within }))
    }

    fn place(&self) -> Place {
        self.0.place()
    }

    fn key(&self) -> Option<String> {
        Some(self.0.shown())
    }
}

/// The older transport at an endpoint.
#[derive(Debug)]
struct Older {
    endpoint: Arc<Endpoint>,
    /// How long the server may take to say where it takes messages.
    within: Duration,
}

impl Dial for Older {
    fn dial(&self, shared: Shared) -> Dialling<'_> {
        Box::pin(async move {
            let dialled = sse::dial(&self.endpoint, shared, self.within).await;
            dialled.map_err(|mishap| mishap.into_error(reqwest::Method::GET.to_string()))
        })
    }

    fn carrier(&self) -> Carrier {
        Carrier::Events
    }

    fn place(&self) -> Place {
        self.endpoint.place()
    }

    fn key(&self) -> Option<String> {
        Some(self.endpoint.shown())
    }
}
