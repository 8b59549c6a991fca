//! What there is to set.

use super::value::Kind;

/// One thing that can be set, under one name in files, in the environment and as a flag.
///
/// ```
/// use hermes::settings::Key;
///
/// assert_eq!(Key::MaxSessions.name(), "max-sessions");
/// assert_eq!(Key::MaxSessions.variable(), "HERMES_MAX_SESSIONS");
/// assert_eq!(Key::named("max-sessions"), Some(Key::MaxSessions));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Key {
    /// The address and port to serve at.
    Http,
    /// How many sessions there may be.
    MaxSessions,
    /// How many requests may run at once.
    MaxRunning,
    /// How many streams of one session may be read at once.
    MaxStreams,
    /// How many WebSockets may be open at once.
    MaxConnections,
    /// The longest body that is read.
    MaxBody,
    /// After how long without use a session expires.
    SessionIdle,
    /// How long a result waits for a client.
    Retention,
    /// How long a stream waits for a client.
    StreamGrace,
    /// How often a silent stream gives a sign of life.
    KeepAlive,
    /// Which pages may call.
    AllowOrigin,
    /// Under which names the server is reached.
    AllowHost,
    /// Where sessions are kept.
    Store,
    /// Whether clients of the legacy era are served without sessions.
    Stateless,
    /// Whether `/metrics` is served.
    Metrics,
    /// Where the key is that seals what clients carry.
    StateKeyFile,
    /// Where the key before it is.
    PreviousStateKeyFile,
    /// The key that seals what clients carry, in the environment alone.
    StateKey,
    /// The key before it, in the environment alone.
    PreviousStateKey,
}

/// What is known of a key.
struct Row {
    name: &'static str,
    variable: &'static str,
    kind: Kind,
    /// As a file would have it; empty where there is none.
    default: &'static str,
    example: &'static str,
    about: &'static str,
}

impl Key {
    /// All of them, in the order of the pages.
    pub const ALL: [Self; 19] = [
        Self::Http,
        Self::MaxSessions,
        Self::MaxRunning,
        Self::MaxStreams,
        Self::MaxConnections,
        Self::MaxBody,
        Self::SessionIdle,
        Self::Retention,
        Self::StreamGrace,
        Self::KeepAlive,
        Self::AllowOrigin,
        Self::AllowHost,
        Self::Store,
        Self::Stateless,
        Self::Metrics,
        Self::StateKeyFile,
        Self::PreviousStateKeyFile,
        Self::StateKey,
        Self::PreviousStateKey,
    ];

    /// The key of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|key| key.name() == name)
    }

    /// Its name in a file, and as a flag.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// Its name in the environment.
    #[must_use]
    pub const fn variable(self) -> &'static str {
        self.row().variable
    }

    /// What it does, as a help text has it: no full stop at its end.
    #[must_use]
    pub const fn about(self) -> &'static str {
        self.row().about
    }

    /// What is set where nobody says anything, as a file would have it; `None` where that is nothing.
    #[must_use]
    pub const fn default(self) -> Option<&'static str> {
        let default = self.row().default;
        if default.is_empty() { None } else { Some(default) }
    }

    /// An example, as a file has it, or for what is in the environment alone, as that has it.
    #[must_use]
    pub const fn example(self) -> &'static str {
        self.row().example
    }

    /// What kind of value it has.
    #[must_use]
    pub const fn kind(self) -> Kind {
        self.row().kind
    }

    /// Whether it is a secret, which belongs neither into a file with other settings nor into a command line.
    #[must_use]
    pub const fn is_secret(self) -> bool {
        matches!(self.kind(), Kind::Secret)
    }

    /// What it makes no sense beside.
    pub(super) const fn rival(self) -> Option<Self> {
        match self {
            Self::Store => Some(Self::Stateless),
            Self::Stateless => Some(Self::Store),
            Self::StateKey => Some(Self::StateKeyFile),
            Self::StateKeyFile => Some(Self::StateKey),
            Self::PreviousStateKey => Some(Self::PreviousStateKeyFile),
            Self::PreviousStateKeyFile => Some(Self::PreviousStateKey),
            _ => None,
        }
    }

    const fn row(self) -> Row {
        match self {
            Self::Http => Row {
                name: "http",
                variable: "HERMES_HTTP",
                kind: Kind::Address,
                default: "",
                example: "\"127.0.0.1:8000\"",
                about: "Serve over HTTP at this address; port 0 takes any",
            },
            Self::MaxSessions => Row {
                name: "max-sessions",
                variable: "HERMES_MAX_SESSIONS",
                kind: Kind::Count,
                default: "10000",
                example: "500",
                about: "How many sessions there may be",
            },
            Self::MaxRunning => Row {
                name: "max-running",
                variable: "HERMES_MAX_RUNNING",
                kind: Kind::Count,
                default: "10000",
                example: "2000",
                about: "How many requests may run at once, over all clients",
            },
            Self::MaxStreams => Row {
                name: "max-streams",
                variable: "HERMES_MAX_STREAMS",
                kind: Kind::Count,
                default: "1000",
                example: "20",
                about: "How many connections of one session may read streams at once",
            },
            Self::MaxConnections => Row {
                name: "max-connections",
                variable: "HERMES_MAX_CONNECTIONS",
                kind: Kind::Count,
                default: "1000",
                example: "200",
                about: "How many WebSockets may be open at once, and how many streams of HTTP+SSE",
            },
            Self::MaxBody => Row {
                name: "max-body",
                variable: "HERMES_MAX_BODY",
                kind: Kind::Bytes,
                default: "4194304",
                example: "1048576",
                about: "The longest body that is read, in bytes",
            },
            Self::SessionIdle => Row {
                name: "session-idle",
                variable: "HERMES_SESSION_IDLE",
                kind: Kind::Time,
                default: "\"30m\"",
                example: "\"10m\"",
                about: "After how long without use a session expires",
            },
            Self::Retention => Row {
                name: "retention",
                variable: "HERMES_RETENTION",
                kind: Kind::Time,
                default: "\"5m\"",
                example: "\"1h\"",
                about: "How long a result waits for a client that lost its connection",
            },
            Self::StreamGrace => Row {
                name: "stream-grace",
                variable: "HERMES_STREAM_GRACE",
                kind: Kind::Time,
                default: "\"60s\"",
                example: "\"20s\"",
                about: "How long a stream waits for a client that lost its connection before questions on it fail",
            },
            Self::KeepAlive => Row {
                name: "keep-alive",
                variable: "HERMES_KEEP_ALIVE",
                kind: Kind::Time,
                default: "\"15s\"",
                example: "\"5s\"",
                about: "How often a silent stream gives a sign of life",
            },
            Self::AllowOrigin => Row {
                name: "allow-origin",
                variable: "HERMES_ALLOW_ORIGIN",
                kind: Kind::Origins,
                default: "[]",
                example: "[\"https://app.example\"]",
                about: "Let pages of this origin call the server, spelt as browsers do (repeatable)",
            },
            Self::AllowHost => Row {
                name: "allow-host",
                variable: "HERMES_ALLOW_HOST",
                kind: Kind::Hosts,
                default: "[]",
                example: "[\"mcp.example.com\"]",
                about: "A name that the server is reached by (repeatable)",
            },
            Self::Store => Row {
                name: "store",
                variable: "HERMES_STORE",
                kind: Kind::File,
                default: "",
                example: "\"sessions\"",
                about: "Keep sessions in this file, and go on with those that it has kept: a restart is a cut \
                        connection, and no more",
            },
            Self::Stateless => Row {
                name: "stateless",
                variable: "HERMES_STATELESS",
                kind: Kind::Switch,
                default: "false",
                example: "true",
                about: "Serve clients of the legacy era without sessions",
            },
            Self::Metrics => Row {
                name: "metrics",
                variable: "HERMES_METRICS",
                kind: Kind::Switch,
                default: "false",
                example: "true",
                about: "Serve /metrics too, for Prometheus",
            },
            Self::StateKeyFile => Row {
                name: "state-key-file",
                variable: "HERMES_STATE_KEY_FILE",
                kind: Kind::File,
                default: "",
                example: "\"state-key\"",
                about: "A file with the key that seals what clients carry between requests: 32 bytes, or 64 \
                        hexadecimal digits",
            },
            Self::PreviousStateKeyFile => Row {
                name: "previous-state-key-file",
                variable: "HERMES_PREVIOUS_STATE_KEY_FILE",
                kind: Kind::File,
                default: "",
                example: "\"state-key.old\"",
                about: "A file with the key before that, while what it sealed is still about",
            },
            Self::StateKey => Row {
                name: "state-key",
                variable: "HERMES_STATE_KEY",
                kind: Kind::Secret,
                default: "",
                example: "64 hexadecimal digits",
                about: "The key itself, which wins over a file that is said at the same place",
            },
            Self::PreviousStateKey => Row {
                name: "previous-state-key",
                variable: "HERMES_PREVIOUS_STATE_KEY",
                kind: Kind::Secret,
                default: "",
                example: "64 hexadecimal digits",
                about: "The same for the key before that",
            },
        }
    }
}
