//! `hermes shell` as people and scripts see it: driven through a terminal, and without one.

mod common;
mod completing;
mod crash;
mod elixir;
mod interrupt;
mod pages;
mod questions;
mod remembered;
mod screens;
mod scripts;
mod talking;
mod terminal;
mod typing;
