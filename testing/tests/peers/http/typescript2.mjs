// A server on the TypeScript SDK, version 2: node typescript2.mjs PORT
//
// It serves both eras at one address. In the legacy era it has no sessions.
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";

const require = createRequire(join(process.env.HERMES_PEERS_DIR, "more", "package.json"));
const { acceptedContent, createMcpHandler, inputRequired, inputResponse, McpServer } = require(
  "@modelcontextprotocol/server",
);
const { localhostHostValidation, localhostOriginValidation, toNodeHandler } = require("@modelcontextprotocol/node");
const { z } = require("zod");

const [port] = process.argv.slice(2);
const COUNTER = "peer://counter";

const count = { started: 0, cancelled: 0, touched: 0 };

const text = (text) => ({ content: [{ type: "text", text }] });

/** Waits, unless the request is cancelled before. */
const pause = (ms, signal) =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => (clearTimeout(timer), reject(signal.reason)));
  });

function serve() {
  const server = new McpServer(
    { name: "typescript-2", version: "1.0.0" },
    { capabilities: { resources: { subscribe: true } } },
  );

  server.registerTool(
    "add",
    {
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      outputSchema: z.object({ sum: z.number() }),
    },
    ({ a, b }) => ({ ...text(String(a + b)), structuredContent: { sum: a + b } }),
  );
  server.registerTool(
    "progress",
    { inputSchema: z.object({ n: z.number(), interval_ms: z.number() }) },
    async ({ n, interval_ms }, { mcpReq: { _meta, notify, signal } }) => {
      for (let progress = 1; progress <= n; progress++) {
        await pause(interval_ms, signal);
        if (_meta?.progressToken === undefined) continue;
        const params = { progressToken: _meta.progressToken, progress, total: n };
        await notify({ method: "notifications/progress", params });
      }
      return text("done");
    },
  );
  server.registerTool("sleep", { inputSchema: z.object({ ms: z.number() }) }, async ({ ms }, { mcpReq: { signal } }) => {
    count.started++;
    signal.addEventListener("abort", () => count.cancelled++);
    await pause(ms, signal);
    return text("done");
  });
  server.registerTool("counters", {}, () => text(JSON.stringify(count)));
  server.registerTool(
    "ask",
    { inputSchema: z.object({ message: z.string() }) },
    ({ message }, { mcpReq: { inputResponses } }) => {
      const answer = inputResponse(inputResponses, "name");
      if (answer.kind === "elicit" && answer.action !== "accept") return text(answer.action);
      const requestedSchema = z.object({ name: z.string() });
      const content = acceptedContent(inputResponses, "name", requestedSchema);
      if (content) return text(`Hello, ${content.name}`);
      return inputRequired({ inputRequests: { name: inputRequired.elicit({ message, requestedSchema }) } });
    },
  );
  server.registerTool("touch", {}, () => {
    count.touched++;
    handler.notify.resourceUpdated(COUNTER);
    return text(String(count.touched));
  });
  server.registerResource("counter", COUNTER, { mimeType: "text/plain" }, (uri) => ({
    contents: [{ uri: uri.href, mimeType: "text/plain", text: String(count.touched) }],
  }));
  server.registerPrompt("greet", { argsSchema: z.object({ name: z.string() }) }, ({ name }) => ({
    messages: [{ role: "user", content: { type: "text", text: `Please greet ${name}.` } }],
  }));
  return server;
}

const handler = createMcpHandler(serve);
const answer = toNodeHandler(handler);
const [hostIsFine, originIsFine] = [localhostHostValidation(), localhostOriginValidation()];

createServer((request, response) => {
  if (hostIsFine(request, response) && originIsFine(request, response)) void answer(request, response);
}).listen(Number(port), "127.0.0.1", () => console.log("listening"));
