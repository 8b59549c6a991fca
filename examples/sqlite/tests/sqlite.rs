//! The shop's orders, asked for over stdio.

use std::path::PathBuf;
use std::process;

use hermes::prelude::*;
use hermes_testkit::{failure, structured};
use serde_json::{Value, json};

type Outcome = Result<(), Box<dyn std::error::Error>>;

const SQLITE: &str = env!("CARGO_BIN_EXE_sqlite");

/// A database of its own for each test, and a client of its server.
async fn shop(name: &str) -> Result<(PathBuf, Client), Box<dyn std::error::Error>> {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    // It is there only when the test has run before.
    drop(std::fs::remove_file(&file));
    assert!(process::Command::new(SQLITE).arg(&file).arg("--fill").status()?.success());
    let client = Client::connect(Command::new(SQLITE).arg(&file)).await?;
    Ok((file, client))
}

async fn numbers(client: &Client, filter: Value) -> Vec<i64> {
    let orders = structured(client.call("orders", filter).await);
    orders.as_array().into_iter().flatten().filter_map(|order| order["number"].as_i64()).collect()
}

#[tokio::test]
async fn orders_are_found_by_any_of_what_is_said() -> Outcome {
    let (_, client) = shop("found.db").await?;
    assert_eq!(numbers(&client, json!({})).await, [4, 3, 2, 1]);
    assert_eq!(numbers(&client, json!({ "customer": "ada" })).await, [3, 1]);
    assert_eq!(numbers(&client, json!({ "customer": "ada", "status": "open" })).await, [3]);
    assert_eq!(numbers(&client, json!({ "at_least": 2_000, "limit": 1 })).await, [2]);
    let totals = structured(client.call("totals", json!({ "by": "status" })).await);
    assert_eq!(totals[0], json!({ "name": "open", "orders": 2, "amount": 1_000 }));
    client.close().await;
    Ok(())
}

#[tokio::test]
async fn what_a_model_says_never_becomes_a_statement() -> Outcome {
    let (_, client) = shop("injection.db").await?;
    assert_eq!(numbers(&client, json!({ "customer": "'); DROP TABLE orders;--" })).await, [4]);
    assert_eq!(numbers(&client, json!({ "customer": "' OR 1=1 --" })).await, [0_i64; 0]);
    for (filter, wrong) in
        [(json!({ "status": "open' OR '1'='1" }), "/status"), (json!({ "limit": 1_000 }), "/limit")]
    {
        let failed = failure(client.call("orders", filter).await);
        assert!(failed.contains(wrong), "{failed}");
    }
    let failed = failure(client.call("totals", json!({ "by": "amount; --" })).await);
    assert!(failed.contains("/by"), "{failed}");
    client.close().await;
    Ok(())
}

#[tokio::test]
async fn the_file_stays_as_it_is() -> Outcome {
    let (file, client) = shop("read-only.db").await?;
    let before = std::fs::read(&file)?;
    assert_eq!(numbers(&client, json!({})).await.len(), 4);
    let order = client.read("orders://2").await?;
    assert!(order.raw.get().contains("Grace Hopper"), "{}", order.raw.get());
    assert!(client.read("orders://99").await.is_err_and(|error| error.is_not_found()));
    client.close().await;
    assert_eq!(std::fs::read(&file)?, before);
    Ok(())
}
