//! What can be asked of the database.
//!
//! Three things keep it safe: it is opened for reading alone; what a model says is bound as a value and never becomes a
//! part of a statement; and what has to be a part of one, such as a column, is chosen from an enum.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Context as _;
use rusqlite::{Connection, OpenFlags, OptionalExtension as _, Row, named_params};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How many steps of its virtual machine a statement may take: some seconds. Then it is interrupted.
const STEPS: i32 = 50_000_000;

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Status {
    Open,
    Paid,
    Shipped,
}

impl Status {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Paid => "paid",
            Self::Shipped => "shipped",
        }
    }
}

/// A column that orders can be put together by.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Column {
    Customer,
    Status,
}

impl Column {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Customer => "customer",
            Self::Status => "status",
        }
    }
}

#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct Order {
    number: i64,
    customer: String,
    status: String,
    /// In cents.
    amount: i64,
}

#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct Group {
    name: String,
    orders: i64,
    /// In cents.
    amount: i64,
}

#[derive(Debug)]
pub(crate) struct Filter {
    pub(crate) status: Option<Status>,
    pub(crate) customer: Option<String>,
    pub(crate) at_least: Option<i64>,
    pub(crate) limit: u32,
}

/// A database that is only read. It has one connection, which serves one call at a time.
pub(crate) struct Database(Arc<Mutex<Connection>>);

impl Database {
    pub(crate) fn open(path: &Path) -> rusqlite::Result<Self> {
        let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        Ok(Self(Arc::new(Mutex::new(connection))))
    }

    /// Asks the database, on a thread where waiting harms nobody.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        ask: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> anyhow::Result<T> {
        let connection = Arc::clone(&self.0);
        let asked = tokio::task::spawn_blocking(move || {
            let connection = connection.lock().unwrap_or_else(PoisonError::into_inner);
            connection.progress_handler(STEPS, Some(|| true));
            ask(&connection)
        });
        // The model is not told what the database says of itself: that goes to who runs the server.
        asked
            .await?
            .inspect_err(|error| tracing::error!(%error, "the database"))
            .context("the database cannot be asked now")
    }
}

pub(crate) fn orders(connection: &Connection, filter: &Filter) -> rusqlite::Result<Vec<Order>> {
    let mut statement = connection.prepare(
        "SELECT number, customer, status, amount FROM orders
         WHERE (:status IS NULL OR status = :status)
           AND (:customer IS NULL OR instr(lower(customer), lower(:customer)) > 0)
           AND (:at_least IS NULL OR amount >= :at_least)
         ORDER BY number DESC LIMIT :limit",
    )?;
    let values = named_params! {
        ":status": filter.status.map(Status::as_str),
        ":customer": filter.customer,
        ":at_least": filter.at_least,
        ":limit": filter.limit,
    };
    statement.query_map(values, read)?.collect()
}

pub(crate) fn order(connection: &Connection, number: i64) -> rusqlite::Result<Option<Order>> {
    let statement = "SELECT number, customer, status, amount FROM orders WHERE number = ?1";
    connection.query_row(statement, [number], read).optional()
}

pub(crate) fn totals(connection: &Connection, by: Column) -> rusqlite::Result<Vec<Group>> {
    let column = by.as_str();
    let statement =
        format!("SELECT {column}, count(*), sum(amount) FROM orders GROUP BY {column} ORDER BY {column}");
    let group = |row: &Row<'_>| Ok(Group { name: row.get(0)?, orders: row.get(1)?, amount: row.get(2)? });
    connection.prepare(&statement)?.query_map([], group)?.collect()
}

fn read(row: &Row<'_>) -> rusqlite::Result<Order> {
    Ok(Order { number: row.get(0)?, customer: row.get(1)?, status: row.get(2)?, amount: row.get(3)? })
}

/// Makes a database to try the server with.
pub(crate) fn fill(path: &Path) -> anyhow::Result<()> {
    let mut connection = Connection::open(path)?;
    let transaction = connection.transaction()?;
    transaction.execute_batch(
        "CREATE TABLE orders (
             number INTEGER PRIMARY KEY,
             customer TEXT NOT NULL,
             status TEXT NOT NULL CHECK (status IN ('open', 'paid', 'shipped')),
             amount INTEGER NOT NULL
         )",
    )?;
    for (customer, status, amount) in [
        ("Ada Byron", Status::Shipped, 2_500),
        ("Grace Hopper", Status::Paid, 12_000),
        ("Ada Byron", Status::Open, 900),
        ("Robert'); DROP TABLE orders;--", Status::Open, 100),
    ] {
        let statement = "INSERT INTO orders (customer, status, amount) VALUES (?1, ?2, ?3)";
        transaction.execute(statement, (customer, status.as_str(), amount))?;
    }
    Ok(transaction.commit()?)
}
