//! The seal: what is accepted, and what is refused with nothing run.

use hermes_types::FaultKind;
use proptest::prelude::*;

use super::*;
use crate::ask::AskError;

async fn ask(ctx: Context) -> Result<(), AskError> {
    ctx.once("effect", || async { 7 }).await.expect("a value");
    ctx.elicit::<Name>("Who?").key("who").await.map(drop)
}

/// A state as a client has it after the first round.
fn state(desk: &Desk) -> String {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    runtime.block_on(desk.first(ask)).asks().request_state.expect("a state")
}

/// What becomes of a retry with this state.
fn refusal(desk: &Desk, state: &str) -> Option<Fault> {
    desk.book(&desk.retry(&[("who", &named("Ada"))], Some(state))).err()
}

fn message_of(desk: &Desk, state: &str) -> String {
    let fault = refusal(desk, state).expect("refused");
    assert_eq!(fault.kind(), FaultKind::InvalidParams);
    fault.message().to_owned()
}

const UNVERIFIED: &str = "requestState does not verify";
const OTHER_REQUEST: &str = "requestState belongs to another request";

// spec: R394, R395
#[test]
fn b085_a_state_is_good_for_its_own_request_in_its_own_time() {
    let mut desk = Desk::default();
    let state = state(&desk);
    assert_eq!(refusal(&desk, &state), None);
    // The same request, spelt differently.
    desk.params = r#"{ "_meta" : {"progressToken":9}, "arguments":{"n":1}, "name":"\u0074" }"#.to_owned();
    assert_eq!(refusal(&desk, &state), None);
    desk.now += Duration::from_secs(60 * 60);
    assert_eq!(refusal(&desk, &state), None);
    desk.now += Duration::from_secs(1);
    assert!(message_of(&desk, &state).contains("has expired"));
}

#[test]
fn b085_another_request_is_refused() {
    let state = state(&Desk::default());
    for params in [
        r#"{"name":"other","arguments":{"n":1}}"#,
        r#"{"name":"t","arguments":{"n":2}}"#,
        r#"{"name":"t","arguments":{"n":1,"m":1}}"#,
        r#"{"name":"t"}"#,
    ] {
        let desk = Desk { params: params.to_owned(), ..Desk::default() };
        assert_eq!(message_of(&desk, &state), OTHER_REQUEST, "{params}");
    }
    let desk = Desk { method: "prompts/get", ..Desk::default() };
    assert_eq!(message_of(&desk, &state), OTHER_REQUEST);
}

#[test]
fn b085_another_principal_is_refused() {
    let with = |principal| Desk { principal, ..Desk::default() };
    for (made_by, sent_by) in [(Some("u1"), Some("u2")), (Some("u1"), None), (None, Some("u1"))] {
        assert_eq!(message_of(&with(sent_by), &state(&with(made_by))), UNVERIFIED, "{made_by:?} {sent_by:?}");
    }
    assert_eq!(refusal(&with(Some("u1")), &state(&with(Some("u1")))), None);
}

#[test]
fn b085_another_key_is_refused_and_a_previous_one_is_not() {
    let state = state(&Desk::default());
    let with = |seal| Desk { seal, ..Desk::default() };
    assert_eq!(message_of(&with(Seal::new([8; 32])), &state), UNVERIFIED);
    assert_eq!(
        refusal(&with(Seal::new([8; 32]).with_previous([9; 32]).with_previous([7; 32])), &state),
        None
    );
}

#[test]
fn b085_garbage_of_any_size_is_refused() {
    let desk = Desk::default();
    for garbage in [
        "",
        "AQ",
        "====",
        "ä",
        "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        &"A".repeat(200_000),
    ] {
        assert_eq!(message_of(&desk, garbage), UNVERIFIED);
    }
    assert_eq!(message_of(&desk, &"A".repeat(1 << 20)), "requestState is too long");
}

#[test]
fn two_states_of_the_same_contents_look_different() {
    let desk = Desk::default();
    assert_ne!(state(&desk), state(&desk));
}

// spec: R376
#[test]
fn the_contents_are_not_to_be_read() {
    use base64::Engine as _;
    let state = state(&Desk::default());
    let bytes = base64::engine::general_purpose::URL_SAFE_NO_PAD.decode(&state).expect("base64url");
    assert!(!bytes.windows(6).any(|window| window == b"effect"));
    assert!(!state.contains(['+', '/', '=']));
}

#[test]
fn a_clock_far_off_neither_panics_nor_opens() {
    let state = state(&Desk::default());
    let desk = Desk { now: UNIX_EPOCH + Duration::from_secs(u64::MAX / 4), ..Desk::default() };
    assert!(message_of(&desk, &state).contains("has expired"));
    let early = Desk { now: UNIX_EPOCH - Duration::from_secs(5), ..Desk::default() };
    assert_eq!(refusal(&early, &state), None);
}

// spec: R396
#[tokio::test]
async fn b085_a_replayed_state_runs_no_recorded_effect_again() {
    let effects = std::sync::atomic::AtomicUsize::new(0);
    let handler = async |ctx: Context| {
        let count = || async { effects.fetch_add(1, std::sync::atomic::Ordering::SeqCst) + 1 };
        let n = ctx.once("effect", count).await.expect("a value");
        ctx.elicit::<Name>("Who?").key("who").await.map(|_| n)
    };
    let desk = Desk::default();
    let asks = desk.first(handler).await.asks();
    let params = desk.retry(&[("who", &named("Ada"))], asks.request_state.as_deref());
    for _replay in 0..3 {
        assert_eq!(desk.enter(&params, handler).await.expect("no fault").finished().expect("an answer"), 1);
    }
    assert_eq!(effects.load(std::sync::atomic::Ordering::SeqCst), 1);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn b085_one_flipped_bit_is_refused(at in any::<prop::sample::Index>(), bit in 0..8_u8) {
        use base64::Engine as _;
        use base64::engine::general_purpose::URL_SAFE_NO_PAD;
        let desk = Desk::default();
        let mut bytes = URL_SAFE_NO_PAD.decode(state(&desk)).expect("base64url");
        let at = at.index(bytes.len());
        bytes[at] ^= 1 << bit;
        prop_assert_eq!(message_of(&desk, &URL_SAFE_NO_PAD.encode(bytes)), UNVERIFIED);
    }

    #[test]
    fn b085_one_other_character_is_refused(at in any::<prop::sample::Index>(), other in "[A-Za-z0-9_+/= -]") {
        let desk = Desk::default();
        let state = state(&desk);
        let at = at.index(state.len());
        let changed = format!("{}{other}{}", &state[..at], &state[at + 1..]);
        prop_assume!(changed != state);
        prop_assert_eq!(message_of(&desk, &changed), UNVERIFIED);
    }

    #[test]
    fn b085_a_part_of_a_state_is_refused(keep in any::<prop::sample::Index>(), tail in "[A-Z-]{0,9}") {
        let desk = Desk::default();
        let state = state(&desk);
        let part = format!("{}{tail}", &state[..keep.index(state.len())]);
        prop_assert_eq!(message_of(&desk, &part), UNVERIFIED);
    }

    #[test]
    fn b085_random_bytes_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        use base64::Engine as _;
        let text = base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(bytes);
        prop_assert_eq!(message_of(&Desk::default(), &text), UNVERIFIED);
    }
}
