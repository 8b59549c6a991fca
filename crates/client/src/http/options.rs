//! Whom the client trusts over HTTPS, and as whom it appears there.

use crate::ClientBuilder;

/// For `https://` addresses. TLS 1.2 and 1.3 are spoken, and in them HTTP/2, or HTTP/1.1 where the server has no other.
///
/// Whoever the machine trusts is trusted. On Linux that is who stands in the system's files of certificates, or, in their
/// place, in those that the variables `SSL_CERT_FILE` and `SSL_CERT_DIR` name; on macOS and Windows the system itself is
/// asked.
impl ClientBuilder {
    /// Also trusts the servers whose certificates come from this issuer, such as a company's own. May be called for
    /// several; each is PEM with any number of certificates, or the DER of one.
    ///
    /// It is trusted for whatever server it vouches for, so it should be an issuer that vouches for few. A server's own
    /// certificate can be given only if it is its own issuer's and says that it is no issuer of others.
    ///
    /// ```no_run
    /// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// let client = hermes_client::Client::builder()
    ///     .trust(std::fs::read("company-ca.pem")?)
    ///     .connect("https://mcp.company.example/mcp")
    ///     .await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// What is no certificate is refused by [`connect`](Self::connect), with
    /// [`ClientError::Address`](crate::ClientError::Address). Of a server that is not trusted
    /// [`CertificateProblem`](crate::CertificateProblem) says why.
    pub fn trust(mut self, issuer: impl Into<Vec<u8>>) -> Self {
        self.http.trust.issuers.push(issuer.into());
        self
    }

    /// Trusts this issuer and those that [`trust`](Self::trust) names, and nobody else, not even whom the machine
    /// trusts.
    pub fn trust_only(mut self, issuer: impl Into<Vec<u8>>) -> Self {
        self.http.trust.is_exclusive = true;
        self.trust(issuer)
    }

    /// Shows this certificate to a server that wants to know its clients: PEM with the certificate, those that lead
    /// from it to its issuer if there are any, and its key, which is not encrypted. The key is in no log.
    pub fn certificate(mut self, certificate_and_key: impl Into<Vec<u8>>) -> Self {
        self.http.trust.identity = Some(certificate_and_key.into());
        self
    }
}
