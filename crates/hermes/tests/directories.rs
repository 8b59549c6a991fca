//! A directory as resources: what is served, and what is not.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use hermes::EraChoice;
use hermes::prelude::*;
use hermes::types::{
    CompleteRequestParams, CompletionReference, ResourceContents, ResourceTemplateReference,
};

type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

/// A directory of this test's own, beside a file that is nobody's business.
fn library(name: &str) -> Outcome<PathBuf> {
    let place = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&place);
    let root = place.join("library");
    fs::create_dir_all(root.join("deep/er"))?;
    fs::create_dir_all(root.join(".git"))?;
    fs::write(place.join("secret"), "secret")?;
    fs::write(root.join("a b.md"), "# Grüße")?;
    fs::write(root.join("deep/er/sky.png"), b"\x89PNG\r\n\x1a\n\0\xff")?;
    fs::write(root.join("deep/blob"), [0xff, 0xfe, 0, 1])?;
    fs::write(root.join(".env"), "secret")?;
    fs::write(root.join(".git/config"), "secret")?;
    symlink(place.join("secret"), root.join("link"))?;
    symlink(&place, root.join("up"))?;
    Ok(root)
}

async fn clients(root: &PathBuf) -> Outcome<[Client; 2]> {
    let server = Server::new("library", "1.0.0").directory("lib://", root)?;
    let client = |era| Client::builder().era(era).connect(hermes::in_memory(server.clone()));
    Ok([client(EraChoice::Legacy).await?, client(EraChoice::Modern).await?])
}

#[tokio::test]
async fn files_are_listed_with_size_kind_and_age_and_read_as_text_or_bytes() -> Outcome {
    let root = library("listed")?;
    for client in clients(&root).await? {
        let listing = client.list_all_resources().await?;
        let listed: Vec<_> = listing
            .values()
            .map(|it| (it.uri.as_str(), it.name.as_str(), it.mime_type.as_deref(), it.size))
            .collect();
        assert_eq!(
            listed,
            [
                ("lib://a%20b.md", "a b.md", Some("text/markdown"), Some(9)),
                ("lib://deep/blob", "deep/blob", Some("application/octet-stream"), Some(4)),
                ("lib://deep/er/sky.png", "deep/er/sky.png", Some("image/png"), Some(10)),
            ]
        );
        for resource in listing.values() {
            let hints = resource.annotations.as_ref().and_then(|hints| hints.last_modified.as_deref());
            assert!(hints.is_some_and(|at| at.len() == 20 && at.ends_with('Z')), "{hints:?}");
        }
        let text = client.read("lib://a%20b.md").await?.into_value();
        assert!(matches!(text.contents.as_slice(), [ResourceContents::Text(it)] if it.text == "# Grüße"));
        let bytes = client.read("lib://deep/blob").await?.into_value();
        assert!(matches!(bytes.contents.as_slice(), [ResourceContents::Blob(it)] if it.blob == "//4AAQ=="));
        fs::write(root.join("deep/later.txt"), "later")?;
        let listing = client.list_all_resources().await?;
        assert!(listing.values().any(|it| it.uri == "lib://deep/later.txt"), "what comes later is listed");
        let later = client.read("lib://deep/later.txt").await?.into_value();
        assert!(matches!(later.contents.as_slice(), [ResourceContents::Text(it)] if it.text == "later"));
        let reference = CompletionReference::Resource(ResourceTemplateReference::new("lib://{+path}"));
        let params = CompleteRequestParams::new(reference, "path", "deep/");
        let proposed = client.complete(&params).await?.into_value().completion.values;
        assert_eq!(proposed, ["deep/blob", "deep/er/sky.png", "deep/later.txt"]);
        fs::remove_file(root.join("deep/later.txt"))?;
    }
    Ok(())
}

#[tokio::test]
async fn nothing_outside_hidden_or_behind_a_link_can_be_reached() -> Outcome {
    let root = library("reached")?;
    for client in clients(&root).await? {
        for path in [
            "../secret",
            "deep/../../secret",
            "%2e%2e/secret",
            "..%2Fsecret",
            "/etc/passwd",
            "%2Fetc%2Fpasswd",
            "link",
            "up/secret",
            "up/library/a%20b.md",
            ".env",
            ".git/config",
            "deep/./../.env",
            "deep",
            "absent",
            "a%20b.md/x",
            "a%00b",
        ] {
            let error = client.read(format!("lib://{path}")).await.expect_err(path).to_string();
            assert!(error.contains("not found"), "{path}: {error}");
        }
    }
    Ok(())
}

#[tokio::test]
async fn what_is_no_directory_is_told_at_once() -> Outcome {
    let root = library("absent")?;
    let server = || Server::new("library", "1.0.0");
    assert!(server().directory("lib://", root.join("absent")).is_err());
    assert!(server().directory("lib://", root.join("a b.md")).is_err());
    Ok(())
}
