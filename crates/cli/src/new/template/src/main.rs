//! Serves whoever starts this program, or over HTTP with `--http ADDRESS:PORT`, or as a file says with `--settings FILE`.

use std::error::Error;

use hermes::http::StreamableHttp;
use hermes::settings::Settings;

use CRATE::Notebook;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let server = Notebook::default().into_server();
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [] => server.serve_stdio().await?,
        ["--http", address] => StreamableHttp::new(server).serve(*address).await?,
        ["--settings", file] => {
            let settings = Settings::read(file)?;
            settings.http(server).await?.serve(settings.address().unwrap_or("127.0.0.1:8000")).await?;
        }
        _ => return Err("usage: NAME [--http ADDRESS:PORT | --settings FILE]".into()),
    }
    Ok(())
}
