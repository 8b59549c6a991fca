//! What the compiler says about mistakes: where, and what to change.

// spec: R275
#[test]
fn mistakes_are_named_with_what_to_change() {
    trybuild::TestCases::new().compile_fail("tests/mistakes/*.rs");
}
