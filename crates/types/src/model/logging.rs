//! Log messages from a server.

use std::cmp::Ordering;

use crate::wire::Extra;
use crate::{Meta, RawJson};

words! {
    /// How severe a log message is; the levels of RFC 5424.
    ///
    /// Levels compare by severity. A word that is none of the eight decodes, so that the receiver of a
    /// message can still show it and the receiver of a request can refuse it by name; it compares with
    /// nothing but itself.
    ///
    /// ```
    /// use hermes_types::LoggingLevel;
    ///
    /// assert!(LoggingLevel::Error > LoggingLevel::Info);
    /// assert!(!LoggingLevel::from("loud").is_known());
    /// ```
    ///
    /// Source: `server/utilities/logging#log-levels`, 2026-07-28.
    pub enum LoggingLevel {
        /// Details for finding faults.
        Debug = "debug",
        /// What goes on.
        Info = "info",
        /// Normal but worth a look.
        Notice = "notice",
        /// Something may be wrong.
        Warning = "warning",
        /// Something failed.
        Error = "error",
        /// Something important failed.
        Critical = "critical",
        /// Somebody has to act at once.
        Alert = "alert",
        /// Nothing works.
        Emergency = "emergency",
    }
}

impl LoggingLevel {
    /// How severe it is, from 0 (`debug`) to 7 (`emergency`); nothing for an unknown word.
    #[must_use]
    pub fn severity(&self) -> Option<u8> {
        (0..).zip(Self::KNOWN).find(|(_, level)| *level == self).map(|(severity, _)| severity)
    }

    /// Whether it is one of the eight.
    #[must_use]
    pub const fn is_known(&self) -> bool {
        !matches!(self, Self::Other(_))
    }

    /// Finds the level with this name; nothing for an unknown word.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Some(Self::from(name)).filter(Self::is_known)
    }
}

impl PartialOrd for LoggingLevel {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        match (self.severity(), other.severity()) {
            (Some(a), Some(b)) => a.partial_cmp(&b),
            _ => (self == other).then_some(Ordering::Equal),
        }
    }
}

wire! {
    /// The parameters of `logging/setLevel`.
    ///
    /// Source: `server/utilities/logging#setting-log-level`, 2025-11-25.
    pub struct SetLevelRequestParams until V2025_11_25 {
        /// The least severe level to be sent. Check [`LoggingLevel::is_known`] before use.
        level: LoggingLevel = "level";
        /// About the message.
        meta: Option<Meta> = "_meta";
    }
}

impl SetLevelRequestParams {
    /// Asks for messages from this level on.
    #[must_use]
    pub const fn new(level: LoggingLevel) -> Self {
        Self { level, meta: None, extra: Extra::new() }
    }
}

wire! {
    /// The parameters of `notifications/message`.
    ///
    /// Source: `server/utilities/logging#log-message-notifications`, 2026-07-28.
    pub struct LoggingMessageNotificationParams {
        /// How severe it is.
        level: LoggingLevel = "level";
        /// The part of the server that says it.
        logger: Option<String> = "logger";
        /// What it says: a text or any other JSON.
        data: RawJson = "data", or RawJson::null();
        /// About the message.
        meta: Option<Meta> = "_meta";
    }
}

impl LoggingMessageNotificationParams {
    /// A message.
    #[must_use]
    pub const fn new(level: LoggingLevel, data: RawJson) -> Self {
        Self { level, logger: None, data, meta: None, extra: Extra::new() }
    }
}

setters! { LoggingMessageNotificationParams {
    /// Names the part of the server that says it.
    with_logger => logger: String;
    /// Sets what the message says about itself.
    with_meta => meta: Meta;
} }
