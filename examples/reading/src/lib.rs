//! A list of books to read.

use std::sync::{Mutex, MutexGuard, PoisonError};

use hermes::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;

/// The list. All clients share it.
#[derive(Default)]
struct Books(Mutex<Vec<Book>>);

impl Books {
    fn open(&self) -> MutexGuard<'_, Vec<Book>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Clone, JsonSchema, Serialize)]
struct Book {
    title: String,
    pages: u32,
    is_read: bool,
}

/// Puts a book on the list.
#[tool]
fn add_book(
    title: String,
    /** How many pages it has */
    #[schemars(range(min = 1))]
    pages: u32,
    books: State<Books>,
) -> Result<String, ToolError> {
    let mut books = books.open();
    if books.iter().any(|book| book.title == title) {
        return Err(ToolError::new(format!("{title} is on the list already")));
    }
    books.push(Book { title, pages, is_read: false });
    Ok(format!("{} books on the list", books.len()))
}

/// Notes that a book was read, and gives it back.
#[tool(idempotent)]
fn finish_book(title: String, books: State<Books>) -> Result<Json<Book>, ToolError> {
    let mut books = books.open();
    let book =
        books.iter_mut().find(|book| book.title == title).ok_or("there is no such book on the list")?;
    book.is_read = true;
    Ok(Json(book.clone()))
}

/// The whole list.
#[resource("books://all", mime = "application/json")]
fn all(books: State<Books>) -> Json<Vec<Book>> {
    Json(books.open().clone())
}

/// The server, with an empty list.
pub fn server() -> Server {
    Server::new("reading", "0.1.0")
        .instructions("The books that the user wants to read.")
        .state(Books::default())
        .with(add_book)
        .with(finish_book)
        .with(all)
}
