//! Rounds: all calls of a plan at once, then the accounts.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hermes_types::Revision;
use serde_json::{Value, json};
use tokio::sync::{Notify, oneshot};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::raw::{PATIENCE, RawError, Session, Target};
use crate::relay::Relay;
use crate::torture::call::{Ended, follow};
use crate::torture::figures::{Count, Figures};
use crate::torture::listener::{Listening, listen};
use crate::torture::plan::{Plan, Work};

/// How much is to be done, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Torture {
    /// How many rounds.
    pub rounds: u64,
    /// What repeats them.
    pub seed: u64,
    /// Which revisions take turns.
    pub revisions: Vec<Revision>,
    /// How many sessions share the calls of a round.
    pub sessions: usize,
    /// How many calls a round makes at once.
    pub calls: usize,
    /// How long a call may take, with all its resumes, before it is lost.
    pub patience: Duration,
}

impl Default for Torture {
    /// A hundred calls in four sessions, in every revision that has this transport.
    fn default() -> Self {
        let revisions = Revision::ALL.into_iter().filter(|it| *it >= Revision::V2025_03_26).collect();
        Self { rounds: 30, seed: 1, revisions, sessions: 4, calls: 100, patience: PATIENCE }
    }
}

impl Torture {
    /// The plan of a round.
    #[must_use]
    pub fn plan(&self, round: u64) -> Plan {
        let turn = usize::try_from(round).unwrap_or_default() % self.revisions.len().max(1);
        let revision = self.revisions.get(turn).copied().unwrap_or(Revision::LATEST_LEGACY);
        let seed = self.seed.wrapping_add(round.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        Plan::new(seed, revision, self.sessions, self.calls)
    }
}

/// Carries out the rounds one after the other and tells each of them.
///
/// A round that finds something does not stop the next.
///
/// # Cancel safety
/// Not cancel safe: a round that is dropped leaves calls behind on the server.
pub async fn torture(target: &Target, torture: &Torture, mut tell: impl FnMut(u64, &Plan, Count)) -> Figures {
    let began = Instant::now();
    let mut figures = Figures::default();
    for round in 0..torture.rounds {
        let plan = torture.plan(round);
        let mut ended = Ended::default();
        if let Err(error) = play(target, &plan, torture.patience, &mut ended).await {
            ended.count.wrong += 1;
            ended.findings.push(format!("wrong: the round ended: {error}"));
        }
        tell(round, &plan, ended.count);
        figures.rounds += 1;
        figures.count += ended.count;
        let named = |finding| format!("seed {} round {round} ({}): {finding}", torture.seed, plan.revision);
        figures.findings.extend(ended.findings.into_iter().map(named));
    }
    figures.took = began.elapsed();
    figures
}

async fn play(target: &Target, plan: &Plan, patience: Duration, total: &mut Ended) -> Result<(), RawError> {
    let accountant = Session::open(target, plan.revision).await?;
    let before = Accounts::read(&accountant).await?;
    let relay = Arc::new(Relay::start(target.address).await?);
    let mut sessions = Vec::new();
    for _ in 0..plan.calls.iter().map(|call| call.session + 1).max().unwrap_or(0) {
        sessions.push(Session::open(target, plan.revision).await?);
    }

    let over = Arc::new(Notify::new());
    let mut listeners = JoinSet::new();
    let mut attached = Vec::new();
    for (session, kills) in sessions.iter().zip(&plan.listeners) {
        let (sender, receiver) = oneshot::channel();
        attached.push(receiver);
        listeners.spawn(listen(Listening {
            session: session.clone(),
            relay: Arc::clone(&relay),
            kills: kills.clone(),
            over: Arc::clone(&over),
            attached: sender,
            patience,
        }));
    }
    let mut calls = JoinSet::new();
    for call in &plan.calls {
        let Some(session) = sessions.get(call.session).cloned() else { continue };
        let (relay, call) = (Arc::clone(&relay), call.clone());
        calls.spawn(async move { (call.work, follow(&session, &relay, &call, patience).await) });
    }
    // So that there is something to hear while connections are cut.
    toggle(&accountant, plan).await?;

    let (mut touches, mut doubled, mut slept) = (BTreeSet::new(), 0, 0);
    while let Some(joined) = calls.join_next().await {
        let (work, ended) =
            joined.map_err(|error| RawError::broken("a call", error.to_string().as_bytes()))?;
        match (work, &ended.text) {
            (Work::Touch, Some(number)) => doubled += u64::from(!touches.insert(number.clone())),
            (Work::Sleep { .. }, Some(_)) => slept += 1,
            _ => {}
        }
        add(total, ended);
    }
    if doubled > 0 {
        total.count.duplicated += doubled;
        total.findings.push(format!("duplicated: {doubled} effects have the number of another"));
    }

    over.notify_waiters();
    for there in attached {
        // A listener that gave up has said why.
        let _ = there.await;
    }
    toggle(&accountant, plan).await?;
    while let Some(joined) = listeners.join_next().await {
        add(total, joined.map_err(|error| RawError::broken("a listener", error.to_string().as_bytes()))?);
    }
    let spent = Accounts::settled(&accountant, patience).await?.since(&before);
    for finding in spent.faults(plan, slept) {
        total.count.wrong += 1;
        total.findings.push(format!("wrong: {finding}"));
    }
    for session in sessions.iter().chain([&accountant]).filter(|session| session.id().is_some()) {
        let deleted = async { session.delete().await?.body().await };
        timeout(patience, deleted).await.map_err(|_| RawError::Silent)??;
    }
    Ok(())
}

fn add(total: &mut Ended, ended: Ended) {
    total.count += ended.count;
    total.findings.extend(ended.findings);
    total.left.extend(ended.left);
}

/// Changes the list of tools, and changes it back.
async fn toggle(session: &Session, plan: &Plan) -> Result<(), RawError> {
    if !plan.listeners.is_empty() {
        for _ in 0..2 {
            session.ask(&session.call("toggle", "toggle", json!({}))).await?;
        }
    }
    Ok(())
}

/// What the server has counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Accounts {
    started: u64,
    done: u64,
    cancelled: u64,
    touched: u64,
}

impl Accounts {
    async fn read(session: &Session) -> Result<Self, RawError> {
        let counters = session.ask(&session.call("counters", "counters", json!({}))).await?;
        let broken = || RawError::broken("counters", counters.to_string().as_bytes());
        // Older revisions have the structure as text only.
        let text = counters["result"]["content"][0]["text"].as_str().ok_or_else(broken)?;
        let values: Value = serde_json::from_str(text).map_err(|_| broken())?;
        let value = |name: &str| values[name].as_u64().ok_or_else(broken);
        let read = session.request("counter", "resources/read", json!({ "uri": "demo://counter" }));
        let read = session.ask(&read).await?;
        let touched = read["result"]["contents"][0]["text"].as_str().and_then(|text| text.parse().ok());
        let touched = touched.ok_or_else(|| RawError::broken("a counter", read.to_string().as_bytes()))?;
        Ok(Self { started: value("started")?, done: value("done")?, cancelled: value("cancelled")?, touched })
    }

    /// What it has counted once nothing runs any more, or when patience ends.
    async fn settled(session: &Session, patience: Duration) -> Result<Self, RawError> {
        let until = Instant::now() + patience;
        loop {
            let accounts = Self::read(session).await?;
            if accounts.started == accounts.done + accounts.cancelled || Instant::now() > until {
                return Ok(accounts);
            }
        }
    }

    const fn since(self, before: &Self) -> Self {
        Self {
            started: self.started - before.started,
            done: self.done - before.done,
            cancelled: self.cancelled - before.cancelled,
            touched: self.touched - before.touched,
        }
    }

    /// What does not fit the plan, of whose sleeps so many were answered.
    fn faults(&self, plan: &Plan, answered: u64) -> Vec<String> {
        let count =
            |wanted: fn(&Work) -> bool| plan.calls.iter().filter(|call| wanted(&call.work)).count() as u64;
        let sleeps = count(|work| matches!(work, Work::Sleep { .. }));
        let touches = count(|work| *work == Work::Touch);
        let mut faults = Vec::new();
        let mut expect = |holds: bool, what: &str| {
            if !holds {
                faults.push(format!(
                    "{what}; {sleeps} sleeps, {answered} answered, {touches} touches: {self:?}"
                ));
            }
        };
        expect(self.started == sleeps, "not every sleep ran once");
        expect(self.touched == touches, "not every touch ran once");
        expect(self.done + self.cancelled == self.started, "a sleep has not ended, or twice");
        expect(self.done >= answered, "a sleep was answered and not done");
        if plan.revision.is_modern() {
            expect(self.cancelled >= plan.certainly_cancelled() as u64, "a call that was cut went on");
        } else {
            expect(self.cancelled == 0, "a cut has cancelled a call");
        }
        faults
    }
}
