//! What is written once and sent again and again.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use hermes_types::{Method, Revision};

use crate::registry::Registry;

/// Texts that follow from the settings of a server and what it offers. A clone begins without any.
#[derive(Default)]
pub(crate) struct Written {
    stamp: OnceLock<Box<str>>,
    pages: Mutex<Option<Pages>>,
}

/// The results of lists, by method and revision, as clients get them that see nothing else than this registry.
struct Pages {
    of: Arc<Registry>,
    texts: HashMap<(Method, Revision), Arc<[u8]>>,
}

impl Written {
    /// Who the server is, as a result says it.
    pub(crate) fn stamp(&self, write: impl FnOnce() -> String) -> &str {
        self.stamp.get_or_init(|| write().into())
    }

    /// The result of a list and the end of the response that it stands in, if it can be written.
    pub(crate) fn page(
        &self,
        of: &Arc<Registry>,
        list: (Method, Revision),
        write: impl FnOnce() -> Option<Vec<u8>>,
    ) -> Option<Arc<[u8]>> {
        // Nothing of the author's runs under the lock.
        let mut pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        // A registry is never changed while somebody holds it, so the same one offers the same.
        let pages = match &mut *pages {
            Some(pages) if Arc::ptr_eq(&pages.of, of) => pages,
            other => other.insert(Pages { of: Arc::clone(of), texts: HashMap::new() }),
        };
        if let Some(text) = pages.texts.get(&list) {
            return Some(Arc::clone(text));
        }
        let text: Arc<[u8]> = write()?.into();
        pages.texts.insert(list, Arc::clone(&text));
        Some(text)
    }
}

impl Clone for Written {
    fn clone(&self) -> Self {
        Self::default()
    }
}
