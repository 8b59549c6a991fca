//! A server that nobody here wrote, and which of its tools were called.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use hermes::child::Command;
use hermes::{Client, ClientBuilder, Direction};
use hermes_testkit::{Side, Tape};
use serde_json::Value;

use crate::grid::{Cell, Role};
use crate::process::Result;

/// A running server.
pub(crate) struct Tools {
    pub(crate) client: Client,
    peer: &'static str,
    called: Mutex<BTreeSet<String>>,
    /// Hears whether the client sends what its revision lacks.
    tape: Tape,
}

impl Tools {
    /// Starts the server and connects.
    pub(crate) async fn of(
        peer: &'static str,
        builder: ClientBuilder,
        server: &[PathBuf],
        variables: &[(&str, PathBuf)],
    ) -> Result<Self> {
        let [program, arguments @ ..] = server else { return Err("no program".into()) };
        let mut command = Command::new(program).args(arguments);
        for (name, value) in variables {
            command = command.env(name, value);
        }
        let tape = Tape::new(&[Side::Client]);
        let ear = tape.ear();
        let builder = builder.on_wire(move |direction, text| {
            let side = match direction {
                Direction::Sent => Side::Client,
                Direction::Received => Side::Server,
            };
            ear.hears_line(side, text.as_bytes());
        });
        Ok(Self { client: builder.connect(command).await?, peer, called: Mutex::default(), tape })
    }

    /// Calls a tool and looks at what it returned. Each call is a cell of the grid.
    pub(crate) async fn call(&self, tool: &str, arguments: Value, look: impl FnOnce(Value)) -> Result {
        let cell = self.cell(tool);
        self.called.lock().unwrap_or_else(PoisonError::into_inner).insert(tool.to_owned());
        look(self.client.call(tool, arguments).await?.raw.decode()?);
        cell.pass();
        Ok(())
    }

    /// The same for a tool that answers with one text.
    pub(crate) async fn text(&self, tool: &str, arguments: Value, look: impl FnOnce(&str)) -> Result {
        self.call(tool, arguments, |result| {
            assert_ne!(result["isError"], true, "{result}");
            assert_eq!(result["content"].as_array().map(Vec::len), Some(1), "{result}");
            look(result["content"][0]["text"].as_str().expect("the one block is a text"));
        })
        .await
    }

    /// The same for a tool whose structured content is known to the last member.
    pub(crate) async fn structured(&self, tool: &str, arguments: Value, expected: Value) -> Result {
        self.call(tool, arguments, |result| {
            assert_ne!(result["isError"], true, "{result}");
            assert_eq!(result["structuredContent"], expected);
        })
        .await
    }

    /// The same for a call that the tool refuses.
    pub(crate) async fn refused(&self, tool: &str, arguments: Value, reason: &str) -> Result {
        self.call(tool, arguments, |result| {
            assert_eq!(result["isError"], true, "{result}");
            assert!(
                result["content"][0]["text"].as_str().is_some_and(|text| text.contains(reason)),
                "{result}"
            );
        })
        .await
    }

    /// A cell of the grid for what is more than a call.
    pub(crate) fn cell(&self, what: &str) -> Cell {
        Cell::begin(Role::Server, self.peer, what)
    }

    /// Every tool that the server lists was called, and no other: a tool that a new version brings is missed here.
    /// Nothing was sent that the revision in force lacks.
    pub(crate) async fn assert_all_called(&self) -> Result {
        let listed: BTreeSet<String> =
            self.client.list_all_tools().await?.values().map(|tool| tool.name.clone()).collect();
        assert_eq!(*self.called.lock().unwrap_or_else(PoisonError::into_inner), listed);
        self.client.close().await;
        assert_eq!(self.tape.faults(), Vec::<String>::new());
        Ok(())
    }
}
