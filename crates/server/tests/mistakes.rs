//! What the compiler says about handlers whose results cannot be sent: what to return instead.

#[test]
fn results_that_cannot_be_sent_are_named_with_what_to_return() {
    trybuild::TestCases::new().compile_fail("tests/mistakes/*.rs");
}
