//! What is written and read of a message when both sides are in one program.

use std::borrow::Cow;
use std::sync::atomic::{AtomicUsize, Ordering};

use hermes::EraChoice;
use hermes::prelude::*;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::Outcome;

static WRITTEN: AtomicUsize = AtomicUsize::new(0);
static READ: AtomicUsize = AtomicUsize::new(0);

/// Notes how often it becomes JSON, and how often it is made of JSON.
struct Noted(String);

impl Serialize for Noted {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        WRITTEN.fetch_add(1, Ordering::Relaxed);
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Noted {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        READ.fetch_add(1, Ordering::Relaxed);
        String::deserialize(deserializer).map(Self)
    }
}

impl JsonSchema for Noted {
    fn schema_name() -> Cow<'static, str> {
        "Noted".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        String::json_schema(generator)
    }
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Parcel {
    noted: Noted,
}

#[tokio::test]
async fn in_memory_arguments_and_results_are_written_once_and_read_once() -> Outcome {
    let server = Server::new("memory", "1").tool("pass", |parcel: Parcel, _: Context| async { Json(parcel) });
    for era in [EraChoice::Legacy, EraChoice::Modern] {
        let client = Client::builder().era(era).connect(hermes::in_memory(server.clone())).await?;
        let figures = || (WRITTEN.swap(0, Ordering::Relaxed), READ.swap(0, Ordering::Relaxed));
        figures();
        let result = client.call("pass", Parcel { noted: Noted("on".to_owned()) }).await?;
        let back: Parcel = result.read()?;
        assert_eq!(back.noted.0, "on");
        // The client writes the arguments and the server reads them; the server writes the result, and the client reads it.
        assert_eq!(figures(), (2, 2), "{era:?}");
        client.close().await;
    }
    Ok(())
}
