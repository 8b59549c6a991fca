//! A library with a page for people and a server for models, in one application: who calls the server has to show a
//! token, and what it may do depends on whose it is.
//!
//! Try it: `LIBRARY_ACCOUNTS=ada:secret target/debug/axum-app`, then
//! `hermes call http://127.0.0.1:4003/mcp borrow title=Emma --header 'Authorization: Bearer secret'`
#![expect(clippy::print_stdout, reason = "who starts it wants to know where it is")]

mod accounts;
mod library;

use axum::Router;
use axum::extract::State;
use axum::middleware::from_fn_with_state;
use axum::routing::get;
use axum::serve::{Listener as _, ListenerExt as _};
use hermes::Server;
use hermes::http::StreamableHttp;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

use accounts::{Accounts, authenticate};
use library::{Library, books, borrow, whoami};

/// The application's own page: no token is needed to see what there is.
async fn page(State(library): State<Library>) -> String {
    library.books().iter().map(|book| format!("{book}\n")).collect()
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let address = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:4003".to_owned());
    let accounts = Accounts::read(&std::env::var("LIBRARY_ACCOUNTS").unwrap_or_default());
    let library = Library::new(["Emma", "Middlemarch", "Villette"]);

    let server = Server::new("library", env!("CARGO_PKG_VERSION"))
        .state(library.clone())
        .with(books)
        .with(borrow)
        .with(whoami);
    let service = StreamableHttp::new(server).service();
    let endpoint = service.endpoint().clone();

    let router = Router::new()
        // `route_layer`: it stands before the routes above it, and before no others.
        .route_service("/mcp", service)
        .route_layer(from_fn_with_state(accounts, authenticate))
        .route("/", get(page))
        .with_state(library);

    // Events are small: each must leave at once, and not when the one before is confirmed, which takes 40 ms.
    let listener = TcpListener::bind(address).await?.tap_io(|stream| {
        // Where it cannot be had, answers come late, and come.
        let _ = stream.set_nodelay(true);
    });
    println!("the library listens on http://{}/mcp", listener.local_addr()?);
    let (mut interrupted, mut terminated) =
        (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    let end = async move {
        tokio::select! {
            _ = interrupted.recv() => {}
            _ = terminated.recv() => {}
        }
        // Running calls have their outcome and streams their end, so that no connection is waited for in vain.
        endpoint.shut_down().await;
    };
    Ok(axum::serve(listener, router).with_graceful_shutdown(end).await?)
}
