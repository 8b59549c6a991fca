//! One way to tell of an event, so that its name stands first on a line of a log.

/// Tells of an event by its level, its category and its name in the table, with its members in the table's order.
macro_rules! tell {
    ($level:ident $category:ident $name:ident, parent: $parent:expr, $($fields:tt)*) => {
        tracing::event!(
            name: $crate::names::$name,
            target: $crate::names::category::$category,
            parent: $parent,
            tracing::Level::$level,
            { message = $crate::names::$name, $($fields)* }
        )
    };
    ($level:ident $category:ident $name:ident, $($fields:tt)*) => {
        tracing::event!(
            name: $crate::names::$name,
            target: $crate::names::category::$category,
            tracing::Level::$level,
            { message = $crate::names::$name, $($fields)* }
        )
    };
}
pub(crate) use tell;
