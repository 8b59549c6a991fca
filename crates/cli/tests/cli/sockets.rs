//! Servers behind sockets.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use crate::common::{HERMES, line, scratch};

/// A demo server on a socket, which is killed when dropped.
struct Demo {
    child: Child,
    address: String,
}

impl Demo {
    fn start(address: &str) -> Self {
        let mut child = Command::new(HERMES)
            .args(["demo", "--socket", address])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut first = String::new();
        let stdout = child.stdout.take().expect("standard output is piped");
        BufReader::new(stdout).read_line(&mut first).expect("it prints");
        let address =
            first.trim_end().strip_prefix("The demo server listens on ").expect("an address").to_owned();
        Self { child, address }
    }

    /// Asks it to end; gives its exit code.
    fn end(mut self) -> Option<i32> {
        let pid = Pid::from_child(&self.child);
        kill_process(pid, Signal::TERM).expect("it runs");
        self.child.wait().expect("it ends").code()
    }
}

impl Drop for Demo {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = (self.child.kill(), self.child.wait());
    }
}

#[test]
fn every_verb_reaches_a_server_behind_a_socket() {
    let file = scratch("verbs.sock");
    for address in [format!("unix:{}", file.display()), "tcp:127.0.0.1:0".to_owned()] {
        let demo = Demo::start(&address);
        let target = &demo.address;
        line(&format!("call {target} add a:=2 b:=3")).exits(0).prints("5\n");
        line(&format!("call {target} add a:=2 b:=3 --era legacy")).exits(0).prints("5\n");
        line(&format!("read {target} demo://greeting")).exits(0);
        line(&format!("ping {target}")).exits(0);
        let listed = line(&format!("list {target} --json")).exits(0).json();
        assert!(listed["tools"].as_array().is_some_and(|tools| tools.len() > 5), "{listed}");
        let ran = line(&format!("call {target} add a:=2 b:=3 --header X-Key:1")).exits(1);
        ran.says(&["take no headers"]);
        assert_eq!(demo.end(), Some(0));
    }
    assert!(!file.exists());
}

#[test]
fn a_socket_that_nobody_serves_is_named() {
    let file = scratch("nobody.sock");
    let ran = line(&format!("ping unix:{}", file.display())).exits(4);
    ran.says(&["cannot reach unix:", "nobody.sock"]);
    line("ping tcp:127.0.0.1").exits(1).says(&["a host and a port are wanted"]);
}

#[test]
fn a_socket_that_cannot_be_had_is_named() {
    let demo = Demo::start(&format!("unix:{}", scratch("taken.sock").display()));
    let ran = line(&format!("demo --socket {}", demo.address)).exits(4);
    ran.says(&["taken.sock", "a server is there already"]);
    line("demo --socket tcp:0.0.0.0:0").exits(4).says(&["other machines reach it"]);
    line("demo --socket here").exits(1).says(&["is no address of a socket", "unix:PATH or tcp:HOST:PORT"]);
}
