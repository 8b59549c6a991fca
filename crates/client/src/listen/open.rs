//! How a stream of notifications begins.

use std::sync::Arc;
use std::time::Duration;

use hermes_telemetry::contents::outline;
use hermes_types::{
    Era, JsonObject, Method, ServerCapabilities, SubscriptionFilter, SubscriptionsListenRequestParams, Wire,
};
use tokio::sync::watch;
use tokio::time::timeout;

use super::heard::Listening;
use crate::client::Inner;
use crate::connection::{Answer, InFlight};
use crate::error::ClientError;
use crate::event::Events;
use crate::line::Line;
use crate::notice::{Inbox, News, Notice};
use crate::{Client, Warning};

/// A stream that has begun.
#[derive(Debug)]
pub(super) enum Stream {
    /// A listen request that is in flight.
    Request {
        in_flight: InFlight,
        inbox: Arc<Inbox>,
        /// Held, so that another connection in its place does not end the stream.
        _line: Arc<Line>,
    },
    /// What is granted of all notifications of a session, and what becomes of the session.
    Session { inbox: Arc<Inbox>, events: Events, gaps: watch::Receiver<u64> },
    /// It has ended in good order.
    Ended,
}

impl Client {
    /// Listens to changes of lists and resources. In the modern era this is `subscriptions/listen`; in the legacy era
    /// every resource is subscribed to, and changes of lists come by themselves.
    ///
    /// Nothing is shown before the server has acknowledged: compare [`Listening::granted`] with the wish. A stream that is
    /// lost is opened again, and what cannot be known of the time between is said: see [`Heard`](crate::Heard).
    ///
    /// ```
    /// # async fn example(client: hermes_client::Client) -> Result<(), hermes_client::ClientError> {
    /// use hermes_client::Heard;
    /// use hermes_types::SubscriptionFilter;
    ///
    /// let wish = SubscriptionFilter { tools_list_changed: Some(true), ..SubscriptionFilter::default() };
    /// let mut listening = client.listen(wish).await?;
    /// while let Some(heard) = listening.next().await? {
    ///     match heard {
    ///         Heard::Notice(notice) => println!("{}", notice.method),
    ///         Heard::Gap => println!("there may have been more"),
    ///         _ => {}
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`ClientError::Rpc`] when the server refuses, [`ClientError::Timeout`] when it does not acknowledge,
    /// [`ClientError::Closed`] and [`ClientError::Unavailable`].
    ///
    /// # Cancel safety
    /// Dropping it takes the request back.
    ///
    /// Source: `basic/patterns/subscriptions`, 2026-07-28; `server/resources#subscriptions`, 2025-11-25.
    pub async fn listen(&self, wanted: SubscriptionFilter) -> Result<Listening, ClientError> {
        let (granted, stream) = open(&self.0, wanted.clone(), self.0.config.patience.timeout).await?;
        Ok(Listening::new(Arc::clone(&self.0), wanted, granted, stream))
    }
}

/// Opens a stream, for which a connection is waited for as long as `limit`.
///
/// # Errors
/// There is none.
///
/// # Cancel safety
/// Dropping it takes the request back.
pub(super) async fn open(
    inner: &Arc<Inner>,
    wanted: SubscriptionFilter,
    limit: Duration,
) -> Result<(SubscriptionFilter, Stream), ClientError> {
    let line = inner.ready(limit).await?;
    match open_over(inner, &line, wanted.clone()).await {
        Err(error) if line.may_be_unfit(&error) => match inner.renew(&line).await {
            Some(line) => open_over(inner, &line, wanted).await,
            None => Err(error),
        },
        opened => opened,
    }
}

async fn open_over(
    inner: &Arc<Inner>,
    line: &Arc<Line>,
    wanted: SubscriptionFilter,
) -> Result<(SubscriptionFilter, Stream), ClientError> {
    match line.peer.revision.era() {
        Era::Modern => ask(line, wanted).await,
        Era::Legacy => subscribe(inner, line, wanted).await,
    }
}

/// Opens a listen stream and waits for its acknowledgement.
async fn ask(
    line: &Arc<Line>,
    wanted: SubscriptionFilter,
) -> Result<(SubscriptionFilter, Stream), ClientError> {
    let method = Method::SubscriptionsListen.as_str();
    let revision = line.peer.revision;
    let mut params = SubscriptionsListenRequestParams::new(wanted);
    params.meta = Some(line.meta(&JsonObject::new(), None));
    let inbox = Arc::new(Inbox::default());
    let in_flight = line
        .shared()
        .send(method, Some(Arc::clone(&inbox)), |_| Some(Wire(&params, revision)))
        .map_err(ClientError::Closed)?;
    let limit = line.config.patience.timeout;
    let acknowledged = timeout(limit, async {
        // What comes before the acknowledgement breaks the protocol and is not shown.
        while let Some(notice) = inbox.next().await {
            if let News::Acknowledged(acknowledged) = notice.news() {
                return Some(acknowledged.notifications);
            }
        }
        None
    })
    .await;
    match acknowledged {
        Ok(Some(granted)) => Ok((granted, Stream::Request { in_flight, inbox, _line: Arc::clone(line) })),
        Ok(None) => {
            ended(in_flight.end().await)?;
            Ok((SubscriptionFilter::default(), Stream::Ended))
        }
        Err(_) => Err(ClientError::Timeout { method: method.to_owned(), after: limit }),
    }
}

/// Subscribes to every resource that is wanted.
async fn subscribe(
    inner: &Arc<Inner>,
    line: &Line,
    wanted: SubscriptionFilter,
) -> Result<(SubscriptionFilter, Stream), ClientError> {
    let lasting = &inner.lasting;
    let stream = Stream::Session { inbox: lasting.listen(), events: lasting.events(), gaps: lasting.gaps() };
    let mut granted = declared(wanted, &line.peer.capabilities);
    let client = Client(Arc::clone(inner));
    let mut subscribed = Vec::new();
    for uri in granted.resource_subscriptions.unwrap_or_default() {
        match client.subscribe(uri.clone()).await {
            Ok(_) => subscribed.push(uri),
            // One resource that cannot be watched does not spoil the others.
            Err(ClientError::Rpc { error, .. }) => {
                tracing::debug!(uri = &*outline(&uri), code = error.code, "not subscribed");
            }
            Err(error) => return Err(error),
        }
    }
    granted.resource_subscriptions = Some(subscribed).filter(|uris| !uris.is_empty());
    if line.shared().is_deaf() {
        // What it declares it can say only while it answers something else.
        let reason = "it has no stream for them, and says so with HTTP 405".to_owned();
        line.shared().warn(&Warning::PushStreamLost { reason });
    }
    Ok((granted, stream))
}

/// What the end of a listen stream means.
pub(super) fn ended(answer: Answer) -> Result<(), ClientError> {
    answer.into_result(Method::SubscriptionsListen.as_str()).map(|_| ())
}

/// The part of a wish that a legacy server declares.
fn declared(wanted: SubscriptionFilter, server: &ServerCapabilities) -> SubscriptionFilter {
    let granted = |wish: Option<bool>, declared: Option<bool>| {
        (wish == Some(true) && declared == Some(true)).then_some(true)
    };
    let resources = server.resources.as_ref();
    let subscribes = resources.is_some_and(|resources| resources.subscribe == Some(true));
    SubscriptionFilter {
        tools_list_changed: granted(
            wanted.tools_list_changed,
            server.tools.as_ref().and_then(|tools| tools.list_changed),
        ),
        prompts_list_changed: granted(
            wanted.prompts_list_changed,
            server.prompts.as_ref().and_then(|prompts| prompts.list_changed),
        ),
        resources_list_changed: granted(
            wanted.resources_list_changed,
            resources.and_then(|resources| resources.list_changed),
        ),
        resource_subscriptions: wanted.resource_subscriptions.filter(|_| subscribes),
        ..SubscriptionFilter::default()
    }
}

/// Whether a notification of a session is one that was asked for.
pub(super) fn is_granted(granted: &SubscriptionFilter, notice: &Notice) -> bool {
    match notice.news() {
        News::ToolsChanged => granted.tools_list_changed == Some(true),
        News::PromptsChanged => granted.prompts_list_changed == Some(true),
        News::ResourcesChanged => granted.resources_list_changed == Some(true),
        // A change may name a part of the resource that was subscribed to.
        News::ResourceUpdated(updated) => granted
            .resource_subscriptions
            .as_ref()
            .is_some_and(|uris| uris.iter().any(|uri| updated.uri.starts_with(uri))),
        _ => false,
    }
}
