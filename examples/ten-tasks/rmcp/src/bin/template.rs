//! A template of resources whose variable is completed.

use rmcp::model::{
    CompleteRequestParams, CompleteResult, CompletionInfo, ListResourceTemplatesResult,
    PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult,
    ResourceContents, ResourceTemplate, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::transport::stdio;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt};

const CITIES: [&str; 3] = ["Lima", "London", "Oslo"];

struct Template;

impl ServerHandler for Template {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_resources().enable_completions().build())
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let weather =
            ResourceTemplate::new("weather://{city}", "weather").with_description("The weather of a city.");
        Ok(ListResourceTemplatesResult::with_all_items(vec![weather]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let Some(city) = request.uri.strip_prefix("weather://") else {
            return Err(ErrorData::resource_not_found("there is no such resource", None));
        };
        let text = format!("{city}: sunny");
        Ok(ReadResourceResult::new(vec![ResourceContents::text(text, request.uri)]).into())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let typed = &request.argument.value;
        let found =
            CITIES.iter().filter(|city| city.starts_with(typed)).map(|city| (*city).to_owned()).collect();
        let completion =
            CompletionInfo::new(found).map_err(|error| ErrorData::internal_error(error, None))?;
        Ok(CompleteResult::new(completion))
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    Template.serve(stdio()).await?.waiting().await?;
    Ok(())
}
