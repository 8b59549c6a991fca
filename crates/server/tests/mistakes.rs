//! What the compiler says about handlers and components that a server cannot take: what to write instead.

#[test]
fn mistakes_are_named_with_what_to_write_instead() {
    trybuild::TestCases::new().compile_fail("tests/mistakes/*.rs");
}
