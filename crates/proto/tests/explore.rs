//! Every interleaving of small sessions: on the outbox itself, and on the policies that it replaces.
//!
//! With `HERMES_EXPLORE_BOUNDS=large` there is more to say and there are more connections; `--nocapture` shows what was
//! visited and what was found.

#[expect(unreachable_pub, reason = "a module of this test alone")]
mod explorer;

use std::collections::BTreeMap;
use std::time::Instant;

use explorer::policy::{Flaw, Kind, Policy};
use explorer::real::Real;
use explorer::registered::{Care, Registered};
use explorer::search::search;
use explorer::shadowed::Shadowed;
use explorer::world::{Client, Closing, Model, World};
use hermes_proto::outbox::Budget;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use Kind::{Hint, Note, Request};

const CLOSINGS: [Closing; 3] = [Closing::Never, Closing::AtOnce, Closing::AfterReading];
const AMPLE: Budget = Budget {
    stream_bytes: 9,
    stream_events: 9,
    session_bytes: 9,
    session_events: 9,
    handed_bytes: 9,
    handed_responses: 9,
};

/// Nothing is kept of what was read to the end.
const UNKEPT: Budget = Budget { handed_responses: 0, ..AMPLE };

/// Two messages for each stream, and not quite as much for all of them.
const TIGHT: Budget =
    Budget { stream_bytes: 2, stream_events: 2, session_bytes: 3, session_events: 3, ..AMPLE };

/// One message for each stream, and for all of them.
const SINGLE: Budget =
    Budget { stream_bytes: 1, stream_events: 1, session_bytes: 1, session_events: 1, ..AMPLE };

/// Where nobody listens, two listeners at once are none.
const CALLERS: [Client; 2] = [Client::Sequential, Client::Forgetful];
const CLIENTS: [Client; 3] = [Client::Sequential, Client::Forgetful, Client::Concurrent];

/// A listener and nothing else.
const fn listening(client: Client, unrelated: &'static [Kind], conns: usize) -> Model {
    Model { client, unrelated, call: None, conns, closing: Closing::Never, cancels: false }
}

/// A call and, if something is said outside it, a listener beside it.
const fn calling(
    client: Client,
    unrelated: &'static [Kind],
    call: &'static [Kind],
    conns: usize,
    closing: Closing,
) -> Model {
    Model { client, unrelated, call: Some(call), conns, closing, cancels: false }
}

/// Whether the long search was asked for.
fn large() -> bool {
    #[expect(clippy::disallowed_methods, reason = "the bounds of a test, not of the core")]
    let bounds = std::env::var_os("HERMES_EXPLORE_BOUNDS");
    bounds.is_some_and(|bounds| bounds == "large")
}

/// A call that says so much, or less where the server closes connections as well and nothing longer was asked for.
fn within(call: &'static [Kind], closing: Closing) -> &'static [Kind] {
    let all = large() || closing == Closing::Never;
    if all { call } else { call.get(1..).unwrap_or_default() }
}

/// Searches one model, and reports what was visited and found.
#[expect(
    clippy::disallowed_methods,
    reason = "the report says how long a search took; nothing depends on it"
)]
#[expect(clippy::print_stdout, reason = "the report is what this test is run for")]
fn explore<P: Policy>(name: &str, model: &Model, policy: P) -> BTreeMap<Flaw, String> {
    let start = Instant::now();
    let found = search(model, policy);
    let mut report = format!(
        "{name:<22} {model} | {:>8} states {:>9} steps {:>7.2} s\n",
        found.states,
        found.steps,
        start.elapsed().as_secs_f64()
    );
    for (flaw, trace) in &found.flaws {
        report.push_str(&format!("    {flaw:?}: {trace}\n"));
    }
    print!("{report}");
    found.flaws
}

/// Nothing may be wrong with the outbox in any state of the model.
fn flawless(model: &Model, policy: Real) {
    assert_eq!(explore("the outbox", model, policy), BTreeMap::new(), "{model}");
}

/// The shortest way to a flaw, as the search finds it.
fn shortest(flaws: &BTreeMap<Flaw, String>, flaw: Flaw) -> &str {
    flaws.get(&flaw).map_or("never", String::as_str)
}

// spec: R135, R136, R140, R142, R143, R145
#[test]
fn whatever_belongs_to_no_call_is_delivered_raised_again_or_failed_and_never_repeated() {
    let scripts: [&[Kind]; 5] = [
        &[Hint('a'), Hint('b')],
        &[Hint('a'), Hint('a')],
        &[Request, Request],
        &[Note, Note],
        &[Hint('a'), Request],
    ];
    for client in CLIENTS {
        for script in scripts {
            flawless(&listening(client, script, 2), Real::new(true));
        }
        if large() {
            flawless(&listening(client, &[Request, Request], 2), Real::new(false));
            flawless(&listening(client, &[Hint('a'), Request, Hint('a')], 3), Real::new(true));
            flawless(&listening(client, &[Request, Note, Request], 3), Real::new(true));
            flawless(&listening(client, &[Hint('a'), Hint('b')], 3), Real::new(false));
        }
    }
}

// spec: R135, R136, R140, R142, R145
#[test]
fn b004_a_response_waits_on_its_own_stream_until_it_was_seen_or_given_up_aloud() {
    for client in CLIENTS {
        for closing in CLOSINGS {
            flawless(&calling(client, &[], within(&[Note, Request], closing), 2, closing), Real::new(true));
            if large() || closing == Closing::Never && client != Client::Concurrent {
                flawless(&calling(client, &[Hint('a')], &[Note], 2, closing), Real::new(true));
            }
            if large() {
                flawless(&calling(client, &[], &[Note, Request], 4, closing), Real::new(true));
                flawless(&calling(client, &[Hint('a')], &[Note], 3, closing), Real::new(true));
            }
        }
    }
}

#[test]
fn b033_a_cancelled_call_ends_its_stream_and_everybody_has_an_outcome() {
    for client in CALLERS {
        for closing in CLOSINGS {
            let model = calling(client, &[], within(&[Note, Request], closing), 2, closing);
            flawless(&Model { cancels: true, ..model }, Real::new(true));
            if large() {
                let model = calling(client, &[Note], &[Note], 2, closing);
                flawless(&Model { cancels: true, ..model }, Real::within(true, SINGLE));
            }
        }
    }
}

#[test]
fn a_response_leaves_before_its_time_only_after_its_reader_was_told_of_the_end() {
    for client in CALLERS {
        for closing in CLOSINGS {
            flawless(&calling(client, &[], &[Request], 2, closing), Real::within(true, UNKEPT));
            if large() {
                flawless(&calling(client, &[], &[Note, Request], 3, closing), Real::within(true, UNKEPT));
            }
        }
    }
}

#[test]
fn over_budget_notes_leave_gaps_requests_are_refused_hints_are_told_and_the_response_stays() {
    let scripts: [&[Kind]; 4] = [
        &[Note, Note, Note],
        &[Request, Request, Request],
        &[Hint('a'), Hint('b'), Hint('c')],
        &[Note, Hint('a'), Request],
    ];
    for client in CLIENTS {
        for script in scripts.into_iter().filter(|_| large() || client != Client::Concurrent) {
            flawless(&listening(client, script, 2), Real::within(true, TIGHT));
        }
        if large() {
            flawless(
                &listening(client, &[Hint('a'), Request, Note, Hint('a')], 2),
                Real::within(true, TIGHT),
            );
            flawless(&listening(client, &[Hint('a'), Hint('b'), Request], 3), Real::within(false, TIGHT));
            flawless(&calling(client, &[Note], &[Note, Note], 2, Closing::Never), Real::within(true, TIGHT));
        }
    }
    for client in CALLERS {
        flawless(&calling(client, &[], &[Note, Note, Note], 2, Closing::Never), Real::within(true, TIGHT));
        flawless(&calling(client, &[], &[Note, Request, Note], 2, Closing::Never), Real::within(true, TIGHT));
        if large() {
            flawless(&calling(client, &[Note], &[Note], 2, Closing::Never), Real::within(true, SINGLE));
            let talkative: &[Kind] = &[Note, Request, Request, Note];
            flawless(&calling(client, &[], talkative, 3, Closing::Never), Real::within(true, TIGHT));
            flawless(&calling(client, &[], talkative, 2, Closing::AfterReading), Real::within(true, TIGHT));
        }
    }
}

#[test]
fn without_grace_a_note_to_a_client_that_never_comes_back_is_lost_in_silence() {
    for client in CLIENTS {
        let flaws = explore("without R4", &listening(client, &[Note], 2), Real::without_grace());
        assert_eq!(shortest(&flaws, Flaw::Lost), "append, open c0, drop c0, read c0");
    }
}

#[test]
fn b001_one_registered_listener_loses_what_is_sent_to_the_dead_and_goes_deaf() {
    let model = calling(Client::Sequential, &[Hint('a')], &[], 3, Closing::Never);
    let flaws = explore("registered", &model, Registered::new(Care::None));
    // The late end of the first connection removes the entry of the second.
    assert_eq!(shortest(&flaws, Flaw::Deaf), "open c0, drop c0, open c1, notice c0, append");
    // The result goes to the dead listener, although the connection that asked for it lives.
    assert_eq!(shortest(&flaws, Flaw::HandedToDead), "open c0, post c1, drop c0, respond");
    assert_eq!(shortest(&flaws, Flaw::Crossed), "open c0, post c1");
    assert_eq!(shortest(&flaws, Flaw::LostInFlight), "open c0, append, drop c0");
}

#[test]
fn removing_only_ones_own_entry_still_hands_to_the_dead() {
    let model = calling(Client::Sequential, &[Hint('a')], &[], 3, Closing::Never);
    let flaws = explore("registered, own entry", &model, Registered::new(Care::OwnEntry));
    assert_eq!(shortest(&flaws, Flaw::HandedToDead), "open c0, post c1, drop c0, respond");
    assert_eq!(shortest(&flaws, Flaw::Deaf), "never");
}

#[test]
fn asking_whether_the_listener_is_alive_runs_a_call_twice() {
    let model = calling(Client::Sequential, &[Hint('a')], &[], 3, Closing::Never);
    let flaws = explore("registered, asked first", &model, Registered::new(Care::LivenessCheck));
    assert_eq!(shortest(&flaws, Flaw::DoubleRun), "open c0, post c1, drop c0, exit c0, respond");
    // A process can be alive when its connection is not.
    assert_eq!(shortest(&flaws, Flaw::HandedToDead), "open c0, post c1, drop c0, respond");
}

#[test]
fn b048_a_primary_listener_with_shadows_is_deaf_repeats_and_erases_results() {
    let model = listening(Client::Sequential, &[Hint('a')], 2);
    let flaws = explore("primary and shadows", &model, Shadowed::new());
    // The first connection is half open, so the second, which works, is a shadow; and it stays one.
    assert_eq!(shortest(&flaws, Flaw::HandedToDead), "open c0, drop c0, open c1, append");
    assert_eq!(shortest(&flaws, Flaw::Deaf), "open c0, drop c0, open c1, notice c0, append");
    assert_eq!(shortest(&flaws, Flaw::Duplicate), "append, open c0, deliver c0, drop c0");
    let flaws = explore(
        "primary and shadows",
        &calling(Client::Sequential, &[], &[Note], 3, Closing::Never),
        Shadowed::new(),
    );
    assert_eq!(shortest(&flaws, Flaw::Erased), "post c0, deliver c0, drop c0");
}

/// More than can be explored: a busy session of a client that comes and goes.
const BUSY: &[Kind] =
    &[Hint('a'), Request, Note, Hint('b'), Hint('a'), Request, Note, Hint('b'), Request, Hint('a')];
const TALKATIVE: &[Kind] = &[Note, Request, Note, Note, Request, Note];

/// Fixed, so that a run proves the same thing every time; `HERMES_EXPLORE_SEED` (a number) sets another.
#[expect(clippy::disallowed_methods, reason = "the seed of a test, not of the core")]
#[expect(clippy::print_stdout, reason = "whoever sees it fail wants the seed")]
fn seed() -> u64 {
    let seed = std::env::var("HERMES_EXPLORE_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(1);
    println!("HERMES_EXPLORE_SEED={seed}");
    seed
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        cases: if large() { 5_000 } else { 150 },
        rng_seed: RngSeed::Fixed(seed()),
        ..ProptestConfig::default()
    })]

    #[test]
    fn long_sessions_end_well_however_they_go(
        client in prop::sample::select(CLIENTS.to_vec()),
        primes in any::<bool>(),
        closing in prop::sample::select(CLOSINGS.to_vec()),
        cancels in any::<bool>(),
        tight in any::<bool>(),
        choices in prop::collection::vec(any::<prop::sample::Index>(), 0..250),
    ) {
        let model = calling(client, BUSY, TALKATIVE, 14, closing);
        let model = Model { cancels, ..model };
        let budget = if tight { TIGHT } else { Budget::default() };
        let mut world = World::new(&model, Real::within(primes, budget));
        for choice in choices {
            let steps = world.enabled(&model);
            if steps.is_empty() || !world.within(&model) {
                break;
            }
            world = world.after(&model, steps[choice.index(steps.len())]);
            prop_assert_eq!(world.flaw(), None);
        }
        // From now on nothing goes wrong any more.
        for _ in 0..2_000 {
            let Some(step) = world.friendly(&model) else { break };
            world = world.after(&model, step);
        }
        prop_assert_eq!(world.friendly(&model), None, "it never comes to rest");
        prop_assert_eq!(world.verdict(&model), vec![]);
    }
}
