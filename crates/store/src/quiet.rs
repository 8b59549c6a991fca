//! What the database panics with, as an error.

use std::cell::Cell;
use std::error::Error;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;
use std::thread;

thread_local! {
    /// Whether the database is at work on this thread.
    static IS_AT_WORK: Cell<bool> = const { Cell::new(false) };
}

/// The database panics at what it has not written itself. That is an error of the file, which is told as one: the panic itself
/// is not, and any other is told as before.
///
/// # Errors
/// The database panicked.
pub(crate) fn unharmed<T>(work: impl FnOnce() -> T) -> Result<T, Box<dyn Error + Send + Sync>> {
    hush();
    let before = IS_AT_WORK.replace(true);
    let done = panic::catch_unwind(AssertUnwindSafe(work));
    IS_AT_WORK.set(before);
    done.map_err(|_| "what is in it contradicts itself".into())
}

/// Has the hook for panics, whatever it is by now, leave out those of the database.
fn hush() {
    static HUSHED: Once = Once::new();
    // A hook cannot be changed while one is at work; the next time is early enough.
    if thread::panicking() {
        return;
    }
    HUSHED.call_once(|| {
        let others = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            // A thread that is at its end has no database.
            if !IS_AT_WORK.try_with(Cell::get).unwrap_or(false) {
                others(panic);
            }
        }));
    });
}
