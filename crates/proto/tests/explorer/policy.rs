//! What the world asks of a server, and the words for what happens.

use hermes_proto::outbox::Delivery;
use std::fmt;
use std::hash::Hash;

/// A message, by its place in the script of the model.
pub type Msg = u8;

/// What kind of message it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// With what it is about.
    Hint(char),
    Note,
    Request,
    Response,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hint(key) => write!(f, "hint {key}"),
            Self::Note => f.write_str("note"),
            Self::Request => f.write_str("request"),
            Self::Response => f.write_str("response"),
        }
    }
}

/// One event on its way to the client. Without a body it only primes the client's cursor, or says that notes are
/// missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Frame<Id> {
    pub id: Option<Id>,
    pub body: Option<Msg>,
    /// How many notes gave way that would have come here.
    pub gap: u8,
}

/// What a connection's writer finds when it asks.
pub enum Read<Id> {
    Frame(Frame<Id>),
    Idle,
    /// The server closes this connection.
    Ended,
}

/// What the server told somebody, or counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Told {
    /// A request failed for its caller, who hears that the client cannot have it or may have it.
    Failed(Msg, Delivery),
    /// Hints were given up, and the client has to look at everything.
    HintsLost,
    /// So many notes were given up.
    NotesGivenUp(u8),
    /// So many hints went back into the queue.
    Raised(u8),
    /// The response was given up, and the client cannot have it or may have it.
    ResponseGivenUp(Delivery),
}

/// Frames that the server writes by itself, each with the connection it picks.
pub type Pushed<Id> = Vec<(usize, Frame<Id>)>;

/// One step of a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The server has something to say that belongs to no call.
    Append,
    /// The client answers a request of the server.
    Answer(Msg),
    /// The client cancels the running call.
    Cancel,
    /// A frame in flight arrives.
    Deliver(usize),
    /// A connection dies and nobody sees it.
    Drop(usize),
    /// The process that serves a dead connection ends, but is still registered.
    Exit(usize),
    /// The earliest deadline passes.
    Expire,
    /// The server closes a connection at once.
    HangUp(usize),
    /// The server learns that a connection is gone.
    Notice(usize),
    /// The client opens this connection, without a cursor.
    Open(usize),
    /// The server wants to be polled: it closes a connection when it has written what is due.
    Poll(usize),
    /// The client calls a tool on this connection.
    Post(usize),
    /// The server writes the next event on this connection.
    Read(usize),
    /// The running call has something to say.
    Relate,
    /// The running call has its result.
    Respond,
    /// The client replaces the first connection by the second, with its cursor.
    Resume(usize, usize),
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Append => write!(f, "append"),
            Self::Answer(msg) => write!(f, "answer m{msg}"),
            Self::Cancel => write!(f, "cancel"),
            Self::Deliver(conn) => write!(f, "deliver c{conn}"),
            Self::Drop(conn) => write!(f, "drop c{conn}"),
            Self::Exit(conn) => write!(f, "exit c{conn}"),
            Self::Expire => write!(f, "expire"),
            Self::HangUp(conn) => write!(f, "hang up c{conn}"),
            Self::Notice(conn) => write!(f, "notice c{conn}"),
            Self::Open(conn) => write!(f, "open c{conn}"),
            Self::Poll(conn) => write!(f, "poll c{conn}"),
            Self::Post(conn) => write!(f, "post c{conn}"),
            Self::Read(conn) => write!(f, "read c{conn}"),
            Self::Relate => write!(f, "relate"),
            Self::Respond => write!(f, "respond"),
            Self::Resume(old, new) => write!(f, "resume c{old} as c{new}"),
        }
    }
}

/// What can be wrong with a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Flaw {
    /// An invariant of the outbox, by name.
    Broken(&'static str),
    /// A response travelled on the stream of something else.
    Crossed,
    /// A message was lost, written nowhere, although a connection was open for it.
    Deaf,
    /// The handler ran twice for one call.
    DoubleRun,
    /// A message arrived twice without having been raised again.
    Duplicate,
    /// A response was gone when the client asked for it with its cursor.
    Erased,
    /// A message was lost, written to a dead connection, although a live one was open for it.
    HandedToDead,
    /// A message was lost and nobody was told.
    Lost,
    /// A message was in flight when its connection died, and was lost.
    LostInFlight,
    /// Two messages arrived in the wrong order.
    Reordered,
    /// A request of the server had two outcomes.
    TwoOutcomes,
    /// A message was lost, and no connection for it was alive.
    Unheard,
}

/// How a server decides who gets what.
pub trait Policy: Clone + Eq + Hash {
    /// The id of an event, as the client shows it in a cursor.
    type Id: Copy + Ord + Hash + fmt::Debug;

    /// Whether the server writes by itself instead of being asked.
    const PUSHES: bool;

    /// A GET arrives on a new connection. `None` refuses it.
    fn get(&mut self, conn: usize, cursor: Option<Self::Id>) -> Option<Vec<Frame<Self::Id>>>;

    /// A POST with a call arrives on a new connection.
    fn post(&mut self, conn: usize) -> Vec<Frame<Self::Id>>;

    /// The server has a message that belongs to no call.
    fn append(&mut self, kind: Kind, msg: Msg) -> Pushed<Self::Id>;

    /// The call has a message before its response.
    fn relate(&mut self, kind: Kind, msg: Msg) -> Pushed<Self::Id>;

    /// The call has its response. The `bool` says that the handler ran again.
    fn respond(&mut self, msg: Msg) -> (Pushed<Self::Id>, bool);

    /// The writer of a connection asks for the next event.
    fn read(&mut self, conn: usize) -> Read<Self::Id>;

    /// Whether the writer of this connection would find something, or the order to close.
    fn readable(&self, conn: usize) -> bool;

    /// The next step in learning that this connection is gone, if the server believes in it still.
    fn closing(&self, conn: usize) -> Option<Step>;

    /// Takes that step.
    fn close(&mut self, conn: usize);

    /// Whether the server may ask the writer of this connection to close it after it has written what is due.
    fn can_hang_up(&self, _conn: usize) -> bool {
        false
    }

    /// Asks it.
    fn hang_up(&mut self, _conn: usize) {}

    /// The cancellation of the running call arrives.
    fn cancel(&mut self) {}

    /// What the last step made the server tell somebody, or count.
    fn told(&mut self) -> Vec<Told> {
        Vec::new()
    }

    /// The answer of the client to a request arrives.
    fn settle(&mut self, msg: Msg);

    /// Whether a deadline runs.
    fn can_expire(&self) -> bool;

    /// The earliest deadline passes.
    fn expire(&mut self) -> Vec<Told>;

    /// The name of an invariant that does not hold.
    fn broken(&self) -> Option<&'static str>;
}
