//! The task that reads.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use hermes_proto::framing::LineReader;
use hermes_telemetry::transport::{self, Connected};
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::time::{sleep, timeout};

use super::shared::Shared;
use crate::child::Child;
use crate::error::{CloseReason, Closed};

/// How much is read at once, in bytes.
const CHUNK: usize = 64 * 1024;

/// How long what a dead child has left in its pipe is read, as a grandchild may hold the pipe open.
const LEFT_BEHIND: Duration = Duration::from_millis(250);

/// How long a child that has ended its output is given to exit, so that the error can say how it did.
const TO_EXIT: Duration = Duration::from_millis(500);

/// Reads until the server is gone, then tells everyone who waits.
pub(super) async fn read_loop<R: AsyncRead + Unpin>(
    shared: Arc<Shared>,
    mut reader: R,
    child: Option<Child>,
) {
    let _connected = Connected::begin(shared.place.transport);
    let reason = match read(&shared, &mut reader, child.as_ref()).await {
        Ok(()) => CloseReason::Remote,
        Err(error) => {
            transport::failed(shared.place.transport, "broken");
            CloseReason::Broken(error)
        }
    };
    let closed = match child {
        Some(child) => {
            let exit = timeout(TO_EXIT, child.exited()).await.ok().flatten();
            Closed { reason, exit, stderr: child.stderr_tail() }
        }
        None => Closed { reason, exit: None, stderr: String::new() },
    };
    shared.lose(closed);
}

async fn read<R: AsyncRead + Unpin>(
    shared: &Arc<Shared>,
    reader: &mut R,
    child: Option<&Child>,
) -> io::Result<()> {
    let mut lines = LineReader::new(shared.limits.line_bytes);
    let mut chunk = vec![0; CHUNK];
    let no_more = async {
        tokio::select! {
            () = exited(child) => {}
            () = shared.write_broke.notified() => {}
        }
        sleep(LEFT_BEHIND).await;
    };
    tokio::pin!(no_more);
    loop {
        // A server that asks and does not read the answers is not read either. The semaphore is never closed.
        drop(shared.room.acquire().await);
        let count = tokio::select! {
            biased;
            count = reader.read(&mut chunk) => count?,
            () = &mut no_more => 0,
        };
        let chunk = chunk.get(..count).unwrap_or_default();
        let mut taken = 0;
        loop {
            // A line may be lent from the chunk, so each look begins anew behind what was taken.
            let mut unread = chunk.get(taken..).unwrap_or_default();
            let line = lines.read(&mut unread);
            taken = count - unread.len();
            let Some(line) = line else { break };
            shared.receive(line);
        }
        if count == 0 {
            if let Some(line) = lines.finish() {
                shared.receive(line);
            }
            return Ok(());
        }
    }
}

/// Waits for the exit of the child; for ever if there is none.
async fn exited(child: Option<&Child>) {
    match child {
        Some(child) => {
            child.exited().await;
        }
        None => std::future::pending().await,
    }
}
