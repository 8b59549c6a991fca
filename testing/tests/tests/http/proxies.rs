//! Behind a proxy that loses patience with silence.
//!
//! The proxy here is a few lines. With the feature `nginx`, which `cargo xtask nginx` asks for, the same holds behind
//! nginx, set up as docs/operating.md shows it.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use hermes_testkit::raw::{RawError, Session, Target};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::{LEGACY, MODERN, demo_with, text, within};

/// How long the proxy waits for a next byte of an answer.
const PATIENCE: Duration = Duration::from_secs(2);

/// A call that is silent for much longer.
const SILENT: Duration = Duration::from_secs(10);

/// A proxy, and the tasks that it runs as.
async fn impatient(to: SocketAddr) -> Result<(Target, JoinSet<()>), RawError> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let target = Target::parse(&format!("http://{}/mcp", listener.local_addr()?)).expect("an endpoint");
    let mut tasks = JoinSet::new();
    tasks.spawn(async move {
        let mut connections = JoinSet::new();
        while let Ok((client, _)) = listener.accept().await {
            connections.spawn(pass_on(client, to));
        }
    });
    Ok((target, tasks))
}

/// Passes on both ways, until a side ends or the server is silent for too long.
async fn pass_on(client: TcpStream, to: SocketAddr) -> Result<(), std::io::Error> {
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_server, mut to_server) = TcpStream::connect(to).await?.into_split();
    let asking = async { tokio::io::copy(&mut from_client, &mut to_server).await.map(drop) };
    let answering = async {
        let mut piece = vec![0; 64 * 1024];
        loop {
            match timeout(PATIENCE, from_server.read(&mut piece)).await {
                Ok(Ok(read)) if read > 0 => to_client.write_all(&piece[..read]).await?,
                Ok(ended) => return ended.map(drop),
                Err(_) => return Ok(()),
            }
        }
    };
    tokio::select! {
        asked = asking => asked,
        answered = answering => answered,
    }
}

/// Silent calls in both eras at once complete through this proxy.
async fn silent_calls_complete(proxy: &Target) -> Result<(), RawError> {
    let mut calls = JoinSet::new();
    for revision in LEGACY.into_iter().chain([MODERN]) {
        let session = Session::open(proxy, revision).await?;
        calls.spawn(async move {
            let began = Instant::now();
            let ms = SILENT.as_millis() as u64;
            let outcome =
                session.post(&session.call(1, "sleep", json!({ "ms": ms }))).await?.outcome().await?;
            assert_eq!(text(&outcome.response), "done", "{revision}");
            assert!(began.elapsed() >= SILENT, "{revision}: {:?}", began.elapsed());
            Ok::<_, RawError>(())
        });
    }
    while let Some(call) = calls.join_next().await {
        call.expect("no panic")?;
    }
    Ok(())
}

#[tokio::test]
async fn a_call_that_is_silent_for_ten_seconds_completes_behind_a_proxy_that_waits_two()
-> Result<(), RawError> {
    let demo = demo_with(&["--keep-alive", "1s"]);
    let (proxy, _passing) = impatient(demo.target().address).await?;
    silent_calls_complete(&proxy).await
}

#[tokio::test]
async fn without_signs_of_life_such_a_proxy_cuts_the_call_and_a_resume_brings_its_result()
-> Result<(), RawError> {
    let demo = demo_with(&["--keep-alive", "60s"]);
    let (proxy, _passing) = impatient(demo.target().address).await?;
    let session = Session::open(&proxy, LEGACY[2]).await?;
    let mut answer = session.post(&session.call(1, "sleep", json!({ "ms": 2_500 }))).await?;
    let cursor = crate::first_id(&mut answer).await?;
    let cut = within(2 * PATIENCE, "the cut", answer.message()).await;
    assert!(cut.as_ref().is_err_and(RawError::is_cut), "{cut:?}");
    let outcome = session.get(Some(&cursor)).await?.outcome().await?;
    assert_eq!(text(&outcome.response), "done");
    Ok(())
}

#[cfg(feature = "nginx")]
mod nginx {
    use std::fs;
    use std::path::PathBuf;
    use std::process::{Child, Command, Stdio};

    use hermes_testkit::raw::{Connection, RawError, Session, Target};
    use serde_json::json;
    use xtask::workspace::root;

    use super::silent_calls_complete;
    use crate::{LATEST, LEGACY, MODERN, PATIENCE, Sleeps, demo_with, text, within};

    /// A running nginx, which ends with the test.
    struct Nginx {
        child: Child,
        target: Target,
    }

    impl Drop for Nginx {
        fn drop(&mut self) {
            // It may have ended by itself, and then the test has failed already.
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }

    impl Nginx {
        /// The location that docs/operating.md shows, with a read timeout of two seconds; or the shortest there is.
        async fn before(server: &Target, name: &str, location: Option<&str>) -> Result<Self, RawError> {
            let page = fs::read_to_string(root().join("docs/operating.md"))?;
            let (_, shown) = page.split_once("```nginx\n").expect("the page shows a location");
            let (shown, _) = shown.split_once("```").expect("its end");
            let location = location.unwrap_or(shown);
            let location =
                location.replace("127.0.0.1:8000", &server.address.to_string()).replace("60s", "2s");
            assert!(location.contains(&server.address.to_string()) && location.contains("2s"), "{location}");
            let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("nginx").join(name);
            fs::create_dir_all(&folder)?;
            // Free a moment ago, and nobody else takes ports at random here.
            let port = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
            let paths: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
                .iter()
                .map(|kind| format!("{kind}_temp_path {}/{kind};\n", folder.display()))
                .collect();
            let text = format!(
                "daemon off; master_process off; pid {0}/pid; error_log {0}/error.log;\nevents {{}}\n\
                 http {{\naccess_log off;\n{paths}server {{ listen 127.0.0.1:{port};\n{location}}}\n}}\n",
                folder.display(),
            );
            let file = folder.join("nginx.conf");
            fs::write(&file, text)?;
            let mut child = Command::new("nginx")
                .arg("-c")
                .arg(&file)
                .stdin(Stdio::null())
                .spawn()
                .expect("nginx is installed: apt-get install nginx-light");
            let target = Target::parse(&format!("http://127.0.0.1:{port}/mcp")).expect("an endpoint");
            let listens = async {
                while Connection::open(target.address).await.is_err() {
                    let ended = child.try_wait().expect("a child");
                    assert!(ended.is_none(), "nginx ended: see {}/error.log", folder.display());
                }
            };
            within(PATIENCE, "nginx", listens).await;
            Ok(Self { child, target })
        }
    }

    #[tokio::test]
    async fn a_call_that_is_silent_for_ten_seconds_completes_behind_nginx_with_a_timeout_of_two()
    -> Result<(), RawError> {
        let demo = demo_with(&["--keep-alive", "1s"]);
        let nginx = Nginx::before(demo.target(), "silent", None).await?;
        silent_calls_complete(&nginx.target).await?;
        // With nothing set but the timeout: HTTP/1.0 to the server, its own name as the host.
        let bare = "location /mcp { proxy_pass http://127.0.0.1:8000; proxy_read_timeout 60s; }\n";
        let nginx = Nginx::before(demo.target(), "bare", Some(bare)).await?;
        silent_calls_complete(&nginx.target).await
    }

    #[tokio::test]
    async fn nginx_passes_each_event_on_as_it_comes_although_it_buffers() -> Result<(), RawError> {
        let demo = demo_with(&["--allow-host", "mcp.example.com"]);
        let nginx = Nginx::before(demo.target(), "events", None).await?;
        for revision in LEGACY.into_iter().chain([MODERN]) {
            let session = Session::open(&nginx.target, revision).await?;
            let call =
                session.call_with_progress(1, "progress", json!({ "n": 100, "interval_ms": 1000 }), "p");
            let mut answer = session.post_with(&call, &[("Host", Some("mcp.example.com"))]).await?;
            let first = within(PATIENCE, "the first note", answer.message()).await?.expect("a note");
            assert_eq!(first["params"]["progress"].as_f64(), Some(1.0), "{revision}: {first}");
        }
        Ok(())
    }

    #[tokio::test]
    async fn nginx_tells_who_left_and_brings_back_who_returns() -> Result<(), RawError> {
        let demo = demo_with(&[]);
        let nginx = Nginx::before(demo.target(), "leaving", None).await?;
        let modern = Session::open(&nginx.target, MODERN).await?;
        drop(modern.post(&modern.call(1, "sleep", json!({ "ms": 600_000 }))).await?);
        Sleeps::until(&modern, Sleeps { started: 1, done: 0, cancelled: 1 }).await?;
        let session = Session::open(&nginx.target, LATEST).await?;
        let mut answer = session.post(&session.call(1, "sleep", json!({ "ms": 300 }))).await?;
        let cursor = crate::first_id(&mut answer).await?;
        answer.reset()?;
        let outcome = session.get(Some(&cursor)).await?.outcome().await?;
        assert_eq!(text(&outcome.response), "done");
        let big = session.ask(&session.call(2, "big", json!({ "bytes": 20_000_000 }))).await?;
        assert_eq!(text(&big).len(), 20_000_000);
        Ok(())
    }
}
