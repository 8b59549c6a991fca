//! All tables of the model in one list, and the page that is printed from it.

use std::fmt::Write as _;

use crate::wire::{Member, Table};
use crate::{Revision, model};

/// The table of one type.
#[derive(Clone, Copy, Debug)]
pub struct TypeTable {
    /// The name of the type.
    pub name: &'static str,
    /// The first revision that has it.
    pub since: Revision,
    /// The last revision that has it.
    pub until: Revision,
    /// The constant member that tells it from others, and its value.
    pub tag: Option<(&'static str, &'static str)>,
    /// Its members and the revisions that have them.
    pub members: &'static [Member],
}

impl TypeTable {
    /// The table of a type.
    #[must_use]
    pub const fn of<T: Table>() -> Self {
        Self { name: T::NAME, since: T::SINCE, until: T::UNTIL, tag: T::TAG, members: T::MEMBERS }
    }

    /// Whether a revision has the type.
    #[must_use]
    pub fn has(&self, revision: Revision) -> bool {
        (self.since..=self.until).contains(&revision)
    }

    /// The names of the members that a revision has, without the constant one.
    pub fn members_of(&self, revision: Revision) -> impl Iterator<Item = &'static str> {
        let here = move |member: &&Member| (member.since..=member.until).contains(&revision);
        self.members.iter().filter(move |member| self.has(revision) && here(member)).map(|member| member.name)
    }
}

macro_rules! tables {
    ($($Name:ident,)*) => {
        /// The tables of all types of the model, by name.
        pub const TABLES: &[TypeTable] = &[$(TypeTable::of::<model::$Name>(),)*];
    };
}

tables! {
    Annotations,
    AnyResult,
    AudioContent,
    BlobResourceContents,
    BooleanSchema,
    CallToolRequestParams,
    CallToolResult,
    CancelledNotificationParams,
    ClientCapabilities,
    ClientTaskRequests,
    ClientTasksCapability,
    CompleteRequestParams,
    CompleteResult,
    Completion,
    CompletionArgument,
    CompletionContext,
    CreateMessageRequestParams,
    CreateMessageResult,
    CreateTaskResult,
    DiscoverResult,
    ElicitRequestFormParams,
    ElicitRequestUrlParams,
    ElicitResult,
    ElicitSchema,
    ElicitationCapability,
    ElicitationCompleteNotificationParams,
    ElicitationTaskRequests,
    EmbeddedResource,
    EmptyResult,
    EnumOption,
    GetPromptRequestParams,
    GetPromptResult,
    GetTaskRequestParams,
    Icon,
    ImageContent,
    Implementation,
    InitializeRequestParams,
    InitializeResult,
    InputRequest,
    InputRequiredResult,
    LegacyTitledEnumSchema,
    ListPromptsResult,
    ListResourceTemplatesResult,
    ListResourcesResult,
    ListRootsResult,
    ListTasksResult,
    ListToolsResult,
    LoggingMessageNotificationParams,
    Meta,
    MissingRequiredClientCapabilityData,
    ModelHint,
    ModelPreferences,
    NotificationParams,
    NumberSchema,
    PaginatedRequestParams,
    ProgressNotificationParams,
    Prompt,
    PromptArgument,
    PromptMessage,
    PromptReference,
    PromptsCapability,
    ReadResourceRequestParams,
    ReadResourceResult,
    RelatedTaskMetadata,
    RequestParams,
    Resource,
    ResourceLink,
    ResourceNotFoundData,
    ResourceTemplate,
    ResourceTemplateReference,
    ResourceUpdatedNotificationParams,
    ResourcesCapability,
    Root,
    RootsCapability,
    SamplingCapability,
    SamplingMessage,
    SamplingTaskRequests,
    ServerCapabilities,
    ServerTaskRequests,
    ServerTasksCapability,
    SetLevelRequestParams,
    StringSchema,
    SubscribeRequestParams,
    SubscriptionFilter,
    SubscriptionsAcknowledgedNotificationParams,
    SubscriptionsListenRequestParams,
    SubscriptionsListenResult,
    Task,
    TaskMetadata,
    TaskResult,
    TaskStatusNotificationParams,
    TextContent,
    TextResourceContents,
    TitledItems,
    TitledMultiSelectEnumSchema,
    TitledSingleSelectEnumSchema,
    Tool,
    ToolAnnotations,
    ToolChoice,
    ToolExecution,
    ToolResultContent,
    ToolTaskRequests,
    ToolUseContent,
    ToolsCapability,
    UnsupportedProtocolVersionData,
    UntitledItems,
    UntitledMultiSelectEnumSchema,
    UntitledSingleSelectEnumSchema,
    UpdateTaskRequestParams,
    UrlElicitationRequiredData,
}

/// All tables as a page in Markdown: a row per member, a column per revision.
#[must_use]
pub fn markdown() -> String {
    let mut page = String::from(HEAD);
    for table in TABLES {
        // Writing to a `String` cannot fail.
        let _ = write!(page, "\n## {}\n\n", table.name);
        let _ = writeln!(page, "| Member |{}", cells(|revision| revision.as_str()));
        let _ = writeln!(page, "| --- |{}", cells(|_| "---"));
        if let Some((tag, kind)) = table.tag {
            let _ = writeln!(page, "| `{tag}` = `{kind}` |{}", cells(|revision| mark(table.has(revision))));
        }
        for member in table.members {
            let here = |revision| table.members_of(revision).any(|name| name == member.name);
            let _ = writeln!(page, "| `{}` |{}", member.name, cells(|revision| mark(here(revision))));
        }
    }
    page
}

const HEAD: &str = "\
# Which revision has which member

Printed from the tables in `crates/types/src/model`; a test compares. To bring it up to date, run
`cargo test -p mcp-hermes-types --test since_table` and follow what it says.

A member that a revision lacks is left out when a message is written for it. Whatever a table does not
name is kept on receipt and written back. Members of extensions stand with the revision they belong to.
";

fn cells(cell: impl Fn(Revision) -> &'static str) -> String {
    Revision::ALL.map(|revision| format!(" {} |", cell(revision))).concat()
}

const fn mark(here: bool) -> &'static str {
    if here { "yes" } else { "–" }
}
