"""What both Python clients say to `hermes demo --stdio`: one step after the other.

Each step is printed as one JSON line with what the client saw. Nothing is judged here.
"""

import json
import os
import sys
import time
from pathlib import Path

import anyio

STARTED = time.monotonic()
COUNTER = "demo://counter"
ROOT = "file:///peers/root"
STEP_SECONDS = 15

# How the SDKs start the server: recorded in the folder that was named.
SERVER = {
    "command": str(Path(__file__).with_name("record.sh")),
    "args": [sys.argv[1], os.environ["HERMES_BIN"], "demo", "--stdio"],
}


class Heard:
    """What arrived, in order, and whoever waits for more of it."""

    def __init__(self):
        self.items = []
        self._more = anyio.Event()

    def add(self, item):
        """Remembers an item."""
        self.items.append(item)
        self._more.set()
        self._more = anyio.Event()

    async def until(self, count):
        """Waits until `count` items have arrived."""
        while len(self.items) < count:
            await self._more.wait()


def plain(model):
    """A message of the SDK as the JSON that it stands for: the versions spell the members differently."""
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


def text(result):
    """The text of a tool's result."""
    return "".join(block["text"] for block in result["content"])


async def step(name, run, started=None):
    """Runs one step and prints what it saw."""
    started = started or time.monotonic()
    fact = {"step": name}
    try:
        with anyio.fail_after(STEP_SECONDS):
            fact["seen"] = await run()
    except Exception as error:  # The conversation goes on, and the fact says what failed.
        fact["error"] = repr(error)
    fact["ms"] = round((time.monotonic() - started) * 1000)
    print(json.dumps(fact), flush=True)


class Callbacks:
    """What both versions call; each result is a JSON object that the version's own type is made of."""

    def __init__(self):
        self.updated, self.changed, self.notes, self.messages = Heard(), Heard(), Heard(), Heard()
        self.questions, self.prompts = [], []

    def notified(self, note):
        """A notification that belongs to no call."""
        match note["method"]:
            case "notifications/resources/updated":
                self.updated.add(note["params"]["uri"])
            case "notifications/tools/list_changed":
                self.changed.add(True)

    def logged(self, params):
        """A log message."""
        self.messages.add([params["level"], params["logger"], params["data"]])

    async def progressed(self, progress, total, _message):
        """A note on the way."""
        self.notes.add(f"{progress:g}/{total:g}")

    def elicited(self, params):
        """A question to the user: answered once in each way."""
        self.questions.append([params["message"], list(params["requestedSchema"]["properties"])])
        answers = [{"action": "accept", "content": {"name": "Ada"}}, {"action": "decline"}, {"action": "cancel"}]
        return answers[len(self.questions) - 1]

    def sampled(self, params):
        """A question to the model."""
        self.prompts.append([[message["content"]["text"] for message in params["messages"]], params["maxTokens"]])
        content = {"type": "text", "text": "Four."}
        return {"role": "assistant", "model": "none", "content": content, "stopReason": "endTurn"}

    def roots(self):
        """The client's folders."""
        return {"roots": [{"uri": ROOT, "name": "root"}]}


async def converse(peer, heard):
    """The conversation, over an open connection; `peer` hides what differs between the versions and the eras."""

    async def call(tool, arguments=None, **options):
        return plain(await peer.client.call_tool(tool, arguments or {}, **options))

    async def code(request):
        try:
            await request
        except peer.refusal as error:
            return error.error.code
        return None

    async def tools():
        return [tool["name"] for tool in plain(await peer.client.list_tools())["tools"]]

    async def read(uri):
        return plain(await peer.client.read_resource(peer.uri(uri)))["contents"][0]

    async def counters(done):
        """Asks for the counters until `done` is satisfied; the server answers while other calls run."""
        while True:
            counts = (await call("counters"))["structuredContent"]
            if done(counts):
                return counts

    async def opening():
        return {"name": peer.server_name, "instructions": peer.instructions.startswith("This server shows")}

    async def calls():
        total = await call("add", {"a": 2, "b": 3})
        failed = await call("fail", {"message": "as asked"})
        [image] = (await call("image"))["content"]
        [audio] = (await call("audio"))["content"]
        [embedded] = (await call("embedded"))["content"]
        [link] = (await call("link"))["content"]
        return {
            "names": await tools(),
            "echo": text(await call("echo", {"text": "héllo \U0001f44b"})),
            "add": [text(total), total["structuredContent"]],
            "fail": [failed["isError"], text(failed)],
            "unknown": await code(call("no-such-tool")),
            "image": [image["type"], image["mimeType"], image["data"][:11]],
            "audio": [audio["type"], audio["mimeType"], audio["data"][:5]],
            "embedded": [embedded["type"], embedded["resource"]["uri"], embedded["resource"]["text"]],
            "link": [link["type"], link["uri"]],
        }

    async def resources():
        logo = await read("demo://logo")
        listed = plain(await peer.client.list_resources())["resources"]
        templates = plain(await peer.client.list_resource_templates())["resourceTemplates"]
        return {
            "uris": [resource["uri"] for resource in listed],
            "templates": [template["uriTemplate"] for template in templates],
            "greeting": (await read("demo://greeting"))["text"],
            "logo": [logo["mimeType"], logo["blob"][:11]],
            "user": (await read("demo://users/ada"))["text"],
            "unknown": await code(read("demo://nothing")),
        }

    async def prompts():
        async def get(name, arguments):
            return plain(await peer.client.get_prompt(name, arguments))["messages"]

        [greet] = await get("greet", {"name": "Ada"})
        [review] = await get("review", {"code": "1", "language": "rust"})
        return {
            "names": [prompt["name"] for prompt in plain(await peer.client.list_prompts())["prompts"]],
            "greet": [greet["role"], greet["content"]["text"]],
            "review": review["content"]["text"],
            "incomplete": await code(get("greet", {})),
            "unknown": await code(get("no-such-prompt", {})),
        }

    async def completion():
        async def complete(ref, name, value):
            result = await peer.client.complete(ref=ref, argument={"name": name, "value": value})
            return plain(result)["completion"]["values"]

        return {
            "language": await complete(peer.prompt_ref("review"), "language", "ru"),
            "name": await complete(peer.template_ref("demo://users/{name}"), "name", "a"),
        }

    async def subscriptions():
        seen = {}
        async with peer.watch(resource=COUNTER):
            await call("touch")
            await heard.updated.until(1)
            seen["counter"] = (await read(COUNTER))["text"]
        # Nobody watches any more. The change of the list comes later, so an update would have been heard before it.
        await call("touch")
        async with peer.watch(tools=True):
            await call("toggle")
            await heard.changed.until(1)
            seen["with_extra"] = "extra" in await tools()
            await call("toggle")
            await heard.changed.until(2)
            seen["without_extra"] = "extra" not in await tools()
        return seen | {"updated": heard.updated.items, "changed": len(heard.changed.items)}

    async def progress():
        result = await call("progress", {"n": 5, "interval_ms": 1}, progress_callback=heard.progressed)
        await heard.notes.until(5)
        return {"notes": heard.notes.items, "result": text(result)}

    async def cancellation():
        async with peer.cancelling():
            running = await counters(lambda counts: counts["started"] == 1)
        return {"running": running, "counters": await counters(lambda counts: counts["cancelled"] == 1)}

    async def elicitation():
        seen = [text(await call("ask", {"message": message})) for message in ("Who are you?", "Again?", "Really?")]
        return {"seen": seen, "questions": heard.questions}

    async def sampling():
        return {"reply": text(await call("sample", {"prompt": "Two and two?"})), "prompts": heard.prompts}

    async def roots():
        return {"roots": text(await call("roots"))}

    async def logging():
        options = await peer.logged("warning")
        # The first is below the level: it would have been heard before the second.
        await call("log", {"level": "info", "message": "unheard"}, **options)
        await call("log", {"level": "error", "message": "heard"}, **options)
        await heard.messages.until(1)
        return {"messages": heard.messages.items}

    async def closing():
        return {"echo": text(await call("echo", {"text": "still here"}))}

    await step("opening", opening, STARTED)
    await step("tools", calls)
    for run in (resources, prompts, completion, subscriptions, progress, cancellation):
        await step(run.__name__, run)
    for run in (elicitation, sampling, roots, logging, closing):
        await step(run.__name__, run)
