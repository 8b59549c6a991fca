//! The server that remembers a graph of knowledge.

use hermes::Client;
use serde_json::{Value, json};

use crate::process::{Result, folder, peers};
use crate::tools::Tools;

#[tokio::test]
async fn every_tool_of_server_memory_is_called() -> Result {
    let memory = folder("memory")?.join("graph.jsonl");
    let package = peers().join("more/node_modules/@modelcontextprotocol/server-memory");
    let command = ["node".into(), package.join("dist/index.js")];
    let variables = [("MEMORY_FILE_PATH", memory)];
    let server = Tools::of("server-memory", Client::builder(), &command, &variables).await?;

    let engine = json!({ "name": "Engine", "entityType": "machine", "observations": [] });
    let ada = |observations: &[&str]| json!({ "name": "Ada", "entityType": "person", "observations": observations });
    let entities = json!({ "entities": [ada(&["wrote notes"]), engine] });
    server.structured("create_entities", entities.clone(), entities).await?;
    let relations = json!({ "relations": [{ "from": "Ada", "to": "Engine", "relationType": "describes" }] });
    server.structured("create_relations", relations.clone(), relations.clone()).await?;
    server
        .structured(
            "add_observations",
            json!({ "observations": [{ "entityName": "Ada", "contents": ["lived in London"] }] }),
            json!({ "results": [{ "entityName": "Ada", "addedObservations": ["lived in London"] }] }),
        )
        .await?;
    let graph = |entities: Value| json!({ "entities": entities, "relations": relations["relations"] });
    let known = ada(&["wrote notes", "lived in London"]);
    server.structured("read_graph", json!({}), graph(json!([known, engine]))).await?;
    server.structured("search_nodes", json!({ "query": "London" }), graph(json!([known]))).await?;
    server.structured("open_nodes", json!({ "names": ["Engine"] }), graph(json!([engine]))).await?;

    let forgotten = json!({ "deletions": [{ "entityName": "Ada", "observations": ["lived in London"] }] });
    let done = |message: &str| json!({ "success": true, "message": message });
    server.structured("delete_observations", forgotten, done("Observations deleted successfully")).await?;
    server.structured("delete_relations", relations.clone(), done("Relations deleted successfully")).await?;
    let names = json!({ "entityNames": ["Engine"] });
    server.structured("delete_entities", names, done("Entities deleted successfully")).await?;
    let rest = json!({ "entities": [ada(&["wrote notes"])], "relations": [] });
    server.structured("read_graph", json!({}), rest.clone()).await?;
    let read = server.client.read("memory://knowledge-graph").await?;
    let read: Value = read.raw.decode()?;
    let text = read["contents"][0]["text"].as_str().ok_or("the graph is a text")?;
    assert_eq!(serde_json::from_str::<Value>(text)?, rest);

    let unknown = json!({ "observations": [{ "entityName": "Nobody", "contents": ["x"] }] });
    server.refused("add_observations", unknown, "Entity with name Nobody not found").await?;
    server.assert_all_called().await
}
