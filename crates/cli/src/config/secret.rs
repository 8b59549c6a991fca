//! Words of a command that may be secrets.

/// What stands for a secret.
const MASK: &str = "***";

/// What names of secrets have in them.
const NAMES: [&str; 8] = ["key", "token", "secret", "passw", "auth", "credential", "cookie", "bearer"];

/// How tokens of well-known services begin.
const BEGINNINGS: [&str; 8] = ["sk-", "pk-", "ghp_", "gho_", "github_pat_", "glpat-", "xoxb-", "xoxp-"];

/// A command line as people may see it: what looks like a secret is masked. A variable, whose value is elsewhere, is
/// none.
pub(super) fn shown<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let mut shown: Vec<String> = Vec::new();
    let mut value_of_secret = false;
    for word in words {
        let is_flag = word.starts_with('-');
        let (name, value) = word.split_once(['=', ':']).unwrap_or((word, ""));
        let harmless = word.contains("${");
        let masked = if (value_of_secret && !is_flag && !harmless) || begins_like_a_token(word) {
            MASK.to_owned()
        } else if !value.is_empty() && !value.starts_with("//") && names_a_secret(name) && !harmless {
            let mark = word.get(name.len()..=name.len()).unwrap_or_default();
            format!("{name}{mark}{MASK}")
        } else if word.contains("://") {
            hermes::Target::from(word).to_string()
        } else {
            word.to_owned()
        };
        shown.push(masked);
        value_of_secret = is_flag && value.is_empty() && names_a_secret(word);
    }
    shown.join(" ")
}

fn names_a_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    NAMES.iter().any(|part| name.contains(part))
}

fn begins_like_a_token(word: &str) -> bool {
    let value = word.rsplit(['=', ' ']).next().unwrap_or_default();
    BEGINNINGS.iter().any(|beginning| value.starts_with(beginning) && value.len() > beginning.len() + 8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_like_a_secret_is_masked_and_the_rest_is_shown() {
        for (words, seen) in [
            (&["npx", "-y", "server", "/data"][..], "npx -y server /data"),
            (&["x", "--api-key", "s3cret", "more"], "x --api-key *** more"),
            (&["x", "--token=s3cret"], "x --token=***"),
            (&["docker", "-e", "API_KEY=s3cret", "-e", "DEBUG=1"], "docker -e API_KEY=*** -e DEBUG=1"),
            (&["x", "--header", "Authorization: Bearer s3cret"], "x --header Authorization:***"),
            (&["x", "--api-key", "${KEY}", "--token=${T}"], "x --api-key ${KEY} --token=${T}"),
            (&["x", "ghp_0123456789abcdef"], "x ***"),
            (&["x", "https://me:s3cret@example.org/mcp?key=s3cret"], "x https://example.org/mcp"),
            (&["x", "--monkey"], "x --monkey"),
        ] {
            assert_eq!(shown(words.iter().copied()), seen);
        }
    }
}
