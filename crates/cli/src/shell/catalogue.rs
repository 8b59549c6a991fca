//! What the server offers, as far as it is known.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hermes::types::{
    CompleteRequestParams, CompletionContext, CompletionReference, Prompt, Resource, ResourceTemplate,
    ServerCapabilities, Tool,
};
use hermes::{Client, ClientError, Listing, News, Notice};

/// How long somebody who wants a word completed waits for the server.
const PATIENCE: Duration = Duration::from_secs(2);

/// The lists of a server. All clones are the same.
#[derive(Clone, Debug, Default)]
pub(crate) struct Catalogue(Arc<Mutex<Known>>);

#[derive(Debug, Default)]
struct Known {
    client: Option<Client>,
    /// How often a list was forgotten, so that an older answer is not taken for a newer one.
    age: u64,
    tools: Option<Arc<[Tool]>>,
    resources: Option<Arc<[Resource]>>,
    templates: Option<Arc<[ResourceTemplate]>>,
    prompts: Option<Arc<[Prompt]>>,
    /// What is subscribed to.
    watched: BTreeSet<String>,
    /// Of which lists it was told, since the last command, that they have changed.
    told: BTreeSet<String>,
}

/// A list that is kept until the server says that it has changed.
macro_rules! list {
    ($name:ident, $list_all:ident, $Entry:ty, $declared:expr) => {
        #[doc = concat!("The ", stringify!($name), " of the server.")]
        ///
        /// # Errors
        /// The server does not say.
        ///
        /// # Cancel safety
        /// The request is taken back.
        pub(crate) async fn $name(&self) -> Result<Arc<[$Entry]>, ClientError> {
            let (client, age) = {
                let known = self.lock();
                if let Some(list) = &known.$name {
                    return Ok(Arc::clone(list));
                }
                let Some(client) = known.client.clone() else { return Ok(Arc::new([])) };
                (client, known.age)
            };
            let listed: Listing<$Entry> = client.$list_all().await?;
            let list: Arc<[$Entry]> = listed.values().cloned().collect();
            let tells: fn(&ServerCapabilities) -> Option<bool> = $declared;
            let mut known = self.lock();
            if known.age == age && tells(&client.capabilities()) == Some(true) {
                known.$name = Some(Arc::clone(&list));
            }
            Ok(list)
        }
    };
}

impl Catalogue {
    list!(tools, list_all_tools, Tool, |it| it.tools.as_ref()?.list_changed);
    list!(resources, list_all_resources, Resource, |it| it.resources.as_ref()?.list_changed);
    list!(templates, list_all_resource_templates, ResourceTemplate, |it| it.resources.as_ref()?.list_changed);
    list!(prompts, list_all_prompts, Prompt, |it| it.prompts.as_ref()?.list_changed);

    /// Turns to another server, or to none.
    pub(crate) fn turn_to(&self, client: Option<Client>) {
        let mut known = self.lock();
        *known = Known {
            client,
            age: known.age + 1,
            watched: std::mem::take(&mut known.watched),
            ..Known::default()
        };
    }

    /// Forgets what a notification says is not so any more.
    pub(crate) fn hear(&self, notice: &Notice) {
        let news = notice.news();
        if matches!(news, News::ToolsChanged | News::ResourcesChanged | News::PromptsChanged) {
            let mut known = self.lock();
            known.age += 1;
            match news {
                News::ToolsChanged => known.tools = None,
                News::PromptsChanged => known.prompts = None,
                _ => (known.resources, known.templates) = (None, None),
            }
        }
    }

    /// Whether this is worth telling: that a list has changed is so once between two commands, however often a server says it.
    pub(crate) fn is_news(&self, notice: &Notice) -> bool {
        match notice.news() {
            News::ToolsChanged | News::ResourcesChanged | News::PromptsChanged => {
                self.lock().told.insert(notice.method.clone())
            }
            _ => true,
        }
    }

    /// A command was given: whatever changes from now on is news.
    pub(crate) fn begin(&self) {
        self.lock().told.clear();
    }

    /// Forgets everything: changes may have gone unheard.
    pub(crate) fn forget(&self) {
        let client = self.lock().client.clone();
        self.turn_to(client);
    }

    /// Notes what is subscribed to.
    pub(crate) fn watch(&self, watched: BTreeSet<String>) {
        self.lock().watched = watched;
    }

    /// What is subscribed to.
    pub(crate) fn watched(&self) -> BTreeSet<String> {
        self.lock().watched.clone()
    }

    /// What the server says that an argument may be; nothing if it does not say so in time.
    ///
    /// # Cancel safety
    /// The request is taken back.
    pub(crate) async fn values(
        &self,
        of: CompletionReference,
        name: &str,
        typed: &str,
        others: BTreeMap<String, String>,
    ) -> Vec<String> {
        let Some(client) = self.lock().client.clone() else { return Vec::new() };
        if client.capabilities().completions.is_none() {
            return Vec::new();
        }
        let mut params = CompleteRequestParams::new(of, name, typed);
        if !others.is_empty() {
            params.context =
                Some(CompletionContext { arguments: Some(others), ..CompletionContext::default() });
        }
        match client.complete(&params).timeout(PATIENCE).await {
            Ok(result) => result.into_value().completion.values,
            Err(_) => Vec::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a completion waits for, at most.
///
/// # Cancel safety
/// As what is awaited.
pub(crate) async fn in_time<T: Default>(what: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, what).await.unwrap_or_default()
}
