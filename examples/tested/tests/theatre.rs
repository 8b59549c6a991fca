//! The theatre, tested in memory, as a program, over a network that fails, and for what it shows.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use hermes::prelude::*;
use hermes::types::ElicitResult;
use hermes::{ClientBuilder, EraChoice};
use hermes_testkit::relay::Relay;
use hermes_testkit::{Conversation, Peer, failure, refusal, text};
use serde_json::json;
use tested::theatre;

type Outcome = Result<(), Box<dyn std::error::Error>>;

/// A client whose user agrees to everything, or to nothing.
fn user(agreed: bool) -> ClientBuilder {
    Client::builder().on_elicit(move |_| async move {
        Ok(ElicitResult::accept(RawJson::encode(&json!({ "agreed": agreed }))?))
    })
}

// In memory: the quickest, and enough for most.

#[tokio::test]
async fn a_seat_is_booked_once_in_both_eras() -> Outcome {
    for era in [EraChoice::Legacy, EraChoice::Modern] {
        let client = user(true).era(era).connect(hermes::in_memory(theatre())).await?;
        assert_eq!(text(client.call("book", json!({ "seat": 7 })).await), "seat 7 is yours");
        assert_eq!(failure(client.call("book", json!({ "seat": 7 })).await), "seat 7 is taken");
        assert!(client.read("seats://taken").await?.raw.get().contains("[7]"), "{era:?}");
    }
    Ok(())
}

#[tokio::test]
async fn without_a_yes_no_seat_is_taken() -> Outcome {
    let client = user(false).connect(hermes::in_memory(theatre())).await?;
    assert_eq!(text(client.call("book", json!({ "seat": 7 })).await), "nothing was booked");
    // Who cannot be asked hears that, and takes no seat either.
    let silent = Client::connect(hermes::in_memory(theatre())).await?;
    assert_eq!(refusal(silent.call("book", json!({ "seat": 7 })).await).code, -32021);
    assert!(silent.read("seats://taken").await?.raw.get().contains("[]"));
    Ok(())
}

#[tokio::test]
async fn of_a_seat_that_is_not_there_the_model_hears_before_anybody_is_asked() -> Outcome {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let client = Client::builder()
        .on_elicit(move |_| {
            count.fetch_add(1, Ordering::Relaxed);
            async { Ok(ElicitResult::decline()) }
        })
        .connect(hermes::in_memory(theatre()))
        .await?;
    let failed = failure(client.call("book", json!({ "seat": 201 })).await);
    assert_eq!(failed, "`/seat`: 201 is greater than the maximum of 200");
    assert_eq!(asked.load(Ordering::Relaxed), 0);
    Ok(())
}

// What models see: a changed word is a changed server.

#[tokio::test]
async fn clients_see_what_they_saw_before() -> Outcome {
    let client = Client::connect(hermes::in_memory(theatre())).await?;
    hermes_testkit::surface(&client).await?.assert_file("tests/surface.json");
    Ok(())
}

// As a program, line by line: what a well-behaved client never says.

#[test]
fn a_line_that_is_no_message_is_refused_and_the_next_one_served() -> Outcome {
    let script = Conversation::parse(
        r#"
        > {"jsonrpc":"2.0","id":
        < {"jsonrpc":"2.0","error":{"code":-32700,"message":"_"}}
        > {"jsonrpc":"2.0","id":1,"method":"ping"}
        < {"jsonrpc":"2.0","id":1,"result":{}}
        ! end
        "#,
    )?;
    let mut peer = Peer::spawn(env!("CARGO_BIN_EXE_tested"), &[] as &[&str])?;
    script.play(&mut peer)?;
    Ok(())
}

// Over a network that fails: every connection is cut between two calls. To ask for a price twice would do no harm.

#[tokio::test]
async fn a_price_is_told_although_the_connection_was_cut() -> Outcome {
    let bound = StreamableHttp::new(theatre()).bind("127.0.0.1:0").await?;
    let relay = Relay::start(bound.address()).await?;
    tokio::spawn(bound.serve(std::future::pending()));
    let client = Client::connect(format!("http://{}/mcp", relay.address())).await?;
    assert_eq!(text(client.call("price", json!({ "seat": 7 })).await), "80");
    relay.clear();
    assert_eq!(text(client.call("price", json!({ "seat": 51 })).retry_if_lost().await), "40");
    Ok(())
}
