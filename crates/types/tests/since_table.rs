//! The page of all tables is the one that is committed, and no type is missing from it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use hermes_types::tables::{TABLES, markdown};

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn the_committed_page_is_current() {
    let committed = here().join("../../docs/since-table.md");
    let page = markdown();
    if std::fs::read_to_string(&committed).unwrap_or_default() == page {
        return;
    }
    let fresh = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("since-table.md");
    std::fs::write(&fresh, page).expect("the target folder can be written");
    panic!("{} is out of date: replace it with {}", committed.display(), fresh.display());
}

#[test]
fn every_type_with_a_table_is_on_the_page() {
    let mut declared = BTreeSet::new();
    for entry in std::fs::read_dir(here().join("src/model")).expect("the model") {
        let source = std::fs::read_to_string(entry.expect("a file").path()).expect("source");
        for table in source.split("\nwire! {").skip(1) {
            let name = table.split("pub struct ").nth(1).and_then(|rest| rest.split_whitespace().next());
            declared.insert(name.expect("a name").to_owned());
        }
    }
    let listed: BTreeSet<String> = TABLES.iter().map(|table| table.name.to_owned()).collect();
    assert_eq!(listed, declared);
    assert!(TABLES.iter().map(|table| table.name).is_sorted());
}
