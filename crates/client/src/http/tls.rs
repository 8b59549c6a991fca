//! What encrypts, and whom it trusts.

use std::sync::Arc;

use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt as _;

/// TLS as this machine trusts it. To an address that is not encrypted no other is ever reached, so nobody is trusted
/// there, and the certificates are not even loaded.
///
/// # Errors
/// There is nobody to trust.
pub(super) fn config(is_encrypted: bool) -> Result<ClientConfig, rustls::Error> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    if is_encrypted {
        Ok(builder.with_platform_verifier()?.with_no_client_auth())
    } else {
        Ok(builder.with_root_certificates(RootCertStore::empty()).with_no_client_auth())
    }
}
