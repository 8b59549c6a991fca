//! Files that come, change and go while a client listens.

use std::fs;
use std::path::PathBuf;

use hermes::prelude::*;
use hermes::types::SubscriptionFilter;
use hermes::{EraChoice, Heard, Listening, News};

type Outcome = Result<(), Box<dyn std::error::Error>>;

/// A folder of its own with one file.
fn folder(name: &str) -> std::io::Result<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    // It is there only when the test has run before.
    drop(fs::remove_dir_all(&folder));
    fs::create_dir(&folder)?;
    fs::write(folder.join("first.md"), "one")?;
    fs::write(folder.join(".secret"), "no")?;
    Ok(folder)
}

async fn uris(client: &Client) -> Result<Vec<String>, ClientError> {
    Ok(client.list_all_resources().await?.values().map(|resource| resource.uri.clone()).collect())
}

/// Hears until the server says this.
async fn until(listening: &mut Listening, wanted: impl Fn(&News) -> bool) -> Outcome {
    while let Some(heard) = listening.next().await? {
        if let Heard::Notice(notice) = heard
            && wanted(&notice.news())
        {
            return Ok(());
        }
    }
    Err("the stream ended".into())
}

#[tokio::test]
async fn who_listens_hears_of_files_that_come_change_and_go() -> Outcome {
    for (era, name) in [(EraChoice::Legacy, "legacy"), (EraChoice::Modern, "modern")] {
        let folder = folder(name)?;
        let command = Command::new(env!("CARGO_BIN_EXE_watched-directory")).arg(&folder);
        let client = Client::builder().era(era).connect(command).await?;
        let wanted = SubscriptionFilter {
            resources_list_changed: Some(true),
            resource_subscriptions: Some(vec!["docs://first.md".to_owned()]),
            ..SubscriptionFilter::default()
        };
        let mut listening = client.listen(wanted).await?;

        fs::write(folder.join("second.md"), "two")?;
        while uris(&client).await?.len() < 2 {
            until(&mut listening, |news| *news == News::ResourcesChanged).await?;
        }
        assert_eq!(uris(&client).await?, ["docs://first.md", "docs://second.md"]);
        assert!(client.read("docs://second.md").await?.raw.get().contains("two"));

        fs::write(folder.join("first.md"), "one, changed")?;
        until(
            &mut listening,
            |news| matches!(news, News::ResourceUpdated(it) if it.uri == "docs://first.md"),
        )
        .await?;

        fs::remove_file(folder.join("second.md"))?;
        while uris(&client).await?.len() > 1 {
            until(&mut listening, |news| *news == News::ResourcesChanged).await?;
        }
        assert!(client.read("docs://second.md").await.is_err_and(|error| error.is_not_found()));
        client.close().await;
    }
    Ok(())
}
