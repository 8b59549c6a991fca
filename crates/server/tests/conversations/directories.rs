//! A directory whose files come, change and go while it is served.

use std::fs;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use hermes_server::{Part, Server};
use hermes_types::{Resource, Revision};
use serde_json::{Value, json};

use crate::client::Client;

/// A directory of this test's own, with one file.
fn library(name: &str) -> PathBuf {
    let root = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&root);
    fs::create_dir_all(&root).expect("a place for it");
    fs::write(root.join("a.txt"), "a").expect("a file");
    root
}

/// The URIs that are listed. A note that comes before the answer has to be this one.
async fn listed(client: &mut Client, note: Option<&str>) -> Vec<String> {
    client.request(json!(1), "resources/list", json!({})).await;
    if let Some(note) = note {
        assert_eq!(client.next().await["method"], note);
    }
    let answer = client.next().await;
    uris(&answer["result"])
}

fn uris(result: &Value) -> Vec<String> {
    let resources = result["resources"].as_array().expect("a list");
    resources.iter().map(|it| it["uri"].as_str().expect("a URI").to_owned()).collect()
}

const CHANGED: &str = "notifications/resources/list_changed";

#[tokio::test(start_paused = true)]
async fn files_that_come_and_go_are_listed_as_they_are_and_told_of() {
    let root = library("come-and-go");
    let server = Server::new("library", "1").directory("lib://", &root).expect("a directory");
    let mut client = Client::legacy(&server, Revision::V2025_11_25).await;
    let mut other = Client::legacy(&server, Revision::V2025_11_25).await;
    other.expect_silence().await;
    assert_eq!(listed(&mut client, None).await, ["lib://a.txt"]);

    fs::create_dir(root.join("deep")).expect("a directory");
    fs::write(root.join("deep/b.txt"), "b").expect("a file");
    assert_eq!(listed(&mut client, Some(CHANGED)).await, ["lib://a.txt", "lib://deep/b.txt"]);
    assert_eq!(other.next().await["method"], CHANGED);
    assert_eq!(listed(&mut client, None).await, ["lib://a.txt", "lib://deep/b.txt"]);
    other.expect_silence().await;

    fs::remove_dir_all(root.join("deep")).expect("it was there");
    assert_eq!(listed(&mut other, Some(CHANGED)).await, ["lib://a.txt"]);
    assert_eq!(client.next().await["method"], CHANGED);
    let gone = client.error(json!(2), "resources/read", json!({ "uri": "lib://deep/b.txt" })).await;
    assert_eq!(gone["code"], -32002);

    fs::remove_dir_all(&root).expect("it was there");
    assert_eq!(listed(&mut client, Some(CHANGED)).await, Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn a_file_that_changes_is_told_to_its_subscribers_and_the_list_stays_the_same() {
    let root = library("changes");
    let server = Server::new("library", "1").directory("lib://", &root).expect("a directory");
    let mut client = Client::legacy(&server, Revision::V2025_11_25).await;
    let mut other = Client::legacy(&server, Revision::V2025_11_25).await;
    client.result(json!(0), "resources/subscribe", json!({ "uri": "lib://a.txt" })).await;
    fs::write(root.join("a.txt"), b"GIF89a and longer\xff").expect("a file");
    client.request(json!(1), "resources/list", json!({})).await;
    let news = client.next().await;
    assert_eq!(
        (&news["method"], &news["params"]["uri"]),
        (&json!("notifications/resources/updated"), &json!("lib://a.txt"))
    );
    let answer = client.next().await;
    let file = &answer["result"]["resources"][0];
    assert_eq!((&file["size"], &file["mimeType"]), (&json!(18), &json!("image/gif")));
    client.expect_silence().await;
    other.expect_silence().await;
}

#[tokio::test(start_paused = true)]
async fn files_stand_among_other_resources_page_by_page_and_take_no_name_from_them() {
    let root = library("among");
    let server = Server::new("library", "1")
        .resource(Resource::new("lib://b.txt", "mine"), |_| async { "mine" })
        .directory("lib://", &root)
        .expect("a directory")
        .page_size(NonZeroUsize::MIN);
    server.handle().disable(Part::Resource("lib://d.txt"));
    for file in ["b.txt", "c.txt", "d.txt"] {
        fs::write(root.join(file), file).expect("a file");
    }
    let mut client = Client::connect(&server);
    let (mut seen, mut cursor) = (Vec::new(), None);
    loop {
        let asked = cursor.take().map_or_else(|| json!({}), |cursor: Value| json!({ "cursor": cursor }));
        let mut page = client.result(json!(1), "resources/list", crate::client::modern(asked)).await;
        seen.extend(uris(&page));
        if page["nextCursor"].is_null() {
            break;
        }
        cursor = Some(page["nextCursor"].take());
    }
    assert_eq!(seen, ["lib://a.txt", "lib://b.txt", "lib://c.txt"]);
    let read = json!({ "uri": "lib://b.txt" });
    let mine = client.result(json!(2), "resources/read", crate::client::modern(read)).await;
    assert_eq!(mine["contents"][0]["text"], "mine");
    fs::remove_file(root.join("b.txt")).expect("it was there");
    let page = client.result(json!(3), "resources/list", crate::client::modern(json!({}))).await;
    let next = crate::client::modern(json!({ "cursor": page["nextCursor"] }));
    let page = client.result(json!(4), "resources/list", next).await;
    assert_eq!(uris(&page), ["lib://b.txt"], "it is no file's, and stays");
    let wrong = crate::client::modern(json!({ "cursor": "?" }));
    assert_eq!(client.error(json!(5), "resources/list", wrong).await["code"], -32602);
}

#[tokio::test(start_paused = true)]
async fn many_who_list_at_once_all_see_what_was_there_when_they_asked() {
    let root = library("at-once");
    let server = Server::new("library", "1").directory("lib://", &root).expect("a directory");
    let mut clients = Vec::new();
    for _ in 0..20 {
        clients.push(Client::connect(&server));
    }
    fs::write(root.join("b.txt"), "b").expect("a file");
    for client in &mut clients {
        client.request(json!(1), "resources/list", crate::client::modern(json!({}))).await;
    }
    for mut client in clients {
        assert_eq!(uris(&client.next().await["result"]), ["lib://a.txt", "lib://b.txt"]);
    }
}
