//! The demo server on a socket.

use hermes::socket::{BindError, Socket};

use super::http::end;
use super::serve::server;
use crate::args::parse_place;
use crate::exit::{Exit, Failure, Result, chain};
use crate::output::print;
use crate::render::{Screen, style};

/// Serves every connection to a socket until it is interrupted or told to end.
///
/// # Errors
/// The socket cannot be had.
pub(crate) async fn share(address: &str) -> Result<Exit> {
    // Before anybody can connect: a signal must not find the program unprepared.
    let end = end()?;
    let bound = match address.split_once(':') {
        Some(("unix", path)) if !path.is_empty() => Socket::unix(path).await,
        Some(("tcp", place)) => match parse_place(place) {
            Ok(place) => Socket::tcp(place).await,
            Err(why) => return Err(Failure::usage(format!("--socket {address}: {why}"))),
        },
        _ => {
            let hint = "write unix:PATH or tcp:HOST:PORT".to_owned();
            return Err(Failure::usage(format!("\"{address}\" is no address of a socket")).with_hint(hint));
        }
    };
    let socket = bound.map_err(|error: BindError| Failure::new(Exit::Unreachable, chain(&error)))?;
    let address = socket.address();
    let call = Screen::stdout().paint(style::NAME, &format!("hermes call {address} add a:=2 b:=3"));
    print(&format!("The demo server listens on {address}\nCall a tool:\n  {call}\n\nCtrl-C ends it.\n"))?;
    socket.serve(&server(), end).await;
    Ok(Exit::Ok)
}
