//! One round: a client whose server crashes again and again.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::{Duration, Instant};

use hermes::child::Command;
use hermes::types::Era;
use hermes::{Client, ClientError, EraChoice, Restart};
use hermes_testkit::dice::Dice;
use serde_json::json;
use tokio::task::JoinSet;

use crate::child::{LAST_WORDS, answer};
use crate::folder::Folder;

/// What a busy machine may add to a limit.
const SLACK: Duration = Duration::from_secs(2);

/// How often connecting is tried.
const TO_TRY: u32 = 50;

/// How long each step of connecting may take, and how soon a client is itself again.
const PATIENCE: Duration = Duration::from_secs(10);

/// What came of all calls.
#[derive(Debug, Default)]
pub(crate) struct Figures {
    pub(crate) calls: u64,
    pub(crate) answered: u64,
    failed: BTreeMap<&'static str, u64>,
    lives: u64,
    pub(crate) crashes: u64,
    not_connected: u64,
    overtime: Duration,
    took: Duration,
    /// What must not be.
    pub(crate) findings: Vec<String>,
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let minutes = (self.took.as_secs_f64() / 60.0).max(f64::EPSILON);
        write!(
            f,
            "{} calls in {:.1} s, {} answered, others {:?}; {} crashes, {} starts, {:.0} a minute; connecting failed {} \
             times; at most {} ms beyond a limit",
            self.calls,
            self.took.as_secs_f64(),
            self.answered,
            self.failed,
            self.crashes,
            self.lives,
            self.lives as f64 / minutes,
            self.not_connected,
            self.overtime.as_millis(),
        )
    }
}

/// One call.
#[derive(Clone, Debug)]
struct Plan {
    key: String,
    is_safe: bool,
    ms: u64,
    bytes: u32,
    timeout: Duration,
}

impl Plan {
    fn new(at: u64, dice: &mut Dice) -> Self {
        let (ms, bytes) = match dice.between(1, 3) {
            1 => (dice.between(1, 30), 0),
            2 => (0, dice.between(0, 2000) as u32),
            _ => (0, 1),
        };
        let timeout = Duration::from_millis(dice.between(300, 1500));
        Self { key: format!("call-{at}"), is_safe: dice.chance(30), ms, bytes, timeout }
    }
}

/// Plays a round and adds up what came of it.
pub(crate) async fn play(seed: u64, era: Era, figures: &mut Figures) {
    let began = Instant::now();
    let folder = Folder::new(seed, era_name(era));
    let mut dice = Dice::new(!seed);
    let width = dice.between(1, 6);
    let plans: Arc<Vec<Plan>> =
        Arc::new((0..dice.between(10, 40)).map(|at| Plan::new(at, &mut dice)).collect());
    let mut findings = Vec::new();

    let client = connect(&folder, era, figures).await;
    if dice.chance(50) {
        // A client that knows the tools knows which of them are safe.
        let _ = client.list_all_tools().await;
    }
    let next = Arc::new(AtomicUsize::new(0));
    let mut callers = JoinSet::new();
    for _ in 0..width {
        let (client, next, plans) = (client.clone(), Arc::clone(&next), Arc::clone(&plans));
        callers.spawn(async move {
            let mut outcomes = Vec::new();
            while let Some(plan) = plans.get(next.fetch_add(1, SeqCst)) {
                outcomes.push(call(&client, plan).await);
            }
            outcomes
        });
    }
    while let Some(outcomes) = callers.join_next().await {
        for (plan, result, took) in outcomes.expect("a caller does not panic") {
            judge(&plan, &result, took, figures, &mut findings);
        }
    }

    folder.calm();
    if let Err(errors) = recovers(&client).await {
        findings.push(format!("the client does not recover: {errors:?}"));
    }
    client.close().await;
    let runs = folder.runs();
    for plan in plans.iter().filter(|plan| !plan.is_safe) {
        let times = runs.iter().filter(|key| **key == plan.key).count();
        if times > 1 {
            findings.push(format!("it ran {times} times: {plan:?}"));
        }
    }
    // Each start follows a crash, or is that of a client; a handshake that nobody answers may need a second one.
    let (lives, crashes) = (folder.lives(), folder.crashes());
    if lives > 2 * (crashes + figures.not_connected + 1) {
        findings.push(format!("a storm of starts: {lives}, for {crashes} crashes"));
    }
    figures.lives += lives;
    figures.crashes += crashes;
    figures.took += began.elapsed();
    figures.findings.extend(findings.into_iter().map(|finding| format!("seed {seed} ({era:?}): {finding}")));
    folder.remove();
}

const fn era_name(era: Era) -> &'static str {
    match era {
        Era::Legacy => "legacy",
        Era::Modern => "modern",
    }
}

async fn connect(folder: &Folder, era: Era, figures: &mut Figures) -> Client {
    for _ in 0..TO_TRY {
        let program = std::env::current_exe().expect("this test is a file");
        let variables = folder.variables();
        let command =
            variables.iter().fold(Command::new(program), |command, (name, value)| command.env(name, value));
        let era = if era == Era::Modern { EraChoice::Modern } else { EraChoice::Legacy };
        let restart = Restart::default().first_pause(Duration::from_millis(1)).attempts(100);
        let restart = restart.longest_pause(Duration::from_millis(50));
        match Client::builder().era(era).timeout(PATIENCE).restart(restart).connect(command).await {
            Ok(client) => return client,
            Err(_) => figures.not_connected += 1,
        }
    }
    panic!("seed {}: the server crashed {TO_TRY} times before it was connected to", folder.seed);
}

type Outcome = (Plan, Result<String, ClientError>, Duration);

async fn call(client: &Client, plan: &Plan) -> Outcome {
    let began = Instant::now();
    let tool = if plan.is_safe { "look" } else { "work" };
    let arguments = json!({ "key": plan.key, "ms": plan.ms, "bytes": plan.bytes });
    let result = client.call(tool, arguments).timeout(plan.timeout).await;
    (plan.clone(), result.and_then(|result| result.read::<String>()), began.elapsed())
}

fn judge(
    plan: &Plan,
    result: &Result<String, ClientError>,
    took: Duration,
    figures: &mut Figures,
    findings: &mut Vec<String>,
) {
    let overtime = took.saturating_sub(plan.timeout);
    figures.calls += 1;
    figures.overtime = figures.overtime.max(overtime);
    if overtime > SLACK {
        findings.push(format!("it has hung for {took:?}: {plan:?}"));
    }
    match result {
        Ok(text) if *text == answer(&plan.key, plan.bytes) => figures.answered += 1,
        Ok(text) => findings.push(format!("the answer is another's: {text:.80}: {plan:?}")),
        Err(error) => {
            let kind = match error {
                ClientError::Closed(_) => "closed",
                ClientError::Timeout { .. } => "timeout",
                ClientError::Unavailable { .. } => "unavailable",
                _ => "other",
            };
            *figures.failed.entry(kind).or_default() += 1;
            match error {
                // Its exit and its last words are the reason.
                ClientError::Closed(closed)
                    if closed.exit.is_some() && closed.stderr.contains(LAST_WORDS) => {}
                ClientError::Timeout { .. } | ClientError::Unavailable { .. } => {}
                other => findings.push(format!("this is not the reason: {other:?}: {plan:?}")),
            }
        }
    }
}

/// A server that does not crash any more is called in vain once at most: it may have crashed a moment ago.
async fn recovers(client: &Client) -> Result<(), Vec<String>> {
    let mut errors = Vec::new();
    while errors.len() < 2 {
        let arguments = json!({ "key": "calm", "ms": 0, "bytes": 0 });
        match client.call("work", arguments).timeout(PATIENCE).await {
            Ok(_) => return Ok(()),
            Err(error) => errors.push(error.to_string()),
        }
    }
    Err(errors)
}
