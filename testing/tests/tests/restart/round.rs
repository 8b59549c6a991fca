//! Rounds of two hundred calls each, over one store.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use hermes::{Client, ClientError, EraChoice};
use hermes_testkit::daemon::Daemon;
use hermes_testkit::dice::Dice;
use hermes_testkit::raw::Target;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::client::{self, Outcome};
use crate::folder::Folder;

/// How many bare clients there are, how many of ours, and how many calls each makes at once.
const BARE: u64 = 5;
const OURS: u64 = 5;
const CALLS: u64 = 20;

/// How long everything of a round may take before it counts as lost.
const PATIENCE: Duration = Duration::from_secs(60);

/// What happened in all rounds.
#[derive(Debug, Default)]
pub(crate) struct Figures {
    pub(crate) calls: u64,
    pub(crate) results: u64,
    pub(crate) unknown: u64,
    /// Calls of ours that were cut before they could be come back to, which their caller was told.
    pub(crate) cut: u64,
    pub(crate) findings: Vec<String>,
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { calls, results, unknown, cut, findings } = self;
        let lost = findings.len();
        write!(f, "{calls} calls, {results} results, {unknown} unknown, {cut} cut at once, {lost} findings")
    }
}

/// What happened to whom, as it happens.
#[derive(Default)]
struct Progress {
    /// Bare calls that can be come back to.
    begun: watch::Sender<u64>,
    /// Calls that have their outcome.
    over: watch::Sender<u64>,
}

/// Plays so many rounds, each with clients of its own.
pub(crate) async fn play(folder: &Folder, seed: u64, rounds: u64, figures: &mut Figures) {
    let mut dice = Dice::new(seed);
    let mut server = Daemon::run(&mut folder.server("127.0.0.1:0")).expect("a server");
    let target = server.target().clone();
    let mut lives = 0;
    let life = watch::Sender::new(lives);
    for round in 0..rounds {
        let played = one(&target, &mut dice, round, &life, async |progress: Arc<Progress>, after| {
            // Each bare call can be come back to; the others are somewhere.
            let _ = progress.begun.subscribe().wait_for(|begun| *begun == BARE * CALLS).await;
            let _ = progress.over.subscribe().wait_for(|over| *over >= after).await;
            server.kill().expect("it is killed");
            let address = target.address.to_string();
            server = Daemon::run(&mut folder.server(&address)).expect("another server");
            lives += 1;
            life.send_replace(lives);
        });
        let played = tokio::time::timeout(PATIENCE, played).await;
        let Ok(outcomes) = played else {
            figures.findings.push(format!("round {round} did not come to an end"));
            return;
        };
        count(folder, &outcomes, figures);
    }
}

/// What became of each call.
type Outcomes = BTreeMap<String, Outcome>;

/// Plays one round. `end` ends the server, after so many outcomes, and starts it again.
async fn one(
    target: &Target,
    dice: &mut Dice,
    round: u64,
    life: &watch::Sender<u64>,
    end: impl AsyncFnOnce(Arc<Progress>, u64),
) -> Outcomes {
    let progress = Arc::new(Progress::default());
    let mut calls: JoinSet<(String, Outcome)> = JoinSet::new();
    let (mut bare, mut ours) = (Vec::new(), Vec::new());
    for _ in 0..BARE {
        bare.push(Arc::new(client::open(target).await.expect("a session")));
    }
    for _ in 0..OURS {
        ours.push(connect(target).await);
    }
    for (which, session) in bare.iter().enumerate() {
        for call in 0..CALLS {
            let (key, ms) = (format!("{round} bare {which} {call}"), dice.between(0, 600));
            let (session, life, progress) = (Arc::clone(session), life.subscribe(), Arc::clone(&progress));
            calls.spawn(async move {
                let begun = || progress.begun.send_modify(|begun| *begun += 1);
                let outcome = client::call(&session, 10 + call, &key, ms, life, begun).await;
                progress.over.send_modify(|over| *over += 1);
                (key, outcome)
            });
        }
    }
    for (which, client) in ours.iter().enumerate() {
        for call in 0..CALLS {
            let (key, ms) = (format!("{round} ours {which} {call}"), dice.between(0, 600));
            let (client, progress) = (client.clone(), Arc::clone(&progress));
            calls.spawn(async move {
                let outcome = of_ours(&client, &key, ms).await;
                progress.over.send_modify(|over| *over += 1);
                (key, outcome)
            });
        }
    }
    end(progress, dice.between(1, 150)).await;
    let mut outcomes: Outcomes = calls.join_all().await.into_iter().collect();
    for (which, session) in bare.iter().enumerate() {
        let key = format!("{round} session {which}");
        let went_on = client::goes_on(session).await;
        outcomes.insert(key, went_on.map_or_else(Outcome::Other, |()| Outcome::Result(String::new())));
        let _ = session.delete().await;
    }
    for (which, client) in ours.iter().enumerate() {
        let visits = client.call("visit", json!({})).await.and_then(|result| result.read::<String>());
        let key = format!("{round} session of ours {which}");
        outcomes.insert(
            key,
            match visits {
                Ok(text) if text == "2" => Outcome::Result(String::new()),
                other => Outcome::Other(format!("a session of ours does not go on: {other:?}")),
            },
        );
        client.close().await;
    }
    outcomes
}

/// A client of ours, which takes the server for one of the legacy era.
async fn connect(target: &Target) -> Client {
    let client = Client::builder().era(EraChoice::Legacy).connect(target.to_string().as_str()).await;
    let client = client.expect("it is served");
    let visits = client.call("visit", json!({})).await.and_then(|result| result.read::<String>());
    assert_eq!(visits.expect("it is called"), "1");
    client
}

/// A call of ours: its result, or what its caller is told.
async fn of_ours(client: &Client, key: &str, ms: u64) -> Outcome {
    let called = client.call("work", json!({ "key": key, "ms": ms })).await;
    match called.and_then(|result| result.read::<String>()) {
        Ok(text) => Outcome::Result(text),
        Err(ClientError::Rpc { error, .. }) => {
            let reason = error.data.as_ref().and_then(|data| data.decode::<Value>().ok());
            match reason {
                Some(data) if data["reason"] == "outcome_unknown" => Outcome::Unknown,
                _ => Outcome::Other(format!("was told {error}")),
            }
        }
        // It had no event to come back with, and says so.
        Err(error @ (ClientError::StreamEnded { .. } | ClientError::Unreachable { .. })) => {
            Outcome::Other(format!("cut: {error}"))
        }
        Err(error) => Outcome::Other(format!("was told {error}: {error:?}")),
    }
}

fn count(folder: &Folder, outcomes: &Outcomes, figures: &mut Figures) {
    let runs = folder.runs();
    for (key, outcome) in outcomes {
        let ran = runs.get(key).copied().unwrap_or_default();
        let is_call = !key.contains("session");
        figures.calls += u64::from(is_call);
        match outcome {
            Outcome::Result(text) if is_call && (text != key || ran != 1) => {
                figures.findings.push(format!("{key} ran {ran} times, and was told {text}"));
            }
            Outcome::Result(_) => figures.results += u64::from(is_call),
            Outcome::Unknown => figures.unknown += 1,
            Outcome::Other(what) if what.starts_with("cut") => figures.cut += 1,
            Outcome::Other(what) => figures.findings.push(format!("{key}: {what}")),
        }
        if ran > 1 {
            figures.findings.push(format!("{key} ran {ran} times"));
        }
    }
}
