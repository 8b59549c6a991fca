//! What settings do.

use hermes_http::StreamableHttp;
use hermes_server::Server;
use hermes_store::FileStore;

use super::error::SettingsError;
use super::file;
use super::key::Key;
use super::settings::Settings;
use super::value::{Secret, Value};

impl Settings {
    /// A server over HTTP that is served as these settings say: with their limits, origins and names, over their store. What
    /// is not set stays as the library has it; what else the endpoint should have, such as WebSockets, is added to what
    /// this gives.
    ///
    /// # Errors
    /// [`SettingsError`]: the file of a key or the store cannot be used.
    ///
    /// # Cancel safety
    /// Dropping the future stops nothing that has begun; nothing is lost.
    pub async fn http(&self, server: Server) -> Result<StreamableHttp, SettingsError> {
        let mut http = StreamableHttp::new(self.server(server)?);
        if let Some(sessions) = self.count(Key::MaxSessions) {
            http = http.max_sessions(sessions);
        }
        if let Some(requests) = self.count(Key::MaxRunning) {
            http = http.max_running(requests);
        }
        if let Some(connections) = self.count(Key::MaxStreams) {
            http = http.max_streams(connections);
        }
        if let Some(connections) = self.count(Key::MaxConnections) {
            // More than that is as good as no limit.
            http = http.max_connections(u32::try_from(connections).unwrap_or(u32::MAX));
        }
        if let Some(bytes) = self.count(Key::MaxBody) {
            http = http.max_body_bytes(bytes);
        }
        if let Some(idle) = self.time(Key::SessionIdle) {
            http = http.session_idle(idle);
        }
        if let Some(retention) = self.time(Key::Retention) {
            http = http.retention(retention);
        }
        if let Some(grace) = self.time(Key::StreamGrace) {
            http = http.stream_grace(grace);
        }
        if let Some(interval) = self.time(Key::KeepAlive) {
            http = http.keep_alive(interval);
        }
        http = self.list(Key::AllowOrigin).iter().fold(http, StreamableHttp::allow_origin);
        http = self.list(Key::AllowHost).iter().fold(http, StreamableHttp::allow_host);
        if self.is_on(Key::Stateless) {
            http = http.stateless();
        }
        if self.is_on(Key::Metrics) {
            http = http.metrics();
        }
        self.keep(http).await
    }

    /// The server with what these settings say about the server itself, over whatever it is served: the keys that seal what
    /// clients carry. [`http`](Self::http) does this too.
    ///
    /// # Errors
    /// [`SettingsError`]: the file of a key cannot be read, or holds none.
    pub fn server(&self, mut server: Server) -> Result<Server, SettingsError> {
        if let Some(key) = self.secret(Key::StateKey, Key::StateKeyFile)? {
            server = server.state_key(key);
        }
        if let Some(key) = self.secret(Key::PreviousStateKey, Key::PreviousStateKeyFile)? {
            server = server.previous_state_key(key);
        }
        Ok(server)
    }

    async fn keep(&self, http: StreamableHttp) -> Result<StreamableHttp, SettingsError> {
        let Some((path, place)) = self.file(Key::Store).filter(|_| self.store().is_some()) else {
            return Ok(http);
        };
        let store =
            FileStore::open(path).map_err(|source| SettingsError::Store { place: place.clone(), source })?;
        let kept = http.store(store).await;
        kept.map_err(|source| SettingsError::Kept { place: place.clone(), path: path.to_path_buf(), source })
    }

    /// A key that is set itself, or in a file.
    fn secret(&self, itself: Key, in_a_file: Key) -> Result<Option<[u8; 32]>, SettingsError> {
        if let Some(Value::Secret(Secret(key))) = self.value(itself) {
            return Ok(Some(*key));
        }
        let Some((path, place)) = self.file(in_a_file) else { return Ok(None) };
        let bytes = file::bytes(path).map_err(|source| SettingsError::KeyFile {
            place: place.clone(),
            path: path.to_path_buf(),
            source,
        })?;
        match Secret::of(&bytes) {
            Some(Secret(key)) => Ok(Some(key)),
            None => Err(SettingsError::NoKey { place: place.clone(), path: path.to_path_buf() }),
        }
    }
}
