//! The server that tells the time, of the Python SDK's authors.

use std::path::PathBuf;

use hermes::{Client, EraChoice};
use serde_json::json;

use crate::names;
use crate::process::{Result, hermes, python};
use crate::record::Record;
use crate::tools::Tools;

fn time() -> Vec<PathBuf> {
    vec![python(), "-m".into(), "mcp_server_time".into()]
}

#[test]
fn hermes_lists_and_calls_the_time_server_in_the_modern_era() -> Result {
    let record = Record::new("time-modern")?;
    let server = record.around(&time());
    let listed = hermes(["list", "--json"], &time())?.json()?;
    assert_eq!(names(&listed["tools"]), ["get_current_time", "convert_time"]);

    let called = hermes(["call", "--json", "get_current_time", "timezone=UTC"], &server)?.json()?;
    assert_eq!(called["structuredContent"]["timezone"], "UTC");
    assert_eq!(called["structuredContent"]["is_dst"], false);
    assert_eq!(called["resultType"], "complete");
    let methods = record.methods()?;
    assert_eq!(methods[0], "server/discover");
    assert!(!methods.iter().any(|method| method == "initialize"), "{methods:?}");
    Ok(())
}

#[test]
fn hermes_calls_the_time_server_in_the_legacy_era_when_told_to() -> Result {
    let record = Record::new("time-legacy")?;
    let server = record.around(&time());
    let arguments = [
        "call",
        "--era",
        "legacy",
        "--json",
        "convert_time",
        "source_timezone=UTC",
        "time=12:00",
        "target_timezone=Asia/Tokyo",
    ];
    let called = hermes(arguments, &server)?.json()?;
    assert_eq!(called["structuredContent"]["time_difference"], "+9.0h");
    assert_eq!(record.methods()?[..2], ["initialize", "notifications/initialized"]);
    Ok(())
}

#[test]
fn an_error_of_a_foreign_tool_ends_with_its_own_exit_code() -> Result {
    let called = hermes(["call", "get_current_time", "timezone=Nowhere/At_All"], &time())?;
    assert_eq!(called.code, Some(5), "{called:?}");
    assert!(called.stderr.contains("Invalid timezone"), "{called:?}");
    Ok(())
}

#[test]
fn a_refusal_of_a_foreign_server_is_told_with_its_code() -> Result {
    let called = hermes(["call", "--no-check", "--json", "no-such-tool"], &time())?;
    assert_eq!(called.code, Some(2), "{called:?}");
    assert_eq!(called.stdout, "");
    assert!(
        called.stderr.contains("-32602") && called.stderr.contains("Unknown tool: no-such-tool"),
        "{called:?}"
    );
    Ok(())
}

#[tokio::test]
async fn every_tool_of_the_time_server_is_called() -> Result {
    for (era, peer) in
        [(EraChoice::Legacy, "mcp-server-time, legacy"), (EraChoice::Modern, "mcp-server-time, modern")]
    {
        let server = Tools::of(peer, Client::builder().era(era), &time(), &[]).await?;
        server
            .call("get_current_time", json!({ "timezone": "Asia/Tokyo" }), |result| {
                let now = &result["structuredContent"];
                assert_eq!((&now["timezone"], &now["is_dst"]), (&json!("Asia/Tokyo"), &json!(false)));
                assert!(now["datetime"].as_str().is_some_and(|now| now.ends_with("+09:00")), "{now}");
            })
            .await?;
        let arguments =
            json!({ "source_timezone": "UTC", "time": "20:30", "target_timezone": "Asia/Kolkata" });
        server
            .call("convert_time", arguments, |result| {
                assert_eq!(result["structuredContent"]["time_difference"], "+5.5h");
                let target = &result["structuredContent"]["target"]["datetime"];
                assert!(target.as_str().is_some_and(|time| time.contains("T02:00:00")), "{target}");
            })
            .await?;
        server.assert_all_called().await?;
    }
    Ok(())
}
