//! The time limit for the heads of requests, at the price of a look at the clock.

use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant as StdInstant};

use hyper::rt::Timer;
use tokio::time::{Instant, Sleep, sleep_until};

/// The timer of one connection over HTTP/1.1, which is set anew for every request and is hardly ever over.
///
/// To set a timer of the runtime and take it away again costs as much as reading the head that it watches. So there is one of
/// them, which stays where it is while the deadline moves on; when it fires too early it is set again.
#[derive(Clone, Default)]
pub(crate) struct HeadTimer(Arc<Mutex<Option<Pin<Box<Sleep>>>>>);

impl Timer for HeadTimer {
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn hyper::rt::Sleep>> {
        self.sleep_until(self.now() + duration)
    }

    fn sleep_until(&self, deadline: StdInstant) -> Pin<Box<dyn hyper::rt::Sleep>> {
        Box::pin(Deadline { timer: self.clone(), at: deadline.into() })
    }

    fn now(&self) -> StdInstant {
        Instant::now().into_std()
    }
}

impl fmt::Debug for HeadTimer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HeadTimer")
    }
}

/// The time until which something is waited for. A connection waits for one thing at a time, and each time for longer.
struct Deadline {
    timer: HeadTimer,
    at: Instant,
}

impl hyper::rt::Sleep for Deadline {}

impl Future for Deadline {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let mut timer = self.timer.0.lock().unwrap_or_else(PoisonError::into_inner);
        let timer = timer.get_or_insert_with(|| Box::pin(sleep_until(self.at)));
        while timer.as_mut().poll(cx).is_ready() {
            if Instant::now() >= self.at {
                return Poll::Ready(());
            }
            timer.as_mut().reset(self.at);
        }
        Poll::Pending
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_secs(30);

    #[tokio::test(start_paused = true)]
    async fn each_deadline_is_kept_although_the_one_before_fires_meanwhile() {
        let (timer, began) = (HeadTimer::default(), Instant::now());
        for request in 1..=50 {
            let mut waiting = timer.sleep(LIMIT);
            let polled = std::future::poll_fn(|cx| Poll::Ready(waiting.as_mut().poll(cx)));
            assert!(polled.await.is_pending(), "{request}");
            tokio::time::advance(Duration::from_secs(1)).await;
        }
        timer.sleep(LIMIT).await;
        assert_eq!(began.elapsed(), Duration::from_secs(80));
    }

    #[tokio::test(start_paused = true)]
    async fn a_deadline_that_nobody_has_met_is_over_when_it_is() {
        let began = Instant::now();
        HeadTimer::default().sleep(LIMIT).await;
        assert_eq!(began.elapsed(), LIMIT);
    }
}
