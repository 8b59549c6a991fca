//! Later in this file.
