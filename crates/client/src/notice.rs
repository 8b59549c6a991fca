//! What a server says without being asked.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hermes_types::{
    ElicitationCompleteNotificationParams, LoggingMessageNotificationParams, Method,
    ProgressNotificationParams, RawJson, ResourceUpdatedNotificationParams,
    SubscriptionsAcknowledgedNotificationParams,
};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use tokio::sync::Notify;

/// How many notifications wait for whoever reads them.
const CAPACITY: usize = 1024;

/// A notification of the server, as it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// The method, known or not.
    pub method: String,
    /// The parameters, if there are any.
    pub params: Option<RawJson>,
}

/// How far an operation has come.
///
/// ```
/// use hermes_client::Progress;
///
/// let half = Progress { progress: 5.0, total: Some(10.0), message: None };
/// assert_eq!(half.fraction(), Some(0.5));
/// ```
///
/// Source: `basic/patterns/progress`, 2026-07-28.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Progress {
    /// How much is done, in the server's own units; it grows.
    pub progress: f64,
    /// How much there is to do, if the server knows.
    #[serde(default)]
    pub total: Option<f64>,
    /// What is being done, for people.
    #[serde(default)]
    pub message: Option<String>,
}

impl Progress {
    /// The part that is done, from 0 to 1, if the server knows how much there is to do.
    #[must_use]
    pub fn fraction(&self) -> Option<f64> {
        let total = self.total.filter(|total| *total > 0.0)?;
        Some((self.progress / total).clamp(0.0, 1.0))
    }
}

/// What a [`Notice`] says.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum News {
    /// A listen stream has begun, and will carry this.
    Acknowledged(SubscriptionsAcknowledgedNotificationParams),
    /// The user is done with a page that was opened.
    ElicitationComplete(ElicitationCompleteNotificationParams),
    /// A log message.
    Log(LoggingMessageNotificationParams),
    /// Anything else, or something that cannot be read.
    Other,
    /// Progress that no call takes note of.
    Progress(ProgressNotificationParams),
    /// The list of prompts has changed.
    PromptsChanged,
    /// A resource has changed.
    ResourceUpdated(ResourceUpdatedNotificationParams),
    /// The list of resources or of templates has changed.
    ResourcesChanged,
    /// The list of tools has changed.
    ToolsChanged,
}

impl Notice {
    /// Reads the notification as what its method says.
    #[must_use]
    pub fn news(&self) -> News {
        match Method::parse(&self.method) {
            Some(Method::SubscriptionsAcknowledged) => self.decode(News::Acknowledged),
            Some(Method::ElicitationComplete) => self.decode(News::ElicitationComplete),
            Some(Method::LogMessage) => self.decode(News::Log),
            Some(Method::Progress) => self.decode(News::Progress),
            Some(Method::PromptsListChanged) => News::PromptsChanged,
            Some(Method::ResourcesUpdated) => self.decode(News::ResourceUpdated),
            Some(Method::ResourcesListChanged) => News::ResourcesChanged,
            Some(Method::ToolsListChanged) => News::ToolsChanged,
            _ => News::Other,
        }
    }

    fn decode<T: DeserializeOwned>(&self, news: impl FnOnce(T) -> News) -> News {
        self.params.as_ref().and_then(|params| params.decode().ok()).map_or(News::Other, news)
    }

    /// Whether the newest of several equal ones says all that they say.
    fn is_hint(&self) -> bool {
        matches!(
            Method::parse(&self.method),
            Some(
                Method::PromptsListChanged
                    | Method::ResourcesListChanged
                    | Method::ResourcesUpdated
                    | Method::ToolsListChanged
            )
        )
    }
}

/// Notifications in the order in which they came, for one reader.
///
/// At most 1,024 wait. What is beyond is dropped, the oldest first and hints of changes last, and counted: a
/// reader that does not read never holds up an answer. Equal hints that wait are one.
///
/// Dropping it ends the stream; what comes later is not kept.
#[derive(Debug)]
pub struct Notices(pub(crate) Arc<Inbox>);

impl Notices {
    /// The next notification; `None` when the connection is closed and all were read.
    ///
    /// # Cancel safety
    /// A notification is taken only when it is returned.
    pub async fn next(&mut self) -> Option<Notice> {
        self.0.next().await
    }

    /// A notification that has come already, without waiting for one.
    pub fn try_next(&mut self) -> Option<Notice> {
        self.0.lock().queue.pop_front()
    }

    /// How many were dropped so far, because too many waited.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.0.lock().dropped
    }
}

/// The queue behind [`Notices`].
#[derive(Debug, Default)]
pub(crate) struct Inbox {
    state: Mutex<State>,
    wake: Notify,
}

#[derive(Debug, Default)]
struct State {
    queue: VecDeque<Notice>,
    dropped: u64,
    closed: bool,
}

impl Inbox {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds one. Never waits.
    pub(crate) fn push(&self, notice: Notice) {
        let mut state = self.lock();
        if state.closed {
            return;
        }
        if notice.is_hint() {
            // The newest place is kept: what came in between may change what the hint means.
            state.queue.retain(|waiting| *waiting != notice);
        }
        if state.queue.len() >= CAPACITY {
            let victim = state.queue.iter().position(|notice| !notice.is_hint()).unwrap_or(0);
            state.queue.remove(victim);
            state.dropped += 1;
        }
        state.queue.push_back(notice);
        drop(state);
        self.wake.notify_one();
    }

    /// Nothing will be added any more.
    pub(crate) fn close(&self) {
        self.lock().closed = true;
        self.wake.notify_one();
    }

    pub(crate) async fn next(&self) -> Option<Notice> {
        loop {
            {
                let mut state = self.lock();
                if let Some(notice) = state.queue.pop_front() {
                    return Some(notice);
                }
                if state.closed {
                    return None;
                }
            }
            // One reader: a permit that was stored between the look and the wait is not lost.
            self.wake.notified().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notice(method: &str, params: Option<&str>) -> Notice {
        Notice { method: method.to_owned(), params: params.map(|text| RawJson::parse(text).expect("JSON")) }
    }

    #[test]
    fn b099_a_full_queue_drops_and_counts_the_oldest_that_is_no_hint() {
        let inbox = Inbox::default();
        inbox.push(notice("notifications/tools/list_changed", None));
        for number in 0..10_000 {
            inbox.push(notice(
                "notifications/message",
                Some(&format!("{{\"level\":\"info\",\"data\":{number}}}")),
            ));
        }
        let mut notices = Notices(Arc::new(inbox));
        assert_eq!(notices.dropped(), 10_001 - CAPACITY as u64);
        assert_eq!(notices.try_next().map(|notice| notice.news()), Some(News::ToolsChanged));
        let mut last = None;
        while let Some(notice) = notices.try_next() {
            last = Some(notice.news());
        }
        assert!(matches!(last, Some(News::Log(log)) if log.data.get() == "9999"));
    }

    #[test]
    fn equal_hints_that_wait_are_one() {
        let inbox = Inbox::default();
        let updated =
            |uri: &str| notice("notifications/resources/updated", Some(&format!("{{\"uri\":\"{uri}\"}}")));
        for _ in 0..100 {
            inbox.push(notice("notifications/prompts/list_changed", None));
            inbox.push(updated("a://1"));
            inbox.push(updated("a://2"));
        }
        assert_eq!(inbox.lock().queue.len(), 3);
        assert_eq!(inbox.lock().dropped, 0);
    }

    #[tokio::test]
    async fn a_closed_queue_is_read_to_its_end() {
        let inbox = Arc::new(Inbox::default());
        inbox.push(notice("a", None));
        inbox.close();
        inbox.push(notice("late", None));
        let mut notices = Notices(inbox);
        assert_eq!(notices.next().await, Some(notice("a", None)));
        assert_eq!(notices.next().await, None);
        assert_eq!(notices.next().await, None);
    }

    #[test]
    fn what_cannot_be_read_is_still_there_as_it_came() {
        for (method, params) in [
            ("notifications/message", Some("{\"level\":7}")),
            ("notifications/progress", None),
            ("notifications/unheard/of", Some("{\"x\":1.50}")),
        ] {
            assert_eq!(notice(method, params).news(), News::Other);
        }
    }
}
