//! The decision table, row by row.
