//! What this server offers: a notebook, to begin with.

use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhow::Context as _;

/// Notes, in the order in which they were kept.
#[derive(Debug, Default)]
pub struct Notebook {
    notes: Mutex<Vec<String>>,
}

/// Keeps notes and finds them again.
#[hermes::server]
impl Notebook {
    /// Keeps a note, and says how many there are.
    #[tool]
    async fn keep(
        &self,
        /** What to keep */
        text: String,
    ) -> usize {
        let mut notes = self.notes();
        notes.push(text);
        notes.len()
    }

    /// Finds the notes that have a word in them.
    #[tool(read_only)]
    async fn find(
        &self,
        /** The word to look for */
        word: String,
    ) -> Result<String, anyhow::Error> {
        let found: Vec<String> = self.notes().iter().filter(|note| note.contains(&word)).cloned().collect();
        anyhow::ensure!(!found.is_empty(), "no note has {word:?} in it");
        Ok(found.join("\n"))
    }

    /// A note by its number, from 1.
    #[resource("note://{number}", mime = "text/plain")]
    async fn note(&self, number: usize) -> Result<String, anyhow::Error> {
        let index = number.checked_sub(1).context("notes are counted from 1")?;
        self.notes().get(index).cloned().with_context(|| format!("there is no note {number}"))
    }

    /// Asks for a summary of all notes.
    #[prompt]
    async fn summary(&self) -> String {
        format!("Sum up these notes in two sentences:\n{}", self.notes().join("\n"))
    }

    fn notes(&self) -> MutexGuard<'_, Vec<String>> {
        // Each change is one step: nothing half done is ever in there.
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
