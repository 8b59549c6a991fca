// The client of the TypeScript SDK, version 2: node typescript2.mjs FOLDER legacy|modern
import { createRequire } from "node:module";
import { join } from "node:path";
import { capabilities, converse, server } from "./conversation.mjs";

const require = createRequire(join(process.env.HERMES_PEERS_DIR, "more", "package.json"));
const { Client } = require("@modelcontextprotocol/client");
const { StdioClientTransport } = require("@modelcontextprotocol/client/stdio");

const LOG_LEVEL = "io.modelcontextprotocol/logLevel";

const modern = process.argv[3] === "modern";
const client = new Client(
  { name: "foreign-client", version: "1.0.0" },
  { capabilities, versionNegotiation: { mode: modern ? { pin: "2026-07-28" } : "legacy" } },
);

// The SDK asks which era a server speaks in a process of its own, unless the transport is a subclass of its own one.
// Here the record is to hold that question too.
class Transport extends StdioClientTransport {}

// How a client watches and hears log messages is the one thing that differs between the eras.
const legacy = {
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
};
const stateless = {
  watch: async (filter) => {
    const subscription = await client.listen(filter);
    return () => subscription.close();
  },
  logged: async (level) => ({ meta: { [LOG_LEVEL]: level } }),
};

await converse({
  client,
  connect: () => client.connect(new Transport(server)),
  call: (name, args, { meta, ...options } = {}) => client.callTool({ name, arguments: args, _meta: meta }, options),
  hear: (method, handler) => client.setNotificationHandler(method, handler),
  answer: (method, handler) => client.setRequestHandler(method, handler),
  ...(modern ? stateless : legacy),
});
