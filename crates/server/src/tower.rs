//! Layers of `tower` around handlers.

use std::task;

use tower_layer::Layer;
use tower_service::Service;

use crate::error::ToolError;
use crate::layer::{Answer, Invocation, Next, Stage};
use crate::server::Server;
use crate::tool::BoxFuture;

impl Service<Invocation> for Next {
    type Response = Answer;
    type Error = ToolError;
    type Future = BoxFuture<Result<Answer, ToolError>>;

    fn poll_ready(&mut self, cx: &mut task::Context<'_>) -> task::Poll<Result<(), ToolError>> {
        self.0.ready(cx)
    }

    fn call(&mut self, invocation: Invocation) -> Self::Future {
        self.0.run(invocation)
    }
}

/// A service of any type.
struct Tower<S>(S);

impl<S> Stage for Tower<S>
where
    S: Service<Invocation, Response = Answer> + Clone + Send + Sync + 'static,
    S::Error: Into<ToolError>,
    S::Future: Send + 'static,
{
    fn ready(&mut self, cx: &mut task::Context<'_>) -> task::Poll<Result<(), ToolError>> {
        self.0.poll_ready(cx).map_err(Into::into)
    }

    fn run(&mut self, invocation: Invocation) -> BoxFuture<Result<Answer, ToolError>> {
        let answer = self.0.call(invocation);
        Box::pin(async { answer.await.map_err(Into::into) })
    }

    fn copy(&self) -> Box<dyn Stage> {
        Box::new(Self(self.0.clone()))
    }
}

impl Server {
    /// Puts a `tower` layer around every handler; see [`around`](Self::around) for what that means.
    ///
    /// Each call has a clone of the service: what all of them share, as the permits of a limit, is shared by its clones.
    ///
    /// ```
    /// use hermes_server::Server;
    /// use tower::limit::GlobalConcurrencyLimitLayer;
    ///
    /// // Eight handlers at a time, on all connections together; the others wait.
    /// let server = Server::new("demo", "0.1.0").layer(GlobalConcurrencyLimitLayer::new(8));
    /// ```
    pub fn layer<L>(self, layer: L) -> Self
    where
        L: Layer<Next>,
        L::Service: Service<Invocation, Response = Answer> + Clone + Send + Sync + 'static,
        <L::Service as Service<Invocation>>::Error: Into<ToolError>,
        <L::Service as Service<Invocation>>::Future: Send + 'static,
    {
        self.behind(|next| Next::at(Tower(layer.layer(next))))
    }
}
