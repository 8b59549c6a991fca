// What both TypeScript clients say to `hermes demo --stdio`: one step after the other, each printed as one JSON line
// with what the client saw. Nothing is judged here.
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const COUNTER = "demo://counter";
const ROOT = "file:///peers/root";
const STEP_MS = 15_000;

/** How both SDKs start the server: recorded in the folder that was named, with the environment that it needs. */
export const server = {
  command: join(dirname(fileURLToPath(import.meta.url)), "record.sh"),
  args: [process.argv[2], process.env.HERMES_BIN, "demo", "--stdio"],
};

export const capabilities = { elicitation: {}, sampling: {}, roots: {} };

/** What arrived, in order, and whoever waits for more of it. */
class Heard {
  items = [];
  #waiting = [];

  push(item) {
    this.items.push(item);
    this.#waiting = this.#waiting.filter(({ count, wake }) => this.items.length < count || wake());
  }

  /** Waits until `count` items have arrived. */
  async until(count) {
    if (this.items.length < count) await new Promise((wake) => this.#waiting.push({ count, wake }));
  }
}

const text = (result) => result.content.map((block) => block.text).join("");
const code = (promise) => promise.then(() => null, (error) => error.code);

async function step(name, run) {
  const started = performance.now();
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`nothing more within ${STEP_MS} ms`)), STEP_MS);
  });
  const fact = { step: name };
  try {
    fact.seen = await Promise.race([run(), late]);
  } catch (error) {
    fact.error = String(error);
  }
  clearTimeout(timer);
  fact.ms = Math.round(performance.now() - started);
  console.log(JSON.stringify(fact));
}

/**
 * The conversation, with a client that is about to connect.
 *
 * The SDKs differ in `call(name, arguments, options)`, in `hear(method, handler)` and `answer(method, handler)`, which
 * register handlers, and the eras in `watch(filter)`, which gives a function that ends the watch, and in
 * `logged(level)`, which gives the options of a call whose messages are wanted from that level on.
 */
export async function converse({ client, connect, call, hear, answer, watch, logged }) {
  const [updated, changed, notes, messages] = [new Heard(), new Heard(), new Heard(), new Heard()];
  hear("notifications/resources/updated", ({ params }) => updated.push(params.uri));
  hear("notifications/tools/list_changed", () => changed.push(true));
  hear("notifications/progress", ({ params }) => notes.push(`${params.progress}/${params.total}`));
  hear("notifications/message", ({ params }) => messages.push([params.level, params.logger, params.data]));

  const questions = [];
  const answers = [
    { action: "accept", content: { name: "Ada" } },
    { action: "decline" },
    { action: "cancel" },
  ];
  answer("elicitation/create", ({ params }) => {
    questions.push([params.message, Object.keys(params.requestedSchema.properties)]);
    return answers[questions.length - 1];
  });
  const prompts = [];
  answer("sampling/createMessage", ({ params }) => {
    prompts.push([params.messages.map(({ content }) => content.text), params.maxTokens]);
    return { role: "assistant", model: "none", content: { type: "text", text: "Four." }, stopReason: "endTurn" };
  });
  answer("roots/list", () => ({ roots: [{ uri: ROOT, name: "root" }] }));

  // Asks for the counters until `done` is satisfied; the server answers while other calls run.
  const counters = async (done) => {
    for (;;) {
      const { structuredContent } = await call("counters", {});
      if (done(structuredContent)) return structuredContent;
    }
  };
  const tools = async () => (await client.listTools()).tools.map(({ name }) => name);

  await step("opening", async () => {
    await connect();
    const { name } = client.getServerVersion();
    return { name, instructions: client.getInstructions().startsWith("This server shows") };
  });

  await step("tools", async () => {
    const sum = await call("add", { a: 2, b: 3 });
    const failed = await call("fail", { message: "as asked" });
    const [image] = (await call("image", {})).content;
    const [audio] = (await call("audio", {})).content;
    const [embedded] = (await call("embedded", {})).content;
    const [link] = (await call("link", {})).content;
    return {
      names: await tools(),
      echo: text(await call("echo", { text: "héllo \u{1F44B}" })),
      add: [text(sum), sum.structuredContent],
      fail: [failed.isError, text(failed)],
      unknown: await code(call("no-such-tool", {})),
      image: [image.type, image.mimeType, image.data.slice(0, 11)],
      audio: [audio.type, audio.mimeType, audio.data.slice(0, 5)],
      embedded: [embedded.type, embedded.resource.uri, embedded.resource.text],
      link: [link.type, link.uri],
    };
  });

  await step("resources", async () => {
    const read = async (uri) => (await client.readResource({ uri })).contents[0];
    const logo = await read("demo://logo");
    return {
      uris: (await client.listResources()).resources.map(({ uri }) => uri),
      templates: (await client.listResourceTemplates()).resourceTemplates.map((it) => it.uriTemplate),
      greeting: (await read("demo://greeting")).text,
      logo: [logo.mimeType, logo.blob.slice(0, 11)],
      user: (await read("demo://users/ada")).text,
      unknown: await code(client.readResource({ uri: "demo://nothing" })),
    };
  });

  await step("prompts", async () => {
    const get = async (name, args) => (await client.getPrompt({ name, arguments: args })).messages;
    const [greet] = await get("greet", { name: "Ada" });
    const [review] = await get("review", { code: "1", language: "rust" });
    return {
      names: (await client.listPrompts()).prompts.map(({ name }) => name),
      greet: [greet.role, greet.content.text],
      review: review.content.text,
      incomplete: await code(get("greet", {})),
      unknown: await code(get("no-such-prompt", {})),
    };
  });

  await step("completion", async () => {
    const complete = async (ref, argument) => (await client.complete({ ref, argument })).completion.values;
    return {
      language: await complete({ type: "ref/prompt", name: "review" }, { name: "language", value: "ru" }),
      name: await complete({ type: "ref/resource", uri: "demo://users/{name}" }, { name: "name", value: "a" }),
    };
  });

  await step("subscriptions", async () => {
    const seen = {};
    let end = await watch({ resourceSubscriptions: [COUNTER] });
    await call("touch", {});
    await updated.until(1);
    seen.counter = (await client.readResource({ uri: COUNTER })).contents[0].text;
    await end();
    // Nobody watches any more. The change of the list comes later, so an update would have been heard before it.
    await call("touch", {});
    end = await watch({ toolsListChanged: true });
    await call("toggle", {});
    await changed.until(1);
    seen.with_extra = (await tools()).includes("extra");
    await call("toggle", {});
    await changed.until(2);
    seen.without_extra = !(await tools()).includes("extra");
    await end();
    return { ...seen, updated: updated.items, changed: changed.items.length };
  });

  await step("progress", async () => {
    // `onprogress` asks for notes. They are counted where they arrive: the SDK forgets the call when it reads the
    // result and then drops a last note that it read from the same chunk.
    const result = await call("progress", { n: 5, interval_ms: 1 }, { onprogress: () => {} });
    await notes.until(5);
    return { notes: notes.items, result: text(result) };
  });

  await step("cancellation", async () => {
    const abort = new AbortController();
    const sleeping = call("sleep", { ms: 600_000 }, { signal: abort.signal }).then(
      () => "it slept",
      (error) => error.message,
    );
    const running = await counters(({ started }) => started === 1);
    abort.abort("no longer wanted");
    return { running, ended: await sleeping, counters: await counters(({ cancelled }) => cancelled === 1) };
  });

  await step("elicitation", async () => {
    const seen = [];
    for (const message of ["Who are you?", "Again?", "Really?"]) seen.push(text(await call("ask", { message })));
    return { seen, questions };
  });

  await step("sampling", async () => ({ reply: text(await call("sample", { prompt: "Two and two?" })), prompts }));

  await step("roots", async () => ({ roots: text(await call("roots", {})) }));

  await step("logging", async () => {
    const options = await logged("warning");
    // The first is below the level: it would have been heard before the second.
    await call("log", { level: "info", message: "unheard" }, options);
    await call("log", { level: "error", message: "heard" }, options);
    await messages.until(1);
    return { messages: messages.items };
  });

  await step("closing", async () => {
    const echo = text(await call("echo", { text: "still here" }));
    await client.close();
    return { echo };
  });
}
