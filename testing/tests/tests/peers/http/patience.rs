//! Waiting, with an end: a test says what it has waited for in vain.

use std::time::Duration;

use tokio::time::{Instant, sleep, timeout_at};

use crate::process::Result;

/// By when everything has settled after a loss.
pub(crate) const SECOND: Duration = Duration::from_secs(1);

/// How long anything else may take.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// Between two looks at another program.
const LOOK: Duration = Duration::from_millis(10);

/// Waits for this, up to this moment.
pub(crate) async fn by<T>(end: Instant, what: &str, future: impl Future<Output = T>) -> Result<T> {
    timeout_at(end, future).await.map_err(|_| format!("waited for {what} in vain").into())
}

/// Waits for this as long as anything may take.
pub(crate) async fn soon<T>(what: &str, future: impl Future<Output = T>) -> Result<T> {
    by(Instant::now() + PATIENCE, what, future).await
}

/// Looks again and again, until another program has come to where it gives no sign by itself.
#[expect(clippy::disallowed_methods, reason = "there is no event to wait for in another program")]
pub(crate) async fn seen(what: &str, mut look: impl FnMut() -> Result<bool>) -> Result {
    let looking = async {
        while !look()? {
            sleep(LOOK).await;
        }
        Ok(())
    };
    soon(what, looking).await?
}
