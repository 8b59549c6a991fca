//! The server as a client meets it, in both eras of the protocol.

use std::error::Error;

use hermes::prelude::*;
use hermes::types::ContentBlock;
use hermes::{EraChoice, in_memory};
use serde_json::json;

use notebook::Notebook;

async fn connect(era: EraChoice) -> Result<Client, ClientError> {
    Client::builder().era(era).connect(in_memory(Notebook::default().into_server())).await
}

#[tokio::test]
async fn a_note_that_was_kept_is_found() -> Result<(), Box<dyn Error>> {
    for era in [EraChoice::Legacy, EraChoice::Modern] {
        let client = connect(era).await?;
        let count: usize = client.call("keep", json!({ "text": "buy bread" })).await?.read()?;
        assert_eq!(count, 1);
        let found: String = client.call("find", json!({ "word": "bread" })).await?.read()?;
        assert_eq!(found, "buy bread");
        client.close().await;
    }
    Ok(())
}

#[tokio::test]
async fn a_word_that_is_nowhere_is_an_error_that_the_model_can_read() -> Result<(), Box<dyn Error>> {
    let client = connect(EraChoice::Auto).await?;
    let result = client.call("find", json!({ "word": "butter" })).await?.into_value();
    assert!(result.is_error());
    let text = result.content.first().and_then(ContentBlock::as_text);
    assert_eq!(text, Some("no note has \"butter\" in it"));
    client.close().await;
    Ok(())
}
