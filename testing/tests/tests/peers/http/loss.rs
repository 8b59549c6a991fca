//! A server that is killed in the middle of everything, and started again.

use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use hermes::types::Era;
use hermes::{ClientError, Event, Events, Heard, Listening};
use serde_json::json;
use tokio::sync::Notify;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::Instant;

use super::conversation::{Conversation, ask};
use super::patience::{SECOND, by, soon};
use super::peer::{Sessions, Watch};
use super::server::Server;
use crate::process::Result;

/// How long a call waits for a server that stands still.
const PAUSE: Duration = Duration::from_millis(300);

/// How many callers meet the server anew at the same time.
const CALLERS: u64 = 8;

type Called<T> = JoinHandle<std::result::Result<T, ClientError>>;

/// What is under way when the server is killed.
struct UnderWay {
    sleeping: Called<()>,
    reporting: Called<()>,
    asking: Option<Called<String>>,
    listening: Option<Listening>,
}

impl Conversation {
    /// Kills the server while it sleeps, reports progress, asks the user and is listened to, and starts it again.
    pub(super) async fn survive(&self, server: &mut Server) -> Result {
        let cell = self.peer.cell("killed");
        let mut events = self.client.events();
        let mut under_way = UnderWay {
            sleeping: self.sleeping().await?,
            reporting: self.reporting().await,
            asking: self.asking().await,
            listening: self.listening().await?,
        };
        server.kill()?;
        let lost = Instant::now();
        if !self.peer.resumes {
            under_way = self.assert_ended(under_way, lost).await?;
            let refused = by(
                lost + SECOND,
                "a refusal",
                self.client.call("add", json!({ "a": 2, "b": 3 })).into_future(),
            )
            .await?;
            assert!(matches!(refused, Err(ClientError::Unreachable { .. })), "{refused:?}");
        }
        cell.pass();

        let cell = self.peer.cell("restarted");
        server.restart().await?;
        if self.peer.resumes {
            // The rest might have been had. That the session is lost is found out without any other call.
            under_way = self.assert_expired(under_way, Instant::now()).await?;
        }
        self.everybody_adds().await?;
        self.assert_one_session(&mut events).await?;
        self.assert_listened(under_way.listening).await?;
        self.user.decide.notify_one();
        if let Some(asking) = under_way.asking {
            // The question was in a result that had come; whoever is there by now gets the answer.
            assert_eq!(soon("the answer to a question", asking).await???, "Hello, Ada");
        }
        assert_eq!(self.client.pending(), 0);
        cell.pass();
        Ok(())
    }

    /// Has the server stand still for a while: every call ends in its own time, and the server is as it was.
    pub(super) async fn outlast(&self, server: &Server) -> Result {
        let cell = self.peer.cell("frozen");
        let mut listening = self.listening().await?;
        let waiting = self.client.pending();
        server.freeze().await?;
        let began = Instant::now();
        let mut callers = JoinSet::new();
        for _ in 0..CALLERS {
            let client = self.client.clone();
            callers.spawn(async move {
                let patient = client.call("add", json!({ "a": 2, "b": 3 })).timeout(PAUSE);
                patient.await.map(drop)
            });
        }
        while let Some(added) = soon("all callers", callers.join_next()).await? {
            let outcome = added?;
            assert!(matches!(outcome, Err(ClientError::Timeout { .. })), "{outcome:?}");
        }
        assert!(began.elapsed() < SECOND, "{:?}", began.elapsed());
        server.thaw()?;
        assert_eq!(self.add().await?, 5.0);
        assert_eq!(self.client.pending(), waiting);
        if let Some(listening) = &mut listening {
            self.change().await?;
            match soon("a change", listening.next()).await?? {
                Some(Heard::Notice(notice)) => self.assert_changed(&notice),
                other => panic!("{other:?}"),
            }
        }
        cell.pass();
        Ok(())
    }

    /// A call that the server has begun with, and that lasts.
    async fn sleeping(&self) -> Result<Called<()>> {
        let started = self.counters(|_| true).await?.started;
        let client = self.client.clone();
        let sleeping =
            tokio::spawn(async move { client.call("sleep", json!({ "ms": 600_000 })).await.map(drop) });
        self.counters(|it| it.started == started + 1).await?;
        Ok(sleeping)
    }

    /// A call whose progress is being heard of.
    async fn reporting(&self) -> Called<()> {
        let heard = Arc::new(Notify::new());
        let (client, hear) = (self.client.clone(), Arc::clone(&heard));
        let steps = json!({ "n": 1_000_000, "interval_ms": 5 });
        let reporting = tokio::spawn(async move {
            client.call("progress", steps).on_progress(|_| hear.notify_one()).await.map(drop)
        });
        if self.peer.streams {
            heard.notified().await;
        }
        reporting
    }

    /// A call that has asked the user, who thinks.
    async fn asking(&self) -> Option<Called<String>> {
        if !self.peer.asks {
            return None;
        }
        let client = self.client.clone();
        let asking = tokio::spawn(async move { ask(&client).await });
        self.user.thinks.notified().await;
        Some(asking)
    }

    async fn listening(&self) -> Result<Option<Listening>> {
        match self.peer.watch {
            Watch::Nothing | Watch::Silent => Ok(None),
            Watch::Counter | Watch::Tools => Ok(Some(self.listen().await?)),
        }
    }

    /// All that had a connection of its own has failed with it. What the server did is unknown.
    async fn assert_ended(&self, under_way: UnderWay, lost: Instant) -> Result<UnderWay> {
        let is_ended = |error: &ClientError| matches!(error, ClientError::StreamEnded { .. });
        self.assert_settled(under_way, lost + SECOND, is_ended).await
    }

    /// All that was under way in the session has failed with it.
    async fn assert_expired(&self, under_way: UnderWay, restarted: Instant) -> Result<UnderWay> {
        let is_expired = |error: &ClientError| matches!(error, ClientError::SessionExpired { .. });
        self.assert_settled(under_way, restarted + SECOND, is_expired).await
    }

    async fn assert_settled(
        &self,
        mut under_way: UnderWay,
        end: Instant,
        is_expected: impl Fn(&ClientError) -> bool,
    ) -> Result<UnderWay> {
        let failed = |outcome: &dyn Debug, error: Option<&ClientError>| {
            let expected = error.is_some_and(|error| is_expected(error) && error.is_outcome_unknown());
            assert!(expected, "{outcome:?}");
        };
        for call in [&mut under_way.sleeping, &mut under_way.reporting] {
            let outcome = by(end, "a call to settle", call).await??;
            failed(&outcome, outcome.as_ref().err());
        }
        // In the modern era a question is a result, and the next request is only made once it is answered.
        if self.client.era() == Era::Legacy
            && let Some(asking) = under_way.asking.take()
        {
            let outcome = by(end, "a question to settle", asking).await??;
            failed(&outcome, outcome.as_ref().err());
        }
        Ok(under_way)
    }

    async fn everybody_adds(&self) -> Result {
        let mut callers = JoinSet::new();
        for caller in 0..CALLERS {
            let client = self.client.clone();
            callers.spawn(async move { client.call("add", json!({ "a": caller, "b": 1 })).await.map(drop) });
        }
        while let Some(added) = soon("all callers", callers.join_next()).await? {
            added??;
        }
        Ok(())
    }

    /// However many found the session lost, one was begun in its place.
    async fn assert_one_session(&self, events: &mut Events) -> Result {
        if self.peer.sessions == Sessions::None {
            return Ok(());
        }
        if self.peer.sessions == Sessions::Counted {
            assert_eq!(self.client.call("sessions", ()).await?.read::<u64>()?, 1);
        }
        loop {
            match soon("the new session", events.next()).await?.ok_or("the client is at its end")? {
                Event::PushStreamLost(_) => {}
                Event::SessionReplaced => return Ok(()),
                other => panic!("{other:?}"),
            }
        }
    }

    /// Whoever listens is told of the gap, and then hears what the new server says.
    async fn assert_listened(&self, listening: Option<Listening>) -> Result {
        let Some(mut listening) = listening else { return Ok(()) };
        loop {
            match soon("the gap", listening.next()).await?? {
                // A stream of its own is lost with the server, and as long as that is not there.
                Some(Heard::Lost { .. }) if self.client.era() == Era::Modern => {}
                Some(Heard::Gap) => break,
                other => panic!("{other:?}"),
            }
        }
        self.change().await?;
        match soon("a change", listening.next()).await?? {
            Some(Heard::Notice(notice)) => self.assert_changed(&notice),
            other => panic!("{other:?}"),
        }
        Ok(())
    }
}
