//! See [`hermes_fuzz::envelope`].
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| hermes_fuzz::envelope::check(input));
