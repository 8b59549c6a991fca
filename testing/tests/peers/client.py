"""The Python SDK's client in a conversation with `hermes demo --stdio`: python client.py FOLDER

Records the raw lines in FOLDER, prints what the client saw as one JSON object and judges nothing.
"""

import json
import os
import sys
from pathlib import Path

import anyio
from mcp import Client, MCPError, StdioServerParameters
from mcp.types import ElicitResult

seen = {}


async def answer(_context, params):
    """Answers the server's question."""
    seen["question"] = params.message
    seen["asks_for"] = list(params.requested_schema["properties"])
    return ElicitResult(action="accept", content={"name": "Ada"})


async def note(progress, total, _message):
    """Counts progress."""
    seen["notes"].append([progress, total])


def text(result):
    """The text of a tool's result."""
    return "".join(block.text for block in result.content)


async def counters(client, done):
    """Asks for the counters until `done` is satisfied; the server answers while other calls run."""
    while True:
        counts = (await client.call_tool("counters", {})).structured_content
        if done(counts):
            return counts


async def code(call):
    """The code of the error that the call ends in."""
    try:
        await call
    except MCPError as error:
        return error.code
    return None


async def main():
    """The conversation."""
    server = StdioServerParameters(
        command=str(Path(__file__).with_name("record.sh")),
        args=[sys.argv[1], os.environ["HERMES_BIN"], "demo", "--stdio"],
    )
    async with Client(server, elicitation_callback=answer) as client:
        seen["revision"] = client.protocol_version
        seen["server_is_named"] = bool(client.server_info and client.server_info.name)
        seen["tools"] = [tool.name for tool in (await client.list_tools()).tools]

        seen["echo"] = text(await client.call_tool("echo", {"text": "héllo \U0001f44b"}))
        added = await client.call_tool("add", {"a": 2, "b": 3})
        seen["add"] = {"text": text(added), "structured": added.structured_content}

        seen["notes"] = []
        progress = await client.call_tool("progress", {"n": 5, "interval_ms": 1}, progress_callback=note)
        seen["progress"] = text(progress)

        seen["ask"] = text(await client.call_tool("ask", {"message": "Who are you?"}))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(client.call_tool, "sleep", {"ms": 600_000})
            await counters(client, lambda counts: counts["started"] == 1)
            tasks.cancel_scope.cancel()
        seen["counters"] = await counters(client, lambda counts: counts["cancelled"] == 1)

        seen["fail_is_error"] = (await client.call_tool("fail", {"message": "as asked"})).is_error
        seen["unknown_tool"] = await code(client.call_tool("no-such-tool", {}))
        seen["after_the_error"] = text(await client.call_tool("echo", {"text": "still here"}))
    print(json.dumps(seen))


anyio.run(main)
