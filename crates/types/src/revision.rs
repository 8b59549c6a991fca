//! Dated revisions of the protocol, and the two eras they fall into.

use std::fmt;
use std::str::FromStr;

/// One published revision of the Model Context Protocol.
///
/// Revisions are ordered by date, so "has it been there since" is a comparison.
///
/// ```
/// use hermes_types::{Era, Revision};
///
/// assert!(Revision::V2025_06_18 < Revision::V2026_07_28);
/// assert_eq!(Revision::V2025_11_25.as_str(), "2025-11-25");
/// assert_eq!("2026-07-28".parse(), Ok(Revision::V2026_07_28));
/// assert_eq!(Revision::V2026_07_28.era(), Era::Modern);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Revision {
    /// 2024-11-05: stdio and HTTP with two endpoints.
    V2024_11_05,
    /// 2025-03-26: Streamable HTTP, JSON-RPC batches, tool annotations, audio.
    V2025_03_26,
    /// 2025-06-18: structured results, elicitation, titles; batches removed.
    V2025_06_18,
    /// 2025-11-25: icons, URL elicitation, sampling with tools, experimental tasks.
    V2025_11_25,
    /// 2026-07-28: stateless requests, multi-round-trip results, listen streams.
    V2026_07_28,
}

/// The two ways of conversing that the revisions fall into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Era {
    /// Handshake by `initialize`, sessions, requests in both directions (up to 2025-11-25).
    Legacy,
    /// Every request stands alone and names its own revision (from 2026-07-28).
    Modern,
}

impl Revision {
    /// All revisions, oldest first.
    pub const ALL: [Self; 5] =
        [Self::V2024_11_05, Self::V2025_03_26, Self::V2025_06_18, Self::V2025_11_25, Self::V2026_07_28];

    /// The revisions that open with `initialize`, oldest first.
    pub const LEGACY: [Self; 4] =
        [Self::V2024_11_05, Self::V2025_03_26, Self::V2025_06_18, Self::V2025_11_25];

    /// The revisions whose requests stand alone, oldest first.
    pub const MODERN: [Self; 1] = [Self::V2026_07_28];

    /// The newest revision that `initialize` can agree on.
    pub const LATEST_LEGACY: Self = Self::V2025_11_25;

    /// The newest revision.
    pub const LATEST: Self = Self::V2026_07_28;

    /// The date that names this revision on the wire, such as `2025-11-25`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::V2024_11_05 => "2024-11-05",
            Self::V2025_03_26 => "2025-03-26",
            Self::V2025_06_18 => "2025-06-18",
            Self::V2025_11_25 => "2025-11-25",
            Self::V2026_07_28 => "2026-07-28",
        }
    }

    /// The era this revision belongs to.
    #[must_use]
    pub const fn era(self) -> Era {
        match self {
            Self::V2024_11_05 | Self::V2025_03_26 | Self::V2025_06_18 | Self::V2025_11_25 => Era::Legacy,
            Self::V2026_07_28 => Era::Modern,
        }
    }

    /// Whether this revision is stateless (2026-07-28 and later).
    #[must_use]
    pub const fn is_modern(self) -> bool {
        matches!(self.era(), Era::Modern)
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The text names no revision that this library knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownRevision;

impl fmt::Display for UnknownRevision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a known protocol revision")
    }
}

impl std::error::Error for UnknownRevision {}

impl FromStr for Revision {
    type Err = UnknownRevision;

    fn from_str(text: &str) -> Result<Self, UnknownRevision> {
        Self::ALL.into_iter().find(|revision| revision.as_str() == text).ok_or(UnknownRevision)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_revision_reads_back_from_its_date() {
        for revision in Revision::ALL {
            assert_eq!(revision.as_str().parse(), Ok(revision));
        }
        assert_eq!("2024-05-11".parse::<Revision>(), Err(UnknownRevision));
    }

    #[test]
    fn the_eras_split_all_revisions_in_order() {
        let joined: Vec<_> = Revision::LEGACY.into_iter().chain(Revision::MODERN).collect();
        assert_eq!(joined, Revision::ALL);
        assert!(Revision::LEGACY.iter().all(|r| r.era() == Era::Legacy));
        assert!(Revision::MODERN.iter().all(|r| r.era() == Era::Modern));
        assert!(Revision::ALL.is_sorted());
    }
}
