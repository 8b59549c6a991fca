//! The weather, asked over stdio in both eras.

use hermes::prelude::*;
use hermes::types::{ContentBlock, ResourceContents};
use hermes::{Direction, EraChoice};
use hermes_testkit::{Side, Tape};
use serde_json::{Value, json};

async fn stations(tape: &Tape) -> Result<[Client; 2], ClientError> {
    let station = |era| {
        let ear = tape.ear();
        let builder = Client::builder().era(era).on_wire(move |direction, text| {
            let side = if direction == Direction::Sent { Side::Client } else { Side::Server };
            ear.hears_line(side, text.as_bytes());
        });
        builder.connect(Command::new(env!("CARGO_BIN_EXE_weather")))
    };
    Ok([station(EraChoice::Legacy).await?, station(EraChoice::Modern).await?])
}

#[tokio::test]
async fn a_city_has_a_temperature_and_an_unknown_one_an_error() -> Result<(), Box<dyn std::error::Error>> {
    let tape = Tape::new(&[Side::Client, Side::Server]);
    for client in stations(&tape).await? {
        assert_eq!(client.instructions().as_deref(), Some("The weather of a few cities."));
        let degrees: f64 = client.call("temperature", json!({ "city": "Oslo" })).await?.read()?;
        assert_eq!(degrees, -3.5);
        let unknown = client.call("temperature", json!({ "city": "Ys" })).await?.into_value();
        assert!(unknown.is_error());
        let text = unknown.content.first().and_then(ContentBlock::as_text);
        assert_eq!(text, Some("no station in Ys"));
        let warmest: Value =
            client.call("warmest", json!({ "cities": ["Oslo", "Rome", "Lima"] })).await?.read()?;
        assert_eq!(warmest, json!({ "city": "Rome", "temperature": 21.0 }));
        client.close().await;
    }
    Ok(())
}

#[tokio::test]
async fn a_city_is_a_resource_and_a_journey_a_prompt() -> Result<(), Box<dyn std::error::Error>> {
    let tape = Tape::new(&[Side::Client, Side::Server]);
    for client in stations(&tape).await? {
        let current = client.read("weather://Lima/current").await?.into_value();
        let Some(ResourceContents::Text(text)) = current.contents.first() else {
            return Err("no text".into());
        };
        assert_eq!(text.text, r#"{"city":"Lima","temperature":18.5}"#);
        let given = [("city", "Rome"), ("days", "4")].map(|(name, text)| (name.to_owned(), text.to_owned()));
        let prompt = client.prompt("packing_list", &given.into()).await?.into_value();
        let text = prompt.messages.first().and_then(|message| message.content.as_text());
        assert!(text.is_some_and(|text| text.starts_with("I go to Rome for 4 days.")), "{text:?}");
        client.close().await;
    }
    Ok(())
}
