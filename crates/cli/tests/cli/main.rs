//! The program as others see it: run, with what it prints and how it exits.

mod call;
mod common;
mod configured;
mod demo;
mod http;
mod interrupt;
mod list;
mod listen;
mod questions;
mod serving;
mod sockets;
mod usage;
