//! The end of a child, step by step, and of its whole group.

use std::process::ExitStatus;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};
use tokio::sync::{oneshot, watch};
use tokio::time::{sleep, timeout};

use super::command::Grace;
use super::guard;
use super::stderr::Stderr;

/// How often a group is looked at while it is given time: nobody tells us of the end of a grandchild.
const GLANCE: Duration = Duration::from_millis(20);

/// How long to wait for the last words of a child that has exited.
const LAST_WORDS: Duration = Duration::from_millis(250);

/// A child that is being looked after. Dropping it asks for its end, and does not wait.
#[derive(Debug)]
pub(crate) struct Child {
    stage: watch::Receiver<Stage>,
    stderr: Stderr,
    /// Dropping it asks for the end.
    close: Option<oneshot::Sender<()>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Running,
    /// The child was reaped; `None` when the system would not say how it ended.
    Exited(Option<ExitStatus>),
    /// Its group is empty too.
    Gone(Option<ExitStatus>),
}

impl Child {
    /// Takes over a child until it is reaped and its group is gone.
    pub(super) fn watch(process: tokio::process::Child, group: Group, stderr: Stderr, grace: Grace) -> Self {
        let (at, stage) = watch::channel(Stage::Running);
        let (close, asked) = oneshot::channel();
        tokio::spawn(look_after(process, group, grace, asked, at));
        Self { stage, stderr, close: Some(close) }
    }

    /// A view of the same child, which does not ask for its end when dropped.
    pub(crate) fn view(&self) -> Self {
        Self { stage: self.stage.clone(), stderr: self.stderr.clone(), close: None }
    }

    /// Waits until the child has exited, and a moment for the last of its stderr.
    ///
    /// # Cancel safety
    /// Nothing is lost by dropping it.
    pub(crate) async fn exited(&self) -> Option<ExitStatus> {
        let status = self.reached(|stage| !matches!(stage, Stage::Running)).await;
        let _ = timeout(LAST_WORDS, self.stderr.ended()).await;
        status
    }

    /// Asks for the end of the child and waits until it is gone with all of its group. Its stdin has to be closed
    /// by whoever holds it.
    ///
    /// # Cancel safety
    /// The child ends also when this is dropped.
    pub(crate) async fn close(&mut self) -> Option<ExitStatus> {
        self.close = None;
        self.reached(|stage| matches!(stage, Stage::Gone(_))).await
    }

    async fn reached(&self, stage: impl FnMut(&Stage) -> bool) -> Option<ExitStatus> {
        match self.stage.clone().wait_for(stage).await.as_deref() {
            Ok(Stage::Exited(status) | Stage::Gone(status)) => *status,
            // The runtime that looked after the child is shutting down.
            Ok(Stage::Running) | Err(_) => None,
        }
    }

    /// What the child last wrote to stderr.
    pub(crate) fn stderr_tail(&self) -> String {
        self.stderr.tail()
    }
}

async fn look_after(
    mut process: tokio::process::Child,
    mut group: Group,
    grace: Grace,
    asked: oneshot::Receiver<()>,
    at: watch::Sender<Stage>,
) {
    let by_itself = tokio::select! {
        biased;
        status = process.wait() => Some(status),
        _ = asked => None,
    };
    let status = match by_itself {
        Some(status) => status,
        None => end(&mut process, &group, grace).await,
    };
    let status = status.ok();
    // Nobody may be left to hear of it.
    at.send_replace(Stage::Exited(status));
    group.end_the_rest(grace.term).await;
    at.send_replace(Stage::Gone(status));
}

/// Ends a child whose stdin is closed, or about to be.
async fn end(
    process: &mut tokio::process::Child,
    group: &Group,
    grace: Grace,
) -> std::io::Result<ExitStatus> {
    if let Ok(status) = timeout(grace.eof, process.wait()).await {
        return status;
    }
    group.signal(Signal::TERM);
    if let Ok(status) = timeout(grace.term, process.wait()).await {
        return status;
    }
    group.signal(Signal::KILL);
    process.wait().await
}

/// The process group of a child. Dropping it ends whatever is still in it.
pub(super) struct Group {
    id: Pid,
    gone: bool,
}

impl Group {
    /// Has the guard watch over the group that this child leads; says why, if that is not possible.
    pub(super) fn guarded(leader: Pid) -> (Self, Option<std::io::Error>) {
        (Self { id: leader, gone: false }, guard::watch(leader).err())
    }

    fn signal(&self, signal: Signal) {
        // It can fail only because there is nobody left.
        let _ = kill_process_group(self.id, signal);
    }

    fn is_empty(&self) -> bool {
        test_kill_process_group(self.id).is_err()
    }

    /// The leader is reaped: ends what it has left behind. An empty group is not touched.
    async fn end_the_rest(&mut self, grace: Duration) {
        if !self.is_empty() {
            self.signal(Signal::TERM);
            let emptied = async {
                while !self.is_empty() {
                    sleep(GLANCE).await;
                }
            };
            if timeout(grace, emptied).await.is_err() {
                self.signal(Signal::KILL);
            }
        }
        self.gone = true;
        guard::forget(self.id);
    }
}

impl Drop for Group {
    /// The runtime is shutting down before the child has ended.
    fn drop(&mut self) {
        if !self.gone && guard::end(self.id).is_err() {
            self.signal(Signal::KILL);
        }
    }
}
