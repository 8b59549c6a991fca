//! What stands for WebSockets in a build without them.

use std::convert::Infallible;

use hermes_proto::admit::Refused;
use hermes_server::endpoint::Endpoint;
use http::Response;
use http::request::Parts;

use crate::body::Body;
use crate::streamable::StreamableHttp;

/// None.
#[derive(Debug)]
pub(crate) struct WebSockets(Infallible);

/// None.
pub(crate) struct Upgrade(Infallible);

impl WebSockets {
    pub(crate) fn of(http: &StreamableHttp) -> Option<Self> {
        debug_assert!(!http.has_websockets, "they can only be asked for in a build with them");
        None
    }

    pub(crate) const fn wants(&self, _: &mut Parts) -> Option<Upgrade> {
        match self.0 {}
    }

    #[expect(clippy::needless_pass_by_value, reason = "it stands for one that takes it")]
    pub(crate) fn open(&self, upgrade: Upgrade, _: &Parts, _: &Endpoint) -> Result<Response<Body>, Refused> {
        match upgrade.0 {}
    }

    #[expect(clippy::unused_async, reason = "it stands for one that waits")]
    pub(crate) async fn ended(&self) {
        match self.0 {}
    }
}
