//! The seal on `requestState`: what the client carries for us, it can neither read nor change.
//!
//! ```text
//! requestState = base64url( version (1 byte) │ nonce (24) │ XChaCha20-Poly1305( contents ) │ tag (16) )
//! contents     = { request digest, principal digest, kept }
//! ```
//!
//! The version byte is authenticated too. The nonce is random: 24 bytes are long enough for that.
//!
//! Source: `basic/patterns/mrtr`, 2026-07-28, server requirements 4 and 5.

use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chacha20poly1305::aead::{Aead as _, KeyInit as _, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use hermes_types::Fault;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::canon;
use super::kept::Kept;

const VERSION: u8 = 1;
const NONCE_BYTES: usize = 24;
/// Until the whole conversation has to be over, counted from the end of its first round.
const LIFE: Duration = Duration::from_secs(60 * 60);
/// The longest `requestState` that is made or looked at, in bytes of its text.
const MAX_BYTES: usize = 256 * 1024;

/// The request that a state belongs to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin<'a> {
    /// The method.
    pub(crate) method: &'a str,
    /// Its parameters as they came.
    pub(crate) params: Option<&'a str>,
    /// Who sent it, when that was verified; stdio has nobody.
    pub(crate) principal: Option<&'a str>,
}

/// The keys that seal and open states, and how long a state is good for.
///
/// States are sealed with the first key and opened with any of them, so that a new key can be brought in
/// while states under the old one are still out.
pub(crate) struct Seal {
    current: XChaCha20Poly1305,
    previous: Vec<XChaCha20Poly1305>,
    life: Duration,
}

/// Why a `requestState` is not accepted. What the cipher did not like is not said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum SealError {
    /// Its time has passed.
    #[error("requestState has expired; send the request without it to start again")]
    Expired,
    /// It belongs to another request: another method, another tool, other arguments.
    #[error("requestState belongs to another request")]
    OtherRequest,
    /// It is longer than any state that was ever sent.
    #[error("requestState is too long")]
    TooLong,
    /// It was not made here, or was changed, or belongs to somebody else.
    #[error("requestState does not verify")]
    Unverified,
}

impl From<SealError> for Fault {
    fn from(error: SealError) -> Self {
        Self::invalid_params(error.to_string())
    }
}

/// What is sealed.
#[derive(Serialize, Deserialize)]
struct Contents {
    #[serde(rename = "r")]
    request: canon::Digest,
    #[serde(rename = "p", default, skip_serializing_if = "Option::is_none")]
    principal: Option<canon::Digest>,
    #[serde(rename = "k")]
    kept: Kept,
}

impl Seal {
    /// Seals with this key. Every server that may get a retry needs the same one.
    pub(crate) fn new(key: [u8; 32]) -> Self {
        Self { current: XChaCha20Poly1305::new(&key.into()), previous: Vec::new(), life: LIFE }
    }

    /// Also opens what was sealed with an older key.
    pub(crate) fn with_previous(mut self, key: [u8; 32]) -> Self {
        self.previous.push(XChaCha20Poly1305::new(&key.into()));
        self
    }

    /// Sets how long a conversation may take, counted from the end of its first round.
    pub(crate) const fn with_life(mut self, life: Duration) -> Self {
        self.life = life;
        self
    }

    /// Seals what is to be kept until the client repeats the request.
    ///
    /// # Errors
    /// An internal error: the state is too long, or there is no randomness.
    pub(crate) fn seal(&self, mut kept: Kept, origin: &Origin<'_>, now: SystemTime) -> Result<String, Fault> {
        kept.born.get_or_insert_with(|| seconds(now));
        if kept.token.is_none() {
            kept.token = Some(fresh_token().map_err(no_randomness)?);
        }
        let contents = Contents { request: origin.request(), principal: origin.principal(), kept };
        let plain = serde_json::to_vec(&contents).map_err(|error| {
            Fault::internal_error(format!("the state of this call cannot be written: {error}"))
        })?;
        let mut nonce = [0; NONCE_BYTES];
        getrandom::fill(&mut nonce).map_err(no_randomness)?;
        let sealed = self
            .current
            .encrypt(&XNonce::from(nonce), Payload { msg: &plain, aad: &[VERSION] })
            .map_err(|_| Fault::internal_error("the state of this call cannot be sealed"))?;
        let text = URL_SAFE_NO_PAD.encode([&[VERSION][..], &nonce, &sealed].concat());
        if text.len() > MAX_BYTES {
            let bytes = text.len();
            return Err(Fault::internal_error(format!(
                "the answers and effects of this call take {bytes} bytes to keep; at most {MAX_BYTES} are kept"
            )));
        }
        Ok(text)
    }

    /// Opens a state that came with a request.
    ///
    /// # Errors
    /// [`SealError`]: it is not ours, not for this request, or too old.
    pub(crate) fn open(&self, state: &str, origin: &Origin<'_>, now: SystemTime) -> Result<Kept, SealError> {
        if state.len() > MAX_BYTES {
            return Err(SealError::TooLong);
        }
        let bytes = URL_SAFE_NO_PAD.decode(state).map_err(|_| SealError::Unverified)?;
        let [VERSION, sealed @ ..] = bytes.as_slice() else { return Err(SealError::Unverified) };
        let Some((nonce, sealed)) = sealed.split_first_chunk::<NONCE_BYTES>() else {
            return Err(SealError::Unverified);
        };
        let nonce = XNonce::from(*nonce);
        let open =
            |key: &XChaCha20Poly1305| key.decrypt(&nonce, Payload { msg: sealed, aad: &[VERSION] }).ok();
        let plain = open(&self.current).or_else(|| self.previous.iter().find_map(open));
        let contents = plain.as_deref().map(serde_json::from_slice::<Contents>);
        let Some(Ok(Contents { request, principal, kept })) = contents else {
            return Err(SealError::Unverified);
        };
        if principal != origin.principal() {
            return Err(SealError::Unverified);
        }
        if request != origin.request() {
            return Err(SealError::OtherRequest);
        }
        let expires = kept.born.and_then(|born| born.checked_add(self.life.as_secs()));
        if expires.is_none_or(|expires| expires < seconds(now)) {
            return Err(SealError::Expired);
        }
        Ok(kept)
    }
}

impl Origin<'_> {
    fn request(&self) -> canon::Digest {
        canon::of_request(self.method, self.params)
    }

    fn principal(&self) -> Option<canon::Digest> {
        self.principal.map(|principal| Sha256::digest(principal).into())
    }
}

fn no_randomness(error: getrandom::Error) -> Fault {
    Fault::internal_error(format!("no randomness to seal the state with: {error}"))
}

/// 32 hexadecimal digits that nobody has seen before.
pub(super) fn fresh_token() -> Result<String, getrandom::Error> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)?;
    Ok(canon::hex(&bytes))
}

/// Whole seconds since 1970; a clock before that stands at 0.
fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// Shows no key.
impl fmt::Debug for Seal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Seal")
            .field("previous", &self.previous.len())
            .field("life", &self.life)
            .finish_non_exhaustive()
    }
}
