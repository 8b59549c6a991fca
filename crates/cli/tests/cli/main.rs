//! The program as others see it: run, with what it prints and how it exits.

mod call;
mod collector;
mod common;
mod completion;
mod config;
mod configured;
mod demo;
mod http;
mod interrupt;
mod list;
mod listen;
mod new;
mod page;
mod questions;
mod save;
mod serving;
mod sockets;
mod usage;
mod watch;
