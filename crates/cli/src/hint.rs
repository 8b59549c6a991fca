//! What someone may have meant.

/// The longest word that may be a slip, in bytes.
const LONGEST: usize = 100;

/// The candidate that `word` is most likely a slip of, if one is near enough.
///
/// Near means: alike but for letter case, an unfinished beginning, or one changed, missing, extra or swapped
/// letter for every three.
pub(crate) fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if word.len() > LONGEST {
        return None;
    }
    let word = word.to_lowercase();
    candidates
        .into_iter()
        .filter(|candidate| !candidate.is_empty())
        .filter_map(|candidate| Some((distance(&word, &candidate.to_lowercase())?, candidate)))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

fn distance(word: &str, candidate: &str) -> Option<usize> {
    // What it costs grows with the product of the lengths, and nobody mistypes a word of this length.
    if word.len() > LONGEST || candidate.len() > LONGEST {
        return None;
    }
    let distance = strsim::damerau_levenshtein(word, candidate);
    let allowed = (word.chars().count().max(candidate.chars().count()) / 3).max(1);
    let begins = word.chars().count() >= 2 && candidate.starts_with(word);
    (distance <= allowed || begins).then_some(distance)
}

/// A sentence that offers the nearest candidate, or else names them all.
pub(crate) fn offer<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    // What has no name cannot be named.
    let candidates: Vec<&str> = candidates.into_iter().filter(|candidate| !candidate.is_empty()).collect();
    if let Some(near) = nearest(word, candidates.iter().copied()) {
        return Some(format!("did you mean \"{near}\"?"));
    }
    (!candidates.is_empty()).then(|| format!("there is: {}", candidates.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOOLS: [&str; 5] = ["add", "echo", "get-sum", "progress", "sleep"];

    #[test]
    fn a_slip_finds_what_was_meant() {
        for (slip, meant) in
            [("ech", "echo"), ("ehco", "echo"), ("Echo", "echo"), ("slep", "sleep"), ("get_sum", "get-sum")]
        {
            assert_eq!(nearest(slip, TOOLS), Some(meant), "{slip}");
        }
        assert_eq!(nearest("prog", TOOLS), Some("progress"));
    }

    #[test]
    fn a_different_word_finds_nothing() {
        for word in ["", "x", "weather", "subtract"] {
            assert_eq!(nearest(word, TOOLS), None, "{word}");
        }
    }

    #[test]
    fn a_word_that_nobody_types_is_no_slip_however_long_it_is() {
        let long = "e".repeat(20_000_000);
        assert_eq!(nearest(&long, TOOLS), None);
        assert_eq!(nearest("echo", [long.as_str(), "echo"]), Some("echo"));
    }

    #[test]
    fn what_has_no_name_is_not_offered() {
        assert_eq!(nearest("", ["", "a"]), Some("a"));
        assert_eq!(nearest("", [""]), None);
        assert_eq!(offer("x", [""]), None);
        assert_eq!(offer("weather", ["", "a"]).as_deref(), Some("there is: a"));
    }

    #[test]
    fn an_offer_names_one_or_all() {
        assert_eq!(offer("ad", TOOLS).as_deref(), Some("did you mean \"add\"?"));
        assert_eq!(offer("weather", ["a", "b"]).as_deref(), Some("there is: a, b"));
        assert_eq!(offer("weather", []), None);
    }
}
