//! See [`hermes_fuzz::opening`].
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| hermes_fuzz::opening::check(input));
