//! Words of a command that may be secrets.

/// What stands for a secret.
const MASK: &str = "***";

/// What names of secrets have in them.
const NAMES: [&str; 12] = [
    "key",
    "token",
    "secret",
    "pass",
    "pwd",
    "auth",
    "credential",
    "cookie",
    "bearer",
    "private",
    "signature",
    "dsn",
];

/// How tokens of well-known services begin.
const BEGINNINGS: [&str; 24] = [
    "sk-",
    "pk-",
    "sk_",
    "rk_",
    "ghp_",
    "gho_",
    "ghs_",
    "ghu_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "xoxb-",
    "xoxp-",
    "xoxa-",
    "xapp-",
    "hf_",
    "npm_",
    "pypi-",
    "dckr_pat_",
    "AKIA",
    "AIza",
    "ya29.",
    "eyJ",
    "dop_v1_",
];

/// Flags before a header of HTTP. Whatever its value is, it was not meant for everybody.
const HEADERS: [&str; 3] = ["--header", "--headers", "-H"];

/// A command line as people may see it: what looks like a secret is masked. A variable, whose value is elsewhere, is
/// none.
pub(crate) fn shown<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let mut shown: Vec<String> = Vec::new();
    let mut next = Next::Whatever;
    for word in words {
        let (masked, after) = one(word, next);
        shown.push(masked);
        next = after;
    }
    shown.join(" ")
}

/// What a word says of the one after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    Whatever,
    Secret,
    Header,
}

/// A word as people may see it, and what it says of the next one.
fn one(word: &str, is: Next) -> (String, Next) {
    let is_flag = word.starts_with('-');
    let (name, value) = word.split_once(['=', ':']).unwrap_or((word, ""));
    // A default of a variable is a value like any other.
    let harmless = word.contains("${") && !word.contains(":-");
    let names_one = !name.contains(char::is_whitespace) && (names_a_secret(name) || is == Next::Header);
    let masked = if harmless {
        word.to_owned()
    } else if (is == Next::Secret && !is_flag) || begins_like_a_token(word) {
        MASK.to_owned()
    } else if !value.is_empty() && !value.starts_with("//") && names_one {
        let mark = word.get(name.len()..=name.len()).unwrap_or_default();
        format!("{name}{mark}{MASK}")
    } else if word.trim().contains(char::is_whitespace) {
        // The words of a command for another shell.
        shown(word.split_whitespace())
    } else if word.contains("://") {
        hermes::Target::from(word).to_string()
    } else {
        word.to_owned()
    };
    let next = if HEADERS.contains(&word) {
        Next::Header
    } else if (is_flag && value.is_empty() && names_a_secret(word)) || is_scheme(word) {
        Next::Secret
    } else {
        Next::Whatever
    };
    (masked, next)
}

/// Whether a word says how one proves who one is.
fn is_scheme(word: &str) -> bool {
    word.eq_ignore_ascii_case("bearer") || word.eq_ignore_ascii_case("basic")
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
            (&["x", "--url=https://me:s3cret@example.org/mcp?key=s3cret"], "x --url=https://example.org/mcp"),
            (&["x", "postgres://me:s3cret@db.example/x"], "x postgres://db.example/x"),
            (&["sh", "-c", "exec x --token s3cret --port=1"], "sh -c exec x --token *** --port=1"),
            (&["sh", "-c", "API_KEY=s3cret exec x"], "sh -c API_KEY=***"),
            (&["x", "-H", "X-Own: s3cret", "more"], "x -H X-Own:*** more"),
            (&["curl", "Bearer", "s3cret"], "curl Bearer ***"),
            (&["x", "--api-key=${KEY:-s3cret}"], "x --api-key=***"),
            (&["x", "--db-password", "s3cret", "--pwd=s3cret"], "x --db-password *** --pwd=***"),
            (&["x", "--path=/data", "--pattern", "*.rs"], "x --path=/data --pattern *.rs"),
            (&["x", "{\"apiKey\":\"s3cret\"}"], "x {\"apiKey\":***"),
            (&["x", "--api-key", ""], "x --api-key ***"),
        ] {
            assert_eq!(shown(words.iter().copied()), seen);
        }
    }
}
