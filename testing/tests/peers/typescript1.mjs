// The client of the TypeScript SDK, version 1: node typescript1.mjs FOLDER|URL
// At an address it speaks HTTP+SSE, the transport of 2024-11-05.
import { createRequire } from "node:module";
import { join } from "node:path";
import { capabilities, converse, server } from "./conversation.mjs";

const require = createRequire(join(process.env.HERMES_PEERS_DIR, "package.json"));
const { Client } = require("@modelcontextprotocol/sdk/client/index.js");
const { SSEClientTransport } = require("@modelcontextprotocol/sdk/client/sse.js");
const { StdioClientTransport } = require("@modelcontextprotocol/sdk/client/stdio.js");
const types = require("@modelcontextprotocol/sdk/types.js");

const NOTIFICATIONS = {
  "notifications/message": types.LoggingMessageNotificationSchema,
  "notifications/progress": types.ProgressNotificationSchema,
  "notifications/resources/updated": types.ResourceUpdatedNotificationSchema,
  "notifications/tools/list_changed": types.ToolListChangedNotificationSchema,
};
const QUESTIONS = {
  "elicitation/create": types.ElicitRequestSchema,
  "roots/list": types.ListRootsRequestSchema,
  "sampling/createMessage": types.CreateMessageRequestSchema,
};

const place = process.argv[2];
const transport = () =>
  place.startsWith("http://") ? new SSEClientTransport(new URL(place)) : new StdioClientTransport(server);
const client = new Client({ name: "foreign-client", version: "1.0.0" }, { capabilities });
await converse({
  client,
  connect: () => client.connect(transport()),
  call: (name, args, options) => client.callTool({ name, arguments: args }, undefined, options),
  hear: (method, handler) => client.setNotificationHandler(NOTIFICATIONS[method], handler),
  answer: (method, handler) => client.setRequestHandler(QUESTIONS[method], handler),
  // Changes of lists come unasked.
  watch: async ({ resourceSubscriptions = [] }) => {
    for (const uri of resourceSubscriptions) await client.subscribeResource({ uri });
    return async () => {
      for (const uri of resourceSubscriptions) await client.unsubscribeResource({ uri });
    };
  },
  logged: async (level) => {
    await client.setLoggingLevel(level);
    return {};
  },
});
