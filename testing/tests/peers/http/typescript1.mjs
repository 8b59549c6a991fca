// A server on the TypeScript SDK, version 1, set up as its examples are: node typescript1.mjs stateful|stateless|json PORT
//
// `json` has sessions, and answers in JSON instead of in streams of events.
import { randomUUID } from "node:crypto";
import { createRequire } from "node:module";
import { join } from "node:path";

const require = createRequire(join(process.env.HERMES_PEERS_DIR, "package.json"));
const { McpServer } = require("@modelcontextprotocol/sdk/server/mcp.js");
const { createMcpExpressApp } = require("@modelcontextprotocol/sdk/server/express.js");
const { StreamableHTTPServerTransport } = require("@modelcontextprotocol/sdk/server/streamableHttp.js");
const {
  isInitializeRequest,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} = require("@modelcontextprotocol/sdk/types.js");
const { z } = require("zod");

const [mode, port] = process.argv.slice(2);
const COUNTER = "peer://counter";

// What all sessions share.
const sessions = new Map();
const watching = new Map();
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
    { name: "typescript-1", version: "1.0.0" },
    { capabilities: { resources: { subscribe: true } } },
  );
  const { server: session } = server;

  server.registerTool(
    "add",
    { inputSchema: { a: z.number(), b: z.number() }, outputSchema: { sum: z.number() } },
    ({ a, b }) => ({ ...text(String(a + b)), structuredContent: { sum: a + b } }),
  );
  server.registerTool(
    "progress",
    { inputSchema: { n: z.number(), interval_ms: z.number() } },
    async ({ n, interval_ms }, { _meta, sendNotification, signal }) => {
      for (let progress = 1; progress <= n; progress++) {
        await pause(interval_ms, signal);
        if (_meta?.progressToken === undefined) continue;
        const params = { progressToken: _meta.progressToken, progress, total: n };
        await sendNotification({ method: "notifications/progress", params });
      }
      return text("done");
    },
  );
  server.registerTool("sleep", { inputSchema: { ms: z.number() } }, async ({ ms }, { signal }) => {
    count.started++;
    signal.addEventListener("abort", () => count.cancelled++);
    await pause(ms, signal);
    return text("done");
  });
  server.registerTool("counters", {}, () => text(JSON.stringify(count)));
  server.registerTool("sessions", {}, () => text(String(sessions.size)));
  server.registerTool("ask", { inputSchema: { message: z.string() } }, async ({ message }, { requestId }) => {
    const requestedSchema = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
    // What belongs to a request is not sent where answers are JSON; what belongs to none goes to the session's stream.
    const options = mode === "json" ? {} : { relatedRequestId: requestId };
    const { action, content } = await session.elicitInput({ message, requestedSchema }, options);
    return text(action === "accept" ? `Hello, ${content.name}` : action);
  });
  server.registerTool("touch", {}, async () => {
    count.touched++;
    await Promise.all([...watching.values()].map((it) => it.sendResourceUpdated({ uri: COUNTER })));
    return text(String(count.touched));
  });
  server.registerResource("counter", COUNTER, { mimeType: "text/plain" }, (uri) => ({
    contents: [{ uri: uri.href, mimeType: "text/plain", text: String(count.touched) }],
  }));
  session.setRequestHandler(SubscribeRequestSchema, (_, { sessionId }) => {
    watching.set(sessionId, session);
    return {};
  });
  session.setRequestHandler(UnsubscribeRequestSchema, (_, { sessionId }) => {
    watching.delete(sessionId);
    return {};
  });
  server.registerPrompt("greet", { argsSchema: { name: z.string() } }, ({ name }) => ({
    messages: [{ role: "user", content: { type: "text", text: `Please greet ${name}.` } }],
  }));
  return server;
}

const refuse = (response, status, code, message) =>
  response.status(status).json({ jsonrpc: "2.0", error: { code, message }, id: null });

/** Each request has a server of its own. */
async function stateless(request, response) {
  if (request.method !== "POST") return refuse(response, 405, -32000, "Method not allowed.");
  const server = serve();
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
  response.on("close", () => server.close());
  await server.connect(transport);
  await transport.handleRequest(request, response, request.body);
}

async function stateful(request, response) {
  const id = request.headers["mcp-session-id"];
  let transport = sessions.get(id);
  if (!transport) {
    if (id) return refuse(response, 404, -32001, "Session not found");
    if (!isInitializeRequest(request.body)) return refuse(response, 400, -32000, "Bad Request: Session ID required");
    transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      enableJsonResponse: mode === "json",
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    transport.onclose = () => {
      sessions.delete(transport.sessionId);
      watching.delete(transport.sessionId);
    };
    await serve().connect(transport);
  }
  await transport.handleRequest(request, response, request.body);
}

const app = createMcpExpressApp();
app.all("/mcp", mode === "stateless" ? stateless : stateful);
app.listen(Number(port), "127.0.0.1", () => console.log("listening"));
