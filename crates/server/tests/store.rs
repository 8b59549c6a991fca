//! The store in memory.

use hermes_server::store::MemoryStore;
use hermes_testkit::contract;

#[test]
fn memory_holds_the_contract() {
    contract::hold(|| {
        let store = MemoryStore::default();
        move || store.clone()
    });
}
