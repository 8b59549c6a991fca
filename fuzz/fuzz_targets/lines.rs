//! See [`hermes_fuzz::lines`].
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| hermes_fuzz::lines::check(input));
