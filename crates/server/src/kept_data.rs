//! Which values of handlers are kept with their session, and under which name.

use std::any::{Any, TypeId};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;

type Value = Arc<dyn Any + Send + Sync>;

/// The types that are kept.
#[derive(Clone, Default)]
pub(crate) struct KeptTypes(Vec<KeptType>);

#[derive(Clone)]
struct KeptType {
    name: String,
    id: TypeId,
    /// `None` for a value of another type.
    save: fn(&Value) -> Option<serde_json::Result<Vec<u8>>>,
    load: fn(&[u8]) -> serde_json::Result<Value>,
}

impl KeptTypes {
    /// Keeps values of this type under this name.
    pub(crate) fn add<T: Serialize + DeserializeOwned + Send + Sync + 'static>(&mut self, name: String) {
        self.0.retain(|kept| kept.name != name);
        self.0.push(KeptType {
            name,
            id: TypeId::of::<T>(),
            save: |value| value.downcast_ref::<T>().map(serde_json::to_vec),
            load: |text| serde_json::from_slice::<T>(text).map(|value| Arc::new(value) as Value),
        });
    }

    pub(crate) fn ids(&self) -> impl Iterator<Item = TypeId> {
        self.0.iter().map(|kept| kept.id)
    }

    /// The names of those that are there, with their texts. A value that cannot be written has none: what was
    /// kept of it stays.
    pub(crate) fn save(&self, find: impl Fn(TypeId) -> Option<Value>) -> Vec<(&str, Option<Vec<u8>>)> {
        let there = self.0.iter().filter_map(|kept| Some((kept, find(kept.id)?)));
        there.map(|(kept, value)| (kept.name.as_str(), kept.text(&value))).collect()
    }

    /// The value that was kept under this name.
    pub(crate) fn load(&self, name: &str, text: &[u8]) -> Option<(TypeId, Value)> {
        let Some(kept) = self.0.iter().find(|kept| kept.name == name) else {
            tracing::warn!(name, "session data are kept that the server does not know: they are left out");
            return None;
        };
        match catch_unwind(|| (kept.load)(text)) {
            Ok(Ok(value)) => Some((kept.id, value)),
            Ok(Err(error)) => {
                tracing::error!(name, %error, "session data cannot be read: they begin anew");
                None
            }
            Err(_) => {
                tracing::error!(name, "reading session data panicked: they begin anew");
                None
            }
        }
    }
}

impl KeptType {
    fn text(&self, value: &Value) -> Option<Vec<u8>> {
        match catch_unwind(AssertUnwindSafe(|| (self.save)(value))) {
            Ok(Some(Ok(text))) => Some(text),
            Ok(Some(Err(error))) => {
                tracing::error!(name = self.name, %error, "session data cannot be written as JSON");
                None
            }
            Ok(None) => None,
            Err(_) => {
                tracing::error!(name = self.name, "writing session data panicked");
                None
            }
        }
    }
}
