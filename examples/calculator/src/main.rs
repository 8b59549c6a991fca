//! One tool that can fail: a calculator.
//!
//! Try it: `hermes call calculate operation=divide x:=1 y:=4 -- target/debug/calculator`

use hermes::prelude::*;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Operation {
    Add,
    Subtract,
    Multiply,
    Divide,
}

/// Calculates with two numbers.
#[tool(read_only, open_world = false)]
fn calculate(
    /** What to do with them */
    operation: Operation,
    x: f64,
    y: f64,
) -> Result<f64, ToolError> {
    let result = match operation {
        Operation::Add => x + y,
        Operation::Subtract => x - y,
        Operation::Multiply => x * y,
        Operation::Divide if y == 0.0 => return Err(ToolError::new("nothing can be divided by 0")),
        Operation::Divide => x / y,
    };
    // The model reads this, and may try with other numbers. It is no error of the protocol.
    if result.is_finite() { Ok(result) } else { Err(ToolError::new("the result is too large")) }
}

#[tokio::main]
async fn main() -> Result<(), ServerError> {
    Server::new("calculator", env!("CARGO_PKG_VERSION")).with(calculate).serve_stdio().await
}
