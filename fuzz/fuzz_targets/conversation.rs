//! See [`hermes_fuzz::conversation`].
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| hermes_fuzz::conversation::check(input));
