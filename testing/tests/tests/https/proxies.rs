//! Proxies that the environment names, between the program and a server.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use hermes::http::StreamableHttp;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::authority::{Authority, Valid};
use crate::program::{File, Ran, hermes};
use crate::server::{Https, Setup, Spoken};
use crate::works::Works;

/// `me:s3cret`, as it is in the variable, and in Base64, as it is sent.
const CREDENTIALS: &str = "me:s3cret";
const SENT: &str = "Basic bWU6czNjcmV0";

/// What a proxy does with a request.
#[derive(Clone, Copy, Debug)]
enum Does {
    /// Connects, whatever is asked for, to this address.
    Passes(SocketAddr),
    /// Answers by itself.
    Answers(&'static str),
}

/// A proxy, and the heads of all requests that came to it.
struct Proxy {
    address: SocketAddr,
    heads: Arc<Mutex<Vec<String>>>,
}

impl Proxy {
    async fn start(does: Does) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let heads = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&heads);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let kept = Arc::clone(&kept);
                // A connection that breaks is seen at its ends.
                tokio::spawn(async move { serve(stream, does, &kept).await.ok() });
            }
        });
        Self { address, heads }
    }

    /// As a variable names it.
    fn variable(&self) -> String {
        format!("http://{CREDENTIALS}@{}", self.address)
    }

    fn heads(&self) -> Vec<String> {
        self.heads.lock().expect("heads").clone()
    }
}

async fn serve(mut client: TcpStream, does: Does, kept: &Mutex<Vec<String>>) -> std::io::Result<()> {
    let mut bytes = Vec::new();
    while !bytes.windows(4).any(|window| window == b"\r\n\r\n") {
        if client.read_buf(&mut bytes).await? == 0 {
            return Ok(());
        }
    }
    let head = String::from_utf8_lossy(&bytes).into_owned();
    let is_tunnel = head.starts_with("CONNECT ");
    kept.lock().expect("heads").push(head);
    let to = match does {
        Does::Passes(to) => to,
        Does::Answers(status) => {
            let answer = format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
            client.write_all(answer.as_bytes()).await?;
            return client.shutdown().await;
        }
    };
    let mut server = TcpStream::connect(to).await?;
    if is_tunnel {
        client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").await?;
    } else {
        server.write_all(&bytes).await?;
    }
    tokio::io::copy_bidirectional(&mut client, &mut server).await.map(drop)
}

/// A server without TLS, under a name that only a proxy knows.
async fn plain() -> SocketAddr {
    let http = StreamableHttp::new(Works::new().server()).allow_host("mcp.test");
    let bound = http.bind("127.0.0.1:0").await.expect("a port");
    let address = bound.address();
    tokio::spawn(bound.serve(std::future::pending()));
    address
}

/// Calls `echo` with everything logged.
async fn echo(variables: &[(&str, &str)], url: &str, more: &[&str]) -> Ran {
    let variables: Vec<_> = variables.iter().copied().chain([("HERMES_LOG", "trace")]).collect();
    let words: Vec<_> = ["call", url, "echo", "text=hello", "--trace", "-v"]
        .into_iter()
        .chain(more.iter().copied())
        .collect();
    let ran = hermes(&variables, &words).await;
    for secret in ["s3cret", "bWU6czNjcmV0"] {
        assert!(!format!("{ran:?}").contains(secret), "{ran:#?}");
    }
    ran
}

#[tokio::test]
async fn an_address_with_tls_is_reached_through_a_tunnel() {
    let authority = Authority::new();
    let setup = Setup::new(authority.issue(&["mcp.test"], Valid::Now), Spoken::Http2);
    let https = Https::start(Works::new().server(), setup).await;
    let proxy = Proxy::start(Does::Passes(https.address)).await;
    let issuer = File::new("tunnel.pem", authority.pem());
    for name in ["HTTPS_PROXY", "https_proxy", "ALL_PROXY"] {
        let (variable, cacert) = (proxy.variable(), ["--cacert", issuer.path()]);
        let ran = echo(&[(name, &variable)], "https://mcp.test/mcp", &cacert).await;
        assert_eq!((ran.code, &*ran.stdout), (Some(0), "hello\n"), "{ran:#?}");
        let heads = std::mem::take(&mut *proxy.heads.lock().expect("heads"));
        assert_eq!(heads.len(), 1, "{heads:?}");
        assert!(heads[0].starts_with("CONNECT mcp.test:443 HTTP/1.1\r\n"), "{heads:?}");
        let head = heads[0].to_ascii_lowercase();
        assert!(head.contains(&format!("proxy-authorization: {}\r\n", SENT.to_ascii_lowercase())), "{head}");
        assert!(!head.contains("mcp-"), "nothing of the request is for the proxy: {head}");
    }
}

#[tokio::test]
async fn an_address_without_tls_is_asked_of_the_proxy() {
    let proxy = Proxy::start(Does::Passes(plain().await)).await;
    let variable = proxy.variable();
    let ran = echo(&[("HTTP_PROXY", &variable)], "http://mcp.test/mcp", &[]).await;
    assert_eq!((ran.code, &*ran.stdout), (Some(0), "hello\n"), "{ran:#?}");
    let heads = proxy.heads();
    let head = heads.first().expect("a request");
    assert!(head.starts_with("POST http://mcp.test/mcp HTTP/1.1\r\n"), "{head}");
    assert!(head.contains(SENT), "{head}");
}

#[tokio::test]
async fn no_proxy_comes_before_this_machine_or_where_it_is_not_wanted() {
    let proxy = Proxy::start(Does::Answers("502 Bad Gateway")).await;
    let variable = proxy.variable();
    let here = format!("http://{}/mcp", plain().await);
    let ran = echo(&[("HTTP_PROXY", &variable), ("ALL_PROXY", &variable)], &here, &[]).await;
    assert_eq!((ran.code, &*ran.stdout), (Some(0), "hello\n"), "{ran:#?}");
    // Longer than a part of a name may be, so that nobody is asked for it.
    let host = format!("{}.test", "a".repeat(64));
    let url = format!("http://{host}/mcp");
    for wanted in [&*host, ".test", "*"] {
        let ran = echo(&[("HTTP_PROXY", &variable), ("NO_PROXY", wanted)], &url, &[]).await;
        assert_eq!(ran.code, Some(4), "{ran:#?}");
        assert!(ran.stderr.contains("lookup") && !ran.stderr.contains("the proxy"), "{ran:#?}");
    }
    assert_eq!(proxy.heads(), [""; 0]);
}

#[tokio::test]
async fn a_proxy_that_wants_credentials_or_does_not_connect_is_named() {
    for (does, tls, words) in [
        (Does::Answers("407 Authenticate"), true, "wants other credentials (HTTP 407)"),
        (Does::Answers("407 Authenticate"), false, "wants other credentials (HTTP 407)"),
        (Does::Answers("502 Bad Gateway"), true, "refuses to connect to it"),
        (Does::Answers("403 Forbidden"), true, "refuses to connect to it"),
        (Does::Answers("nonsense"), true, "refuses to connect to it"),
    ] {
        let proxy = Proxy::start(does).await;
        let variable = proxy.variable();
        let url = if tls { "https://mcp.test/mcp" } else { "http://mcp.test/mcp" };
        let ran = echo(&[("ALL_PROXY", &variable)], url, &[]).await;
        assert_eq!(ran.code, Some(4), "{does:?}, {ran:#?}");
        let expected = format!("cannot reach {url}: the proxy http://{}/ {words}", proxy.address);
        assert!(ran.stderr.contains(&expected), "{expected}: {ran:#?}");
        assert_eq!(proxy.heads().len(), 1, "{does:?}");
    }
}

#[tokio::test]
async fn an_error_that_a_proxy_may_have_made_names_it() {
    let proxy = Proxy::start(Does::Answers("502 Bad Gateway")).await;
    let variable = proxy.variable();
    let ran = echo(&[("HTTP_PROXY", &variable)], "http://mcp.test/mcp", &[]).await;
    assert_eq!(ran.code, Some(2), "{ran:#?}");
    let expected = format!("by way of the proxy http://{}/ with HTTP 502", proxy.address);
    assert!(ran.stderr.contains(&expected), "{ran:#?}");
}

#[tokio::test]
async fn a_proxy_that_is_not_there_is_told_apart_from_a_server_that_is_not() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let variable = format!("http://{CREDENTIALS}@{}", listener.local_addr().expect("an address"));
    drop(listener);
    for url in ["https://mcp.test/mcp", "http://mcp.test/mcp"] {
        let ran = echo(&[("ALL_PROXY", &variable)], url, &[]).await;
        assert_eq!(ran.code, Some(4), "{ran:#?}");
        assert!(ran.stderr.contains("/ cannot be reached: Connection refused"), "{ran:#?}");
    }
}

#[tokio::test]
async fn the_program_trusts_whom_its_flag_or_the_environment_names() {
    let authority = Authority::new();
    let setup = Setup::new(authority.issue(&["localhost"], Valid::Now), Spoken::Http2);
    let https = Https::start(Works::new().server(), setup).await;
    let (url, issuer) = (https.url("localhost"), File::new("flag.pem", authority.pem()));
    let other = File::new("other.pem", Authority::named("another issuer").pem());
    let list = ["call", &url, "echo", "text=hello"];
    let flagged = [&list[..], &["--cacert", issuer.path()]].concat();
    for ran in [
        hermes(&[], &flagged).await,
        hermes(&[("SSL_CERT_FILE", other.path())], &flagged).await,
        hermes(&[("SSL_CERT_FILE", issuer.path())], &list).await,
    ] {
        assert_eq!((ran.code, &*ran.stdout), (Some(0), "hello\n"), "{ran:#?}");
    }
    let ran = hermes(&[("SSL_CERT_FILE", other.path())], &list).await;
    assert_eq!(ran.code, Some(4), "{ran:#?}");
    assert!(ran.stderr.contains("not trusted here") && ran.stderr.contains("--cacert FILE"), "{ran:#?}");
    for missing in ["/nowhere.pem", other.path()].map(|path| format!("{path}.missing")) {
        let ran = hermes(&[], &[&list[..], &["--cacert", &missing]].concat()).await;
        assert_eq!(ran.code, Some(1), "{ran:#?}");
        assert!(ran.stderr.contains(&missing), "{ran:#?}");
    }
}
