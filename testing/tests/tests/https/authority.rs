//! Certificates, made for one test.

use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    date_time_ymd,
};
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};

/// An issuer of certificates.
pub(crate) struct Authority {
    issuer: Issuer<'static, KeyPair>,
    pem: String,
    der: Vec<u8>,
}

/// A certificate and its key.
pub(crate) struct Identity {
    pub(crate) certificate: CertificateDer<'static>,
    pub(crate) key: PrivateKeyDer<'static>,
    /// Both, as text.
    pub(crate) pem: String,
}

/// When a certificate is valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Valid {
    Now,
    NoMore,
    NotYet,
}

impl Authority {
    pub(crate) fn new() -> Self {
        Self::named("the test's own issuer")
    }

    pub(crate) fn named(name: &str) -> Self {
        let key = KeyPair::generate().expect("a key");
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let certificate = params.self_signed(&key).expect("a certificate");
        let (pem, der) = (certificate.pem(), certificate.der().to_vec());
        Self { issuer: Issuer::new(params, key), pem, der }
    }

    /// Its own certificate as text.
    pub(crate) fn pem(&self) -> &str {
        &self.pem
    }

    /// Its own certificate as bytes.
    pub(crate) fn der(&self) -> &[u8] {
        &self.der
    }

    /// A certificate for servers, and clients, of these names.
    pub(crate) fn issue(&self, names: &[&str], valid: Valid) -> Identity {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let mut params = CertificateParams::new(names).expect("names");
        params.distinguished_name.push(DnType::CommonName, "a certificate of the test");
        params.extended_key_usages =
            vec![ExtendedKeyUsagePurpose::ServerAuth, ExtendedKeyUsagePurpose::ClientAuth];
        match valid {
            Valid::Now => {}
            Valid::NoMore => params.not_after = date_time_ymd(2001, 1, 1),
            Valid::NotYet => params.not_before = date_time_ymd(4000, 1, 1),
        }
        let key = KeyPair::generate().expect("a key");
        let certificate = params.signed_by(&key, &self.issuer).expect("a certificate");
        Identity::of(certificate.der().clone(), &certificate.pem(), &key)
    }

    /// Its own certificate, as if it were a server's.
    pub(crate) fn as_server(&self) -> Identity {
        Identity::of(CertificateDer::from(self.der.clone()), &self.pem, self.issuer.key())
    }
}

impl Identity {
    fn of(certificate: CertificateDer<'static>, pem: &str, key: &KeyPair) -> Self {
        Self {
            certificate,
            key: PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der())),
            pem: format!("{pem}{}", key.serialize_pem()),
        }
    }
}
