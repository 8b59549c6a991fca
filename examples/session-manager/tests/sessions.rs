//! Two clients of the session manager, and one that has no session.

use std::process::Command;

use hermes::EraChoice;
use hermes::prelude::*;
use hermes_testkit::daemon::Daemon;
use hermes_testkit::{failure, text};
use serde_json::json;

type Outcome = Result<(), Box<dyn std::error::Error>>;

#[tokio::test]
async fn nobody_sees_what_another_session_stores() -> Outcome {
    let mut command = Command::new(env!("CARGO_BIN_EXE_session-manager"));
    let daemon = Daemon::run(command.arg("127.0.0.1:0"))?;
    let url = daemon.target().to_string();
    let client = |name: &'static str| {
        Client::builder().name(name, "1.0.0").era(EraChoice::Legacy).connect(url.as_str())
    };
    let (ada, bob) = (client("ada").await?, client("bob").await?);

    let stored = json!({ "name": "colour", "value": "blue" });
    assert!(!ada.call("store_value", stored).await?.is_error());
    let name = json!({ "name": "colour" });
    assert_eq!(text(ada.call("get_value", &name).await), "blue");
    assert_eq!(failure(bob.call("get_value", &name).await), "nothing is stored as colour");

    for (client, expected) in [(&ada, "1"), (&ada, "2"), (&bob, "1")] {
        assert_eq!(text(client.call("increment_counter", ()).await), expected);
    }
    let told = text(ada.call("session_info", ()).await);
    assert!(told.ends_with("of ada has 1 values"), "{told}");

    let modern = Client::builder().era(EraChoice::Modern).connect(url.as_str()).await?;
    assert_eq!(text(modern.call("session_info", ()).await), "there are no sessions in this revision");
    assert_eq!(failure(modern.call("increment_counter", ()).await), "the client is served without a session");
    Ok(())
}
