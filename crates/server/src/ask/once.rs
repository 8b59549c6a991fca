//! Effects that happen once, although the handler may be entered several times.

use std::convert::Infallible;
use std::future::Future;

use hermes_types::RawJson;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::error::OnceError;
use super::seal::fresh_token;
use crate::Context;

tokio::task_local! {
    /// Set while an effect is polled, so that a question inside it is noticed.
    static INSIDE_EFFECT: ();
}

/// Whether the caller is polled as part of an effect.
pub(super) fn is_inside_effect() -> bool {
    INSIDE_EFFECT.try_with(|()| ()).is_ok()
}

impl Context {
    /// Runs an effect once for this call, however often the handler is entered.
    ///
    /// The first time, the effect runs and its value is kept under `key`: in the modern era in the sealed
    /// state that travels with the client, in the legacy era as long as the call runs. Every later
    /// `once` with this key gives the kept value back and runs nothing. Two at the same time run one effect.
    ///
    /// While an effect runs, the handler is not dropped to wait for answers. (A cancelled call is dropped,
    /// effect and all.)
    ///
    /// An effect after the *last* question is in no state that the client could bring back: whoever
    /// replays the last request runs it again. Where that matters, hand
    /// [`idempotency_key`](Self::idempotency_key) to the system that has the effect.
    ///
    /// ```
    /// # use hermes_server::{Context, ToolError};
    /// # async fn create_draft() -> u64 { 7 }
    /// # #[derive(serde::Deserialize, schemars::JsonSchema)] struct Name { name: String }
    /// async fn publish(ctx: Context) -> Result<String, ToolError> {
    ///     let draft: u64 = ctx.once("draft", || create_draft()).await?;
    ///     let answer = ctx.elicit::<Name>("Publish under which name?").await?;
    ///     Ok(match answer.accepted() {
    ///         Some(Name { name }) => format!("draft {draft} published as {name}"),
    ///         None => format!("draft {draft} kept"),
    ///     })
    /// }
    /// ```
    ///
    /// # Errors
    /// [`OnceError`]: the call is over, or the value cannot be kept or is of another type than before.
    ///
    /// # Cancel safety
    /// Dropping the future drops the effect where it stands, and nothing is kept: the next `once` with this
    /// key runs it again.
    pub async fn once<T, F, Fut>(&self, key: &str, effect: F) -> Result<T, OnceError>
    where
        T: Serialize + DeserializeOwned,
        F: FnOnce() -> Fut,
        Fut: Future<Output = T>,
    {
        let result = self.try_once(key, || async { Ok::<T, Infallible>(effect().await) }).await?;
        Ok(match result {
            Ok(value) => value,
            Err(never) => match never {},
        })
    }

    /// Like [`once`](Self::once) for an effect that may fail: a failure is passed on and not kept, so the
    /// next entry tries again.
    ///
    /// ```
    /// # use hermes_server::{Context, ToolError};
    /// # async fn charge(key: String) -> Result<u64, std::io::Error> { Ok(1) }
    /// # async fn handler(ctx: Context) -> Result<(), ToolError> {
    /// let receipt = ctx.try_once("charge", || charge(ctx.idempotency_key())).await??;
    /// # let _: u64 = receipt; Ok(()) }
    /// ```
    ///
    /// # Errors
    /// The outer error is [`OnceError`], the inner one the effect's own.
    ///
    /// # Cancel safety
    /// As [`once`](Self::once).
    pub async fn try_once<T, E, F, Fut>(&self, key: &str, effect: F) -> Result<Result<T, E>, OnceError>
    where
        T: Serialize + DeserializeOwned,
        F: FnOnce() -> Fut,
        Fut: Future<Output = Result<T, E>>,
    {
        let asked = self.asked();
        // The guard outlives the keeping of the value: a suspension between the two would lose it.
        let running = asked.begin(key)?;
        let run = async || {
            let value = INSIDE_EFFECT.scope((), effect()).await.map_err(Failure::Own)?;
            RawJson::encode(&value).map_err(|error| Failure::Kept(asked.lose(key, error.to_string())))
        };
        let kept = running.cell.get_or_try_init(run).await;
        match kept {
            Ok(kept) => match kept.decode() {
                Ok(value) => Ok(Ok(value)),
                Err(source) => Err(OnceError::WrongType { key: key.to_owned(), source }),
            },
            Err(Failure::Own(error)) => Ok(Err(error)),
            Err(Failure::Kept(error)) => Err(error),
        }
    }

    /// A token for this call that stays the same over all its entries, also when a client replays one of
    /// them, and that no other call has: 32 hexadecimal digits.
    ///
    /// Give it to a system outside that can refuse to do the same thing twice. That is the only protection
    /// for an effect after the last question; see [`once`](Self::once).
    ///
    /// # Panics
    /// When the operating system has no randomness.
    #[must_use]
    pub fn idempotency_key(&self) -> String {
        self.asked().token(|| {
            #[expect(clippy::expect_used, reason = "no peer can cause it, and no token is worse than none")]
            fresh_token().expect("the operating system has randomness")
        })
    }
}

enum Failure<E> {
    Own(E),
    Kept(OnceError),
}
