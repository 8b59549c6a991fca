//! Other programs that keep servers in a file.

use std::env;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde_json::{Map, Value};

use crate::places;

/// A program that keeps servers in a file of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum HostProgram {
    /// Claude Code
    ClaudeCode,
    /// Claude Desktop
    ClaudeDesktop,
    /// Codex CLI
    Codex,
    /// Cursor
    Cursor,
    /// Gemini CLI
    Gemini,
    /// LM Studio
    LmStudio,
    /// VS Code
    Vscode,
    /// Windsurf
    Windsurf,
    /// Zed
    Zed,
}

impl HostProgram {
    /// Its name, as it is typed.
    pub(crate) fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }

    /// Where it keeps its file, whether that is there or not.
    pub(super) fn file(self) -> Option<PathBuf> {
        let home = places::home()?;
        let settings = places::of_programs()?;
        Some(match self {
            Self::ClaudeCode => home.join(".claude.json"),
            Self::ClaudeDesktop => settings.join("Claude/claude_desktop_config.json"),
            Self::Codex => env::var_os("CODEX_HOME")
                .map_or_else(|| home.join(".codex"), PathBuf::from)
                .join("config.toml"),
            Self::Cursor => home.join(".cursor/mcp.json"),
            Self::Gemini => home.join(".gemini/settings.json"),
            Self::LmStudio => home.join(".lmstudio/mcp.json"),
            Self::Vscode => settings.join("Code/User/mcp.json"),
            Self::Windsurf => home.join(".codeium/windsurf/mcp_config.json"),
            Self::Zed => places::settings_folder()?.join("zed/settings.json"),
        })
    }

    /// Whether its file is TOML; all others are JSON with comments.
    pub(super) const fn is_toml(self) -> bool {
        matches!(self, Self::Codex)
    }

    /// The servers in its file, written as `.mcp.json` has them. `folder` is the project that is worked in.
    pub(super) fn servers(self, file: &Value, folder: Option<&Path>) -> Map<String, Value> {
        let table = match self {
            Self::Codex => "mcp_servers",
            Self::Vscode => "servers",
            Self::Zed => "context_servers",
            _ => "mcpServers",
        };
        let mut servers = Map::new();
        let mut take = |table: &Value| {
            for (name, server) in table.as_object().into_iter().flatten() {
                servers.insert(name.clone(), self.usual(server));
            }
        };
        take(&file[table]);
        // What it keeps for one project only counts there, and before the rest.
        if let (Self::ClaudeCode, Some(folder)) = (self, folder.and_then(Path::to_str)) {
            take(&file["projects"][folder][table]);
        }
        servers
    }

    /// A server in the words of `.mcp.json`. What has no other name there keeps the one it has.
    fn usual(self, server: &Value) -> Value {
        let Some(members) = server.as_object() else { return server.clone() };
        let mut usual = Map::new();
        let mut headers = Map::new();
        for (name, value) in members {
            match (self, name.as_str(), value) {
                (Self::Windsurf, "serverUrl", _) | (Self::Gemini, "httpUrl", _) => {
                    usual.insert("url".to_owned(), value.clone());
                }
                (Self::Zed, "command", Value::Object(command)) => {
                    for (name, value) in command {
                        let name = if name == "path" { "command" } else { name };
                        usual.insert(name.to_owned(), value.clone());
                    }
                }
                (Self::Zed, "source", _) => {}
                (Self::Zed | Self::Codex, "enabled", Value::Bool(enabled)) => {
                    if !enabled {
                        usual.insert("disabled".to_owned(), Value::Bool(true));
                    }
                }
                (Self::Codex, "bearer_token_env_var", Value::String(variable)) => {
                    headers.insert("Authorization".to_owned(), format!("Bearer ${{{variable}}}").into());
                }
                (Self::Codex, "http_headers", Value::Object(fixed)) => headers.extend(fixed.clone()),
                (Self::Codex, "env_http_headers", Value::Object(variables)) => {
                    let named = variables.iter().filter_map(|(name, variable)| {
                        Some((name.clone(), format!("${{{}}}", variable.as_str()?).into()))
                    });
                    headers.extend(named);
                }
                _ => {
                    usual.insert(name.clone(), value.clone());
                }
            }
        }
        if !headers.is_empty() {
            usual.insert("headers".to_owned(), Value::Object(headers));
        }
        Value::Object(usual)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn one(host: HostProgram, file: &Value) -> Value {
        Value::Object(host.servers(file, None))
    }

    #[test]
    fn each_program_has_words_of_its_own_for_the_same() {
        let command = json!({ "x": { "command": "c", "args": ["a"], "env": { "K": "v" } } });
        for (host, table) in [
            (HostProgram::ClaudeDesktop, "mcpServers"),
            (HostProgram::Cursor, "mcpServers"),
            (HostProgram::Gemini, "mcpServers"),
            (HostProgram::Vscode, "servers"),
            (HostProgram::Zed, "context_servers"),
            (HostProgram::Codex, "mcp_servers"),
        ] {
            assert_eq!(one(host, &json!({ "theme": "dark", table: command })), command, "{host:?}");
        }
        let zed = json!({ "context_servers": { "x": {
            "source": "custom", "enabled": false, "command": { "path": "c", "args": ["a"], "env": { "K": "v" } } } } });
        let mut disabled = command;
        disabled["x"]["disabled"] = json!(true);
        assert_eq!(one(HostProgram::Zed, &zed), disabled);
    }

    #[test]
    fn addresses_and_headers_get_their_usual_names() {
        let usual = json!({ "x": { "url": "https://example.org/mcp" } });
        for (host, member) in [(HostProgram::Windsurf, "serverUrl"), (HostProgram::Gemini, "httpUrl")] {
            let file = json!({ "mcpServers": { "x": { member: "https://example.org/mcp" } } });
            assert_eq!(one(host, &file), usual, "{host:?}");
        }
        let codex = json!({ "mcp_servers": { "x": { "url": "https://example.org/mcp",
            "bearer_token_env_var": "TOKEN", "http_headers": { "A": "1" }, "env_http_headers": { "B": "VAR" } } } });
        assert_eq!(
            one(HostProgram::Codex, &codex)["x"]["headers"],
            json!({ "Authorization": "Bearer ${TOKEN}", "A": "1", "B": "${VAR}" })
        );
    }

    #[test]
    fn what_claude_code_keeps_for_a_project_counts_there_alone() {
        let file = json!({ "mcpServers": { "x": { "command": "user" } },
            "projects": { "/p": { "mcpServers": { "x": { "command": "project" } } } } });
        let of =
            |folder: Option<&str>| HostProgram::ClaudeCode.servers(&file, folder.map(Path::new))["x"].clone();
        assert_eq!(of(None)["command"], "user");
        assert_eq!(of(Some("/q"))["command"], "user");
        assert_eq!(of(Some("/p"))["command"], "project");
    }
}
