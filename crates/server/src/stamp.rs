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

    /// Puts the result into words that a client of an older revision can read.
    fn downgrade(&mut self, _: Revision) {}

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

            $(fn downgrade(&mut self, revision: Revision) {
                report(&self.$downgrade(revision));
            })?

            $(fn outcome(&self) -> Outcome {
                ($outcome)(self)
            })?
        }
    )*};
}

stamps! {
    CallToolResult, downgrade_in_place => of_tool;
    CompleteResult;
    DiscoverResult;
    EmptyResult;
    GetPromptResult, downgrade_in_place;
    InitializeResult;
    InputRequiredResult => |_| Outcome::InputRequired;
    ListPromptsResult;
    ListResourceTemplatesResult;
    ListResourcesResult;
    ListToolsResult, downgrade_in_place;
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
