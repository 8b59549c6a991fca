//! Streams of chosen notifications, in both eras.

use std::sync::Arc;

use hermes_types::{
    Era, JsonObject, Method, ServerCapabilities, SubscriptionFilter, SubscriptionsListenRequestParams, Wire,
};
use tokio::time::timeout;

use crate::Client;
use crate::connection::{Answer, InFlight, Shared};
use crate::error::ClientError;
use crate::line::Line;
use crate::notice::{Inbox, News, Notice};

/// A stream of chosen notifications that has begun.
///
/// In the modern era it is a request of its own: dropping it ends it, and the server is told. In the legacy era the
/// server sends what it sends, and this picks from it; resources stay subscribed until
/// [`Client::unsubscribe`].
#[derive(Debug)]
pub struct Listening {
    granted: SubscriptionFilter,
    stream: Stream,
}

#[derive(Debug)]
enum Stream {
    /// A listen request that is in flight.
    Request { in_flight: InFlight, inbox: Arc<Inbox> },
    /// All notifications of a session.
    Session { shared: Arc<Shared>, inbox: Arc<Inbox> },
    /// It has ended.
    Ended,
}

impl Listening {
    /// What the server promises to send: perhaps less than was asked for.
    #[must_use]
    pub const fn granted(&self) -> &SubscriptionFilter {
        &self.granted
    }

    /// The next notification; `None` when the server has ended the stream in good order.
    ///
    /// # Errors
    /// [`ClientError::Closed`] when the connection was lost, [`ClientError::Rpc`] when the server ended the stream
    /// with an error. Either is said once.
    ///
    /// # Cancel safety
    /// A notification is taken only when it is returned.
    pub async fn next(&mut self) -> Result<Option<Notice>, ClientError> {
        match &mut self.stream {
            Stream::Ended => Ok(None),
            Stream::Request { in_flight, inbox } => {
                if let Some(notice) = inbox.next().await {
                    return Ok(Some(notice));
                }
                let answer = in_flight.end().await;
                self.stream = Stream::Ended;
                ended(answer).map(|()| None)
            }
            Stream::Session { shared, inbox } => {
                while let Some(notice) = inbox.next().await {
                    if is_granted(&self.granted, &notice) {
                        return Ok(Some(notice));
                    }
                }
                let closed = shared.closed();
                self.stream = Stream::Ended;
                closed.map_or(Ok(None), |closed| Err(ClientError::Closed(closed)))
            }
        }
    }
}

impl Client {
    /// Listens to changes of lists and resources. In the modern era this is `subscriptions/listen`; in the legacy era
    /// every resource is subscribed to, and changes of lists come by themselves.
    ///
    /// Nothing is shown before the server has acknowledged: compare [`Listening::granted`] with the wish.
    ///
    /// ```
    /// # async fn example(client: hermes_client::Client) -> Result<(), hermes_client::ClientError> {
    /// use hermes_types::SubscriptionFilter;
    ///
    /// let wish = SubscriptionFilter { tools_list_changed: Some(true), ..SubscriptionFilter::default() };
    /// let mut listening = client.listen(wish).await?;
    /// while let Some(notice) = listening.next().await? {
    ///     println!("{}", notice.method);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`ClientError::Rpc`] when the server refuses, [`ClientError::Timeout`] when it does not acknowledge, and
    /// [`ClientError::Closed`].
    ///
    /// # Cancel safety
    /// Dropping it takes the request back.
    ///
    /// Source: `basic/patterns/subscriptions`, 2026-07-28; `server/resources#subscriptions`, 2025-11-25.
    pub async fn listen(&self, wanted: SubscriptionFilter) -> Result<Listening, ClientError> {
        match self.era() {
            Era::Modern => listen(&*self.0.ready(self.0.config.patience.timeout).await?, wanted).await,
            Era::Legacy => self.listen_in_session(wanted).await,
        }
    }

    async fn listen_in_session(&self, wanted: SubscriptionFilter) -> Result<Listening, ClientError> {
        let shared = Arc::clone(self.0.current().shared());
        let inbox = self.0.lasting.listen();
        let mut granted = declared(wanted, &self.capabilities());
        let mut subscribed = Vec::new();
        for uri in granted.resource_subscriptions.unwrap_or_default() {
            match self.subscribe(uri.clone()).await {
                Ok(_) => subscribed.push(uri),
                // One resource that cannot be watched does not spoil the others.
                Err(ClientError::Rpc { error, .. }) => tracing::debug!(uri, %error, "not subscribed"),
                Err(error) => return Err(error),
            }
        }
        granted.resource_subscriptions = Some(subscribed).filter(|uris| !uris.is_empty());
        Ok(Listening { granted, stream: Stream::Session { shared, inbox } })
    }
}

/// Opens a listen stream and waits for its acknowledgement.
async fn listen(line: &Line, wanted: SubscriptionFilter) -> Result<Listening, ClientError> {
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
        Ok(Some(granted)) => Ok(Listening { granted, stream: Stream::Request { in_flight, inbox } }),
        Ok(None) => {
            ended(in_flight.end().await)?;
            Ok(Listening { granted: SubscriptionFilter::default(), stream: Stream::Ended })
        }
        Err(_) => Err(ClientError::Timeout { method: method.to_owned(), after: limit }),
    }
}

/// What the end of a listen stream means.
fn ended(answer: Answer) -> Result<(), ClientError> {
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
fn is_granted(granted: &SubscriptionFilter, notice: &Notice) -> bool {
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
