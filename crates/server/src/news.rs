//! Notifications as text.

use hermes_proto::channel::Change;
use hermes_types::{
    Encode, LoggingLevel, LoggingMessageNotificationParams, Meta, Method, NotificationParams,
    OutgoingNotification, OutgoingResponse, RawJson, RequestId, ResourceUpdatedNotificationParams, Revision,
    SubscriptionsListenResult, Wire,
};
use serde::Serialize;

use crate::settings::Settings;

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

/// A log message as text. `None` when its data cannot be written as JSON.
pub(crate) fn log_message<T: Serialize + ?Sized>(
    revision: Revision,
    level: LoggingLevel,
    logger: Option<&str>,
    data: &T,
) -> Option<Vec<u8>> {
    let data = RawJson::encode(data)
        .inspect_err(|error| tracing::warn!(%error, "a log message cannot be written as JSON"))
        .ok()?;
    let mut params = LoggingMessageNotificationParams::new(level, data);
    params.logger = logger.map(str::to_owned);
    notification(revision, Method::LogMessage, &params)
}

/// The response that ends a listen stream in good order.
pub(crate) fn end_of_listen(settings: &Settings, id: &RequestId) -> Vec<u8> {
    let mut result = SubscriptionsListenResult::new(id.clone());
    result.meta.server_info = Some(Box::new(settings.info.clone()));
    let response = OutgoingResponse { id: Some(id), outcome: Ok(Wire(&result, Revision::LATEST)) };
    // Strings and numbers always encode.
    serde_json::to_vec(&response).unwrap_or_default()
}
