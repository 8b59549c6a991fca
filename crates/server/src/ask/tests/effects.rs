//! Effects that happen once.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use serde::Serialize;
use tokio::sync::Notify;

use super::*;
use crate::ask::{AskError, OnceError, QuestionError};

#[derive(Clone, Default)]
struct Counter(Arc<AtomicUsize>);

impl Counter {
    fn up(&self) -> usize {
        self.0.fetch_add(1, SeqCst) + 1
    }

    fn count(&self) -> usize {
        self.0.load(SeqCst)
    }
}

#[tokio::test]
async fn an_effect_before_two_questions_happens_once() {
    let (effects, entries) = (Counter::default(), Counter::default());
    let handler = async |ctx: Context| {
        entries.up();
        let draft = ctx.once("draft", || async { effects.up() }).await?;
        let name = ctx.elicit::<Name>("Who?").await?.accepted().expect("a name").name;
        let town = ctx.elicit::<Name>(format!("Where, {name}?")).await?.accepted().expect("a town").name;
        Ok::<_, crate::ToolError>(format!("{draft} {name} {town}"))
    };
    let answer =
        |_: &str, request: &InputRequest| named(if message(request) == "Who?" { "Ada" } else { "London" });
    let (output, rounds) = Desk::default().converse(handler, answer).await;
    assert_eq!(output.expect("no error"), "1 Ada London");
    assert_eq!((effects.count(), entries.count(), rounds), (1, 3, 3));
}

#[tokio::test]
async fn a_question_beside_an_effect_waits_for_its_end() {
    let (effects, gate) = (Counter::default(), Arc::new(Notify::new()));
    let handler = async |ctx: Context| {
        let effect = ctx.once("slow", || async {
            gate.notified().await;
            effects.up()
        });
        let (effect, answer) = tokio::join!(effect, ctx.elicit::<Name>("Who?"));
        (effect.expect("a value"), answer.map(drop).is_ok())
    };
    let desk = Desk::default();
    let mut entry = Box::pin(desk.first(handler));
    for _ in 0..10 {
        // However often it is looked at: the effect runs, so the handler stays.
        tokio::select! {
            biased;
            _ = &mut entry => panic!("suspended in the middle of an effect"),
            () = tokio::task::yield_now() => {}
        }
    }
    gate.notify_one();
    let asks = entry.await.asks();
    assert_eq!(effects.count(), 1);
    let params = desk.retry(&[(only(&asks).0, &named("Ada"))], asks.request_state.as_deref());
    assert_eq!(desk.enter(&params, handler).await.expect("no fault").finished(), (1, true));
    assert_eq!(effects.count(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_effect_in_a_spawned_task_is_kept_whenever_it_ends() {
    for _ in 0..200 {
        let effects = Counter::default();
        let handler = async |ctx: Context| {
            let (task, counted) = (ctx.clone(), effects.clone());
            let effect = tokio::spawn(async move {
                task.once("e", || async {
                    tokio::task::yield_now().await;
                    counted.up()
                })
                .await
            });
            // Only once the effect has begun: one that has not may begin on the next entry.
            while effects.count() == 0 && !effect.is_finished() {
                tokio::task::yield_now().await;
            }
            ctx.elicit::<Name>("Who?").await?;
            Ok::<_, AskError>(effect.await.expect("no panic").ok())
        };
        let (output, _) = Desk::default().converse(handler, |_, _| named("Ada")).await;
        assert_eq!((output.expect("an answer"), effects.count()), (Some(1), 1));
    }
}

#[tokio::test]
async fn no_effect_begins_after_the_call_was_suspended() {
    let (effects, gate) = (Counter::default(), Arc::new(Notify::new()));
    let (sender, mut results) = tokio::sync::mpsc::unbounded_channel();
    let handler = async |ctx: Context| {
        let (task, effects, gate, sender) = (ctx.clone(), effects.clone(), Arc::clone(&gate), sender.clone());
        tokio::spawn(async move {
            gate.notified().await;
            let _ = sender.send(task.once("late", || async { effects.up() }).await);
        });
        ctx.elicit::<Name>("Who?").await.map(drop)
    };
    Desk::default().first(handler).await.asks();
    gate.notify_one();
    assert!(matches!(results.recv().await, Some(Err(OnceError::Closed { key })) if key == "late"));
    assert_eq!(effects.count(), 0);
}

#[tokio::test]
async fn two_at_the_same_time_run_one_effect() {
    let (effects, gate) = (Counter::default(), Arc::new(Notify::new()));
    let handler = async |ctx: Context| {
        let effect = || async {
            gate.notified().await;
            effects.up()
        };
        let open = async {
            tokio::task::yield_now().await;
            gate.notify_one();
        };
        let (a, b, ()) = tokio::join!(ctx.once("e", effect), ctx.once("e", effect), open);
        (a.expect("a value"), b.expect("a value"), ctx.once("e", effect).await.expect("a value"))
    };
    assert_eq!(Desk::default().first(handler).await.finished(), (1, 1, 1));
    assert_eq!(effects.count(), 1);
}

#[tokio::test]
async fn an_effect_dropped_halfway_runs_again() {
    let effects = Counter::default();
    let handler = async |ctx: Context| {
        tokio::select! {
            biased;
            _ = ctx.once::<(), _, _>("e", || async { effects.up(); std::future::pending().await }) => {}
            () = std::future::ready(()) => {}
        }
        ctx.once("e", || async { effects.up() }).await.expect("a value")
    };
    assert_eq!(Desk::default().first(handler).await.finished(), 2);
}

#[tokio::test]
async fn a_failed_effect_is_tried_again_and_a_done_one_is_not() {
    let attempts = Counter::default();
    let handler = async |ctx: Context| {
        let attempt = || async {
            match attempts.up() {
                1 => Err("busy"),
                n => Ok(n),
            }
        };
        let outcome = ctx.try_once("e", attempt).await.expect("no trouble of our own");
        let failed = outcome.is_err();
        ctx.elicit::<Name>(if failed { "Failed, go on?" } else { "Done, go on?" }).await.map(|_| outcome)
    };
    let (output, entries) = Desk::default().converse(handler, |_, _| named("yes")).await;
    assert_eq!((output.expect("an answer"), entries, attempts.count()), (Ok(2), 3, 2));
}

#[tokio::test]
async fn a_question_inside_an_effect_is_refused_at_once() {
    let handler = async |ctx: Context| {
        ctx.once("e", || async {
            ctx.elicit::<Name>("Who?").await.map(drop).expect_err("refused").to_string()
        })
        .await
    };
    let error = Desk::default().first(handler).await.finished().expect("a value");
    assert_eq!(error, format!("the question cannot be put: {}", QuestionError::InsideOnce));
}

/// A value that JSON cannot hold.
#[derive(Debug, Serialize, serde::Deserialize, PartialEq, Eq, PartialOrd, Ord)]
struct Odd(BTreeMap<(u8, u8), u8>);

fn odd() -> Odd {
    Odd(BTreeMap::from([((1, 2), 3)]))
}

#[tokio::test]
async fn an_effect_whose_value_cannot_be_kept_never_runs_again() {
    let effects = Counter::default();
    let stubborn = async |ctx: Context| {
        let odd = || async {
            effects.up();
            odd()
        };
        let first = ctx.once("odd", odd).await.expect_err("no JSON");
        assert!(matches!(&first, OnceError::Unkept { key, .. } if key == "odd"), "{first}");
        let second = ctx.once("odd", odd).await.expect_err("no JSON");
        assert_eq!(first.to_string(), second.to_string());
        ctx.elicit::<Name>("Who?").await.map(drop)
    };
    let desk = Desk::default();
    let fault = desk.enter(&desk.params, stubborn).await.expect_err("cannot go on");
    assert_eq!(fault.kind(), hermes_types::FaultKind::InternalError);
    assert!(fault.message().contains("`odd`"), "{fault}");
    assert_eq!(effects.count(), 1);
}

#[tokio::test]
async fn a_kept_value_of_another_type_is_told_with_its_key() {
    let handler = async |ctx: Context| {
        ctx.once("e", || async { "text".to_owned() }).await.expect("a value");
        ctx.once("e", || async { 5_u8 }).await.expect_err("a text")
    };
    let error = Desk::default().first(handler).await.finished();
    assert!(matches!(&error, OnceError::WrongType { key, .. } if key == "e"), "{error}");
}

#[tokio::test]
async fn the_idempotency_key_lasts_for_all_entries_and_replays_of_one_call() {
    let keys = Mutex::new(Vec::new());
    let note = |ctx: &Context| keys.lock().expect("no panic").push(ctx.idempotency_key());
    let early = async |ctx: Context| {
        note(&ctx);
        let answer = ctx.elicit::<Name>("Who?").await.map(drop);
        note(&ctx);
        answer
    };
    let late = async |ctx: Context| {
        let answer = ctx.elicit::<Name>("Who?").await.map(drop);
        note(&ctx);
        answer
    };
    let desk = Desk::default();
    desk.converse(early, |_, _| named("Ada")).await.0.expect("an answer");
    let asks = desk.first(late).await.asks();
    let params = desk.retry(&[(only(&asks).0, &named("Ada"))], asks.request_state.as_deref());
    for _replay in 0..3 {
        desk.enter(&params, late).await.expect("no fault").finished().expect("an answer");
    }
    let keys = keys.into_inner().expect("no panic");
    assert_eq!(keys.len(), 6);
    assert!(keys[..3].iter().all(|key| *key == keys[0] && key.len() == 32), "{keys:?}");
    assert!(keys[3..].iter().all(|key| *key == keys[3] && *key != keys[0]), "{keys:?}");
}
