//! What the host wants sent beside a message, where there is room for it.

use reqwest::header::{CONNECTION, CONTENT_LENGTH, HeaderMap, HeaderName, HeaderValue, TRANSFER_ENCODING};

use crate::error::ClientError;

/// Headers for HTTP. Their values are secrets, and are shown nowhere.
#[derive(Clone, Debug, Default)]
pub(crate) struct Headers {
    pub(crate) map: HeaderMap,
}

impl Headers {
    /// Adds one, in the place of another of the same name.
    ///
    /// # Errors
    /// [`ClientError::Address`]: it cannot be a header, or is not the host's to send.
    pub(crate) fn set(&mut self, name: &str, value: &str) -> Result<(), ClientError> {
        let bad = |reason: &str| ClientError::Address {
            what: format!("the header {name:?}"),
            reason: reason.to_owned(),
        };
        let name = HeaderName::try_from(name).map_err(|_| bad("it is no name for a header"))?;
        // They say where a message begins and ends: what is wrong there changes what the next one is taken for.
        if [CONNECTION, CONTENT_LENGTH, TRANSFER_ENCODING].contains(&name) {
            return Err(bad("it belongs to the connection"));
        }
        let mut value = HeaderValue::try_from(value)
            .map_err(|_| bad("its value has characters that no header may have"))?;
        value.set_sensitive(true);
        self.map.insert(name, value);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_shown_to_nobody_and_the_last_one_counts() {
        let mut headers = Headers::default();
        headers.set("Authorization", "Bearer first").expect("a header");
        headers.set("authorization", "Bearer secret").expect("a header");
        assert_eq!(headers.map.len(), 1);
        assert_eq!(headers.map["authorization"], "Bearer secret");
        let shown = format!("{headers:?}");
        assert!(shown.contains("authorization") && !shown.contains("secret"), "{shown}");
    }

    #[test]
    fn what_is_no_header_or_is_the_connection_s_is_refused() {
        let refused = |name: &str, value: &str| {
            let error = Headers::default().set(name, value).expect_err(name).to_string();
            assert!(!error.contains("secret"), "{error}");
            error
        };
        assert!(refused("a b", "secret").contains("no name"));
        assert!(refused("X-Key", "secret\r\nX: y").contains("characters"));
        for name in ["content-length", "Transfer-Encoding", "Connection"] {
            assert!(refused(name, "secret").contains("belongs to the connection"), "{name}");
        }
    }
}
