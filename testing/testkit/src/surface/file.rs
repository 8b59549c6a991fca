//! Surfaces kept in files.

use std::path::Path;
use std::{env, fs};

use super::read::Surface;

/// The variable that says what becomes of a surface that is not the one in its file.
const VARIABLE: &str = "HERMES_SURFACE";
/// Its value that lets the file be written.
const WRITE: &str = "write";

impl Surface {
    /// Compares with the surface in a file, which lies relative to the package's folder when `cargo test` runs the test.
    /// With `HERMES_SURFACE=write` in the environment the file is written instead.
    ///
    /// # Panics
    /// The file is not there, or says something else: then every difference is named.
    #[track_caller]
    pub fn assert_file(&self, path: impl AsRef<Path>) {
        let is_written = env::var_os(VARIABLE).is_some_and(|value| value == WRITE);
        let outcome = if is_written { self.write(path.as_ref()) } else { self.compare(path.as_ref()) };
        if let Err(message) = outcome {
            panic!("{message}");
        }
    }

    fn write(&self, path: &Path) -> Result<(), String> {
        fs::write(path, format!("{self}\n"))
            .map_err(|error| format!("{} could not be written: {error}", path.display()))
    }

    /// # Errors
    /// What is different, and what to do.
    fn compare(&self, path: &Path) -> Result<(), String> {
        let advice = format!("{VARIABLE}={WRITE} cargo test writes it anew");
        let place = path.display();
        let text = fs::read_to_string(path).map_err(|error| format!("{place}: {error}; {advice}"))?;
        let kept = Self::parse(&text).map_err(|error| format!("{place} is no surface: {error}; {advice}"))?;
        let differences: Vec<String> = kept.differences(self).iter().map(ToString::to_string).collect();
        if differences.is_empty() {
            return Ok(());
        }
        Err(format!("the server shows something else than {place}; {advice}\n{}", differences.join("\n")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Outcome = Result<(), Box<dyn std::error::Error>>;

    /// A file of its own for one test.
    fn file(name: &str) -> std::path::PathBuf {
        env::temp_dir().join(format!("hermes-surface-{}-{name}.json", std::process::id()))
    }

    #[test]
    fn what_was_written_is_found_equal() -> Outcome {
        let (surface, path) = (Surface::parse(r#"{"tools":{"add":{}}}"#)?, file("equal"));
        surface.write(&path)?;
        let text = fs::read_to_string(&path)?;
        let outcome = surface.compare(&path);
        fs::remove_file(&path)?;
        assert_eq!(outcome, Ok(()));
        assert_eq!(text, "{\n  \"tools\": {\n    \"add\": {}\n  }\n}\n");
        Ok(())
    }

    #[test]
    fn what_is_different_is_named_with_what_to_do() -> Outcome {
        let path = file("different");
        Surface::parse(r#"{"tools":{"add":{}}}"#)?.write(&path)?;
        let outcome = Surface::parse(r#"{"tools":{"sum":{}}}"#)?.compare(&path);
        fs::remove_file(&path)?;
        let expected = format!(
            "the server shows something else than {}; HERMES_SURFACE=write cargo test writes it anew\n- tools / add: {{}}\n+ tools / sum: {{}}",
            path.display()
        );
        assert_eq!(outcome, Err(expected));
        Ok(())
    }

    #[test]
    fn a_file_that_is_not_there_is_no_empty_surface() -> Outcome {
        let outcome = Surface::parse("{}")?.compare(&file("missing"));
        assert!(outcome.is_err_and(|message| message.ends_with("cargo test writes it anew")));
        Ok(())
    }
}
