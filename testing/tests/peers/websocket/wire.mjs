// The library `ws` at a WebSocket of `hermes demo`: node wire.mjs PORT PID
//
// Each step is printed as one JSON line with what was seen. Nothing is judged here.
import { createRequire } from "node:module";
import { join } from "node:path";

const require = createRequire(join(process.env.HERMES_PEERS_DIR, "websocket", "package.json"));
const { WebSocket } = require("ws");

const [, , PORT, PID] = process.argv;
const URL = `ws://127.0.0.1:${PORT}/mcp`;
const STEP_MS = 15_000;
const MODERN = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** An open WebSocket, and what came over it. */
class Wire {
  static async open(protocol = "mcp", options = {}) {
    const socket = new WebSocket(URL, protocol, options);
    const wire = new Wire(socket);
    await new Promise((open, refused) => {
      socket.once("open", open);
      socket.once("error", refused);
      socket.once("unexpected-response", (_, { statusCode }) => refused(new Error(`status ${statusCode}`)));
    });
    return wire;
  }

  #messages = [];
  #waiting = [];

  constructor(socket) {
    this.socket = socket;
    this.closed = new Promise((closed) => socket.once("close", (code, why) => closed({ code, why: String(why) })));
    this.ponged = new Promise((ponged) => socket.once("pong", (data) => ponged(String(data))));
    socket.on("message", (data, isBinary) => {
      this.#messages.push({ isBinary, ...JSON.parse(data) });
      this.#waiting.splice(0).forEach((wake) => wake());
    });
  }

  /** The first message like this, whenever it comes. */
  async message(is) {
    for (;;) {
      const at = this.#messages.findIndex(is);
      if (at >= 0) return this.#messages.splice(at, 1)[0];
      await new Promise((wake) => this.#waiting.push(wake));
    }
  }

  answer(id) {
    return this.message((message) => message.id === id);
  }

  async ask(id, method, params) {
    this.socket.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    return this.answer(id);
  }

  async shakeHands() {
    const clientInfo = { name: "ws", version: "8" };
    const opened = await this.ask(0, "initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
    this.socket.send('{"jsonrpc":"2.0","method":"notifications/initialized"}');
    return opened;
  }
}

const modern = (name, args) => ({ name, arguments: args, _meta: MODERN });
const adding = (id) =>
  JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: modern("add", { a: 2, b: 3 }) });
const sum = ({ result }) => result.structuredContent.sum;

/** The close code after something that is not to be sent. */
async function closeAfter(act) {
  const wire = await Wire.open();
  act(wire.socket);
  return (await wire.closed).code;
}

const steps = {
  async handshake() {
    const wire = await Wire.open();
    const { protocol, extensions } = wire.socket;
    const without = (await Wire.open([])).socket.protocol;
    return { protocol, extensions, without };
  },

  async refusals() {
    const refused = (...how) => Wire.open(...how).then(() => null, (error) => error.message);
    return {
      "another protocol": await refused("graphql"),
      "another origin": await refused("mcp", { origin: "https://evil.example" }),
      "another version": await refused("mcp", { protocolVersion: 8 }),
    };
  },

  async modern() {
    const wire = await Wire.open();
    const found = await wire.ask("a", "server/discover", { _meta: MODERN });
    const added = await wire.ask("b", "tools/call", modern("add", { a: 2, b: 3 }));
    return { binary: found.isBinary, supports: found.result.supportedVersions[0], sum: sum(added) };
  },

  async legacy() {
    const wire = await Wire.open();
    const opened = await wire.shakeHands();
    const params = { name: "progress", arguments: { n: 3, interval_ms: 1 }, _meta: { progressToken: "t" } };
    const { result } = await wire.ask(1, "tools/call", params);
    const notes = [];
    while (notes.length < 3) {
      notes.push((await wire.message(({ method }) => method === "notifications/progress")).params.progress);
    }
    return { revision: opened.result.protocolVersion, notes, result: result.content[0].text };
  },

  async ping() {
    const wire = await Wire.open();
    wire.socket.ping("are you there?");
    return { pong: await wire.ponged };
  },

  async fragments() {
    const wire = await Wire.open();
    const bytes = Buffer.from(adding(1));
    // Between the fragments of a message there may be a ping, and a fragment may be empty.
    wire.socket.send(bytes.subarray(0, 9), { binary: false, fin: false });
    wire.socket.send(Buffer.alloc(0), { binary: false, fin: false });
    wire.socket.ping("meanwhile");
    for (const byte of bytes.subarray(9, -1)) wire.socket.send(Buffer.of(byte), { binary: false, fin: false });
    wire.socket.send(bytes.subarray(-1), { binary: false, fin: true });
    return { pong: await wire.ponged, sum: sum(await wire.answer(1)) };
  },

  async texts() {
    const wire = await Wire.open();
    wire.socket.send(JSON.stringify(JSON.parse(adding(1)), null, "\r\n  "));
    const pretty = sum(await wire.answer(1));
    wire.socket.send("no JSON");
    const { error } = await wire.message((message) => message.error);
    wire.socket.send(adding(2));
    return { pretty, broken: error.code, after: sum(await wire.answer(2)) };
  },

  async closing() {
    const wire = await Wire.open();
    wire.socket.close(1000, "enough");
    return {
      "a close": (await wire.closed).code,
      binary: await closeAfter((socket) => socket.send(Buffer.from(adding(1)), { binary: true })),
      "too long": await closeAfter((socket) => socket.send("x".repeat(1_000_001))),
      "too long in fragments": await closeAfter((socket) => {
        for (let sent = 0; sent < 11; sent++) socket.send("x".repeat(100_000), { fin: false });
      }),
      "no UTF-8": await closeAfter((socket) => socket.send(Buffer.from([0xff, 0xfe]), { binary: false })),
      "no frame": await closeAfter((socket) => socket._socket.write(Buffer.from([0x83, 0x80, 1, 2, 3, 4]))),
      "not masked": await closeAfter((socket) => socket._socket.write(Buffer.from([0x81, 0x01, 0x20]))),
    };
  },

  async hangup() {
    const [wire, other] = [await Wire.open(), await Wire.open()];
    const counters = async (done) => {
      for (let id = 1; ; id++) {
        const { result } = await other.ask(id, "tools/call", modern("counters", {}));
        if (done(result.structuredContent)) return result.structuredContent;
      }
    };
    void wire.ask(1, "tools/call", modern("sleep", { ms: 600_000 }));
    const running = await counters(({ started }) => started === 1);
    wire.socket.terminate();
    return { running, gone: await counters(({ cancelled }) => cancelled === 1) };
  },

  async pressure() {
    const [wire, other] = [await Wire.open(), await Wire.open()];
    wire.socket.pause();
    for (let id = 1; id <= 20; id++) {
      const params = modern("big", { bytes: 1_000_000 });
      wire.socket.send(JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params }));
    }
    // Whoever does not read is in nobody's way.
    const meanwhile = sum(await other.ask(1, "tools/call", modern("add", { a: 2, b: 3 })));
    wire.socket.resume();
    let bytes = 0;
    for (let id = 1; id <= 20; id++) bytes += (await wire.answer(id)).result.content[0].text.length;
    return { meanwhile, bytes };
  },

  async ending() {
    const [wire, deaf] = [await Wire.open(), await Wire.open()];
    await wire.ask(1, "ping", { _meta: MODERN });
    deaf.socket.pause();
    const params = modern("big", { bytes: 30_000_000 });
    deaf.socket.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }));
    const asleep = wire.ask(2, "tools/call", modern("sleep", { ms: 300 }));
    await wire.ask(3, "tools/call", modern("counters", {}));
    process.kill(Number(PID), "SIGTERM");
    // What was accepted is answered.
    const { result } = await asleep;
    return { answered: result.content[0].text, code: (await wire.closed).code };
  },
};

for (const [name, run] of Object.entries(steps)) {
  const fact = { step: name };
  const started = performance.now();
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`nothing more within ${STEP_MS} ms`)), STEP_MS);
  });
  try {
    fact.seen = await Promise.race([run(), late]);
  } catch (error) {
    fact.error = String(error);
  }
  clearTimeout(timer);
  fact.ms = Math.round(performance.now() - started);
  console.log(JSON.stringify(fact));
}
process.exit();
