//! What stands for HTTP in a build without it.

use std::sync::Arc;

use crate::error::ClientError;
use crate::hooks::Hooks;
use crate::target::Dial;

/// What is said of HTTP before there is a connection: nothing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Options {}

/// # Errors
/// [`ClientError::Address`]: no address can be used.
pub(crate) fn way(
    url: &str,
    _: &[(String, String)],
    _: &Options,
    _: &Hooks,
) -> Result<Arc<dyn Dial>, ClientError> {
    let reason = "it is an address, and this build has no HTTP: switch the feature `http` on".to_owned();
    Err(ClientError::Address { what: url.to_owned(), reason })
}
