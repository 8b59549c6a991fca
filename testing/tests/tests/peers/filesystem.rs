//! The server that reads and writes files.

use std::fs;

use hermes::Client;
use serde_json::{Value, json};

use crate::process::{Result, folder, peers};
use crate::tools::Tools;

#[tokio::test]
async fn every_tool_of_server_filesystem_is_called() -> Result {
    let root = folder("filesystem")?;
    let path = |name: &str| root.join(name).to_string_lossy().into_owned();
    let package = peers().join("more/node_modules/@modelcontextprotocol/server-filesystem");
    let command = ["node".into(), package.join("dist/index.js"), root.clone()];
    let server = Tools::of("server-filesystem", Client::builder(), &command, &[]).await?;
    let (file, other, deeper) = (path("a/x.txt"), path("a/y.txt"), path("a/b/y.txt"));

    server
        .text("list_allowed_directories", json!({}), |text| {
            assert_eq!(text, format!("Allowed directories:\n{}", root.display()));
        })
        .await?;
    server
        .text("create_directory", json!({ "path": path("a/b") }), |_| assert!(root.join("a/b").is_dir()))
        .await?;
    let written = json!({ "path": file, "content": "one\ntwo\nthree\n" });
    server
        .text("write_file", written, |_| {
            assert_eq!(fs::read_to_string(&file).ok().as_deref(), Some("one\ntwo\nthree\n"));
        })
        .await?;
    let edit = json!({ "path": file, "edits": [{ "oldText": "two", "newText": "2" }] });
    server
        .text("edit_file", edit, |diff| {
            assert!(diff.contains("-two\n+2\n"), "{diff}");
            assert_eq!(fs::read_to_string(&file).ok().as_deref(), Some("one\n2\nthree\n"));
        })
        .await?;
    server
        .text("read_text_file", json!({ "path": file }), |text| assert_eq!(text, "one\n2\nthree\n"))
        .await?;
    server.text("read_file", json!({ "path": file, "head": 1 }), |text| assert_eq!(text, "one")).await?;
    fs::write(&other, "y")?;
    server
        .text("read_multiple_files", json!({ "paths": [file, other] }), |text| {
            assert_eq!(text, format!("{file}:\none\n2\nthree\n\n\n---\n{other}:\ny\n"));
        })
        .await?;
    fs::write(root.join("p.png"), b"png")?;
    server
        .call("read_media_file", json!({ "path": path("p.png") }), |result| {
            assert_eq!(
                result["content"],
                json!([{ "type": "image", "data": "cG5n", "mimeType": "image/png" }])
            );
        })
        .await?;
    server
        .text("list_directory", json!({ "path": path("a") }), |text| {
            assert_eq!(text, "[DIR] b\n[FILE] x.txt\n[FILE] y.txt");
        })
        .await?;
    server
        .text("list_directory_with_sizes", json!({ "path": path("a"), "sortBy": "size" }), |text| {
            assert!(text.ends_with("Total: 2 files, 1 directories\nCombined size: 13 B"), "{text}");
        })
        .await?;
    server
        .text("move_file", json!({ "source": other, "destination": deeper }), |_| {
            assert_eq!(fs::read_to_string(&deeper).ok().as_deref(), Some("y"));
        })
        .await?;
    server
        .text("search_files", json!({ "path": path(""), "pattern": "**/*.txt" }), |text| {
            assert_eq!(text, format!("{deeper}\n{file}"));
        })
        .await?;
    server
        .text("directory_tree", json!({ "path": path("a") }), |text| {
            let tree: Option<Value> = serde_json::from_str(text).ok();
            let expected = json!([
                { "name": "b", "type": "directory", "children": [{ "name": "y.txt", "type": "file" }] },
                { "name": "x.txt", "type": "file" },
            ]);
            assert_eq!(tree, Some(expected));
        })
        .await?;
    server
        .text("get_file_info", json!({ "path": file }), |text| {
            assert!(text.starts_with("size: 12\n") && text.contains("\nisFile: true\n"), "{text}");
        })
        .await?;
    let outside = json!({ "path": root.join("..").join("nothing.txt") });
    server.refused("read_text_file", outside, "Access denied").await?;
    server.assert_all_called().await
}
