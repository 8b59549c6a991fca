//! Notifications as text.

use hermes_proto::channel::Change;
use hermes_types::{
    Encode, Meta, Method, NotificationParams, OutgoingNotification, RequestId,
    ResourceUpdatedNotificationParams, Revision, Wire,
};

/// The notification of a change, for the legacy session or for a listen stream.
pub(crate) fn news(revision: Revision, change: &Change, listener: Option<RequestId>) -> Option<Vec<u8>> {
    let meta = listener.map(Meta::subscription);
    match change {
        Change::Resource(uri) => {
            let mut params = ResourceUpdatedNotificationParams::new(uri);
            params.meta = meta;
            notification(revision, change.method(), &params)
        }
        Change::Prompts | Change::Resources | Change::Tools => {
            let params = NotificationParams { meta, ..NotificationParams::default() };
            notification(revision, change.method(), &params)
        }
    }
}

/// A notification as text. `None` when the params hold a number that JSON has not.
pub(crate) fn notification<P: Encode>(revision: Revision, method: Method, params: &P) -> Option<Vec<u8>> {
    let message = OutgoingNotification { method: method.as_str(), params: Some(Wire(params, revision)) };
    serde_json::to_vec(&message)
        .inspect_err(
            |error| tracing::warn!(method = method.as_str(), %error, "a notification cannot be written"),
        )
        .ok()
}
