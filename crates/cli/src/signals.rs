//! Signals that end the program.

use std::future::pending;

use crate::exit::{Exit, Failure};

/// Waits for a signal that ends the program, and says what the end is. Where signals cannot be listened to, the
/// system's own way to end a program stays.
///
/// # Cancel safety
/// A signal that comes while nobody waits is lost.
pub(crate) async fn ending() -> Failure {
    tokio::select! {
        failure = interrupted() => failure,
        failure = told_to_end() => failure,
    }
}

/// Waits for the user to interrupt.
///
/// # Cancel safety
/// As [`ending`].
pub(crate) async fn interrupted() -> Failure {
    match tokio::signal::ctrl_c().await {
        Ok(()) => Failure::new(Exit::Interrupted, "interrupted"),
        Err(_) => pending().await,
    }
}

/// Waits for somebody else to end the program.
///
/// # Cancel safety
/// As [`ending`].
pub(crate) async fn told_to_end() -> Failure {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let of = |kind: SignalKind| async move {
            match signal(kind) {
                Ok(mut signal) => signal.recv().await,
                Err(_) => pending().await,
            }
        };
        tokio::select! {
            Some(()) = of(SignalKind::terminate()) => Failure::new(Exit::Terminated, "terminated"),
            Some(()) = of(SignalKind::hangup()) => Failure::new(Exit::HungUp, "the terminal is gone"),
            else => pending().await,
        }
    }
    #[cfg(not(unix))]
    pending().await
}
