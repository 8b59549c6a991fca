//! The server that shows everything, of the TypeScript SDK's authors.

use std::path::PathBuf;

use hermes::types::{CreateMessageResult, ElicitResult, RawJson, Root};
use hermes::{Client, ClientBuilder};
use serde_json::{Value, json};

use crate::names;
use crate::process::{Result, hermes, peers};
use crate::record::Record;
use crate::tools::Tools;

pub(crate) fn everything() -> Vec<PathBuf> {
    let package = peers().join("node_modules/@modelcontextprotocol/server-everything");
    vec!["node".into(), package.join("dist/index.js"), "stdio".into()]
}

#[test]
fn hermes_lists_what_server_everything_offers() -> Result {
    let listed = hermes(["list", "--json"], &everything())?.json()?;
    let members: Vec<&String> = listed.as_object().ok_or("no object")?.keys().collect();
    assert_eq!(members, ["tools", "resources", "resourceTemplates", "prompts"]);
    for (member, name) in [
        ("tools", "echo"),
        ("tools", "trigger-elicitation-request"),
        ("tools", "trigger-long-running-operation"),
        ("resources", "architecture.md"),
        ("resourceTemplates", "Dynamic Text Resource"),
        ("prompts", "simple-prompt"),
    ] {
        assert!(names(&listed[member]).contains(&name), "{name} is not among {:?}", names(&listed[member]));
    }
    Ok(())
}

#[test]
fn a_list_for_people_names_every_tool_on_standard_output() -> Result {
    let listed = hermes(["list", "--json"], &everything())?.json()?;
    let shown = hermes(["list"], &everything())?.passed()?;
    for name in names(&listed["tools"]) {
        assert!(shown.stdout.contains(name), "{name} is missing in\n{}", shown.stdout);
    }
    Ok(())
}

#[test]
fn hermes_calls_a_tool_of_server_everything() -> Result {
    let called = hermes(["call", "echo", "message=hi"], &everything())?.passed()?;
    assert_eq!(called.stdout, "Echo: hi\n");
    let called = hermes(["call", "--json", "get-sum", "a:=2", "b:=3.5"], &everything())?.json()?;
    assert_eq!(called, json!({ "content": [{ "type": "text", "text": "The sum of 2 and 3.5 is 5.5." }] }));
    Ok(())
}

#[test]
fn structured_content_of_a_foreign_tool_arrives_unchanged() -> Result {
    let called =
        hermes(["call", "--json", "get-structured-content", "location=Chicago"], &everything())?.json()?;
    let expected = json!({ "temperature": 36, "conditions": "Light rain / drizzle", "humidity": 82 });
    assert_eq!(called["structuredContent"], expected);
    Ok(())
}

#[test]
fn a_long_call_hears_of_its_progress() -> Result {
    let record = Record::new("progress")?;
    let server = record.around(&everything());
    let arguments = ["call", "trigger-long-running-operation", "duration:=0.2", "steps:=4"];
    let called = hermes(arguments, &server)?.passed()?;
    assert_eq!(called.stdout, "Long running operation completed. Duration: 0.2 seconds, Steps: 4.\n");

    let sent = record.lines("to-server")?;
    let call = sent.iter().find(|line| line["method"] == "tools/call").ok_or("no call was sent")?;
    let token = &call["params"]["_meta"]["progressToken"];
    assert!(!token.is_null(), "the call asks for no progress: {call}");
    let notes: Vec<Value> = record
        .lines("from-server")?
        .into_iter()
        .filter(|line| {
            line["method"] == "notifications/progress" && line["params"]["progressToken"] == *token
        })
        .map(|note| note["params"]["progress"].clone())
        .collect();
    assert_eq!(notes, [1, 2, 3, 4]);
    Ok(())
}

#[test]
fn a_question_of_a_foreign_tool_is_answered_from_the_command_line() -> Result {
    let arguments = ["call", "--answer", "name=Ada", "trigger-elicitation-request"];
    let called = hermes(arguments, &everything())?.passed()?;
    assert!(called.stdout.contains("- Name: Ada"), "{}", called.stdout);
    Ok(())
}

#[test]
fn a_question_without_an_answer_is_declined_and_said_so() -> Result {
    let called = hermes(["call", "trigger-elicitation-request"], &everything())?.passed()?;
    assert!(called.stdout.contains("User declined to provide"), "{}", called.stdout);
    assert!(called.stderr.contains("declined"), "{}", called.stderr);
    Ok(())
}

#[test]
fn a_foreign_tool_that_asks_the_model_is_answered_from_the_command_line() -> Result {
    let arguments = ["call", "--answer", "text=Hello", "trigger-sampling-request", "prompt=hi"];
    let called = hermes(arguments, &everything())?.passed()?;
    let reply = called.stdout.strip_prefix("LLM sampling result: \n").ok_or("no reply")?;
    let reply: Value = serde_json::from_str(reply)?;
    assert_eq!(reply["content"], json!({ "type": "text", "text": "Hello" }));
    Ok(())
}

#[test]
fn a_misspelt_tool_is_not_sent_and_the_right_name_is_hinted_at() -> Result {
    let record = Record::new("misspelt")?;
    let called = hermes(["call", "eco", "message=hi"], &record.around(&everything()))?;
    assert_eq!(called.code, Some(1), "{called:?}");
    assert!(called.stderr.contains("\"echo\""), "{called:?}");
    assert!(!record.methods()?.iter().any(|method| method == "tools/call"));
    Ok(())
}

#[test]
fn a_foreign_tool_hears_of_the_roots_that_were_given() -> Result {
    let called =
        hermes(["call", "--root", env!("CARGO_MANIFEST_DIR"), "get-roots-list"], &everything())?.passed()?;
    let uri = format!("file://{}", env!("CARGO_MANIFEST_DIR"));
    assert!(called.stdout.contains(&uri), "{uri} is missing in\n{}", called.stdout);
    Ok(())
}

#[test]
fn hermes_reads_prompts_and_completes_at_server_everything() -> Result {
    let prompt = hermes(["prompt", "--json", "args-prompt", "city=Oslo"], &everything())?.json()?;
    assert_eq!(prompt["messages"][0]["content"]["text"], "What's weather in Oslo?");
    let read = hermes(["read", "--json", "demo://resource/dynamic/text/1"], &everything())?.json()?;
    assert_eq!(read["contents"][0]["uri"], "demo://resource/dynamic/text/1");
    let completed =
        hermes(["complete", "--json", "completable-prompt", "department=E"], &everything())?.json()?;
    assert_eq!(completed["completion"]["values"], json!(["Engineering"]));
    hermes(["ping"], &everything())?.passed()?;
    Ok(())
}

/// A client that can be asked everything: the server lists some of its tools only then.
fn askable() -> ClientBuilder {
    Client::builder()
        .on_elicit(|_| async {
            let content = json!({ "name": "Ada", "firstLine": "A line of text" });
            Ok(ElicitResult::accept(RawJson::encode(&content)?))
        })
        .on_elicit_url(|_| async { Ok(ElicitResult::decline()) })
        .on_sample(|request| async move {
            Ok(CreateMessageResult::new("none", format!("{} tokens at most", request.max_tokens)))
        })
        .roots([Root::new("file:///peers/root").with_name("root")])
}

#[tokio::test]
async fn every_tool_of_server_everything_is_called() -> Result {
    let variables = [("HERMES_PEER", "a value".into())];
    let server = Tools::of("server-everything", askable(), &everything(), &variables).await?;

    server.text("echo", json!({ "message": "hi" }), |text| assert_eq!(text, "Echo: hi")).await?;
    server
        .text("get-sum", json!({ "a": 2, "b": 3.5 }), |text| assert_eq!(text, "The sum of 2 and 3.5 is 5.5."))
        .await?;
    server
        .text("get-env", json!({}), |text| assert!(text.contains("\"HERMES_PEER\": \"a value\""), "{text}"))
        .await?;
    server
        .structured(
            "get-structured-content",
            json!({ "location": "Chicago" }),
            json!({ "temperature": 36, "conditions": "Light rain / drizzle", "humidity": 82 }),
        )
        .await?;
    server
        .call("get-annotated-message", json!({ "messageType": "error", "includeImage": true }), |result| {
            assert_eq!(
                result["content"][0]["annotations"],
                json!({ "audience": ["user", "assistant"], "priority": 1 })
            );
            assert_eq!(result["content"][1]["mimeType"], "image/png");
        })
        .await?;
    server
        .call("get-tiny-image", json!({}), |result| {
            assert_eq!(kinds(&result), ["text", "image", "text"]);
            assert!(
                result["content"][1]["data"].as_str().is_some_and(|data| data.starts_with("iVBORw0KGgo"))
            );
        })
        .await?;
    server
        .call("get-resource-links", json!({ "count": 2 }), |result| {
            assert_eq!(kinds(&result), ["text", "resource_link", "resource_link"]);
            assert_eq!(result["content"][2]["uri"], "demo://resource/dynamic/text/2");
        })
        .await?;
    server
        .call("get-resource-reference", json!({ "resourceType": "Blob", "resourceId": 2 }), |result| {
            assert_eq!(kinds(&result), ["text", "resource", "text"]);
            assert_eq!(result["content"][1]["resource"]["uri"], "demo://resource/dynamic/blob/2");
        })
        .await?;
    let archive =
        json!({ "name": "a.gz", "data": "data:text/plain;base64,aGVsbG8=", "outputType": "resource" });
    server
        .call("gzip-file-as-resource", archive, |result| {
            let archive = &result["content"][0]["resource"];
            assert_eq!(archive["mimeType"], "application/gzip");
            assert!(archive["blob"].as_str().is_some_and(|blob| blob.starts_with("H4sI")), "{archive}");
        })
        .await?;
    server
        .text("trigger-long-running-operation", json!({ "duration": 0.1, "steps": 2 }), |text| {
            assert_eq!(text, "Long running operation completed. Duration: 0.1 seconds, Steps: 2.");
        })
        .await?;
    for (tool, first, second) in [
        ("toggle-simulated-logging", "Started simulated", "Stopped simulated logging"),
        ("toggle-subscriber-updates", "Started simulated", "Stopped simulated resource updates"),
    ] {
        server.text(tool, json!({}), |text| assert!(text.starts_with(first), "{text}")).await?;
        server.text(tool, json!({}), |text| assert!(text.starts_with(second), "{text}")).await?;
    }
    server
        .text("get-roots-list", json!({}), |text| assert!(text.contains("URI: file:///peers/root"), "{text}"))
        .await?;
    server
        .text("trigger-sampling-request", json!({ "prompt": "hi", "maxTokens": 10 }), |text| {
            assert!(text.contains("\"text\": \"10 tokens at most\""), "{text}");
        })
        .await?;
    server
        .call("trigger-elicitation-request", json!({}), |result| {
            assert!(
                result["content"][1]["text"].as_str().is_some_and(|text| text.contains("- Name: Ada")),
                "{result}"
            );
        })
        .await?;
    let page = json!({ "url": "https://example.org/", "message": "Read this", "elicitationId": "page-1" });
    server
        .call("trigger-url-elicitation", page, |result| {
            let text = result["content"][0]["text"].as_str().expect("the first block is a text");
            assert!(text.contains("User declined to open the URL (Elicitation ID: page-1)"), "{text}");
        })
        .await?;

    // It runs only as a task, which is asked for beside the arguments and answers with a ticket.
    server
        .refused("simulate-research-query", json!({ "topic": "tea" }), "requires task augmentation")
        .await?;
    let cell = server.cell("simulate-research-query as a task");
    let mut notices = server.client.notifications();
    let query = json!({ "name": "simulate-research-query", "arguments": { "topic": "tea" }, "task": { "ttl": 60_000 } });
    let begun = server.client.request_raw("tools/call", Some(RawJson::encode(&query)?)).await?;
    let begun: Value = begun.decode()?;
    assert_eq!(begun["task"]["status"], "working", "{begun}");
    loop {
        let notice = notices.next().await.ok_or("the server is gone")?;
        let params: Value = notice.params.as_ref().map_or(Ok(Value::Null), RawJson::decode)?;
        if notice.method == "notifications/tasks/status" && params["status"] == "completed" {
            break;
        }
    }
    let task = RawJson::encode(&json!({ "taskId": begun["task"]["taskId"] }))?;
    let report: Value = server.client.request_raw("tasks/result", Some(task)).await?.decode()?;
    assert!(report["content"][0]["text"].as_str().is_some_and(|text| text.contains("tea")), "{report}");
    cell.pass();

    server.assert_all_called().await
}

/// The kinds of a result's blocks.
fn kinds(result: &Value) -> Vec<&str> {
    result["content"].as_array().into_iter().flatten().filter_map(|block| block["type"].as_str()).collect()
}
