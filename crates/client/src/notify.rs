//! Notifications that the protocol's core does not have.

use std::borrow::Cow;

use hermes_types::{Meta, Ordered, RawJson, Wire};

use crate::Client;
use crate::error::ClientError;

impl Client {
    /// Sends any notification, such as one of an extension. The parameters are a JSON object; in the modern era the
    /// revision is added to their `_meta`, so that the headers over HTTP can say the same.
    ///
    /// Nobody answers. A server that does not accept it over HTTP is told of by
    /// [`Warning::NotDelivered`](crate::Warning::NotDelivered).
    ///
    /// ```
    /// # fn example(client: hermes_client::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// use hermes_types::RawJson;
    ///
    /// client.notify_raw("notifications/com.example/moved", Some(RawJson::parse(r#"{"to":"b"}"#)?))?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`ClientError::Arguments`] when the parameters are no object, [`ClientError::Closed`] when there is no connection.
    ///
    /// Source: `basic/index#notifications`, 2026-07-28.
    pub fn notify_raw(
        &self,
        method: impl Into<Cow<'static, str>>,
        params: Option<RawJson>,
    ) -> Result<(), ClientError> {
        let method = method.into();
        let line = self.0.current();
        let revision = line.peer.revision;
        let members = || -> serde_json::Result<Ordered<RawJson>> {
            let mut members = params.map_or_else(|| Ok(Ordered::new()), |params| params.decode())?;
            if revision.is_modern() {
                let given = members.get("_meta").map(RawJson::decode::<Meta>).transpose()?;
                let meta = Meta {
                    protocol_version: Some(revision.as_str().to_owned()),
                    ..given.unwrap_or_default()
                };
                members.insert("_meta", RawJson::encode(&Wire(&meta, revision))?);
            }
            Ok(members)
        };
        let members = members().map_err(|source| ClientError::Arguments {
            method: method.clone().into_owned(),
            source: Some(source),
        })?;
        line.shared().notify(&method, &members).map_err(ClientError::Closed)
    }
}
