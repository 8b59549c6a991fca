//! The dice cup, played over stdio.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use hermes::prelude::*;
use hermes::types::ElicitResult;
use hermes::{Direction, EraChoice};
use hermes_testkit::{Side, Tape};
use serde_json::{Value, json};

async fn seated(tape: &Tape, era: EraChoice, questions: Arc<AtomicUsize>) -> Result<Client, ClientError> {
    let ear = tape.ear();
    Client::builder()
        .era(era)
        .on_wire(move |direction, text| {
            let side = if direction == Direction::Sent { Side::Client } else { Side::Server };
            ear.hears_line(side, text.as_bytes());
        })
        .on_elicit(move |_| {
            // The first question is answered with yes, the second with no.
            let again = questions.fetch_add(1, Ordering::SeqCst) == 0;
            async move { Ok(ElicitResult::accept(RawJson::encode(&json!({ "again": again }))?)) }
        })
        .connect(Command::new(env!("CARGO_BIN_EXE_first-server")))
        .await
}

#[tokio::test]
async fn as_many_dice_roll_as_were_asked_for() -> Result<(), Box<dyn std::error::Error>> {
    let tape = Tape::new(&[Side::Client, Side::Server]);
    let client = seated(&tape, EraChoice::Auto, Arc::default()).await?;
    let rolled: Value = client.call("roll", json!({ "dice": 3 })).await?.read()?;
    let eyes: Vec<u64> = rolled["eyes"].as_array().into_iter().flatten().filter_map(Value::as_u64).collect();
    assert_eq!(eyes.len(), 3);
    assert!(eyes.iter().all(|eyes| (1..=6).contains(eyes)), "{rolled}");
    assert_eq!(rolled["sum"].as_u64(), Some(eyes.iter().sum()));
    client.close().await;
    Ok(())
}

#[tokio::test]
async fn the_user_is_asked_between_the_throws_in_both_eras() -> Result<(), Box<dyn std::error::Error>> {
    let tape = Tape::new(&[Side::Client, Side::Server]);
    for era in [EraChoice::Legacy, EraChoice::Modern] {
        let questions = Arc::new(AtomicUsize::new(0));
        let client = seated(&tape, era, Arc::clone(&questions)).await?;
        let best: String = client.call("gamble", json!({})).await?.read()?;
        assert!(best.starts_with("best throw: "), "{best}");
        assert_eq!(questions.load(Ordering::SeqCst), 2, "{era:?}");
        client.close().await;
    }
    Ok(())
}
