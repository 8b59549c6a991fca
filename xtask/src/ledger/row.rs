//! One rule: its number, who must keep it, how strictly, and in which revisions.

use std::fmt;
use std::str::FromStr;

use serde::Deserialize;

use crate::error::Error;

/// The number of a rule: `R` and three digits. It never changes and is never given to another rule.
///
/// ```
/// use xtask::ledger::Number;
///
/// assert!("R085".parse::<Number>().is_ok_and(|number| number.to_string() == "R085"));
/// assert!("R85".parse::<Number>().is_err());
/// ```
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd)]
#[serde(try_from = "String")]
pub struct Number(u16);

impl Number {
    /// The number before this one, if there is one.
    pub(crate) fn before(self) -> Option<Self> {
        self.0.checked_sub(1).filter(|number| *number > 0).map(Self)
    }
}

impl FromStr for Number {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        text.strip_prefix('R')
            .filter(|digits| digits.len() == 3 && digits.bytes().all(|digit| digit.is_ascii_digit()))
            .and_then(|digits| digits.parse().ok())
            .filter(|number| *number > 0)
            .map(Self)
            .ok_or_else(|| Error::RowNumber(text.to_owned()))
    }
}

impl TryFrom<String> for Number {
    type Error = Error;

    fn try_from(text: String) -> Result<Self, Error> {
        text.parse()
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "R{:03}", self.0)
    }
}

/// Who has to keep a rule.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Side {
    /// Servers.
    Server,
    /// Clients, and hosts that contain them.
    Client,
    /// Servers and clients.
    Both,
    /// What stands between them and reads along.
    Intermediary,
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Server => "server",
            Self::Client => "client",
            Self::Both => "both",
            Self::Intermediary => "intermediary",
        })
    }
}

/// How strictly the specification asks for it. The rule's words say what shall hold, also under the two negative levels.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) enum Level {
    /// MUST.
    #[serde(rename = "must")]
    Must,
    /// MUST NOT.
    #[serde(rename = "must not")]
    MustNot,
    /// SHOULD.
    #[serde(rename = "should")]
    Should,
    /// SHOULD NOT.
    #[serde(rename = "should not")]
    ShouldNot,
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Must => "must",
            Self::MustNot => "must not",
            Self::Should => "should",
            Self::ShouldNot => "should not",
        })
    }
}

/// The published revisions, oldest first.
const REVISIONS: [&str; 5] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];

/// The revisions that have a rule: `all`, `legacy` (all but the newest), one revision, or two with `..` between them, of
/// which the second may be left out.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq)]
#[serde(try_from = "String")]
pub(crate) struct Span(String);

impl TryFrom<String> for Span {
    type Error = Error;

    fn try_from(text: String) -> Result<Self, Error> {
        let place = |name: &str| REVISIONS.iter().position(|revision| *revision == name);
        let good = match text.split_once("..") {
            Some((first, "")) => place(first).is_some_and(|first| first + 1 < REVISIONS.len()),
            Some((first, last)) => place(first).zip(place(last)).is_some_and(|(first, last)| first < last),
            None => ["all", "legacy"].contains(&text.as_str()) || place(&text).is_some(),
        };
        if good { Ok(Self(text)) } else { Err(Error::Span(text)) }
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// One rule of the specification, in the project's own words.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq)]
#[serde(deny_unknown_fields)]
pub(crate) struct Row {
    /// Who has to keep it.
    pub(crate) side: Side,
    /// How strictly.
    pub(crate) level: Level,
    /// In which revisions.
    pub(crate) revisions: Span,
    /// What shall hold.
    pub(crate) rule: String,
    /// Why no test shows it; none when one does.
    pub(crate) because: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_an_r_and_three_digits() {
        assert_eq!("R085".parse::<Number>().unwrap().to_string(), "R085");
        for bad in ["R85", "R0085", "r085", "R08a", "085", "R000", "R-12", "R+12", ""] {
            assert!(bad.parse::<Number>().is_err(), "{bad:?}");
        }
    }

    #[test]
    fn the_first_number_has_none_before_it() {
        let number = |text: &str| text.parse::<Number>().unwrap();
        assert_eq!(number("R002").before(), Some(number("R001")));
        assert_eq!(number("R001").before(), None);
    }

    #[test]
    fn a_span_names_published_revisions_in_their_order() {
        for good in ["all", "legacy", "2025-06-18", "2025-06-18..", "2025-03-26..2025-11-25"] {
            assert_eq!(Span::try_from(good.to_owned()).unwrap().to_string(), good);
        }
        for bad in ["", "modern", "2025-01-01", "2026-07-28..", "2025-11-25..2025-03-26", "..2025-11-25"] {
            assert!(Span::try_from(bad.to_owned()).is_err(), "{bad:?}");
        }
    }
}
