//! Waiting, with an end: a test says what it has waited for in vain.

use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use crate::process::Result;

/// By when everything has settled after a loss.
pub(super) const SECOND: Duration = Duration::from_secs(1);

/// How long anything else may take.
pub(super) const PATIENCE: Duration = Duration::from_secs(20);

/// Waits for this, up to this moment.
pub(super) async fn by<T>(end: Instant, what: &str, future: impl Future<Output = T>) -> Result<T> {
    timeout_at(end, future).await.map_err(|_| format!("waited for {what} in vain").into())
}

/// Waits for this as long as anything may take.
pub(super) async fn soon<T>(what: &str, future: impl Future<Output = T>) -> Result<T> {
    by(Instant::now() + PATIENCE, what, future).await
}
