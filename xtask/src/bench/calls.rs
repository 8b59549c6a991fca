//! What is measured of calls and lists, and how it should compare.

use super::group::{AS_MANY, Entry, Figures, Group, Line};
use super::programs::Program::{Cli, Floor, Hermes, Rmcp, TypeScript};
use super::report::Limit::{AtLeast, AtMost};

/// One kind of call and another, over HTTP.
pub(super) const CALLS: [Group; 4] = [
    Group {
        title: "`tools/call`, 2026-07-28, JSON, 16 connections",
        load: &["--era", "modern"],
        entries: &[
            Entry::http("bare axum handler", Floor, &[]),
            Entry::http("Hermes", Hermes, &[]),
            Entry::http("`hermes demo`", Cli, &["demo", "--http", "127.0.0.1:0"]),
            Entry::http("rmcp 3.11", Rmcp, &["--json"]),
            Entry::http("rmcp 3.11, table of tools kept", Rmcp, &["--json", "--kept"]),
        ],
        base: 0,
        lines: &[
            line("2026-07-28, JSON: CPU by the bare handler's", Figures::cpu, (1, 0), AtMost(1.35)),
            line("of which user mode", Figures::user, (1, 0), AtMost(2.0)),
            line("calls/s by rmcp's", Figures::rate, (1, 3), AtLeast(3.0)),
            line("`hermes demo` by the measured server: CPU", Figures::cpu, (2, 1), AtMost(1.1)),
        ],
    },
    Group {
        title: "`tools/call`, 2025-11-25, in 16 sessions",
        load: &["--era", "legacy"],
        entries: &[
            Entry::http("bare axum handler, events", Floor, &["--stream"]),
            Entry::http("Hermes, as it comes: JSON", Hermes, &[]),
            Entry::http("Hermes, events", Hermes, &["--stream"]),
            Entry::http("rmcp 3.11, events", Rmcp, &[]),
            Entry::http("rmcp 3.11, events, table of tools kept", Rmcp, &["--kept"]),
        ],
        base: 0,
        lines: &[
            line("session, JSON: CPU by the bare handler's of events", Figures::cpu, (1, 0), AtMost(1.6)),
            line("session, events: the same", Figures::cpu, (2, 0), AtMost(1.6)),
            line("session, JSON: calls/s by rmcp's", Figures::rate, (1, 3), AtLeast(3.0)),
            line("session, events: calls/s by rmcp's", Figures::rate, (2, 3), AtLeast(3.0)),
        ],
    },
    Group {
        title: "`tools/call`, 2026-07-28, JSON, 64 connections",
        load: &["--era", "modern", "--connections", "64"],
        entries: &[
            Entry::http("bare axum handler", Floor, &[]),
            Entry::http("Hermes", Hermes, &[]),
            Entry::http("rmcp 3.11", Rmcp, &["--json"]),
        ],
        base: 0,
        lines: &[line("p99 at 64 connections by the bare handler's", Figures::late, (1, 0), AtMost(1.5))],
    },
    Group {
        title: "the same call on both cores, beside the generator",
        load: &["--era", "modern"],
        entries: &[
            Entry::threads("bare axum handler, 1 worker", Floor, "1"),
            Entry::threads("bare axum handler, 2 workers", Floor, "2"),
            Entry::threads("Hermes, 1 worker", Hermes, "1"),
            Entry::threads("Hermes, 2 workers", Hermes, "2"),
        ],
        base: 2,
        lines: &[line("CPU with two workers by one", Figures::cpu, (3, 2), AtMost(1.1))],
    },
];

/// Many tools.
pub(super) const TOOLS: [Group; 2] = [
    Group {
        title: "`tools/list`, 1,000 tools, 2026-07-28, 4 connections",
        load: &["--era", "modern", "--what", "list", "--connections", "4"],
        entries: &[
            Entry::http("Hermes", Hermes, &["--tools", "1000"]),
            Entry::http("bare axum handler, as many bytes", Floor, &["--bytes", AS_MANY]),
            Entry::http("rmcp 3.11, table of tools kept", Rmcp, &["--json", "--kept", "--tools", "1000"]),
        ],
        base: 1,
        lines: &[line(
            "`tools/list`, 1,000 tools: CPU by the same bytes sent bare",
            Figures::cpu,
            (0, 1),
            AtMost(1.2),
        )],
    },
    Group {
        title: "the same call beside 1,000 tools, 2026-07-28",
        load: &["--era", "modern"],
        entries: &[
            Entry::http("Hermes, 1 tool", Hermes, &["--tools", "1"]),
            Entry::http("Hermes, 1,000 tools", Hermes, &["--tools", "1000"]),
        ],
        base: 0,
        lines: &[line(
            "a call beside 1,000 tools by one beside none: CPU",
            Figures::cpu,
            (1, 0),
            AtMost(1.03),
        )],
    },
];

/// Long texts, there and back.
pub(super) const BIG: [Group; 2] = [
    Group {
        title: "`tools/call` with 1 MB of arguments, 2026-07-28, 4 connections",
        load: &["--era", "modern", "--what", "measure", "--letters", "1000000", "--connections", "4"],
        entries: BIG_ENTRIES,
        base: 0,
        lines: &[line("1 MB of arguments: CPU by rmcp's", Figures::cpu, (2, 3), AtMost(1.0))],
    },
    Group {
        title: "`tools/call` with 1 MB of result, 2026-07-28, 4 connections",
        load: &["--era", "modern", "--what", "fill", "--letters", "1000000", "--connections", "4"],
        entries: BIG_ENTRIES,
        base: 0,
        lines: &[line("1 MB of result: CPU by rmcp's", Figures::cpu, (2, 3), AtMost(1.0))],
    },
];

const BIG_ENTRIES: &[Entry] = &[
    Entry::http("bare axum handler, one pass", Floor, &["--once"]),
    Entry::http("bare axum handler, step by step", Floor, &[]),
    Entry::http("Hermes", Hermes, &[]),
    Entry::http("rmcp 3.11, table of tools kept", Rmcp, &["--json", "--kept"]),
];

/// Lines, so many under way at a time.
pub(super) const LINES: [Group; 2] = [
    Group {
        title: "`tools/call` over stdio, 2025-11-25, 64 under way",
        load: &["--flight", "64"],
        entries: LINES_ENTRIES,
        base: 0,
        lines: &[
            line("stdio, 64 under way: CPU by the bare handler's", Figures::cpu, (1, 0), AtMost(6.0)),
            line("rmcp's CPU by ours", Figures::cpu, (2, 1), AtLeast(6.0)),
            line("TypeScript's CPU by ours", Figures::cpu, (4, 1), AtLeast(2.5)),
        ],
    },
    Group {
        title: "`tools/call` over stdio, 2025-11-25, 1 under way",
        load: &["--flight", "1"],
        entries: LINES_ENTRIES,
        base: 0,
        lines: &[line(
            "stdio, one at a time: p50 by the bare handler's",
            Figures::middle,
            (1, 0),
            AtMost(1.2),
        )],
    },
];

const LINES_ENTRIES: &[Entry] = &[
    Entry::lines("bare tokio handler of lines", Floor, &["--stdio"]),
    Entry::lines("Hermes", Hermes, &["--stdio"]),
    Entry::lines("rmcp 3.11", Rmcp, &["--stdio"]),
    Entry::lines("rmcp 3.11, table of tools kept", Rmcp, &["--stdio", "--kept"]),
    Entry::lines("TypeScript SDK 1.32", TypeScript, &[]),
];

/// A target: what, of whom and by whom, and how it may be.
const fn line(
    what: &'static str,
    figure: fn(&Figures) -> f64,
    (of, by): (usize, usize),
    limit: super::report::Limit,
) -> Line {
    Line { what, figure, of, by, limit }
}
