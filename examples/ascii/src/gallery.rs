//! What was drawn, and who is told of it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use schemars::JsonSchema;
use serde::Serialize;
use tokio::sync::broadcast;

/// How many banners are kept.
const KEPT: usize = 100;

#[derive(Clone, Debug, JsonSchema, Serialize)]
pub(crate) struct Banner {
    pub(crate) number: u64,
    pub(crate) text: String,
    pub(crate) art: String,
}

#[derive(Default)]
struct Hung {
    /// All that were ever drawn.
    count: u64,
    banners: VecDeque<Banner>,
}

/// The last banners. Clones are the same gallery: the tools have one, the pages another.
#[derive(Clone)]
pub(crate) struct Gallery(Arc<Inner>);

struct Inner {
    hung: Mutex<Hung>,
    news: broadcast::Sender<Banner>,
}

impl Gallery {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Inner { hung: Mutex::default(), news: broadcast::channel(KEPT).0 }))
    }

    /// Hangs a banner, and tells every page that is open.
    pub(crate) fn hang(&self, text: String, art: String) -> Banner {
        let mut hung = self.hung();
        hung.count += 1;
        let banner = Banner { number: hung.count, text, art };
        hung.banners.push_back(banner.clone());
        if hung.banners.len() > KEPT {
            hung.banners.pop_front();
        }
        // No page may be open, which is no error. Told under the lock, so that nobody misses or sees it twice.
        drop(self.0.news.send(banner.clone()));
        banner
    }

    /// What hangs now, and everything that comes after it.
    pub(crate) fn visit(&self) -> (Vec<Banner>, broadcast::Receiver<Banner>) {
        let hung = self.hung();
        (hung.banners.iter().cloned().collect(), self.0.news.subscribe())
    }

    fn hung(&self) -> MutexGuard<'_, Hung> {
        self.0.hung.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
