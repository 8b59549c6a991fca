//! One round: a client that calls while everything below it is cut.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::{Duration, Instant};

use hermes::types::{ElicitResult, Era, RawJson};
use hermes::{Client, ClientError, EraChoice};
use hermes_testkit::relay::{Fate, Relay};
use serde_json::json;
use tokio::sync::Mutex;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::figures::Figures;
use crate::plan::{Blow, CallPlan, Plan};
use crate::server::{Life, World, answer};

/// What a busy machine may add to a limit.
const SLACK: Duration = Duration::from_secs(2);

/// How long connecting may take: it has its own limits for each step.
const TO_CONNECT: Duration = Duration::from_secs(5);

/// How often connecting is tried under fire, before the fire is put out.
const TO_TRY: u64 = 8;

/// How long parting may take, from a server that does not answer.
const TO_PART: Duration = Duration::from_secs(3);

/// For how long calls share the failure to begin a new session.
const SHARED: Duration = Duration::from_millis(500);

/// How soon a client is itself again when nothing is cut any more.
const TO_RECOVER: Duration = Duration::from_secs(10);

struct Stage {
    world: Arc<World>,
    relay: Relay,
    life: Mutex<Option<Life>>,
    revivals: Mutex<JoinSet<()>>,
}

/// Plays a round and adds up what came of it. What must not be is among the findings.
pub(crate) async fn play(plan: &Plan, figures: &mut Figures) {
    let began = Instant::now();
    let world = Arc::new(World::default());
    let life = Life::begin(&world).await.expect("a server");
    let relay = Relay::start(life.address).await.expect("a relay");
    let stage = Arc::new(Stage { world, relay, life: Mutex::new(Some(life)), revivals: Mutex::default() });
    let mut told = Told { plan, figures, findings: Vec::new() };

    if plan.is_cut_from_the_start {
        stage.relay.plan(plan.fates.clone());
    }
    let client = told.connect(&stage).await;
    if !plan.is_cut_from_the_start {
        stage.relay.plan(plan.fates.clone());
    }
    // A client that knows the tools knows which of them are safe.
    let known = client.list_all_tools().await.is_ok();
    told.figures.knew += u64::from(known);
    told.calls(&stage, &client).await;
    told.recovers(&stage, &client).await;
    told.parts(&client).await;

    // Nothing runs any more that could count.
    if let Some(life) = stage.life.lock().await.take() {
        life.end().await;
    }
    told.no_call_ran_twice(&stage);
    let Told { findings, .. } = told;
    let named = |finding| format!("seed {} ({:?}): {finding}", plan.seed, plan.era);
    figures.findings.extend(findings.into_iter().map(named));
    figures.rounds += 1;
    figures.connections += stage.relay.arrivals().len() as u64;
    figures.cut += stage.relay.log().iter().filter(|entry| entry.struck.is_some()).count() as u64;
    figures.requests += stage.world.requests() as u64;
    figures.took += began.elapsed();
}

/// What is told of a round.
struct Told<'a> {
    plan: &'a Plan,
    figures: &'a mut Figures,
    findings: Vec<String>,
}

/// How a call ended.
struct Outcome {
    call: usize,
    result: Result<String, ClientError>,
    took: Duration,
    /// Progress that was not the call's own.
    strays: Vec<String>,
}

impl Told<'_> {
    async fn connect(&mut self, stage: &Stage) -> Client {
        let url = format!("http://{}/mcp", stage.relay.address());
        for attempt in 1.. {
            let era = if self.plan.era == Era::Modern { EraChoice::Modern } else { EraChoice::Legacy };
            let builder =
                Client::builder().era(era).timeout(Duration::from_secs(1)).trust_annotations().on_elicit(
                    |form| async move {
                        Ok(ElicitResult::accept(RawJson::encode(&json!({ "key": form.message }))?))
                    },
                );
            match timeout(TO_CONNECT, builder.connect(&url)).await {
                Ok(Ok(client)) => return client,
                Ok(Err(_)) if attempt < TO_TRY => self.figures.not_connected += 1,
                Ok(Err(error)) if attempt < 2 * TO_TRY => {
                    self.figures.not_connected += 1;
                    // From now on nothing is cut.
                    stage.relay.usually(Fate::pass());
                    stage.relay.clear();
                    drop(error);
                }
                Ok(Err(error)) => panic!("seed {}: nothing was cut: {error}", self.plan.seed),
                Err(_) => self.findings.push("connecting has no end".to_owned()),
            }
        }
        unreachable!("the attempts are counted")
    }

    async fn calls(&mut self, stage: &Arc<Stage>, client: &Client) {
        let next = Arc::new(AtomicUsize::new(0));
        let calls = Arc::new(self.plan.calls.clone());
        let mut callers = JoinSet::new();
        for _ in 0..self.plan.width {
            let (stage, client, next, calls) =
                (Arc::clone(stage), client.clone(), Arc::clone(&next), Arc::clone(&calls));
            callers.spawn(async move {
                let mut outcomes = Vec::new();
                loop {
                    let at = next.fetch_add(1, SeqCst);
                    let Some(plan) = calls.get(at) else { return outcomes };
                    if let Some(blow) = plan.before {
                        stage.strike(blow).await;
                    }
                    outcomes.push(call(&client, at, plan).await);
                }
            });
        }
        while let Some(outcomes) = callers.join_next().await {
            for outcome in outcomes.expect("a caller does not panic") {
                self.judge(stage, &outcome);
            }
        }
        self.figures.blows += self.plan.calls.iter().filter(|call| call.before.is_some()).count() as u64;
        // The server is back.
        while stage.revivals.lock().await.join_next().await.is_some() {}
    }

    fn judge(&mut self, stage: &Stage, outcome: &Outcome) {
        let Some(call) = self.plan.calls.get(outcome.call) else { return };
        let overtime = outcome.took.saturating_sub(call.timeout);
        self.figures.calls += 1;
        self.figures.overtime = self.figures.overtime.max(overtime);
        let mut find =
            |what: String| self.findings.push(format!("{what}: {call:?}, after {:?}", outcome.took));
        if overtime > SLACK {
            find("it has hung".to_owned());
        }
        for stray in &outcome.strays {
            find(format!("it has heard of the progress of {stray}"));
        }
        let runs = stage.world.runs(&call.key);
        match &outcome.result {
            Ok(text) => {
                self.figures.answered += 1;
                if *text != answer(&call.key, call.work) {
                    find(format!("the answer is another's: {text:.80}"));
                } else if runs == 0 {
                    find("it has an answer and did not run".to_owned());
                }
            }
            Err(error) => {
                let kind = kind(error);
                *self.figures.failed.entry(kind.unwrap_or("other")).or_default() += 1;
                if kind.is_none() {
                    find(format!("such an error has no cause here: {error:?}"));
                } else if !error.is_outcome_unknown() && error.rpc().is_none() && runs > 0 {
                    find(format!("it ran, and the error denies it: {error:?}"));
                }
            }
        }
    }

    /// Nothing is cut any more: what is left of the cuts may fail a call or two, and no more.
    #[expect(clippy::disallowed_methods, reason = "who comes at once shares the failure of the one before")]
    async fn recovers(&mut self, stage: &Stage, client: &Client) {
        stage.relay.usually(Fate::pass());
        stage.world.be_busy(0, None);
        stage.relay.clear();
        let began = Instant::now();
        let mut errors = Vec::new();
        while began.elapsed() < TO_RECOVER && errors.len() < 3 {
            let arguments = json!({ "key": "calm", "ms": 0, "notes": 0, "bytes": 0, "asks": false });
            match client.call("look", arguments).timeout(TO_RECOVER).await {
                Ok(_) => return,
                Err(error) => errors.push(error.to_string()),
            }
            tokio::time::sleep(SHARED).await;
        }
        self.findings.push(format!("the client does not recover: {errors:?}"));
    }

    async fn parts(&mut self, client: &Client) {
        let began = Instant::now();
        client.close().await;
        if began.elapsed() > TO_PART {
            self.findings.push(format!("closing took {:?}", began.elapsed()));
        }
        if client.pending() > 0 {
            self.findings.push(format!("{} requests still wait", client.pending()));
        }
    }

    /// One that is safe may run once more.
    fn no_call_ran_twice(&mut self, stage: &Stage) {
        for call in &self.plan.calls {
            let runs = stage.world.runs(&call.key);
            self.figures.again += u64::from(runs > 1);
            if runs > 1 + u32::from(call.is_safe) {
                self.findings.push(format!("it ran {runs} times: {call:?}"));
            }
        }
    }
}

async fn call(client: &Client, at: usize, plan: &CallPlan) -> Outcome {
    let began = Instant::now();
    let work = plan.work;
    let tool = if plan.is_safe { "look" } else { "work" };
    let arguments = json!({
        "key": plan.key, "ms": work.ms, "notes": work.notes, "bytes": work.bytes, "asks": work.asks,
    });
    let mut strays = Vec::new();
    let mut last = 0.0;
    let mut operation = client.call(tool, arguments).timeout(plan.timeout);
    if plan.is_safe && plan.says_so {
        operation = operation.retry_if_lost();
    }
    if work.notes > 0 {
        operation = operation.on_progress(|progress| {
            // A call that may run once more begins anew.
            let goes_back = progress.progress <= last;
            if progress.message.as_deref() != Some(&*plan.key) || goes_back {
                strays.push(format!("{progress:?}"));
            }
            last = progress.progress;
        });
    }
    let result = operation.await.and_then(|result| result.read::<String>());
    Outcome { call: at, result, took: began.elapsed(), strays }
}

/// The name of an error that has its cause in what was cut.
const fn kind(error: &ClientError) -> Option<&'static str> {
    Some(match error {
        ClientError::Timeout { .. } => "timeout",
        ClientError::StreamEnded { .. } => "stream ended",
        ClientError::SessionExpired { .. } => "session expired",
        ClientError::Unreachable { .. } => "unreachable",
        ClientError::Http(answer) if answer.status == 503 => "busy",
        // A server that ends says so.
        ClientError::Rpc { .. } => "refused",
        _ => return None,
    })
}

impl Stage {
    async fn strike(self: &Arc<Self>, blow: Blow) {
        match blow {
            Blow::Busy { requests, retry_after } => self.world.be_busy(requests, retry_after),
            Blow::Restart => {
                let mut life = self.life.lock().await;
                let Some(last) = life.take() else { return };
                let next = Life::begin(&self.world).await.expect("a server");
                self.relay.lead_to(next.address);
                *life = Some(next);
                drop(life);
                last.end().await;
            }
            Blow::Crash(away) => {
                let Some(last) = self.life.lock().await.take() else { return };
                last.kill();
                let stage = Arc::clone(self);
                self.revivals.lock().await.spawn(async move { stage.revive(away).await });
            }
        }
    }

    #[expect(clippy::disallowed_methods, reason = "the server is away for as long as the plan says")]
    async fn revive(&self, away: Duration) {
        tokio::time::sleep(away).await;
        let life = Life::begin(&self.world).await.expect("a server");
        self.relay.lead_to(life.address);
        *self.life.lock().await = Some(life);
    }
}
