//! News about a running request: progress and cancellation.

use crate::wire::Extra;
use crate::{Meta, ProgressToken, RequestId};

wire! {
    /// The parameters of `notifications/progress`.
    ///
    /// ```
    /// use hermes_types::{ProgressNotificationParams, Revision, Wire};
    ///
    /// let half = ProgressNotificationParams::new("t".into(), 5.0).with_total(10.0);
    /// let text = serde_json::to_string(&Wire(&half, Revision::LATEST))?;
    /// assert_eq!(text, r#"{"progressToken":"t","progress":5,"total":10}"#);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    ///
    /// Source: `basic/patterns/progress`, 2026-07-28 (`basic/utilities/progress` before).
    pub struct ProgressNotificationParams {
        /// The token that the request carried.
        progress_token: ProgressToken = "progressToken";
        /// How much is done; grows with every notification.
        progress: f64 = "progress";
        /// How much there is to do.
        total: Option<f64> = "total";
        /// What is being done.
        message: Option<String> = "message", since V2025_03_26;
        /// About the message.
        meta: Option<Meta> = "_meta";
    }
}

impl ProgressNotificationParams {
    /// So much is done.
    #[must_use]
    pub const fn new(progress_token: ProgressToken, progress: f64) -> Self {
        Self { progress_token, progress, total: None, message: None, meta: None, extra: Extra::new() }
    }
}

setters! { ProgressNotificationParams {
    /// Says how much there is to do.
    with_total => total: f64;
    /// Says what is being done.
    with_message => message: String;
    /// Sets what the message says about itself.
    with_meta => meta: Meta;
} }

wire! {
    /// The parameters of `notifications/cancelled`.
    ///
    /// Source: `basic/patterns/cancellation`, 2026-07-28 (`basic/utilities/cancellation` before).
    #[derive(Default)]
    pub struct CancelledNotificationParams {
        /// The request. Only 2025-11-25 lets it be missing, and even there it is required for whatever is
        /// no task.
        request_id: Option<RequestId> = "requestId";
        /// Why, for people.
        reason: Option<String> = "reason";
        /// About the message.
        meta: Option<Meta> = "_meta";
    }
}

impl CancelledNotificationParams {
    /// Cancels the request with this id.
    #[must_use]
    pub fn new(request_id: RequestId) -> Self {
        Self { request_id: Some(request_id), ..Self::default() }
    }
}

setters! { CancelledNotificationParams {
    /// Says why.
    with_reason => reason: String;
    /// Sets what the message says about itself.
    with_meta => meta: Meta;
} }
