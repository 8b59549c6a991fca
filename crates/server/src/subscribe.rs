//! Subscriptions: to single resources in the legacy era, by listen streams in the modern one.

use std::collections::BTreeSet;

use hermes_proto::channel::{CallId, Filter};
use hermes_types::{
    EmptyResult, Fault, RequestId, SubscribeRequestParams, SubscriptionFilter,
    SubscriptionsAcknowledgedNotificationParams, SubscriptionsListenRequestParams,
};
use serde_json::value::RawValue;

use crate::dispatch::decode;
use crate::link::Link;
use crate::resource::Found;
use crate::ticket::Ticket;
use crate::view::View;

/// The legacy session wants to hear of a resource.
pub(crate) fn subscribe(
    link: &dyn Link,
    view: &View,
    params: Option<&RawValue>,
) -> Result<EmptyResult, Fault> {
    let uri = decode::<SubscribeRequestParams>(params)?.uri;
    if Found::find(view, &uri).is_none() {
        return Err(Fault::resource_not_found(&uri));
    }
    link.subscribe(uri)?;
    Ok(EmptyResult::new())
}

/// The legacy session no longer wants to hear of a resource. What was never subscribed to does no harm.
pub(crate) fn unsubscribe(link: &dyn Link, params: Option<&RawValue>) -> Result<EmptyResult, Fault> {
    link.unsubscribe(&decode::<SubscribeRequestParams>(params)?.uri);
    Ok(EmptyResult::new())
}

/// Opens a listen stream: acknowledges what will be told of, and leaves the request unanswered until the
/// stream ends. With nothing to tell of, it ends at once.
///
/// Source: `basic/patterns/subscriptions`, 2026-07-28.
pub(crate) fn listen(
    link: &dyn Link,
    view: &View,
    (call, id): (CallId, &RequestId),
    params: Option<&RawValue>,
    ticket: Ticket,
) {
    let wanted = match decode::<SubscriptionsListenRequestParams>(params) {
        Ok(params) => params.notifications,
        Err(fault) => return ticket.refuse(&fault),
    };
    let (filter, honoured) = honour(view, wanted);
    let over = filter.is_empty();
    let acknowledgment = SubscriptionsAcknowledgedNotificationParams::new(id.clone(), honoured);
    if let Err(fault) = link.listen(call, filter, &acknowledgment) {
        return ticket.refuse(&fault);
    }
    // From here on the channel knows that the request is answered when the stream ends.
    ticket.defer();
    if over {
        link.end_listen(call, id);
    }
}

/// What of a wish can be granted: lists that the server has, resources that there are.
fn honour(view: &View, wanted: SubscriptionFilter) -> (Filter, SubscriptionFilter) {
    let asked = |flag: Option<bool>| flag == Some(true);
    let filter = Filter {
        prompts: asked(wanted.prompts_list_changed) && view.prompts().is_declared(),
        resources: asked(wanted.resources_list_changed) && view.has_resources(),
        tools: asked(wanted.tools_list_changed) && view.tools().is_declared(),
        uris: wanted
            .resource_subscriptions
            .into_iter()
            .flatten()
            .filter(|uri| Found::find(view, uri).is_some())
            .collect::<BTreeSet<_>>(),
    };
    let uris: Vec<_> = filter.uris.iter().cloned().collect();
    let honoured = SubscriptionFilter {
        prompts_list_changed: filter.prompts.then_some(true),
        resources_list_changed: filter.resources.then_some(true),
        tools_list_changed: filter.tools.then_some(true),
        resource_subscriptions: Some(uris).filter(|uris| !uris.is_empty()),
        ..SubscriptionFilter::default()
    };
    (filter, honoured)
}
