//! A tool that asks the user something before it goes on.

use hermes::prelude::*;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Guest {
    name: String,
    seats: u32,
}

/// Books a table.
#[tool]
async fn book(ctx: Context) -> Result<String, ToolError> {
    Ok(match ctx.elicit("Who is coming?").await? {
        Elicited::Accepted(Guest { name, seats }) => format!("{seats} seats for {name}"),
        _ => "no table".to_owned(),
    })
}

#[tokio::main]
async fn main() -> hermes::Result {
    Server::new("question", "1.0.0").with(book).serve_stdio().await
}
