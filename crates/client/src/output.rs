//! What tools promise about their structured results, and whether they keep it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use hermes_types::{CallToolResult, RawJson, Tool};

use crate::error::OutputProblem;
use crate::schema::{Schema, Unfit};

/// The output schemas of the tools that were listed so far; compiled when first needed.
#[derive(Debug, Default)]
pub(crate) struct OutputSchemas(Mutex<BTreeMap<String, Arc<Promise>>>);

#[derive(Debug)]
struct Promise {
    schema: RawJson,
    compiled: OnceLock<Result<Schema, String>>,
}

impl OutputSchemas {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Promise>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes note of a tool that was listed.
    pub(crate) fn learn(&self, tool: &Tool) {
        let mut promises = self.lock();
        match &tool.output_schema {
            Some(schema) if promises.get(&tool.name).is_some_and(|promise| promise.schema == *schema) => {}
            Some(schema) => {
                let promise = Promise { schema: schema.clone(), compiled: OnceLock::new() };
                promises.insert(tool.name.clone(), Arc::new(promise));
            }
            None => {
                promises.remove(&tool.name);
            }
        }
    }

    /// The list of tools has changed: what was promised may not hold any more.
    pub(crate) fn forget(&self) {
        self.lock().clear();
    }

    /// Checks a result. A tool that failed, or that was never listed, has promised nothing.
    ///
    /// # Errors
    /// How the result breaks the promise.
    ///
    /// Source: `server/tools#output-schema`, 2026-07-28.
    pub(crate) fn check(&self, tool: &str, result: &CallToolResult) -> Result<(), OutputProblem> {
        if result.is_error() {
            return Ok(());
        }
        let Some(promise) = self.lock().get(tool).map(Arc::clone) else { return Ok(()) };
        let compiled = promise.compiled.get_or_init(|| Schema::compile(&promise.schema));
        let schema = compiled.as_ref().map_err(|reason| OutputProblem::Schema(reason.clone()))?;
        let content = result.structured_content.as_ref().ok_or(OutputProblem::Missing)?;
        schema.check(content).map_err(|Unfit { path, reason }| OutputProblem::Unfit { path, reason })
    }
}
