//! When a handler is suspended, and when not.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

use tokio::sync::mpsc;

use super::*;
use crate::ask::{AskError, Elicited, QuestionError};

#[tokio::test]
async fn a_handler_that_does_not_ask_just_ends() {
    assert_eq!(Desk::default().first(async |_| 5).await.finished(), 5);
}

#[tokio::test]
async fn the_suspension_is_no_error_that_a_handler_could_swallow() {
    let swallow = async |ctx: Context| {
        let name = ctx.elicit::<Name>("Who?").await.unwrap_or(Elicited::Declined);
        name.accepted().map(|name| name.name)
    };
    let desk = Desk::default();
    let asks = desk.first(swallow).await.asks();
    assert_eq!(message(only(&asks).1), "Who?");
    let (output, entries) = desk.converse(swallow, |_, _| named("Ada")).await;
    assert_eq!((output.as_deref(), entries), (Some("Ada"), 2));
}

#[tokio::test]
async fn two_questions_of_a_join_are_one_round() {
    let both = async |ctx: Context| tokio::join!(ctx.elicit::<Name>("A?"), ctx.elicit::<Name>("B?"));
    let desk = Desk::default();
    assert_eq!(questions(&desk.first(both).await.asks()).len(), 2);
    let ((a, b), entries) = desk.converse(both, |_, request| named(&message(request))).await;
    let name = |answer: Result<Elicited<Name>, AskError>| {
        answer.expect("an answer").accepted().expect("a name").name
    };
    assert_eq!((name(a).as_str(), name(b).as_str(), entries), ("A?", "B?", 2));
}

#[tokio::test]
async fn a_question_put_one_step_later_still_joins_the_round() {
    let both = async |ctx: Context| {
        let late = async {
            tokio::task::yield_now().await;
            ctx.elicit::<Name>("B?").await
        };
        tokio::join!(ctx.elicit::<Name>("A?"), late).0.map(drop)
    };
    assert_eq!(questions(&Desk::default().first(both).await.asks()).len(), 2);
}

#[tokio::test]
async fn questions_of_spawned_tasks_suspend_the_call_in_one_round() {
    let spawning = async |ctx: Context| {
        let mut tasks = tokio::task::JoinSet::new();
        for who in ["A?", "B?", "C?"] {
            let ctx = ctx.clone();
            tasks.spawn(async move { ctx.elicit::<Name>(who).await });
        }
        tasks.join_all().await.into_iter().map(|answer| answer.map(drop)).collect::<Result<Vec<()>, _>>()
    };
    let desk = Desk::default();
    assert_eq!(questions(&desk.first(spawning).await.asks()).len(), 3);
    let (output, entries) = desk.converse(spawning, |_, request| named(&message(request))).await;
    assert_eq!((output.expect("answers").len(), entries), (3, 2));
}

#[tokio::test]
async fn a_task_left_behind_learns_that_no_answer_comes() {
    let (sender, mut left_behind) = mpsc::unbounded_channel();
    let spawning = async |ctx: Context| {
        let (task, sender) = (ctx.clone(), sender.clone());
        tokio::spawn(async move { sender.send(task.elicit::<Name>("Who?").await.map(drop)) });
        std::future::pending::<()>().await;
    };
    let asks = Desk::default().first(spawning).await.asks();
    assert_eq!(questions(&asks).len(), 1);
    assert!(matches!(left_behind.recv().await, Some(Err(AskError::Closed))));
}

#[tokio::test]
async fn a_cancelled_call_ends_the_questions_of_its_tasks() {
    let desk = Desk::default();
    let context = desk.context(desk.book(&desk.params).expect("no fault"));
    let task = context.clone();
    let asking = tokio::spawn(async move { task.elicit::<Name>("Who?").await.map(drop) });
    // Dropped before it was polled twice, as a cancellation does it.
    let mut driven = Box::pin(drive(std::future::pending::<()>(), context.asked()));
    assert!(poll_once(&mut driven).await.is_pending());
    tokio::task::yield_now().await;
    drop(driven);
    assert!(matches!(asking.await, Ok(Err(AskError::Closed))));
    let late = context.elicit::<Name>("Again?").await.expect_err("the call is over");
    assert!(matches!(late, AskError::Closed), "{late}");
}

/// Polls once and says what came of it.
async fn poll_once<F: Future + Unpin>(future: &mut F) -> std::task::Poll<F::Output> {
    std::future::poll_fn(|cx| std::task::Poll::Ready(std::pin::Pin::new(&mut *future).poll(cx))).await
}

#[tokio::test]
async fn a_question_that_lost_its_race_is_not_sent() {
    let racing = async |ctx: Context| {
        tokio::select! {
            biased;
            _ = ctx.elicit::<Name>("Who?") => "answered",
            () = std::future::ready(()) => {
                tokio::task::yield_now().await;
                tokio::task::yield_now().await;
                "went on"
            }
        }
    };
    assert_eq!(Desk::default().first(racing).await.finished(), "went on");
}

#[tokio::test]
async fn a_withdrawn_question_leaves_the_others_open() {
    let racing = async |ctx: Context| {
        tokio::select! {
            biased;
            _ = ctx.elicit::<Name>("Lost?") => {}
            () = std::future::ready(()) => {}
        }
        ctx.elicit::<Name>("Kept?").await.map(drop)
    };
    let asks = Desk::default().first(racing).await.asks();
    assert_eq!(message(only(&asks).1), "Kept?");
}

#[tokio::test(start_paused = true)]
async fn a_timeout_around_a_question_does_not_run_out_while_the_client_is_asked() {
    let hasty = async |ctx: Context| {
        tokio::time::timeout(Duration::from_secs(1), ctx.elicit::<Name>("Who?")).await.is_ok()
    };
    let desk = Desk::default();
    let before = tokio::time::Instant::now();
    let asks = desk.first(hasty).await.asks();
    assert_eq!(tokio::time::Instant::now(), before);
    let params = desk.retry(&[(only(&asks).0, &named("Ada"))], asks.request_state.as_deref());
    assert!(desk.enter(&params, hasty).await.expect("no fault").finished());
}

#[tokio::test]
async fn work_beside_a_question_is_given_up_with_it() {
    let runs = Arc::new(AtomicUsize::new(0));
    let beside = async |ctx: Context| {
        let work = async {
            runs.fetch_add(1, SeqCst);
            std::future::pending::<()>().await;
        };
        tokio::select! {
            answer = ctx.elicit::<Name>("Who?") => answer.map(drop),
            () = work => Ok(()),
        }
    };
    let (output, entries) = Desk::default().converse(beside, |_, _| named("Ada")).await;
    assert!(output.is_ok());
    assert_eq!((entries, runs.load(SeqCst) >= 1), (2, true));
}

#[tokio::test]
async fn what_cannot_be_answered_with_a_question_refuses_to_ask() {
    let desk = Desk { method: "completion/complete", ..Desk::default() };
    let ask = async |ctx: Context| {
        assert!(!ctx.can_ask(crate::ask::Capability::ElicitationForm));
        ctx.elicit::<Name>("Who?").await
    };
    let error = desk.first(ask).await.finished().expect_err("no question here");
    assert!(matches!(error, AskError::BadQuestion(QuestionError::NotFromHere)), "{error}");
}

#[tokio::test]
async fn a_question_that_is_never_polled_asks_nothing() {
    let lazy = async |ctx: Context| {
        let question = ctx.elicit::<Name>("Who?");
        tokio::task::yield_now().await;
        drop(question);
        7
    };
    assert_eq!(Desk::default().first(lazy).await.finished(), 7);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_question_is_lost_however_the_threads_interleave() {
    let desk = Desk::default();
    for _ in 0..100 {
        let spawning = async |ctx: Context| {
            let mut tasks = tokio::task::JoinSet::new();
            for who in ["A?", "B?", "C?", "D?"] {
                let ctx = ctx.clone();
                tasks.spawn(async move {
                    let first = ctx.elicit::<Name>(who).await?.accepted().expect("a name").name;
                    ctx.elicit::<Name>(format!("{first} again?")).await
                });
            }
            tasks.join_all().await.into_iter().map(|answer| answer.map(drop)).collect::<Result<Vec<()>, _>>()
        };
        // How many rounds it takes is the scheduler's business; that it comes to an end is ours.
        let (output, _) = desk.converse(spawning, |_, request| named(&message(request))).await;
        assert_eq!(output.expect("answers").len(), 4);
    }
}
