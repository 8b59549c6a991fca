//! What encrypts, whom it trusts, and as whom it appears.

use std::fmt;
use std::sync::Arc;

use rustls::crypto::ring;
use rustls::pki_types::pem::{self, PemObject as _};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::Verifier;

use crate::error::ClientError;

/// What DER begins with, and PEM never does.
const SEQUENCE: u8 = 0x30;

/// The versions of HTTP that are spoken over TLS, by the names that they have there.
pub(super) const HTTP2: &[u8] = b"h2";
const HTTP1: &[u8] = b"http/1.1";

/// Whom the host trusts beside, or instead of, whom this machine trusts; and as whom it appears. As it was given, unread.
#[derive(Clone, Default)]
pub(crate) struct Trust {
    /// Certificates of issuers: each PEM with any number of them, or the DER of one.
    pub(crate) issuers: Vec<Vec<u8>>,
    /// Whether nobody else is trusted.
    pub(crate) is_exclusive: bool,
    /// PEM with a certificate, those that lead to its issuer, and its key.
    pub(crate) identity: Option<Vec<u8>>,
}

impl fmt::Debug for Trust {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Trust")
            .field("issuers", &self.issuers.len())
            .field("is_exclusive", &self.is_exclusive)
            .field("identity", &self.identity.is_some())
            .finish()
    }
}

impl Trust {
    /// TLS as the host wants it. Where nothing is encrypted nobody has to be trusted, and the certificates of this
    /// machine are not even loaded.
    ///
    /// # Errors
    /// [`ClientError::Address`]: what the host gave cannot be used, or there is nobody to trust.
    pub(crate) fn config(&self, is_encrypted: bool) -> Result<ClientConfig, ClientError> {
        let provider = Arc::new(ring::default_provider());
        let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .map_err(|error| unusable("TLS", &error))?;
        let (issuers, store) = self.issuers()?;
        let builder = if is_encrypted && !self.is_exclusive {
            let verifier = Verifier::new_with_extra_roots(issuers, provider)
                .map_err(|error| unusable("the certificates that this machine trusts", &error))?;
            builder.dangerous().with_custom_certificate_verifier(Arc::new(verifier))
        } else {
            builder.with_root_certificates(store)
        };
        let mut config = match &self.identity {
            Some(identity) => {
                let (chain, key) = own(identity)?;
                builder
                    .with_client_auth_cert(chain, key)
                    .map_err(|error| unusable(IDENTITY, &format!("its key and its certificate: {error}")))?
            }
            None => builder.with_no_client_auth(),
        };
        config.alpn_protocols = vec![HTTP2.to_vec(), HTTP1.to_vec()];
        Ok(config)
    }

    /// The issuers that the host trusts, each of which can be used.
    fn issuers(&self) -> Result<(Vec<CertificateDer<'static>>, RootCertStore), ClientError> {
        const WHAT: &str = "the certificate to trust";
        let (mut issuers, mut store) = (Vec::new(), RootCertStore::empty());
        for given in &self.issuers {
            let before = issuers.len();
            if given.first() == Some(&SEQUENCE) {
                issuers.push(CertificateDer::from(given.clone()));
            } else {
                for certificate in CertificateDer::pem_slice_iter(given) {
                    issuers.push(certificate.map_err(|error| unusable(WHAT, &broken(&error)))?);
                }
            }
            if issuers.len() == before {
                return Err(unusable(
                    WHAT,
                    &"it has no \"-----BEGIN CERTIFICATE-----\" in it, and is no DER",
                ));
            }
            for (number, certificate) in (1..).zip(issuers.iter().skip(before)) {
                store.add(certificate.clone()).map_err(|_| {
                    unusable(WHAT, &format!("number {number} in it is no X.509 certificate that can be read"))
                })?;
            }
        }
        if self.is_exclusive && issuers.is_empty() {
            return Err(unusable(WHAT, &"there is none, and nobody else is to be trusted"));
        }
        Ok((issuers, store))
    }
}

const IDENTITY: &str = "the client's own certificate";

/// The certificate that the client shows, with those that lead to its issuer, and its key.
fn own(pem: &[u8]) -> Result<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>), ClientError> {
    let chain: Vec<_> = CertificateDer::pem_slice_iter(pem)
        .collect::<Result<_, _>>()
        .map_err(|error| unusable(IDENTITY, &broken(&error)))?;
    if chain.is_empty() {
        return Err(unusable(IDENTITY, &"it has no \"-----BEGIN CERTIFICATE-----\" in it"));
    }
    let key = PrivateKeyDer::from_pem_slice(pem).map_err(|error| match error {
        pem::Error::NoItemsFound => {
            unusable(IDENTITY, &"its key is missing: \"-----BEGIN PRIVATE KEY-----\", not encrypted")
        }
        error => unusable(IDENTITY, &broken(&error)),
    })?;
    Ok((chain, key))
}

/// What is wrong with PEM, without what stands in it.
fn broken(error: &pem::Error) -> String {
    let reason = match error {
        pem::Error::MissingSectionEnd { .. } => "a section has no end",
        pem::Error::IllegalSectionStart { .. } => "a section begins wrongly",
        pem::Error::Base64Decode(_) => "a section is no Base64",
        _ => "it cannot be read",
    };
    format!("it is broken PEM: {reason}")
}

fn unusable(what: &str, reason: &dyn fmt::Display) -> ClientError {
    ClientError::Address { what: what.to_owned(), reason: reason.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The error of a configuration that trusts, or appears as, what was given.
    fn refused(trust: &Trust) -> String {
        trust.config(true).map(drop).expect_err("refused").to_string()
    }

    fn issuer(given: &[u8]) -> Trust {
        Trust { issuers: vec![given.to_vec()], is_exclusive: true, identity: None }
    }

    #[test]
    fn what_is_no_certificate_is_refused_with_what_it_lacks() {
        for (given, words) in [
            (&b"hello"[..], "has no \"-----BEGIN CERTIFICATE-----\""),
            (b"", "has no \"-----BEGIN CERTIFICATE-----\""),
            (b"-----BEGIN CERTIFICATE-----\nAAAA\n", "a section has no end"),
            (b"-----BEGIN CERTIFICATE-----\n!!\n-----END CERTIFICATE-----\n", "no Base64"),
            (b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", "number 1 in it is no X.509"),
            (b"\x30\x03abc", "number 1 in it is no X.509"),
        ] {
            let shown = refused(&issuer(given));
            assert!(shown.starts_with("cannot use the certificate to trust: "), "{shown}");
            assert!(shown.contains(words), "{words:?}: {shown}");
        }
        let nobody = Trust { is_exclusive: true, ..Trust::default() };
        assert!(refused(&nobody).contains("nobody else is to be trusted"));
    }

    #[test]
    fn a_mistake_is_found_even_where_nothing_is_encrypted() {
        assert!(issuer(b"hello").config(false).is_err());
        let config = Trust::default().config(false).expect("nobody to trust");
        assert_eq!(config.alpn_protocols, [b"h2".to_vec(), b"http/1.1".to_vec()]);
    }

    #[test]
    fn an_identity_without_a_key_is_refused_and_nothing_of_it_is_shown() {
        let certificate = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
        for (given, words) in [
            (certificate.to_owned(), "its key is missing"),
            (
                "-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n".to_owned(),
                "has no \"-----BEGIN CERT",
            ),
            (
                format!("{certificate}-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n"),
                "its key and its certificate",
            ),
        ] {
            let trust = Trust { identity: Some(given.into_bytes()), ..Trust::default() };
            let shown = trust.config(false).map(drop).expect_err("refused").to_string();
            assert!(shown.starts_with("cannot use the client's own certificate: "), "{shown}");
            assert!(shown.contains(words), "{words:?}: {shown}");
            assert!(!format!("{shown}{trust:?}").contains("c2VjcmV0"), "{shown}");
        }
    }
}
