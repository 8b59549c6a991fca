//! The list, tried in memory.

use hermes::prelude::*;
use hermes_testkit::{failure, structured, text};
use serde_json::json;

#[tokio::test]
async fn a_book_is_on_the_list_once_and_is_read() -> Result<(), ClientError> {
    let client = Client::connect(hermes::in_memory(reading::server())).await?;
    let emma = json!({ "title": "Emma", "pages": 474 });
    assert_eq!(text(client.call("add_book", &emma).await), "1 books on the list");
    assert_eq!(failure(client.call("add_book", &emma).await), "Emma is on the list already");
    let read = structured(client.call("finish_book", json!({ "title": "Emma" })).await);
    assert_eq!(read, json!({ "title": "Emma", "pages": 474, "is_read": true }));
    Ok(())
}
