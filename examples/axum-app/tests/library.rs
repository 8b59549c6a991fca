//! The library, visited with and without a token.

use std::process::Command;
use std::time::Duration;

use hermes::prelude::*;
use hermes_testkit::daemon::Daemon;
use hermes_testkit::raw::{Answer, Connection, Target};
use hermes_testkit::{failure, structured, text};
use serde_json::json;

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn opened() -> std::io::Result<(Daemon, Target)> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_axum-app"));
    command.arg("127.0.0.1:0").env("LIBRARY_ACCOUNTS", "ada:a-token,bob:b-token,eve:e-token:guest");
    let daemon = Daemon::run(&mut command)?;
    let target = daemon.target().clone();
    Ok((daemon, target))
}

async fn visitor(target: &Target, token: &str) -> Result<Client, ClientError> {
    Client::builder().header("Authorization", format!("Bearer {token}")).connect(target.to_string()).await
}

#[tokio::test]
async fn each_token_is_its_owner_and_may_what_the_owner_may() -> Outcome {
    let (_daemon, target) = opened()?;
    let emma = json!({ "title": "Emma" });
    let ada = visitor(&target, "a-token").await?;
    assert_eq!(text(ada.call("whoami", ()).await), "ada");
    assert_eq!(text(ada.call("borrow", &emma).await), "Emma is yours");
    let bob = visitor(&target, "b-token").await?;
    assert_eq!(failure(bob.call("borrow", &emma).await), "Emma is borrowed");
    assert_eq!(
        failure(bob.call("borrow", json!({ "title": "Ulysses" })).await),
        "there is no book \"Ulysses\""
    );
    let eve = visitor(&target, "e-token").await?;
    assert_eq!(failure(eve.call("borrow", &emma).await), "guests may look, and not borrow");
    assert_eq!(structured(eve.call("books", ()).await)[0], json!({ "title": "Emma", "borrower": "ada" }));
    Ok(())
}

#[tokio::test]
async fn without_a_token_nobody_comes_in_and_the_client_hears_what_is_wanted() -> Outcome {
    let (_daemon, target) = opened()?;
    for token in ["", "another"] {
        let Err(ClientError::Unauthorized { status, challenge, .. }) = visitor(&target, token).await else {
            return Err("it should have been refused".into());
        };
        assert_eq!((status, challenge.as_deref()), (401, Some("Bearer realm=\"library\"")));
    }
    Ok(())
}

#[tokio::test]
async fn the_page_needs_no_token() -> Outcome {
    let (_daemon, target) = opened()?;
    let mut connection = Connection::open(target.address).await?;
    connection.send(format!("GET / HTTP/1.1\r\nHost: {}\r\n\r\n", target.host).as_bytes()).await?;
    let body = Answer::read(connection).await?.body().await?;
    assert_eq!(String::from_utf8(body)?, "Emma (there)\nMiddlemarch (there)\nVillette (there)\n");
    Ok(())
}

#[tokio::test]
async fn it_ends_in_good_order_when_it_is_told_to() -> Outcome {
    let (mut daemon, target) = opened()?;
    let ada = visitor(&target, "a-token").await?;
    assert_eq!(text(ada.call("whoami", ()).await), "ada");
    ada.close().await;
    daemon.terminate()?;
    assert!(daemon.wait(Duration::from_secs(20))?.success());
    Ok(())
}
