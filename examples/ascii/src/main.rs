//! A web application whose tools draw, and whose page shows what they draw as it comes.
//!
//! Try it: `target/debug/ascii`, open <http://127.0.0.1:4002/>, then
//! `hermes call http://127.0.0.1:4002/mcp generate_banner text=hello`
#![expect(clippy::print_stdout, reason = "who starts it wants to know where it is")]

mod font;
mod gallery;

use std::convert::Infallible;

use axum::Router;
use axum::extract::State as Shared;
use axum::response::Html;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::routing::get;
use axum::serve::{Listener as _, ListenerExt as _};
use futures_util::{Stream, StreamExt as _, stream};
use hermes::prelude::*;
use tokio::net::TcpListener;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

use font::{Font, draw};
use gallery::{Banner, Gallery};

/// Draws a text, and shows it to nobody else.
#[tool(read_only, open_world = false)]
fn text_to_ascii(
    #[schemars(length(min = 1, max = 40))] text: String,
    #[serde(default)] font: Font,
) -> Result<String, ToolError> {
    Ok(draw(&text, font)?)
}

/// Names the fonts.
#[tool(read_only, open_world = false)]
fn list_fonts() -> Json<[Font; 3]> {
    Json(Font::ALL)
}

/// Draws a text in a frame, keeps it, and shows it on the page.
#[tool(destructive = false, open_world = false)]
fn generate_banner(
    #[schemars(length(min = 1, max = 40))] text: String,
    #[serde(default)] font: Font,
    gallery: State<Gallery>,
) -> Result<Json<Banner>, ToolError> {
    let art = draw(&text, font)?;
    let width = art.lines().map(|line| line.chars().count()).max().unwrap_or_default();
    let edge = format!("+{}+", "-".repeat(width + 2));
    let framed: Vec<String> = art.lines().map(|line| format!("| {line:width$} |")).collect();
    Ok(Json(gallery.hang(text, format!("{edge}\n{}\n{edge}", framed.join("\n")))))
}

/// What hangs, and then what comes, as long as the page is open.
async fn live(Shared(gallery): Shared<Gallery>) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let (hung, news) = gallery.visit();
    let coming = stream::unfold(news, |mut news| async move { Some((next(&mut news).await?, news)) });
    let events = stream::iter(hung).chain(coming).filter_map(|banner| async move {
        serde_json::to_string(&banner).ok().map(|text| Ok(Event::default().data(text)))
    });
    Sse::new(events).keep_alive(KeepAlive::default())
}

/// A page that reads too slowly misses some, and goes on with what is there.
async fn next(news: &mut Receiver<Banner>) -> Option<Banner> {
    loop {
        match news.recv().await {
            Ok(banner) => return Some(banner),
            Err(RecvError::Lagged(_)) => {}
            Err(RecvError::Closed) => return None,
        }
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let address = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:4002".to_owned());
    let gallery = Gallery::new();
    let server = Server::new("ascii", env!("CARGO_PKG_VERSION"))
        .state(gallery.clone())
        .with(text_to_ascii)
        .with(list_fonts)
        .with(generate_banner);
    let router = Router::new()
        .route("/", get(|| async { Html(include_str!("page.html")) }))
        .route("/live", get(live))
        .with_state(gallery)
        .route_service("/mcp", StreamableHttp::new(server).service());

    // Events are small: each must leave at once, and not when the one before is confirmed, which takes 40 ms.
    let listener = TcpListener::bind(address).await?.tap_io(|stream| {
        // Where it cannot be had, answers come late, and come.
        let _ = stream.set_nodelay(true);
    });
    println!("the page is http://{0}/ and the server http://{0}/mcp", listener.local_addr()?);
    Ok(axum::serve(listener, router).await?)
}
