//! The task that takes what is to be sent, and begins an exchange for each message.

use std::sync::Arc;
use std::time::Duration;

use hermes_types::Method;
use reqwest::header::HeaderValue;
use tokio::sync::{mpsc, watch};
use tokio::time::{sleep, timeout};

use super::endpoint::Endpoint;
use super::outline::Outline;
use super::talk::Talk;
use crate::connection::Shared;
use crate::connection::shared::{Kind, Unwritten};

/// How long what was sent last may take to be accepted.
const LAST_NOTES: Duration = Duration::from_millis(500);

/// How long a server may take to hear that its session is not needed any more.
const LEAVE: Duration = Duration::from_secs(1);

/// Talks to a server until the connection finishes, then takes leave of it. `done` is dropped last.
pub(crate) async fn drive(shared: Arc<Shared>, endpoint: Arc<Endpoint>, done: watch::Sender<()>) {
    let talk = Arc::new(Talk::new(Arc::clone(&shared), endpoint));
    let mut finishing = shared.finishing.subscribe();
    let out_of_time = async {
        // The sender lives in `shared`: it is there.
        let _ = finishing.wait_for(|finishing| *finishing).await;
        sleep(LAST_NOTES).await;
    };
    tokio::select! {
        () = talk.send_all() => {}
        () = out_of_time => {}
    }
    talk.leave().await;
    drop(done);
}

impl Talk {
    async fn send_all(self: &Arc<Self>) {
        let (sender, mut notes) = mpsc::unbounded_channel::<String>();
        // One after the other, so that they arrive in their order; beside everything else, as nobody waits for them.
        let in_order = async {
            while let Some(text) = notes.recv().await {
                self.note(&text, &self.session.seat()).await;
            }
        };
        let dispatch = async {
            while let Some(unwritten) = self.shared.next_unwritten().await {
                self.dispatch(unwritten, &sender).await;
            }
            drop(sender);
        };
        tokio::join!(dispatch, in_order);
    }

    async fn dispatch(self: &Arc<Self>, unwritten: Unwritten, notes: &mpsc::UnboundedSender<String>) {
        let Unwritten { mut line, kind, room } = unwritten;
        line.truncate(line.trim_end().len());
        match kind {
            Kind::Request { id, headers } => {
                let talk = Arc::clone(self);
                let conversing = talk.converse(id.clone(), line, headers);
                self.shared.begin(&id, || tokio::spawn(conversing).abort_handle());
            }
            Kind::Response => {
                let talk = Arc::clone(self);
                tokio::spawn(async move {
                    talk.note(&line, &talk.session.seat()).await;
                    // The server's request counts until its answer is there.
                    drop(room);
                });
            }
            // Nothing may be asked before the server has heard this.
            Kind::Notification if Outline::of(&line).is_legacy(Method::Initialized) => {
                self.greet(&line).await;
            }
            Kind::Notification => {
                // The receiver lives as long as this task.
                let _ = notes.send(line);
            }
        }
    }

    /// Tells the server that its sessions are not needed any more. It may not know them, or not want to be told.
    ///
    /// Source: `basic/transports#session-management`, 2025-11-25.
    async fn leave(&self) {
        self.stand(None);
        for id in self.session.leave() {
            self.end(id).await;
        }
    }

    /// Tells the server that a session is over.
    pub(super) async fn end(&self, id: HeaderValue) {
        match timeout(LEAVE, self.delete(id)).await {
            Ok(Ok(response)) => tracing::debug!(status = response.status().as_u16(), "took leave"),
            Ok(Err(_)) | Err(_) => tracing::debug!("the server did not hear that its session is over"),
        }
    }
}
