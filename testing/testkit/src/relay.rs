//! A relay between client and server that cuts, stalls and swallows, byte for byte as it was told.

use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{ReadHalf, WriteHalf};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::{oneshot, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};

/// How much is forwarded at once.
const PIECE: usize = 16 * 1024;

/// What becomes of a connection that goes through the relay.
///
/// ```
/// use hermes_testkit::relay::{Fate, Strike};
///
/// let cut_early = Fate::pass().strike_answer(300, Strike::Reset);
/// let slow_proxy = Fate::pass().in_pieces(1);
/// # let _ = (cut_early, slow_proxy);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fate {
    request: Way,
    answer: Way,
    late: Option<Duration>,
}

/// What becomes of one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Way {
    strike: Option<(u64, Strike)>,
    piece: Option<usize>,
    idle: Option<Duration>,
}

/// What happens to a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strike {
    /// Both sides see an ordinary end, as from a proxy that shuts down.
    Finish,
    /// Both sides see a reset.
    Reset,
    /// Nothing is forwarded or taken any more, and neither side is told. The sender's window closes.
    Stall,
    /// Everything that still comes is taken and thrown away, and neither side is told: a half-open connection.
    Swallow,
}

impl Fate {
    /// Everything is forwarded.
    #[must_use]
    pub const fn pass() -> Self {
        let way = Way { strike: None, piece: None, idle: None };
        Self { request: way, answer: way, late: None }
    }

    /// Strikes once exactly so many bytes of the answer were forwarded.
    #[must_use]
    pub const fn strike_answer(mut self, after: u64, strike: Strike) -> Self {
        self.answer.strike = Some((after, strike));
        self
    }

    /// Strikes once exactly so many bytes of the request were forwarded.
    #[must_use]
    pub const fn strike_request(mut self, after: u64, strike: Strike) -> Self {
        self.request.strike = Some((after, strike));
        self
    }

    /// Forwards both ways in pieces of at most so many bytes.
    #[must_use]
    pub const fn in_pieces(mut self, bytes: usize) -> Self {
        self.request.piece = Some(bytes);
        self.answer.piece = Some(bytes);
        self
    }

    /// Is connected to the server only after so long; what the client says meanwhile waits.
    #[must_use]
    pub const fn late(mut self, by: Duration) -> Self {
        self.late = Some(by);
        self
    }

    /// Finishes the connection when the server says nothing for so long, as proxies do.
    #[must_use]
    pub const fn impatient(mut self, limit: Duration) -> Self {
        self.answer.idle = Some(limit);
        self
    }
}

/// What the relay tells of a connection once it is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The client's address.
    pub client: SocketAddr,
    /// The bytes of the request that were forwarded.
    pub request: u64,
    /// The bytes of the answer that were forwarded.
    pub answer: u64,
    /// What struck; `None` if client or server ended the connection.
    pub struck: Option<Strike>,
}

/// A relay in front of a server. Dropping it closes everything that goes through it.
#[derive(Debug)]
pub struct Relay {
    address: SocketAddr,
    shared: Arc<Shared>,
    _tasks: JoinSet<()>,
}

#[derive(Debug)]
struct Shared {
    /// Where new connections lead.
    server: Mutex<SocketAddr>,
    /// Fates of connections that [`Relay::connect`] is about to make.
    own: Mutex<Vec<(SocketAddr, Passage)>>,
    /// Fates by order of arrival, for clients that connect by themselves.
    next: Mutex<VecDeque<Fate>>,
    /// The fate of those for whom there is none.
    usual: Mutex<Fate>,
    log: Mutex<Vec<Entry>>,
    /// When each client came.
    arrivals: Mutex<Vec<Instant>>,
    /// How often everything was cut.
    cleared: watch::Sender<u64>,
}

/// A connection's fate, and who wants to know when it strikes.
#[derive(Debug)]
struct Passage {
    fate: Fate,
    struck: oneshot::Sender<Strike>,
}

/// Tells when a connection's fate strikes.
#[derive(Debug)]
pub struct Struck(oneshot::Receiver<Strike>);

impl Struck {
    /// Waits until it strikes; `None` if the connection ended before.
    pub async fn wait(&mut self) -> Option<Strike> {
        if self.0.is_terminated() { None } else { (&mut self.0).await.ok() }
    }
}

impl Relay {
    /// Starts a relay in front of a server.
    ///
    /// # Errors
    /// There is no port to listen on.
    pub async fn start(server: SocketAddr) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            server: Mutex::new(server),
            own: Mutex::default(),
            next: Mutex::default(),
            usual: Mutex::default(),
            log: Mutex::default(),
            arrivals: Mutex::default(),
            cleared: watch::Sender::new(0),
        });
        let mut tasks = JoinSet::new();
        tasks.spawn(serve(listener, Arc::clone(&shared)));
        Ok(Self { address, shared, _tasks: tasks })
    }

    /// Where it listens.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// What becomes of the next connections that clients make by themselves; without a fate they have the
    /// [usual](Self::usually) one.
    pub fn plan(&self, fates: impl IntoIterator<Item = Fate>) {
        lock(&self.shared.next).extend(fates);
    }

    /// What becomes of connections from now on for which nothing is planned; they pass without this. What is planned
    /// already is forgotten.
    pub fn usually(&self, fate: Fate) {
        lock(&self.shared.next).clear();
        *lock(&self.shared.usual) = fate;
    }

    /// Leads new connections to another server, as after a restart. Those that are there keep theirs.
    pub fn lead_to(&self, server: SocketAddr) {
        *lock(&self.shared.server) = server;
    }

    /// Closes all connections that there are, also those that stall.
    pub fn clear(&self) {
        self.shared.cleared.send_modify(|cleared| *cleared += 1);
    }

    /// When each client came, in order.
    #[must_use]
    pub fn arrivals(&self) -> Vec<Instant> {
        lock(&self.shared.arrivals).clone()
    }

    /// Connects through the relay, with a fate.
    ///
    /// # Errors
    /// The connection cannot be made.
    pub async fn connect(&self, fate: Fate) -> io::Result<(TcpStream, Struck)> {
        let socket = TcpSocket::new_v4()?;
        socket.bind(SocketAddr::from(([127, 0, 0, 1], 0)))?;
        let (struck, told) = oneshot::channel();
        // Before the relay can see the connection.
        lock(&self.shared.own).push((socket.local_addr()?, Passage { fate, struck }));
        Ok((socket.connect(self.address).await?, Struck(told)))
    }

    /// The connections that are over, in the order in which they ended.
    #[must_use]
    pub fn log(&self) -> Vec<Entry> {
        lock(&self.shared.log).clone()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    fn passage(&self, client: SocketAddr) -> Passage {
        let mut own = lock(&self.own);
        if let Some(at) = own.iter().position(|(known, _)| *known == client) {
            return own.swap_remove(at).1;
        }
        let planned = lock(&self.next).pop_front();
        let fate = planned.unwrap_or_else(|| *lock(&self.usual));
        Passage { fate, struck: oneshot::channel().0 }
    }
}

async fn serve(listener: TcpListener, shared: Arc<Shared>) {
    let mut passages = JoinSet::new();
    while let Ok((client, address)) = listener.accept().await {
        lock(&shared.arrivals).push(Instant::now());
        passages.spawn(carry_until_cleared(client, address, Arc::clone(&shared)));
        while passages.try_join_next().is_some() {}
    }
}

/// Carries one connection to its end, or until everything is cut.
async fn carry_until_cleared(client: TcpStream, address: SocketAddr, shared: Arc<Shared>) {
    let mut cleared = shared.cleared.subscribe();
    tokio::select! {
        biased;
        // The sender lives in `shared`: it is there. Sockets that are dropped are closed.
        _ = cleared.changed() => {}
        () = carry(client, address, &shared) => {}
    }
}

/// Carries one connection to its end.
#[expect(clippy::disallowed_methods, reason = "to come late is what a fate may be")]
async fn carry(mut client: TcpStream, address: SocketAddr, shared: &Shared) {
    let Passage { fate, struck } = shared.passage(address);
    if let Some(late) = fate.late {
        sleep(late).await;
    }
    let server = *lock(&shared.server);
    // A server that is not there is seen as a connection that was reset.
    let Ok(mut server) = TcpStream::connect(server).await else { return drop(client.set_zero_linger()) };
    for side in [&client, &server] {
        let _ = side.set_nodelay(true);
    }
    let (mut request, mut answer) = (0, 0);
    let ended = {
        let (from_client, to_client) = client.split();
        let (from_server, to_server) = server.split();
        tokio::try_join!(
            forward(from_client, to_server, fate.request, &mut request),
            forward(from_server, to_client, fate.answer, &mut answer),
        )
    };
    let entry = |struck| Entry { client: address, request, answer, struck };
    match ended {
        Ok(_) => lock(&shared.log).push(entry(None)),
        Err(End::Broken) => {
            lock(&shared.log).push(entry(None));
            // Whoever is left is told as the other side told it.
            let _ = (client.set_zero_linger(), server.set_zero_linger());
        }
        Err(End::Struck(strike)) => {
            lock(&shared.log).push(entry(Some(strike)));
            match strike {
                Strike::Finish => {
                    let _ = (client.shutdown().await, server.shutdown().await);
                }
                Strike::Reset => {
                    let _ = (client.set_zero_linger(), server.set_zero_linger());
                    drop((client, server));
                    // Nobody may wait for it.
                    let _ = struck.send(strike);
                    return;
                }
                Strike::Stall | Strike::Swallow => {}
            }
            let _ = struck.send(strike);
            if strike != Strike::Stall {
                // What is not read would turn the end into a reset.
                let _ = tokio::io::copy(&mut server, &mut tokio::io::sink()).await;
            }
            if strike != Strike::Finish {
                // Both sockets stay open until the relay is dropped.
                std::future::pending::<()>().await;
            }
        }
    }
}

/// How one direction ended other than by an ordinary end.
enum End {
    /// A side reset its connection.
    Broken,
    Struck(Strike),
}

/// Forwards one direction to its end.
async fn forward(
    mut from: ReadHalf<'_>,
    mut to: WriteHalf<'_>,
    way: Way,
    forwarded: &mut u64,
) -> Result<(), End> {
    let mut buffer = vec![0; way.piece.unwrap_or(PIECE).clamp(1, PIECE)];
    loop {
        let mut most = buffer.len() as u64;
        if let Some((after, strike)) = way.strike {
            if *forwarded >= after {
                return Err(End::Struck(strike));
            }
            most = most.min(after - *forwarded);
        }
        let room = buffer.get_mut(..most as usize).unwrap_or_default();
        let read = from.read(room);
        let read = match way.idle {
            Some(limit) => timeout(limit, read).await.map_err(|_| End::Struck(Strike::Finish))?,
            None => read.await,
        };
        let read = read.map_err(|_| End::Broken)?;
        if read == 0 {
            return to.shutdown().await.map_err(|_| End::Broken);
        }
        to.write_all(room.get(..read).unwrap_or_default()).await.map_err(|_| End::Broken)?;
        *forwarded += read as u64;
        tokio::task::yield_now().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A server that sends ten letters as soon as it hears something, and keeps the connection.
    async fn talker() -> (SocketAddr, JoinSet<io::Result<usize>>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let mut tasks = JoinSet::new();
        tasks.spawn(async move {
            let (mut stream, _) = listener.accept().await?;
            stream.read_u8().await?;
            stream.write_all(b"0123456789").await?;
            let mut rest = Vec::new();
            stream.read_to_end(&mut rest).await
        });
        (address, tasks)
    }

    /// What a client hears that says one byte, and how the server saw the end.
    async fn told(fate: Fate) -> (io::Result<String>, io::Result<usize>, Relay) {
        let (server, mut tasks) = talker().await;
        let relay = Relay::start(server).await.expect("a relay");
        let (mut client, mut struck) = relay.connect(fate).await.expect("connected");
        client.write_all(b"x").await.expect("sent");
        let mut heard = String::new();
        let mut outcome = Ok(());
        while outcome.is_ok() && heard.len() < 10 {
            match client.read_u8().await {
                Ok(byte) => heard.push(char::from(byte)),
                Err(error) => outcome = Err(error),
            }
        }
        let strike = if heard.len() < 10 { struck.wait().await } else { None };
        assert_eq!(strike, fate.answer.strike.map(|(_, strike)| strike));
        drop(client);
        let seen = tasks.join_next().await.expect("a server").expect("no panic");
        (outcome.map(|()| heard), seen, relay)
    }

    #[tokio::test]
    async fn what_is_not_struck_passes() {
        for fate in [Fate::pass(), Fate::pass().in_pieces(1), Fate::pass().strike_request(100, Strike::Reset)]
        {
            let (heard, seen, _relay) = told(fate).await;
            assert_eq!(
                (heard.expect("all of it"), seen.expect("an ordinary end")),
                ("0123456789".to_owned(), 0)
            );
        }
    }

    #[tokio::test]
    async fn a_reset_is_seen_on_both_sides_as_one() {
        let (heard, seen, relay) = told(Fate::pass().strike_answer(4, Strike::Reset)).await;
        assert_eq!(heard.expect_err("cut").kind(), io::ErrorKind::ConnectionReset);
        assert_eq!(seen.expect_err("cut").kind(), io::ErrorKind::ConnectionReset);
        let log = relay.log();
        assert_eq!((log.len(), log[0].request, log[0].answer, log[0].struck), (1, 1, 4, Some(Strike::Reset)));
    }

    #[tokio::test]
    async fn an_end_is_seen_on_both_sides_as_one() {
        let (heard, seen, relay) = told(Fate::pass().strike_answer(4, Strike::Finish)).await;
        assert_eq!(heard.expect_err("cut").kind(), io::ErrorKind::UnexpectedEof);
        assert_eq!((seen.expect("an ordinary end"), relay.log().len()), (0, 1));
    }

    #[tokio::test]
    async fn a_half_open_connection_is_silent_on_both_sides() {
        for strike in [Strike::Stall, Strike::Swallow] {
            let (server, mut tasks) = talker().await;
            let relay = Relay::start(server).await.expect("a relay");
            let fate = Fate::pass().strike_answer(3, strike);
            let (mut client, mut struck) = relay.connect(fate).await.expect("connected");
            client.write_all(b"x").await.expect("sent");
            let mut heard = [0; 3];
            client.read_exact(&mut heard).await.expect("what was forwarded");
            assert_eq!((&heard, struck.wait().await), (b"012", Some(strike)));
            drop(client);
            assert!(tasks.try_join_next().is_none(), "the server was told nothing");
            drop(relay);
            assert!(tasks.join_next().await.is_some(), "now it is told");
        }
    }

    #[tokio::test]
    async fn connections_that_are_closed_all_at_once_end_also_when_they_stall() {
        for strike in [None, Some(Strike::Stall), Some(Strike::Swallow)] {
            let (server, mut tasks) = talker().await;
            let relay = Relay::start(server).await.expect("a relay");
            let fate = strike.map_or(Fate::pass(), |strike| Fate::pass().strike_answer(4, strike));
            let (mut client, mut struck) = relay.connect(fate).await.expect("connected");
            client.write_all(b"x").await.expect("sent");
            let mut heard = [0; 4];
            client.read_exact(&mut heard).await.expect("the beginning");
            if strike.is_some() {
                assert_eq!(struck.wait().await, strike);
            }
            relay.clear();
            let mut rest = Vec::new();
            // An end or a reset, as the system has it.
            let _ = client.read_to_end(&mut rest).await;
            let _ = tasks.join_next().await.expect("a server").expect("it sees the end");
        }
    }

    #[tokio::test]
    async fn new_connections_lead_where_they_are_led_to_and_have_the_usual_fate() {
        let (first, _first_tasks) = talker().await;
        let (second, _second_tasks) = talker().await;
        let relay = Relay::start(first).await.expect("a relay");
        relay.plan([Fate::pass().strike_request(0, Strike::Reset)]);
        relay.usually(Fate::pass().late(Duration::from_millis(1)).strike_answer(3, Strike::Finish));
        relay.lead_to(second);
        let mut client = TcpStream::connect(relay.address()).await.expect("connected");
        client.write_all(b"x").await.expect("sent");
        let mut heard = Vec::new();
        client.read_to_end(&mut heard).await.expect("an ordinary end");
        assert_eq!((&*heard, relay.arrivals().len()), (&b"012"[..], 1));
    }
}
