// The TypeScript SDK's client in a conversation with `hermes demo --stdio`: node client.mjs FOLDER
//
// Records the raw lines in FOLDER, prints what the client saw as one JSON object and judges nothing.
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const require = createRequire(join(process.env.HERMES_PEERS_DIR, "package.json"));
const { Client } = require("@modelcontextprotocol/sdk/client/index.js");
const { StdioClientTransport } = require("@modelcontextprotocol/sdk/client/stdio.js");
const { ElicitRequestSchema, ProgressNotificationSchema } = require("@modelcontextprotocol/sdk/types.js");

const here = dirname(fileURLToPath(import.meta.url));
const seen = {};

const client = new Client({ name: "foreign-client", version: "1.0.0" }, { capabilities: { elicitation: {} } });
client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
  seen.question = params.message;
  seen.asks_for = Object.keys(params.requestedSchema.properties);
  return { action: "accept", content: { name: "Ada" } };
});

const text = (result) => result.content.map((block) => block.text).join("");
const call = (name, args, options) => client.callTool({ name, arguments: args }, undefined, options);
const error = (promise) => promise.then(() => null, (error) => error);

// Asks for the counters until `done` is satisfied; the server answers while other calls run.
const counters = async (done) => {
  for (;;) {
    const { structuredContent } = await call("counters", {});
    if (done(structuredContent)) return structuredContent;
  }
};

const transport = new StdioClientTransport({
  command: join(here, "record.sh"),
  args: [process.argv[2], process.env.HERMES_BIN, "demo", "--stdio"],
});
await client.connect(transport);
seen.server_is_named = client.getServerVersion().name !== "";
seen.tools = (await client.listTools()).tools.map((tool) => tool.name);

seen.echo = text(await call("echo", { text: "héllo \u{1F44B}" }));
const sum = await call("add", { a: 2, b: 3 });
seen.add = { text: text(sum), structured: sum.structuredContent };

// `onprogress` asks for notes. They are counted where they arrive: the SDK forgets the call when it reads the result
// and then drops a last note that it read from the same chunk.
seen.notes = [];
client.setNotificationHandler(ProgressNotificationSchema, ({ params }) => {
  seen.notes.push([params.progress, params.total]);
});
const onprogress = () => {};
seen.progress = text(await call("progress", { n: 5, interval_ms: 1 }, { onprogress }));

seen.ask = text(await call("ask", { message: "Who are you?" }));

const abort = new AbortController();
const sleeping = error(call("sleep", { ms: 600_000 }, { signal: abort.signal }));
await counters(({ started }) => started === 1);
abort.abort("no longer wanted");
seen.cancelled = String((await sleeping).message);
seen.counters = await counters(({ cancelled }) => cancelled === 1);

seen.fail_is_error = (await call("fail", { message: "as asked" })).isError;
seen.unknown_tool = (await error(call("no-such-tool", {}))).code;
seen.after_the_error = text(await call("echo", { text: "still here" }));

await client.close();
console.log(JSON.stringify(seen));
