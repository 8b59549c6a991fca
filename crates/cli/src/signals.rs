//! Signals that end the program.

use std::future::pending;

use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::exit::{Exit, Failure};

/// The signals that end the program. From [`listen`](Self::listen) on none of them is lost: one that comes while
/// nobody waits is found by whoever waits next.
///
/// A signal that cannot be listened to keeps the system's own way to end a program.
#[derive(Debug)]
pub(crate) struct Signals {
    interrupt: Option<Signal>,
    terminate: Option<Signal>,
    hang_up: Option<Signal>,
}

impl Signals {
    /// Listens from now on; within a runtime.
    pub(crate) fn listen() -> Self {
        let of = |kind| signal(kind).ok();
        Self {
            interrupt: of(SignalKind::interrupt()),
            terminate: of(SignalKind::terminate()),
            hang_up: of(SignalKind::hangup()),
        }
    }

    /// Waits for a signal that ends the program, and says what the end is.
    ///
    /// # Cancel safety
    /// No signal is lost.
    pub(crate) async fn ending(&mut self) -> Failure {
        tokio::select! {
            biased;
            () = next(&mut self.interrupt) => Failure::new(Exit::Interrupted, "interrupted"),
            () = next(&mut self.terminate) => Failure::new(Exit::Terminated, "terminated"),
            () = next(&mut self.hang_up) => Failure::new(Exit::HungUp, "the terminal is gone"),
        }
    }

    /// Carries something out, unless a signal ends the program before.
    ///
    /// # Errors
    /// What the signal means, or its own.
    ///
    /// # Cancel safety
    /// That of what is carried out.
    pub(crate) async fn interrupt<T>(
        &mut self,
        what: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, Failure> {
        tokio::select! {
            biased;
            failure = self.ending() => Err(failure),
            outcome = what => outcome,
        }
    }
}

async fn next(signal: &mut Option<Signal>) {
    match signal {
        // It never ends.
        Some(signal) => drop(signal.recv().await),
        None => pending().await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_signal_that_comes_while_nobody_waits_is_found_by_the_next_wait() {
        let mut signals = Signals::listen();
        let own = std::process::id().to_string();
        let told = std::process::Command::new("kill").args(["-s", "HUP", &own]).status();
        assert!(told.is_ok_and(|status| status.success()));
        let outcome = signals.interrupt(pending::<Result<(), Failure>>()).await;
        assert_eq!(outcome.map_err(|failure| failure.exit()), Err(Exit::HungUp));
    }
}
