//! The library, and the tools that models have for it.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hermes::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;

use crate::accounts::Account;

/// The books. Clones are the same library: the page has one, the tools another.
#[derive(Clone)]
pub(crate) struct Library(Arc<Mutex<BTreeMap<String, Option<Arc<str>>>>>);

/// A book, and who has it.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub(crate) struct Book {
    title: String,
    borrower: Option<String>,
}

impl fmt::Display for Book {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = if self.borrower.is_some() { "borrowed" } else { "there" };
        write!(f, "{} ({state})", self.title)
    }
}

impl Library {
    pub(crate) fn new<const N: usize>(titles: [&str; N]) -> Self {
        Self(Arc::new(Mutex::new(titles.map(|title| (title.to_owned(), None)).into())))
    }

    pub(crate) fn books(&self) -> Vec<Book> {
        let borrower = |name: &Option<Arc<str>>| name.as_deref().map(str::to_owned);
        self.shelf()
            .iter()
            .map(|(title, name)| Book { title: title.clone(), borrower: borrower(name) })
            .collect()
    }

    fn shelf(&self) -> MutexGuard<'_, BTreeMap<String, Option<Arc<str>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Lists the books.
#[tool(read_only, open_world = false)]
pub(crate) fn books(library: State<Library>) -> Json<Vec<Book>> {
    Json(library.books())
}

/// Borrows a book for whoever calls.
#[tool(destructive = false, open_world = false)]
pub(crate) fn borrow(
    title: String,
    library: State<Library>,
    Extension(account): Extension<Account>,
) -> Result<String, ToolError> {
    if !account.may_borrow {
        return Err(ToolError::new("guests may look, and not borrow"));
    }
    match library.shelf().get_mut(&title) {
        None => Err(ToolError::new(format!("there is no book {title:?}"))),
        // Not by whom: that is nobody else's business.
        Some(Some(borrower)) if **borrower != *account.name => {
            Err(ToolError::new(format!("{title} is borrowed")))
        }
        Some(borrower) => {
            *borrower = Some(account.name);
            Ok(format!("{title} is yours"))
        }
    }
}

/// Says whom the server takes the caller for.
#[tool(read_only, open_world = false)]
pub(crate) fn whoami(ctx: Context) -> Result<String, ToolError> {
    Ok(ctx.principal().ok_or("nobody was authenticated")?.to_owned())
}
