//! Tasks: work that outlives its request.

use crate::wire::Extra;

wire! {
    /// Asks for a task instead of the result.
    ///
    /// Source: `basic/utilities/tasks#creating-tasks`, 2025-11-25.
    #[derive(Default)]
    pub struct TaskMetadata since V2025_11_25 until V2025_11_25 {
        /// How long the task should be kept, in milliseconds.
        ttl: Option<u64> = "ttl";
    }
}

impl TaskMetadata {
    /// A task to be kept for so many milliseconds.
    #[must_use]
    pub const fn new(ttl: Option<u64>) -> Self {
        Self { ttl, extra: Extra::new() }
    }
}
