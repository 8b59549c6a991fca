//! The calculator, asked over stdio.

use hermes::prelude::*;
use hermes_testkit::{failure, text};
use serde_json::json;

#[tokio::test]
async fn the_calculator_knows_four_operations() -> Result<(), ClientError> {
    let client = Client::connect(Command::new(env!("CARGO_BIN_EXE_calculator"))).await?;
    for (operation, result) in [("add", "7.5"), ("subtract", "4.5"), ("multiply", "9"), ("divide", "4")] {
        let outcome = client.call("calculate", json!({ "operation": operation, "x": 6, "y": 1.5 })).await;
        assert_eq!(text(outcome), result, "{operation}");
    }
    client.close().await;
    Ok(())
}

#[tokio::test]
async fn the_model_hears_of_a_division_by_0_and_of_an_unknown_operation() -> Result<(), ClientError> {
    let client = Client::connect(Command::new(env!("CARGO_BIN_EXE_calculator"))).await?;
    let outcome = client.call("calculate", json!({ "operation": "divide", "x": 1, "y": 0 })).await;
    assert_eq!(failure(outcome), "nothing can be divided by 0");
    let failed = failure(client.call("calculate", json!({ "operation": "root", "x": 1, "y": 2 })).await);
    assert!(failed.contains("`/operation`"), "{failed}");
    client.close().await;
    Ok(())
}
