//! The shop, visited over stdio in both eras.

use hermes::prelude::*;
use hermes::types::ContentBlock;
use hermes::{Direction, EraChoice};
use hermes_testkit::{Side, Tape};
use serde_json::{Value, json};

type Outcome = Result<(), Box<dyn std::error::Error>>;

async fn visitor(tape: &Tape, era: EraChoice) -> Result<Client, ClientError> {
    let ear = tape.ear();
    let builder = Client::builder().era(era).on_wire(move |direction, text| {
        let side = if direction == Direction::Sent { Side::Client } else { Side::Server };
        ear.hears_line(side, text.as_bytes());
    });
    builder.connect(Command::new(env!("CARGO_BIN_EXE_shop"))).await
}

async fn tools(client: &Client) -> Result<Vec<String>, ClientError> {
    let listing = client.list_all_tools().await?;
    Ok(listing.values().map(|tool| tool.name.clone()).collect())
}

#[tokio::test]
async fn who_has_something_in_the_cart_can_pay_and_then_has_nothing() -> Outcome {
    let tape = Tape::new(&[Side::Client, Side::Server]);
    let client = visitor(&tape, EraChoice::Legacy).await?;
    assert_eq!(tools(&client).await?, ["put", "search"]);
    assert!(client.call("checkout", json!({})).await.is_err());
    for expected in ["felt hat", "felt hat, felt hat"] {
        let cart: String = client.call("put", json!({ "what": "felt hat" })).await?.read()?;
        assert_eq!(cart, expected);
    }
    assert_eq!(tools(&client).await?, ["checkout", "put", "search"]);
    let bill: Value = client.call("checkout", json!({})).await?.read()?;
    assert_eq!(bill, json!({ "items": ["felt hat", "felt hat"], "total": 7_100 }));
    assert_eq!(tools(&client).await?, ["put", "search"]);
    client.close().await;
    Ok(())
}

#[tokio::test]
async fn without_a_session_everybody_can_look_and_nobody_has_the_cart_of_another() -> Outcome {
    let tape = Tape::new(&[Side::Client, Side::Server]);
    let client = visitor(&tape, EraChoice::Modern).await?;
    let found: String = client.call("search", json!({ "word": "hat" })).await?.read()?;
    assert_eq!(found, "felt hat: 3500\nstraw hat: 2000");
    for _ in 0..2 {
        let cart: String = client.call("put", json!({ "what": "shoes" })).await?.read()?;
        assert_eq!(cart, "shoes");
    }
    let none = client.call("put", json!({ "what": "car" })).await?.into_value();
    let text = none.content.first().and_then(ContentBlock::as_text);
    assert_eq!((none.is_error(), text), (true, Some("there is no such thing")));
    client.close().await;
    Ok(())
}
