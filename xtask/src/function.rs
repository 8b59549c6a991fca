//! Functions in Rust source, as far as it takes to find the tests among them.

use crate::source::Source;

/// The names of all tests in a file.
pub(crate) fn tests(source: &Source) -> Vec<&str> {
    if !source.has_extension("rs") {
        return Vec::new();
    }
    let lines: Vec<&str> = source.text.lines().map(str::trim_start).collect();
    (0..lines.len()).filter_map(|at| test(&lines, at)).collect()
}

/// The name of the test that the line at `at` starts; lines have no blanks in front.
pub(crate) fn test<'a>(lines: &[&'a str], at: usize) -> Option<&'a str> {
    let above = lines.get(..at)?;
    let is_test = above
        .iter()
        .rev()
        .take_while(|line| is_decoration(line))
        .any(|line| line.starts_with("#[") && (line.ends_with("test]") || line.contains("test(")));
    name(lines.get(at)?).filter(|_| is_test)
}

/// Whether a line is a comment or an attribute: what may stand between a function and a comment on it.
pub(crate) fn is_decoration(line: &str) -> bool {
    line.starts_with("//") || line.starts_with("#[")
}

/// The name of the function that a line starts.
pub(crate) fn name(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("pub ").unwrap_or(line);
    let rest = rest.strip_prefix("async ").unwrap_or(rest).strip_prefix("fn ")?;
    rest.split(['(', '<']).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_is_a_function_with_the_attribute_of_one() {
        let text = "#[test]\nfn first() {}\n\n    #[tokio::test(start_paused = true)]\n    // Why.\n    async fn second() {}\n\n#[must_use]\nfn third() {}\n";
        assert_eq!(tests(&Source { path: "a.rs".into(), text: text.to_owned() }), ["first", "second"]);
        assert_eq!(tests(&Source { path: "a.md".into(), text: text.to_owned() }), [""; 0]);
    }
}
