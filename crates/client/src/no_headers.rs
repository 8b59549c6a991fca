//! What stands for headers in a build without HTTP.

use crate::error::ClientError;

/// Headers that nothing here could send.
#[derive(Clone, Debug, Default)]
pub(crate) struct Headers {}

impl Headers {
    /// Whoever says one is told so when the request is to be sent.
    #[expect(
        clippy::needless_pass_by_ref_mut,
        clippy::unnecessary_wraps,
        reason = "the same as where there is something"
    )]
    pub(crate) const fn set(&mut self, _: &str, _: &str) -> Result<(), ClientError> {
        Ok(())
    }
}
