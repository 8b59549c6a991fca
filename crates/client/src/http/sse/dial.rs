//! The beginning and the end of a connection.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::sleep;

use super::courier::Courier;
use super::stream::Stream;
use crate::connection::{Connection, Shared};
use crate::error::{CloseReason, Closed};
use crate::http::endpoint::Endpoint;
use crate::mishap::Mishap;

/// How long what was sent last may take to be accepted.
const LAST_NOTES: Duration = Duration::from_millis(500);

/// Opens the stream at this address, and gives the connection once the server has said where it takes messages, for
/// which it has as long as `within`.
///
/// # Errors
/// There is no such stream, or it does not begin as one of this transport.
///
/// # Cancel safety
/// Dropping it drops the stream.
pub(crate) async fn dial(
    endpoint: &Endpoint,
    shared: Shared,
    within: Duration,
) -> Result<Connection, Mishap> {
    let shared = Arc::new(shared);
    let (done, written) = watch::channel(());
    // Made first, so that whoever listens hears of the end if there is no beginning.
    let connection = Connection::driven(Arc::clone(&shared), written);
    let (stream, messages) = Stream::open(endpoint, shared.limits, within).await?;
    let courier = Arc::new(Courier::new(shared, messages));
    tokio::spawn(drive(courier, stream, endpoint.shown(), done));
    Ok(connection)
}

/// Talks to the server until the connection finishes, then drops the stream. `done` is dropped last.
async fn drive(courier: Arc<Courier>, stream: Stream, url: String, done: watch::Sender<()>) {
    let shared = Arc::clone(&courier.shared);
    let mut finishing = shared.finishing.subscribe();
    let out_of_time = async {
        // The sender lives in `shared`: it is there.
        let _ = finishing.wait_for(|finishing| *finishing).await;
        sleep(LAST_NOTES).await;
    };
    let reading = async {
        let source = tokio::select! {
            source = stream.read(&shared) => source,
            // It may stay open, but the server does not know it any more.
            () = courier.gone.notified() => Some("the server takes no more messages for it".into()),
        };
        let reason = CloseReason::Stream { url, source };
        shared.lose(Closed { reason, exit: None, stderr: String::new() });
        // What is lost is still to be closed.
        std::future::pending::<()>().await;
    };
    tokio::select! {
        () = courier.deliver_all() => {}
        () = out_of_time => {}
        () = reading => {}
    }
    drop(done);
}
