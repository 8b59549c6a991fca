//! What the compiler says about mistakes: where, and what to change.
//!
//! The likeliest twenty, and the files in `mistakes` that have them; those under `server` can only be told by the types, and
//! stand with the tests of `hermes_server`:
//!
//! | mistake | file |
//! |---|---|
//! | `&self` is missing | `no_receiver` |
//! | `&mut self`, or `self` | `exclusive_receiver` |
//! | an argument is borrowed | `borrowed` |
//! | the result is borrowed | `borrowed` |
//! | the method is generic, or takes `impl Trait` | `generic`, `shapes` |
//! | an argument has a pattern or `_` in the place of its name | `pattern` |
//! | a key is misspelt | `unknown_key` |
//! | a key has no value, or one that is no literal | `unknown_key`, `shapes` |
//! | two components have one name | `twins` |
//! | a URI and the parameters do not have the same variables | `variables` |
//! | a resource has no URI, or one without a scheme | `variables`, `names` |
//! | a tool has a name that hosts refuse | `names` |
//! | a mark stands where it means nothing | `misplaced`, `alone` |
//! | a block offers nothing, or more than one component | `misplaced`, `alone` |
//! | what is made from the call is borrowed, or asked for twice | `extracted` |
//! | an argument of a tool is completed, or one is completed by nothing | `completed` |
//! | an argument of a prompt is a list or a map | `texts` |
//! | a value of one's own is returned without `Json` | `server/results` |
//! | an argument has no schema | `server/components` |
//! | the error of a `Result` is none, or a function that completes takes something else | `server/errors`, `server/results` |
//! | what is added to a server is no component | `server/components`, `server/errors` |

// spec: R275
#[test]
fn mistakes_are_named_with_what_to_change() {
    trybuild::TestCases::new().compile_fail("tests/mistakes/*.rs");
}
