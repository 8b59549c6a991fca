//! Values that the whole server shares, one for each type.

use std::any::{Any, TypeId, type_name};
use std::collections::HashMap;
use std::sync::Arc;

use crate::error::ToolError;

/// Values by their type. Given while the server is built, and never changed afterwards.
#[derive(Clone, Default)]
pub(crate) struct Shared(HashMap<TypeId, Arc<dyn Any + Send + Sync>>);

impl Shared {
    /// Adds a value, in the place of another of its type.
    pub(crate) fn put<T: Send + Sync + 'static>(&mut self, value: T) {
        self.0.insert(TypeId::of::<T>(), Arc::new(value));
    }

    /// Whether there is a value of this type.
    pub(crate) fn has<T: 'static>(&self) -> bool {
        self.0.contains_key(&TypeId::of::<T>())
    }

    /// The value of this type.
    ///
    /// # Errors
    /// The author has given none: a mistake of the server's, which no client can help.
    pub(crate) fn value<T: Send + Sync + 'static>(&self) -> Result<Arc<T>, ToolError> {
        let found = self.0.get(&TypeId::of::<T>()).map(|value| Arc::clone(value).downcast::<T>());
        found.and_then(Result::ok).ok_or_else(|| {
            let message = format!("the server has no state of the type {}", type_name::<T>());
            tracing::error!("{message}: give it one with `Server::state`");
            ToolError::internal(message)
        })
    }
}
