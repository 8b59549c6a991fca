//! The figures of docs/ten-tasks.md are those of the programs.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{fmt::Write as _, fs};

/// The tasks, as the page calls them, with the names of their programs.
const TASKS: [(&str, &str); 10] = [
    ("typed, described arguments", "arguments"),
    ("structured result with a schema", "structured"),
    ("a failure that the model reads", "failure"),
    ("progress", "progress"),
    ("a question to the user", "question"),
    ("a resource template, completed", "template"),
    ("a prompt", "prompt"),
    ("a tool added at run time", "later"),
    ("a value that calls share", "state"),
    ("serving over HTTP", "over_http"),
];

/// A toolkit: where its programs are, and the names that an author has to know.
struct Toolkit {
    folder: &'static str,
    extension: &'static str,
    names: &'static [&'static str],
}

const FASTMCP: Toolkit = Toolkit {
    folder: "fastmcp",
    extension: "py",
    names: &[
        "AcceptedElicitation",
        "BaseModel",
        "Context",
        "FastMCP",
        "Field",
        "ToolError",
        "ToolListChangedNotification",
        "argument",
        "completion",
        "data",
        "description",
        "elicit",
        "ge",
        "prompt",
        "report_progress",
        "resource",
        "run",
        "send_notification",
        "tool",
        "transport",
        "value",
    ],
};

const RMCP: Toolkit = Toolkit {
    folder: "rmcp/src/bin",
    extension: "rs",
    names: &[
        "CallToolResult",
        "CompleteRequestParams",
        "CompleteResult",
        "CompletionInfo",
        "ContentBlock",
        "Deserialize",
        "ElicitationError",
        "ErrorData",
        "Json",
        "JsonSchema",
        "ListResourceTemplatesResult",
        "LocalSessionManager",
        "PaginatedRequestParams",
        "Parameters",
        "Peer",
        "ProgressNotificationParam",
        "PromptMessage",
        "ReadResourceRequestParams",
        "ReadResourceResponse",
        "ReadResourceResult",
        "RequestContext",
        "ResourceContents",
        "ResourceTemplate",
        "Role",
        "RoleServer",
        "Router",
        "Serialize",
        "ServerCapabilities",
        "ServerConfig",
        "ServerHandler",
        "ServiceExt",
        "StreamableHttpServerConfig",
        "StreamableHttpService",
        "ToolRoute",
        "ToolRouter",
        "UserCancelled",
        "UserDeclined",
        "add_route",
        "argument",
        "complete",
        "elicit",
        "elicit_safe",
        "enable_completions",
        "enable_resources",
        "enable_tool_list_changed",
        "enable_tools",
        "get_info",
        "get_progress_token",
        "internal_error",
        "list_resource_templates",
        "meta",
        "nest_service",
        "new_text",
        "notify_progress",
        "notify_tool_list_changed",
        "peer",
        "prompt",
        "prompt_handler",
        "prompt_router",
        "read_resource",
        "resource_not_found",
        "serve",
        "server_handler",
        "stdio",
        "success",
        "tool",
        "tool_handler",
        "tool_router",
        "uri",
        "value",
        "waiting",
        "with_all_items",
        "with_description",
        "with_message",
        "with_total",
    ],
};

const HERMES: Toolkit = Toolkit {
    folder: "src/bin",
    extension: "rs",
    names: &[
        "Accepted",
        "Context",
        "Deserialize",
        "Elicited",
        "Json",
        "JsonSchema",
        "ProgressBar",
        "Result",
        "Serialize",
        "Server",
        "ServerHandle",
        "State",
        "StreamableHttp",
        "ToolError",
        "add",
        "bind",
        "complete",
        "elicit",
        "of",
        "prompt",
        "resource",
        "serve",
        "serve_stdio",
        "state",
        "tell",
        "tool",
        "url",
        "with",
    ],
};

struct Count {
    lines: usize,
    concepts: usize,
}

fn folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Counts the lines that are neither empty nor comments nor for the lints of this project; documentation that clients
/// get to see is no comment.
fn count(toolkit: &Toolkit, program: &str) -> std::io::Result<Count> {
    let path: PathBuf = folder().join(toolkit.folder).join(program).with_extension(toolkit.extension);
    let text = fs::read_to_string(path)?;
    let is_comment = |line: &str| {
        line.starts_with('#') && toolkit.extension == "py"
            || line.starts_with("#![expect(")
            || line.starts_with("//") && !line.starts_with("///")
    };
    let lines: Vec<&str> =
        text.lines().map(str::trim).filter(|line| !line.is_empty() && !is_comment(line)).collect();
    let mut words = BTreeSet::new();
    for line in lines.iter().filter(|line| !line.starts_with("///")) {
        // What stands in quotes is no name.
        for code in line.split('"').step_by(2) {
            words.extend(code.split(|sign: char| !sign.is_alphanumeric() && sign != '_'));
        }
    }
    let concepts = toolkit.names.iter().filter(|name| words.contains(*name)).count();
    Ok(Count { lines: lines.len(), concepts })
}

#[test]
fn the_table_of_the_page_is_what_is_counted() -> std::io::Result<()> {
    let mut table = String::from("| task | program | FastMCP | rmcp | Hermes |\n|---|---|---|---|---|\n");
    let mut sums = [(0, 0); 3];
    for (task, program) in TASKS {
        write!(table, "| {task} | `{program}` |").expect("text takes it");
        for (toolkit, sum) in [FASTMCP, RMCP, HERMES].iter().zip(&mut sums) {
            let count = count(toolkit, program)?;
            write!(table, " {} / {} |", count.lines, count.concepts).expect("text takes it");
            *sum = (sum.0 + count.lines, sum.1 + count.concepts);
        }
        table.push('\n');
    }
    let [fastmcp, rmcp, hermes] = sums.map(|(lines, concepts)| format!("{lines} / {concepts}"));
    writeln!(table, "| **all** | | **{fastmcp}** | **{rmcp}** | **{hermes}** |").expect("text takes it");
    let page = fs::read_to_string(folder().join("../../docs/ten-tasks.md"))?;
    assert!(page.contains(&table), "docs/ten-tasks.md should have this table:\n{table}");
    Ok(())
}

#[test]
fn no_program_is_longer_than_the_other_one_in_rust() -> std::io::Result<()> {
    for (task, program) in TASKS {
        let (ours, theirs) = (count(&HERMES, program)?, count(&RMCP, program)?);
        assert!(ours.lines < theirs.lines, "{task}: {} lines, rmcp needs {}", ours.lines, theirs.lines);
        assert!(
            ours.concepts <= theirs.concepts,
            "{task}: {} names, rmcp {}",
            ours.concepts,
            theirs.concepts
        );
    }
    Ok(())
}
