//! Which arguments of which tools are mirrored in headers.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use hermes_proto::admit::{BadMirror, Mirror};
use hermes_types::Tool;
use serde_json::value::RawValue;

/// What the tools that were listed want mirrored, by their names. A list that has changed is still the best that is
/// known, until it is listed again.
///
/// Source: `basic/transports/streamable-http#client-behavior`, 2026-07-28.
#[derive(Debug, Default)]
pub(crate) struct Mirrors(Mutex<BTreeMap<String, Vec<Mirror>>>);

impl Mirrors {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Vec<Mirror>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes note of a tool that was listed.
    ///
    /// # Errors
    /// The tool says it wrongly, and is to be left out.
    pub(crate) fn learn(&self, tool: &Tool) -> Result<(), BadMirror> {
        let schema = tool.input_schema.decode().unwrap_or_default();
        let mirrors = Mirror::declared(&schema);
        let mut learned = self.lock();
        match mirrors {
            Ok(mirrors) if mirrors.is_empty() => {
                learned.remove(&tool.name);
                Ok(())
            }
            Ok(mirrors) => {
                learned.insert(tool.name.clone(), mirrors);
                Ok(())
            }
            Err(bad) => {
                learned.remove(&tool.name);
                Err(bad)
            }
        }
    }

    /// The names and values of the headers for a call.
    pub(super) fn headers(&self, tool: &str, arguments: Option<&RawValue>) -> Vec<(String, String)> {
        let learned = self.lock();
        let mirrors = learned.get(tool).map(Vec::as_slice).unwrap_or_default();
        mirrors.iter().filter_map(|mirror| Some((mirror.header(), mirror.value(arguments)?))).collect()
    }
}
