//! Tests of Hermes as a whole: see the folder `tests`. This library only lets the examples of README.md run.

#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
mod readme {}
