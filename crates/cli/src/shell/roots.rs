//! The folders that the server may know of, which may change.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hermes::types::Root;

use super::command::Change;
use crate::exit::{Failure, Result};
use crate::questions::Folder;

/// The roots. All clones are the same.
#[derive(Clone, Debug, Default)]
pub(crate) struct Roots(Arc<Mutex<Vec<Named>>>);

#[derive(Clone, Debug)]
struct Named {
    /// As it was given.
    path: String,
    folder: Folder,
}

impl Roots {
    /// The roots of the command line.
    ///
    /// # Errors
    /// One is no folder.
    pub(crate) fn of<'a>(paths: impl IntoIterator<Item = &'a Path>) -> Result<Self> {
        let roots = Self::default();
        paths.into_iter().try_for_each(|path| roots.add(path))?;
        Ok(roots)
    }

    /// Changes them.
    ///
    /// # Errors
    /// What is to be added is no folder, or what is to be removed is not there.
    pub(crate) fn change(&self, change: &Change) -> Result<()> {
        match change {
            Change::Add(path) => self.add(path).map_err(|failure| {
                // It is not the flag that is wrong.
                let message = failure.to_string();
                Failure::usage(message.strip_prefix("--root ").unwrap_or(&message))
            }),
            Change::Remove(path) => self.remove(path),
        }
    }

    fn add(&self, path: &Path) -> Result<()> {
        let folder = Folder::new(path)?;
        let mut roots = self.lock();
        if roots.iter().all(|root| root.folder != folder) {
            roots.push(Named { path: path.display().to_string(), folder });
        }
        Ok(())
    }

    fn remove(&self, path: &Path) -> Result<()> {
        let path = path.display().to_string();
        let uri = Folder::new(Path::new(&path)).ok().map(|folder| folder.uri);
        let mut roots = self.lock();
        let before = roots.len();
        let is_meant = |root: &Named| {
            root.path == path || root.folder.uri == path || uri.as_ref() == Some(&root.folder.uri)
        };
        roots.retain(|root| !is_meant(root));
        if roots.len() < before { Ok(()) } else { Err(Failure::usage(format!("{path} is no root"))) }
    }

    /// As the user names them.
    pub(crate) fn paths(&self) -> Vec<String> {
        self.lock().iter().map(|root| root.path.clone()).collect()
    }

    /// As the server hears of them.
    pub(crate) fn list(&self) -> Vec<Root> {
        let root = |named: &Named| {
            let mut root = Root::new(&named.folder.uri);
            root.name.clone_from(&named.folder.name);
            root
        };
        self.lock().iter().map(root).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Named>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_are_added_once_and_removed_by_any_of_their_names() -> Result<()> {
        let roots = Roots::of([Path::new("src"), Path::new("./src")])?;
        assert_eq!(roots.paths(), ["src"]);
        assert!(roots.list().iter().all(|root| root.uri.ends_with("/crates/cli/src")));
        roots.change(&Change::Add("tests".into()))?;
        roots.change(&Change::Remove("./src/".into()))?;
        assert_eq!(roots.paths(), ["tests"]);
        assert!(roots.change(&Change::Add("no/such".into())).is_err());
        let failure = roots.change(&Change::Remove("src".into())).expect_err("it is gone");
        assert_eq!(failure.to_string(), "src is no root");
        Ok(())
    }
}
