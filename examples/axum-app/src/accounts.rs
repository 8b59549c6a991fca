//! Who may come in.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use hermes::http::Principal;
use sha2::{Digest as _, Sha256};

/// Whoever was found out to be calling. Handlers take it as `Extension<Account>`.
#[derive(Clone, Debug)]
pub(crate) struct Account {
    pub(crate) name: Arc<str>,
    pub(crate) may_borrow: bool,
}

/// The accounts, by the digest of their token: the tokens themselves are kept nowhere, and how long a look-up takes
/// tells nothing about them.
#[derive(Clone)]
pub(crate) struct Accounts(Arc<BTreeMap<[u8; 32], Account>>);

impl Accounts {
    /// Accounts as `name:token`, or `name:token:guest` for who may only look; separated by commas.
    pub(crate) fn read(text: &str) -> Self {
        let entry = |entry: &str| {
            let mut parts = entry.trim().split(':');
            let (name, token) = (parts.next()?, parts.next()?);
            let account = Account { name: name.into(), may_borrow: parts.next() != Some("guest") };
            Some((Sha256::digest(token).into(), account))
        };
        Self(Arc::new(text.split(',').filter_map(entry).collect()))
    }

    fn of(&self, request: &Request) -> Option<&Account> {
        let header = request.headers().get(AUTHORIZATION)?.to_str().ok()?;
        let token = header.strip_prefix("Bearer ")?;
        self.0.get::<[u8; 32]>(&Sha256::digest(token).into())
    }
}

/// Lets in who shows the token of an account, and says who it is: to the server as the principal, whose sessions nobody
/// else finds, and to handlers as the account.
pub(crate) async fn authenticate(
    State(accounts): State<Accounts>,
    mut request: Request,
    next: Next,
) -> Response {
    let Some(account) = accounts.of(&request).cloned() else {
        return (StatusCode::UNAUTHORIZED, [(WWW_AUTHENTICATE, "Bearer realm=\"library\"")]).into_response();
    };
    request.extensions_mut().insert(Principal(Arc::clone(&account.name)));
    request.extensions_mut().insert(account);
    next.run(request).await
}
