//! Banners, drawn by a client and seen by a page.

use std::process::Command;

use hermes::prelude::*;
use hermes_testkit::daemon::Daemon;
use hermes_testkit::raw::{Answer, Connection, Target};
use hermes_testkit::{failure, structured, text};
use serde_json::json;

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn served() -> std::io::Result<(Daemon, Target)> {
    let daemon = Daemon::run(Command::new(env!("CARGO_BIN_EXE_ascii")).arg("127.0.0.1:0"))?;
    let target = daemon.target().with_path("/mcp");
    Ok((daemon, target))
}

async fn get(target: &Target, path: &str) -> Result<Answer, Box<dyn std::error::Error>> {
    let mut connection = Connection::open(target.address).await?;
    let request = format!("GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", target.host);
    connection.send(request.as_bytes()).await?;
    Ok(Answer::read(connection).await?)
}

#[tokio::test]
async fn letters_are_drawn_and_others_refused() -> Outcome {
    let (_daemon, target) = served()?;
    let client = Client::connect(target.to_string()).await?;
    let drawn = text(client.call("text_to_ascii", json!({ "text": "Hi 5" })).await);
    assert_eq!(drawn, "# # ###     ###\n# #  #      #\n###  #      ###\n# #  #        #\n# # ###     ###");
    let outcome = client.call("text_to_ascii", json!({ "text": "a/b" })).await;
    assert_eq!(failure(outcome), "'/' cannot be drawn: use A to Z, 0 to 9 and spaces");
    assert_eq!(structured(client.call("list_fonts", ()).await), json!(["hash", "block", "star"]));
    Ok(())
}

#[tokio::test]
async fn a_page_sees_the_banners_that_hang_and_those_that_come() -> Outcome {
    let (_daemon, target) = served()?;
    let client = Client::connect(target.to_string()).await?;
    let banner = |text: &str| client.call("generate_banner", json!({ "text": text, "font": "star" }));
    let first = structured(banner("one").await);
    assert_eq!(first["number"], 1);

    let mut page = get(&target, "/live").await?;
    assert_eq!((page.status(), page.is_events()), (200, true));
    let seen = page.message().await?.ok_or("the page sees nothing")?;
    assert_eq!(seen, first);

    let second = structured(banner("two").await);
    assert_eq!(page.message().await?.ok_or("the page sees no more")?, second);
    assert!(second["art"].as_str().is_some_and(|art| art.starts_with("+-") && art.lines().count() == 7));
    Ok(())
}

#[tokio::test]
async fn the_page_itself_is_served_beside_the_server() -> Outcome {
    let (_daemon, target) = served()?;
    let mut page = get(&target, "/").await?;
    let body = String::from_utf8(page.body().await?)?;
    assert!(body.contains("EventSource(\"/live\")") && !body.contains("innerHTML"));
    Ok(())
}
