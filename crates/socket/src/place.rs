//! Where a socket is, and who may connect to it.

use std::fs;
use std::io;
use std::net::SocketAddr;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use tokio::net::{TcpListener, ToSocketAddrs, UnixListener, UnixStream};

/// How many connections are served at once, unless it is said otherwise.
const CONNECTIONS: usize = 1024;

/// A socket that has its place, and is not served yet.
#[derive(Debug)]
#[must_use = "it is served only when `serve` is awaited"]
pub struct Socket {
    pub(crate) listener: Listener,
    pub(crate) connections: usize,
}

#[derive(Debug)]
pub(crate) enum Listener {
    Unix { listener: UnixListener, file: File },
    Tcp(TcpListener, SocketAddr),
}

/// The file of a Unix-domain socket. Dropping it removes the file, unless it is another's by now.
#[derive(Debug)]
pub(crate) struct File {
    path: PathBuf,
    /// Device and number, which tell it from a later one of the same name.
    is: Option<(u64, u64)>,
}

/// Why a socket cannot be had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BindError {
    /// The operating system refuses.
    #[error("cannot listen at {place}")]
    Io {
        /// The path or the address.
        place: String,
        /// Why.
        source: io::Error,
    },
    /// A server is there and answers. Stop it, or take another path.
    #[error("cannot listen at {}: a server is there already", path.display())]
    InUse {
        /// The path.
        path: PathBuf,
    },
    /// There is a file that is no socket. Nothing was done to it; take another path.
    #[error("cannot listen at {}: there is a file, and it is no socket", path.display())]
    NotASocket {
        /// The path.
        path: PathBuf,
    },
    /// The address can be reached from other machines, and nothing here would ask who calls. Take an address of
    /// this machine alone, and let something that asks for credentials stand in front.
    #[error("cannot listen at {address}: other machines reach it, and a socket asks nobody for credentials")]
    Exposed {
        /// The address.
        address: SocketAddr,
    },
}

/// For a `main` that returns `hermes::Result`.
impl From<BindError> for hermes_server::ServerError {
    fn from(error: BindError) -> Self {
        Self::Listen(Box::new(error))
    }
}

impl Socket {
    /// Takes a path. A socket that a server left behind there is replaced; any other file stays, and is an error.
    ///
    /// Only the user that serves, and the superuser, can connect: the file is for its owner alone, and whoever connects
    /// nevertheless is asked for by the operating system's word.
    ///
    /// # Errors
    /// [`BindError`]: the path cannot be had.
    ///
    /// # Cancel safety
    /// Dropping the future leaves at most a socket that nobody serves, which the next one replaces.
    pub async fn unix(path: impl AsRef<Path>) -> Result<Self, BindError> {
        let path = path.as_ref();
        let io = |source| BindError::Io { place: path.display().to_string(), source };
        match fs::symlink_metadata(path) {
            Ok(found) if !found.file_type().is_socket() => {
                return Err(BindError::NotASocket { path: path.to_owned() });
            }
            Ok(_) if UnixStream::connect(path).await.is_ok() => {
                return Err(BindError::InUse { path: path.to_owned() });
            }
            Ok(_) => fs::remove_file(path).map_err(io)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(io(error)),
        }
        let listener = UnixListener::bind(path).map_err(io)?;
        let is = fs::symlink_metadata(path).map(|found| (found.dev(), found.ino())).ok();
        let file = File { path: path.to_owned(), is };
        fs::set_permissions(path, fs::Permissions::from_mode(0o600)).map_err(io)?;
        Ok(Self { listener: Listener::Unix { listener, file }, connections: CONNECTIONS })
    }

    /// Takes a TCP address of this machine alone, such as `127.0.0.1:7000` or `[::1]:7000`; port 0 takes any that is
    /// free. Every user of the machine can connect.
    ///
    /// # Errors
    /// [`BindError`]: the address cannot be had, or other machines reach it.
    ///
    /// # Cancel safety
    /// Dropping the future gives the address back.
    pub async fn tcp(address: impl ToSocketAddrs + std::fmt::Debug) -> Result<Self, BindError> {
        let place = format!("{address:?}").replace('"', "");
        let io = |source| BindError::Io { place: place.clone(), source };
        let listener = TcpListener::bind(address).await.map_err(io)?;
        let address = listener.local_addr().map_err(io)?;
        if !address.ip().is_loopback() {
            return Err(BindError::Exposed { address });
        }
        Ok(Self { listener: Listener::Tcp(listener, address), connections: CONNECTIONS })
    }

    /// Sets how many connections are served at once; 1,024 by default. More wait until one of them ends.
    pub const fn max_connections(mut self, connections: usize) -> Self {
        self.connections = connections;
        self
    }

    /// Where clients find it, as they are told: `unix:/run/mcp.sock` or `tcp:127.0.0.1:7000`.
    #[must_use]
    pub fn address(&self) -> String {
        match &self.listener {
            Listener::Unix { file, .. } => format!("unix:{}", file.path.display()),
            Listener::Tcp(_, address) => format!("tcp:{address}"),
        }
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let is = fs::symlink_metadata(&self.path).map(|found| (found.dev(), found.ino())).ok();
        if is.is_some() && is == self.is {
            // Whoever comes next replaces it if it stays.
            let _ = fs::remove_file(&self.path);
        }
    }
}
