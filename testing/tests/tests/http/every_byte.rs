//! A call cut at every byte of its answer.

use std::sync::Arc;

use hermes_testkit::raw::{PATIENCE, RawError, Session};
use hermes_testkit::relay::{Relay, Strike};
use hermes_testkit::torture::{CallPlan, Ended, Kill, Work, follow};
use tokio::task::JoinSet;

use crate::{LATEST, LEGACY, demo};

/// How many calls are cut at once.
const AT_ONCE: u64 = 16;

/// Cuts a call at every byte of its answer, each time resumes it, and tells what was found.
async fn cut_everywhere(session: &Session, relay: &Arc<Relay>, work: Work, strike: Strike) -> Ended {
    let mut total = Ended::default();
    let mut calls = JoinSet::new();
    let mut at = 0;
    let mut whole = false;
    while !whole || !calls.is_empty() {
        while !whole && calls.len() < AT_ONCE as usize {
            at += 1;
            let plan = CallPlan { session: 0, id: at, work, kills: vec![Kill::Bytes(at, strike)] };
            let (session, relay) = (session.clone(), Arc::clone(relay));
            calls.spawn(async move { follow(&session, &relay, &plan, PATIENCE).await });
        }
        let Some(ended) = calls.join_next().await else { break };
        let ended = ended.expect("no panic");
        // From there on a cut finds nothing to cut.
        whole |= ended.count.cuts == 0;
        total.count += ended.count;
        total.findings.extend(ended.findings);
    }
    total
}

#[tokio::test]
async fn a13_a_post_that_is_cut_at_any_byte_of_its_answer_loses_and_repeats_nothing() -> Result<(), RawError>
{
    let demo = demo();
    for (revision, strike) in [
        (LEGACY[0], Strike::Reset),
        (LEGACY[1], Strike::Reset),
        (LATEST, Strike::Reset),
        (LATEST, Strike::Finish),
        (LATEST, Strike::Swallow),
    ] {
        let relay = Arc::new(Relay::start(demo.target().address).await?);
        let session = Session::open(demo.target(), revision).await?;
        let work = Work::Progress { notes: 3, interval_ms: 1 };
        let ended = cut_everywhere(&session, &relay, work, strike).await;
        assert!(ended.findings.is_empty(), "{strike:?}: {}", ended.findings.join("\n"));
        // At least the head is longer than this, and the messages too.
        assert!(ended.count.cuts > 500 && ended.count.resumes > 300, "{:?}", ended.count);
    }
    Ok(())
}
