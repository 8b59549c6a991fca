//! See [`hermes_fuzz::sse`].
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| hermes_fuzz::sse::check(input));
