#!/usr/bin/env node
// The server of the TypeScript SDK, version 1, over standard input and output, as its examples have it.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { z } from "zod";

const server = new McpServer({ name: "bench", version: "0.0.0" });
server.registerTool("echo", { description: "Sends a text back", inputSchema: { text: z.string() } }, ({ text }) => ({
  content: [{ type: "text", text }],
}));
await server.connect(new StdioServerTransport());
