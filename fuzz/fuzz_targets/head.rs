//! See [`hermes_fuzz::head`].
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| hermes_fuzz::head::check(input));
