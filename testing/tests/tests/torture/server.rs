//! The server of a round: it counts what it runs, is killed and comes back, and something in front of it is busy at times.

use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::extract::{Request, State};
use axum::http::Method;
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use hermes::http::{McpService, StreamableHttp};
use hermes::{Context, Elicited, Server, ToolDef, ToolError};
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};
use tokio::time::Instant;

use crate::plan::Work;

/// What goes on beyond a single life of the server.
#[derive(Debug, Default)]
pub(crate) struct World {
    /// How often each call ran.
    runs: Mutex<BTreeMap<String, u32>>,
    /// When each request came, those that were refused in front included, and its verb.
    requests: Mutex<Vec<(Instant, Method)>>,
    /// How many are still to be refused, and what they are told.
    busy: AtomicU32,
    retry_after: Mutex<Option<u64>>,
}

impl World {
    pub(crate) fn runs(&self, key: &str) -> u32 {
        lock(&self.runs).get(key).copied().unwrap_or_default()
    }

    fn ran(&self, key: &str) {
        *lock(&self.runs).entry(key.to_owned()).or_default() += 1;
    }

    /// How many requests have come.
    pub(crate) fn requests(&self) -> usize {
        lock(&self.requests).len()
    }

    /// When standalone streams were asked for, since this moment.
    pub(crate) fn asked_for_streams(&self, since: Instant) -> Vec<Duration> {
        let requests = lock(&self.requests);
        let asked = requests.iter().filter(|(at, verb)| *at >= since && *verb == Method::GET);
        asked.map(|(at, _)| at.duration_since(since)).collect()
    }

    /// So many requests are refused from now on.
    pub(crate) fn be_busy(&self, requests: u32, retry_after: Option<u64>) {
        *lock(&self.retry_after) = retry_after;
        self.busy.store(requests, SeqCst);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One life of the server. It has a runtime of its own, so that it can be killed with all that it does.
#[derive(Debug)]
pub(crate) struct Life {
    pub(crate) address: SocketAddr,
    service: McpService,
    runtime: Option<Runtime>,
}

impl Life {
    pub(crate) async fn begin(world: &Arc<World>) -> io::Result<Self> {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let service = StreamableHttp::new(server(world)).service();
        let router = axum::Router::new()
            .route_service("/mcp", service.clone())
            .layer(from_fn_with_state(Arc::clone(world), stand_in_front));
        let listener = runtime.spawn(TcpListener::bind("127.0.0.1:0")).await.map_err(io::Error::other)??;
        let address = listener.local_addr()?;
        runtime.spawn(async move { axum::serve(listener, router).await });
        Ok(Self { address, service, runtime: Some(runtime) })
    }

    /// How many streams have a reader.
    pub(crate) fn streams(&self) -> u64 {
        let metrics = self.service.endpoint().metrics();
        metrics.streams_attached - metrics.streams_detached
    }

    /// Kills it: its connections end, and whatever it does is undone.
    pub(crate) fn kill(mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }

    /// Ends it in good order, as far as it comes within a moment.
    pub(crate) async fn end(self) {
        let service = self.service.clone();
        let ending = async move { service.endpoint().shut_down().await };
        // Whoever is not done by then is cut.
        let _ = tokio::time::timeout(Duration::from_millis(200), ending).await;
        self.kill();
    }
}

impl Drop for Life {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// What a proxy does in front of a server that has no room.
async fn stand_in_front(State(world): State<Arc<World>>, request: Request, next: Next) -> Response {
    lock(&world.requests).push((Instant::now(), request.method().clone()));
    let is_busy = world.busy.fetch_update(SeqCst, SeqCst, |left| left.checked_sub(1)).is_ok();
    if !is_busy {
        return next.run(request).await;
    }
    let mut response = Response::builder().status(503);
    if let Some(seconds) = *lock(&world.retry_after) {
        response = response.header("Retry-After", seconds);
    }
    response.body("busy".into()).expect("a response")
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Order {
    key: String,
    ms: u64,
    notes: u32,
    bytes: u32,
    asks: bool,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Echoed {
    key: String,
}

fn server(world: &Arc<World>) -> Server {
    let tool = |world: &Arc<World>| {
        let world = Arc::clone(world);
        move |order: Order, ctx: Context| work(Arc::clone(&world), order, ctx)
    };
    Server::new("torture", "0.1.0")
        // What one life has sealed, the next one reads.
        .state_key([7; 32])
        .tool(ToolDef::new("work").description("Runs, which is counted"), tool(world))
        .tool(ToolDef::new("look").description("The same, and changes nothing").read_only(), tool(world))
}

#[expect(clippy::disallowed_methods, reason = "to take a while is what the tool is asked for")]
async fn work(world: Arc<World>, order: Order, ctx: Context) -> Result<String, ToolError> {
    let Order { key, ms, notes, bytes, asks } = order;
    if asks {
        // A modern server begins a call anew with the answer: what counts as running comes behind it.
        match ctx.elicit::<Echoed>(key.clone()).await? {
            Elicited::Accepted(echoed) if echoed.key == key => {}
            other => {
                let said = matches!(other, Elicited::Accepted(_));
                return Err(ToolError::new(format!("the answer to {key} is another's: {said}")));
            }
        }
    }
    world.ran(&key);
    let pause = Duration::from_millis(ms) / (notes + 1);
    for note in 1..=notes {
        tokio::time::sleep(pause).await;
        ctx.progress(f64::from(note), Some(f64::from(notes)), Some(&key));
    }
    if !pause.is_zero() {
        tokio::time::sleep(pause).await;
    }
    Ok(answer(&key, Work { ms, notes, bytes, asks }))
}

/// What a call is answered with, and no other.
pub(crate) fn answer(key: &str, work: Work) -> String {
    format!("{key}:{}", "x".repeat(work.bytes as usize))
}
