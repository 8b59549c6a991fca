//! What stands for WebSockets in a build without them.

use std::sync::Arc;

use crate::error::ClientError;
use crate::http::Options;
use crate::target::Dial;

/// The way to a WebSocket; `None`: the address is none of one.
pub(crate) fn way(
    url: &str,
    _: &[(String, String)],
    _: &Options,
) -> Option<Result<Arc<dyn Dial>, ClientError>> {
    let (scheme, _) = url.split_once("://")?;
    let is_one = ["ws", "wss"].iter().any(|own| scheme.eq_ignore_ascii_case(own));
    is_one.then(|| {
        let reason = "this build has no WebSockets: switch the feature `websocket` on".to_owned();
        Err(ClientError::Address { what: crate::target::without_secrets(url), reason })
    })
}
