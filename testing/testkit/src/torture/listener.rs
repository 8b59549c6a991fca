//! The standalone stream of a session, which is killed again and again and has to hear in the end.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Notify, oneshot};
use tokio::time::timeout;

use crate::raw::{Answer, Connection, Frame, RawError, Session};
use crate::relay::Relay;
use crate::torture::call::{Ended, or_struck};
use crate::torture::plan::Kill;

/// What a listener has to know of its round.
#[derive(Debug)]
pub(super) struct Listening {
    pub(super) session: Session,
    pub(super) relay: Arc<Relay>,
    pub(super) kills: Vec<Kill>,
    /// Told when all calls are over.
    pub(super) over: Arc<Notify>,
    /// Tells that the last connection is there.
    pub(super) attached: oneshot::Sender<()>,
    /// How long to wait for the head of an answer, and in the end for the change.
    pub(super) patience: Duration,
}

/// Listens until all calls are over, then on one more connection until a changed list is heard of.
pub(super) async fn listen(listening: Listening) -> Ended {
    let Listening { session, relay, kills, over, attached, patience } = listening;
    let mut heard = Heard { ids: BTreeSet::new(), cursor: None, patience, ended: Ended::default() };
    let name = session.id().unwrap_or_default().to_owned();
    let mut ended = match heard.all(&session, &relay, &kills, &over, attached).await {
        Ok(()) => heard.ended,
        Err(error) => {
            let hung = u64::from(matches!(error, RawError::Silent));
            heard.ended.count.lost += hung;
            heard.ended.count.hung += hung;
            heard.ended.count.wrong += 1 - hung;
            heard.ended.findings.push(format!("listening ended: {error}"));
            heard.ended
        }
    };
    for finding in &mut ended.findings {
        *finding = format!("the standalone stream of {name}, cut by {kills:?}: {finding}");
    }
    ended
}

struct Heard {
    ids: BTreeSet<String>,
    cursor: Option<String>,
    patience: Duration,
    ended: Ended,
}

impl Heard {
    async fn all(
        &mut self,
        session: &Session,
        relay: &Relay,
        kills: &[Kill],
        over: &Notify,
        attached: oneshot::Sender<()>,
    ) -> Result<(), RawError> {
        let mut over = std::pin::pin!(over.notified());
        for kill in kills {
            let fate = kill.fate().unwrap_or_default();
            let (stream, mut struck) = relay.connect(fate).await?;
            let reading = async {
                let opened = self.open(session, Connection::over(stream));
                match or_struck(opened, &mut struck).await {
                    Some(Ok(mut answer)) => loop {
                        match or_struck(self.hear(&mut answer), &mut struck).await {
                            Some(Ok(_)) => {}
                            Some(Err(error)) => return Err(error),
                            None => return Ok(()),
                        }
                    },
                    Some(Err(error)) => Err(error),
                    None => Ok(()),
                }
            };
            let cut = tokio::select! {
                cut = reading => cut,
                () = &mut over => break,
            };
            match cut {
                Err(error) if !error.is_cut() => return Err(error),
                _ => self.ended.count.cuts += 1,
            }
        }
        let patience = self.patience;
        let mut answer = self.open(session, Connection::open(session.target().address).await?).await?;
        // Whoever waits has given up on the round if it does not want to hear.
        let _ = attached.send(());
        let changed = async {
            while !self.hear(&mut answer).await? {}
            Ok(())
        };
        timeout(patience, changed).await.map_err(|_| RawError::Silent)?
    }

    async fn open(&mut self, session: &Session, connection: Connection) -> Result<Answer, RawError> {
        self.ended.count.resumes += u64::from(self.cursor.is_some());
        let opened = timeout(self.patience, session.get_on(connection, self.cursor.as_deref())).await;
        let mut answer = opened.map_err(|_| RawError::Silent)??;
        if answer.status() != 200 {
            let body = answer.body().await?;
            let got = format!("{} {}", answer.status(), String::from_utf8_lossy(&body));
            return Err(RawError::broken("an event stream", got.as_bytes()));
        }
        Ok(answer)
    }

    /// Reads once; `true` if it was about a changed list.
    async fn hear(&mut self, answer: &mut Answer) -> Result<bool, RawError> {
        let event = match answer.frame().await? {
            Frame::Comment(_) => return Ok(false),
            Frame::End => return Err(std::io::Error::from(std::io::ErrorKind::UnexpectedEof).into()),
            Frame::Event(event) => event,
        };
        self.cursor = answer.last_event_id().map(str::to_owned);
        if let Some(id) = &event.id
            && !self.ids.insert(id.clone())
        {
            self.ended.count.duplicated += 1;
            self.ended.findings.push(format!("duplicated: the event {id} came twice"));
        }
        let Some(message) = event.message()? else { return Ok(false) };
        let method = message["method"].as_str();
        if method.is_none() || method == Some("notifications/progress") {
            self.ended.count.crossed += 1;
            self.ended.findings.push(format!("crossed: {message:.200}"));
        }
        Ok(method == Some("notifications/tools/list_changed"))
    }
}
