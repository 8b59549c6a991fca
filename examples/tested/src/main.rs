//! The theatre over stdio.
//!
//! Try it: `hermes call book seat:=7 --answer agreed=true -- target/debug/tested`

#[tokio::main]
async fn main() -> hermes::Result {
    tested::theatre().serve_stdio().await
}
