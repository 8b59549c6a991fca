//! Our own service behind TLS, which counts and can be told how to end.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use hermes::Server;
use hermes::http::{Local, McpService, StreamableHttp};
use hyper::Request;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use tokio::io::AsyncReadExt as _;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::{RootCertStore, ServerConfig};

use crate::authority::{Authority, Identity};

/// No test waits longer for anything: it has failed then.
const PATIENCE: Duration = Duration::from_secs(20);

/// A version of HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spoken {
    Http1,
    Http2,
}

/// How a server is to be.
pub(crate) struct Setup<'a> {
    pub(crate) identity: Identity,
    /// What is agreed on.
    pub(crate) spoken: Spoken,
    /// How many exchanges there may be at a time on a connection of HTTP/2.
    pub(crate) streams: u32,
    /// Whose clients are let in; everybody's by default.
    pub(crate) clients_of: Option<&'a Authority>,
}

impl Setup<'_> {
    pub(crate) fn new(identity: Identity, spoken: Spoken) -> Self {
        Self { identity, spoken, streams: 100, clients_of: None }
    }

    fn acceptor(&self) -> TlsAcceptor {
        let builder = ServerConfig::builder();
        let builder = match self.clients_of {
            None => builder.with_no_client_auth(),
            Some(authority) => {
                let mut roots = RootCertStore::empty();
                roots.add(authority.der().to_vec().into()).expect("a certificate");
                let verifier = WebPkiClientVerifier::builder(roots.into()).build().expect("a verifier");
                builder.with_client_cert_verifier(verifier)
            }
        };
        let chain = vec![self.identity.certificate.clone()];
        let mut config = builder.with_single_cert(chain, self.identity.key.clone_key()).expect("a key");
        config.alpn_protocols = match self.spoken {
            Spoken::Http1 => vec![b"http/1.1".to_vec()],
            Spoken::Http2 => vec![b"h2".to_vec()],
        };
        TlsAcceptor::from(Arc::new(config))
    }
}

/// What all connections are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    Serve,
    /// End once nothing runs any more.
    Finish,
    /// End at once.
    Cut,
    /// Stay, and neither read nor write any more.
    Freeze,
}

/// A server that listens until the test's runtime ends.
pub(crate) struct Https {
    pub(crate) address: SocketAddr,
    counts: Arc<Counts>,
    orders: watch::Sender<Order>,
}

#[derive(Debug, Default)]
struct Counts {
    accepted: AtomicUsize,
    handshakes: AtomicUsize,
    requests: AtomicUsize,
    open: watch::Sender<usize>,
}

impl Https {
    pub(crate) async fn start(server: Server, setup: Setup<'_>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let (counts, orders) = (Arc::new(Counts::default()), watch::Sender::new(Order::Serve));
        let front = Front {
            service: StreamableHttp::new(server).allow_host("mcp.test").service(),
            acceptor: setup.acceptor(),
            streams: setup.streams,
            address,
            counts: Arc::clone(&counts),
        };
        let heard = orders.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                front.counts.accepted.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(front.clone().serve(stream, heard.subscribe()));
            }
        });
        Self { address, counts, orders }
    }

    /// The endpoint at this name of the machine.
    pub(crate) fn url(&self, host: &str) -> String {
        format!("https://{host}:{}/mcp", self.address.port())
    }

    /// How many connections have agreed on TLS.
    pub(crate) fn handshakes(&self) -> usize {
        self.counts.handshakes.load(Ordering::SeqCst)
    }

    /// How many requests came.
    pub(crate) fn requests(&self) -> usize {
        self.counts.requests.load(Ordering::SeqCst)
    }

    /// Ends all connections there are, each once nothing runs on it, and waits until the client has hung up too.
    pub(crate) async fn finish(&self) {
        self.orders.send_replace(Order::Finish);
        self.emptied().await;
    }

    /// The same, without waiting.
    pub(crate) fn begin_to_finish(&self) {
        self.orders.send_replace(Order::Finish);
    }

    /// Ends all connections there are, at once.
    pub(crate) async fn cut(&self) {
        self.orders.send_replace(Order::Cut);
        self.emptied().await;
    }

    /// From now on nothing is read or written on all connections there are, as if the server had lost its power.
    pub(crate) fn freeze(&self) {
        self.orders.send_replace(Order::Freeze);
    }

    async fn emptied(&self) {
        let mut open = self.counts.open.subscribe();
        timeout(PATIENCE, open.wait_for(|open| *open == 0)).await.expect("in time").expect("counted");
    }
}

/// What answers.
#[derive(Clone)]
struct Front {
    service: McpService,
    acceptor: TlsAcceptor,
    streams: u32,
    address: SocketAddr,
    counts: Arc<Counts>,
}

impl Front {
    async fn serve(self, stream: TcpStream, mut orders: watch::Receiver<Order>) {
        self.counts.open.send_modify(|open| *open += 1);
        self.talk(stream, &mut orders).await;
        self.counts.open.send_modify(|open| *open -= 1);
    }

    async fn talk(&self, stream: TcpStream, orders: &mut watch::Receiver<Order>) {
        stream.set_nodelay(true).expect("a socket");
        let (stream, mut again) = doubled(stream);
        let Ok(stream) = self.acceptor.accept(stream).await else {
            // One does not like the certificate of the other, as the test expects.
            return drain(&mut again).await;
        };
        self.counts.handshakes.fetch_add(1, Ordering::SeqCst);
        let front = self.clone();
        let answer = service_fn(move |mut request: Request<Incoming>| {
            front.counts.requests.fetch_add(1, Ordering::SeqCst);
            request.extensions_mut().insert(Local(front.address));
            let service = front.service.clone();
            async move { Ok::<_, Infallible>(service.answer(request).await) }
        });
        let mut builder = auto::Builder::new(TokioExecutor::new());
        builder.http2().max_concurrent_streams(self.streams);
        let mut connection = pin!(builder.serve_connection(TokioIo::new(stream), answer));
        loop {
            tokio::select! {
                // How it ends is seen at the other side.
                _ = connection.as_mut() => break,
                changed = orders.changed() => {
                    let order = *orders.borrow_and_update();
                    match (changed, order) {
                        (Ok(()), Order::Finish) => connection.as_mut().graceful_shutdown(),
                        (Ok(()), Order::Cut) | (Err(_), _) => return,
                        (Ok(()), Order::Freeze) => std::future::pending().await,
                        (Ok(()), Order::Serve) => {}
                    }
                }
            }
        }
        // Only what the client has ended as well will not be used again.
        drain(&mut again).await;
    }
}

/// Reads until the other side has hung up.
async fn drain(stream: &mut TcpStream) {
    let mut rest = [0; 1024];
    while stream.read(&mut rest).await.is_ok_and(|read| read > 0) {}
}

/// The same socket twice.
fn doubled(stream: TcpStream) -> (TcpStream, TcpStream) {
    let stream = stream.into_std().expect("a socket");
    let again = stream.try_clone().expect("a descriptor");
    let registered = |stream| TcpStream::from_std(stream).expect("a runtime");
    (registered(stream), registered(again))
}
