//! Results as this server sends them: in the modern era every one says who the server is, in the legacy era
//! every one is put into words that the revision has.

use hermes_telemetry::timings::Outcome;
use hermes_types::{
    CallToolResult, CompleteResult, DiscoverResult, EmptyResult, Encode, GetPromptResult, Implementation,
    InitializeResult, InputRequiredResult, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, Loss, Meta, ReadResourceResult, Revision,
};

/// A result with a `_meta`.
pub(crate) trait Stamp: Encode {
    /// Its `_meta`.
    fn meta(&mut self) -> &mut Option<Meta>;

    /// The result as a client of an older revision can read it.
    fn downgraded(self, _: Revision) -> Self {
        self
    }

    /// How a request ends that is answered with it.
    fn outcome(&self) -> Outcome {
        Outcome::Success
    }

    /// Adds who the server is, unless it says so already.
    fn stamp(&mut self, server: &Implementation) {
        self.meta().get_or_insert_default().server_info.get_or_insert_with(|| Box::new(server.clone()));
    }
}

macro_rules! stamps {
    ($($ty:ty $(, $downgrade:ident)? $(=> $outcome:expr)?;)*) => {$(
        impl Stamp for $ty {
            fn meta(&mut self) -> &mut Option<Meta> {
                &mut self.meta
            }

            $(fn downgraded(self, revision: Revision) -> Self {
                let (result, losses) = self.$downgrade(revision);
                report(&losses);
                result
            })?

            $(fn outcome(&self) -> Outcome {
                ($outcome)(self)
            })?
        }
    )*};
}

stamps! {
    CallToolResult, downgrade => of_tool;
    CompleteResult;
    DiscoverResult;
    EmptyResult;
    GetPromptResult, downgrade;
    InitializeResult;
    InputRequiredResult => |_| Outcome::InputRequired;
    ListPromptsResult;
    ListResourceTemplatesResult;
    ListResourcesResult;
    ListToolsResult, downgrade;
    ReadResourceResult;
}

fn of_tool(result: &CallToolResult) -> Outcome {
    if result.is_error() { Outcome::ToolError } else { Outcome::Success }
}

fn report(losses: &[Loss]) {
    for loss in losses {
        tracing::debug!(%loss, "the client's revision cannot say this");
    }
}
