//! The server that works in a git repository.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use hermes::{Client, EraChoice};
use serde_json::{Map, Value, json};

use crate::process::{Result, folder, peers};
use crate::tools::Tools;

#[tokio::test]
async fn every_tool_of_the_git_server_is_called_in_the_legacy_era() -> Result {
    every_tool_is_called(EraChoice::Legacy, "mcp-server-git, legacy", "git-legacy").await
}

#[tokio::test]
async fn every_tool_of_the_git_server_is_called_in_the_modern_era() -> Result {
    every_tool_is_called(EraChoice::Modern, "mcp-server-git, modern", "git-modern").await
}

async fn every_tool_is_called(era: EraChoice, peer: &'static str, name: &str) -> Result {
    let repository = repository(name)?;
    let python = peers().join("more/venv/bin/python");
    let command = [python, "-m".into(), "mcp_server_git".into(), "--repository".into(), repository.clone()];
    let server = Tools::of(peer, Client::builder().era(era), &command, &[]).await?;
    let here = json!({ "repo_path": repository });

    server
        .text("git_status", here.clone(), |text| assert!(text.contains("modified:   x.txt"), "{text}"))
        .await?;
    server
        .text("git_diff_unstaged", here.clone(), |text| {
            assert!(text.ends_with("@@ -1 +1,2 @@\n one\n+two"), "{text}");
        })
        .await?;
    let files = with(&here, &json!({ "files": ["x.txt"] }));
    server
        .text("git_add", files.clone(), |_| assert_eq!(git(&repository, &["diff", "--name-only"]), ""))
        .await?;
    server
        .text("git_diff_staged", with(&here, &json!({ "context_lines": 0 })), |text| {
            assert!(text.starts_with("Staged changes:") && text.ends_with("+two"), "{text}");
            assert!(!text.contains("\n one"), "no context was asked for: {text}");
        })
        .await?;
    server
        .text("git_reset", here.clone(), |_| {
            assert_eq!(git(&repository, &["diff", "--cached", "--name-only"]), "");
        })
        .await?;
    server.text("git_add", files, |text| assert_eq!(text, "Files staged successfully")).await?;
    server
        .text("git_commit", with(&here, &json!({ "message": "second" })), |text| {
            let hash = git(&repository, &["rev-parse", "HEAD"]);
            assert_eq!(text, format!("Changes committed successfully with hash {hash}"));
        })
        .await?;
    server
        .text("git_log", with(&here, &json!({ "max_count": 1 })), |text| {
            assert!(text.contains("Author: Ada") && text.contains("Message: second"), "{text}");
            assert!(!text.contains("Message: first"), "{text}");
        })
        .await?;
    server
        .text("git_show", with(&here, &json!({ "revision": "HEAD~1" })), |text| {
            assert!(text.contains("    first\n") && text.contains("+one"), "{text}");
        })
        .await?;
    server
        .text("git_create_branch", with(&here, &json!({ "branch_name": "topic" })), |text| {
            assert_eq!(text, "Created branch 'topic' from 'main'");
        })
        .await?;
    server
        .text("git_branch", with(&here, &json!({ "branch_type": "local" })), |text| {
            assert_eq!(text, "* main\n  topic");
        })
        .await?;
    server
        .text("git_checkout", with(&here, &json!({ "branch_name": "topic" })), |_| {
            assert_eq!(git(&repository, &["branch", "--show-current"]), "topic");
        })
        .await?;
    server
        .text("git_diff", with(&here, &json!({ "target": "HEAD~1" })), |text| {
            assert!(text.starts_with("Diff with HEAD~1:") && text.ends_with("+two"), "{text}");
        })
        .await?;
    let elsewhere = json!({ "repo_path": repository.join("..") });
    server.refused("git_status", elsewhere, "outside the allowed repository").await?;
    server.assert_all_called().await
}

/// A repository with one commit and one change.
fn repository(name: &str) -> Result<PathBuf> {
    let repository = folder(name)?;
    git(&repository, &["init", "--quiet", "--initial-branch=main"]);
    git(&repository, &["config", "user.name", "Ada"]);
    git(&repository, &["config", "user.email", "ada@example.org"]);
    fs::write(repository.join("x.txt"), "one\n")?;
    git(&repository, &["add", "."]);
    git(&repository, &["commit", "--quiet", "--message=first"]);
    fs::write(repository.join("x.txt"), "one\ntwo\n")?;
    Ok(repository)
}

/// What git says in the repository.
fn git(repository: &Path, arguments: &[&str]) -> String {
    let output =
        Command::new("git").arg("-C").arg(repository).args(arguments).output().expect("git is installed");
    assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
}

/// An object with more members.
fn with(object: &Value, more: &Value) -> Value {
    let members = [object, more].into_iter().filter_map(Value::as_object).flatten();
    Value::Object(members.map(|(name, value)| (name.clone(), value.clone())).collect::<Map<_, _>>())
}
