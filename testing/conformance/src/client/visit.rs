//! What is done with a server once there is a connection.

use std::collections::BTreeMap;
use std::error::Error;

use hermes::Client;
use hermes::types::{Prompt, RawJson};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::task::JoinSet;

type Outcome = Result<(), Box<dyn Error>>;

/// What a scenario is for.
#[derive(Debug)]
pub(crate) enum Purpose {
    /// Lists everything there is.
    Look,
    /// Makes use of everything there is.
    Use,
    /// The same, and then sends what a modern client has no use for, as the suite looks at its headers too.
    UseAndMore,
    /// Makes these calls, in this order.
    Call(Vec<Call>),
    /// Gives the schema of one tool to another one, as it came.
    Return { of: &'static str, to: &'static str },
}

/// A call that the suite wants.
#[derive(Debug, Deserialize)]
pub(crate) struct Call {
    name: String,
    arguments: RawJson,
}

impl Purpose {
    /// What there is to do in a scenario, of which the suite says this much more.
    ///
    /// # Errors
    /// It is none that this client takes part in, or what comes with it is not what it should be.
    pub(crate) fn of(scenario: &str, context: Option<&str>) -> Result<Self, Box<dyn Error>> {
        #[derive(Deserialize)]
        struct Calls {
            #[serde(rename = "toolCalls")]
            calls: Vec<Call>,
        }
        match scenario {
            "initialize" | "json-schema-ref-no-deref" => Ok(Self::Look),
            "tools_call"
            | "elicitation-sep1034-client-defaults"
            | "sse-retry"
            | "request-metadata"
            | "sep-2322-client-request-state"
            | "http-invalid-tool-headers" => Ok(Self::Use),
            "http-standard-headers" => Ok(Self::UseAndMore),
            "http-custom-headers" => {
                let Calls { calls } = serde_json::from_str(context.ok_or("no calls are named")?)?;
                Ok(Self::Call(calls))
            }
            "json-schema-2020-12-preservation" => {
                Ok(Self::Return { of: "json_schema_2020_12_tool", to: "json_schema_echo" })
            }
            other => Err(format!("{other}: not a scenario for this client").into()),
        }
    }

    /// Does it.
    ///
    /// # Errors
    /// Anything that the server or a tool of it refuses.
    pub(crate) async fn pursue(self, client: &Client) -> Outcome {
        match self {
            Self::Look => {
                client.list_all_tools().await?;
                client.list_all_resources().await?;
                client.list_all_prompts().await?;
                Ok(())
            }
            Self::Use => use_all(client).await,
            Self::UseAndMore => {
                use_all(client).await?;
                client.request_raw("initialize", None).await?;
                client.notify_raw("notifications/initialized", None)?;
                Ok(())
            }
            Self::Call(calls) => {
                // What its arguments are mirrored in is known from the list.
                client.list_all_tools().await?;
                for Call { name, arguments } in calls {
                    call(client, name, arguments).await?;
                }
                Ok(())
            }
            Self::Return { of, to } => {
                let tools = client.list_all_tools().await?;
                let tool = tools.values().find(|tool| tool.name == of).ok_or_else(|| format!("no {of}"))?;
                call(client, to.to_owned(), json!({ "schema": tool.input_schema })).await
            }
        }
    }
}

/// Calls every tool, all at the same time, then reads every resource and fills in every prompt.
async fn use_all(client: &Client) -> Outcome {
    let mut calls = JoinSet::new();
    for tool in client.list_all_tools().await?.values() {
        let (client, name) = (client.clone(), tool.name.clone());
        let arguments = example(&tool.input_schema.decode()?);
        calls.spawn(async move { call(&client, name, arguments).await.map_err(|error| error.to_string()) });
    }
    while let Some(called) = calls.join_next().await {
        called??;
    }
    for resource in client.list_all_resources().await?.values() {
        client.read(&resource.uri).await?;
    }
    for prompt in client.list_all_prompts().await?.values() {
        client.prompt(&prompt.name, &words_for(prompt)).await?;
    }
    Ok(())
}

async fn call(client: &Client, tool: String, arguments: impl serde::Serialize) -> Outcome {
    let result = client.call(&tool, arguments).await?;
    if result.is_error == Some(true) {
        return Err(format!("{tool}: {}", result.raw.get()).into());
    }
    Ok(())
}

/// A value for a schema.
fn example(schema: &Value) -> Value {
    match schema.get("type").and_then(Value::as_str) {
        Some("object") => {
            let properties = schema.get("properties").and_then(Value::as_object);
            let members = properties.into_iter().flatten();
            Value::Object(
                members.map(|(name, schema)| (name.clone(), example(schema))).collect::<Map<_, _>>(),
            )
        }
        Some("array") => json!([]),
        Some("integer" | "number") => json!(7),
        Some("boolean") => json!(true),
        _ => json!("seven"),
    }
}

fn words_for(prompt: &Prompt) -> BTreeMap<String, String> {
    let arguments = prompt.arguments.iter().flatten();
    arguments.map(|argument| (argument.name.clone(), "seven".to_owned())).collect()
}
