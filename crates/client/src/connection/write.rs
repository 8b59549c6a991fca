//! The task that writes.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncWrite, AsyncWriteExt as _};
use tokio::sync::watch;
use tokio::time::sleep;

use super::shared::{Shared, Unwritten};
use crate::hooks::Direction;

/// Lines are written together up to this many bytes, so that many small ones cost one call of the system.
const TOGETHER: usize = 64 * 1024;

/// How long a server that does not read holds up the closing of its input.
const LAST_WRITE: Duration = Duration::from_millis(250);

/// Writes what there is to write until the connection finishes or breaks, then closes the stream. `done` is dropped
/// last.
pub(super) async fn write_loop<W: AsyncWrite + Unpin>(
    shared: Arc<Shared>,
    mut writer: W,
    done: watch::Sender<()>,
) {
    let written = async {
        loop {
            match next(&shared) {
                Next::Bytes(bytes) => write(&mut writer, &bytes).await?,
                Next::Nothing => shared.to_write.notified().await,
                Next::End => return writer.shutdown().await,
            }
        }
    };
    let mut finishing = shared.finishing.subscribe();
    let out_of_time = async {
        // The sender lives in `shared`: it is there.
        let _ = finishing.wait_for(|finishing| *finishing).await;
        sleep(LAST_WRITE).await;
    };
    let written = tokio::select! {
        written = written => written,
        () = out_of_time => Ok(()),
    };
    if written.is_err() {
        shared.write_broke.notify_one();
    }
    drop(writer);
    drop(done);
}

async fn write<W: AsyncWrite + Unpin>(writer: &mut W, bytes: &str) -> io::Result<()> {
    writer.write_all(bytes.as_bytes()).await?;
    writer.flush().await
}

enum Next {
    Bytes(String),
    Nothing,
    End,
}

fn next(shared: &Shared) -> Next {
    let mut lines: Vec<Unwritten> = Vec::new();
    {
        let mut state = shared.lock();
        let mut bytes = 0;
        while let Some(next) = state.unwritten.pop_front() {
            bytes += next.line.len();
            lines.push(next);
            if bytes >= TOGETHER {
                break;
            }
        }
    }
    for line in &lines {
        shared.wire(Direction::Sent, line.line.trim_end_matches('\n'));
    }
    let mut lines = lines.into_iter().map(|unwritten| unwritten.line);
    match lines.next() {
        Some(first) => Next::Bytes(lines.fold(first, |bytes, line| bytes + &line)),
        None if *shared.finishing.borrow() => Next::End,
        None => Next::Nothing,
    }
}
